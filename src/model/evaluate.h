/* SPDX-License-Identifier: GPL-3.0-or-later */
/* evaluate: the walk over tiles of points and over units that values, Jacobian, curvature and floor have in common. An
 * internal header of the room.
 *
 *   steep_walk walk;
 *   status = steep_walk_open(&walk, network, theta, count, x, order);
 *   while (status >= 0 && steep_walk_next(&walk))
 *       for (i = 0; i < network->width; i++)
 *           if (steep_walk_unit(&walk, i)) ... walk.h[k], walk.g[j][k], walk.H[pair][k], k < walk.size ...
 *   steep_walk_close(&walk); */
#pragma once

#include "model/network.h"

enum { STEEP_TOGETHER = 4 }; /* units, or features, for which a loop loads shared data once */

typedef struct steep_walk {
    const steep_network *network;
    const double *theta, *x;
    size_t count, tile, first, size; /* all points; those of a full tile; this tile has points first..first+size-1 */
    int order;
    const double **phi[4];         /* columns of the tile's features, by steep_map; NULL stands for the constant 1 */
    double *in[STEEP_MAX_COLUMNS]; /* columns of the unit's inputs (steep/network.h), then the prepared columns */
    double *h, *g[STEEP_MAX_INPUTS], *H[STEEP_MAX_PAIRS];
    double *low, *high; /* the tile's box: bounds of each x_j, fan-in entries */
    bool boxed;         /* low and high are set: units may be tested for being closed */
    bool quadratic;     /* a map needs the products of all pairs */
    double *own;        /* columns h, g and H of a single unit */
    double *ahead; /* z_b of STEEP_TOGETHER units from ahead_from[b] on, with many features; NULL: one unit at a time */
    size_t ahead_from[STEEP_MAX_BRANCHES];
    double *products; /* columns x_i^2, or x_i x_j with i <= j, of the tile; NULL: none */
    void *memory;
    struct steep_walk *under; /* walk of the layer below, whose units are this layer's x; NULL: x is the points */
    /* Kept results of all units of the tile: h of unit i at units[i tile + k], dh/du_j at derivatives[(i m + j) tile +
     * k] (NULL: not kept), and whether unit i is open, that is not closed. units NULL: units come one by one. */
    double *units, *derivatives;
    bool *open;
    /* In a hidden layer dy/dh_i, width columns of the tile, by which h and g are multiplied in place of D. NULL: this
     * is the last layer. */
    const double *weight;
    double *slopes; /* dy/dx_j, x the layer's inputs: fan-in columns, summed over units; NULL: not asked for */
    double *moment; /* dq_r/dx_j of the tile, with slopes only: moment[(r fan-in + j) STEEP_TILE + k] */
    double *part;   /* columns D dh/dz that still wait to be added to slopes, */
    const double *coefficients[STEEP_TOGETHER]; /* and the coefficients dz/dx_j that multiply them */
    size_t waiting;
} steep_walk;

/* Factor of unit i's value and derivatives in y: D, or in a hidden layer 1, since weight is multiplied in already. */
static inline double steep_walk_output(const steep_walk *walk, size_t i)
{
    return walk->weight ? 1 : walk->theta[walk->network->output + i];
}

/* Begins a walk with derivatives to order 0, 1 or 2. Allocates a tile for each layer and the units of the layers below.
 * STEEP_NO_MEMORY where that fails; the walk is then empty and may be closed. */
steep_status steep_walk_open(steep_walk *walk, const steep_network *network, const double *theta, size_t count,
                             const double *x, int order);
void steep_walk_close(steep_walk *walk);

/* Makes the tile that begins at point first the next one. */
void steep_walk_seek(steep_walk *walk, size_t first);

/* Goes to the next tile and computes what its units share: units of the layers below, features, shared maps, moments
 * and prepared columns. False past the last tile. */
bool steep_walk_next(steep_walk *walk);

/* Evaluates unit i over the tile, or takes its kept results. False where h and its derivatives are exactly 0 on the
 * whole tile; nothing is written then. */
bool steep_walk_unit(steep_walk *walk, size_t i);

/* z_b of unit i over the tile, into walk->in[b]. */
void steep_walk_branch(steep_walk *walk, size_t b, size_t i);

/* Sets the inputs that belong to unit i alone: its branches and scalars. */
void steep_walk_own(steep_walk *walk, size_t i);

/* What steep_walk_down does for each tile, in walks of order 1, from the last layer down to the first:
 *   output(walk, context)  is called first, for the last layer, whose units are then kept; NULL: they are not kept
 *   tile(walk, context)    is called for each layer and must evaluate all its units
 *   gradient               receives dy/dx_j at gradient[j * count + k]; NULL: not asked for */
typedef struct steep_visit {
    const double *theta, *x;
    size_t count;
    void (*output)(steep_walk *walk, void *context), (*tile)(steep_walk *walk, void *context);
    void *context;
    double *gradient;
    size_t from, tiles; /* the first point, and how many tiles from there: 0, 0 for all */
} steep_visit;
steep_status steep_walk_down(const steep_network *network, const steep_visit *down);

/* Sets walk->moment of the tile. */
void steep_walk_set_moment_slopes(steep_walk *walk);

/* walk->slopes[j * tile + k] += D dh_i/dx_j over the tile, j < fan-in. Some parts wait until steep_walk_end_slopes. */
void steep_walk_add_slopes(steep_walk *walk, size_t i);
void steep_walk_end_slopes(steep_walk *walk);

/* The parameters of input j of unit i: the index of the first, and their number, 0 for moments. phi[f] is the column d
 * u_j / d parameter f of the tile, NULL for the constant 1. */
typedef struct steep_walk_parameters {
    size_t first, count;
    const double *const *phi;
} steep_walk_parameters;
steep_walk_parameters steep_walk_input(const steep_walk *walk, size_t j, size_t i);

/* Loss of several layers without moments on the tile that begins at point from. With r_k = y(x_k) - y_k: r[k] = w_k
 * r_k, r[count + k] = w_k r_k^2 (r: 2 count entries), and gradient += sum_k w_k r_k dy_k/dtheta. */
steep_status steep_layers_tile(const steep_square_loss *of, const double *theta, size_t from, double *r,
                               double *gradient);
