/* SPDX-License-Identifier: GPL-3.0-or-later */
/* singular: singular values, with the same bits on every processor (numerics/dense). */
#ifndef STEEP_EXPERIMENTS_SINGULAR_H
#define STEEP_EXPERIMENTS_SINGULAR_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/dense.h"
#include "numerics/qr.h"

enum { SWEEPS = 60 };

/* A rotation of two columns that makes them orthogonal; false where they are already. */
static bool rotate(size_t n, double *a, double *b)
{
    const double aa = steep_dense_dot(n, a, a), bb = steep_dense_dot(n, b, b), ab = steep_dense_dot(n, a, b);
    if (!(fabs(ab) > (double)n * DBL_EPSILON * sqrt(aa) * sqrt(bb))) return false;
    const double zeta = (bb - aa) / (2 * ab), t = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta)),
                 c = 1 / sqrt(1 + t * t), s = c * t;
    for (size_t k = 0; k < n; k++) {
        const double x = a[k];
        a[k] = c * x - s * b[k];
        b[k] = s * x + c * b[k];
    }
    return true;
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* R's transpose, scaled to a largest entry of 1: its columns are rotated. */
static double take_triangle(size_t n, const double *A, size_t lda, double *L)
{
    double largest = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            L[j + i * n] = i <= j ? A[i + j * lda] : 0;
            if (fabs(L[j + i * n]) > largest) largest = fabs(L[j + i * n]);
        }
    if (largest > 0)
        for (size_t k = 0; k < n * n; k++) L[k] /= largest;
    return largest;
}

/* The min(m, n) singular values of A(m x n, lda, column-major), descending, into value: one-sided Jacobi rotations of
 * the columns of the triangle of A's QR factorisation, the larger side first (Golub and Van Loan, Matrix Computations,
 * 8.6.3); each is right to a few max(m, n) eps of the largest, and of its own size where only columns are badly scaled.
 * A is kept. False where A is not finite or memory runs out. About 4 m n^2 + 15 n^3 operations, n the smaller. */
static bool singular_values(size_t m, size_t n, const double *A, size_t lda, double *value)
{
    const bool wide = n > m;
    const size_t rows = wide ? n : m, columns = wide ? m : n;
    double *kept = malloc((rows * columns + columns * columns + STEEP_QR_PANEL * columns + 1) * sizeof *kept),
           *work = malloc((steep_qr_work(rows, columns) + 1) * sizeof *work);
    bool fine = kept && work;
    double *L = kept + rows * columns, *T = L + columns * columns;
    for (size_t j = 0; fine && j < n; j++) fine = steep_dense_finite(m, A + j * lda);
    if (fine) {
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < m; i++) kept[wide ? j + i * rows : i + j * rows] = A[i + j * lda];
        steep_qr_factor(rows, columns, kept, rows, 0, T, work);
        const double scale = take_triangle(columns, kept, rows, L);
        bool turned = scale > 0;
        for (int sweep = 0; turned && sweep < SWEEPS; sweep++) {
            turned = false;
            for (size_t i = 0; i + 1 < columns; i++)
                for (size_t j = i + 1; j < columns; j++) turned |= rotate(columns, L + i * columns, L + j * columns);
        }
        for (size_t i = 0; i < columns; i++) value[i] = scale * steep_dense_norm(columns, L + i * columns);
        qsort(value, columns, sizeof *value, descending);
    }
    free(kept);
    free(work);
    return fine;
}

/* exp(-sum_i p_i ln p_i), p_i = sigma_i / sum_j sigma_j, 0 ln 0 = 0: the effective rank (Roy and Vetterli, The
 * effective rank, 2007), from 1 (one direction) to count (all alike); 0 where all sigma are 0, NaN where one is
 * negative or NaN. Zhuo and others, eq. 39. */
static double effective_rank(size_t count, const double *sigma)
{
    double sum = 0, entropy = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(sigma[i] >= 0)) return NAN;
        sum += sigma[i];
    }
    if (!(sum > 0)) return 0;
    for (size_t i = 0; i < count; i++) {
        const double p = sigma[i] / sum;
        if (p > 0) entropy -= p * log(p);
    }
    return exp(entropy);
}

#endif
