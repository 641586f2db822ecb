/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linear: the solvers that treat a network as linear in some of its parameters: the dense road of fit/frozen, and
 * fit/varpro, by the threads of a block. Of many rows the triangle is made first (cuda/triangle.h), from tiles that are
 * made anew for each pass: lengths of columns, then the folding. */
#ifndef STEEP_CUDA_LINEAR_H
#define STEEP_CUDA_LINEAR_H

#include "cuda/lengths.h"
#include "cuda/rows.h"
#include "cuda/span.h"
#include "numerics/fold.h"

namespace steep
{

/* Is parameter p a coefficient of a branch that is solved for? */
STEEP_DEVICE static inline bool is_linear_branch(const steep_cuda_fit *fit, size_t p)
{
    const steep_network *net = &fit->network;
    for (int b = 0; b < (int)net->counts.branches; b++)
        if (fit->linear >> b & 1 && p >= net->branch[b] && p < net->branch[b] + net->width * net->features[b])
            return true;
    return false;
}

STEEP_DEVICE static inline bool is_output(const steep_network *net, size_t p)
{
    return p >= net->output && p < net->bias;
}

/* --- frozen --- */

struct frozen_rooms {
    int most;                     /* rows of J: all, or of many those of a tile */
    double *J, *solution, *scale; /* most x P; P; P */
    int *column, *count;          /* which parameter each unknown is: P; 1 */
    span fit;
    folder fold; /* many samples: */
    tile_sums sums;
    double *slot; /* 1 */
};

/* Where the library folds a triangle first: it asks for twice the unknowns too, which so many samples always are. */
STEEP_BOTH static inline bool frozen_folds(int samples)
{
    return samples >= STEEP_FROZEN_MANY;
}

STEEP_BOTH static inline void frozen_cut(frozen_rooms *all, const steep_cuda_fit *fit, int samples, const places &at)
{
    arena *const far = at.far;
    const size_t P = fit->network.parameters;
    const bool folds = frozen_folds(samples);
    all->most = folds ? at.rows : samples;
    all->J = far->take<double>((size_t)all->most * P);
    all->solution = far->take<double>(P);
    all->scale = far->take<double>(P);
    all->column = far->take<int>(P);
    all->count = far->take<int>(1);
    span_cut(&all->fit, folds ? (int)P : samples, (int)P, (int)P, far);
    if (!folds) return;
    folder_cut(&all->fold, (int)P, false, at, at.own);
    tile_sums_cut(&all->sums, (int)P, far);
    all->slot = far->take<double>(1);
}

/* Row k's weight, as its square root in units of that of equal weights. */
STEEP_DEVICE static inline double row_scale(const point_set &set, int k)
{
    return set.weight ? sqrt(set.weight[k] * (double)set.count) : 1;
}

/* active[p] = whether p may be an unknown: the bias, the linear branches, and the output weights, or with linear branches
 * those of them whose columns are not 0 (steep_frozen_form_mark), which rows of J say. */
STEEP_DEVICE static inline void mark_certain(const block &team, const task &t)
{
    const steep_network *net = &t.fit.network;
    team.each((int)net->parameters, [&](int p) {
        t.active[p] = p == (int)net->bias || is_linear_branch(&t.fit, (size_t)p) ||
                      (is_output(net, (size_t)p) && t.fit.linear == 0);
    });
}

STEEP_DEVICE static inline void mark_rows(const block &team, const task &t, const double *J, int ld, int size)
{
    const steep_network *net = &t.fit.network;
    team.each((int)net->width, [&](int i) {
        const size_t p = net->output + (size_t)i;
        bool marked = t.active[p];
        for (int k = 0; !marked && k < size; k++) marked = !(J[k + p * (size_t)ld] == 0);
        t.active[p] = marked;
    });
}

/* Their places; returns how many. */
STEEP_DEVICE static inline int list_unknowns(const block &team, const task &t, const frozen_rooms &all)
{
    const int P = (int)t.fit.network.parameters;
    team.one([&] {
        int count = 0;
        for (int p = 0; p < P; p++)
            if (t.active[p]) all.column[count++] = p;
        *all.count = count;
    });
    return team.read(all.count);
}

/* The marked columns, rows scaled by sqrt(N w), of unit length; and the right side. */
STEEP_DEVICE static inline void fill_span(const block &team, const task &t, const frozen_rooms &all)
{
    const int N = t.set.count;
    double *const A = all.fit.A;
    team.each(N * all.fit.n, [&](int item) {
        const int k = item % N, c = item / N;
        A[item] = all.J[k + (size_t)all.column[c] * N] * row_scale(t.set, k);
    });
    team.each(all.fit.n, [&](int c) {
        const double length = norm_alone(N, [&](int k) { return A[k + (size_t)c * N]; });
        all.scale[c] = length > 0 ? 1 / length : 1;
    });
    team.each(N * all.fit.n, [&](int item) { A[item] *= all.scale[item / N]; });
    team.each(N, [&](int k) { all.fit.b[k] = t.set.y[k] * row_scale(t.set, k); });
}

/* Rows first .. first + size - 1 of J, weighted, at [k + p * most]. */
STEEP_DEVICE static inline void frozen_tile(const block &team, const task &t, const model &here,
                                            const frozen_rooms &all, int first, int size)
{
    row_jacobian(team, t.fit.row, here, first, size, all.J, all.most, nullptr);
    if (!t.set.weight) return;
    team.each(size * (int)t.fit.network.parameters, [&](int item) {
        all.J[(size_t)(item / size) * (size_t)all.most + item % size] *= row_scale(t.set, first + item % size);
    });
}

/* Adds 0 times all entries of a tile to `sum`, a number a column, and of the right side: 0 while all are finite. */
template <class Entry>
STEEP_DEVICE void add_zeros(const block &team, int columns, int size, const Entry &entry, double *sum)
{
    team.each(columns, [&](int c) {
        double zero = sum[c];
        for (int k = 0; k < size; k++) zero += entry(k, c) * 0;
        sum[c] = zero;
    });
}

/* The triangle of all rows in place of the rows: span and right side; false where they are not finite. */
STEEP_DEVICE static inline bool fold_span(const block &team, const task &t, const model &here, frozen_rooms *all)
{
    const int N = t.set.count, P = (int)t.fit.network.parameters, n = all->fit.n;
    double *const lengths = all->solution, *const zeros = all->sums.square;
    const auto tile = [&](int first, int size, int *ld) {
        *ld = all->most;
        frozen_tile(team, t, here, *all, first, size);
        return (const double *)all->J;
    };
    tile_lengths(team, all->sums, N, P, all->most, tile, lengths, all->slot);
    team.each(n, [&](int c) {
        const double length = lengths[all->column[c]];
        all->scale[c] = length > 0 ? 1 / length : 1;
    });
    team.each(n + 1, [&](int c) { zeros[c] = 0; });
    folder_shrink(&all->fold, n);
    fold_begin(team, all->fold);
    for (int first = 0; first < N; first += all->most) {
        const int size = least(N - first, all->most);
        const auto entry = [&](int k, int c) {
            return c < n ? all->J[(k - first) + (size_t)all->column[c] * (size_t)all->most] * all->scale[c]
                         : t.set.y[k] * row_scale(t.set, k);
        };
        frozen_tile(team, t, here, *all, first, size);
        add_zeros(
            team, n + 1, size, [&](int k, int c) { return entry(first + k, c); }, zeros);
        fold_rows(team, all->fold, first, size, entry);
    }
    all->fit.m = n;
    fold_triangle(team, all->fold, n, all->fit.A);
    team.each(n, [&](int i) { all->fit.b[i] = all->fold.R[(size_t)i * all->fold.ld + n]; });
    return finite(
        team, n + 1, [&](int c) { return zeros[c]; }, all->slot);
}

/* The solution into theta (steep_frozen_form_put). */
STEEP_DEVICE static inline void put_solution(const block &team, const task &t, const frozen_rooms &all, double *theta)
{
    const steep_network *net = &t.fit.network;
    team.each(all.fit.n, [&](int c) { theta[all.column[c]] = all.solution[c] * all.scale[c]; });
    if (t.fit.linear == 0) return;
    team.each((int)net->width, [&](int i) {
        double *const output = theta + net->output + i;
        if (!t.active[net->output + i]) return;
        if (*output == 0) *output = STEEP_FROZEN_OUTPUT;
        for (int b = 1; b < (int)net->counts.branches; b++)
            for (int f = 0; t.fit.linear >> b & 1 && f < (int)net->features[b]; f++)
                theta[net->branch[b] + i * net->features[b] + f] /= *output;
    });
}

/* Marks the unknowns; of few samples J is there then. */
STEEP_DEVICE static inline int find_unknowns(const block &team, const task &t, const model &here,
                                             const frozen_rooms &all)
{
    const int N = t.set.count, rows = all.most;
    mark_certain(team, t);
    for (int first = 0; first < N && (t.fit.linear != 0 || rows == N); first += rows) {
        const int size = least(N - first, rows);
        row_jacobian(team, t.fit.row, here, first, size, all.J, rows, nullptr);
        mark_rows(team, t, all.J, rows, size);
    }
    return list_unknowns(team, t, all);
}

/* From theta, where the form is set already. */
STEEP_DEVICE static inline void solve_frozen(const block &team, const task &t, const places &at, double *theta,
                                             solve_end *end)
{
    frozen_rooms all;
    const int N = t.set.count;
    const bool folds = frozen_folds(N);
    frozen_cut(&all, &t.fit, N, at);
    const model here = {&t.fit.network, theta, t.set.x, N};
    all.fit.n = find_unknowns(team, t, here, all);
    end->iterations = 1;
    end->unknowns = all.fit.n;
    end->status = STEEP_BAD_INPUT;
    end->reason = TOO_FEW_SAMPLES;
    if (t.fit.refuses_few && N < all.fit.n) return;
    end->status = STEEP_NOT_FINITE;
    end->reason = SYSTEM_NOT_FINITE;
    if (!folds) fill_span(team, t, all);
    else if (!fold_span(team, t, here, &all)) return;
    if (!span_factor(team, &all.fit, folds ? STEEP_FOLD_ROUNDING : STEEP_FROZEN_RANK)) return;
    span_solve(team, all.fit, all.solution);
    put_solution(team, t, all, theta);
    end->status = STEEP_OK;
    end->reason = SYSTEM_SOLVED;
}

/* --- varpro --- */

struct varpro_rows {
    int m, n, invariances, lines;
    const steep_cuda_fit *fit;
    network_rows rows;
    double *theta, *J, *moved, *right, *scale, *c, *length, *direction; /* J, of few rows: rows.m x P */
    int *linear, *moving;
    span phi;
    const volatile int *stop;
    bool folds; /* many rows: the solver is given few (fit/varpro.c) */
    folder fold;
    tile_sums sums;
    double *origin, *other, *sizes, *zeros,
        *part; /* theta at c = 0, P; tiles there, rows of a tile x P; P; lines + 1; a dot's */

    STEEP_BOTH void cut(const steep_cuda_fit *of, int samples, const places &at)
    {
        const size_t P = of->network.parameters;
        arena *const far = at.far;
        fit = of;
        rows.cut(of, samples, at);
        lines = (int)of->lines;
        n = (int)of->moves;
        folds = rows.cells.nodes == 0 && samples >= STEEP_VARPRO_MANY; /* twice the unknowns are fewer */
        m = folds ? lines + n + 1 : rows.m;
        invariances = rows.invariances;
        theta = far->take<double>(P);
        J = far->take<double>(folds ? 0 : (size_t)m * P);
        moved = far->take<double>((size_t)m * (size_t)n);
        right = far->take<double>((size_t)rows.m);
        scale = far->take<double>((size_t)lines);
        c = far->take<double>((size_t)lines);
        length = far->take<double>((size_t)n);
        direction = far->take<double>(P * (size_t)invariances);
        linear = far->take<int>(P);
        moving = far->take<int>(P);
        span_cut(&phi, folds ? lines : m, lines, lines > n ? lines : n, far);
        if (folds) cut_folds((int)P, at);
    }

    STEEP_BOTH void cut_folds(int P, const places &at)
    {
        arena *const far = at.far;
        folder_cut(&fold, m, false, at, nullptr);
        tile_sums_cut(&sums, P, far);
        origin = far->take<double>((size_t)P);
        other = far->take<double>((size_t)at.rows * (size_t)P);
        sizes = far->take<double>((size_t)P);
        zeros = far->take<double>((size_t)lines + 1);
        part = far->take<double>((size_t)dot_room(rows.m));
    }

    /* The solver's triangle and the ones here are never worked on at once. */
    STEEP_BOTH void borrow(const folder &from)
    {
        folder_borrow(&fold, from);
    }

    /* Splits the parameters; x: those that move, at the start. */
    STEEP_DEVICE void begin(const block &team, const task &t, double *x)
    {
        const int P = (int)fit->network.parameters;
        team.each(P, [&](int p) { theta[p] = t.theta[p]; });
        rows.begin(team, t.set, theta);
        rows.stop = nullptr;
        phi.rank = 0;
        team.one([&] {
            int solved = 0, moves = 0;
            for (int p = 0; p < P; p++) {
                const bool output = is_output(&fit->network, (size_t)p);
                if (p == (int)fit->network.bias || (output && fit->linear == 0) || is_linear_branch(fit, (size_t)p))
                    linear[solved++] = p;
                else if (!(output && fit->held)) moving[moves++] = p;
            }
        });
        team.each(n, [&](int a) { x[a] = theta[moving[a]]; });
    }

    /* All of J at theta, m x P. */
    STEEP_DEVICE void jacobian(const block &team) const
    {
        const int P = (int)fit->network.parameters;
        rows.linearize(team, theta, right);
        for (int first = 0; first < m; first += rows.most) {
            int size = least(m - first, rows.most), ld;
            const double *const tile = rows.tile(team, theta, first, size, &ld);
            team.each(size * P, [&](int item) {
                const int k = item % size, p = item / size;
                J[(size_t)p * m + first + k] = tile[(size_t)p * ld + k];
            });
        }
    }

    /* Steps 1 and 2 of fit/varpro.c at theta: c into theta; phi holds its factors. False where it is not finite. */
    STEEP_DEVICE bool project(const block &team)
    {
        team.each(lines, [&](int l) { theta[linear[l]] = 0; });
        rows.residual(team, theta, right);
        if (folds) return project_many(team);
        jacobian(team);
        team.each(lines, [&](int l) {
            const double *const column = J + (size_t)linear[l] * m;
            const double size = norm_alone(m, [&](int k) { return column[k]; });
            scale[l] = size > 0 ? 1 / size : 1;
        });
        team.each(lines * m,
                  [&](int item) { phi.A[item] = J[(size_t)linear[item / m] * m + item % m] * scale[item / m]; });
        team.each(m, [&](int k) { phi.b[k] = right[k] * -1; });
        if (!span_factor(team, &phi, STEEP_VARPRO_RANK)) return false;
        span_solve(team, phi, c);
        team.each(lines, [&](int l) { theta[linear[l]] = c[l] * scale[l]; });
        return true;
    }

    /* Lengths of all columns of J at a point. */
    STEEP_DEVICE void lengths_at(const block &team, const double *point)
    {
        tile_lengths(
            team, sums, rows.m, (int)fit->network.parameters, rows.most,
            [&](int first, int size, int *ld) { return rows.tile(team, point, first, size, ld); }, sizes, rows.slot);
    }

    /* The same of many rows, by the triangle of [Phi y - y_0]; right has y_0 - y. */
    STEEP_ONCE bool project_many(const block &team)
    {
        const int L = lines;
        phi.rank = 0;
        team.each((int)fit->network.parameters, [&](int p) { origin[p] = theta[p]; });
        lengths_at(team, origin);
        team.each(L, [&](int l) {
            const double size = sizes[linear[l]];
            scale[l] = size > 0 ? 1 / size : 1;
        });
        team.each(L + 1, [&](int l) { zeros[l] = 0; });
        folder_shrink(&fold, L);
        fold_begin(team, fold);
        for (int first = 0; first < rows.m; first += rows.most) {
            int size = least(rows.m - first, rows.most), ld;
            const double *const A = rows.tile(team, origin, first, size, &ld);
            const auto entry = [&](int k, int l) {
                return l < L ? A[(k - first) + (size_t)linear[l] * ld] * scale[l] : right[k] * -1;
            };
            add_zeros(
                team, L + 1, size, [&](int k, int l) { return entry(first + k, l); }, zeros);
            fold_rows(team, fold, first, size, entry);
        }
        if (!finite(
                team, L + 1, [&](int l) { return zeros[l]; }, rows.slot))
            return false;
        fold_triangle(team, fold, L, phi.A);
        if (!span_factor(team, &phi, STEEP_FOLD_ROUNDING)) return false;
        team.each(L, [&](int i) { phi.b[i] = fold.R[(size_t)i * fold.ld + L]; });
        span_solve(team, phi, c);
        team.each(L, [&](int l) { theta[linear[l]] = c[l] * scale[l]; });
        return true;
    }

    STEEP_DEVICE void residual(const block &team, const double *x, double *r)
    {
        team.each(n, [&](int a) { theta[moving[a]] = x[a]; });
        if (!project(team)) {
            team.each(m, [&](int k) { r[k] = NAN; });
            return;
        }
        if (!folds) {
            rows.residual(team, theta, r);
            return;
        }
        rows.residual(team, theta, right);
        const double size = norm(
            team, rows.m, [&](int k) { return right[k]; }, part);
        team.each(m, [&](int k) { r[k] = k == m - 1 ? size : 0; });
    }

    /* R = the triangle of [Phi J_alpha r]: Phi at c = 0, the others at theta. */
    STEEP_ONCE void fold_whole(const block &team)
    {
        const int L = lines;
        folder_shrink(&fold, m);
        fold_begin(team, fold);
        for (int first = 0; first < rows.m; first += rows.most) {
            int size = least(rows.m - first, rows.most), ld;
            const double *const A = rows.tile(team, origin, first, size, &ld);
            team.each(size * L, [&](int item) {
                const int k = item % size, l = item / size;
                other[(size_t)l * (size_t)rows.most + k] = A[k + (size_t)linear[l] * ld] * scale[l];
            });
            const double *const B = rows.tile(team, theta, first, size, &ld);
            fold_rows(team, fold, first, size, [&](int k, int i) {
                if (i < L) return other[(size_t)i * (size_t)rows.most + k - first];
                if (i < L + n) return B[(k - first) + (size_t)moving[i - L] * ld];
                return i == L + n ? right[k] : 0;
            });
        }
    }

    /* Entry i of column a of what is left of the triangle, a = n for r. */
    STEEP_DEVICE double left_of(int i, int a, bool full) const
    {
        return i <= lines + a && !(full && i < lines) ? fold.R[(size_t)i * fold.ld + lines + a] : 0;
    }

    STEEP_ONCE bool linearize_many(const block &team, double *r)
    {
        const double nothing = fit->kinks ? STEEP_VARPRO_NOTHING : 0;
        lengths_at(team, theta);
        fold_whole(team);
        const bool full = phi.rank == lines;
        if (!full) {
            fold_triangle(team, fold, lines, phi.A);
            span_factor(team, &phi, STEEP_FOLD_ROUNDING);
        }
        team.each(m * (n + 1), [&](int item) {
            const int i = item % m, a = item / m;
            (a < n ? moved + (size_t)a * m : r)[i] = left_of(i, a, full);
        });
        if (!full) {
            span_remove(team, phi, n, moved, m);
            span_remove(team, phi, 1, r, m);
        }
        drop_nothing(team, nothing, [&](int a) { return sizes[moving[a]]; });
        return true;
    }

    /* 0 for columns of which next to nothing is left of their length. */
    template <class Length>
    STEEP_DEVICE void drop_nothing(const block &team, double nothing, const Length &before) const
    {
        team.each(n, [&](int a) {
            double *const column = moved + (size_t)a * m;
            if (norm_alone(m, [&](int k) { return column[k]; }) > nothing * before(a)) return;
            for (int k = 0; k < m; k++) column[k] = 0;
        });
    }

    STEEP_DEVICE bool linearize(const block &team, const double *, double *r)
    {
        const double nothing = fit->kinks ? STEEP_VARPRO_NOTHING : 0;
        if (folds) return linearize_many(team, r);
        jacobian(team);
        team.each(n * m, [&](int item) { moved[item] = J[(size_t)moving[item / m] * m + item % m]; });
        team.each(n, [&](int a) { length[a] = norm_alone(m, [&](int k) { return moved[k + (size_t)a * m]; }); });
        span_remove(team, phi, n, moved, m);
        drop_nothing(team, nothing, [&](int a) { return length[a]; });
        return true;
    }

    STEEP_DEVICE const double *tile(const block &, const double *, int first, int, int *ld) const
    {
        *ld = m;
        return moved + first;
    }

    STEEP_DEVICE void invariant(const block &team, const double *x, double *v) const
    {
        const size_t P = fit->network.parameters;
        team.each(n, [&](int a) { theta[moving[a]] = x[a]; });
        write_directions(team, fit, theta, direction);
        team.each(n * invariances,
                  [&](int item) { v[item] = direction[(size_t)(item / n) * P + (size_t)moving[item % n]]; });
    }

    STEEP_DEVICE bool proceed(const block &team, const double *, double, enum reason *why) const
    {
        if (asked_to_stop(team, stop, rows.slot)) *why = MONITOR_STOPPED;
        return *why == NO_REASON;
    }
};

} // namespace steep

#endif
