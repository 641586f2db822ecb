/* SPDX-License-Identifier: GPL-3.0-or-later */
/* polyrelu: polynomials of a kinked line (paper "Polynomial composition activations", section 2), r = degree.
 *
 *   prelu         z for z >= 0, p z below, p learned                                u = (z, p)
 *   polyrelu      sum_{i=0..r} a_i v^i, v = relu(z)                                 u = (z, a_0..a_r)
 *   polyprelu     the same, v = prelu(z)                                            u = (z, a_0..a_r, p)
 *   polyrelunorm  a_0 + sum_{i=1..r} a_i v^i / rms(v^i), v = relu(z)                u = (z, a_0..a_r, q_1..q_r)
 *
 * a and p are shared; q and the rms are those of units/polynomial.h, of v in place of z. The derivative of relu at 0 is
 * 0, that of prelu 1. PReLU: He, Zhang, Ren, Sun 2015, "Delving deep into rectifiers", equation 1. */
#pragma once

#include "model/activation_jet.h"
#include "model/units/polynomial.h"

/* v over a tile, with its slope in z and, for prelu, in p and in z and p. */
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

/* --- prelu --- */

STEEP_INLINE void steep_prelu_tile(const steep_choice *choice, size_t count, const double *const *in, int order,
                                   double *h, double *const *g, double *const *H)
{
    steep_line line;
    (void)choice;
    steep_line_prelu(count, in[0], in[1], &line);
    memcpy(h, line.v, count * sizeof *h);
    if (order >= 1) {
        memcpy(g[0], line.z, count * sizeof *h);
        memcpy(g[1], line.p, count * sizeof *h);
    }
    if (order >= 2) {
        steep_fill(count, 0.0, H[0]);
        memcpy(H[1], line.zp, count * sizeof *h);
        steep_fill(count, 0.0, H[2]);
    }
}

STEEP_COUNTS(prelu, 1, 0, 0, 1)

/* p = 1/4, as He and others begin. */
STEEP_START(prelu, shared[0] = 0.25)

/* A sum S = sum a_i v^i in the making: its derivatives in v, and v^i, v^{i-1}, v^{i-2}. */
typedef struct steep_powers {
    double S1[STEEP_COLUMN(STEEP_TILE)], S2[STEEP_COLUMN(STEEP_TILE)], p0[STEEP_COLUMN(STEEP_TILE)],
        p1[STEEP_COLUMN(STEEP_TILE)], p2[STEEP_COLUMN(STEEP_TILE)];
} steep_powers;

/* Adds a_i v^i, with the derivatives in a_i and in a_i and z. */
STEEP_INLINE void steep_powers_term(int i, size_t count, const double *a, const steep_line *line, int order, double *h,
                                    double *const *g, double *const *H, steep_powers *s)
{
    double *slope = order >= 1 ? g[1 + i] : NULL, *row = order >= 2 ? H[(1 + i) * (2 + i) / 2] : NULL;
    STEEP_INDEPENDENT for (size_t k = 0; k < count; k++)
    {
        h[k] += a[k] * s->p0[k];
        if (order >= 2) {
            s->S2[k] += a[k] * i * (i - 1) * s->p2[k];
            row[k] = i * s->p1[k] * line->z[k];
            s->p2[k] = s->p1[k];
        }
        if (order >= 1) {
            s->S1[k] += a[k] * i * s->p1[k];
            slope[k] = s->p0[k];
            s->p1[k] = s->p0[k];
        }
        s->p0[k] *= line->v[k];
    }
}

/* h, its derivatives in z and a, with m inputs in all; s has the derivatives in v. */
STEEP_INLINE void steep_powers_sum(int r, int m, size_t count, const double *const *in, const steep_line *line,
                                   int order, double *h, double *const *g, double *const *H, steep_powers *s)
{
    steep_fill(count, 0.0, h);
    steep_fill(count, 0.0, s->S1);
    steep_fill(count, 0.0, s->S2);
    steep_fill(count, 1.0, s->p0);
    steep_fill(count, 0.0, s->p1);
    steep_fill(count, 0.0, s->p2);
    for (int j = 0; order >= 2 && j < m * (m + 1) / 2; j++) steep_fill(count, 0.0, H[j]);
    for (int i = 0; i <= r; i++) STEEP_BY_ORDER(steep_powers_term, i, count, in[1 + i], line, ORDER, h, g, H, s)
    STEEP_INDEPENDENT for (size_t k = 0; k < count; k++)
    {
        if (order >= 1) g[0][k] = s->S1[k] * line->z[k];
        if (order >= 2) H[0][k] = s->S2[k] * (line->z[k] * line->z[k]);
    }
}

/* --- polyrelu --- */

STEEP_INLINE void steep_polyrelu_tile(const steep_choice *choice, size_t count, const double *const *in, int order,
                                      double *h, double *const *g, double *const *H)
{
    steep_line line;
    steep_powers s;
    steep_line_relu(count, in[0], &line);
    steep_powers_sum(choice->degree, choice->degree + 2, count, in, &line, order, h, g, H, &s);
}

STEEP_COUNTS(polyrelu, 1, 0, 0, choice->degree + 1)

STEEP_START(polyrelu, steep_polynorm_start(choice, scalars, shared))

/* --- polyprelu --- */

STEEP_INLINE void steep_polyprelu_tile(const steep_choice *choice, size_t count, const double *const *in, int order,
                                       double *h, double *const *g, double *const *H)
{
    const int r = choice->degree, P = r + 2;
    steep_line line;
    steep_powers s;
    steep_line_prelu(count, in[0], in[P], &line);
    steep_powers_sum(r, r + 3, count, in, &line, order, h, g, H, &s);
    double *const *row = order >= 2 ? H + P * (P + 1) / 2 : H;
    for (size_t k = 0; order >= 1 && k < count; k++) g[P][k] = s.S1[k] * line.p[k];
    for (size_t k = 0; order >= 2 && k < count; k++) {
        row[0][k] = s.S2[k] * line.z[k] * line.p[k] + s.S1[k] * line.zp[k];
        row[P][k] = s.S2[k] * (line.p[k] * line.p[k]);
    }
    steep_fill(count, 1.0, s.p0);
    for (int i = 1; order >= 2 && i <= r; i++)
        for (size_t k = 0; k < count; k++) {
            row[1 + i][k] = i * s.p0[k] * line.p[k];
            s.p0[k] *= line.v[k];
        }
}

STEEP_COUNTS(polyprelu, 1, 0, 0, choice->degree + 2)

/* As polynorm, p as prelu: the paper has p learned and names no start. */
STEEP_START(polyprelu, steep_polynorm_start(choice, scalars, shared),
            steep_prelu_start(choice, scalars, shared + choice->degree + 1))

/* --- polyrelunorm --- */

/* polynorm's; the moments are of v. */
#define steep_polyrelunorm_counts  steep_polynorm_counts
#define steep_polyrelunorm_prepare steep_polynorm_prepare

STEEP_START(polyrelunorm, steep_polynorm_start(choice, scalars, shared))

/* polynorm of v, then the chain rule: every derivative in z takes v' once, the second in z twice; v'' = 0. */
STEEP_INLINE void steep_polyrelunorm_tile(const steep_choice *choice, size_t count, const double *const *in, int order,
                                          double *h, double *const *g, double *const *H)
{
    const int m = 2 * choice->degree + 2, columns = m + 3 * choice->degree;
    const double *own[STEEP_MAX_COLUMNS];
    steep_line line;
    steep_line_relu(count, in[0], &line);
    for (int i = 1; i < columns; i++) own[i] = in[i];
    own[0] = line.v;
    steep_polynorm_tile(choice, count, own, order, h, g, H);
    for (size_t k = 0; order >= 1 && k < count; k++) g[0][k] *= line.z[k];
    for (size_t k = 0; order >= 2 && k < count; k++) H[0][k] *= line.z[k];
    for (int i = 0; order >= 2 && i < m; i++)
        for (size_t k = 0; k < count; k++) H[i * (i + 1) / 2][k] *= line.z[k];
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
