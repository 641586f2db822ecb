/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A network of several layers in exact arithmetic: each unit by its formula (model/written.h), evaluated in polynomials
 * (papers/exact.h). */
#include "base/status.h"
#include "data/target.h"
#include "formula/formula.h"
#include "model/network.h"
#include "model/written.h"
#include "papers/exact.h"
#include "papers/layers.h"

/* What a layer is computed with. */
typedef struct exact {
    const steep_network *network;
    const double *theta;
    size_t variables;
    const steep_polynomial *const *in; /* network->dim */
    steep_formula *formula;
    steep_polynomial **u, *product, *number, *square;
} exact;

/* to += w p, p NULL: 1 */
static bool add_multiple(exact *e, double w, const steep_polynomial *p, steep_polynomial *to)
{
    if (!steep_polynomial_set(e->number, w)) return false;
    if (w == 0) return true;
    if (p) steep_polynomial_multiply(e->product, e->number, p);
    steep_polynomial_add(to, to, p ? e->product : e->number);
    return true;
}

/* to += w in_a in_b */
static bool add_product(exact *e, double w, size_t a, size_t b, steep_polynomial *to)
{
    steep_polynomial_multiply(e->square, e->in[a], e->in[b]);
    return add_multiple(e, w, e->square, to);
}

/* to = sum_f W_f phi_f */
static bool set_map(exact *e, steep_map map, const double *W, steep_polynomial *to)
{
    const size_t d = e->network->dim;
    bool finite = true;
    steep_polynomial_set_ratio(to, 0, 1);
    for (size_t j = 0; j < d; j++)
        finite =
            finite && (map == STEEP_MAP_SQUARES ? add_product(e, W[j], j, j, to) : add_multiple(e, W[j], e->in[j], to));
    if (map == STEEP_MAP_AFFINE || map == STEEP_MAP_QUADRATIC) finite = finite && add_multiple(e, W[d], NULL, to);
    for (size_t i = 0, f = d + 1; map == STEEP_MAP_QUADRATIC && i < d; i++)
        for (size_t j = i; j < d; j++, f++) finite = finite && add_product(e, W[f], i, j, to);
    return finite;
}

/* The inputs of unit i, in unit.h's order. */
static bool set_inputs(exact *e, size_t i)
{
    const steep_network *n = e->network;
    const steep_counts *c = &n->counts;
    size_t m = 0;
    bool finite = true;
    for (size_t b = 0; b < c->branches; b++)
        finite = finite && set_map(e, c->map[b], e->theta + steep_network_place(n, b, i), e->u[m++]);
    for (size_t s = 0; s < c->scalars; s++)
        finite = finite && steep_polynomial_set(e->u[m++], e->theta[n->scalars + i * c->scalars + s]);
    for (size_t s = 0; s < c->shared_maps; s++)
        finite = finite && set_map(e, STEEP_MAP_AFFINE, e->theta + n->shared_maps + s * (n->dim + 1), e->u[m++]);
    for (size_t a = 0; a < c->shared_scalars; a++)
        finite = finite && steep_polynomial_set(e->u[m++], e->theta[n->shared_scalars + a]);
    return finite;
}

static steep_status open_exact(exact *e, steep_error *error)
{
    const steep_network *n = e->network;
    if (n->counts.moments)
        return steep_fail(error, STEEP_BAD_INPUT, "%s: a norm is no polynomial", n->architecture->name);
    steep_status status = steep_written_open(n->architecture, &n->choice, &e->formula, error);
    if (status < 0) return status;
    e->u = steep_polynomial_new_all(n->inputs + 3, e->variables);
    e->product = e->u[n->inputs];
    e->number = e->u[n->inputs + 1];
    e->square = e->u[n->inputs + 2];
    return STEEP_OK;
}

/* All units of a layer into out. */
static steep_status run_layer(const steep_layers *layers, size_t l, const steep_polynomial *const *in,
                              steep_polynomial **out, steep_error *error)
{
    exact e = {.network = layers->layer + l,
               .theta = layers->theta + layers->place[l],
               .variables = steep_polynomial_variables(in[0]),
               .in = in};
    steep_status status = open_exact(&e, error);
    for (size_t i = 0; status == STEEP_OK && i < e.network->width; i++) {
        const steep_architecture *row = e.network->architecture;
        if (set_inputs(&e, i))
            status = steep_formula_exact(e.formula, (const steep_polynomial *const *)e.u, out[i], error);
        else status = steep_fail(error, STEEP_BAD_INPUT, "%s: a parameter is not finite", row->name);
    }
    steep_polynomial_free_all(e.u, e.network->inputs + 3);
    steep_formula_free(e.formula);
    return status;
}

/* y = W v + b */
static steep_status run_output(const steep_layers *layers, const steep_polynomial *const *v, steep_polynomial *y,
                               steep_error *error)
{
    steep_polynomial **kept = steep_polynomial_new_all(2, steep_polynomial_variables(v[0]));
    exact e = {.product = kept[0], .number = kept[1]};
    const size_t inputs = layers->layer[layers->count - 1].width;
    const double *w = steep_layers_output(layers);
    bool finite = true;
    steep_polynomial_set_ratio(y, 0, 1);
    for (size_t i = 0; i < inputs; i++) finite = finite && add_multiple(&e, w[i], v[i], y);
    finite = finite && add_multiple(&e, w[inputs], NULL, y);
    steep_polynomial_free_all(kept, 2);
    return finite ? STEEP_OK : steep_fail(error, STEEP_BAD_INPUT, "an output weight is not finite");
}

steep_status steep_layers_exact(const steep_layers *layers, const steep_polynomial *const *x, steep_polynomial *y,
                                steep_error *error)
{
    size_t widest = 0;
    for (size_t l = 0; l < layers->count; l++)
        widest = layers->layer[l].width > widest ? layers->layer[l].width : widest;
    const size_t variables = steep_polynomial_variables(x[0]);
    steep_polynomial **units[2] = {steep_polynomial_new_all(widest, variables),
                                   steep_polynomial_new_all(widest, variables)};
    const steep_polynomial *const *in = x;
    steep_status status = STEEP_OK;
    for (size_t l = 0; status == STEEP_OK && l < layers->count; l++) {
        status = run_layer(layers, l, in, units[l % 2], error);
        in = (const steep_polynomial *const *)units[l % 2];
    }
    if (status == STEEP_OK) status = run_output(layers, in, y, error);
    steep_polynomial_free_all(units[0], widest);
    steep_polynomial_free_all(units[1], widest);
    return status;
}
