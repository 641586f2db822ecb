/* SPDX-License-Identifier: GPL-3.0-or-later */
/* held: a network's residual and Jacobian as marquardt.h takes them, some parameters held at their values: what
 * steep_solve_marquardt_held hands to the generic solver, by the threads of a block. */
#ifndef STEEP_CUDA_HELD_H
#define STEEP_CUDA_HELD_H

#include "cuda/rows.h"

namespace steep
{

struct held_rows {
    int m, n, invariances;
    const steep_cuda_fit *fit;
    network_rows rows;
    double *all, *direction; /* P, those held at their values; P x invariances */
    int *moving, *place;     /* n: which parameters move; P: which of these one is, -1 where it is held */

    STEEP_BOTH void cut(const steep_cuda_fit *of, int samples, const places &at)
    {
        const size_t P = of->network.parameters;
        arena *const far = at.far;
        fit = of;
        rows.cut(of, samples, at);
        m = rows.m;
        n = (int)of->moves;
        invariances = rows.invariances;
        all = far->take<double>(P);
        direction = far->take<double>(P * (size_t)invariances);
        moving = far->take<int>(P);
        place = far->take<int>(P);
    }

    STEEP_BOTH void borrow(const folder &)
    {
    }

    /* From the start of t, whose active says which parameters are held. */
    STEEP_DEVICE void begin(const block &team, const task &t, const volatile int *stop)
    {
        const int P = (int)fit->network.parameters;
        team.each(P, [&](int p) { all[p] = t.theta[p]; });
        team.one([&] {
            int moves = 0;
            for (int p = 0; p < P; p++) {
                place[p] = t.active[p] ? -1 : moves;
                if (place[p] >= 0) moving[moves++] = p;
            }
        });
        rows.begin(team, t.set, all);
        rows.stop = stop;
    }

    STEEP_DEVICE void put(const block &team, const double *x) const
    {
        team.each(n, [&](int u) { all[moving[u]] = x[u]; });
    }

    STEEP_DEVICE void residual(const block &team, const double *x, double *r) const
    {
        put(team, x);
        rows.residual(team, all, r);
    }

    STEEP_DEVICE bool linearize(const block &team, const double *, double *r) const
    {
        return rows.linearize(team, all, r);
    }

    STEEP_DEVICE const double *tile(const block &team, const double *x, int first, int size, int *ld) const
    {
        double *const J = rows.tiles;
        *ld = rows.most;
        if (rows.cells.nodes > 0) {
            cell_tile(team, rows.cells, first, size, n, moving, J, rows.most);
            return J;
        }
        put(team, x);
        rows.tile(team, all, first, size, ld);
        team.each(size, [&](int k) { /* moving[u] >= u: none is lost */
                                     for (int u = 0; u < n; u++)
                                         J[(size_t)u * (size_t)rows.most + k] =
                                             J[(size_t)moving[u] * (size_t)rows.most + k];
        });
        return J;
    }

    /* One that moves a parameter which is held is none any more: zeros. */
    STEEP_DEVICE void invariant(const block &team, const double *x, double *v) const
    {
        const int P = (int)fit->network.parameters;
        put(team, x);
        write_directions(team, fit, all, direction);
        team.each(invariances, [&](int i) {
            const double *const from = direction + (size_t)i * (size_t)P;
            double *const to = v + (size_t)i * (size_t)n;
            bool breaks = false;
            for (int p = 0; p < P; p++) {
                if (place[p] >= 0) to[place[p]] = from[p];
                else breaks = breaks || from[p] != 0;
            }
            for (int u = 0; breaks && u < n; u++) to[u] = 0;
        });
    }

    STEEP_DEVICE bool proceed(const block &team, const double *x, double norm, enum reason *why) const
    {
        put(team, x);
        return rows.proceed(team, all, norm, why);
    }

    STEEP_DEVICE void judge(const block &team, const double *x, solve_end *end) const
    {
        put(team, x);
        rows.judge(team, all, end);
    }
};

} // namespace steep

#endif
