/* SPDX-License-Identifier: GPL-3.0-or-later */
/* triangle: numerics/fold by the threads of a block: the triangle R of [J b] = Q R, rows of J folded into it a tile at
 * a time, by reflections in panels of 32 that are made of groups of 8. The same bits: every entry takes the same fused
 * multiply-adds in the same order (numerics/fold.c), whoever computes it.
 *
 * A panel of the tile is worked on in shared memory, from left to right: loaded, the panels before it applied (their V
 * and T wait in the block's part of device memory), then its own reflections are made. R by rows, R[i * ld + j],
 * i <= j < ld; column n is Q'b. PIECE columns stand in shared memory together: a panel, or in a wide solve more
 * (cuda/wide.h). */
#ifndef STEEP_CUDA_TRIANGLE_H
#define STEEP_CUDA_TRIANGLE_H

#include "cuda/sums.h"

namespace steep
{

enum {
    ROWS = 256, /* of a tile */
    PANEL = 32,
    GROUP = 8,
    STAGE = 64,   /* a wide solve: rows of a panel that are fetched together; */
    TOGETHER = 32 /* tiles side by side: enough that a panel of one is made while others are applied */
};

/* From row to row of what stands in shared memory: an odd number of doubles, so that threads that read a column do not
 * meet in one bank. */
STEEP_BOTH constexpr int piece_stride(int piece)
{
    return piece + 1;
}

/* Where a fold works; n unknowns. */
struct folder {
    int n, ld;
    double *R, *S;                               /* ld x ld: of the rows so far; of [R; diag d] */
    double *C;                                   /* shared, ROWS x piece_stride: a piece of the tile */
    double *T, *gram;                            /* shared, PANEL x PANEL */
    double *W, *U;                               /* shared, PANEL x piece */
    double *tau, *weight, *lanes, *most, *scale; /* shared: PANEL; GROUP; LANES x GROUP; LANES; 1 */
    double *kept_V, *kept_T;                     /* of each panel: ROWS x PANEL; PANEL x PANEL */
    /* a wide solve: */
    int piece, ring; /* columns of a piece; tiles whose panels are kept */
    double *stage;   /* shared, 2 x STAGE x PANEL: rows of V on their way */
    int *claimed;    /* shared, 1 */
    int *next;       /* 1: the piece of a tile that a block takes next */
    int *progress;   /* tiles x pieces: panels that have been applied to it and made of it */
    double *sums;    /* CHUNK x chunks of n x (LANES + 1): of CHUNK rows that are solved for */
};

STEEP_BOTH static inline int fold_columns(int n)
{
    return round_up(n + 1, GROUP);
}

STEEP_BOTH static inline int fold_panels(int n)
{
    return (n + PANEL - 1) / PANEL;
}

STEEP_BOTH static inline int fold_pieces(int n, int piece)
{
    return (fold_columns(n) + piece - 1) / piece;
}

/* Tiles of whose pieces a wide solve's queue has some side by side, and those that so many blocks work on at a time. */
STEEP_BOTH static inline int fold_ring(int n, int piece, int blocks)
{
    const int tiles = least(fold_pieces(n, piece), TOGETHER);
    return tiles + (blocks + tiles - 1) / tiles;
}

/* What a block has of a folder in shared memory. */
STEEP_BOTH static inline void folder_cut_own(folder *f, int piece, bool wide, arena *own)
{
    const size_t square = (size_t)PANEL * PANEL, strip = (size_t)PANEL * (size_t)piece;
    f->C = own->take<double>((size_t)ROWS * (size_t)piece_stride(piece));
    f->T = own->take<double>(square);
    f->gram = own->take<double>(square);
    f->W = own->take<double>(strip);
    f->U = own->take<double>(strip);
    f->tau = own->take<double>(PANEL);
    f->weight = own->take<double>(GROUP);
    f->lanes = own->take<double>(LANES * GROUP);
    f->most = own->take<double>(LANES);
    f->scale = own->take<double>(1);
    f->stage = own->take<double>(wide ? 2 * (size_t)STAGE * PANEL : 0);
    f->claimed = own->take<int>(wide ? 1 : 0);
}

/* damps: room for [R; diag d] too. own: NULL where what is shared is borrowed. */
STEEP_BOTH static inline void folder_cut(folder *f, int n, bool damps, const places &at, arena *own)
{
    const size_t panels = (size_t)fold_panels(n), square = (size_t)PANEL * PANEL;
    arena none = {nullptr, 0}, *const far = at.far;
    const bool wide = at.blocks > 0;
    f->n = n;
    f->ld = fold_columns(n);
    f->piece = at.piece;
    f->ring = wide ? fold_ring(n, at.piece, at.blocks) : 1;
    folder_cut_own(f, at.piece, wide, own ? own : &none);
    f->R = far->take<double>((size_t)f->ld * f->ld);
    f->S = far->take<double>(damps ? (size_t)f->ld * f->ld : 0);
    f->kept_V = far->take<double>((size_t)f->ring * panels * ROWS * PANEL);
    f->kept_T = far->take<double>((size_t)f->ring * panels * square);
    const size_t most = (size_t)((at.rows > n ? at.rows : n) + ROWS - 1) / ROWS;
    f->next = far->take<int>(wide ? 1 : 0);
    f->progress = far->take<int>(wide ? most * (size_t)fold_pieces(n, at.piece) : 0);
    f->sums = far->take<double>(wide ? (size_t)CHUNK * (size_t)dot_chunks(n) * (LANES + 1) : 0);
}

/* Shared memory of another folder, where the two are never worked on at once. */
STEEP_BOTH static inline void folder_borrow(folder *f, const folder &from)
{
    f->C = from.C;
    f->T = from.T;
    f->gram = from.gram;
    f->W = from.W;
    f->U = from.U;
    f->tau = from.tau;
    f->weight = from.weight;
    f->lanes = from.lanes;
    f->most = from.most;
    f->scale = from.scale;
    f->stage = from.stage;
    f->claimed = from.claimed;
}

/* The same room for fewer unknowns. */
STEEP_DEVICE static inline void folder_shrink(folder *f, int n)
{
    f->n = n;
    f->ld = fold_columns(n);
}

/* A tile on its way into R. */
struct folding {
    double *R;
    int first, rows, padded; /* rows of the source, from the first; with rows of zeros, a multiple of 8 */
    int from;                /* column of the first panel */
    bool diagonal;           /* what is folded has one entry in each row */
    int slot;                /* a wide solve: whose panels are kept there */
};

STEEP_DEVICE static inline int fold_height(const folding &t, int column)
{
    return t.diagonal ? least(t.padded, column + PANEL - t.first) : t.padded;
}

STEEP_DEVICE static inline int fold_panel_columns(const folder &f, int column)
{
    return least(PANEL, round_up(f.n - column, GROUP));
}

/* k reflections: V (rows x k, ldv) by rows, and T. */
struct reflections {
    int k, rows, ldv;
    const double *V, *T;
};

/* W(k x q) = R's rows + V'C. A thread has TALL x WIDE entries, in registers. */
template <int PIECE>
STEEP_DEVICE void fold_gather(const block &team, const reflections &of, const double *R, int ld, int q, const double *C,
                              double *W)
{
    enum { TALL = 2, WIDE = 2 };
    const int down = of.k / TALL, across = q / WIDE, ldv = of.ldv;
    const double *const V = of.V;
    team.each(down * across, [&](int item) {
        const int i = item / across, c = item % across;
        double sum[TALL][WIDE];
        for (int u = 0; u < TALL; u++)
            for (int v = 0; v < WIDE; v++) sum[u][v] = R[(size_t)(i + u * down) * ld + c + v * across];
        for (int r = 0; r < of.rows; r++)
            for (int u = 0; u < TALL; u++)
                for (int v = 0; v < WIDE; v++)
                    sum[u][v] =
                        fused(V[r * ldv + i + u * down], C[r * piece_stride(PIECE) + c + v * across], sum[u][v]);
        for (int u = 0; u < TALL; u++)
            for (int v = 0; v < WIDE; v++) W[(i + u * down) * PIECE + c + v * across] = sum[u][v];
    });
}

/* C(rows x q) -= V U, likewise. */
template <int PIECE>
STEEP_DEVICE void fold_take(const block &team, const reflections &of, int q, const double *U, double *C)
{
    enum { TALL = 4, WIDE = 4 };
    const int down = of.rows / TALL, across = q / WIDE, ldv = of.ldv;
    const double *const V = of.V;
    team.each(down * across, [&](int item) {
        const int r = item / across, c = item % across;
        double left[TALL][WIDE];
        for (int u = 0; u < TALL; u++)
            for (int v = 0; v < WIDE; v++) left[u][v] = C[(r + u * down) * piece_stride(PIECE) + c + v * across];
        for (int i = 0; i < of.k; i++)
            for (int u = 0; u < TALL; u++)
                for (int v = 0; v < WIDE; v++)
                    left[u][v] = fused(-V[(r + u * down) * ldv + i], U[i * PIECE + c + v * across], left[u][v]);
        for (int u = 0; u < TALL; u++)
            for (int v = 0; v < WIDE; v++) C[(r + u * down) * piece_stride(PIECE) + c + v * across] = left[u][v];
    });
}

/* Reflections, the first that of column j of R, on q columns, at.. of R and those at C: W = R's rows + V'C, U = T'W,
 * R's rows -= U, C -= V U. All sizes are multiples of 8. */
template <int PIECE>
STEEP_OUTLINE void fold_apply(const block &team, const folder &f, const folding &t, const reflections &of, int j,
                              int at, int q, double *C)
{
    const int ld = f.ld;
    double *const W = f.W, *const U = f.U, *const R = t.R + (size_t)j * ld + at;
    fold_gather<PIECE>(team, of, R, ld, q, C, W);
    team.each(of.k * q, [&](int item) {
        const int i = item / q, c = item % q;
        double sum = 0;
        for (int l = 0; l < i / GROUP * GROUP + GROUP; l++) sum = fused(of.T[l * PANEL + i], W[l * PIECE + c], sum);
        U[i * PIECE + c] = sum;
        R[(size_t)i * ld + c] -= sum;
    });
    fold_take<PIECE>(team, of, q, U, C);
}

/* T of k reflections V (rows x k) with these tau. */
template <int PIECE>
STEEP_OUTLINE void fold_close(const block &team, const folder &f, int k, int rows, const double *V, const double *tau)
{
    double *const gram = f.gram, *const T = f.T;
    team.each(k * k, [&](int item) {
        const int i = item / k, c = item % k;
        double sum = 0;
        for (int r = 0; r < rows; r++) sum = fused(V[r * piece_stride(PIECE) + i], V[r * piece_stride(PIECE) + c], sum);
        gram[i * PANEL + c] = sum;
    });
    team.each(PANEL, [&](int i) {
        double *row = T + i * PANEL;
        for (int c = 0; c < PANEL; c++) row[c] = 0;
        if (i < k) row[i] = tau[i];
        for (int c = i + 1; c < k; c++) {
            double sum = 0;
            for (int l = i; l < c; l++) sum += row[l] * gram[l * PANEL + c];
            row[c] = -tau[c] * sum;
        }
    });
}

/* The length of column i at C, and sum[c], its products with the columns behind it over its length. */
template <int PIECE> STEEP_DEVICE double fold_careful(int rows, const double *C, int i, double *sum)
{
    const double length = norm_alone(rows, [&](int k) { return C[k * piece_stride(PIECE) + i]; });
    if (!(length > 0)) return length;
    for (int c = i + 1; c < GROUP; c++)
        sum[c] = dot_alone(
            rows, [&](int k) { return C[k * piece_stride(PIECE) + i] / length; },
            [&](int k) { return C[k * piece_stride(PIECE) + c]; });
    return length;
}

/* The reflection of column j, the i-th of its group, from the lanes of its products with the group's columns: one
 * thread. R's row takes it; what the group's columns lose goes to weight, and what v is of the column is returned. */
template <int PIECE>
STEEP_DEVICE double fold_reflection(const folder &f, const folding &t, int rows, int j, int i, const double *C)
{
    double *const R = t.R + (size_t)j * f.ld + (j - i), *const w = f.weight;
    double sum[GROUP], all = 0, most = 0, length;
    for (int c = 0; c < GROUP; c++) w[c] = 0;
    f.tau[(j - t.from) % PANEL] = 0;
    if (j >= f.n) return 0;
    for (int c = i; c < GROUP; c++) {
        const double *chain = f.lanes + c;
        sum[c] = ((chain[0] + chain[4 * GROUP]) + (chain[1 * GROUP] + chain[5 * GROUP])) +
                 ((chain[2 * GROUP] + chain[6 * GROUP]) + (chain[3 * GROUP] + chain[7 * GROUP]));
        all += fabs(sum[c]);
    }
    for (int l = 0; l < LANES; l++) most = larger(most, f.most[l]);
    length = sqrt(sum[i]);
    if (sum[i] > 0x1p-900 && all <= DBL_MAX)
        for (int c = i + 1; c < GROUP; c++) sum[c] /= length;
    else length = most == 0 ? 0 : fold_careful<PIECE>(rows, C, i, sum);
    const double head = R[i], size = pair_norm(head, length), beta = head > 0 ? -size : size, scale = 1 / (head - beta);
    if (!(length > 0 && fabs(scale) <= DBL_MAX)) return 0;
    const double tau = (beta - head) / beta;
    f.tau[(j - t.from) % PANEL] = tau;
    R[i] = beta;
    for (int c = i + 1; c < GROUP; c++) {
        w[c] = tau * (R[c] + sum[c] * (length * scale));
        R[c] -= w[c];
    }
    return scale;
}

/* Rows of the group at C: what the last reflection, of column at, takes from them. */
template <int PIECE> STEEP_DEVICE void fold_update(const block &team, const folder &f, int rows, double *C, int at)
{
    const double *const w = f.weight, *const scale = f.scale;
    team.each(rows, [&](int r) {
        double *c = C + r * piece_stride(PIECE);
        const double v = c[at] * *scale;
        for (int u = 0; u < GROUP; u++) c[u] = fused(-v, w[u], c[u]);
        c[at] = v;
    });
}

/* Reflections of the columns j.. (GROUP of them), which stand at C. */
template <int PIECE>
STEEP_OUTLINE void fold_group(const block &team, const folder &f, const folding &t, int rows, int j, double *C)
{
    for (int i = 0; i < GROUP; i++) {
        if (i > 0) fold_update<PIECE>(team, f, rows, C, i - 1);
        team.each(LANES * GROUP, [&](int item) { /* row r of a chain is row r mod 8 of the tile */
                                                 const int l = item / GROUP, c = item % GROUP;
                                                 double sum = 0, most = 0;
                                                 for (int r = l; r < rows; r += LANES) {
                                                     const double head = C[r * piece_stride(PIECE) + i];
                                                     sum = fused(head, C[r * piece_stride(PIECE) + c], sum);
                                                     most = larger(most, fabs(head));
                                                 }
                                                 f.lanes[l * GROUP + c] = sum;
                                                 if (c == 0) f.most[l] = most;
        });
        team.one([&] { *f.scale = fold_reflection<PIECE>(f, t, rows, j + i, i, C); });
    }
    fold_update<PIECE>(team, f, rows, C, GROUP - 1);
}

/* Where the panel of column j of a tile is kept. */
STEEP_DEVICE static inline double *kept_V(const folder &f, const folding &t, int j)
{
    return f.kept_V + ((size_t)t.slot * (size_t)fold_panels(f.n) + (size_t)(j / PANEL)) * ROWS * PANEL;
}

STEEP_DEVICE static inline double *kept_T(const folder &f, const folding &t, int j)
{
    return f.kept_T + ((size_t)t.slot * (size_t)fold_panels(f.n) + (size_t)(j / PANEL)) * PANEL * PANEL;
}

/* The panel of columns j.. (k of them), which stand at C. last: nothing is to its right; else its V and T are kept. */
template <int PIECE>
STEEP_OUTLINE void fold_panel(const block &team, const folder &f, const folding &t, int j, int k, bool last, double *C)
{
    const int rows = fold_height(t, j);
    for (int g = 0; g < k; g += GROUP) {
        fold_group<PIECE>(team, f, t, rows, j + g, C + g);
        if (g + GROUP == k) break;
        fold_close<PIECE>(team, f, GROUP, rows, C + g, f.tau + g);
        const reflections group = {GROUP, rows, piece_stride(PIECE), C + g, f.T};
        fold_apply<PIECE>(team, f, t, group, j + g, j + g + GROUP, k - g - GROUP, C + g + GROUP);
    }
    if (last) return;
    fold_close<PIECE>(team, f, k, rows, C, f.tau);
    double *const V = kept_V(f, t, j), *const T = kept_T(f, t, j);
    team.each(rows * PANEL, [&](int item) { V[item] = C[item / PANEL * piece_stride(PIECE) + item % PANEL]; });
    team.each(PANEL * PANEL, [&](int item) { T[item] = f.T[item]; });
}

/* The panels before column j, from t.from on, on q columns at.., which stand at f.C. */
STEEP_OUTLINE void fold_before(const block &team, const folder &f, const folding &t, int j, int at, int q)
{
    for (int b = t.from; b < j; b += PANEL) {
        const reflections panel = {fold_panel_columns(f, b), fold_height(t, b), PANEL, kept_V(f, t, b),
                                   kept_T(f, t, b)};
        fold_apply<PANEL>(team, f, t, panel, b, at, q, f.C);
    }
}

/* Entries of a tile, q columns at.., to f.C. */
template <int PIECE, class Entry>
STEEP_DEVICE void fold_load(const block &team, const folder &f, const folding &t, int at, int q, const Entry &entry)
{
    team.each(t.padded * q, [&](int item) {
        const int r = item % t.padded, c = item / t.padded;
        f.C[r * piece_stride(PIECE) + c] = r < t.rows && at + c <= f.n ? entry(t.first + r, at + c) : 0;
    });
}

/* Folds a tile whose entry in row r (of the source) and column c is entry(r, c), column n its right side. */
template <class Entry>
STEEP_DEVICE void fold_tile(const block &team, const folder &f, const folding &t, const Entry &entry)
{
    for (int j = t.from, k; j < f.ld; j += k) {
        const bool panel = j < f.n;
        k = panel ? fold_panel_columns(f, j) : f.ld - j;
        fold_load<PANEL>(team, f, t, j, k, entry);
        fold_before(team, f, t, j, j, k);
        if (panel) fold_panel<PANEL>(team, f, t, j, k, j + k >= f.ld, f.C);
    }
}

/* R = 0 */
STEEP_DEVICE static inline void fold_begin(const block &team, const folder &f)
{
    team.each(f.ld * f.ld, [&](int i) { f.R[i] = 0; });
}

/* The first k rows and columns of R into A(k x k), by columns, zeros below the diagonal (steep_fold_triangle). */
STEEP_DEVICE static inline void fold_triangle(const block &team, const folder &f, int k, double *A)
{
    team.each(k * k, [&](int item) {
        const int i = item % k, j = item / k;
        A[item] = i <= j ? f.R[(size_t)i * f.ld + j] : 0;
    });
}

/* y = R x, x elsewhere */
STEEP_OUTLINE void fold_times(const block &team, const folder &f, const double *R, const double *x, double *y)
{
    team.each(f.n, [&](int i) {
        const double *row = R + (size_t)i * f.ld + i;
        y[i] = dot_alone(
            f.n - i, [&](int k) { return row[k]; }, [&](int k) { return x[i + k]; });
    });
}

/* y = R'x, x elsewhere: entry j takes its own term first, then those before it, the last first. */
STEEP_OUTLINE void fold_transposed_times(const block &team, const folder &f, const double *R, const double *x,
                                         double *y)
{
    team.each(f.n, [&](int j) {
        double sum = x[j] * R[(size_t)j * f.ld + j];
        for (int i = j; i-- > 0;) sum += x[i] * R[(size_t)i * f.ld + j];
        y[j] = sum;
    });
}

} // namespace steep

#endif
