/* SPDX-License-Identifier: GPL-3.0-or-later */
/* directed_parts: shared by the files directed*.c. */
#pragma once

#include "spline/directed.h"

enum {
    STEEP_DIRECTED_TERMS = 2 + STEEP_DIRECTED_COEFFICIENTS, /* most coefficients of a unit's polynomial */
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
    size_t lines, per, moves;  /* numbers of linear unknowns d, c; of moves (knot, angle) of a gate; of all moves */
    size_t count;
    double *v, *y;
    long double *power, *value; /* (count + 1) x sums: sum_{l<k} w v^j; (count + 1) x terms: sum_{l<k} w y v^j */
    long double square;         /* sum w y^2 */
    void *block;
    /* set by steep_directed_solve, for its gates */
    steep_stretch open[STEEP_DIRECTED_WIDTH];
    long double cosine[STEEP_DIRECTED_WIDTH], sine[STEEP_DIRECTED_WIDTH];
    long double base[STEEP_DIRECTED_WIDTH][STEEP_DIRECTED_TERMS];   /* h_i divided by its sum of c_ij v^j */
    long double factor[STEEP_DIRECTED_LINES][STEEP_DIRECTED_LINES]; /* L, lower: L L' the normal equations' matrix */
    long double right[STEEP_DIRECTED_LINES];                        /* L^-1 times their right-hand side */
    long double line[STEEP_DIRECTED_LINES];                         /* d, then c_00, c_01, .. */
    bool dependent[STEEP_DIRECTED_LINES]; /* depends on the unknowns before it: is left out, 0 */
    /* set by steep_directed_derive; double is accurate enough for a step */
    double gradient[STEEP_DIRECTED_MOVES], hessian[STEEP_DIRECTED_MOVES][STEEP_DIRECTED_MOVES];
    double scale[STEEP_DIRECTED_MOVES]; /* |d y / d move|^2 */
};

/* Returns half the least mean square at these gates. Fills the fields open to dependent. */
long double steep_directed_solve(steep_directed *directed, const steep_directed_gates *gates);

/* Fills gradient and Hessian of half the least mean square in the moves (knot, then angle, gate by gate), and scale. */
void steep_directed_derive(steep_directed *directed, const steep_directed_gates *gates);

/* p(v) = s (v - t), or 1 without the hinge, times the factor of gate i where the class has one: v cos a + sin a or,
 * turned, its derivative in the angle, cos a - v sin a. The angles are those last solved for. */
void steep_directed_base(const steep_directed *directed, const steep_directed_gate *gate, size_t i, bool hinge,
                         bool turned, long double p[STEEP_DIRECTED_TERMS]);

/* sum[k] = sum of w v^k over the samples on the open sides of both gates i and j; false where there are none. */
bool steep_directed_sums(const steep_directed *directed, size_t i, size_t j, long double *sum);
