/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parts: what the files of a page share: its runs as they were read, and its sections. */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "page/core.h"
#include "page/page.h"

struct json_t; /* jansson's */

/* Columns of series.csv. */
enum { STEEP_PAGE_TARGET, STEEP_PAGE_TITLE, STEEP_PAGE_LABEL, STEEP_PAGE_ARCH, STEEP_PAGE_SOLVER, STEEP_PAGE_START };
/* clang-format off */
enum {
    STEEP_PAGE_WIDTH, STEEP_PAGE_PARAMS, STEEP_PAGE_ERROR, STEEP_PAGE_LOW, STEEP_PAGE_HIGH, STEEP_PAGE_SEEDS,
    STEEP_PAGE_FLOOR, STEEP_PAGE_LOWER, STEEP_PAGE_PREDICTED, STEEP_PAGE_OVERFIT
};
/* clang-format on */
enum { STEEP_PAGE_METHODS = 4 }; /* window, last_pair, all, seeds */

/* The numbers of a row of slopes.csv, in the order in which page/run.c has them read; points 0: there is none. */
typedef struct steep_page_slope {
    double slope, low, high, first, last, points, drift, theory, offset, offset_low, offset_high, apart;
    const char *remark; /* steep_slope_remark of a window, else "" or NULL */
} steep_page_slope;

/* A line of a figure. */
typedef struct steep_page_series {
    const char *const *text; /* STEEP_PAGE_TARGET and so on, of its first row */
    size_t first, last;      /* its rows in series.csv */
    size_t label;            /* the number of its label among all labels of the page */
    double theory;
    steep_page_slope slope[2][STEEP_PAGE_METHODS]; /* against width, against params */
} steep_page_series;

typedef struct steep_page_run {
    const char *folder;
    char *name, *link;     /* as the page calls it; the way from the page to it, "" where it lies there itself */
    struct json_t *record; /* run.json; NULL: there is none */
    steep_figure_table series_table, slopes_table; /* of a sweep; paths NULL: there are none */
    steep_page_series *series;
    size_t count; /* of series */
    steep_table fits;
    steep_fit_row *fit;   /* of each row of fits */
    struct dirent **file; /* the folder's, sorted by names */
    size_t files;
    steep_figure_table separation; /* of steep separate (page/separations.c); path NULL: none */
    bool curve;                    /* of one fit in one dimension: residuals.csv has a column x */
} steep_page_run;

/* A folder of the page's own, in which gnuplot draws one picture after the other, and what it could not draw. */
typedef struct steep_scratch {
    char folder[4096];
    size_t missing;    /* pictures that could not be drawn */
    steep_error error; /* of the first of them */
} steep_scratch;

typedef struct steep_page {
    const steep_page_options *options;
    steep_page_run *run;
    size_t runs;
    const char **target, **label; /* of series, over all runs, in order of appearance */
    steep_look *look;             /* of each label */
    size_t targets, labels;
    steep_scratch *scratch;
} steep_page;

/* Style and script, made from page.css and page.js when the library is built. */
extern const char steep_page_style[], steep_page_script[];

/* Reads a folder. Free the run, whatever comes back. */
steep_status steep_page_read(const char *folder, steep_page_run *run, steep_error *error);
void steep_page_free(steep_page_run *run);
bool steep_page_has(const steep_page_run *run, const char *name);
/* One of its files of JSON. */
steep_status steep_page_json(const steep_page_run *run, const char *name, struct json_t **record, steep_error *error);
/* A member of an object, or `other` where it is no text. */
const char *steep_page_text(const struct json_t *object, const char *name, const char *other);

/* A number of series.csv. */
double steep_page_number(const steep_page_run *run, size_t row, size_t column);
/* The slope that the table names (study/slopes.h): over seeds, else of the window, else of the last pair; its method. */
const steep_page_slope *steep_page_named(const steep_page_series *series, size_t against, size_t *method);
/* The error falls faster than any power, as slopes.csv says. */
bool steep_page_faster(const steep_page_series *series);
/* Fits of all runs. */
size_t steep_page_fits(const steep_page *page);

/* A new folder in $TMPDIR, or /tmp; its end, with all files in it. */
steep_status steep_scratch_make(steep_scratch *scratch, steep_error *error);
void steep_scratch_remove(steep_scratch *scratch);
/* Removes the files in it. */
void steep_scratch_clear(const steep_scratch *scratch);
/* The run's file of this name, if it has one, stands in the folder, too. */
steep_status steep_scratch_link(const steep_scratch *scratch, const steep_page_run *run, const char *name,
                                steep_error *error);
/* A picture that gnuplot did not draw is missing, and a sentence in the page says why: then STEEP_OK; else the status. */
steep_status steep_scratch_note(steep_scratch *scratch, FILE *page, steep_status status, const steep_error *error);

/* A piece of the label's line with its mark (draw/look.h), in a text. */
void steep_page_put_chip(FILE *out, const steep_page *page, size_t label);

/* A picture within the page, as <img>, which runs no script: nothing where its file does not begin as SVG or PNG. */
typedef struct steep_image {
    const char *folder, *name, *class, *alt;
} steep_image;
steep_status steep_page_put_image(FILE *out, const steep_image *image, steep_error *error);
/* One of the folder, with its name. */
steep_status steep_page_put_picture(FILE *out, const steep_page_run *run, const char *name, steep_error *error);

/* <section id="ID"> with its title: the page's contents have it, too. */
void steep_page_begin(FILE *out, const char *id, const char *title);

/* The sections, each nothing where there is nothing to show. */
void steep_page_put_runs(FILE *out, const steep_page *page);
void steep_page_put_slopes(FILE *out, const steep_page *page);
steep_status steep_page_put_figures(FILE *out, const steep_page *page, steep_error *error);
steep_status steep_page_put_singles(FILE *out, const steep_page *page, steep_error *error);
steep_status steep_page_put_separations(FILE *out, const steep_page *page, steep_error *error);
void steep_page_put_fits(FILE *out, const steep_page *page);
steep_status steep_page_put_pictures(FILE *out, const steep_page *page, steep_error *error);

/* html: texts, numbers and files of a run as a page may hold them. Nothing that a file says can end an element, an
 * attribute or a script: characters with a meaning are escaped, bytes that are no UTF-8 become U+FFFD, control
 * characters blanks. */

/* Text between tags, and between the double quotes of an attribute. */
void steep_html_text(FILE *out, const char *text);

/* HTML with texts: %s is written by steep_html_text, %zu a number, %% a percent sign; there are no others. */
__attribute__((format(printf, 2, 3))) void steep_html_print(FILE *out, const char *format, ...);

/* A JSON string with its quotes, for an element <script type="application/json">. */
void steep_html_json(FILE *out, const char *text);

/* A byte of a URL, between the quotes of an attribute: letters, digits and these as they stand, others as %XX. A path
 * as a URL relative to the page. */
void steep_html_byte(FILE *out, int byte, const char *plain);
void steep_html_url(FILE *out, const char *path);

/* A number of so many digits ("%.*g") in JSON; null where it is not finite. */
void steep_html_value(FILE *out, int digits, double value);

/* A number that people read: "−2.000", so many decimals; "–" where there is none. */
void steep_html_decimal(FILE *out, int decimals, double value);

/* The same with its exact value beside it: <data value="%.17g">. */
void steep_html_data(FILE *out, int decimals, double value);

/* The same in a cell of a table. */
void steep_html_cell(FILE *out, int decimals, double value);
