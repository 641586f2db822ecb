/* SPDX-License-Identifier: GPL-3.0-or-later */
/* usable: which points of an error curve a law is looked for in; straight lines through them, and the order of errors
 * without scatter by Richardson's extrapolation. For slope.c. */
#pragma once

#include "slope/slope.h"

typedef struct steep_log_point {
    double u, v; /* log size, log error */
    double size, floor;
    double weight; /* how many points it stands for, */
    size_t first;  /* and the first of them; */
} steep_log_point;

/* Points with a size and an error that are finite and positive, ascending, the best of each size: returns how many.
 * point[series->count]. */
size_t steep_usable_gather(const steep_slope_points *series, steep_log_point *point);

/* The floor of a curve that ends flat (is_floor), of steep_usable_merge; or 0. p: its bins, workspace. */
double steep_usable_floor(size_t n, const steep_log_point *point, steep_log_point *p);

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

/* v = mean_v + slope (u - mean_u), and the quadratic beyond it. */
typedef struct steep_line {
    double slope, mean_u, mean_v;
    double se;    /* of the slope, from OLS; NaN below 3 points */
    double drift; /* change of the local slope from the first point to the last, of the quadratic; NaN below 3 points */
} steep_line;

/* Ordinary least squares through n points, ascending in u; slope NaN below 2. */
steep_line steep_line_fit(size_t n, const steep_log_point *point);

/* Local slopes of such errors come to their order like 1/size: log E = a + b log size + c/size, by least squares over
 * the sizes of the last two octaves, gives b; R, and R_1 and R_2 from the two octaves that end one and two octaves
 * before. On doubled sizes R = 2 s_last - s_before, of the slopes of the last two pairs. order = R, half =
 * 2 max(|R - R_1|, |R_1 - R_2|/3). cells: sizes count equal cells, of which errors have expansions in 1/size^2; then
 * that is in place of 1/size, and half = 2 max(|R - R_1|, |R_1 - R_2|/8), half of an interval that should hold the
 * order; no probability belongs to it. False where the sizes do not reach for R_1: fewer than 4 points, or less than a
 * factor 8. n points, ascending in size. */
bool steep_extrapolate(size_t n, const steep_log_point *point, bool cells, double *order, double *half);
