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
#include "certify/core.h"
#include "certify/public.h"
#include "certify/enclose.h"
#include "data/target.h"

const char *steep_vector_norm_names(size_t index);

typedef struct steep_norms {
    double sup, gradient; /* E0, E1: what the points show, so lower bounds */
    double at_sup[STEEP_ENCLOSE_DIM], at_gradient[STEEP_ENCLOSE_DIM]; /* where */
    size_t points;
} steep_norms;

/* Over a grid of a_side points a side on the target's box, ends included, and on both sides of every kink that is a plane:
 * at the points where planes cross the grid's lines the gradients of both sides. network NULL: of the target alone. In
 * double. STEEP_NOT_FINITE where e is not; STEEP_BAD_INPUT: fewer than 2 points a side. */
steep_status steep_norms_sample(const steep_network *network, const double *theta, const steep_target *target,
                                size_t a_side, steep_vector_norm norm, steep_norms *norms, steep_error *error);

/* What a certificate adds to the numbers of a fit: certified_rmse_low, ... Returns how many there are. */
#define STEEP_CERTIFIED_NUMBERS 9
size_t steep_certified_numbers(const steep_certified *c, steep_stored_number *number);

#endif
