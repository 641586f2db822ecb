/* SPDX-License-Identifier: GPL-3.0-or-later */
/* free_knots: the best knots, by Newton's method on the projected problem. */
#ifndef STEEP_SPLINE_FREE_KNOTS_H
#define STEEP_SPLINE_FREE_KNOTS_H

#include "base/monitor.h"
#include "data/samples.h"
#include "spline/spline.h"

typedef struct steep_free_knots_options {
    size_t max_iterations; /* 100 */
    double tolerance; /* stop when every knot's share of the relative decrease, |dF/dt_i| h_i / (2 F), is at most this
                         (1e-9); h_i the smaller of the cells beside it, F half the mean square */
    /* continuous problem: points a cell (degree + 11: the quadrature must be finer than the gradient asked for) */
    size_t gauss_points;
    steep_monitor monitor;
} steep_free_knots_options;
steep_free_knots_options steep_free_knots_options_default(void);

typedef struct steep_free_knots_result {
    steep_status status;            /* converged, floor, stalled, max_iterations, stopped, or < 0 */
    size_t iterations, evaluations; /* Newton steps; least-squares fits */
    double rmse, gradient;          /* achieved; the largest |dF/dt_i| h_i / (2 F) */
} steep_free_knots_result;

/* What is to be fitted: samples, or, where samples is NULL, target on the whole interval of the knots: the mean square
 * is then the integral's, by Gauss-Legendre in each cell. 2 continuity <= degree + 1. */
typedef struct steep_free_knots_problem {
    const steep_samples *samples;
    const steep_target *target;
    size_t degree, continuity, cells;
} steep_free_knots_problem;

/* Minimises over the interior knots F(t) = min_s (1/2) sum_k w_k (s(x_k) - y_k)^2, s a C^{continuity-1} spline of the
 * degree on the cells, from knot[0..cells] and in their order. On return knot and *spline (initialised; free it) are
 * the best found. options NULL: the defaults. O(samples + cells) an iteration. */
steep_status steep_spline_free_knots(const steep_free_knots_problem *problem, double *knot,
                                     const steep_free_knots_options *options, steep_spline *spline,
                                     steep_free_knots_result *result, steep_error *error);

#endif
