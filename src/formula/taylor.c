/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A formula as a Taylor jet along a line. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "formula/jet.h"
#include "formula/program.h"

enum { TERMS = STEEP_JET_ORDER + 1 };

static void copy_jet(size_t order, const long double *from, long double *to)
{
    memcpy(to, from, (order + 1) * sizeof *to);
}

/* a's sign for small t > 0: that of its first coefficient that is not 0 (NaN counts as positive and stays visible). */
static bool is_negative(size_t order, const long double *a)
{
    for (size_t k = 0; k <= order; k++)
        if (a[k] != 0) return a[k] < 0;
    return false;
}

static void integer_power_jet(int exponent, size_t order, long double *a)
{
    long double square[TERMS], product[TERMS], one[TERMS] = {1};
    unsigned left = (unsigned)(exponent < 0 ? -exponent : exponent);
    copy_jet(order, a, square);
    if (!(left & 1)) copy_jet(order, one, a);
    while (left >>= 1) {
        steep_jet_mul(order, square, square, product);
        copy_jet(order, product, square);
        if (left & 1) {
            steep_jet_mul(order, a, square, product);
            copy_jet(order, product, a);
        }
    }
    if (exponent < 0) {
        steep_jet_div(order, one, a, product);
        copy_jet(order, product, a);
    }
}

/* out = by f(in a) but for its first coefficient, the caller's. */
static void scaled_jet(size_t order, const long double *a, void (*f)(size_t, const long double *, long double *),
                       long double in, long double by, long double *out)
{
    long double argument[TERMS];
    for (size_t k = 0; k <= order; k++) argument[k] = in * a[k];
    f(order, argument, out);
    for (size_t k = 0; k <= order; k++) out[k] *= by;
}

static void shifted_log(size_t order, const long double *a, long double *out)
{
    long double argument[TERMS];
    copy_jet(order, a, argument);
    argument[0] += 1;
    steep_jet_log(order, argument, out);
}

static void unary_jet(steep_code c, size_t order, const long double *a, long double *out)
{
    long double unused[TERMS];
    switch (c) {
    case STEEP_SIN: steep_jet_sin_cos(order, a, out, unused); break;
    case STEEP_COS: steep_jet_sin_cos(order, a, unused, out); break;
    case STEEP_TAN: steep_jet_tan(order, a, out); break;
    case STEEP_ASIN: steep_jet_asin(order, a, out); break;
    case STEEP_ACOS: steep_jet_acos(order, a, out); break;
    case STEEP_ATAN: steep_jet_atan(order, a, out); break;
    case STEEP_SINH: steep_jet_sinh_cosh(order, a, out, unused); break;
    case STEEP_COSH: steep_jet_sinh_cosh(order, a, unused, out); break;
    case STEEP_TANH: steep_jet_tanh(order, a, out); break;
    case STEEP_EXP: steep_jet_exp(order, a, out); break;
    case STEEP_LOG: steep_jet_log(order, a, out); break;
    case STEEP_SQRT: steep_jet_sqrt(order, a, out); break;
    case STEEP_CBRT: steep_jet_cbrt(order, a, out); break;
    case STEEP_ERF: steep_jet_erf(order, a, out); break;
    case STEEP_ERFC: scaled_jet(order, a, steep_jet_erf, 1, -1, out); break;
    case STEEP_EXPM1: scaled_jet(order, a, steep_jet_exp, 1, 1, out); break;
    case STEEP_LOG1P: shifted_log(order, a, out); break;
    case STEEP_SIGMOID: scaled_jet(order, a, steep_jet_tanh, 0.5L, 0.5L, out); break;
    default: { /* piecewise linear: a factor times a; sign is constant on each side */
        const long double factor = c == STEEP_ABS && is_negative(order, a) ? -1
                                   : c == STEEP_NEGATE                     ? -1
                                   : c == STEEP_RELU && a[0] <= 0          ? 0
                                                                           : 1;
        for (size_t k = 0; k <= order; k++) out[k] = c == STEEP_SIGN ? 0 : factor * a[k];
        out[0] = steep_program_unary(c, a[0]);
        break;
    }
    }
    if (c == STEEP_ERFC || c == STEEP_EXPM1 || c == STEEP_LOG1P || c == STEEP_SIGMOID)
        out[0] = steep_program_unary(c, a[0]); /* no cancellation */
}

static void binary_jet(steep_code c, size_t order, const long double *a, const long double *b, long double *out)
{
    long double difference[TERMS];
    for (size_t k = 0; k <= order; k++) {
        out[k] = a[k] + b[k];
        difference[k] = a[k] - b[k];
    }
    switch (c) {
    case STEEP_ADD: break;
    case STEEP_SUBTRACT: copy_jet(order, difference, out); break;
    case STEEP_MULTIPLY: steep_jet_mul(order, a, b, out); break;
    case STEEP_DIVIDE: steep_jet_div(order, a, b, out); break;
    case STEEP_POWER: steep_jet_pow(order, a, b, out); break;
    default: /* a NaN in either makes all of the result NaN */
        if (!isnan(difference[0])) copy_jet(order, is_negative(order, difference) == (c == STEEP_LESSER) ? a : b, out);
        break;
    }
}

/* An operand: its jet, and whether it is known to be 0 on the whole line near t = 0. Coefficients that are 0 do not tell
 * that of t^30, whose powers t^(30 p) go on; behind a closed gate, relu of a negative number, all powers are 0. */
typedef struct operand {
    long double c[TERMS];
    bool zero;
} operand;

static operand leaf(const steep_instruction *i, const long double *x, const long double *v, size_t order)
{
    operand a = {{i->code == STEEP_NUMBER ? i->number : x[i->index]}, false};
    if (i->code == STEEP_VARIABLE && order > 0) a.c[1] = v ? v[i->index] : i->index == 0;
    a.zero = a.c[0] == 0 && (order == 0 || a.c[1] == 0);
    return a;
}

static bool is_zero(size_t order, const long double *c)
{
    size_t k = 0;
    while (k <= order && c[k] == 0) k++;
    return k > order;
}

static void unary(const steep_instruction *i, size_t order, operand *a)
{
    operand out = {{0}, a->zero || (i->code == STEEP_RELU && a->c[0] < 0)};
    if (i->code == STEEP_INTEGER_POWER) {
        out = *a;
        integer_power_jet(i->index, order, out.c);
    } else unary_jet(i->code, order, a->c, out.c);
    out.zero = out.zero && out.c[0] == 0;
    if (out.zero) memset(out.c, 0, sizeof out.c);
    *a = out;
}

static void binary(steep_code code, size_t order, operand *a, const operand *b)
{
    operand out = {{0}, false};
    const operand *taken = (a->c[0] < b->c[0]) == (code == STEEP_LESSER) ? a : b;
    binary_jet(code, order, a->c, b->c, out.c);
    switch (code) {
    case STEEP_POWER:
        out.zero = a->zero && out.c[0] == 0;
        if (out.zero) memset(out.c, 0, sizeof out.c);
        break;
    case STEEP_MULTIPLY: /* the other may have a value and no derivative: cbrt(x) at 0 */
    case STEEP_DIVIDE:
        out.zero = (a->zero || (code == STEEP_MULTIPLY && b->zero)) && out.c[0] == 0;
        if (out.zero) memset(out.c, 0, sizeof out.c);
        break;
    case STEEP_LESSER:
    case STEEP_GREATER:
        out.zero = (a->c[0] != b->c[0] ? taken->zero : a->zero && b->zero) && is_zero(order, out.c);
        break;
    default: out.zero = a->zero && b->zero; break;
    }
    *a = out;
}

static void jet_run(const steep_formula *f, const long double *x, const long double *v, size_t order, long double *c)
{
    operand stack[STEEP_FORMULA_HEIGHT], place[STEEP_FORMULA_PLACES];
    size_t top = 0;
    for (const steep_instruction *i = f->program; i < f->program + f->length; i++) {
        switch (steep_operands(i->code)) {
        case 0: stack[top++] = i->code == STEEP_LOAD ? place[i->index] : leaf(i, x, v, order); break;
        case 1:
            if (i->code == STEEP_STORE) place[i->index] = stack[--top];
            else unary(i, order, &stack[top - 1]);
            break;
        default:
            top--;
            binary(i->code, order, &stack[top - 1], &stack[top]);
            break;
        }
    }
    copy_jet(order, stack[0].c, c);
}

void steep_formula_jet(const steep_formula *formula, const long double *x, const long double *v, size_t order,
                       long double *c)
{
    jet_run(formula, x, v, order, c);
    bool known = true;
    for (size_t k = 1; k <= order; k++) known = known && !isnan(c[k]);
    if (known || isnan(c[0]) || order == STEEP_JET_ORDER) return;
    /* A root at 0 loses orders (the first coefficient of sqrt(x^2) needs the second of x^2): ask for more of them. */
    long double longer[TERMS];
    jet_run(formula, x, v, STEEP_JET_ORDER, longer);
    copy_jet(order, longer, c);
}
