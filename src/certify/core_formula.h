/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core_formula: the programs of formulas, for evaluators of certify. Apart from core.h, since operations and activations
 * share names. */
#pragma once

#include "formula/program.h"
#include "formula/rules.h"

/* Functions with one value and two derivatives where they are defined: code, name in both arithmetics. */
/* clang-format off */
#define STEEP_SMOOTH(X)                                                                                          \
    X(SIN, sin) X(COS, cos) X(TAN, tan) X(ASIN, asin) X(ACOS, acos) X(ATAN, atan) X(SINH, sinh) X(COSH, cosh)    \
    X(TANH, tanh) X(EXP, exp) X(LOG, log) X(ERF, erf) X(ERFC, erfc) X(EXPM1, expm1) X(LOG1P, log1p)              \
    X(SQRT, sqrt) X(CBRT, cbrt) X(SIGMOID, sigmoid) X(BESSEL_0, bessel_0) X(BESSEL_1, bessel_1)
/* clang-format on */

/* Is the function not defined, or not finite, for some real numbers? */
static inline bool steep_has_domain(steep_code code)
{
    return code == STEEP_CODE_TAN || code == STEEP_CODE_ASIN || code == STEEP_CODE_ACOS || code == STEEP_CODE_LOG || code == STEEP_CODE_LOG1P ||
           code == STEEP_CODE_SQRT;
}
