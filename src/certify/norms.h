/* SPDX-License-Identifier: GPL-3.0-or-later */
/* norms: how far a network is from its target in the maximum norm and in W^{1,inf},
 *
 *   E0 = sup |e|,   E1 = ess sup |grad e|,   W = E0 + E1,   e = y - f,
 *
 * sampled, or enclosed on the whole box with all rounding accounted for. */
#ifndef STEEP_CERTIFY_NORMS_H
#define STEEP_CERTIFY_NORMS_H

#include <stddef.h>

#include "base/monitor.h"
#include "base/status.h"
#include "certify/enclose.h"
#include "data/target.h"

/* The norm of a gradient: Euclidean, or the largest entry in size. */
typedef enum steep_vector_norm { STEEP_NORM_EUCLIDEAN, STEEP_NORM_MAXIMUM } steep_vector_norm;
const char *steep_vector_norm_names(size_t index);

typedef struct steep_norms {
    double sup, gradient; /* E0, E1: what the points show, so lower bounds */
    double at_sup[STEEP_ENCLOSE_DIM], at_gradient[STEEP_ENCLOSE_DIM]; /* where */
    size_t points;
} steep_norms;

/* Over a grid of points a side on the box (NULL low, high: the target's), ends included, and on both sides of every
 * kink that is a plane: at the points where planes cross the grid's lines the gradients of both sides. network NULL: of
 * the target alone; target NULL: of the network alone, on the box given. In double. STEEP_NOT_FINITE where e is. */
steep_status steep_norms_sample(const steep_network *network, const double *theta, const steep_target *target,
                                size_t a_side, const double *low, const double *high, steep_vector_norm norm,
                                steep_norms *norms, steep_error *error);

/* What to enclose. */
enum { STEEP_CERTIFY_SUP = 1, STEEP_CERTIFY_GRADIENT = 2, STEEP_CERTIFY_RMSE = 4, STEEP_CERTIFY_MIXED = 8 };

typedef struct steep_certify_options {
    unsigned what;          /* sum of the above; default SUP + GRADIENT + RMSE */
    steep_vector_norm norm; /* default Euclidean */
    double tolerance;       /* wanted: high - low <= tolerance * high; 0, the default: 1e-8 in 1D (RMSE 1e-6),
                               * 1e-3 in 2D, 1e-2 */
    double absolute; /* or high - low <= absolute, where values are about 1; of values beyond 1e-6 to 1e6: times the
                      * power of 2 that they come up to; default 1e-14 */
    size_t boxes;    /* most boxes, of each quantity; default 2 million */
    int precision;   /* bits: balls throughout; 0, the default: intervals of doubles, balls where they are wide */
    const double *low, *high; /* the box; NULL: the target's */
    steep_monitor monitor;    /* called every thousand boxes: stage "sup", "gradient", "rmse" or "mixed", iteration:
                             * boxes so far, rmse: the bound from below, step: relative width so far */
} steep_certify_options;

steep_certify_options steep_certify_options_default(void);

/* One enclosed number. */
typedef struct steep_certificate {
    steep_interval bound;         /* it lies in here, whatever the status */
    double at[STEEP_ENCLOSE_DIM]; /* sup, gradient, mixed: where the lower end is reached, a point or beside it */
    size_t boxes, pieces;         /* boxes seen; pieces of boxes on one side of each kink */
    steep_status status;          /* CONVERGED: narrow as asked; FLOOR: rounding or kinks that no box can part forbid
                                   * it; MAX_ITERATIONS: too many boxes; STOPPED: by the monitor */
} steep_certificate;

typedef struct steep_certified {
    steep_certificate sup, gradient, rmse, mixed; /* E0, E1, the root of the mean of e^2, ess sup |d_1 d_2 e| */
    steep_interval w;                             /* E0 + E1 */
    double rounding; /* |fl(y) - y| is at most this on the box: e in double lies within E0 + rounding */
} steep_certified;

/* Encloses norms of e = y - f over the box by branch and bound; what is not asked for is 0 .. INFINITY. Either network
 * or target may be NULL (then low and high are needed). In any dimension to STEEP_ENCLOSE_DIM, in practice 3. Mixed
 * derivatives (two dimensions at least) are those of the smooth pieces: what a kink adds on its own plane is no
 * function and not counted. Returns the worst status of what was asked.
 *
 * Boxes in a heap by their upper bound. On a box where kinks are undecided, all combinations of sides, each on what of
 * the box can lie there. Upper bounds: the natural enclosure cut with the mean value form about the box's middle; boxes
 * where e (or |grad e|^2) is strictly monotone go, or shrink to a face of the domain. Lower bounds: values at points,
 * gradients at points that lie strictly on one side of all kinks. */
steep_status steep_certify(const steep_network *network, const double *theta, const steep_target *target,
                           const steep_certify_options *options, steep_certified *certified, steep_error *error);

#endif
