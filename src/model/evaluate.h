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

enum { STEEP_TOGETHER = 4 }; /* units, or features, that share what a loop loads */

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
    double *own;        /* h, g and H of a unit by itself */
    double *ahead;      /* z_b of a few units from ahead_from[b] on, where there are many features; NULL: of one */
    size_t ahead_from[STEEP_MAX_BRANCHES];
    double *products; /* x_i^2, or x_i x_j with i <= j, by tile; NULL: none */
    void *memory;
    struct steep_walk *under; /* the layer below, whose units are x then; NULL: x is the points */
    /* Of all units of the tile, where they are kept: h of unit i at units[i tile + k], its derivative by input j at
     * derivatives[(i m + j) tile + k] (NULL: not kept), and whether it is open. NULL: units come one by one. */
    double *units, *derivatives;
    bool *open;
    /* Derivatives of y in the units of a hidden layer, width columns of the tile: they multiply h and g, and stand for
     * D. NULL: it is the last layer. */
    const double *weight;
    double *slopes; /* derivatives in what the layer stands on, fan-in columns of the tile; each unit adds its part.
                     * NULL: not asked for */
    double *moment; /* dq_r/dx_j of the tile, where slopes are asked for: moment[(r fan-in + j) STEEP_TILE + k] */
    double *part;   /* parts of slopes that wait, */
    const double *coefficients[STEEP_TOGETHER]; /* and what they are to be multiplied by, for each x_j */
    size_t waiting;
} steep_walk;

/* What the unit's value and derivatives are multiplied by to make y's: D, or 1 where the walk has done it. */
static inline double steep_walk_output(const steep_walk *walk, size_t i)
{
    return walk->weight ? 1 : walk->theta[walk->network->output + i];
}

/* Order 0, 1 or 2. Allocates a tile for each layer, units of layers below included; STEEP_NO_MEMORY where that fails
 * (the walk is then empty and may be closed). */
steep_status steep_walk_open(steep_walk *walk, const steep_network *network, const double *theta, size_t count,
                             const double *x, int order);
void steep_walk_close(steep_walk *walk);

/* The tile that begins at this point is the next one. */
void steep_walk_seek(steep_walk *walk, size_t first);

/* Goes to the next tile: units of the layers below, features, shared maps, moments, and what units prepare from these.
 * False past the last. */
bool steep_walk_next(steep_walk *walk);

/* Evaluates unit i over the tile, or takes it from what is kept. False when h and its derivatives are exactly 0 on the
 * whole tile: nothing is written then. */
bool steep_walk_unit(steep_walk *walk, size_t i);

/* z_b of unit i over the tile, into walk->in[b]. */
void steep_walk_branch(steep_walk *walk, size_t b, size_t i);

/* All inputs of unit i that are its own: branches and scalars. */
void steep_walk_own(steep_walk *walk, size_t i);

/* For each tile all layers from the last down to the first, in walks of order 1.
 *   output(walk, context)  comes first, of the last layer, whose units are kept then; NULL: they are not
 *   tile(walk, context)    of each layer; evaluates all units
 *   gradient               dy/dx_j into gradient[j * count + k]; NULL: not asked for */
typedef struct steep_visit {
    const double *theta, *x;
    size_t count;
    void (*output)(steep_walk *walk, void *context), (*tile)(steep_walk *walk, void *context);
    void *context;
    double *gradient;
    size_t from, tiles; /* the first point, and how many tiles from there: 0, 0 for all */
} steep_visit;
steep_status steep_walk_down(const steep_network *network, const steep_visit *down);

/* walk->moment of the tile. */
void steep_walk_set_moment_slopes(steep_walk *walk);

/* walk->slopes[j * tile + k] += D dh_i/dx_j over the tile, j < fan-in. Some parts wait until steep_walk_end_slopes. */
void steep_walk_add_slopes(steep_walk *walk, size_t i);
void steep_walk_end_slopes(steep_walk *walk);

/* The parameters of input j of unit i: the first, and how many; phi[f]: the tile of d u_j / d parameter f, NULL for the
 * constant 1. Moments have none: 0. */
typedef struct steep_walk_parameters {
    size_t first, count;
    const double *const *phi;
} steep_walk_parameters;
steep_walk_parameters steep_walk_input(const steep_walk *walk, size_t j, size_t i);

/* Of several layers, units without moments, the tile that begins with the point from: r_k becomes w_k r_k, w_k r_k^2
 * stands count entries behind it, and sum_k w_k r_k dy_k/dtheta is added to gradient. r: 2 count entries. */
steep_status steep_layers_tile(const steep_square_loss *of, const double *theta, size_t from, double *r,
                               double *gradient);
