/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slopes: the slopes of every series of a plan, computed from its rows, in memory. */
#pragma once

#include <math.h>

#include "plan/plan.h"
#include "record/journal.h"
#include "slope/slope.h"
#include "steep/sweep.h"
#include "study/theory.h"

typedef struct steep_learning steep_learning; /* study/series.h */

typedef struct steep_series_list {
    const steep_plan *plan;
    const steep_fit_row *row; /* in the order of plan->task */
    steep_series *series;
    steep_theory *theory; /* terms of theory of each series */
    size_t count;
    steep_learning *curve;
    size_t curves;
    void *curve_block; /* the curves and their points */
} steep_series_list;

/* Fills list->series and list->theory by this law, in the plan's order, for every series with at least one row. The
 * caller frees both, whatever is returned. */
steep_status steep_series_measure(steep_series_list *list, steep_slope_law law, steep_error *error);

/* The slope that table, files and figure show: over seeds where there are several; else of the window, where it has a
 * slope or says why it has none (faster, turns); else of the last pair. */
static inline const steep_slope *steep_series_slope(const steep_series *series, steep_against against)
{
    const steep_slope *window = &series->slope[against][STEEP_SLOPE_WINDOW];
    if (series->seeds[against].points > 0) return &series->seeds[against];
    return isfinite(window->slope) || window->faster || window->turns ? window
                                                                      : &series->slope[against][STEEP_SLOPE_LAST_PAIR];
}

/* The slope against parameters that remarks and verdicts are about: over seeds, or of the window. */
static inline const steep_slope *steep_series_remarked(const steep_series *series)
{
    const steep_slope *seeds = &series->seeds[STEEP_AGAINST_PARAMS];
    return seeds->points > 0 ? seeds : &series->slope[STEEP_AGAINST_PARAMS][STEEP_SLOPE_WINDOW];
}

/* The slope of a series against parameters by theory: -(degree + 1) in one dimension; in d dimensions, for units that
 * hold relu^degree, -1/2 - (2 degree + 1)/(2 d) (docs/explanation/theory.md); NaN: unknown. */
double steep_series_order(const steep_plan *plan, steep_series_index at);

/* The error that counts for a series: the test error where the series was tested, else the training error. */
static inline double steep_series_error(const steep_series *series, const steep_fit_row *row)
{
    return series->tested ? row->rmse_test : row->rmse_train;
}
