/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tile's points: values and derivatives of all units stay in the cache between forward and backward, so that nothing
 * is computed twice. */
#include <stdlib.h>

#include "model/network.h"

#define CACHED 65536 /* numbers of a tile that stay in a processor's second cache; tuned */

#define REAL    double
#define NAME(f) f##_double
#include "model/loss_pass.h"
#define REAL    float
#define NAME(f) f##_single
#include "model/loss_pass.h"

/* Points of a tile: a multiple of the lanes. */
static size_t tile_of(const steep_network *network, size_t tile)
{
    const size_t most = CACHED / (network->width * (1 + network->inputs)) / 32 * 32;
    return most < 32 ? (tile < 32 ? tile : 32) : most < tile ? most : tile;
}

/* Units that a norm couples, whose derivatives are known only behind a whole tile, and losses alone of many layers. */
static steep_status in_two_passes(const steep_network *network, const double *theta, const steep_samples *points,
                                  bool single, double *loss, double *gradient)
{
    const size_t N = points->count, P = network->parameters;
    double *r = malloc(N * sizeof *r), sum = 0;
    steep_status status = r ? steep_network_values(network, theta, N, points->x, r) : STEEP_NO_MEMORY;
    for (size_t k = 0; status == STEEP_OK && k < N; k++) {
        r[k] = (single ? (double)(float)r[k] : r[k]) - points->y[k];
        sum += steep_sample_weight(points, k) * r[k] * r[k];
    }
    const steep_residuals residuals = {N, points->x, r, points->weight};
    if (status == STEEP_OK && gradient)
        status = steep_network_gradient(network, theta, &residuals, NULL, gradient, NULL);
    for (size_t p = 0; status == STEEP_OK && gradient && p < P; p++)
        gradient[p] = single ? (double)(float)(2 * gradient[p]) : 2 * gradient[p];
    *loss = sum;
    free(r);
    return status;
}

steep_status steep_network_loss(const steep_network *network, const double *theta, const steep_samples *points,
                                bool single, double *loss, double *gradient)
{
    if (network->depth > 1 && gradient && !network->counts.moments)
        return steep_network_layers_loss(network, theta, points, single, loss, gradient);
    if (network->counts.moments || network->depth > 1)
        return in_two_passes(network, theta, points, single, loss, gradient);
    const size_t shared = network->inputs - network->counts.branches - network->counts.scalars;
    steep_walk walk;
    steep_status status = steep_walk_open(&walk, network, theta, points->count, points->x, gradient ? 1 : 0);
    if (status < 0) return status;
    walk.tile = tile_of(network, walk.tile);
    double *memory = malloc(walk.tile * (1 + shared + network->width * (1 + network->inputs)) * sizeof *memory);
    bool *open = malloc(network->width * sizeof *open);
    if (!memory || !open) status = STEEP_NO_MEMORY;
    if (gradient) memset(gradient, 0, network->parameters * sizeof *gradient);
    if (status == STEEP_OK)
        *loss = single ? run_single(&walk, points, memory, open, gradient)
                       : run_double(&walk, points, memory, open, gradient);
    free(memory);
    free(open);
    steep_walk_close(&walk);
    return status;
}
