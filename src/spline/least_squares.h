/* SPDX-License-Identifier: GPL-3.0-or-later */
/* least_squares: the best spline on given knots, in O(samples + cells). */
#ifndef STEEP_SPLINE_LEAST_SQUARES_H
#define STEEP_SPLINE_LEAST_SQUARES_H

#include "data/samples.h"
#include "spline/spline.h"

/* Minimises sum_k w_k (s(x_k) - y_k)^2 over C^{continuity-1} splines of the degree (1 <= continuity <= degree <= 8)
 * on the knots; samples 1D, ascending, within the knots' range up to rounding. Sequential Householder QR, one cell at
 * a time, a triangle of continuity rows carried from cell to cell; back substitution in long double, so that the
 * result is continuous to long double. Cells with fewer samples than degree + 1 get rows that hold their free
 * coefficients, with weight 1e-3, to those of the polynomial through the nearest samples. Too few samples for the
 * unknowns, degree + 1 + (cells - 1)(degree + 1 - continuity), is STEEP_BAD_INPUT. On success *spline is initialised
 * (free it). */
steep_status steep_spline_least_squares(const steep_samples *samples, size_t degree, size_t continuity, size_t cells,
                                        const double *knot, steep_spline *spline, steep_error *error);

#endif
