/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/scaling.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define POINTS 24
#define WITHIN                                                                                                         \
    (1e3 *                                                                                                             \
     DBL_EPSILON) /* Euler's relation holds to rounding: a few operations in some activations' tails             \
                         */
#define HIGHEST 4

/* Input j at trial point i: away from 0, of both signs. */
static double trial(size_t i, size_t j)
{
    double step = fmod(0.6180339887498949 * (double)(i + 1) + 0.7548776662466927 * (double)(j * (i + 3) + 1), 1);
    double size = 0.3 + 8.7 * step * step; /* relu6 bends at 6 */
    return i >> (j % 4) & 1 ? size : -size;
}

/* Adds up u_j dh/du_j over the inputs first..first+count-1 (branches: those in the set). */
static double euler(const double *u, const double *g, size_t first, size_t count, unsigned set)
{
    double sum = 0;
    for (size_t j = 0; j < count; j++)
        if (set >> j & 1) sum += u[first + j] * g[first + j];
    return sum;
}

/* The k that holds at all trial points, 0 if there is none. */
static double degree_of(const steep_network *network, size_t first, size_t count, unsigned set)
{
    double u[STEEP_MAX_INPUTS], g[STEEP_MAX_INPUTS], h, degree = 0;
    for (size_t i = 0; i < POINTS; i++) {
        for (size_t j = 0; j < network->inputs; j++) u[j] = trial(i, j);
        network->architecture->unit(&network->choice, u, 1, &h, g, NULL);
        double sum = euler(u, g, first, count, set), k = h != 0 ? round(sum / h) : 0;
        if (h == 0 && sum == 0) continue;
        if (!(k >= 1 && k <= HIGHEST) || (degree > 0 && k != degree) || !(fabs(sum - k * h) <= WITHIN * fabs(h)))
            return 0;
        degree = k;
    }
    return degree;
}

size_t steep_network_scalings(const steep_network *network, steep_scaling scaling[STEEP_MAX_SCALINGS])
{
    const steep_counts *counts = &network->counts;
    size_t found = 0, alone = 0, before = counts->branches + counts->scalars + counts->shared_maps;
    unsigned linear = steep_architecture_affine(network->architecture);
    if (counts->moments > 0) return 0;
    for (size_t b = 0; b < counts->branches; b++) {
        double degree = degree_of(network, 0, counts->branches, 1u << b);
        if (degree > 0) scaling[found++] = (steep_scaling){1u << b, degree};
        alone += degree > 0 && (linear >> b & 1);
    }
    if (alone == 0 && (linear & (linear - 1))) { /* several linear branches, jointly */
        double degree = degree_of(network, 0, counts->branches, linear);
        if (degree > 0) scaling[found++] = (steep_scaling){linear, degree};
    }
    if (counts->shared_scalars > 0) {
        double degree = degree_of(network, before, counts->shared_scalars, ~0u);
        if (degree > 0) scaling[found++] = (steep_scaling){0, degree};
    }
    return found;
}

bool steep_scalings_have_kinks(size_t scalings, const steep_scaling *scaling)
{
    for (size_t s = 0; s < scalings; s++)
        if (scaling[s].branches & 1) return true;
    return false;
}

size_t steep_scaling_directions(const steep_network *network, size_t scalings, const steep_scaling *scaling)
{
    size_t directions = 0;
    for (size_t s = 0; s < scalings; s++) directions += scaling[s].branches ? network->width : 1;
    return directions;
}

void steep_scaling_write(const steep_network *network, size_t scalings, const steep_scaling *scaling,
                         const double *theta, double *direction)
{
    size_t P = network->parameters, n = network->width, A = network->counts.shared_scalars;
    memset(direction, 0, steep_scaling_directions(network, scalings, scaling) * P * sizeof *direction);
    for (size_t s = 0; s < scalings; s++) {
        for (size_t i = 0; i < n; i++) {
            double *v = scaling[s].branches ? direction + i * P : direction;
            for (size_t b = 0; b < network->counts.branches; b++)
                if (scaling[s].branches >> b & 1) {
                    size_t p = network->branch[b] + i * network->features[b];
                    memcpy(v + p, theta + p, network->features[b] * sizeof *v);
                }
            v[network->output + i] = -scaling[s].degree * theta[network->output + i];
        }
        if (!scaling[s].branches)
            memcpy(direction + network->shared_scalars, theta + network->shared_scalars, A * sizeof *direction);
        direction += scaling[s].branches ? n * P : P;
    }
}
