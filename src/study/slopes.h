/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slopes: what the rows of a plan say: the slopes of every series, in memory. */
#ifndef STEEP_STUDY_SLOPES_H
#define STEEP_STUDY_SLOPES_H

#include <math.h>

#include "plan/plan.h"
#include "record/rows.h"
#include "slope/slope.h"

typedef enum steep_against { STEEP_AGAINST_WIDTH, STEEP_AGAINST_PARAMS } steep_against;
#define STEEP_AGAINSTS 2

/* A target, variant and method: its slopes, against width and against parameters. A width stands with the best of its
 * seeds; the error is rmse_test, or rmse_train where nothing was tested. */
typedef struct steep_series {
    size_t series; /* number in the plan: steep_plan_series_at, steep_plan_label */
    steep_series_index at;
    size_t count;    /* usable fits */
    size_t distinct; /* how many seeds differ from each other in some error */
    bool tested;
    double theory; /* of piecewise polynomials of degree k in d dimensions, -1/2 - (2 k + 1)/(2 d), against width as
                      against params; others: NaN. In 1D that is -(k + 1), and exact; in more a bound for functions of
                      finite variation (docs/theory.md). NaN, too, for points from a file, and where the errors do
                      not fall (by size^-0.1) or turn: there the law is noise */
    size_t singular; /* of gates that are spread evenly: this derivative of the target is not square integrable, and the
                        order is smaller than theory's, which is NaN for it; else 0 */
    double highest_floor;
    size_t overfit; /* the smallest width whose test error has left its training error, 0: none; from it on the
                       window and the last pair take no points */
    /* The largest error in float32 that is 10 times that in double or more, and above 1e-6, and its width; 0 and 0: none. */
    double single;
    size_t single_width;
    steep_slope slope[STEEP_AGAINSTS][STEEP_SLOPE_METHODS];
    /* With two distinct seeds or more: the window's slope of the medians over seeds. Its interval, where the window has
     * one, is widened by the scatter of the seeds' own slopes (slope/seeds) as errors add in squares, and holds the
     * interval of the mean of these. points: how many seeds; 0 with fewer than two. */
    steep_slope seeds[STEEP_AGAINSTS];
} steep_series;

/* Every series of which there is at least one row, in the plan's order, by this law. The caller frees *series. */
steep_status steep_series_measure(const steep_plan *plan, const steep_fit_row *row, steep_slope_law law,
                                  steep_series **series, size_t *count, steep_error *error);

/* The one slope that table, files and figure name: over seeds where there are several, else of the window, else, where
 * that has none, of the last pair. */
static inline const steep_slope *steep_series_slope(const steep_series *series, steep_against against)
{
    const steep_slope *window = &series->slope[against][STEEP_SLOPE_WINDOW];
    if (series->seeds[against].points > 0) return &series->seeds[against];
    return isfinite(window->slope) || window->faster || window->turns ? window : &series->slope[against][STEEP_SLOPE_LAST_PAIR];
}

/* The error that counts for a series: of the test set where it was tested. */
static inline double steep_series_error(const steep_series *series, const steep_fit_row *row)
{
    return series->tested ? row->rmse_test : row->rmse_train;
}

#endif
