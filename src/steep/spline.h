/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spline: piecewise polynomials in one dimension: least squares on fixed and on free knots, networks from splines. */
#pragma once

#include "steep/network.h"

#define STEEP_SPLINE_MAX_DEGREE 8

/* On cell i, [knot[i], knot[i+1]], of size h_i: s(x) = sum_{j <= degree} coefficient[i (degree + 1) + j] z^j with
 * z = (x - knot[i+1]) / h_i in [-1, 0]. Long double, so that the jumps at knots, differences of neighbours, keep full
 * double accuracy (in double the conversion from splines to jumps fails). */
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
 * keeps cells finite where f^(p) vanishes. Where f^(p) grows without bound, towards a kink as of |x|^1.5 or an end as
 * of sqrt, the integral is refined, so that the order is kept there, until cells are so narrow that rounding of a
 * network's gates exceeds their error. The target's jet must be finite where it is asked, in the middles of pieces,
 * else STEEP_NOT_FINITE. Strictly ascending. O(16 cells + 4096) jets, and 36 for each such place. */
STEEP_API steep_status steep_knots_equidistributed(const steep_target *target, size_t order, size_t cells, double *knot,
                                                   steep_error *error);

/* Minimises sum_k w_k (s(x_k) - y_k)^2 over the splines of the space (1 <= continuity <= degree <= 8); samples 1D, one
 * or more, ascending, within the knots' range up to rounding. Where they leave s open, the one with the smallest jumps
 * at the knots: beside a cell with fewer than degree + 1 places (samples a quarter of h / degree and more apart, h the
 * cell's size) jumps J are held to 0 by 1e-6 |J|^2 in a sum of squares whose weights are 1 on average, J in units of
 * value over the larger cell. So thin cells follow their neighbours, and a few points among many cells are met by a
 * smooth curve. With fewer than degree + 1 places in all, the last cell's polynomial is held to the lower degree that
 * they determine. Sequential Householder QR, one cell at a time, a triangle of degree + 1 rows carried from cell to
 * cell; back substitution in long double, so that the result is continuous to long double. On success *spline is
 * initialised (free it). */
STEEP_API steep_status steep_spline_least_squares(const steep_samples *samples, const steep_spline_space *space,
                                                  steep_spline *spline, steep_error *error);

typedef struct steep_free_knots_options {
    size_t max_iterations; /* 100 */
    double tolerance; /* stop when every knot's share of the relative decrease, |dF/dt_i| h_i / (2 F), is at most this
                         (1e-9); h_i the smaller of the cells beside it, F half the mean square */
    /* continuous problem: points a cell (degree + 11: the quadrature must be finer than the gradient asked for) */
    size_t gauss_points;
    steep_monitor monitor;
} steep_free_knots_options;
STEEP_API steep_free_knots_options steep_free_knots_options_default(void);

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
STEEP_API steep_status steep_spline_free_knots(const steep_free_knots_problem *problem, double *knot,
                                               const steep_free_knots_options *options, steep_spline *spline,
                                               steep_free_knots_result *result, steep_error *error);

/* theta such that the network is the spline (exactly, but for rounding the parameters to double) on [knot[0],
 * knot[cells]]. knot[i], sign[i], i < width: the gates as steep_start_gates gives them: heads of them open on the
 * whole domain, the others at the spline's interior knots, each once, in any order. sign NULL: the gates inside face
 * away from the middle, those at or outside the ends inward: short sums, less rounding (docs/explanation/theory.md). A
 * gate closed on the whole domain, or an open one not needed, gets output weight 0. STEEP_SINGULAR when the heads
 * cannot carry the head polynomial; STEEP_BAD_INPUT when gates and knots do not match. O(width log width + cells). */
STEEP_API steep_status steep_gates_from_spline(const steep_network *network, const steep_spline *spline,
                                               const double *knot, const double *sign, double *theta,
                                               steep_error *error);

/* c_p of the leading term c_p h^p rms f^(p), p = degree + 1, of the error (rms) of the best least-squares spline: cells
 * of size h, polynomials of the degree, C^{continuity-1} at the knots (continuity 0: no condition). It is the constant
 * of every cell on knots that are spread smoothly, too.
 *   continuity 0        p!/((2p)! sqrt(2p + 1)), the monic Legendre polynomial
 *   continuity degree   sqrt(|B_2p|/(2p)!), the Bernoulli polynomial; by parity also for continuity degree - 1
 *                       (C^0 quadratics, C^1 cubics, ...: mlp, glu, gqu and the gated family)
 * Full double accuracy. NaN unless continuity <= degree, 1 <= degree <= STEEP_SPLINE_MAX_DEGREE. */
STEEP_API double steep_spline_constant(size_t degree, size_t continuity);
