/* SPDX-License-Identifier: GPL-3.0-or-later */
/* broken_law: the last exponent of an error curve with scatter. For slope.c. */
#ifndef STEEP_SLOPE_BROKEN_LAW_H
#define STEEP_SLOPE_BROKEN_LAW_H

#include <stddef.h>

#include "base/status.h"

typedef struct steep_broken_law {
    double low, high; /* the exponent lies between them with probability level; both NaN: scatter below "smooth" */
    double scatter;   /* rms distance of the points from their laws, in log error; all NaN: fewer than 5 points */
} steep_broken_law;

/* u = log size, ascending, v = log error, both [count]; span: log of the ratio of sizes that the last exponent holds
 * over at least; 0 < level < 1. No interval is worked out where the scatter is below "smooth": there is nothing random.
 * O(count log(size ratio)) laws, each in O(1); a few milliseconds. STEEP_NO_MEMORY, else STEEP_OK. Method:
 * broken_law.c. */
steep_status steep_broken_law_measure(size_t count, const double *u, const double *v, double span, double level,
                                      double smooth, steep_broken_law *law, steep_error *error);

#endif
