/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report: what the rows of a sweep say: slopes.csv, and the table of slopes that people read. */
#ifndef STEEP_RUN_REPORT_H
#define STEEP_RUN_REPORT_H

#include "run/journal.h"

#define STEEP_SLOPES_HEADER "arch,target,solver,against,method,slope,low,high,first,last,points,drift,theory"

/* Measures the slopes of every target and variant, against width and against parameters, by every method. A width
 * stands with the best of its seeds; the error is rmse_test, or rmse_train where nothing was tested (points from a
 * file). Theory: -(degree + 1) where the network is a piecewise polynomial in 1D, else NaN. Writes path (slopes.csv) in
 * one stroke, and the table (architecture, slope against parameters, interval, theory, floor ...) to stream, NULL: to
 * nowhere. */
steep_status steep_report_slopes(const steep_grid *grid, const steep_row *row, const char *path, FILE *stream,
                                 steep_error *error);

#endif
