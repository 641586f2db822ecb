/* SPDX-License-Identifier: GPL-3.0-or-later */
/* product: mixtures that are multiplied (paper "Mixture of activations", eqs. 4, 5, 6, 8, 9). With the sums of
 * units/mixture.h,
 *
 *   one-la   silu(z_1) sum_c a_c sigma_c(z_2)                                   u = (z_1, z_2, a_1..a_C)
 *   bi-la    [sum_k b_k sigma_k(z_1)] [sum_l a_l sigma_l(z_2)]                  u = (z_1, z_2, b_1..b_C, a_1..a_C)
 *   qd-la    sum_{k<=l} a_kl sigma_k(z_1) sigma_l(z_2)                          u = (z_1, z_2, a_11, a_12, .., a_CC)
 *   one-moa  silu(z_1) sum_c w_c(s) sigma_c(z_2)                                u = (z_1, z_2, s_1..s_C)
 *   bi-moa   [sum_k w_k(t) sigma_k(z_1)] [sum_l w_l(s) sigma_l(z_2)]            u = (z_1, z_2, t_1..t_C, s_1..s_C)
 *
 * A product h = p q of functions of different inputs has the derivatives p_i q, p q_j, p_ii' q, p_i q_j, p q_jj'. */
#pragma once

#include "model/units/mixture.h"

#define STEEP_SIDE_INPUTS (1 + STEEP_MAX_TERMS)
#define STEEP_SIDE_PAIRS  (STEEP_SIDE_INPUTS * (STEEP_SIDE_INPUTS + 1) / 2)

/* A side of the product over a block of points: its inputs, by their places in u, and its derivatives. */
typedef struct steep_side {
    int inputs, place[STEEP_SIDE_INPUTS];
    double h[STEEP_MIX_BLOCK], g[STEEP_SIDE_INPUTS][STEEP_MIX_BLOCK], H[STEEP_SIDE_PAIRS][STEEP_MIX_BLOCK];
} steep_side;

/* The side silu(z_1). */
STEEP_INLINE void steep_side_silu(size_t at, const steep_tile *t, steep_side *side)
{
    double *const jets[3] = {side->h, side->g[0], side->H[0]};
    side->inputs = 1;
    side->place[0] = 0;
    steep_activation_columns(STEEP_SILU, t->count, t->in[0] + at, t->order, jets);
}

/* The side that is a mixture of z_{branch + 1} with the C coefficients or gates from u[from] on; w: the 3 C prepared
 * columns of the gates, NULL for coefficients. */
STEEP_INLINE void steep_side_mixture(const steep_choice *choice, int branch, int from, const double *const *w,
                                     size_t at, const steep_tile *t, steep_side *side)
{
    const int C = choice->terms;
    const double *own[1 + 4 * STEEP_MAX_TERMS];
    double *g[STEEP_SIDE_INPUTS], *H[STEEP_SIDE_PAIRS];
    side->inputs = 1 + C;
    for (int i = 0; i <= C; i++) {
        side->place[i] = i ? from + i - 1 : branch;
        own[i] = t->in[side->place[i]] + at;
        g[i] = side->g[i];
    }
    for (int p = 0; w && p < 3 * C; p++) own[1 + C + p] = w[p] + at;
    for (int p = 0; p < STEEP_SIDE_PAIRS; p++) H[p] = side->H[p];
    const steep_tile of = {t->count, own, t->order, side->h, g, H};
    steep_mix_tile(1, choice, own + 1 + (w ? C : 0), w ? C : 0, &of);
}

/* to = x y over n points */
STEEP_INLINE void steep_side_times(size_t n, const double *x, const double *y, double *to)
{
    STEEP_INDEPENDENT for (size_t k = 0; k < n; k++) to[k] = x[k] * y[k];
}

/* Writes the derivatives in the inputs of side p alone: derivatives of p times q. */
STEEP_INLINE void steep_side_alone(const steep_side *p, const steep_side *q, size_t at, const steep_tile *t)
{
    const size_t n = t->count;
    for (int i = 0; t->order >= 1 && i < p->inputs; i++) steep_side_times(n, p->g[i], q->h, t->g[p->place[i]] + at);
    for (int i = 0; t->order >= 2 && i < p->inputs; i++)
        for (int j = 0; j <= i; j++)
            steep_side_times(n, p->H[i * (i + 1) / 2 + j], q->h, t->H[steep_pair(p->place[i], p->place[j])] + at);
}

/* h = p q */
STEEP_INLINE void steep_side_product(const steep_side *p, const steep_side *q, size_t at, const steep_tile *t)
{
    steep_side_times(t->count, p->h, q->h, t->h + at);
    steep_side_alone(p, q, at, t);
    steep_side_alone(q, p, at, t);
    for (int i = 0; t->order >= 2 && i < p->inputs; i++)
        for (int j = 0; j < q->inputs; j++)
            steep_side_times(t->count, p->g[i], q->g[j], t->H[steep_pair(p->place[i], q->place[j])] + at);
}

/* steep_<name>_tile: both sides, block by block. */
#define STEEP_PRODUCT_TILE(name, first, second)                                                                        \
    STEEP_INLINE void steep_##name##_tile(const steep_choice *choice, const steep_tile *tile)                          \
    {                                                                                                                  \
        const int C = choice->terms;                                                                                   \
        steep_side p, q;                                                                                               \
        for (size_t at = 0; at < tile->count; at += STEEP_MIX_BLOCK) {                                                 \
            const steep_tile block = steep_tile_block(tile, at), *t = &block;                                          \
            first;                                                                                                     \
            second;                                                                                                    \
            steep_side_product(&p, &q, at, t);                                                                         \
        }                                                                                                              \
        (void)C;                                                                                                       \
    }

STEEP_COUNTS(one_la, 2, 0, 0, choice->terms)
STEEP_COUNTS(bi_la, 2, 0, 0, 2 * choice->terms)
STEEP_COUNTS(qd_la, 2, 0, 0, STEEP_QD_TERMS)
STEEP_COUNTS(one_moa, 2, 0, choice->terms, 0)
STEEP_COUNTS(bi_moa, 2, 0, 2 * choice->terms, 0)

STEEP_PRODUCT_TILE(one_la, steep_side_silu(at, t, &p), steep_side_mixture(choice, 1, 2, NULL, at, t, &q))
STEEP_PRODUCT_TILE(bi_la, steep_side_mixture(choice, 0, 2, NULL, at, t, &p),
                   steep_side_mixture(choice, 1, 2 + C, NULL, at, t, &q))
STEEP_PRODUCT_TILE(one_moa, steep_side_silu(at, t, &p), steep_side_mixture(choice, 1, 2, t->in + 2 + C, at, t, &q))
STEEP_PRODUCT_TILE(bi_moa, steep_side_mixture(choice, 0, 2, t->in + 2 + 2 * C, at, t, &p),
                   steep_side_mixture(choice, 1, 2 + C, t->in + 2 + 5 * C, at, t, &q))

/* qd-la is qd-moa with the identity for phi: weights a, slopes 1, second derivatives 0. */
STEEP_MIX_TILE(qd_la, 2, 2, 0)
STEEP_MIX_PREPARE(one_moa, 2, choice->terms)

STEEP_INLINE void steep_bi_moa_prepare(const steep_choice *choice, size_t count, const double *const *in, int order,
                                       double *const *prepared)
{
    const int C = choice->terms;
    steep_mix_weights(choice->gate, C, count, in + 2, order, prepared);
    steep_mix_weights(choice->gate, C, count, in + 2 + C, order, prepared + 3 * C);
}

/* All coefficients 1. */
STEEP_START(one_la, steep_fill((size_t)choice->terms, 1.0, shared))
STEEP_START(bi_la, steep_fill(2 * (size_t)choice->terms, 1.0, shared))
STEEP_START(qd_la, steep_fill((size_t)STEEP_QD_TERMS, 1.0, shared))
