/* SPDX-License-Identifier: GPL-3.0-or-later */
/* line: straight lines through points of log size and log error, and the order of errors without scatter by
 * Richardson's extrapolation. For slope.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct steep_log_point {
    double u, v; /* log size, log error */
    double size, floor;
    double weight; /* how many points it stands for, */
    size_t first;  /* and the first of them; of usable.h */
} steep_log_point;

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
