/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dense_kernels: the inner loops of numerics/dense and numerics/fold for one instruction set. dense.c includes this
 * file once for each instruction set, after it defines
 *   WIDTH              doubles in a register: 8, 4 or 2
 *   TARGET             the function attribute that names the instruction set
 *   NAME(x)            x with the set's name appended
 *   INNER_P, INNER_Q   columns of A and of B whose dots are computed together
 *   MINUS_Q            columns that a subtraction holds in registers
 *   HEIGHT, ACROSS     rows, and registers of columns, of a block of fused sums in registers; HEIGHT divides 8
 *   FUSED(a, b, c)     a b + c rounded once, entry by entry
 *   UNFUSED(a, b, c)   c - a b rounded once
 * or none of these, for the plain set, which runs on every processor.
 * Blocks only say which entries are held in registers together; the order of an entry's own sum is the same in all of
 * them, so that every instruction set gives the same bits. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "numerics/dense.h"

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
#define CHUNK      512 /* rows of a partial sum; the bits of a dot depend on it */
#define HIGH       256 /* rows of A that a subtraction keeps in the cache */
#define MINUS_R    2   /* registers of rows that a subtraction holds */

/* clang-format misreads UNROLL and NAME(x). */
/* clang-format off */
typedef double VECTOR __attribute__((vector_size(8 * WIDTH)));

/* P x Q dots for the block of C at (row, column), over at most CHUNK rows from row `first` on. They are stored in C if
 * first = 0, else added. P and Q are constants after inlining. */
INLINE void NAME(inner_block)(const steep_product *t, int P, int Q, size_t row, size_t column, size_t first)
{
    const size_t m = t->m - first < CHUNK ? t->m - first : CHUNK, lda = t->A.ld, ldb = t->B.ld;
    const double *A = t->A.at + row * lda + first, *B = t->B.at + column * ldb + first;
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
            double *c = t->C + row + (size_t)i + (column + (size_t)j) * t->ldc,
                   even = (lane[0] + lane[4]) + (lane[1] + lane[5]), odd = (lane[2] + lane[6]) + (lane[3] + lane[7]),
                   all = even + odd + rest;
            *c = first == 0 ? all : *c + all;
        }
}

TARGET static void NAME(inner)(const steep_product *product)
{
    const steep_product t = *product;
    for (size_t first = 0; first == 0 || first < t.m; first += CHUNK)
        for (size_t j = 0, Q; j < t.B.n; j += Q) {
            Q = j + INNER_Q <= t.B.n ? INNER_Q : 1;
            for (size_t i = 0, P; i < t.A.n; i += P) {
                P = i + INNER_P <= t.A.n ? INNER_P : 1;
                if (P > 1 && Q > 1) NAME(inner_block)(&t, INNER_P, INNER_Q, i, j, first);
                else if (P > 1) NAME(inner_block)(&t, INNER_P, 1, i, j, first);
                else if (Q > 1) NAME(inner_block)(&t, 1, INNER_Q, i, j, first);
                else NAME(inner_block)(&t, 1, 1, i, j, first);
            }
        }
}

/* The block of C at (row, column), MINUS_R registers of rows and Q columns, -= A B. */
INLINE void NAME(minus_block)(const steep_product *t, int Q, size_t row, size_t column)
{
    const size_t p = t->A.n, lda = t->A.ld, ldw = t->B.ld, ldc = t->ldc;
    const double *A = t->A.at + row, *W = t->B.at + column * ldw;
    double *C = t->C + row + column * ldc;
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

TARGET static void NAME(minus)(const steep_product *product)
{
    const steep_product t = *product;
    for (size_t first = 0; first < t.m; first += HIGH) {
        const size_t last = t.m - first < HIGH ? t.m : first + HIGH;
        for (size_t j = 0, Q; j < t.B.n; j += Q) {
            size_t k = first;
            Q = j + MINUS_Q <= t.B.n ? MINUS_Q : 1;
            for (; k + WIDTH * MINUS_R <= last; k += WIDTH * MINUS_R) {
                if (Q > 1) NAME(minus_block)(&t, MINUS_Q, k, j);
                else NAME(minus_block)(&t, 1, k, j);
            }
            for (; k < last; k++)
                for (size_t c = j; c < j + Q; c++) {
                    double sum = t.C[k + c * t.ldc];
                    for (size_t i = 0; i < t.A.n; i++) sum -= t.A.at[k + i * t.A.ld] * t.B.at[i + c * t.B.ld];
                    t.C[k + c * t.ldc] = sum;
                }
        }
    }
}

/* The fused sums: matrices by rows, their sizes multiples of 8. A sum begins with the value of its entry of C, and adds
 * its terms one by one, in the order of the index. */

/* Q registers of C's columns from j on, HEIGHT rows at a time: row r += sum_s A[s][r] B[s][..] or, with minus, -=
 * sum_s A[r][s] B[s][..]. Q and minus are constants. */
INLINE void NAME(fold_column)(const steep_product *t, int Q, int minus, size_t j)
{
    const size_t m = minus ? t->m : t->A.n, k = minus ? t->A.n : t->m, ldb = t->B.ld, ldc = t->ldc,
                 row = minus ? t->A.ld : 1, step = minus ? 1 : t->A.ld;
    const double *A = t->A.at, *B = t->B.at + j;
    double *C = t->C + j;
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

/* All of C, ACROSS registers of columns at a time. Four registers that are left are taken as 2 + 2, not as 3 + 1. */
INLINE void NAME(fold_blocks)(const steep_product *product, int minus)
{
    const steep_product t = *product;
    for (size_t j = 0, wide; j < t.B.n; j += WIDTH * wide) {
        const size_t left = (t.B.n - j) / WIDTH;
        wide = left == 4 ? 2 : left < ACROSS ? left : ACROSS;
        if (wide == 1) NAME(fold_column)(&t, 1, minus, j);
        else if (wide == 2) NAME(fold_column)(&t, 2, minus, j);
        else NAME(fold_column)(&t, ACROSS, minus, j);
    }
}

TARGET static void NAME(gather)(const steep_product *product)
{
    NAME(fold_blocks)(product, 0);
}

TARGET static void NAME(take)(const steep_product *product)
{
    NAME(fold_blocks)(product, 1);
}

/* Row r of C(m x 8) -= v[r] w, where v[r] = C[r][at] scale, and v[r] replaces C[r][at]. Then sum[c] = sum_r C[r][at +
 * 1] C[r][c], in eight chains: row r goes to chain r mod 8; the chains are added as steep_dense_dot adds its lanes. */
TARGET static void NAME(reflect_rows)(size_t m, double *C, size_t ldc, steep_reflection *reflection)
{
    const int at = reflection->at;
    const double scale = reflection->scale;
    VECTOR chain[8][PARTS], row[PARTS], weight[PARTS];
    UNROLL for (int l = 0; l < 8; l++)
        UNROLL for (int u = 0; u < PARTS; u++) chain[l][u] = (VECTOR){0};
    UNROLL for (int u = 0; u < PARTS; u++) LOAD(weight[u], reflection->w + WIDTH * u);
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
        memcpy(reflection->sum + WIDTH * u, &all, sizeof all);
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
