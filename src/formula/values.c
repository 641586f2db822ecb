/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A formula in double, in blocks of points: instructions outside, points inside, so that no switch sits in an inner
 * loop. */
#include <math.h>
#include <string.h>

#include "formula/program.h"

enum {
    CELLS = 4096, /* doubles on the evaluation stack: 32 KiB, shared by its levels and the places of STORE */
    BLOCK = 256   /* most points of a block */
};

#define UNARY_DOUBLE(code, word, function)                                                                             \
    case STEEP_##code:                                                                                                 \
        for (size_t k = 0; k < n; k++) a[k] = function(a[k]);                                                          \
        break;
static void unary_double(steep_code c, size_t n, double *a)
{
    switch (c) {
        STEEP_UNARY(UNARY_DOUBLE)
    default: break;
    }
}

static void integer_power_double(int exponent, size_t n, double *a)
{
    double square[BLOCK];
    unsigned left = (unsigned)(exponent < 0 ? -exponent : exponent);
    memcpy(square, a, n * sizeof *a);
    for (size_t k = 0; !(left & 1) && k < n; k++) a[k] = 1;
    while (left >>= 1) {
        for (size_t k = 0; k < n; k++) square[k] *= square[k];
        for (size_t k = 0; left & 1 && k < n; k++) a[k] *= square[k];
    }
    for (size_t k = 0; exponent < 0 && k < n; k++) a[k] = 1 / a[k];
}

/* NaN in a fails both comparisons of "a is the one", so a itself is tested; NaN in b is the other branch. */
static void binary_double(steep_code c, size_t n, double *restrict a, const double *restrict b)
{
    switch (c) {
    case STEEP_ADD:
        for (size_t k = 0; k < n; k++) a[k] += b[k];
        break;
    case STEEP_SUBTRACT:
        for (size_t k = 0; k < n; k++) a[k] -= b[k];
        break;
    case STEEP_MULTIPLY:
        for (size_t k = 0; k < n; k++) a[k] *= b[k];
        break;
    case STEEP_DIVIDE:
        for (size_t k = 0; k < n; k++) a[k] /= b[k];
        break;
    case STEEP_POWER:
        for (size_t k = 0; k < n; k++) a[k] = pow(a[k], b[k]);
        break;
    case STEEP_LESSER:
        for (size_t k = 0; k < n; k++) a[k] = a[k] < b[k] || isnan(a[k]) ? a[k] : b[k];
        break;
    case STEEP_GREATER:
        for (size_t k = 0; k < n; k++) a[k] = a[k] > b[k] || isnan(a[k]) ? a[k] : b[k];
        break;
    default: break;
    }
}

static void values_block(const steep_formula *f, size_t n, const double *x, size_t stride, double *stack, double *y)
{
    double *place = stack + f->height * n, *top = stack - n;
    for (const steep_instruction *i = f->program; i < f->program + f->length; i++) {
        switch (steep_operands(i->code)) {
        case 0:
            top += n;
            if (i->code == STEEP_NUMBER)
                for (size_t k = 0; k < n; k++) top[k] = (double)i->number;
            else
                memcpy(top, i->code == STEEP_LOAD ? place + (size_t)i->index * n : x + (size_t)i->index * stride,
                       n * sizeof *top);
            break;
        case 1:
            if (i->code == STEEP_STORE) {
                memcpy(place + (size_t)i->index * n, top, n * sizeof *top);
                top -= n;
            } else if (i->code == STEEP_INTEGER_POWER) integer_power_double(i->index, n, top);
            else unary_double(i->code, n, top);
            break;
        default:
            top -= n;
            binary_double(i->code, n, top, top + n);
            break;
        }
    }
    memcpy(y, top, n * sizeof *y);
}

void steep_formula_values(const steep_formula *formula, size_t count, const double *x, double *y)
{
    double stack[CELLS];
    const size_t room = CELLS / (formula->height + formula->places), most = room < BLOCK ? room : BLOCK;
    for (size_t first = 0; first < count; first += most) {
        const size_t n = count - first < most ? count - first : most;
        values_block(formula, n, x + first, count, stack, y + first);
    }
}
