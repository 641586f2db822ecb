/* SPDX-License-Identifier: GPL-3.0-or-later */
/* continuous: how far a 1D network is from its target on the whole interval. */
#ifndef STEEP_MEASURE_CONTINUOUS_H
#define STEEP_MEASURE_CONTINUOUS_H

#include <stdbool.h>

#include "data/target.h"
#include "measure/measured.h"

typedef struct steep_continuous {
    steep_measured
        measured;    /* rmse: (mean over the interval of (y - f)^2)^{1/2}; max: over the points that were seen */
    double estimate; /* by how much rmse may be off, an estimate: rounding not counted */
    size_t points;   /* where y and f were seen */
    bool resolved;   /* the estimate is at most a thousandth of rmse, or what rounding hides anyway */
} steep_continuous;

/* Adaptive quadrature of (y - f)^2 over the target's interval: cells between the network's own knots (roots of the
 * first branch), cut at 512 equal parts too; in each the rules of Gauss and Kronrod with 7 and 15 points, whose
 * difference is the cell's estimate; cells with the most are halved until their sum is 1e-7 of the whole, or below what
 * a rounding floor (floor >= 0, root mean square) makes of it, or half a million points are spent. As with any
 * quadrature, what lies between the points is not seen: 7680 at least; the place of a jump may be off by 1e-5 of the
 * interval. A value that is not finite at a point is STEEP_NOT_FINITE, and a network or target in more dimensions
 * STEEP_BAD_INPUT. O(points width). */
steep_status steep_measure_continuous(const steep_network *network, const double *theta, const steep_target *target,
                                      double floor, steep_continuous *continuous, steep_error *error);

#endif
