/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mixture: a number known as a weighted sum of Student's t distributions. For laws.c. */
#ifndef STEEP_SLOPE_MIXTURE_H
#define STEEP_SLOPE_MIXTURE_H

#include <stddef.h>

typedef struct steep_student {
    double weight; /* > 0, of sum 1 over the mixture */
    double centre, scale;
    unsigned freedom;
} steep_student;

/* Where the mixture's distribution function reaches probability, 0 < probability < 1; count > 0. To 1e-5 of the spread
 * of its parts. */
double steep_mixture_quantile(const steep_student *part, size_t count, double probability);

#endif
