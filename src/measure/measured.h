/* SPDX-License-Identifier: GPL-3.0-or-later */
/* measured: how far a network is from its target, from the network's own parameters. */
#pragma once

#include "data/samples.h"
#include "model/network.h"
#include "steep/fit.h"

/* sqrt(sum_k w_k y_k^2): the error of the network that is 0 everywhere. NaN where a value is not finite. */
double steep_rmse_of_zero(const steep_samples *samples);
