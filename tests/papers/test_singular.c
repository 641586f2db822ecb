/* SPDX-License-Identifier: GPL-3.0-or-later */
/* singular: singular values against LAPACK, against those that a matrix was made from; the effective rank. */
#include "../../experiments/singular.h"

#include <float.h>
#include <lapacke.h>

#include "chance.h"
#include "harness.h"

enum { MOST = 40 };

static void draw(steep_random *random, size_t count, double *values)
{
    for (size_t i = 0; i < count; i++) values[i] = steep_random_normal(random);
}

/* Any shape, also with rows or columns that repeat, vanish, or differ by 1e20 in size. */
START_TEST(as_lapack_has_them)
{
    static double A[MOST * MOST], B[MOST * MOST];
    steep_random random = chance_start(1);
    for (size_t trial = 0; trial < chance_cases(300); trial++) {
        const size_t m = 1 + chance_below(&random, MOST), n = 1 + chance_below(&random, MOST), lda = m + trial % 3,
                     least = m < n ? m : n;
        if (lda * n > MOST * MOST) continue;
        double ours[MOST], theirs[MOST];
        draw(&random, lda * n, A);
        for (size_t j = 0; j < n && trial % 4 == 1; j++) memcpy(A + j * lda, A + (j % 3) * lda, m * sizeof *A);
        for (size_t j = 0; j < n && trial % 4 == 2; j++)
            for (size_t i = 0; i < m; i++) A[i + j * lda] *= j % 2 ? 0 : 1;
        for (size_t j = 0; j < n && trial % 4 == 3; j++)
            for (size_t i = 0; i < m; i++) A[i + j * lda] *= pow(10, 20 - 40 * (double)j / (double)n);
        memcpy(B, A, sizeof B);
        ck_assert(singular_values(m, n, A, lda, ours));
        for (size_t i = 0; i < lda * n; i++) ck_assert(A[i] == B[i]);
        double none;
        ck_assert_int_eq(LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', (int)m, (int)n, B, (int)lda, theirs, &none, 1, &none, 1),
                         0);
        for (size_t i = 0; i < least; i++)
            check_close(ours[i], theirs[i], 8 * (double)(m > n ? m : n) * DBL_EPSILON * theirs[0]);
        for (size_t i = 1; i < least; i++) ck_assert(ours[i] <= ours[i - 1]);
    }
    A[3] = NAN;
    double value[4];
    ck_assert(!singular_values(4, 4, A, 4, value));
    A[3] = INFINITY;
    ck_assert(!singular_values(4, 4, A, 4, value));
}
END_TEST

/* Columns of sizes down to 1e-150 that are orthogonal: each to its own rounding. */
START_TEST(small_ones)
{
    steep_random random = chance_start(2);
    for (size_t trial = 0; trial < chance_cases(100); trial++) {
        const size_t n = 2 + chance_below(&random, 10);
        double A[144] = {0}, value[12], size = 1;
        for (size_t j = 0; j < n; j++, size *= pow(10, -15 * steep_random_uniform(&random)))
            A[(j + trial) % n + j * n] = trial % 2 ? size : -size;
        ck_assert(singular_values(n, n, A, n, value));
        for (size_t j = 0; j < n; j++)
            check_close(value[j], fabs(A[(j + trial) % n + j * n]), 4 * DBL_EPSILON * value[j]);
    }
}
END_TEST

/* count equal values have that rank, one has 1; it lies between, does not see scale or order, and 1, 1/2, 1/4 has
 * exp(4/7 ln(7/4) + 2/7 ln(7/2) + 1/7 ln 7). */
START_TEST(rank_of_known_values)
{
    steep_random random = chance_start(3);
    double sigma[MOST], scaled[MOST];
    for (size_t trial = 0; trial < chance_cases(200); trial++) {
        const size_t count = 1 + chance_below(&random, MOST);
        const double scale = ldexp(1, (int)chance_below(&random, 200) - 100);
        for (size_t i = 0; i < count; i++) sigma[i] = 3;
        check_close(effective_rank(count, sigma), (double)count,
                    16 * (double)count * DBL_EPSILON * log(2 + (double)count));
        for (size_t i = 0; i < count; i++) sigma[i] = i ? 0 : 0.1;
        check_close(effective_rank(count, sigma), 1, 0);
        for (size_t i = 0; i < count; i++) sigma[i] = steep_random_uniform(&random);
        for (size_t i = 0; i < count; i++) scaled[i] = scale * sigma[count - 1 - i];
        const double rank = effective_rank(count, sigma);
        ck_assert(rank >= 1 - 1e-14 && rank <= (double)count * (1 + 1e-14));
        check_close(effective_rank(count, scaled), rank, 64 * (double)count * DBL_EPSILON * rank);
    }
    const double known[3] = {1, 0.5, 0.25};
    check_close(effective_rank(3, known), exp(4 / 7. * log(7 / 4.) + 2 / 7. * log(3.5) + log(7) / 7),
                8 * DBL_EPSILON);
    ck_assert(effective_rank(2, (const double[]){0, 0}) == 0 && effective_rank(0, NULL) == 0);
    ck_assert(isnan(effective_rank(2, (const double[]){1, -1})) &&
              isnan(effective_rank(2, (const double[]){NAN, 1})));
}
END_TEST

STEEP_TEST_MAIN("singular", as_lapack_has_them, small_ones, rank_of_known_values)
