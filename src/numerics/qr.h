/* SPDX-License-Identifier: GPL-3.0-or-later */
/* qr: orthogonal factorisations by Householder reflections, with the same bits on every processor (numerics/dense).
 * Matrices are column-major, A(m x n, lda) as in numerics/dense. Nothing here allocates but steep_span_open: a caller
 * gives workspace. Where Q is not needed afterwards, numerics/fold is faster. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define STEEP_QR_PANEL 16 /* reflections that are applied together */

/* Doubles of workspace for any function below whose matrices have at most m rows and n columns. */
size_t steep_qr_work(size_t m, size_t n);

/* A = Q R. On return R stands in the upper triangle of A, the reflectors below it; T(STEEP_QR_PANEL x min(m, n)) holds
 * the triangles of their panels. */
void steep_qr_factor(size_t m, size_t n, double *A, size_t lda, double *T, double *work);

/* R alone, for n <= STEEP_QR_PANEL columns; on return the entries of A below R have no meaning. */
void steep_qr_triangle(size_t m, size_t n, double *A, size_t lda);

/* Q as steep_qr_factor leaves it: k = min(m, n) reflectors. */
typedef struct steep_reflectors {
    size_t m, k;
    const double *A;
    size_t lda;
    const double *T;
} steep_reflectors;

/* C(m x q) = Q'C if transposed, else Q C. */
void steep_qr_apply(const steep_reflectors *Q, bool transposed, size_t q, double *C, size_t ldc, double *work);

/* min |A x - b| where A may lack rank: A = Q1 R1, R1 P = Q2 [R11 R12; 0 R22] with column pivoting, [R11 R12]' = Z L'.
 * The columns have hardly any component in the directions of R22: R22 is left out, and of all minimisers x the shortest
 * is taken. */
typedef struct steep_span {
    size_t m, n, rank;
    double *A, *T;       /* m x n, panels: Q1 */
    double *R, *T_pivot; /* n x n (min(m, n) rows used), panels: Q2, R11, R12 */
    double *Z, *T_short; /* n x n (rank columns used), panels */
    double *w, *work;    /* m + n; steep_qr_work */
    size_t *pivot;       /* n: column j of R1 P is column pivot[j] */
    void *block;         /* memory of all arrays */
} steep_span;

/* For a matrix of m x n; false where there is no memory. steep_span_close frees it. */
bool steep_span_open(steep_span *span, size_t m, size_t n);
void steep_span_close(steep_span *span);

/* Factors span->A (m x n, ld m, written by the caller). rank: how many pivots are larger than tolerance times the
 * first, in size. False where A is not finite. Time 2 m n^2 + O(n^3). */
bool steep_span_factor(steep_span *span, double tolerance);

/* x(n) = the shortest minimiser of |A x - b|, b(m) kept; A as factored, up to the directions left out. */
void steep_span_solve(steep_span *span, const double *b, double *x);

/* Subtracts from each column of X(m x q, ldx) its projection onto the span of A's columns. */
void steep_span_remove(steep_span *span, size_t q, double *X, size_t ldx);
