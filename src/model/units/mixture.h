/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mixture: activations sigma_1..sigma_C of a dictionary, mixed (paper "Mixture of activations", eqs. 3, 7, 10).
 *
 *   la      sum_c a_c sigma_c(z)                                    u = (z, a_1..a_C)
 *   moa     sum_c w_c(s) sigma_c(z)                                 u = (z, s_1..s_C)
 *   qd-moa  sum_{k<=l} w_kl(s) sigma_k(z_1) sigma_l(z_2)            u = (z_1, z_2, s_11, s_12, .., s_1C, s_22, ..)
 *
 * with w_c = phi(s_c), phi = tanh or sigmoid, or w = softmax(s) over all terms. */
#ifndef STEEP_MODEL_UNITS_MIXTURE_H
#define STEEP_MODEL_UNITS_MIXTURE_H

#include "model/activation.h"
#include "model/unit.h"

#define STEEP_MAX_MIXED (STEEP_MAX_TERMS * (STEEP_MAX_TERMS + 1) / 2)

/* One term as a function of z_1, z_2: value, d1, d2, d11, d12, d22; of z_1 alone: value, d1, (unused), d11. */
typedef struct steep_term {
    double f[6];
} steep_term;

/* h = sum_c w_c(s) f_c(z_1..z_nz): u = (z_1..z_nz, s_1..s_T), nz = 1 or 2. */
STEEP_INLINE void steep_mix(int gate, int nz, int T, const steep_term *term, const double *u, int order, double *h,
                            double *g, double *H)
{
    const double *s = u + nz;
    double w[STEEP_MAX_MIXED][3], value = 0.0, slope[2] = {0.0, 0.0};
    const int softmax = gate == STEEP_SOFTMAX;
    if (softmax) {
        double most = s[0], sum = 0.0;
        for (int c = 1; c < T; c++) most = s[c] > most ? s[c] : most;
        for (int c = 0; c < T; c++) sum += w[c][0] = exp(s[c] - most);
        for (int c = 0; c < T; c++) w[c][0] /= sum;
    } else {
        for (int c = 0; c < T; c++) steep_activation_jet(gate, s[c], order, w[c]);
    }
    for (int c = 0; c < T; c++) value += w[c][0] * term[c].f[0];
    *h = value;
    if (order < 1) return;
    for (int a = 0; a < nz; a++) {
        for (int c = 0; c < T; c++) slope[a] += w[c][0] * term[c].f[1 + a];
        g[a] = slope[a];
    }
    for (int c = 0; c < T; c++) g[nz + c] = softmax ? w[c][0] * (term[c].f[0] - value) : w[c][1] * term[c].f[0];
    if (order < 2) return;
    for (int p = 0; p < nz * (nz + 1) / 2; p++) {
        H[p] = 0.0;
        for (int c = 0; c < T; c++) H[p] += w[c][0] * term[c].f[3 + p];
    }
    for (int c = 0; c < T; c++) {
        double *row = H + (nz + c) * (nz + c + 1) / 2, off = term[c].f[0] - value;
        for (int a = 0; a < nz; a++)
            row[a] = softmax ? w[c][0] * (term[c].f[1 + a] - slope[a]) : w[c][1] * term[c].f[1 + a];
        for (int d = 0; d < c; d++) row[nz + d] = softmax ? -w[c][0] * w[d][0] * (off + term[d].f[0] - value) : 0.0;
        row[nz + c] = softmax ? w[c][0] * (1.0 - 2.0 * w[c][0]) * off : w[c][2] * term[c].f[0];
    }
}

STEEP_INLINE void steep_la(const steep_choice *choice, const double *u, int order, double *h, double *g, double *H)
{
    const int C = choice->terms;
    double sum[3] = {0.0, 0.0, 0.0};
    for (int c = 0; c < C; c++) {
        double f[3];
        steep_activation_jet(choice->dictionary[c], u[0], order, f);
        for (int j = 0; j <= order; j++) sum[j] += u[1 + c] * f[j];
        if (order >= 1) g[1 + c] = f[0];
        if (order >= 2) {
            double *row = H + (1 + c) * (2 + c) / 2;
            row[0] = f[1];
            for (int d = 0; d <= c; d++) row[1 + d] = 0.0;
        }
    }
    *h = sum[0];
    if (order >= 1) g[0] = sum[1];
    if (order >= 2) H[0] = sum[2];
}

STEEP_INLINE void steep_la_counts(const steep_choice *choice, steep_counts *counts)
{
    steep_counts_set(counts, 1, 0, 0, (size_t)choice->terms, 0);
}

STEEP_INLINE void steep_la_start(const steep_choice *choice, double *scalars, double *shared_scalars)
{
    (void)scalars;
    for (int c = 0; c < choice->terms; c++) shared_scalars[c] = 1.0;
}

STEEP_INLINE void steep_moa(const steep_choice *choice, const double *u, int order, double *h, double *g, double *H)
{
    steep_term term[STEEP_MAX_TERMS];
    for (int c = 0; c < choice->terms; c++) {
        double f[3];
        steep_activation_jet(choice->dictionary[c], u[0], order, f);
        term[c].f[0] = f[0];
        if (order >= 1) term[c].f[1] = f[1];
        if (order >= 2) term[c].f[3] = f[2];
    }
    steep_mix(choice->gate, 1, choice->terms, term, u, order, h, g, H);
}

STEEP_INLINE void steep_moa_counts(const steep_choice *choice, steep_counts *counts)
{
    steep_counts_set(counts, 1, 0, (size_t)choice->terms, 0, 0);
}

STEEP_INLINE void steep_qd_moa(const steep_choice *choice, const double *u, int order, double *h, double *g, double *H)
{
    const int C = choice->terms;
    steep_term term[STEEP_MAX_MIXED];
    double first[STEEP_MAX_TERMS][3], second[STEEP_MAX_TERMS][3];
    for (int c = 0; c < C; c++) {
        steep_activation_jet(choice->dictionary[c], u[0], order, first[c]);
        steep_activation_jet(choice->dictionary[c], u[1], order, second[c]);
    }
    for (int k = 0, at = 0; k < C; k++)
        for (int l = k; l < C; l++, at++) {
            double *f = term[at].f;
            f[0] = first[k][0] * second[l][0];
            if (order >= 1) {
                f[1] = first[k][1] * second[l][0];
                f[2] = first[k][0] * second[l][1];
            }
            if (order >= 2) {
                f[3] = first[k][2] * second[l][0];
                f[4] = first[k][1] * second[l][1];
                f[5] = first[k][0] * second[l][2];
            }
        }
    steep_mix(choice->gate, 2, C * (C + 1) / 2, term, u, order, h, g, H);
}

STEEP_INLINE void steep_qd_moa_counts(const steep_choice *choice, steep_counts *counts)
{
    steep_counts_set(counts, 2, 0, (size_t)(choice->terms * (choice->terms + 1) / 2), 0, 0);
}

#endif
