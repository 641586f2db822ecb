/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cost: the time and the memory of a fit, before it runs; and the parts that the solvers' rows say their time with. */
#pragma once

#include "fit/problem.h"
#include "steep/fit.h"

/* How many numbers the solver has to find from the points: fewer distinct points than that leave some of them open.
 *   construct    0: it takes them from the target
 *   frozen       in 1D, where the gates make knots: the dimension of the splines on them, degree + 1 and, for each gate
 *                inside the domain, degree + 1 - continuity. Else, and with options->dense, the coefficients of the
 *                linear branches, or the output weights where there are none, and the bias: at least that many
 *   all others   P, all parameters
 * Of a start whose gates are random: the most there can be. */
size_t steep_fit_unknowns(const steep_network *network, const steep_fit_options *options);

/* The time that one steep_fit with these options takes on so many training points, starts and restarts included, from
 * the operations of a typical run: iterations beyond the typical or far fewer are not foreseen. About microseconds on a
 * processor of 2023, within a factor of 3 for most fits; meant for comparing fits with each other. Above 0. A function
 * of its arguments alone. */
double steep_fit_cost(const steep_network *network, size_t points, const steep_fit_options *options);

/* Bytes that one steep_fit with these options asks for at its most, beside its samples: its solver's and its start's
 * large arrays. An estimate: its factors are fitted to the nine fits of tests/test_memory.c, where it is between .75
 * and 1.25 times the measured peak, give or take a MB; other fits may be further off, mostly told too low. A function
 * of its arguments alone. */
double steep_fit_memory(const steep_network *network, size_t points, const steep_fit_options *options);

/* The operations (additions, multiplications) of a fit that has ended, by the same formulas, with its own iterations
 * and evaluations in place of the typical ones: the same on every machine. Measuring its errors does not count. */
double steep_fit_operations(const steep_network *network, size_t points, const steep_fit_options *options,
                            const steep_fit_result *done);

/* What time, operations and memory of a fit are computed from. */
typedef struct steep_fit_size {
    const steep_network *network;
    const steep_fit_options *options;
    double points;
    const steep_fit_result
        *done; /* the fit has ended: operations that were done; NULL: microseconds that are expected */
} steep_fit_size;

/* What the parts of a fit cost: times measured on mlp, glu and gqu of widths 5 to 500 in one and two dimensions, and
 * rounded; operations counted in the loops, in round numbers, exp and the like as 20. */
typedef struct steep_price {
    double microseconds, operations;
} steep_price;
static const steep_price STEEP_PRICE_START = {5, 0}, /* of a fit, whatever it does */
    STEEP_PRICE_UNIT = {0.03, 2},            /* relu or a power of it in a unit, and its derivatives at a point */
    STEEP_PRICE_SMOOTH = {0.07, 20},         /* the same with another activation, for each of them */
    STEEP_PRICE_MULTIPLY = {0.0005, 2},      /* a multiplication and an addition of a factorisation */
    STEEP_PRICE_UNKNOWNS = {0.1, 2},         /* a pair of unknowns of it */
    STEEP_PRICE_CONSTRUCTED = {0.6, 200},    /* a cell's construction, with its unit */
    STEEP_PRICE_SPLINE_SAMPLE = {0.015, 30}, /* a sample in a spline fit */
    STEEP_PRICE_SPLINE_CELL = {0.5, 100},    /* a cell in it, for each order */
    STEEP_PRICE_CELL_SAMPLE = {0.02, 10},    /* a sample compressed by cells (fit/cells), for each order */
    STEEP_PRICE_CELL_ROW = {0.01, 4},        /* a row of such a Jacobian, for each parameter */
    STEEP_PRICE_GREEDY_NUMBER = {0.0003, 2}, /* a number of greedy's columns, for each unknown that is taken */
    STEEP_PRICE_KNOT_SAMPLE = {0.25, 200},   /* a sample in a step of free knots */
    STEEP_PRICE_KNOT_CELL = {12, 4000},      /* a cell in it */
    STEEP_PRICE_SEARCH_SAMPLE = {0.05, 60},  /* a sample's sums of a search */
    STEEP_PRICE_SEARCH_PAIR = {70, 60000};   /* two of its columns: a unit's coefficients, factors, knot; all trials */
double steep_cost_price(const steep_fit_size *size, steep_price part);

/* What these cost: a Jacobian on all points; a factorisation of rows x unknowns; a step of lm. */
double steep_cost_jacobian(const steep_fit_size *size);
double steep_cost_factor(const steep_fit_size *size, double rows, double unknowns);
double steep_cost_step(const steep_fit_size *size);

/* Iterations of a start: what the options ask for, or so many; those of the fit that has ended instead, on average.
 * Evaluations of a step of lm, likewise. */
double steep_cost_expected(const steep_fit_size *size, double typical);
double steep_cost_iterations(const steep_fit_size *size, double typical);
double steep_cost_trials(const steep_fit_size *size);

/* Fields of fit/list.h: what so many starts cost. */
typedef double steep_cost_function(const steep_fit_size *size, size_t starts);
steep_cost_function steep_reduced_newton_cost, steep_newton_cost, steep_gsl_cost, steep_exchange_cost,
    steep_first_order_cost, steep_lbfgs_cost;
