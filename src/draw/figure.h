/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure: gnuplot scripts that stand in a folder beside their CSV, and the pictures they draw: NAME.gp makes NAME.svg,
 * NAME.pdf, NAME.png.
 *
 * gnuplot runs as a child process, without a shell, in the folder. Where it is missing or fails the status is STEEP_IO,
 * the message says what to install or what gnuplot said, and the script stays: "cd FOLDER && gnuplot NAME.gp" draws it
 * later. */
#ifndef STEEP_DRAW_FIGURE_H
#define STEEP_DRAW_FIGURE_H

#include "base/status.h"

/* slopes.gp and its pictures from fits.csv and slopes.csv in the folder: error against width and against parameters, a
 * row of two panels for each target; measured points, theory dashed (with its constant where limits.csv is there and
 * predicts it, else its slope, through the middle of the window), what no network gets below (limits.csv), slope
 * triangles, the rounding floor shaded where it comes near, slope and interval in the key. The error is rmse_test, or
 * rmse_train where no row has a test error. title: above the figure, as it stands; NULL: the target's name.
 * STEEP_BAD_INPUT when the files lack a column or hold no usable row. */
steep_status steep_figure_slopes(const char *folder, const char *title, steep_error *error);

/* fit.gp and its pictures, one 1D fit, from
 *   residuals.csv   x, y, network, residual (network - y): ascending in x
 *   units.csv       x, then a column for each unit: D_i h_i(x), what it adds to the network (the rest is d)
 *   gates.csv       knot, sign: optional; vertical lines where the units' gates open */
steep_status steep_figure_fit(const char *folder, const char *title, steep_error *error);

/* NAME.gp = the style + the text of the gnuplot file at path, written into the folder and run. */
steep_status steep_figure_script(const char *folder, const char *name, const char *path, steep_error *error);

/* The style that all figures share (plots/style.gp), as text. */
const char *steep_figure_style(void);

#endif
