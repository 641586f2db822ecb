/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slope: the exponent of a power law E ~ A size^slope, and its interval. */
#pragma once

#include "steep/status.h"

typedef enum steep_slope_method {
    STEEP_SLOPE_WINDOW,    /* the order: the exponent that the curve comes to as the size grows, with an interval */
    STEEP_SLOPE_LAST_PAIR, /* the slope at the largest sizes: of the last two above the floor */
    STEEP_SLOPE_ALL        /* naive OLS over all points, as papers do */
} steep_slope_method;

#define STEEP_SLOPE_METHODS 3

/* "window", "last_pair", "all"; NULL past the last. */
STEEP_API const char *steep_slope_method_names(size_t index);

typedef enum steep_slope_law {
    STEEP_LAW_POWER, /* A size^slope, in the end: shifted, bent, broken before, or levelling off behind */
    STEEP_LAW_OFFSET /* E + A size^slope, E >= 0 */
} steep_slope_law;

typedef struct steep_slope_options {
    steep_slope_law law; /* of the window (power) */
    bool smooth;         /* of networks without kinks: that the error falls faster than any power is likely */
    bool cells;          /* sizes count equal cells of a piecewise polynomial: errors have expansions in 1/size^2 */
    bool computed;       /* the errors have no scatter (false: the points say whether they have) */
    double scatter;      /* of the errors of all sizes, relative, at the least (0): errors on the same N random points,
                              which may share some 1/sqrt(N), look smoother than they are near the law */
    double floor_factor; /* points with error < floor_factor * floor are dropped (30) */
    double drift;        /* still bending: the order is farther than this from the slope at the largest sizes (0.1) */
    size_t minimum_points; /* needed for an interval (5) */
    double minimum_span;   /* the last law holds over this ratio of sizes at least (4) */
    double level;          /* confidence of the interval (0.95) */
} steep_slope_options;
STEEP_API steep_slope_options steep_slope_options_default(void);

typedef struct steep_slope {
    steep_status status;     /* 0: found; STEEP_FLOOR: fewer points above the floor than the method needs, slope of what
                                there is or NaN; STEEP_STALLED: still bending, or faster */
    bool faster;             /* the error falls faster than any power: the window's slope is NaN */
    bool turns;              /* the errors fall, then rise: no power law, the window's slope is NaN */
    bool correlated;         /* neighbours deviate from their law together, probability 0.9 or more; the
                                interval is beyond 0.005 to either side, and is longer for it by half at least where
                                the errors have no scatter */
    double slope, low, high; /* interval; low = high = NaN where the method has none (last_pair), or too few points */
    double intercept;        /* log A: log E = intercept + slope log size at the largest sizes */
    double first, last;      /* sizes at the ends of the window: where the likeliest law begins, the largest */
    size_t points;           /* used: of the window, from first to last */
    size_t dropped;          /* distinct sizes left out because their error is within floor_factor of the floor */
    size_t apart;            /* distinct sizes left out because their error stands apart from its neighbours' */
    double drift; /* of the window: slope at the largest sizes (last factor minimum_span) less the order; else
                                change of the local slope across the points, from a quadratic; NaN below 3 points */
    double floor; /* the largest floor that an error was held against, given or detected; 0: none */
    /* E of STEEP_LAW_OFFSET, with its interval; and the law fitted to the first two thirds of the sizes, held out on
     * the others: rms of log(error/predicted). Else NaN. */
    double offset, offset_low, offset_high, held_out;
} steep_slope;

/* Why there is no interval, or the slope is not yet the order: a few words, or NULL. Of the window. */
STEEP_API const char *steep_slope_remark(const steep_slope *slope);

/* Errors against size (width or parameters), count of each. */
typedef struct steep_slope_points {
    size_t count;
    const double *size, *error, *floor; /* floor NULL: none is known */
} steep_slope_points;

/* size[i] > 0, error[i] > 0 (points that are not finite and positive are left out); any order; equal sizes: the
 * smallest error of each counts.
 * floor[i]: rounding floor of each error (an entry that is not finite and positive: none known), or NULL: then a flat
 * tail, if the errors end in one, is taken for the floor. The naive method drops nothing. options NULL: defaults.
 * The window's slope is the median of what the order may be, given all points above the floor that do not stand apart,
 * the interval its quantiles (not symmetric); of errors without scatter (0.3 %, or computed) Richardson's extrapolation
 * and its own interval, or one that holds both. Of the naive method: t * SE of OLS, as papers do. Returns
 * slope->status, < 0 for options out of range or no memory. */
STEEP_API steep_status steep_slope_measure(steep_slope_method method, const steep_slope_points *series,
                                           const steep_slope_options *options, steep_slope *slope,
                                           steep_error *message);
