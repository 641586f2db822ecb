/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows: a network's residual and Jacobian as marquardt.h takes them, all parameters free: fit/marquardt and fit/rows by
 * the threads of a block. A row for each sample, r_k = sqrt(w_k) (y(x_k; theta) - y_k), or a few rows for each cell of
 * a spline (cuda/cells.h): |r| is the rmse either way. */
#ifndef STEEP_CUDA_ROWS_H
#define STEEP_CUDA_ROWS_H

#include "cuda/cells.h"
#include "cuda/marquardt.h"
#include "model/limits.h"

namespace steep
{

/* What a floor needs. */
struct floor_room {
    double *sum, *low, *high, *boxed; /* STEEP_FLOOR_POINTS; dim; dim; 1 */
    unsigned char *closed;            /* width */
};

STEEP_BOTH static inline void floor_cut(floor_room *room, const steep_network *net, arena *far)
{
    room->sum = far->take<double>(STEEP_FLOOR_POINTS);
    room->low = far->take<double>(net->dim);
    room->high = far->take<double>(net->dim);
    room->boxed = far->take<double>(1);
    room->closed = far->take<unsigned char>(net->width);
}

/* The box of the points that a floor looks at; boxed: whether closed units may be looked for in it. */
STEEP_DEVICE static inline void floor_box(const block &team, const floor_room &room, const model &m, bool closes)
{
    team.one([&] {
        const int looked = least(m.count, STEEP_FLOOR_POINTS);
        bool boxed = closes;
        for (int j = 0; j < (int)m.network->dim && boxed; j++) {
            double low = INFINITY, high = -INFINITY;
            for (int l = 0; l < looked; l++) {
                const double x = m.x[j * m.count + looked_at(m, looked, l)];
                boxed = boxed && x == x;
                low = x < low ? x : low;
                high = x > high ? x : high;
            }
            boxed = boxed && -STEEP_LARGE_POINT <= low && high <= STEEP_LARGE_POINT;
            room.low[j] = low;
            room.high[j] = high;
        }
        *room.boxed = boxed;
    });
}

/* Whether unit i is exactly 0 at all these points (model/evaluate.c). */
STEEP_DEVICE static inline bool is_closed(const floor_room &room, const model &m, int i)
{
    const steep_network *net = m.network;
    const double *w = m.theta + net->branch[0] + i * net->features[0];
    double z = w[0] * (w[0] > 0.0 ? room.high[0] : room.low[0]);
    for (int j = 1; j < (int)net->dim; j++) z += w[j] * (w[j] > 0.0 ? room.high[j] : room.low[j]);
    z += w[net->dim];
    if (!(z <= 0.0)) return false;
    for (int b = 0; b < (int)net->counts.branches; b++) {
        w = m.theta + net->branch[b] + i * net->features[b];
        for (int f = 0; f < (int)net->features[b]; f++)
            if (!(fabs(w[f]) <= STEEP_LARGE_WEIGHT)) return false;
    }
    return fabs(m.theta[net->output + i]) <= STEEP_LARGE_WEIGHT;
}

/* steep_network_floor at m.theta. */
STEEP_OUTLINE double network_floor(const block &team, const floor_room &room, size_t row, const model &m)
{
    const int looked = least(m.count, STEEP_FLOOR_POINTS);
    team.each((int)m.network->width, [&](int i) { room.closed[i] = *room.boxed != 0 && is_closed(room, m, i); });
    row_roundings(team, row, m, room.closed, looked, room.sum);
    team.one([&] {
        double total = 0;
        for (int l = 0; l < looked; l++) total += room.sum[l];
        room.sum[0] = STEEP_RMS_ROUNDING * sqrt(total / (double)looked);
    });
    return team.read(room.sum);
}

/* How many directions a scaling makes (model/scaling.c), and direction i of them. */
STEEP_BOTH static inline int scaling_directions(const steep_network *net, const steep_scaling *s)
{
    return s->branches ? (int)net->width : s->degree > 0 ? 1 : (int)net->dim + 1;
}

STEEP_DEVICE static inline void scaling_direction(const steep_network *net, const steep_scaling *s, int i,
                                                  const double *theta, double *v)
{
    for (size_t p = 0; p < net->parameters; p++) v[p] = 0;
    if (!s->branches && !(s->degree > 0)) { /* a shift of shared maps */
        for (size_t map = s->first; map < s->first + s->count; map++)
            v[net->shared_maps + map * (net->dim + 1) + i] = 1;
        return;
    }
    for (int u = s->branches ? i : 0; u < (s->branches ? i + 1 : (int)net->width); u++) {
        for (int b = 0; b < (int)net->counts.branches; b++)
            for (int f = 0; s->branches >> b & 1 && f < (int)net->features[b]; f++)
                v[net->branch[b] + u * net->features[b] + f] = theta[net->branch[b] + u * net->features[b] + f];
        v[net->output + u] = -s->degree * theta[net->output + u];
    }
    for (size_t a = 0; !s->branches && a < s->count; a++)
        v[net->shared_scalars + s->first + a] = theta[net->shared_scalars + s->first + a];
}

STEEP_BOTH static inline int all_directions(const steep_cuda_fit *fit)
{
    int all = 0;
    for (size_t s = 0; s < fit->scalings; s++) all += scaling_directions(&fit->network, &fit->scaling[s]);
    return all;
}

/* All directions at theta, a row of `parameters` numbers each. */
STEEP_DEVICE static inline void write_directions(const block &team, const steep_cuda_fit *fit, const double *theta,
                                                 double *v)
{
    const steep_network *net = &fit->network;
    team.each(all_directions(fit), [&](int i) {
        size_t s = 0;
        int before = 0;
        while (i - before >= scaling_directions(net, &fit->scaling[s]))
            before += scaling_directions(net, &fit->scaling[s++]);
        scaling_direction(net, &fit->scaling[s], i - before, theta, v + (size_t)i * net->parameters);
    });
}

/* Has the caller asked to stop? */
STEEP_DEVICE static inline bool asked_to_stop(const block &team, const volatile int *stop, double *slot)
{
    if (!stop) return false;
    team.one([&] { *slot = *stop; });
    return team.read(slot) != 0;
}

/* steep_measure's rmse of the residual r; false where it is not finite. part: LANES and one. */
STEEP_DEVICE static inline bool measure_rmse(const block &team, const point_set &set, const double *r, double *part,
                                             double *rmse)
{
    const int N = set.count;
    team.one([&] {
        double largest = 0;
        for (int k = 0; k < N; k++) largest = larger(largest, fabs(r[k]));
        part[LANES] = largest;
    });
    const double largest = team.read(part + LANES);
    if (!(largest <= DBL_MAX)) return false;
    const bool plain = largest > 1e-140 && largest < 1e140;
    const double s = plain ? 1 : 1 / largest;
    const auto square = [&](int k) { return r[k] * s * (r[k] * s); };
    team.each(LANES, [&](int l) {
        double sum = 0;
        for (int k = l; k < N / LANES * LANES; k += LANES) sum += set.weight ? square(k) * set.weight[k] : square(k);
        part[l] = sum;
    });
    team.one([&] {
        double rest = 0;
        for (int k = N / LANES * LANES; k < N; k++) rest += (set.weight ? set.weight[k] : 1) * (r[k] * s) * (r[k] * s);
        const double sum = add_lanes(part, rest);
        part[LANES] = largest == 0 ? 0 : (plain ? 1 : largest) * sqrt(set.weight ? sum : sum / (double)N);
    });
    *rmse = team.read(part + LANES);
    return true;
}

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

struct network_rows {
    int m, n, invariances, most; /* most: rows of a tile */
    const steep_cuda_fit *fit;
    point_set set;
    const volatile int *stop;
    cell_grid cells; /* nodes 0: a row for each sample */
    floor_room floors;
    double *tiles, *slot, *values; /* most x n; LANES and one; with cells: of each sample */

    STEEP_BOTH void cut(const steep_cuda_fit *of, int samples, const places &at)
    {
        arena *const far = at.far;
        most = at.rows;
        fit = of;
        cells.nodes = 0;
        if (of->nodes > 0) cells_cut(&cells, of, samples, far);
        m = of->nodes > 0 ? cells.rows : samples;
        n = (int)of->network.parameters;
        invariances = all_directions(of);
        floor_cut(&floors, &of->network, far);
        tiles = far->take<double>((size_t)most * (size_t)n);
        slot = far->take<double>(LANES + 1);
        values = far->take<double>(of->nodes > 0 ? (size_t)samples : 0);
    }

    STEEP_BOTH void borrow(const folder &)
    {
    }

    STEEP_DEVICE model at(const double *theta) const
    {
        const model here = {&fit->network, theta, set.x, set.count};
        return here;
    }

    STEEP_DEVICE double root(int k) const
    {
        return sqrt(set.weight ? set.weight[k] : 1 / (double)set.count);
    }

    STEEP_DEVICE void begin(const block &team, const point_set &of, const double *theta)
    {
        set = cells.set = of;
        floor_box(team, floors, at(theta), fit->closes);
    }

    STEEP_DEVICE void residual(const block &team, const double *theta, double *r) const
    {
        if (cells.nodes > 0) {
            cell_residual(team, cells, theta, r);
            return;
        }
        row_values(team, fit->row, at(theta), r);
        team.each(m, [&](int k) { r[k] = root(k) * (r[k] - set.y[k]); });
    }

    STEEP_DEVICE bool linearize(const block &team, const double *theta, double *) const
    {
        if (cells.nodes > 0) cell_nodes(team, cells, theta);
        return true;
    }

    STEEP_DEVICE const double *tile(const block &team, const double *theta, int first, int size, int *ld) const
    {
        *ld = most;
        if (cells.nodes > 0) {
            cell_tile(team, cells, first, size, n, tiles, most);
            return tiles;
        }
        row_jacobian(team, fit->row, at(theta), first, size, tiles, most, nullptr);
        team.each(n * size, [&](int item) {
            const int k = item % size;
            tiles[(size_t)(item / size) * (size_t)most + k] *= root(first + k);
        });
        return tiles;
    }

    STEEP_DEVICE void invariant(const block &team, const double *theta, double *v) const
    {
        write_directions(team, fit, theta, v);
    }

    /* rmse over the samples by the plain formula; norm where it is not finite. */
    STEEP_DEVICE double plain_rmse(const block &team, const double *theta, double norm) const
    {
        double rmse = norm;
        row_values(team, fit->row, at(theta), values);
        team.each(set.count, [&](int k) { values[k] -= set.y[k]; });
        return measure_rmse(team, set, values, slot, &rmse) ? rmse : norm;
    }

    STEEP_DEVICE bool proceed(const block &team, const double *theta, double norm, enum reason *why) const
    {
        const double floor = network_floor(team, floors, fit->row, at(theta));
        if (cells.nodes > 0 && norm <= STEEP_ROUNDING_CELLS * floor) norm = plain_rmse(team, theta, norm);
        if (norm <= STEEP_ROUNDING_RMSE * floor) *why = AT_NETWORK_FLOOR;
        else if (asked_to_stop(team, stop, slot)) *why = MONITOR_STOPPED;
        return *why == NO_REASON;
    }

    /* A solve that stalls where what is left of the gradient is rounding is at its floor. */
    STEEP_DEVICE void judge(const block &team, const double *theta, solve_end *end) const
    {
        if (end->status != STEEP_STALLED) return;
        const double floor = network_floor(team, floors, fit->row, at(theta));
        if (!(end->cosine * end->norm <= STEEP_ROUNDING_COSINE * floor)) return;
        end->status = STEEP_FLOOR;
        end->reason = GRADIENT_ROUNDING;
    }
};

} // namespace steep

#endif
