/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each elementary function r = phi(a) satisfies a differential equation that is linear in a' and in known series, e.g.
 * r' = r a' for exp. Comparing coefficients of t^(k-1) gives r_k from r_0 .. r_(k-1) at a cost of O(k). */
#include "formula/jet.h"

#include <math.h>
#include <stdbool.h>

enum { TERMS = STEEP_JET_ORDER + 1 };

#define TWO_OVER_SQRT_PI 1.1283791670955125738961589031215451717L

void steep_jet_mul(size_t order, const long double *a, const long double *b, long double *out)
{
    for (size_t k = 0; k <= order; k++) {
        long double sum = 0;
        for (size_t i = 0; i <= k; i++) sum += a[i] * b[k - i];
        out[k] = sum;
    }
}

void steep_jet_div(size_t order, const long double *a, const long double *b, long double *out)
{
    for (size_t k = 0; k <= order; k++) { /* out b = a */
        long double sum = a[k];
        for (size_t i = 0; i < k; i++) sum -= out[i] * b[k - i];
        out[k] = sum / b[0];
    }
}

/* Coefficient k of the integral of w a': (1/k) sum_{i=1..k} i a_i w_{k-i}. */
static long double integral(size_t k, const long double *a, const long double *w)
{
    long double sum = 0;
    for (size_t i = 1; i <= k; i++) sum += (long double)i * a[i] * w[k - i];
    return sum / (long double)k;
}

void steep_jet_exp(size_t order, const long double *a, long double *out)
{
    out[0] = expl(a[0]);
    for (size_t k = 1; k <= order; k++) out[k] = integral(k, a, out); /* r' = r a' */
}

void steep_jet_log(size_t order, const long double *a, long double *out)
{
    out[0] = logl(a[0]);
    for (size_t k = 1; k <= order; k++) { /* a r' = a' */
        long double sum = 0;
        for (size_t i = 1; i < k; i++) sum += (long double)i * out[i] * a[k - i];
        out[k] = (a[k] - sum / (long double)k) / a[0];
    }
}

/* a^p for a_0 != 0, from its value r_0: a r' = p r a'. */
static void power_series(size_t order, const long double *a, long double p, long double value, long double *out)
{
    out[0] = value;
    for (size_t k = 1; k <= order; k++) {
        long double sum = 0;
        for (size_t i = 1; i <= k; i++) sum += (p * (long double)i - (long double)(k - i)) * a[i] * out[k - i];
        out[k] = sum / ((long double)k * a[0]);
    }
}

/* The real power u^p of a number; odd roots of negative numbers are real where the caller says so (cbrt). */
static long double power_value(long double u, long double p, bool odd_root)
{
    return odd_root && u < 0 ? -powl(-u, p) : powl(u, p);
}

/* a^p where a_0 = 0: a = t^m u with u_0 != 0, so a^p = t^(pm) u^p. Only u_0 .. u_(order-m) are known: where pm < m the
 * last coefficients depend on ones of a that are not given, and are NaN. */
static void power_at_zero(size_t order, const long double *a, long double p, bool odd_root, long double *out)
{
    size_t m = 1;
    while (m <= order && a[m] == 0) m++;
    const long double exponent = p * (long double)m;
    const long double nearest = roundl(exponent); /* 1/3 is no binary fraction: 3 (1/3) counts as 1 */
    const bool whole = fabsl(exponent - nearest) <= 4 * 0x1p-63L * exponent;
    long double u[TERMS] = {0}, root[TERMS] = {0};
    for (size_t k = m; k <= order; k++) u[k - m] = a[k];
    long double size = m <= order ? power_value(u[0], p, odd_root) : NAN;
    if (whole && p != 0 && nearest <= (long double)order && m <= order)
        power_series(order - (size_t)nearest, u, p, size, root);
    out[0] = powl(0, p);
    for (size_t k = 1; k <= order; k++) {
        size *= exponent - (long double)(k - 1); /* derivative k of u_0^p t^exponent is size t^(exponent - k) */
        if (p == 0 || (long double)k < exponent) out[k] = 0;
        else if (!whole || m > order) out[k] = size * INFINITY;
        else out[k] = (long double)(k + m) - nearest > (long double)order ? NAN : root[k - (size_t)nearest];
    }
}

static void power(size_t order, const long double *a, long double p, long double *out)
{
    if (a[0] == 0) power_at_zero(order, a, p, false, out);
    else power_series(order, a, p, powl(a[0], p), out);
}

/* a^b = exp(b log a); where b_1 .. b_(m-1) are 0, coefficients below m are those of a^b_0, without the rounding of
 * logarithms, which near a = 0 is as large as their own derivatives. */
void steep_jet_pow(size_t order, const long double *a, const long double *b, long double *out)
{
    size_t m = 1;
    while (m <= order && b[m] == 0) m++;
    if (m > order) {
        power(order, a, b[0], out);
        return;
    }
    long double logarithm[TERMS], product[TERMS], constant[TERMS];
    steep_jet_log(order, a, logarithm);
    steep_jet_mul(order, b, logarithm, product);
    product[0] = 0; /* the value comes from powl, which keeps all digits where b log a is large */
    steep_jet_exp(order, product, out);
    const long double value = powl(a[0], b[0]);
    for (size_t k = 0; k <= order; k++) out[k] *= value;
    if (!(a[0] > 0)) return;
    power(order, a, b[0], constant);
    for (size_t k = 1; k < m; k++) out[k] = constant[k];
}

void steep_jet_sin_cos(size_t order, const long double *a, long double *sine, long double *cosine)
{
    sine[0] = sinl(a[0]);
    cosine[0] = cosl(a[0]);
    for (size_t k = 1; k <= order; k++) {
        sine[k] = integral(k, a, cosine);
        cosine[k] = -integral(k, a, sine);
    }
}

void steep_jet_sinh_cosh(size_t order, const long double *a, long double *sinh, long double *cosh)
{
    sinh[0] = sinhl(a[0]);
    cosh[0] = coshl(a[0]);
    for (size_t k = 1; k <= order; k++) {
        sinh[k] = integral(k, a, cosh);
        cosh[k] = integral(k, a, sinh);
    }
}

/* r' = (1 + sign r^2) a', from r_0 and w_0 = 1 + sign r_0^2 (given, since for tanh the difference cancels). */
static void riccati(size_t order, const long double *a, long double value, long double slope, long double sign,
                    long double *out)
{
    long double w[TERMS];
    out[0] = value;
    w[0] = slope;
    for (size_t k = 1; k <= order; k++) {
        out[k] = integral(k, a, w);
        long double square = 0;
        for (size_t i = 0; i <= k; i++) square += out[i] * out[k - i];
        w[k] = sign * square;
    }
}

void steep_jet_tan(size_t order, const long double *a, long double *out)
{
    const long double cosine = cosl(a[0]);
    riccati(order, a, tanl(a[0]), 1 / (cosine * cosine), 1, out);
}

void steep_jet_tanh(size_t order, const long double *a, long double *out)
{
    const long double cosh = coshl(a[0]);
    riccati(order, a, tanhl(a[0]), 1 / (cosh * cosh), -1, out);
}

/* out = value + integral of (constant + sign a^2)^p a' from t = 0, base = constant + sign a_0^2. */
static void quadratic_integral(size_t order, const long double *a, long double value, long double base,
                               long double sign, long double p, long double *out)
{
    long double square[TERMS], w[TERMS];
    steep_jet_mul(order, a, a, square);
    for (size_t k = 1; k <= order; k++) square[k] *= sign;
    square[0] = base;
    power(order, square, p, w);
    out[0] = value;
    for (size_t k = 1; k <= order; k++) out[k] = integral(k, a, w);
}

void steep_jet_asin(size_t order, const long double *a, long double *out)
{
    quadratic_integral(order, a, asinl(a[0]), (1 - a[0]) * (1 + a[0]), -1, -0.5L, out);
}

void steep_jet_acos(size_t order, const long double *a, long double *out)
{
    steep_jet_asin(order, a, out);
    out[0] = acosl(a[0]);
    for (size_t k = 1; k <= order; k++) out[k] = -out[k];
}

void steep_jet_atan(size_t order, const long double *a, long double *out)
{
    quadratic_integral(order, a, atanl(a[0]), 1 + a[0] * a[0], 1, -1, out);
}

void steep_jet_sqrt(size_t order, const long double *a, long double *out)
{
    if (a[0] == 0) {
        power_at_zero(order, a, 0.5L, false, out);
        return;
    }
    out[0] = sqrtl(a[0]);
    for (size_t k = 1; k <= order; k++) { /* out out = a */
        long double sum = a[k];
        for (size_t i = 1; i < k; i++) sum -= out[i] * out[k - i];
        out[k] = sum / (2 * out[0]);
    }
}

void steep_jet_cbrt(size_t order, const long double *a, long double *out)
{
    const long double third = 1 / 3.0L;
    if (a[0] == 0) power_at_zero(order, a, third, true, out);
    else power_series(order, a, third, cbrtl(a[0]), out);
}

void steep_jet_erf(size_t order, const long double *a, long double *out)
{
    long double square[TERMS], w[TERMS];
    steep_jet_mul(order, a, a, square);
    for (size_t k = 0; k <= order; k++) square[k] = -square[k];
    steep_jet_exp(order, square, w);
    for (size_t k = 0; k <= order; k++) w[k] *= TWO_OVER_SQRT_PI;
    out[0] = erfl(a[0]);
    for (size_t k = 1; k <= order; k++) out[k] = integral(k, a, w);
}
