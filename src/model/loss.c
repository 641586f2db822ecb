/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tile has so few points that values and derivatives of all units stay in the cache between the forward and the
 * backward pass; nothing is computed twice. */
#include <stdlib.h>

#include "base/block.h"
#include "base/sizes.h"
#include "model/network.h"

#define CACHED    65536   /* numbers of a tile that fit the second-level cache; tuned */
#define SHARED    65536   /* parameters times points from which on threads are faster; tuned */
#define GRADIENTS 4194304 /* numbers in the gradients of tiles that wait to be added, about */

#define REAL    double
#define NAME(f) f##_double
#include "model/loss_pass.h"
#define REAL    float
#define NAME(f) f##_single
#include "model/loss_pass.h"

/* Points of a tile: the largest multiple of 32 that fits the cache, at least 32, at most tile. */
static size_t tile_of(const steep_network *network, size_t tile)
{
    const size_t most = CACHED / (network->width * (1 + network->inputs)) / 32 * 32;
    return most < 32 ? (tile < 32 ? tile : 32) : most < tile ? most : tile;
}

/* Units coupled by a norm (derivatives only after a whole tile), and losses without gradient of several layers. */
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

/* A part of a team's work: some tiles, one after another. The results of tiles are added in the order of the tiles. */
typedef struct part {
    steep_walk walk; /* networks of one layer only */
    bool *open;
    double *memory;
    steep_status status;
} part;

typedef struct wave {
    const steep_square_loss *of;
    const double *theta;
    double *r;              /* 2 N entries, as in steep_layers_tile; NULL: one layer */
    size_t tile, first;     /* points of a tile; the wave's first point */
    size_t parts, each;     /* parts of a wave; tiles of a part */
    double *sum, *gradient; /* results of each tile of the wave; gradient NULL: not asked for */
    part *part;
} wave;

static void do_tile(const wave *w, part *at, size_t i)
{
    const steep_square_loss *of = w->of;
    const size_t P = of->network->parameters, from = w->first + i * w->tile;
    double *gradient = w->gradient ? w->gradient + i * P : NULL;
    if (gradient) memset(gradient, 0, P * sizeof *gradient);
    if (w->r) {
        const steep_status status = steep_layers_tile(of, w->theta, from, w->r, gradient);
        if (status < 0) at->status = status;
        return;
    }
    steep_walk_seek(&at->walk, from);
    w->sum[i] = of->single ? run_single(&at->walk, of->points, at->memory, at->open, gradient)
                           : run_double(&at->walk, of->points, at->memory, at->open, gradient);
}

static void do_part(void *context, size_t p)
{
    const wave *w = context;
    for (size_t i = p * w->each; i < (p + 1) * w->each && w->first + i * w->tile < w->of->points->count; i++)
        do_tile(w, w->part + p, i);
}

static steep_status open_part(const wave *w, part *at)
{
    const steep_network *network = w->of->network;
    const steep_samples *points = w->of->points;
    const size_t m = network->inputs, shared = m - network->counts.branches - network->counts.scalars;
    if (w->r) return STEEP_OK;
    const steep_status status =
        steep_walk_open(&at->walk, network, w->theta, points->count, points->x, w->gradient ? 1 : 0);
    at->walk.tile = w->tile;
    at->memory = malloc(w->tile * (1 + shared + network->width * (1 + m)) * sizeof *at->memory);
    at->open = malloc(network->width * sizeof *at->open);
    return at->memory && at->open ? status : STEEP_NO_MEMORY;
}

static double add(bool single, double sum, double more)
{
    return single ? (double)((float)sum + (float)more) : sum + more;
}

static steep_status run_waves(wave *w, double *loss, double *gradient)
{
    const size_t N = w->of->points->count, P = w->of->network->parameters, tiles = w->parts * w->each;
    const bool single = w->of->single && !w->r;
    for (w->first = 0; w->first < N; w->first += tiles * w->tile) {
        steep_team_run(w->of->team, w->parts, do_part, w);
        for (size_t i = 0; i < tiles && w->first + i * w->tile < N; i++) {
            *loss = add(single, *loss, w->sum[i]);
            for (size_t p = 0; gradient && p < P; p++) gradient[p] = add(single, gradient[p], w->gradient[i * P + p]);
        }
        for (size_t i = 0; i < w->parts; i++)
            if (w->part[i].status < 0) return w->part[i].status;
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
    const bool layers = network->depth > 1;
    if (network->counts.moments || (layers && !gradient)) return in_two_passes(of, theta, loss, gradient);
    wave w = {.of = of, .theta = theta, .tile = layers ? STEEP_TILE : tile_of(network, steep_least(N, STEEP_TILE))};
    const size_t tiles = steep_pieces(N, w.tile);
    /* A part for each thread where threads are faster, with as many tiles as memory allows. */
    w.parts = P < SHARED / N ? 1 : steep_least(steep_team_size(of->team), tiles);
    w.each = w.parts == 1 ? 1 : steep_least(steep_pieces(tiles, w.parts), 1 + GRADIENTS / (w.parts * P));
    void *block =
        STEEP_BLOCK(STEEP_SHARE(w.part, w.parts), STEEP_SHARE(w.sum, w.parts * w.each),
                    STEEP_SHARE(w.gradient, gradient ? w.parts * w.each * P : 0), STEEP_SHARE(w.r, layers ? 2 * N : 0));
    if (!block) return STEEP_NO_MEMORY;
    if (!layers) w.r = NULL;
    if (!gradient) w.gradient = NULL;
    steep_status status = STEEP_OK;
    for (size_t i = 0; i < w.parts && status == STEEP_OK; i++) status = open_part(&w, w.part + i);
    *loss = 0;
    if (gradient) memset(gradient, 0, P * sizeof *gradient);
    if (status == STEEP_OK) status = run_waves(&w, loss, gradient);
    for (part *at = w.part; at < w.part + w.parts; at++) {
        steep_walk_close(&at->walk);
        free(at->memory);
        free(at->open);
    }
    free(block);
    return status;
}
