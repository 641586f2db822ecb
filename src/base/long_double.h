/* SPDX-License-Identifier: GPL-3.0-or-later */
/* long_double: elementary functions in long double with the same bits on every x86-64 processor.
 *
 * The C library takes exp, log, pow, atan and what it makes of them from instructions of the processor, and the last
 * digit of these instructions differs: f2xm1 at 0.721347520... ends with the bytes BC97 on AMD's processors and BC98 on
 * Intel's (Bochs, issue 763). The functions here are sequences of additions, multiplications, divisions and roots,
 * which IEEE 754 rounds alike. So are sinl, cosl, tanl, asinl, cbrtl and j0l of the C library. Where long double is no
 * 80-bit number, as on ARM64, the C library's functions stand in place of these.
 *
 * Bounds of the errors in ulp of the result, which tests/test_long_double.c holds against 113 bits: log, log1p 0.9, exp
 * 1, expm1, pow 1.3, acos 1.4, sinh, cosh 2.6, tanh 2.7, atan 3. erf and erfc are rounded from 113 bits. */
#pragma once

#include <math.h>
#include <stddef.h>

#if defined __x86_64__ && defined __GLIBC__
long double steep_expl(long double x);
long double steep_expm1l(long double x);
long double steep_logl(long double x);
long double steep_log1pl(long double x);
long double steep_sinhl(long double x);
long double steep_coshl(long double x);
long double steep_tanhl(long double x);
long double steep_atanl(long double x);
long double steep_acosl(long double x);
long double steep_powl(long double x, long double y);
long double steep_erfl(long double x); /* this one and the next take microseconds */
long double steep_erfcl(long double x);
#else
#define steep_expl   expl
#define steep_expm1l expm1l
#define steep_logl   logl
#define steep_log1pl log1pl
#define steep_sinhl  sinhl
#define steep_coshl  coshl
#define steep_tanhl  tanhl
#define steep_atanl  atanl
#define steep_acosl  acosl
#define steep_powl   powl
#define steep_erfl   erfl
#define steep_erfcl  erfcl
#endif

/* n! */
static inline long double steep_factorial(size_t n)
{
    long double product = 1;
    for (size_t k = 2; k <= n; k++) product *= (long double)k;
    return product;
}
