/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ball: real numbers with a bound on their error, of any precision: FLINT's Arb (F. Johansson, IEEE Trans. Computers
 * 66, 2017) behind a plain struct. Each result contains f(a, b) for all a, b of the operands; where f is not defined
 * for some, it is everything. precision: bits of the middle. Operands and result may be the same. Running out of memory
 * within FLINT ends the program: that is FLINT's own rule. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "certify/public.h"

/* rational: exact fractions, FLINT's fmpq behind a plain struct. Operands and result may be the same. */

typedef struct steep_rational {
    int64_t word[2];
} steep_rational;

void steep_rational_init(steep_rational *a); /* 0 */
void steep_rational_clear(steep_rational *a);
void steep_rational_set(steep_rational *out, const steep_rational *a);
void steep_rational_set_double(steep_rational *out, double x); /* finite; exactly */
/* Digits with a decimal point and an exponent: 0.1 is a tenth. False where the exponent is above 400 in size. */
bool steep_rational_set_text(steep_rational *out, const char *text, size_t length);
void steep_rational_add(steep_rational *out, const steep_rational *a, const steep_rational *b);
void steep_rational_sub(steep_rational *out, const steep_rational *a, const steep_rational *b);
void steep_rational_mul(steep_rational *out, const steep_rational *a, const steep_rational *b);
void steep_rational_div(steep_rational *out, const steep_rational *a, const steep_rational *b); /* b not 0 */
size_t steep_rational_bits(const steep_rational *a); /* of numerator and denominator */
int steep_rational_sign(const steep_rational *a);
bool steep_rational_equal(const steep_rational *a, const steep_rational *b);
/* "n" or "n/d", cut at the end of text. */
void steep_rational_text(const steep_rational *a, char *text, size_t size);
/* The smallest interval of doubles around it. */
void steep_rational_get_interval(steep_interval *out, const steep_rational *a);
/* Doubles in the proportion a_1 : .. : a_n exactly: these numbers themselves where they are doubles, else integers of
 * 53 bits at most. False where neither serves; out is then a, rounded. */
bool steep_rational_proportion(size_t n, const steep_rational *a, double *out);

typedef struct steep_ball {
    uint64_t word[6];
} steep_ball;

void steep_ball_init(steep_ball *a); /* 0 */
void steep_ball_clear(steep_ball *a);
void steep_ball_set(steep_ball *out, const steep_ball *a);
void steep_ball_set_double(steep_ball *out, double x); /* exactly */
void steep_ball_set_interval(steep_ball *out, const steep_interval *a);
/* What the digits say: 0.1 is a tenth. length: of the text. */
bool steep_ball_set_text(steep_ball *out, const char *text, size_t length, int precision);
void steep_ball_set_rational(steep_ball *out, const steep_rational *a, int precision);
void steep_ball_set_pi(steep_ball *out, int precision);
void steep_ball_set_e(steep_ball *out, int precision);
void steep_ball_entire(steep_ball *out);
/* The smallest interval of doubles around it. */
void steep_ball_get_interval(steep_interval *out, const steep_ball *a);
/* log2 of the size of its middle; NaN where less than 4 bits of that are known; -INFINITY: 0. */
double steep_ball_log2(const steep_ball *a);
bool steep_ball_is_zero(const steep_ball *a);
bool steep_ball_is_entire(const steep_ball *a); /* or reaches to infinity */
/* The integer that it is, if it is one of at most `most` in size, exactly. */
bool steep_ball_is_integer(const steep_ball *a, int most, int *integer);
int steep_ball_side(const steep_ball *a); /* as steep_interval_side */

void steep_ball_neg(steep_ball *out, const steep_ball *a);
void steep_ball_power(steep_ball *out, const steep_ball *a, int n, int precision);

#define STEEP_BALL_BINARY(name)                                                                                        \
    void steep_ball_##name(steep_ball *out, const steep_ball *a, const steep_ball *b, int precision)
STEEP_BALL_BINARY(add);
STEEP_BALL_BINARY(sub);
STEEP_BALL_BINARY(mul);
STEEP_BALL_BINARY(div);
STEEP_BALL_BINARY(raise); /* a^b = exp(b log a), a >= 0; where a may be 0, b > 0 */
STEEP_BALL_BINARY(hull);
STEEP_BALL_BINARY(greater);
STEEP_BALL_BINARY(lesser);
#undef STEEP_BALL_BINARY

/* Functions that are one call of Arb, and those that are not. */
/* clang-format off */
#define STEEP_BALL_CALLS(X)                                                                              \
    X(inv, arb_inv) X(sin, arb_sin) X(cos, arb_cos) X(tan, arb_tan) X(asin, arb_asin) X(acos, arb_acos)  \
    X(atan, arb_atan) X(sinh, arb_sinh) X(cosh, arb_cosh) X(tanh, arb_tanh) X(exp, arb_exp)              \
    X(log, arb_log) X(erf, arb_hypgeom_erf) X(erfc, arb_hypgeom_erfc) X(expm1, arb_expm1)                \
    X(log1p, arb_log1p) X(sqrt, arb_sqrt)
#define STEEP_BALL_UNARY(name, call) void steep_ball_##name(steep_ball *out, const steep_ball *a, int precision);
STEEP_BALL_CALLS(STEEP_BALL_UNARY)
STEEP_BALL_UNARY(sqr, ) STEEP_BALL_UNARY(abs, ) STEEP_BALL_UNARY(cbrt, )
#undef STEEP_BALL_UNARY
void steep_ball_sigmoid(steep_ball *out, const steep_ball *a, int precision);
/* clang-format on */

/* A function that rises or falls all along on an interval, by balls of 64 bits at its ends; everything where the ball
 * of the whole interval says that it is not defined throughout. */
void steep_ball_on_interval(void (*function)(steep_ball *, const steep_ball *, int), const steep_interval *a,
                            steep_interval *out);

/* Frees what FLINT keeps for this thread; for memory checkers. */
void steep_ball_cleanup(void);
