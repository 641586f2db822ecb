/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unit: one row of the list as device code, STEEP_ROW its id. Compiled once for each row (Makefile), with nothing left to
 * call in its loops but activations. */
#define STEEP_ONCE __device__ __forceinline__
#include "cuda/points.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define UNIT        JOIN(unit_, STEEP_ROW)

namespace steep
{

__device__ void JOIN(values_, STEEP_ROW)(const block &team, const model &m, double *y)
{
    values<UNIT>(team, m, y);
}

__device__ void JOIN(jacobian_, STEEP_ROW)(const block &team, const model &m, int first, int size, double *J, int ld,
                                           double *y)
{
    jacobian<UNIT>(team, m, first, size, J, ld, y);
}

__device__ void JOIN(roundings_, STEEP_ROW)(const block &team, const model &m, const unsigned char *closed, int looked,
                                            double *sum)
{
    roundings<UNIT>(team, m, closed, looked, sum);
}

} // namespace steep
