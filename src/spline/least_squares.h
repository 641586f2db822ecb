/* SPDX-License-Identifier: GPL-3.0-or-later */
/* least_squares: the best spline on given knots, in O(samples + cells). */
#ifndef STEEP_SPLINE_LEAST_SQUARES_H
#define STEEP_SPLINE_LEAST_SQUARES_H

#include "data/samples.h"
#include "spline/spline.h"

/* Minimises sum_k w_k (s(x_k) - y_k)^2 over the splines of the space (1 <= continuity <= degree <= 8); samples 1D, one
 * or more, ascending, within the knots' range up to rounding. Where they leave s open, the one with the smallest jumps
 * at the knots: beside a cell with fewer than degree + 1 places (samples a quarter of h / degree and more apart, h the
 * cell's size) jumps J are held to 0 by 1e-6 |J|^2 in a sum of squares whose weights are 1 on average, J in units of
 * value over the larger cell. So thin cells follow their neighbours, and a few points among many cells are met by a
 * smooth curve. With fewer than degree + 1 places in all, the last cell's polynomial is held to the lower degree that
 * they determine. Sequential Householder QR, one cell at a time, a triangle of degree + 1 rows carried from cell to
 * cell; back substitution in long double, so that the result is continuous to long double. On success *spline is
 * initialised (free it). */
steep_status steep_spline_least_squares(const steep_samples *samples, const steep_spline_space *space,
                                        steep_spline *spline, steep_error *error);

#endif
