/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fourier: trigonometric polynomials (paper "Polynomial, trigonometric, and tropical activations"), n = degree.
 *
 *   fourier        a_0 + sum_{k=1..n} (a_k cos kz + b_k sin kz) / k!            u = (z, a_0, a_1, b_1, .., a_n, b_n)
 *   fourier-phase  a_0 + sqrt 2 sum_{k=1..n} a_k cos(f_k z - phi_k) / k!        u = (z, a_0, a_1, f_1, phi_1, ..)
 *
 * All coefficients are shared. Both start as the same function. Input and output are not normalised: the start has the
 * paper's coefficients without their division by sqrt(I_0(2)), since the output weights take over that factor. */
#pragma once

#include <math.h>

#include "model/unit.h"
#include "numerics/elementary.h"

/* Adds term k. first holds cos z, sin z over the points; now holds cos kz, sin kz, on return those of k + 1. */
STEEP_INLINE void steep_fourier_term(int k, double weight, double *const first[2], double *const now[2], steep_tile t)
{
    const int A = 2 * k, B = A + 1;
    const double *a = t.in[A], *b = t.in[B];
    double *a_row = t.order >= 2 ? t.H[A * (A + 1) / 2] : NULL, *b_row = t.order >= 2 ? t.H[B * (B + 1) / 2] : NULL;
    STEEP_INDEPENDENT for (size_t i = 0; i < t.count; i++)
    {
        const double c = now[0][i], s = now[1][i], value = weight * (a[i] * c + b[i] * s);
        t.h[i] += value;
        if (t.order >= 1) {
            t.g[0][i] += weight * k * (b[i] * c - a[i] * s);
            t.g[A][i] = weight * c;
            t.g[B][i] = weight * s;
        }
        if (t.order >= 2) {
            t.H[0][i] -= k * k * value;
            a_row[i] = -weight * k * s;
            b_row[i] = weight * k * c;
        }
        now[0][i] = c * first[0][i] - s * first[1][i];
        now[1][i] = s * first[0][i] + c * first[1][i];
    }
}

STEEP_INLINE void steep_fourier_tile(const steep_choice *choice, const steep_tile *t)
{
    double c1[STEEP_COLUMN(STEEP_TILE)], s1[STEEP_COLUMN(STEEP_TILE)], c[STEEP_COLUMN(STEEP_TILE)],
        s[STEEP_COLUMN(STEEP_TILE)], *const first[2] = {c1, s1}, *const now[2] = {c, s}, weight = 1.0;
    STEEP_INDEPENDENT for (size_t i = 0; i < t->count; i++) steep_sin_cos(t->in[0][i], &s1[i], &c1[i]);
    memcpy(c, c1, t->count * sizeof *c);
    memcpy(s, s1, t->count * sizeof *s);
    steep_sum_open(2 * choice->degree + 2, t);
    for (int k = 1; k <= choice->degree; k++) {
        weight /= k;
        STEEP_BY_ORDER(t->order, steep_fourier_term, k, weight, first, now, steep_tile_of(t, ORDER))
    }
}

STEEP_COUNTS(fourier, 1, 0, 0, 2 * choice->degree + 1)

/* a_0 = sqrt(1 - 1/(n!)^2), all others 1 */
STEEP_INLINE void steep_fourier_start(const steep_choice *choice, double *scalars, double *shared_scalars)
{
    double factorial = 1.0;
    (void)scalars;
    for (int k = 1; k <= choice->degree; k++) {
        factorial *= k;
        shared_scalars[2 * k - 1] = shared_scalars[2 * k] = 1.0;
    }
    shared_scalars[0] = sqrt(1.0 - 1.0 / (factorial * factorial));
}

/* Adds weight a cos(f z - phi). A is the place of a in u; f and phi follow it. */
STEEP_INLINE void steep_phase_term(int A, double weight, steep_tile t)
{
    const int F = A + 1, P = A + 2;
    const int all = t.order >= 2; /* t.H may be NULL otherwise */
    double *const *a_row = t.H + all * A * (A + 1) / 2, *const *f_row = t.H + all * F * (F + 1) / 2,
                  *const *p_row = t.H + all * P * (P + 1) / 2;
    STEEP_INDEPENDENT for (size_t i = 0; i < t.count; i++)
    {
        const double z = t.in[0][i], a = weight * t.in[A][i], f = t.in[F][i];
        double s, c;
        steep_sin_cos(f * z - t.in[P][i], &s, &c);
        t.h[i] += a * c;
        if (t.order >= 1) {
            t.g[0][i] -= a * f * s;
            t.g[A][i] = weight * c;
            t.g[F][i] = -a * z * s;
            t.g[P][i] = a * s;
        }
        if (t.order >= 2) {
            t.H[0][i] -= a * f * f * c;
            a_row[0][i] = -weight * f * s;
            f_row[0][i] = -a * (s + f * z * c);
            f_row[A][i] = -weight * z * s;
            f_row[F][i] = -a * z * z * c;
            p_row[0][i] = a * f * c;
            p_row[A][i] = weight * s;
            p_row[F][i] = a * z * c;
            p_row[P][i] = -a * c;
        }
    }
}

STEEP_INLINE void steep_fourier_phase_tile(const steep_choice *choice, const steep_tile *t)
{
    double weight = 0x1.6a09e667f3bcdp+0; /* sqrt 2 */
    steep_sum_open(3 * choice->degree + 2, t);
    for (int k = 1; k <= choice->degree; k++) {
        weight /= k;
        STEEP_BY_ORDER(t->order, steep_phase_term, 3 * k - 1, weight, steep_tile_of(t, ORDER))
    }
}

STEEP_COUNTS(fourier_phase, 1, 0, 0, 3 * choice->degree + 1)

/* a_0 as for fourier, a_k = 1, f_k = k, phi_k = pi/4 */
STEEP_INLINE void steep_fourier_phase_start(const steep_choice *choice, double *scalars, double *shared_scalars)
{
    steep_fourier_start(choice, scalars, shared_scalars);
    for (int k = 1; k <= choice->degree; k++) {
        shared_scalars[3 * k - 2] = 1.0;
        shared_scalars[3 * k - 1] = k;
        shared_scalars[3 * k] = 0x1.921fb54442d18p-1;
    }
}
