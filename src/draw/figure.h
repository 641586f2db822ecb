/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure: gnuplot scripts that stand in a folder beside their CSV, and the pictures they draw: NAME.gp makes NAME.svg,
 * NAME.pdf, NAME.png.
 *
 * gnuplot runs as a child process in the folder. Where it is missing, fails, draws nothing or takes longer than its
 * limit the status is STEEP_IO, the message says what to install or what gnuplot said, and the script stays: "cd FOLDER
 * && gnuplot NAME.gp" draws it later. Pictures that an earlier call drew stay until there are new ones. */
#pragma once

#include "base/status.h"
#include "steep/sweep.h"

/* The terminals of figures that always draw the same ones. */
#define STEEP_FIGURE_TERMINALS "svg,pdf,png"

/* fit.gp and its pictures by these terminals, one 1D fit, from
 *   residuals.csv   x, y, network, residual (network - y): ascending in x
 *   units.csv       x, then a column for each unit: D_i h_i(x), what it adds to the network (the rest is d)
 *   gates.csv       knot, sign: optional; vertical lines where the units' gates open */
steep_status steep_figure_fit(const char *folder, const char *title, const char *terminals,
                              const steep_figure_limits *limits, steep_error *error);

/* separation.gp and its pictures from separation.csv (docs/reference/commands.md): W, E0 and E1 against width, the
 * bound and the certified bands where the table has them; above them witness, typeset where it is a formula, class and
 * lambda of the table. */
steep_status steep_figure_separation(const char *folder, const steep_figure_limits *limits, steep_error *error);

/* curves.gp and its pictures: the largest width of each series in curves/, which --curve writes. */
steep_status steep_figure_curves(const char *folder, const steep_figure_limits *limits, steep_error *error);

/* The same for a fit in two and more dimensions, maps of target, network (with contours, and lines where its gates
 * open) and residual on a plane of the box, from
 *   surface.csv     two coordinates, network, and target and residual where they are known everywhere, on a full grid
 *   gates.csv       unit, from1, from2, to1, to2: lines
 *   residuals.csv   x1, x2 .., y, network, residual at points; where the target is known there alone, they are drawn as
 *                   points; in more than two dimensions residuals are drawn against y.
 * across, up: what is written at the axes, as it stands. */
typedef struct steep_figure_plane {
    const char *title, *across, *up;
} steep_figure_plane;
steep_status steep_figure_map(const char *folder, const steep_figure_plane *plane, const steep_figure_limits *limits,
                              steep_error *error);
