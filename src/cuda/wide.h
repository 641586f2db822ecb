/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wide: the triangle of numerics/fold by one block, or in a wide solve by all blocks of the device together. The same
 * bits either way.
 *
 * All blocks. The rows come in tiles of 256, the columns of each tile in pieces of PIECE. A block takes the next piece
 * of a queue, and works on it in its shared memory:
 *
 *   1. the piece is loaded;
 *   2. each panel before it is applied, W = R's rows + V'C, U = T'W, R's rows -= U, C -= V U: V and T are in device
 *      memory once the block that has that panel has made it, and R's rows are free once the same piece of the tile
 *      before has had its own panel of these columns applied;
 *   3. the panels of the piece itself are made, each applied to the columns behind it in the piece.
 *
 * After each panel of 2 and 3 the block says how far its piece is (progress): that is all that blocks wait for. So an
 * entry of R or C takes the panels, and R the tiles, in the order of numerics/fold.c, whoever works on what.
 *
 * The queue has the pieces of about TOGETHER tiles side by side, each tile `skew` pieces behind the one before it: piece
 * p of tile t comes in order of p + skew t. Tile after tile, all blocks would wait for the panels of one tile, which are
 * made one after the other. A piece waits for pieces before it in the queue alone, and the first that has not ended
 * waits for none: no block waits for good. The panels of a tile are kept until its last piece has ended; a later tile
 * that takes their place waits for it.
 *
 * In step 2 rows of V come into shared memory STAGE at a time, while those before are worked on, once for W and once
 * more for C. */
#ifndef STEEP_CUDA_WIDE_H
#define STEEP_CUDA_WIDE_H

#include "cuda/triangle.h"

namespace steep
{

/* --- step 2 --- */

/* W += V'C for some rows of V (by rows, PANEL) and of C. */
template <int PIECE>
STEEP_DEVICE void wide_gather(const block &team, int rows, const double *V, int q, const double *C, double *W)
{
    enum { TALL = 4, WIDE = 4, DOWN = PANEL / TALL };
    const int across = q / WIDE;
    team.each(DOWN * across, [&](int item) {
        const int i = item / across, c = item % across;
        double sum[TALL][WIDE];
        for (int u = 0; u < TALL; u++)
            for (int v = 0; v < WIDE; v++) sum[u][v] = W[(i + u * DOWN) * PIECE + c + v * across];
        for (int r = 0; r < rows; r++)
            for (int u = 0; u < TALL; u++)
                for (int v = 0; v < WIDE; v++)
                    sum[u][v] =
                        fused(V[r * PANEL + i + u * DOWN], C[r * piece_stride(PIECE) + c + v * across], sum[u][v]);
        for (int u = 0; u < TALL; u++)
            for (int v = 0; v < WIDE; v++) W[(i + u * DOWN) * PIECE + c + v * across] = sum[u][v];
    });
}

/* C -= V U for some rows. */
template <int PIECE>
STEEP_DEVICE void wide_take(const block &team, int rows, const double *V, int q, const double *U, double *C)
{
    enum { TALL = 8, WIDE = 4 };
    const int down = rows / TALL, across = q / WIDE;
    team.each(down * across, [&](int item) {
        const int r = item / across, c = item % across;
        double left[TALL][WIDE];
        for (int u = 0; u < TALL; u++)
            for (int v = 0; v < WIDE; v++) left[u][v] = C[(r + u * down) * piece_stride(PIECE) + c + v * across];
        for (int i = 0; i < PANEL; i++)
            for (int u = 0; u < TALL; u++)
                for (int v = 0; v < WIDE; v++)
                    left[u][v] = fused(-V[(r + u * down) * PANEL + i], U[i * PIECE + c + v * across], left[u][v]);
        for (int u = 0; u < TALL; u++)
            for (int v = 0; v < WIDE; v++) C[(r + u * down) * piece_stride(PIECE) + c + v * across] = left[u][v];
    });
}

/* U = T'W, R's rows -= U. Rows of T'W end with their group: two of one group are a thread's. */
template <int PIECE>
STEEP_DEVICE void wide_turn(const block &team, const double *T, const double *W, double *U, double *R, int ld, int q)
{
    enum { TALL = 2, WIDE = 4, HALF = GROUP / TALL };
    const int across = q / WIDE;
    team.each(PANEL / TALL * across, [&](int item) {
        const int i = item / across / HALF * GROUP + item / across % HALF, c = item % across;
        double sum[TALL][WIDE], left[TALL][WIDE];
        for (int u = 0; u < TALL; u++)
            for (int v = 0; v < WIDE; v++) {
                sum[u][v] = 0;
                left[u][v] = R[(size_t)(i + u * HALF) * ld + c + v * across];
            }
        for (int l = 0; l < i / GROUP * GROUP + GROUP; l++)
            for (int u = 0; u < TALL; u++)
                for (int v = 0; v < WIDE; v++)
                    sum[u][v] = fused(T[l * PANEL + i + u * HALF], W[l * PIECE + c + v * across], sum[u][v]);
        for (int u = 0; u < TALL; u++)
            for (int v = 0; v < WIDE; v++) {
                U[(i + u * HALF) * PIECE + c + v * across] = sum[u][v];
                R[(size_t)(i + u * HALF) * ld + c + v * across] = left[u][v] - sum[u][v];
            }
    });
}

/* A kept panel, V (rows x PANEL) and T in device memory, on the q columns at C, whose rows of R begin at R. */
template <int PIECE>
STEEP_OUTLINE void wide_apply(const block &team, const folder &f, const reflections &of, double *R, int q)
{
    const int rows = of.rows, chunks = (rows + STAGE - 1) / STAGE;
    team.fetch(f.W, PIECE, R, f.ld, PANEL, q);
    team.fetch(f.T, PANEL, of.T, PANEL, PANEL, PANEL);
    team.fetch(f.stage, PANEL, of.V, PANEL, least(rows, STAGE), PANEL);
    team.loaded();
    for (int s = 0; s < 2 * chunks; s++) {
        const int first = s % chunks * STAGE, next = (s + 1) % chunks * STAGE, size = least(rows - first, STAGE);
        double *const V = f.stage + (s % 2) * STAGE * PANEL, *const C = f.C + first * piece_stride(PIECE);
        if (s + 1 < 2 * chunks)
            team.fetch(f.stage + ((s + 1) % 2) * STAGE * PANEL, PANEL, of.V + next * PANEL, PANEL,
                       least(rows - next, STAGE), PANEL);
        team.loaded();
        team.landed<1>();
        if (s < chunks) wide_gather<PIECE>(team, size, V, q, C, f.W);
        else wide_take<PIECE>(team, size, V, q, f.U, C);
        if (s == chunks - 1) wide_turn<PIECE>(team, f.T, f.W, f.U, R, f.ld, q);
    }
}

/* --- pieces --- */

/* What a block works on. */
struct wide_piece {
    folding t;
    int at, q;         /* columns */
    int *progress;     /* of this piece, */
    const int *before; /* of the same piece of the tile before, NULL for the first tile, */
    const int *row;    /* and of this tile's first piece */
    const int *freed;  /* last piece of the tile whose panels this one's take the place of, NULL where there is none */
};

template <int PIECE> STEEP_DEVICE void wide_behind(const block &team, const folder &f, const wide_piece &w)
{
    for (int b = w.t.from; b < w.at; b += PANEL) {
        const int done = b / PANEL + 1;
        const reflections panel = {PANEL, fold_height(w.t, b), PANEL, kept_V(f, w.t, b), kept_T(f, w.t, b)};
        team.await(w.before, done, w.row + b / PIECE, done);
        wide_apply<PIECE>(team, f, panel, w.t.R + (size_t)b * f.ld + w.at, w.q);
        team.publish(w.progress, done);
    }
}

template <int PIECE> STEEP_DEVICE void wide_panels(const block &team, const folder &f, const wide_piece &w)
{
    const int end = w.at + w.q;
    for (int j = w.at, k; j < least(end, f.n); j += k) {
        double *const C = f.C + (j - w.at);
        k = least(fold_panel_columns(f, j), end - j);
        team.await(w.before, j / PANEL + 1, w.freed, fold_panels(f.n));
        fold_panel<PIECE>(team, f, w.t, j, k, end == f.ld && j + k == end, C);
        const reflections panel = {k, fold_height(w.t, j), piece_stride(PIECE), C, f.T};
        if (j + k < end) fold_apply<PIECE>(team, f, w.t, panel, j, j + k, end - j - k, C + k);
        team.publish(w.progress, j / PANEL + 1);
    }
}

/* The queue of a fold: the pieces p of tiles t, at diagonal p + skew t. Tiles of a diagonal matrix begin `fewer` pieces
 * after each other. */
struct wide_queue {
    int pieces, tiles, fewer, skew;
    int diagonal, before; /* where the last number was; pieces on diagonals before */
};

STEEP_DEVICE static inline wide_queue wide_begin(const folder &f, const folding &all)
{
    const int pieces = fold_pieces(f.n, f.piece), together = least(f.ring, TOGETHER);
    const wide_queue q = {
        pieces, (all.rows + ROWS - 1) / ROWS, all.diagonal ? ROWS / f.piece : 0, (pieces + together - 1) / together, 0,
        0};
    return q;
}

/* Tile and piece of a number that is larger than the last; false where there are not so many. */
STEEP_DEVICE static inline bool wide_next(wide_queue *q, int number, int *tile, int *piece)
{
    for (; q->diagonal < q->pieces + q->skew * (q->tiles - 1); q->diagonal++) {
        const int s = q->diagonal, low = s < q->pieces ? 0 : (s - q->pieces) / q->skew + 1,
                  count = least(q->tiles - 1, s / (q->skew + q->fewer)) - low + 1;
        if (number < q->before + count) {
            *tile = low + number - q->before;
            *piece = s - q->skew * *tile;
            return true;
        }
        if (count > 0) q->before += count;
    }
    return false;
}

STEEP_DEVICE static inline wide_piece wide_place(const folder &f, const folding &all, const wide_queue &q, int tile,
                                                 int piece)
{
    wide_piece w;
    w.t = all;
    w.t.first = all.first + tile * ROWS;
    w.t.rows = least(all.rows - tile * ROWS, ROWS);
    w.t.padded = round_up(w.t.rows, GROUP);
    w.t.from = tile * q.fewer * f.piece;
    w.t.slot = tile % f.ring;
    w.at = piece * f.piece;
    w.q = least(f.ld - w.at, f.piece);
    int *const row = f.progress + (size_t)tile * q.pieces;
    w.row = row;
    w.progress = row + piece;
    w.before = tile > 0 ? row + piece - q.pieces : nullptr;
    w.freed = tile >= f.ring ? row - (size_t)f.ring * q.pieces + q.pieces - 1 : nullptr;
    return w;
}

/* Folds all tiles by all blocks. */
template <int PIECE, class Entry>
STEEP_DEVICE void wide_fold(const block &all, const folder &f, const folding &t, const Entry &entry)
{
    const block team = all.alone();
    wide_queue queue = wide_begin(f, t);
    all.each(queue.tiles * queue.pieces, [&](int i) { f.progress[i] = 0; });
    all.one([&] { *f.next = 0; });
    for (int tile, piece;;) {
        team.one([&] { *f.claimed = take_next(f.next); });
        if (!wide_next(&queue, team.read(f.claimed), &tile, &piece)) break;
        const wide_piece w = wide_place(f, t, queue, tile, piece);
        fold_load<PIECE>(team, f, w.t, w.at, w.q, entry);
        wide_behind<PIECE>(team, f, w);
        wide_panels<PIECE>(team, f, w);
    }
    all.wait();
}

/* --- one block, or all --- */

template <class Entry>
STEEP_DEVICE void fold_tiles(const block &team, const folder &f, const folding &t, const Entry &entry)
{
    if (!team.wide()) fold_tile(team, f, t, entry);
    else if (f.piece == PANEL) wide_fold<PANEL>(team, f, t, entry);
    else wide_fold<2 * PANEL>(team, f, t, entry);
}

/* R = the triangle of [R; A b] for `rows` rows from the first on, of one block's all of one tile. */
template <class Entry>
STEEP_DEVICE void fold_rows(const block &team, const folder &f, int first, int rows, const Entry &entry)
{
    const folding t = {f.R, first, rows, round_up(rows, GROUP), 0, false, 0};
    fold_tiles(team, f, t, entry);
}

/* S = the triangle of [R; diag(d) 0] */
template <class Diagonal> STEEP_DEVICE void fold_damp(const block &team, const folder &f, const Diagonal &d)
{
    const auto entry = [&](int r, int c) { return r == c ? d(r) : 0; };
    const int most = team.wide() ? f.n : ROWS;
    team.each(f.ld * f.ld, [&](int i) { f.S[i] = f.R[i]; });
    for (int first = 0; first < f.n; first += most) {
        const int rows = least(f.n - first, most);
        const folding t = {f.S, first, rows, round_up(rows, GROUP), first, true, 0};
        fold_tiles(team, f, t, entry);
    }
}

/* --- x = R^-1 x --- */

/* One block. */
STEEP_OUTLINE void narrow_solve(const block &team, const folder &f, const double *R, double *x, double *part)
{
    for (int i = f.n; i-- > 0;) {
        const double *const row = R + (size_t)i * f.ld + i;
        const double sum = dot(
            team, f.n - i - 1, [&](int k) { return row[1 + k]; }, [&](int k) { return x[i + 1 + k]; }, part);
        team.one([&] { x[i] = (x[i] - sum) / row[0]; });
    }
}

/* Rows first .. end - 1, not more than CHUNK: of their dots all chunks but the first, whose x are known: f.sums has that
 * of chunk c of row i at [(i - first) * chunks + c]. */
STEEP_OUTLINE void wide_chunks(const block &all, const folder &f, const double *R, const double *x, int first, int end)
{
    const int chunks = dot_chunks(f.n), others = chunks - 1;
    double *const lanes = f.sums + (size_t)CHUNK * (size_t)chunks;
    const auto term = [&](int i, int c) { return i + 1 + c * CHUNK; };
    if (others == 0) return;
    all.each((end - first) * others * LANES, [&](int item) {
        const int c = 1 + item / LANES % others, i = first + item / LANES / others, k = term(i, c);
        const double *const row = R + (size_t)i * f.ld;
        if (k < f.n)
            lanes[item] = lane_sum(
                k, least(f.n - k, CHUNK), item % LANES, [&](int j) { return row[j]; }, [&](int j) { return x[j]; });
    });
    all.each((end - first) * others, [&](int item) {
        const int c = 1 + item % others, i = first + item / others, k = term(i, c);
        const double *const row = R + (size_t)i * f.ld;
        if (k < f.n)
            f.sums[(size_t)(i - first) * chunks + c] =
                add_lanes(lanes + (size_t)item * LANES,
                          rest_sum(
                              k, least(f.n - k, CHUNK), [&](int j) { return row[j]; }, [&](int j) { return x[j]; }));
    });
}

/* Rows first .. end - 1 by one block: the first chunk of each dot, whose row comes into shared memory before. */
STEEP_OUTLINE void wide_rows(const block &team, const folder &f, const double *R, double *x, int first, int end)
{
    enum { ROW = CHUNK + 2 };
    const int chunks = dot_chunks(f.n);
    const auto fetch = [&](int i) { /* from an even place on */
                                    const int from = i - i % 2;
                                    team.fetch(f.stage + (i % 2) * ROW, ROW, R + (size_t)i * f.ld + from, f.ld, 1,
                                               least(ROW, f.ld - from));
                                    team.loaded();
    };
    fetch(end - 1);
    for (int i = end; i-- > first;) {
        const double *const row = f.stage + (i % 2) * ROW + i % 2;
        const int terms = least(f.n - i - 1, CHUNK);
        const auto a = [&](int k) { return row[1 + k]; };
        const auto b = [&](int k) { return x[i + 1 + k]; };
        if (i > first) fetch(i - 1);
        else team.loaded();
        team.landed<1>();
        team.each(LANES, [&](int l) { f.lanes[l] = lane_sum(0, terms, l, a, b); });
        team.one([&] {
            double sum = add_lanes(f.lanes, rest_sum(0, terms, a, b));
            for (int c = 1; i + 1 + c * CHUNK < f.n; c++) sum += f.sums[(size_t)(i - first) * chunks + c];
            x[i] = (x[i] - sum) / row[0];
        });
    }
}

STEEP_OUTLINE void fold_solve(const block &team, const folder &f, const double *R, double *x, double *part)
{
    if (!team.wide()) {
        narrow_solve(team, f, R, x, part);
        return;
    }
    for (int end = f.n, first; end > 0; end = first) {
        first = end > CHUNK ? end - CHUNK : 0;
        wide_chunks(team, f, R, x, first, end);
        if (team.is_first()) wide_rows(team.alone(), f, R, x, first, end);
        team.wait();
    }
}

/* --- x = R'^-1 x --- */

STEEP_OUTLINE void narrow_transposed_solve(const block &team, const folder &f, const double *R, double *x)
{
    for (int i = 0; i < f.n; i++) {
        const double *const row = R + (size_t)i * f.ld + i;
        team.one([&] { x[i] /= row[0]; });
        team.each(f.n - i - 1, [&](int k) { x[i + 1 + k] += -x[i] * row[1 + k]; });
    }
}

/* Rows first .. end - 1 among themselves, by one block. */
STEEP_OUTLINE void wide_corner(const block &team, const folder &f, const double *R, double *x, int first, int end)
{
    team.fetch(f.stage, STAGE, R + (size_t)first * f.ld + first, f.ld, end - first, least(STAGE, f.ld - first));
    team.loaded();
    team.landed<0>();
    for (int i = first; i < end; i++) {
        const double *const row = f.stage + (i - first) * (STAGE + 1);
        team.one([&] { x[i] /= row[0]; });
        team.each(end - i - 1, [&](int k) { x[i + 1 + k] += -x[i] * row[1 + k]; });
    }
}

/* STAGE rows among themselves, then all that is behind them: an entry takes its terms in the same order. */
STEEP_OUTLINE void fold_transposed_solve(const block &team, const folder &f, const double *R, double *x)
{
    if (!team.wide()) {
        narrow_transposed_solve(team, f, R, x);
        return;
    }
    for (int first = 0, end; first < f.n; first = end) {
        end = least(f.n, first + STAGE);
        if (team.is_first()) wide_corner(team.alone(), f, R, x, first, end);
        team.wait();
        team.each(f.n - end, [&](int k) {
            double sum = x[end + k];
            for (int i = first; i < end; i++) sum += -x[i] * R[(size_t)i * f.ld + end + k];
            x[end + k] = sum;
        });
    }
}

} // namespace steep

#endif
