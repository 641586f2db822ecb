/* SPDX-License-Identifier: GPL-3.0-or-later */
/* polynomial: polynorm, h = a_0 + sum_{i=1..r} a_i z^i / sqrt(q_i + eps), r = degree (paper "Polynomial composition
 * activations", eq. 3). u = (z, a_0..a_r, q_1..q_r), a shared; q_i = (1/n) sum over the units of z^{2 i}, so that
 * sqrt(q_i) is the rms of z^i over the layer, as in the paper's code (algorithm 2), eps = 1e-6 as there. polynorm-l2 is
 * the same unit with the paper's formula: q_i the sum, sqrt(q_i) the 2-norm of z^i, sqrt n times the rms. The formula
 * has no eps, hence no value at z = 0; eps is kept. Its sum begins with i = 0, a_0 / sqrt n, which is a_0 here. */
#pragma once

#include <math.h>

#include "model/unit.h"

#define STEEP_POLYNORM_EPS 1e-6

/* (q_i + eps)^{-1/2} and its derivatives n1, n2, for i = 1..r: columns i - 1, r + i - 1, 2 r + i - 1. */
STEEP_INLINE void steep_polynorm_prepare(const steep_choice *choice, size_t count, const double *const *in, int order,
                                         double *const *prepared)
{
    const int r = choice->degree;
    for (int i = 0; i < r; i++) {
        const double *q = in[2 + r + i];
        double *n0 = prepared[i], *n1 = prepared[r + i], *n2 = prepared[2 * r + i];
        STEEP_INDEPENDENT for (size_t k = 0; k < count; k++) n0[k] = sqrt(1.0 / (q[k] + STEEP_POLYNORM_EPS));
        if (order >= 1)
            STEEP_INDEPENDENT for (size_t k = 0; k < count; k++) n1[k] = -0.5 * n0[k] / (q[k] + STEEP_POLYNORM_EPS);
        if (order >= 2)
            STEEP_INDEPENDENT for (size_t k = 0; k < count; k++) n2[k] = -1.5 * n1[k] / (q[k] + STEEP_POLYNORM_EPS);
    }
}

/* Adds term i. On entry p[0], p[1] hold z^{i-1}, z^{i-2} (0 for i = 1), on return the next two powers. */
STEEP_INLINE void steep_polynorm_term(int r, int i, double *const p[2], steep_tile t)
{
    const int A = 1 + i, Q = 1 + r + i, m = 2 * r + 2; /* places of a_i and q_i */
    double *p1 = p[0], *p2 = p[1], *const *a_row = t.order >= 2 ? t.H + A * (A + 1) / 2 : t.H;
    double *const *q_row = t.order >= 2 ? t.H + Q * (Q + 1) / 2 : t.H;
    const double *z = t.in[0], *a = t.in[A], *const *n = t.in + m + i - 1, *n0 = n[0], *n1 = n[r], *n2 = n[2 * r];
    STEEP_INDEPENDENT for (size_t k = 0; k < t.count; k++)
    {
        const double p0 = p1[k] * z[k];
        t.h[k] += a[k] * p0 * n0[k];
        if (t.order >= 1) {
            t.g[0][k] += a[k] * i * p1[k] * n0[k];
            t.g[A][k] = p0 * n0[k];
            t.g[Q][k] = a[k] * p0 * n1[k];
        }
        if (t.order >= 2) {
            t.H[0][k] += a[k] * i * (i - 1) * p2[k] * n0[k];
            a_row[0][k] = i * p1[k] * n0[k];
            q_row[0][k] = a[k] * i * p1[k] * n1[k];
            q_row[A][k] = p0 * n1[k];
            q_row[Q][k] = a[k] * p0 * n2[k];
        }
        p2[k] = p1[k];
        p1[k] = p0;
    }
}

STEEP_INLINE void steep_polynorm_tile(const steep_choice *choice, const steep_tile *t)
{
    const int r = choice->degree;
    double p1[STEEP_COLUMN(STEEP_TILE)], p2[STEEP_COLUMN(STEEP_TILE)], *const p[2] = {p1, p2};
    steep_fill(t->count, 1.0, p1);
    steep_fill(t->count, 0.0, p2);
    steep_sum_open(2 * r + 2, t);
    for (int i = 1; i <= r; i++) STEEP_BY_ORDER(t->order, steep_polynorm_term, r, i, p, steep_tile_of(t, ORDER))
}

/* m_i = z^{2 i} with two derivatives, i = 1..r */
STEEP_INLINE void steep_polynorm_moment(const steep_choice *choice, double z, double *m, double *d1, double *d2)
{
    double before = 1.0; /* z^{2 i - 2} */
    for (int i = 1; i <= choice->degree; i++) {
        m[i - 1] = before * z * z;
        d1[i - 1] = 2 * i * before * z;
        d2[i - 1] = 2 * i * (2 * i - 1) * before;
        before = m[i - 1];
    }
}

STEEP_INLINE void steep_polynorm_counts(const steep_choice *choice, steep_counts *counts)
{
    const size_t r = (size_t)choice->degree;
    steep_counts_set(counts, 1, 0, 0, r + 1, r);
    counts->prepared = 3 * r;
}

/* polynorm-l2 */
STEEP_INLINE void steep_polynorm_l2_counts(const steep_choice *choice, steep_counts *counts)
{
    steep_polynorm_counts(choice, counts);
    counts->summed = 1;
}

/* a_0 = 0, a_i = 1/r */
STEEP_START(polynorm, shared[0] = 0.0, steep_fill((size_t)choice->degree, 1.0 / choice->degree, shared + 1))

STEEP_START(polynorm_l2, steep_polynorm_start(choice, scalars, shared))
