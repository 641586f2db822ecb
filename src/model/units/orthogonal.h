/* SPDX-License-Identifier: GPL-3.0-or-later */
/* orthogonal: h = sum_{k=0..n} a_k He_k(z) / k!, n = degree (paper "Polynomial, trigonometric, and tropical
 * activations"). u = (z, a_0..a_n), a shared. With p_k = He_k / k!: p_{k+1} = (z p_k - p_{k-1}) / (k + 1) and p_k' =
 * p_{k-1}. Input and output are not normalised: the start has the paper's a_k without its division by sqrt e, since the
 * output weights take over that factor. */
#pragma once

#include <math.h>

#include "model/unit.h"

/* Adds term k. On entry p holds p_k, p_{k-1}, p_{k-2} over the points, on return the next three. */
STEEP_INLINE void steep_hermite_term(int k, double *const p[3], steep_tile t)
{
    const double *z = t.in[0], *a = t.in[1 + k];
    double *p0 = p[0], *p1 = p[1], *p2 = p[2];
    STEEP_INDEPENDENT for (size_t i = 0; i < t.count; i++)
    {
        t.h[i] += a[i] * p0[i];
        if (t.order >= 1) t.g[0][i] += a[i] * p1[i];
        if (t.order >= 1) t.g[1 + k][i] = p0[i];
        if (t.order >= 2) t.H[0][i] += a[i] * p2[i];
        if (t.order >= 2) t.H[(1 + k) * (2 + k) / 2][i] = p1[i];
        const double next = (z[i] * p0[i] - p1[i]) / (k + 1);
        p2[i] = p1[i];
        p1[i] = p0[i];
        p0[i] = next;
    }
}

STEEP_INLINE void steep_hermite_tile(const steep_choice *choice, const steep_tile *t)
{
    double p0[STEEP_COLUMN(STEEP_TILE)], p1[STEEP_COLUMN(STEEP_TILE)], p2[STEEP_COLUMN(STEEP_TILE)];
    double *const p[3] = {p0, p1, p2};
    steep_series_open(choice->degree + 2, p, t);
    for (int k = 0; k <= choice->degree; k++)
        STEEP_BY_ORDER(t->order, steep_hermite_term, k, p, steep_tile_of(t, ORDER))
}

STEEP_COUNTS(hermite, 1, 0, 0, choice->degree + 1)

/* a_0 = sqrt(1 - 1/n!), a_k = 1 */
STEEP_INLINE void steep_hermite_start(const steep_choice *choice, double *scalars, double *shared_scalars)
{
    double factorial = 1.0;
    (void)scalars;
    for (int k = 1; k <= choice->degree; k++) {
        factorial *= k;
        shared_scalars[k] = 1.0;
    }
    shared_scalars[0] = sqrt(1.0 - 1.0 / factorial);
}
