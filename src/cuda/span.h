/* SPDX-License-Identifier: GPL-3.0-or-later */
/* span: the orthogonal factorisations of numerics/qr by the threads of a block: least squares where columns may depend
 * on each other. The same bits: every entry's sums are numerics/dense's. Matrices are column-major, A(m x n, lda). */
#ifndef STEEP_CUDA_SPAN_H
#define STEEP_CUDA_SPAN_H

#include "cuda/sums.h"

namespace steep
{

enum { QR_PANEL = 16 /* STEEP_QR_PANEL */ };

/* Shared by all factorisations of a span. */
struct qr_room {
    double *w, *W, *U, *gram, *scalar; /* columns; QR_PANEL x columns; likewise; QR_PANEL^2; 2 */
    double *length, *before;           /* columns */
    double *part;                      /* columns x lanes of a dot */
};

struct span {
    int m, n, rank;
    double *A, *T;       /* m x n, QR_PANEL x n */
    double *R, *T_pivot; /* n x n, QR_PANEL x n */
    double *Z, *T_short; /* n x n, QR_PANEL x n */
    double *b, *u;       /* m, n */
    int *pivot;          /* n */
    qr_room room;
};

/* columns: the most that anything is applied to. */
STEEP_BOTH static inline void span_cut(span *s, int m, int n, int columns, arena *far)
{
    const size_t square = (size_t)n * (size_t)n, panels = (size_t)QR_PANEL * (size_t)n, all = (size_t)columns;
    s->m = m;
    s->n = n;
    s->A = far->take<double>((size_t)m * (size_t)n);
    s->R = far->take<double>(square);
    s->Z = far->take<double>(square);
    s->T = far->take<double>(panels);
    s->T_pivot = far->take<double>(panels);
    s->T_short = far->take<double>(panels);
    s->b = far->take<double>((size_t)m);
    s->u = far->take<double>((size_t)n);
    s->pivot = far->take<int>((size_t)n);
    s->room.w = far->take<double>(all);
    s->room.W = far->take<double>(QR_PANEL * all);
    s->room.U = far->take<double>(QR_PANEL * all);
    s->room.gram = far->take<double>(QR_PANEL * QR_PANEL);
    s->room.scalar = far->take<double>(2);
    s->room.length = far->take<double>((size_t)n);
    s->room.before = far->take<double>((size_t)n);
    s->room.part = far->take<double>(all * (size_t)(LANES * dot_chunks(m > n ? m : n)) + 1);
}

/* out(c, sum_k a(k) b(c, k)), c < q */
template <class A, class B, class Out>
STEEP_DEVICE void dots(const block &team, int m, int q, const A &a, const B &b, double *part, const Out &out)
{
    const int chunks = dot_chunks(m), lanes = chunks * LANES;
    team.each(q * lanes, [&](int item) {
        const int c = item / lanes, first = item % lanes / LANES * CHUNK;
        part[item] = lane_sum(first, least(m - first, CHUNK), item % LANES, a, [&](int k) { return b(c, k); });
    });
    team.each(q, [&](int c) {
        double total = 0;
        for (int i = 0; i < chunks; i++) {
            const int first = i * CHUNK;
            const double rest = rest_sum(first, least(m - first, CHUNK), a, [&](int k) { return b(c, k); }),
                         all = add_lanes(part + c * lanes + i * LANES, rest);
            total = i == 0 ? all : total + all;
        }
        out(c, total);
    });
}

/* The reflector of the column v (rows entries), its tail scaled in place, applied to the `left` columns behind it.
 * Returns tau. */
STEEP_OUTLINE double eliminate(const block &team, const qr_room &room, int rows, int left, double *v, int lda)
{
    double *const w = room.w;
    const double tail = rows > 1 ? norm(
                                       team, rows - 1, [&](int k) { return v[1 + k]; }, room.part)
                                 : 0;
    if (!(tail > 0)) return 0;
    const double head = team.read(v), size = pair_norm(head, tail), beta = head > 0 ? -size : size,
                 scale = 1 / (head - beta), tau = (beta - head) / beta;
    team.each(rows, [&](int k) { v[k] = k == 0 ? beta : v[k] * scale; });
    if (left == 0 || tau == 0) return tau;
    dots(
        team, rows, left, [&](int k) { return k == 0 ? 1 : v[k]; },
        [&](int c, int k) { return v[(size_t)(c + 1) * lda + k]; }, room.part,
        [&](int c, double sum) { w[c] = sum * tau; });
    team.each(rows * left, [&](int item) {
        const int k = item % rows, c = item / rows;
        v[(size_t)(c + 1) * lda + k] -= (k == 0 ? 1 : v[k]) * w[c];
    });
    return tau;
}

/* Entry r of reflector j of a panel that stands at A. */
STEEP_DEVICE static inline double reflector(const double *A, int lda, int r, int j)
{
    return r < j ? 0 : r == j ? 1 : A[(size_t)j * lda + r];
}

/* T of a panel (k reflectors at A, rows entries), whose tau stand on T's diagonal. */
STEEP_OUTLINE void close_panel(const block &team, const qr_room &room, int rows, int k, const double *A, int lda,
                               double *T)
{
    double *const gram = room.gram;
    team.each(k * k, [&](int item) {
        const int i = item % k, j = item / k;
        gram[i + j * QR_PANEL] = dot_alone(
            rows, [&](int r) { return reflector(A, lda, r, i); }, [&](int r) { return reflector(A, lda, r, j); });
    });
    team.each(k, [&](int i) { /* row i: x = -tau_j gram_j, T_ij = x_i T_ii + sum_{l > i} x_l T_il */
                              for (int j = 0; j < i; j++) T[i + j * QR_PANEL] = 0;
                              for (int j = i + 1; j < k; j++) {
                                  const double tau = T[j + j * QR_PANEL];
                                  double sum = -tau * gram[i + j * QR_PANEL] * T[i + i * QR_PANEL];
                                  for (int l = i + 1; l < j; l++)
                                      sum += -tau * gram[l + j * QR_PANEL] * T[i + l * QR_PANEL];
                                  T[i + j * QR_PANEL] = sum;
                              }
    });
}

/* C(rows x q) -= V T'V'C, or V T V'C. */
STEEP_OUTLINE void apply_panel(const block &team, const qr_room &room, int rows, int k, const double *A, int lda,
                               const double *T, bool transposed, int q, double *C, int ldc)
{
    double *const W = room.W, *const U = room.U;
    team.each(k * q, [&](int item) {
        const int i = item % k, c = item / k;
        W[i + c * QR_PANEL] = dot_alone(
            rows, [&](int r) { return reflector(A, lda, r, i); }, [&](int r) { return C[(size_t)c * ldc + r]; });
    });
    team.each(k * q, [&](int item) {
        const int i = item % k, c = item / k;
        U[i + c * QR_PANEL] = dot_alone(
            k, [&](int l) { return transposed ? T[l + i * QR_PANEL] : T[i + l * QR_PANEL]; },
            [&](int l) { return W[l + c * QR_PANEL]; });
    });
    team.each(rows * q, [&](int item) {
        const int r = item % rows, c = item / rows;
        double left = C[(size_t)c * ldc + r];
        for (int i = 0; i < k; i++) left -= reflector(A, lda, r, i) * U[i + c * QR_PANEL];
        C[(size_t)c * ldc + r] = left;
    });
}

/* A = Q R (steep_qr_factor with tolerance 0). */
STEEP_OUTLINE void qr_factor(const block &team, const qr_room &room, int m, int n, double *A, int lda, double *T)
{
    const int all = least(m, n);
    for (int first = 0; first < all; first += QR_PANEL) {
        const int k = least(QR_PANEL, all - first), rows = m - first;
        double *const panel = A + first + (size_t)first * lda, *const t = T + first * QR_PANEL;
        for (int j = 0; j < k; j++) {
            const double tau = eliminate(team, room, rows - j, k - j - 1, panel + j + (size_t)j * lda, lda);
            team.one([&] { t[j + j * QR_PANEL] = tau; });
        }
        close_panel(team, room, rows, k, panel, lda, t);
        if (first + k < n)
            apply_panel(team, room, rows, k, panel, lda, t, true, n - first - k, panel + (size_t)k * lda, lda);
    }
}

/* C(m x q) = Q'C if transposed, else Q C, with k reflectors. */
STEEP_OUTLINE void qr_apply(const block &team, const qr_room &room, int m, int k, const double *A, int lda,
                            const double *T, bool transposed, int q, double *C, int ldc)
{
    const int panels = (k + QR_PANEL - 1) / QR_PANEL;
    for (int i = 0; i < panels; i++) {
        const int first = QR_PANEL * (transposed ? i : panels - 1 - i), count = least(QR_PANEL, k - first);
        apply_panel(team, room, m - first, count, A + first + (size_t)first * lda, lda, T + first * QR_PANEL,
                    transposed, q, C + first, ldc);
    }
}

/* Brings the longest of columns j.. of R to place j. */
STEEP_DEVICE static inline void bring_longest(const block &team, const span &s, int m, int j)
{
    const qr_room &room = s.room;
    const int n = s.n;
    double *const R = s.R;
    team.each(n - j, [&](int item) {
        const int c = j + item;
        double *const length = room.length, *const before = room.before;
        if (!(j > 0 && length[c] > 0)) return;
        const double part = R[j - 1 + (size_t)c * n] / length[c], rest = (1 - part) * (1 + part),
                     kept = length[c] / before[c];
        if (!(rest * kept * kept > 1e-8))
            length[c] = before[c] = norm_alone(m - j, [&](int k) { return R[j + k + (size_t)c * n]; });
        else length[c] *= sqrt(rest);
    });
    team.one([&] {
        int longest = j;
        for (int c = j; c < n; c++)
            if (room.length[c] > room.length[longest]) longest = c;
        room.scalar[0] = longest;
    });
    const int longest = (int)team.read(room.scalar);
    if (longest == j) return;
    team.each(m, [&](int k) {
        const double swap = R[k + (size_t)j * n];
        R[k + (size_t)j * n] = R[k + (size_t)longest * n];
        R[k + (size_t)longest * n] = swap;
    });
    team.one([&] {
        const int swap = s.pivot[j];
        s.pivot[j] = s.pivot[longest];
        s.pivot[longest] = swap;
        room.length[longest] = room.length[j];
        room.before[longest] = room.before[j];
    });
}

/* R P = Q R, the first m rows of R; its diagonal descending in size. */
STEEP_OUTLINE void factor_pivoted(const block &team, const span &s, int m)
{
    const int n = s.n, all = least(m, n);
    double *const R = s.R, *const T = s.T_pivot;
    team.each(n, [&](int c) {
        s.pivot[c] = c;
        s.room.length[c] = s.room.before[c] = norm_alone(m, [&](int k) { return R[k + (size_t)c * n]; });
    });
    for (int j = 0; j < all; j++) {
        bring_longest(team, s, m, j);
        const double tau = eliminate(team, s.room, m - j, n - j - 1, R + j + (size_t)j * n, n);
        team.one([&] { T[j % QR_PANEL + j * QR_PANEL] = tau; });
    }
    for (int first = 0; first < all; first += QR_PANEL)
        close_panel(team, s.room, m - first, least(QR_PANEL, all - first), R + first + (size_t)first * n, n,
                    T + first * QR_PANEL);
}

/* Factors s->A; false where it is not finite (steep_span_factor). */
STEEP_OUTLINE bool span_factor(const block &team, span *s, double tolerance)
{
    const int m = s->m, n = s->n, k = least(m, n);
    double *const A = s->A, *const R = s->R, *const Z = s->Z;
    team.each(n, [&](int c) {
        double sum = 0;
        for (int i = 0; i < m; i++) sum += A[i + (size_t)c * m] * 0;
        s->room.w[c] = sum;
    });
    s->rank = 0;
    if (!finite(
            team, n, [&](int c) { return s->room.w[c]; }, s->room.scalar))
        return false;
    qr_factor(team, s->room, m, n, A, m, s->T);
    team.each(n * n, [&](int item) {
        const int i = item % n, j = item / n;
        R[item] = i <= j && i < k ? A[i + (size_t)j * m] : 0;
    });
    factor_pivoted(team, *s, k);
    team.one([&] {
        const double first = n > 0 && k > 0 ? fabs(R[0]) : 0;
        int rank = 0;
        while (rank < k && fabs(R[(size_t)rank * (n + 1)]) > tolerance * first) rank++;
        s->room.scalar[0] = rank;
    });
    const int r = (int)team.read(s->room.scalar);
    s->rank = r;
    team.each(n * r, [&](int item) { /* Z = [R11 R12]' */
                                     const int i = item % n, j = item / n;
                                     Z[item] = i < j ? 0 : R[j + (size_t)i * n];
    });
    if (r < n) qr_factor(team, s->room, n, r, Z, n, s->T_short);
    return true;
}

/* x(n) = the shortest minimiser of |A x - b|, b in s.b, which is lost. */
STEEP_OUTLINE void span_solve(const block &team, const span &s, double *x)
{
    const int m = s.m, n = s.n, k = least(m, n), r = s.rank;
    double *const w = s.b, *const u = s.u;
    qr_apply(team, s.room, m, k, s.A, m, s.T, true, 1, w, m);
    qr_apply(team, s.room, k, k, s.R, n, s.T_pivot, true, 1, w, k);
    team.each(n, [&](int i) { u[i] = i < r ? w[i] : 0; });
    if (r == n)
        for (int j = n; j-- > 0;) {
            team.one([&] { u[j] /= s.R[j + (size_t)j * n]; });
            team.each(j, [&](int i) { u[i] += -u[j] * s.R[i + (size_t)j * n]; });
        }
    else if (r > 0) {
        for (int j = 0; j < r; j++) {
            const double sum = dot(
                team, j, [&](int i) { return s.Z[i + (size_t)j * n]; }, [&](int i) { return u[i]; }, s.room.part);
            team.one([&] { u[j] = (u[j] - sum) / s.Z[j + (size_t)j * n]; });
        }
        qr_apply(team, s.room, n, r, s.Z, n, s.T_short, false, 1, u, n);
    }
    team.each(n, [&](int j) { x[s.pivot[j]] = u[j]; });
}

/* Takes from each column of X(m x q, ldx) its part in the span of A. */
STEEP_OUTLINE void span_remove(const block &team, const span &s, int q, double *X, int ldx)
{
    const int m = s.m, n = s.n, k = least(m, n), r = s.rank;
    qr_apply(team, s.room, m, k, s.A, m, s.T, true, q, X, ldx);
    qr_apply(team, s.room, k, k, s.R, n, s.T_pivot, true, q, X, ldx);
    team.each(q * r, [&](int item) { X[(size_t)(item / r) * ldx + item % r] = 0; });
    qr_apply(team, s.room, k, k, s.R, n, s.T_pivot, false, q, X, ldx);
    qr_apply(team, s.room, m, k, s.A, m, s.T, false, q, X, ldx);
}

} // namespace steep

#endif
