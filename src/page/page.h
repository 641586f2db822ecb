/* SPDX-License-Identifier: GPL-3.0-or-later */
/* page: one HTML file about the folders of runs, which needs no server, no network and no other file. Here is what the
 * files of this room share: the runs as they were read, and the JSON that page.js shows.
 *
 * Numbers are JSON strings with the digits that are shown, for slopes and separations with all 17; NaN is "nan". A
 * column of numbers is one string, with a blank before each number. */
#pragma once

#include <dirent.h>

#include "page/core.h"

typedef struct steep_page_options {
    const char *out;                         /* path of the page; folders above it are made */
    const char *title;                       /* NULL: "Steep report" */
    steep_figure_limits limits;              /* of gnuplot, for each picture */
    void (*about_to_write)(const char *out); /* called after all drawing; NULL: no call */
} steep_page_options;

/* Reads every folder and writes the page atomically: one JSON object, which page.js shows. A folder is of a sweep
 * (slopes.csv, series.csv, fits.csv, run.json), of one fit (parameters.json with residuals.csv), of a separation
 * (separation.csv), or has pictures (SVG, PNG) of any other kind. The same files give the same bytes.
 *
 * STEEP_BAD_INPUT, with nothing written: a folder is missing or has none of these; a table is cut short, was changed or
 * does not match the others; or the page cannot be made at its place. STEEP_IO: the page cannot be written; or gnuplot
 * has not drawn all pictures, and the page is written and says which are missing. If out is a device or a pipe, it is
 * written into. folders: 1 at least; error: not NULL. */
steep_status steep_page_write(const char *const *folder, size_t folders, const steep_page_options *options,
                              steep_error *error);

/* Columns of series.csv: texts, then numbers. */
enum { STEEP_PAGE_TARGET, STEEP_PAGE_TITLE, STEEP_PAGE_LABEL, STEEP_PAGE_ARCH, STEEP_PAGE_SOLVER, STEEP_PAGE_START };
enum { STEEP_PAGE_WIDTH, STEEP_PAGE_PARAMS, STEEP_PAGE_ERROR, STEEP_PAGE_NUMBERS = 10 };

/* A series, which is a line of a figure. */
typedef struct steep_page_series {
    const char *const *text; /* STEEP_PAGE_TARGET and so on, of its first row */
    size_t first, last;      /* its rows in series.csv */
    size_t label;            /* the number of its label among all labels of the page */
    double theory;
    steep_series slopes; /* as slopes.csv has them */
    const char *remark;  /* of the window against parameters: "": none */
} steep_page_series;

typedef struct steep_page_run {
    char *folder;            /* without trailing slashes */
    char link[3 * PATH_MAX]; /* its absolute path, then that from the page to it; "": the page's own folder */
    struct json_t *record;   /* run.json; NULL: there is none */
    steep_figure_table series_table, slopes_table; /* of a sweep; paths NULL: no sweep */
    steep_page_series *series;
    size_t count; /* of series */
    steep_table fits;
    steep_fit_row *fit;   /* of each row of fits */
    struct dirent **file; /* the files of the folder, sorted by names */
    size_t files;
    steep_figure_table separation; /* of steep separate; path NULL: none */
    bool curve;                    /* one fit in one dimension: units.csv is there */
} steep_page_run;

typedef struct steep_page {
    const steep_page_options *options;
    steep_page_run *run;
    size_t runs;
    steep_look *look; /* of each label of series, over all runs, in order of appearance */
    size_t labels;
    steep_path scratch; /* a temporary folder, in which gnuplot draws one picture after the other */
    size_t missing;     /* pictures that could not be drawn */
    steep_error error;  /* of the first of them */
} steep_page;

/* Style and script, made from page.css and page.js when the library is built. */
extern const char steep_page_style[], steep_page_script[];

bool steep_page_ends(const char *name, const char *ending);
/* Whether the run's folder has a file of this name. */
bool steep_page_has(const steep_page_run *run, const char *name);
/* Reads one of the run's JSON files. */
steep_status steep_page_json(const steep_page_run *run, const char *name, struct json_t **record, steep_error *error);

/* The data of a run without its drawings: record, series with verdicts, separation, fits. NULL without memory. */
struct json_t *steep_page_data(const steep_page_run *run);

/* Draws, and adds "figures", "single" and "pictures" to the run's data, which the caller still owns. */
steep_status steep_page_draw(steep_page *page, const steep_page_run *run, struct json_t *data, steep_error *error);
