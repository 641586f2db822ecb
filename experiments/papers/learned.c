/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "papers/learned.h"

#include "numerics/elementary.h"

size_t steep_family_terms(steep_family family, size_t degree)
{
    return family == STEEP_FAMILY_HERMITE ? degree + 1 : 2 * degree + 1;
}

static void hermite_terms(size_t degree, double x, double *value, double *slope)
{
    double before = 0, now = 1; /* He_{k-1} / (k-1)!, He_k / k! */
    for (size_t k = 0; k <= degree; k++) {
        const double next = (x * now - before) / (double)(k + 1);
        value[k] = now;
        if (slope) slope[k] = before; /* (He_k / k!)' */
        before = now;
        now = next;
    }
}

static void fourier_terms(size_t degree, double frequency, double x, double *value, double *slope)
{
    double weight = 1;
    value[0] = 1;
    if (slope) slope[0] = 0;
    for (size_t k = 1; k <= degree; k++) {
        const double w = frequency * (double)k;
        double s, c;
        weight /= (double)k;
        steep_sin_cos(w * x, &s, &c);
        value[2 * k - 1] = weight * c;
        value[2 * k] = weight * s;
        if (slope) slope[2 * k - 1] = -w * weight * s;
        if (slope) slope[2 * k] = w * weight * c;
    }
}

void steep_family_evaluate(steep_family family, size_t degree, double frequency, double x, double *value, double *slope)
{
    if (family == STEEP_FAMILY_HERMITE) hermite_terms(degree, x, value, slope);
    else fourier_terms(degree, frequency, x, value, slope);
}
