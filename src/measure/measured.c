/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/measured.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/inline.h"
#include "base/lanes.h"
#include "model/unit.h"

/* sum_k w_k (r_k s)^2; weight NULL: all 1. */
STEEP_CLONES static double sum_squares(size_t count, const double *r, const double *weight, double s)
{
    steep_half sum[2] = {{0}}, v, w;
    double rest = 0;
    size_t k = 0;
    for (; k + STEEP_LANES <= count; k += STEEP_LANES) STEEP_UNROLL for (int q = 0; q < 2; q++)
        {
            STEEP_HALF_LOAD(v, r + k + q * STEEP_HALF);
            v *= s;
            v *= v;
            if (weight) {
                STEEP_HALF_LOAD(w, weight + k + q * STEEP_HALF);
                v *= w;
            }
            sum[q] += v;
        }
    for (; k < count; k++) rest += (weight ? weight[k] : 1) * (r[k] * s) * (r[k] * s);
    return STEEP_LANES_SUM(sum) + rest;
}

/* sqrt(sum_k w_k r_k^2); largest = max |r|. Where squares would overflow or vanish, r is scaled first. */
static double weighted_norm(size_t count, const double *r, const double *weight, double largest)
{
    const double unit = largest > 1e-140 && largest < 1e140 ? 1 : fmax(largest, 1e-300); /* 1 / unit is finite */
    if (largest == 0) return 0;
    double sum = sum_squares(count, r, weight, 1 / unit);
    return unit * sqrt(weight ? sum : sum / (double)count);
}

/* r -= y. Returns the largest |r|; *bad: the index of the first r that is not finite, count if there is none. */
static double subtract(size_t count, const double *y, double *r, size_t *bad)
{
    double largest = 0;
    *bad = count;
    for (size_t k = 0; k < count; k++) {
        r[k] -= y[k];
        double size = fabs(r[k]);
        if (size > largest) largest = size;
        if (!(size <= 1.7976931348623157e308) && *bad == count) *bad = k;
    }
    return largest;
}

double steep_rmse_of_zero(const steep_samples *samples)
{
    double largest = 0;
    for (size_t k = 0; k < samples->count; k++) {
        if (!isfinite(samples->y[k])) return NAN;
        largest = fmax(largest, fabs(samples->y[k]));
    }
    return weighted_norm(samples->count, samples->y, samples->weight, largest);
}

steep_status steep_measure(const steep_network *network, const double *theta, const steep_samples *samples,
                           double *residual, steep_measured *measured, steep_error *error)
{
    size_t count = samples->count, bad = 0;
    *measured = (steep_measured){NAN, NAN};
    if (network->dim != samples->dim)
        return steep_fail(error, STEEP_BAD_INPUT, "a network of dimension %zu measured on points of dimension %zu",
                          network->dim, samples->dim);
    if (count == 0) return steep_fail(error, STEEP_BAD_INPUT, "an error needs one point or more");
    double *r = residual ? residual : malloc(count * sizeof *r);
    if (!r) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu residuals", count);

    steep_status status = steep_network_values(network, theta, count, samples->x, r);
    const double largest = status < 0 ? NAN : subtract(count, samples->y, r, &bad);
    if (status < 0) steep_fail(error, status, "no memory to evaluate the network on %zu points", count);
    else if (bad < count)
        status = steep_fail(error, STEEP_NOT_FINITE, "network minus target is %g at point %zu of %zu, x = %g", r[bad],
                            bad + 1, count, samples->x[bad]);
    else *measured = (steep_measured){weighted_norm(count, r, samples->weight, largest), largest};
    if (!residual) free(r);
    return status;
}

static float round_single(double value)
{
    if (fabs(value) > FLT_MAX) return value > 0 ? INFINITY : -INFINITY;
    return (float)value;
}

/* sum_k w_k r_k^2 over `count` points from `first` on, in float32; h[k + i * count]: unit i at these points. */
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
