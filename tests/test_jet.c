/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jet: Taylor series of each function against known ones and against each other. */
#include "formula/formula.h"

#include "harness.h"

enum { ORDER = STEEP_JET_ORDER, TERMS = ORDER + 1 };

#define EPS 0x1p-63L /* of long double; check_close compares in double, so differences are formed before */

/* The jet at x = at, y = 6, along x. C in the text: a curve in every function's domain, no coefficient of it 0. */
static void jet(const char *text, long double at, size_t order, long double *c)
{
    static const char curve[] = "(0.4+0.6*x-0.3*x^2+0.2*x^3+0.1*x^4-0.1*x^5+0.05*x^6+0.1*x^7-0.1*x^8)";
    char whole[1000] = "";
    const long double x[] = {at, 6};
    steep_formula *f;
    steep_error error;
    for (size_t used = 0; *text; text++) {
        snprintf(whole + used, sizeof whole - used, *text == 'C' ? "%s" : "%.1s", *text == 'C' ? curve : text);
        used = strlen(whole);
    }
    ck_assert_msg(steep_formula_parse(whole, &f, &error) == STEEP_OK, "%s: %s", whole, error.text);
    steep_formula_jet(f, x, NULL, order, c);
    steep_formula_free(f);
}

/* |a_k - b_k| <= c eps max(1, |b_k|) for all k */
static void same(const char *text, const long double *a, const long double *b, double c)
{
    for (size_t k = 0; k < TERMS; k++)
        ck_assert_msg(fabsl(a[k] - b[k]) <= c * EPS * fmaxl(1, fabsl(b[k])), "%s, coefficient %zu: %.20Lg, not %.20Lg",
                      text, k, a[k], b[k]);
}

/* Series at 0 from any book; products of polynomials with integer coefficients are exact. */
START_TEST(known_series)
{
    const long double c = 2 / sqrtl(acosl(-1));
    const struct {
        const char *text;
        long double known[TERMS];
        double bound;
    } rows[] = {
        {"exp(x)", {1, 1, 1 / 2.0L, 1 / 6.0L, 1 / 24.0L, 1 / 120.0L, 1 / 720.0L, 1 / 5040.0L, 1 / 40320.0L}, 4},
        {"sin(x)", {0, 1, 0, -1 / 6.0L, 0, 1 / 120.0L, 0, -1 / 5040.0L, 0}, 4},
        {"cos(x)", {1, 0, -1 / 2.0L, 0, 1 / 24.0L, 0, -1 / 720.0L, 0, 1 / 40320.0L}, 4},
        {"tan(x)", {0, 1, 0, 1 / 3.0L, 0, 2 / 15.0L, 0, 17 / 315.0L, 0}, 4},
        {"tanh(x)", {0, 1, 0, -1 / 3.0L, 0, 2 / 15.0L, 0, -17 / 315.0L, 0}, 4},
        {"atan(x)", {0, 1, 0, -1 / 3.0L, 0, 1 / 5.0L, 0, -1 / 7.0L, 0}, 4},
        {"asin(x)", {0, 1, 0, 1 / 6.0L, 0, 3 / 40.0L, 0, 5 / 112.0L, 0}, 4},
        {"J0(x)", {1, 0, -1 / 4.0L, 0, 1 / 64.0L, 0, -1 / 2304.0L, 0, 1 / 147456.0L}, 4},
        {"J1(x)", {0, 1 / 2.0L, 0, -1 / 16.0L, 0, 1 / 384.0L, 0, -1 / 18432.0L, 0}, 4},
        {"erf(x)", {0, c, 0, -c / 3, 0, c / 10, 0, -c / 42, 0}, 4},
        {"log(1+x)", {0, 1, -1 / 2.0L, 1 / 3.0L, -1 / 4.0L, 1 / 5.0L, -1 / 6.0L, 1 / 7.0L, -1 / 8.0L}, 4},
        {"sqrt(1+x)",
         {1, 1 / 2.0L, -1 / 8.0L, 1 / 16.0L, -5 / 128.0L, 7 / 256.0L, -21 / 1024.0L, 33 / 2048.0L, -429 / 32768.0L},
         4},
        {"(1+x)^6", {1, 6, 15, 20, 15, 6, 1}, 0},
        {"(1+x)^6/(1+x)", {1, 5, 10, 10, 5, 1}, 0},
        {"(1+x)^y", {1, 6, 15, 20, 15, 6, 1}, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        long double out[TERMS];
        jet(rows[i].text, 0, ORDER, out);
        same(rows[i].text, out, rows[i].known, rows[i].bound);
    }
}
END_TEST

/* Functions that undo or complete each other, on the curve. The bound: a composition is as well conditioned as its
 * factors' coefficients, of size up to 10^3 here, are large. */
START_TEST(compositions_give_the_argument_back)
{
    static const char *const pairs[][2] = {{"exp(log(C))", "C"},
                                           {"log(exp(C))", "C"},
                                           {"atan(tan(C))", "C"},
                                           {"asin(sin(C))", "C"},
                                           {"acos(sin(C))+asin(sin(C))", "pi/2"},
                                           {"sin(C)*sin(C)+cos(C)*cos(C)", "1"},
                                           {"sin(C)/cos(C)", "tan(C)"},
                                           {"sinh(C)/cosh(C)", "tanh(C)"},
                                           {"sinh(C)+cosh(C)", "exp(C)"},
                                           {"sqrt(C)*sqrt(C)", "C"},
                                           {"C^0.5", "sqrt(C)"},
                                           {"cbrt(C)^3", "C"},
                                           {"C^(1/3)", "cbrt(C)"},
                                           {"C*(1/C)", "1"},
                                           {"log(C^C)", "C*log(C)"},
                                           {"erf(C)+erfc(C)", "1"},
                                           {"expm1(C)", "exp(C)-1"},
                                           {"log1p(C)", "log(1+C)"},
                                           {"sigmoid(C)", "1/(1+exp(-C))"},
                                           {"C^7", "C*C*C*C*C*C*C"},
                                           {"(C+2)^-3", "1/((C+2)*(C+2)*(C+2))"},
                                           {"sqrt(2+C)^C", "exp(C*log(2+C)/2)"},
                                           {"log(3+C)^2.5", "exp(2.5*log(log(3+C)))"},
                                           {"max(C,2)*min(C,-2)+abs(C+3)+relu(C+2)", "2*C+1"},
                                           {"max(-2,C)*min(2,C)+abs(-C)+relu(-C)", "C*C+C"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        long double a[TERMS], b[TERMS];
        jet(pairs[i][0], 0, ORDER, a);
        jet(pairs[i][1], 0, ORDER, b);
        same(pairs[i][0], a, b, strstr(pairs[i][0], "/C") ? 4e6 : 4e3);
    }
}
END_TEST

/* a = t^m u at a root: the series where p m is whole, infinity with the sign for t > 0 where it is not. */
START_TEST(roots_are_one_sided)
{
    static const struct {
        const char *text;
        long double known[5];
    } rows[] = {{"sqrt(4*x^2)", {0, 2, 0, 0, 0}},
                {"sqrt(x)", {0, INFINITY, -INFINITY, INFINITY, -INFINITY}},
                {"sqrt(-8*x)", {0, NAN, NAN, NAN, NAN}}, /* no real root for t > 0 */
                {"x^1.5", {0, 0, INFINITY, -INFINITY, INFINITY}},
                {"cbrt(-8*x)", {0, -INFINITY, INFINITY, -INFINITY, INFINITY}},
                {"cbrt(-27*x^3-27*x^4)", {0, -3, -1, 1 / 3.0L, -5 / 27.0L}}, /* -3 t (1 + t)^(1/3) */
                {"(4*x^2)^(1/3)", {0, INFINITY, -INFINITY, INFINITY, -INFINITY}},
                {"x^(y-7)", {INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        long double out[TERMS];
        jet(rows[i].text, 0, ORDER, out);
        for (size_t k = 0; k < 5; k++) {
            const long double known = rows[i].known[k];
            const bool right = isfinite(known) ? fabsl(out[k] - known) <= 8 * EPS * fabsl(known)
                               : isnan(known)  ? isnan(out[k])
                                               : out[k] == known;
            ck_assert_msg(right, "%s, coefficient %zu: %Lg, not %Lg", rows[i].text, k, out[k], known);
        }
    }
}
END_TEST

/* J0' = -J1, coefficient by coefficient, anywhere. */
START_TEST(bessel_functions_are_derivatives)
{
    for (int i = -40; i <= 40; i++) {
        long double zero[TERMS], one[TERMS];
        jet("J0(x)", i * 0.77L, ORDER, zero);
        jet("J1(x)", i * 0.77L, ORDER, one);
        for (size_t k = 0; k < ORDER; k++)
            ck_assert_msg(fabsl((long double)(k + 1) * zero[k + 1] + one[k]) <= 32 * EPS, "J0 at %g, coefficient %zu",
                          i * 0.77, k + 1);
    }
}
END_TEST

/* Low orders are the first coefficients of high ones, and nothing is written behind them. */
START_TEST(every_order_is_a_beginning)
{
    static const char *const text[] = {"exp(C)",  "sin(C)",  "cos(C)",  "tan(C)",  "tanh(C)", "sinh(C)",
                                       "cosh(C)", "atan(C)", "asin(C)", "acos(C)", "sqrt(C)", "cbrt(C)",
                                       "log(C)",  "erf(C)",  "C^C",     "C/(1+C)", "J0(C)",   "J1(9*C)"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        long double whole[TERMS], part[TERMS];
        jet(text[i], 0, ORDER, whole);
        for (size_t order = 0; order < ORDER; order++) {
            for (int k = 0; k < TERMS; k++) part[k] = 77;
            jet(text[i], 0, order, part);
            for (size_t k = 0; k < TERMS; k++) ck_assert(part[k] == (k <= order ? whole[k] : 77));
        }
    }
}
END_TEST

/* tanh keeps its relative accuracy where it is nearly constant: 1 - tanh^2 would cancel. */
START_TEST(flat_ends_keep_their_digits)
{
    long double out[TERMS];
    jet("tanh(x)", 18, ORDER, out);
    const long double slope = 4 / powl(expl(18) + expl(-18), 2);
    check_close(out[1] / slope, 1, 64 * EPS); /* exp(18): 18 eps and a few */
    check_close(out[2] / slope, -tanhl(18), 64 * EPS);
}
END_TEST

STEEP_TEST_MAIN("jet", bessel_functions_are_derivatives, known_series, compositions_give_the_argument_back,
                roots_are_one_sided, every_order_is_a_beginning, flat_ends_keep_their_digits)
