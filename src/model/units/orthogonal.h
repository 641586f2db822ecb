/* SPDX-License-Identifier: GPL-3.0-or-later */
/* orthogonal: h = sum_{k=0..n} a_k He_k(z) / k!, n = degree (paper "Polynomial, trigonometric, and tropical
 * activations"). u = (z, a_0..a_n), a shared. With p_k = He_k / k!: p_{k+1} = (z p_k - p_{k-1}) / (k + 1) and p_k' =
 * p_{k-1}. Input and output are not normalised: the start has the paper's a_k before its division by sqrt e, which the
 * output weights take over. */
#ifndef STEEP_MODEL_UNITS_ORTHOGONAL_H
#define STEEP_MODEL_UNITS_ORTHOGONAL_H

#include <math.h>

#include "model/unit.h"

STEEP_INLINE void steep_hermite(const steep_choice *choice, const double *u, int order, double *h, double *g, double *H)
{
    double p0 = 1.0, p1 = 0.0, p2 = 0.0; /* p_k, p_{k-1}, p_{k-2} */
    double value = 0.0, slope = 0.0, bend = 0.0;
    for (int k = 0; k <= choice->degree; k++) {
        value += u[1 + k] * p0;
        slope += u[1 + k] * p1;
        bend += u[1 + k] * p2;
        if (order >= 1) g[1 + k] = p0;
        if (order >= 2) {
            double *row = H + (1 + k) * (2 + k) / 2;
            row[0] = p1;
            for (int j = 0; j <= k; j++) row[1 + j] = 0.0;
        }
        double next = (u[0] * p0 - p1) / (k + 1);
        p2 = p1;
        p1 = p0;
        p0 = next;
    }
    *h = value;
    if (order >= 1) g[0] = slope;
    if (order >= 2) H[0] = bend;
}

STEEP_INLINE void steep_hermite_counts(const steep_choice *choice, steep_counts *counts)
{
    steep_counts_set(counts, 1, 0, 0, (size_t)choice->degree + 1, 0);
}

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

#endif
