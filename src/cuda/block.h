/* SPDX-License-Identifier: GPL-3.0-or-later */
/* block: the threads of a block, what they wait for, and where they keep numbers: all that the device code knows of the
 * machine. The same lines compile with nvcc, where a block is one of CUDA's, and as plain C++, the host twin, where its
 * threads are a loop.
 *
 * Work is written in phases. each(count, f) calls f(0) .. f(count - 1), each by some thread, and ends with a barrier;
 * one(f) calls f by one thread, likewise. In a phase nobody reads what another thread writes in it. Between phases all
 * threads run the same lines on the same numbers, in variables of their own: what they take from memory that a phase
 * writes they take with read, which ends with a barrier too, so that no thread overtakes into the next phase and
 * changes it.
 *
 * The twin can run one thread after the other from barrier to barrier, in an order that is drawn anew for each phase:
 * where the result depends on it there is a race. A sum is taken by one thread, in the order that numerics/dense.h and
 * numerics/fold.h say: so numbers depend neither on how many threads there are nor on what else runs. */
#ifndef STEEP_CUDA_BLOCK_H
#define STEEP_CUDA_BLOCK_H

#include <cstddef>
#include <cstdint>

#ifndef __CUDACC__
#include "cuda/gang.h"
#endif

#ifdef __CUDACC__
#define STEEP_DEVICE __device__
#define STEEP_BOTH   __host__ __device__ /* the host asks how much room there must be */
#ifndef STEEP_OUTLINE
#define STEEP_OUTLINE __device__ __noinline__
#endif
#ifndef STEEP_ONCE
#define STEEP_ONCE __device__ __noinline__ /* compiled once for all that call it */
#endif
#define STEEP_ELSEWHERE extern __device__ /* in another file, which the device's linker joins to this one */
#define STEEP_CHOICE    __device__ __noinline__
#else
#define STEEP_DEVICE
#define STEEP_BOTH
#define STEEP_OUTLINE   static
#define STEEP_ONCE      __attribute__((noinline))
#define STEEP_ELSEWHERE static
#define STEEP_CHOICE    static
#endif

namespace steep
{

#ifdef __CUDACC__

struct block {
    template <class F> __device__ void each(int count, const F &f) const
    {
        for (int i = (int)threadIdx.x; i < count; i += (int)blockDim.x) f(i);
        __syncthreads();
    }

    template <class F> __device__ void one(const F &f) const
    {
        if (threadIdx.x == 0) f();
        __syncthreads();
    }

    template <class T> __device__ T read(const T *from) const
    {
        T value = *from;
        __syncthreads();
        return value;
    }
};

#else

/* Without a gang a phase is a loop; with one the block's threads are coroutines (cuda/gang.h), which all run all lines,
 * as on a GPU. */
struct block {
    int threads;
    gang *all;

    template <class F> void each(int count, const F &f) const
    {
        for (int i = all ? all->me : 0; i < count; i += all ? threads : 1) f(i);
        if (all) all->wait();
    }

    template <class F> void one(const F &f) const
    {
        if (!all || all->me == 0) f();
        if (all) all->wait();
    }

    template <class T> T read(const T *from) const
    {
        T value = *from;
        if (all) all->wait();
        return value;
    }
};

#endif

/* Memory that is cut into arrays, one behind the other, each at a multiple of 16 bytes; with base NULL it only counts
 * how much there is. */
struct arena {
    unsigned char *base;
    size_t used;

    template <class T> STEEP_BOTH T *take(size_t count)
    {
        T *array = (T *)(base ? base + used : nullptr);
        used += (count * sizeof(T) + 15) / 16 * 16;
        return array;
    }
};

} // namespace steep

#endif
