/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gated: h = act(z_1) p(z_2, .., z_B) with a polynomial p (paper "GLU scaling slopes").
 *
 *   mlp    act(z_G)                             B = 1
 *   glu    act(z_G) z_U                         B = 2    (gqu2d too: there z_U is a quadratic polynomial of x)
 *   gqu    act(z_G) (z_U z_Q)                   B = 3
 *   gqu2   act(z_G) (z_U + z_S)                 B = 3    z_S = q . x^2
 *   gqu2a  act(z_G) (z_U + z_L^2)               B = 3    z_L = q . x (gqu2c: affine)
 *   gqu2b  act(z_G) (z_U + z_L^2 + z_C^3)       B = 4    z_L = q . x, z_C = p . x
 *   gatedk act(z_G) z_2 z_3 .. z_{k+1}          B = k + 1, k = 3, 4, 5 (k = 1 is glu, k = 2 gqu)
 *
 * Each is written as a core: a function of the gate's jet a = (act, act', act'')(z_1) and of u, free of the choice of
 * the activation, so that the loop over a tile holds no switch. p is formed first, then multiplied by the gate. */
#pragma once

#include "model/activation_jet.h"
#include "model/unit.h"

/* h = a p: from p; d: its gradient, then its packed lower Hessian, both over the n - 1 inputs after the gate. */
STEEP_INLINE void steep_gated_product(int n, const double *a, double p, const double *d, int order, double *h,
                                      double *g, double *H)
{
    *h = a[0] * p;
    if (order >= 1) {
        g[0] = a[1] * p;
        STEEP_UNROLL for (int i = 1; i < n; i++) g[i] = a[0] * d[i - 1];
    }
    if (order >= 2) {
        H[0] = a[2] * p;
        STEEP_UNROLL for (int i = 1; i < n; i++)
        {
            H[i * (i + 1) / 2] = a[1] * d[i - 1];
            STEEP_UNROLL for (int j = 1; j <= i; j++) H[i * (i + 1) / 2 + j] =
                a[0] * d[n - 1 + (i - 1) * i / 2 + j - 1];
        }
    }
}

/* Defines steep_<name>_core of a unit of n branches from p and the numbers d. */
#define STEEP_GATED_CORE(name, n, p, ...)                                                                              \
    STEEP_INLINE void steep_##name##_core(const double *a, const double *u, int order, double *h, double *g,           \
                                          double *H)                                                                   \
    {                                                                                                                  \
        const double d[] = {__VA_ARGS__};                                                                              \
        steep_gated_product((n), a, (p), d, order, h, g, H);                                                           \
    }
STEEP_GATED_CORE(glu, 2, u[1], 1.0, 0.0)
STEEP_GATED_CORE(gqu, 3, u[1] * u[2], u[2], u[1], 0.0, 1.0, 0.0)
STEEP_GATED_CORE(gqu2, 3, u[1] + u[2], 1.0, 1.0, 0.0, 0.0, 0.0)
STEEP_GATED_CORE(gqu2a, 3, u[1] + u[2] * u[2], 1.0, 2.0 * u[2], 0.0, 0.0, 2.0)
STEEP_GATED_CORE(gqu2b, 4, u[1] + u[2] * u[2] + u[3] * u[3] * u[3], 1.0, 2.0 * u[2], 3.0 * (u[3] * u[3]), 0.0, 0.0, 2.0,
                 0.0, 0.0, 6.0 * u[3])

/* Defines the counts of a unit that has branches alone; the last "others" of them have the map `other`. */
#define STEEP_GATED_COUNTS(name, B, others, other)                                                                     \
    STEEP_INLINE void steep_##name##_counts(const steep_choice *choice, steep_counts *counts)                          \
    {                                                                                                                  \
        (void)choice;                                                                                                  \
        steep_counts_set(counts, (B), 0, 0, 0, 0);                                                                     \
        for (int b = (B) - (others); b < (B); b++) counts->map[b] = (other);                                           \
    }
STEEP_GATED_COUNTS(mlp, 1, 0, STEEP_MAP_AFFINE)
STEEP_GATED_COUNTS(glu, 2, 0, STEEP_MAP_AFFINE)
STEEP_GATED_COUNTS(gqu, 3, 0, STEEP_MAP_AFFINE)
STEEP_GATED_COUNTS(gqu2, 3, 1, STEEP_MAP_SQUARES)
STEEP_GATED_COUNTS(gqu2a, 3, 1, STEEP_MAP_LINEAR)
STEEP_GATED_COUNTS(gqu2b, 4, 2, STEEP_MAP_LINEAR)
STEEP_GATED_COUNTS(gqu2d, 2, 1, STEEP_MAP_QUADRATIC)
STEEP_GATED_COUNTS(gated3, 4, 0, STEEP_MAP_AFFINE)
STEEP_GATED_COUNTS(gated4, 5, 0, STEEP_MAP_AFFINE)
STEEP_GATED_COUNTS(gated5, 6, 0, STEEP_MAP_AFFINE)

/* The loop over a tile, steep_<name>_tile. First the activation over the whole tile, its switch outside of the loop,
 * then the core, which is plain arithmetic: both vectorise. */
#define STEEP_GATED_LOOP(core, inputs, order)                                                                          \
    STEEP_INDEPENDENT for (size_t k = 0; k < t->count; k++)                                                            \
    {                                                                                                                  \
        double u_[(inputs)], g_[(inputs)], H_[(inputs) * ((inputs) + 1) / 2], a_[3];                                   \
        a_[0] = jet[0][k];                                                                                             \
        if ((order) >= 1) a_[1] = jet[1][k];                                                                           \
        if ((order) >= 2) a_[2] = jet[2][k];                                                                           \
        STEEP_UNROLL for (int i = 1; i < (inputs); i++) u_[i] = t->in[i][k];                                           \
        core(a_, u_, (order), &t->h[k], g_, H_);                                                                       \
        if ((order) >= 1) STEEP_UNROLL for (int i = 0; i < (inputs); i++) t->g[i][k] = g_[i];                          \
        if ((order) >= 2) STEEP_UNROLL for (int i = 0; i < (inputs) * ((inputs) + 1) / 2; i++) t->H[i][k] = H_[i];     \
    }
#define STEEP_GATED_TILE(name, inputs)                                                                                 \
    STEEP_INLINE void steep_##name##_tile(const steep_choice *choice, const steep_tile *t)                             \
    {                                                                                                                  \
        double jet[3][STEEP_COLUMN(STEEP_TILE)];                                                                       \
        double *const jets[3] = {jet[0], jet[1], jet[2]};                                                              \
        steep_activation_columns(choice->activation, t->count, t->in[0], t->order, jets);                              \
        STEEP_BY_ORDER(t->order, STEEP_GATED_LOOP, steep_##name##_core, inputs, ORDER)                                 \
    }
STEEP_GATED_TILE(glu, 2)
STEEP_GATED_TILE(gqu, 3)
STEEP_GATED_TILE(gqu2, 3)
STEEP_GATED_TILE(gqu2a, 3)
STEEP_GATED_TILE(gqu2b, 4)

/* out = scale times the product of m columns, m a constant. */
STEEP_INLINE void steep_columns_product(int m, size_t count, const double *scale, const double *const *column,
                                        double *out)
{
    STEEP_INDEPENDENT for (size_t k = 0; k < count; k++)
    {
        double product = column[0][k];
        STEEP_UNROLL for (int l = 1; l < m; l++) product *= column[l][k];
        out[k] = scale[k] * product;
    }
}

/* All factors except i and j. */
STEEP_INLINE void steep_other_factors(int n, const double *const *in, int i, int j, const double **others)
{
    for (int l = 1, m = 0; l < n; l++)
        if (l != i && l != j) others[m++] = in[l];
}

/* gatedk, one column at a time. A derivative by factors is the product of the other factors, formed anew without
 * division, so that zeros are harmless. */
STEEP_INLINE void steep_factors_tile(int n, const steep_choice *choice, const steep_tile *t)
{
    const size_t count = t->count;
    const double *const *in = t->in;
    double jet[3][STEEP_COLUMN(STEEP_TILE)];
    double *const jets[3] = {jet[0], jet[1], jet[2]};
    const double *others[STEEP_MAX_BRANCHES];
    steep_activation_columns(choice->activation, count, in[0], t->order, jets);
    steep_columns_product(n - 1, count, jet[0], in + 1, t->h);
    if (t->order >= 1) steep_columns_product(n - 1, count, jet[1], in + 1, t->g[0]);
    if (t->order >= 2) steep_columns_product(n - 1, count, jet[2], in + 1, t->H[0]);
    for (int i = 1; t->order >= 1 && i < n; i++) {
        steep_other_factors(n, in, i, i, others);
        steep_columns_product(n - 2, count, jet[0], others, t->g[i]);
        if (t->order < 2) continue;
        double *const *row = t->H + i * (i + 1) / 2;
        steep_columns_product(n - 2, count, jet[1], others, row[0]);
        steep_fill(count, 0.0, row[i]);
        for (int j = 1; j < i; j++) {
            steep_other_factors(n, in, i, j, others);
            steep_columns_product(n - 3, count, jet[0], others, row[j]);
        }
    }
}
#define STEEP_FACTORS_TILE(name, n)                                                                                    \
    STEEP_INLINE void steep_##name##_tile(const steep_choice *choice, const steep_tile *t)                             \
    {                                                                                                                  \
        steep_factors_tile((n), choice, t);                                                                            \
    }
STEEP_FACTORS_TILE(gated3, 4)
STEEP_FACTORS_TILE(gated4, 5)
STEEP_FACTORS_TILE(gated5, 6)

/* mlp is its activation. */
STEEP_INLINE void steep_mlp_tile(const steep_choice *choice, const steep_tile *t)
{
    double *const jets[3] = {t->h, t->order >= 1 ? t->g[0] : NULL, t->order >= 2 ? t->H[0] : NULL};
    steep_activation_columns(choice->activation, t->count, t->in[0], t->order, jets);
}
