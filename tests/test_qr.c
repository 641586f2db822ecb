/* SPDX-License-Identifier: GPL-3.0-or-later */
/* qr: factorisations held against their definition and against LAPACK, on random matrices of many shapes and ranks. */
#include <float.h>
#include <lapacke.h>

#include "chance.h"
#include "harness.h"
#include "numerics/dense.h"
#include "numerics/qr.h"

#define EPS DBL_EPSILON

static steep_random source;

/* A (m x n) of rank r at most, with singular values spread over about `decades` decades. */
static void fill_rank(size_t m, size_t n, size_t r, double decades, double *A)
{
    SCOPED(release_memory)
    double *left = malloc(m * (r + 1) * sizeof *left), *right = malloc((r + 1) * n * sizeof *right);
    chance_fill(&source, -1, 1, m * r, left);
    chance_fill(&source, -1, 1, r * n, right);
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < m; k++) {
            double sum = 0;
            for (size_t i = 0; i < r; i++)
                sum += left[k + i * m] * right[i + j * r] * pow(10, -decades * (double)i / (double)(r + 1));
            A[k + j * m] = sum;
        }
}

/* |Q'A - R| and |Q'Q b - b| are of the size of rounding, and Q keeps lengths. */
START_TEST(factors_multiply_back)
{
    source = chance_start(1);
    for (size_t i = 0; i < chance_cases(300); i++) {
        size_t m = 1 + chance_below(&source, 140), n = 1 + chance_below(&source, 100), k = m < n ? m : n;
        SCOPED(release_memory)
        double *A = malloc(m * n * sizeof *A), *copy = malloc(m * n * sizeof *A), *b = malloc(m * sizeof *b),
               *c = malloc(m * sizeof *c), *T = malloc(STEEP_QR_PANEL * n * sizeof *T),
               *work = malloc(steep_qr_work(m > n ? m : n, n) * sizeof *work);
        chance_fill(&source, -1, 1, m * n, A);
        if (i % 5 == 0) memset(A + (n / 2) * m, 0, m * sizeof *A); /* a column of zeros */
        if (i % 7 == 0) steep_dense_scale(m * n, i % 2 ? 1e-200 : 1e200, A);
        memcpy(copy, A, m * n * sizeof *A);
        const double size = steep_dense_norm(m * n, A);
        steep_qr_factor(m, n, A, m, T, work);
        const steep_reflectors Q = {m, k, A, m, T};
        steep_qr_apply(&Q, true, n, copy, m, work);
        for (size_t j = 0; j < n; j++)
            for (size_t r = 0; r < m; r++)
                check_close(copy[r + j * m], r <= j && r < k ? A[r + j * m] : 0, 8 * (double)n * EPS * size);
        chance_fill(&source, -1, 1, m, b);
        memcpy(c, b, m * sizeof *b);
        steep_qr_apply(&Q, false, 1, c, m, work);
        check_close(steep_dense_norm(m, c), steep_dense_norm(m, b), 8 * (double)m * EPS * sqrt((double)m));
        steep_qr_apply(&Q, true, 1, c, m, work);
        for (size_t r = 0; r < m; r++) check_close(c[r], b[r], 16 * (double)m * EPS);
    }
}

/* Solutions against dgelsd, which uses singular values: the same residual and the same shortest solution, where the
 * rank is not in doubt, also with more columns than rows and ranks from 0 on. Every fourth matrix has one column twice,
 * whose coefficient is then shared, and a column of zeros. */
START_TEST(shortest_solutions_are_those_of_lapack)
{
    source = chance_start(3);
    for (size_t i = 0; i < chance_cases(400); i++) {
        size_t m = 1 + chance_below(&source, 80), n = 1 + chance_below(&source, 60), k = m < n ? m : n,
               r = chance_below(&source, k + 1), most = m > n ? m : n;
        SCOPED(release_memory)
        double *A = malloc(m * n * sizeof *A), *b = calloc(most, sizeof *b), *x = malloc(n * sizeof *x),
               *values = malloc(most * sizeof *values), *residual = malloc(m * sizeof *residual),
               *rest = malloc(m * sizeof *rest);
        SCOPED(steep_span_close) steep_span span;
        double size = 0;
        lapack_int rank;
        fill_rank(m, n, r, i % 3 == 0 ? 3 : 0, A);
        if (i % 4 == 1 && n > 2) {
            memcpy(A + (n - 1) * m, A, m * sizeof *A);
            memset(A + m, 0, m * sizeof *A);
        }
        chance_fill(&source, -1, 1, m, b);
        const double length = steep_dense_norm(m, b);
        ck_assert(steep_span_open(&span, m, n));
        memcpy(span.A, A, m * n * sizeof *A);
        ck_assert(steep_span_factor(&span, 1e-9));
        steep_span_solve(&span, b, x);
        memcpy(residual, b, m * sizeof *b);
        memcpy(rest, b, m * sizeof *b);
        steep_dense_subtract(NULL, &(steep_product){m, {n, A, m}, {1, x, n}, residual, m});
        steep_span_remove(&span, 1, rest, m); /* what no combination of columns reaches */
        ck_assert_int_eq(LAPACKE_dgelsd(LAPACK_COL_MAJOR, (lapack_int)m, (lapack_int)n, 1, A, (lapack_int)m, b,
                                        (lapack_int)most, values, 1e-9, &rank),
                         0);
        ck_assert_msg(span.rank == (size_t)rank && (i % 4 == 1 || span.rank == r), "rank %zu, LAPACK %d, made %zu",
                      span.rank, rank, r);
        double condition = rank > 0 ? values[0] / values[rank - 1] : 1;
        for (size_t j = 0; j < n; j++) size = fmax(size, fabs(b[j]));
        for (size_t j = 0; j < n; j++)
            check_close(x[j], b[j], 1e2 * (double)most * EPS * condition * (size + condition / fmax(values[0], 1e-3)));
        for (size_t l = 0; l < m; l++) {
            check_close(residual[l], rest[l], 1e3 * (double)most * EPS * condition);
            ck_assert_double_le(fabs(rest[l]), length * (1 + 64 * EPS));
        }
        span.A[0] = NAN;
        ck_assert(!steep_span_factor(&span, 1e-9));
    }
}
