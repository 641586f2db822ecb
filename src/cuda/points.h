/* SPDX-License-Identifier: GPL-3.0-or-later */
/* points: a network at one point, by one thread: its value, its derivative in each parameter, its rounding floor. The
 * units are the very lines that the CPU runs (model/units/), each row of the list instantiated; the sums around them
 * are those of model/network.c, term by term: the same bits. */
#ifndef STEEP_CUDA_POINTS_H
#define STEEP_CUDA_POINTS_H

#include <cmath>

#include "cuda/batch.h"
#include "cuda/sums.h"
#include "model/activation_jet.h"
#include "model/units/list.h"

namespace steep
{

/* Rows of the list as types with prepare, tile and moment. */
#define STEEP_CALL_ALONE(unit)
#define STEEP_CALL_PREPARED(unit) steep_##unit##_prepare(choice, 1, in, order, prepared);
#define STEEP_CALL_COUPLED(unit)  steep_##unit##_prepare(choice, 1, in, order, prepared);
#define STEEP_MOMENT_ALONE(unit)
#define STEEP_MOMENT_PREPARED(unit)
#define STEEP_MOMENT_COUPLED(unit) steep_##unit##_moment(choice, z, m, d1, d2);
#define STEEP_HAS_ALONE            0
#define STEEP_HAS_PREPARED         STEEP_MAX_PREPARED
#define STEEP_HAS_COUPLED          STEEP_MAX_PREPARED
#define STEEP_MIXES_ALONE          0
#define STEEP_MIXES_PREPARED       0
#define STEEP_MIXES_COUPLED        1
#define STEEP_UNIT(id, unit, parts, ...)                                                                               \
    struct unit_##id {                                                                                                 \
        enum { PREPARED = STEEP_HAS_##parts, MOMENTS = STEEP_MIXES_##parts };                                          \
        static STEEP_DEVICE void prepare(const steep_choice *choice, const double *const *in, int order,               \
                                         double *const *prepared)                                                      \
        {                                                                                                              \
            (void)choice, (void)in, (void)order, (void)prepared;                                                       \
            STEEP_CALL_##parts(unit)                                                                                   \
        }                                                                                                              \
        static STEEP_DEVICE void tile(const steep_choice *choice, const double *const *in, int order, double *h,       \
                                      double *const *g)                                                                \
        {                                                                                                              \
            steep_##unit##_tile(choice, 1, in, order, h, g, g); /* no Hessian below order 2 */                         \
        }                                                                                                              \
        static STEEP_DEVICE void second(const steep_choice *choice, const double *const *in, double *h,                \
                                        double *const *g, double *const *H)                                            \
        {                                                                                                              \
            steep_##unit##_tile(choice, 1, in, 2, h, g, H);                                                            \
        }                                                                                                              \
        static STEEP_DEVICE void moment(const steep_choice *choice, double z, double *m, double *d1, double *d2)       \
        {                                                                                                              \
            (void)choice, (void)z, (void)m, (void)d1, (void)d2;                                                        \
            STEEP_MOMENT_##parts(unit)                                                                                 \
        }                                                                                                              \
    };
#include "model/units/list.h"

/* A network and the points it is taken at: coordinate j of point k at x[j * count + k]. */
struct model {
    const steep_network *network;
    const double *theta, *x;
    int count;
};

/* Feature f of a map at point k; 1 for the constant. */
STEEP_DEVICE static inline double feature(const model &m, steep_map map, int f, int k)
{
    const int d = (int)m.network->dim;
    int i = 0;
    if (map == STEEP_MAP_SQUARES) return m.x[f * m.count + k] * m.x[f * m.count + k];
    if (f < d) return m.x[f * m.count + k];
    if (f == d) return 1;
    f -= d + 1; /* x_i x_j, i <= j */
    while (f >= d - i) f -= d - i++;
    return m.x[i * m.count + k] * m.x[(i + f) * m.count + k];
}

STEEP_DEVICE static inline bool is_constant(const model &m, steep_map map, int f)
{
    return f == (int)m.network->dim && (map == STEEP_MAP_AFFINE || map == STEEP_MAP_QUADRATIC);
}

/* sum_f w_f phi_f, in order of f. */
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

/* What the sums of a layer's moments are divided by. */
STEEP_DEVICE static inline double moment_units(const steep_network *net)
{
    return net->counts.summed ? 1.0 : (double)net->width;
}

/* The inputs of a unit at a point, its value and gradient. */
template <class Unit> struct evaluation {
    double in[STEEP_MAX_INPUTS + Unit::PREPARED], h, g[STEEP_MAX_INPUTS];
    const double *to[STEEP_MAX_INPUTS + Unit::PREPARED];
    double *slope[STEEP_MAX_INPUTS], *prepared[Unit::PREPARED + 1];

    /* What all units share at point k: shared maps, shared scalars, moments, and what is prepared from these. */
    template <int ORDER> STEEP_ONCE void begin(const model &m, int k)
    {
        const steep_network *net = m.network;
        const steep_counts *counts = &net->counts;
        int at = (int)(counts->branches + counts->scalars), inputs = (int)net->inputs;
        for (int j = 0; j < inputs; j++) to[j] = in + j, slope[j] = g + j;
        for (int p = 0; p < Unit::PREPARED && p < (int)counts->prepared; p++)
            to[inputs + p] = prepared[p] = in + inputs + p;
        for (int s = 0; s < (int)counts->shared_maps; s++)
            in[at++] =
                combine(m, STEEP_MAP_AFFINE, (int)net->dim + 1, m.theta + net->shared_maps + s * (net->dim + 1), k);
        for (int a = 0; a < (int)counts->shared_scalars; a++) in[at++] = m.theta[net->shared_scalars + a];
        if (Unit::MOMENTS) set_moments(m, k, in + at);
        Unit::prepare(&net->choice, to, ORDER, prepared);
    }

    STEEP_ONCE void set_moments(const model &m, int k, double *q)
    {
        const steep_network *net = m.network;
        const int moments = (int)net->counts.moments;
        for (int r = 0; r < moments; r++) q[r] = 0;
        for (int i = 0; i < (int)net->width; i++) {
            double one[STEEP_MAX_MOMENTS], d1[STEEP_MAX_MOMENTS], d2[STEEP_MAX_MOMENTS];
            Unit::moment(&net->choice, branch(m, 0, i, k), one, d1, d2);
            for (int r = 0; r < moments; r++) q[r] += one[r];
        }
        for (int r = 0; r < moments; r++) q[r] /= moment_units(net);
    }

    template <int ORDER> STEEP_ONCE void unit(const model &m, int i, int k)
    {
        const steep_network *net = m.network;
        const steep_counts *counts = &net->counts;
        for (int b = 0; b < (int)counts->branches; b++) in[b] = branch(m, b, i, k);
        for (int e = 0; e < (int)counts->scalars; e++)
            in[counts->branches + e] = m.theta[net->scalars + i * counts->scalars + e];
        Unit::tile(&net->choice, to, ORDER, &h, slope);
    }
};

template <class Unit> STEEP_DEVICE double value_at(const model &m, int k)
{
    const steep_network *net = m.network;
    evaluation<Unit> e;
    double y = m.theta[net->bias] + 0.0; /* -0 becomes 0 */
    e.template begin<0>(m, k);
    for (int i = 0; i < (int)net->width; i++) {
        e.template unit<0>(m, i, k);
        y += m.theta[net->output + i] * e.h;
    }
    return y;
}

/* Where parameter p's column goes: J + p * ld + row. */
struct columns {
    double *J;
    int ld, row;
    STEEP_DEVICE double &operator()(size_t p) const
    {
        return J[p * (size_t)ld + (size_t)row];
    }
};

/* What unit i adds to the columns of its own parameters and, for shared inputs, to those of the constants alone. */
template <class Unit>
STEEP_DEVICE void unit_columns(const model &m, const evaluation<Unit> &e, int i, int k, const columns &J)
{
    const steep_network *net = m.network;
    const steep_counts *counts = &net->counts;
    const double D = m.theta[net->output + i];
    int j = 0;
    for (int b = 0; b < (int)counts->branches; b++, j++) {
        const size_t first = net->branch[b] + i * net->features[b];
        for (int f = 0; f < (int)net->features[b]; f++) J(first + f) = D * e.g[j] * feature(m, counts->map[b], f, k);
    }
    for (int s = 0; s < (int)counts->scalars; s++, j++) J(net->scalars + i * counts->scalars + s) = D * e.g[j];
    for (int s = 0; s < (int)counts->shared_maps; s++, j++)
        J(net->shared_maps + s * (net->dim + 1) + net->dim) += D * e.g[j];
    for (int a = 0; a < (int)counts->shared_scalars; a++, j++) J(net->shared_scalars + a) += D * e.g[j];
    J(net->output + i) = e.h;
}

/* Adds Y_r m_r'(z_i) dz_i, over the units, to the first branches' columns. */
template <class Unit> STEEP_OUTLINE void moment_columns(const model &m, const double *Y, int k, const columns &J)
{
    const steep_network *net = m.network;
    const double share = 1.0 / moment_units(net);
    for (int i = 0; i < (int)net->width; i++) {
        double one[STEEP_MAX_MOMENTS], d1[STEEP_MAX_MOMENTS], d2[STEEP_MAX_MOMENTS], slope = 0;
        Unit::moment(&net->choice, branch(m, 0, i, k), one, d1, d2);
        for (int r = 0; r < (int)net->counts.moments; r++) slope += Y[r] * d1[r];
        for (int f = 0; f < (int)net->features[0]; f++)
            J(net->branch[0] + i * net->features[0] + f) += share * slope * feature(m, net->counts.map[0], f, k);
    }
}

/* The row of the Jacobian at point k, and the value. */
template <class Unit> STEEP_DEVICE double jacobian_at(const model &m, int k, const columns &J)
{
    const steep_network *net = m.network;
    const int moments = (int)net->counts.moments, before = (int)net->inputs - moments;
    evaluation<Unit> e;
    double Y[STEEP_MAX_MOMENTS], y = m.theta[net->bias] + 0.0;
    for (int r = 0; r < STEEP_MAX_MOMENTS; r++) Y[r] = 0;
    for (size_t p = net->shared_maps; p < net->output; p++) J(p) = 0;
    J(net->bias) = 1;
    e.template begin<1>(m, k);
    for (int i = 0; i < (int)net->width; i++) {
        const double D = m.theta[net->output + i];
        e.template unit<1>(m, i, k);
        unit_columns(m, e, i, k, J);
        y += D * e.h;
        for (int r = 0; Unit::MOMENTS && r < moments; r++) Y[r] += D * e.g[before + r];
    }
    for (int s = 0; s < (int)net->counts.shared_maps; s++)
        for (int f = 0; f < (int)net->dim; f++)
            J(net->shared_maps + s * (net->dim + 1) + f) =
                1.0 * J(net->shared_maps + s * (net->dim + 1) + net->dim) * feature(m, STEEP_MAP_AFFINE, f, k);
    if (Unit::MOMENTS) moment_columns<Unit>(m, Y, k, J);
    return y;
}

/* Squares of the roundings that unit i contributes through a map with coefficients w, input j (model/network.c). */
template <class Unit>
STEEP_DEVICE double map_roundings(const model &m, const evaluation<Unit> &e, steep_map map, int features,
                                  const double *w, int j, double D, int k, double sum)
{
    double part = 0, slope = D * e.g[j];
    for (int f = 0; f < features; f++) {
        double term = w[f] * feature(m, map, f, k);
        part += term;
        if (!is_constant(m, map, f)) sum += slope * slope * term * term;
        if (f > 0) sum += slope * slope * part * part;
    }
    return sum;
}

template <class Unit>
STEEP_DEVICE double unit_roundings(const model &m, const evaluation<Unit> &e, int i, int k, double sum)
{
    const steep_network *net = m.network;
    const steep_counts *counts = &net->counts;
    const int first_map = (int)(counts->branches + counts->scalars);
    const double D = m.theta[net->output + i];
    for (int j = 0; j < (int)net->inputs; j++) {
        if (j < (int)counts->branches)
            sum = map_roundings(m, e, counts->map[j], (int)net->features[j],
                                m.theta + net->branch[j] + i * net->features[j], j, D, k, sum);
        else if (j >= first_map && j < first_map + (int)counts->shared_maps)
            sum = map_roundings(m, e, STEEP_MAP_AFFINE, (int)net->dim + 1,
                                m.theta + net->shared_maps + (j - first_map) * (net->dim + 1), j, D, k, sum);
        double term = D * e.g[j] * e.in[j];
        sum += term * term;
    }
    return sum + 2.0 * (D * e.h) * (D * e.h);
}

/* The squares of all roundings in the value at point k. Units that are closed at all points that are looked at add
 * none. */
template <class Unit> STEEP_DEVICE double roundings_at(const model &m, const unsigned char *closed, int k)
{
    const steep_network *net = m.network;
    evaluation<Unit> e;
    double y = m.theta[net->bias], sum = 0;
    e.template begin<1>(m, k);
    for (int i = 0; i < (int)net->width; i++) {
        if (closed[i]) continue;
        e.template unit<1>(m, i, k);
        sum = unit_roundings(m, e, i, k, sum);
        y += m.theta[net->output + i] * e.h;
        sum += y * y;
    }
    return sum;
}

/* --- by a block: each is one row's, so that the choice of the row is outside of all loops. For a GPU each is compiled
 * apart from the others (cuda/unit.cu). --- */

/* y[k], k < count */
template <class Unit> STEEP_DEVICE void values(const block &team, const model &m, double *y)
{
    team.each(m.count, [&](int k) { y[k] = value_at<Unit>(m, k); });
}

/* Rows first .. first + size - 1 of the Jacobian, into J[p * ld + k]; y[k] unless NULL. */
template <class Unit>
STEEP_DEVICE void jacobian(const block &team, const model &m, int first, int size, double *J, int ld, double *y)
{
    team.each(size, [&](int k) {
        const columns row = {J, ld, k};
        double value = jacobian_at<Unit>(m, first + k, row);
        if (y) y[k] = value;
    });
}

/* The points that a floor looks at: the middles of so many stretches. */
STEEP_DEVICE static inline int looked_at(const model &m, int looked, int l)
{
    return (int)((2 * (size_t)l + 1) * (size_t)m.count / (2 * (size_t)looked));
}

/* sum[l], l < looked: the squares of the roundings there. */
template <class Unit>
STEEP_DEVICE void roundings(const block &team, const model &m, const unsigned char *closed, int looked, double *sum)
{
    team.each(looked, [&](int l) { sum[l] = roundings_at<Unit>(m, closed, looked_at(m, looked, l)); });
}

/* --- of a row of the list, chosen once for all of a phase (cuda/choose.h) --- */

enum row {
#define STEEP_UNIT(id, unit, parts, ...) ROW_##id,
#include "model/units/list.h"
    ROWS_OF_LIST
};

STEEP_ELSEWHERE void row_values(const block &team, size_t row, const model &m, double *y);
STEEP_ELSEWHERE void row_jacobian(const block &team, size_t row, const model &m, int first, int size, double *J, int ld,
                                  double *y);
STEEP_ELSEWHERE void row_roundings(const block &team, size_t row, const model &m, const unsigned char *closed,
                                   int looked, double *sum);

} // namespace steep

#endif
