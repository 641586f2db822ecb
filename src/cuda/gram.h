/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gram: [J r]'[J r] in one pass over the samples: J'J, J'r, and |r|^2 in its corner. A tile of rows is made in shared
 * memory and multiplied there; nothing of J goes to device memory. A warp keeps the sums of a square of 32 x 32 entries
 * in registers (with two they would be spilled while it makes units); where there are more squares than warps, the
 * samples are gone through again. Two tiles in turn: some warps still multiply one when others make the next.
 *
 * A product is DMMA on a GPU (m16n8k8 from compute capability 9.0 on, m8n8k4 before), loops in the host build. Blocks
 * of 16 x 8 entries above the diagonal or behind the last column are left out. */
#pragma once

#include "cuda/factor.h"
#include "cuda/points.h"

namespace steep
{

enum { SQUARE = 32, MOST_WARPS = 11, BLOCK_ROWS = 16, BLOCK_COLUMNS = 8 };

/* Is the block of 16 x 8 entries at (row, column), one of a size x size matrix, on or below the diagonal? */
STEEP_DEVICE static inline bool is_needed(int row, int column, int size)
{
    return row < size && column < size && row + BLOCK_ROWS > column;
}

#ifdef __CUDACC__

/* The square at (row, column) of the sum of T'T over tiles T, by the threads of a warp. */
struct tile_product {
    double c[2][4][4];

    __device__ void multiply(const double *T, int ld, int rows, int row, int column, int size)
    {
        const int lane = (int)threadIdx.x % WARP;
        for (int k = 0; k < rows; k += 8) {
            const double *const r0 = T + (k + lane % 4) * ld, *const r1 = r0 + 4 * ld;
            double a[2][4], b[4][2];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const int at = row + i * 16 + lane / 4;
                a[i][0] = r0[at], a[i][1] = r0[at + 8], a[i][2] = r1[at], a[i][3] = r1[at + 8];
            }
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const int at = column + j * 8 + lane / 4;
                b[j][0] = r0[at], b[j][1] = r1[at];
            }
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    if (is_needed(row + i * 16, column + j * 8, size)) add(c[i][j], a[i], b[j]);
        }
    }

#if __CUDA_ARCH__ >= 900
    static __device__ void add(double (&c)[4], const double (&a)[4], const double (&b)[2])
    {
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
            : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
            : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
    }
#else
    static __device__ void add(double (&c)[4], const double (&a)[4], const double (&b)[2])
    {
#pragma unroll
        for (int part = 0; part < 4; part++) /* half of the rows of c, half of the points */
            asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
                         : "+d"(c[part % 2 * 2]), "+d"(c[part % 2 * 2 + 1])
                         : "d"(a[part]), "d"(b[part / 2]));
    }
#endif

    /* f(i, j, entry) for the entries that this thread has, (i, j) in the square. */
    template <class F> __device__ void entries(const F &f)
    {
        const int lane = (int)threadIdx.x % WARP;
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
#pragma unroll
                for (int h = 0; h < 4; h++) f(i * 16 + lane / 4 + h / 2 * 8, j * 8 + lane % 4 * 2 + h % 2, c[i][j][h]);
    }
};

enum { PRODUCTS = 1 }; /* that a thread holds: its warp's, in registers */

#else

struct tile_product {
    double c[SQUARE][SQUARE];

    void multiply(const double *T, int ld, int rows, int row, int column, int size)
    {
        for (int i = 0; i < SQUARE; i += BLOCK_ROWS)
            for (int j = 0; j < SQUARE; j += BLOCK_COLUMNS)
                if (is_needed(row + i, column + j, size)) add(T + row + i, T + column + j, ld, rows, i, j);
    }

    void add(const double *a, const double *b, int ld, int rows, int i0, int j0)
    {
        for (int k = 0; k < rows; k++)
            for (int i = 0; i < BLOCK_ROWS; i++)
                for (int j = 0; j < BLOCK_COLUMNS; j++) c[i0 + i][j0 + j] += a[k * ld + i] * b[k * ld + j];
    }

    template <class F> void entries(const F &f)
    {
        for (int i = 0; i < SQUARE; i++)
            for (int j = 0; j < SQUARE; j++) f(i, j, c[i][j]);
    }
};

enum { PRODUCTS = MOST_WARPS };

#endif

/* Entry (i, j) of a symmetric matrix of which the lower triangle is there. */
STEEP_DEVICE static inline double symmetric(const double *G, int ld, int i, int j)
{
    return i >= j ? G[(size_t)i * ld + j] : G[(size_t)j * ld + i];
}

STEEP_BOTH static inline int gram_ld(const steep_network *net)
{
    return round_up((int)net->parameters + 1, SQUARE);
}

/* f(warp, row, column) of squares `from` .. by a warp each, while there are such. */
template <class F> STEEP_DEVICE void each_square(const block &team, int from, int squares, const F &f)
{
    team.each_warp([&](int w) {
        const int square = from + w;
        int i = 0;
        while ((i + 1) * (i + 2) / 2 <= square) i++;
        if (square < squares) f(w, i * SQUARE, (square - i * (i + 1) / 2) * SQUARE);
    });
}

/* What a phase makes of [J r] at a point: [J r]'[J r], r, or of the first its diagonal and its last row. */
struct product {
    enum { MATRIX, RESIDUAL, ENDS } what;
    double *out = nullptr;
    const triangle *R = nullptr; /* MATRIX: of J R^-1 in place of J, or NULL */
    const int *place = nullptr;  /* R: which column is its first, .. */
    double *panel = nullptr;     /* R: room, rows of a tile x PANEL */
};

/* p.out (gram_ld x gram_ld, the lower triangle) = [J r]'[J r] at m, r into m.r. With R and more squares than warps
 * every tile is made once, and sums go through memory: a tile's solves take longer than that. */
template <class Unit> STEEP_OUTLINE void gram(const block &team, const model &m, const tile_room &t, const product &p)
{
    const int ld = gram_ld(m.network), size = (int)m.network->parameters + 1, count = m.set.count;
    const int squares = ld / SQUARE * (ld / SQUARE + 1) / 2;
    const bool at_once = !p.R || squares <= team.warps();
    const int points = at_once ? count : t.rows; /* summed in registers */
    team.each(t.rows * t.ld, [&](int i) { t.J[0][i] = t.J[1][i] = 0; });
    if (!at_once) team.each(ld * ld, [&](int i) { p.out[i] = 0; });
    for (int begin = 0; begin < count; begin += points)
        for (int from = 0; from < squares; from += team.warps()) {
            tile_product products[PRODUCTS] = {};
            for (int first = begin, turn = 0; first < begin + points; first += t.rows, turn ^= 1) {
                double *const T = t.J[turn];
                if (at_once || from == 0) make_tile<Unit>(team, m, t, first, T);
                if (p.R && (at_once || from == 0))
                    forward(team, *p.R, t.rows, T, t.ld, p.panel, [&](int i) { return p.place[i]; });
                each_square(team, from, squares, [&](int w, int row, int column) {
                    products[w % PRODUCTS].multiply(T, t.ld, t.rows, row, column, size);
                });
            }
            each_square(team, from, squares, [&](int w, int row, int column) {
                products[w % PRODUCTS].entries([&](int i, int j, double entry) {
                    double *const to = p.out + (size_t)(row + i) * ld + column + j;
                    *to = at_once ? entry : *to + entry;
                });
            });
            team.each(0, [](int) {}); /* a barrier: the tiles are made anew */
        }
}

/* r at m into m.r, without a Jacobian. */
template <class Unit> STEEP_OUTLINE void residual(const block &team, const model &m, const tile_room &t)
{
    for (int first = 0; first < m.set.count; first += t.rows) make_tile<Unit, 0>(team, m, t, first, t.J[0]);
}

/* The diagonal and the last row of what gram makes. */
template <class Unit> STEEP_OUTLINE void ends(const block &team, const model &m, const tile_room &t, double *G)
{
    const int P = (int)m.network->parameters, ld = gram_ld(m.network);
    double *const T = t.J[0];
    team.each(P + 1, [&](int p) { G[p * ld + p] = G[P * ld + p] = 0; });
    for (int first = 0; first < m.set.count; first += t.rows) {
        make_tile<Unit>(team, m, t, first, T);
        team.each(P + 1, [&](int p) {
            double slope = 0, square = 0;
            for (int k = 0; k < t.rows; k++) {
                slope += T[k * t.ld + p] * T[k * t.ld + P];
                square += T[k * t.ld + p] * T[k * t.ld + p];
            }
            if (p < P) G[p * ld + p] += square;
            G[P * ld + p] += slope;
        });
    }
}

template <class Unit>
STEEP_DEVICE void run_phase(const block &team, const model &m, const tile_room &t, const product &p)
{
    if (p.what == product::MATRIX) gram<Unit>(team, m, t, p);
    else if (p.what == product::RESIDUAL) residual<Unit>(team, m, t);
    else ends<Unit>(team, m, t, p.out);
}

/* In another file for a GPU, which the device's linker joins. */
STEEP_CHOICE void row_phase(const block &team, size_t row, const model &m, const tile_room &t, const product &p);

} // namespace steep
