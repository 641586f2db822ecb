/* SPDX-License-Identifier: GPL-3.0-or-later */
/* witness: the functions that separate architectures in W^{1,inf}, the classes that they are held against, and what is
 * proved about the two. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "certify/public.h"
#include "data/target.h"
#include "model/architecture.h"

const steep_witness *steep_witness_table(size_t index);
const char *steep_witness_names(size_t index);

/* For the Euclidean norm of gradients; with the maximum norm the bounds on one entry hold as well, for they are proved
 * for the derivative across one kink. */
steep_bound steep_witness_bound(const steep_witness *row, const steep_class *among, size_t width, double lambda);
