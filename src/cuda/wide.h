/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wide: the triangle of numerics/fold by one block, or in a wide solve by all blocks of the device together. The same
 * bits either way.
 *
 * All blocks. The rows come in tiles of 256, the columns of each tile in pieces of PIECE. A block takes the next piece
 * of a queue, tile after tile and in each from left to right, and works on it in its shared memory:
 *
 *   1. the piece is loaded;
 *   2. each panel before it is applied, W = R's rows + V'C, U = T'W, R's rows -= U, C -= V U: V and T are in device
 *      memory once the block that has that panel has made it, and R's rows are free once the same piece of the tile
 *      before has had its own panel of these columns applied;
 *   3. the panels of the piece itself are made, each applied to the columns behind it in the piece.
 *
 * After each panel of 2 and 3 the block says how far its piece is (progress): that is all that blocks wait for. So an
 * entry of R or C takes the panels, and R the tiles, in the order of numerics/fold.c, whoever works on what. A piece
 * waits for pieces before it in the queue alone, and the first that has not ended waits for none: no block waits for
 * good. The panels of a tile are kept until its last piece has ended; a later tile that takes their place waits for it.
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
    int tile, at, q;   /* tile of the fold; columns */
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

/* Which piece has this number in the queue; false where there are not so many. Tiles of a diagonal begin ROWS columns
 * after each other. */
STEEP_DEVICE static inline bool wide_place(const folder &f, const folding &all, int number, wide_piece *w)
{
    const int pieces = fold_pieces(f.n, f.piece), fewer = all.diagonal ? ROWS / f.piece : 0,
              tiles = (all.rows + ROWS - 1) / ROWS;
    int tile = 0, piece = number;
    for (; tile < tiles && piece >= pieces - tile * fewer; tile++) piece -= pieces - tile * fewer;
    if (tile == tiles) return false;
    piece += tile * fewer;
    w->t = all;
    w->t.first = all.first + tile * ROWS;
    w->t.rows = least(all.rows - tile * ROWS, ROWS);
    w->t.padded = round_up(w->t.rows, GROUP);
    w->t.from = tile * fewer * f.piece;
    w->t.slot = tile % f.ring;
    w->tile = tile;
    w->at = piece * f.piece;
    w->q = least(f.ld - w->at, f.piece);
    w->row = f.progress + (size_t)tile * pieces;
    w->progress = f.progress + (size_t)tile * pieces + piece;
    w->before = tile > 0 ? w->progress - pieces : nullptr;
    w->freed = tile >= f.ring ? w->row - (size_t)f.ring * pieces + pieces - 1 : nullptr;
    return true;
}

/* Folds all tiles by all blocks. */
template <int PIECE, class Entry>
STEEP_DEVICE void wide_fold(const block &all, const folder &f, const folding &t, const Entry &entry)
{
    const int tiles = (t.rows + ROWS - 1) / ROWS;
    const block team = all.alone();
    all.each(tiles * fold_pieces(f.n, PIECE), [&](int i) { f.progress[i] = 0; });
    all.one([&] { *f.next = 0; });
    for (wide_piece w;;) {
        team.one([&] { *f.claimed = take_next(f.next); });
        if (!wide_place(f, t, team.read(f.claimed), &w)) break;
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

/* What has one step after the other is one block's, whose barriers are soon passed. */
template <class Work> STEEP_DEVICE void by_one_block(const block &team, const Work &work)
{
    if (!team.wide()) {
        work(team);
        return;
    }
    if (team.is_first()) work(team.alone());
    team.wait();
}

/* x = R^-1 x */
STEEP_OUTLINE void fold_solve(const block &all, const folder &f, const double *R, double *x, double *part)
{
    by_one_block(all, [&](const block &team) {
        for (int i = f.n; i-- > 0;) {
            const double *const row = R + (size_t)i * f.ld + i;
            const double sum = dot(
                team, f.n - i - 1, [&](int k) { return row[1 + k]; }, [&](int k) { return x[i + 1 + k]; }, part);
            team.one([&] { x[i] = (x[i] - sum) / row[0]; });
        }
    });
}

/* x = R'^-1 x */
STEEP_OUTLINE void fold_transposed_solve(const block &all, const folder &f, const double *R, double *x)
{
    by_one_block(all, [&](const block &team) {
        for (int i = 0; i < f.n; i++) {
            const double *const row = R + (size_t)i * f.ld + i;
            team.one([&] { x[i] /= row[0]; });
            team.each(f.n - i - 1, [&](int k) { x[i + 1 + k] += -x[i] * row[1 + k]; });
        }
    });
}

} // namespace steep

#endif
