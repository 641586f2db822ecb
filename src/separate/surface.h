/* SPDX-License-Identifier: GPL-3.0-or-later */
/* surface: a network of any unit without a norm, in one to three dimensions, against a witness: the errors of value and
 * gradient over points, which stand close at both sides of the witness's kinks. Inside this room. */
#ifndef STEEP_SEPARATE_SURFACE_H
#define STEEP_SEPARATE_SURFACE_H

#include "data/target.h"
#include "measure/norms.h"
#include "model/network.h"
#include "separate/minimax.h"

#define STEEP_SURFACE_DIM 3

/* The witness at points: value[k], gradient[j * count + k], x column-major. */
typedef struct steep_surface_points {
    size_t count;
    double *x, *value, *gradient;
} steep_surface_points;

typedef struct steep_surface {
    const steep_network *network;
    const steep_target *witness;
    steep_vector_norm norm;
    size_t unknowns, *unknown;        /* which parameters move: all but the output bias, which is 0 */
    double *theta, *scale;            /* parameters; unknowns */
    double *kinks[STEEP_SURFACE_DIM]; /* of the witness, on planes x_j = constant: ascending, */
    size_t kink_count[STEEP_SURFACE_DIM];
    steep_surface_points coarse, extra, fine; /* extra: worst points of the fine ones, found on the way */
} steep_surface;

/* Kinks of the witness are looked for where a coordinate is 0 and at the box's middle: the gradients of both sides
 * differ there. STEEP_BAD_INPUT in more than three dimensions and for units that a norm couples. */
steep_status steep_surface_open(steep_surface *surface, const steep_network *network, const steep_target *witness,
                                steep_vector_norm norm, steep_error *error);
void steep_surface_close(steep_surface *surface);

/* The problem in v, the unknowns of theta. In one dimension points go where the gates are, too. */
steep_minimax steep_surface_problem(steep_surface *surface);

/* Which parameters move from now on: all but the output bias, or, held, the shared scalars neither; they stay as they
 * are in theta (parameters entries). The problem must be asked for anew. */
void steep_surface_hold(steep_surface *surface, const double *theta, bool held);

/* theta with 0 as output bias into v, and back. */
void steep_surface_gather(const steep_surface *surface, const double *theta, double *v);
void steep_surface_scatter(const steep_surface *surface, const double *v, double *theta);

/* E0 and E1 of v over the fine points; worst: the points that are far above what the coarse ones show join them, and
 * *joined says how many. NULL: they do not. */
steep_status steep_surface_refine(steep_surface *surface, const double *v, double E[2], size_t *joined);

#endif
