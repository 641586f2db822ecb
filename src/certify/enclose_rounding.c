/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the plain formula in doubles loses (norms.md, "Rounding of a network"): inputs of units with the error of
 * their maps, units by the rules of formula/enclosed.h, and the sum over the units in n + 2 roundings a term. */
#include <math.h>
#include <stdlib.h>

#include "certify/enclose_parts.h"
#include "certify/interval_arithmetic.h"

#define OPERATION 0x1p-50

typedef struct loss {
    const steep_enclosure *e;
    const steep_interval *box;
    steep_rounded *input, *stack;
    const steep_network *layer; /* at hand, and what stands below it; NULL: x itself */
    const steep_rounded *below;
} loss;

static double most(const steep_interval *a)
{
    return steep_interval_most(a);
}

/* Of a map of what the layer below gives: sum_f c_f z_f, each z_f with its error. */
static steep_rounded map_loss_above(const loss *w, steep_map map, const double *c)
{
    const size_t n = w->layer->fan_in;
    steep_rounded sum = {{0, 0}, 0};
    double size = 0;
    for (size_t f = 0; f < n + (map == STEEP_MAP_AFFINE); f++) {
        const steep_interval factor = {c[f], c[f]};
        steep_rounded term = f < n ? w->below[f] : (steep_rounded){{1, 1}, 0};
        steep_interval_mul(&term.range, &term.range, &factor, 0);
        if (c[f] != 0) term.error = steep_up(fabs(c[f]) * term.error);
        else term.error = 0;
        steep_interval_add(&sum.range, &sum.range, &term.range, 0);
        sum.error = steep_up(sum.error + term.error);
        size = steep_up(size + steep_up(most(&term.range) + term.error));
    }
    sum.error = steep_up(sum.error + OPERATION * (double)(n + 2) * size);
    return sum;
}

/* The size of a map's terms, summed; each rounded at most 8 times a term that follows. */
static steep_rounded map_loss(const loss *w, steep_map map, const double *c)
{
    const size_t d = w->e->dim, features = steep_map_features(map, d);
    if (w->below) return map_loss_above(w, map, c);
    steep_rounded sum = {{0, 0}, 0};
    double size = 0;
    for (size_t f = 0, i = 0, j = 0; f < features; f++) {
        steep_interval x = {1, 1}, factor = {c[f], c[f]};
        if (map == STEEP_MAP_SQUARES) steep_interval_sqr(&x, &w->box[f], 0);
        else if (f < d) x = w->box[f];
        else if (f > d) {
            if (i == j) steep_interval_sqr(&x, &w->box[i], 0);
            else steep_interval_mul(&x, &w->box[i], &w->box[j], 0);
            if (++j == d) j = ++i;
        }
        steep_interval_mul(&x, &x, &factor, 0);
        steep_interval_add(&sum.range, &sum.range, &x, 0);
        size = steep_up(size + most(&x));
    }
    sum.error = steep_up(OPERATION * (double)(features + 1) * size);
    return sum;
}

static steep_rounded number(double x)
{
    return (steep_rounded){{x, x}, 0};
}

static double computed_most(const steep_rounded *a)
{
    return steep_up(most(&a->range) + a->error);
}

/* terms: of a sum of doubles, first + sum of term; its range, and its error. */
static void add_term(steep_rounded *sum, double *size, const steep_rounded *term)
{
    steep_interval_add(&sum->range, &sum->range, &term->range, 0);
    sum->error = steep_up(sum->error + term->error);
    *size = steep_up(*size + computed_most(term));
}

static void set_moments(const loss *w, size_t at)
{
    const steep_enclosure *e = w->e;
    const steep_network *n = &e->network;
    const double width = (double)e->units, units = steep_network_moment_units(&e->network);
    for (size_t r = 0; r < e->moments; r++) {
        steep_rounded sum = {{0, 0}, 0};
        double size = 0;
        for (size_t i = 0; i < e->units; i++) {
            w->input[0] = map_loss(w, n->counts.map[0], e->theta + steep_network_place(n, 0, i));
            steep_enclosed_rounding(&e->moment[r], w->input, w->stack);
            add_term(&sum, &size, w->stack);
        }
        const steep_interval by = {units, units};
        steep_interval_div(&sum.range, &sum.range, &by, 0);
        sum.error = steep_up(steep_up(sum.error + OPERATION * (width + 2) * size) / units);
        w->input[at + r] = sum;
    }
}

static steep_rounded unit_loss(const loss *w, size_t i)
{
    const steep_enclosure *e = w->e;
    const steep_network *n = w->layer;
    size_t at = 0;
    for (size_t b = 0; b < e->count[0]; b++)
        w->input[at++] = map_loss(w, n->counts.map[b], e->theta + steep_network_place(n, b, i));
    for (size_t k = 0; k < e->count[1]; k++) w->input[at++] = number(e->theta[n->scalars + i * n->counts.scalars + k]);
    for (size_t k = 0; k < e->count[2]; k++)
        w->input[at++] = map_loss(w, STEEP_MAP_AFFINE, e->theta + n->shared_maps + k * (n->fan_in + 1));
    for (size_t k = 0; k < e->count[3]; k++) w->input[at++] = number(e->theta[n->shared_scalars + k]);
    steep_enclosed_rounding(&e->unit, w->input, w->stack);
    if (!steep_network_is_residual(n)) return w->stack[0];
    steep_rounded sum = w->stack[0];
    double size = computed_most(&sum);
    add_term(&sum, &size, &w->below[i]);
    sum.error = steep_up(sum.error + OPERATION * size);
    return sum;
}

/* Of the layers below the last, one after the other into out[0] and out[1]. */
static void pass_layers(loss *w, steep_rounded *const out[2])
{
    const steep_enclosure *e = w->e;
    w->layer = e->layer;
    for (size_t l = 0; l + 1 < e->network.depth; l++, w->layer++) {
        for (size_t i = 0; i < w->layer->width; i++) out[l % 2][i] = unit_loss(w, i);
        w->below = out[l % 2];
    }
}

static double network_loss(const loss *w)
{
    const steep_enclosure *e = w->e;
    const steep_network *n = &e->network;
    steep_rounded sum = number(e->theta[n->bias]);
    double size = fabs(e->theta[n->bias]);
    set_moments(w, e->count[0] + e->count[1] + e->count[2] + e->count[3]);
    for (size_t i = 0; i < n->width; i++) {
        const double D = e->theta[n->output + i];
        const steep_interval factor = {D, D};
        steep_rounded term = unit_loss(w, i);
        steep_interval_mul(&term.range, &term.range, &factor, 0);
        if (D != 0) term.error = steep_up(fabs(D) * term.error);
        add_term(&sum, &size, &term);
    }
    const double error = steep_up(sum.error + OPERATION * (double)(n->width + 2) * size);
    return error == error ? error : INFINITY;
}

steep_status steep_enclosure_rounding(steep_enclosure *e, const steep_interval *box, double *loss_of_doubles)
{
    *loss_of_doubles = 0;
    if (!e->networked) return STEEP_OK;
    size_t height = e->unit.height + e->unit.places;
    for (size_t r = 0; r < e->moments; r++)
        if (e->moment[r].height + e->moment[r].places > height) height = e->moment[r].height + e->moment[r].places;
    loss w = {.e = e, .box = box};
    w.input = malloc((e->unit.dim + height + 2 + 2 * e->units) * sizeof *w.input);
    if (!w.input) return STEEP_NO_MEMORY;
    w.stack = w.input + e->unit.dim;
    steep_rounded *const out[2] = {w.stack + height + 2, w.stack + height + 2 + e->units};
    pass_layers(&w, out);
    *loss_of_doubles = network_loss(&w);
    free(w.input);
    return STEEP_OK;
}
