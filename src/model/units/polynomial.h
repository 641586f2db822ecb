/* SPDX-License-Identifier: GPL-3.0-or-later */
/* polynomial: polynorm, h = a_0 + sum_{i=1..r} a_i z^i / sqrt(q_i + eps), r = degree (paper "Polynomial composition
 * activations", eq. 3). u = (z, a_0..a_r, q_1..q_r), a shared; q_i = (1/n) sum over the units of z^{2 i}, so that
 * sqrt(q_i) is the rms of z^i over the layer, as in the paper's code; its formula has the 2-norm, which is sqrt n times
 * larger. eps = 1e-6, as its code. */
#ifndef STEEP_MODEL_UNITS_POLYNOMIAL_H
#define STEEP_MODEL_UNITS_POLYNOMIAL_H

#include <math.h>

#include "model/unit.h"

#define STEEP_POLYNORM_EPS 1e-6

STEEP_INLINE void steep_polynorm(const steep_choice *choice, const double *u, int order, double *h, double *g,
                                 double *H)
{
    const int r = choice->degree, m = 2 * r + 2;
    double value = u[1], slope = 0.0, bend = 0.0, p2 = 0.0, p1 = 1.0; /* z^{i-2}, z^{i-1} */
    if (order >= 1) g[1] = 1.0;
    for (int j = 0; order >= 2 && j < m * (m + 1) / 2; j++) H[j] = 0.0;
    for (int i = 1; i <= r; i++) {
        const int a = 1 + i, q = 1 + r + i; /* places of a_i and q_i */
        const double p0 = p1 * u[0], s = 1.0 / (u[q] + STEEP_POLYNORM_EPS), n0 = sqrt(s);
        const double n1 = -0.5 * n0 * s, n2 = 0.75 * n0 * s * s; /* derivatives of (q + eps)^{-1/2} */
        value += u[a] * p0 * n0;
        slope += u[a] * i * p1 * n0;
        bend += i > 1 ? u[a] * i * (i - 1) * p2 * n0 : 0.0;
        if (order >= 1) {
            g[a] = p0 * n0;
            g[q] = u[a] * p0 * n1;
        }
        if (order >= 2) {
            H[a * (a + 1) / 2] = i * p1 * n0;
            H[q * (q + 1) / 2] = u[a] * i * p1 * n1;
            H[q * (q + 1) / 2 + a] = p0 * n1;
            H[q * (q + 1) / 2 + q] = u[a] * p0 * n2;
        }
        p2 = p1;
        p1 = p0;
    }
    *h = value;
    if (order >= 1) g[0] = slope;
    if (order >= 2) H[0] = bend;
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
}

/* a_0 = 0, a_i = 1/r */
STEEP_INLINE void steep_polynorm_start(const steep_choice *choice, double *scalars, double *shared_scalars)
{
    (void)scalars;
    shared_scalars[0] = 0.0;
    for (int i = 1; i <= choice->degree; i++) shared_scalars[i] = 1.0 / choice->degree;
}

#endif
