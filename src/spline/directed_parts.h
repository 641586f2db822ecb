/* SPDX-License-Identifier: GPL-3.0-or-later */
/* directed_parts: what the files of directed share. */
#pragma once

#include "spline/directed.h"

enum {
    STEEP_DIRECTED_TERMS = 2 + STEEP_DIRECTED_COEFFICIENTS, /* of a unit's polynomial */
    STEEP_DIRECTED_SUMS = 2 * STEEP_DIRECTED_TERMS - 1,
    STEEP_DIRECTED_LINES = 1 + STEEP_DIRECTED_WIDTH * STEEP_DIRECTED_COEFFICIENTS,
    STEEP_DIRECTED_MOVES = 2 * STEEP_DIRECTED_WIDTH
};

/* Samples [first, end). */
typedef struct steep_stretch {
    size_t first, end;
} steep_stretch;

struct steep_directed {
    steep_directed_class class;
    size_t width, terms, sums; /* terms = degree + 1; sums = 2 terms - 1 */
    size_t lines, per, moves;  /* d and all c; knot and angle of a gate; of all gates */
    size_t count;
    double *v, *y;
    long double *power, *value; /* (count + 1) x sums: sum_{l<k} w v^j; (count + 1) x terms: sum_{l<k} w y v^j */
    long double square;         /* sum w y^2 */
    void *block;
    /* at the gates of the last steep_directed_solve */
    steep_stretch open[STEEP_DIRECTED_WIDTH];
    long double cosine[STEEP_DIRECTED_WIDTH], sine[STEEP_DIRECTED_WIDTH];
    long double base[STEEP_DIRECTED_WIDTH][STEEP_DIRECTED_TERMS];   /* h_i without its sum of c_j v^j */
    long double factor[STEEP_DIRECTED_LINES][STEEP_DIRECTED_LINES]; /* L, lower: L L' the normal equations' matrix */
    long double right[STEEP_DIRECTED_LINES];                        /* L^-1 times their right-hand side */
    long double line[STEEP_DIRECTED_LINES];                         /* d, then c_00, c_01, .. */
    bool dependent[STEEP_DIRECTED_LINES];                           /* on those before: left out, 0 */
    /* of steep_directed_derive, in double: a step needs no more */
    double gradient[STEEP_DIRECTED_MOVES], hessian[STEEP_DIRECTED_MOVES][STEEP_DIRECTED_MOVES];
    double scale[STEEP_DIRECTED_MOVES]; /* |d y / d move|^2 */
};

/* Half the least mean square at these gates. Fills open, base, factor, line. */
long double steep_directed_solve(steep_directed *directed, const steep_directed_gates *gates);

/* Gradient and Hessian of that in the moves (knot, then angle, gate by gate) at the gates last solved for. */
void steep_directed_derive(steep_directed *directed, const steep_directed_gates *gates);

/* p(v) = s (v - t), or 1 without the hinge, times the factor v cos a + sin a of gate i or, turned, its derivative in
 * the angle, cos a - v sin a. Angles of the gates last solved for. */
void steep_directed_base(const steep_directed *directed, const steep_directed_gate *gate, size_t i, bool hinge,
                         bool turned, long double p[STEEP_DIRECTED_TERMS]);

/* sum[k] = sum of w v^k over the samples open to gates i and j; false where there are none. */
bool steep_directed_sums(const steep_directed *directed, size_t i, size_t j, long double *sum);
