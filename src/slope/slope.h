/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slope: the exponent of a power law E ~ A size^slope, and how well it is known (docs/theory.md). */
#ifndef STEEP_SLOPE_SLOPE_H
#define STEEP_SLOPE_SLOPE_H

#include <stddef.h>

#include "base/status.h"

typedef enum steep_slope_method {
    STEEP_SLOPE_WINDOW,    /* OLS on the largest window free of floor and of drift, with an interval */
    STEEP_SLOPE_LAST_PAIR, /* the two largest sizes above the floor */
    STEEP_SLOPE_ALL        /* naive OLS over all points, as papers do */
} steep_slope_method;

/* "window", "last_pair", "all"; NULL past the last. */
const char *steep_slope_method_names(size_t index);

typedef struct steep_slope_options {
    double floor_factor;   /* points with error < floor_factor * floor are dropped (30) */
    double drift;          /* the window is cut from the left until |drift| < this (0.04), */
    double drift_noisy;    /* or it is insignificant (2 standard errors) and below this (0.12) */
    size_t minimum_points; /* kept at least (5) */
    double minimum_span;   /* ratio of largest to smallest size kept at least (4) */
    double level;          /* confidence of the interval (0.95) */
} steep_slope_options;
steep_slope_options steep_slope_options_default(void);

typedef struct steep_slope {
    steep_status status;     /* 0: found; STEEP_FLOOR: fewer points above the floor than the method needs, slope of what
                                there is or NaN; STEEP_STALLED: a window was found but its drift is above the limit */
    double slope, low, high; /* interval; low = high = NaN where the method has none (last_pair), or below 3 points */
    double intercept;        /* log E = intercept + slope log size */
    double first, last;      /* sizes at the ends of the window */
    size_t points;           /* used */
    size_t dropped;          /* distinct sizes left out because their error is within floor_factor of the floor */
    double drift;            /* change of the local slope across the window, from a quadratic; NaN below 3 points */
    double floor;            /* the largest floor that an error was held against, given or detected; 0: none */
} steep_slope;

/* Errors against size (width or parameters), count of each. */
typedef struct steep_slope_points {
    size_t count;
    const double *size, *error, *floor; /* floor NULL: none is known */
} steep_slope_points;

/* size[i] > 0, error[i] > 0 (points that are not finite and positive are left out); any order; equal sizes: the
 * smallest error of each counts.
 * floor[i]: rounding floor of each error (an entry that is not finite and positive: none known), or NULL: then a flat
 * tail, if the errors end in one, is taken for the floor. The naive method drops nothing. options NULL: defaults.
 * Interval of the window, errors with scatter: where the order of a power law with one break lies, given all points
 * above the floor, widened to hold the slope, so not symmetric; without scatter: slope +- (t(level, points - 2) * SE +
 * |drift|), SE the larger of OLS' and the jackknife's. Of the naive method: t * SE of OLS, as papers do. Returns
 * slope->status, < 0 for options out of range or no memory. */
steep_status steep_slope_measure(steep_slope_method method, const steep_slope_points *series,
                                 const steep_slope_options *options, steep_slope *slope, steep_error *message);

#endif
