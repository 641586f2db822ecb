/* SPDX-License-Identifier: GPL-3.0-or-later */
/* knots: reduced-newton of a 1D network whose knots move by themselves (fit/strategy: heads, above the size where lm
 * follows): spline/free_knots, then gates for the knots found, by one thread. The iteration is written here a second
 * time; its steps are the CPU's lines (spline/moving.h), and so are the splines of each step (cuda/splines.h). */
#ifndef STEEP_CUDA_KNOTS_H
#define STEEP_CUDA_KNOTS_H

#include "cuda/splines.h"

namespace steep
{

/* A fit under way. */
struct knot_fit {
    const task *t;
    const volatile int *stop;
    spline_rooms all; /* all.coefficient: of the spline at hand; all.distinct: its knots */
    steep_moving *w;
    steep_samples samples;
    double gradient;
    solve_end *end;
};

/* The memory that moving knots need beside that of splines. */
STEEP_DEVICE static inline void cut_moving(knot_fit *f)
{
    const steep_piecewise &p = f->t->fit.piecewise;
    const size_t cells = f->t->fit.cells;
    steep_moving *const w = f->w;
    steep_joint_begin(p.degree, p.continuity, cells, &w->system);
    steep_joint_cut(&w->system, f->all.system);
    w->cells = cells;
    w->factor = f->all.system + steep_joint_room(&w->system);
    w->step = w->factor + w->system.size * (w->system.band + 1);
    w->trial = w->step + w->system.size;
    w->local = w->trial + cells + 1;
    w->held = f->all.held;
    w->knot = f->all.distinct;
    w->damping = 0;
}

STEEP_DEVICE static inline steep_pieces pieces_on(const knot_fit *f, const double *knot, const steep_long *coefficient)
{
    const steep_pieces pieces = {f->t->fit.piecewise.degree, f->w->cells, knot, coefficient};
    return pieces;
}

/* Fits on the knots into f->all.coefficient or next; the mean square, infinity when the fit fails. */
STEEP_DEVICE static inline double evaluate_knots(knot_fit *f, const double *knot, steep_long *coefficient,
                                                 steep_status *status)
{
    const steep_piecewise &p = f->t->fit.piecewise;
    const steep_spline_space space = {p.degree, p.continuity, f->w->cells, knot};
    f->end->evaluations++;
    *status = fit_spline(f->samples, f->all, space, coefficient);
    if (*status < 0) return INFINITY;
    const steep_pieces pieces = pieces_on(f, knot, coefficient);
    return steep_moving_square_of(&f->samples, &pieces);
}

/* One accepted step; false when none decreases the mean square. */
STEEP_DEVICE static inline bool improve_knots(knot_fit *f)
{
    steep_moving *const w = f->w;
    for (int trial = 0; trial < STEEP_MOVING_TRIALS; trial++) {
        steep_status status = STEEP_OK;
        double value = INFINITY;
        if (steep_moving_newton_step(w) && steep_moving_move(w))
            value = evaluate_knots(f, w->trial, f->all.next, &status);
        const bool level =
            f->gradient < STEEP_MOVING_NEARLY && value <= w->square * (1 + steep_moving_level(w, w->square));
        if (value < w->square || level) {
            steep_long *const before = f->all.coefficient;
            f->all.coefficient = f->all.next;
            f->all.next = before;
            w->square = value;
            memcpy(w->knot, w->trial, (w->cells + 1) * sizeof *w->knot);
            w->damping = w->damping < 2 * STEEP_MOVING_FIRST_DAMPING ? 0 : w->damping / 8;
            return true;
        }
        w->damping = fmax(4 * w->damping, STEEP_MOVING_FIRST_DAMPING);
    }
    return false;
}

STEEP_DEVICE static inline bool knots_ended(const knot_fit *f, steep_status *why)
{
    const steep_moving *const w = f->w;
    *why = STEEP_CONVERGED;
    if (f->gradient <= STEEP_MOVING_TOLERANCE) return true;
    *why = STEEP_FLOOR;
    if (w->square <= STEEP_MOVING_ROUNDED * STEEP_MOVING_ROUNDED * w->values) return true;
    *why = STEEP_MAX_ITERATIONS;
    if (f->end->iterations >= (int)f->t->fit.max_iterations) return true;
    *why = STEEP_STOPPED;
    return f->stop && *f->stop;
}

/* As spline/free_knots. */
STEEP_DEVICE static inline steep_status iterate_knots(knot_fit *f)
{
    steep_moving *const w = f->w;
    const steep_knot_data data = {&f->samples, nullptr};
    steep_status status, why;
    int still = 0; /* steps in a row that changed the error by rounding alone */
    w->square = evaluate_knots(f, w->knot, f->all.coefficient, &status);
    if (status < 0) return status;
    w->values = steep_moving_mean_square(&f->samples);
    if (!(w->square - w->square == 0)) return STEEP_NOT_FINITE;
    for (;;) {
        const steep_pieces pieces = pieces_on(f, w->knot, f->all.coefficient);
        steep_local_coefficients(&w->system.basis, &pieces, w->system.coefficient);
        steep_joint_assemble(&w->system, &data, w->knot);
        steep_moving_hold(w);
        f->gradient = w->square > 0 ? steep_moving_gradient(w) : 0;
        if (knots_ended(f, &why)) return why;
        const double before = w->square;
        if (!improve_knots(f)) return STEEP_STALLED;
        f->end->iterations++;
        still = before - w->square <= steep_moving_level(w, before) * before ? still + 1 : 0;
        if (still > 2) return STEEP_STALLED;
    }
}

/* Gates for the knots found, as fit/strategy places them, and the network they make. */
STEEP_DEVICE static inline steep_conversion_end gates_for_knots(const knot_fit *f)
{
    const steep_network *net = &f->t->fit.network;
    const spline_rooms &all = f->all;
    const size_t width = net->width, cells = f->w->cells, open = width - (cells - 1);
    const double low = all.distinct[0], high = all.distinct[cells], beyond = (high - low) / 2048;
    for (size_t i = 0; i < open; i++) all.knot[i] = i % 2 ? high + beyond : low - beyond;
    for (size_t i = open; i < width; i++) all.knot[i] = all.distinct[i - open + 1];
    steep_conversion_outward(width, low, high, all.knot, all.sign);
    for (size_t p = 0; p < net->parameters; p++) all.theta[p] = 0;
    const steep_pieces pieces = pieces_on(f, all.distinct, all.coefficient);
    steep_conversion c;
    begin_conversion(*f->t, all, &pieces, &c);
    steep_conversion_split(&c, all.knot, all.sign);
    sort_gates(c.inner, c.inner_count);
    return steep_conversion_run(&c);
}

/* From the knots in all.distinct to all parameters in all.theta. */
STEEP_OUTLINE void solve_knots(const task &t, const spline_rooms &all, const volatile int *stop, solve_end *end)
{
    knot_fit f;
    f.t = &t;
    f.stop = stop;
    f.all = all;
    f.w = all.moving;
    f.samples = samples_of(t.set);
    f.gradient = NAN;
    f.end = end;
    end->cells = (int)t.fit.cells;
    end->iterations = 0;
    cut_moving(&f);
    const steep_status status = iterate_knots(&f);
    end->gradient = f.gradient;
    end_spline(end, status, SPLINE_NOT_FITTED);
    if (status < 0) return;
    end_conversion(end, gates_for_knots(&f), KNOTS_ENDED);
    if (end->status < 0) return;
    end->status = status == STEEP_STALLED && f.gradient <= t.fit.tolerance ? STEEP_CONVERGED : status;
    if (status == STEEP_STOPPED) end->reason = MONITOR_STOPPED;
}

/* --- a block's fits --- */

/* The task of fit f and its rooms, in its part of the block's memory. */
STEEP_DEVICE static inline task *spline_place(unsigned char *far, size_t each, int f)
{
    return (task *)(far + (size_t)f * each);
}

STEEP_DEVICE static inline void spline_open(const task *own, spline_rooms *all)
{
    arena far = {(unsigned char *)own, 0};
    far.take<task>(1);
    spline_cut(all, &own->fit, own->set.count, &far);
}

/* Which parameters reduced-newton moved: of a smooth class, where no part of a unit is free, the first factors. */
STEEP_DEVICE static inline void mark_moved(const block &team, const task &t)
{
    const steep_network *net = &t.fit.network;
    const size_t first = net->branch[1], count = net->counts.branches > 1 ? net->width * net->features[1] : 0;
    team.each((int)net->parameters, [&](int i) {
        const size_t p = (size_t)i;
        t.active[p] = t.fit.piecewise.continuity <= 1 || p == net->bias || (p >= first && p - first < count);
    });
}

/* Runs tasks[0 .. count - 1], count <= SPLINES; each bytes of far for each of them. */
STEEP_DEVICE static inline void solve_splines(const block &team, task *tasks, int count, const volatile int *stop,
                                              unsigned char *far, size_t each)
{
    spline_rooms all;
    team.each(count * (int)(sizeof(task) / 8), [&](int i) {
        const int f = i / (int)(sizeof(task) / 8), at = i % (int)(sizeof(task) / 8) * 8;
        memcpy((unsigned char *)spline_place(far, each, f) + at, (const unsigned char *)(tasks + f) + at, 8);
    });
    for (int f = 0; f < count; f++) {
        const task *const own = spline_place(far, each, f);
        spline_open(own, &all);
        const steep_network *net = &own->fit.network;
        const bool knots = own->fit.solver == STEEP_CUDA_KNOTS; /* which stand in theta; else gates */
        const double *const from = own->theta + (knots ? 0 : net->branch[0]);
        double *const to = knots ? all.distinct : all.theta + net->branch[0];
        team.each(knots ? (int)own->fit.cells + 1 : 2 * (int)net->width, [&](int i) { to[i] = from[i]; });
    }
    team.each(count, [&](int f) {
        task *const own = spline_place(far, each, f);
        spline_rooms mine;
        spline_open(own, &mine);
        own->end.evaluations = own->end.triangles = 0;
        own->end.norm = own->end.cosine = NAN;
        if (own->fit.solver == STEEP_CUDA_KNOTS) solve_knots(*own, mine, stop, &own->end);
        else solve_spline(*own, mine, &own->end);
        tasks[f].end = own->end;
    });
    for (int f = 0; f < count; f++) {
        const task *const own = spline_place(far, each, f);
        spline_open(own, &all);
        team.each((int)own->fit.network.parameters, [&](int p) { own->theta[p] = all.theta[p]; });
        if (own->fit.solver == STEEP_CUDA_KNOTS) mark_moved(team, *own);
        else mark_certain(team, *own);
    }
}

} // namespace steep

#endif
