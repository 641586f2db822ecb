/* SPDX-License-Identifier: GPL-3.0-or-later */
/* curve: records a fit at some of its iterations (--curve), in all its starts. */
#pragma once

#include "fit/solvers.h"

/* A row: only numbers, so that workers can send it. NaN: not known. gradient: the solver's own cosine. step: length of
 * the last step; for first-order solvers the learning rate, for lm the damping. seconds: since the start began. rank,
 * at iterations 0, 1, 10, 100, .. and at the end, up to width 512: exp(-sum_i p_i log p_i), p_i = s_i / sum s, s the
 * singular values of the columns sqrt(w_k) D_i h_i(x_k) (Roy and Vetterli, The effective rank, 2007). operations: of
 * the start so far, by the formulas of fit/cost. */
typedef struct steep_curve_row {
    double restart, iteration, evaluations, seconds, rmse_train, rmse_test, gradient, step, coefficient, rank,
        operations;
} steep_curve_row;

enum { STEEP_CURVE_NUMBERS = sizeof(steep_curve_row) / sizeof(double) };

/* The curve of one fit: a row for each iteration in steep_is_logged and for each start's end. */
typedef struct steep_curve {
    steep_curve_row *row; /* owned */
    size_t count, room, restart;
    steep_progress last, before; /* last report of this start; sums over its finished stages, which count from 0 */
    const steep_problem *problem;
    const steep_fit_options *options;
    steep_status failure; /* STEEP_NO_MEMORY: rows are missing */
} steep_curve;

/* Returns the monitor that writes rows, then asks the monitor of options. problem and options must outlive it. */
steep_monitor steep_curve_monitor(steep_curve *curve, const steep_problem *problem, const steep_fit_options *options);

/* Ends a start, and writes its last row in place of one of the same iteration; theta NULL: it failed, no row. */
void steep_curve_end(steep_curve *curve, const steep_solve *solve, const double *theta, double seconds);

/* Multiplies errors and coefficients by the factor. */
void steep_curve_scale(steep_curve *curve, double factor);
