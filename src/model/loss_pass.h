/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loss_pass: forward and backward over tiles in REAL, double or float; NAME(f) is f of that type. For loss.c. */

#include <stdbool.h>
#include <string.h>

#include "base/inline.h"
#include "base/lanes.h"
#include "data/samples.h"
#include "model/evaluate.h"

#ifndef REAL /* this file compiled alone */
#define REAL    double
#define NAME(f) f##_double
#endif

typedef REAL NAME(half) __attribute__((vector_size(STEEP_HALF * sizeof(REAL))));

/* y += D h */
STEEP_CLONES static void NAME(add_scaled)(size_t count, REAL D, const REAL *h, REAL *y)
{
    STEEP_INDEPENDENT for (size_t k = 0; k < count; k++) y[k] += D * h[k];
}

/* out[0] = sum_k r_k g_k phi_k, out[1] = sum_k r_k g_k; phi NULL: the second alone. Lanes as in base/lanes.h. */
STEEP_CLONES static void NAME(sums)(size_t count, const REAL *r, const REAL *g, const double *phi, REAL *out)
{
    NAME(half) with[2] = {{0}}, without[2] = {{0}}, t, u;
    steep_half wide;
    REAL rest_with = 0, rest_without = 0;
    size_t k = 0;
    for (; k + STEEP_LANES <= count; k += STEEP_LANES) STEEP_UNROLL for (int h = 0; h < 2; h++)
        {
            STEEP_HALF_LOAD(t, r + k + h * STEEP_HALF);
            STEEP_HALF_LOAD(u, g + k + h * STEEP_HALF);
            t *= u;
            without[h] += t;
            if (!phi) continue;
            STEEP_HALF_LOAD(wide, phi + k + h * STEEP_HALF);
            with[h] += t * __builtin_convertvector(wide, NAME(half));
        }
    for (; k < count; k++) {
        REAL one = r[k] * g[k];
        rest_without += one;
        if (phi) rest_with += one * (REAL)phi[k];
    }
    out[0] = STEEP_LANES_SUM(with) + rest_with;
    out[1] = STEEP_LANES_SUM(without) + rest_without;
}

/* r: y, then 2 w times the residual; h, g: values and derivatives of units; shared: sums of D g for shared inputs. */
typedef struct NAME(pass) {
    steep_walk *walk;
    double *gradient;
    size_t own, tile; /* own: inputs that belong to one unit alone */
    REAL *r, *shared, *h, *g;
    bool *open;
} NAME(pass);

static void NAME(add)(NAME(pass) * p, size_t parameter, REAL value)
{
    p->gradient[parameter] = (double)((REAL)p->gradient[parameter] + value);
}

/* Adds the gradient by the parameters of input j of unit i; g is dh_i/du_j. */
static void NAME(add_input)(NAME(pass) * p, size_t j, size_t i, REAL D, const REAL *g)
{
    const steep_walk_parameters in = steep_walk_input(p->walk, j, i);
    REAL sum[2];
    for (size_t f = 0; f < in.count; f++) {
        NAME(sums)(p->walk->size, p->r, g, in.phi[f], sum);
        NAME(add)(p, in.first + f, D * sum[in.phi[f] ? 0 : 1]);
        if (in.phi[f] && f + 1 < in.count && !in.phi[f + 1]) NAME(add)(p, in.first + ++f, D * sum[1]);
    }
}

/* Evaluates unit i over the tile into h and g; y += D h. */
static void NAME(forward)(NAME(pass) * p, size_t i)
{
    steep_walk *walk = p->walk;
    const size_t m = walk->network->inputs, size = walk->size;
    REAL *h = p->h + i * p->tile, *g = p->g + i * m * p->tile;
    const REAL D = (REAL)walk->theta[walk->network->output + i];
    const bool in_place = sizeof(REAL) == sizeof(double);
    if (in_place) walk->h = (void *)h;
    for (size_t j = 0; in_place && p->gradient && j < m; j++) walk->g[j] = (void *)(g + j * p->tile);
    p->open[i] = steep_walk_unit(walk, i);
    if (!p->open[i]) return;
    for (size_t k = 0; !in_place && k < size; k++) h[k] = (REAL)walk->h[k];
    for (size_t j = 0; !in_place && p->gradient && j < m; j++)
        for (size_t k = 0; k < size; k++) g[j * p->tile + k] = (REAL)walk->g[j][k];
    NAME(add_scaled)(size, D, h, p->r);
}

static void NAME(backward)(NAME(pass) * p, size_t i)
{
    const steep_network *network = p->walk->network;
    const size_t m = network->inputs, size = p->walk->size;
    const REAL *h = p->h + i * p->tile, *g = p->g + i * m * p->tile, D = (REAL)p->walk->theta[network->output + i];
    REAL sum[2];
    NAME(sums)(size, p->r, h, NULL, sum);
    NAME(add)(p, network->output + i, sum[1]);
    for (size_t j = 0; j < p->own; j++) NAME(add_input)(p, j, i, D, g + j * p->tile);
    for (size_t j = p->own; j < m; j++) NAME(add_scaled)(size, D, g + j * p->tile, p->shared + (j - p->own) * p->tile);
}

/* Returns the tile's part of F; r becomes 2 w r. Adds the gradient by the bias. */
static REAL NAME(residual)(NAME(pass) * p, const steep_samples *points)
{
    const size_t first = p->walk->first, size = p->walk->size;
    REAL sum = 0, bias = 0;
    for (size_t k = 0; k < size; k++) {
        const REAL w = (REAL)steep_sample_weight(points, first + k);
        const REAL r = p->r[k] - (REAL)points->y[first + k];
        sum += w * r * r;
        p->r[k] = 2 * w * r;
        bias += p->r[k];
    }
    if (p->gradient) NAME(add)(p, p->walk->network->bias, bias);
    return sum;
}

static REAL NAME(tile)(NAME(pass) * p, const steep_samples *points)
{
    const steep_network *network = p->walk->network;
    const size_t m = network->inputs, n = network->width;
    for (size_t k = 0; k < p->walk->size; k++) p->r[k] = (REAL)p->walk->theta[network->bias];
    for (size_t i = 0; i < n; i++) NAME(forward)(p, i);
    const REAL sum = NAME(residual)(p, points);
    if (!p->gradient) return sum;
    memset(p->shared, 0, (m - p->own) * p->tile * sizeof *p->shared);
    for (size_t i = 0; i < n; i++)
        if (p->open[i]) NAME(backward)(p, i);
    for (size_t j = p->own; j < m; j++) NAME(add_input)(p, j, 0, 1, p->shared + (j - p->own) * p->tile);
    return sum;
}

/* Returns the next tile's part of F; memory: tile (1 + shared inputs + width (1 + m)) numbers. */
static double NAME(run)(steep_walk *walk, const steep_samples *points, void *memory, bool *open, double *gradient)
{
    const steep_network *network = walk->network;
    NAME(pass) p = {.walk = walk, .gradient = gradient, .tile = walk->tile, .open = open, .r = memory};
    p.own = network->counts.branches + network->counts.scalars;
    p.shared = p.r + p.tile;
    p.h = p.shared + (network->inputs - p.own) * p.tile;
    p.g = p.h + network->width * p.tile;
    steep_walk_next(walk);
    return (double)NAME(tile)(&p, points);
}

#undef REAL
#undef NAME
