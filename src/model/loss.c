/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tile's points: values and derivatives of all units stay in the cache between forward and backward, so that nothing
 * is computed twice. */
#include <stdlib.h>

#include "base/block.h"
#include "base/sizes.h"
#include "model/network.h"

#define CACHED 65536 /* numbers of a tile that stay in a processor's second cache; tuned */
#define SHARED 65536 /* parameters times points from which on threads gain; tuned */

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
static steep_status in_two_passes(const steep_square_loss *of, const double *theta, double *loss, double *gradient)
{
    const steep_samples *points = of->points;
    const size_t N = points->count, P = of->network->parameters;
    double *r = malloc(N * sizeof *r), sum = 0;
    steep_status status = r ? steep_network_values(of->network, theta, N, points->x, r) : STEEP_NO_MEMORY;
    for (size_t k = 0; status == STEEP_OK && k < N; k++) {
        r[k] = (of->single ? (double)(float)r[k] : r[k]) - points->y[k];
        sum += steep_sample_weight(points, k) * r[k] * r[k];
    }
    const steep_residuals residuals = {N, points->x, r, points->weight};
    if (status == STEEP_OK && gradient)
        status = steep_network_gradient(of->network, theta, &residuals, NULL, gradient, NULL);
    for (size_t p = 0; status == STEEP_OK && gradient && p < P; p++)
        gradient[p] = of->single ? (double)(float)(2 * gradient[p]) : 2 * gradient[p];
    *loss = sum;
    free(r);
    return status;
}

/* Tiles are the parts of a team, as many at once as it has threads; what they sum is added in the tiles' order. */
typedef struct place {
    steep_walk walk; /* of one layer */
    bool *open;
    double *memory, *gradient, sum; /* gradient: of the tile, NULL: not asked for */
    steep_status status;
} place;

typedef struct wave {
    const steep_square_loss *of;
    const double *theta;
    double *r; /* of all points, with terms (steep_layers_tile); NULL: one layer */
    size_t tile, first, places;
    place *place;
} wave;

static void do_tile(void *context, size_t part)
{
    const wave *w = context;
    const steep_square_loss *of = w->of;
    place *at = w->place + part;
    const size_t from = w->first + part * w->tile;
    if (at->gradient) memset(at->gradient, 0, of->network->parameters * sizeof *at->gradient);
    if (w->r) {
        at->status = steep_layers_tile(of, w->theta, from, w->r, at->gradient);
        return;
    }
    steep_walk_seek(&at->walk, from);
    at->sum = of->single ? run_single(&at->walk, of->points, at->memory, at->open, at->gradient)
                         : run_double(&at->walk, of->points, at->memory, at->open, at->gradient);
}

static steep_status open_place(const wave *w, place *at, double *gradient)
{
    const steep_network *network = w->of->network;
    const size_t m = network->inputs, shared = m - network->counts.branches - network->counts.scalars;
    at->gradient = gradient;
    if (w->r) return STEEP_OK;
    steep_status status =
        steep_walk_open(&at->walk, network, w->theta, w->of->points->count, w->of->points->x, gradient ? 1 : 0);
    at->walk.tile = w->tile;
    at->memory = malloc(w->tile * (1 + shared + network->width * (1 + m)) * sizeof *at->memory);
    at->open = malloc(network->width * sizeof *at->open);
    return at->memory && at->open ? status : STEEP_NO_MEMORY;
}

static void close_place(place *at)
{
    steep_walk_close(&at->walk);
    free(at->memory);
    free(at->open);
}

static double add(bool single, double sum, double more)
{
    return single ? (double)((float)sum + (float)more) : sum + more;
}

static steep_status run_waves(wave *w, double *loss, double *gradient)
{
    const size_t N = w->of->points->count, P = w->of->network->parameters;
    const bool single = w->of->single && !w->r;
    for (w->first = 0; w->first < N; w->first += w->places * w->tile) {
        const size_t left = steep_pieces(N - w->first, w->tile), parts = steep_least(left, w->places);
        steep_team_run(w->of->team, parts, do_tile, w);
        for (size_t i = 0; i < parts; i++) {
            const place *at = w->place + i;
            if (at->status < 0) return at->status;
            *loss = add(single, *loss, at->sum);
            for (size_t p = 0; gradient && p < P; p++) gradient[p] = add(single, gradient[p], at->gradient[p]);
        }
    }
    for (size_t k = 0; w->r && k < N; k++) *loss += w->r[N + k];
    for (size_t p = 0; w->r && p < P; p++)
        gradient[p] = w->of->single ? (double)(float)(2 * gradient[p]) : 2 * gradient[p];
    return STEEP_OK;
}

steep_status steep_network_loss(const steep_square_loss *of, const double *theta, double *loss, double *gradient)
{
    const steep_network *network = of->network;
    const size_t N = of->points->count, P = network->parameters;
    const bool layers = network->depth > 1, alone = P < SHARED / N;
    if (network->counts.moments || (layers && !gradient)) return in_two_passes(of, theta, loss, gradient);
    wave w = {.of = of, .theta = theta, .tile = layers ? STEEP_TILE : tile_of(network, steep_least(N, STEEP_TILE))};
    w.places = alone ? 1 : steep_least(steep_team_size(of->team), steep_pieces(N, w.tile));
    double *gradients;
    void *block = STEEP_BLOCK(STEEP_SHARE(w.place, w.places), STEEP_SHARE(gradients, gradient ? w.places * P : 0),
                              STEEP_SHARE(w.r, layers ? 2 * N : 0));
    if (!block) return STEEP_NO_MEMORY;
    if (!layers) w.r = NULL;
    steep_status status = STEEP_OK;
    for (size_t i = 0; i < w.places && status == STEEP_OK; i++)
        status = open_place(&w, w.place + i, gradient ? gradients + i * P : NULL);
    *loss = 0;
    if (gradient) memset(gradient, 0, P * sizeof *gradient);
    if (status == STEEP_OK) status = run_waves(&w, loss, gradient);
    for (size_t i = 0; i < w.places; i++) close_place(w.place + i);
    free(block);
    return status;
}
