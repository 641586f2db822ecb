/* SPDX-License-Identifier: GPL-3.0-or-later */
/* knots: where to put them. */
#ifndef STEEP_SPLINE_KNOTS_H
#define STEEP_SPLINE_KNOTS_H

#include <stddef.h>

#include "base/status.h"
#include "data/target.h"

/* knot[i] = low + i (high - low)/cells, i <= cells; the ends exact. */
void steep_knots_uniform(double low, double high, size_t cells, double *knot);

/* knot[0..cells] such that each cell carries the same integral of |f^(p)|^{1/(p+1/2)}, p = order: asymptotically best
 * free knots for degree p-1 (de Boor, A Practical Guide to Splines, chapter XII). A floor of 1e-6 of the mean density
 * keeps cells finite where f^(p) vanishes. Where f^(p) grows without bound, towards a kink as of |x|^1.5 or an end as
 * of sqrt, the integral is refined, so that the order is kept there, until cells are so
 * narrow that rounding of a network's gates exceeds their error. The target's jet must be finite where it is
 * asked, in the middles of pieces, else STEEP_NOT_FINITE. Strictly ascending. O(16 cells + 4096) jets, and 36 for each
 * such place. */
steep_status steep_knots_equidistributed(const steep_target *target, size_t order, size_t cells, double *knot,
                                         steep_error *error);

#endif
