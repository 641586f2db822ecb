/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formulas, networks and targets on a box in intervals of doubles; and the rounding errors of networks in double. */
#include <stdlib.h>

#include "certify/enclose_parts.h"
#include "certify/interval_arithmetic.h"

#define NUMBER   steep_interval
#define FIELD    interval
#define OP(name) steep_interval_##name
#define OF(name) steep_##name##_intervals
#include "certify/enclosed_kernel.h"

/* Relative errors with u = 2^-53: of an operation of a formula 8 u, of a function 128 u (certify/enclosed.h). */
#define OPERATION 0x1p-50
#define FUNCTION  0x1p-46

/* The range of the computed number: a's range, widened by its error. */
static steep_interval computed(const steep_rounded *a)
{
    steep_interval fat;
    if (!(a->error < INFINITY)) steep_interval_entire(&fat);
    else steep_interval_add(&fat, &a->range, &(steep_interval){-a->error, a->error}, 0);
    return fat;
}

/* x y for bounds, rounded up; 0 where one of them is exactly 0, even if the other is infinite */
static double bound_times(double x, double y)
{
    return x == 0 || y == 0 ? 0 : steep_up(x * y);
}

static void lose_unary(work *w, steep_code code, steep_rounded *a)
{
    steep_interval fat = computed(a), *t = w->t;
    if (code == STEEP_CODE_NEGATE) {
        steep_interval_neg(&a->range, &a->range);
    } else if (code == STEEP_CODE_ABS) {
        steep_interval_abs(&a->range, &a->range, 0);
    } else if (code == STEEP_CODE_RELU) {
        steep_interval_greater(&a->range, &a->range, &(steep_interval){0, 0}, 0);
    } else if (code == STEEP_CODE_SIGN) {
        if (a->error < INFINITY) a->error = steep_interval_side(&fat) ? 0 : 2; /* else a may be NaN */
        a->range = (steep_interval){-1, 1};
    } else {
        smooth[code](&t[0], &a->range, 0);
        a->range = t[0];
        smooth[code](&t[0], &fat, 0);
        slopes_of(w, code, &fat);
        double size = steep_interval_most(&t[0]);
        if ((code == STEEP_CODE_SIN || code == STEEP_CODE_COS) && !(steep_interval_most(&fat) < 0x1p20))
            size = INFINITY;
        if (code == STEEP_CODE_SIN || code == STEEP_CODE_COS) size = fmax(size, 1);
        a->error = steep_up(bound_times(steep_interval_most(&t[1]), a->error) + steep_up(FUNCTION * size));
    }
}

/* |a^n - b^n| <= n M^{n-1} |a - b| */
static void lose_power(steep_rounded *a, int n)
{
    const steep_interval fat = computed(a);
    const int m = n < 0 ? -n : n;
    steep_interval top = {steep_interval_most(&fat), steep_interval_most(&fat)}, less, power;
    steep_interval_power(&power, &top, m, 0);
    steep_interval_power(&less, &top, m > 0 ? m - 1 : 0, 0);
    a->error = steep_up(bound_times(steep_up(m * less.high), a->error) + steep_up(m * OPERATION * power.high));
    steep_interval_power(&a->range, &a->range, m, 0);
    if (n >= 0) return;
    const steep_interval under = computed(a);
    const double least = steep_interval_least(&under);
    steep_interval_inv(&a->range, &a->range, 0);
    a->error =
        least > 0 ? steep_up(a->error / least / least * (1 + OPERATION)) + steep_up(OPERATION / least) : INFINITY;
}

static void lose_raise(steep_rounded *a, const steep_rounded *b)
{
    const steep_interval x = computed(a), y = computed(b), one = {1, 1};
    steep_interval power, less, slope, logarithm;
    steep_interval_raise(&power, &x, &y, 0);
    steep_interval_sub(&less, &y, &one, 0);
    steep_interval_raise(&slope, &x, &less, 0);
    steep_interval_mul(&slope, &slope, &y, 0);
    steep_interval_log(&logarithm, &x, 0);
    steep_interval_mul(&logarithm, &logarithm, &power, 0);
    steep_interval_raise(&a->range, &a->range, &b->range, 0);
    a->error = steep_up(bound_times(steep_interval_most(&slope), a->error) +
                        bound_times(steep_interval_most(&logarithm), b->error) +
                        steep_up(FUNCTION * steep_interval_most(&power)));
}

static void lose_binary(steep_code code, steep_rounded *a, const steep_rounded *b)
{
    const steep_interval x = computed(a), y = computed(b);
    const double A = steep_interval_most(&x), B = steep_interval_most(&y), both = steep_up(a->error + b->error);
    switch (code) {
    case STEEP_CODE_ADD:
    case STEEP_CODE_SUBTRACT:
        (code == STEEP_CODE_ADD ? steep_interval_add : steep_interval_sub)(&a->range, &a->range, &b->range, 0);
        a->error = steep_up(both + steep_up(OPERATION * steep_up(A + B)));
        break;
    case STEEP_CODE_DIVIDE: {
        const double least = steep_interval_least(&y);
        steep_interval_div(&a->range, &a->range, &b->range, 0);
        a->error = least > 0 ? steep_up(steep_up(a->error + bound_times(steep_up(A / least), b->error)) / least) +
                                   steep_up(OPERATION * steep_up(A / least))
                             : INFINITY;
        break;
    }
    case STEEP_CODE_MULTIPLY:
        a->error = a->error < INFINITY && b->error < INFINITY /* else a factor may be NaN, and 0 NaN is NaN */
                       ? steep_up(bound_times(steep_interval_most(&a->range), b->error) + bound_times(B, a->error) +
                                  steep_up(OPERATION * bound_times(A, B)))
                       : INFINITY;
        steep_interval_mul(&a->range, &a->range, &b->range, 0);
        break;
    case STEEP_CODE_POWER: lose_raise(a, b); break;
    default:
        if (code == STEEP_CODE_LESSER) steep_interval_lesser(&a->range, &a->range, &b->range, 0);
        else steep_interval_greater(&a->range, &a->range, &b->range, 0);
        a->error = a->error > b->error ? a->error : b->error;
        break;
    }
}

static steep_rounded lose_leaf(const steep_enclosed *e, const steep_instruction *i, const steep_rounded *input,
                               const steep_rounded *place)
{
    if (i->code == STEEP_CODE_LOAD) return place[i->index];
    if (i->code == STEEP_CODE_VARIABLE) return input[i->index];
    const steep_interval *c = &e->constant[i->index].interval;
    const double computed = (double)e->constant[i->index].computed;
    const double off = steep_up(fmax(fabs(computed - c->low), fabs(c->high - computed)));
    return (steep_rounded){*c, isfinite(computed) ? steep_up(off + OPERATION * steep_interval_most(c)) : INFINITY};
}

void steep_enclosed_rounding(const steep_enclosed *e, const steep_rounded *input, steep_rounded *stack)
{
    const steep_enclosing how = {.d = 0, .order = 1};
    work w = {.how = &how, .columns = 1};
    steep_rounded *place = stack + e->height, *top = stack - 1;
    for (const steep_instruction *i = e->program; i < e->program + e->length; i++) {
        if (steep_operands(i->code) == 0) *++top = lose_leaf(e, i, input, place);
        else if (i->code == STEEP_CODE_STORE) place[i->index] = *top--;
        else if (i->code == STEEP_CODE_INTEGER_POWER) lose_power(top, i->index);
        else if (steep_operands(i->code) == 1) lose_unary(&w, i->code, top);
        else top--, lose_binary(i->code, top, top + 1);
        if (top >= stack && top->error != top->error) top->error = INFINITY;
    }
}

/* The rounding error of the plain formula in double (norms.md, "Rounding of a network"): inputs of units have the error
 * of their maps, units follow the rules of certify/enclosed.h, the sum over n units has 8 (n + 2) roundings a term. */
typedef struct loss {
    const steep_enclosure *e;
    const steep_interval *box;
    steep_rounded *input, *stack, *out[2]; /* out: units of a layer, in two buffers by turns */
    const steep_network *layer;            /* the current layer; below: its inputs, NULL: x itself */
    const steep_rounded *below;
} loss;

/* Adds a term to a sum of doubles: to its range, its error, and *size, the sum of the computed terms' sizes. */
static void add_term(steep_rounded *sum, double *size, const steep_rounded *term)
{
    steep_interval_add(&sum->range, &sum->range, &term->range, 0);
    sum->error = steep_up(sum->error + term->error);
    *size = steep_up(*size + steep_up(steep_interval_most(&term->range) + term->error));
}

/* Adds the term times c. A term that may be NaN (infinite error) stays so for c = 0. */
static void add_times(steep_rounded *sum, double *size, steep_rounded term, double c)
{
    steep_interval_mul(&term.range, &term.range, &(steep_interval){c, c}, 0);
    if (term.error < INFINITY) term.error = c != 0 ? steep_up(fabs(c) * term.error) : 0;
    add_term(sum, size, &term);
}

/* Range and error of a map of the layer's inputs, each with its error; rounding: 8 (features + 1) u for each term. */
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
        add_times(&sum, &size, x, c[f]);
    }
    sum.error = steep_up(sum.error + OPERATION * (double)(features + 1) * size);
    return sum;
}

/* Range and error of input k of unit i's formula. */
static steep_rounded input_loss(const loss *w, size_t i, size_t k)
{
    const steep_enclose_input from = steep_enclosure_input(w->e, w->layer, i, k);
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
    steep_rounded sum = {{e->theta[n->bias], e->theta[n->bias]}, 0};
    double size = fabs(e->theta[n->bias]);
    for (w->layer = e->layer; w->layer < e->layer + n->depth; w->layer++) {
        steep_rounded *out = w->out[(w->layer - e->layer) % 2];
        set_moments(w);
        for (size_t i = 0; i < w->layer->width; i++) out[i] = unit_loss(w, i);
        w->below = out;
    }
    for (size_t i = 0; i < n->width; i++) add_times(&sum, &size, w->below[i], e->theta[n->output + i]);
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
