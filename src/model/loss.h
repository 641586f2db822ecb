/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loss: the mean square error of a network with its gradient, as first-order solvers take it. */
#pragma once

#include "data/samples.h"
#include "model/network.h"

/* *loss = F(theta) = sum_k w_k (y(x_k; theta) - y_k)^2 and, where gradient is not NULL, gradient[p] = dF/dtheta_p (P
 * entries): forward, residual and backward for a tile of points at a time: no Jacobian is stored. Several layers,
 * and units that a norm couples, take two passes (steep_network_values, steep_network_gradient).
 *   single: theta and x are numbers of float32. The activations and the maps before them are computed in double; their
 *           values and derivatives are rounded to float32, and all products and sums behind them are float32's. In
 *           two passes values and gradient alone are rounded.
 * O(count * width * m), memory of a tile. The order of sums is fixed: no bit depends on the processor. Not finite where
 * the network is not. Fails only with STEEP_NO_MEMORY. Source: reverse accumulation (Griewank and Walther, Evaluating
 * Derivatives, 2008, chapter 3). */
steep_status steep_network_loss(const steep_network *network, const double *theta, const steep_samples *points,
                                bool single, double *loss, double *gradient);
