/* SPDX-License-Identifier: GPL-3.0-or-later */
/* symmetric: systems and eigenvalues of dense symmetric matrices, and of banded positive definite ones, with the same
 * bits on every processor: all sums go through numerics/dense, or run in turn.
 *
 * Matrices are column-major. Of a symmetric one the lower triangle is read, entry (i, j), i >= j, at A[i + j * lda],
 * lda >= n. Nothing here allocates: work holds steep_symmetric_workspace(n) doubles. A factorisation returns 0, or
 * k + 1 where the pivot in row k is the first that is not usable; the matrix is then spoilt. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Doubles of workspace for n x n. */
size_t steep_symmetric_workspace(size_t n);

/* A = L L', L lower triangular, over the lower triangle of A; each entry takes its terms in turn. A pivot is usable if
 * it is positive, finite and above share times its diagonal entry of A. share: 0 accepts every positive pivot, some n
 * eps only a pivot whose sign is more than rounding. n^3/3 operations. */
size_t steep_symmetric_cholesky(size_t n, double *A, size_t lda, double share, double *work);

/* x = (L L')^-1 x */
void steep_symmetric_cholesky_solve(size_t n, const double *L, size_t ldl, double *x);

/* The same for a matrix with `band` diagonals below the main one, entry (i, j) at A[i - j + j * lda], lda > band
 * (LAPACK's lower band storage). n band^2 operations. If dropped (n entries) is given, a row and column without a
 * usable pivot become those of the identity, dropped[k] is 1 there and 0 elsewhere, and the result is always 0. */
size_t steep_symmetric_band_cholesky(size_t n, size_t band, double *A, size_t lda, double share,
                                     unsigned char *dropped);
void steep_symmetric_band_solve(size_t n, size_t band, const double *L, size_t ldl, double *x);

/* All eigenvalues, ascending, into value (n), and orthonormal eigenvectors into the columns of A: Householder's
 * tridiagonal form, then implicit QL (Golub and Van Loan, Matrix Computations, 8.3). False if A is not finite or, in
 * theory, QL does not converge; A is then spoilt. About 6 n^3 operations. */
bool steep_symmetric_eigen(size_t n, double *A, size_t lda, double *value, double *work);
