/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parts: what the files of a page share: its runs as they were read, and its sections. */
#pragma once

#include <stdbool.h>

#include "page/core.h"
#include "page/page.h"
#include "page/scratch.h"

struct json_t; /* jansson's */

/* Columns of series.csv. */
enum { STEEP_PAGE_TARGET, STEEP_PAGE_TITLE, STEEP_PAGE_LABEL, STEEP_PAGE_ARCH, STEEP_PAGE_SOLVER, STEEP_PAGE_START };
/* clang-format off */
enum {
    STEEP_PAGE_WIDTH, STEEP_PAGE_PARAMS, STEEP_PAGE_ERROR, STEEP_PAGE_LOW, STEEP_PAGE_HIGH, STEEP_PAGE_SEEDS,
    STEEP_PAGE_FLOOR, STEEP_PAGE_LOWER, STEEP_PAGE_PREDICTED, STEEP_PAGE_OVERFIT, STEEP_PAGE_WIDTH_LAW,
    STEEP_PAGE_PARAMS_LAW
};
/* clang-format on */
enum { STEEP_PAGE_METHODS = 4 }; /* window, last_pair, all, seeds */

/* A row of slopes.csv; points 0: there is none. */
typedef struct steep_page_slope {
    double slope, low, high, first, last, drift, offset, offset_low, offset_high;
    size_t points, apart;
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
    steep_fit_row *fit; /* of each row of fits */
    char **file;        /* names in the folder, sorted */
    size_t files;
    steep_figure_table separation; /* of steep separate (page/separations.c); path NULL: none */
    bool curve;                    /* of one fit in one dimension: residuals.csv has a column x */
} steep_page_run;

typedef struct steep_page {
    const steep_page_options *options;
    steep_page_run *run;
    size_t runs;
    const char **label; /* of series, over all runs, in order of appearance */
    steep_look *look;   /* of each label */
    size_t labels;
    steep_scratch *scratch;
} steep_page;

/* Style and script, made from page.css and page.js when the library is built. */
extern const char steep_page_style[], steep_page_script[];

/* Reads a folder. Free the run, whatever comes back. */
steep_status steep_page_read(const char *folder, steep_page_run *run, steep_error *error);
void steep_page_free(steep_page_run *run);
bool steep_page_has(const steep_page_run *run, const char *name);

/* A number of series.csv. */
double steep_page_number(const steep_page_run *run, size_t row, size_t column);
/* The slope that the table names (study/slopes.h): over seeds, else of the window, else of the last pair; its method. */
const steep_page_slope *steep_page_named(const steep_page_series *series, size_t against, size_t *method);
/* The error falls faster than any power, as slopes.csv says. */
bool steep_page_faster(const steep_page_series *series);

/* A piece of the label's line with its mark (draw/look.h), in a text. */
void steep_page_put_chip(FILE *out, const steep_page *page, size_t label);
/* Whether these sections have something to show. */
bool steep_page_has_singles(const steep_page *page);
bool steep_page_has_separations(const steep_page *page);
bool steep_page_has_pictures(const steep_page *page);
/* A picture of the folder, SVG or PNG, within the page. */
steep_status steep_page_put_picture(FILE *out, const steep_page_run *run, const char *name, steep_error *error);
/* <img> of a file that begins as a picture, SVG or PNG, in a folder; nothing for another file. */
steep_status steep_page_put_image(FILE *out, const char *folder, const char *name, const char *alt, steep_error *error);

/* The sections, each nothing where there is nothing to show. */
void steep_page_put_runs(FILE *out, const steep_page *page);
void steep_page_put_slopes(FILE *out, const steep_page *page);
steep_status steep_page_put_figures(FILE *out, const steep_page *page, steep_error *error);
steep_status steep_page_put_singles(FILE *out, const steep_page *page, steep_error *error);
steep_status steep_page_put_separations(FILE *out, const steep_page *page, steep_error *error);
void steep_page_put_fits(FILE *out, const steep_page *page);
steep_status steep_page_put_pictures(FILE *out, const steep_page *page, steep_error *error);
