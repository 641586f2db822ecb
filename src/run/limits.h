/* SPDX-License-Identifier: GPL-3.0-or-later */
/* limits: no network of a width can be better than the best piecewise polynomial with as many breakpoints. A fit that
 * claims to be is a bug, and ends the run. */
#ifndef STEEP_RUN_LIMITS_H
#define STEEP_RUN_LIMITS_H

#include "run/rows.h"
#include "run/tasks.h"

#define STEEP_LIMIT_WIDTHS 100 /* widths that a bracket judges: a quarter of its intervals */

/* The bracket (spline/bracket) of the continuous error, on the points where there is no formula, for one degree, and
 *   asymptotic = gamma_p (b - a)^p (mean |f^(p)|^{1/(p+1/2)})^{p+1/2},  gamma_p = p!/((2p)! sqrt(2p + 1)), p = degree
 * + 1, over (n + 1)^p: what n + 1 pieces with free breakpoints come to as n grows (no bound: NaN without a formula). */
typedef struct steep_limits {
    size_t degree; /* 0: no piecewise polynomial in one dimension, nothing is known */
    double lower[STEEP_LIMIT_WIDTHS + 1], upper[STEEP_LIMIT_WIDTHS + 1], asymptotic;
} steep_limits;

/* Those of a variant on a target. A second call with the same degree and target costs nothing if *limits holds the
 * first's answer and its target is still *target (start with SIZE_MAX). */
steep_status steep_limits_of(const steep_plan *plan, size_t target, size_t variant, size_t *last_target,
                             steep_limits *limits, steep_error *error);

/* Compares rmse_train of every usable row of a 1D piecewise polynomial (mlp, glu, gqu and relatives with relu gates)
 * with the lower end of the bracket of its width and degree on the very samples it was trained on; widths up to
 * STEEP_LIMIT_WIDTHS, wider ones are not judged. Rows whose samples were not made in this run are not judged either.
 * STEEP_SINGULAR, with the row in the message, when an error is below the bracket by more than its rounding floor
 * explains. */
steep_status steep_limits_check(const steep_plan *plan, const steep_task_samples *samples, const steep_fit_row *row,
                                steep_error *error);

#endif
