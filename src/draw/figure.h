/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure: gnuplot scripts in a folder with their CSV files, and the pictures: NAME.gp makes NAME.svg, .pdf, .png.
 *
 * gnuplot runs as a child process in the folder. STEEP_IO: gnuplot is missing, fails, exceeds its time limit (and is
 * killed), or reports success but a picture is missing or incomplete. The message says what to install or what gnuplot
 * printed. Script and older pictures then stay, and "cd FOLDER && gnuplot NAME.gp" draws the figure later. */
#pragma once

#include "base/table.h"
#include "slope/slope.h"
#include "steep/sweep.h"

/* The terminals of figures without a choice of terminals. */
#define STEEP_FIGURE_TERMINALS "svg,pdf,png"

/* Draws one 1D fit: fit.gp and its pictures by these terminals, from the tables of record/save.h: residuals.csv,
 * ascending in x; units.csv, the contribution of each unit; gates.csv, if it exists: lines where gates open. */
steep_status steep_figure_fit(const char *folder, const char *title, const char *terminals,
                              const steep_figure_limits *limits, steep_error *error);

/* Draws one fit in two or more dimensions: maps of target, network (with contours, and lines where its gates open) and
 * residual on a plane of the box, from surface.csv, gates.csv and residuals.csv. A target that is known only at points
 * is drawn by its values there; beyond two dimensions residuals are drawn against y. across, up: names of the axes. */
steep_status steep_figure_map(const char *folder, const char *title, const char *across, const char *up,
                              const steep_figure_limits *limits, steep_error *error);

/* Draws curves.gp and its pictures from the files of --curve in curves/, for the largest width of each series. */
steep_status steep_figure_curves(const char *folder, const steep_figure_limits *limits, steep_error *error);

/* Checks the options of a sweep's figure. STEEP_BAD_INPUT names the option that is wrong. */
steep_status steep_figure_check(const steep_figure_options *options, steep_error *error);

/* Some columns of a table, stored row by row. The caller names the columns, texts first. */
typedef struct steep_figure_table {
    const char *const *column;
    size_t texts, numbers;
    bool blocks; /* false: each row must be one line, because gnuplot reads the rows by their numbers */
    steep_table table;
    const char **text; /* rows * texts */
    double *number;    /* rows * numbers; NaN where the table says nan */
} steep_figure_table;

/* Reads folder/name. Fails also where the last line is cut short, a column is missing or, unless t->blocks, a row is
 * not on the line after the row before, or has quotes within a field. To be freed, whatever is returned. */
steep_status steep_figure_read(const char *folder, const char *name, steep_figure_table *table, steep_error *error);
void steep_figure_free(steep_figure_table *table);

/* slopes.csv (study/run.h): the text columns of the table that steep_slopes_columns describes. */
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
/* The slope of a row, with the fields that the file has. *theory: theory's order (NULL: not requested). */
steep_slope steep_slopes_slope(const steep_figure_table *t, size_t row, double *theory);

/* folder/name.gp: the style; the head, which the caller writes between begin and end; the body. */
typedef struct steep_figure_writer {
    const char *folder, *name, *body;
    const char *terminals; /* of the pictures, with commas; NULL: svg, pdf, png, of which one is enough */
    const steep_figure_limits *limits;
    FILE *head;
} steep_figure_writer;

/* The path folder/name, followed by an ending such as ".gp" and by more. */
steep_path steep_figure_path(const steep_figure_writer *w, const char *ending, const char *more);

/* Begins the script. After a failure there is nothing to end. */
steep_status steep_figure_begin(steep_figure_writer *w, steep_error *error);

/* Ends the script and runs gnuplot on it. fine false: a part of the script found no memory; gnuplot does not run. */
steep_status steep_figure_end(steep_figure_writer *w, bool fine, steep_error *error);

/* Writes "; NAME = TEXT", with the text in gnuplot's quotes; NULL: "". */
void steep_figure_put_text(FILE *stream, const char *name, const char *text);

/* Writes "; terminals = 'svg pdf'" for "svg,pdf". */
void steep_figure_put_terminals(FILE *stream, const char *terminals);

/* Writes a text as a gnuplot expression of quoted strings; control characters become blanks. */
void steep_figure_quote(FILE *stream, const char *text);

/* scripts: gnuplot files of plots/, which the build embeds in the library as strings (src/embed.sh). */

extern const char steep_script_style[], steep_script_slopes[], steep_script_fit[], steep_script_map[],
    steep_script_separation[], steep_script_law[], steep_script_curves[];

/* Runs gnuplot on the script in its folder, as described at the top. STEEP_STOPPED; STEEP_IO; STEEP_NO_MEMORY. */
steep_status steep_gnuplot_run(const steep_figure_writer *job, steep_error *error);

/* title: names and formulas as a figure writes them. */

/* Text for a figure, in gnuplot's enhanced mode or for LaTeX; the caller frees it; NULL without memory. typeset: a text
 * that parses as a formula is typeset: x^2 has a raised 2, pi is the Greek letter, variables are italic, a product is a
 * thin space (a dot before a digit), - is a minus sign. Other text is not changed, except that special characters are
 * escaped and control characters become blanks. */
char *steep_title(const char *text, bool typeset, bool latex);

/* The first `most` characters of UTF-8 text, the last one an ellipsis if the text is longer; the caller frees it. */
char *steep_title_cut(const char *text, unsigned most);

/* look: colour, mark and dash of series, the same in gnuplot's pictures and on HTML pages. The colour shows the
 * architecture: mlp, glu and gqu always have the first three, others follow in order of appearance. Mark and dash show
 * the method (solver, start and number of training points), in order of appearance. Where all series have one method,
 * marks show the architecture too, and lines are solid. */

typedef struct steep_look {
    const char *label, *arch, *solver, *start; /* with several numbers of points a label ends with ", N = 100" */
    unsigned colour, mark, dash;               /* from 1; dash 1 is solid */
} steep_look;

/* Sets colour, mark and dash of each look from the names. Beyond the number of colours and marks they repeat, and then
 * architectures of one colour have other marks: 27 architectures differ. O(count^2). */
void steep_look_choose(steep_look *look, size_t count);

/* The looks of all labels of a page. */
typedef struct steep_figure_looks {
    const steep_look *look;
    size_t labels;
} steep_figure_looks;

/* steep_figure_slopes with these looks; NULL: the figure chooses its own. */
steep_status steep_figure_slopes_with(const char *folder, const steep_figure_options *options,
                                      const steep_figure_looks *looks, const steep_figure_limits *limits,
                                      steep_error *error);

/* Widens xlim and ylim of the options (0, 0: not set yet) to contain the axes of the folder's figure. */
steep_status steep_figure_ends(const char *folder, steep_figure_options *options, steep_error *error);

/* labels: free places for a key and slope triangles in a panel with corners (0, 0), lower left, and (1, 1). */

typedef struct steep_box {
    double left, lower, right, upper;
} steep_box;

/* What is drawn already: boxes, and lines through points (x[i], y[i]). A NaN ends a line; a single point is a line. */
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
    steep_box box; /* holds the triangle and its two numbers */
} steep_triangle;

/* Looks for a free place along the line from x = end back to begin, below and above the line, first for large
 * triangles, then for smaller ones. A number takes digit_width x digit_height. */
typedef struct steep_triangle_line {
    double height, slope, begin, end, digit_width, digit_height;
} steep_triangle_line;
bool steep_labels_triangle(const steep_scene *scene, const steep_triangle_line *line, steep_triangle *triangle);
