/* SPDX-License-Identifier: GPL-3.0-or-later */
/* surface: a network of any unit without a norm, in one to three dimensions, against a witness: the errors of value and
 * gradient over points (certify/probes.h).. */
#pragma once

#include "certify/minimax.h"
#include "certify/norms.h"
#include "certify/probes.h"

/* Where the maps of theta cross, with the witness there: kept, for steps ask for the same maps several times. */
typedef struct steep_crossings {
    double *theta;
    size_t levels, used; /* used: when last, 0 never */
    steep_probes points;
} steep_crossings;
enum { STEEP_CROSSINGS = 4 };

typedef struct steep_surface {
    const steep_network *network;
    const steep_target *witness;
    steep_vector_norm norm;
    steep_kinks kinks;
    bool has_kinks;                   /* units have */
    size_t unknowns, *unknown;        /* which parameters move: all but the output bias, which is 0 */
    double *theta, *scale;            /* parameters; unknowns */
    steep_probes coarse, extra, fine; /* extra: worst points of the fine ones, found on the way */
    steep_crossings crossing[STEEP_CROSSINGS];
    size_t asked; /* how often for crossings */
} steep_surface;

/* STEEP_BAD_INPUT in more than three dimensions and for units that a norm couples. */
steep_status steep_surface_open(steep_surface *surface, const steep_network *network, const steep_target *witness,
                                steep_vector_norm norm, steep_error *error);
void steep_surface_close(steep_surface *surface);

/* The problem in v, the unknowns of theta: over the coarse points, the extra ones, and where gates cross. */
steep_minimax steep_surface_problem(steep_surface *surface);

/* Which parameters move from now on: all but the output bias and those that held (parameters entries; NULL: none) marks
 * with 1, which stay as they are in theta. The problem must be asked for anew. */
void steep_surface_hold(steep_surface *surface, const double *theta, const unsigned char *held);

/* theta with 0 as output bias into v, and back. */
void steep_surface_gather(const steep_surface *surface, const double *theta, double *v);
void steep_surface_scatter(const steep_surface *surface, const double *v, double *theta);

/* The output weights of theta anew, by least squares of value and gradient over the coarse points, and *W over these. */
steep_status steep_surface_fit_outputs(steep_surface *surface, double *theta, double *W);

/* E0 and E1 of v over the fine points and more crossings, and in slivers (moved open to 1e-6, for doubles to be
 * inside); the worst that are above what the problem's points show join these, and *joined says how many. NULL: they do
 * not. */
steep_status steep_surface_refine(steep_surface *surface, const double *v, double E[2], size_t *joined);
/* Adds what a certificate saw to E, norms of v over points, which are lower bounds as its lower ends are; the points
 * where these are reached join the problem's, and *joined says how many, 0 where the points had seen them to 1e-6. boxes:
 * of each norm. */
steep_status steep_surface_certify(steep_surface *surface, const double *v, size_t boxes, double E[2], size_t *joined,
                                   steep_error *error);
/* The problem is without the points that joined. */
void steep_surface_forget(steep_surface *surface);

/* What steep_network_input_jacobian fills, for count points x (column-major as in samples): y[k]; J[k + p * count] =
 * d y(x_k)/d theta_p; gradient[j * count + k] = dy/dx_j; slopes[(j * P + p) * count + k] = d(dy/dx_j)/d theta_p. */
typedef struct steep_input_jacobian {
    size_t count;
    const double *x;
    double *y, *J, *gradient, *slopes;
} steep_input_jacobian;

/* Values and gradient in x, both with their derivatives in the parameters; at a kink the activation's own. O(count *
 * width * m^2 * dim). STEEP_BAD_INPUT for units that a norm couples, STEEP_NO_MEMORY. */
steep_status steep_network_input_jacobian(const steep_network *network, const double *theta,
                                          const steep_input_jacobian *out, steep_error *error);
