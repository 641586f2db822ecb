/* SPDX-License-Identifier: GPL-3.0-or-later */
/* regression: least squares on two columns, of points taken up one by one: the first of eight of eight.h. For laws.c. */
#pragma once

#include <stdbool.h>

#include "slope/eight.h"

/* One more point, z, x and y; or weight points at one place. The moments start as {0}. */
void steep_moments_add(steep_eight_moments *moments, const double value[3], double weight);

/* y on a constant, x and z. False: these are dependent over the points. */
bool steep_regress(const steep_eight_moments *moments, steep_eight_regression *regression);

/* log Gamma(k/2), k = 1, 2, .. */
double steep_log_gamma_half(double k);
