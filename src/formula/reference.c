/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A formula in long double: the reference value, its rounding to double, and the folding of constants. */
#include "base/long_double.h"
#include "formula/program.h"

#define UNARY_LONG(code, word, value)                                                                                  \
    case STEEP_CODE_##code: return value;
long double steep_program_unary(steep_code c, long double a)
{
    switch (c) {
        STEEP_UNARY(UNARY_LONG)
    default: return NAN;
    }
}

static long double integer_power(int exponent, long double a)
{
    unsigned left = (unsigned)(exponent < 0 ? -exponent : exponent);
    long double result = left & 1 ? a : 1, square = a;
    while (left >>= 1) {
        square *= square;
        if (left & 1) result *= square;
    }
    return exponent < 0 ? 1 / result : result;
}

long double steep_program_binary(steep_code c, long double a, long double b)
{
    switch (c) {
    case STEEP_CODE_ADD: return a + b;
    case STEEP_CODE_SUBTRACT: return a - b;
    case STEEP_CODE_MULTIPLY: return a * b;
    case STEEP_CODE_DIVIDE: return a / b;
    case STEEP_CODE_POWER: return steep_powl(a, b);
    case STEEP_CODE_LESSER: return a < b || isnan(a) ? a : b;
    case STEEP_CODE_GREATER: return a > b || isnan(a) ? a : b;
    default: return NAN;
    }
}

long double steep_formula_reference(const steep_formula *formula, const long double *x)
{
    long double stack[STEEP_FORMULA_HEIGHT], place[STEEP_FORMULA_PLACES];
    size_t top = 0;
    for (const steep_instruction *i = formula->program; i < formula->program + formula->length; i++) {
        switch (steep_operands(i->code)) {
        case 0:
            stack[top++] = i->code == STEEP_CODE_NUMBER ? i->number
                           : i->code == STEEP_CODE_LOAD ? place[i->index]
                                                        : x[i->index];
            break;
        case 1:
            if (i->code == STEEP_CODE_STORE) {
                place[i->index] = stack[--top];
                break;
            }
            stack[top - 1] = i->code == STEEP_CODE_INTEGER_POWER ? integer_power(i->index, stack[top - 1])
                                                                 : steep_program_unary(i->code, stack[top - 1]);
            break;
        default:
            top--;
            stack[top - 1] = steep_program_binary(i->code, stack[top - 1], stack[top]);
            break;
        }
    }
    return stack[0];
}

void steep_formula_values(const steep_formula *formula, size_t count, const double *x, double *y)
{
    long double point[STEEP_FORMULA_VARIABLES];
    for (size_t k = 0; k < count; k++) {
        for (size_t j = 0; j < formula->dim; j++) point[j] = x[j * count + k];
        y[k] = (double)steep_formula_reference(formula, point);
    }
}
