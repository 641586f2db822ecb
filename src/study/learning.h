/* SPDX-License-Identifier: GPL-3.0-or-later */
/* learning: learning curves: the least error of a series' widths at each number of training points. */
#pragma once

#include "study/series.h"

/* Of a target, variant and method with several numbers of points. point[k]: the width of the least median error there. */
struct steep_learning {
    const steep_series *series; /* the first of its series */
    steep_series_point *point;  /* count of them, ascending in samples */
    size_t count;
    double
        theory; /* with noise, of units with an order (steep_series.theory t against parameters): variance s^2 P/N and
                      error^2 P^2t are least in sum where the error falls as N^(t/(1 - 2 t)); NaN: none */
    steep_slope slope[STEEP_SLOPE_METHODS]; /* against samples */
};

/* Those of all series of the list, into list->curve (list->curves of them); none where the plan has one number of
 * points. steep_learning_free frees them. */
steep_status steep_learning_measure(steep_series_list *list, steep_slope_law law, steep_error *error);
void steep_learning_free(steep_series_list *list);

/* Writes path in one stroke: the curves, in the columns of series.csv, a row for each number of points with the width
 * that is best there. */
steep_status steep_learning_write(const steep_series_list *list, const char *path, steep_error *error);
