/* SPDX-License-Identifier: GPL-3.0-or-later */
/* symmetric: backward errors of random and degenerate matrices; the textbook as the second route. */
#include "numerics/symmetric.h"

#include <float.h>
#include <lapacke.h>

#include "chance.h"
#include "harness.h"
#include "numerics/dense.h"

#define EPS DBL_EPSILON

/* Matrices of order n, with room for their factors and solutions. */
typedef struct lab {
    size_t n, ld;
    double *A, *F, *G, *work, *x, *b, *value, *other;
    double *memory;
} lab;

static void lab_open(lab *l, size_t n, size_t ld)
{
    size_t square = ld * (n + 1), work = steep_symmetric_workspace(n);
    memset(l, 0, sizeof *l);
    l->n = n, l->ld = ld;
    l->memory = malloc((3 * square + work + 4 * (n + 1)) * sizeof(double));
    ck_assert_ptr_nonnull(l->memory);
    l->A = l->memory, l->F = l->A + square, l->G = l->F + square, l->work = l->G + square;
    l->x = l->work + work, l->b = l->x + n + 1, l->value = l->b + n + 1, l->other = l->value + n + 1;
    for (size_t k = 0; k < square; k++) l->A[k] = NAN; /* what lies above or behind is not read */
    for (size_t k = 0; k < work; k++) l->work[k] = NAN;
}

static void lab_close(lab *l)
{
    free(l->memory);
}

static double entry(const lab *l, size_t i, size_t j)
{
    return i >= j ? l->A[i + j * l->ld] : l->A[j + i * l->ld];
}

static void copy(lab *l)
{
    memcpy(l->F, l->A, l->ld * l->n * sizeof *l->F);
    memcpy(l->G, l->A, l->ld * l->n * sizeof *l->G);
}

/* Largest sum of |entries| of a row: |A| in the infinity norm, at least its 2-norm. */
static double size_of(const lab *l)
{
    double size = 0;
    for (size_t i = 0; i < l->n; i++) {
        double sum = 0;
        for (size_t j = 0; j < l->n; j++) sum += fabs(entry(l, i, j));
        size = fmax(size, sum);
    }
    return size;
}

/* Lower triangle of A = Q diag(value) Q', Q random and orthogonal, by LAPACK's QR. */
static void compose(lab *l, steep_random *random, const double *value)
{
    size_t n = l->n;
    for (size_t k = 0; k < n * n; k++) l->F[k] = steep_random_normal(random);
    if (n > 0) {
        LAPACKE_dgeqrf(LAPACK_COL_MAJOR, (lapack_int)n, (lapack_int)n, l->F, (lapack_int)n, l->x);
        LAPACKE_dorgqr(LAPACK_COL_MAJOR, (lapack_int)n, (lapack_int)n, (lapack_int)n, l->F, (lapack_int)n, l->x);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++) sum += l->F[i + k * n] * value[k] * l->F[j + k * n];
            l->A[i + j * l->ld] = sum;
        }
}

static void scale(lab *l, double factor)
{
    for (size_t j = 0; j < l->n; j++)
        for (size_t i = j; i < l->n; i++) l->A[i + j * l->ld] *= factor;
}

enum { PLAIN, LOW_RANK, REPEATED, GRADED, INTEGER, BANDED, SPARSE, ZERO_DIAGONAL, KINDS };

/* A random matrix of one of the kinds. */
static void draw(lab *l, steep_random *random, int kind)
{
    size_t n = l->n, rank = n > 0 ? chance_below(random, n) : 0;
    for (size_t k = 0; k < n; k++) l->value[k] = steep_random_normal(random);
    for (size_t k = rank; kind == LOW_RANK && k < n; k++) l->value[k] = 0;
    for (size_t k = 0; kind == REPEATED && k < n; k++) l->value[k] = (double)(k % 3) - 1;
    if (kind == LOW_RANK || kind == REPEATED) compose(l, random, l->value);
    bool up = chance_below(random, 2) == 0;
    for (size_t j = 0; kind != LOW_RANK && kind != REPEATED && j < n; j++)
        for (size_t i = j; i < n; i++) {
            double a = steep_random_normal(random);
            if (kind == GRADED) a *= exp2(-(up ? (double)(i + j) : (double)(2 * n - i - j)) * 60 / (double)n);
            if (kind == INTEGER) a = (double)chance_below(random, 3) - 1;
            if (kind == BANDED && i > j + 1) a = 0;
            if (kind == SPARSE && chance_below(random, 4) != 0) a = 0;
            if (kind == ZERO_DIAGONAL && i == j) a = 0;
            l->A[i + j * l->ld] = a;
        }
}

/* Cholesky by the textbook's loops: each entry takes its terms in turn. */
static size_t plain_cholesky(size_t n, double *A, size_t lda)
{
    for (size_t k = 0; k < n; k++) {
        if (!(A[k + k * lda] > 0 && A[k + k * lda] < INFINITY)) return k + 1;
        A[k + k * lda] = sqrt(A[k + k * lda]);
        for (size_t i = k + 1; i < n; i++) A[i + k * lda] /= A[k + k * lda];
        for (size_t j = k + 1; j < n; j++)
            for (size_t i = j; i < n; i++) A[i + j * lda] -= A[i + k * lda] * A[j + k * lda];
    }
    return 0;
}

/* |b - A x| <= c eps (|A| |x| + |b|) in the infinity norm, c given. */
static void check_solution(const lab *l, const double *x, const double *b, double c)
{
    double norm_x = 0, norm_b = 0;
    for (size_t i = 0; i < l->n; i++) norm_x = fmax(norm_x, fabs(x[i])), norm_b = fmax(norm_b, fabs(b[i]));
    const double bound = c * EPS * (size_of(l) * norm_x + norm_b);
    size_t wrong = 0;
    for (size_t i = 0; i < l->n; i++) {
        long double sum = b[i];
        for (size_t j = 0; j < l->n; j++) sum -= (long double)entry(l, i, j) * x[j];
        wrong += !(fabsl(sum) <= bound);
    }
    ck_assert_uint_eq(wrong, 0);
}

START_RANDOM_TEST(cholesky_is_that_of_the_textbook_to_the_bit, 1)
{
    for (size_t cases = chance_cases(400); cases-- > 0;) {
        SCOPED(lab_close) lab l;
        size_t n = chance_below(&random, 10) == 0 ? 60 + chance_below(&random, 80) : chance_below(&random, 50);
        lab_open(&l, n, n + chance_below(&random, 3));
        for (size_t k = 0; k < n; k++) l.value[k] = exp2(-20 * steep_random_uniform(&random));
        if (n > 0 && chance_below(&random, 3) == 0) l.value[chance_below(&random, n)] *= -1;
        compose(&l, &random, l.value);
        scale(&l, ldexp(1, (int)chance_below(&random, 2001) - 1000));
        copy(&l);
        size_t broken = steep_symmetric_cholesky(n, l.F, l.ld, 0, l.work);
        ck_assert_uint_eq(plain_cholesky(n, l.G, l.ld), broken);
        if (broken == 0) {
            size_t wrong = 0;
            for (size_t j = 0; j < n; j++) /* the strict upper triangle is as it was: NaN */
                for (size_t i = 0; i < l.ld; i++) {
                    const double own = l.F[i + j * l.ld];
                    wrong += i >= j && i < n ? own != l.G[i + j * l.ld] : !isnan(own);
                }
            ck_assert_uint_eq(wrong, 0);
            double size = size_of(&l);
            for (size_t k = 0; k < n; k++) l.x[k] = l.b[k] = size * steep_random_normal(&random);
            steep_symmetric_cholesky_solve(n, l.F, l.ld, l.x);
            check_solution(&l, l.x, l.b, 10 * ((double)n + 1));
        }
    }
}

START_RANDOM_TEST(banded_is_dense_with_zeros, 2)
{
    for (size_t cases = chance_cases(400); cases-- > 0;) {
        SCOPED(lab_close) lab l;
        size_t n = chance_below(&random, 60), band = chance_below(&random, 12);
        size_t ld = band + 1 + chance_below(&random, 2);
        SCOPED(release_memory) double *banded = calloc(ld * (n + 1), sizeof *banded);
        ck_assert_ptr_nonnull(banded);
        lab_open(&l, n, n);
        double diagonal = chance_below(&random, 2) ? 2 * (double)band + 1 : 0.8 * (double)band; /* definite; or not */
        for (size_t j = 0; j < n; j++)
            for (size_t i = j; i < n; i++) {
                double a = i > j + band ? 0 : 2 * steep_random_uniform(&random) - 1;
                l.A[i + j * n] = i == j ? diagonal + a : a;
                if (i <= j + band) banded[i - j + j * ld] = l.A[i + j * n];
            }
        copy(&l);
        size_t broken = steep_symmetric_band_cholesky(n, band, banded, ld, 0, NULL);
        ck_assert_uint_eq(broken, plain_cholesky(n, l.F, n));
        if (broken == 0) {
            for (size_t j = 0; j < n; j++)
                for (size_t i = j; i < n && i <= j + band; i++) ck_assert(banded[i - j + j * ld] == l.F[i + j * n]);
            for (size_t k = 0; k < n; k++) l.x[k] = l.b[k] = steep_random_normal(&random);
            steep_symmetric_band_solve(n, band, banded, ld, l.x);
            check_solution(&l, l.x, l.b, 10 * ((double)band + 1));
        }
    }
}

/* A = G G' where some rows depend on earlier rows, so that their pivots are rounding of either sign. `share` finds all
 * of them; the other rows are definite, and are solved for. */
START_RANDOM_TEST(dependent_rows_are_found, 7)
{
    enum { BAND = 5, LD = BAND + 1, MOST = 60 };
    const double share = 16 * LD * EPS;
    for (size_t cases = chance_cases(400); cases-- > 0;) {
        SCOPED(lab_close) lab l;
        const size_t n = 1 + chance_below(&random, MOST);
        double G[MOST][MOST + 3] = {{0}}, A[MOST * LD] = {0}, F[MOST * LD];
        unsigned char depends[MOST], dropped[MOST];
        size_t first = 0;
        lab_open(&l, n, n);
        for (size_t i = 0; i < n; i++) { /* row i of G: columns i .. i + 2 of three independent ones, or of the last */
            depends[i] = i > 0 && chance_below(&random, 4) == 0;
            if (depends[i] && first == 0) first = i + 1;
            const double factor = steep_random_normal(&random);
            for (size_t k = 0; k < 3 && !depends[i]; k++) G[i][i + k] = steep_random_normal(&random) + (k == 2 ? 4 : 0);
            for (size_t k = 0; depends[i] && k < MOST + 3; k++) G[i][k] = factor * G[i - 1][k];
        }
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++) {
                double sum = 0;
                for (size_t k = 0; k < MOST + 3; k++) sum += G[i][k] * G[j][k];
                l.A[i + j * n] = sum;
                if (i - j < LD) A[i - j + j * LD] = sum;
                else if (sum != 0) depends[i] = 2; /* a chain of dependent rows leaves the band: another case */
            }
        if (memchr(depends, 2, n)) continue;
        copy(&l);
        memcpy(F, A, sizeof F);
        ck_assert_uint_eq(steep_symmetric_cholesky(n, l.F, n, share, l.work), first);
        ck_assert_uint_eq(steep_symmetric_band_cholesky(n, BAND, F, LD, share, NULL), first);
        memcpy(F, A, sizeof F);
        ck_assert_uint_eq(steep_symmetric_band_cholesky(n, BAND, F, LD, share, dropped), 0);
        ck_assert(memcmp(dropped, depends, n) == 0);
        for (size_t i = 0; i < n; i++) l.b[i] = l.x[i] = dropped[i] ? 0 : steep_random_normal(&random);
        steep_symmetric_band_solve(n, BAND, F, LD, l.x);
        for (size_t i = 0; i < n; i++) {
            ck_assert(!dropped[i] || l.x[i] == 0);
            for (size_t j = 0; j <= i; j++) l.A[i + j * n] *= !dropped[i] && !dropped[j];
        }
        check_solution(&l, l.x, l.b, 10 * LD);
    }
}

/* |A V - V diag(value)| and |V'V - I|, entry by entry, within n eps |A| and n eps. */
static void check_eigen(const lab *l, const double *V, const double *value)
{
    size_t n = l->n;
    double size = size_of(l), bound = 8 * ((double)n + 1) * EPS;
    size_t wrong = 0;
    for (size_t j = 0; j < n; j++) {
        ck_assert(j == 0 || value[j] >= value[j - 1]);
        for (size_t i = 0; i < n; i++) {
            long double apart = -(long double)value[j] * V[i + j * l->ld], dot = i == j ? -1 : 0;
            for (size_t k = 0; k < n; k++) {
                apart += (long double)entry(l, i, k) * V[k + j * l->ld];
                dot += (long double)V[k + i * l->ld] * V[k + j * l->ld];
            }
            wrong += !(fabsl(apart) <= bound * size + 0x1p-1074) + !(fabsl(dot) <= bound);
        }
    }
    ck_assert_uint_eq(wrong, 0);
}

/* Eigenvalues and vectors of matrices of any size, 2^-800 to 2^800; powers of two change no digit. */
START_RANDOM_TEST(eigenvalues_and_vectors, 5)
{
    for (size_t cases = chance_cases(300); cases-- > 0;) {
        SCOPED(lab_close) lab l;
        const int kind = (int)chance_below(&random, KINDS), power = (int)chance_below(&random, 1601) - 800;
        size_t n = chance_below(&random, 30) == 0 ? 60 + chance_below(&random, 60) : chance_below(&random, 40);
        if (cases % 300 == 0) n = 200 + chance_below(&random, 50);
        lab_open(&l, n, n + chance_below(&random, 3));
        draw(&l, &random, kind);
        copy(&l);
        scale(&l, ldexp(1, power));
        memcpy(l.F, l.A, n * l.ld * sizeof *l.F);
        ck_assert(steep_symmetric_eigen(n, l.F, l.ld, l.value, l.work));
        ck_assert(steep_symmetric_eigen(n, l.G, l.ld, l.other, l.work));
        check_eigen(&l, l.F, l.value);
        size_t wrong = 0;
        for (size_t k = 0; k < n; k++) wrong += ldexp(l.other[k], power) != l.value[k];
        for (size_t k = 0; k < n * n; k++) wrong += l.F[k % n + k / n * l.ld] != l.G[k % n + k / n * l.ld];
        ck_assert_uint_eq(wrong, 0);
    }
}

START_TEST(degenerate_matrices)
{
    for (size_t n = 0; n < 70; n += n < 4 ? 1 : 33) {
        SCOPED(lab_close) lab l;
        lab_open(&l, n, n);
        const double fills[] = {0, 1, NAN, INFINITY, 0x1p-1074, 0x1p1010};
        for (size_t f = 0; f < sizeof fills / sizeof *fills; f++)
            for (size_t at = 0; at < (isfinite(fills[f]) || n == 0 ? 1 : n); at++) {
                bool finite = isfinite(fills[f]) || n == 0;
                for (size_t k = 0; k < n * n; k++) l.A[k] = finite ? fills[f] : k % (n + 1) ? 0.5 : 2;
                if (!finite) l.A[at + n * (at / 2)] = fills[f]; /* one bad entry, anywhere */
                copy(&l);
                size_t broken = steep_symmetric_cholesky(n, l.F, n, 0, l.work);
                ck_assert_uint_le(broken, n);
                ck_assert(broken > 0 || n == 0 || (n == 1 && finite && fills[f] > 0));
                ck_assert(steep_symmetric_eigen(n, l.G, n, l.value, l.work) == finite);
                for (size_t k = 0; k < n && finite; k++) {
                    double size = (double)n * fills[f], expected = k + 1 < n ? 0 : size;
                    check_close(l.value[k], expected, 4 * (double)n * EPS * size + 0x1p-1074);
                }
            }
    }
    double one = -3, work[4 * 32 * 33], value;
    ck_assert_uint_le(steep_symmetric_workspace(1), sizeof work / sizeof *work);
    ck_assert(steep_symmetric_eigen(1, &one, 1, &value, work) && value == -3 && one == 1);
}
