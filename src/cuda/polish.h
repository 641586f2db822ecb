/* SPDX-License-Identifier: GPL-3.0-or-later */
/* polish: fit/newton_polish by the threads of a block, rows by cells and their curvature (fit/cells_curvature,
 * model/curvature, numerics/symmetric) with it: Newton's last steps on the parameters of a spline that are not held.
 * The algorithm heads fit/newton_polish.c. */
#ifndef STEEP_CUDA_POLISH_H
#define STEEP_CUDA_POLISH_H

#include "cuda/held.h"

namespace steep
{

enum { CHOLESKY = 16 }; /* columns whose products with the rows behind them are taken together */

struct polish_room {
    cell_grid cells;                      /* those of lm, or its own */
    int rows, n, P, chunks;               /* n: parameters that move; chunks of a column's sums */
    double *theta, *next;                 /* P: where it stands, and a trial */
    double *r, *r_trial, *J, *J_trial;    /* rows; rows x n */
    double *H, *A;                        /* n x n, lower triangles, column-major */
    double *g, *scale, *step, *least;     /* n */
    double *cosines, *squares, *products; /* n; n x chunks x LANES */
    double *v, *second, *weight;          /* of each node; of each unit at each node; of each cell's samples */
    double *part;                         /* of a dot */
};

STEEP_BOTH static inline void polish_cut(polish_room *room, const held_rows &held, int samples, const places &at)
{
    const steep_cuda_fit *const fit = held.fit;
    arena *const far = at.far;
    const size_t nodes = (fit->network.width + 1) * fit->nodes, n = fit->moves, P = fit->network.parameters;
    room->cells = held.rows.cells;
    if (held.rows.cells.nodes == 0) cells_cut(&room->cells, fit, samples, far);
    room->rows = cell_rows(fit);
    room->n = (int)n;
    room->P = (int)P;
    room->chunks = dot_chunks(room->rows);
    double **const vectors[] = {&room->g, &room->scale, &room->step, &room->least, &room->cosines};
    double **const sums[] = {&room->squares, &room->products};
    for (double **vector : vectors) *vector = far->take<double>(n);
    for (double **sum : sums) *sum = far->take<double>(n * (size_t)room->chunks * LANES);
    room->theta = far->take<double>(P);
    room->next = far->take<double>(P);
    room->r = far->take<double>((size_t)room->rows);
    room->r_trial = far->take<double>((size_t)room->rows);
    room->J = far->take<double>((size_t)room->rows * n);
    room->J_trial = far->take<double>((size_t)room->rows * n);
    room->H = far->take<double>(n * n);
    room->A = far->take<double>(n * n);
    room->v = far->take<double>(nodes);
    room->second = far->take<double>(nodes * fit->network.width * (size_t)second_numbers(&fit->network));
    room->weight = far->take<double>(fit->network.width + 1);
    room->part = far->take<double>((size_t)dot_room(room->rows > room->n ? room->rows : room->n));
}

/* --- H = J'J and the rest --- */

/* A parameter of a unit among those of its branches, in order: its branch and feature. */
struct own_parameter {
    int branch, feature;
    size_t index;
};

STEEP_DEVICE static inline own_parameter own_of(const steep_network *net, int i, int a)
{
    own_parameter p = {0, a, 0};
    while (p.feature >= (int)net->features[p.branch]) p.feature -= (int)net->features[p.branch++];
    p.index = net->branch[p.branch] + (size_t)i * net->features[p.branch] + (size_t)p.feature;
    return p;
}

/* How many parameters the branches of a unit have. */
STEEP_DEVICE static inline int own_count(const steep_network *net)
{
    int count = 0;
    for (int b = 0; b < (int)net->counts.branches; b++) count += (int)net->features[b];
    return count;
}

/* Entry (p, q) of H, in either order; a number that nobody asks for where one of them is held. */
STEEP_DEVICE static inline double *entry_of(const polish_room &w, const held_rows &held, size_t p, size_t q)
{
    const int one = held.place[p], other = held.place[q];
    if (one < 0 || other < 0) return nullptr;
    return w.H + (one > other ? one + (size_t)other * (size_t)w.n : other + (size_t)one * (size_t)w.n);
}

/* sum_k scale v_k h_k a_k b_k over the points of a tile in the order of model/curvature.c; h_k at stride; 0 where all
 * h_k are. */
template <class A, class B>
STEEP_DEVICE double weighted_sum(int first, int size, double scale, const double *v, const double *h, int stride,
                                 const A &a, const B &b)
{
    double lane[LANES] = {0, 0, 0, 0, 0, 0, 0, 0}, rest = 0;
    bool any = false;
    const auto term = [&](int k) {
        const double own = h[(size_t)k * (size_t)stride], weighed = scale * v[k] * own;
        any = any || own != 0;
        return weighed * a(k) * b(k);
    };
    int k = first;
    for (; k < first + size / LANES * LANES; k += LANES)
        for (int l = 0; l < LANES; l++) lane[l] += term(k + l);
    for (; k < first + size; k++) rest += term(k);
    return any ? add_lanes(lane, rest) : 0;
}

/* Entry e of those of unit i: of two of its branches' parameters, or of one and its output weight. */
STEEP_DEVICE static inline void add_second(const polish_room &w, const held_rows &held, const model &m, int own, int i,
                                           int e)
{
    const steep_network *const net = m.network;
    const int numbers = second_numbers(net), inputs = (int)net->inputs, pairs = own * (own + 1) / 2;
    int a = e - pairs, b = -1;
    if (e < pairs)
        for (a = 0, b = e; b > a;) b -= ++a;
    const own_parameter p = own_of(net, i, a), q = own_of(net, i, b < 0 ? 0 : b);
    const size_t output = net->output + (size_t)i;
    double *const to = entry_of(w, held, p.index, b < 0 ? output : q.index);
    if (!to) return;
    const double *const h = w.second + (size_t)i * (size_t)m.count * (size_t)numbers +
                            (b < 0 ? p.branch : inputs + p.branch * (p.branch + 1) / 2 + q.branch);
    const double scale = b < 0 ? 1 : m.theta[output];
    for (int first = 0; first < m.count; first += STEEP_TILE) {
        const int size = least(m.count - first, STEEP_TILE);
        *to += weighted_sum(
            first, size, scale, w.v, h, numbers,
            [&](int k) { return feature(m, net->counts.map[p.branch], p.feature, k); },
            [&](int k) { return b < 0 ? 1 : feature(m, net->counts.map[q.branch], q.feature, k); });
    }
}

/* The kink of unit i's gate (fit/cells_curvature.c). */
STEEP_DEVICE static inline void add_kink(const polish_room &w, const held_rows &held, const double *theta, int cells,
                                         int i)
{
    const cell_grid &g = w.cells;
    const steep_network *const net = &g.fit->network;
    const int m = g.nodes, nodes = cells * m;
    const size_t p = net->branch[0] + (size_t)i * net->features[0];
    const double G = theta[p], t = gate_knot(g, theta, i), *const map = &g.fit->coefficient[0][0];
    int c = 0;
    while (c + 1 < cells && g.knot[c + 1] != t) c++;
    if (c + 1 >= cells) return;
    const double *const slope = g.J + (p + 1) * (size_t)nodes + (G > 0 ? c + 1 : c) * m;
    const double density = (w.weight[c] + w.weight[c + 1]) / (g.knot[c + 2] - g.knot[c]);
    const double off = steep_cells_end((size_t)m, map, STEEP_CUDA_NODES, g.y + c * m, 1) -
                       steep_cells_data((size_t)g.set.count, g.set.x, g.set.y, g.knot[c + 1]);
    const double kink =
        density * off * steep_cells_end((size_t)m, map, STEEP_CUDA_NODES, slope, G > 0 ? -1 : 1) / fabs(G);
    double *const both[] = {entry_of(w, held, p, p), entry_of(w, held, p + 1, p), entry_of(w, held, p + 1, p + 1)};
    if (both[0]) *both[0] += t * t * kink;
    if (both[1]) *both[1] += t * kink;
    if (both[2]) *both[2] += kink;
}

/* (R C)' r at the nodes, the weight of the samples in each cell. */
STEEP_OUTLINE void polish_weigh(const block &team, const polish_room &w, int cells)
{
    const cell_grid &g = w.cells;
    const int m = g.nodes;
    team.each(cells * m, [&](int item) {
        const int i = item / m, n = item % m;
        double sum = 0;
        for (int j = 0; j < m; j++) sum += g.map[(i * m + j) * m + n] * w.r[i * (m + 1) + j];
        w.v[item] = sum;
    });
    team.each(cells, [&](int i) {
        double sum = 0;
        for (int k = g.first[i]; k < g.first[i + 1]; k++)
            sum += g.set.weight ? g.set.weight[k] : 1 / (double)g.set.count;
        w.weight[i] = sum;
    });
}

/* H = what it has beside J'J, from the second derivatives. */
STEEP_OUTLINE void polish_curvature(const block &team, const polish_room &w, const held_rows &held, const model &m,
                                    int cells)
{
    const int width = (int)m.network->width, own = own_count(m.network), entries = own * (own + 1) / 2 + own;
    team.each(w.n * w.n, [&](int item) { w.H[item] = 0; });
    team.each(width * entries, [&](int item) { add_second(w, held, m, own, item / entries, item % entries); });
    team.each(width, [&](int i) { add_kink(w, held, m.theta, cells, i); });
}

/* H += J'J; g = J'r, scale = |J_p|^2 */
STEEP_OUTLINE void polish_products(const block &team, const polish_room &w)
{
    const int n = w.n, rows = w.rows;
    team.each(n * n, [&](int item) {
        const int u = item % n, v = item / n;
        const double *const a = w.J + (size_t)u * (size_t)rows, *const b = w.J + (size_t)v * (size_t)rows;
        if (u < v) return;
        const double sum = dot_alone(
            rows, [&](int k) { return a[k]; }, [&](int k) { return b[k]; });
        w.H[item] += sum;
        if (u == v) w.scale[u] = sum;
    });
    team.each(n, [&](int u) {
        const double *const a = w.J + (size_t)u * (size_t)rows;
        w.g[u] = dot_alone(
            rows, [&](int k) { return a[k]; }, [&](int k) { return w.r[k]; });
    });
}

/* H and g at theta, after the evaluation there. */
STEEP_DEVICE static inline void polish_assemble(const block &team, const polish_room &w, const held_rows &held)
{
    const cell_grid &g = w.cells;
    const int cells = team.read(g.count);
    const model here = {&g.fit->network, w.theta, g.x, cells * g.nodes};
    polish_weigh(team, w, cells);
    row_second(team, g.fit->row, here, w.second);
    polish_curvature(team, w, held, here, cells);
    polish_products(team, w);
}

/* --- Cholesky --- */

/* A = L L' over the lower triangle of A(n x n); least: what pivots must be above. False where one is not. Each entry
 * takes its terms in turn, as in numerics/symmetric. */
STEEP_OUTLINE bool cholesky(const block &team, int n, double *A, const double *least)
{
    for (int j = 0; j < n; j += CHOLESKY) {
        const int columns = n - j < CHOLESKY ? n - j : CHOLESKY, next = j + columns, rest = n - next;
        for (int k = j; k < next; k++) {
            team.each(n - k, [&](int item) {
                const int i = k + item;
                double left = A[i + (size_t)k * (size_t)n];
                for (int c = j; c < k; c++) left -= A[i + (size_t)c * (size_t)n] * A[k + (size_t)c * (size_t)n];
                A[i + (size_t)k * (size_t)n] = left;
            });
            const double pivot = team.read(A + k + (size_t)k * (size_t)n);
            if (!(pivot > least[k] && pivot <= DBL_MAX)) return false;
            const double root = sqrt(pivot);
            team.each(n - k, [&](int item) {
                double *const entry = A + k + item + (size_t)k * (size_t)n;
                *entry = item == 0 ? root : *entry / root;
            });
        }
        team.each(rest * rest, [&](int item) {
            const int i = next + item % rest, k = next + item / rest;
            if (i < k) return;
            double left = A[i + (size_t)k * (size_t)n];
            for (int c = j; c < next; c++) left -= A[i + (size_t)c * (size_t)n] * A[k + (size_t)c * (size_t)n];
            A[i + (size_t)k * (size_t)n] = left;
        });
    }
    return true;
}

/* x = (L L')^-1 x */
STEEP_OUTLINE void cholesky_solve(const block &team, int n, const double *L, double *x, double *part)
{
    for (int j = 0; j < n; j++) {
        const double *const column = L + j + (size_t)j * (size_t)n;
        const double known = team.read(x + j) / column[0];
        team.each(n - j, [&](int i) { x[j + i] = i == 0 ? known : x[j + i] + -known * column[i]; });
    }
    for (int j = n; j-- > 0;) {
        const double *const column = L + j + (size_t)j * (size_t)n;
        const double sum = dot(
            team, n - j - 1, [&](int i) { return column[1 + i]; }, [&](int i) { return x[j + 1 + i]; }, part);
        team.one([&] { x[j] = (x[j] - sum) / column[0]; });
    }
}

/* --- the steps --- */

struct polish {
    polish_room room;
    const held_rows *held;
    solve_end *end;
    double norm, cosine, damping;

    /* The gradient cosine, step 1's measure. */
    STEEP_ONCE double measure(const block &team, const double *r, const double *J, double *r_norm) const
    {
        const polish_room &w = room;
        const int rows = w.rows, chunks = w.chunks;
        const double size = steep::norm(
            team, rows, [&](int k) { return r[k]; }, w.part);
        team.each(w.n * chunks * LANES, [&](int item) {
            const int u = item / (chunks * LANES), first = item / LANES % chunks * CHUNK, l = item % LANES;
            const double *const a = J + (size_t)u * (size_t)rows;
            const int terms = least(rows - first, CHUNK);
            const auto column = [&](int k) { return a[k]; };
            w.squares[item] = lane_sum(first, terms, l, column, column);
            w.products[item] = lane_sum(first, terms, l, column, [&](int k) { return r[k]; });
        });
        team.each(w.n, [&](int u) {
            const double *const a = J + (size_t)u * (size_t)rows;
            const auto column = [&](int k) { return a[k]; };
            double square = 0, product = 0;
            for (int c = 0; c < chunks; c++) {
                const int at = (u * chunks + c) * LANES, first = c * CHUNK, terms = least(rows - first, CHUNK);
                const double one = add_lanes(w.squares + at, rest_sum(first, terms, column, column)),
                             other = add_lanes(w.products + at,
                                               rest_sum(first, terms, column, [&](int k) { return r[k]; }));
                square = c == 0 ? one : square + one;
                product = c == 0 ? other : product + other;
            }
            const double length = plain_square(square) ? sqrt(square) : careful_norm(rows, column),
                         both = length * size;
            w.cosines[u] = both > 0 ? fabs(product) / both : 0;
        });
        team.one([&] {
            double worst = 0;
            for (int u = 0; u < w.n; u++)
                if (!(w.cosines[u] <= worst)) worst = w.cosines[u];
            w.part[0] = worst;
        });
        *r_norm = size;
        return team.read(w.part);
    }

    STEEP_DEVICE void evaluate(const block &team, const double *theta, double *r, double *J) const
    {
        const cell_grid &g = room.cells;
        cell_residual(team, g, theta, r);
        cell_nodes(team, g, theta);
        cell_tile(team, g, 0, room.rows, room.n, held->moving, J, room.rows);
        end->last_evaluations++;
    }

    /* Step 2; false where the damped matrix is not positive definite. */
    STEEP_ONCE bool propose(const block &team) const
    {
        const polish_room &w = room;
        const int n = w.n;
        const double share = (double)n * DBL_EPSILON;
        team.each(n * n, [&](int item) {
            const int u = item % n, v = item / n;
            if (u < v) return;
            w.A[item] = u == v ? steep_polish_damped(w.H[item], damping, w.scale[u]) : w.H[item];
            if (u > v) return;
            w.least[u] = fmax(share * w.A[item], 0.0);
            w.step[u] = w.g[u];
        });
        if (!cholesky(team, n, w.A, w.least)) return false;
        cholesky_solve(team, n, w.A, w.step, w.part);
        team.each(w.P, [&](int p) {
            const int u = held->place[p];
            w.next[p] = u < 0 ? w.theta[p] : w.theta[p] - w.step[u];
        });
        return true;
    }

    STEEP_DEVICE void accept(const block &team, double size, double worst)
    {
        polish_room &w = room;
        double *const r = w.r, *const J = w.J;
        w.r = w.r_trial;
        w.r_trial = r;
        w.J = w.J_trial;
        w.J_trial = J;
        norm = size;
        cosine = worst;
        damping = steep_polish_less(damping);
        team.each(w.P, [&](int p) { w.theta[p] = w.next[p]; });
    }

    /* One step; false when none is taken. */
    STEEP_DEVICE bool improve(const block &team)
    {
        polish_assemble(team, room, *held);
        for (int i = 0; i < STEEP_POLISH_TRIALS; i++) {
            double size = INFINITY, worst = INFINITY;
            if (propose(team)) {
                evaluate(team, room.next, room.r_trial, room.J_trial);
                worst = measure(team, room.r_trial, room.J_trial, &size);
            }
            if (steep_polish_takes(size, worst, norm, cosine)) {
                accept(team, size, worst);
                return true;
            }
            damping = steep_polish_more(damping);
        }
        return false;
    }

    /* From held->all, to room.theta. */
    STEEP_DEVICE void run(const block &team, double tolerance, int most)
    {
        end->reason = NEWTON_ENDED;
        damping = 0;
        team.each(room.P, [&](int p) { room.theta[p] = held->all[p]; });
        evaluate(team, room.theta, room.r, room.J);
        cosine = measure(team, room.r, room.J, &norm);
        end->status = STEEP_CONVERGED;
        while (!(cosine <= tolerance)) {
            if (asked_to_stop(team, held->rows.stop, room.part)) {
                end->status = STEEP_STOPPED;
                end->reason = MONITOR_STOPPED;
                break;
            }
            end->status = STEEP_MAX_ITERATIONS;
            if (end->last_iterations >= most) break;
            end->status = STEEP_STALLED;
            if (!improve(team)) break;
            end->last_iterations++;
            end->status = STEEP_CONVERGED;
        }
        end->norm = norm;
        end->cosine = cosine;
    }
};

} // namespace steep

#endif
