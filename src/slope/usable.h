/* SPDX-License-Identifier: GPL-3.0-or-later */
/* usable: the points of an error curve that laws are fitted to; straight lines through them, and the order of errors
 * without scatter by Richardson's extrapolation. For slope.c. */
#pragma once

#include "slope/slope.h"

typedef struct steep_log_point {
    double u, v; /* log size, log error */
    double size, floor;
    double weight; /* number of points that this point stands for */
    size_t first;  /* index of the first of them */
} steep_log_point;

/* Fills point[series->count] with the points whose size and error are finite and positive, ascending, for each size
 * the one with the least error; returns their number. */
size_t steep_usable_gather(const steep_slope_points *series, steep_log_point *point);

/* The floor of a curve that ends flat (is_floor), else 0. p: workspace for the bins of steep_usable_merge. */
double steep_usable_floor(size_t n, const steep_log_point *point, steep_log_point *p);

/* Removes in place the points whose error is below factor times floor (where floor is 0, times their own floor);
 * returns the number of points that stay. */
size_t steep_usable_above(size_t n, steep_log_point *point, double factor, double floor);

/* Removes in place the points that stand apart: at least a factor 2.5 and more than eight standard errors from the
 * parabola through their six neighbours; at the ends of the curve only points above it. Removes one at a time, the
 * farthest first, at most a fifth of the points, and none of fewer than 7. *n: the number of points; on return, of
 * those that stay. O(n) for each removal. STEEP_NO_MEMORY, else STEEP_OK. */
steep_status steep_usable_alike(size_t *n, steep_log_point *point, steep_error *message);

#define STEEP_USABLE_MANY 2000 /* points: larger sets are merged into bins */
#define STEEP_USABLE_BINS 512

/* Merges many points: up to STEEP_USABLE_MANY are copied; more are replaced by the means of log size and log error in
 * STEEP_USABLE_BINS equal parts of log size, each with weight, the number of its points, and first. *rest: the sum of
 * squares of the points about these means, less what the slope from bin to bin explains. A law that is nearly straight
 * across a bin (sizes there are a few percent apart) has the same least squares on bins and points, but for *rest.
 * Returns the number of bins. bin[STEEP_USABLE_MANY]; point is ascending. */
size_t steep_usable_merge(size_t n, const steep_log_point *point, steep_log_point *bin, double *rest);

/* The line v = mean_v + slope (u - mean_u), and the drift by a quadratic. */
typedef struct steep_line {
    double slope, mean_u, mean_v;
    double se;    /* of the slope, from OLS; NaN below 3 points */
    double drift; /* change of the local slope from the first point to the last, of the quadratic; NaN below 3 points */
} steep_line;

/* Ordinary least squares through n points, ascending in u; slope NaN below 2. */
steep_line steep_line_fit(size_t n, const steep_log_point *point);

/* Local slopes of errors without scatter approach the order like 1/size. R is the b of log E = a + b log size + c/size
 * by least squares over the last two octaves of size; R_1 and R_2 are the same over the two octaves that end one and
 * two octaves earlier. On doubled sizes R = 2 s_last - s_before, with the slopes of the last two pairs. order = R,
 * half = 2 max(|R - R_1|, |R_1 - R_2|/3). cells: sizes count equal cells, whose errors have expansions in 1/size^2:
 * this replaces 1/size, and half = 2 max(|R - R_1|, |R_1 - R_2|/8). half is half an interval that should hold the
 * order; it has no probability. False where the sizes do not reach to R_1: fewer than 4 points, or less than a factor
 * 8. n points, ascending in size. */
bool steep_extrapolate(size_t n, const steep_log_point *point, bool cells, double *order, double *half);
