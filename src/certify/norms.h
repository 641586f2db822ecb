/* SPDX-License-Identifier: GPL-3.0-or-later */
/* norms: how far a network is from its target in the maximum norm, in W^{1,inf},
 *
 *   E0 = sup |e|,   E1 = ess sup |grad e|,   W = E0 + E1,   e = y - f,
 *
 * and in L^p, W^{2,p}, W^{2,inf} and the residual of an equation of second order, enclosed on the whole box with all rounding accounted for. */
#pragma once

#include <stddef.h>

#include "base/status.h"
#include "certify/core.h"
#include "certify/enclose.h"
#include "certify/public.h"
#include "data/target.h"

const char *steep_vector_norm_names(size_t index);

/* What a certificate of these quantities (STEEP_CERTIFY_SUP + ..) adds to the numbers of a fit: certified_rmse_low, ...
 * Returns how many there are. */
#define STEEP_CERTIFIED_NUMBERS 21
size_t steep_certified_numbers(const steep_certified *c, unsigned what, steep_stored_number *number);

/* E0 + E1 + E2, rounded outward. */
steep_interval steep_certified_w2inf(const steep_certified *c);
