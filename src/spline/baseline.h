/* SPDX-License-Identifier: GPL-3.0-or-later */
/* baseline: least-squares B-splines by GSL, the yardstick of the paper's figure 4. */
#ifndef STEEP_SPLINE_BASELINE_H
#define STEEP_SPLINE_BASELINE_H

#include "data/samples.h"

/* Degree 1, 2 or 3, uniform knots, "cells" cells: coefficients = cells + degree. RMSE on train and on test. GSL does
 * the basis and the fit: an independent route to what spline/least_squares computes for (degree, continuity =
 * degree). */
steep_status steep_baseline_fit(const steep_samples *train, const steep_samples *test, size_t degree, size_t cells,
                                double *rmse_train, double *rmse_test, steep_error *error);

#endif
