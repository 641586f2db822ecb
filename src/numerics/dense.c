/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The products of dense_kernels.h are compiled for each instruction set; each call takes those of the processor. */
#include "numerics/dense.h"

#include <math.h>
#include <string.h>

#include "base/inline.h"
#include "base/lanes.h"
#include "base/sizes.h"

#if defined(__x86_64__) && defined(__linux__) && !defined(STEEP_NO_CLONES)
#include <immintrin.h>
#define WIDTH            8
#define TARGET           __attribute__((target("avx512f")))
#define NAME(x)          x##_avx512
#define INNER_P          4
#define INNER_Q          4
#define MINUS_Q          6
#define HEIGHT           8
#define ACROSS           3
#define FUSED(a, b, c)   ((VECTOR)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#define UNFUSED(a, b, c) ((VECTOR)_mm512_fnmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#include "numerics/dense_kernels.h"
#define WIDTH            4
#define TARGET           __attribute__((target("avx2,fma")))
#define NAME(x)          x##_avx2
#define INNER_P          2
#define INNER_Q          3
#define MINUS_Q          4
#define HEIGHT           4
#define ACROSS           2
#define FUSED(a, b, c)   ((VECTOR)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define UNFUSED(a, b, c) ((VECTOR)_mm256_fnmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#include "numerics/dense_kernels.h"
#define HAS_SETS
#endif
#include "numerics/dense_kernels.h" /* the plain set, for any processor; the C library's fma rounds once everywhere */

#define SET(name) #name, inner_##name, minus_##name, gather_##name, take_##name, reflect_rows_##name

const steep_dense_set *steep_dense_sets(size_t index)
{
    static const steep_dense_set plain = {SET(plain)};
#ifdef HAS_SETS
    static const steep_dense_set avx512 = {SET(avx512)}, avx2 = {SET(avx2)};
    if (__builtin_cpu_supports("avx512f") && index-- == 0) return &avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && index-- == 0) return &avx2;
#endif
    return index == 0 ? &plain : NULL;
}

double steep_dense_dot(size_t n, const double *a, const double *b)
{
    double sum;
    steep_dense_sets(0)->inner(&(steep_product){n, {1, a, n}, {1, b, n}, &sum, 1});
    return sum;
}

enum { PART_COLUMNS = 32, PART_ROWS = 1024, ALONE = 1 << 17 }; /* of a part; most multiply-adds for one thread */

/* Part: PART_COLUMNS of A. */
static void inner_part(void *context, size_t part)
{
    const size_t first = part * PART_COLUMNS;
    steep_product some = *(const steep_product *)context;
    some.A.at += first * some.A.ld;
    some.A.n = steep_least(PART_COLUMNS, some.A.n - first);
    some.C += first;
    steep_dense_sets(0)->inner(&some);
}

/* Part: PART_ROWS of A and C. */
static void subtract_part(void *context, size_t part)
{
    const size_t first = part * PART_ROWS;
    steep_product some = *(const steep_product *)context;
    some.A.at += first;
    some.m = steep_least(PART_ROWS, some.m - first);
    some.C += first;
    steep_dense_sets(0)->subtract(&some);
}

static bool is_large(const steep_product *t)
{
    return t->m * t->A.n * t->B.n > ALONE;
}

void steep_dense_inner(steep_team *team, const steep_product *t)
{
    steep_team_run(is_large(t) ? team : NULL, steep_pieces(t->A.n, PART_COLUMNS), inner_part, (void *)t);
}

void steep_dense_subtract(steep_team *team, const steep_product *t)
{
    steep_team_run(is_large(t) ? team : NULL, steep_pieces(t->m, PART_ROWS), subtract_part, (void *)t);
}

enum { SIDE = 24 }; /* of squares along a diagonal, computed whole: faster than column by column */

void steep_dense_subtract_lower(const steep_product *t)
{
    double block[SIDE * SIDE] = {0};
    for (size_t j = 0; j < t->m; j += SIDE) {
        const size_t columns = steep_least(SIDE, t->m - j), below = j + columns, p = t->A.n, ldc = t->ldc;
        const steep_matrix right = {columns, t->B.at + j * t->B.ld, t->B.ld};
        double *corner = t->C + j + j * ldc;
        for (size_t v = 0; v < columns; v++)
            memcpy(block + v + v * SIDE, corner + v + v * ldc, (columns - v) * sizeof *block);
        steep_dense_sets(0)->subtract(&(steep_product){columns, {p, t->A.at + j, t->A.ld}, right, block, SIDE});
        for (size_t v = 0; v < columns; v++)
            memcpy(corner + v + v * ldc, block + v + v * SIDE, (columns - v) * sizeof *block);
        steep_dense_sets(0)->subtract(
            &(steep_product){t->m - below, {p, t->A.at + below, t->A.ld}, right, corner + columns, ldc});
    }
}

STEEP_CLONES static void rotate(const steep_rotations *turn, size_t n, double *Z, size_t ldz)
{
    enum { ROWS = 128 }; /* of two columns, which stay in the cache */
    for (size_t first = 0; first < n; first += ROWS)
        for (size_t i = 0; i < turn->count; i++) {
            const size_t rows = steep_least(ROWS, n - first), k = turn->down ? turn->count - 1 - i : i;
            const double cosine = turn->c[k], sine = turn->s[k];
            double *restrict z = Z + first + k * ldz, *restrict next = z + ldz;
            for (size_t r = 0; r < rows; r++) {
                const double left = z[r], right = next[r];
                z[r] = cosine * left - sine * right;
                next[r] = sine * left + cosine * right;
            }
        }
}

STEEP_CLONES static void add(size_t n, double c, const double *restrict x, double *restrict y)
{
    for (size_t k = 0; k < n; k++) y[k] += c * x[k];
}

STEEP_CLONES static double weighted(size_t n, const double *w, const double *a, const double *b)
{
    steep_half sum[2] = {{0}}, t, f;
    double rest = 0.0;
    size_t k = 0;
    for (; k + STEEP_LANES <= n; k += STEEP_LANES) STEEP_UNROLL for (int q = 0; q < 2; q++)
        {
            const size_t at = k + q * STEEP_HALF;
            STEEP_HALF_LOAD(t, w + at);
            if (a) {
                STEEP_HALF_LOAD(f, a + at);
                t *= f;
            }
            if (b) {
                STEEP_HALF_LOAD(f, b + at);
                t *= f;
            }
            sum[q] += t;
        }
    for (; k < n; k++) rest += w[k] * (a ? a[k] : 1.0) * (b ? b[k] : 1.0);
    return STEEP_LANES_SUM(sum) + rest;
}

/* Functions with STEEP_CLONES would be exported whatever their visibility; so these are static. */
void steep_dense_rotate(const steep_rotations *turn, size_t n, double *Z, size_t ldz)
{
    rotate(turn, n, Z, ldz);
}

void steep_dense_add(size_t n, double c, const double *restrict x, double *restrict y)
{
    add(n, c, x, y);
}

double steep_dense_weighted(size_t n, const double *w, const double *a, const double *b)
{
    return weighted(n, w, a, b);
}

void steep_dense_inner_lower(const steep_product *t)
{
    const size_t p = t->A.n, lda = t->A.ld, ldb = t->B.ld;
    double block[SIDE * SIDE];
    for (size_t j = 0; j < p; j += SIDE)
        for (size_t i = j; i < p; i += SIDE) {
            const size_t rows = steep_least(SIDE, p - i), columns = steep_least(SIDE, p - j);
            steep_dense_sets(0)->inner(
                &(steep_product){t->m, {rows, t->A.at + i * lda, lda}, {columns, t->B.at + j * ldb, ldb}, block, SIDE});
            for (size_t v = 0; v < columns; v++)
                for (size_t u = i > j ? 0 : v; u < rows; u++) t->C[i + u + (j + v) * t->ldc] += block[u + v * SIDE];
        }
}

void steep_dense_scale(size_t n, double c, double *a)
{
    for (size_t k = 0; k < n; k++) a[k] *= c;
}

double steep_dense_norm(size_t n, const double *a)
{
    double square = steep_dense_dot(n, a, a), largest = 0;
    if (square > 0x1p-900 && square < INFINITY) return sqrt(square); /* squares that underflowed are negligible */
    for (size_t k = 0; k < n; k++) {
        if (isnan(a[k])) return NAN;
        if (fabs(a[k]) > largest) largest = fabs(a[k]);
    }
    if (largest == 0 || isinf(largest)) return largest;
    int exponent;
    frexp(largest, &exponent);
    square = 0;
    for (size_t k = 0; k < n; k++) {
        double scaled = ldexp(a[k], -exponent);
        square += scaled * scaled;
    }
    return ldexp(sqrt(square), exponent);
}

void steep_dense_upper(size_t n, const double *R, size_t ldr, double *x)
{
    for (size_t j = 0; j < n; j++) {
        steep_dense_add(j, x[j], R + j * ldr, x);
        x[j] *= R[j + j * ldr];
    }
}

void steep_dense_upper_solve(size_t n, const double *R, size_t ldr, double *x)
{
    for (size_t j = n; j-- > 0;) {
        x[j] /= R[j + j * ldr];
        steep_dense_add(j, -x[j], R + j * ldr, x);
    }
}

void steep_dense_upper_transposed_solve(size_t n, const double *R, size_t ldr, double *x)
{
    for (size_t j = 0; j < n; j++) x[j] = (x[j] - steep_dense_dot(j, R + j * ldr, x)) / R[j + j * ldr];
}

void steep_dense_lower_solve(size_t n, const double *L, size_t ldl, double *x)
{
    for (size_t j = 0; j < n; j++) {
        x[j] /= L[j + j * ldl];
        steep_dense_add(n - j - 1, -x[j], L + j + 1 + j * ldl, x + j + 1);
    }
}

void steep_dense_lower_transposed_solve(size_t n, const double *L, size_t ldl, double *x)
{
    for (size_t j = n; j-- > 0;)
        x[j] = (x[j] - steep_dense_dot(n - j - 1, L + j + 1 + j * ldl, x + j + 1)) / L[j + j * ldl];
}

bool steep_dense_finite(size_t n, const double *a)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += a[k] * 0; /* stays 0, or becomes NaN for good */
    return sum == 0;
}
