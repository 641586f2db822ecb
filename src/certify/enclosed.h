/* SPDX-License-Identifier: GPL-3.0-or-later */
/* enclosed: a formula for evaluation on boxes, with gradient and Hessian in x, in intervals of doubles and in balls.
 * Constants of its program are folded in balls of 256 bits, and exactly where they are fractions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "certify/ball.h"
#include "certify/core.h"

/* Functions that are smooth where they are defined: code, name in both arithmetics. */
/* clang-format off */
#define STEEP_SMOOTH(X)                                                                                          \
    X(SIN, sin) X(COS, cos) X(TAN, tan) X(ASIN, asin) X(ACOS, acos) X(ATAN, atan) X(SINH, sinh) X(COSH, cosh)    \
    X(TANH, tanh) X(EXP, exp) X(LOG, log) X(ERF, erf) X(ERFC, erfc) X(EXPM1, expm1) X(LOG1P, log1p)              \
    X(SQRT, sqrt) X(CBRT, cbrt) X(SIGMOID, sigmoid) X(BESSEL_0, bessel_0) X(BESSEL_1, bessel_1)
/* clang-format on */

/* Is the function not defined, or not finite, for some real numbers? */
static inline bool steep_has_domain(steep_code code)
{
    return code == STEEP_CODE_TAN || code == STEEP_CODE_ASIN || code == STEEP_CODE_ACOS || code == STEEP_CODE_LOG ||
           code == STEEP_CODE_LOG1P || code == STEEP_CODE_SQRT;
}

typedef struct steep_constant {
    steep_ball ball;
    steep_interval interval; /* around the ball */
    bool exact;              /* the constant equals fraction */
    fmpq fraction;
    long double computed; /* the evaluators' value, folded in long double (formula/parse.c) */
} steep_constant;

/* A NUMBER's index is the index of its constant. Kinks are numbered in the order of the program. */
typedef struct steep_enclosed {
    size_t dim, length, height, places, constants, kinks;
    steep_instruction *program;
    steep_constant *constant;
} steep_enclosed;

/* Opens a formula of points (counts NULL) or of a unit. */
steep_status steep_enclosed_open(const char *text, size_t *counts, steep_enclosed *enclosed, steep_error *error);
void steep_enclosed_close(steep_enclosed *enclosed);

enum { STEEP_AT_KINK = -2 }; /* the argument is 0 throughout: sign is 0, the others take their left branch */

/* Settings of an evaluation, and kinks met. A jet has 1 + d + d (d + 1) / 2 numbers at order 2, 1 + d at 1, 1 at 0. */
typedef struct steep_enclosing {
    size_t d;
    int order, precision;
    const signed char *side; /* for each kink: the branch to take, 1, -1; STEEP_AT_KINK; 0, or NULL: by the enclosure */
    signed char *met;        /* for each kink: 1 if it has no side and its argument may be 0; NULL: not requested */
} steep_enclosing;

/* input: dim jets, one after another. stack: (height + places + 3) jets; the first is the result. Where an operation
 * may be undefined for part of the input, the result and all its derivatives are the whole line. */
void steep_enclosed_intervals(const steep_enclosed *enclosed, const steep_enclosing *how, const steep_interval *input,
                              steep_interval *stack);
void steep_enclosed_balls(const steep_enclosed *enclosed, const steep_enclosing *how, const steep_ball *input,
                          steep_ball *stack);

/* A number computed in double: it is within `error` of an exact number in `range`. */
typedef struct steep_rounded {
    steep_interval range;
    double error;
} steep_rounded;

/* stack[0] = a running error bound for every program of doubles that does the operations of this formula, with sums and
 * products in any order, at most 8 roundings for each operation and 128 units of rounding for each function. stack:
 * height + places + 1 numbers. input: dim numbers. The rules, with u the unit of rounding, A and B bounds of the
 * computed operands, a and b bounds of their errors:
 *   sum, difference   a + b + 8 u (A + B)           product   |range| b + B a + 8 u A B
 *   quotient          (a + (A / |B|) b) / |B| + 8 u A / |B|, |B| the least of the divisor
 *   power n           n A^{n-1} a + 8 n u A^n       f         max |f'| a + 128 u max |f|, over what is computed
 * relu, abs, min, max add nothing. INFINITY where a divisor may be 0. */
void steep_enclosed_rounding(const steep_enclosed *enclosed, const steep_rounded *input, steep_rounded *stack);

static inline size_t steep_jet_numbers(size_t d, int order)
{
    return order == 0 ? 1 : order == 1 ? 1 + d : 1 + d + d * (d + 1) / 2;
}

/* Where the second derivative in x_i and x_j stands in a jet. */
static inline size_t steep_jet_pair(size_t d, size_t i, size_t j)
{
    return 1 + d + (i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i);
}
