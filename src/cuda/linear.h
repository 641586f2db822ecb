/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linear: the solvers that treat a network as linear in some of its parameters: the dense road of fit/frozen, and
 * fit/varpro, by the threads of a block. */
#ifndef STEEP_CUDA_LINEAR_H
#define STEEP_CUDA_LINEAR_H

#include "cuda/rows.h"
#include "cuda/span.h"

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
    double *J, *solution, *scale; /* samples x P; P; P */
    int *column, *count;          /* which parameter each unknown is: P; 1 */
    span fit;
};

STEEP_BOTH static inline void frozen_cut(frozen_rooms *all, const steep_cuda_fit *fit, int samples, arena *far)
{
    const size_t P = fit->network.parameters;
    all->J = far->take<double>((size_t)samples * P);
    all->solution = far->take<double>(P);
    all->scale = far->take<double>(P);
    all->column = far->take<int>(P);
    all->count = far->take<int>(1);
    span_cut(&all->fit, samples, (int)P, (int)P, far);
}

/* The unknowns: the bias, the linear branches, and the output weights, or with linear branches those of them whose
 * columns are not 0 (steep_frozen_form_mark). */
STEEP_DEVICE static inline int mark_unknowns(const block &team, const task &t, const frozen_rooms &all)
{
    const steep_network *net = &t.fit.network;
    const int N = t.set.count, P = (int)net->parameters;
    team.each(P, [&](int p) {
        bool marked = p == (int)net->bias || is_linear_branch(&t.fit, (size_t)p);
        if (is_output(net, (size_t)p)) {
            marked = t.fit.linear == 0;
            for (int k = 0; !marked && k < N; k++) marked = !(all.J[k + (size_t)p * N] == 0);
        }
        t.active[p] = marked;
    });
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
    const double *const weight = t.set.weight;
    double *const A = all.fit.A;
    team.each(N * all.fit.n, [&](int item) {
        const int k = item % N, c = item / N;
        const double entry = all.J[k + (size_t)all.column[c] * N];
        A[item] = weight ? entry * sqrt(weight[k] * (double)N) : entry;
    });
    team.each(all.fit.n, [&](int c) {
        const double length = norm_alone(N, [&](int k) { return A[k + (size_t)c * N]; });
        all.scale[c] = length > 0 ? 1 / length : 1;
    });
    team.each(N * all.fit.n, [&](int item) { A[item] *= all.scale[item / N]; });
    team.each(N, [&](int k) { all.fit.b[k] = t.set.y[k] * (weight ? sqrt(weight[k] * (double)N) : 1); });
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

/* From theta, where the form is set already. */
STEEP_DEVICE static inline void solve_frozen(const block &team, const task &t, arena far, double *theta, solve_end *end)
{
    frozen_rooms all;
    const int N = t.set.count;
    frozen_cut(&all, &t.fit, N, &far);
    const model here = {&t.fit.network, theta, t.set.x, N};
    row_jacobian(team, t.fit.row, here, 0, N, all.J, N, nullptr);
    all.fit.n = mark_unknowns(team, t, all);
    end->iterations = 1;
    end->unknowns = all.fit.n;
    end->status = STEEP_BAD_INPUT;
    end->reason = TOO_FEW_SAMPLES;
    if (t.fit.refuses_few && N < all.fit.n) return;
    end->status = STEEP_NOT_FINITE;
    end->reason = SYSTEM_NOT_FINITE;
    fill_span(team, t, all);
    if (!span_factor(team, &all.fit, STEEP_FROZEN_RANK)) return;
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
    double *theta, *J, *moved, *right, *scale, *c, *length, *direction;
    int *linear, *moving;
    span phi;
    const volatile int *stop;

    STEEP_BOTH void cut(const steep_cuda_fit *of, int samples, arena *far)
    {
        const size_t P = of->network.parameters;
        fit = of;
        rows.cut(of, samples, far);
        m = rows.m;
        invariances = rows.invariances;
        lines = (int)of->lines;
        n = (int)of->moves;
        theta = far->take<double>(P);
        J = far->take<double>((size_t)m * P);
        moved = far->take<double>((size_t)m * (size_t)n);
        right = far->take<double>((size_t)m);
        scale = far->take<double>((size_t)lines);
        c = far->take<double>((size_t)lines);
        length = far->take<double>((size_t)n);
        direction = far->take<double>(P * (size_t)invariances);
        linear = far->take<int>(P);
        moving = far->take<int>(P);
        span_cut(&phi, m, lines, lines > n ? lines : n, far);
    }

    /* Splits the parameters; x: those that move, at the start. */
    STEEP_DEVICE void begin(const block &team, const task &t, double *x)
    {
        const int P = (int)fit->network.parameters;
        team.each(P, [&](int p) { theta[p] = t.theta[p]; });
        rows.begin(team, t.set, theta);
        rows.stop = nullptr;
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
        rows.linearize(team, theta);
        for (int first = 0; first < m; first += ROWS) {
            int size = least(m - first, ROWS), ld;
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

    STEEP_DEVICE void residual(const block &team, const double *x, double *r)
    {
        team.each(n, [&](int a) { theta[moving[a]] = x[a]; });
        if (project(team)) rows.residual(team, theta, r);
        else team.each(m, [&](int k) { r[k] = NAN; });
    }

    STEEP_DEVICE bool linearize(const block &team, const double *)
    {
        const double nothing = fit->kinks ? STEEP_VARPRO_NOTHING : 0;
        jacobian(team);
        team.each(n * m, [&](int item) { moved[item] = J[(size_t)moving[item / m] * m + item % m]; });
        team.each(n, [&](int a) { length[a] = norm_alone(m, [&](int k) { return moved[k + (size_t)a * m]; }); });
        span_remove(team, phi, n, moved);
        team.each(n, [&](int a) {
            double *const column = moved + (size_t)a * m;
            if (norm_alone(m, [&](int k) { return column[k]; }) > nothing * length[a]) return;
            for (int k = 0; k < m; k++) column[k] = 0;
        });
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
