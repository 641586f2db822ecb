/* SPDX-License-Identifier: GPL-3.0-or-later */
/* evaluate: the walk over tiles of points and over units that values, Jacobian, curvature and floor have in common.
 * Inside the model room.
 *
 *   steep_walk walk;
 *   status = steep_walk_open(&walk, network, theta, count, x, order);
 *   while (status >= 0 && steep_walk_next(&walk))
 *       for (i = 0; i < network->width; i++)
 *           if (steep_walk_unit(&walk, i)) ... walk.h[k], walk.g[j][k], walk.H[pair][k], k < walk.size ...
 *   steep_walk_close(&walk); */
#pragma once

#include "model/network.h"

typedef struct steep_walk {
    const steep_network *network;
    const double *theta, *x;
    size_t count, tile, first, size; /* all points; most in a tile; the current tile is first..first+size-1 */
    int order;
    const double **phi[4];         /* features of the tile, by steep_map; NULL stands for the constant 1 */
    double *in[STEEP_MAX_COLUMNS]; /* inputs of the unit, in unit.h's order; then what is prepared */
    double *h, *g[STEEP_MAX_INPUTS], *H[STEEP_MAX_PAIRS];
    double *low, *high; /* the tile's box, */
    bool boxed;         /* where closed stretches may be looked for */
    bool quadratic;     /* whether a map needs all products */
    double *products;   /* x_i^2, or x_i x_j with i <= j, by tile; NULL: none */
    void *memory;
    double *below; /* outputs of the layer below, which x is then; NULL: x is the points */
    /* Derivatives of y in the units of a hidden layer, count x width: they multiply h and g, and stand for D. NULL: it
     * is the last layer. */
    const double *weight;
    double *slopes; /* derivatives in what the layer stands on, count x fan-in; each unit adds its part. NULL: not asked
                     * for */
    double *moment; /* dq_r/dx_j of the tile, where slopes are asked for: moment[(r fan-in + j) STEEP_TILE + k] */
} steep_walk;

/* What the unit's value and derivatives are multiplied by to make y's: D, or 1 where the walk has done it. */
static inline double steep_walk_output(const steep_walk *walk, size_t i)
{
    return walk->weight ? 1 : walk->theta[walk->network->output + i];
}

/* Order 0, 1 or 2. One allocation, and one for each layer below; STEEP_NO_MEMORY if one fails (the walk is then empty
 * and may be closed). */
steep_status steep_walk_open(steep_walk *walk, const steep_network *network, const double *theta, size_t count,
                             const double *x, int order);
void steep_walk_close(steep_walk *walk);

/* Goes to the next tile: features, shared maps, moments, and what units prepare from these. False past the last. */
bool steep_walk_next(steep_walk *walk);

/* Evaluates unit i over the tile. False when h and its derivatives are exactly 0 on the whole tile: nothing is written
 * then. */
bool steep_walk_unit(steep_walk *walk, size_t i);

/* z_b of unit i over the tile, into walk->in[b]. */
void steep_walk_branch(steep_walk *walk, size_t b, size_t i);

/* All layers from the last, layer, down to the first, in walks of order 1; weight: NULL. tile(walk, context) is called
 * for each tile and evaluates all units of it. gradient: dy/dx_j into gradient[j * count + k]; NULL: not asked for. */
typedef struct steep_visit {
    const double *theta, *x;
    size_t count;
    void (*tile)(steep_walk *walk, void *context);
    void *context;
    double *gradient;
} steep_visit;
steep_status steep_walk_down(const steep_network *layer, const steep_visit *down, const double *weight);

/* walk->moment of the tile. */
void steep_walk_set_moment_slopes(steep_walk *walk);

/* walk->slopes[j * count + k] += D dh_i/dx_j over the tile, j < fan-in. */
void steep_walk_add_slopes(const steep_walk *walk, size_t i);

/* The parameters of input j of unit i: the first, and how many; phi[f]: the tile of d u_j / d parameter f, NULL for the
 * constant 1. Moments have none: 0. */
typedef struct steep_walk_parameters {
    size_t first, count;
    const double *const *phi;
} steep_walk_parameters;
steep_walk_parameters steep_walk_input(const steep_walk *walk, size_t j, size_t i);
