/* SPDX-License-Identifier: GPL-3.0-or-later */
/* minimax: minimises a sum of two maxima, E0(v) + E1(v) with E_k(v) = max of r(v) over the rows of kind k, by
 * sequential linear programming. The caller defines the rows: here e and derivatives of e in directions, with both
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
    bool failed; /* there was no memory for a row */
} steep_minimax_rows;

/* Appends a row and returns its gradient (unknowns entries, all 0), to be written by the caller. NULL: no memory;
 * rows->failed is then true. */
double *steep_minimax_add(steep_minimax_rows *rows, int kind, double r);
void steep_minimax_rows_free(steep_minimax_rows *rows);

typedef struct steep_minimax {
    size_t unknowns;
    void *context;
    /* E0 and E1 at v. Not finite: v is not allowed. */
    steep_status (*norms)(void *context, const double *v, double E[2]);
    /* Appends to rows all rows that come near the maxima, with their gradients. */
    steep_status (*rows)(void *context, const double *v, steep_minimax_rows *rows);
    /* The share of step, at most 1, that v may go before the rows change their form. NULL: 1. */
    double (*reach)(void *context, const double *v, const double *step);
    /* For each unknown (NULL: 1): the trust region is |step_j| <= radius scale[j]. 0: the unknown is fixed. */
    const double *scale;
    const unsigned char *linear; /* 1: rows are jointly linear in these unknowns, the others being fixed; NULL: none */
} steep_minimax;

typedef struct steep_minimax_options {
    size_t iterations; /* most linear programs; 60 */
    size_t patience;   /* so many programs must lower E0 + E1 by a hundredth; 0: no such test */
    double radius;     /* of the first trust region; 0.3 */
    double tolerance;  /* converged when no step in a program can lower E0 + E1 by this share; 1e-12 */
    steep_monitor monitor;
} steep_minimax_options;
steep_minimax_options steep_minimax_options_default(void);

/* Minimises from v (unknowns entries); on return v is the best point found and E its maxima. Returns CONVERGED,
 * STALLED (radius too small), MAX_ITERATIONS, STOPPED; NOT_FINITE: the first v is not allowed; callbacks' failures. */
steep_status steep_minimax_solve(const steep_minimax *problem, const steep_minimax_options *options, double *v,
                                 double E[2], steep_error *error);

/* program: linear programs of few unknowns and many rows, by an interior-point method. */

/* Minimise c . x subject to A x >= b, low <= x <= high. A: rows x columns, by rows, A[i * columns + j]. The box is
 * finite. */
typedef struct steep_program {
    size_t rows, columns;
    const double *A, *b, *c, *low, *high;
} steep_program;

/* The size of work in doubles. */
size_t steep_program_workspace(size_t rows, size_t columns);

/* Lowers c . x from an x strictly inside with c . x > 0, until its distance to the lower bound is at most a thousandth
 * of now - c . x, or rounding stops it. x stays strictly inside. Returns the lower bound of c . x for all feasible x
 * (weak duality), but for rounding; -INFINITY: x is not strictly inside. The bits are the same on all machines. */
double steep_program_solve(const steep_program *program, double now, double *x, double *work);
