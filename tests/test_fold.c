/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fold: triangles held against their definition and against plain loops, on random matrices of many shapes, scales and
 * ranks; every instruction set gives the same bits. */
#include "numerics/fold.h"

#include <float.h>

#include "chance.h"
#include "harness.h"
#include "numerics/dense.h"
#include "numerics/elementary.h"

#define EPS DBL_EPSILON

static steep_random source;

/* A (m x n, by columns) and b (m). A degenerate A has columns of very different lengths, some zero, some copies of
 * others; half of the degenerate A have the zeros of a triangle. */
typedef struct problem {
    size_t m, n;
    double *A, *b;
} problem;

static problem make_problem(size_t m, size_t n, bool degenerate)
{
    problem p = {m, n, calloc(m * n, sizeof(double)), calloc(m, sizeof(double))};
    for (size_t j = 0; j < n; j++) {
        double size = degenerate ? pow(10, 12 * chance_within(&source, -1, 1)) : 1;
        for (size_t k = 0; k < m; k++) p.A[k + j * m] = size * chance_within(&source, -1, 1);
        if (degenerate && chance_below(&source, 6) == 0) memset(p.A + j * m, 0, m * sizeof *p.A);
        if (degenerate && j > 0 && chance_below(&source, 6) == 0)
            memcpy(p.A + j * m, p.A + chance_below(&source, j) * m, m * sizeof *p.A);
    }
    for (size_t k = degenerate && chance_below(&source, 2) ? 0 : m; k < m; k++)
        for (size_t j = 0; j < k * n / m; j++) p.A[k + j * m] = 0;
    for (size_t k = 0; k < m; k++) p.b[k] = chance_within(&source, -1, 1);
    return p;
}

static void free_problem(problem *p)
{
    free(p->A);
    free(p->b);
}

/* R'R = A'A and R'c = A'b, each entry to rounding of the lengths of its two columns; zero columns leave exact zeros. */
static void check_definition(const problem *p, const steep_fold *fold)
{
    size_t n = p->n, m = p->m;
    for (size_t i = 0; i < n; i++) {
        double length = steep_dense_norm(m, p->A + i * m);
        if (length == 0)
            for (size_t l = 0; l <= i; l++) ck_assert_double_eq(fold->R[l * fold->ld + i], 0);
        for (size_t j = i; j <= n; j++) {
            const double *other = j < n ? p->A + j * m : p->b;
            double sum = 0, right = 0, size = length * steep_dense_norm(m, other);
            for (size_t k = 0; k < m; k++) right += p->A[k + i * m] * other[k];
            for (size_t l = 0; l <= i; l++) sum += fold->R[l * fold->ld + i] * fold->R[l * fold->ld + j];
            check_close(sum, right, 8 * (double)(n + 10) * EPS * size);
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) ck_assert_double_eq(fold->R[i * fold->ld + j], 0);
}

/* R'(R x) = A'(A x). */
static void check_products(const problem *p, const steep_fold *fold)
{
    const size_t n = p->n, m = p->m;
    SCOPED(release_memory) double *x = malloc(n * sizeof *x), *z = malloc(n * sizeof *z), *y = calloc(m, sizeof *y);
    double size = 0;
    chance_fill(&source, -1, 1, n, x);
    memcpy(z, x, n * sizeof *z);
    steep_fold_times(fold, fold->R, z);
    steep_fold_transposed_times(fold, fold->R, z);
    for (size_t j = 0; j < n; j++) {
        steep_dense_add(m, x[j], p->A + j * m, y);
        size += fabs(x[j]) * steep_dense_norm(m, p->A + j * m);
    }
    for (size_t j = 0; j < n; j++)
        check_close(z[j], steep_dense_dot(m, p->A + j * m, y),
                    8 * (double)(n + 10) * EPS * steep_dense_norm(m, p->A + j * m) * size);
}

START_TEST(triangles_are_those_of_the_definition)
{
    source = chance_start(1);
    for (size_t i = 0; i < chance_cases(60); i++) {
        SCOPED(free_problem)
        problem p =
            make_problem(1 + chance_below(&source, i % 9 == 0 ? 900 : 120), 1 + chance_below(&source, 90), i % 3 == 1);
        size_t part = chance_below(&source, p.m + 1);
        SCOPED(steep_fold_close) steep_fold fold;
        double scale =
            i % 3 == 0 ? exp2(floor(300 * chance_within(&source, -1, 1))) : 1; /* a power of two changes no digit */
        ck_assert(steep_fold_open(&fold, p.n, NULL));
        steep_fold_begin(&fold);
        for (size_t k = 0; k < p.m * p.n; k++) p.A[k] *= scale * scale;
        steep_fold_rows(&fold, part, p.A, 1, p.m, p.b);
        steep_fold_rows(&fold, p.m - part, p.A + part, 1, p.m, p.b + part);
        for (size_t k = 0; k < p.m * p.n; k++) p.A[k] /= scale * scale;
        for (size_t r = 0; r < p.n; r++)
            for (size_t j = r; j < p.n; j++) fold.R[r * fold.ld + j] /= scale * scale;
        check_definition(&p, &fold);
        check_products(&p, &fold);
    }
}

/* A matrix stored by rows gives the same bits; no right side is the same as a right side of zeros. */
START_TEST(rows_may_stand_either_way)
{
    source = chance_start(2);
    for (size_t i = 0; i < chance_cases(20); i++) {
        SCOPED(free_problem)
        problem p = make_problem(1 + chance_below(&source, 600), 1 + chance_below(&source, 50), i % 2);
        SCOPED(release_memory)
        double *turned = malloc(p.m * p.n * sizeof *turned), *zeros = calloc(p.m, sizeof *zeros);
        SCOPED(steep_fold_close) steep_fold one, two;
        for (size_t k = 0; k < p.m; k++)
            for (size_t j = 0; j < p.n; j++) turned[j + k * p.n] = p.A[k + j * p.m];
        ck_assert(steep_fold_open(&one, p.n, NULL) && steep_fold_open(&two, p.n, NULL));
        steep_fold_rows(&one, p.m, p.A, 1, p.m, zeros);
        steep_fold_rows(&two, p.m, turned, p.n, 1, NULL);
        ck_assert_mem_eq(one.R, two.R, p.n * one.ld * sizeof *one.R);
    }
}

/* The solution x of [A; diag d] x = [b; 0]: its residual is orthogonal to each column, to the rounding of the terms. */
START_TEST(damped_triangles_solve_the_damped_problem)
{
    source = chance_start(3);
    for (size_t i = 0; i < chance_cases(40); i++) {
        const size_t n = 1 + chance_below(&source, i % 8 ? 60 : 400), m = n + chance_below(&source, 200);
        SCOPED(free_problem) problem p = make_problem(m, n, false);
        SCOPED(release_memory) double *d = malloc(n * sizeof *d), *x = malloc(n * sizeof *x);
        SCOPED(steep_fold_close) steep_fold fold;
        double size = steep_dense_norm(m, p.b);
        chance_fill(&source, 0.1, 1.1, n, d);
        ck_assert(steep_fold_open(&fold, n, NULL));
        steep_fold_rows(&fold, m, p.A, 1, m, p.b);
        steep_fold_damp(&fold, d);
        for (size_t j = 0; j < n; j++) x[j] = fold.S[j * fold.ld + n];
        steep_dense_lower_transposed_solve(fold.n, fold.S, fold.ld, x);
        for (size_t j = 0; j < n; j++) {
            steep_dense_add(m, -x[j], p.A + j * m, p.b);
            size += fabs(x[j]) * steep_dense_norm(m, p.A + j * m);
        }
        for (size_t j = 0; j < n; j++)
            check_close(steep_dense_dot(m, p.A + j * m, p.b), d[j] * d[j] * x[j],
                        4 * EPS * sqrt((double)m) * steep_dense_norm(m, p.A + j * m) * size);
    }
}

static void fold_and_damp(steep_fold *fold, const problem *p, size_t part, const double *d)
{
    steep_fold_rows(fold, part, p->A, 1, p->m, p->b);
    steep_fold_rows(fold, p->m - part, p->A + part, 1, p->m, p->b + part);
    steep_fold_damp(fold, d);
}

/* Up to four stripes, of one tile or several, on more threads than stripes, have the bits of one thread. Smaller
 * matrices, whose shapes are no multiples of a block, have the same bits with each instruction set. */
START_TEST(instruction_sets_and_threads_give_the_same_bits)
{
    source = chance_start(6);
    for (size_t i = 0; i < chance_cases(16); i++) {
        SCOPED(free_problem)
        problem p =
            make_problem(1 + chance_below(&source, 700),
                         i < 2 ? 280 + chance_below(&source, 40) : 1 + chance_below(&source, i < 8 ? 900 : 80), i % 2);
        SCOPED(release_memory) double *d = malloc(p.n * sizeof *d);
        SCOPED(steep_fold_close) steep_fold first;
        const size_t part = chance_below(&source, p.m), threads = 2 + chance_below(&source, 5);
        for (size_t j = 0; j < p.n; j++) d[j] = steep_random_uniform(&source);
        ck_assert(steep_fold_open(&first, p.n, NULL));
        fold_and_damp(&first, &p, part, d);
        for (size_t s = 0; steep_dense_sets(s) && (s == 0 || i == 0 || i >= 8); s++) {
            SCOPED(steep_fold_close) steep_fold other;
            steep_team *team = s == 0 ? steep_team_open(threads) : NULL;
            ck_assert(steep_fold_open(&other, p.n, team));
            if (s > 0) other.set = steep_dense_sets(s);
            fold_and_damp(&other, &p, part, d);
            const size_t bytes = p.n * first.ld * sizeof(double);
            ck_assert_msg(!memcmp(first.R, other.R, bytes) && !memcmp(first.S, other.S, bytes),
                          "%s, %zu threads: other bits, %zu x %zu", other.set->name, s == 0 ? threads : 1, p.m, p.n);
            steep_team_close(team);
        }
    }
}

START_TEST(bits_are_those_of_other_machines)
{
    steep_random random = steep_random_start(0, ((uint64_t)STEEP_STREAM_TEST << 32) + 400);
    enum { M = 500, N = 70 };
    SCOPED(release_memory) double *A = malloc(M * N * sizeof *A);
    double b[M];
    SCOPED(steep_fold_close) steep_fold fold;
    for (size_t k = 0; k < M * N; k++) A[k] = 2 * steep_random_uniform(&random) - 1;
    for (size_t k = 0; k < M; k++) b[k] = 2 * steep_random_uniform(&random) - 1;
    ck_assert(steep_fold_open(&fold, N, NULL));
    steep_fold_rows(&fold, M, A, 1, M, b);
    steep_fold_damp(&fold, b);
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < N; i++)
        for (size_t j = i; j <= N; j++) {
            hash = (hash ^ steep_bits(fold.R[i * fold.ld + j])) * 0x100000001b3;
            hash = (hash ^ steep_bits(fold.S[i * fold.ld + j])) * 0x100000001b3;
        }
    ck_assert_msg(hash == 0xc8a858fb28632025, "other bits here: 0x%016llx", (unsigned long long)hash);
}
