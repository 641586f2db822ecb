/* SPDX-License-Identifier: GPL-3.0-or-later */
/* elementary: exp, expm1, log, log1p, tanh, atan, sin, cos, the logistic function, the normal distribution, with the
 * same bits on every processor, under every compiler, in a loop or alone. The same lines compile as CUDA device code.
 *
 * The C library picks a variant by the processor, and the last digit depends on it. Here each function is a fixed
 * sequence of IEEE operations: no fused multiply-adds (contraction is off), no branches, no tables, so that a loop over
 * it vectorises. Special values are as in the C library; NaN gives NaN.
 *
 * Largest errors, measured against the long double library by tests/test_elementary.c (SEEDS=60), in ulp of the result:
 *   exp 0.76 (0.65 for normal numbers)   expm1 0.94   log 0.86   log1p 0.85   tanh 1.44   atan 1.9   sigmoid 1.92   Phi
 *   2.14 phi 1.9 */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/inline.h"

#define STEEP_LN2_HIGH   0x1.62e42fefa38p-1   /* 42 bits: n times it is exact */
#define STEEP_LN2_LOW    0x1.ef35793c7673p-45 /* log 2 - STEEP_LN2_HIGH */
#define STEEP_LOG2_E     0x1.71547652b82fep+0
#define STEEP_SQRT1_2PI  0.39894228040143267794
#define STEEP_TO_INTEGER 0x1.8p52 /* x + this - this is x rounded to an integer, for |x| < 2^51 */

STEEP_INLINE uint64_t steep_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

STEEP_INLINE double steep_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* first where condition is 1, else second. Works on the bits, so that no compiler makes a branch of it: a branch keeps
 * the loop around it from being vectorised (gcc vectorises with AVX2 or AVX-512; with SSE2 alone this is slower). */
STEEP_INLINE double steep_select(int condition, double first, double second)
{
    uint64_t mask = -(uint64_t)condition;
    return steep_from_bits((steep_bits(first) & mask) | (steep_bits(second) & ~mask));
}

/* |x| with the sign of s */
STEEP_INLINE double steep_with_sign(double x, double s)
{
    const uint64_t sign = (uint64_t)1 << 63;
    return steep_from_bits((steep_bits(x) & ~sign) | (steep_bits(s) & sign));
}

STEEP_INLINE double steep_to_integer(double x)
{
    return (x + STEEP_TO_INTEGER) - STEEP_TO_INTEGER;
}

/* 2^n, n an integer of -1022 .. 1023 */
STEEP_INLINE double steep_power_of_two(double n)
{
    return steep_from_bits((steep_bits(n + STEEP_TO_INTEGER) + 1023) << 52);
}

/* c_0 x^(count-1) + ... + c_(count-1), by Horner's rule */
#define STEEP_HORNER(x, c) steep_polynomial((x), sizeof(c) / sizeof *(c), (c))
STEEP_INLINE double steep_polynomial(double x, size_t count, const double *c)
{
    double p = c[0];
    STEEP_UNROLL for (size_t k = 1; k < count; k++) p = p * x + c[k];
    return p;
}

/* exp(x + low) = 2^n (1 + r + q), |r| <= log(2)/2, n the return value; |low| is at most an ulp of x. x is first brought
 * into [-746, 710], outside of which exp is 0 or infinity. */
STEEP_INLINE double steep_exp_parts(double x, double low, double *r, double *q)
{
    x = steep_select(x < -746.0, -746.0, x);
    x = steep_select(x > 710.0, 710.0, x);
    const double n = steep_to_integer(x * STEEP_LOG2_E);
    const double high = x - n * STEEP_LN2_HIGH, less = n * STEEP_LN2_LOW; /* high is exact */
    const double t = high - less, c = ((high - t) - less) + low;          /* t + c = x + low - n log 2 */
    /* (e^t - 1 - t)/t^2 = sum_k t^{k-2}/k!, to k = 13: at most 1e-17 of t is left out */
    const double taylor[] = {1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0,
                             1.0 / 362880.0,     1.0 / 40320.0,     1.0 / 5040.0,     1.0 / 720.0,
                             1.0 / 120.0,        1.0 / 24.0,        1.0 / 6.0,        0.5};
    const double p = t * t * STEEP_HORNER(t, taylor);
    *r = t;
    *q = p + (c + c * (t + p));
    return n;
}

STEEP_INLINE double steep_exp(double x)
{
    double r, q, n = steep_exp_parts(x, 0.0, &r, &q), half = steep_to_integer(0.5 * n);
    double s = 1.0 + r, e = (r - (s - 1.0)) + q; /* 1 + r = s + its rounding error */
    return (s + e) * steep_power_of_two(half) * steep_power_of_two(n - half);
}

/* exp(x) - 1 = 2 [(T - 1/2) + T r + T q] with T = 2^{n-1}; the first two sums are taken with their rounding errors */
STEEP_INLINE double steep_expm1(double x)
{
    double r, q, n = steep_exp_parts(x, 0.0, &r, &q) - 1.0, half = steep_to_integer(0.5 * n);
    double T = steep_power_of_two(half) * steep_power_of_two(n - half), a = T - 0.5, b = T * r, s = a + b, v = s - a;
    double e = (a - (s - v)) + (b - v) + ((T - a) - 0.5);
    return steep_select(fabs(x) < 0x1p-54, x, 2.0 * (s + (e + T * q)));
}

/* log(2^k (1 + f)) + c, with sqrt(1/2) <= 1 + f < sqrt 2 and c far below an ulp of the rest; with s = f / (2 + f)
 *   log(1 + f) = f - f^2/2 + s (f^2/2 + R),   R = sum_j 2 s^{2j} / (2j + 1)
 * (the arrangement of fdlibm's log1p). */
STEEP_INLINE double steep_log_sum(double k, double f, double c)
{
    const double s = f / (2.0 + f), w = s * s, square = 0.5 * f * f;
    const double series[] = {2.0 / 21.0, 2.0 / 19.0, 2.0 / 17.0, 2.0 / 15.0, 2.0 / 13.0, 2.0 / 11.0,
                             2.0 / 9.0,  2.0 / 7.0,  2.0 / 5.0,  2.0 / 3.0}; /* s^2 < 0.0295: 2e-18 of f is left out */
    const double R = w * STEEP_HORNER(w, series);
    return k * STEEP_LN2_HIGH + (f - (square - (s * (square + R) + (k * STEEP_LN2_LOW + c))));
}

/* x = 2^k m, x > 0 and normal, sqrt(1/2) <= m < sqrt 2. */
STEEP_INLINE double steep_log_parts(double x, double *k)
{
    const uint64_t root = 0x3fe6a09e667f3bcd, one = 0x3ff0000000000000; /* sqrt(1/2), 1 */
    const uint64_t lifted = steep_bits(x) + (one - root);
    *k = steep_from_bits((lifted >> 52) | 0x4330000000000000) - (0x1p52 + 1023.0);
    return steep_from_bits((lifted & 0x000fffffffffffff) + root);
}

/* log x; a subnormal x is first multiplied by 2^54 */
STEEP_INLINE double steep_log(double x)
{
    const int small = x < 0x1p-1022;
    double k;
    const double m = steep_log_parts(steep_select(small, x * 0x1p54, x), &k);
    double y = steep_log_sum(k - steep_select(small, 54.0, 0.0), m - 1.0, 0.0);
    y = steep_select((x == INFINITY) | (x != x), x, y);
    return steep_select(x <= 0.0, steep_select(x == 0.0, -INFINITY, NAN), y);
}

/* log(1 + x). 1 + x = u + d, u rounded, d exact; log(u + d) = log u + d/u. For k = 0, f is x itself. */
STEEP_INLINE double steep_log1p(double x)
{
    const double u = 1.0 + x, v = u - 1.0, d = (1.0 - (u - v)) + (x - v);
    double k;
    const double m = steep_log_parts(u, &k);
    double y = steep_log_sum(k, steep_select(k == 0.0, x, m - 1.0), steep_select(k == 0.0, 0.0, d / u));
    y = steep_select((fabs(x) < 0x1p-54) | (x == INFINITY), x, y);
    return steep_select(x <= -1.0, steep_select(x == -1.0, -INFINITY, NAN), y);
}

/* tanh x, given E = exp(-2 |x|). For |x| >= 0.55: 1 - 2 E / (1 + E). Below: x + (the eighth convergent of the continued
 * fraction x / (1 + x^2 / (3 + x^2 / (5 + ...))) - x), 2e-17 from tanh. Both cases share one division. */
STEEP_INLINE double steep_tanh_of(double x, double E)
{
    const double a = fabs(x), z = a * a;
    const double p = -a * z * (675675.0 + z * (45045.0 + z * (594.0 + z)));
    const double q = 2027025.0 + z * (945945.0 + z * (51975.0 + z * (630.0 + z)));
    const int near = a < 0.55;
    const double part = steep_select(near, p, -2.0 * E) / steep_select(near, q, 1.0 + E);
    return steep_with_sign(steep_select(near, a, 1.0) + part, x);
}

STEEP_INLINE double steep_tanh(double x)
{
    return steep_tanh_of(x, steep_exp(-2.0 * fabs(x)));
}

/* atan x. |x| is reduced below tan(pi/8) by atan a = pi/4 + atan((a - 1)/(a + 1)) = pi/2 - atan(1/a). There atan x = x
 * + x^3 p(x^2), p the minimax polynomial, with an error of 1e-18. */
STEEP_INLINE double steep_atan(double x)
{
    const double a = fabs(x);
    const int far = a > 2.414213562373095, middle = !far & (a > 0.4142135623730951);
    const double above = steep_select(far, -1.0, steep_select(middle, a - 1.0, a));
    const double t = above / steep_select(far, a, steep_select(middle, a + 1.0, 1.0)), z = t * t;
    const double least[] = {0x1.0ad36a44fb722p-6, -0x1.1b33b9237eb61p-5, 0x1.74ddd408aa3d0p-5, -0x1.ac7a938b660bep-5,
                            0x1.e19a13b9fbebfp-5, -0x1.110e880a7a4c7p-4, 0x1.3b1392d9e7857p-4, -0x1.745d165df3f95p-4,
                            0x1.c71c71c304b68p-4, -0x1.249249248d7eep-3, 0x1.9999999999953p-3, -0x1.5555555555555p-2};
    const double p = STEEP_HORNER(z, least);
    const double low = steep_select(far, 0x1.1a62633145c07p-54, steep_select(middle, 0x1.1a62633145c07p-55, 0.0));
    const double base = steep_select(far, 0x1.921fb54442d18p0, steep_select(middle, 0x1.921fb54442d18p-1, 0.0));
    return steep_with_sign(base + (t + (t * (z * p) + low)), x);
}

/* s = 1 / (1 + exp(-z)) and c = 1 - s, both to full relative accuracy, given t = exp(-|z|). 1 + t = u + d with u
 * rounded, and 1 / (u + d) = 1/u - d/u^2. */
STEEP_INLINE void steep_sigmoid_of(double z, double t, double *s, double *c)
{
    const double u = 1.0 + t, d = (1.0 - u) + t, one = 1.0 / u, part = t / u, lost = d * one;
    const double big = one - one * lost, small = part - part * lost;
    *s = steep_select(z >= 0.0, big, small);
    *c = steep_select(z >= 0.0, small, big);
}

STEEP_INLINE void steep_sigmoid_pair(double z, double *s, double *c)
{
    steep_sigmoid_of(z, steep_exp(-fabs(z)), s, c);
}

/* The normal distribution: Phi = erfc(-z / sqrt 2) / 2 and phi = exp(-z^2 / 2) / sqrt(2 pi), both to full relative
 * accuracy. With a = |z|, v = 2a/(a + 7), 1 + t = v,
 *   Phi(-a) = exp(-a^2/2) (1/2 + v S(t)) / d,   d = 1 + 5a/4,
 * S interpolated at the 23 Chebyshev nodes of 0 <= a <= 39, with an error of 6e-18; beyond 39 both are 0. a is split in
 * halves of 26 bits, whose products are exact. So the rounding errors of a^2 and d are known and are put back; the
 * error of d is multiplied by a rough 1/d, an eighth away (the logarithm is nearly linear in the bits). */
STEEP_INLINE void steep_normal(double z, double *Phi, double *phi)
{
    double a = fabs(z);
    a = steep_select(a > 39.0, 39.0, a);
    const double high = steep_from_bits(steep_bits(a) & ~(uint64_t)0x7ffffff), low = a - high, square = a * a;
    const double rest = ((high * high - square) + 2.0 * high * low) + low * low;
    const double v = 2.0 * a / (a + 7.0), t = v - 1.0;
    const double interpolated[] = {
        0x1.3eb0b596c163cp-29,  0x1.e126a6bc062edp-29,  -0x1.abe3f66ac4904p-26, -0x1.82d5febbd719ep-33,
        0x1.b3daf9d0e37fdp-23,  -0x1.fc14b101da9cfp-22, -0x1.2438b75024c1bp-21, 0x1.a15d8e3281614p-18,
        -0x1.123897eb71384p-16, -0x1.bbf857bc27e87p-21, 0x1.83f72a1f3c296p-13,  -0x1.e80ad20589795p-11,
        0x1.950390f1307d9p-9,   -0x1.0a70164748835p-7,  0x1.27ffe06961deap-6,   -0x1.1e0fd6334c65cp-5,
        0x1.e873cb0318d2bp-5,   -0x1.72eada9ce6a01p-4,  0x1.f4bf151d89d32p-4,   -0x1.29514ae21576cp-3,
        0x1.2d460db623dffp-3,   -0x1.dc0e06b64b23ep-4,  0x1.705300b4339d5p-5};
    const double S = STEEP_HORNER(t, interpolated);
    const double d = 1.0 + 1.25 * a, d_rest = ((1.0 - d) + 1.25 * high) + 1.25 * low;
    const double near_inverse = steep_from_bits(0x7fde6238502484ba - steep_bits(d));
    double r, q, n = steep_exp_parts(-0.5 * square, -0.5 * rest, &r, &q), half = steep_to_integer(0.5 * n);
    const double s = 1.0 + r, e = (r - (s - 1.0)) + q, E = s + e;
    const double more = e - E * (near_inverse * d_rest); /* s + more = exp(-a^2/2) / 2^n, with d's error put back */
    const double one = steep_power_of_two(half), two = steep_power_of_two(n - half);
    const double tail = (0.5 * s + (0.5 * more + (s + more) * (v * S))) / d * one * two;
    *Phi = steep_select(z > 0.0, 1.0 - tail, tail);
    *phi = STEEP_SQRT1_2PI * E * one * two;
}

/* sin x and cos x, |x| <= 2^20; NaN beyond, where three parts of pi/2 no longer reduce x. Error at most 2^-52. With n
 * the integer next to x / (pi/2): r + t = x - n pi/2, n times each of the first two parts exact, then the minimax
 * polynomials of FreeBSD's k_sin.c and k_cos.c on |r| <= pi/4. */
STEEP_INLINE void steep_sin_cos(double x, double *sine, double *cosine)
{
    x = steep_select(fabs(x) <= 0x1p20, x, NAN);
    const double n = steep_to_integer(x * 0x1.45f306dc9c883p-1);
    const uint64_t turn = steep_bits(n + STEEP_TO_INTEGER);
    const double u = x - n * 0x1.921fb544p+0, v = n * 0x1.0b4611a6p-34, a = u - v, b = u - a;
    const double e = ((u - (a + b)) + (b - v)) - n * 0x1.3198a2e037073p-69, r = a + e, t = (a - r) + e;
    const double z = r * r, w = z * r, half = 0.5 * z, c = 1.0 - half;
    const double sines[] = {1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06,
                            -1.98412698298579493134e-04, 8.33333333332248946124e-03};
    const double cosines[] = {-1.13596475577881948265e-11, 2.08757232129817482790e-09,  -2.75573143513906633035e-07,
                              2.48015872894767294178e-05,  -1.38888888888741095749e-03, 4.16666666666666019037e-02};
    const double p = STEEP_HORNER(z, sines), q = z * STEEP_HORNER(z, cosines);
    const double S = r - ((z * (0.5 * t - w * p) - t) - w * -1.66666666666666324348e-01);
    const double C = c + (((1.0 - c) - half) + (z * q - r * t));
    const double first = steep_select((int)(turn & 1), C, S), second = steep_select((int)(turn & 1), S, C);
    *sine = steep_select((int)(turn >> 1 & 1), -first, first);
    *cosine = steep_select((int)((turn + 1) >> 1 & 1), -second, second);
}
