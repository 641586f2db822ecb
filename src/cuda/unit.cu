/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unit: one row of the list as device code, STEEP_ROW its id. Compiled once for each row (Makefile), with nothing left to
 * call in its loops but activations. */
#include "cuda/gram.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define UNIT        JOIN(unit_, STEEP_ROW)

namespace steep
{

__device__ void JOIN(residuals_, STEEP_ROW)(const block &team, const model &m, double *r)
{
    residuals<UNIT>(team, m, r);
}

__device__ void JOIN(gram_, STEEP_ROW)(const block &team, const model &m, const tile_room &t, double *G)
{
    gram<UNIT>(team, m, t, G);
}

__device__ void JOIN(apply_, STEEP_ROW)(const block &team, const model &m, const tile_room &t, const double *d, double *q)
{
    apply<UNIT>(team, m, t, d, q);
}

} // namespace steep
