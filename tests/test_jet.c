/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "formula/jet.h"

#include "harness.h"

enum { ORDER = STEEP_JET_ORDER, TERMS = ORDER + 1 };

#define EPS 0x1p-63L /* of long double; check_close compares in double, so differences are formed before */

/* |a_k - b_k| <= c eps size_k for all k; size NULL: max(1, |b_k|). */
static void same(const long double *a, const long double *b, const long double *size, double c)
{
    for (size_t k = 0; k < TERMS; k++) {
        long double scale = size ? size[k] : fmaxl(1, fabsl(b[k]));
        ck_assert_msg(fabsl(a[k] - b[k]) <= c * EPS * scale,
                      "coefficient %zu: %.20Lg, not %.20Lg: apart by %.2Lg eps, allowed %g", k, a[k], b[k],
                      fabsl(a[k] - b[k]) / (EPS * scale), c);
    }
}

static const long double line[TERMS] = {0, 1};
static const long double curve[TERMS] = {0.4L,  0.6L,  -0.3L, 0.2L, 0.1L,
                                         -0.1L, 0.05L, 0.1L,  -0.1L}; /* in every function's domain */

/* Series at 0 from any book. */
START_TEST(known_series)
{
    long double out[TERMS], other[TERMS], known[TERMS], factorial = 1;
    steep_jet_exp(ORDER, line, out);
    for (int k = 0; k < TERMS; k++) known[k] = 1 / (factorial *= k ? k : 1);
    same(out, known, NULL, 4);
    const long double sine[TERMS] = {0, 1, 0, -1 / 6.0L, 0, 1 / 120.0L, 0, -1 / 5040.0L, 0};
    const long double cosine[TERMS] = {1, 0, -1 / 2.0L, 0, 1 / 24.0L, 0, -1 / 720.0L, 0, 1 / 40320.0L};
    steep_jet_sin_cos(ORDER, line, out, other);
    same(out, sine, NULL, 4);
    same(other, cosine, NULL, 4);
    const long double tangent[TERMS] = {0, 1, 0, 1 / 3.0L, 0, 2 / 15.0L, 0, 17 / 315.0L, 0};
    steep_jet_tan(ORDER, line, out);
    same(out, tangent, NULL, 4);
    const long double hyperbolic[TERMS] = {0, 1, 0, -1 / 3.0L, 0, 2 / 15.0L, 0, -17 / 315.0L, 0};
    steep_jet_tanh(ORDER, line, out);
    same(out, hyperbolic, NULL, 4);
    const long double arctangent[TERMS] = {0, 1, 0, -1 / 3.0L, 0, 1 / 5.0L, 0, -1 / 7.0L, 0};
    steep_jet_atan(ORDER, line, out);
    same(out, arctangent, NULL, 4);
    const long double arcsine[TERMS] = {0, 1, 0, 1 / 6.0L, 0, 3 / 40.0L, 0, 5 / 112.0L, 0};
    steep_jet_asin(ORDER, line, out);
    same(out, arcsine, NULL, 4);
    const long double c = 2 / sqrtl(acosl(-1)), error[TERMS] = {0, c, 0, -c / 3, 0, c / 10, 0, -c / 42, 0};
    steep_jet_erf(ORDER, line, out);
    same(out, error, NULL, 4);
    const long double one_more[TERMS] = {1, 1};
    steep_jet_log(ORDER, one_more, out);
    for (int k = 1; k < TERMS; k++) known[k] = (k % 2 ? 1 : -1) / (long double)k;
    known[0] = 0;
    same(out, known, NULL, 4);
    const long double root[TERMS] = {1,          1 / 2.0L,      -1 / 8.0L,    1 / 16.0L,      -5 / 128.0L,
                                     7 / 256.0L, -21 / 1024.0L, 33 / 2048.0L, -429 / 32768.0L};
    steep_jet_sqrt(ORDER, one_more, out);
    same(out, root, NULL, 4);
}
END_TEST

/* Functions that undo or complete each other, on a curve whose coefficients are all different from 0. The bound: a
 * composition is as well conditioned as its factors' coefficients, of size up to 10^3 here, are large. */
START_TEST(compositions_give_the_argument_back)
{
    const double bound = 4e3;
    long double a[TERMS], b[TERMS], c[TERMS], d[TERMS];
    const long double zero[TERMS] = {0}, one[TERMS] = {1}, half_pi[TERMS] = {acosl(0)}, half[TERMS] = {0.5L},
                      three[TERMS] = {3}, third[TERMS] = {1 / 3.0L};
    steep_jet_log(ORDER, curve, a), steep_jet_exp(ORDER, a, b), same(b, curve, NULL, bound);
    steep_jet_exp(ORDER, curve, a), steep_jet_log(ORDER, a, b), same(b, curve, NULL, bound);
    steep_jet_tan(ORDER, curve, a), steep_jet_atan(ORDER, a, b), same(b, curve, NULL, bound);
    steep_jet_sin_cos(ORDER, curve, a, b), steep_jet_asin(ORDER, a, c), same(c, curve, NULL, bound);
    steep_jet_acos(ORDER, a, d);
    for (int k = 0; k < TERMS; k++) d[k] += c[k];
    same(d, half_pi, NULL, bound);
    steep_jet_mul(ORDER, a, a, c), steep_jet_mul(ORDER, b, b, d);
    for (int k = 0; k < TERMS; k++) c[k] += d[k];
    same(c, one, NULL, bound); /* sin^2 + cos^2 */
    steep_jet_tan(ORDER, curve, c), steep_jet_div(ORDER, a, b, d), same(c, d, NULL, bound);
    steep_jet_sinh_cosh(ORDER, curve, a, b);
    steep_jet_tanh(ORDER, curve, c), steep_jet_div(ORDER, a, b, d), same(c, d, NULL, bound);
    for (int k = 0; k < TERMS; k++) c[k] = a[k] + b[k];
    steep_jet_exp(ORDER, curve, d), same(c, d, NULL, bound);
    steep_jet_sqrt(ORDER, curve, a), steep_jet_mul(ORDER, a, a, b), same(b, curve, NULL, bound);
    steep_jet_pow(ORDER, curve, half, b), same(a, b, NULL, bound);
    steep_jet_cbrt(ORDER, curve, a), steep_jet_pow(ORDER, a, three, b), same(b, curve, NULL, bound);
    steep_jet_pow(ORDER, curve, third, b), same(a, b, NULL, bound);
    steep_jet_div(ORDER, one, curve, a), steep_jet_mul(ORDER, a, curve, b), same(b, one, NULL, bound * 1e3);
    steep_jet_pow(ORDER, curve, curve, a), steep_jet_log(ORDER, curve, b), steep_jet_mul(ORDER, b, curve, c);
    steep_jet_log(ORDER, a, d), same(d, c, NULL, bound); /* log a^a = a log a */
    steep_jet_pow(ORDER, curve, zero, a), same(a, one, NULL, 0);
}
END_TEST

/* The Leibniz rule with exact binomial sums: products of polynomials with integer coefficients are exact. */
START_TEST(products_of_integers_are_exact)
{
    long double a[TERMS], b[TERMS], c[TERMS], power[TERMS];
    const long double binomial[TERMS] = {1, 1}, six[TERMS] = {6};
    memcpy(a, binomial, sizeof a);
    for (int n = 2; n <= 6; n++) steep_jet_mul(ORDER, a, binomial, b), memcpy(a, b, sizeof a);
    const long double row[TERMS] = {1, 6, 15, 20, 15, 6, 1};
    same(a, row, NULL, 0);
    steep_jet_pow(ORDER, binomial, six, power), same(power, row, NULL, 4);
    steep_jet_div(ORDER, a, binomial, c);
    const long double lower[TERMS] = {1, 5, 10, 10, 5, 1};
    same(c, lower, NULL, 0);
}
END_TEST

static long double (*const functions[])(long double) = {expl,  sinl,  cosl,  tanl,  tanhl, sinhl, coshl,
                                                        atanl, asinl, acosl, sqrtl, cbrtl, logl,  erfl};

static void run(size_t which, const long double *a, long double *out)
{
    long double unused[TERMS];
    switch (which) {
    case 0: steep_jet_exp(ORDER, a, out); break;
    case 1: steep_jet_sin_cos(ORDER, a, out, unused); break;
    case 2: steep_jet_sin_cos(ORDER, a, unused, out); break;
    case 3: steep_jet_tan(ORDER, a, out); break;
    case 4: steep_jet_tanh(ORDER, a, out); break;
    case 5: steep_jet_sinh_cosh(ORDER, a, out, unused); break;
    case 6: steep_jet_sinh_cosh(ORDER, a, unused, out); break;
    case 7: steep_jet_atan(ORDER, a, out); break;
    case 8: steep_jet_asin(ORDER, a, out); break;
    case 9: steep_jet_acos(ORDER, a, out); break;
    case 10: steep_jet_sqrt(ORDER, a, out); break;
    case 11: steep_jet_cbrt(ORDER, a, out); break;
    case 12: steep_jet_log(ORDER, a, out); break;
    default: steep_jet_erf(ORDER, a, out); break;
    }
}

static long double horner(const long double *a, long double t)
{
    long double sum = 0;
    for (size_t k = TERMS; k-- > 0;) sum = sum * t + a[k];
    return sum;
}

/* The series is that of the C library's function along the curve: f(a(t)) - sum c_k t^k = O(t^9), so the error falls by
 * 2^9 as t is halved; a wrong c_8 would make it 2^8. Looked at where it is below 1e-11: there t is below 1e-11^(1/9) =
 * 0.06 radii of convergence, so that the order is 9 up to log2(1.06 / 1.03) times the ratio of the two next
 * coefficients in these units, which is below 6 here; a halved t's error stands 64 times above rounding. */
START_TEST(truncation_errors_fall_like_t_to_the_ninth)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        long double c[TERMS], t = 1, error = 1, before = 1;
        run(i, curve, c);
        for (; error > 1e-11L; t /= 2) error = fabsl(functions[i](horner(curve, t)) - horner(c, t));
        before = error;
        error = fabsl(functions[i](horner(curve, t)) - horner(c, t));
        ck_assert_msg(error > 64 * EPS * fabsl(c[0]), "function %zu", i);
        check_close(log2l(before / error), 9, 6 * log2(1.06 / 1.03));
    }
}
END_TEST

/* a = t^m u at a root: the series where p m is whole, infinity with the sign for t > 0 where it is not. */
START_TEST(roots_are_one_sided)
{
    long double out[TERMS];
    const long double square[TERMS] = {0, 0, 4}, falling[TERMS] = {0, -8}, one_and_half[TERMS] = {1.5L},
                      third[TERMS] = {1 / 3.0L}, cube[TERMS] = {0, 0, 0, -27, -27}, inverse[TERMS] = {-1};
    steep_jet_sqrt(ORDER, square, out);
    ck_assert(out[0] == 0 && out[1] == 2 && out[2] == 0 && out[ORDER - 1] == 0);
    ck_assert(isnan(out[ORDER])); /* would need the coefficient of t^9 */
    steep_jet_sqrt(ORDER, line, out);
    ck_assert(out[0] == 0 && out[1] == INFINITY && out[2] == -INFINITY && out[3] == INFINITY);
    steep_jet_sqrt(ORDER, falling, out); /* no real root for t > 0 */
    ck_assert(out[0] == 0 && isnan(out[1]));
    steep_jet_pow(ORDER, line, one_and_half, out); /* t^1.5 */
    ck_assert(out[0] == 0 && out[1] == 0 && out[2] == INFINITY && out[3] == -INFINITY && out[4] == INFINITY);
    steep_jet_cbrt(ORDER, falling, out);
    ck_assert(out[0] == 0 && out[1] == -INFINITY && out[2] == INFINITY);
    steep_jet_cbrt(ORDER, cube, out); /* -3 t (1 + t)^(1/3) = -3 t - t^2 + t^3/3 - ... */
    check_close(out[1], -3, 8 * EPS);
    check_close(out[2], -1, 8 * EPS);
    check_close(out[3], 1 / 3.0L, 8 * EPS);
    steep_jet_pow(ORDER, square, third, out); /* 4^(1/3) t^(2/3) */
    ck_assert(out[0] == 0 && out[1] == INFINITY && out[2] == -INFINITY);
    steep_jet_pow(ORDER, line, inverse, out);
    ck_assert(out[0] == INFINITY && isinf(out[1]));
}
END_TEST

/* Low orders are the first coefficients of high ones, and nothing is written behind them. */
START_TEST(every_order_is_a_beginning)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        long double whole[TERMS], part[TERMS], unused[TERMS];
        run(i, curve, whole);
        for (size_t order = 0; order < ORDER; order++) {
            for (int k = 0; k < TERMS; k++) part[k] = 77;
            switch (i) {
            case 1: steep_jet_sin_cos(order, curve, part, unused); break;
            case 4: steep_jet_tanh(order, curve, part); break;
            case 8: steep_jet_asin(order, curve, part); break;
            case 10: steep_jet_sqrt(order, curve, part); break;
            case 11: steep_jet_cbrt(order, curve, part); break;
            case 12: steep_jet_log(order, curve, part); break;
            case 13: steep_jet_erf(order, curve, part); break;
            default: steep_jet_exp(order, curve, part), run(0, curve, whole); break;
            }
            for (size_t k = 0; k < TERMS; k++) ck_assert(part[k] == (k <= order ? whole[k] : 77));
        }
    }
}
END_TEST

/* tanh and erf keep their relative accuracy where they are nearly constant: 1 - tanh^2 would cancel. */
START_TEST(flat_ends_keep_their_digits)
{
    const long double far[TERMS] = {18, 1};
    long double out[TERMS];
    steep_jet_tanh(ORDER, far, out);
    const long double slope = 4 / powl(expl(18) + expl(-18), 2);
    check_close(out[1] / slope, 1, 64 * EPS); /* exp(18): 18 eps and a few */
    check_close(out[2] / slope, -tanhl(18), 64 * EPS);
}
END_TEST

STEEP_TEST_MAIN("jet", known_series, compositions_give_the_argument_back, products_of_integers_are_exact,
                truncation_errors_fall_like_t_to_the_ninth, roots_are_one_sided, every_order_is_a_beginning,
                flat_ends_keep_their_digits)
