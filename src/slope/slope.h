/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slope: the exponent of a power law E ~ A size^slope, and how well it is known (docs/explanation/slopes.md). */
#pragma once

#include <stddef.h>

#include "base/status.h"
#include "steep/slope.h"

/* "power", "offset"; NULL past the last. */
const char *steep_slope_law_names(size_t index);

/* The law of that name; power where name is NULL or unknown. */
steep_slope_law steep_slope_law_find(const char *name);

/* A result without a slope, with this status: numbers are NaN, counts 0. */
steep_slope steep_slope_unknown(steep_status status);

/* steep_slope_measure by every method m into slope[m]. Returns the first status below 0, or STEEP_OK. */
steep_status steep_slope_measure_all(const steep_slope_points *series, const steep_slope_options *options,
                                     steep_slope slope[STEEP_SLOPE_METHODS], steep_error *message);

/* The median of count slopes (NaNs are left out), with the interval of their mean by Student's t,
 * m -+ t_{(1 + level)/2, k - 1} s / sqrt(k), widened to contain the median; k = points: the number of slopes used. With
 * fewer than two, points = 0 and the slope is NaN. The interval of a single fit says how well a line fits one seed's
 * errors; this interval says how far the answer depends on the seed. Sorts slope[]. */
steep_slope steep_slope_over_seeds(size_t count, double *slope, double level);

/* The quantile q in [0, 1] of ascending values, count > 0, linear between neighbours. */
double steep_quantile(const double *ascending, size_t count, double q);
