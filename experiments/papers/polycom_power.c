/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lemma A.4 and the sawtooth. */
#include <flint/flint.h>
#include <math.h>
#include <string.h>

#include "papers/draft.h"
#include "papers/polycom.h"

enum {
    DIGITS = 64,
    WIRES = DIGITS,
    ROOM = 4 * WIRES /* units of one layer: a product of two wires takes 4 */
};

/* Wires of the finished layer and of the one in the making. */
typedef struct power {
    steep_draft draft;
    double old[WIRES][ROOM + 1], new[WIRES][ROOM + 1];
    double c[STEEP_POLYCOM_ORDER + 1], form[ROOM + 1];
} power;

/* new wire `to` += old wire `from` to the power e. */
static void raise_wire(power *p, size_t from, size_t e, size_t to)
{
    memset(p->c, 0, sizeof p->c);
    p->c[e] = 1;
    steep_draft_polynomial(&p->draft, p->old[from], p->c, 1, ROOM, p->new[to]);
}

/* new wire `to` += old wire a times old wire b */
static void multiply_wires(power *p, size_t a, size_t b, size_t to)
{
    const size_t old = steep_draft_old(&p->draft);
    memset(p->c, 0, sizeof p->c);
    p->c[2] = 1;
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (size_t i = 0; i < old; i++) p->form[i] = p->old[a][i] + sign * p->old[b][i];
        steep_draft_polynomial(&p->draft, p->form, p->c, sign * 0.25, ROOM, p->new[to]);
    }
}

static void next_layer(power *p)
{
    steep_draft_next(&p->draft);
    for (size_t w = 0; w < WIRES; w++) steep_draft_settle(&p->draft, ROOM, p->new[w]);
    memcpy(p->old, p->new, sizeof p->old);
    memset(p->new, 0, sizeof p->new);
}

static void make_running(power *p, const size_t *digit, size_t last, size_t order)
{
    enum { CHAIN, FACTOR, PRODUCT };
    bool factor = false, product = false;
    for (size_t l = 0; l <= last || (factor && product); l++) {
        if (l < last) raise_wire(p, CHAIN, order, CHAIN);
        if (factor && product) multiply_wires(p, FACTOR, PRODUCT, PRODUCT);
        else if (factor || product) raise_wire(p, factor ? FACTOR : PRODUCT, 1, PRODUCT);
        product = product || factor;
        factor = l <= last && digit[l] > 0;
        if (factor) raise_wire(p, CHAIN, digit[l], FACTOR);
        next_layer(p);
    }
    if (!product) memcpy(p->old[PRODUCT], p->old[FACTOR], sizeof p->old[PRODUCT]);
    memcpy(p->old[0], p->old[PRODUCT], sizeof p->old[0]);
}

static void make_towers(power *p, const size_t *digit, size_t last, size_t order)
{
    size_t tower[DIGITS], count = 0;
    for (size_t i = 0; i <= last; i++)
        if (digit[i]) tower[count++] = i;
    for (size_t w = 1; w < count; w++) memcpy(p->old[w], p->old[0], sizeof p->old[w]);
    for (size_t l = 0; l <= last; l++) {
        for (size_t w = 0; w < count; w++)
            raise_wire(p, w, l < last - tower[w] ? 1 : l < last ? order : digit[tower[w]], w);
        next_layer(p);
    }
    for (; count > 1; count = (count + 1) / 2) {
        for (size_t w = 0; 2 * w < count; w++)
            if (2 * w + 1 < count) multiply_wires(p, 2 * w, 2 * w + 1, w);
            else raise_wire(p, 2 * w, 1, w);
        next_layer(p);
    }
}

steep_status steep_polycom_power(unsigned long k, size_t order, steep_power_form form, steep_layers *to,
                                 steep_error *error)
{
    size_t digit[DIGITS], digits = 0;
    *to = (steep_layers){0};
    if (k < 1 || order < 2 || order > STEEP_POLYCOM_ORDER)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "x^%lu of order %zu: powers from 1 and orders from 2 to %d are possible", k, order,
                          STEEP_POLYCOM_ORDER);
    for (unsigned long left = k; left; left /= order) digit[digits++] = left % order;
    power *p = flint_calloc(1, sizeof *p);
    steep_draft_open(&p->draft, 1, order);
    p->old[0][0] = 1;
    if (form == STEEP_POWER_RUNNING) make_running(p, digit, digits - 1, order);
    else make_towers(p, digit, digits - 1, order);
    steep_status status = steep_draft_finish(&p->draft, p->old[0], to, error);
    steep_draft_close(&p->draft);
    flint_free(p);
    return status;
}

/* F_s in the units a, b and F_{s-1} before, then a constant. */
static void put_parabola(size_t s, double constant, double form[4])
{
    const double quarter = ldexp(1, -2 * (int)s);
    memset(form, 0, 4 * sizeof *form);
    form[0] = (s == 1) - 2 * quarter;
    form[1] = 4 * quarter;
    if (s > 1) form[2] = 1;
    form[s > 1 ? 3 : 2] = constant;
}

/* Layer s computes relu(g), relu(g - 1/2), relu(F) of g = T^{s-1}(x) = 2a - 4b, F = F_{s-1} = F_{s-2} - g/4^{s-1}, a, b
 * and F_{s-2} the units before; F_0 = x is the first layer's a. F is at least x^2, so relu leaves it as it is. */
steep_status steep_polycom_sawtooth(size_t stages, bool centred, steep_layers *to, steep_error *error)
{
    const double relu[2] = {0, 1};
    double F[4];
    steep_draft draft;
    *to = (steep_layers){0};
    if (stages < 1 || stages > 500)
        return steep_fail(error, STEEP_BAD_INPUT, "%zu stages: 1 to 500 are possible", stages);
    steep_draft_open(&draft, 1, 1);
    steep_draft_unit(&draft, (double[]){1, 0}, relu);
    steep_draft_unit(&draft, (double[]){1, -0.5}, relu);
    for (size_t s = 1; s < stages; s++) {
        const double lowered = s > 1 ? 0 : -0.5; /* the constant stands behind two units, or three */
        steep_draft_next(&draft);
        put_parabola(s, 0, F);
        steep_draft_unit(&draft, (double[]){2, -4, 0, 0}, relu);
        steep_draft_unit(&draft, (double[]){2, -4, lowered, -0.5}, relu);
        steep_draft_unit(&draft, F, relu);
    }
    steep_draft_next(&draft);
    put_parabola(stages, centred ? -ldexp(1, -2 * (int)stages - 3) : 0, F);
    const steep_status status = steep_draft_finish(&draft, F, to, error);
    steep_draft_close(&draft);
    return status;
}
