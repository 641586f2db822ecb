/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mixture: a number known as a weighted sum of Student's t distributions. For laws.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct steep_student {
    double weight; /* > 0, of sum 1 over the mixture */
    double centre, scale;
    unsigned freedom;
} steep_student;

/* x[i], i < many: where the mixture's distribution function reaches probability[i], 0 < probability[i] < 1, to 1e-5 of
 * the spread of its parts. count > 0 parts. False without memory. */
bool steep_mixture_quantiles(const steep_student *part, size_t count, size_t many, const double *probability,
                             double *x);

/* log Gamma(k/2), k = 1, 2, .. */
double steep_log_gamma_half(double k);
