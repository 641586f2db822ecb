/* SPDX-License-Identifier: GPL-3.0-or-later */
/* program: what a formula is parsed into, for the evaluators of this room: a postfix program. An evaluation runs over
 * the instructions with a stack of values of its own kind (long doubles, jets, values with derivatives). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "formula/formula.h"

/* Functions of one argument: code, word in a formula, value at a in long double. */
/* clang-format off */
#define STEEP_UNARY(X)                                                                                \
    X(SIN, "sin", sinl(a))          X(COS, "cos", cosl(a))             X(TAN, "tan", tanl(a))             \
    X(ASIN, "asin", asinl(a))       X(ACOS, "acos", steep_acosl(a))    X(ATAN, "atan", steep_atanl(a))    \
    X(SINH, "sinh", steep_sinhl(a)) X(COSH, "cosh", steep_coshl(a))    X(TANH, "tanh", steep_tanhl(a))    \
    X(EXP, "exp", steep_expl(a))    X(LOG, "log", steep_logl(a))       X(ERF, "erf", steep_erfl(a))       \
    X(ERFC, "erfc", steep_erfcl(a)) X(EXPM1, "expm1", steep_expm1l(a)) X(LOG1P, "log1p", steep_log1pl(a)) \
    X(BESSEL_0, "J0", j0l(a))       X(BESSEL_1, "J1", j1l(a))                                             \
    X(SQRT, "sqrt", sqrtl(a))       X(CBRT, "cbrt", cbrtl(a))          X(ABS, "abs", fabsl(a))            \
    X(SIGN, "sign", a > 0 ? 1 : a < 0 ? -1 : a)                        X(RELU, "relu", a < 0 ? 0 : a)     \
    X(SIGMOID, "sigmoid", a < 0 ? steep_expl(a) / (1 + steep_expl(a)) : 1 / (1 + steep_expl(-a)))         \
    X(NEGATE, "-", -a) /* -: no word, so found by no name */

#define STEEP_UNARY_CODE(code, word, value) STEEP_CODE_##code,
typedef enum steep_code {
    STEEP_CODE_NUMBER, STEEP_CODE_VARIABLE, STEEP_CODE_LOAD,                    /* no operand */
    STEEP_UNARY(STEEP_UNARY_CODE) STEEP_CODE_INTEGER_POWER, STEEP_CODE_STORE, /* one */
    STEEP_CODE_ADD, STEEP_CODE_SUBTRACT, STEEP_CODE_MULTIPLY, STEEP_CODE_DIVIDE, STEEP_CODE_POWER,
    STEEP_CODE_LESSER, STEEP_CODE_GREATER /* two */
} steep_code;
/* clang-format on */

typedef struct steep_instruction {
    steep_code code;
    int index; /* of a VARIABLE; exponent of an INTEGER_POWER; place of a LOAD or STORE; of a NUMBER as below */
    long double number;
    const char *text; /* of a NUMBER: its text, index characters long; NULL: pi (index 1), e (2) */
} steep_instruction;

struct steep_formula {
    char *text;
    size_t dim, length, height, places; /* height: most values on the stack at once; places: for STORE */
    steep_instruction *program;
    struct steep_tape *tape; /* of a unit, by order of derivatives (formula/tape.h); NULL for a formula of points */
};

enum {
    STEEP_FORMULA_PLACES = 8, /* deepest nesting of functions that are formulas */
    STEEP_FORMULA_HEIGHT = STEEP_FORMULA_DEPTH + 1,
    STEEP_FORMULA_INPUTS = 40,  /* of a unit */
    STEEP_FORMULA_CELLS = 49152 /* most doubles of an evaluation with derivatives */
};

static inline size_t steep_operands(steep_code c)
{
    return c <= STEEP_CODE_LOAD ? 0 : c <= STEEP_CODE_STORE ? 1 : 2;
}

/* Does the operation have a kink? */
static inline bool steep_is_kink(steep_code c)
{
    return c == STEEP_CODE_RELU || c == STEEP_CODE_ABS || c == STEEP_CODE_SIGN || c == STEEP_CODE_LESSER ||
           c == STEEP_CODE_GREATER;
}

/* Reads a formula of points (counts NULL), or of a unit as steep_formula_parse_unit does. unfolded: no constant is
 * folded and rounded; there is no tape; numbers point into text, which must outlive the formula. */
steep_status steep_formula_read(const char *text, bool unfolded, size_t *counts, steep_formula **formula,
                                steep_error *error);

/* The value of one operation, for the folding of constants and for the reference. */
long double steep_program_unary(steep_code c, long double a);
long double steep_program_binary(steep_code c, long double a, long double b);
