/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure: gnuplot scripts that stand in a folder beside their CSV, and the pictures they draw: NAME.gp makes NAME.svg,
 * NAME.pdf, NAME.png.
 *
 * gnuplot runs as a child process in the folder. Where it is missing, fails, draws nothing or takes longer than its
 * limit the status is STEEP_IO, the message says what to install or what gnuplot said, and the script stays:
 * "cd FOLDER && gnuplot NAME.gp" draws it later. Pictures that an earlier call drew stay until
 * there are new ones. */
#ifndef STEEP_DRAW_FIGURE_H
#define STEEP_DRAW_FIGURE_H

#include <stdbool.h>

#include "base/status.h"

/* When gnuplot is ended: NULL for such limits, STEEP_FIGURE_SECONDS and no stop. */
typedef struct steep_figure_limits {
    const volatile int *stop; /* non-zero: now, and the status is STEEP_STOPPED; NULL: never */
    double seconds;           /* 0: STEEP_FIGURE_SECONDS */
} steep_figure_limits;
#define STEEP_FIGURE_SECONDS 120

typedef struct steep_figure_options {
    const char *arch;        /* series to show: labels or names of architectures, separated by commas; NULL: all */
    const char *title;       /* above the figure, as it stands, in UTF-8; NULL: the target, where there is one */
    const char *terminal;    /* among svg, pdf, png, cairolatex, tikz, separated by commas; NULL: svg,pdf,png */
    const char *name;        /* of the files: letters, digits, dots, - and _, the first no . or -; NULL: slopes */
    char against;            /* 'n': width alone, 'P': parameters alone, 0: a panel for each */
    double width;            /* cm, 5 to 100; type has 8.5 points then. 0: 24 cm, for a screen, and 9.75 points */
    const char *by;          /* "arch", "solver" or "start": panels of its own for each, on the same axes; NULL: none */
    double xlim[2], ylim[2]; /* the ends of the axes, positive; 0, 0: as the points ask for */
    bool no_theory;          /* no line of theory, no lower bound, no triangle */
} steep_figure_options;

/* NAME.gp and its pictures from series.csv (study/series) in the folder: error against width and against parameters,
 * panels side by side, or one below the other where the figure is narrow, for each target; medians, joined, and
 * quartiles over seeds, theory dashed (with its constant where one is predicted, else its slope through the middle of
 * the points), lower bounds of the error dotted, slope triangles, rounding floors as pale lines where errors come near,
 * slope and interval in the key ("slope unknown" where the interval is wider than the slope). Colours are by
 * architecture, marks and dashes by solver and start, the same in every figure of the folder. Widths that overfit do not
 * stretch an axis; those beyond one are drawn at its edge, and the legend says so. cairolatex draws NAME-cairolatex.tex
 * and .pdf, tikz NAME-tikz.tex: text is LaTeX's. options NULL: all as it comes. STEEP_BAD_INPUT names the option that is
 * wrong, or the file with its row or column where one is missing, cut short or no number, or that there is nothing to
 * draw. */
steep_status steep_figure_slopes(const char *folder, const steep_figure_options *options,
                                 const steep_figure_limits *limits, steep_error *error);

/* fit.gp and its pictures, one 1D fit, from
 *   residuals.csv   x, y, network, residual (network - y): ascending in x
 *   units.csv       x, then a column for each unit: D_i h_i(x), what it adds to the network (the rest is d)
 *   gates.csv       knot, sign: optional; vertical lines where the units' gates open */
steep_status steep_figure_fit(const char *folder, const char *title, const steep_figure_limits *limits,
                              steep_error *error);

/* separation.gp and its pictures from separation.csv (docs/manual.md, steep separate): W, E0 and E1 against width, the
 * bound and the certified bands where the table has them. title NULL: witness, typeset where it is a formula, class and
 * lambda of the table. */
steep_status steep_figure_separation(const char *folder, const char *title, const steep_figure_limits *limits,
                                     steep_error *error);

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

/* NAME.gp = the style + the text of the gnuplot file at path, written into the folder and run. */
steep_status steep_figure_script(const char *folder, const char *name, const char *path,
                                 const steep_figure_limits *limits, steep_error *error);

/* The style that all figures share (plots/style.gp), as text. */
const char *steep_figure_style(void);

#endif
