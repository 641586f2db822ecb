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

#endif
