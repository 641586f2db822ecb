/* SPDX-License-Identifier: GPL-3.0-or-later */
/* splines: the spline road of fit/frozen: a 1D network whose gates make knots, O(samples + width) a fit. What it does is
 * one long chain, from cell to cell and back, so that a fit has one thread, and a block as many fits as threads: it
 * copies them, solves each by its thread, and copies the ends back. The lines are the CPU's own (spline/filter.h,
 * spline/conversion.h, model/jumps.h), and long double is by integers (base/extended.h): the same bits. */
#ifndef STEEP_CUDA_SPLINES_H
#define STEEP_CUDA_SPLINES_H

#include "cuda/linear.h"
#include "spline/conversion.h"
#include "spline/filter.h"
#include "spline/moving.h"

namespace steep
{

enum {
    SPLINES = 32,     /* fits of a block, at most */
    SPLINE_BLOCKS = 8 /* per multiprocessor, at least: all registers that a thread can have */
};

/* Memory of a fit. */
struct spline_rooms {
    double *theta, *knot, *sign, *distinct; /* P; width; width; width + 2 */
    double *kept, *residual;                /* of the filter; samples */
    steep_long *coefficient, *change;       /* of all cells */
    steep_conversion_gate *inner, *open;    /* width */
    steep_filter *filter;                   /* 1 */
    steep_long *next;                       /* of knots that move: as coefficient; */
    steep_moving *moving;                   /* 1; */
    double *system;                         /* of it, all its numbers; */
    unsigned char *held;                    /* one for each unknown */
};

STEEP_BOTH static inline void spline_cut(spline_rooms *all, const steep_cuda_fit *fit, int samples, arena *far)
{
    const size_t width = fit->network.width, cells = width + 1, degree = fit->piecewise.degree;
    all->theta = far->take<double>(fit->network.parameters);
    all->knot = far->take<double>(width);
    all->sign = far->take<double>(width);
    all->distinct = far->take<double>(cells + 1);
    all->kept = far->take<double>(steep_filter_room(degree, fit->piecewise.continuity, cells));
    all->residual = far->take<double>((size_t)samples);
    all->coefficient = far->take<steep_long>(cells * (degree + 1));
    all->change = far->take<steep_long>(cells * (degree + 1));
    all->inner = far->take<steep_conversion_gate>(width);
    all->open = far->take<steep_conversion_gate>(width);
    all->filter = far->take<steep_filter>(1);
    if (fit->solver != STEEP_CUDA_KNOTS) return;
    const size_t continuity = fit->piecewise.continuity, size = (cells + 1) * (degree + 2 - continuity),
                 band = degree + 2; /* spline/joint.h */
    all->next = far->take<steep_long>(cells * (degree + 1));
    all->moving = far->take<steep_moving>(1);
    all->system = far->take<double>(cells * (degree + 1) + 2 * size * (band + 2) + 2 * (cells + 1));
    all->held = far->take<unsigned char>(size);
}

/* Bytes of device memory of a fit, its task with it. */
STEEP_BOTH static inline size_t spline_bytes(const steep_cuda_fit *fit, int samples)
{
    arena far = {nullptr, 0};
    spline_rooms all;
    far.take<task>(1);
    spline_cut(&all, fit, samples, &far);
    return far.used;
}

/* --- gates, by one thread --- */

STEEP_DEVICE static inline void sift_gate(steep_conversion_gate *gate, size_t at, size_t count)
{
    const steep_conversion_gate moved = gate[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count) break;
        if (child + 1 < count && steep_conversion_before(&gate[child], &gate[child + 1])) child++;
        if (!steep_conversion_before(&moved, &gate[child])) break;
        gate[at] = gate[child];
        at = child;
    }
    gate[at] = moved;
}

/* Heapsort: no two gates are of one unit, so that any way of sorting ends alike. */
STEEP_DEVICE static inline void sort_gates(steep_conversion_gate *gate, size_t count)
{
    for (size_t i = count / 2; i-- > 0;) sift_gate(gate, i, count);
    for (size_t last = count; last-- > 1;) {
        const steep_conversion_gate most = gate[0];
        gate[0] = gate[last];
        gate[last] = most;
        sift_gate(gate, 0, last);
    }
}

STEEP_DEVICE static inline void begin_conversion(const task &t, const spline_rooms &all, const steep_pieces *pieces,
                                                 steep_conversion *c)
{
    c->network = &t.fit.network;
    c->form = t.fit.form;
    c->spline = pieces;
    c->piecewise = t.fit.piecewise;
    c->inner = all.inner;
    c->open = all.open;
    c->theta = all.theta;
}

/* Gates turned outward, those inside sorted, and their knots between the ends of the domain. */
STEEP_DEVICE static inline void find_gates(const task &t, const spline_rooms &all, steep_pieces *pieces,
                                           steep_conversion *c)
{
    const steep_network *net = &t.fit.network;
    const size_t width = net->width;
    const double *const gate = all.theta + net->branch[0];
    for (size_t i = 0; i < width; i++) all.knot[i] = -gate[2 * i + 1] / gate[2 * i];
    steep_conversion_outward(width, t.set.low, t.set.high, all.knot, all.sign);
    for (size_t p = 0; p < net->parameters; p++) all.theta[p] = 0;
    all.distinct[0] = t.set.low;
    all.distinct[1] = t.set.high;
    pieces->degree = t.fit.piecewise.degree;
    pieces->cells = 1;
    pieces->knot = all.distinct;
    pieces->coefficient = all.coefficient;
    begin_conversion(t, all, pieces, c);
    steep_conversion_split(c, all.knot, all.sign);
    sort_gates(c->inner, c->inner_count);
    for (size_t i = 0; i < c->inner_count; i++)
        if (i == 0 || c->inner[i].knot != all.distinct[pieces->cells - 1])
            all.distinct[pieces->cells++] = c->inner[i].knot;
    all.distinct[pieces->cells] = t.set.high;
}

/* --- the fit, by one thread --- */

STEEP_DEVICE static inline steep_samples samples_of(const point_set &set)
{
    steep_samples samples;
    samples.count = (size_t)set.count;
    samples.dim = 1;
    samples.x = (double *)set.x;
    samples.y = (double *)set.y;
    samples.weight = (double *)set.weight;
    samples.low = (double *)&set.low;
    samples.high = (double *)&set.high;
    return samples;
}

/* The best spline on the knots, as steep_spline_least_squares. */
STEEP_DEVICE static inline steep_status fit_spline(const steep_samples &samples, const spline_rooms &all,
                                                   const steep_spline_space &space, steep_long *coefficient)
{
    size_t at;
    for (size_t i = 0; i < space.cells; i++)
        if (!(space.knot[i] < space.knot[i + 1] && space.knot[i + 1] - space.knot[i] <= DBL_MAX))
            return STEEP_BAD_INPUT;
    const steep_status status = steep_filter_check(&samples, &at);
    if (status != STEEP_OK) return status;
    steep_filter *const f = all.filter;
    steep_filter_begin(f, &samples, &space, all.kept);
    steep_filter_fit(f, coefficient);
    for (size_t more = 0; steep_filter_falls_short(f, more); more++)
        steep_filter_correct(f, coefficient, all.change, all.residual);
    return STEEP_OK;
}

STEEP_DEVICE static inline void end_spline(solve_end *end, steep_status status, enum reason why)
{
    end->status = status;
    end->reason = why;
}

STEEP_DEVICE static inline void end_conversion(solve_end *end, steep_conversion_end how, enum reason why)
{
    if (how == STEEP_CONVERTED) end_spline(end, STEEP_OK, why);
    else if (how == STEEP_CONVERSION_NO_UNIT) end_spline(end, STEEP_SINGULAR, NO_UNIT_FOR_JUMP);
    else if (how == STEEP_CONVERSION_NO_HEAD) end_spline(end, STEEP_SINGULAR, NO_GATES_FOR_HEAD);
    else end_spline(end, STEEP_BAD_INPUT, GATES_OFF_KNOTS);
}

/* From the gates in all.theta to all parameters there. */
STEEP_OUTLINE void solve_spline(const task &t, const spline_rooms &all, solve_end *end)
{
    steep_pieces pieces;
    steep_conversion c;
    const steep_samples samples = samples_of(t.set);
    const size_t degree = t.fit.piecewise.degree, continuity = t.fit.piecewise.continuity;
    find_gates(t, all, &pieces, &c);
    const steep_spline_space space = {degree, continuity, pieces.cells, pieces.knot};
    end->iterations = 1;
    end->cells = (int)pieces.cells;
    end->unknowns = (int)(degree + 1 + (pieces.cells - 1) * (degree + 1 - continuity));
    end_spline(end, STEEP_BAD_INPUT, TOO_FEW_SAMPLES);
    if (t.fit.refuses_few && t.set.count < end->unknowns) return;
    const steep_status status = fit_spline(samples, all, space, all.coefficient);
    end_spline(end, status, SPLINE_NOT_FITTED);
    if (status != STEEP_OK) return;
    end_conversion(end, steep_conversion_run(&c), SPLINE_SOLVED);
}

} // namespace steep

#endif
