/* SPDX-License-Identifier: GPL-3.0-or-later */
/* factor: triangles by the threads of a block: the Cholesky factor of a symmetric matrix that is scaled to a unit
 * diagonal, the triangle of [R; B] by Householder reflections, and solves with these triangles. A triangle L is lower,
 * packed by rows (R = L'), in shared memory where it fits; `pivot` holds its diagonal, 0 for a column that is left out.
 *
 *   1. Panels of PANEL columns, one column at a time, a thread for each row. The thread subtracts the contributions of
 *      the panel's earlier columns and divides by the pivot, which every thread computes for itself.
 *   2. The contributions of a panel are subtracted from all later columns, by blocks of 4 x 4 entries in registers.
 *   3. The triangles on the diagonal are inverted, a thread for each column, so that solves become products. */
#pragma once

#include <cfloat>

#include "cuda/block.h"

namespace steep
{

enum { PANEL = 16, CORNER = 4 };

struct triangle {
    int n;
    double *L, *pivot, *inverse; /* n (n + 1) / 2; n; n x PANEL */
    double *scale;               /* n: L L' is the matrix with rows and columns multiplied by scale */
};

STEEP_BOTH static inline size_t triangle_size(int n)
{
    return (size_t)n * (size_t)(n + 1) / 2;
}

/* Memory for a triangle, in near where it fits, else in far. most: bytes of shared memory that a block may have. */
STEEP_BOTH static inline void triangle_cut(triangle *t, int n, arena *near, arena *far, size_t most)
{
    t->n = n;
    const bool fits = near->used + (triangle_size(n) + (size_t)n * (PANEL + 3)) * sizeof(double) <= most;
    arena *const room = fits ? near : far;
    t->pivot = room->take<double>((size_t)n);
    t->scale = room->take<double>((size_t)n);
    t->inverse = room->take<double>((size_t)n * PANEL);
    t->L = room->take<double>(triangle_size(n));
}

STEEP_DEVICE static inline double *row_of(const triangle &t, int i)
{
    return t.L + triangle_size(i);
}

/* Column j of the panel that begins at `from`. With a pivot that is only rounding it is left out, or becomes NaN. */
STEEP_DEVICE static inline void factor_column(const block &team, const triangle &t, int from, int j, bool left_out)
{
    const double rounding = t.n * DBL_EPSILON, *const pivot_row = row_of(t, j);
    team.each(t.n - j, [&](int item) {
        double *const row = row_of(t, j + item);
        double pivot = pivot_row[j], entry = row[j];
        for (int k = from; k < j; k++) {
            pivot -= pivot_row[k] * pivot_row[k];
            entry -= row[k] * pivot_row[k];
        }
        const double root = pivot > rounding ? sqrt(pivot) : left_out ? 0 : NAN;
        if (item == 0) t.pivot[j] = root;
        else row[j] = root == 0 ? 0 : entry / root;
    });
}

/* Subtracts the contributions of columns from .. end - 1 of the factor from block (bi, bj) of the later entries. */
STEEP_DEVICE static inline void update_corner(const triangle &t, int from, int end, int bi, int bj)
{
    double sum[CORNER][CORNER] = {};
    const int i0 = end + bi * CORNER, j0 = end + bj * CORNER;
    const double *a[CORNER], *b[CORNER];
    STEEP_UNROLLED
    for (int i = 0; i < CORNER; i++) {
        a[i] = row_of(t, least(i0 + i, t.n - 1));
        b[i] = row_of(t, least(j0 + i, t.n - 1));
    }
    for (int k = from; k < end; k++) {
        STEEP_UNROLLED
        for (int i = 0; i < CORNER; i++) STEEP_UNROLLED
        for (int j = 0; j < CORNER; j++) sum[i][j] += a[i][k] * b[j][k];
    }
    STEEP_UNROLLED
    for (int i = 0; i < CORNER; i++) STEEP_UNROLLED
    for (int j = 0; j < CORNER; j++)
        if (i0 + i < t.n && j0 + j <= i0 + i) row_of(t, i0 + i)[j0 + j] -= sum[i][j];
}

STEEP_DEVICE static inline void update_behind(const block &team, const triangle &t, int from, int end)
{
    const int side = (t.n - end + CORNER - 1) / CORNER;
    team.each(side * side, [&](int item) {
        if (item % side <= item / side) update_corner(t, from, end, item / side, item % side);
    });
}

/* Step 3. A column that is left out has the inverse 0, so that its entry of a solution is 0. */
STEEP_DEVICE static inline void invert_diagonal(const block &team, const triangle &t)
{
    team.each(t.n, [&](int c) {
        const int from = c / PANEL * PANEL, end = least(from + PANEL, t.n);
        double *const x = t.inverse + (c - from); /* column c of its triangle: row r at x[r * PANEL] */
        for (int r = c; r < end; r++) {
            double entry = r == c;
            for (int k = c; k < r; k++) entry -= row_of(t, r)[k] * x[k * PANEL];
            x[r * PANEL] = t.pivot[r] != 0 ? entry / t.pivot[r] : 0;
        }
    });
}

/* The factor of the matrix entry(i, j), i >= j. False: a number is not finite, or a pivot is only rounding in a column
 * that must not be left out. */
template <class Entry, class May>
STEEP_DEVICE bool factorize(const block &team, const triangle &t, const Entry &entry, const May &may_leave_out)
{
    team.each(t.n, [&](int i) { t.scale[i] = 1 / sqrt(entry(i, i)); });
    team.each(t.n * t.n, [&](int item) {
        const int i = item / t.n, j = item % t.n;
        if (j <= i) row_of(t, i)[j] = j < i ? t.scale[i] * entry(i, j) * t.scale[j] : 1;
    });
    for (int from = 0; from < t.n; from += PANEL) {
        const int end = least(from + PANEL, t.n);
        for (int j = from; j < end; j++) factor_column(team, t, from, j, may_leave_out(j));
        if (end < t.n) update_behind(team, t, from, end);
    }
    invert_diagonal(team, t);
    return sum(team, t.n, [&](int i) { return (t.pivot[i] + t.scale[i]) * 0; }) == 0;
}

/* x = L^-1 x for `count` vectors x, entry i of vector k at x[k * ld + at(i)]. panel: count x PANEL. */
template <class At>
STEEP_DEVICE void forward(const block &team, const triangle &t, int count, double *x, int ld, double *panel,
                          const At &at)
{
    for (int from = 0; from < t.n; from += PANEL) {
        const int end = least(from + PANEL, t.n);
        team.each(count * (end - from), [&](int item) {
            const double *const own = x + item % count * ld, *const row = t.inverse + (from + item / count) * PANEL;
            double entry = 0;
            for (int c = 0; c <= item / count; c++) entry += row[c] * own[at(from + c)];
            panel[item] = entry;
        });
        team.each(count * (t.n - from), [&](int item) {
            const int k = item % count, i = from + item / count;
            double *const to = x + k * ld + at(i), entry = i < end ? panel[item] : *to;
            for (int c = from; i >= end && c < end; c++) entry -= row_of(t, i)[c] * panel[(c - from) * count + k];
            *to = entry;
        });
    }
}

/* x = L'^-1 x */
STEEP_DEVICE static inline void backward(const block &team, const triangle &t, double *x, double *panel)
{
    for (int end = t.n, from; end > 0; end = from) {
        from = (end - 1) / PANEL * PANEL;
        team.each(end - from, [&](int r) {
            double entry = 0;
            for (int c = r; c < end - from; c++) entry += t.inverse[(from + c) * PANEL + r] * x[from + c];
            panel[r] = entry;
        });
        team.each(end, [&](int j) {
            double entry = j < from ? x[j] : panel[j - from];
            for (int c = from; j < from && c < end; c++) entry -= row_of(t, c)[j] * panel[c - from];
            x[j] = entry;
        });
    }
}

/* x = L^-1 S x */
STEEP_DEVICE static inline void scaled_forward(const block &team, const triangle &t, double *x, double *panel)
{
    team.each(t.n, [&](int i) { x[i] *= t.scale[i]; });
    forward(team, t, 1, x, 0, panel, [](int i) { return i; });
}

/* x = S L'^-1 x */
STEEP_DEVICE static inline void scaled_backward(const block &team, const triangle &t, double *x, double *panel)
{
    backward(team, t, x, panel);
    team.each(t.n, [&](int i) { x[i] *= t.scale[i]; });
}

/* q = q S^-1 L, L and S of the factor t. If J = Q q' and t is the factor of Q'Q, J = (Q S L'^-1) q' with the new q. */
STEEP_DEVICE static inline void multiply_by_factor(const block &team, const triangle &t, const triangle &q)
{
    team.each(t.n, [&](int i) {
        double *const row = row_of(q, i);
        for (int j = 0; j < i; j++) {
            double sum = row[j] * (t.pivot[j] / t.scale[j]) + q.pivot[i] * (row_of(t, i)[j] / t.scale[i]);
            for (int k = j + 1; k < i; k++) sum += row[k] * (row_of(t, k)[j] / t.scale[k]);
            row[j] = sum;
        }
        q.pivot[i] *= t.pivot[i] / t.scale[i];
    });
}

/* Makes t the triangle of [t; B], n = t.n. B has full + n rows of leading dimension ld: the first `full` rows are full,
 * row full + i begins at column i. Column n is the right side, whose head is c. Column by column a reflection I - v v'
 * / (size |first|) is applied, v the column with `first` in place of its head; a thread takes each later column. The
 * heads are in t's packed rows. along: scratch, n + 1 numbers. */
STEEP_DEVICE static inline void reflect(const block &team, const triangle &t, int full, double *B, int ld, double *c,
                                        double *along)
{
    const int n = t.n;
    for (int j = 0; j < n; j++) {
        const int rows = full + j + 1;
        team.each(n - j + 1, [&](int item) {
            double sum = 0;
            for (int i = 0; i < rows; i++) sum += B[i * ld + j] * B[i * ld + j + item];
            along[j + item] = sum;
        });
        team.each(n - j + 1, [&](int item) {
            const double head = row_of(t, j)[j], size = sqrt(head * head + along[j]);
            const double first = head > 0 ? head + size : head - size;
            if (item == 0) t.pivot[j] = head > 0 ? -size : size;
            if (item == 0 || size == 0) return;
            double *const top = j + item < n ? row_of(t, j + item) + j : c + j;
            const double part = (first * *top + along[j + item]) / (size * fabs(first));
            *top -= part * first;
            for (int i = 0; i < rows; i++) B[i * ld + j + item] -= part * B[i * ld + j];
        });
    }
    team.each(n, [&](int i) { t.scale[i] = 1; });
    invert_diagonal(team, t);
}

} // namespace steep
