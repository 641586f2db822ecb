/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solve: one fit of a batch by one block, from its descriptor to its end. */
#ifndef STEEP_CUDA_SOLVE_H
#define STEEP_CUDA_SOLVE_H

#include "cuda/rows.h"

namespace steep
{

/* What goes to the device of a fit, and what comes back: theta and active, parameters entries each, are those of the
 * start and then of the end. */
struct task {
    steep_cuda_fit fit;
    point_set set;
    double *theta;
    unsigned char *active;
    solve_end end;
    double seconds;
};

/* The rooms of a solve, cut out of a block's shared memory and its part of device memory. */
struct lm_rooms {
    network_rows rows;
    marquardt_room room;
};

STEEP_BOTH static inline void lm_cut(lm_rooms *all, const steep_cuda_fit *fit, int samples, arena *near, arena *far)
{
    all->rows.cut(fit, samples, far);
    marquardt_cut(&all->room, all->rows.m, all->rows.n, all->rows.invariances, near, far);
}

/* How much of either a solve needs. */
struct needs {
    size_t near, far;
};

STEEP_BOTH static inline needs needs_of(const steep_cuda_fit *fit, int samples)
{
    arena near = {nullptr, 0}, far = {nullptr, 0};
    lm_rooms all;
    near.take<task>(1);
    lm_cut(&all, fit, samples, &near, &far);
    const needs both = {near.used, far.used};
    return both;
}

STEEP_DEVICE static inline void solve_lm(const block &team, const task &t, const volatile int *stop, arena near,
                                         arena far, solve_end *end)
{
    const steep_cuda_fit *const fit = &t.fit;
    lm_rooms all;
    lm_cut(&all, fit, t.set.count, &near, &far);
    all.rows.stop = stop;
    const int n = all.rows.n;
    marquardt<network_rows> lm;
    lm.rows = &all.rows;
    lm.room = all.room;
    lm.end = end;
    lm.limits.max_iterations = (int)fit->max_iterations;
    lm.limits.tolerance = fit->tolerance;
    lm.limits.drift = fit->kinks ? STEEP_LM_DRIFT : INFINITY;
    team.each(n, [&](int p) {
        lm.room.x[p] = t.theta[p];
        t.active[p] = 1;
    });
    all.rows.begin(team, t.set, lm.room.x);
    lm.run(team);
    all.rows.judge(team, lm.room.x, end);
    team.each(n, [&](int p) { t.theta[p] = lm.room.x[p]; });
}

/* Runs *t, which may lie far away: the block works on a copy. */
STEEP_DEVICE static inline void solve(const block &team, task *t, const volatile int *stop, arena near,
                                      const arena &far)
{
    task *const own = near.take<task>(1);
    solve_end end;
    end.status = STEEP_BAD_INPUT;
    end.reason = NO_REASON;
    end.iterations = end.evaluations = end.triangles = 0;
    end.norm = end.cosine = NAN;
    team.each((int)(sizeof *own / sizeof(int)), [&](int i) { ((int *)own)[i] = ((const int *)t)[i]; });
    solve_lm(team, *own, stop, near, far, &end);
    team.one([&] { t->end = end; });
}

} // namespace steep

#endif
