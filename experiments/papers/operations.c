/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "papers/operations.h"

#include <stdlib.h>

#include "formula/program.h"
#include "formula/tape.h"

enum {
    OF_UNIT = 1,
    OF_POINT = 2,
    ELEMENT = 3, /* of both */
    NUMBER = 4   /* a number, not a parameter */
};

/* What the columns of a tape hold now: what it depends on, and whether it has been counted among the kept. */
typedef struct value {
    unsigned of;
    bool kept;
} value;

static void keep(value *v, steep_operations *all)
{
    if ((v->of & ELEMENT) != ELEMENT || v->kept) return;
    v->kept = true;
    all->kept++;
}

static bool is_function(int op)
{
    const bool plain = op == STEEP_CODE_ABS || op == STEEP_CODE_SIGN || op == STEEP_CODE_RELU;
    return op >= STEEP_CODE_SIN && op < STEEP_CODE_NEGATE && !plain;
}

static size_t arguments(int op)
{
    if (op == STEEP_CODE_NUMBER) return 0;
    return op >= STEEP_CODE_ADD && op <= STEEP_CODE_GREATER ? 2 : 1;
}

/* to: what the step leaves, not yet in its column. */
static void keep_for_step(const steep_step *step, value *column, value *to, steep_operations *all)
{
    value *a = column + step->from[0], *b = column + step->from[1];
    switch (step->op) {
    case STEEP_CODE_MULTIPLY:
        if (!(b->of & NUMBER)) keep(a, all);
        if (!(a->of & NUMBER)) keep(b, all);
        break;
    case STEEP_CODE_DIVIDE:
        if (!(b->of & NUMBER)) keep(a, all);
        keep(b, all);
        break;
    case STEEP_CODE_POWER: keep(a, all), keep(b, all); break;
    case STEEP_CODE_EXP:
    case STEEP_CODE_TANH:
    case STEEP_CODE_SIGMOID:
    case STEEP_CODE_SQRT:
    case STEEP_CODE_RELU:
    case STEEP_CODE_LESSER:
    case STEEP_CODE_GREATER: keep(to, all); break;
    case STEEP_CODE_ADD:
    case STEEP_CODE_SUBTRACT:
    case STEEP_CODE_NEGATE:
    case STEEP_CODE_NUMBER: break;
    default: keep(a, all); break;
    }
}

steep_operations steep_formula_operations(const steep_formula *unit, const size_t counts[5])
{
    static const unsigned of[5] = {ELEMENT, OF_UNIT, OF_POINT, 0, OF_POINT};
    const steep_tape *tape = unit->tape;
    steep_operations all = {0};
    value *column = calloc(unit->dim + tape->columns, sizeof *column);
    if (!column) return all;
    for (size_t kind = 0, i = 0; kind < 5; kind++)
        for (size_t k = 0; k < counts[kind]; k++) column[i++].of = of[kind];
    for (const steep_step *step = tape->step; step < tape->step + tape->steps; step++) {
        value to = {0};
        const size_t n = arguments(step->op);
        bool numbers = true;
        for (size_t k = 0; k < n; k++) {
            to.of |= column[step->from[k]].of & ELEMENT;
            numbers = numbers && column[step->from[k]].of & NUMBER;
        }
        if (numbers) to.of = NUMBER; /* a number itself, or a function of such */
        if (to.of == ELEMENT) {
            if (is_function(step->op)) all.functions++;
            else all.arithmetic++;
            keep_for_step(step, column, &to, &all);
        }
        column[step->to] = to;
    }
    free(column);
    return all;
}
