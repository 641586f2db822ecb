/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gram: J'J of a tall J, and the Cholesky factor of J'J + diag(d)^2: half the operations of a QR factorisation, and
 * twice the digits lost (its errors are eps cond^2). A caller checks a solution with J itself.
 *
 * The same bits on every processor and with any number of threads: each entry is one sum of fused multiply-adds, tile
 * by tile of 256 rows. A column that is 0 on a whole tile costs nothing there. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/team.h"
#include "numerics/fold.h"

typedef struct steep_gram {
    size_t n, ld;     /* unknowns; n rounded up to a multiple of 32 */
    double *G, *R;    /* J'J; the factor. ld x ld, upper triangles by rows */
    double *scale;    /* 1 / sqrt(diagonal) of the matrix that was factored */
    double *A;        /* a tile's active columns by rows, in stripes */
    double *negative; /* 32 rows of -R */
    size_t *active;   /* indices of the tile's columns that are not 0 */
    steep_team *team; /* NULL: none */
    const steep_dense_set *set;
    void *block;
} steep_gram;

/* For n >= 1 unknowns. False where there is no memory; steep_gram_close frees it. Memory: 16 n^2 bytes + 3 KB n. */
bool steep_gram_open(steep_gram *gram, size_t n, steep_team *team);
void steep_gram_close(steep_gram *gram);

/* G = J'J, J(m x n) column-major, finite. Time m a^2 where a tile has a columns that are not 0. */
void steep_gram_form(steep_gram *gram, size_t m, const double *J);

/* G += V'V for count rows more, V(count x n) by rows. */
void steep_gram_add(steep_gram *gram, size_t count, const double *V);

/* R'R = S (G + diag(d)^2) S, S = diag(scale), d(n) finite. Time n^3 / 3. False where a pivot is not above n eps:
 * rounding hides whether G + diag(d)^2 is singular. */
bool steep_gram_factor(steep_gram *gram, const double *d);

/* R'R = G, R by rows from the diagonal on. Where a pivot, relative to its diagonal entry, is not above max(n eps,
 * STEEP_FOLD_ROUNDING), the row of R is 0. Time n^3 / 3. False where G is not finite. */
bool steep_gram_triangle(steep_gram *gram);

/* For the last factor: x = (G + diag(d)^2)^-1 x; returns sqrt(x' (G + diag(d)^2)^-1 x) and overwrites x. */
void steep_gram_solve(const steep_gram *gram, double *x);
double steep_gram_inverse_norm(const steep_gram *gram, double *x);
