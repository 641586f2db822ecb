/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steps: what the steps of a tape compute (formula/tape.h), in C and on a device: X(code, y), where y is a function of
 * the step's arguments x, b, p, q. Functions from numerics/elementary have the same bits everywhere, others are C's. */
#pragma once

#include <math.h>

#include "base/inline.h"
#include "numerics/elementary.h"

STEEP_INLINE double steep_step_logistic(double x)
{
    double s, c;
    steep_sigmoid_pair(x, &s, &c);
    return s;
}

/* tanh' = 4 s (1 - s), s the logistic function of 2 x. */
STEEP_INLINE double steep_step_tanh_slope(double x)
{
    double s, c;
    steep_sigmoid_pair(2 * x, &s, &c);
    return 4 * s * c;
}

/* u v, and 0 where 0 meets an infinity. */
STEEP_INLINE double steep_step_damped(double u, double v)
{
    const double y = u * v;
    return steep_select((y != y) & (u == u) & (v == v), 0, y);
}

/* clang-format off */
#define STEEP_STEPS(X)                                                                                      \
    X(ADD, x + b) X(MULTIPLY, x * b) X(DAMPED, steep_step_damped(x, b)) X(DIVIDE, x / b) X(POWER, pow(x, b)) \
    X(TAKE_LESSER, steep_select((x < b) | (x != x), p, q))                                                  \
    X(TAKE_GREATER, steep_select((x > b) | (x != x), p, q))                                                 \
    X(SIN, sin(x))     X(COS, cos(x))         X(TAN, tan(x))       X(ASIN, asin(x)) X(ACOS, acos(x))        \
    X(ATAN, atan(x))   X(SINH, sinh(x))       X(COSH, cosh(x))     X(TANH, steep_tanh(x))                   \
    X(EXP, steep_exp(x)) X(EXPM1, steep_expm1(x)) X(LOG, log(x))   X(LOG1P, steep_log1p(x))                 \
    X(ERF, erf(x))     X(ERFC, erfc(x))       X(SQRT, sqrt(x))     X(CBRT, cbrt(x))                         \
    X(BESSEL_0, j0(x)) X(BESSEL_1, j1(x))     X(BESSEL_2, jn(2, x)) X(BESSEL_3, jn(3, x))                   \
    X(ABS, fabs(x))    X(ABS_SLOPE, x < 0 ? -1 : 1)                                                         \
    X(SIGN, x > 0 ? 1 : x < 0 ? -1 : x)                                                                     \
    X(RELU, x < 0 ? 0 : x) X(RELU_SLOPE, x > 0 ? 1 : x <= 0 ? 0 : x)                                        \
    X(SIGMOID, steep_step_logistic(x)) X(TANH_SLOPE, steep_step_tanh_slope(x)) X(NEGATE, -x)
/* clang-format on */
