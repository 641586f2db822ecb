/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Are network and target one function by their formulas? Unit by unit the network, and the target, in normal form
 * (certify/normal.h). Numbers are exact: fractions where the formula has them, what their doubles are in parameters. */

#include "certify/enclose_parts.h"
#include "certify/normal.h"
#include "certify/core.h"

/* Polynomials: the two functions, scratch, and from INPUT on the inputs of the unit's formula. */
enum { NETWORK, OTHER, TERM, FACTOR, INPUT, ATOMS = 240 };

typedef struct forms {
    steep_normal_form *normal;
    steep_polynomial **p;
} forms;

static bool set_number(steep_normal_form *t, int index, long double value, const void *context, steep_polynomial *to)
{
    const steep_constant *c = &((const steep_constant *)context)[index];
    (void)value;
    if (!c->exact) return steep_normal_constant(t, c, steep_ball_side(&c->ball) != 0, to);
    steep_polynomial_set_fraction(to, &c->fraction);
    return true;
}

static bool run(const forms *f, const steep_enclosed *e, steep_polynomial *const *input, steep_polynomial *to)
{
    const steep_normal_program p = {e->program, e->length, e->height, e->places, set_number, e->constant};
    return steep_normal_run(f->normal, &p, input, to);
}

/* A map of x with these coefficients; false for maps that are not affine. */
static bool set_map(const steep_enclosure *e, const forms *f, steep_map map, const double *w, steep_polynomial *to)
{
    if (map != STEEP_MAP_AFFINE && map != STEEP_MAP_LINEAR) return false;
    steep_polynomial_set(to, map == STEEP_MAP_AFFINE ? w[e->dim] : 0);
    for (size_t j = 0; j < e->dim; j++) {
        steep_polynomial_set_variable(f->p[TERM], j);
        steep_polynomial_set(f->p[FACTOR], w[j]);
        steep_polynomial_multiply(f->p[TERM], f->p[TERM], f->p[FACTOR]);
        steep_polynomial_add(to, to, f->p[TERM]);
    }
    return true;
}

/* Adds D_i h_i. */
static bool add_unit(const steep_enclosure *e, const forms *f, size_t i)
{
    const steep_network *n = &e->network;
    steep_polynomial **input = f->p + INPUT;
    for (size_t b = 0; b < e->count[0]; b++)
        if (!set_map(e, f, n->counts.map[b], e->theta + steep_network_place(n, b, i), *input++)) return false;
    for (size_t k = 0; k < e->count[1]; k++)
        steep_polynomial_set(*input++, e->theta[n->scalars + i * n->counts.scalars + k]);
    for (size_t k = 0; k < e->count[2]; k++)
        set_map(e, f, STEEP_MAP_AFFINE, e->theta + n->shared_maps + k * (e->dim + 1), *input++);
    for (size_t k = 0; k < e->count[3]; k++) steep_polynomial_set(*input++, e->theta[n->shared_scalars + k]);
    steep_polynomial_set(f->p[FACTOR], e->theta[n->output + i]);
    if (!run(f, &e->unit, f->p + INPUT, f->p[TERM]) || !steep_normal_multiply(f->p[TERM], f->p[FACTOR])) return false;
    steep_polynomial_add(f->p[NETWORK], f->p[NETWORK], f->p[TERM]);
    return true;
}

static bool is_same(const steep_enclosure *e, const forms *f)
{
    steep_polynomial_set(f->p[NETWORK], e->theta[e->network.bias]);
    for (size_t i = 0; i < e->network.width; i++)
        if (!add_unit(e, f, i)) return false;
    return run(f, &e->target, NULL, f->p[OTHER]) && steep_polynomial_equal(f->p[NETWORK], f->p[OTHER]) &&
           steep_normal_keeps(f->normal, f->p[OTHER]);
}

bool steep_enclosure_is_zero(const steep_enclosure *e)
{
    if (!e->networked || !e->targeted || e->moments > 0 || e->network.depth > 1) return false;
    const size_t count = INPUT + e->unit.dim + 1;
    forms f = {.normal = steep_normal_open(e->dim, ATOMS)};
    if (f.normal) f.p = steep_polynomial_new_all(count, steep_normal_variables(f.normal));
    const bool same = f.p && is_same(e, &f);
    if (f.p) steep_polynomial_free_all(f.p, count);
    steep_normal_close(f.normal);
    return same;
}
