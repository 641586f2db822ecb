/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sums: the sums of numerics/dense.h, in its order, by the threads of a block: the same bits. Numbers to sum come from
 * functions of the index, so that none need be stored. */
#ifndef STEEP_CUDA_SUMS_H
#define STEEP_CUDA_SUMS_H

#include <cfloat>
#include <cmath>

#include "cuda/block.h"

namespace steep
{

enum { LANES = 8, CHUNK = 512 /* terms of a partial sum: part of the definition of a dot (numerics/dense.h) */ };

STEEP_BOTH static inline int least(int a, int b)
{
    return a < b ? a : b;
}

STEEP_BOTH static inline int round_up(int n, int to)
{
    return (n + to - 1) / to * to;
}

/* a b + c rounded once. The C library's fma is the same number; where the processor has the instruction, a call for
 * each would be most of the twin's time. */
STEEP_DEVICE static inline double fused(double a, double b, double c)
{
#if !defined(__CUDACC__) && defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("fma")) {
        __asm__("vfmadd213sd %2, %1, %0" : "+x"(a) : "x"(b), "x"(c));
        return a;
    }
#endif
    return fma(a, b, c);
}

/* The larger of two; a NaN goes up, and stays. */
STEEP_DEVICE static inline double larger(double most, double size)
{
    return most == most && !(size <= most) ? size : most;
}

/* What lane l has of the terms first .. first + rows - 1 of a chunk. */
template <class A, class B> STEEP_DEVICE double lane_sum(int first, int rows, int lane, const A &a, const B &b)
{
    double sum = 0;
    for (int k = first + lane, end = first + rows / LANES * LANES; k < end; k += LANES) sum += a(k) * b(k);
    return sum;
}

/* The lanes of a chunk and the terms behind the last eight, added up. */
STEEP_DEVICE static inline double add_lanes(const double *lane, double rest)
{
    double even = (lane[0] + lane[4]) + (lane[1] + lane[5]), odd = (lane[2] + lane[6]) + (lane[3] + lane[7]);
    return even + odd + rest;
}

template <class A, class B> STEEP_DEVICE double rest_sum(int first, int rows, const A &a, const B &b)
{
    double rest = 0;
    for (int k = first + rows / LANES * LANES; k < first + rows; k++) rest += a(k) * b(k);
    return rest;
}

/* The length of numbers whose squares leave the range of numbers (steep_dense_norm). */
template <class A> STEEP_DEVICE double careful_norm(int n, const A &a)
{
    double largest = 0, square = 0;
    for (int k = 0; k < n; k++) {
        double size = fabs(a(k));
        if (size != size) return size;
        if (size > largest) largest = size;
    }
    if (largest == 0 || largest > DBL_MAX) return largest;
    int exponent;
    frexp(largest, &exponent);
    for (int k = 0; k < n; k++) {
        double scaled = ldexp(a(k), -exponent);
        square += scaled * scaled;
    }
    return ldexp(sqrt(square), exponent);
}

STEEP_DEVICE static inline bool plain_square(double square)
{
    return square > 0x1p-900 && square <= DBL_MAX;
}

/* --- by one thread --- */

template <class A, class B> STEEP_DEVICE double dot_alone(int n, const A &a, const B &b)
{
    double total = 0;
    for (int first = 0; first == 0 || first < n; first += CHUNK) {
        int rows = least(n - first, CHUNK);
        double lane[LANES] = {0, 0, 0, 0, 0, 0, 0, 0};
        for (int k = first, end = first + rows / LANES * LANES; k < end; k += LANES)
            for (int l = 0; l < LANES; l++) lane[l] += a(k + l) * b(k + l);
        double all = add_lanes(lane, rest_sum(first, rows, a, b));
        total = first == 0 ? all : total + all;
    }
    return total;
}

template <class A> STEEP_DEVICE double norm_alone(int n, const A &a)
{
    double square = dot_alone(n, a, a);
    return plain_square(square) ? sqrt(square) : careful_norm(n, a);
}

STEEP_DEVICE static inline double pair_norm(double one, double other)
{
    const double pair[2] = {one, other};
    return norm_alone(2, [&](int k) { return pair[k]; });
}

/* --- by a block --- */

STEEP_BOTH static inline int dot_chunks(int n)
{
    return n > CHUNK ? (n + CHUNK - 1) / CHUNK : 1;
}

/* Room that a dot of n terms needs. */
STEEP_BOTH static inline int dot_room(int n)
{
    return LANES * dot_chunks(n) + 1;
}

/* sum_k a(k) b(k); part: dot_room(n) numbers. */
template <class A, class B> STEEP_DEVICE double dot(const block &team, int n, const A &a, const B &b, double *part)
{
    const int chunks = dot_chunks(n);
    team.each(LANES * chunks, [&](int i) {
        int first = i / LANES * CHUNK;
        part[i] = lane_sum(first, least(n - first, CHUNK), i % LANES, a, b);
    });
    team.one([&] {
        double total = 0;
        for (int c = 0; c < chunks; c++) {
            double all = add_lanes(part + c * LANES, rest_sum(c * CHUNK, least(n - c * CHUNK, CHUNK), a, b));
            total = c == 0 ? all : total + all;
        }
        part[LANES * chunks] = total;
    });
    return team.read(part + LANES * chunks);
}

template <class A> STEEP_DEVICE double norm(const block &team, int n, const A &a, double *part)
{
    double square = dot(team, n, a, a, part);
    if (plain_square(square)) return sqrt(square);
    team.one([&] { part[0] = careful_norm(n, a); });
    return team.read(part);
}

/* sum_k a(k) 0: 0 where all are finite. */
template <class A> STEEP_DEVICE bool finite(const block &team, int n, const A &a, double *part)
{
    team.one([&] {
        double sum = 0;
        for (int k = 0; k < n; k++) sum += a(k) * 0;
        part[0] = sum;
    });
    return team.read(part) == 0;
}

} // namespace steep

#endif
