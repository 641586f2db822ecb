/* SPDX-License-Identifier: GPL-3.0-or-later */
/* long: the numbers of 80 bits that splines are turned into gates with, in functions that the CPU runs and that are device
 * code too: long double in C, the same numbers by integers in C++ (base/extended.h). */
#ifndef STEEP_BASE_LONG_H
#define STEEP_BASE_LONG_H

#ifdef __cplusplus

#include "base/extended.h"

typedef steep::extended steep_long;

STEEP_INLINE steep_long steep_long_abs(steep_long x)
{
    return steep_long(x.m, x.top & 0x7fffu);
}

STEEP_INLINE steep_long steep_long_sqrt(steep_long x)
{
    return steep::extended_root(x);
}

STEEP_INLINE steep_long steep_long_copysign(steep_long size, steep_long sign)
{
    return steep_long(size.m, (size.top & 0x7fffu) | (sign.top & 0x8000u));
}

#else

#include <math.h>

#include "base/inline.h"

typedef long double steep_long;

STEEP_INLINE steep_long steep_long_abs(steep_long x)
{
    return fabsl(x);
}

STEEP_INLINE steep_long steep_long_sqrt(steep_long x)
{
    return sqrtl(x);
}

STEEP_INLINE steep_long steep_long_copysign(steep_long size, steep_long sign)
{
    return copysignl(size, sign);
}

#endif

/* The real cube root, within an ulp or so of these numbers, and of what the C library's would be: of +, -, * and /
 * alone, so that it is the same wherever those are. 0, infinities and NaN come through. */
STEEP_OUTLINED steep_long steep_long_cbrt(steep_long x)
{
    steep_long m = steep_long_abs(x), unit = 1, root;
    if (!(m > 0) || !(x - x == 0)) return x;
    while (m >= 0x1p96) m = m * 0x1p-96, unit = unit * 0x1p32; /* powers of 8: nothing is lost */
    while (m < 0x1p-96) m = m * 0x1p96, unit = unit * 0x1p-32;
    while (m >= 8) m = m * 0.125, unit = unit * 2;
    while (m < 1) m = m * 8, unit = unit * 0.5;
    root = 1 + (m - 1) * 0.14; /* within 0.12 in [1, 8); Newton's step squares that: 1e-2, 2e-4, 4e-8, 2e-15, 3e-30 */
    for (int step = 0; step < 6; step++) root = root - (root - m / (root * root)) / 3;
    return steep_long_copysign(root * unit, x);
}

#endif
