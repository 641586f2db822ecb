/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mixture: activations sigma_1..sigma_C of a dictionary, mixed (paper "Mixture of activations", eqs. 3, 7, 10).
 *
 *   la      sum_c a_c sigma_c(z)                                    u = (z, a_1..a_C)
 *   moa     sum_c w_c(s) sigma_c(z)                                 u = (z, s_1..s_C)
 *   qd-moa  sum_{k<=l} w_kl(s) sigma_k(z_1) sigma_l(z_2)            u = (z_1, z_2, s_11, s_12, .., s_1C, s_22, ..)
 *
 * with w_c = phi(s_c), phi = tanh or sigmoid, or w = softmax(s) over all terms. All units have the same s, so the
 * weights of a tile are prepared once: T columns of w_c, T of phi'(s_c), T of phi''(s_c). Softmax couples the terms:
 * its second columns are 1, so that g holds the terms f_c themselves in place of their weighted derivatives. Then
 * steep_mix_softmax computes
 *   dh/ds_c = w_c o_c,   o_c = f_c - h,   d2h/ds_c ds_d = w_c (1 - 2 w_c) o_c for c = d, else -w_c w_d (o_c + o_d). */
#pragma once

#include "model/activation_jet.h"
#include "model/unit.h"

#define STEEP_MIX_BLOCK STEEP_COLUMN(64) /* points whose activations fit the first-level cache */

/* Columns w_c, 1 and 0 for w = softmax(s) over T terms. The largest s is subtracted, so that nothing overflows. */
STEEP_INLINE void steep_softmax_weights(int T, size_t count, const double *const *s, int order, double *const *w)
{
    double most[STEEP_COLUMN(STEEP_TILE)], sum[STEEP_COLUMN(STEEP_TILE)];
    STEEP_INDEPENDENT for (size_t k = 0; k < count; k++) most[k] = s[0][k];
    for (int c = 1; c < T; c++)
        STEEP_INDEPENDENT for (size_t k = 0; k < count; k++) most[k] =
            steep_select(s[c][k] > most[k], s[c][k], most[k]);
    steep_fill(count, 0.0, sum);
    for (int c = 0; c < T; c++)
        STEEP_INDEPENDENT for (size_t k = 0; k < count; k++) sum[k] += w[c][k] = steep_exp(s[c][k] - most[k]);
    for (int c = 0; c < T; c++) {
        STEEP_INDEPENDENT for (size_t k = 0; k < count; k++) w[c][k] /= sum[k];
        if (order >= 1) steep_fill(count, 1.0, w[T + c]);
        if (order >= 2) steep_fill(count, 0.0, w[2 * T + c]);
    }
}

/* Columns w_c, phi'(s_c), phi''(s_c) of T terms. */
STEEP_INLINE void steep_mix_weights(int gate, int T, size_t count, const double *const *s, int order, double *const *w)
{
    if (gate == STEEP_SOFTMAX) {
        steep_softmax_weights(T, count, s, order, w);
        return;
    }
    for (int c = 0; c < T; c++) {
        double *const jets[3] = {w[c], w[T + c], w[2 * T + c]};
        steep_activation_columns(gate, count, s[c], order, jets);
    }
}

/* steep_<name>_prepare: the weights of all terms, whose gates follow the branches. */
#define STEEP_MIX_PREPARE(name, branches, terms)                                                                       \
    STEEP_INLINE void steep_##name##_prepare(const steep_choice *choice, size_t count, const double *const *in,        \
                                             int order, double *const *prepared)                                       \
    {                                                                                                                  \
        steep_mix_weights(choice->gate, (terms), count, in + (branches), order, prepared);                             \
    }

/* The loops below are over a block of a tile: t.count points from point at on. */

/* The last step for softmax, once h and its slopes in z are complete: g[nz + c] is f_c, H[nz + c][a] is df_c/dz_a. */
STEEP_INLINE void steep_mix_softmax(int nz, int T, size_t at, const double *const *w, const steep_tile *t)
{
    const size_t n = t->count;
    double *const *g = t->g;
    for (int c = 0; c < T; c++) {
        double *off = g[nz + c] + at;
        STEEP_INDEPENDENT for (size_t k = 0; k < n; k++) off[k] -= t->h[at + k];
    }
    for (int c = 0; t->order >= 2 && c < T; c++) {
        double *const *row = t->H + (nz + c) * (nz + c + 1) / 2;
        const double *wc = w[c] + at, *off = g[nz + c] + at;
        for (int a = 0; a < nz; a++) {
            double *entry = row[a] + at;
            const double *slope = g[a] + at;
            STEEP_INDEPENDENT for (size_t k = 0; k < n; k++) entry[k] = wc[k] * (entry[k] - slope[k]);
        }
        for (int d = 0; d < c; d++) {
            double *entry = row[nz + d] + at;
            const double *wd = w[d] + at, *other = g[nz + d] + at;
            STEEP_INDEPENDENT for (size_t k = 0; k < n; k++) entry[k] = -wc[k] * wd[k] * (off[k] + other[k]);
        }
        double *entry = row[nz + c] + at;
        STEEP_INDEPENDENT for (size_t k = 0; k < n; k++) entry[k] = wc[k] * (1.0 - 2.0 * wc[k]) * off[k];
    }
    for (int c = 0; c < T; c++) {
        double *off = g[nz + c] + at;
        STEEP_INDEPENDENT for (size_t k = 0; k < n; k++) off[k] *= w[c][at + k];
    }
}

/* The activations of a branch over a block: sigma_c and derivatives at z. */
STEEP_INLINE void steep_block_set(const steep_choice *choice, size_t n, const double *z, int order,
                                  double (*jet)[3][STEEP_MIX_BLOCK])
{
    for (int c = 0; c < choice->terms; c++) {
        double *const jets[3] = {jet[c][0], jet[c][1], jet[c][2]};
        steep_activation_columns(choice->dictionary[c], n, z, order, jets);
    }
}

/* Adds term c of nz = 1 or 2 branches. w[j]: its weight and derivatives; a[j] and b[j]: the activations of z_1 and z_2
 * and their derivatives; with one branch 1 stands for the second activation. */
STEEP_INLINE void steep_mix_term(int nz, int c, size_t at, const double *const w[3], double (*a)[STEEP_MIX_BLOCK],
                                 double (*b)[STEEP_MIX_BLOCK], steep_tile t)
{
    double *const *row = t.order >= 2 ? t.H + (nz + c) * (nz + c + 1) / 2 : t.H;
    STEEP_INDEPENDENT for (size_t k = 0; k < t.count; k++)
    {
        const double other = nz == 2 ? b[0][k] : 1.0, f = a[0][k] * other;
        t.h[at + k] += w[0][k] * f;
        if (t.order >= 1) {
            const double f1 = a[1][k] * other, f2 = nz == 2 ? a[0][k] * b[1][k] : 0.0;
            t.g[0][at + k] += w[0][k] * f1;
            if (nz == 2) t.g[1][at + k] += w[0][k] * f2;
            t.g[nz + c][at + k] = w[1][k] * f;
            if (t.order >= 2) {
                t.H[0][at + k] += w[0][k] * (a[2][k] * other);
                if (nz == 2) t.H[1][at + k] += w[0][k] * (a[1][k] * b[1][k]);
                if (nz == 2) t.H[2][at + k] += w[0][k] * (a[0][k] * b[2][k]);
                row[0][at + k] = w[1][k] * f1;
                if (nz == 2) row[1][at + k] = w[1][k] * f2;
                row[nz + c][at + k] = w[2][k] * f;
            }
        }
    }
    for (int j = nz; t.order >= 2 && j < nz + c; j++) steep_fill(t.count, 0.0, row[j] + at);
}

/* The tile with the count of the block that begins at point `at`. */
STEEP_INLINE steep_tile steep_tile_block(const steep_tile *tile, size_t at)
{
    steep_tile block = *tile;
    block.count = tile->count - at < STEEP_MIX_BLOCK ? tile->count - at : STEEP_MIX_BLOCK;
    return block;
}

/* Sums all terms of nz = 1 or 2 branches. w: the columns of weights; `apart` and 2 `apart` columns further on stand
 * their derivatives. apart 0: the weights are coefficients, with slope 1. */
STEEP_INLINE void steep_mix_tile(int nz, const steep_choice *choice, const double *const *w, int apart,
                                 const steep_tile *t)
{
    double one[STEEP_MIX_BLOCK], zero[STEEP_MIX_BLOCK];
    double a[STEEP_MAX_TERMS][3][STEEP_MIX_BLOCK], b[STEEP_MAX_TERMS][3][STEEP_MIX_BLOCK];
    steep_fill(STEEP_MIX_BLOCK, 1.0, one);
    steep_fill(STEEP_MIX_BLOCK, 0.0, zero);
    for (size_t at = 0; at < t->count; at += STEEP_MIX_BLOCK) {
        const steep_tile block = steep_tile_block(t, at);
        steep_block_set(choice, block.count, t->in[0] + at, t->order, a);
        if (nz == 2) steep_block_set(choice, block.count, t->in[1] + at, t->order, b);
        steep_fill(block.count, 0.0, t->h + at);
        for (int z = 0; t->order >= 1 && z < nz; z++) steep_fill(block.count, 0.0, t->g[z] + at);
        for (int p = 0; t->order >= 2 && p < nz * (nz + 1) / 2; p++) steep_fill(block.count, 0.0, t->H[p] + at);
        for (int i = 0, c = 0; i < choice->terms; i++)
            for (int j = i; j < (nz == 2 ? choice->terms : i + 1); j++, c++) {
                const double *const weight[3] = {w[c] + at, apart ? w[apart + c] + at : one,
                                                 apart ? w[2 * apart + c] + at : zero};
                STEEP_BY_ORDER(t->order, steep_mix_term, nz, c, at, weight, a[i], b[j], steep_tile_of(&block, ORDER))
            }
        if (t->order >= 1 && apart && choice->gate == STEEP_SOFTMAX) steep_mix_softmax(nz, apart, at, w, &block);
    }
}

/* steep_<name>_tile: steep_mix_tile with weights that begin at input w. */
#define STEEP_MIX_TILE(name, nz, w, apart)                                                                             \
    STEEP_INLINE void steep_##name##_tile(const steep_choice *choice, const steep_tile *t)                             \
    {                                                                                                                  \
        steep_mix_tile((nz), choice, t->in + (w), (apart), t);                                                         \
    }
#define STEEP_QD_TERMS (choice->terms * (choice->terms + 1) / 2) /* k <= l */
STEEP_MIX_TILE(la, 1, 1, 0)
STEEP_MIX_TILE(moa, 1, 1 + choice->terms, choice->terms)
STEEP_MIX_TILE(qd_moa, 2, 2 + STEEP_QD_TERMS, STEEP_QD_TERMS)
STEEP_MIX_PREPARE(moa, 1, choice->terms)
STEEP_MIX_PREPARE(qd_moa, 2, STEEP_QD_TERMS)

STEEP_COUNTS(la, 1, 0, 0, choice->terms)
STEEP_COUNTS(moa, 1, 0, choice->terms, 0)
STEEP_COUNTS(qd_moa, 2, 0, STEEP_QD_TERMS, 0)

STEEP_START(la, steep_fill((size_t)choice->terms, 1.0, shared))
