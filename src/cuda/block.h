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
 * A team is a block, or in a wide solve the threads of all blocks together (wide): the same lines then, with barriers
 * that all blocks come to, and shared numbers in device memory. alone() is the block in it, for work that blocks share
 * out among them (cuda/wide.h): a block tells another how far it is with publish, and waits for that with await.
 *
 * The twin can run one thread after the other from barrier to barrier, in an order that is drawn anew for each phase:
 * where the result depends on it there is a race. A sum is taken by one thread, in the order that numerics/dense.h and
 * numerics/fold.h say: so numbers depend neither on how many threads there are nor on what else runs. */
#ifndef STEEP_CUDA_BLOCK_H
#define STEEP_CUDA_BLOCK_H

#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#include <cuda_pipeline.h>
#else
#include "cuda/gang.h"
#endif

#ifdef __CUDACC__
#define STEEP_DEVICE __device__
#define STEEP_BOTH   __host__ __device__ /* the host asks how much room there must be */
#ifndef STEEP_OUTLINE
#define STEEP_OUTLINE static __device__ __noinline__
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
    unsigned long long *arrived; /* of a wide team: how many of its blocks have come to barriers, in all; else NULL */

    __device__ bool wide() const
    {
        return arrived != nullptr;
    }

    __device__ block alone() const
    {
        return {nullptr};
    }

    __device__ bool is_first() const
    {
        return blockIdx.x == 0;
    }

    /* All blocks are there at once (a cooperative launch). */
    __device__ void wait() const
    {
        __syncthreads();
        if (!arrived) return;
        if (threadIdx.x == 0) {
            __threadfence();
            const unsigned long long mine = atomicAdd(arrived, 1ull), all = (mine / gridDim.x + 1) * gridDim.x;
            while (*(volatile unsigned long long *)arrived < all) {
            }
            __threadfence();
        }
        __syncthreads();
    }

    template <class F> __device__ void each(int count, const F &f) const
    {
        const int step = (int)(arrived ? blockDim.x * gridDim.x : blockDim.x);
        for (int i = (int)(arrived ? threadIdx.x + blockDim.x * blockIdx.x : threadIdx.x); i < count; i += step) f(i);
        wait();
    }

    template <class F> __device__ void one(const F &f) const
    {
        if (threadIdx.x == 0 && !(arrived && blockIdx.x > 0)) f();
        wait();
    }

    template <class T> __device__ T read(const T *from) const
    {
        T value = *from;
        wait();
        return value;
    }

    /* Of a block alone: all that its threads have written is there for who awaits the counter. */
    __device__ void publish(int *counter, int value) const
    {
        if (threadIdx.x > 0) return;
        __threadfence();
        *(volatile int *)counter = value;
    }

    /* After a barrier: until both counters have come so far; ends with one. NULL: at once. */
    __device__ void await(const int *counter, int value, const int *other, int as_well) const
    {
        if (threadIdx.x == 0) {
            while (counter && *(const volatile int *)counter < value) {
            }
            while (other && *(const volatile int *)other < as_well) {
            }
            __threadfence();
        }
        __syncthreads();
    }

    /* Rows (an even number of columns, all at multiples of 16 bytes) on their way into shared memory, until landed. */
    __device__ void fetch(double *to, int ldt, const double *from, int ldf, int rows, int columns) const
    {
        const int pairs = columns / 2;
        for (int i = (int)threadIdx.x; i < rows * pairs; i += (int)blockDim.x)
            __pipeline_memcpy_async(to + i / pairs * ldt + i % pairs * 2,
                                    from + (size_t)(i / pairs) * ldf + i % pairs * 2, 16);
    }

    /* What was fetched since the last call is one load; ends with a barrier when all loads but so many have landed. */
    __device__ void loaded() const
    {
        __pipeline_commit();
    }

    template <int BUT> __device__ void landed() const
    {
        __pipeline_wait_prior(BUT);
        __syncthreads();
    }
};

__device__ static inline int take_next(int *counter)
{
    return atomicAdd(counter, 1);
}

#else

/* Without a gang a phase is a loop, of a wide team too; with one the threads are coroutines (cuda/gang.h), which all
 * run all lines, as on a GPU. */
struct block {
    int threads;
    gang *all;
    bool grid;

    bool wide() const
    {
        return grid;
    }

    block alone() const
    {
        return {threads, all, false};
    }

    bool is_first() const
    {
        return !all || all->me < threads;
    }

    int me() const
    {
        return !all ? 0 : grid ? all->me : all->me % threads;
    }

    int step() const
    {
        return !all ? 1 : grid ? all->threads : threads;
    }

    void wait() const
    {
        if (all) all->wait(grid);
    }

    template <class F> void each(int count, const F &f) const
    {
        for (int i = me(), next = step(); i < count; i += next) f(i);
        wait();
    }

    template <class F> void one(const F &f) const
    {
        if (me() == 0) f();
        wait();
    }

    template <class T> T read(const T *from) const
    {
        T value = *from;
        wait();
        return value;
    }

    void publish(int *counter, int value) const
    {
        if (me() == 0) *counter = value;
    }

    void await(const int *counter, int value, const int *other, int as_well) const
    {
        if (all && me() == 0) {
            if (counter) all->await(counter, value);
            if (other) all->await(other, as_well);
        }
        wait();
    }

    void fetch(double *to, int ldt, const double *from, int ldf, int rows, int columns) const
    {
        for (int i = me(), next = step(); i < rows * columns; i += next)
            to[i / columns * ldt + i % columns] = from[(size_t)(i / columns) * (size_t)ldf + (size_t)(i % columns)];
    }

    void loaded() const
    {
    }

    template <int BUT> void landed() const
    {
        wait();
    }
};

static inline int take_next(int *counter)
{
    return (*counter)++;
}

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

/* Where the rooms of a solve are cut from. */
struct places {
    arena *own, *near,
        *far;        /* shared memory of a block; what all threads use often, what they use seldom: shared memory
                                and device memory, or in a wide solve device memory, both the same arena */
    int blocks;      /* > 0: a wide solve, by so many; */
    int rows, piece; /* rows of a tile of the Jacobian; columns that a block folds together */
};

} // namespace steep

#endif
