/* SPDX-License-Identifier: GPL-3.0-or-later */
/* norms: how far a network is from its target in the maximum norm and in W^{1,inf},
 *
 *   E0 = sup |e|,   E1 = ess sup |grad e|,   W = E0 + E1,   e = y - f,
 *
 * enclosed on the whole box with all rounding accounted for. */
#pragma once

#include <stddef.h>

#include "base/status.h"
#include "certify/core.h"
#include "certify/enclose.h"
#include "certify/public.h"
#include "data/target.h"

const char *steep_vector_norm_names(size_t index);

/* What a certificate adds to the numbers of a fit: certified_rmse_low, ... Returns how many there are. */
#define STEEP_CERTIFIED_NUMBERS 9
size_t steep_certified_numbers(const steep_certified *c, steep_stored_number *number);
