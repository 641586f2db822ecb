/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fold_kernels: the two matrix products of numerics/fold for one instruction set. fold.c includes this file once for
 * each, with
 *   WIDTH             doubles in a register: 8, 4 or 2
 *   TARGET            the function attribute that names the instruction set
 *   NAME(x)           x with the set's name behind it
 *   HEIGHT, ACROSS    rows, and registers of columns, of the block whose sums are held at once; HEIGHT divides 8
 *   FUSED(a, b, c)    a b + c rounded once, entry by entry
 *   UNFUSED(a, b, c)  c - a b rounded once
 *   VECTOR            such a register, a vector of doubles
 * or without any of them, for the set that every processor has.
 * Matrices are by rows, and their sizes multiples of 8. A sum goes on from what stands in its entry and takes its terms
 * one by one, in the order of the index, each fused: the same bits in every set, whatever the blocks. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#ifndef WIDTH
typedef double two __attribute__((vector_size(16)));
#define WIDTH 2
#define TARGET
#define NAME(x)          x##_plain
#define HEIGHT           4
#define ACROSS           2
#define VECTOR           two
#define FUSED(a, b, c)   ((VECTOR){fma((a)[0], (b)[0], (c)[0]), fma((a)[1], (b)[1], (c)[1])})
#define UNFUSED(a, b, c) FUSED(-(a), b, c)
#endif
#define INLINE static inline __attribute__((always_inline)) TARGET
#define UNROLL _Pragma("GCC unroll 16")

/* clang-format takes UNROLL and NAME(x) for something else. */
/* clang-format off */
/* C(HEIGHT x Q registers) += or -= sum_s A[row r + step s] B[s][..]; Q, minus, row, step are constants where they can
 * be. */
INLINE void NAME(fold_block)(int Q, int minus, size_t k, const double *A, size_t row, size_t step, const double *B,
                             size_t ldb, double *C, size_t ldc)
{
    VECTOR c[HEIGHT][ACROSS], b[ACROSS];
    UNROLL for (int r = 0; r < HEIGHT; r++)
        UNROLL for (int q = 0; q < Q; q++) memcpy(&c[r][q], C + (size_t)r * ldc + (size_t)(WIDTH * q), sizeof(VECTOR));
    for (size_t s = 0; s < k; s++) {
        UNROLL for (int q = 0; q < Q; q++) memcpy(&b[q], B + s * ldb + (size_t)(WIDTH * q), sizeof(VECTOR));
        UNROLL for (int r = 0; r < HEIGHT; r++) {
            const VECTOR a = A[(size_t)r * row + s * step] - (VECTOR){0};
            UNROLL for (int q = 0; q < Q; q++)
                c[r][q] = minus ? UNFUSED(a, b[q], c[r][q]) : FUSED(a, b[q], c[r][q]);
        }
    }
    UNROLL for (int r = 0; r < HEIGHT; r++)
        UNROLL for (int q = 0; q < Q; q++) memcpy(C + (size_t)r * ldc + (size_t)(WIDTH * q), &c[r][q], sizeof(VECTOR));
}

/* The blocks of Q registers of columns, all rows. */
INLINE void NAME(fold_column)(int Q, int minus, size_t m, size_t k, const double *A, size_t row, size_t step,
                              const double *B, size_t ldb, double *C, size_t ldc)
{
    for (size_t i = 0; i < m; i += HEIGHT)
        NAME(fold_block)(Q, minus, k, A + i * row, row, step, B, ldb, C + i * ldc, ldc);
}

/* All of C(m x n); no single register of columns where two and two will do. */
INLINE void NAME(fold_blocks)(int minus, size_t m, size_t n, size_t k, const double *A, size_t row, size_t step,
                              const double *B, size_t ldb, double *C, size_t ldc)
{
    for (size_t j = 0, wide; j < n; j += WIDTH * wide) {
        const size_t left = (n - j) / WIDTH;
        wide = left == 4 ? 2 : left < ACROSS ? left : ACROSS;
        if (wide == 1) NAME(fold_column)(1, minus, m, k, A, row, step, B + j, ldb, C + j, ldc);
        else if (wide == 2) NAME(fold_column)(2, minus, m, k, A, row, step, B + j, ldb, C + j, ldc);
        else NAME(fold_column)(ACROSS, minus, m, k, A, row, step, B + j, ldb, C + j, ldc);
    }
}

TARGET static void NAME(gather)(size_t k, size_t m, const double *A, size_t lda, size_t n, const double *B, size_t ldb,
                                double *C, size_t ldc)
{
    NAME(fold_blocks)(0, m, n, k, A, 1, lda, B, ldb, C, ldc);
}

TARGET static void NAME(take)(size_t m, size_t k, const double *A, size_t lda, size_t n, const double *B, size_t ldb,
                              double *C, size_t ldc)
{
    NAME(fold_blocks)(1, m, n, k, A, lda, 1, B, ldb, C, ldc);
}

/* Row r of C(m x 8) -= v[r] w; then sum[c] += sum_r C[r][next] C[r][c], in eight chains: row r goes to chain r mod 8,
 * and the chains are added as steep_dense_dot adds its lanes. v[r] = C[r][at] times scale, which takes its place. */
TARGET static void NAME(reflect_rows)(size_t m, double *C, size_t ldc, int at, double scale, const double *w,
                                      double *sum)
{
    enum { PARTS = 8 / WIDTH };
    VECTOR chain[8][PARTS], row[PARTS], weight[PARTS];
    UNROLL for (int l = 0; l < 8; l++)
        UNROLL for (int u = 0; u < PARTS; u++) chain[l][u] = (VECTOR){0};
    UNROLL for (int u = 0; u < PARTS; u++) memcpy(&weight[u], w + WIDTH * u, sizeof(VECTOR));
    for (size_t r = 0; r < m; r += 8)
        UNROLL for (int l = 0; l < 8; l++) {
            double *c = C + (r + (size_t)l) * ldc;
            if (at >= 0) {
                const double one = c[at] * scale;
                const VECTOR v = one - (VECTOR){0};
                UNROLL for (int u = 0; u < PARTS; u++) {
                    memcpy(&row[u], c + WIDTH * u, sizeof(VECTOR));
                    row[u] = UNFUSED(v, weight[u], row[u]);
                    memcpy(c + WIDTH * u, &row[u], sizeof(VECTOR));
                }
                c[at] = one;
            } else UNROLL for (int u = 0; u < PARTS; u++) memcpy(&row[u], c + WIDTH * u, sizeof(VECTOR));
            const VECTOR head = c[(at + 1) & 7] - (VECTOR){0};
            UNROLL for (int u = 0; u < PARTS; u++) chain[l][u] = FUSED(head, row[u], chain[l][u]);
        }
    UNROLL for (int u = 0; u < PARTS; u++) {
        const VECTOR all = ((chain[0][u] + chain[4][u]) + (chain[1][u] + chain[5][u])) +
                           ((chain[2][u] + chain[6][u]) + (chain[3][u] + chain[7][u]));
        memcpy(sum + WIDTH * u, &all, sizeof all);
    }
}
/* clang-format on */

#undef WIDTH
#undef TARGET
#undef NAME
#undef HEIGHT
#undef ACROSS
#undef FUSED
#undef UNFUSED
#undef VECTOR
#undef INLINE
#undef UNROLL
