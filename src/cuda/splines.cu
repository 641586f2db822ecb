/* SPDX-License-Identifier: GPL-3.0-or-later */
/* splines: the kernel of the spline road. A file of its own: a thread that solves a whole fit wants all registers that
 * a thread can have, and those of the other kernels, and what these call, are held to 128 (Makefile). */
#include "cuda/launch.h"

namespace steep
{

/* A block takes so many fits at a time off the queue, and each of its threads solves one. */
static __global__ void __launch_bounds__(SPLINES, SPLINE_BLOCKS) solve_all_splines(launch all)
{
    __shared__ int slot;
    const block team = {nullptr};
    unsigned char *const far = all.far + (size_t)blockIdx.x * all.far_bytes;
    for (;;) {
        team.one([&] { slot = *all.stop ? all.count : atomicAdd(all.next, all.together); });
        const int first = team.read(&slot), count = least(all.count - first, all.together);
        if (first >= all.count) return;
        const double begin = device_seconds();
        solve_splines(team, all.tasks + first, count, all.stop, far, all.far_bytes / SPLINES);
        __threadfence_system();
        __syncthreads();
        team.each(count, [&](int f) {
            all.tasks[first + f].seconds = device_seconds() - begin;
            __threadfence_system();
            all.done[atomicAdd(all.ended, 1)] = all.first + first + f + 1;
        });
    }
}

cudaError_t splines_each(int *blocks)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, solve_all_splines, SPLINES, 0);
}

void splines_begin(const launch &all, int blocks, cudaStream_t stream)
{
    solve_all_splines<<<blocks, SPLINES, 0, stream>>>(all);
}

} // namespace steep
