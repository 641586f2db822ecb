/* SPDX-License-Identifier: GPL-3.0-or-later */
/* splines: the least-squares spline of samples, and its error by a plain loop. */
#ifndef STEEP_TESTS_SPLINES_H
#define STEEP_TESTS_SPLINES_H

#include "data/samples.h"
#include "harness.h"
#include "steep/spline.h"

static inline steep_spline spline_of(const steep_samples *samples, size_t degree, size_t continuity, size_t cells,
                                     const double *knot)
{
    steep_spline spline;
    const steep_spline_space space = {degree, continuity, cells, knot};
    ck_assert_int_eq(steep_spline_least_squares(samples, &space, &spline, NULL), STEEP_OK);
    return spline;
}

static inline double spline_rmse(const steep_spline *spline, const steep_samples *samples)
{
    long double sum = 0;
    for (size_t k = 0; k < samples->count; k++) {
        const long double e = steep_spline_value(spline, samples->x[k]) - samples->y[k];
        sum += steep_sample_weight(samples, k) * e * e;
    }
    return (double)sqrtl(sum);
}

#endif
