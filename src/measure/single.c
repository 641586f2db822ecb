/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/measured.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "data/sample_weight.h"
#include "model/unit.h"

static float round_single(double value)
{
    if (fabs(value) > FLT_MAX) return value > 0 ? INFINITY : -INFINITY;
    return (float)value;
}

/* sum_k w_k r_k^2 over `count` points from `first` on, whose coordinates are in x and whose units are in h. */
static double sum_tile(const steep_network *network, const double *theta, const steep_samples *samples, size_t first,
                       size_t count, const double *h)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        float y = (float)theta[network->bias];
        for (size_t i = 0; i < network->width; i++)
            y += (float)theta[network->output + i] * round_single(h[k + i * count]);
        double r = (double)y - samples->y[first + k];
        sum += steep_sample_weight(samples, first + k) * r * r;
    }
    return sum;
}

steep_status steep_measure_single(const steep_network *network, const double *theta, const steep_samples *samples,
                                  double *rmse, steep_error *error)
{
    const size_t P = network->parameters, dim = network->dim, N = samples->count;
    double *rounded = malloc((P + STEEP_TILE * (dim + network->width)) * sizeof *rounded), sum = 0;
    steep_status status = rounded ? STEEP_OK : STEEP_NO_MEMORY;
    double *x = rounded ? rounded + P : NULL, *h = rounded ? x + STEEP_TILE * dim : NULL;
    for (size_t p = 0; rounded && p < P; p++) rounded[p] = (double)round_single(theta[p]);
    for (size_t first = 0; status == STEEP_OK && first < N; first += STEEP_TILE) {
        const size_t count = N - first < STEEP_TILE ? N - first : STEEP_TILE;
        for (size_t j = 0; j < dim; j++)
            for (size_t k = 0; k < count; k++) x[k + j * count] = (double)round_single(samples->x[first + k + j * N]);
        status = steep_network_units(network, rounded, count, x, h);
        if (status == STEEP_OK) sum += sum_tile(network, rounded, samples, first, count, h);
    }
    free(rounded);
    if (status < 0) return steep_fail(error, status, "no memory to evaluate %zu parameters in float32", P);
    *rmse = isfinite(sum) ? sqrt(sum) : INFINITY;
    return STEEP_OK;
}

double steep_largest_coefficient(const steep_network *network, const double *theta)
{
    const unsigned linear = steep_architecture_affine(network->architecture);
    double most = 0;
    for (size_t i = 0; i < network->width; i++) {
        const double output = fabs(theta[network->output + i]);
        if (!linear) most = fmax(most, output);
        for (size_t b = 0; b < network->counts.branches; b++)
            for (size_t f = 0; linear >> b & 1 && f < network->features[b]; f++)
                most = fmax(most, output * fabs(theta[steep_network_place(network, b, i) + f]));
    }
    return most;
}
