/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A formula as a Taylor jet along a line. A jet is c[0..order], the coefficients of t^j, order <= STEEP_JET_ORDER;
 * every function writes out[0..order], and out is none of its arguments.
 *
 * Each elementary function r = phi(a) satisfies a differential equation that is linear in a' and in known series, e.g.
 * r' = r a' for exp. Comparing coefficients of t^(k-1) gives r_k from r_0 .. r_(k-1) at a cost of O(k) (Griewank and
 * Walther, Evaluating Derivatives, chapter 13).
 *
 * A jet is one-sided: it stands for t > 0. Where a root's argument vanishes at t = 0, a = t^m (u_0 + u_1 t + ...), the
 * root is t^(pm) u^p: a series again where pm is an integer (sqrt(t^2) = t); otherwise its derivatives of order above
 * pm are infinite, and so are the coefficients, with the sign they have for t > 0. Outside a function's domain: NaN. */
#define _GNU_SOURCE /* sincosl */
#include <stdbool.h>
#include <string.h>

#include "base/long_double.h"
#include "formula/program.h"

enum { TERMS = STEEP_JET_ORDER + 1 };

#define TWO_OVER_SQRT_PI 1.1283791670955125738961589031215451717L

/* The first coefficient from k on that is not 0; order + 1: none. */
static size_t leading(size_t k, size_t order, const long double *a)
{
    while (k <= order && a[k] == 0) k++;
    return k;
}

static void jet_mul(size_t order, const long double *a, const long double *b, long double *out)
{
    for (size_t k = 0; k <= order; k++) {
        long double sum = 0;
        for (size_t i = 0; i <= k; i++) sum += a[i] * b[k - i];
        out[k] = sum;
    }
}

static void jet_div(size_t order, const long double *a, const long double *b, long double *out)
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

static void jet_exp(size_t order, const long double *a, long double *out)
{
    out[0] = steep_expl(a[0]);
    for (size_t k = 1; k <= order; k++) out[k] = integral(k, a, out); /* r' = r a' */
}

static void jet_log(size_t order, const long double *a, long double *out)
{
    out[0] = steep_logl(a[0]);
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

/* a^p where a_0 = 0: a = t^m u with u_0 != 0, so a^p = t^(pm) u^p. Only u_0 .. u_(order-m) are known: where pm < m the
 * last coefficients of a^p depend on unknown coefficients of a, and are NaN. */
static void power_at_zero(size_t order, const long double *a, long double p, bool odd_root, long double *out)
{
    const size_t m = leading(1, order, a);
    const long double exponent = p * (long double)m;
    const long double nearest = roundl(exponent); /* 1/3 is no binary fraction: 3 (1/3) counts as 1 */
    const bool whole = fabsl(exponent - nearest) <= 4 * 0x1p-63L * exponent;
    long double u[TERMS] = {0}, root[TERMS] = {0};
    for (size_t k = m; k <= order; k++) u[k - m] = a[k];
    const bool turned = odd_root && u[0] < 0; /* odd roots of negative numbers are real where the caller says so */
    long double size = m <= order ? turned ? -steep_powl(-u[0], p) : steep_powl(u[0], p) : NAN;
    if (whole && p != 0 && nearest <= (long double)order && m <= order)
        power_series(order - (size_t)nearest, u, p, size, root);
    out[0] = steep_powl(0, p);
    for (size_t k = 1; k <= order; k++) {
        size *= exponent - (long double)(k - 1); /* derivative k of u_0^p t^exponent is size t^(exponent - k) */
        if (p == 0 || (long double)k < exponent) out[k] = 0;
        else if (!whole || m > order) out[k] = size * INFINITY;
        else out[k] = (long double)(k + m) - nearest > (long double)order ? NAN : root[k - (size_t)nearest];
    }
}

/* a^p, value: a_0^p. */
static void power(size_t order, const long double *a, long double p, long double value, bool odd_root, long double *out)
{
    if (a[0] == 0) power_at_zero(order, a, p, odd_root, out);
    else power_series(order, a, p, value, out);
}

/* a^b = exp(b log a). If b is constant, a may be 0, or negative with b an integer. If b_1 .. b_(m-1) are 0, the
 * coefficients below m are those of a^b_0. They are computed without logarithms: near a = 0 the rounding of a logarithm
 * is as large as its derivatives. */
static void jet_pow(size_t order, const long double *a, const long double *b, long double *out)
{
    const size_t m = leading(1, order, b);
    if (m > order) {
        power(order, a, b[0], steep_powl(a[0], b[0]), false, out);
        return;
    }
    long double logarithm[TERMS], product[TERMS], constant[TERMS];
    jet_log(order, a, logarithm);
    jet_mul(order, b, logarithm, product);
    product[0] = 0; /* the value comes from powl, which keeps all digits where b log a is large */
    jet_exp(order, product, out);
    const long double value = steep_powl(a[0], b[0]);
    for (size_t k = 0; k <= order; k++) out[k] *= value;
    if (!(a[0] > 0)) return;
    power(order, a, b[0], value, false, constant);
    for (size_t k = 1; k < m; k++) out[k] = constant[k];
}

/* Sine and cosine, or the hyperbolic ones: s' = c a', c' = -s a' or s a'. */
static void jet_sin_cos(size_t order, const long double *a, bool hyperbolic, long double *sine, long double *cosine)
{
    if (hyperbolic) sine[0] = steep_sinhl(a[0]), cosine[0] = steep_coshl(a[0]);
    else sincosl(a[0], &sine[0], &cosine[0]);
    for (size_t k = 1; k <= order; k++) {
        sine[k] = integral(k, a, cosine);
        cosine[k] = hyperbolic ? integral(k, a, sine) : -integral(k, a, sine);
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

static void jet_tanh(size_t order, const long double *a, long double *out)
{
    const long double cosh = steep_coshl(a[0]);
    riccati(order, a, steep_tanhl(a[0]), 1 / (cosh * cosh), -1, out);
}

/* out = integral of (constant + sign a^2)^p a' from t = 0, base = constant + sign a_0^2. */
static void quadratic_integral(size_t order, const long double *a, long double base, long double sign, long double p,
                               long double *out)
{
    long double square[TERMS], w[TERMS];
    jet_mul(order, a, a, square);
    for (size_t k = 1; k <= order; k++) square[k] *= sign;
    square[0] = base;
    power(order, square, p, steep_powl(base, p), false, w);
    out[0] = 0; /* the caller sets the value */
    for (size_t k = 1; k <= order; k++) out[k] = integral(k, a, w);
}

static void jet_asin(size_t order, const long double *a, long double *out)
{
    quadratic_integral(order, a, (1 - a[0]) * (1 + a[0]), -1, -0.5L, out);
}

static void jet_sqrt(size_t order, const long double *a, long double *out)
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

/* out = by f(in a). A caller whose function differs from this by a constant sets the first coefficient. */
static void scaled_jet(size_t order, const long double *a, void (*f)(size_t, const long double *, long double *),
                       long double in, long double by, long double *out)
{
    long double argument[TERMS];
    for (size_t k = 0; k <= order; k++) argument[k] = in * a[k];
    f(order, argument, out);
    for (size_t k = 0; k <= order; k++) out[k] *= by;
}

static void jet_erf(size_t order, const long double *a, long double *out)
{
    long double square[TERMS], w[TERMS];
    jet_mul(order, a, a, square);
    scaled_jet(order, square, jet_exp, -1, TWO_OVER_SQRT_PI, w);
    out[0] = steep_erfl(a[0]);
    for (size_t k = 1; k <= order; k++) out[k] = integral(k, a, w);
}

/* J_n, by Taylor's series about a_0 in a - a_0: J_n^(k) = 2^-k sum_j (-1)^j C(k, j) J_{n-k+2j}, J_{-m} = (-1)^m J_m. */
static void jet_bessel(int n, size_t order, const long double *a, long double *out)
{
    long double J[2 * TERMS], c[TERMS], rest[TERMS], product[TERMS], factor = 1; /* factor: 2^-k / k! */
    for (int m = 0; m <= n + (int)order; m++) J[m] = jnl(m, a[0]);
    for (size_t k = 0; k <= order; k++) {
        long double binomial = 1;
        c[k] = 0;
        for (size_t j = 0; j <= k; j++) {
            const int m = n - (int)k + 2 * (int)j;
            const bool odd = (j % 2 == 1) != (m < 0 && m % 2 != 0);
            c[k] += (odd ? -binomial : binomial) * J[m < 0 ? -m : m];
            binomial *= (long double)(k - j) / (long double)(j + 1);
        }
        c[k] *= factor;
        factor /= 2 * (long double)(k + 1);
    }
    memcpy(rest, a, (order + 1) * sizeof *rest);
    rest[0] = 0;
    memset(out, 0, (order + 1) * sizeof *out);
    for (size_t k = order + 1; k-- > 0;) { /* Horner's rule */
        jet_mul(order, out, rest, product);
        memcpy(out, product, (order + 1) * sizeof *out);
        out[0] += c[k];
    }
}

static void copy_jet(size_t order, const long double *from, long double *to)
{
    memcpy(to, from, (order + 1) * sizeof *to);
}

/* Is a negative for small t > 0? The first coefficient that is not 0 tells (NaN counts as positive, and is kept). */
static bool is_negative(size_t order, const long double *a)
{
    const size_t k = leading(0, order, a);
    return k <= order && a[k] < 0;
}

static void jet_integer_power(size_t order, const long double *a, int exponent, long double *out)
{
    long double square[TERMS], product[TERMS], one[TERMS] = {1};
    unsigned left = (unsigned)(exponent < 0 ? -exponent : exponent);
    copy_jet(order, a, square);
    copy_jet(order, left & 1 ? a : one, out);
    while (left >>= 1) {
        jet_mul(order, square, square, product);
        copy_jet(order, product, square);
        if (left & 1) {
            jet_mul(order, out, square, product);
            copy_jet(order, product, out);
        }
    }
    copy_jet(order, out, product);
    if (exponent < 0) jet_div(order, one, product, out);
}

static void unary_jet(steep_code c, size_t order, const long double *a, long double *out)
{
    long double unused[TERMS];
    switch (c) {
    case STEEP_CODE_SIN: jet_sin_cos(order, a, false, out, unused); break;
    case STEEP_CODE_COS: jet_sin_cos(order, a, false, unused, out); break;
    case STEEP_CODE_TAN: riccati(order, a, tanl(a[0]), 1 / (cosl(a[0]) * cosl(a[0])), 1, out); break;
    case STEEP_CODE_ASIN: jet_asin(order, a, out); break;
    case STEEP_CODE_ACOS: scaled_jet(order, a, jet_asin, 1, -1, out); break;
    case STEEP_CODE_ATAN: quadratic_integral(order, a, 1 + a[0] * a[0], 1, -1, out); break;
    case STEEP_CODE_SINH: jet_sin_cos(order, a, true, out, unused); break;
    case STEEP_CODE_COSH: jet_sin_cos(order, a, true, unused, out); break;
    case STEEP_CODE_TANH: jet_tanh(order, a, out); break;
    case STEEP_CODE_EXP: jet_exp(order, a, out); break;
    case STEEP_CODE_LOG: jet_log(order, a, out); break;
    case STEEP_CODE_SQRT: jet_sqrt(order, a, out); break;
    case STEEP_CODE_CBRT: power(order, a, 1 / 3.0L, cbrtl(a[0]), true, out); break;
    case STEEP_CODE_ERF: jet_erf(order, a, out); break;
    case STEEP_CODE_ERFC: scaled_jet(order, a, jet_erf, 1, -1, out); break;
    case STEEP_CODE_BESSEL_0: jet_bessel(0, order, a, out); break;
    case STEEP_CODE_BESSEL_1: jet_bessel(1, order, a, out); break;
    case STEEP_CODE_EXPM1: scaled_jet(order, a, jet_exp, 1, 1, out); break;
    case STEEP_CODE_LOG1P:
        copy_jet(order, a, unused);
        unused[0] += 1;
        jet_log(order, unused, out);
        break;
    case STEEP_CODE_SIGMOID: scaled_jet(order, a, jet_tanh, 0.5L, 0.5L, out); break;
    default: { /* piecewise linear: a factor times a; sign is constant on each side */
        const bool turned = c == STEEP_CODE_NEGATE || (c == STEEP_CODE_ABS && is_negative(order, a));
        const long double factor = turned ? -1 : c == STEEP_CODE_RELU && a[0] <= 0 ? 0 : 1;
        for (size_t k = 0; k <= order; k++) out[k] = c == STEEP_CODE_SIGN ? 0 : factor * a[k];
        break;
    }
    }
    out[0] = steep_program_unary(c, a[0]); /* no cancellation */
}

/* An operand: its jet; zero: is it known to be 0 for all t near 0? Zero coefficients do not show this: those of t^30
 * are 0 too, but a power t^(30 p) may not vanish. Behind a closed gate, relu of a negative number, all powers are 0. */
typedef struct operand {
    long double c[TERMS];
    bool zero;
} operand;

static operand leaf(const steep_instruction *i, const long double *x, const long double *v, size_t order)
{
    operand a = {{i->code == STEEP_CODE_NUMBER ? i->number : x[i->index]}, false};
    if (i->code == STEEP_CODE_VARIABLE && order > 0) a.c[1] = v ? v[i->index] : i->index == 0;
    a.zero = a.c[0] == 0 && (order == 0 || a.c[1] == 0);
    return a;
}

static void unary(const steep_instruction *i, size_t order, operand *a)
{
    operand out = {{0}, a->zero || (i->code == STEEP_CODE_RELU && a->c[0] < 0)};
    if (i->code == STEEP_CODE_INTEGER_POWER) jet_integer_power(order, a->c, i->index, out.c);
    else unary_jet(i->code, order, a->c, out.c);
    out.zero = out.zero && out.c[0] == 0;
    if (out.zero) memset(out.c, 0, sizeof out.c);
    *a = out;
}

static void binary(steep_code code, size_t order, operand *a, const operand *b)
{
    operand out = {{0}, a->zero && b->zero};
    long double difference[TERMS];
    for (size_t k = 0; k <= order; k++) {
        out.c[k] = a->c[k] + b->c[k];
        difference[k] = a->c[k] - b->c[k];
    }
    const operand *taken = is_negative(order, difference) == (code == STEEP_CODE_LESSER) ? a : b;
    switch (code) {
    case STEEP_CODE_ADD: break;
    case STEEP_CODE_SUBTRACT: copy_jet(order, difference, out.c); break;
    case STEEP_CODE_MULTIPLY: jet_mul(order, a->c, b->c, out.c); break;
    case STEEP_CODE_DIVIDE: jet_div(order, a->c, b->c, out.c); break;
    case STEEP_CODE_POWER: jet_pow(order, a->c, b->c, out.c); break;
    default: /* a NaN in either makes all of the result NaN */
        if (!isnan(difference[0])) copy_jet(order, taken->c, out.c);
        out.zero = (a->c[0] != b->c[0] ? taken->zero : out.zero) && leading(0, order, out.c) > order;
        break;
    }
    if (code >= STEEP_CODE_MULTIPLY && code <= STEEP_CODE_POWER) {
        /* 0 times a factor that has a value but no finite derivative: cbrt(x) at 0 */
        out.zero = (a->zero || (code == STEEP_CODE_MULTIPLY && b->zero)) && out.c[0] == 0;
        if (out.zero) memset(out.c, 0, sizeof out.c);
    }
    *a = out;
}

static void jet_run(const steep_formula *f, const long double *x, const long double *v, size_t order, long double *c)
{
    operand stack[STEEP_FORMULA_HEIGHT], place[STEEP_FORMULA_PLACES];
    size_t top = 0;
    for (const steep_instruction *i = f->program; i < f->program + f->length; i++) {
        switch (steep_operands(i->code)) {
        case 0: stack[top++] = i->code == STEEP_CODE_LOAD ? place[i->index] : leaf(i, x, v, order); break;
        case 1:
            if (i->code == STEEP_CODE_STORE) place[i->index] = stack[--top];
            else unary(i, order, &stack[top - 1]);
            break;
        default:
            top--;
            binary(i->code, order, &stack[top - 1], &stack[top]);
            break;
        }
    }
    copy_jet(order, stack[0].c, c);
}

void steep_formula_jet(const steep_formula *formula, const long double *x, const long double *v, size_t order,
                       long double *c)
{
    jet_run(formula, x, v, order, c);
    bool known = true;
    for (size_t k = 1; k <= order; k++) known = known && !isnan(c[k]);
    if (known || isnan(c[0]) || order == STEEP_JET_ORDER) return;
    /* A root at 0 loses orders (the first coefficient of sqrt(x^2) needs the second of x^2): start from all orders. */
    long double longer[TERMS];
    jet_run(formula, x, v, STEEP_JET_ORDER, longer);
    copy_jet(order, longer, c);
}
