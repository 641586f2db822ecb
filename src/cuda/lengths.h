/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lengths: of columns that come in tiles of rows: the norms of numerics/dense, whose sums are of chunks of 512. */
#ifndef STEEP_CUDA_LENGTHS_H
#define STEEP_CUDA_LENGTHS_H

#include "cuda/sums.h"

namespace steep
{

struct tile_sums {
    double *lane, *square, *most; /* n x LANES; n; n */
};

STEEP_BOTH static inline void tile_sums_cut(tile_sums *w, int n, arena *far)
{
    w->lane = far->take<double>((size_t)n * LANES);
    w->square = far->take<double>((size_t)n);
    w->most = far->take<double>((size_t)n);
}

/* Rows first .. first + size - 1 of m: column p stands at J + p * ld. */
STEEP_OUTLINE void tile_sums_add(const block &team, const tile_sums &w, int m, int n, const double *J, int ld,
                                 int first, int size)
{
    const bool begins = first % CHUNK == 0, closes = (first + size) % CHUNK == 0 || first + size == m;
    team.each(n * LANES, [&](int item) {
        const double *const column = J + (size_t)(item / LANES) * (size_t)ld;
        double square = begins ? 0 : w.lane[item];
        for (int k = item % LANES; k < size / LANES * LANES; k += LANES) square += column[k] * column[k];
        w.lane[item] = square;
    });
    team.each(n, [&](int p) {
        const double *const column = J + (size_t)p * (size_t)ld;
        double most = first == 0 ? 0 : w.most[p], rest = 0;
        for (int k = 0; k < size; k++) most = larger(most, fabs(column[k]));
        w.most[p] = most;
        if (!closes) return;
        for (int k = size / LANES * LANES; k < size; k++) rest += column[k] * column[k];
        rest = add_lanes(w.lane + p * LANES, rest);
        w.square[p] = first < CHUNK ? rest : w.square[p] + rest;
    });
}

/* What a tile adds to the squares of columns whose own leave the range of numbers; lengths has them so far. */
STEEP_OUTLINE void tile_sums_careful(const block &team, const tile_sums &w, int n, const double *J, int ld, int first,
                                     int size, double *lengths)
{
    team.each(n, [&](int p) {
        int exponent;
        if (!(w.most[p] > 0) || w.most[p] > DBL_MAX || plain_square(w.square[p])) return;
        frexp(w.most[p], &exponent);
        double sum = first == 0 ? 0 : w.lane[p];
        for (int k = 0; k < size; k++) {
            const double scaled = ldexp(J[k + (size_t)p * (size_t)ld], -exponent);
            sum += scaled * scaled;
        }
        w.lane[p] = sum;
        lengths[p] = ldexp(sqrt(sum), exponent);
    });
}

/* Lengths where one pass is enough; false where some want another, of tile_sums_careful. slot: 1 number. */
STEEP_OUTLINE bool tile_sums_lengths(const block &team, const tile_sums &w, int n, double *lengths, double *slot)
{
    team.one([&] {
        int careful = 0;
        for (int p = 0; p < n; p++) {
            const bool plain = plain_square(w.square[p]);
            lengths[p] = plain ? sqrt(w.square[p]) : w.most[p];
            careful += !plain && w.most[p] > 0 && w.most[p] <= DBL_MAX;
        }
        *slot = careful;
    });
    return team.read(slot) == 0;
}

/* The lengths of n columns of m rows; tile(first, size, &ld): rows of them, columns at [p * ld]. */
template <class Tile>
STEEP_DEVICE void tile_lengths(const block &team, const tile_sums &w, int m, int n, int rows, const Tile &tile,
                               double *lengths, double *slot)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int first = 0, ld; first < m; first += rows) { /* a chunk, or whole ones */
            const int size = least(m - first, rows);
            const double *const J = tile(first, size, &ld);
            for (int k = 0; pass == 0 && k < size; k += CHUNK)
                tile_sums_add(team, w, m, n, J + k, ld, first + k, least(size - k, CHUNK));
            if (pass == 1) tile_sums_careful(team, w, n, J, ld, first, size, lengths);
        }
        if (pass == 1 || tile_sums_lengths(team, w, n, lengths, slot)) return;
    }
}

} // namespace steep

#endif
