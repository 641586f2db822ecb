/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pull: the step back through one layer. Inside the model room. */
#ifndef STEEP_MODEL_PULL_H
#define STEEP_MODEL_PULL_H

#include "model/network.h"

/* gradient[j * count + k] = sum_i weight[i * count + k] dh_i/dx_j at point k. Output weights and bias are not used.
 * Fails only with STEEP_NO_MEMORY. */
steep_status steep_network_pull(const steep_network *network, const double *theta, size_t count, const double *x,
                                const double *weight, double *gradient);

#endif
