/* SPDX-License-Identifier: GPL-3.0-or-later */
/* blend: h = [w silu(z_g) + (1 - w) gelu(z_g)] z_u + a z_r, w = sigmoid(e) (paper "Adaptive activation blending", eq.
 * 1). u = (z_g, z_u, z_r, e, a): e is the unit's own, a is shared. Variants of the paper: e shared, no a z_r. */
#pragma once

#include "model/activation_jet.h"
#include "model/unit.h"

STEEP_INLINE void steep_blend(const steep_choice *choice, const double *u, int order, double *h, double *g, double *H)
{
    double silu[3], gelu[3], w, c;
    (void)choice;
    steep_silu_jet(u[0], order, silu);
    steep_gelu_jet(u[0], order, gelu);
    steep_sigmoid_pair(u[3], &w, &c);
    const double gate = w * silu[0] + c * gelu[0];
    *h = gate * u[1] + u[4] * u[2];
    if (order < 1) return;
    const double slope = w * silu[1] + c * gelu[1], mixed = w * c * (silu[0] - gelu[0]);
    g[0] = slope * u[1];
    g[1] = gate;
    g[2] = u[4];
    g[3] = mixed * u[1];
    g[4] = u[2];
    if (order < 2) return;
    STEEP_UNROLL for (int p = 0; p < 15; p++) H[p] = 0.0;
    H[0] = (w * silu[2] + c * gelu[2]) * u[1];
    H[1] = slope;                              /* z_u z_g */
    H[6] = w * c * (silu[1] - gelu[1]) * u[1]; /* e z_g */
    H[7] = mixed;                              /* e z_u */
    H[9] = (c - w) * mixed * u[1];             /* e e */
    H[12] = 1.0;                               /* a z_r */
}

STEEP_POINT_TILE(blend, 5)

STEEP_COUNTS(blend, 3, 1, 0, 1)

STEEP_START(blend, scalars[0] = 2.0, shared[0] = 0.1)

/* Without the residual a z_r: u = (z_g, z_u, e). */
STEEP_INLINE void steep_blend_plain(const steep_choice *choice, const double *u, int order, double *h, double *g,
                                    double *H)
{
    const double all[5] = {u[0], u[1], 0.0, u[2], 0.0};
    double d[5], dd[15];
    steep_blend(choice, all, order, h, d, dd);
    if (order >= 1) g[0] = d[0], g[1] = d[1], g[2] = d[3];
    if (order < 2) return;
    H[0] = dd[0], H[1] = dd[1], H[2] = dd[2]; /* z_g z_g, z_u z_g, z_u z_u */
    H[3] = dd[6], H[4] = dd[7], H[5] = dd[9]; /* e z_g, e z_u, e e */
}

STEEP_POINT_TILE(blend_plain, 3)

STEEP_COUNTS(blend_plain, 2, 1, 0, 0)

/* One mixing weight for the whole layer: e is the first of the shared scalars, at the same place of u. */
STEEP_COUNTS(blend_layer, 3, 0, 0, 2)

STEEP_COUNTS(blend_layer_plain, 2, 0, 0, 1)

STEEP_START(blend_plain, scalars[0] = 2.0)

STEEP_START(blend_layer, shared[0] = 2.0, shared[1] = 0.1)

STEEP_START(blend_layer_plain, shared[0] = 2.0)
