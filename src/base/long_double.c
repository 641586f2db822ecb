/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "base/long_double.h"

#if defined __x86_64__ && defined __GLIBC__

#define LOG2_E   1.442695040888963407359924681001892137L
#define LN2_HIGH 0xb.17217f7d1cfp-4L      /* 48 bits: n times it is exact */
#define LN2_LOW  0xf.35793c7673007e6p-53L /* log 2 - LN2_HIGH */
#define HALF_PI  1.570796326794896619231321691639751442L

/* c_0 + c_1 x + ... + c_(terms-1) x^(terms-1), terms even: even and odd powers side by side. */
static long double series(const long double *c, int terms, long double x)
{
    const long double square = x * x;
    long double even = c[terms - 2], odd = c[terms - 1];
    for (int k = terms - 4; k >= 0; k -= 2) even = even * square + c[k], odd = odd * square + c[k + 1];
    return even + x * odd;
}

/* e^r - 1 with r = x - n log 2, n the integer nearest to x / log 2; |x| < 12000. Taylor's series. */
static long double reduced_expm1(long double x, int *n)
{
    static const long double c[] = {1 / 2.0L,
                                    1 / 6.0L,
                                    1 / 24.0L,
                                    1 / 120.0L,
                                    1 / 720.0L,
                                    1 / 5040.0L,
                                    1 / 40320.0L,
                                    1 / 362880.0L,
                                    1 / 3628800.0L,
                                    1 / 39916800.0L,
                                    1 / 479001600.0L,
                                    1 / 6227020800.0L,
                                    1 / 87178291200.0L,
                                    1 / 1307674368000.0L,
                                    1 / 20922789888000.0L,
                                    1 / 355687428096000.0L,
                                    1 / 6402373705728000.0L,
                                    1 / 121645100408832000.0L};
    const long double whole = fabsl(x) < 0.5L ? 0 : rintl(x * LOG2_E), r = (x - whole * LN2_HIGH) - whole * LN2_LOW;
    *n = (int)whole;
    return r + r * r * series(c, sizeof c / sizeof *c, r);
}

long double steep_expl(long double x)
{
    int n;
    if (isnan(x) || fabsl(x) > 11500) return x < 0 ? 0 : x * INFINITY;
    const long double less_1 = reduced_expm1(x, &n);
    return ldexpl(1 + less_1, n);
}

long double steep_expm1l(long double x)
{
    int n;
    if (isnan(x) || x == 0 || fabsl(x) > 60) return x == 0 ? x : steep_expl(x) - 1;
    const long double less_1 = reduced_expm1(x, &n), power = ldexpl(1, n);
    return n == 0 ? less_1 : power * less_1 + (power - 1);
}

/* 2 atanh(s) = 2s + s more(s^2), for |s| <= 0.172 */
static long double more(long double z)
{
    static const long double c[] = {2 / 3.0L,  2 / 5.0L,  2 / 7.0L,  2 / 9.0L,  2 / 11.0L, 2 / 13.0L, 2 / 15.0L,
                                    2 / 17.0L, 2 / 19.0L, 2 / 21.0L, 2 / 23.0L, 2 / 25.0L, 2 / 27.0L, 2 / 29.0L};
    return z * series(c, sizeof c / sizeof *c, z);
}

/* log((1 + f) 2^n) + rest, for 1 + f from sqrt(1/2) to sqrt(2): log(1 + f) = 2 atanh(s), s = f / (2 + f), rounded as
 * f - (f^2/2 - s (f^2/2 + more)). */
static long double assembled_log(long double f, int n, long double rest)
{
    const long double s = f / (2 + f), half = f * f / 2;
    return n * LN2_HIGH - ((half - (s * (half + more(s * s)) + (n * LN2_LOW + rest))) - f);
}

/* x = m 2^n with m from sqrt(1/2) to sqrt(2); 0 < x < infinity */
static long double split(long double x, int *n)
{
    const long double m = frexpl(x, n);
    if (m >= 0.7071067811865475244L) return m;
    --*n;
    return 2 * m;
}

/* log(x) + rest for 0 < x < infinity */
static long double log_and(long double x, long double rest)
{
    int n;
    const long double m = split(x, &n);
    return assembled_log(m - 1, n, rest);
}

long double steep_logl(long double x)
{
    return x > 0 && x < INFINITY ? log_and(x, 0) : x == 0 ? -INFINITY : x < 0 ? NAN : x;
}

long double steep_log1pl(long double x)
{
    if (x > -0.29L && x < 0.41L) return x == 0 ? x : assembled_log(x, 0, 0);
    if (!(x > -1 && x < INFINITY)) return steep_logl(1 + x);
    const long double sum = 1 + x, lost = x < 1 ? x - (sum - 1) : 1 - (sum - x);
    return log_and(sum, lost / sum);
}

/* e^x / 2, where e^x may be too large */
static long double half_exp(long double x)
{
    const long double root = steep_expl(x / 2);
    return root / 2 * root;
}

long double steep_sinhl(long double x)
{
    const long double a = fabsl(x), e = steep_expm1l(a);
    return copysignl(a < 11300 ? (e + e / (e + 1)) / 2 : half_exp(a), x);
}

long double steep_coshl(long double x)
{
    const long double a = fabsl(x), e = steep_expl(a);
    return a < 11300 ? (e + 1 / e) / 2 : half_exp(a);
}

long double steep_tanhl(long double x)
{
    const long double a = fabsl(x), e = steep_expm1l(a < 1 ? -2 * a : 2 * a);
    return copysignl(a < 1 ? -e / (e + 2) : 1 - 2 / (e + 2), x);
}

long double steep_atanl(long double x)
{
    const long double y = fabsl(x) > 1 ? 1 / x : x, near = asinl(y / sqrtl(1 + y * y));
    return fabsl(x) > 1 ? copysignl(HALF_PI, x) - near : near;
}

long double steep_acosl(long double x)
{
    if (x > 0.5L) return 2 * asinl(sqrtl((1 - x) / 2));
    if (x < -0.5L) return 2 * (HALF_PI - asinl(sqrtl((1 + x) / 2)));
    return HALF_PI - asinl(x);
}

/* Functions of 113 bits, which the C library computes with integers. */
__float128 powf128(__float128 x, __float128 y), erff128(__float128 x), erfcf128(__float128 x);

/* a b - product, exactly, where product is a b rounded (Dekker 1971). */
static long double lost_by_product(long double a, long double b, long double product)
{
    const long double A = a * 0x1.00000001p32L, a1 = A - (A - a), a2 = a - a1;
    const long double B = b * 0x1.00000001p32L, b1 = B - (B - b), b2 = b - b1;
    return ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2;
}

/* e^(y log x), log x = high + low to 70 bits. The function of 113 bits takes special arguments and extreme results. */
long double steep_powl(long double x, long double y)
{
    int n;
    if (!(x > 0 && x < INFINITY)) return (long double)powf128(x, y);
    const long double m = split(x, &n), f = m - 1, t = m + 1, s = f / t, whole = n * LN2_HIGH, sum = whole + 2 * s;
    const long double lost = ((f - s * t) - lost_by_product(s, t, s * t) - s * (m - (t - 1))) / t; /* of s */
    const long double carried = (whole - (sum - 2 * s)) + (2 * s - (sum - (sum - 2 * s)));
    const long double rest = carried + (2 * lost + s * more(s * s) + n * LN2_LOW), high = sum + rest;
    const long double low = rest - (high - sum), p = y * high;
    if (!(fabsl(p) < 11300) || high == 0) return (long double)powf128(x, y);
    const long double beyond = lost_by_product(y, high, p) + y * low, less_1 = reduced_expm1(p, &n);
    return ldexpl(1 + (less_1 + (1 + less_1) * beyond), n);
}

long double steep_erfl(long double x)
{
    return (long double)erff128(x);
}

long double steep_erfcl(long double x)
{
    return (long double)erfcf128(x);
}
#endif
