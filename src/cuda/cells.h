/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cells: fit/cells by the threads of a block: residual and Jacobian of a 1D network with relu gates, a few rows a cell
 * in place of its samples. The algorithm heads fit/cells.c. All cells are worked on together: a sample, a lane of a sum
 * or a cell is a thread's. */
#ifndef STEEP_CUDA_CELLS_H
#define STEEP_CUDA_CELLS_H

#include "cuda/points.h"

namespace steep
{

/* Samples, as they lie on the device. */
struct point_set {
    int count, dim;
    const double *x, *y, *weight; /* weight NULL: all 1/count */
    double low, high;             /* the box in one dimension */
};

struct cell_grid {
    const steep_cuda_fit *fit;
    point_set set;
    int nodes;                   /* of a cell; 0: no cells */
    int most, rows;              /* cells at most; rows */
    double *knot, *found;        /* most + 1; width */
    double *x, *y, *J, *map;     /* most x nodes: the nodes, the network there, its Jacobian; most x nodes x nodes */
    double *A, *lanes;           /* samples x (nodes + 1), column-major; of sums */
    double *head, *tau, *factor; /* most; most; most x (nodes + 1) */
    int *first, *cell, *count;   /* most + 1: samples before a cell; of each sample; cells, 1 */
};

/* Rows for a network in this many nodes a cell (steep_cells_rows). */
STEEP_BOTH static inline int cell_rows(const steep_cuda_fit *fit)
{
    const int rows = (int)(fit->network.width + 1) * ((int)fit->nodes + 1), P = (int)fit->network.parameters;
    return rows > P ? rows : P;
}

/* Sums of a cell have at most so many chunks, over all cells. */
STEEP_BOTH static inline int cell_chunks(int samples, int cells)
{
    return samples / CHUNK + cells;
}

STEEP_BOTH static inline void cells_cut(cell_grid *g, const steep_cuda_fit *fit, int samples, arena *far)
{
    const size_t cells = fit->network.width + 1, nodes = fit->nodes, all = cells * nodes;
    g->fit = fit;
    g->nodes = (int)nodes;
    g->most = (int)cells;
    g->rows = cell_rows(fit);
    g->knot = far->take<double>(cells + 1);
    g->found = far->take<double>(cells);
    g->x = far->take<double>(all);
    g->y = far->take<double>(all);
    g->J = far->take<double>(all * fit->network.parameters);
    g->map = far->take<double>(all * nodes);
    g->A = far->take<double>((size_t)samples * (nodes + 1));
    g->lanes = far->take<double>((size_t)cell_chunks(samples, (int)cells) * LANES * (nodes + 1));
    g->head = far->take<double>(cells);
    g->tau = far->take<double>(cells);
    g->factor = far->take<double>(cells * (nodes + 1));
    g->first = far->take<int>(cells + 1);
    g->cell = far->take<int>((size_t)samples);
    g->count = far->take<int>(1);
}

/* --- step 1: knots and nodes --- */

STEEP_DEVICE static inline double gate_knot(const cell_grid &g, const double *theta, int i)
{
    const double *map = theta + g.fit->network.branch[0] + i * g.fit->network.features[0];
    return -map[1] / map[0];
}

STEEP_DEVICE static inline bool is_inside(const cell_grid &g, double root)
{
    return root > g.set.low && root < g.set.high;
}

/* The distinct gates inside the domain, ascending, between its ends; returns how many cells they make. */
STEEP_DEVICE static inline int find_cells(const block &team, const cell_grid &g, const double *theta)
{
    const int width = (int)g.fit->network.width;
    team.each(width, [&](int i) { g.found[i] = gate_knot(g, theta, i); });
    team.each(width, [&](int i) { /* to its place among them; equal ones in order */
                                  const double root = g.found[i];
                                  int before = 0;
                                  if (!is_inside(g, root)) return;
                                  for (int k = 0; k < width; k++)
                                      before += is_inside(g, g.found[k]) &&
                                                (g.found[k] < root || (g.found[k] == root && k < i));
                                  g.x[before] = root; /* nodes come later */
    });
    team.one([&] {
        int inside = 0, distinct = 0;
        for (int i = 0; i < width; i++) inside += is_inside(g, g.found[i]);
        g.knot[0] = g.set.low;
        for (int i = 0; i < inside; i++)
            if (i == 0 || g.x[i] != g.knot[distinct]) g.knot[++distinct] = g.x[i];
        g.knot[distinct + 1] = g.set.high;
        *g.count = distinct + 1;
    });
    return team.read(g.count);
}

STEEP_DEVICE static inline void place_nodes(const block &team, const cell_grid &g, int cells)
{
    team.each(cells * g.nodes, [&](int item) {
        const int i = item / g.nodes, n = item % g.nodes;
        const double middle = (g.knot[i] + g.knot[i + 1]) / 2, half = (g.knot[i + 1] - g.knot[i]) / 2;
        g.x[item] = middle + half * g.fit->node[n];
    });
}

/* --- step 2: the factor of every cell --- */

/* Samples before cell i: those below its left knot. */
STEEP_DEVICE static inline int samples_below(const cell_grid &g, double knot)
{
    int low = 0, high = g.set.count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (g.set.x[middle] < knot) low = middle + 1;
        else high = middle;
    }
    return low;
}

STEEP_DEVICE static inline double sample_root(const point_set &set, int k)
{
    return set.weight ? sqrt(set.weight[k]) : 1 / sqrt((double)set.count);
}

/* [A | sqrt(w) y], column c of sample k at A[c * count + k]. */
STEEP_DEVICE static inline void fill_columns(const block &team, const cell_grid &g, int cells)
{
    const int N = g.set.count, m = g.nodes;
    team.each(cells + 1, [&](int i) { g.first[i] = i == 0 ? 0 : i == cells ? N : samples_below(g, g.knot[i]); });
    team.each(N, [&](int k) {
        int i = 0, end = cells - 1;
        while (i < end) { /* the last cell whose first sample is at most k */
            const int middle = i + (end - i + 1) / 2;
            if (g.first[middle] <= k) i = middle;
            else end = middle - 1;
        }
        const double middle = (g.knot[i] + g.knot[i + 1]) / 2, half = (g.knot[i + 1] - g.knot[i]) / 2;
        const double root = sample_root(g.set, k), z = (g.set.x[k] - middle) / half;
        double before = root, value = root * z;
        g.cell[k] = i;
        g.A[k] = before;
        for (int j = 1; j < m; j++) {
            const double next = 2 * z * value - before;
            g.A[(size_t)j * N + k] = value;
            before = value;
            value = next;
        }
        g.A[(size_t)m * N + k] = root * g.set.y[k];
    });
}

/* Where the lanes of cell i's sums begin. */
STEEP_DEVICE static inline int lanes_of(const cell_grid &g, int i)
{
    return g.first[i] / CHUNK + i;
}

/* Lanes of cell i's sum over `rows` terms, chunk by chunk, to lanes[(chunk * LANES + l) * (m + 1) + c]. */
template <class A, class B>
STEEP_DEVICE void cell_lane(const cell_grid &g, int i, int l, int c, int rows, const A &a, const B &b)
{
    double *to = g.lanes + (size_t)lanes_of(g, i) * LANES * (g.nodes + 1);
    for (int first = 0, chunk = 0; first == 0 || first < rows; first += CHUNK, chunk++)
        to[(chunk * LANES + l) * (g.nodes + 1) + c] = lane_sum(first, least(rows - first, CHUNK), l, a, b);
}

template <class A, class B>
STEEP_DEVICE double cell_sum(const cell_grid &g, int i, int c, int rows, const A &a, const B &b)
{
    const double *from = g.lanes + (size_t)lanes_of(g, i) * LANES * (g.nodes + 1) + c;
    double total = 0;
    for (int first = 0, chunk = 0; first == 0 || first < rows; first += CHUNK, chunk++) {
        double lane[LANES];
        for (int l = 0; l < LANES; l++) lane[l] = from[(chunk * LANES + l) * (g.nodes + 1)];
        const double all = add_lanes(lane, rest_sum(first, least(rows - first, CHUNK), a, b));
        total = first == 0 ? all : total + all;
    }
    return total;
}

/* The reflection of column j of every cell (numerics/qr), applied to the columns behind it. */
STEEP_OUTLINE void reflect_column(const block &team, const cell_grid &g, int cells, int j)
{
    const int N = g.set.count, behind = g.nodes - j;
    double *const A = g.A + (size_t)j * N;
    team.each(cells * LANES, [&](int item) {
        const int i = item / LANES, tail = g.first[i] + j + 1, rows = g.first[i + 1] - tail;
        const auto v = [&](int k) { return A[tail + k]; };
        if (rows > 0) cell_lane(g, i, item % LANES, 0, rows, v, v);
    });
    team.each(cells, [&](int i) {
        const int start = g.first[i] + j, tail = start + 1, rows = g.first[i + 1] - tail;
        const auto v = [&](int k) { return A[tail + k]; };
        double length = 0;
        g.tau[i] = g.head[i] = 0;
        if (rows > 0) {
            const double square = cell_sum(g, i, 0, rows, v, v);
            length = plain_square(square) ? sqrt(square) : careful_norm(rows, v);
        }
        if (!(length > 0)) return;
        const double head = A[start], size = pair_norm(head, length), beta = head > 0 ? -size : size;
        g.tau[i] = (beta - head) / beta;
        g.head[i] = 1 / (head - beta);
        A[start] = beta;
    });
    team.each(N, [&](int k) { /* v, its first entry the 1 that takes no place */
                              const int i = g.cell[k];
                              if (g.tau[i] != 0 && k > g.first[i] + j) A[k] *= g.head[i];
    });
    if (behind == 0) return;
    team.each(cells * LANES * behind, [&](int item) {
        const int i = item / (LANES * behind), l = item / behind % LANES, c = 1 + item % behind;
        const int start = g.first[i] + j, rows = g.first[i + 1] - start;
        if (rows > 0 && g.tau[i] != 0)
            cell_lane(
                g, i, l, c, rows, [&](int k) { return k == 0 ? 1 : A[start + k]; },
                [&](int k) { return A[(size_t)c * N + start + k]; });
    });
    team.each(cells * behind, [&](int item) {
        const int i = item / behind, c = 1 + item % behind, start = g.first[i] + j, rows = g.first[i + 1] - start;
        if (rows > 0 && g.tau[i] != 0)
            g.factor[i * (g.nodes + 1) + c] =
                g.tau[i] * cell_sum(
                               g, i, c, rows, [&](int k) { return k == 0 ? 1 : A[start + k]; },
                               [&](int k) { return A[(size_t)c * N + start + k]; });
    });
    team.each(N, [&](int k) {
        const int i = g.cell[k], start = g.first[i] + j;
        if (g.tau[i] == 0 || k < start) return;
        const double v = k == start ? 1 : A[k];
        for (int c = 1; c <= behind; c++) A[(size_t)c * N + k] -= v * g.factor[i * (g.nodes + 1) + c];
    });
}

/* --- step 3: the rows --- */

/* map = R C of each cell. */
STEEP_DEVICE static inline void set_maps(const block &team, const cell_grid &g, int cells)
{
    const int N = g.set.count, m = g.nodes;
    team.each(cells * m * m, [&](int item) {
        const int i = item / (m * m), j = item / m % m, n = item % m, start = g.first[i];
        double sum = 0;
        for (int l = j; l < m && j < g.first[i + 1] - start; l++)
            sum += g.A[(size_t)l * N + start + j] * g.fit->coefficient[l][n];
        g.map[item] = sum;
    });
}

/* Entry j of cell i; false where it has none. */
STEEP_DEVICE static inline bool cell_row(const cell_grid &g, int cells, int row, int *i, int *j)
{
    *i = row / (g.nodes + 1);
    *j = row % (g.nodes + 1);
    return *i < cells && *j < g.first[*i + 1] - g.first[*i];
}

/* r at theta, rows entries; leaves the nodes and all factors for the rows of the Jacobian there. */
STEEP_OUTLINE void cell_residual(const block &team, const cell_grid &g, const double *theta, double *r)
{
    const int m = g.nodes, N = g.set.count, cells = find_cells(team, g, theta);
    place_nodes(team, g, cells);
    const model here = {&g.fit->network, theta, g.x, cells * m};
    row_values(team, g.fit->row, here, g.y);
    fill_columns(team, g, cells);
    for (int j = 0; j <= m; j++) reflect_column(team, g, cells, j);
    set_maps(team, g, cells);
    team.each(g.rows, [&](int row) {
        int i, j;
        r[row] = 0;
        if (!cell_row(g, cells, row, &i, &j)) return;
        double sum = -g.A[(size_t)m * N + g.first[i] + j];
        for (int n = 0; j < m && n < m; n++) sum += g.map[(i * m + j) * m + n] * g.y[i * m + n];
        r[row] = sum;
    });
}

/* The Jacobian at the nodes; after cell_residual at the same theta. */
STEEP_DEVICE static inline void cell_nodes(const block &team, const cell_grid &g, const double *theta)
{
    const int nodes = team.read(g.count) * g.nodes;
    const model here = {&g.fit->network, theta, g.x, nodes};
    row_jacobian(team, g.fit->row, here, 0, nodes, g.J, nodes, nullptr);
}

/* Rows first .. first + size - 1 of the Jacobian in the first `count` parameters,
 * into J[u * ld + k]. */
STEEP_OUTLINE void cell_tile(const block &team, const cell_grid &g, int first, int size, int count, double *J, int ld)
{
    const int m = g.nodes, cells = team.read(g.count), nodes = cells * m;
    team.each(size * count, [&](int item) {
        const int k = item % size, u = item / size;
        int i, j;
        double sum = 0;
        if (cell_row(g, cells, first + k, &i, &j) && j < m)
            for (int n = 0; n < m; n++) sum += g.map[(i * m + j) * m + n] * g.J[(size_t)u * nodes + i * m + n];
        J[(size_t)u * ld + k] = sum;
    });
}

} // namespace steep

#endif
