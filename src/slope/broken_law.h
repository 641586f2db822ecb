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

/* Points to find laws in. */
typedef struct steep_log_points {
    size_t count;
    const double *u, *v; /* log size, ascending; log error */
    double span;         /* log of the ratio of sizes over which the last exponent holds at least */
} steep_log_points;

/* An interval of probability level, 0 < level < 1. None is worked out where the scatter is below "smooth": there is
 * nothing random.
 * O(count log(size ratio)) laws, each in O(1); a few milliseconds. STEEP_NO_MEMORY, else STEEP_OK. Method:
 * broken_law.c. */
steep_status steep_broken_law_measure(const steep_log_points *points, double level, double smooth,
                                      steep_broken_law *law, steep_error *error);

#endif
