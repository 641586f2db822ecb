/* SPDX-License-Identifier: GPL-3.0-or-later */
/* measured: how far a network is from its target, from the network's own parameters. */
#ifndef STEEP_MEASURE_MEASURED_H
#define STEEP_MEASURE_MEASURED_H

#include "data/samples.h"
#include "model/network.h"

typedef struct steep_measured {
    double rmse; /* sqrt(sum_k w_k (y(x_k) - y_k)^2) */
    double max;  /* max_k |y(x_k) - y_k| */
} steep_measured;

/* Measures the network at theta. STEEP_NOT_FINITE (rmse, max = NaN) when any value is not finite. residual: NULL or
 * count entries y(x_k) - y_k out. */
steep_status steep_measure(const steep_network *network, const double *theta, const steep_samples *samples,
                           double *residual, steep_measured *measured, steep_error *error);

/* sqrt(sum_k w_k y_k^2): the error of the network that is 0 everywhere. NaN where a value is not finite. */
double steep_rmse_of_zero(const steep_samples *samples);

#endif
