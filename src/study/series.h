/* SPDX-License-Identifier: GPL-3.0-or-later */
/* series: series.csv, what a figure of slopes draws: a row for each series and width; and learning curves. */
#pragma once

#include "study/slopes.h"

/* What the seeds of one width say, and theory. NaN where there is no such number. */
typedef struct steep_series_point {
    bool present; /* at least one row, usable or not */
    double size[STEEP_AGAINSTS], samples, flops;
    size_t seeds;
    double error, low, high, best, floor, clean, noise; /* clean, noise: medians of rmse_clean and noise_test */
    steep_terms terms;
} steep_series_point;

/* A learning curve: of a target, variant and method with several numbers of training points the width of the least
 * median error at each, point[k]. */
struct steep_learning {
    const steep_series *series; /* the first of its series */
    steep_series_point *point;  /* count of them, ascending in samples */
    size_t count;
    /* With noise, of units with an order (steep_series.theory t against parameters): variance s^2 P/N and error^2 P^2t
     * are least in sum where the error falls as N^(t/(1 - 2 t)); NaN: none. */
    double theory;
    steep_slope slope[STEEP_SLOPE_METHODS]; /* against samples */
};

/* The curves of all series of the list, into list->curve (list->curves of them); none where the plan has one number of
 * points. The caller frees list->curve_block. */
steep_status steep_learning_measure(steep_series_list *list, steep_slope_law law, steep_error *error);

/* Writes path in one stroke: the curves, in the columns of series.csv, a row for each number of points with the width
 * that is best there. */
steep_status steep_learning_write(const steep_series_list *list, const char *path, steep_error *error);

#define STEEP_SERIES_HEADER                                                                                            \
    "target,title,series,arch,activation,solver,start,width,params,error,low,high,best,seeds,floor,lower,"             \
    "asymptotic,uniform,equidistributed,predicted,upper,theory,width_slope,width_low,width_high,width_law,"            \
    "params_slope,params_low,params_high,params_law,overfit,gap,gap_over,samples,samples_slope,samples_low,"           \
    "samples_high,samples_law,flops,clean,noise"

/* Writes path in one stroke.
 *   target, title     as fits.csv has it; as a figure names it (a target's formula as typed, a file's name). In all
 *                     texts blanks stand for line breaks, and ' for ": gnuplot reads no others within a field
 *   series            steep_plan_label; arch: steep_variant.label
 *   error, low, high  over seeds: median and quartiles of the error that counts (slopes.h); best: the smallest; seeds:
 *                     how many there are (0: no usable fit, NaN)
 *   floor             the largest rounding floor over seeds
 *   lower, upper      the bracket (study/limits) of the best error: no network of the width gets below lower. NaN where
 *                     none is known
 *   asymptotic        the best error's leading term as the width grows: no bound, best errors may be below it
 *   uniform, equidistributed, predicted   theory's leading terms (study/theory)
 *   theory            the slope that theory names, as slopes.csv has it
 *   width_slope, width_low, width_high   the slope against width and its interval: steep_series_slope (the same in all
 *                     rows of a series)
 *   width_law         A width^theory: through the middle of predicted, where there is one, else of error, in the window
 *   params_...        the same against parameters
 *   overfit           1 from the width on where the test error leaves the training error: such points are in no slope.
 *                     With noise 0: that errors rise again is what a figure of them shows
 *   gap               error over lower where that is known and above 0 (gap_over: bound), else over the least best of
 *                     this target, architecture and width in the folder (gap_over: whose it is)
 *   samples           training points; its slope, interval and law: of learning curves, else NaN
 *   flops             operations of a fit, the median
 *   clean, noise      with noise: medians of the test error without it, and of the noise's share
 * Widths that the series has no row of are left out. STEEP_STALLED: the file is there, and error has a sentence on
 * bounds that are missing because a target is not resolved. STEEP_STOPPED: *stop became non-zero, and what stood at
 * path is unchanged. */
steep_status steep_series_write(const steep_series_list *list, const volatile int *stop, const char *path,
                                steep_error *error);
