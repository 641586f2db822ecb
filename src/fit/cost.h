/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cost: predicts time and memory of a fit; and parts from which solvers compose their time. */
#pragma once

#include "fit/problem.h"
#include "steep/fit.h"

/* Returns how many numbers the solver has to find from the points; fewer distinct points leave some undetermined.
 *   construct    0: the numbers come from the target
 *   frozen       in 1D, where the gates make knots: the dimension of the splines on them: degree + 1, and for each gate
 *                inside the domain degree + 1 - continuity. Otherwise, and with options->dense: the coefficients of the
 *                linear branches (without such branches the output weights) and the bias: a lower bound
 *   all others   P, all parameters
 * For a start with random gates: the largest number possible. */
size_t steep_fit_unknowns(const steep_network *network, const steep_fit_options *options);

/* Returns the time of one steep_fit with these options and so many training points, with all starts and restarts, from
 * the operations of a typical run; far more or fewer iterations than typical are not foreseen. In microseconds of a
 * processor of 2023, within a factor of 3 for most fits; for comparing fits. Above 0; a function of its arguments. */
double steep_fit_cost(const steep_network *network, size_t points, const steep_fit_options *options);

/* Returns the bytes that one steep_fit with these options allocates at its peak, without samples: large arrays of
 * solver and start. An estimate: its factors are fitted to the nine fits of tests/test_memory.c, for which it is .75 to
 * 1.25 times the measured peak, plus or minus a MB; for others mostly too low. A function of its arguments. */
double steep_fit_memory(const steep_network *network, size_t points, const steep_fit_options *options);

/* Returns the operations (additions, multiplications) of a finished fit by the same formulas, with its own iterations
 * and evaluations in place of typical ones: the same on every machine. Measuring errors does not count. */
double steep_fit_operations(const steep_network *network, size_t points, const steep_fit_options *options,
                            const steep_fit_result *done);

/* What time, operations and memory of a fit are computed from. */
typedef struct steep_fit_size {
    const steep_network *network;
    const steep_fit_options *options;
    double points;
    const steep_fit_result *done; /* NULL: predict microseconds; else the finished fit: count operations */
} steep_fit_size;

/* Prices of the parts of a fit: times measured on mlp, glu and gqu of widths 5 to 500 in one and two dimensions,
 * rounded; operations counted in the loops, in round numbers, exp and similar functions as 20. */
typedef struct steep_price {
    double microseconds, operations;
} steep_price;
static const steep_price STEEP_PRICE_START = {5, 0}, /* any fit */
    STEEP_PRICE_UNIT = {0.03, 2},            /* relu or a power of it in a unit, and its derivatives at a point */
    STEEP_PRICE_SMOOTH = {0.07, 20},         /* the same with another activation, for each of them */
    STEEP_PRICE_MULTIPLY = {0.0005, 2},      /* a multiplication and an addition of a factorisation */
    STEEP_PRICE_UNKNOWNS = {0.1, 2},         /* a pair of unknowns of a factorisation */
    STEEP_PRICE_CONSTRUCTED = {0.6, 200},    /* a cell's construction, with its unit */
    STEEP_PRICE_SPLINE_SAMPLE = {0.015, 30}, /* a sample in a spline fit */
    STEEP_PRICE_SPLINE_CELL = {0.5, 100},    /* a cell in a spline fit, for each order */
    STEEP_PRICE_CELL_SAMPLE = {0.02, 10},    /* a sample compressed by cells (fit/cells), for each order */
    STEEP_PRICE_CELL_ROW = {0.01, 4},        /* a row of a Jacobian by cells, for each parameter */
    STEEP_PRICE_GREEDY_NUMBER = {0.0003, 2}, /* a number in the columns of greedy, for each unknown taken */
    STEEP_PRICE_KNOT_SAMPLE = {0.25, 200},   /* a sample in a step of free knots */
    STEEP_PRICE_KNOT_CELL = {12, 4000},      /* a cell in a step of free knots */
    STEEP_PRICE_SEARCH_SAMPLE = {0.05, 60},  /* the sums of a sample in a search */
    STEEP_PRICE_SEARCH_PAIR = {70, 60000};   /* two columns of a search (coefficients, factors, knot); all trials */
double steep_cost_price(const steep_fit_size *size, steep_price part);

/* Costs of: a Jacobian on all points; a factorisation of rows x unknowns; a step of lm. */
double steep_cost_jacobian(const steep_fit_size *size);
double steep_cost_factor(const steep_fit_size *size, double rows, double unknowns);
double steep_cost_step(const steep_fit_size *size);

/* Iterations of a start: options->max_iterations, else `typical`; steep_cost_iterations: for a finished fit, its mean
 * per start. steep_cost_trials: evaluations for each step of lm, for a finished fit the mean. */
double steep_cost_expected(const steep_fit_size *size, double typical);
double steep_cost_iterations(const steep_fit_size *size, double typical);
double steep_cost_trials(const steep_fit_size *size);

/* Fields of fit/list.h: the cost of so many starts. */
typedef double steep_cost_function(const steep_fit_size *size, size_t starts);
steep_cost_function steep_reduced_newton_cost, steep_gsl_cost;
