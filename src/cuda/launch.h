/* SPDX-License-Identifier: GPL-3.0-or-later */
/* launch: a class of fits as a kernel sees it, and the kernel of the spline road, which is compiled apart. */
#ifndef STEEP_CUDA_LAUNCH_H
#define STEEP_CUDA_LAUNCH_H

#include <cuda_runtime.h>

#include "cuda/knots.h"

namespace steep
{

/* A class of a round: its tasks, and the queue that blocks take them from. */
struct launch {
    task *tasks;
    int count, first;         /* of the list below: where this class's places begin */
    int *next, *ended;        /* counters: the next to begin; how many have ended, over all classes */
    volatile int *done;       /* host memory: fit + 1 in order of their ends, over all classes of the round */
    const volatile int *stop; /* host memory */
    unsigned char *far;
    size_t far_bytes;
    int together; /* splines: fits of a block at a time */
};

__device__ static inline double device_seconds()
{
    unsigned long long nanoseconds;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
    return 1e-9 * (double)nanoseconds;
}

/* Splines: how many of their blocks a multiprocessor holds; so many blocks of SPLINES threads, into the stream. */
cudaError_t splines_each(int *blocks);
void splines_begin(const launch &all, int blocks, cudaStream_t stream);

} // namespace steep

#endif
