/* SPDX-License-Identifier: GPL-3.0-or-later */
/* program: what a formula is parsed into, for the evaluators of this room: a postfix program. An evaluation runs over
 * the instructions with a stack of values of its own kind (long doubles, jets, values with derivatives). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "formula/formula.h"

/* Functions of one argument: code, word in a formula, function in long double. */
/* clang-format off */
#define STEEP_UNARY(X)                                                                  \
    X(SIN, "sin", sinl)    X(COS, "cos", cosl)    X(TAN, "tan", tanl)                   \
    X(ASIN, "asin", asinl) X(ACOS, "acos", acosl) X(ATAN, "atan", atanl)                \
    X(SINH, "sinh", sinhl) X(COSH, "cosh", coshl) X(TANH, "tanh", tanhl)                \
    X(EXP, "exp", expl)    X(LOG, "log", logl)    X(ERF, "erf", erfl)                   \
    X(ERFC, "erfc", erfcl) X(EXPM1, "expm1", expm1l) X(LOG1P, "log1p", log1pl)          \
    X(BESSEL_0, "J0", j0l) X(BESSEL_1, "J1", j1l)                                       \
    X(SQRT, "sqrt", sqrtl) X(CBRT, "cbrt", cbrtl) X(ABS, "abs", fabsl)                  \
    X(SIGN, "sign", sign) X(RELU, "relu", ramp)                                         \
    X(SIGMOID, "sigmoid", logistic) X(NEGATE, "-", minus) /* -: no word, so found by no name */

#define STEEP_UNARY_CODE(code, word, function) STEEP_CODE_##code,
typedef enum steep_code {
    STEEP_CODE_NUMBER, STEEP_CODE_VARIABLE, STEEP_CODE_LOAD,                    /* no operand */
    STEEP_UNARY(STEEP_UNARY_CODE) STEEP_CODE_INTEGER_POWER, STEEP_CODE_STORE, /* one */
    STEEP_CODE_ADD, STEEP_CODE_SUBTRACT, STEEP_CODE_MULTIPLY, STEEP_CODE_DIVIDE, STEEP_CODE_POWER, STEEP_CODE_LESSER, STEEP_CODE_GREATER /* two */
} steep_code;
/* clang-format on */

typedef struct steep_instruction {
    steep_code code;
    int index; /* of a VARIABLE; exponent of an INTEGER_POWER; place of a LOAD or STORE; of a NUMBER as below */
    long double number;
    const char
        *text; /* of a NUMBER that the formula writes out: its digits, index of them; NULL: pi (index 1), e (2) */
} steep_instruction;

struct steep_formula {
    char *text;
    size_t dim, length, height, places; /* height: most values on the stack at once; places: of STORE */
    steep_instruction *program;
    struct steep_tape *tape; /* of a unit, by order of derivatives (formula/tape.h); NULL for a formula of points */
};

enum {
    STEEP_FORMULA_PLACES = 8, /* functions that are formulas, one in another */
    STEEP_FORMULA_HEIGHT = STEEP_FORMULA_DEPTH + 1,
    STEEP_FORMULA_INPUTS = 40,  /* of a unit */
    STEEP_FORMULA_CELLS = 49152 /* doubles on the stack with derivatives */
};

static inline size_t steep_operands(steep_code c)
{
    return c <= STEEP_CODE_LOAD ? 0 : c <= STEEP_CODE_STORE ? 1 : 2;
}

/* Has it a kink? */
static inline bool steep_is_kink(steep_code c)
{
    return c == STEEP_CODE_RELU || c == STEEP_CODE_ABS || c == STEEP_CODE_SIGN || c == STEEP_CODE_LESSER || c == STEEP_CODE_GREATER;
}

/* A formula of points (counts NULL), or of a unit as steep_formula_parse_unit reads it, with no constant folded: what
 * is exact in the text is left to the caller. No tape. Digits stand in text, which must outlive the formula. */
steep_status steep_formula_unfolded(const char *text, size_t *counts, steep_formula **formula, steep_error *error);

/* One operation; the folding of constants and the reference use the same. */
long double steep_program_unary(steep_code c, long double a);
long double steep_program_binary(steep_code c, long double a, long double b);
