/* SPDX-License-Identifier: GPL-3.0-or-later */
/* factor: the Cholesky factor of a symmetric matrix by the threads of a block, scaled to a unit diagonal, and solves by
 * it. The lower triangle is packed by rows, in shared memory where it fits.
 *
 *   1. Panels of PANEL columns. A column of a panel at a time, a thread for each row: it takes off what the columns of
 *      the panel before it contribute, and divides by the pivot, which every thread computes for itself.
 *   2. What a panel contributes to all that follows, by blocks of 4 x 4 entries in registers.
 *   3. The inverses of the triangles on the diagonal, a column each: solves are products of them then. */
#ifndef STEEP_CUDA_FACTOR_H
#define STEEP_CUDA_FACTOR_H

#include <cfloat>

#include "cuda/block.h"

namespace steep
{

enum { PANEL = 16, CORNER = 4 };

struct factor_room {
    int n;
    double *L, *scale, *pivot, *inverse, *work; /* n (n + 1) / 2; n; n; n x PANEL; n */
};

STEEP_BOTH static inline size_t triangle_size(int n)
{
    return (size_t)n * (size_t)(n + 1) / 2;
}

/* most: bytes of shared memory that a block may have. */
STEEP_BOTH static inline void factor_cut(factor_room *f, int n, arena *near, arena *far, size_t most)
{
    f->n = n;
    f->scale = near->take<double>((size_t)n);
    f->pivot = near->take<double>((size_t)n);
    f->work = near->take<double>((size_t)n);
    const bool fits = near->used + (triangle_size(n) + (size_t)n * PANEL) * sizeof(double) <= most;
    f->inverse = (fits ? near : far)->take<double>((size_t)n * PANEL);
    f->L = (fits ? near : far)->take<double>(triangle_size(n));
}

STEEP_DEVICE static inline double *row_of(const factor_room &f, int i)
{
    return f.L + triangle_size(i);
}

/* Column j of the panel that begins at `from`. */
STEEP_DEVICE static inline void factor_column(const block &team, const factor_room &f, int from, int j)
{
    const double rounding = 0.25 * DBL_EPSILON, *const pivot_row = row_of(f, j);
    team.each(f.n - j, [&](int item) {
        double *const row = row_of(f, j + item);
        double pivot = pivot_row[j], entry = row[j];
        for (int k = from; k < j; k++) {
            pivot -= pivot_row[k] * pivot_row[k];
            entry -= row[k] * pivot_row[k];
        }
        const double root = pivot > rounding ? sqrt(pivot) : NAN;
        if (item == 0) f.pivot[j] = root;
        else row[j] = entry / root;
    });
}

/* Takes columns from .. end - 1 of the factor off block (bi, bj) of the entries behind. */
STEEP_DEVICE static inline void update_corner(const factor_room &f, int from, int end, int bi, int bj)
{
    double sum[CORNER][CORNER] = {};
    const int i0 = end + bi * CORNER, j0 = end + bj * CORNER;
    const double *a[CORNER], *b[CORNER];
    STEEP_UNROLLED
    for (int i = 0; i < CORNER; i++) {
        a[i] = row_of(f, least(i0 + i, f.n - 1));
        b[i] = row_of(f, least(j0 + i, f.n - 1));
    }
    for (int k = from; k < end; k++) {
        STEEP_UNROLLED
        for (int i = 0; i < CORNER; i++) STEEP_UNROLLED
        for (int j = 0; j < CORNER; j++) sum[i][j] += a[i][k] * b[j][k];
    }
    STEEP_UNROLLED
    for (int i = 0; i < CORNER; i++) STEEP_UNROLLED
    for (int j = 0; j < CORNER; j++)
        if (i0 + i < f.n && j0 + j <= i0 + i) row_of(f, i0 + i)[j0 + j] -= sum[i][j];
}

STEEP_DEVICE static inline void update_behind(const block &team, const factor_room &f, int from, int end)
{
    const int side = (f.n - end + CORNER - 1) / CORNER;
    team.each(side * side, [&](int item) {
        if (item % side <= item / side) update_corner(f, from, end, item / side, item % side);
    });
    team.count(1.0 * (f.n - end) * (f.n - end) * (end - from));
}

STEEP_DEVICE static inline void invert_diagonal(const block &team, const factor_room &f)
{
    team.each(f.n, [&](int c) {
        const int from = c / PANEL * PANEL, end = least(from + PANEL, f.n);
        double *const x = f.inverse + (c - from); /* column c of its triangle: row r at x[r * PANEL] */
        for (int r = c; r < end; r++) {
            double entry = r == c;
            for (int k = c; k < r; k++) entry -= row_of(f, r)[k] * x[k * PANEL];
            x[r * PANEL] = entry / f.pivot[r];
        }
    });
}

/* The factor of the matrix with these entries, i >= j; of its first `columns` columns alone: what is left behind them
 * stands in L then. False where a pivot is not told from 0. */
template <class Entry>
STEEP_DEVICE bool factorize(const block &team, const factor_room &f, int columns, const Entry &entry)
{
    team.each(f.n, [&](int i) { f.scale[i] = 1 / sqrt(entry(i, i)); });
    team.each(f.n * f.n, [&](int item) {
        const int i = item / f.n, j = item % f.n;
        if (j < i) row_of(f, i)[j] = f.scale[i] * entry(i, j) * f.scale[j];
        else if (j == i) row_of(f, i)[i] = 1;
    });
    for (int from = 0; from < columns; from += PANEL) {
        const int end = least(from + PANEL, columns);
        for (int j = from; j < end; j++) factor_column(team, f, from, j);
        if (end < f.n) update_behind(team, f, from, end);
    }
    if (columns == f.n) invert_diagonal(team, f);
    return sum(team, columns, [&](int i) { return (f.pivot[i] + f.scale[i]) * 0; }) == 0;
}

/* What is left of diagonal entry i behind the first columns. */
STEEP_DEVICE static inline double left_of_diagonal(const factor_room &f, int i)
{
    return row_of(f, i)[i] / (f.scale[i] * f.scale[i]);
}

/* f.work = L^-1 S x, x overwritten. */
STEEP_DEVICE static inline void solve_forward(const block &team, const factor_room &f, double *x)
{
    team.each(f.n, [&](int i) { x[i] *= f.scale[i]; });
    for (int from = 0; from < f.n; from += PANEL) {
        const int end = least(from + PANEL, f.n);
        team.each(end - from, [&](int r) {
            double entry = 0;
            for (int c = 0; c <= r; c++) entry += f.inverse[(from + r) * PANEL + c] * x[from + c];
            f.work[from + r] = entry;
        });
        team.each(f.n - end, [&](int item) {
            const double *const row = row_of(f, end + item);
            double entry = x[end + item];
            for (int c = from; c < end; c++) entry -= row[c] * f.work[c];
            x[end + item] = entry;
        });
    }
}

/* x = S (L L')^-1 S x */
STEEP_DEVICE static inline void solve(const block &team, const factor_room &f, double *x)
{
    solve_forward(team, f, x);
    for (int end = f.n, from; end > 0; end = from) {
        from = (end - 1) / PANEL * PANEL;
        team.each(end - from, [&](int r) {
            double entry = 0;
            for (int c = r; c < end - from; c++) entry += f.inverse[(from + c) * PANEL + r] * f.work[from + c];
            x[from + r] = entry;
        });
        team.each(from, [&](int j) {
            double entry = f.work[j];
            for (int c = from; c < end; c++) entry -= row_of(f, c)[j] * x[c];
            f.work[j] = entry;
        });
    }
    team.each(f.n, [&](int i) { x[i] *= f.scale[i]; });
    team.count(2.0 * f.n * f.n);
}

/* |L^-1 S x|, x overwritten */
STEEP_DEVICE static inline double inverse_norm(const block &team, const factor_room &f, double *x)
{
    solve_forward(team, f, x);
    team.count(1.0 * f.n * f.n);
    return sqrt(sum(team, f.n, [&](int i) { return f.work[i] * f.work[i]; }));
}

} // namespace steep

#endif
