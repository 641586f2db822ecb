/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ball: real numbers of any precision with an error bound: FLINT's Arb (F. Johansson, IEEE Trans. Computers 66, 2017).
 * Each result contains f(a, b) for all a, b of the operands; where f is undefined for some of them, the result is the
 * whole line. precision: bits of the midpoint. Operands and result may be the same object. When FLINT finds no memory,
 * it ends the program. */
#pragma once

#include <flint/fmpq_poly.h>
#include <stdbool.h>
#include <stddef.h>
#if __has_include(<flint/arb_hypgeom.h>) /* FLINT 3 */
#include <flint/arb_hypgeom.h>
#else
#include <arb_hypgeom.h>
#endif

#include "certify/public.h"

/* Exact fractions: FLINT's fmpq, and functions that FLINT lacks. Operands and result may be the same object. */
void steep_rational_set_double(fmpq *out, double x); /* out = x exactly; x is finite */
/* Reads a decimal number exactly: 0.1 is 1/10. False: no memory, or a power of ten above 400 + number of digits. */
bool steep_rational_set_text(fmpq *out, const char *text, size_t length);
size_t steep_rational_bits(const fmpq *a); /* bits of the numerator plus bits of the denominator */
/* An interval of doubles around a: the smallest one, unless a is almost a double. */
void steep_rational_get_interval(steep_interval *out, const fmpq *a);

typedef arb_struct steep_ball;

/* Operations of Arb that keep these rules. */
#define steep_ball_init       arb_init
#define steep_ball_clear      arb_clear
#define steep_ball_set        arb_set
#define steep_ball_set_double arb_set_d
#define steep_ball_neg        arb_neg
#define steep_ball_entire     arb_zero_pm_inf
#define steep_ball_is_zero    arb_is_zero
#define steep_ball_side       arb_sgn_nonzero /* as steep_interval_side */

#define steep_ball_is_entire(a) (!arb_is_finite(a))

void steep_ball_set_interval(steep_ball *out, const steep_interval *a);
/* Encloses the decimal number in text: 0.1 is 1/10. False: no number, or no memory. */
bool steep_ball_set_text(steep_ball *out, const char *text, size_t length, int precision);
/* An interval of doubles around a: the smallest one, unless an end of a is almost a double. */
void steep_ball_get_interval(steep_interval *out, const steep_ball *a);
/* log2 |midpoint of a|; NaN where fewer than 4 bits of the midpoint are known; -INFINITY for exactly 0. */
double steep_ball_log2(const steep_ball *a);
/* True if a is exactly an integer n, |n| <= most; then *integer = n. */
bool steep_ball_is_integer(const steep_ball *a, int most, int *integer);

void steep_ball_power(steep_ball *out, const steep_ball *a, int n, int precision);

/* Operations of two operands: most are one call of Arb, mul and raise are not. */
#define STEEP_BALL_OPERATIONS(X)                                                                                       \
    X(add, arb_add) X(sub, arb_sub) X(div, arb_div) X(hull, arb_union) X(greater, arb_max) X(lesser, arb_min)
#define STEEP_BALL_BINARY(name, call)                                                                                  \
    void steep_ball_##name(steep_ball *out, const steep_ball *a, const steep_ball *b, int precision);
STEEP_BALL_OPERATIONS(STEEP_BALL_BINARY)
STEEP_BALL_BINARY(mul, )
STEEP_BALL_BINARY(raise, ) /* a^b = exp(b log a) for a >= 0; b > 0 if a may be 0 */
#undef STEEP_BALL_BINARY

/* Functions: most are one call of Arb; sqr, abs, cbrt, sigmoid and Bessel's are not. */
/* clang-format off */
#define STEEP_BALL_CALLS(X)                                                                              \
    X(inv, arb_inv) X(sin, arb_sin) X(cos, arb_cos) X(tan, arb_tan) X(asin, arb_asin) X(acos, arb_acos)  \
    X(atan, arb_atan) X(sinh, arb_sinh) X(cosh, arb_cosh) X(tanh, arb_tanh) X(exp, arb_exp)              \
    X(log, arb_log) X(erf, arb_hypgeom_erf) X(erfc, arb_hypgeom_erfc) X(expm1, arb_expm1)                \
    X(log1p, arb_log1p) X(sqrt, arb_sqrt)
#define STEEP_BALL_UNARY(name, call) void steep_ball_##name(steep_ball *out, const steep_ball *a, int precision);
STEEP_BALL_CALLS(STEEP_BALL_UNARY)
STEEP_BALL_UNARY(sqr, ) STEEP_BALL_UNARY(abs, ) STEEP_BALL_UNARY(cbrt, )
/* Bessel's J_n; the result lies in [-1, 1] for every operand. */
STEEP_BALL_UNARY(bessel_0, ) STEEP_BALL_UNARY(bessel_1, ) STEEP_BALL_UNARY(bessel_2, ) STEEP_BALL_UNARY(bessel_3, )
#undef STEEP_BALL_UNARY
void steep_ball_sigmoid(steep_ball *out, const steep_ball *a, int precision);
/* clang-format on */

/* Encloses a function that is monotone on the interval, by balls of 64 bits at both ends; the whole line where the
 * function is undefined at an end. */
void steep_ball_on_interval(void (*function)(steep_ball *, const steep_ball *, int), const steep_interval *a,
                            steep_interval *out);

/* Encloses any function on the interval, by the ball of 64 bits around the interval. */
void steep_ball_around_interval(void (*function)(steep_ball *, const steep_ball *, int), const steep_interval *a,
                                steep_interval *out);
