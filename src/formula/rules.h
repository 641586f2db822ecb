/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rules: first and second derivative of y = f(x), once for symbols (formula/tape.c) and for enclosures
 * (certify/enclosed_kernel.h): X(code, f', f''), in x, y and d1 = f'. A file that expands the list defines these
 * operations for its own kind of value:
 *
 *   NUM(c)               the number c, a double; ROOT_PI: 2 / sqrt(pi)
 *   ADD SUB MUL DIV NEG SQR
 *   FUN(code, name, a)   a function: code and name as in STEEP_SMOOTH (certify/enclosed.h)
 *   EITHER(a, b)         a for enclosures: x or y occurs once; b for numbers: more digits are kept */
#pragma once

/* clang-format off */
#define STEEP_SLOPES(X)                                                                                                \
    X(SIN, FUN(COS, cos, x), NEG(y))                                                                                   \
    X(COS, NEG(FUN(SIN, sin, x)), NEG(y))                                                                              \
    X(TAN, ADD(NUM(1), SQR(y)), MUL(MUL(NUM(2), y), d1))                                                               \
    X(SINH, FUN(COSH, cosh, x), y)                                                                                     \
    X(COSH, FUN(SINH, sinh, x), y)                                                                                     \
    X(EXP, y, y)                                                                                                       \
    X(EXPM1, FUN(EXP, exp, x), d1)                                                                                     \
    X(LOG, DIV(NUM(1), x), EITHER(NEG(SQR(d1)), DIV(NUM(-1), SQR(x))))                                                 \
    X(LOG1P, DIV(NUM(1), ADD(NUM(1), x)), EITHER(NEG(SQR(d1)), DIV(NUM(-1), SQR(ADD(NUM(1), x)))))                     \
    X(SQRT, DIV(NUM(0.5), y), DIV(NUM(-0.25), MUL(x, y)))                                                              \
    X(CBRT, DIV(NUM(1), EITHER(MUL(NUM(3), SQR(y)), MUL(MUL(NUM(3), y), y))),                                          \
      DIV(NUM(-2), EITHER(MUL(MUL(NUM(3), SQR(y)), MUL(NUM(3), x)), MUL(MUL(MUL(NUM(9), y), y), x))))                  \
    X(ASIN, DIV(NUM(1), FUN(SQRT, sqrt, COSINE)), DIV(x, MUL(COSINE, FUN(SQRT, sqrt, COSINE))))                        \
    X(ACOS, DIV(NUM(-1), FUN(SQRT, sqrt, COSINE)), DIV(NEG(x), MUL(COSINE, FUN(SQRT, sqrt, COSINE))))                  \
    X(ATAN, DIV(NUM(1), ADD(NUM(1), SQR(x))),                                                                          \
      DIV(MUL(NUM(-2), x), MUL(ADD(NUM(1), SQR(x)), ADD(NUM(1), SQR(x)))))                                             \
    X(TANH, EITHER(SUB(NUM(1), SQR(y)), FUN(TANH_SLOPE, tanh, x)), MUL(MUL(NUM(-2), y), d1))                           \
    X(SIGMOID, EITHER(SUB(NUM(0.25), SQR(SUB(y, NUM(0.5)))), MUL(y, FUN(SIGMOID, sigmoid, NEG(x)))),                   \
      EITHER(MUL(MUL(NUM(-2), SUB(y, NUM(0.5))), d1), MUL(d1, SUB(FUN(SIGMOID, sigmoid, NEG(x)), y))))                 \
    X(ERF, MUL(ROOT_PI, FUN(EXP, exp, NEG(SQR(x)))), MUL(MUL(NUM(-2), x), d1))                                         \
    X(ERFC, MUL(NEG(ROOT_PI), FUN(EXP, exp, NEG(SQR(x)))), MUL(MUL(NUM(-2), x), d1))                                   \
    X(BESSEL_0, NEG(FUN(BESSEL_1, bessel_1, x)), MUL(NUM(0.5), SUB(FUN(BESSEL_2, bessel_2, x), y)))                    \
    X(BESSEL_1, MUL(NUM(0.5), SUB(FUN(BESSEL_0, bessel_0, x), FUN(BESSEL_2, bessel_2, x))),                            \
      MUL(NUM(0.25), ADD(FUN(BESSEL_3, bessel_3, x), MUL(NUM(-3), y)))) /* 2 J_n' = J_{n-1} - J_{n+1} */
/* clang-format on */

/* 1 - x^2 */
#define COSINE EITHER(SUB(NUM(1), SQR(x)), MUL(ADD(NUM(1), NEG(x)), ADD(NUM(1), x)))
