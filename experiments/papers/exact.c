/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "papers/exact.h"

#include <math.h>

#include "formula/program.h"
#include "formula/tape.h"

#define LARGEST_DEGREE ((size_t)1 << 20)
#define LARGEST_SIZE   0x1p22 /* bits of a result */

#define SPELLED(code, word, function)                                                                                  \
    case STEEP_CODE_##code: return word;
static const char *word_of(steep_code c)
{
    switch (c) {
        STEEP_UNARY(SPELLED)
    case STEEP_CODE_DIVIDE: return "a quotient";
    case STEEP_CODE_POWER: return "a power whose exponent is not whole";
    case STEEP_CODE_INTEGER_POWER: return "a negative power";
    case STEEP_CODE_LESSER: return "min";
    case STEEP_CODE_GREATER: return "max";
    default: return "?";
    }
}

static steep_status refuse(const steep_formula *f, steep_code c, const char *why, steep_error *error)
{
    return steep_fail(error, STEEP_BAD_INPUT, "%.200s: %s %s: only polynomials have an exact expansion",
                      steep_formula_text(f), word_of(c), why);
}

static steep_status unary(const steep_formula *f, steep_code c, steep_polynomial *a, steep_error *error)
{
    if (c == STEEP_CODE_NEGATE) {
        steep_polynomial *zero = steep_polynomial_new(steep_polynomial_variables(a));
        steep_polynomial_subtract(a, zero, a);
        steep_polynomial_free(zero);
        return STEEP_OK;
    }
    if (c != STEEP_CODE_RELU && c != STEEP_CODE_ABS && c != STEEP_CODE_SIGN)
        return refuse(f, c, "is no polynomial", error);
    if (!steep_polynomial_is_number(a)) return refuse(f, c, "of a polynomial that is no number", error);
    const int sign = steep_polynomial_sign(a);
    if (c == STEEP_CODE_SIGN) steep_polynomial_set_ratio(a, sign, 1);
    else if (sign < 0 && c == STEEP_CODE_RELU) steep_polynomial_set_ratio(a, 0, 1);
    else if (sign < 0) return unary(f, STEEP_CODE_NEGATE, a, error);
    return STEEP_OK;
}

/* Monomials of a degree in so many variables, and below: (degree + variables) over variables. */
static double monomials(size_t degree, size_t variables)
{
    double count = 1;
    for (size_t j = 1; j <= variables; j++) count *= (double)(degree + j) / (double)j;
    return count;
}

/* Refuses what would be larger than memory and patience: a result of at most `terms` terms, of a degree, of so many
 * bits a coefficient. */
static steep_status check_size(const steep_formula *f, const steep_polynomial *a, double terms, size_t degree,
                               double bits, steep_error *error)
{
    if (fmin(terms, monomials(degree, steep_polynomial_variables(a))) * bits <= LARGEST_SIZE) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%.200s: its expansion has numbers of more than %g bits: use smaller powers",
                      steep_formula_text(f), LARGEST_SIZE);
}

static steep_status multiply(const steep_formula *f, steep_polynomial *a, const steep_polynomial *b, steep_error *error)
{
    const double p = (double)steep_polynomial_terms(a), q = (double)steep_polynomial_terms(b);
    const double bits = (double)(steep_polynomial_bits(a) + steep_polynomial_bits(b)) + log2(fmin(p, q) + 1);
    const size_t degree = steep_polynomial_degree(a) + steep_polynomial_degree(b);
    const steep_status status = check_size(f, a, p * q, degree, bits, error);
    if (status == STEEP_OK) steep_polynomial_multiply(a, a, b);
    return status;
}

static steep_status power(const steep_formula *f, int exponent, steep_polynomial *a, steep_error *error)
{
    const unsigned n = exponent < 0 ? 0U - (unsigned)exponent : (unsigned)exponent;
    if (n > LARGEST_DEGREE || n * steep_polynomial_degree(a) > LARGEST_DEGREE)
        return steep_fail(error, STEEP_BAD_INPUT, "%.200s: a degree above %zu", steep_formula_text(f), LARGEST_DEGREE);
    const double terms = (double)steep_polynomial_terms(a);
    const double bits = n * ((double)steep_polynomial_bits(a) + log2(terms + 1));
    const steep_status status = check_size(f, a, pow(terms, n), n * steep_polynomial_degree(a), bits, error);
    if (status != STEEP_OK) return status;
    steep_polynomial_power(a, a, n);
    if (exponent >= 0) return STEEP_OK;
    steep_polynomial *one = steep_polynomial_new(steep_polynomial_variables(a));
    steep_polynomial_set_ratio(one, 1, 1);
    const bool done = steep_polynomial_divide(a, one, a);
    steep_polynomial_free(one);
    return done ? STEEP_OK : refuse(f, STEEP_CODE_INTEGER_POWER, "of a polynomial that is no number, or of 0", error);
}

/* a = a op b */
static steep_status binary(const steep_formula *f, steep_code c, steep_polynomial *a, steep_polynomial *b,
                           steep_error *error)
{
    switch (c) {
    case STEEP_CODE_ADD: steep_polynomial_add(a, a, b); return STEEP_OK;
    case STEEP_CODE_SUBTRACT: steep_polynomial_subtract(a, a, b); return STEEP_OK;
    case STEEP_CODE_MULTIPLY: return multiply(f, a, b, error);
    case STEEP_CODE_DIVIDE:
        return steep_polynomial_divide(a, a, b) ? STEEP_OK
                                                : refuse(f, c, "by a polynomial that is no number, or by 0", error);
    case STEEP_CODE_POWER: return refuse(f, c, "is no polynomial", error);
    default: break;
    }
    if (!steep_polynomial_is_number(a) || !steep_polynomial_is_number(b))
        return refuse(f, c, "of a polynomial that is no number", error);
    steep_polynomial *difference = steep_polynomial_new(steep_polynomial_variables(a));
    steep_polynomial_subtract(difference, a, b);
    const int sign = steep_polynomial_sign(difference);
    steep_polynomial_free(difference);
    if (c == STEEP_CODE_LESSER ? sign > 0 : sign < 0) steep_polynomial_copy(a, b);
    return STEEP_OK;
}

/* One instruction on the stack, of which *height are in use; places follow the stack. */
static steep_status execute(const steep_formula *f, const steep_instruction *i, const steep_polynomial *const *x,
                            steep_polynomial **stack, size_t *height, steep_error *error)
{
    steep_polynomial **place = stack + f->height;
    switch (i->code) {
    case STEEP_CODE_NUMBER:
        if (steep_polynomial_set(stack[(*height)++], (double)i->number)) return STEEP_OK;
        return steep_fail(error, STEEP_BAD_INPUT, "%.200s: a number that is not finite", steep_formula_text(f));
    case STEEP_CODE_VARIABLE: steep_polynomial_copy(stack[(*height)++], x[i->index]); return STEEP_OK;
    case STEEP_CODE_LOAD: steep_polynomial_copy(stack[(*height)++], place[i->index]); return STEEP_OK;
    case STEEP_CODE_STORE: steep_polynomial_copy(place[i->index], stack[--*height]); return STEEP_OK;
    case STEEP_CODE_INTEGER_POWER: return power(f, i->index, stack[*height - 1], error);
    default: break;
    }
    if (steep_operands(i->code) == 1) return unary(f, i->code, stack[*height - 1], error);
    --*height;
    return binary(f, i->code, stack[*height - 1], stack[*height], error);
}

steep_status steep_formula_exact(const steep_formula *formula, const steep_polynomial *const *x, steep_polynomial *to,
                                 steep_error *error)
{
    const size_t cells = formula->height + formula->places;
    steep_polynomial **stack = steep_polynomial_new_all(cells, steep_polynomial_variables(to));
    size_t height = 0;
    steep_status status = STEEP_OK;
    for (size_t i = 0; status == STEEP_OK && i < formula->length; i++)
        status = execute(formula, formula->program + i, x, stack, &height, error);
    if (status == STEEP_OK) steep_polynomial_copy(to, stack[0]);
    steep_polynomial_free_all(stack, cells);
    return status;
}
