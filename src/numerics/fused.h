/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fused: a b + c rounded once, also where the processor has no instruction for it, with the same bits. */
#ifndef STEEP_NUMERICS_FUSED_H
#define STEEP_NUMERICS_FUSED_H

#include <math.h>

#include "numerics/elementary.h"

/* a + b = sum + *rest, exactly (Knuth). */
static inline double steep_two_sum(double a, double b, double *rest)
{
    const double sum = a + b, part = sum - a;
    *rest = (a - (sum - part)) + (b - part);
    return sum;
}

/* a b = product + *rest, exactly where nothing over- or underflows (Dekker): factors cut into halves of 26 bits. */
static inline double steep_two_product(double a, double b, double *rest)
{
    const double split = 0x1p27 + 1, product = a * b;
    const double ca = split * a, a1 = ca - (ca - a), a2 = a - a1, cb = split * b, b1 = cb - (cb - b), b2 = b - b1;
    *rest = a2 * b2 - (((product - a1 * b1) - a2 * b1) - a1 * b2);
    return product;
}

/* a b + c by sums and products of doubles (Boldo and Melquiond, IEEE Trans. Comput. 57, 2008, Fmac): the exact sum is
 * brought to two doubles, the lower of them rounded to odd, and their sum rounded. Where an exponent could leave the
 * range on the way, the C library's fma, which is exact everywhere and slow. */
static inline double steep_fused_emulated(double a, double b, double c)
{
    const double least = 0x1p-900, most = 0x1p900, size = fabs(a * b);
    double low, rest, end, tail;
    if (a == 0 || b == 0) return a * b + c;
    if (!(size > least && size < most && fabs(a) < most && fabs(b) < most && fabs(c) < most &&
          (c == 0 || fabs(c) > least)))
        return fma(a, b, c);
    const double high = steep_two_product(a, b, &low), middle = steep_two_sum(c, low, &rest),
                 top = steep_two_sum(high, middle, &end);
    double odd = steep_two_sum(rest, end, &tail);
    const uint64_t bits = steep_bits(odd);
    if (tail != 0 && !(bits & 1)) odd = steep_from_bits((tail > 0) == (odd > 0) ? bits + 1 : bits - 1);
    return top + odd;
}

static inline double steep_fused(double a, double b, double c)
{
#ifdef __FP_FAST_FMA
    return __builtin_fma(a, b, c);
#else
    return steep_fused_emulated(a, b, c);
#endif
}

#endif
