/* SPDX-License-Identifier: GPL-3.0-or-later */
/* points: residuals of a network and rows of its Jacobian at points, a thread for each unit at each point. The units
 * have the same code as on the CPU (model/units/), instantiated for each row of the list. */
#pragma once

#include "cuda/batch.h"
#include "cuda/block.h"
#include "formula/steps.h"
#include "model/activation_jet.h"
#include "model/units/list.h"

namespace steep
{

/* The most inputs of a row's units; gated rows have only branches. */
#define STEEP_MOST_INPUTS(id) (ROW_##id <= ROW_gated5 ? (int)STEEP_MAX_BRANCHES : (int)STEEP_MAX_INPUTS)
enum row {
#define STEEP_UNIT(id, unit, parts, ...) ROW_##id,
#include "model/units/list.h"
    ROW_written
};

/* Each row of the list as a type with counts and tile, and prepare and moment where the row has them. */
#define STEEP_PARTS_ALONE(unit) enum { PREPARED = 0, MOMENTS = 0 };
#define STEEP_PREPARE(unit)                                                                                            \
    static STEEP_DEVICE void prepare(const steep_choice *choice, const double *const *in, int order,                   \
                                     double *const *prepared)                                                          \
    {                                                                                                                  \
        steep_##unit##_prepare(choice, 1, in, order, prepared);                                                        \
    }
#define STEEP_PARTS_PREPARED(unit)                                                                                     \
    enum { PREPARED = STEEP_MAX_PREPARED, MOMENTS = 0 };                                                               \
    STEEP_PREPARE(unit)
#define STEEP_PARTS_COUPLED(unit)                                                                                      \
    enum { PREPARED = STEEP_MAX_PREPARED, MOMENTS = 1 };                                                               \
    STEEP_PREPARE(unit)                                                                                                \
    static STEEP_DEVICE void moment(const steep_choice *choice, double z, double *m, double *d1, double *d2)           \
    {                                                                                                                  \
        steep_##unit##_moment(choice, z, m, d1, d2);                                                                   \
    }
#define STEEP_UNIT(id, unit, parts, ...)                                                                               \
    struct unit_##id {                                                                                                 \
        enum { MOST = STEEP_MOST_INPUTS(id) };                                                                         \
        STEEP_PARTS_##parts(unit) static STEEP_DEVICE void counts(const steep_choice *choice, steep_counts *counts)    \
        {                                                                                                              \
            steep_##unit##_counts(choice, counts);                                                                     \
        }                                                                                                              \
        static STEEP_DEVICE void tile(const steep_choice *choice, const double *const *in, int order, double *h,       \
                                      double *const *g)                                                                \
        {                                                                                                              \
            const steep_tile one = {1, in, order, h, g, g}; /* no Hessian below order 2 */                             \
            steep_##unit##_tile(choice, &one);                                                                         \
        }                                                                                                              \
    };
#include "model/units/list.h"

#define STEEP_STEP(code, f)                                                                                            \
    case STEEP_CODE_##code: return (f);

STEEP_DEVICE static inline double step_value(const steep_step &step, double x, double b, double p, double q)
{
    switch (step.op) {
        STEEP_STEPS(STEEP_STEP)
    default: return step.number;
    }
}

/* Units by formula as one more row, which runs the tape (formula/tape.h) at a point step by step. All threads take the
 * same step, so that no warp diverges at the choice of the operation. choice->written points to the formula, as
 * cuda/solve.h has set it. */
struct unit_written {
    enum { PREPARED = 0, MOMENTS = 0, MOST = STEEP_MAX_INPUTS };

    static STEEP_DEVICE const steep_cuda_formula &of(const steep_choice *choice)
    {
        return *(const steep_cuda_formula *)choice->written;
    }

    static STEEP_DEVICE void counts(const steep_choice *choice, steep_counts *counts)
    {
        const size_t *const c = of(choice).counts;
        steep_counts_set(counts, c[0], c[1], c[2], c[3], 0);
    }

    /* The number in column c: an input, or an earlier result. */
    static STEEP_DEVICE double at(int m, const double *const *in, const double *cell, int c)
    {
        return c < m ? *in[c] : cell[c - m];
    }

    static STEEP_DEVICE void tile(const steep_choice *choice, const double *const *in, int order, double *h,
                                  double *const *g)
    {
        const steep_cuda_formula &f = of(choice);
        const steep_tape &tape = f.tape[order];
        const int m = (int)f.inputs;
        double cell[STEEP_CUDA_CELLS];
        for (int s = 0; s < (int)tape.steps; s++) {
            const steep_step &step = tape.step[s];
            const int *const from = step.from;
            cell[step.to - m] = step_value(step, at(m, in, cell, from[0]), at(m, in, cell, from[1]),
                                           at(m, in, cell, from[2]), at(m, in, cell, from[3]));
        }
        *h = at(m, in, cell, tape.result[0]);
        for (int j = 1; j < (int)tape.results; j++) *g[j - 1] = at(m, in, cell, tape.result[j]);
    }
};

#undef STEEP_STEP

/* The samples of a fit: coordinate j of point k at x[j * count + k]; weight NULL: equal weights. */
struct point_set {
    int count, dim;
    const double *x, *y, *weight;
};

/* A network and samples; r: array for the residuals, or NULL. */
struct model {
    const steep_network *network;
    const double *theta;
    point_set set;
    double *r;

    /* The square root of a point's weight. */
    STEEP_DEVICE double root(int k) const
    {
        return sqrt(set.weight ? set.weight[k] : 1 / (double)set.count);
    }
};

/* Feature f of a map at point k; 1 for the constant. */
STEEP_DEVICE static inline double feature(const model &m, steep_map map, int f, int k)
{
    const int d = m.set.dim, count = m.set.count;
    const double *const x = m.set.x;
    int i = 0;
    if (map == STEEP_MAP_SQUARES) return x[f * count + k] * x[f * count + k];
    if (f < d) return x[f * count + k];
    if (f == d) return 1;
    f -= d + 1; /* x_i x_j, i <= j */
    while (f >= d - i) f -= d - i++;
    return x[i * count + k] * x[(i + f) * count + k];
}

/* sum_f w_f phi_f */
STEEP_DEVICE static inline double combine(const model &m, steep_map map, int features, const double *w, int k)
{
    double z = w[0] * feature(m, map, 0, k);
    for (int f = 1; f < features; f++) z += w[f] * feature(m, map, f, k);
    return z;
}

STEEP_DEVICE static inline double branch(const model &m, int b, int i, int k)
{
    const steep_network *net = m.network;
    return combine(m, net->counts.map[b], (int)net->features[b], m.theta + net->branch[b] + i * net->features[b], k);
}

/* The numbers that units share at a point follow a unit's own inputs, in the order of the tile: maps, scalars, moments,
 * prepared numbers; number j at value[j * stride]. Returns how many have a derivative: all except prepared numbers. */
STEEP_BOTH static inline int shared_count(const steep_network *net)
{
    return (int)(net->counts.shared_maps + net->counts.shared_scalars + net->counts.moments);
}

template <class Unit> STEEP_DEVICE void set_moments(const model &m, int k, double *q, int stride)
{
    const steep_network *net = m.network;
    const int moments = (int)net->counts.moments;
    for (int r = 0; r < moments; r++) q[r * stride] = 0;
    for (int i = 0; i < (int)net->width; i++) {
        double one[STEEP_MAX_MOMENTS], d1[STEEP_MAX_MOMENTS], d2[STEEP_MAX_MOMENTS];
        Unit::moment(&net->choice, branch(m, 0, i, k), one, d1, d2);
        for (int r = 0; r < moments; r++) q[r * stride] += one[r] / steep_network_moment_units(net);
    }
}

template <class Unit, int ORDER> STEEP_DEVICE void set_shared(const model &m, int k, double *value, int stride)
{
    const steep_network *net = m.network;
    const steep_counts *counts = &net->counts;
    const int own = (int)(counts->branches + counts->scalars), inputs = (int)net->inputs;
    int at = 0;
    for (int map = 0; map < (int)counts->shared_maps; map++, at++)
        value[at * stride] =
            combine(m, STEEP_MAP_AFFINE, m.set.dim + 1, m.theta + net->shared_maps + map * (net->dim + 1), k);
    for (int a = 0; a < (int)counts->shared_scalars; a++, at++) value[at * stride] = m.theta[net->shared_scalars + a];
    if constexpr (Unit::MOMENTS) set_moments<Unit>(m, k, value + at * stride, stride);
    if constexpr (Unit::PREPARED > 0) {
        const double *in[STEEP_MAX_INPUTS + Unit::PREPARED];
        double *prepared[Unit::PREPARED + 1];
        for (int j = 0; j < inputs - own; j++) in[own + j] = value + j * stride;
        for (int p = 0; p < (int)counts->prepared; p++)
            in[inputs + p] = prepared[p] = value + (inputs - own + p) * stride;
        Unit::prepare(&net->choice, in, ORDER, prepared);
    }
}

/* A unit at a point: inputs, value h, gradient g. For a unit that has only branches, as in the gated family, the number
 * of inputs is a constant expression, so that they stay in registers. */
template <class Unit> struct evaluation {
    enum { MOST = Unit::MOST };
    double in[MOST], h, g[MOST];

    template <int ORDER> STEEP_DEVICE void at(const model &m, int i, int k, double *shared, int stride)
    {
        const steep_network *net = m.network;
        const double *to[MOST + Unit::PREPARED];
        double *slope[MOST];
        steep_counts own;
        Unit::counts(&net->choice, &own);
        const int branches = (int)own.branches, all = (int)net->inputs;
        STEEP_UNROLLED
        for (int b = 0; b < branches; b++) {
            in[b] = branch(m, b, i, k);
            to[b] = in + b;
            slope[b] = g + b;
        }
        if (own.scalars + own.shared_maps + own.shared_scalars + own.moments > 0) {
            const int scalars = (int)net->counts.scalars;
            for (int e = 0; e < scalars; e++) in[branches + e] = m.theta[net->scalars + i * scalars + e];
            for (int j = branches; j < all + (int)net->counts.prepared; j++) {
                to[j] = j < branches + scalars ? in + j : shared + (j - branches - scalars) * stride;
                if (j < all) slope[j] = g + j;
            }
        }
        Unit::tile(&net->choice, to, ORDER, &h, slope);
    }
};

enum { STRIPS = 8 }; /* strips of units that share inputs; a thread sums over each strip */

/* Memory of a tile: J[k * ld + p] is the derivative of residual k of the tile in parameter p, J[k * ld + P] is the
 * residual, and zeros follow. There are two J: one is computed while the other is used. */
struct tile_room {
    int rows, ld, strips;
    double *J[2], *shared, *part, *moment; /* J: rows x ld; others: rows x .., the points of one number are adjacent */
};

STEEP_BOTH static inline void tile_cut(tile_room *t, const steep_network *net, int rows, arena *near)
{
    const size_t n = (size_t)rows;
    const int slopes = shared_count(net), shared = slopes + (int)net->counts.prepared;
    t->rows = rows;
    t->ld = round_up((int)net->parameters + 1, 32) + 4; /* keeps the threads of a fragment in different banks */
    t->strips = slopes > 0 ? STRIPS : (int)net->width;
    for (double *&J : t->J) J = near->take<double>(n * (size_t)t->ld);
    t->shared = near->take<double>(n * (size_t)shared);
    t->part = near->take<double>(n * (size_t)(slopes * STRIPS));
    t->moment = near->take<double>(n * net->counts.moments);
}

/* A row of a tile; root: the square root of the point's weight, which scales the row. */
struct tile_row {
    double *J, root;
    STEEP_DEVICE double &operator[](size_t p) const
    {
        return J[p];
    }
};

/* Writes the columns of the unit's own parameters. */
template <class Unit>
STEEP_DEVICE void unit_columns(const model &m, const evaluation<Unit> &e, int i, int k, const tile_row &row)
{
    const steep_network *net = m.network;
    steep_counts own;
    Unit::counts(&net->choice, &own);
    const int branches = (int)own.branches;
    const double D = m.theta[net->output + i] * row.root;
    STEEP_UNROLLED
    for (int b = 0; b < branches; b++) {
        const size_t first = net->branch[b] + i * net->features[b];
        for (int f = 0; f < (int)net->features[b]; f++)
            row[first + f] = D * e.g[b] * feature(m, net->counts.map[b], f, k);
    }
    if (own.scalars + own.shared_scalars == 0) return;
    for (int s = 0; s < (int)net->counts.scalars; s++)
        row[net->scalars + i * net->counts.scalars + s] = D * e.g[branches + s];
}

/* Adds Y_r m_r'(z_i) dz_i to the columns of unit i's first branch, Y_r the slope of y in moment r (t.moment). */
template <class Unit>
STEEP_DEVICE void moment_columns(const model &m, const tile_room &t, int i, int k, int point, double *row)
{
    const steep_network *net = m.network;
    double one[STEEP_MAX_MOMENTS], d1[STEEP_MAX_MOMENTS], d2[STEEP_MAX_MOMENTS], slope = 0;
    Unit::moment(&net->choice, branch(m, 0, i, point), one, d1, d2);
    for (int r = 0; r < (int)net->counts.moments; r++) slope += t.moment[r * t.rows + k] * d1[r];
    for (int f = 0; f < (int)net->features[0]; f++)
        row[net->branch[0] + i * net->features[0] + f] +=
            slope / steep_network_moment_units(net) * feature(m, net->counts.map[0], f, point);
}

/* Evaluates units strip, strip + strips, .. at row k of the tile; sums their slopes in shared inputs into t.part. */
template <class Unit, int ORDER>
STEEP_DEVICE void tile_strip(const model &m, const tile_room &t, int strip, int k, int point, const tile_row &row)
{
    const steep_network *net = m.network;
    const int slopes = shared_count(net), own = (int)net->inputs - slopes;
    evaluation<Unit> e;
    for (int j = 0; j < slopes; j++) t.part[(j * STRIPS + strip) * t.rows + k] = 0;
    for (int i = strip; i < (int)net->width; i += t.strips) {
        const double D = m.theta[net->output + i] * row.root;
        e.template at<ORDER>(m, i, point, t.shared + k, t.rows);
        row[net->output + i] = row.root * e.h;
        if (ORDER == 0) continue;
        unit_columns(m, e, i, point, row);
        for (int j = 0; j < slopes; j++) t.part[(j * STRIPS + strip) * t.rows + k] += D * e.g[own + j];
    }
}

/* Stores the sum of all units' slopes in shared input j, in t.moment or in the columns of its parameters. */
STEEP_DEVICE static inline void put_shared(const model &m, const tile_room &t, int j, int k, int point, double sum,
                                           double *row)
{
    const steep_network *net = m.network;
    const int maps = (int)net->counts.shared_maps, scalars = (int)net->counts.shared_scalars;
    if (j >= maps + scalars) t.moment[(j - maps - scalars) * t.rows + k] = sum;
    else if (j >= maps) row[net->shared_scalars + j - maps] = sum;
    else
        for (int f = 0; f <= m.set.dim; f++)
            row[net->shared_maps + j * (net->dim + 1) + f] = sum * feature(m, STEEP_MAP_AFFINE, f, point);
}

/* Residuals of samples first, .. and, at order 1, their rows of the Jacobian; rows behind the last sample are 0. */
template <class Unit, int ORDER = 1>
STEEP_DEVICE void make_tile(const block &team, const model &m, const tile_room &t, int first, double *J)
{
    const steep_network *net = m.network;
    const int width = (int)net->width, shared = shared_count(net), last = m.set.count - 1;
    const int slopes = ORDER > 0 ? shared : 0;
    if (shared > 0)
        team.each(t.rows, [&](int k) { set_shared<Unit, ORDER>(m, least(first + k, last), t.shared + k, t.rows); });
    team.each(t.rows * t.strips, [&](int item) {
        const int k = item % t.rows, point = least(first + k, last);
        const tile_row row = {J + k * t.ld, first + k <= last ? m.root(point) : 0};
        tile_strip<Unit, ORDER>(m, t, item / t.rows, k, point, row);
        if (item < t.rows) row[net->bias] = row.root;
    });
    team.sums(
        t.rows * (slopes + 1), width > STRIPS ? width : STRIPS,
        [&](int item, int i) {
            const int k = item % t.rows, j = item / t.rows - 1;
            if (j < 0) return i < width ? m.theta[net->output + i] * J[k * t.ld + net->output + i] : 0;
            return i < STRIPS ? t.part[(j * STRIPS + i) * t.rows + k] : 0;
        },
        [&](int item, double sum) {
            const int k = item % t.rows, j = item / t.rows - 1, point = least(first + k, last);
            double *const row = J + k * t.ld;
            if (j >= 0) put_shared(m, t, j, k, point, sum, row);
            else row[net->parameters] = sum + row[net->bias] * (m.theta[net->bias] - m.set.y[point]);
            if (j < 0 && m.r && first + k <= last) m.r[point] = row[net->parameters];
        });
    if constexpr (Unit::MOMENTS && ORDER > 0)
        team.each(t.rows * width, [&](int item) {
            const int k = item % t.rows;
            moment_columns<Unit>(m, t, item / t.rows, k, least(first + k, last), J + k * t.ld);
        });
}

} // namespace steep
