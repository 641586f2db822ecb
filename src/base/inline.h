/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inline: macros for functions that compile as C and as CUDA device code, and compiler hints for loops. */
#pragma once

#ifdef __CUDACC__
#define STEEP_INLINE static __host__ __device__ inline
#else
#define STEEP_INLINE static inline __attribute__((always_inline))
#endif

/* A function that is compiled once and never inlined: device code would grow with each inlined call. */
#ifdef __CUDACC__
#define STEEP_OUTLINED static __host__ __device__ __noinline__ __attribute__((unused))
#else
#define STEEP_OUTLINED static __attribute__((noinline, unused))
#endif

/* STEEP_INDEPENDENT stands before a loop whose iterations are independent. STEEP_UNROLL unrolls a short loop
 * completely, so that the loop around it vectorises. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define STEEP_INDEPENDENT _Pragma("GCC ivdep")
#define STEEP_UNROLL      _Pragma("GCC unroll 32")
#else
#define STEEP_INDEPENDENT
#define STEEP_UNROLL
#endif

/* Makes one call(...) for the order 0, 1 or 2 of derivatives. ORDER in the arguments is the order as a constant. */
#define STEEP_BY_ORDER(order, call, ...)                                                                               \
    if ((order) == 0) {                                                                                                \
        enum { ORDER = 0 };                                                                                            \
        call(__VA_ARGS__);                                                                                             \
    } else if ((order) == 1) {                                                                                         \
        enum { ORDER = 1 };                                                                                            \
        call(__VA_ARGS__);                                                                                             \
    } else {                                                                                                           \
        enum { ORDER = 2 };                                                                                            \
        call(__VA_ARGS__);                                                                                             \
    }

/* Compiles a hot function for several instruction sets and picks one at load time. Contraction into fused
 * multiply-adds is off (-ffp-contract=off), so that every clone gives the same bits. No clones under sanitizers,
 * which are not yet initialised at load time. */

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) &&                           \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(STEEP_NO_CLONES)
#define STEEP_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define STEEP_CLONES
#endif
