/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fold: the triangle R of [J b] = Q R for a tall J, whose rows are folded into it some at a time: nothing of J is
 * changed and nothing of Q is kept. The same bits on every processor.
 *
 * A triangle is kept by rows, R[i * ld + j], i <= j; column n is Q'b. Sums are fused multiply-adds, in one order. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/team.h"
#include "numerics/dense.h"
#include "numerics/qr.h"

typedef struct steep_fold {
    size_t n, ld;              /* unknowns; n + 1 and more: a multiple of 8 */
    double *R;                 /* of the rows so far: ld x ld, what stands below the diagonal is 0 */
    double *S;                 /* of [R; diag d] */
    size_t stripe;             /* most columns that are worked on together */
    size_t sets;               /* of workspace: 1; on threads, stripes */
    double *C, *V, *T, *W, *U; /* workspace, as fold.c says */
    size_t *height;
    steep_team *team; /* NULL: none */
    void *block;
    const steep_dense_set *set; /* the fastest; all give the same bits */
} steep_fold;

/* For n >= 1 unknowns; team's threads share the work, NULL: none, with the same bits. False where there is no memory;
 * steep_fold_close frees it. Memory: 16 ld^2 bytes, and 3 KB per unknown, on threads once for 288 unknowns. */
bool steep_fold_open(steep_fold *fold, size_t n, steep_team *team);
void steep_fold_close(steep_fold *fold);

/* R = 0 */
void steep_fold_begin(steep_fold *fold);

/* R = the triangle of [R; A b] for m rows more: entry (k, j) of A(m x n) at A[k * row + j * column], b(m) or NULL for
 * zeros. All finite. A column of zeros leaves an exact 0 on R's diagonal. Time 2 m n^2. Householder reflections: R has
 * the backward error of a QR factorisation of all rows at once. */
void steep_fold_rows(steep_fold *fold, size_t m, const double *A, size_t row, size_t column, const double *b);

/* S = the triangle of [R; diag(d) 0], d(n) finite. Time (2/3) n^3. */
void steep_fold_damp(steep_fold *fold, const double *d);

/* Of unit columns that depend on each other R leaves so much, relative: measured, to 94 eps at 2,560 to 40,960 rows. */
#define STEEP_FOLD_ROUNDING (1024 * 0x1p-52)

/* R = the triangle of A(m x n), column-major, and span (n x n) that of R, as steep_span_factor with STEEP_FOLD_ROUNDING
 * has it: faster than of A where m is large. b(m): its first n become what belongs to R's rows. All finite. */
bool steep_fold_span(steep_fold *fold, size_t m, const double *A, double *b, steep_span *span);

/* x = R x, x = R'x for such a triangle. x = R^-1 x, R'^-1 x: steep_dense_lower_transposed_solve, _lower_solve. */
void steep_fold_times(const steep_fold *fold, const double *R, double *x);
void steep_fold_transposed_times(const steep_fold *fold, const double *R, double *x);
