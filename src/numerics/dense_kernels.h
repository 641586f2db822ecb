/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dense_kernels: the inner loops of numerics/dense for one instruction set. dense.c includes this file once for each,
 * with
 *   WIDTH              doubles in a register: 8, 4 or 2
 *   TARGET             the function attribute that names the instruction set
 *   NAME(x)            x with the set's name behind it
 *   INNER_P, INNER_Q   columns of A and of B whose dots are taken at once
 *   MINUS_Q, MINUS_R   columns, and registers of rows, that a subtraction holds at once
 * or without any of them, for the set that every processor has.
 * Blocks only say which entries are held in registers together; the order of an entry's own sum is the same in all of
 * them, so that every instruction set gives the same bits. */
#include <stddef.h>
#include <string.h>

#ifndef WIDTH
#define WIDTH 2
#define TARGET
#define NAME(x) x##_plain
#define INNER_P 1
#define INNER_Q 2
#define MINUS_Q 4
#define MINUS_R 2
#endif
#define PARTS      (8 / WIDTH) /* registers that make eight lanes */
#define VECTOR     NAME(vector)
#define INLINE     static inline __attribute__((always_inline)) TARGET
#define UNROLL     _Pragma("GCC unroll 16")
#define LOAD(v, p) memcpy(&(v), (p), sizeof(VECTOR))
#define CHUNK      512 /* rows of a partial sum: part of the definition of a dot */
#define ROWS       256 /* rows of A that a subtraction keeps in the cache */

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
    for (size_t first = 0; first < m; first += ROWS) {
        size_t last = m - first < ROWS ? m : first + ROWS, j = 0;
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
/* clang-format on */

#undef WIDTH
#undef TARGET
#undef NAME
#undef INNER_P
#undef INNER_Q
#undef MINUS_Q
#undef MINUS_R
#undef PARTS
#undef VECTOR
#undef INLINE
#undef UNROLL
#undef LOAD
#undef CHUNK
#undef ROWS
