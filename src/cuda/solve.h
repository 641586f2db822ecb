/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solve: one fit of a batch by one block, or in a wide solve by all blocks, from its descriptor to its end. */
#ifndef STEEP_CUDA_SOLVE_H
#define STEEP_CUDA_SOLVE_H

#include "cuda/linear.h"

namespace steep
{

/* The rooms of a solve with lm, on all parameters or on those that varpro moves, cut out of a block's shared memory and
 * its part of device memory. */
template <class Rows> struct lm_rooms {
    Rows rows;
    marquardt_room room;

    STEEP_BOTH void cut(const steep_cuda_fit *fit, int samples, const places &at)
    {
        rows.cut(fit, samples, at);
        marquardt_cut(&room, rows.m, rows.n, rows.invariances, at);
        rows.borrow(room.fold);
    }
};

/* By whom a fit is solved: by a block (blocks 0), or wide. */
struct shape {
    int blocks, rows, piece; /* as places has them */
};

STEEP_BOTH static inline shape narrow_shape()
{
    const shape one = {0, ROWS, PANEL};
    return one;
}

STEEP_BOTH static inline places places_of(const shape &as, arena *own, arena *far)
{
    const places at = {own, as.blocks > 0 ? far : own, far, as.blocks, as.rows, as.piece};
    return at;
}

/* How much of shared and of device memory a solve needs. */
struct needs {
    size_t near, far;
};

STEEP_BOTH static inline needs needs_of(const steep_cuda_fit *fit, int samples, const shape &as)
{
    arena near = {nullptr, 0}, far = {nullptr, 0};
    const places at = places_of(as, &near, &far);
    at.near->take<task>(1);
    if (fit->solver == STEEP_CUDA_LM) {
        lm_rooms<network_rows> all;
        all.cut(fit, samples, at);
    } else if (fit->solver == STEEP_CUDA_VARPRO) {
        lm_rooms<varpro_rows> all;
        all.cut(fit, samples, at);
    } else {
        frozen_rooms all;
        far.take<double>(fit->network.parameters);
        frozen_cut(&all, fit, samples, at);
    }
    const needs both = {near.used, far.used};
    return both;
}

template <class Rows>
STEEP_DEVICE void run_lm(const block &team, const steep_cuda_fit *fit, lm_rooms<Rows> *all, marquardt<Rows> *lm,
                         solve_end *end)
{
    lm->rows = &all->rows;
    lm->room = all->room;
    lm->end = end;
    lm->limits.max_iterations = (int)fit->max_iterations;
    lm->limits.tolerance = fit->tolerance;
    lm->limits.drift = fit->kinks ? STEEP_LM_DRIFT : INFINITY;
    lm->run(team);
}

STEEP_OUTLINE void solve_lm(const block &team, const task &t, const volatile int *stop, const places &at,
                            solve_end *end)
{
    lm_rooms<network_rows> all;
    marquardt<network_rows> lm;
    all.cut(&t.fit, t.set.count, at);
    all.rows.stop = stop;
    team.each(all.rows.n, [&](int p) {
        all.room.x[p] = t.theta[p];
        t.active[p] = 1;
    });
    all.rows.begin(team, t.set, all.room.x);
    run_lm(team, &t.fit, &all, &lm, end);
    all.rows.judge(team, lm.room.x, end);
    team.each(all.rows.n, [&](int p) { t.theta[p] = lm.room.x[p]; });
}

STEEP_OUTLINE void solve_varpro(const block &team, const task &t, const volatile int *stop, const places &at,
                                solve_end *end)
{
    lm_rooms<varpro_rows> all;
    marquardt<varpro_rows> lm;
    varpro_rows &rows = all.rows;
    all.cut(&t.fit, t.set.count, at);
    rows.begin(team, t, all.room.x);
    rows.stop = stop;
    run_lm(team, &t.fit, &all, &lm, end);
    team.each(rows.n, [&](int a) { rows.theta[rows.moving[a]] = lm.room.x[a]; });
    if (end->status >= 0 && !rows.project(team)) { /* the last trial may have been another point */
        end->status = STEEP_NOT_FINITE;
        end->reason = LAST_NOT_SOLVED;
    }
    const bool usable = end->status >= 0;
    team.each((int)t.fit.network.parameters, [&](int p) {
        t.active[p] = 1;
        if (usable) t.theta[p] = rows.theta[p];
    });
}

STEEP_OUTLINE void solve_linear(const block &team, const task &t, const places &at, solve_end *end)
{
    const int P = (int)t.fit.network.parameters;
    double *const theta = at.far->take<double>((size_t)P);
    team.each(P, [&](int p) { theta[p] = t.theta[p]; });
    solve_frozen(team, t, at, theta, end);
    team.each(P, [&](int p) { t.theta[p] = theta[p]; });
}

/* Runs *t, which may lie far away: the team works on a copy. own: shared memory of the block; far: device memory of the
 * team. */
STEEP_DEVICE static inline void solve(const block &team, task *t, const volatile int *stop, const shape &as, arena own,
                                      arena far)
{
    const places at = places_of(as, &own, &far);
    task *const copy = at.near->take<task>(1);
    solve_end end;
    end.status = STEEP_BAD_INPUT;
    end.reason = NO_REASON;
    end.iterations = end.evaluations = end.triangles = end.unknowns = 0;
    end.norm = end.cosine = NAN;
    team.each((int)(sizeof *copy / 8),
              [&](int i) { memcpy((unsigned char *)copy + 8 * i, (const unsigned char *)t + 8 * i, 8); });
    if (copy->fit.solver == STEEP_CUDA_LM) solve_lm(team, *copy, stop, at, &end);
    else if (copy->fit.solver == STEEP_CUDA_VARPRO) solve_varpro(team, *copy, stop, at, &end);
    else solve_linear(team, *copy, at, &end);
    team.one([&] { t->end = end; });
}

} // namespace steep

#endif
