/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Are network and target one function by their formulas? Unit by unit the network, and the target, in normal form
 * (certify/normal.h). Numbers are exact: fractions where the formula has them, what their doubles are in parameters. */
#include "certify/enclose_parts.h"

enum { ATOMS = 240 };

typedef struct forms {
    const steep_enclosure *e;
    steep_normal_form normal;
    fmpq_mpoly_struct *network, *target, *term, *input; /* input: of the unit's formula */
    fmpq_t number;
} forms;

bool steep_enclosure_form(const steep_enclosure *e, size_t layer, size_t i, size_t k, const steep_normal_form *t,
                          fmpq_mpoly_struct *to)
{
    const steep_enclose_input from = steep_enclosure_input(e, layer, i, k);
    const bool is_linear = from.is_map && from.map == STEEP_MAP_LINEAR;
    if (layer > 0 || !from.c || (from.is_map && !is_linear && from.map != STEEP_MAP_AFFINE)) return false;
    fmpq_t number;
    fmpq_mpoly_t term;
    fmpq_init(number), fmpq_mpoly_init(term, t->context);
    steep_rational_set_double(number, is_linear ? 0 : from.c[from.is_map ? e->dim : 0]);
    fmpq_mpoly_set_fmpq(to, number, t->context);
    for (size_t j = 0; from.is_map && j < e->dim; j++) {
        fmpq_mpoly_gen(term, (slong)j, t->context);
        steep_rational_set_double(number, from.c[j]);
        fmpq_mpoly_scalar_mul_fmpq(term, term, number, t->context);
        fmpq_mpoly_add(to, to, term, t->context);
    }
    fmpq_clear(number), fmpq_mpoly_clear(term, t->context);
    return true;
}

static bool is_same(forms *f)
{
    const steep_enclosure *e = f->e;
    const fmpq_mpoly_ctx_struct *context = f->normal.context;
    steep_rational_set_double(f->number, e->theta[e->network.bias]);
    fmpq_mpoly_set_fmpq(f->network, f->number, context);
    for (size_t i = 0; i < e->network.width; i++) {
        for (size_t k = 0; k < e->unit.dim; k++)
            if (!steep_enclosure_form(e, 0, i, k, &f->normal, &f->input[k])) return false;
        if (!steep_normal_run(&f->normal, &e->unit, f->input, NULL, f->term)) return false;
        steep_rational_set_double(f->number, e->theta[e->network.output + i]);
        fmpq_mpoly_scalar_mul_fmpq(f->term, f->term, f->number, context);
        fmpq_mpoly_add(f->network, f->network, f->term, context);
    }
    return steep_normal_run(&f->normal, &e->target, NULL, NULL, f->target) &&
           fmpq_mpoly_equal(f->network, f->target, context) && steep_normal_keeps(&f->normal, f->target);
}

bool steep_enclosure_is_zero(const steep_enclosure *e)
{
    if (!e->networked || !e->targeted || e->moments > 0 || e->network.depth > 1) return false;
    const size_t count = 3 + e->unit.dim;
    forms f = {.e = e};
    bool same = steep_normal_open(&f.normal, e->dim, ATOMS);
    f.network = same ? steep_normal_new(&f.normal, count) : NULL;
    f.target = f.network + 1, f.term = f.network + 2, f.input = f.network + 3;
    fmpq_init(f.number);
    same = f.network && is_same(&f);
    fmpq_clear(f.number);
    steep_normal_free(&f.normal, f.network, count);
    steep_normal_close(&f.normal);
    return same;
}
