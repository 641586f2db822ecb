/* SPDX-License-Identifier: GPL-3.0-or-later */
/* minimax: the least sum of two maxima, E0(v) + E1(v) with E_k(v) = max over rows of kind k of r(v), by
 * sequential linear programming. What the rows are is the caller's: here e and the entries of grad e, with both
 * signs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Rows at one v: r[i] and its gradient in v, g[i * unknowns + j]. */
typedef struct steep_minimax_rows {
    size_t unknowns, count, room;
    unsigned char *kind; /* 0 or 1 */
    double *r, *g;
    bool failed; /* a row found no memory */
} steep_minimax_rows;

/* Appends a row, returns where its gradient (unknowns entries, all 0) is to be written; NULL: no memory, which rows
 * remember. */
double *steep_minimax_add(steep_minimax_rows *rows, int kind, double r);
void steep_minimax_rows_free(steep_minimax_rows *rows);

typedef struct steep_minimax {
    size_t unknowns;
    void *context;
    /* E0 and E1 at v. Not finite: v is out of question. */
    steep_status (*norms)(void *context, const double *v, double E[2]);
    /* All rows that come near the maxima, with their gradients, appended to rows. */
    steep_status (*rows)(void *context, const double *v, steep_minimax_rows *rows);
    /* How far v may go along step before the rows change their form: 1 if it may take all of it. NULL: 1. */
    double (*reach)(void *context, const double *v, const double *step);
    /* Of each unknown (NULL: 1): the trust region is a box of these times its radius. 0: the unknown stays. */
    const double *scale;
    const unsigned char *linear; /* 1: rows are linear in these unknowns together, where the others stay; NULL: none */
} steep_minimax;

typedef struct steep_minimax_options {
    size_t iterations; /* of linear programs; 60 */
    size_t patience;   /* of these, in which E0 + E1 must fall by a hundredth; 0: all */
    double radius;     /* first; 0.3 */
    double tolerance;  /* converged when no step of the program gains this share of E0 + E1; 1e-12 */
    steep_monitor monitor;
} steep_minimax_options;
steep_minimax_options steep_minimax_options_default(void);

/* From v (unknowns entries), which is left at the best found; E[2] are its maxima. CONVERGED, STALLED (the radius is
 * used up), MAX_ITERATIONS, STOPPED; NOT_FINITE: v is out of question from the start; failures of the callbacks. */
steep_status steep_minimax_solve(const steep_minimax *problem, const steep_minimax_options *options, double *v,
                                 double E[2], steep_error *error);

/* program: linear programs of few unknowns and many rows, by an interior-point method. */

/* Minimise c . x subject to A x >= b, low <= x <= high. A: rows x columns, by rows, A[i * columns + j]. The box is
 * finite. */
typedef struct steep_program {
    size_t rows, columns;
    const double *A, *b, *c, *low, *high;
} steep_program;

/* Doubles of workspace. */
size_t steep_program_workspace(size_t rows, size_t columns);

/* From x strictly inside, where c . x > 0, down until c . x is within a thousandth of now - c . x of what any x could
 * have, or rounding stops it. Returns a lower bound of c . x for all x that are feasible (weak duality), but for
 * rounding; -INFINITY: x is not inside. x stays inside. The same bits everywhere. */
double steep_program_solve(const steep_program *program, double now, double *x, double *work);
