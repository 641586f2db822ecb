/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bounds: lower and upper bounds of the best error with n free breakpoints in one dimension. */
#pragma once

#include "steep/target.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STEEP_BOUNDS_WIDEST 2048 /* breakpoints */

typedef struct steep_bounds_widths {
    size_t degree; /* 0..8 */
    size_t count;
    const size_t *width;      /* breakpoints, ascending */
    const volatile int *stop; /* non-zero: STEEP_STOPPED, in a tenth of a second or so; NULL: never */
} steep_bounds_widths;

/* Bounds of the best error with width[i] breakpoints, i < count, over all piecewise polynomials of the degree, wherever
 * their breakpoints stand and whether they are continuous or not:
 *
 *   lower[i] <= min sqrt(sum_k w_k (s(x_k) - y_k)^2) <= upper[i],   the weights w_k with sum 1.
 *
 * NaN where nothing is known: beyond STEEP_BOUNDS_WIDEST, where the largest |y| is not in 1e-100 to 1e100, and upper[i]
 * where none was found. On smooth targets lower is at least 0.88 upper, up to the widest, unless samples are so few
 * that each is a group. To width 64 by dynamic programming over groups of neighbouring samples; beyond by Lagrange's
 * duality: the least of (sum of squares + price * breakpoints), less price n, at the best price, is the convex hull
 * over n of the least sums, which hardly differs from these sums there. About O(levels samples p + widest 10 p^4), p =
 * degree + 1, levels are widths to 16, to 32, to 64 ..: milliseconds to width 100, a second to 2000. */
STEEP_API steep_status steep_bounds_at(const steep_samples *samples, const steep_bounds_widths *widths, double *lower,
                                       double *upper, steep_error *error);

typedef struct steep_bounds_quadrature {
    double miss;   /* the root mean square by which lower was lowered and upper was raised */
    bool resolved; /* false: at some width miss is above lower / 20, and above rounding; lower is NaN there */
} steep_bounds_quadrature;

/* The same for the continuous error, the root mean square over the interval of a 1D target. f is replaced by a
 * piecewise polynomial f~ on cells that are halved until miss, the root mean square of f - f~ measured at new points,
 * is small. By the triangle inequality lower - miss is a bound for f where lower is a bound for f~. Cells at
 * singularities are halved down to rounding and left out, which only lowers lower (upper is NaN then). Only one step
 * has no proof: miss is measured at points, 6144 at least. */
STEEP_API steep_status steep_bounds_continuous(const steep_target *target, const steep_bounds_widths *widths,
                                               double *lower, double *upper, steep_bounds_quadrature *quadrature,
                                               steep_error *error);

#ifdef __cplusplus
}
#endif
