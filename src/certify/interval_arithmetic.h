/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interval_arithmetic: operations on intervals of doubles. Each result contains f(a, b) for all a, b of the operands;
 * where f is undefined for some of them, or nothing is known, the result is the whole line.
 *
 * Operations round to nearest. Then ends y of the result move outward by |y| 2^-51 + 1e-290: four units of rounding
 * cover the error of the operation and that of the move, 1e-290 covers the loss below normal numbers. So no rounding
 * mode is switched, and the bits are the same on all machines. An operation on exact zeros, and a product with an exact
 * 1, is exact. Functions of elementary.h are assumed to be within 8 ulp (sine and cosine: 2^-50); functions that it
 * lacks come from balls.
 *
 * The last argument stands where the functions for balls have the bits. If it is not 0, sums, products, powers and
 * reciprocals are careful: ends are the nearest doubles below and above, and exact results stay exact, so that
 * sqrt(2 - 2 x) is defined up to the end of [-1, 1]. Careful operations take several times as long. */
#pragma once

#include <math.h>
#include <stdbool.h>

#include "certify/ball.h"
#include "certify/core.h"

#define STEEP_ANY __attribute__((unused)) int

static inline double steep_down(double x)
{
    return x - (fabs(x) * 0x1p-51 + 1e-290);
}

static inline double steep_up(double x)
{
    return x + (fabs(x) * 0x1p-51 + 1e-290);
}

static inline void steep_interval_entire(steep_interval *out)
{
    *out = (steep_interval){-INFINITY, INFINITY};
}

/* out = [low, high], ends rounded already; the whole line where an end is NaN, as infinities may give. */
static inline void steep_interval_set_ends(steep_interval *out, double low, double high)
{
    if (low <= high) *out = (steep_interval){low, high};
    else steep_interval_entire(out);
}

/* Careful operations round to one side, below (-1) or above (1). Returns the nearest double on this side of value +
 * error, where value is the rounded result; of error only the sign counts. */
static inline double steep_toward(int side, double value, double error)
{
    if (!(fabs(value) > 1e-280 && fabs(value) < 1e290)) return side < 0 ? steep_down(value) : steep_up(value);
    return error * side > 0 ? nextafter(value, side * INFINITY) : value;
}

static inline double steep_sum_toward(int side, double a, double b)
{
    const double sum = a + b, part = sum - a; /* TwoSum (Knuth) */
    return sum == 0 ? 0 : steep_toward(side, sum, (a - (sum - part)) + (b - part));
}

static inline double steep_product_toward(int side, double a, double b)
{
    return a == 0 || b == 0 ? 0 : steep_toward(side, a * b, fma(a, b, -(a * b)));
}

static inline double steep_quotient_toward(int side, double a, double b)
{
    return steep_toward(side, a / b, fma(-(a / b), b, a) * (b < 0 ? -1 : 1));
}

static inline steep_interval steep_interval_product(const steep_interval *a, const steep_interval *b)
{
    steep_interval out = {INFINITY, -INFINITY};
    for (int k = 0; k < 4; k++) {
        const double x = k & 1 ? a->high : a->low, y = k & 2 ? b->high : b->low;
        out.low = fmin(out.low, steep_product_toward(-1, x, y));
        out.high = fmax(out.high, steep_product_toward(1, x, y));
    }
    if (out.low == INFINITY || out.high == -INFINITY) steep_interval_entire(&out); /* all overflow */
    return out;
}

static inline void steep_interval_outward(steep_interval *out, double low, double high)
{
    steep_interval_set_ends(out, steep_down(low), steep_up(high));
}

#define steep_interval_init(a)      ((void)(a))
#define steep_interval_clear(a)     ((void)(a))
#define steep_interval_set_interval steep_interval_set

static inline void steep_interval_set(steep_interval *out, const steep_interval *a)
{
    *out = *a;
}

static inline void steep_interval_set_double(steep_interval *out, double x)
{
    *out = (steep_interval){x, x};
}

static inline bool steep_interval_is_zero(const steep_interval *a)
{
    return a->low == 0 && a->high == 0;
}

static inline bool steep_interval_is_entire(const steep_interval *a)
{
    return a->low == -INFINITY && a->high == INFINITY;
}

static inline bool steep_interval_is_one(const steep_interval *a)
{
    return a->low == 1 && a->high == 1;
}

/* 1 or -1 where all of a is on this side of 0; 0 where a contains 0 */
static inline int steep_interval_side(const steep_interval *a)
{
    return a->low > 0 ? 1 : a->high < 0 ? -1 : 0;
}

/* The largest and the smallest |x| in a. */
static inline double steep_interval_most(const steep_interval *a)
{
    return -a->low > a->high ? -a->low : a->high;
}

static inline double steep_interval_least(const steep_interval *a)
{
    return a->low > 0 ? a->low : a->high < 0 ? -a->high : 0;
}

static inline void steep_interval_neg(steep_interval *out, const steep_interval *a)
{
    *out = (steep_interval){-a->high, -a->low};
}

static inline void steep_interval_add(steep_interval *out, const steep_interval *a, const steep_interval *b,
                                      int careful)
{
    if (steep_interval_is_zero(a)) *out = *b;
    else if (steep_interval_is_zero(b)) *out = *a;
    else if (careful)
        steep_interval_set_ends(out, steep_sum_toward(-1, a->low, b->low), steep_sum_toward(1, a->high, b->high));
    else steep_interval_outward(out, a->low + b->low, a->high + b->high);
}

static inline void steep_interval_sub(steep_interval *out, const steep_interval *a, const steep_interval *b, int p)
{
    const steep_interval minus = {-b->high, -b->low};
    steep_interval_add(out, a, &minus, p);
}

static inline void steep_interval_mul(steep_interval *out, const steep_interval *a, const steep_interval *b,
                                      int careful)
{
    if (steep_interval_is_zero(a) || steep_interval_is_zero(b)) *out = (steep_interval){0, 0};
    else if (steep_interval_is_one(a)) *out = *b;
    else if (steep_interval_is_one(b)) *out = *a;
    else if (careful) *out = steep_interval_product(a, b);
    else {
        const double v = a->low * b->low, w = a->low * b->high, x = a->high * b->low, y = a->high * b->high;
        const double low = v < w ? v : w, high = v < w ? w : v, low2 = x < y ? x : y, high2 = x < y ? y : x;
        if (v != v || w != w || x != x || y != y) steep_interval_entire(out); /* 0 times infinity */
        else steep_interval_outward(out, low < low2 ? low : low2, high > high2 ? high : high2);
    }
}

/* sum += a b */
static inline void steep_interval_add_product(steep_interval *sum, const steep_interval *a, const steep_interval *b)
{
    steep_interval term;
    steep_interval_mul(&term, a, b, 0);
    steep_interval_add(sum, sum, &term, 0);
}

static inline void steep_interval_sqr(steep_interval *out, const steep_interval *a, int careful)
{
    const double least = steep_interval_least(a), most = steep_interval_most(a);
    const double low = careful ? steep_product_toward(-1, least, least) : steep_down(least * least);
    const double high = careful ? steep_product_toward(1, most, most) : most == 0 ? 0 : steep_up(most * most);
    steep_interval_set_ends(out, low > 0 ? low : 0, high);
}

static inline void steep_interval_inv(steep_interval *out, const steep_interval *a, int careful)
{
    if (a->low <= 0 && a->high >= 0) steep_interval_entire(out);
    else if (careful)
        steep_interval_set_ends(out, steep_quotient_toward(-1, 1, a->high), steep_quotient_toward(1, 1, a->low));
    else steep_interval_outward(out, 1 / a->high, 1 / a->low);
}

static inline void steep_interval_div(steep_interval *out, const steep_interval *a, const steep_interval *b,
                                      int careful)
{
    steep_interval inverse;
    if (!careful && b->low == b->high && b->low != 0) { /* b is a number: one rounding */
        const double v = a->low / b->low, w = a->high / b->low;
        if (steep_interval_is_zero(a)) *out = *a;
        else steep_interval_outward(out, v < w ? v : w, v < w ? w : v);
        return;
    }
    steep_interval_inv(&inverse, b, careful);
    steep_interval_mul(out, a, &inverse, careful);
}

/* a^n, n >= 0, a >= 0 */
static inline void steep_interval_positive_power(steep_interval *out, const steep_interval *a, int n, int careful)
{
    steep_interval square = *a, result = {1, 1};
    for (; n; n >>= 1) {
        if (n & 1) steep_interval_mul(&result, &result, &square, careful);
        if (n > 1) steep_interval_sqr(&square, &square, careful);
    }
    *out = (steep_interval){result.low > 0 ? result.low : 0, result.high};
}

/* |a|^n */
static inline steep_interval steep_interval_size_power(const steep_interval *a, int n, int careful)
{
    steep_interval size = {steep_interval_least(a), steep_interval_most(a)};
    steep_interval_positive_power(&size, &size, n, careful);
    return size;
}

/* sign(a) |a|^n, which increases with a; n = 0: both signs where a has numbers below 0 and contains 0. */
static inline steep_interval steep_interval_odd_power(const steep_interval *a, int n, int careful)
{
    steep_interval left = {fabs(a->low), fabs(a->low)}, right = {fabs(a->high), fabs(a->high)};
    steep_interval_positive_power(&left, &left, n, careful);
    steep_interval_positive_power(&right, &right, n, careful);
    return (steep_interval){a->low < 0 ? -left.high : left.low, a->high < 0 ? -right.low : right.high};
}

static inline void steep_interval_power(steep_interval *out, const steep_interval *a, int n, int careful)
{
    const int m = n < 0 ? -n : n;
    const steep_interval result = m == 1                      ? *a
                                  : m % 2 == 0 || a->low >= 0 ? steep_interval_size_power(a, m, careful)
                                                              : steep_interval_odd_power(a, m, careful);
    if (n < 0) steep_interval_inv(out, &result, careful);
    else *out = result;
}

/* Takes a's low end where it is LOW b's, else b's; the high end likewise with HIGH. */
#define STEEP_INTERVAL_ENDS(name, LOW, HIGH)                                                                           \
    static inline void steep_interval_##name(steep_interval *out, const steep_interval *a, const steep_interval *b,    \
                                             STEEP_ANY p)                                                              \
    {                                                                                                                  \
        *out = (steep_interval){a->low LOW b->low ? a->low : b->low, a->high HIGH b->high ? a->high : b->high};        \
    }
STEEP_INTERVAL_ENDS(hull, <, >)
STEEP_INTERVAL_ENDS(greater, >, >)
STEEP_INTERVAL_ENDS(lesser, <, <)
#undef STEEP_INTERVAL_ENDS

/* a = the intersection of a and b; low > high: it is empty */
static inline void steep_interval_cut(steep_interval *a, const steep_interval *b)
{
    if (b->low > a->low) a->low = b->low;
    if (b->high < a->high) a->high = b->high;
}

static inline void steep_interval_abs(steep_interval *out, const steep_interval *a, STEEP_ANY p)
{
    *out = (steep_interval){steep_interval_least(a), steep_interval_most(a)};
}

/* An increasing function with values low, high (to 8 ulp) at both ends, cut to its range least .. most. */
static inline void steep_interval_rising(steep_interval *out, double low, double high, double least, double most)
{
    low -= fabs(low) * 0x1p-49 + 1e-290;
    high += fabs(high) * 0x1p-49 + 1e-290;
    low = low > least ? low : least;  /* infinity less infinity is NaN, which becomes */
    high = high < most ? high : most; /* the end of the range, a bound all the same */
    if (low <= high) *out = (steep_interval){low, high};
    else *out = (steep_interval){least, most};
}

static inline void steep_interval_exp(steep_interval *out, const steep_interval *a, STEEP_ANY p)
{
    if (steep_interval_is_zero(a)) *out = (steep_interval){1, 1};
    else steep_interval_rising(out, a->low < -700 ? 0 : steep_exp(a->low), steep_exp(a->high), 0, INFINITY);
}

/* An increasing function; the whole line unless a begins above `above`. */
#define STEEP_INTERVAL_RISING(name, value, above, least, most)                                                         \
    static inline void steep_interval_##name(steep_interval *out, const steep_interval *a, STEEP_ANY p)                \
    {                                                                                                                  \
        if (!(a->low > (above)) && (above) > -INFINITY) steep_interval_entire(out);                                    \
        else steep_interval_rising(out, value(a->low), value(a->high), least, most);                                   \
    }
STEEP_INTERVAL_RISING(expm1, steep_expm1, -INFINITY, -1, INFINITY)
STEEP_INTERVAL_RISING(log, steep_log, 0x1p-1000, -INFINITY, INFINITY)
STEEP_INTERVAL_RISING(log1p, steep_log1p, -1, -INFINITY, INFINITY)
STEEP_INTERVAL_RISING(tanh, steep_tanh, -INFINITY, -1, 1)
STEEP_INTERVAL_RISING(sigmoid, steep_step_logistic, -INFINITY, 0, 1)
#undef STEEP_INTERVAL_RISING

static inline double steep_normal_value(double z)
{
    double Phi, phi;
    steep_normal(z, &Phi, &phi);
    return Phi;
}

/* erfc(x) = 2 Phi(-x sqrt 2), the argument rounded outward */
static inline void steep_interval_erfc(steep_interval *out, const steep_interval *a, int p)
{
    static const steep_interval minus_root = {-0x1.6a09e667f3bcdp+0, -0x1.6a09e667f3bccp+0};
    steep_interval z;
    steep_interval_mul(&z, a, &minus_root, p);
    if (!(fabs(z.low) < INFINITY && fabs(z.high) < INFINITY)) *out = (steep_interval){0, 2};
    else steep_interval_rising(out, 2 * steep_normal_value(z.low), 2 * steep_normal_value(z.high), 0, 2);
}

static inline void steep_interval_sqrt(steep_interval *out, const steep_interval *a, STEEP_ANY p)
{
    const double low = steep_down(sqrt(a->low));
    if (a->low >= 0) steep_interval_set_ends(out, low > 0 ? low : 0, steep_up(sqrt(a->high)));
    else steep_interval_entire(out);
}

/* May a contain (k + shift) 2 pi for an integer k? */
static inline bool steep_interval_has_turn(const steep_interval *a, double shift)
{
    const double slack = 1e-9, two_pi = 6.283185307179586;
    return floor(a->high / two_pi - shift + slack) >= ceil(a->low / two_pi - shift - slack);
}

static inline void steep_interval_wave(steep_interval *out, const steep_interval *a, int cosine)
{
    double s[2] = {0}, c[2] = {0};
    *out = (steep_interval){-1, 1};
    if (!(a->high - a->low < 6.3) || !(fabs(a->low) < 0x1p20) || !(fabs(a->high) < 0x1p20)) return;
    steep_sin_cos(a->low, &s[0], &c[0]);
    steep_sin_cos(a->high, &s[1], &c[1]);
    const double *v = cosine ? c : s;
    const double low = (v[0] < v[1] ? v[0] : v[1]) - 0x1p-49, high = (v[0] < v[1] ? v[1] : v[0]) + 0x1p-49;
    if (!steep_interval_has_turn(a, cosine ? 0.5 : 0.75) && low > -1) out->low = low;
    if (!steep_interval_has_turn(a, cosine ? 0.0 : 0.25) && high < 1) out->high = high;
}

static inline void steep_interval_sin(steep_interval *out, const steep_interval *a, STEEP_ANY p)
{
    steep_interval_wave(out, a, 0);
}

static inline void steep_interval_cos(steep_interval *out, const steep_interval *a, STEEP_ANY p)
{
    steep_interval_wave(out, a, 1);
}

/* Functions that elementary.h lacks, by balls of 64 bits: on (at both ends) or around the interval. */
#define STEEP_INTERVAL_BY_BALL(name, by)                                                                               \
    static inline void steep_interval_##name(steep_interval *out, const steep_interval *a, STEEP_ANY p)                \
    {                                                                                                                  \
        steep_ball_##by##_interval(steep_ball_##name, a, out);                                                         \
    }
STEEP_INTERVAL_BY_BALL(sinh, on)
STEEP_INTERVAL_BY_BALL(asin, on)
STEEP_INTERVAL_BY_BALL(acos, on)
STEEP_INTERVAL_BY_BALL(atan, on)
STEEP_INTERVAL_BY_BALL(cbrt, on)
STEEP_INTERVAL_BY_BALL(erf, on)
STEEP_INTERVAL_BY_BALL(bessel_0, around)
STEEP_INTERVAL_BY_BALL(bessel_1, around)
STEEP_INTERVAL_BY_BALL(bessel_2, around)
STEEP_INTERVAL_BY_BALL(bessel_3, around)
#undef STEEP_INTERVAL_BY_BALL

static inline void steep_interval_tan(steep_interval *out, const steep_interval *a, STEEP_ANY p)
{
    const steep_interval ends = *a;
    steep_ball_around_interval(steep_ball_tan, &ends, out);
    if (!steep_interval_is_entire(out)) steep_ball_on_interval(steep_ball_tan, &ends, out); /* no pole in a */
}

static inline void steep_interval_cosh(steep_interval *out, const steep_interval *a, STEEP_ANY p)
{
    const steep_interval size = {steep_interval_least(a), steep_interval_most(a)};
    steep_ball_on_interval(steep_ball_cosh, &size, out);
    if (out->low < 1) out->low = 1;
}

/* a^b = exp(b log a) for a >= 0; b > 0 where a may be 0 */
static inline void steep_interval_raise(steep_interval *out, const steep_interval *a, const steep_interval *b, int p)
{
    steep_interval ends = *a;
    if (a->low < 0 || (a->low <= 0x1p-1000 && b->low <= 0)) {
        steep_interval_entire(out);
        return;
    }
    if (a->low <= 0x1p-1000) ends.low = a->high > 0x1p-999 ? a->high : 0x1p-999;
    if (ends.high < ends.low) ends.high = ends.low;
    steep_interval_log(&ends, &ends, p);
    steep_interval_mul(&ends, &ends, b, p);
    steep_interval_exp(&ends, &ends, p);
    if (a->low <= 0x1p-1000) ends.low = 0; /* b > 0: a^b rises with a, its high end is at a's high end */
    *out = ends;
}
