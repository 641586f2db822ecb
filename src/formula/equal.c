/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two formulas in normal form (formula/normal.h); numbers are what evaluators have. */
#include "formula/normal.h"
#include "formula/program.h"

enum { ATOMS = 40, LARGEST_DIM = 16 };

static bool number(steep_normal_form *t, int index, long double value, const void *context, steep_polynomial *to)
{
    (void)t, (void)index, (void)context;
    return steep_polynomial_set(to, value);
}

static bool run(steep_normal_form *t, const steep_formula *f, steep_polynomial *to)
{
    const steep_normal_program p = {f->program, f->length, f->height, f->places, number, NULL};
    return steep_normal_run(t, &p, NULL, to);
}

bool steep_formula_equal(const steep_formula *a, const steep_formula *b)
{
    if (a->dim != b->dim || a->dim > LARGEST_DIM) return false;
    steep_normal_form *t = steep_normal_open(a->dim, ATOMS);
    steep_polynomial **form = t ? steep_polynomial_new_all(2, steep_normal_variables(t)) : NULL;
    const bool same = form && run(t, a, form[0]) && run(t, b, form[1]) && steep_polynomial_equal(form[0], form[1]);
    if (form) steep_polynomial_free_all(form, 2);
    steep_normal_close(t);
    return same;
}
