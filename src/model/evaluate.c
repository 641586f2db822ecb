/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Closed stretches. In floating point w x is monotone in x and a sum in each of its terms, so that the computed z_1 of
 * every point of a tile is at most the z_1 computed at that corner of the tile's box where each w_j x_j is largest. If
 * that is <= 0 and the gate is exactly 0 there, so is the unit: skipping it changes no bit. Numbers so large that 0
 * times another factor could be NaN are left to the plain loop. */
#include "model/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/inline.h"
#include "base/sizes.h"
#include "model/activation_jet.h"
#include "numerics/dense.h"

STEEP_CLONES static void scale_shift(size_t count, const double *x, double w, double shift, double *z)
{
    STEEP_INDEPENDENT for (size_t k = 0; k < count; k++) z[k] = w * x[k] + shift;
}

STEEP_CLONES static void multiply(size_t count, const double *a, const double *b, double *z)
{
    STEEP_INDEPENDENT for (size_t k = 0; k < count; k++) z[k] = a[k] * b[k];
}

/* Smallest and largest of x, in eight lanes (comparisons lose a NaN, so it is looked for); false if any is NaN,
 * infinite or too large. */
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

/* z = sum_f w_f phi_f, in order of f. */
static void combine(size_t features, const double *const *phi, const double *w, size_t count, double *z)
{
    const bool shifted = features > 1 && !phi[1];
    scale_shift(count, phi[0], w[0], shifted ? w[1] : -0.0, z); /* + -0 changes no number, nor the sign of a 0 */
    for (size_t f = shifted ? 2 : 1; f < features; f++)
        if (phi[f]) steep_dense_add(count, w[f], phi[f], z);
        else
            for (size_t k = 0; k < count; k++) z[k] += w[f];
}

static bool uses_map(const steep_counts *counts, steep_map map)
{
    for (size_t b = 0; b < counts->branches; b++)
        if (counts->map[b] == map) return true;
    return false;
}

/* What the layer below gives at the points; false: no memory for it. */
static bool find_below(steep_walk *walk, const double *theta, size_t count, const double *x)
{
    if (walk->network->depth == 1) return true;
    const steep_network below = steep_network_below(walk->network);
    walk->below = malloc((count + 1) * below.width * sizeof *walk->below);
    return walk->below && steep_network_units(&below, theta, count, x, walk->below) >= 0;
}

steep_status steep_walk_open(steep_walk *walk, const steep_network *network, const double *theta, size_t count,
                             const double *x, int order)
{
    const steep_counts *counts = &network->counts;
    size_t m = network->inputs, pairs = m * (m + 1) / 2, d = network->fan_in;
    size_t tile = order >= 2 && m > 8 ? STEEP_TILE / 8 : STEEP_TILE; /* pairs of many inputs would leave the cache */
    tile = steep_least(count, tile);
    *walk = (steep_walk){.network = network, .theta = theta, .count = count, .tile = tile, .order = order};
    walk->quadratic = uses_map(counts, STEEP_MAP_QUADRATIC);
    size_t products = walk->quadratic ? d * (d + 1) / 2 : uses_map(counts, STEEP_MAP_SQUARES) ? d : 0;
    size_t prepared = network->architecture->prepare ? counts->prepared : 0;
    size_t columns = m + prepared + 1 + (order >= 1 ? m : 0) + (order >= 2 ? pairs : 0) + products;
    double *next = NULL;
    walk->memory = STEEP_BLOCK(STEEP_SHARE(next, tile * columns), STEEP_SHARE(walk->low, d), STEEP_SHARE(walk->high, d),
                               STEEP_SHARE(walk->phi[STEEP_MAP_QUADRATIC], d + 1 + (walk->quadratic ? products : 0)),
                               STEEP_SHARE(walk->phi[STEEP_MAP_SQUARES], d));
    if (!walk->memory || !find_below(walk, theta, count, x)) {
        steep_walk_close(walk);
        return STEEP_NO_MEMORY;
    }
    walk->x = walk->below ? walk->below : x;
    walk->phi[STEEP_MAP_LINEAR] = walk->phi[STEEP_MAP_AFFINE] = walk->phi[STEEP_MAP_QUADRATIC]; /* its first ones */
    for (size_t j = 0; j < m + prepared; j++, next += tile) walk->in[j] = next;
    walk->h = next;
    next += tile;
    for (size_t j = 0; order >= 1 && j < m; j++, next += tile) walk->g[j] = next;
    for (size_t j = 0; order >= 2 && j < pairs; j++, next += tile) walk->H[j] = next;
    walk->products = products ? next : NULL;
    const size_t before = m - counts->moments - counts->shared_scalars;
    for (size_t a = 0; a < counts->shared_scalars; a++)
        for (size_t k = 0; k < tile; k++) walk->in[before + a][k] = theta[network->shared_scalars + a];
    return STEEP_OK;
}

void steep_walk_close(steep_walk *walk)
{
    free(walk->memory);
    free(walk->below);
    free(walk->slopes);
    walk->memory = NULL;
    walk->below = walk->slopes = NULL;
}

steep_status steep_walk_down(const steep_network *layer, const steep_visit *down, const double *weight)
{
    const size_t count = down->count, d = layer->fan_in;
    steep_walk walk;
    steep_status status = steep_walk_open(&walk, layer, down->theta, count, down->x, 1);
    if (status < 0) return status;
    walk.weight = weight;
    if (down->gradient || layer->depth > 1) {
        walk.slopes = calloc((count + layer->counts.moments * STEEP_TILE) * d + 1, sizeof *walk.slopes);
        walk.moment = walk.slopes + count * d;
        if (!walk.slopes) status = STEEP_NO_MEMORY;
    }
    while (status >= 0 && steep_walk_next(&walk)) down->tile(&walk, down->context);
    if (status >= 0 && layer->depth > 1) {
        const steep_network below = steep_network_below(layer);
        status = steep_walk_down(&below, down, walk.slopes);
    } else if (status >= 0 && down->gradient) memcpy(down->gradient, walk.slopes, count * d * sizeof *walk.slopes);
    steep_walk_close(&walk);
    return status;
}

/* Points walk->phi at the features of the tile; coordinates are used where they lie, products are computed. */
static void set_features(steep_walk *walk)
{
    const size_t d = walk->network->fan_in;
    const double **x = walk->phi[STEEP_MAP_QUADRATIC], **next = x + d + 1;
    for (size_t j = 0; j < d; j++) x[j] = walk->x + j * walk->count + walk->first;
    x[d] = NULL;
    double *product = walk->products;
    for (size_t i = 0; product && i < d; i++)
        for (size_t j = i; j < (walk->quadratic ? d : i + 1); j++, product += walk->tile) {
            multiply(walk->size, x[i], x[j], product);
            if (walk->quadratic) *next++ = product;
            if (i == j) walk->phi[STEEP_MAP_SQUARES][i] = product;
        }
}

void steep_walk_branch(steep_walk *walk, size_t b, size_t i)
{
    const steep_network *network = walk->network;
    combine(network->features[b], walk->phi[network->counts.map[b]], walk->theta + steep_network_place(network, b, i),
            walk->size, walk->in[b]);
}

/* q_r = (1/n) sum_i m_r(z_1,i), or the sum, into the last inputs. */
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

bool steep_walk_next(steep_walk *walk)
{
    const steep_network *network = walk->network;
    walk->first += walk->size;
    walk->size = steep_least(walk->count - walk->first, walk->tile);
    if (!walk->size) return false;
    set_features(walk);
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

/* True when unit i is exactly 0 on the whole tile. */
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

/* The unit point by point, for an architecture without a loop of its own. */
static void call_unit(const steep_network *n, const steep_tile *tile)
{
    const int m = (int)n->inputs;
    STEEP_TILE_LOOP(n->architecture->unit, &n->choice, m, tile, tile->order)
}

/* The unit's value and derivatives times those of y in it. */
static void weigh(steep_walk *walk, const double *weight)
{
    multiply(walk->size, walk->h, weight, walk->h);
    for (size_t j = 0; j < walk->network->inputs; j++) multiply(walk->size, walk->g[j], weight, walk->g[j]);
}

bool steep_walk_unit(steep_walk *walk, size_t i)
{
    const steep_network *network = walk->network;
    const steep_counts *counts = &network->counts;
    if (walk->boxed && is_closed(walk, i)) return false;
    for (size_t b = 0; b < counts->branches; b++) steep_walk_branch(walk, b, i);
    for (size_t e = 0; e < counts->scalars; e++)
        for (size_t k = 0; k < walk->size; k++)
            walk->in[counts->branches + e][k] = walk->theta[network->scalars + i * counts->scalars + e];
    const steep_tile tile = {walk->size, (const double *const *)walk->in, walk->order, walk->h, walk->g, walk->H};
    if (network->architecture->tile) network->architecture->tile(&network->choice, &tile);
    else call_unit(network, &tile);
    if (steep_network_is_added(network, i)) steep_dense_add(walk->size, 1, walk->phi[STEEP_MAP_LINEAR][i], walk->h);
    if (walk->weight) weigh(walk, walk->weight + i * walk->count + walk->first);
    if (walk->slopes) steep_walk_add_slopes(walk, i);
    return true;
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
