/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dense: every instruction set gives the bits of plain loops written from the definitions in dense.h. */
#include "numerics/dense.h"

#include <float.h>

#include "chance.h"
#include "harness.h"

#define EPS DBL_EPSILON

static double plain_dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t first = 0; first == 0 || first < n; first += 512) {
        size_t m = n - first < 512 ? n - first : 512, whole = m / 8 * 8;
        double lane[8] = {0}, rest = 0;
        for (size_t k = 0; k < whole; k++) lane[k % 8] += a[first + k] * b[first + k];
        for (size_t k = whole; k < m; k++) rest += a[first + k] * b[first + k];
        double chunk = ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7])) + rest;
        sum = first == 0 ? chunk : sum + chunk;
    }
    return sum;
}

static void plain_inner(size_t m, size_t p, const double *A, size_t lda, size_t q, const double *B, size_t ldb,
                        double *C, size_t ldc)
{
    for (size_t j = 0; j < q; j++)
        for (size_t i = 0; i < p; i++) C[i + j * ldc] = plain_dot(m, A + i * lda, B + j * ldb);
}

static void plain_subtract(size_t m, size_t p, const double *A, size_t lda, size_t q, const double *W, size_t ldw,
                           double *C, size_t ldc)
{
    for (size_t j = 0; j < q; j++)
        for (size_t i = 0; i < m; i++)
            for (size_t k = 0; k < p; k++) C[i + j * ldc] -= A[i + k * lda] * W[k + j * ldw];
}

static void plain_rotate(size_t n, size_t count, bool down, const double *c, const double *s, double *Z, size_t ldz)
{
    for (size_t turn = 0; turn < count; turn++)
        for (size_t i = 0, k = down ? count - 1 - turn : turn; i < n; i++) {
            double left = Z[i + k * ldz], right = Z[i + (k + 1) * ldz];
            Z[i + k * ldz] = c[k] * left - s[k] * right;
            Z[i + (k + 1) * ldz] = s[k] * left + c[k] * right;
        }
}

enum { POOL = 60000 };

typedef struct pools {
    double a[POOL], b[POOL], c[POOL], d[POOL]; /* d: what plain loops compute, where c is the library's */
} pools;

/* Normal numbers of sizes from 1e-8 to 1e8, a few zeros. */
static void fill(steep_random *random, double *a)
{
    for (size_t k = 0; k < POOL; k++)
        a[k] = chance_below(random, 50) == 0
                   ? 0
                   : steep_random_normal(random) * ldexp(1, (int)chance_below(random, 54) - 27);
}

static pools *open_pools(steep_random *random)
{
    pools *all = malloc(sizeof *all);
    ck_assert_ptr_nonnull(all);
    fill(random, all->a);
    fill(random, all->b);
    return all;
}

/* A number of rows: mostly small, in one of ten cases about a chunk or two. */
static size_t some_rows(steep_random *random)
{
    return chance_below(random, 10) == 0 ? 500 + chance_below(random, 700) : chance_below(random, 70);
}

static void check_bits(const pools *all, const char *set, const char *what, size_t m, size_t p, size_t q)
{
    ck_assert_msg(memcmp(all->c, all->d, sizeof all->c) == 0, "%s differs with %s: m %zu, p %zu, q %zu", what, set, m,
                  p, q);
}

START_RANDOM_TEST(every_instruction_set_gives_the_bits_of_the_definition, 1)
{
    SCOPED(release_memory) pools *all = open_pools(&random);
    ck_assert_ptr_nonnull(steep_dense_sets(0));
    for (size_t cases = chance_cases(1000); cases-- > 0;) {
        size_t m = some_rows(&random), p = chance_below(&random, 15), q = chance_below(&random, 15);
        size_t lda = m + chance_below(&random, 4), ldb = m + chance_below(&random, 4);
        size_t ldc = p + chance_below(&random, 4), ldw = p + chance_below(&random, 4);
        size_t ldm = m + chance_below(&random, 4);
        const double *a = all->a + chance_below(&random, 8), *b = all->b + chance_below(&random, 8); /* any alignment */
        size_t at = chance_below(&random, 8);
        double factor = steep_random_normal(&random);
        const steep_dense_set *set;
        for (size_t i = 0; (set = steep_dense_sets(i)) != NULL; i++) {
            memset(all->c, 0, sizeof all->c);
            memset(all->d, 0, sizeof all->d);
            set->inner(&(steep_product){m, {p, a, lda}, {q, b, ldb}, all->c + at, ldc});
            plain_inner(m, p, a, lda, q, b, ldb, all->d + at, ldc);
            check_bits(all, set->name, "inner", m, p, q);
            memcpy(all->c, all->b, sizeof all->c);
            memcpy(all->d, all->b, sizeof all->d);
            set->subtract(&(steep_product){m, {p, a, lda}, {q, b, ldw}, all->c + at, ldm});
            plain_subtract(m, p, a, lda, q, b, ldw, all->d + at, ldm);
            check_bits(all, set->name, "subtract", m, p, q);
        }
        steep_dense_add(m, factor, a, all->c + at);
        for (size_t k = 0; k < m; k++) all->d[at + k] += factor * a[k];
        check_bits(all, "the best", "add", m, 1, 1);
        for (int down = 0; down < 2; down++) {
            steep_dense_rotate(&(steep_rotations){p, down, b, b + 20}, m, all->c + at, ldm);
            plain_rotate(m, p, down, b, b + 20, all->d + at, ldm);
            check_bits(all, "the best", "rotate", m, p, 1);
        }
    }
}

/* Products shared by three threads, dot products and lower triangles have the bits of plain loops. */
START_RANDOM_TEST(what_is_made_of_them_keeps_the_order, 2)
{
    SCOPED(release_memory) pools *all = open_pools(&random);
    steep_team *team = steep_team_open(3);
    for (size_t cases = chance_cases(5); cases-- > 0;) {
        const size_t m = 1100 + chance_below(&random, 200), p = 33 + chance_below(&random, 12), q = 4 + cases % 4;
        memcpy(all->c, all->b, sizeof all->c);
        memcpy(all->d, all->b, sizeof all->d);
        steep_dense_inner(team, &(steep_product){m, {p, all->a, m}, {q, all->b, m}, all->c, p});
        plain_inner(m, p, all->a, m, q, all->b, m, all->d, p);
        steep_dense_subtract(team, &(steep_product){m, {p, all->a, m}, {q, all->b, p}, all->c + p * q, m});
        plain_subtract(m, p, all->a, m, q, all->b, p, all->d + p * q, m);
        check_bits(all, "three threads", "inner or subtract", m, p, q);
    }
    steep_team_close(team);
    for (size_t cases = chance_cases(300); cases-- > 0;) {
        size_t m = some_rows(&random), p = chance_below(&random, 60), p_short = p % 40;
        size_t lda = m + chance_below(&random, 4), ldc = p + chance_below(&random, 4);
        const double *a = all->a + chance_below(&random, 8);
        ck_assert(steep_dense_dot(m, a, all->b) == plain_dot(m, a, all->b));
        memcpy(all->c, all->b, sizeof all->c);
        memcpy(all->d, all->b, sizeof all->d);
        if (lda * p < POOL - 8) {
            steep_dense_inner_lower(&(steep_product){m, {p, a, lda}, {p, a, lda}, all->c, ldc});
            for (size_t j = 0; j < p; j++)
                for (size_t i = j; i < p; i++) all->d[i + j * ldc] += plain_dot(m, a + i * lda, a + j * lda);
            steep_dense_inner_lower(&(steep_product){m, {p, a, lda}, {p, all->b, lda}, all->c, ldc});
            for (size_t j = 0; j < p; j++)
                for (size_t i = j; i < p; i++) all->d[i + j * ldc] += plain_dot(m, a + i * lda, all->b + j * lda);
            check_bits(all, "the best", "gram", m, p, p);
        }
        size_t n = m % 150;
        steep_dense_subtract_lower(&(steep_product){n, {p_short, a, n}, {n, all->b, p_short}, all->c, n});
        for (size_t j = 0; j < n; j++)
            plain_subtract(n - j, p_short, a + j, n, 1, all->b + j * p_short, p_short, all->d + j + j * n, n);
        check_bits(all, "the best", "subtract_lower", n, p_short, n);
    }
}

START_RANDOM_TEST(triangles_and_their_inverses, 3)
{
    for (size_t cases = chance_cases(300); cases-- > 0;) {
        size_t n = chance_below(&random, 40);
        double R[1600], x[40] = {0}, y[40];
        for (size_t k = 0; k < 1600; k++) R[k] = steep_random_normal(&random) / 40; /* the lower triangle is not read */
        for (size_t k = 0; k < n; k++) {
            R[41 * k] = 1 + steep_random_uniform(&random);
            x[k] = steep_random_normal(&random);
        }
        memcpy(y, x, sizeof y);
        steep_dense_upper(n, R, 40, y);
        for (size_t i = 0; i < n; i++) {
            long double sum = 0, size = 0;
            for (size_t j = i; j < n; j++) {
                const long double term = (long double)R[i + 40 * j] * x[j];
                sum += term;
                size += fabsl(term);
            }
            check_close(y[i], sum, 2 * (double)n * EPS * (double)size);
        }
        steep_dense_upper_solve(n, R, 40, y);
        for (size_t i = 0; i < n; i++) check_close(y[i], x[i], 100 * (double)n * EPS); /* condition below 10 */
        steep_dense_upper_transposed_solve(n, R, 40, y);
        for (size_t j = 0; j < n; j++) { /* R'y = x */
            long double sum = 0;
            for (size_t i = 0; i <= j; i++) sum += (long double)R[i + 40 * j] * y[i];
            check_close(x[j], sum, 100 * (double)n * EPS);
        }
        double L[1600], z[40];
        for (size_t k = 0; k < 1600; k++) L[k] = R[k % 40 * 40 + k / 40];
        memcpy(z, x, sizeof z);
        steep_dense_lower_solve(n, L, 40, z); /* L = R' */
        for (size_t j = 0; j < n; j++) check_close(z[j], y[j], 100 * (double)n * EPS);
        steep_dense_upper_solve(n, R, 40, y);
        steep_dense_lower_transposed_solve(n, L, 40, z);
        for (size_t j = 0; j < n; j++) check_close(z[j], y[j], 10000 * (double)n * EPS); /* condition squared */
    }
}

START_RANDOM_TEST(the_norm_neither_overflows_nor_vanishes, 4)
{
    const int exponents[] = {-1074, -1040, -600, -300, 0, 300, 600, 1015};
    for (size_t cases = chance_cases(300); cases-- > 0;)
        for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
            double a[60];
            long double sum = 0;
            size_t n = chance_below(&random, 60);
            for (size_t k = 0; k < n; k++) {
                a[k] = ldexp(steep_random_normal(&random), exponents[e]);
                sum += (long double)a[k] * a[k];
            }
            check_close(steep_dense_norm(n, a), sqrtl(sum), 2 * (double)n * EPS * sqrtl(sum) + 0x1p-1074);
        }
    double odd[3] = {1, INFINITY, 2};
    ck_assert(isinf(steep_dense_norm(3, odd)));
    ck_assert(!steep_dense_finite(3, odd) && steep_dense_finite(1, odd) && steep_dense_finite(0, odd));
    odd[0] = NAN;
    ck_assert(isnan(steep_dense_norm(3, odd)) && isnan(steep_dense_norm(1, odd)) && !steep_dense_finite(1, odd));
    ck_assert(steep_dense_norm(0, odd) == 0);
    double scaled[3] = {1, -2, 3};
    steep_dense_scale(2, -4, scaled);
    ck_assert(scaled[0] == -4 && scaled[1] == 8 && scaled[2] == 3);
}
