/* SPDX-License-Identifier: GPL-3.0-or-later */
/* least_squares: a generic solver of nonlinear least squares, min over x of |r(x)|^2. Knows nothing of networks. */
#ifndef STEEP_FIT_LEAST_SQUARES_H
#define STEEP_FIT_LEAST_SQUARES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/monitor.h"
#include "base/status.h"

typedef struct steep_least_squares_problem {
    size_t residuals, unknowns; /* m >= n >= 1 */
    /* Writes r(x), m entries, and, where J is not NULL, J[k + p * m] = d r_k / d x_p, column-major m x n. Numbers that
     * are not finite refuse the step; a return below 0 (STEEP_NO_MEMORY, say) ends the solve with that status. */
    steep_status (*evaluate)(void *context, const double *x, double *r, double *J);
    void *context;
    /* Directions along which r(x) does not change, to first order: known from the model (0: none). invariant writes
     * them at x, column-major n x invariances; a zero column says nothing. */
    size_t invariances;
    void (*invariant)(void *context, const double *x, double *direction);
} steep_least_squares_problem;

typedef struct steep_least_squares_options {
    size_t max_iterations; /* Jacobians after the first (200) */
    double tolerance;      /* converged when max_p |J_p . r| / (|J_p| |r|) <= tolerance, or r = 0 (1e-8); in (0, 1) */
    double small;          /* |r| <= small counts as rounding: STEEP_FLOOR (0) */
    double radius;         /* first trust radius, in units of |D x| (of 1 where x = 0); > 0 (1) */
    /* Part of |D x| that a step may go along directions in which J holds rounding alone (1e-3; tuned). INFINITY where
     * J's singular values fall off evenly down to rounding and all of them count, as with smooth units that depend on
     * each other. */
    double drift;
    bool geodesic;         /* with geodesic acceleration: one more residual a trial step (false) */
    const char *stage;     /* what the monitor is told ("lm") */
    steep_monitor monitor; /* rmse in its progress is |r|, step the damping mu */
} steep_least_squares_options;
steep_least_squares_options steep_least_squares_options_default(void);

typedef struct steep_least_squares_result {
    steep_status status;
    char reason[160]; /* why it stopped, a sentence */
    double norm;      /* |r| at the returned x */
    double cosine;    /* the gradient there, as options.tolerance measures it, from J at x; 0 when r = 0 */
    double tolerance; /* asked for */
    double radius, damping;
    size_t iterations;  /* accepted steps */
    size_t evaluations; /* calls of evaluate, with or without Jacobian */
    size_t jacobians;   /* of them with */
    size_t triangles;   /* of [R; sqrt(mu) D], each a QR of 2 n x n */
} steep_least_squares_result;

/* Levenberg-Marquardt in a trust region (the algorithm heads least_squares.c), from x (n entries) to x. options NULL:
 * the defaults.
 *   STEEP_CONVERGED       the gradient meets the tolerance at the returned x
 *   STEEP_FLOOR           |r| <= options.small
 *   STEEP_STALLED         no step lowers |r| beyond rounding and the gradient is above the tolerance
 *   STEEP_MAX_ITERATIONS, STEEP_STOPPED   as they say; x is the last point taken: |r| grows in no step, but for its
 *                         rounding (relative 1e-12; to 1e-6 where data are large beside r) in the last ones, which
 *                         polish the gradient
 *   STEEP_NOT_FINITE      r or J at the start is not finite (x unchanged)
 *   STEEP_BAD_INPUT       fewer residuals than unknowns, none of them, sizes beyond memory, options out of range
 * Fills *result on every return and returns result->status. Memory: about 8 (m n + 2 n^2) bytes and 3 KB per unknown,
 * at the start. Time per iteration O(m n^2). Source: More, The Levenberg-Marquardt algorithm, 1978. */
steep_status steep_least_squares_solve(const steep_least_squares_problem *problem,
                                       const steep_least_squares_options *options, double *x,
                                       steep_least_squares_result *result, steep_error *error);

#endif
