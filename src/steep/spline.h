/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spline: piecewise polynomials in one dimension: least squares on fixed and on free knots, networks from splines. */
#pragma once

#include "steep/network.h"

#define STEEP_SPLINE_MAX_DEGREE 8

/* On cell i, [knot[i], knot[i+1]], of size h_i: s(x) = sum_{j <= degree} coefficient[i (degree + 1) + j] z^j with
 * z = (x - knot[i+1]) / h_i in [-1, 0]. Long double, so that the jumps at knots, which are differences of neighbouring
 * cells, keep full double accuracy (in double the conversion from splines to jumps fails). */
typedef struct steep_spline {
    size_t degree, cells;
    double *knot;             /* cells + 1 */
    long double *coefficient; /* cells * (degree + 1) */
} steep_spline;

/* The C^{continuity-1} splines of a degree on the cells [knot[i], knot[i+1]], i < cells. */
typedef struct steep_spline_space {
    size_t degree, continuity, cells;
    const double *knot; /* cells + 1, ascending */
} steep_spline_space;
STEEP_API void steep_spline_free(steep_spline *spline);

/* s(x); x outside the knots continues the first or last polynomial. O(log cells). */
STEEP_API long double steep_spline_value(const steep_spline *spline, long double x);

/* knot[i] = low + i (high - low)/cells, i <= cells; the ends exact. */
STEEP_API void steep_knots_uniform(double low, double high, size_t cells, double *knot);

/* knot[0..cells] such that each cell carries the same integral of |f^(p)|^{1/(p+1/2)}, p = order: asymptotically best
 * free knots for degree p-1 (de Boor, A Practical Guide to Splines, chapter XII). A floor of 1e-6 of the mean density
 * keeps cells finite where f^(p) vanishes. Where f^(p) grows without bound, near a kink such as that of |x|^1.5 or an
 * end such as that of sqrt, the integral is refined, which keeps the order there; refinement ends where rounding of a
 * network's gates exceeds the error of a cell. STEEP_NOT_FINITE: the target's jet is not finite in the middle of a
 * piece of the integral. Strictly ascending. O(16 cells + 4096) jets, and 36 for each unbounded place. */
STEEP_API steep_status steep_knots_equidistributed(const steep_target *target, size_t order, size_t cells, double *knot,
                                                   steep_error *error);

/* Minimises sum_k w_k (s(x_k) - y_k)^2 over the splines of the space (1 <= continuity <= degree <= 8); samples 1D, one
 * or more, ascending, within the knots' range up to rounding. Where the samples leave s open, s has the smallest jumps
 * at the knots. A place is a group of samples; places are at least a quarter of h / degree apart, h the cell's size.
 * Beside a cell with fewer than degree + 1 places the jumps J are penalised by 1e-6 |J|^2 in a sum of squares whose
 * weights are 1 on average; J is in units of value, over the larger cell. So thin cells follow their neighbours, and a
 * few points among many cells are met by a smooth curve. With fewer than degree + 1 places in all, the last cell's
 * polynomial has only the degree that the places determine. Sequential Householder QR, one cell at a time, with a
 * triangle of degree + 1 rows carried from cell to cell; back substitution in long double, so that the result is
 * continuous to long double. On success *spline is initialised (free it). */
STEEP_API steep_status steep_spline_least_squares(const steep_samples *samples, const steep_spline_space *space,
                                                  steep_spline *spline, steep_error *error);

typedef struct steep_free_knots_options {
    size_t max_iterations; /* 100 */
    double tolerance; /* stop when |dF/dt_i| h_i / (2 F), the relative decrease that knot i can give, is at most this
                         for all i (1e-9); h_i: the smaller cell beside knot i; F: half the mean square */
    /* continuous problem: points per cell (degree + 11: the quadrature must be finer than the requested gradient) */
    size_t gauss_points;
    steep_monitor monitor;
} steep_free_knots_options;
STEEP_API steep_free_knots_options steep_free_knots_options_default(void);

typedef struct steep_free_knots_result {
    steep_status status;            /* converged, floor, stalled, max_iterations, stopped, or < 0 */
    size_t iterations, evaluations; /* Newton steps; least-squares fits */
    double rmse, gradient;          /* achieved rmse; the largest |dF/dt_i| h_i / (2 F) */
} steep_free_knots_result;

/* What is fitted: samples, or with samples NULL the target on the whole interval of the knots. The mean square is then
 * the mean over the interval, by Gauss-Legendre in each cell. 2 continuity <= degree + 1. */
typedef struct steep_free_knots_problem {
    const steep_samples *samples;
    const steep_target *target;
    size_t degree, continuity, cells;
} steep_free_knots_problem;

/* Minimises F(t) = min_s (1/2) sum_k w_k (s(x_k) - y_k)^2 over the interior knots t, s a C^{continuity-1} spline of the
 * degree on the cells. Starts from knot[0..cells] and keeps the order of the knots. On return knot and *spline
 * (initialised; free it) are the best found. options NULL: the defaults. O(samples + cells) per iteration. */
STEEP_API steep_status steep_spline_free_knots(const steep_free_knots_problem *problem, double *knot,
                                               const steep_free_knots_options *options, steep_spline *spline,
                                               steep_free_knots_result *result, steep_error *error);

/* Writes theta such that the network equals the spline on [spline->knot[0], spline->knot[cells]], up to the rounding of
 * parameters to double. knot[i], sign[i], i < width, are the gates as in steep_start_gates: the heads are open on the
 * whole domain, the others stand at the spline's interior knots, each once, in any order. sign NULL: gates inside face
 * away from the middle, gates at or outside the ends face inward, which keeps sums short and rounding small
 * (docs/explanation/theory.md). A gate closed on the whole domain, or open and not needed, gets output weight 0.
 * STEEP_SINGULAR: the heads cannot represent the polynomial of their cell. STEEP_BAD_INPUT: gates and knots do not
 * match. O(width log width + cells). */
STEEP_API steep_status steep_gates_from_spline(const steep_network *network, const steep_spline *spline,
                                               const double *knot, const double *sign, double *theta,
                                               steep_error *error);

/* c_p of the leading term c_p h^p rms f^(p), p = degree + 1, of the error (rms) of the best least-squares spline: cells
 * of size h, polynomials of the degree, C^{continuity-1} at the knots (continuity 0: no condition). c_p holds in every
 * cell, also for knots whose spacing varies smoothly.
 *   continuity 0        p!/((2p)! sqrt(2p + 1)), the monic Legendre polynomial
 *   continuity degree   sqrt(|B_2p|/(2p)!), the Bernoulli polynomial; by parity also for continuity degree - 1
 *                       (C^0 quadratics, C^1 cubics, ...: mlp, glu, gqu and the gated family)
 * Full double accuracy. NaN unless continuity <= degree, 1 <= degree <= STEEP_SPLINE_MAX_DEGREE. */
STEEP_API double steep_spline_constant(size_t degree, size_t continuity);
