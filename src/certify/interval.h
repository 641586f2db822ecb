/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interval: a closed set of real numbers by its ends, as enclosures are handed over. */
#ifndef STEEP_CERTIFY_INTERVAL_H
#define STEEP_CERTIFY_INTERVAL_H

/* {x: low <= x <= high}; -INFINITY .. INFINITY says nothing. A point is low = high. */
typedef struct steep_interval {
    double low, high;
} steep_interval;

#endif
