/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slope: the exponent of a power law E ~ A size^slope, and its interval. */
#pragma once

#include "steep/status.h"

typedef enum steep_slope_method {
    STEEP_SLOPE_WINDOW,    /* the order: the exponent that the errors reach as the size grows, with an interval */
    STEEP_SLOPE_LAST_PAIR, /* the slope between the two largest sizes above the floor */
    STEEP_SLOPE_ALL        /* naive OLS over all points, as papers do */
} steep_slope_method;

#define STEEP_SLOPE_METHODS 3

/* "window", "last_pair", "all"; NULL past the last. */
STEEP_API const char *steep_slope_method_names(size_t index);

typedef enum steep_slope_law {
    STEEP_LAW_POWER, /* A size^slope as the size grows; also laws that are shifted, bent, broken or level off */
    STEEP_LAW_OFFSET /* E + A size^slope, E >= 0 */
} steep_slope_law;

typedef struct steep_slope_options {
    steep_slope_law law;   /* of method window (power) */
    bool smooth;           /* the networks have no kinks: errors are likely to fall faster than any power */
    bool cells;            /* sizes count equal cells of a piecewise polynomial: errors have expansions in 1/size^2 */
    bool computed;         /* the errors have no scatter (false: scatter is judged from the points) */
    double scatter;        /* least relative scatter of the errors (0). Errors on the same N random points may share a
                              deviation of about 1/sqrt(N): they look smooth and are not as near to the law */
    double floor_factor;   /* points with error < floor_factor * floor are dropped (30) */
    double drift;          /* still bending: the order is farther than this from the slope at the largest sizes (0.1) */
    size_t minimum_points; /* needed for an interval (5) */
    double minimum_span;   /* the last law holds over at least this ratio of sizes (4) */
    double level;          /* confidence of the interval (0.95) */
} steep_slope_options;
STEEP_API steep_slope_options steep_slope_options_default(void);

typedef struct steep_slope {
    steep_status status;     /* 0: found. STEEP_FLOOR: fewer points above the floor than the method needs; the slope is
                                that of the points left, or NaN. STEEP_STALLED: still bending, faster, or turns */
    bool faster;             /* the error falls faster than any power: the window's slope is NaN */
    bool turns;              /* the errors fall, then rise: no power law, the window's slope is NaN */
    bool flat;               /* the floor is the level at which the errors end, and no floor that was given */
    bool correlated;         /* neighbours deviate from their law together, with probability above 0.9. Only set where
                                the interval's half width is above 0.005, and for errors without scatter where the
                                correlation makes it more than 1.5 times longer */
    double slope, low, high; /* interval; low = high = NaN where the method has none (last_pair), or too few points */
    double intercept;        /* log A: log E = intercept + slope log size at the largest sizes */
    double first, last;      /* ends of the window: the size where the likeliest law begins, the largest size */
    size_t points;           /* points used; of method window: points from first to last */
    size_t dropped;          /* distinct sizes left out because their error is within floor_factor of the floor */
    size_t apart;            /* distinct sizes left out because their error stands apart from its neighbours' */
    double drift; /* of method window: slope at the largest sizes (last factor minimum_span) less the order; else
                                change of the local slope across the points, from a quadratic; NaN below 3 points */
    double floor; /* the largest floor that an error was compared with, given or detected; 0: none */
    /* Of STEEP_LAW_OFFSET, else NaN. E with its interval. held_out: rms of log(error/predicted) on the last third of
     * the sizes, predicted by the law of the first two thirds. */
    double offset, offset_low, offset_high, held_out;
} steep_slope;

/* For method window: a few words on why there is no interval or the slope is not yet the order, or NULL. */
STEEP_API const char *steep_slope_remark(const steep_slope *slope);

/* Errors against sizes (widths or parameters), count of each. */
typedef struct steep_slope_points {
    size_t count;
    const double *size, *error, *floor; /* floor NULL: no floor is known */
} steep_slope_points;

/* size[i] > 0, error[i] > 0, in any order. Points that are not finite and positive are left out; of equal sizes the
 * smallest error counts. floor[i]: the rounding floor of each error (not finite and positive: unknown). floor NULL: a
 * flat tail of the errors is taken for the floor. The naive method drops no point. options NULL: defaults.
 * Method window: slope is the median of the order's posterior, given all points above the floor that do not stand
 * apart; the interval is its quantiles (not symmetric). For errors without scatter (below 0.3 %, or computed) the
 * interval also holds Richardson's extrapolation with its error; where it held the extrapolation anyway, or cells are
 * computed, that is the slope. The naive method's interval is t * SE of OLS, as in papers. Returns slope->status, < 0
 * for options out of range or no memory. */
STEEP_API steep_status steep_slope_measure(steep_slope_method method, const steep_slope_points *series,
                                           const steep_slope_options *options, steep_slope *slope,
                                           steep_error *message);
