/* SPDX-License-Identifier: GPL-3.0-or-later */
/* usable: which points of an error curve a law is looked for in. For slope.c. */
#ifndef STEEP_SLOPE_USABLE_H
#define STEEP_SLOPE_USABLE_H

#include "slope/line.h"
#include "slope/slope.h"

/* Points with a size and an error that are finite and positive, ascending, the best of each size: returns how many.
 * point[series->count]. */
size_t steep_usable_gather(const steep_slope_points *series, steep_log_point *point);

/* The floor of a curve that ends flat, or 0: 3 points or more at the end that span a factor 1.4 and fall slower than
 * size^-0.5 and than a quarter of the slope before them. */
double steep_usable_floor(size_t n, const steep_log_point *point);

/* Takes points out whose error is below factor times their floor (or times floor, where that is above 0), in place;
 * returns how many stay. */
size_t steep_usable_above(size_t n, steep_log_point *point, double factor, double floor);

/* Takes points out that stand apart, in place: at least a factor 2.5 from the parabola through their six neighbours,
 * and eight of its standard errors; at the ends of the curve only above it. One at a time, the farthest first, at most
 * a fifth of them, none of fewer than 7. Returns how many stay. */
size_t steep_usable_alike(size_t n, steep_log_point *point);

#endif
