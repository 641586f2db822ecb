/* SPDX-License-Identifier: GPL-3.0-or-later */
/* limits: lower bounds of errors. No network beats the best piecewise polynomial with as many breakpoints: a fit that
 * claims to is a bug, and ends the run. An annex has the bounds (src/bounds); without it they are unknown. */
#pragma once

#include "execute/tasks.h"

/* Bounds of the error that counts for a series, for one degree: lower[w] <= the error of every network of width
 * plan->width[w]; upper[w] >= the error of the best piecewise polynomial (bounds/public.h). The error is taken on the
 * test points, on the interval with --test gauss, or on the points of a file without a test. NaN above the widest width
 * whose bounds are known, and where the quadrature on the interval has not converged. */
typedef struct steep_limits {
    size_t degree;            /* 0: the bounds are unknown, as for all but piecewise polynomials in one dimension */
    size_t points;            /* number of the target and set, from 1 */
    bool tested;              /* the bounds are of test errors */
    double *lower, *upper;    /* plan->widths entries each, in one block; the caller frees lower */
    const volatile int *stop; /* non-zero: STEEP_STOPPED, also while a bound is computed; NULL: never */
    bool unresolved;          /* NaN at some width because the quadrature has not converged */
} steep_limits;

/* A row of an annex: limits.c defines steep_limits_of_NAME. */
typedef struct steep_limits_of {
    /* Computes the bounds for a variant on a target and its points. *limits holds zeros, but for stop, or the answer of
     * an earlier call, which is kept where degree, points and tested are the same. */
    steep_status (*find)(const steep_plan *plan, const steep_series_index *at, bool tested, steep_limits *limits,
                         steep_error *error);
    /* Compares rmse_train of every usable row of a 1D piecewise polynomial (mlp, glu, gqu and relatives with relu
     * gates) with the lower bound of its width and degree on the samples that it was trained on. Rows whose samples
     * were not made in this run are not judged. STEEP_SINGULAR, with the row in the message, when an error is below the
     * bound by more than its rounding floor explains. STEEP_STOPPED: *stop (NULL: never) became non-zero. */
    steep_status (*check)(const steep_plan *plan, const steep_task_samples *samples, const steep_fit_row *row,
                          const volatile int *stop, steep_error *error);
} steep_limits_of;

/* The rows of the annexes of this build, NULL past the last; the first is used (build/limits.c). */
extern const steep_limits_of *const steep_annex_limits[];
