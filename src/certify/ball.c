/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "certify/ball.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double steep_ball_log2(const steep_ball *a)
{
    arf_t part;
    fmpz_t exponent;
    if (arb_is_zero(a)) return -INFINITY;
    if (!arb_is_finite(a) || arb_rel_accuracy_bits(a) < 4) return NAN;
    arf_init(part);
    fmpz_init(exponent);
    arf_frexp(part, exponent, arb_midref(a));
    const double log = log2(fabs(arf_get_d(part, ARF_RND_NEAR))) + fmpz_get_d(exponent);
    arf_clear(part);
    fmpz_clear(exponent);
    return log;
}

void steep_ball_set_interval(steep_ball *out, const steep_interval *a)
{
    if (a->low == a->high) arb_set_d(out, a->low);
    else if (!isfinite(a->low) || !isfinite(a->high)) steep_ball_entire(out);
    else {
        arf_t low, high;
        arf_init(low), arf_init(high);
        arf_set_d(low, a->low), arf_set_d(high, a->high);
        arb_set_interval_arf(out, low, high, 128);
        arf_clear(low), arf_clear(high);
    }
}

bool steep_ball_set_text(steep_ball *out, const char *text, size_t length, int precision)
{
    char *copy = strndup(text, length);
    const bool fine = copy && arb_set_str(out, copy, precision) == 0;
    free(copy);
    return fine;
}

void steep_ball_get_interval(steep_interval *out, const steep_ball *a)
{
    arf_t low, high;
    *out = (steep_interval){-INFINITY, INFINITY};
    if (!arb_is_finite(a)) return;
    arf_init(low), arf_init(high);
    arb_get_interval_arf(low, high, a, 64);
    *out = (steep_interval){arf_get_d(low, ARF_RND_FLOOR), arf_get_d(high, ARF_RND_CEIL)};
    arf_clear(low), arf_clear(high);
}

bool steep_ball_is_integer(const steep_ball *a, int most, int *integer)
{
    if (!arb_is_int(a) || arf_cmpabs_2exp_si(arb_midref(a), 30) > 0) return false;
    const slong n = arf_get_si(arb_midref(a), ARF_RND_NEAR);
    *integer = (int)n;
    return n <= most && n >= -most;
}

/* A result that is not finite becomes the whole line: the function is undefined for part of the operand. */
static void settle(arb_ptr a)
{
    if (!arb_is_finite(a)) arb_zero_pm_inf(a);
}

/* out = an upper bound of |x| for x in a, as a ball of radius 0. */
static void largest(arb_ptr out, arb_srcptr a, int precision)
{
    arf_t most;
    arf_init(most);
    arb_get_abs_ubound_arf(most, a, precision);
    arb_set_arf(out, most);
    arf_clear(most);
}

/* out = a ball around [0, upper end of a]. */
static void from_0(arb_ptr out, arb_srcptr a, int precision)
{
    arf_t low, high;
    arf_init(low), arf_init(high);
    arb_get_ubound_arf(high, a, precision);
    arb_set_interval_arf(out, low, high, precision);
    arf_clear(low), arf_clear(high);
}

/* out = the hull of f at both ends of a, for an f that is monotone on a. f(x, n, precision) replaces x by f(x). */
static void by_ends(arb_ptr out, arb_srcptr a, void (*f)(arb_ptr, ulong, int), ulong n, int precision)
{
    arb_t low, high;
    arb_init(low), arb_init(high);
    arb_get_interval_arf(arb_midref(low), arb_midref(high), a, precision);
    f(low, n, precision), f(high, n, precision);
    arb_union(out, low, high, precision);
    arb_clear(low), arb_clear(high);
}

static void inverse_power(arb_ptr x, ulong n, int precision)
{
    arb_pow_ui(x, x, n, precision);
    arb_inv(x, x, precision);
}

/* The n-th root of an exact number x, n odd; the root has the sign of x. */
static void odd_root(arb_ptr x, ulong n, int precision)
{
    const bool is_negative = arb_is_negative(x);
    if (is_negative) arb_neg(x, x);
    if (!arb_is_zero(x)) arb_root_ui(x, x, n, precision);
    if (is_negative) arb_neg(x, x);
}

void steep_ball_power(steep_ball *out, const steep_ball *a, int n, int precision)
{
    const ulong size = (ulong)abs(n);
    if (n > 0 && n % 2 == 0 && arb_contains_zero(a)) { /* Arb's power has numbers below 0 */
        largest(out, a, precision);
        arb_pow_ui(out, out, size, precision);
        from_0(out, out, precision);
    } else if (n >= 0) arb_pow_ui(out, a, size, precision);
    else if (arb_contains_zero(a)) arb_zero_pm_inf(out);
    else by_ends(out, a, inverse_power, size, precision); /* the ball of a^|n| may contain 0 */
    settle(out);
}

void steep_ball_sqr(steep_ball *out, const steep_ball *a, int precision)
{
    steep_ball_power(out, a, 2, precision);
}

#define BINARY(name, call)                                                                                             \
    void steep_ball_##name(steep_ball *out, const steep_ball *a, const steep_ball *b, int precision)                   \
    {                                                                                                                  \
        call(out, a, b, precision);                                                                                    \
        settle(out);                                                                                                   \
    }
STEEP_BALL_OPERATIONS(BINARY)

/* 0 times the whole line is 0: an unbounded factor stands for finite numbers of any size. */
void steep_ball_mul(steep_ball *out, const steep_ball *a, const steep_ball *b, int precision)
{
    if (arb_is_zero(a) || arb_is_zero(b)) arb_zero(out);
    else arb_mul(out, a, b, precision);
    settle(out);
}

void steep_ball_raise(steep_ball *out, const steep_ball *a, const steep_ball *b, int precision)
{
    if (arb_is_positive(a)) arb_pow(out, a, b, precision);
    else if (arb_is_nonnegative(a) && arb_is_positive(b) && arb_is_finite(a)) {
        arb_t top;
        arb_init(top);
        largest(top, a, precision);
        if (!arb_is_zero(top)) arb_pow(top, top, b, precision);
        from_0(out, top, precision);
        arb_clear(top);
    } else arb_zero_pm_inf(out);
    settle(out);
}

void steep_ball_abs(steep_ball *out, const steep_ball *a, int precision)
{
    if (!arb_contains_zero(a) || !arb_is_finite(a)) arb_abs(out, a);
    else {
        largest(out, a, precision);
        from_0(out, out, precision);
    }
}

#define UNARY(name, call)                                                                                              \
    void steep_ball_##name(steep_ball *out, const steep_ball *a, int precision)                                        \
    {                                                                                                                  \
        call(out, a, precision);                                                                                       \
        settle(out);                                                                                                   \
    }
STEEP_BALL_CALLS(UNARY)

/* 1 / (1 + exp(-a)) */
void steep_ball_sigmoid(steep_ball *out, const steep_ball *a, int precision)
{
    arb_neg(out, a);
    arb_exp(out, out, precision);
    arb_add_ui(out, out, 1, precision);
    arb_inv(out, out, precision);
    settle(out);
}

void steep_ball_cbrt(steep_ball *out, const steep_ball *a, int precision)
{
    if (arb_is_finite(a)) by_ends(out, a, odd_root, 3, precision);
    else steep_ball_entire(out);
}

/* J_n over a ball: J_n at the midpoint, widened by the radius since |J_n'| <= 1, and cut to [-1, 1]. */
static void bessel(steep_ball *out, const steep_ball *a, slong n, int precision)
{
    arb_t order, middle, one;
    if (!arb_is_finite(a)) {
        arb_zero_pm_one(out);
        return;
    }
    arb_init(order), arb_init(middle), arb_init(one);
    arb_set_si(order, n);
    arb_get_mid_arb(middle, a);
    arb_hypgeom_bessel_j(middle, order, middle, precision + 64); /* the terms of its series cancel */
    arb_add_error_mag(middle, arb_radref(a));
    arb_zero_pm_one(one);
    if (arb_is_finite(middle) && arb_overlaps(middle, one)) arb_intersection(out, middle, one, precision);
    else arb_set(out, one);
    arb_clear(order), arb_clear(middle), arb_clear(one);
}
#define BESSEL(n)                                                                                                      \
    void steep_ball_bessel_##n(steep_ball *out, const steep_ball *a, int precision)                                    \
    {                                                                                                                  \
        bessel(out, a, n, precision);                                                                                  \
    }
BESSEL(0)
BESSEL(1)
BESSEL(2)
BESSEL(3)

void steep_ball_around_interval(void (*function)(steep_ball *, const steep_ball *, int), const steep_interval *a,
                                steep_interval *out)
{
    steep_ball x;
    steep_ball_init(&x);
    steep_ball_set_interval(&x, a);
    function(&x, &x, 64);
    steep_ball_get_interval(out, &x);
    steep_ball_clear(&x);
}

void steep_ball_on_interval(void (*function)(steep_ball *, const steep_ball *, int), const steep_interval *a,
                            steep_interval *out)
{
    const steep_interval ends[2] = {{a->low, a->low}, {a->high, a->high}};
    steep_interval at[2];
    for (int k = 0; k < 2; k++) steep_ball_around_interval(function, &ends[k], &at[k]);
    *out = (steep_interval){fmin(at[0].low, at[1].low), fmax(at[0].high, at[1].high)};
}

void steep_rational_set_double(fmpq *out, double x)
{
    arf_t number;
    arf_init(number);
    arf_set_d(number, x);
    arf_get_fmpq(out, number);
    arf_clear(number);
}

bool steep_rational_set_text(fmpq *out, const char *text, size_t length)
{
    const long most = 400 + (long)length;
    long exponent = 0;
    size_t count = 0, i = 0;
    bool point = false, fine = false;
    char *digits = flint_malloc(length + 1); /* an integer; the number is this times a power of ten */
    fmpq_t ten;
    for (; i < length && (isdigit((unsigned char)text[i]) || text[i] == '.'); i++)
        if (text[i] == '.') point = true;
        else digits[count++] = text[i], exponent -= point;
    digits[count] = 0;
    const long written = i < length ? strtol(text + i + 1, NULL, 10) : 0; /* after e or E; a non-digit follows it */
    fmpq_init(ten);
    if (count > 0 && written >= -most && written <= most && labs(exponent + written) <= 400 + (long)count) {
        fine = fmpq_set_str(out, digits, 10) == 0;
        fmpq_set_si(ten, 10, 1);
        fmpq_pow_si(ten, ten, exponent + written);
        fmpq_mul(out, out, ten);
    }
    fmpq_clear(ten);
    flint_free(digits);
    return fine;
}

size_t steep_rational_bits(const fmpq *a)
{
    return fmpz_bits(fmpq_numref(a)) + fmpz_bits(fmpq_denref(a));
}

void steep_rational_get_interval(steep_interval *out, const fmpq *a)
{
    steep_ball ball;
    steep_ball_init(&ball);
    arb_set_fmpq(&ball, a, 128);
    steep_ball_get_interval(out, &ball);
    steep_ball_clear(&ball);
}
