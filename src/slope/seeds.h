/* SPDX-License-Identifier: GPL-3.0-or-later */
/* seeds: one slope from those of several seeds. */
#pragma once

#include "slope/slope.h"

/* The median of count slopes (NaN among them is left out), with the interval of their mean by Student's t,
 * m -+ t_{(1 + level)/2, k - 1} s / sqrt(k), widened to hold the median; k = points: slopes that count. points = 0 and
 * NaN with fewer than two. The intervals of single fits say how well a line fits one seed's errors; this one says how
 * far the answer depends on the seed. Sorts slope[]. */
steep_slope steep_slope_over_seeds(size_t count, double *slope, double level);

/* The quantile q in [0, 1] of ascending values, count > 0, linear between neighbours. */
double steep_quantile(const double *ascending, size_t count, double q);
