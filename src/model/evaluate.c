/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Closed stretches: tiles on which a unit is exactly 0; skipping it changes no bit. In floating point w x is monotone
 * in x, and a sum in each term. So the computed z_1 of every point of a tile is at most the z_1 computed at the corner
 * of the tile's box where each w_j x_j is largest. Where that is <= 0 and the gate is exactly 0 for z_1 <= 0, the unit
 * is 0. Units of numbers so large that 0 times a factor could be NaN are left to the plain loop. */
#include "model/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/inline.h"
#include "base/lanes.h"
#include "base/sizes.h"
#include "model/activation_jet.h"
#include "numerics/dense.h"

enum { GROUP = 8, AHEAD = 8 }; /* half vectors summed at once; features from which units are combined in groups */

STEEP_CLONES static void multiply(size_t count, const double *a, const double *b, double *z)
{
    STEEP_INDEPENDENT for (size_t k = 0; k < count; k++) z[k] = a[k] * b[k];
}

/* Smallest and largest of x, in eight lanes. Comparisons ignore a NaN, so NaN has its own test. False if any x is NaN,
 * infinite, or above STEEP_LARGE_POINT in size. */
STEEP_CLONES static bool bounds(size_t count, const double *x, double *low, double *high)
{
    double least[8], most[8];
    for (int l = 0; l < 8; l++) least[l] = most[l] = x[0];
    size_t k = 0;
    bool number = x[0] == x[0];
    for (; k + 8 <= count; k += 8) STEEP_UNROLL for (int l = 0; l < 8; l++)
        {
            double v = x[k + l];
            least[l] = least[l] <= v ? least[l] : v;
            most[l] = most[l] >= v ? most[l] : v;
            number &= v == v;
        }
    for (; k < count; k++) {
        least[0] = least[0] <= x[k] ? least[0] : x[k];
        most[0] = most[0] >= x[k] ? most[0] : x[k];
        number &= x[k] == x[k];
    }
    for (int l = 1; l < 8; l++) {
        least[0] = least[l] < least[0] ? least[l] : least[0];
        most[0] = most[l] > most[0] ? most[l] : most[0];
    }
    *low = least[0];
    *high = most[0];
    return number && -STEEP_LARGE_POINT <= *low && *high <= STEEP_LARGE_POINT;
}

/* z = sum_f w_f phi_f, in order of f, of some points at a time, whose sums stay in registers. */
STEEP_CLONES static void combine(size_t features, const double *const *phi, const double *w, size_t count, double *z)
{
    const bool shifted = features > 1 && !phi[1];
    const double shift = shifted ? w[1] : -0.0; /* + -0 changes no number, nor the sign of a 0 */
    const size_t from = shifted ? 2 : 1;
    size_t k = 0;
    for (; k + GROUP * STEEP_HALF <= count; k += GROUP * STEEP_HALF) {
        steep_half sum[GROUP], x;
        STEEP_UNROLL for (int q = 0; q < GROUP; q++)
        {
            STEEP_HALF_LOAD(x, phi[0] + k + q * STEEP_HALF);
            sum[q] = w[0] * x + shift;
        }
        for (size_t f = from; f < features; f++) STEEP_UNROLL for (int q = 0; q < GROUP; q++)
            {
                if (phi[f]) {
                    STEEP_HALF_LOAD(x, phi[f] + k + q * STEEP_HALF);
                    sum[q] += w[f] * x;
                } else sum[q] += w[f];
            }
        memcpy(z + k, sum, sizeof sum);
    }
    for (; k < count; k++) {
        double sum = w[0] * phi[0][k] + shift;
        for (size_t f = from; f < features; f++) sum += phi[f] ? w[f] * phi[f][k] : w[f];
        z[k] = sum;
    }
}

/* The same for STEEP_TOGETHER units, which share each load of phi: z of unit u at z[u tile + k]. With AHEAD features or
 * more, phi_1 is not the constant. */
STEEP_CLONES static void combine_units(size_t features, const double *const *phi, const double *const *w, size_t tile,
                                       size_t count, double *z)
{
    size_t k = 0;
    for (; k + STEEP_HALF <= count; k += STEEP_HALF) {
        steep_half sum[STEEP_TOGETHER], x;
        STEEP_HALF_LOAD(x, phi[0] + k);
        STEEP_UNROLL for (int u = 0; u < STEEP_TOGETHER; u++) sum[u] = w[u][0] * x;
        for (size_t f = 1; f < features; f++)
            if (phi[f]) {
                STEEP_HALF_LOAD(x, phi[f] + k);
                STEEP_UNROLL for (int u = 0; u < STEEP_TOGETHER; u++) sum[u] += w[u][f] * x;
            } else STEEP_UNROLL for (int u = 0; u < STEEP_TOGETHER; u++) sum[u] += w[u][f];
        STEEP_UNROLL for (int u = 0; u < STEEP_TOGETHER; u++) memcpy(z + u * tile + k, &sum[u], sizeof sum[u]);
    }
    for (; k < count; k++)
        for (int u = 0; u < STEEP_TOGETHER; u++) {
            double sum = w[u][0] * phi[0][k];
            for (size_t f = 1; f < features; f++) sum += phi[f] ? w[u][f] * phi[f][k] : w[u][f];
            z[u * tile + k] = sum;
        }
}

static bool uses_map(const steep_counts *counts, steep_map map)
{
    for (size_t b = 0; b < counts->branches; b++)
        if (counts->map[b] == map) return true;
    return false;
}

/* A walk of a layer below, and the layer. */
typedef struct lower {
    steep_walk walk;
    steep_network layer;
} lower;

static bool open_layer(steep_walk *walk, const steep_network *network)
{
    const steep_counts *counts = &network->counts;
    const size_t m = network->inputs, pairs = m * (m + 1) / 2, d = network->fan_in, tile = walk->tile;
    const int order = walk->order;
    walk->network = network;
    walk->quadratic = uses_map(counts, STEEP_MAP_QUADRATIC);
    size_t products = walk->quadratic ? d * (d + 1) / 2 : uses_map(counts, STEEP_MAP_SQUARES) ? d : 0;
    size_t prepared = network->architecture->prepare ? counts->prepared : 0;
    size_t columns = m + prepared + 1 + (order >= 1 ? m : 0) + (order >= 2 ? pairs : 0) + products;
    double *next = NULL;
    const bool ahead = network->features[counts->branches - 1] >= AHEAD; /* a quadratic map is the last */
    walk->memory = STEEP_BLOCK(STEEP_SHARE(next, tile * columns), STEEP_SHARE(walk->low, d), STEEP_SHARE(walk->high, d),
                               STEEP_SHARE(walk->ahead, ahead ? counts->branches * STEEP_TOGETHER * tile : 0),
                               STEEP_SHARE(walk->phi[STEEP_MAP_QUADRATIC], d + 1 + (walk->quadratic ? products : 0)),
                               STEEP_SHARE(walk->phi[STEEP_MAP_SQUARES], d));
    if (!walk->memory) return false;
    if (!ahead) walk->ahead = NULL;
    walk->phi[STEEP_MAP_LINEAR] = walk->phi[STEEP_MAP_AFFINE] = walk->phi[STEEP_MAP_QUADRATIC]; /* its first columns */
    for (size_t j = 0; j < m + prepared; j++, next += tile) walk->in[j] = next;
    walk->h = next;
    next += tile;
    for (size_t j = 0; order >= 1 && j < m; j++, next += tile) walk->g[j] = next;
    for (size_t j = 0; order >= 2 && j < pairs; j++, next += tile) walk->H[j] = next;
    walk->own = walk->h;
    walk->products = products ? next : NULL;
    const size_t before = m - counts->moments - counts->shared_scalars;
    for (size_t a = 0; a < counts->shared_scalars; a++)
        for (size_t k = 0; k < tile; k++) walk->in[before + a][k] = walk->theta[network->shared_scalars + a];
    return true;
}

/* Room for the units of a tile. */
static bool keep(steep_walk *walk)
{
    const size_t n = walk->network->width, m = walk->order ? walk->network->inputs : 0;
    walk->units = malloc(n * (1 + m) * walk->tile * sizeof *walk->units + 1);
    walk->open = malloc(n * sizeof *walk->open);
    walk->derivatives = m && walk->units ? walk->units + n * walk->tile : NULL;
    return walk->units && walk->open;
}

/* Opens the layers below, whose units are kept. Their derivatives are kept only where the walk goes down again. */
static bool open_under(steep_walk *walk, bool down)
{
    if (walk->network->depth == 1) return true;
    lower *under = calloc(1, sizeof *under);
    if (!under) return false;
    walk->under = &under->walk;
    under->layer = steep_network_below(walk->network);
    under->walk = (steep_walk){
        .theta = walk->theta, .x = walk->x, .count = walk->count, .tile = walk->tile, .order = down ? 1 : 0};
    return open_layer(walk->under, &under->layer) && keep(walk->under) && open_under(walk->under, down);
}

/* theta, points and order must be set. At order 2 many inputs make tiles smaller, so that all pairs fit the cache. */
static steep_status open_all(steep_walk *walk, const steep_network *network, bool down)
{
    walk->tile = steep_least(walk->count, walk->order >= 2 && network->inputs > 8 ? STEEP_TILE / 8 : STEEP_TILE);
    if (open_layer(walk, network) && open_under(walk, down)) return STEEP_OK;
    steep_walk_close(walk);
    return STEEP_NO_MEMORY;
}

steep_status steep_walk_open(steep_walk *walk, const steep_network *network, const double *theta, size_t count,
                             const double *x, int order)
{
    *walk = (steep_walk){.theta = theta, .x = x, .count = count, .order = order};
    return open_all(walk, network, false);
}

void steep_walk_close(steep_walk *walk)
{
    if (walk->under) steep_walk_close(walk->under);
    free(walk->under); /* the first member of a lower */
    free(walk->memory);
    free(walk->units);
    free(walk->open);
    free(walk->slopes);
    *walk = (steep_walk){0};
}

/* Points walk->phi at the features of the tile; coordinates are used where they lie, products are computed. */
static void set_features(steep_walk *walk)
{
    const size_t d = walk->network->fan_in;
    const double **x = walk->phi[STEEP_MAP_QUADRATIC], **next = x + d + 1;
    const steep_walk *under = walk->under;
    for (size_t j = 0; j < d; j++)
        x[j] = under ? under->units + j * walk->tile : walk->x + j * walk->count + walk->first;
    x[d] = NULL;
    double *product = walk->products;
    for (size_t i = 0; product && i < d; i++)
        for (size_t j = i; j < (walk->quadratic ? d : i + 1); j++, product += walk->tile) {
            multiply(walk->size, x[i], x[j], product);
            if (walk->quadratic) *next++ = product;
            if (i == j) walk->phi[STEEP_MAP_SQUARES][i] = product;
        }
}

/* Computes z_b of the next STEEP_TOGETHER units, or of the units that are left. */
static void look_ahead(steep_walk *walk, size_t b, size_t i)
{
    const steep_network *network = walk->network;
    const double *w[STEEP_TOGETHER], *const *phi = walk->phi[network->counts.map[b]];
    double *z = walk->ahead + b * STEEP_TOGETHER * walk->tile;
    const size_t units = steep_least(STEEP_TOGETHER, network->width - i);
    for (size_t u = 0; u < units; u++) w[u] = walk->theta + steep_network_place(network, b, i + u);
    if (units == STEEP_TOGETHER) combine_units(network->features[b], phi, w, walk->tile, walk->size, z);
    else
        for (size_t u = 0; u < units; u++) combine(network->features[b], phi, w[u], walk->size, z + u * walk->tile);
    walk->ahead_from[b] = i;
}

void steep_walk_branch(steep_walk *walk, size_t b, size_t i)
{
    const steep_network *network = walk->network;
    if (walk->ahead) {
        if (i - walk->ahead_from[b] >= STEEP_TOGETHER) look_ahead(walk, b, i);
        walk->in[b] = walk->ahead + (b * STEEP_TOGETHER + i - walk->ahead_from[b]) * walk->tile;
    } else
        combine(network->features[b], walk->phi[network->counts.map[b]],
                walk->theta + steep_network_place(network, b, i), walk->size, walk->in[b]);
}

void steep_walk_own(steep_walk *walk, size_t i)
{
    const steep_network *network = walk->network;
    const size_t B = network->counts.branches, S = network->counts.scalars;
    for (size_t b = 0; b < B; b++) steep_walk_branch(walk, b, i);
    for (size_t e = 0; e < S; e++)
        for (size_t k = 0; k < walk->size; k++) walk->in[B + e][k] = walk->theta[network->scalars + i * S + e];
}

/* Sets the last inputs to the moments q_r = (1/n) sum_i m_r(z_1,i), or to the sums. */
static void set_moments(steep_walk *walk)
{
    const steep_network *network = walk->network;
    const double units = steep_network_moment_units(network);
    const size_t M = network->counts.moments, before = network->inputs - M;
    for (size_t r = 0; r < M; r++) memset(walk->in[before + r], 0, walk->size * sizeof(double));
    for (size_t i = 0; i < network->width; i++) {
        double m[STEEP_MAX_MOMENTS], d1[STEEP_MAX_MOMENTS], d2[STEEP_MAX_MOMENTS];
        steep_walk_branch(walk, 0, i);
        for (size_t k = 0; k < walk->size; k++) {
            network->architecture->moment(&network->choice, walk->in[0][k], m, d1, d2);
            for (size_t r = 0; r < M; r++) walk->in[before + r][k] += m[r];
        }
    }
    for (size_t r = 0; r < M; r++)
        for (size_t k = 0; k < walk->size; k++) walk->in[before + r][k] /= units;
}

/* True only where unit i is exactly 0 on the whole tile. */
static bool is_closed(const steep_walk *walk, size_t i)
{
    const steep_network *network = walk->network;
    const double *w = walk->theta + steep_network_gate(network, i);
    double z = w[0] * (w[0] > 0.0 ? walk->high[0] : walk->low[0]);
    for (size_t j = 1; j < network->fan_in; j++) z += w[j] * (w[j] > 0.0 ? walk->high[j] : walk->low[j]);
    z += w[network->fan_in];
    if (!(z <= 0.0)) return false;
    for (size_t b = 0; b < network->counts.branches; b++) {
        w = walk->theta + steep_network_place(network, b, i);
        for (size_t f = 0; f < network->features[b]; f++)
            if (!(fabs(w[f]) <= STEEP_LARGE_WEIGHT)) return false;
    }
    return steep_network_is_hidden(network) || fabs(walk->theta[network->output + i]) <= STEEP_LARGE_WEIGHT;
}

static bool evaluate(steep_walk *walk, size_t i)
{
    const steep_network *network = walk->network;
    if (walk->boxed && is_closed(walk, i)) return false;
    steep_walk_own(walk, i);
    const steep_tile tile = {walk->size, (const double *const *)walk->in, walk->order, walk->h, walk->g, walk->H};
    if (network->architecture->tile) network->architecture->tile(&network->choice, &tile);
    else {
        const int m = (int)network->inputs;
        STEEP_TILE_LOOP(network->architecture->unit, &network->choice, m, &tile, walk->order)
    }
    if (steep_network_is_added(network, i)) steep_dense_add(walk->size, 1, walk->phi[STEEP_MAP_LINEAR][i], walk->h);
    return true;
}

/* Evaluates all units of the tile and keeps them. */
static void keep_units(steep_walk *walk)
{
    const size_t m = walk->network->inputs, tile = walk->tile;
    for (size_t i = 0; i < walk->network->width; i++) {
        walk->h = walk->units + i * tile;
        for (size_t j = 0; walk->order && j < m; j++) walk->g[j] = walk->derivatives + (i * m + j) * tile;
        walk->open[i] = evaluate(walk, i);
        if (!walk->open[i]) memset(walk->h, 0, walk->size * sizeof *walk->h);
    }
}

void steep_walk_seek(steep_walk *walk, size_t first)
{
    for (; walk; walk = walk->under) walk->first = first, walk->size = 0;
}

bool steep_walk_next(steep_walk *walk)
{
    const steep_network *network = walk->network;
    walk->first += walk->size;
    walk->size = steep_least(walk->count - walk->first, walk->tile);
    if (!walk->size) return false;
    if (walk->under) {
        steep_walk_next(walk->under);
        keep_units(walk->under);
    }
    set_features(walk);
    for (size_t b = 0; b < STEEP_MAX_BRANCHES; b++) walk->ahead_from[b] = SIZE_MAX - STEEP_TOGETHER; /* none */
    walk->boxed = !steep_network_is_residual(network) && network->architecture->role[0] == STEEP_ROLE_GATE &&
                  steep_activation_closes(network->choice.activation) && network->counts.map[0] == STEEP_MAP_AFFINE;
    for (size_t j = 0; j < network->fan_in && walk->boxed; j++)
        walk->boxed = bounds(walk->size, walk->phi[STEEP_MAP_LINEAR][j], &walk->low[j], &walk->high[j]);
    size_t before = network->counts.branches + network->counts.scalars;
    for (size_t s = 0; s < network->counts.shared_maps; s++)
        combine(network->fan_in + 1, walk->phi[STEEP_MAP_AFFINE],
                walk->theta + network->shared_maps + s * (network->fan_in + 1), walk->size, walk->in[before + s]);
    if (network->counts.moments) set_moments(walk);
    if (network->counts.moments && walk->slopes) steep_walk_set_moment_slopes(walk);
    if (network->architecture->prepare)
        network->architecture->prepare(&network->choice, walk->size, (const double *const *)walk->in, walk->order,
                                       walk->in + network->inputs);
    return true;
}

/* Takes the kept h and derivatives of unit i, in a hidden layer times dy/dh_i. False where the unit is closed. */
static bool take(steep_walk *walk, size_t i)
{
    const size_t m = walk->network->inputs, tile = walk->tile;
    double *h = walk->units + i * tile, *g = walk->derivatives + i * m * tile;
    const double *weight = walk->weight ? walk->weight + i * tile : NULL;
    if (!walk->open[i]) return false;
    walk->h = weight ? walk->own : h;
    if (weight) multiply(walk->size, h, weight, walk->h);
    for (size_t j = 0; j < m; j++) {
        walk->g[j] = weight ? walk->own + (1 + j) * tile : g + j * tile;
        if (weight) multiply(walk->size, g + j * tile, weight, walk->g[j]);
    }
    return true;
}

bool steep_walk_unit(steep_walk *walk, size_t i)
{
    const bool open = walk->units ? take(walk, i) : evaluate(walk, i);
    if (open && walk->slopes) steep_walk_add_slopes(walk, i);
    return open;
}

steep_walk_parameters steep_walk_input(const steep_walk *walk, size_t j, size_t i)
{
    static const double *const one[1] = {NULL};
    const steep_network *network = walk->network;
    const steep_counts *counts = &network->counts;
    const size_t map = network->fan_in + 1;
    if (j < counts->branches)
        return (steep_walk_parameters){steep_network_place(network, j, i), network->features[j],
                                       walk->phi[counts->map[j]]};
    j -= counts->branches;
    if (j < counts->scalars) return (steep_walk_parameters){network->scalars + i * counts->scalars + j, 1, one};
    j -= counts->scalars;
    if (j < counts->shared_maps)
        return (steep_walk_parameters){network->shared_maps + j * map, map, walk->phi[STEEP_MAP_AFFINE]};
    j -= counts->shared_maps;
    return (steep_walk_parameters){network->shared_scalars + j, j < counts->shared_scalars ? 1 : 0, one};
}

/* Allocates the derivatives by each layer's inputs; for the first layer only where derivatives by x are asked for. */
static bool give_slopes(steep_walk *walk, bool in_points)
{
    if (!walk->under && !in_points) return true;
    const size_t d = walk->network->fan_in;
    walk->slopes = malloc(((d + STEEP_TOGETHER) * walk->tile + walk->network->counts.moments * STEEP_TILE * d) *
                          sizeof *walk->slopes);
    if (!walk->slopes) return false;
    walk->part = walk->slopes + d * walk->tile;
    walk->moment = walk->part + STEEP_TOGETHER * walk->tile;
    return !walk->under || give_slopes(walk->under, in_points);
}

/* Visits the layers of the tile, from this one down to the first. */
static void go_down(steep_walk *walk, const steep_visit *down)
{
    for (;; walk = walk->under) {
        if (walk->slopes) memset(walk->slopes, 0, walk->network->fan_in * walk->tile * sizeof *walk->slopes);
        down->tile(walk, down->context);
        if (walk->slopes) steep_walk_end_slopes(walk);
        if (!walk->under) break;
        walk->under->weight = walk->slopes;
    }
    for (size_t j = 0; down->gradient && j < walk->network->fan_in; j++)
        memcpy(down->gradient + j * down->count + walk->first, walk->slopes + j * walk->tile,
               walk->size * sizeof *walk->slopes);
}

steep_status steep_walk_down(const steep_network *network, const steep_visit *down)
{
    steep_walk walk = {.theta = down->theta, .x = down->x, .count = down->count, .order = 1};
    steep_status status = open_all(&walk, network, true);
    if (status == STEEP_OK && (!give_slopes(&walk, down->gradient != NULL) || (down->output && !keep(&walk))))
        status = STEEP_NO_MEMORY;
    if (status == STEEP_OK) steep_walk_seek(&walk, down->from);
    for (size_t t = 1; status == STEEP_OK && steep_walk_next(&walk); t++) {
        if (down->output) {
            keep_units(&walk);
            down->output(&walk, down->context);
        }
        go_down(&walk, down);
        if (t == down->tiles) break;
    }
    steep_walk_close(&walk);
    return status;
}
