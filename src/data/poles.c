/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/poles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formula/enclosed.h"

#define HALVINGS 48           /* of each side */
#define BUDGET   6000         /* enclosures */
#define LEAST    0.1          /* an order below that may be a logarithm's */
#define GOLDEN   0.6180339887 /* its multiples modulo 1 are apart */
enum { NEAR = 40, FAR = 20 }; /* distances 2^-NEAR and 2^-FAR of the box, between which |f| is seen to grow */

typedef struct search {
    const steep_target *target;
    steep_enclosed enclosed;
    steep_interval *box, *stack; /* dim; of the evaluation */
    size_t left;                 /* enclosures */
    bool missed;                 /* a box was left for want of them, or did not tell */
    double *at;
    double order;
} search;

/* |f| at about the distance 2^-exponent of the box from the place, the largest of some directions. They have odd
 * components, so that none runs along a pole on a line that people would write: there |f| is large at any distance. */
static long double size_near(const search *s, long double *x, int exponent)
{
    const steep_target *target = s->target;
    long double most = 0;
    for (size_t way = 0; way < 4; way++) {
        for (size_t j = 0; j < target->dim; j++) {
            const long double side = (long double)target->high[j] - target->low[j];
            const size_t turn = 1 + 2 * j + way / 2;
            const double odd = GOLDEN * (double)turn, part_of_side = 0.5 + 0.5 * (odd - floor(odd));
            const long double part = ldexpl(side * part_of_side, -exponent);
            const long double step = way % 2 ? -part : part, to = s->at[j] + step;
            x[j] = to < target->low[j] || to > target->high[j] ? s->at[j] - step : to;
        }
        const long double value = fabsl(steep_formula_reference(target->formula, x));
        if (value > most) most = value;
    }
    return most;
}

/* The box is too small to be halved: does |f| grow on the way to it? */
static bool is_pole(search *s, long double *x)
{
    for (size_t j = 0; j < s->target->dim; j++) s->at[j] = s->box[j].low / 2 + s->box[j].high / 2;
    const long double far = size_near(s, x, FAR), near = size_near(s, x, NEAR),
                      middle = size_near(s, x, (NEAR + FAR) / 2);
    if (!isfinite(near) && isfinite(far)) {
        s->order = INFINITY;
        return true;
    }
    if (!(far > 0 && middle > 0 && isfinite(near))) return false;
    const double all = (double)log2l(near / far) / (NEAR - FAR), last = 2 * (double)log2l(near / middle) / (NEAR - FAR);
    s->order = last;
    return all > LEAST && last > LEAST;
}

static size_t widest_side(const search *s)
{
    size_t widest = 0;
    double most = 0;
    for (size_t j = 0; j < s->target->dim; j++) {
        const double part = (s->box[j].high - s->box[j].low) / (s->target->high[j] - s->target->low[j]);
        if (part > most) most = part, widest = j;
    }
    return most > ldexp(1, -HALVINGS) ? widest : s->target->dim;
}

/* Depth first: whether there is a pole in s->box. */
static bool look(search *s, long double *x)
{
    const steep_enclosing how = {.d = s->target->dim, .order = 0};
    if (s->left == 0) {
        s->missed = true;
        return false;
    }
    s->left--;
    steep_enclosed_intervals(&s->enclosed, &how, s->box, s->stack);
    if (s->stack[0].low > -INFINITY && s->stack[0].high < INFINITY) return false;
    const size_t j = widest_side(s);
    const steep_interval whole = s->box[j < s->target->dim ? j : 0];
    const double middle = whole.low / 2 + whole.high / 2;
    if (j == s->target->dim || !(middle > whole.low && middle < whole.high)) {
        if (is_pole(s, x)) return true;
        s->missed = true;
        return false;
    }
    s->box[j].high = middle;
    bool found = look(s, x);
    if (!found) {
        s->box[j] = (steep_interval){middle, whole.high};
        found = look(s, x);
    }
    s->box[j] = whole;
    return found;
}

steep_status steep_target_find_pole(const steep_target *target, steep_pole *pole, double *at, steep_error *error)
{
    search s = {.target = target, .left = BUDGET, .at = at};
    *pole = (steep_pole){.order = NAN};
    steep_status status = steep_enclosed_open(steep_formula_text(target->formula), NULL, &s.enclosed, error);
    if (status != STEEP_OK) return status;
    long double *x = malloc(target->dim * sizeof *x);
    s.box = malloc(target->dim * sizeof *s.box);
    s.stack = malloc((s.enclosed.height + s.enclosed.places + 3) * sizeof *s.stack);
    if (x && s.box && s.stack) {
        for (size_t j = 0; j < target->dim; j++) s.box[j] = (steep_interval){target->low[j], target->high[j]};
        pole->found = look(&s, x);
        pole->nowhere = !pole->found && !s.missed;
        if (pole->found) pole->order = s.order;
    } else status = steep_fail(error, STEEP_NO_MEMORY, "no memory for a box in %zuD", target->dim);
    free(x);
    free(s.box);
    free(s.stack);
    steep_enclosed_close(&s.enclosed);
    return status;
}

void steep_target_pole_remark(const steep_target *target, char *text, size_t size)
{
    char place[200];
    steep_pole pole;
    double *at = malloc(target->dim * sizeof *at);
    long double *x = malloc(target->dim * sizeof *x);
    text[0] = '\0';
    if (at && x && steep_target_find_pole(target, &pole, at, NULL) == STEEP_OK && pole.found) {
        for (size_t j = 0; j < target->dim; j++) x[j] = at[j];
        steep_target_point(target->dim, x, place, sizeof place);
        snprintf(text, size,
                 "%.200s is infinite at or near %s: it grows like the distance to the power %.2g, and errors depend on "
                 "how near the points come: choose a --domain without it",
                 target->name, place, -pole.order);
    }
    free(at);
    free(x);
}
