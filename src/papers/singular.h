/* SPDX-License-Identifier: GPL-3.0-or-later */
/* singular: singular values, with the same bits on every processor (numerics/dense). */
#ifndef STEEP_PAPERS_SINGULAR_H
#define STEEP_PAPERS_SINGULAR_H

#include <stdbool.h>
#include <stddef.h>

/* The min(m, n) singular values of A(m x n, lda, column-major), descending, into value: one-sided Jacobi rotations of
 * the columns of the triangle of A's QR factorisation, the larger side first (Golub and Van Loan, Matrix Computations,
 * 8.6.3); each is right to a few max(m, n) eps of the largest, and of its own size where only columns are badly scaled.
 * A is kept. False where A is not finite or memory runs out. About 4 m n^2 + 15 n^3 operations, n the smaller. */
bool steep_singular_values(size_t m, size_t n, const double *A, size_t lda, double *value);

/* exp(-sum_i p_i ln p_i), p_i = sigma_i / sum_j sigma_j, 0 ln 0 = 0: the effective rank (Roy and Vetterli, The
 * effective rank, 2007), from 1 (one direction) to count (all alike); 0 where all sigma are 0, NaN where one is
 * negative or NaN. Zhuo and others, eq. 39. */
double steep_effective_rank(size_t count, const double *sigma);

#endif
