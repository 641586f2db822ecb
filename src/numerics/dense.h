/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dense: vectors and column-major matrices, the few operations that the solvers need, with the same bits on every
 * processor.
 *
 * A tuned BLAS picks its kernel by the processor, and each kernel sums in another order. Training amplifies the last
 * digit: the same fit ends elsewhere on another machine. Here every sum has one order, written below, whatever the
 * instruction set and the compiler. Multiply-adds are fused only where the text says so. Nothing here allocates.
 *
 * A(m x n, lda) stands for a column-major matrix, entry (i, j) at A[i + j * lda], lda >= m. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/team.h"

/* A matrix that is read. n: its columns if it is column-major, the numbers in a row if it is stored by rows. */
typedef struct steep_matrix {
    size_t n;
    const double *at;
    size_t ld;
} steep_matrix;

/* A product of the matrices A and B that goes into C. m: rows of A. */
typedef struct steep_product {
    size_t m;
    steep_matrix A, B;
    double *C;
    size_t ldc;
} steep_product;

/* sum_k a_k b_k, in chunks of 512 terms, their sums added in turn. In a chunk, term k goes to lane k mod 8; the lanes
 * are added as ((0+4) + (1+5)) + ((2+6) + (3+7)); then the last terms, fewer than 8, are summed in turn and added. */
double steep_dense_dot(size_t n, const double *a, const double *b);

/* sum_k w_k a_k b_k, each product from left to right, as one chunk of that sum; a, b NULL: the constant 1. */
double steep_dense_weighted(size_t n, const double *w, const double *a, const double *b);

/* |a|, with no overflow or underflow on the way. NaN and infinity come through. */
double steep_dense_norm(size_t n, const double *a);

/* y += c x; x and y do not overlap */
void steep_dense_add(size_t n, double c, const double *restrict x, double *restrict y);

/* a *= c */
void steep_dense_scale(size_t n, double c, double *a);

/* C(p x q) = A(m x p)' B(m x q); each entry is steep_dense_dot of two columns. The threads of a team (NULL: none) share
 * a large product; no bit depends on that. */
void steep_dense_inner(steep_team *team, const steep_product *product);

/* C(m x q) -= A(m x p) B(p x q); each entry subtracts its p terms in turn. The team as above. */
void steep_dense_subtract(steep_team *team, const steep_product *product);

/* Lower triangle of C(m x m) -= A(m x p) B(p x m), terms in turn. The strict upper triangle is left alone. */
void steep_dense_subtract_lower(const steep_product *product);

/* Rotations of neighbouring columns z_0, .., z_count of n entries, ldz apart: for k = 0, 1, .., count - 1, or, with
 * down, from the last to the first, at once z_k = c_k z_k - s_k z_{k+1}, z_{k+1} = s_k z_k + c_k z_{k+1}. */
typedef struct steep_rotations {
    size_t count;
    bool down;
    const double *c, *s;
} steep_rotations;
void steep_dense_rotate(const steep_rotations *turn, size_t n, double *Z, size_t ldz);

/* Lower triangle of C(p x p) += A(m x p)' B(m x p): each entry += steep_dense_dot of two columns. */
void steep_dense_inner_lower(const steep_product *product);

/* x = R x for the upper triangle of R(n x n, ldr). */
void steep_dense_upper(size_t n, const double *R, size_t ldr, double *x);

/* x = R^-1 x, x = R'^-1 x; x = L^-1 x, x = L'^-1 x for the lower triangle of L(n x n, ldl). An upper triangle R by rows
 * is L = R'. A zero on the diagonal gives infinities or NaN: the caller checks for it. */
void steep_dense_upper_solve(size_t n, const double *R, size_t ldr, double *x);
void steep_dense_upper_transposed_solve(size_t n, const double *R, size_t ldr, double *x);
void steep_dense_lower_solve(size_t n, const double *L, size_t ldl, double *x);
void steep_dense_lower_transposed_solve(size_t n, const double *L, size_t ldl, double *x);

/* True when all are finite. */
bool steep_dense_finite(size_t n, const double *a);

/* A reflection that reflect_rows applies to eight columns, and the sums for the next one (dense_kernels.h). */
typedef struct steep_reflection {
    int at; /* the column, of the eight, that it is made from; -1: none */
    double scale, w[8], sum[8];
} steep_reflection;

/* The products for each instruction set that this processor has, fastest first; NULL past the last. All give the same
 * bits: that is tested. */
typedef struct steep_dense_set {
    const char *name;
    void (*inner)(const steep_product *product);    /* as steep_dense_inner */
    void (*subtract)(const steep_product *product); /* as steep_dense_subtract */
    /* For numerics/fold, by fused multiply-adds in turn; matrices by rows. Sizes and strides, other than the length of
     * the sums, are multiples of 8: C(A.n x B.n) += A(m x A.n)' B(m x B.n), C(m x B.n) -= A(m x A.n) B(A.n x B.n) */
    void (*gather)(const steep_product *product);
    void (*take)(const steep_product *product);
    void (*reflect_rows)(size_t m, double *C, size_t ldc, steep_reflection *reflection);
} steep_dense_set;
const steep_dense_set *steep_dense_sets(size_t index);
