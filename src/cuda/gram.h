/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gram: [J r]'[J r] in one pass over the samples: J'J, J'r, and |r|^2 in its corner. A tile of rows is computed and
 * multiplied in shared memory; nothing of J goes to device memory. A warp keeps the sums of one square of 32 x 32
 * entries in registers (two squares would spill while the warp evaluates units). With more squares than warps there are
 * more passes over the samples. Two tiles alternate: some warps still multiply one while others compute the next.
 *
 * A product is DMMA on a GPU (m16n8k8 from compute capability 9.0 on, m8n8k4 before), loops in the host build. Blocks
 * of 16 x 8 entries above the diagonal or behind the last column are left out. */
#pragma once

#include "cuda/factor.h"
#include "cuda/points.h"

namespace steep
{

enum { SQUARE = 32, MOST_WARPS = 11, BLOCK_ROWS = 16, BLOCK_COLUMNS = 8 };

/* Whether the block of 16 x 8 entries at (row, column) of a size x size matrix meets the diagonal or lies below it. */
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

    /* Calls f(i, j, entry) for each entry that this thread holds; (i, j) is its place in the square. */
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

enum { PRODUCTS = 1 }; /* tile products that a thread holds: that of its warp, in registers */

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

/* Entry (i, j) of a symmetric matrix whose lower triangle is stored. */
STEEP_DEVICE static inline double symmetric(const double *G, int ld, int i, int j)
{
    return i >= j ? G[(size_t)i * ld + j] : G[(size_t)j * ld + i];
}

STEEP_BOTH static inline int gram_ld(const steep_network *net)
{
    return round_up((int)net->parameters + 1, SQUARE);
}

/* Calls f(warp, row, column) for squares `from`, `from` + 1, .., one for each warp, while there are squares. */
template <class F> STEEP_DEVICE void each_square(const block &team, int from, int squares, const F &f)
{
    team.each_warp([&](int w) {
        const int square = from + w;
        int i = 0;
        while ((i + 1) * (i + 2) / 2 <= square) i++;
        if (square < squares) f(w, i * SQUARE, (square - i * (i + 1) / 2) * SQUARE);
    });
}

/* What a phase computes at a point: [J r]'[J r], or r, or only the diagonal and the last row of [J r]'[J r]. */
struct product {
    enum { MATRIX, RESIDUAL, ENDS } what;
    double *out = nullptr;
    const triangle *R = nullptr; /* MATRIX: J R^-1 in place of J; NULL: J */
    const int *place = nullptr;  /* with R: the column of J for each column of R */
    double *panel = nullptr;     /* with R: scratch, rows of a tile x PANEL */
};

/* p.out (gram_ld x gram_ld, the lower triangle) = [J r]'[J r] at m; writes r to m.r. With R and more squares than warps
 * each tile is computed once, and sums go through memory: the solves for a tile take longer than that. */
template <class Unit> STEEP_OUTLINE void gram(const block &team, const model &m, const tile_room &t, const product &p)
{
    const int ld = gram_ld(m.network), size = (int)m.network->parameters + 1, count = m.set.count;
    const int squares = ld / SQUARE * (ld / SQUARE + 1) / 2;
    const bool at_once = !p.R || squares <= team.warps();
    const int points = at_once ? count : t.rows; /* points whose products are summed in registers */
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
            team.each(0, [](int) {}); /* a barrier before the tiles are overwritten */
        }
}

/* Writes r at m to m.r, without a Jacobian. */
template <class Unit> STEEP_OUTLINE void residual(const block &team, const model &m, const tile_room &t)
{
    for (int first = 0; first < m.set.count; first += t.rows) make_tile<Unit, 0>(team, m, t, first, t.J[0]);
}

/* Writes the diagonal and the last row of gram's matrix to G. */
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

/* For a GPU this is in another file; the device's linker joins the files. */
STEEP_CHOICE void row_phase(const block &team, size_t row, const model &m, const tile_room &t, const product &p);

} // namespace steep
