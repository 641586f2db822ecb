/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels: the functions that a unit runs at the samples, STEEP_ROW its id, as separate kernels: the compiler reports
 * registers and spills of kernels only. In the object they are functions, which also save a caller's registers once. */
#include "cuda/block.h"
#undef STEEP_OUTLINE
#define STEEP_OUTLINE static __device__ __forceinline__
#include "cuda/gram.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

namespace steep
{

typedef JOIN(unit_, STEEP_ROW) unit;

struct arguments {
    model m;
    tile_room t;
    product p;
};

#define KERNEL(name, call)                                                                                             \
    __global__ void __launch_bounds__(MOST_WARPS *WARP, 1) kernel_##name(const arguments *a)                           \
    {                                                                                                                  \
        const block team = {};                                                                                         \
        call;                                                                                                          \
    }
KERNEL(gram, gram<unit>(team, a->m, a->t, a->p))
KERNEL(residual, residual<unit>(team, a->m, a->t))
KERNEL(ends, ends<unit>(team, a->m, a->t, a->p.out))

} // namespace steep
