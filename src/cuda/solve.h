/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solve: one block makes one fit of a batch, from its description to its end. */
#pragma once

#include <cstring>

#include "cuda/marquardt.h"

namespace steep
{

/* Bytes that a solve needs: near, shared memory of its block; far, device memory. most: shared memory that a block may
 * have. If that is too small, everything lies in device memory (near 0), and a team of blocks makes the fit. */
struct needs {
    size_t near, far;
};

static inline needs needs_of(const steep_cuda_fit *fit, size_t most)
{
    arena near = {nullptr, 0}, far = {nullptr, 0}, *const room = most > 0 ? &near : &far;
    marquardt lm;
    room->take<task>(1);
    lm.cut(fit, (int)fit->samples->count, room, &far, most);
    return near.used > most ? needs_of(fit, 0) : needs{near.used, far.used};
}

/* Lists the unknowns. lm: all parameters. varpro: the linear parameters (lines), then the parameters that move. frozen:
 * only lines, which are marked in t.active: the bias, the linear branches, and the output weights, of which with linear
 * branches only those whose columns are not 0. */
STEEP_DEVICE static inline void list_unknowns(const block &team, const task &t, linear_system *s)
{
    const steep_network *net = &t.fit.network;
    const bool all = t.fit.solver == STEEP_CUDA_LM, frozen = t.fit.solver == STEEP_CUDA_FROZEN;
    team.each(1, [&](int) {
        int lines = 0, moves = 0;
        for (int p = 0; p < s->P; p++) {
            const bool output = steep_network_is_output(net, (size_t)p);
            const bool solved = output && (t.fit.linear == 0 || (frozen && s->entry(p, p) != 0));
            const bool line =
                !all && (p == (int)net->bias || solved || steep_network_in_branches(net, t.fit.linear, (size_t)p));
            const bool held =
                (output && t.fit.held) || (t.fit.offset && steep_network_is_scalar(net, t.fit.offset, (size_t)p));
            const bool moving = !line && !frozen && !held;
            if (frozen) t.active[p] = line;
            if (line) s->unknown[lines++] = p;
            else if (moving) s->whole[moves++] = p;
        }
        for (int i = 0; i < moves; i++) s->unknown[lines + i] = (int)s->whole[i];
        s->whole[0] = lines;
        s->whole[1] = lines + moves;
    });
    s->lines = (int)team.read(s->whole);
    s->unknowns = (int)team.read(s->whole + 1);
}

/* Whether products of the parameters, and their squares, stay in the range of numbers. */
STEEP_DEVICE static inline bool is_in_range(const block &team, const marquardt &lm)
{
    return sum(team, lm.s.P, [&](int p) {
               const double size = fabs(lm.theta[p]);
               return size == 0 || (size >= 1 / STEEP_LARGE_WEIGHT && size <= STEEP_LARGE_WEIGHT) ? 0 : 1;
           }) == 0;
}

STEEP_DEVICE static inline void solve_lm(const block &team, const task &t, marquardt *lm)
{
    list_unknowns(team, t, &lm->s);
    lm->end.unknowns = lm->s.lines;
    if (!is_in_range(team, *lm)) return;
    lm->run(team);
    if (lm->end.reason != UNSURE) team.each(lm->s.P, [&](int p) { t.theta[p] = lm->theta[p]; });
}

/* Divides linear branches by the unit's output weight, as steep_frozen_form_put does. */
STEEP_DEVICE static inline void divide_branches(const block &team, const task &t, double *theta)
{
    const steep_network *net = &t.fit.network;
    if (t.fit.linear == 0) return;
    team.each((int)net->width, [&](int i) {
        double *const output = theta + net->output + i;
        for (int b = 1; t.active[net->output + i] && b < (int)net->counts.branches; b++)
            for (int f = 0; t.fit.linear >> b & 1 && f < (int)net->features[b]; f++) {
                double *const c = theta + net->branch[b] + i * net->features[b] + f;
                if (*c != 0 && *output == 0) *output = STEEP_FROZEN_OUTPUT;
                if (*c != 0) *c /= *output;
            }
    });
}

STEEP_DEVICE static inline void solve_frozen(const block &team, const task &t, marquardt *lm)
{
    linear_system *const s = &lm->s;
    s->gather(team, lm->theta, true);
    list_unknowns(team, t, s);
    lm->end.iterations = 1;
    lm->end.unknowns = s->unknowns;
    if ((size_t)s->unknowns > t.fit.distinct || s->solve_lines(team, lm->theta, lm->step) <= 0) return;
    team.each(s->lines, [&](int i) { lm->theta[s->unknown[i]] += lm->step[i]; });
    divide_branches(team, t, lm->theta);
    team.each(s->P, [&](int p) { t.theta[p] = lm->theta[p]; });
    lm->end.reason = SYSTEM_SOLVED;
}

/* Runs *t. The block works on a copy, since *t may lie in host memory. near: shared memory of the block; far: its
 * device memory; most: as in needs_of, 0 without shared memory. */
STEEP_DEVICE static inline void solve_task(const block &team, task *t, arena near, arena far, size_t most)
{
    arena *const room = most > 0 ? &near : &far;
    task *const copy = room->take<task>(1);
    team.each((int)(sizeof *copy / 8),
              [&](int i) { memcpy((unsigned char *)copy + 8 * i, (const unsigned char *)t + 8 * i, 8); });
    team.each(1, [&](int) { copy->fit.network.choice.written = (const steep_written *)&copy->fit.formula; });
    marquardt lm;
    lm.cut(&copy->fit, copy->set.count, room, &far, most);
    lm.s.set = copy->set;
    lm.end = {UNSURE, 0, 0, 0, 0};
    team.each(lm.s.P, [&](int p) { lm.theta[p] = copy->theta[p]; });
    if (copy->fit.solver == STEEP_CUDA_FROZEN) solve_frozen(team, *copy, &lm);
    else solve_lm(team, *copy, &lm);
    team.each(1, [&](int) { t->end = lm.end; });
}

} // namespace steep
