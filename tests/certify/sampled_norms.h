/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sampled_norms: of an error on points: enclosures of points, of which the middle is taken. A gradient on a kink is
 * that of either side. */
#ifndef STEEP_TESTS_SAMPLED_NORMS_H
#define STEEP_TESTS_SAMPLED_NORMS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "certify/norms.h"

enum { NUMBERS = 1 + STEEP_ENCLOSE_DIM };

typedef struct sampled_norms {
    double sup, gradient; /* E0, E1: what the points show, so lower bounds */
} sampled_norms;

typedef struct sampler {
    steep_enclosure *enclosure;
    size_t dim, side, classes, planes;
    const double *low, *high;
    steep_vector_norm norm;
    sampled_norms *out;
    signed char *sides, *met, *cuts; /* of each class; cuts: does the plane go through the inside of the box? */
    bool finite;
} sampler;

static inline double middle(const steep_interval *a)
{
    return a->low / 2 + a->high / 2;
}

static inline double norm_of(const sampler *s, const steep_interval *g)
{
    double sum = 0, most = 0;
    for (size_t j = 0; j < s->dim; j++) {
        const double v = fabs(middle(&g[j]));
        most = v > most || isnan(v) ? v : most;
        sum += v * v;
    }
    return s->norm == STEEP_NORM_MAXIMUM || s->dim == 1 || most == 0 ? most : sqrt(sum);
}

/* Value and gradient at x with these sides; the gradient not on a kink that has none of them. */
static inline void see(sampler *s, const double *x, const signed char *sides)
{
    steep_interval point[STEEP_ENCLOSE_DIM], jet[NUMBERS];
    for (size_t j = 0; j < s->dim; j++) point[j] = (steep_interval){x[j], x[j]};
    steep_enclosure_box(s->enclosure, point, sides, 1, 0, jet, s->met);
    s->finite = s->finite && isfinite(middle(&jet[0]));
    s->out->sup = fmax(s->out->sup, fabs(middle(&jet[0])));
    if (!memchr(s->met, 1, s->classes)) s->out->gradient = fmax(s->out->gradient, norm_of(s, jet + 1));
}

static inline double grid_at(const sampler *s, size_t j, size_t k)
{
    if (k + 1 == s->side) return s->high[j];
    return s->low[j] + (s->high[j] - s->low[j]) * ((double)k / (double)(s->side - 1));
}

/* Both sides of plane c at a point of it; where other planes meet there, nothing. */
static inline void see_both_sides(sampler *s, size_t c, const double *x)
{
    steep_interval point[STEEP_ENCLOSE_DIM];
    for (size_t j = 0; j < s->dim; j++) point[j] = (steep_interval){x[j], x[j]};
    for (int side = -1; side <= 1; side += 2) {
        steep_enclosure_sides(s->enclosure, point, s->sides, NULL);
        s->sides[c] = (signed char)side;
        see(s, x, s->sides);
    }
}

/* Where plane c crosses the line through x along coordinate j. */
static inline void see_crossing(sampler *s, size_t c, size_t j, double *x)
{
    const steep_interval *w = steep_enclosure_plane(s->enclosure, c);
    const double slope = middle(&w[j]), before = x[j];
    double rest = middle(&w[s->dim]);
    if (slope == 0) return;
    for (size_t i = 0; i < s->dim; i++)
        if (i != j) rest += middle(&w[i]) * x[i];
    x[j] = -rest / slope;
    if (x[j] >= s->low[j] && x[j] <= s->high[j]) see_both_sides(s, c, x);
    x[j] = before;
}

/* The grid's points, and its lines: those points that stand at the low end of coordinate j. */
static inline void see_grid(sampler *s)
{
    size_t index[STEEP_ENCLOSE_DIM] = {0};
    double x[STEEP_ENCLOSE_DIM];
    for (;;) {
        for (size_t j = 0; j < s->dim; j++) x[j] = grid_at(s, j, index[j]);
        see(s, x, NULL);
        for (size_t j = 0; j < s->dim; j++)
            for (size_t c = 0; index[j] == 0 && c < s->planes; c++)
                if (s->cuts[c]) see_crossing(s, c, j, x);
        size_t j = 0;
        while (j < s->dim && ++index[j] == s->side) index[j++] = 0;
        if (j == s->dim) return;
    }
}

static inline steep_status sample(sampler *s, steep_error *error)
{
    steep_interval box[STEEP_ENCLOSE_DIM];
    s->classes = steep_enclosure_classes(s->enclosure, &s->planes);
    s->sides = calloc(3 * s->classes + 3, 1);
    if (!s->sides) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu kinks", s->classes);
    s->met = s->sides + s->classes + 1;
    s->cuts = s->met + s->classes + 1;
    for (size_t j = 0; j < s->dim; j++) box[j] = (steep_interval){s->low[j], s->high[j]};
    steep_enclosure_sides(s->enclosure, box, s->sides, NULL);
    for (size_t c = 0; c < s->planes; c++) s->cuts[c] = s->sides[c] == 0;
    see_grid(s);
    free(s->sides);
    return s->finite ? STEEP_OK : steep_fail(error, STEEP_NOT_FINITE, "the error is not finite at a point of the grid");
}

/* Over a grid of a_side points a side on the target's box, ends included, and on both sides of every kink that is a
 * plane: at the points where planes cross the grid's lines the gradients of both sides. network NULL: of the target
 * alone. In double. STEEP_NOT_FINITE where e is not; STEEP_BAD_INPUT: fewer than 2 points a side. */
static inline steep_status norms_sample(const steep_network *network, const double *theta, const steep_target *target,
                                        size_t a_side, steep_vector_norm norm, sampled_norms *norms, steep_error *error)
{
    sampler s = {.dim = target->dim,
                 .side = a_side,
                 .low = target->low,
                 .high = target->high,
                 .norm = norm,
                 .out = norms,
                 .finite = true};
    memset(norms, 0, sizeof *norms);
    if (a_side < 2) return steep_fail(error, STEEP_BAD_INPUT, "%zu points a side: use at least 2", a_side);
    steep_status status = steep_enclosure_open(network, theta, target->formula, s.dim, &s.enclosure, error);
    if (status == STEEP_OK) status = sample(&s, error);
    steep_enclosure_free(s.enclosure);
    return status;
}

#endif
