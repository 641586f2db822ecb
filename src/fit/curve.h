/* SPDX-License-Identifier: GPL-3.0-or-later */
/* curve: what a fit was at some of its iterations (--curve), in all its starts. */
#pragma once

#include "fit/solvers.h"

/* A row: numbers alone, so that workers can send it. NaN: not known. The gradient is the solver's own (a cosine), step
 * the length of its last step, for first-order solvers the learning rate, for lm the damping; seconds are the start's.
 * rank, at iterations 0, 1, 10, 100, .. and at the end: exp(-sum_i p_i log p_i), p_i = s_i / sum s, s the singular
 * values of the columns sqrt(w_k) D_i h_i(x_k) (Roy and Vetterli, The effective rank, 2007), up to width 512.
 * operations: of the start so far, by the formulas of fit/cost. */
typedef struct steep_curve_row {
    double restart, iteration, evaluations, seconds, rmse_train, rmse_test, gradient, step, coefficient, rank,
        operations;
} steep_curve_row;

enum { STEEP_CURVE_NUMBERS = sizeof(steep_curve_row) / sizeof(double) };

/* Of one fit: rows of iterations in steep_is_logged, and of each start's end. */
typedef struct steep_curve {
    steep_curve_row *row; /* owned */
    size_t count, room, restart;
    steep_progress last, before; /* the last of this start; the ends of its stages, whose counts begin at 0 each */
    const steep_problem *problem;
    const steep_fit_options *options;
    steep_status failure; /* STEEP_NO_MEMORY: rows are missing */
} steep_curve;

/* The monitor that writes the rows and asks that of options, which must outlive it. */
steep_monitor steep_curve_monitor(steep_curve *curve, const steep_problem *problem, const steep_fit_options *options);

/* The row of a start's end, in place of one of the same iteration. */
void steep_curve_end(steep_curve *curve, const steep_solve *solve, const double *theta, double seconds);

/* Errors and coefficients times the factor. */
void steep_curve_scale(steep_curve *curve, double factor);
