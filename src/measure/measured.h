/* SPDX-License-Identifier: GPL-3.0-or-later */
/* measured: how far a network is from its target, from the network's own parameters. */
#pragma once

#include "data/samples.h"
#include "model/network.h"
#include "steep/fit.h"

/* sqrt(sum_k w_k y_k^2): the error of the network that is 0 everywhere. NaN where a value is not finite. */
double steep_rmse_of_zero(const steep_samples *samples);

/* single: the error of a network in float32, and the size of its coefficients. */

/* *rmse = sqrt(sum_k w_k (y(x_k) - y_k)^2), y = d + sum_i D_i h_i in float32: parameters, coordinates, h_i and later
 * products and sums, in the order of units, are rounded to float. Inside a unit arithmetic is in double. So the loss by
 * units that cancel each other is seen, the loss inside a unit's formula is not. INFINITY where a number leaves float's
 * range. The points' values stay doubles. Fails with STEEP_NO_MEMORY. */
steep_status steep_measure_single(const steep_network *network, const double *theta, const steep_samples *samples,
                                  double *rmse, steep_error *error);

/* max_i |D_i|; for units that are linear in branches (glu, gqu) max |D_i W|, W the coefficients of these branches.
 * These numbers multiply the values of activations, and have the unit of y. */
double steep_largest_coefficient(const steep_network *network, const double *theta);
