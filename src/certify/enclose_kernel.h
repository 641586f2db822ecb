/* SPDX-License-Identifier: GPL-3.0-or-later */
/* enclose_kernel: network and target on a box, for both kinds of number (formula/enclosed_kernel.h):
 *
 *   NUMBER, OP(name)   as there; ROOM the field of steep_enclose_room
 *   FORMULA            its function: steep_enclosed_intervals, ..
 *   EVALUATE           the function's name */

#ifdef NUMBER

typedef struct walk {
    steep_enclosure *e;
    steep_enclosing how;
    size_t columns;
    NUMBER *room, *sum, *input, *stack, *coordinate, *scratch; /* jets; coordinate: x_1 .. x_d; scratch: 3 */
    const steep_network *layer; /* at hand, and what stands below it: jets of its inputs, NULL: x itself */
    const NUMBER *below;
} walk;

static void clear(const walk *w, NUMBER *jet)
{
    for (size_t q = 0; q < w->columns; q++) OP(set_double)(&jet[q], 0);
}

/* to += c from, c a number; one number of room */
static void add_scaled(const walk *w, NUMBER *to, const NUMBER *from, const NUMBER *c, NUMBER *u)
{
    for (size_t q = 0; q < w->columns; q++) {
        OP(mul)(u, &from[q], c, w->how.precision);
        OP(add)(&to[q], &to[q], u, w->how.precision);
    }
}

static NUMBER *pair(const walk *w, NUMBER *jet, size_t i, size_t j)
{
    return jet + steep_jet_pair(w->how.d, i, j);
}

/* jet += c x_i x_j, with its derivatives */
static void add_product(const walk *w, NUMBER *jet, size_t i, size_t j, double c)
{
    const int p = w->how.precision, order = w->how.order;
    const NUMBER *x = &w->coordinate[i * w->columns], *y = &w->coordinate[j * w->columns];
    NUMBER *u = w->scratch, *v = w->scratch + 1;
    OP(set_double)(v, c);
    if (i == j) OP(sqr)(u, x, p);
    else OP(mul)(u, x, y, p);
    OP(mul)(u, u, v, p);
    OP(add)(jet, jet, u, p);
    if (order >= 1) {
        OP(mul)(u, y, v, p);
        OP(add)(&jet[1 + i], &jet[1 + i], u, p);
        OP(mul)(u, x, v, p);
        OP(add)(&jet[1 + j], &jet[1 + j], u, p);
    }
    if (order >= 2) {
        OP(add)(pair(w, jet, i, j), pair(w, jet, i, j), v, p);
        if (i == j) OP(add)(pair(w, jet, i, j), pair(w, jet, i, j), v, p);
    }
}

static void add_number(const walk *w, NUMBER *to, double c)
{
    OP(set_double)(w->scratch, c);
    OP(add)(to, to, w->scratch, w->how.precision);
}

/* jet, which is 0, = sum_f c_f z_f, with c_fan-in for an affine map */
static void set_map_above(const walk *w, steep_map map, const double *c, NUMBER *jet)
{
    const size_t n = w->layer->fan_in;
    for (size_t j = 0; j < n; j++) {
        OP(set_double)(w->scratch, c[j]);
        add_scaled(w, jet, w->below + j * w->columns, w->scratch, w->scratch + 1);
    }
    if (map == STEEP_MAP_AFFINE) add_number(w, jet, c[n]);
}

/* jet, which is 0, = sum_f c_f phi_f(x) (model/unit.h, steep_map) */
static void set_map(const walk *w, steep_map map, const double *c, NUMBER *jet)
{
    const size_t d = w->how.d;
    if (w->below) {
        set_map_above(w, map, c, jet);
        return;
    }
    if (map == STEEP_MAP_SQUARES) {
        for (size_t j = 0; j < d; j++) add_product(w, jet, j, j, c[j]);
        return;
    }
    for (size_t j = 0; j < d; j++) {
        OP(set_double)(w->scratch, c[j]);
        OP(mul)(w->scratch, w->scratch, &w->coordinate[j * w->columns], w->how.precision);
        OP(add)(jet, jet, w->scratch, w->how.precision);
        if (w->how.order >= 1) OP(set_double)(&jet[1 + j], c[j]);
    }
    if (map != STEEP_MAP_LINEAR) add_number(w, jet, c[d]);
    size_t f = d + 1;
    for (size_t i = 0; map == STEEP_MAP_QUADRATIC && i < d; i++)
        for (size_t j = i; j < d; j++, f++) add_product(w, jet, i, j, c[f]);
}

/* Inputs first..last-1 of unit i's formula. */
static void set_inputs(const walk *w, size_t i, size_t first, size_t last)
{
    for (size_t k = first; k < last; k++) {
        const steep_enclose_input from = steep_enclosure_input(w->e, (size_t)(w->layer - w->e->layer), i, k);
        NUMBER *jet = w->input + k * w->columns;
        clear(w, jet);
        if (from.is_map) set_map(w, from.map, from.c, jet);
        else OP(set_double)(jet, *from.c);
    }
}

/* How a program is to take its kinks, which stand from first on. */
static steep_enclosing at_kinks(const walk *w, size_t first)
{
    steep_enclosing how = w->how;
    how.side += first;
    how.met += first;
    return how;
}

/* q_r = (1/n) sum_i m_r(z_1,i), or the sum; returns where the kinks of the layer's units stand. */
static size_t set_moments(walk *w, size_t kink)
{
    const steep_enclosure *e = w->e;
    NUMBER *c = w->scratch + 2;
    for (size_t r = 0; r < e->moments; r++) {
        NUMBER *q = w->input + (e->unit.dim - e->count[4] + r) * w->columns;
        clear(w, q);
        for (size_t i = 0; i < w->layer->width; i++, kink += e->moment[r].kinks) {
            const steep_enclosing how = at_kinks(w, kink);
            set_inputs(w, i, 0, 1);
            FORMULA(&e->moment[r], &how, w->input, w->stack);
            OP(set_double)(c, 1);
            add_scaled(w, q, w->stack, c, w->scratch);
        }
        OP(set_double)(c, steep_network_moment_units(w->layer));
        for (size_t k = 0; k < w->columns; k++) OP(div)(&q[k], &q[k], c, w->how.precision);
    }
    return kink;
}

/* What all units of the layer share; kinks as set_moments has them. */
static size_t set_shared(walk *w, size_t kink)
{
    const size_t *count = w->e->count;
    set_inputs(w, 0, count[0] + count[1], w->e->unit.dim - count[4]);
    return set_moments(w, kink);
}

/* Unit i of the layer, into the front of the stack. */
static void evaluate_unit(const walk *w, size_t i, size_t kink)
{
    const steep_enclosing how = at_kinks(w, kink);
    set_inputs(w, i, 0, w->e->count[0] + w->e->count[1]);
    FORMULA(&w->e->unit, &how, w->input, w->stack);
    for (size_t q = 0; steep_network_is_added(w->layer, i) && q < w->columns; q++)
        OP(add)(&w->stack[q], &w->stack[q], &w->below[i * w->columns + q], w->how.precision);
}

static void add_network(walk *w)
{
    const steep_enclosure *e = w->e;
    size_t kink = e->target.kinks;
    NUMBER *D = w->scratch + 2;
    w->layer = e->layer;
    w->below = NULL;
    kink = set_shared(w, kink);
    for (size_t l = 0; l + 1 < e->network.depth; l++) {
        NUMBER *out = w->room + e->between[l % 2];
        for (size_t i = 0; i < w->layer->width; i++, kink += e->unit.kinks) {
            evaluate_unit(w, i, kink);
            for (size_t q = 0; q < w->columns; q++) OP(set)(&out[i * w->columns + q], &w->stack[q]);
        }
        w->below = out;
        w->layer++;
        kink = set_shared(w, kink);
    }
    add_number(w, w->sum, e->theta[w->layer->bias]);
    for (size_t i = 0; i < w->layer->width; i++, kink += e->unit.kinks) {
        evaluate_unit(w, i, kink);
        OP(set_double)(D, e->theta[w->layer->output + i]);
        add_scaled(w, w->sum, w->stack, D, w->scratch);
    }
}

void EVALUATE(steep_enclosure *e, const steep_interval *box, const steep_enclosing *how)
{
    walk w = {.e = e, .how = *how, .columns = steep_jet_numbers(how->d, how->order), .room = e->room.ROOM};
    w.sum = w.room + e->sum, w.input = w.room + e->input, w.stack = w.room + e->stack;
    w.coordinate = w.room + e->coordinate, w.scratch = w.room + e->scratch;
    clear(&w, w.sum);
    for (size_t j = 0; j < how->d; j++) {
        NUMBER *x = w.coordinate + j * w.columns;
        clear(&w, x);
        OP(set_interval)(x, &box[j]);
        if (how->order >= 1) OP(set_double)(&x[1 + j], 1);
    }
    if (e->targeted) {
        FORMULA(&e->target, how, w.coordinate, w.stack);
        for (size_t q = 0; q < w.columns; q++) OP(neg)(&w.sum[q], &w.stack[q]);
    }
    if (e->networked) add_network(&w);
}

#endif
