/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fold: QR update. The triangle R of [J b] = Q R for a tall J, whose rows are folded into R some at a time. J is not
 * changed, and Q is not kept. The same bits on every processor.
 *
 * A triangle is stored by rows, R[i * ld + j], i <= j; column n is Q'b. Sums are fused multiply-adds, in one order. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/team.h"
#include "numerics/dense.h"
#include "numerics/qr.h"

typedef struct steep_fold {
    size_t n, ld;              /* unknowns; n + 1 rounded up to a multiple of 8 */
    double *R;                 /* triangle of the rows so far: ld x ld, 0 below the diagonal */
    double *S;                 /* triangle of [R; diag d] */
    size_t stripe;             /* row length of C, W, U: at least the columns of a stripe */
    size_t sets;               /* sets of workspace: 1; with a team, the number of stripes */
    double *C, *V, *T, *W, *U; /* workspace, as fold.c says */
    size_t *height;
    steep_team *team; /* NULL: none */
    void *block;
    const steep_dense_set *set; /* the fastest set; all sets give the same bits */
} steep_fold;

/* For n >= 1 unknowns. The team's threads share the work (NULL: none; the same bits). False if there is no memory.
 * steep_fold_close frees. Memory: 16 ld^2 bytes and 3 KB per unknown, the latter once for 288 unknowns with a team. */
bool steep_fold_open(steep_fold *fold, size_t n, steep_team *team);
void steep_fold_close(steep_fold *fold);

/* R = 0 */
void steep_fold_begin(steep_fold *fold);

/* Folds m more rows into R: R = the triangle of [R; A b], entry (k, j) of A(m x n) at A[k * row + j * column], b(m) or
 * NULL for zeros. All finite. A column of zeros leaves an exact 0 on R's diagonal. Time 2 m n^2. By Householder
 * reflections: R has the backward error of a QR factorisation of all rows at once. */
void steep_fold_rows(steep_fold *fold, size_t m, const double *A, size_t row, size_t column, const double *b);

/* S = the triangle of [R; diag(d) 0], d(n) finite. Time (2/3) n^3. */
void steep_fold_damp(steep_fold *fold, const double *d);

/* Bound on the relative pivot that rounding leaves for dependent unit columns; 94 eps measured at 2,560-40,960 rows. */
#define STEEP_FOLD_ROUNDING (1024 * 0x1p-52)

/* R = the triangle of A(m x n), m >= n, column-major; span(n x n) = steep_span_factor of R with STEEP_FOLD_ROUNDING,
 * faster than of A if m is large. b(m): on return its first n entries are those of Q'b. All finite. */
bool steep_fold_span(steep_fold *fold, size_t m, const double *A, double *b, steep_span *span);

/* x = R x, x = R'x for R or S. For x = R^-1 x, R'^-1 x: steep_dense_lower_transposed_solve, steep_dense_lower_solve. */
void steep_fold_times(const steep_fold *fold, const double *R, double *x);
void steep_fold_transposed_times(const steep_fold *fold, const double *R, double *x);
