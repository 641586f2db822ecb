/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unit: the device code of one row of the list, with id STEEP_ROW. Compiled once for each row (Makefile); its loops
 * call no function except activations. */
#include "cuda/gram.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

namespace steep
{

__device__ void JOIN(phase_, STEEP_ROW)(const block &team, const model &m, const tile_room &t, const product &p)
{
    run_phase<JOIN(unit_, STEEP_ROW)>(team, m, t, p);
}

} // namespace steep
