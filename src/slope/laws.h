/* SPDX-License-Identifier: GPL-3.0-or-later */
/* laws: the order of an error curve that is a power law of one of several kinds. For slope.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

typedef struct steep_law_points {
    size_t count;
    const double *u, *v; /* log size, ascending; log error */
    double span;         /* log of the ratio of sizes over which the last law holds at least */
    double expected;     /* how likely, beside a power law, the error falls faster than any; 0: the usual 0.04 */
    bool cells;          /* n counts equal cells: n^b (A + C/n^2) is likely */
    bool with_offset;    /* only A n^b + E, E >= 0, not the laws of laws.c */
    /* Of points that each stand for several: how many, and the sum of squares of these about them. NULL: for itself. */
    const double *weight;
    double within;
    double scatter; /* of a log error, at the least; 0: 0.001, for no law holds to the last digit */
} steep_law_points;

/* All NaN, but for faster, where there are fewer than 4 points or they span too little. */
typedef struct steep_laws {
    double order, low, high;                /* b: its median, and the ends of its interval */
    double scatter;                         /* rms distance of the points from their laws, in log error */
    double faster;                          /* probability that the error falls faster than any power, A exp(-k n^g) */
    double correlated;                      /* probability that neighbours deviate from their law together */
    double longer;                          /* the interval beside that of noise without correlation: a ratio */
    double offset, offset_low, offset_high; /* E and its interval, with_offset; else NaN */
    double likely_a, likely_b, likely_e;    /* the likeliest law e^a n^b + E */
    size_t begin;                           /* the point from which the likeliest law holds */
} steep_laws;

/* Interval of probability level, 0 < level < 1. Up to 64 beginnings, some 500 laws for each of three correlations of
 * the noise: 0.11 ms for five points, 4 for nine, 20 for fifty. STEEP_NO_MEMORY, else STEEP_OK. Method: laws.c. */
steep_status steep_laws_measure(const steep_law_points *points, double level, steep_laws *laws, steep_error *error);
