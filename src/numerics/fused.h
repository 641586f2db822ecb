/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fused: a b + c rounded once, two at a time, also where the processor has no instruction for it: the same bits. */
#ifndef STEEP_NUMERICS_FUSED_H
#define STEEP_NUMERICS_FUSED_H

#include <math.h>

#include "numerics/elementary.h"

/* Two numbers at once: a register of any processor of today. */
typedef double steep_pair2 __attribute__((vector_size(16)));
typedef int64_t steep_mask2 __attribute__((vector_size(16)));

/* a + b = sum + *rest, exactly (Knuth). */
static inline steep_pair2 steep_two_sum(steep_pair2 a, steep_pair2 b, steep_pair2 *rest)
{
    const steep_pair2 sum = a + b, part = sum - a;
    *rest = (a - (sum - part)) + (b - part);
    return sum;
}

/* a b = product + *rest, exactly where nothing over- or underflows (Dekker): factors cut into halves of 26 bits. */
static inline steep_pair2 steep_two_product(steep_pair2 a, steep_pair2 b, steep_pair2 *rest)
{
    const double split = 0x1p27 + 1;
    const steep_pair2 product = a * b, ca = split * a, cb = split * b;
    const steep_pair2 a1 = ca - (ca - a), a2 = a - a1, b1 = cb - (cb - b), b2 = b - b1;
    *rest = a2 * b2 - (((product - a1 * b1) - a2 * b1) - a1 * b2);
    return product;
}

/* a b + c by sums and products of doubles. With a b = p + low and p + c = top + end, exactly, t = end + low rounded:
 * then top + t, rounded, is right but where it lies half way between two doubles and t is not exact. There, and where
 * an exponent leaves the range on the way, it is left to the C library's fma, which is exact everywhere and slow. (A
 * number half way between two doubles, less top, is a double itself: t lies on the same side of it as end + low, or on
 * it.) */
static inline steep_pair2 steep_fused_emulated(steep_pair2 a, steep_pair2 b, steep_pair2 c)
{
    steep_pair2 low, end, lost;
    const steep_pair2 p = steep_two_product(a, b, &low), top = steep_two_sum(p, c, &end),
                      t = steep_two_sum(end, low, &lost), sum = top + t, rest = t - (sum - top), twice = rest + rest;
    const steep_mask2 half = ((sum + twice) - sum == twice) & (rest != 0) & (lost != 0),
                      range =
                          (((p > 0x1p-900) | (p < -0x1p-900)) & (p < 0x1p1000) & (p > -0x1p1000)) | (a == 0) | (b == 0),
                      right = range & ~half & (sum < INFINITY) & (sum > -INFINITY);
    if (!(right[0] & right[1])) return (steep_pair2){fma(a[0], b[0], c[0]), fma(a[1], b[1], c[1])};
    return (steep_pair2)(((steep_mask2)sum & (t != 0)) | ((steep_mask2)top & (t == 0))); /* a zero keeps its sign */
}

/* The same, by the instruction where every processor that this is compiled for has one. */
static inline steep_pair2 steep_fused(steep_pair2 a, steep_pair2 b, steep_pair2 c)
{
#ifdef __FP_FAST_FMA
    return (steep_pair2){__builtin_fma(a[0], b[0], c[0]), __builtin_fma(a[1], b[1], c[1])};
#else
    return steep_fused_emulated(a, b, c);
#endif
}

#endif
