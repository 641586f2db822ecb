/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure: gnuplot scripts in a folder beside their CSV, and the pictures: NAME.gp makes NAME.svg, .pdf, .png.
 *
 * gnuplot runs as a child process in the folder. Where it is missing, fails, takes longer than its limit (and is
 * killed), or ends well without a picture or with one that breaks off, the status is STEEP_IO, the message says what to
 * install or what gnuplot said, and script and older pictures stay: "cd FOLDER && gnuplot NAME.gp" draws it later. */
#pragma once

#include "base/table.h"
#include "slope/slope.h"
#include "steep/sweep.h"

/* The terminals of figures that always draw the same ones. */
#define STEEP_FIGURE_TERMINALS "svg,pdf,png"

/* fit.gp and its pictures by these terminals, one 1D fit, from the tables of record/save.h: residuals.csv, ascending in
 * x; units.csv, what each unit adds to the network; and, where it is there, gates.csv: lines where gates open. */
steep_status steep_figure_fit(const char *folder, const char *title, const char *terminals,
                              const steep_figure_limits *limits, steep_error *error);

/* The same for a fit in two and more dimensions: maps of target, network (with contours, and lines where its gates
 * open) and residual on a plane of the box, from surface.csv, gates.csv and residuals.csv. Where the target is known at
 * points alone, its values there are drawn; in more than two dimensions residuals are drawn against y. across, up: the
 * names of the axes. */
steep_status steep_figure_map(const char *folder, const char *title, const char *across, const char *up,
                              const steep_figure_limits *limits, steep_error *error);

/* curves.gp and its pictures: the largest width of each series in curves/, which --curve writes. */
steep_status steep_figure_curves(const char *folder, const steep_figure_limits *limits, steep_error *error);

/* The options of the figure of a sweep: STEEP_BAD_INPUT names the one that is wrong. */
steep_status steep_figure_check(const steep_figure_options *options, steep_error *error);

/* Some columns of a table, each row's values side by side. The caller names the columns, texts first. */
typedef struct steep_figure_table {
    const char *const *column;
    size_t texts, numbers;
    bool blocks; /* its lines may be anyhow; else gnuplot takes rows by their number */
    steep_table table;
    const char **text; /* rows * texts */
    double *number;    /* rows * numbers; NaN where the table says nan */
} steep_figure_table;

/* Reads folder/name. Fails also where the last line is cut short, a column is missing or, unless t->blocks, a row does
 * not stand on the line behind the row before, or has quotes within a field. Free it, whatever comes back. */
steep_status steep_figure_read(const char *folder, const char *name, steep_figure_table *table, steep_error *error);
void steep_figure_free(steep_figure_table *table);

/* slopes.csv (study/run.h): the texts of its columns, in a table that is to be read. */
enum {
    STEEP_SLOPES_AGAINST,
    STEEP_SLOPES_METHOD,
    STEEP_SLOPES_REMARK,
    STEEP_SLOPES_ARCH,
    STEEP_SLOPES_TARGET,
    STEEP_SLOPES_SOLVER,
    STEEP_SLOPES_START,
    STEEP_SLOPES_TEXTS
};
steep_figure_table steep_slopes_columns(void);
/* The slope of a row, as far as the file says it; theory NULL or where theory's order goes. */
steep_slope steep_slopes_slope(const steep_figure_table *t, size_t row, double *theory);

/* folder/name.gp: the style, the head that the caller writes between begin and end, and the body. */
typedef struct steep_figure_writer {
    const char *folder, *name, *body;
    const char *terminals; /* of the pictures, with commas; NULL: any of svg, pdf, png */
    const steep_figure_limits *limits;
    FILE *head;
} steep_figure_writer;

/* "folder/name", an ending such as ".gp", and one more behind it. */
steep_path steep_figure_path(const steep_figure_writer *w, const char *ending, const char *more);

/* A failure: there is nothing to end. */
steep_status steep_figure_begin(steep_figure_writer *w, steep_error *error);

/* Runs gnuplot on the script, unless something that was to be written found no memory: fine false. */
steep_status steep_figure_end(steep_figure_writer *w, bool fine, steep_error *error);

/* "; NAME = TEXT", the text in quotes as gnuplot reads it; NULL: "". */
void steep_figure_put_text(FILE *stream, const char *name, const char *text);

/* "; terminals = 'svg pdf'" from "svg,pdf". */
void steep_figure_put_terminals(FILE *stream, const char *terminals);

/* Text in quotes as gnuplot reads it, an expression; control characters become blanks. */
void steep_figure_quote(FILE *stream, const char *text);

/* scripts: the gnuplot files of plots/ that the library carries, made strings when it is built (src/embed.sh). */

extern const char steep_script_style[], steep_script_slopes[], steep_script_fit[], steep_script_map[],
    steep_script_separation[], steep_script_law[], steep_script_curves[];

/* Runs gnuplot on the script in its folder, as said above. STEEP_STOPPED; STEEP_IO; STEEP_NO_MEMORY. */
steep_status steep_gnuplot_run(const steep_figure_writer *job, steep_error *error);

/* title: names and formulas as a figure writes them. */

/* Text for a figure, in gnuplot's enhanced mode, or for LaTeX; the caller frees it; NULL without memory. typeset: where
 * the formula room reads it, x^2 gets a raised 2, pi is the Greek letter, variables slant, a product is a thin space (a
 * dot before a digit), - a minus sign. All else stands as it is: special characters guarded, control ones blank. */
char *steep_title(const char *text, bool typeset, bool latex);

/* The first `most` characters of UTF-8 text, the last of them an ellipsis where there are more; the caller frees it. */
char *steep_title_cut(const char *text, unsigned most);

/* look: colour, mark and dash of series, the same in gnuplot's pictures and on pages. Colours are by architecture: mlp,
 * glu and gqu have the first three everywhere, others follow as they appear. Mark and dash are by method, a solver, a
 * start and a number of training points, as they appear; where all series have one method, marks are by architecture,
 * too, and lines are solid. */

typedef struct steep_look {
    const char *label, *arch, *solver, *start; /* the label of one of several numbers of points ends with ", N = 100" */
    unsigned colour, mark, dash;               /* from 1; dash 1 is solid */
} steep_look;

/* Colour, mark and dash of each, from the names. Architectures and methods beyond the number of colours and marks begin
 * anew, those of one colour with other marks: 27 architectures differ. O(count^2). */
void steep_look_choose(steep_look *look, size_t count);

/* The looks that labels have on a whole page. */
typedef struct steep_figure_looks {
    const steep_look *look;
    size_t labels;
} steep_figure_looks;

/* steep_figure_slopes with these looks; NULL: its own. */
steep_status steep_figure_slopes_with(const char *folder, const steep_figure_options *options,
                                      const steep_figure_looks *looks, const steep_figure_limits *limits,
                                      steep_error *error);

/* Widens xlim and ylim of the options, 0 and 0 at first, to hold the axes of the folder's figure. */
steep_status steep_figure_ends(const char *folder, steep_figure_options *options, steep_error *error);

/* labels: free places for a key and for slope triangles in a panel, from (0, 0), lower left, to (1, 1), upper right. */

typedef struct steep_box {
    double left, lower, right, upper;
} steep_box;

/* What is drawn already: lines through points (x[i], y[i]), a NaN ends one, a point alone is a line too; boxes. */
typedef struct steep_scene {
    size_t points, boxes;
    const double *x, *y;
    const steep_box *box;
} steep_scene;

/* Whether a box lies within the panel and touches no line and no box. */
bool steep_labels_free(const steep_scene *scene, steep_box box);

/* The first free corner for a box of this size: 1 lower left, 2 upper right, 3 lower right, 4 upper left; 0: none. */
int steep_labels_corner(const steep_scene *scene, double width, double height, steep_box *box);

/* A right triangle, its longest side parallel to the line y = height + slope x, slope < 0, above it or below. */
typedef struct steep_triangle {
    double left, right, upper, lower;
    bool above;
    steep_box box; /* with its two numbers */
} steep_triangle;

/* Looks for a free place along the line from x = begin to end, from the end back, below and above, large then small; a
 * number takes digit_width times digit_height. */
typedef struct steep_triangle_line {
    double height, slope, begin, end, digit_width, digit_height;
} steep_triangle_line;
bool steep_labels_triangle(const steep_scene *scene, const steep_triangle_line *line, steep_triangle *triangle);
