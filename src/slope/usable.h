/* SPDX-License-Identifier: GPL-3.0-or-later */
/* usable: which points of an error curve a law is looked for in. For slope.c. */
#pragma once

#include "slope/line.h"
#include "slope/slope.h"

/* Points with a size and an error that are finite and positive, ascending, the best of each size: returns how many.
 * point[series->count]. */
size_t steep_usable_gather(const steep_slope_points *series, steep_log_point *point);

/* The floor of a curve that ends flat (is_floor), of steep_usable_merge; or 0. bin: as there, workspace. */
double steep_usable_floor(size_t n, const steep_log_point *point, steep_log_point *bin);

/* Takes points out whose error is below factor times their floor (or times floor, where that is above 0), in place;
 * returns how many stay. */
size_t steep_usable_above(size_t n, steep_log_point *point, double factor, double floor);

/* Takes points out that stand apart, in place: at least a factor 2.5 from the parabola through their six neighbours,
 * and eight of its standard errors; at the ends of the curve only above it. One at a time, the farthest first, at most
 * a fifth of them, none of fewer than 7. *n: how many there are, and how many stay. O(n) for each that goes.
 * STEEP_NO_MEMORY, else STEEP_OK. */
steep_status steep_usable_alike(size_t *n, steep_log_point *point, steep_error *message);

#define STEEP_USABLE_MANY 2000 /* points: more are put together */
#define STEEP_USABLE_BINS 512

/* Points in place of many: up to STEEP_USABLE_MANY the same ones, of more the means of log size and log error in
 * STEEP_USABLE_BINS equal parts of log size, each with its weight, how many they are, and where they begin. *rest: the
 * sum of their squares about these means, less what the slope from bin to bin explains. A law that is nearly straight
 * across a bin (sizes there are a few percent apart) has the same least squares on either, but for *rest. Returns how
 * many. bin[STEEP_USABLE_MANY]; point is ascending. */
size_t steep_usable_merge(size_t n, const steep_log_point *point, steep_log_point *bin, double *rest);
