/* SPDX-License-Identifier: GPL-3.0-or-later */
/* limits: no network of a width can be better than the best piecewise polynomial with as many breakpoints. A fit that
 * claims to be is a bug, and ends the run. An annex knows the bounds (src/bounds); without one nothing is known. */
#pragma once

#include "execute/tasks.h"

/* For one degree, of the error that counts for a series: lower[w] <= that of every network of width plan->width[w];
 * upper[w] >= that of the best piecewise polynomial (bounds/public.h). The error is on the test points, or on the
 * interval with --test gauss, or on the points of a file that has no test: the bound is of the same. NaN beyond the
 * widest that bounds are known for, and where the interval's is not resolved. */
typedef struct steep_limits {
    size_t degree;            /* 0: no piecewise polynomial in one dimension, nothing is known */
    size_t points;            /* of which target and set, from 1 */
    bool tested;              /* there are test errors: it is these that are bounded */
    double *lower, *upper;    /* one block, lower first, which the caller frees */
    const volatile int *stop; /* non-zero: STEEP_STOPPED, also while a bound is computed; NULL: never */
    bool unresolved;          /* NaN at some width because the quadrature did not come to an end */
} steep_limits;

/* A row of an annex: limits.c defines steep_limits_of_NAME. */
typedef struct steep_limits_of {
    /* Those of a variant on a target and its points. *limits holds zeros, but for stop, or another call's answer: of
     * the same degree, points and tested it costs nothing. */
    steep_status (*find)(const steep_plan *plan, const steep_series_index *at, bool tested, steep_limits *limits,
                         steep_error *error);
    /* Compares rmse_train of every usable row of a 1D piecewise polynomial (mlp, glu, gqu and relatives with relu
     * gates) with the lower bound of its width and degree on the very samples it was trained on. Rows whose samples
     * were not made in this run are not judged. STEEP_SINGULAR, with the row in the message, when an error is below the
     * bound by more than its rounding floor explains. STEEP_STOPPED: *stop (NULL: never) became non-zero. */
    steep_status (*check)(const steep_plan *plan, const steep_task_samples *samples, const steep_fit_row *row,
                          const volatile int *stop, steep_error *error);
} steep_limits_of;

/* The rows of the annexes of this build, NULL past the last; the first is used (build/limits.c). */
extern const steep_limits_of *const steep_annex_limits[];
