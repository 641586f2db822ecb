/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dense_kernels: the inner loops of numerics/dense and numerics/fold for one instruction set. dense.c includes this
 * file once for each, with
 *   WIDTH              doubles in a register: 8, 4 or 2
 *   TARGET             the function attribute that names the instruction set
 *   NAME(x)            x with the set's name behind it
 *   INNER_P, INNER_Q   columns of A and of B whose dots are taken at once
 *   MINUS_Q            columns that a subtraction holds at once
 *   HEIGHT, ACROSS     rows, and registers of columns, of the block whose fused sums are held at once; HEIGHT divides 8
 *   FUSED(a, b, c)     a b + c rounded once, entry by entry
 *   UNFUSED(a, b, c)   c - a b rounded once
 * or without any of them, for the set that every processor has.
 * Blocks only say which entries are held in registers together; the order of an entry's own sum is the same in all of
 * them, so that every instruction set gives the same bits. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#ifndef WIDTH
#define WIDTH 2
#define TARGET
#define NAME(x)          x##_plain
#define INNER_P          1
#define INNER_Q          2
#define MINUS_Q          4
#define HEIGHT           4
#define ACROSS           2
#define FUSED(a, b, c)   ((VECTOR){fma((a)[0], (b)[0], (c)[0]), fma((a)[1], (b)[1], (c)[1])})
#define UNFUSED(a, b, c) FUSED(-(a), b, c)
#endif
#define PARTS      (8 / WIDTH) /* registers that make eight lanes */
#define VECTOR     NAME(vector)
#define INLINE     static inline __attribute__((always_inline)) TARGET
#define UNROLL     _Pragma("GCC unroll 16")
#define LOAD(v, p) memcpy(&(v), (p), sizeof(VECTOR))
#define CHUNK      512 /* rows of a partial sum: part of the definition of a dot */
#define HIGH       256 /* rows of A that a subtraction keeps in the cache */
#define MINUS_R    2   /* registers of rows that it holds at once */

/* clang-format takes UNROLL and NAME(x) for something else. */
/* clang-format off */
typedef double VECTOR __attribute__((vector_size(8 * WIDTH)));

/* C (+)= P x Q dots over at most CHUNK rows; P, Q are constants where this is inlined. */
INLINE void NAME(inner_block)(size_t m, int P, int Q, const double *A, size_t lda, const double *B, size_t ldb,
                              double *C, size_t ldc, int first)
{
    VECTOR sum[4][4][PARTS];
    UNROLL for (int i = 0; i < P; i++)
        UNROLL for (int j = 0; j < Q; j++)
            UNROLL for (int u = 0; u < PARTS; u++) sum[i][j][u] = (VECTOR){0};
    size_t k = 0;
    for (; k + 8 <= m; k += 8)
        UNROLL for (int u = 0; u < PARTS; u++) {
            VECTOR a, b[4];
            UNROLL for (int j = 0; j < Q; j++) LOAD(b[j], B + (size_t)j * ldb + k + (size_t)(u * WIDTH));
            UNROLL for (int i = 0; i < P; i++) {
                LOAD(a, A + (size_t)i * lda + k + (size_t)(u * WIDTH));
                UNROLL for (int j = 0; j < Q; j++) sum[i][j][u] += a * b[j];
            }
        }
    UNROLL for (int i = 0; i < P; i++)
        UNROLL for (int j = 0; j < Q; j++) {
            double lane[8], rest = 0;
            memcpy(lane, sum[i][j], sizeof lane);
            for (size_t l = k; l < m; l++) rest += A[(size_t)i * lda + l] * B[(size_t)j * ldb + l];
            double *c = C + (size_t)i + (size_t)j * ldc,
                   even = (lane[0] + lane[4]) + (lane[1] + lane[5]), odd = (lane[2] + lane[6]) + (lane[3] + lane[7]),
                   all = even + odd + rest;
            *c = first ? all : *c + all;
        }
}

TARGET static void NAME(inner)(size_t m, size_t p, const double *A, size_t lda, size_t q, const double *B, size_t ldb,
                               double *C, size_t ldc)
{
    for (size_t first = 0; first == 0 || first < m; first += CHUNK) {
        const size_t rows = m - first < CHUNK ? m - first : CHUNK;
        for (size_t j = 0, Q; j < q; j += Q) {
            Q = j + INNER_Q <= q ? INNER_Q : 1;
            for (size_t i = 0, P; i < p; i += P) {
                const double *a = A + i * lda + first, *b = B + j * ldb + first;
                double *c = C + i + j * ldc;
                P = i + INNER_P <= p ? INNER_P : 1;
                if (P > 1 && Q > 1) NAME(inner_block)(rows, INNER_P, INNER_Q, a, lda, b, ldb, c, ldc, first == 0);
                else if (P > 1) NAME(inner_block)(rows, INNER_P, 1, a, lda, b, ldb, c, ldc, first == 0);
                else if (Q > 1) NAME(inner_block)(rows, 1, INNER_Q, a, lda, b, ldb, c, ldc, first == 0);
                else NAME(inner_block)(rows, 1, 1, a, lda, b, ldb, c, ldc, first == 0);
            }
        }
    }
}

/* MINUS_R registers of rows, Q columns. */
INLINE void NAME(minus_block)(size_t p, int Q, const double *A, size_t lda, const double *W, size_t ldw, double *C,
                              size_t ldc)
{
    VECTOR c[MINUS_Q][MINUS_R], a[MINUS_R];
    UNROLL for (int j = 0; j < Q; j++)
        UNROLL for (int r = 0; r < MINUS_R; r++) LOAD(c[j][r], C + (size_t)j * ldc + (size_t)(WIDTH * r));
    for (size_t i = 0; i < p; i++) {
        UNROLL for (int r = 0; r < MINUS_R; r++) LOAD(a[r], A + i * lda + (size_t)(WIDTH * r));
        UNROLL for (int j = 0; j < Q; j++) {
            VECTOR w = W[i + (size_t)j * ldw] - (VECTOR){0};
            UNROLL for (int r = 0; r < MINUS_R; r++) c[j][r] -= a[r] * w;
        }
    }
    UNROLL for (int j = 0; j < Q; j++)
        UNROLL for (int r = 0; r < MINUS_R; r++)
            memcpy(C + (size_t)j * ldc + (size_t)(WIDTH * r), &c[j][r], sizeof(VECTOR));
}

TARGET static void NAME(minus)(size_t m, size_t p, const double *A, size_t lda, size_t q, const double *W, size_t ldw,
                               double *C, size_t ldc)
{
    for (size_t first = 0; first < m; first += HIGH) {
        size_t last = m - first < HIGH ? m : first + HIGH, j = 0;
        for (; j < q; j += j + MINUS_Q <= q ? MINUS_Q : 1) {
            size_t k = first;
            for (; k + WIDTH * MINUS_R <= last; k += WIDTH * MINUS_R) {
                if (j + MINUS_Q <= q)
                    NAME(minus_block)(p, MINUS_Q, A + k, lda, W + j * ldw, ldw, C + k + j * ldc, ldc);
                else NAME(minus_block)(p, 1, A + k, lda, W + j * ldw, ldw, C + k + j * ldc, ldc);
            }
            for (; k < last; k++)
                for (size_t c = j; c < (j + MINUS_Q <= q ? j + MINUS_Q : j + 1); c++) {
                    double sum = C[k + c * ldc];
                    for (size_t i = 0; i < p; i++) sum -= A[k + i * lda] * W[i + c * ldw];
                    C[k + c * ldc] = sum;
                }
        }
    }
}

/* The fused sums: matrices by rows, their sizes multiples of 8. A sum goes on from what stands in its entry and takes
 * its terms one by one, in the order of the index. */

/* C(m x Q registers) += or -= sum_s A[row r + step s] B[s][..], HEIGHT rows at a time; Q, minus, row, step are
 * constants where they can be. */
INLINE void NAME(fold_column)(int Q, int minus, size_t m, size_t k, const double *A, size_t row, size_t step,
                              const double *B, size_t ldb, double *C, size_t ldc)
{
    for (size_t i = 0; i < m; i += HEIGHT, A += HEIGHT * row, C += HEIGHT * ldc) {
        VECTOR c[HEIGHT][ACROSS], b[ACROSS];
        UNROLL for (int r = 0; r < HEIGHT; r++)
            UNROLL for (int q = 0; q < Q; q++) LOAD(c[r][q], C + (size_t)r * ldc + (size_t)(WIDTH * q));
        for (size_t s = 0; s < k; s++) {
            UNROLL for (int q = 0; q < Q; q++) LOAD(b[q], B + s * ldb + (size_t)(WIDTH * q));
            UNROLL for (int r = 0; r < HEIGHT; r++) {
                const VECTOR a = A[(size_t)r * row + s * step] - (VECTOR){0};
                UNROLL for (int q = 0; q < Q; q++)
                    c[r][q] = minus ? UNFUSED(a, b[q], c[r][q]) : FUSED(a, b[q], c[r][q]);
            }
        }
        UNROLL for (int r = 0; r < HEIGHT; r++)
            UNROLL for (int q = 0; q < Q; q++)
                memcpy(C + (size_t)r * ldc + (size_t)(WIDTH * q), &c[r][q], sizeof(VECTOR));
    }
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
    VECTOR chain[8][PARTS], row[PARTS], weight[PARTS];
    UNROLL for (int l = 0; l < 8; l++)
        UNROLL for (int u = 0; u < PARTS; u++) chain[l][u] = (VECTOR){0};
    UNROLL for (int u = 0; u < PARTS; u++) LOAD(weight[u], w + WIDTH * u);
    for (size_t r = 0; r < m; r += 8)
        UNROLL for (int l = 0; l < 8; l++) {
            double *c = C + (r + (size_t)l) * ldc;
            if (at >= 0) {
                const double one = c[at] * scale;
                const VECTOR v = one - (VECTOR){0};
                UNROLL for (int u = 0; u < PARTS; u++) {
                    LOAD(row[u], c + WIDTH * u);
                    row[u] = UNFUSED(v, weight[u], row[u]);
                    memcpy(c + WIDTH * u, &row[u], sizeof(VECTOR));
                }
                c[at] = one;
            } else UNROLL for (int u = 0; u < PARTS; u++) LOAD(row[u], c + WIDTH * u);
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
#undef INNER_P
#undef INNER_Q
#undef MINUS_Q
#undef HEIGHT
#undef ACROSS
#undef FUSED
#undef UNFUSED
