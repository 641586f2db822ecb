/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the plain formula in doubles loses (norms.md, "Rounding of a network"): inputs of units with the error of
 * their maps, units by the rules of certify/enclosed.h, and the sum over the units in n + 2 roundings a term. */
#include <math.h>
#include <stdlib.h>

#include "certify/enclose_parts.h"
#include "certify/interval_arithmetic.h"

#define OPERATION 0x1p-50

typedef struct loss {
    const steep_enclosure *e;
    const steep_interval *box;
    steep_rounded *input, *stack, *out[2]; /* out: of the layers below the last, by turns */
    const steep_network *layer;            /* at hand, and what stands below it; NULL: x itself */
    const steep_rounded *below;
} loss;

/* terms: of a sum of doubles, first + sum of term; its range, its error, and the size of its terms as computed. */
static void add_term(steep_rounded *sum, double *size, const steep_rounded *term)
{
    steep_interval_add(&sum->range, &sum->range, &term->range, 0);
    sum->error = steep_up(sum->error + term->error);
    *size = steep_up(*size + steep_up(steep_interval_most(&term->range) + term->error));
}

/* The term times c. What may be computed as NaN is so beside a 0 too. */
static void add_scaled(steep_rounded *sum, double *size, steep_rounded term, double c)
{
    steep_interval_mul(&term.range, &term.range, &(steep_interval){c, c}, 0);
    if (term.error < INFINITY) term.error = c != 0 ? steep_up(fabs(c) * term.error) : 0;
    add_term(sum, size, &term);
}

/* Of a map of what stands below, each feature with its error; each term rounded at most 8 times a term that follows. */
static steep_rounded map_loss(const loss *w, steep_map map, const double *c)
{
    const size_t n = w->layer->fan_in, features = steep_map_features(map, n);
    steep_rounded sum = {{0, 0}, 0};
    double size = 0;
    for (size_t f = 0, i = 0, j = 0; f < features; f++) {
        steep_rounded x = {{1, 1}, 0};
        if (f < n && w->below) x = w->below[f];
        else if (f < n) x.range = w->box[f];
        if (map == STEEP_MAP_SQUARES) steep_interval_sqr(&x.range, &x.range, 0);
        else if (f > n) {
            if (i == j) steep_interval_sqr(&x.range, &w->box[i], 0);
            else steep_interval_mul(&x.range, &w->box[i], &w->box[j], 0);
            if (++j == n) j = ++i;
        }
        add_scaled(&sum, &size, x, c[f]);
    }
    sum.error = steep_up(sum.error + OPERATION * (double)(features + 1) * size);
    return sum;
}

/* Input k of unit i's formula. */
static steep_rounded input_loss(const loss *w, size_t i, size_t k)
{
    const steep_enclose_input from = steep_enclosure_input(w->e, (size_t)(w->layer - w->e->layer), i, k);
    return from.is_map ? map_loss(w, from.map, from.c) : (steep_rounded){{*from.c, *from.c}, 0};
}

static void set_moments(const loss *w)
{
    const steep_enclosure *e = w->e;
    const double width = (double)w->layer->width, units = steep_network_moment_units(w->layer);
    for (size_t r = 0; r < e->moments; r++) {
        steep_rounded sum = {{0, 0}, 0};
        double size = 0;
        for (size_t i = 0; i < w->layer->width; i++) {
            w->input[0] = input_loss(w, i, 0);
            steep_enclosed_rounding(&e->moment[r], w->input, w->stack);
            add_term(&sum, &size, w->stack);
        }
        steep_interval_div(&sum.range, &sum.range, &(steep_interval){units, units}, 0);
        sum.error = steep_up(steep_up(sum.error + OPERATION * (width + 2) * size) / units);
        w->input[e->unit.dim - e->count[4] + r] = sum;
    }
}

static steep_rounded unit_loss(const loss *w, size_t i)
{
    const steep_enclosed *unit = &w->e->unit;
    for (size_t k = 0; k < unit->dim - w->e->count[4]; k++) w->input[k] = input_loss(w, i, k);
    steep_enclosed_rounding(unit, w->input, w->stack);
    if (!steep_network_is_added(w->layer, i)) return w->stack[0];
    steep_rounded sum = w->stack[0];
    double size = steep_up(steep_interval_most(&sum.range) + sum.error);
    add_term(&sum, &size, &w->below[i]);
    sum.error = steep_up(sum.error + OPERATION * size);
    return sum;
}

static double network_loss(loss *w)
{
    const steep_enclosure *e = w->e;
    const steep_network *n = &e->network;
    w->layer = e->layer;
    for (size_t l = 0; l + 1 < n->depth; l++, w->layer++) {
        set_moments(w);
        for (size_t i = 0; i < w->layer->width; i++) w->out[l % 2][i] = unit_loss(w, i);
        w->below = w->out[l % 2];
    }
    steep_rounded sum = {{e->theta[n->bias], e->theta[n->bias]}, 0};
    double size = fabs(e->theta[n->bias]);
    set_moments(w);
    for (size_t i = 0; i < n->width; i++) add_scaled(&sum, &size, unit_loss(w, i), e->theta[n->output + i]);
    const double error = steep_up(sum.error + OPERATION * (double)(n->width + 2) * size);
    return error == error ? error : INFINITY;
}

steep_status steep_enclosure_rounding(steep_enclosure *e, const steep_interval *box, double *loss_of_doubles)
{
    *loss_of_doubles = 0;
    if (!e->theta) return STEEP_OK;
    loss w = {.e = e, .box = box};
    void *memory = STEEP_BLOCK(STEEP_SHARE(w.input, e->unit.dim), STEEP_SHARE(w.stack, e->height + 2),
                               STEEP_SHARE(w.out[0], e->units), STEEP_SHARE(w.out[1], e->units));
    if (!memory) return STEEP_NO_MEMORY;
    *loss_of_doubles = network_loss(&w);
    free(memory);
    return STEEP_OK;
}
