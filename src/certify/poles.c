/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "certify/norms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "certify/core.h"
#include "certify/enclosed.h"

#define BUDGET 6000         /* enclosures */
#define BITS   512          /* of balls: the terms of a formula may cancel near a pole */
#define LEAST  0.1          /* least order that differs from a logarithm's, if the place is known to a smallest box */
#define STEADY 0.85         /* growth from rung to rung is constant for a power; for a power of a logarithm it falls */
#define ALIKE  1.0          /* from this order on, growth between the rungs is not checked */
#define MOST   300          /* a greater order belongs to an essential singularity, as of exp(1/x) */
#define GOLDEN 0.6180339887 /* its multiples modulo 1 are spread evenly */
/* Rungs are at the distances 2^-FIRST, 2^-(FIRST + STEP), .. of the domain; SMALLEST: halvings of each side. */
enum { RUNGS = 4, WAYS = 8, FIRST = 16, STEP = 8, SMALLEST = 48 };

typedef struct search {
    const steep_target *target;
    steep_enclosed enclosed;
    steep_interval *box, *stack; /* dim intervals; workspace of the evaluation */
    steep_ball *ball;            /* workspace of the evaluation */
    double *step, *at;           /* dim numbers each: a step from the centre; the centre, where the pole is */
    size_t left;                 /* enclosures that may still be made */
    bool missed;                 /* a box was left out for lack of them, or stayed undecided */
    double order;
} search;

/* log2 |f| at centre + step. NaN where it is unknown, as at the pole itself. */
static double size_at(search *s)
{
    const size_t dim = s->target->dim;
    const steep_enclosing how = {.d = dim, .order = 0, .precision = BITS};
    steep_ball *x = s->ball;
    for (size_t j = 0; j < dim; j++) {
        steep_ball_set_double(&x[j], s->step[j]);
        steep_ball_set_double(&s->ball[dim], s->at[j]);
        steep_ball_add(&x[j], &x[j], &s->ball[dim], BITS);
    }
    steep_enclosed_balls(&s->enclosed, &how, x, s->ball + dim);
    return steep_ball_log2(&s->ball[dim]);
}

/* The largest log2 |f| of some directions, at a distance of about 2^-exponent of the box from the centre. Along a line
 * of poles |f| is large at any distance, so directions have uneven components, unlike the lines that people write. */
static double size_near(search *s, int exponent)
{
    double most = -INFINITY;
    for (size_t way = 0; way < WAYS; way++) {
        for (size_t j = 0; j < s->target->dim; j++) {
            const size_t turn = 1 + 2 * j + way / 2;
            const double odd = GOLDEN * (double)turn, part_of_side = 0.5 + 0.5 * (odd - floor(odd));
            const double low = s->target->low[j], high = s->target->high[j];
            const double whole = (high - low) * part_of_side * (way % 2 ? -1 : 1);
            const double first = s->at[j] + ldexp(whole, -FIRST);
            const bool turned = !(first >= low && first <= high); /* it leaves the box; turned at all distances */
            s->step[j] = ldexp(turned ? -whole : whole, -exponent);
        }
        const double size = size_at(s);
        if (size > most) most = size;
    }
    return most;
}

/* Does |f| grow like a power of the distance, or faster, towards the middle of s->box? m_k is |f| at the distance
 * 2^-(FIRST + k STEP) of the domain, k = 0 .. 3. Differences m_{k+1} - m_k are free of a constant that is added to f.
 * From rung to rung they grow by 2^(a STEP) for A + B distance^-a, by a factor that falls towards 1 for log^p, by less
 * than 1 for bounded f. Slow growth must show between the rungs, too: oscillating f may grow from rung to rung. */
static bool grows(search *s)
{
    double size[RUNGS], growth[RUNGS - 1], last = -INFINITY;
    for (size_t j = 0; j < s->target->dim; j++) s->at[j] = s->box[j].low / 2 + s->box[j].high / 2;
    for (int k = 0; k < RUNGS; k++) {
        size[k] = size_near(s, FIRST + k * STEP);
        if (!(size[k] > -INFINITY) || (k > 0 && !(size[k] > size[k - 1]))) return false;
        if (k > 0) growth[k - 1] = size[k] + log2(1 - exp2(size[k - 1] - size[k]));
    }
    const double first = growth[1] - growth[0], second = growth[2] - growth[1];
    s->order = second / STEP;
    if (!(s->order > LEAST && second >= STEADY * first)) return false;
    if (s->order > MOST) s->order = INFINITY;
    for (int exponent = FIRST; s->order < ALIKE && exponent <= FIRST + (RUNGS - 1) * STEP; exponent += STEP / 4) {
        const double now = size_near(s, exponent);
        if (!(now > last)) return false;
        last = now;
    }
    return true;
}

static size_t widest_side(const search *s)
{
    size_t widest = 0;
    double most = 0;
    for (size_t j = 0; j < s->target->dim; j++) {
        const double part = (s->box[j].high - s->box[j].low) / (s->target->high[j] - s->target->low[j]);
        if (part > most) most = part, widest = j;
    }
    return most > ldexp(1, -SMALLEST) ? widest : s->target->dim;
}

/* Whether there is a pole in s->box, searched depth first. */
static bool look(search *s)
{
    const size_t dim = s->target->dim;
    const steep_enclosing how = {.d = dim, .order = 0};
    if (s->left == 0) {
        s->missed = true;
        return false;
    }
    s->left--;
    steep_enclosed_intervals(&s->enclosed, &how, s->box, s->stack);
    if (s->stack[0].low > -INFINITY && s->stack[0].high < INFINITY) return false;
    const size_t j = widest_side(s);
    const steep_interval whole = s->box[j < dim ? j : 0];
    const double middle = whole.low / 2 + whole.high / 2;
    if (j == dim || !(middle > whole.low && middle < whole.high)) {
        s->missed = true;
        return grows(s);
    }
    s->box[j].high = middle;
    bool found = look(s);
    if (!found) {
        s->box[j] = (steep_interval){middle, whole.high};
        found = look(s);
    }
    s->box[j] = whole;
    return found;
}

steep_status steep_target_find_pole(const steep_target *target, steep_pole *pole, double *at)
{
    const size_t dim = target->dim;
    search s = {.target = target, .at = at};
    *pole = (steep_pole){.order = NAN};
    steep_status status = steep_enclosed_open(steep_formula_text(target->formula), NULL, &s.enclosed, NULL);
    if (status != STEEP_OK) return status;
    const size_t numbers = s.enclosed.height + s.enclosed.places + 3, balls = numbers + dim;
    void *memory = STEEP_BLOCK(STEEP_SHARE(s.box, dim), STEEP_SHARE(s.step, dim), STEEP_SHARE(s.stack, numbers),
                               STEEP_SHARE(s.ball, balls));
    if (memory) {
        for (size_t k = 0; k < balls; k++) arb_init(&s.ball[k]);
        for (size_t j = 0; j < dim; j++) s.box[j] = (steep_interval){target->low[j], target->high[j]};
        s.left = BUDGET;
        pole->found = look(&s);
        pole->nowhere = !pole->found && !s.missed;
        if (pole->found) pole->order = s.order;
        for (size_t k = 0; k < balls; k++) arb_clear(&s.ball[k]);
    } else status = STEEP_NO_MEMORY;
    free(memory);
    steep_enclosed_close(&s.enclosed);
    return status;
}

void steep_target_pole_remark(const steep_target *target, const char *instead, char *text, size_t size)
{
    char place[200], how[80] = "faster than any power of the distance";
    steep_pole pole;
    double *at;
    long double *x;
    void *memory = STEEP_BLOCK(STEEP_SHARE(at, target->dim), STEEP_SHARE(x, target->dim));
    text[0] = '\0';
    const steep_status status = memory ? steep_target_find_pole(target, &pole, at) : STEEP_NO_MEMORY;
    if (status == STEEP_NO_MEMORY)
        snprintf(text, size, "%.200s: there was no memory to look for a pole, so none was looked for", target->name);
    if (status == STEEP_OK && pole.found) {
        for (size_t j = 0; j < target->dim; j++) x[j] = at[j];
        steep_target_point(target->dim, x, place, sizeof place);
        if (isfinite(pole.order)) snprintf(how, sizeof how, "like the distance to the power %.2g", -pole.order);
        snprintf(
            text, size,
            "%.200s is infinite at or near %s: it grows %s, and errors depend on how near the points come: choose %s",
            target->name, place, how, instead);
    }
    free(memory);
}
