/* SPDX-License-Identifier: GPL-3.0-or-later */
/* laws: the order of an error curve that follows a power law of one of several kinds. For slope.c. */
#pragma once

#include <stddef.h>

#include "base/status.h"
#include "steep/slope.h"

typedef struct steep_law_points {
    size_t count;
    const double *u, *v; /* log size, ascending; log error */
    /* The number of points that each stands for (NULL: one); their sum of squares about the points given. */
    const double *weight;
    double within;
} steep_law_points;

/* All numbers but faster, correlated and longer are NaN where there are fewer than 4 points or they span too little. */
typedef struct steep_laws {
    double order, low, high;                /* b: its median, and the ends of its interval */
    double scatter;                         /* rms distance of the points from their laws, in log error */
    double faster;                          /* probability that the error falls faster than any power, A exp(-k n^g) */
    double correlated;                      /* probability that neighbours deviate from their law together */
    double longer;                          /* length of the interval / its length for noise without correlation */
    double offset, offset_low, offset_high; /* E and its interval, of STEEP_LAW_OFFSET; else NaN */
    double likely_a, likely_b, likely_e;    /* the likeliest law e^a n^b + E */
    size_t begin;                           /* the point from which the likeliest law holds */
} steep_laws;

/* Uses the options law, smooth, cells, scatter, minimum_span and level; STEEP_LAW_OFFSET: only A n^b + E, E >= 0, not
 * the other laws of laws.c. Up to 64 beginnings, some 500 laws for each of three correlations of the noise: 0.11 ms for
 * five points, 4 for nine, 20 for fifty. STEEP_NO_MEMORY, else STEEP_OK. Method: laws.c. */
steep_status steep_laws_measure(const steep_law_points *points, const steep_slope_options *options, steep_laws *laws,
                                steep_error *error);
