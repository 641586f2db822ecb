/* SPDX-License-Identifier: GPL-3.0-or-later */
/* block: the threads of a block, or of a team of blocks. The solvers know nothing else of the machine. The same code
 * compiles with nvcc and, for the host build, as plain C++, where a block is a loop. A team is the gridDim.y blocks of
 * one blockIdx.x, which a cooperative launch keeps on the device together.
 *
 * Work is written in phases. each(count, f) calls f(0) .. f(count - 1), each by some thread, and ends with a barrier:
 * no thread reads a number that another thread writes in the same phase. each_warp(f) calls f(w) by all threads of warp
 * w, without a barrier. Between phases all threads run the same code on the same numbers; read() reads a number that a
 * phase has written, and ends with a barrier. Sums have one order, for any number of threads: LANES partial sums, then
 * a tree.
 *
 * The host build can run the threads of each phase in a random order: a result that depends on the order reveals a
 * race. On a GPU racecheck of compute-sanitizer looks for races. */
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#define STEEP_DEVICE   __device__
#define STEEP_BOTH     __host__ __device__ /* the host asks how much memory there must be */
#define STEEP_OUTLINE  static __device__ __noinline__
#define STEEP_CHOICE   __device__ __noinline__
#define STEEP_UNROLLED _Pragma("unroll")
#else
#define STEEP_DEVICE
#define STEEP_BOTH
#define STEEP_OUTLINE static
#define STEEP_CHOICE  static
#define STEEP_UNROLLED
#endif

namespace steep
{

enum { WARP = 32, LANES = 3 * WARP /* least number of threads of a block; partial sums */, MOST_TEAMS = 32 };

typedef double joining(double a, double b);

/* The larger number, NaN where either is NaN. */
STEEP_BOTH static inline double larger(double a, double b)
{
    return a != a || b <= a ? a : b;
}

STEEP_BOTH static inline int least(int a, int b)
{
    return a < b ? a : b;
}

STEEP_BOTH static inline int round_up(int n, int to)
{
    return (n + to - 1) / to * to;
}

STEEP_BOTH static inline double plus(double a, double b)
{
    return a + b;
}

#ifdef __CUDACC__

extern __device__ unsigned gates[MOST_TEAMS]; /* where the blocks of a team wait for each other */

struct block {
    static __device__ int place()
    {
        return (int)(blockIdx.y * blockDim.x + threadIdx.x);
    }

    static __device__ int threads()
    {
        return (int)(gridDim.y * blockDim.x);
    }

    __device__ int warps() const
    {
        return threads() / WARP;
    }

    /* The last block of the team to arrive flips the gate's highest bit; the other bits are then 0 again. */
    static __device__ void barrier()
    {
        unsigned *const gate = gates + blockIdx.x;
        __syncthreads();
        if (gridDim.y == 1) return;
        if (threadIdx.x == 0) {
            __threadfence();
            const unsigned before = atomicAdd(gate, blockIdx.y == 0 ? 0x80000000u - (gridDim.y - 1) : 1);
            while (((*(volatile unsigned *)gate ^ before) & 0x80000000u) == 0) continue;
            __threadfence();
        }
        __syncthreads();
    }

    template <class F> __device__ void each(int count, const F &f) const
    {
        for (int i = place(); i < count; i += threads()) f(i);
        barrier();
    }

    template <class F> __device__ void each_warp(const F &f) const
    {
        f(place() / WARP);
    }

    template <class T> __device__ T read(const T *from) const
    {
        T value = *from;
        barrier();
        return value;
    }

    template <joining *join> static __device__ double over_warp(double value)
    {
        for (int lane = WARP / 2; lane > 0; lane /= 2) value = join(value, __shfl_xor_sync(~0u, value, lane));
        return value;
    }

    static __device__ double *parts()
    {
        __shared__ double part[LANES / WARP];
        return part;
    }

    /* Each block of a team computes the whole reduction. */
    template <joining *join, class F> __device__ double reduce(int count, const F &f) const
    {
        double *const part = parts();
        if (threadIdx.x < LANES) {
            double value = 0;
            for (int i = (int)threadIdx.x; i < count; i += LANES) value = join(value, f(i));
            value = over_warp<join>(value);
            if (threadIdx.x % WARP == 0) part[threadIdx.x / WARP] = value;
        }
        __syncthreads();
        const double all = join(join(part[0], part[1]), part[2]);
        barrier();
        return all;
    }

    /* Calls put(k, sum of f(k, i) over i < terms) for k < count; one warp computes each sum. */
    template <class F, class Put> __device__ void sums(int count, int terms, const F &f, const Put &put) const
    {
        for (int k = place() / WARP; k < count; k += warps()) {
            double sum = 0;
            for (int i = (int)threadIdx.x % WARP; i < terms; i += WARP) sum += f(k, i);
            sum = over_warp<plus>(sum);
            if (threadIdx.x % WARP == 0) put(k, sum);
        }
        barrier();
    }
};

#else

struct block {
    int threads;
    uint64_t *order; /* NULL: threads in order; else the state of the random orders */

    int warps() const
    {
        return threads / WARP;
    }

    /* With a random order: begins at a random item and goes on in random steps. */
    template <class F> void each(int count, const F &f) const
    {
        static const int steps[] = {1, 101, 1009, 10007};
        int first = 0, step = 1;
        if (order && count > 1) {
            *order = *order * 6364136223846793005u + 1442695040888963407u;
            first = (int)((*order >> 33) % (uint64_t)count);
            step = steps[(*order >> 20) % 4];
            if (step > 1 && count % step == 0) step = count - 1;
        }
        for (int i = 0; i < count; i++) f((int)((first + (long long)i * step) % count));
    }

    template <class F> void each_warp(const F &f) const
    {
        each(warps(), f);
    }

    template <class T> T read(const T *from) const
    {
        return *from;
    }

    template <joining *join> static double over_warp(double *value)
    {
        for (int lane = WARP / 2; lane > 0; lane /= 2)
            for (int l = 0; l < lane; l++) value[l] = join(value[l], value[l + lane]);
        return value[0];
    }

    template <joining *join, class F> double reduce(int count, const F &f) const
    {
        double value[LANES] = {0};
        each(LANES, [&](int l) {
            for (int i = l; i < count; i += LANES) value[l] = join(value[l], f(i));
        });
        for (int w = 0; w < LANES; w += WARP) over_warp<join>(value + w);
        return join(join(value[0], value[WARP]), value[2 * WARP]);
    }

    template <class F, class Put> void sums(int count, int terms, const F &f, const Put &put) const
    {
        each(count, [&](int k) {
            double lane[WARP] = {0};
            for (int i = 0; i < terms; i++) lane[i % WARP] += f(k, i);
            put(k, over_warp<plus>(lane));
        });
    }
};

#endif

/* sum_{i < count} f(i); and the largest f(i), f(i) >= 0, NaN where an f(i) is NaN. */
template <class F> STEEP_DEVICE double sum(const block &team, int count, const F &f)
{
    return team.template reduce<plus>(count, f);
}

template <class F> STEEP_DEVICE double largest(const block &team, int count, const F &f)
{
    return team.template reduce<larger>(count, f);
}

/* Memory that is cut into consecutive arrays, each at a multiple of 16 bytes. With base NULL bytes are only counted. */
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
