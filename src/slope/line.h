/* SPDX-License-Identifier: GPL-3.0-or-later */
/* line: straight lines through points of log size and log error. For slope.c. */
#pragma once

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
