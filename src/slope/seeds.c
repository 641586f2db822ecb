/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slope/seeds.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "numerics/sort.h"

double steep_quantile(const double *ascending, size_t count, double q)
{
    double place = q * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count) return ascending[count - 1];
    return ascending[below] + (place - (double)below) * (ascending[below + 1] - ascending[below]);
}

steep_slope steep_slope_over_seeds(size_t count, double *slope, double level)
{
    steep_slope over = steep_slope_unknown(STEEP_FLOOR);
    size_t k = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(slope[i])) slope[k++] = slope[i];
    if (k < 2) return over;
    steep_sort_numbers(slope, k);
    double mean = 0, square = 0;
    for (size_t i = 0; i < k; i++) mean += slope[i] / (double)k;
    for (size_t i = 0; i < k; i++) square += (slope[i] - mean) * (slope[i] - mean);
    double half = gsl_cdf_tdist_Pinv((1 + level) / 2, (double)(k - 1)) * sqrt(square / (double)(k - 1) / (double)k);
    over.status = STEEP_OK;
    over.slope = steep_quantile(slope, k, 0.5);
    over.low = fmin(mean - half, over.slope);
    over.high = fmax(mean + half, over.slope);
    over.points = k;
    return over;
}
