/* SPDX-License-Identifier: GPL-3.0-or-later */
/* series: writes series.csv, the data of a figure of slopes (a row for each series and width), and learning curves. */
#pragma once

#include "study/slopes.h"

/* Numbers over the seeds of one width (error: median; low, high: quartiles), and theory. NaN: there is none. */
typedef struct steep_series_point {
    bool present; /* at least one row, usable or not */
    double size[STEEP_AGAINSTS], samples, flops;
    size_t seeds;
    double error, low, high, best, floor, clean, noise; /* clean, noise: medians of rmse_clean and noise_test */
    steep_terms terms;
} steep_series_point;

/* A learning curve of a target, variant and method: the width of least median error for each number of points. */
struct steep_learning {
    const steep_series *series; /* first series of the curve */
    steep_series_point *point;  /* count of them, ascending in samples */
    size_t count;
    double narrowest, widest; /* of the widths with a fit, over all numbers of points */
    /* With noise, for units whose error falls as P^t (steep_series_order): variance s^2 P/N plus squared error P^2t is
     * least where the error falls as N^theory, theory = t/(1 - 2 t). NaN: no order, or no noise. */
    double theory;
    steep_slope slope[STEEP_SLOPE_METHODS]; /* against samples */
};

/* The curves of all series of the list, into list->curve (list->curves of them); none where the plan has one number of
 * points. The caller frees list->curve_block. */
steep_status steep_learning_measure(steep_series_list *list, steep_slope_law law, steep_error *error);

#define STEEP_SERIES_HEADER                                                                                            \
    "target,title,series,arch,activation,solver,start,width,params,error,low,high,best,seeds,floor,lower,"             \
    "asymptotic,uniform,equidistributed,predicted,upper,theory,width_slope,width_low,width_high,width_law,"            \
    "params_slope,params_low,params_high,params_law,overfit,gap,gap_over,samples,samples_slope,samples_low,"           \
    "samples_high,samples_law,flops,clean,noise"

/* Writes path in one stroke, a row for each series and each of its widths with a fit; curves: for each curve and number
 * of points, with the width that is best there. docs/reference/folder.md lists the columns. In texts blanks stand for
 * line breaks, and ' for ", as gnuplot reads neither within a field. title: the target as a figure names it: a formula
 * as typed, a file's name; series: steep_plan_label; arch: steep_variant.label; error, low, high and best are of the
 * error that counts (slopes.h); lower and upper are the bounds of study/limits; uniform, equidistributed and predicted
 * are of study/theory; slopes are steep_series_slope, the same in all rows of a series; overfit is 0 with noise, since
 * a figure of noisy fits is to show that their errors rise again.
 *
 * STEEP_STALLED: the file is written, and error says which target has no bounds because its quadrature has not
 * converged. STEEP_STOPPED: *stop became non-zero, and the file at path is unchanged. */
steep_status steep_series_write(const steep_series_list *list, bool curves, const volatile int *stop, const char *path,
                                steep_error *error);
