/* SPDX-License-Identifier: GPL-3.0-or-later */
/* measured: how far a network is from its target, from the network's own parameters. */
#pragma once

#include "data/samples.h"
#include "model/network.h"
#include "steep/fit.h"

/* sqrt(sum_k w_k y_k^2): the error of the network that is 0 everywhere. NaN where a value is not finite. */
double steep_rmse_of_zero(const steep_samples *samples);

/* single: what is left of a network in float32, and the size of its coefficients. */

/* *rmse = sqrt(sum_k w_k (y(x_k) - y_k)^2), y = d + sum_i D_i h_i in float32: parameters and coordinates are rounded
 * to float, so are h_i and every product and sum behind it, in order of units. Inside a unit arithmetic is in double:
 * what units that cancel each other lose is seen, what one unit's own formula loses is not. INFINITY where a number
 * leaves float's range. The points' values stay doubles. STEEP_NO_MEMORY. */
steep_status steep_measure_single(const steep_network *network, const double *theta, const steep_samples *samples,
                                  double *rmse, steep_error *error);

/* max_i |D_i|, in units that are linear in branches (glu, gqu) max_i |D_i W|, W the coefficients of these: what
 * multiplies the activations' values, in the unit of y. */
double steep_largest_coefficient(const steep_network *network, const double *theta);
