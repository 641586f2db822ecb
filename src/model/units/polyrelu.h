/* SPDX-License-Identifier: GPL-3.0-or-later */
/* polyrelu: polynomials of a kinked line (paper "Polynomial composition activations", section 2), r = degree.
 *
 *   prelu         z for z >= 0, p z below, p learned                                u = (z, p)
 *   polyrelu      sum_{i=0..r} a_i v^i, v = relu(z)                                 u = (z, a_0..a_r)
 *   polyprelu     the same, v = prelu(z)                                            u = (z, a_0..a_r, p)
 *   polyrelunorm  a_0 + sum_{i=1..r} a_i v^i / rms(v^i), v = relu(z)                u = (z, a_0..a_r, q_1..q_r)
 *
 * a and p are shared; q and the rms are as in units/polynomial.h, with v in place of z. At 0 the derivative of relu is
 * 0, that of prelu 1. PReLU: He, Zhang, Ren, Sun 2015, "Delving deep into rectifiers", equation 1. */
#pragma once

#include "model/activation_jet.h"
#include "model/units/polynomial.h"

/* v over a tile, with its derivatives dv/dz and, for prelu, dv/dp and d2v/dz dp. */
typedef struct steep_line {
    double v[STEEP_COLUMN(STEEP_TILE)], z[STEEP_COLUMN(STEEP_TILE)], p[STEEP_COLUMN(STEEP_TILE)],
        zp[STEEP_COLUMN(STEEP_TILE)];
} steep_line;

STEEP_INLINE void steep_line_relu(size_t count, const double *z, steep_line *line)
{
    double *const jets[3] = {line->v, line->z, NULL};
    steep_activation_columns(STEEP_RELU, count, z, 1, jets);
}

STEEP_INLINE void steep_line_prelu(size_t count, const double *z, const double *p, steep_line *line)
{
    STEEP_INDEPENDENT for (size_t k = 0; k < count; k++)
    {
        const int right = z[k] >= 0.0;
        line->v[k] = steep_select(right, z[k], p[k] * z[k]);
        line->z[k] = steep_select(right, 1.0, p[k]);
        line->p[k] = steep_select(right, 0.0, z[k]);
        line->zp[k] = steep_select(right, 0.0, 1.0);
    }
}

STEEP_INLINE void steep_prelu_tile(const steep_choice *choice, const steep_tile *t)
{
    const size_t size = t->count * sizeof *t->h;
    steep_line line;
    (void)choice;
    steep_line_prelu(t->count, t->in[0], t->in[1], &line);
    memcpy(t->h, line.v, size);
    if (t->order >= 1) {
        memcpy(t->g[0], line.z, size);
        memcpy(t->g[1], line.p, size);
    }
    if (t->order >= 2) {
        steep_fill(t->count, 0.0, t->H[0]);
        memcpy(t->H[1], line.zp, size);
        steep_fill(t->count, 0.0, t->H[2]);
    }
}

STEEP_COUNTS(prelu, 1, 0, 0, 1)

/* p starts at 1/4, as in He et al. */
STEEP_START(prelu, shared[0] = 0.25)

/* Adds a_i v^i, with derivatives in v and a_i. On entry p holds v^i, v^{i-1}, v^{i-2}, on return the next three. */
STEEP_INLINE void steep_powers_term(int i, const double *v, double *const p[3], steep_tile t)
{
    const double *a = t.in[1 + i];
    double *slope = t.order >= 1 ? t.g[1 + i] : NULL, *row = t.order >= 2 ? t.H[(1 + i) * (2 + i) / 2] : NULL;
    double *p0 = p[0], *p1 = p[1], *p2 = p[2];
    STEEP_INDEPENDENT for (size_t k = 0; k < t.count; k++)
    {
        t.h[k] += a[k] * p0[k];
        if (t.order >= 1) t.g[0][k] += a[k] * i * p1[k];
        if (t.order >= 1) slope[k] = p0[k];
        if (t.order >= 2) t.H[0][k] += a[k] * i * (i - 1) * p2[k];
        if (t.order >= 2) row[k] = i * p1[k];
        p2[k] = p1[k];
        p1[k] = p0[k];
        p0[k] *= v[k];
    }
}

/* h = sum_i a_i v^i for a unit of m inputs, with its derivatives in v and a. */
STEEP_INLINE void steep_powers_sum(int r, int m, const double *v, const steep_tile *t)
{
    double p0[STEEP_COLUMN(STEEP_TILE)], p1[STEEP_COLUMN(STEEP_TILE)], p2[STEEP_COLUMN(STEEP_TILE)];
    double *const p[3] = {p0, p1, p2};
    steep_series_open(m, p, t);
    for (int i = 0; i <= r; i++) STEEP_BY_ORDER(t->order, steep_powers_term, i, v, p, steep_tile_of(t, ORDER))
}

/* The chain rule from v to z for m inputs: derivatives in v are multiplied by v', the second one by v'^2; v'' = 0. */
STEEP_INLINE void steep_line_chain(int m, const double *slope, const steep_tile *t)
{
    for (size_t k = 0; t->order >= 1 && k < t->count; k++) t->g[0][k] *= slope[k];
    for (size_t k = 0; t->order >= 2 && k < t->count; k++) t->H[0][k] *= slope[k] * slope[k];
    for (int i = 1; t->order >= 2 && i < m; i++)
        for (size_t k = 0; k < t->count; k++) t->H[i * (i + 1) / 2][k] *= slope[k];
}

STEEP_INLINE void steep_polyrelu_tile(const steep_choice *choice, const steep_tile *t)
{
    steep_line line;
    steep_line_relu(t->count, t->in[0], &line);
    steep_powers_sum(choice->degree, choice->degree + 2, line.v, t);
    steep_line_chain(choice->degree + 2, line.z, t);
}

STEEP_COUNTS(polyrelu, 1, 0, 0, choice->degree + 1)

STEEP_START(polyrelu, steep_polynorm_start(choice, scalars, shared))

STEEP_INLINE void steep_polyprelu_tile(const steep_choice *choice, const steep_tile *t)
{
    const int r = choice->degree, P = r + 2;
    steep_line line;
    steep_line_prelu(t->count, t->in[0], t->in[P], &line);
    steep_powers_sum(r, r + 3, line.v, t);
    double *const *g = t->g, *const *H = t->H, *const *row = t->order >= 2 ? H + P * (P + 1) / 2 : H;
    for (size_t k = 0; t->order >= 1 && k < t->count; k++) g[P][k] = g[0][k] * line.p[k];
    for (size_t k = 0; t->order >= 2 && k < t->count; k++) {
        row[0][k] = H[0][k] * line.z[k] * line.p[k] + g[0][k] * line.zp[k];
        row[P][k] = H[0][k] * (line.p[k] * line.p[k]);
    }
    for (int i = 2; t->order >= 2 && i < P; i++)
        for (size_t k = 0; k < t->count; k++) row[i][k] = H[i * (i + 1) / 2][k] * line.p[k];
    steep_line_chain(P, line.z, t);
}

STEEP_COUNTS(polyprelu, 1, 0, 0, choice->degree + 2)

/* a starts as in polynorm, p as in prelu: the paper has p learned and names no start. */
STEEP_START(polyprelu, steep_polynorm_start(choice, scalars, shared),
            steep_prelu_start(choice, scalars, shared + choice->degree + 1))

/* Counts and prepare are polynorm's; the moments are those of v. */
#define steep_polyrelunorm_counts  steep_polynorm_counts
#define steep_polyrelunorm_prepare steep_polynorm_prepare

STEEP_START(polyrelunorm, steep_polynorm_start(choice, scalars, shared))

/* polynorm of v, then the chain rule. */
STEEP_INLINE void steep_polyrelunorm_tile(const steep_choice *choice, const steep_tile *t)
{
    const int m = 2 * choice->degree + 2, columns = m + 3 * choice->degree;
    const double *own[STEEP_MAX_COLUMNS];
    steep_tile of_v = *t;
    steep_line line;
    steep_line_relu(t->count, t->in[0], &line);
    for (int i = 1; i < columns; i++) own[i] = t->in[i];
    own[0] = line.v;
    of_v.in = own;
    steep_polynorm_tile(choice, &of_v);
    steep_line_chain(m, line.z, t);
}

STEEP_INLINE void steep_polyrelunorm_moment(const steep_choice *choice, double z, double *m, double *d1, double *d2)
{
    const int open = z > 0.0;
    steep_polynorm_moment(choice, z, m, d1, d2);
    for (int i = 0; i < choice->degree; i++) {
        m[i] = open ? m[i] : 0.0 * z;
        d1[i] = open ? d1[i] : 0.0;
        d2[i] = open ? d2[i] : 0.0;
    }
}
