/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Are network and target one function by their formulas? Unit by unit the network, and the target, in normal form
 * (certify/normal.h). Numbers are exact: fractions where the formula has them, what their doubles are in parameters. */
#include "certify/enclose_parts.h"
#include "certify/normal.h"

typedef struct forms {
    const steep_enclosure *e;
    steep_normal_form normal;
    fmpq_mpoly_struct *network, *target, *term, *input; /* input: of the unit's formula */
    fmpq_t number;
} forms;

/* Input k of unit i's formula; false for maps that are not affine. */
static bool set_input(forms *f, size_t i, size_t k)
{
    const steep_enclose_input from = steep_enclosure_input(f->e, 0, i, k);
    const size_t d = f->e->dim;
    if (from.is_map && from.map != STEEP_MAP_AFFINE && from.map != STEEP_MAP_LINEAR) return false;
    steep_rational_set_double(f->number, !from.is_map ? *from.c : from.map == STEEP_MAP_AFFINE ? from.c[d] : 0);
    fmpq_mpoly_set_fmpq(&f->input[k], f->number, f->normal.context);
    for (size_t j = 0; from.is_map && j < d; j++) {
        fmpq_mpoly_gen(f->term, (slong)j, f->normal.context);
        steep_rational_set_double(f->number, from.c[j]);
        fmpq_mpoly_scalar_mul_fmpq(f->term, f->term, f->number, f->normal.context);
        fmpq_mpoly_add(&f->input[k], &f->input[k], f->term, f->normal.context);
    }
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
            if (!set_input(f, i, k)) return false;
        if (!steep_normal_run(&f->normal, &e->unit, f->input, f->term)) return false;
        steep_rational_set_double(f->number, e->theta[e->network.output + i]);
        fmpq_mpoly_scalar_mul_fmpq(f->term, f->term, f->number, context);
        fmpq_mpoly_add(f->network, f->network, f->term, context);
    }
    return steep_normal_run(&f->normal, &e->target, NULL, f->target) &&
           fmpq_mpoly_equal(f->network, f->target, context) && steep_normal_keeps(&f->normal, f->target);
}

bool steep_enclosure_is_zero(const steep_enclosure *e)
{
    if (!e->networked || !e->targeted || e->moments > 0 || e->network.depth > 1) return false;
    const size_t count = 3 + e->unit.dim;
    forms f = {.e = e};
    bool same = steep_normal_open(&f.normal, e->dim);
    f.network = same ? steep_normal_new(&f.normal, count) : NULL;
    f.target = f.network + 1, f.term = f.network + 2, f.input = f.network + 3;
    fmpq_init(f.number);
    same = f.network && is_same(&f);
    fmpq_clear(f.number);
    steep_normal_free(&f.normal, f.network, count);
    steep_normal_close(&f.normal);
    return same;
}
