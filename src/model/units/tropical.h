/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tropical: convex piecewise linear functions and their differences (paper "Polynomial, trigonometric, and tropical
 * activations"), n = degree.
 *
 *   tropical           (sqrt 2 / n) max_{k=0..n} (a_k + k z)                           u = (z, a_0..a_n)
 *   tropical-rational  max_{k=0..n} (a_k + p_k z) - max_{k=0..n} (b_k + q_k z)         u = (z, a_0, p_0, .., a_n, p_n,
 *                                                                                            b_0, q_0, .., b_n, q_n)
 *
 * All derivatives are those of the largest term; of equal terms the first counts. */
#pragma once

#include <math.h>

#include "model/activation_jet.h"
#include "model/unit.h"

#define STEEP_SQRT2 0x1.6a09e667f3bcdp+0

/* The largest term over a tile: its value, its slope and its number k. NaN stays NaN. */
typedef struct steep_largest {
    double value[STEEP_COLUMN(STEEP_TILE)], slope[STEEP_COLUMN(STEEP_TILE)], which[STEEP_COLUMN(STEEP_TILE)];
} steep_largest;

STEEP_INLINE void steep_largest_open(size_t count, steep_largest *most)
{
    steep_fill(count, -INFINITY, most->value);
    steep_fill(count, 0.0, most->slope);
    steep_fill(count, 0.0, most->which);
}

/* Takes term k, a + p z, where it is larger than the largest so far; p NULL: the slope is k. */
STEEP_INLINE void steep_largest_term(int k, size_t count, const double *z, const double *a, const double *p,
                                     steep_largest *most)
{
    STEEP_INDEPENDENT for (size_t i = 0; i < count; i++)
    {
        const double slope = p ? p[i] : k, value = a[i] + slope * z[i];
        const int better = (value > most->value[i]) | (value != value);
        most->value[i] = steep_select(better, value, most->value[i]);
        most->slope[i] = steep_select(better, slope, most->slope[i]);
        most->which[i] = steep_select(better, k, most->which[i]);
    }
}

STEEP_INLINE void steep_tropical_tile(const steep_choice *choice, const steep_tile *t)
{
    const int n = choice->degree, m = n + 2;
    const double scale = STEEP_SQRT2 / n;
    steep_largest most;
    steep_largest_open(t->count, &most);
    for (int k = 0; k <= n; k++) steep_largest_term(k, t->count, t->in[0], t->in[1 + k], NULL, &most);
    for (size_t i = 0; i < t->count; i++) t->h[i] = scale * most.value[i];
    for (size_t i = 0; t->order >= 1 && i < t->count; i++) t->g[0][i] = scale * most.slope[i];
    for (int k = 0; t->order >= 1 && k <= n; k++) {
        double *slope = t->g[1 + k];
        STEEP_INDEPENDENT for (size_t i = 0; i < t->count; i++) slope[i] = steep_select(most.which[i] == k, scale, 0.0);
    }
    for (int j = 0; t->order >= 2 && j < m * (m + 1) / 2; j++) steep_fill(t->count, 0.0, t->H[j]);
}

STEEP_COUNTS(tropical, 1, 0, 0, choice->degree + 1)

/* a_k = 1: the gain goes to 1 as n grows. */
STEEP_START(tropical, steep_fill((size_t)choice->degree + 1, 1.0, shared))

/* The derivatives in the coefficients of one maximum, which h contains with this sign; they begin at input `from`. */
STEEP_INLINE void steep_largest_derivatives(int n, int from, double sign, const steep_largest *most,
                                            const steep_tile *t)
{
    const double *z = t->in[0];
    for (int k = 0; k <= n; k++) {
        const int A = from + 2 * k, P = A + 1;
        double *mixed = t->order >= 2 ? t->H[P * (P + 1) / 2] : NULL;
        STEEP_INDEPENDENT for (size_t i = 0; i < t->count; i++)
        {
            const double one = steep_select(most->which[i] == k, sign, 0.0);
            t->g[A][i] = one;
            t->g[P][i] = one * z[i];
            if (t->order >= 2) mixed[i] = one;
        }
    }
}

STEEP_INLINE void steep_tropical_rational_tile(const steep_choice *choice, const steep_tile *t)
{
    const int n = choice->degree, B = 3 + 2 * n, m = 5 + 4 * n;
    steep_largest over, under;
    const double *const *in = t->in;
    steep_largest_open(t->count, &over);
    steep_largest_open(t->count, &under);
    for (int k = 0; k <= n; k++) {
        steep_largest_term(k, t->count, in[0], in[1 + 2 * k], in[2 + 2 * k], &over);
        steep_largest_term(k, t->count, in[0], in[B + 2 * k], in[B + 1 + 2 * k], &under);
    }
    for (size_t i = 0; i < t->count; i++) t->h[i] = over.value[i] - under.value[i];
    if (t->order < 1) return;
    for (size_t i = 0; i < t->count; i++) t->g[0][i] = over.slope[i] - under.slope[i];
    for (int j = 0; t->order >= 2 && j < m * (m + 1) / 2; j++) steep_fill(t->count, 0.0, t->H[j]);
    steep_largest_derivatives(n, 1, 1.0, &over, t);
    steep_largest_derivatives(n, B, -1.0, &under, t);
}

STEEP_COUNTS(tropical_rational, 1, 0, 0, 4 * (choice->degree + 1))

/* Fitted to gelu: gelu'' > -c for c = 1/4, so gelu(z) + c z^2/2 and c z^2/2 are convex. Each maximum is taken over
 * tangents of one of them at n + 1 places equally spaced on [-3, 3]. The difference equals gelu at these places. */
STEEP_INLINE void steep_tropical_rational_start(const steep_choice *choice, double *scalars, double *shared_scalars)
{
    const int n = choice->degree;
    const double c = 0.25;
    (void)scalars;
    for (int k = 0; k <= n; k++) {
        const double t = -3.0 + 6.0 * k / n;
        double gelu[3], *over = shared_scalars + 2 * k, *under = over + 2 * (n + 1);
        steep_gelu_jet(t, 1, gelu);
        under[1] = c * t;
        under[0] = -0.5 * c * t * t;
        over[1] = gelu[1] + under[1];
        over[0] = gelu[0] - gelu[1] * t + under[0];
    }
}
