/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lp: linear programs of few unknowns and many rows, by GLPK's simplex method, whose corners and multipliers proofs
 * check in fractions. */
#pragma once

#include <stddef.h>

#include "base/status.h"

/* Minimise c . x subject to A x >= b, low <= x <= high. A: rows x columns, by rows, A[i * columns + j]. low and high
 * may be infinite. */
typedef struct steep_lp {
    size_t rows, columns;
    const double *A, *b, *c, *low, *high;
} steep_lp;

/* Writes x[columns], the rows' multipliers y[rows] >= 0 (y NULL: not wanted) and the value c . x. With the reduced
 * costs r = c - A'y, b . y + sum_j (r_j low_j where r_j > 0, r_j high_j where r_j < 0) is the same value but for
 * rounding, and a lower bound for every feasible x (weak duality): who wants a proof evaluates it in exact arithmetic.
 *
 * GLPK gets the dual, whose basis has columns x columns entries whatever the number of rows, and is feasible from the
 * start where the box is finite. Feasible and optimal to 1e-9 of the rows' scale. STEEP_BAD_INPUT: a number that is
 * NaN, low > high; STEEP_SINGULAR: no feasible x, or the value has no lower bound (the message says which);
 * STEEP_STALLED: GLPK gave up; STEEP_NO_MEMORY. */
steep_status steep_lp_solve(const steep_lp *lp, double *x, double *y, double *value, steep_error *error);
