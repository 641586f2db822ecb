/* SPDX-License-Identifier: GPL-3.0-or-later */
/* levels: laws that level off, fitted eight at a time. For laws.c. */
#pragma once

#include "base/lanes.h"
#include "slope/laws.h"

/* Eight fits of a and b in v = log((A n^b)^r + E^r)/r to the points from begin on. */
typedef struct steep_levels {
    double r[STEEP_LANES], log_e[STEEP_LANES]; /* r: 1 or 2 */
    size_t begin[STEEP_LANES];
    double rho; /* of the noise at neighbours, of all eight fits: innovations are what is squared */
    double a[STEEP_LANES], b[STEEP_LANES];
    double rest[STEEP_LANES]; /* weighted sum of squares; NaN where the points do not determine a and b */
    /* Of the normal equations: the determinant, and 1/variance of a, where that of the noise is 1. */
    double determinant[STEEP_LANES], shares[STEEP_LANES];
} steep_levels;

/* Four Gauss-Newton steps from the law through the first point and the middle one. Each lane has the bits that it would
 * have alone. begin + 2 <= points. */
void steep_levels_fit(const steep_law_points *points, steep_levels *f);
