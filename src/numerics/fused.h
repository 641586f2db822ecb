/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fused: a b + c rounded once, also where the processor has no instruction for it, with the same bits; two at a time. */
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

/* Where 2^-900 < |x| < 2^900. */
static inline steep_mask2 steep_is_ordinary(steep_pair2 x)
{
    const double least = 0x1p-900, most = 0x1p900;
    return ((x > least) & (x < most)) | ((x < -least) & (x > -most));
}

/* a b + c by sums and products of doubles (Boldo and Melquiond, IEEE Trans. Comput. 57, 2008, Fmac): the exact sum is
 * brought to two doubles, the lower of them rounded to odd, and their sum rounded. Where an exponent could leave the
 * range on the way, or the sign of a zero is in question, the C library's fma, which is exact everywhere and slow. */
static inline steep_pair2 steep_fused_emulated(steep_pair2 a, steep_pair2 b, steep_pair2 c)
{
    steep_pair2 low, rest, end, tail;
    const steep_pair2 high = steep_two_product(a, b, &low), middle = steep_two_sum(c, low, &rest),
                      top = steep_two_sum(high, middle, &end), odd = steep_two_sum(rest, end, &tail);
    const steep_mask2 usual = steep_is_ordinary(c), zero = ((a == 0) | (b == 0)) & usual,
                      product = steep_is_ordinary(high) & (usual | (c == 0)),
                      small = (a < 0x1p900) & (a > -0x1p900) & (b < 0x1p900) & (b > -0x1p900),
                      safe = (zero | product) & small;
    if (!(safe[0] & safe[1])) return (steep_pair2){fma(a[0], b[0], c[0]), fma(a[1], b[1], c[1])};
    steep_mask2 bits;
    memcpy(&bits, &odd, sizeof bits);
    const steep_mask2 up = (tail > 0) == (odd > 0), inexact = (tail < 0) | (tail > 0), even = (bits & 1) - 1;
    bits += (1 - 2 * (up + 1)) & inexact & even; /* a mask is 0 or -1: one more where up, else one less */
    steep_pair2 last;
    memcpy(&last, &bits, sizeof last);
    return top + last;
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
