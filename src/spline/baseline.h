/* SPDX-License-Identifier: GPL-3.0-or-later */
/* baseline: least-squares B-splines by GSL, the yardstick of the paper's figure 4. */
#ifndef STEEP_SPLINE_BASELINE_H
#define STEEP_SPLINE_BASELINE_H

#include "data/samples.h"

typedef struct steep_baseline_errors {
    double train, test; /* rmse */
} steep_baseline_errors;

/* Degree 1, 2 or 3, uniform knots, "cells" cells: coefficients = cells + degree. Fitted to train, measured on train and
 * on test (may be NULL: NaN). GSL does the basis and the fit: an independent route to what spline/least_squares
 * computes for (degree, continuity = degree). */
steep_status steep_baseline_fit(const steep_samples *train, const steep_samples *test, size_t degree, size_t cells,
                                steep_baseline_errors *rmse, steep_error *error);

#endif
