/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report: slopes.csv, and the table of slopes that people read. */
#pragma once

#include "base/sheet.h"
#include "study/series.h"

#define STEEP_SLOPES_HEADER                                                                                            \
    "arch,target,solver,against,method,slope,low,high,first,last,points,drift,theory,start,offset,offset_low,offset_"  \
    "high,apart,remark,samples"

/* remark: what the table says of the window (steep_slope_remark), empty where that is nothing; apart: sizes that were
 * left out since their error stands apart; samples: training points of the series, empty in rows of a learning curve.
 *
 * Writes path in one stroke: a row for each series, against width and against params, by each method, and by `seeds`
 * where there are several (steep_series.seeds); then a row for each learning curve, against samples, by each method. */
steep_status steep_report_slopes(const steep_series_list *list, const char *path, steep_error *error);

/* Prints the table, target by target: slope against parameters, interval, theory, floor, the least error that counts
 * with its width, of test points from a file R^2 = 1 - error^2 / (mean square of y about its mean), the seconds of all
 * fits of the series, and so on; then the learning curves, a line for each number of points. STEEP_NO_MEMORY. */
steep_status steep_report_table(const steep_series_list *list, steep_sheet *sheet);

/* Prints, of each target and number in plan->budget, the fits by their errors. STEEP_NO_MEMORY. */
steep_status steep_report_contest(const steep_series_list *list, steep_sheet *sheet);

/* What helps where a series overfits. */
const char *steep_report_remedy(const steep_plan *plan);
