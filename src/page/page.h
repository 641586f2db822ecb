/* SPDX-License-Identifier: GPL-3.0-or-later */
/* page: one HTML file over the folders of runs, which opens by itself: no server, no network, no other file. */
#pragma once

#include <stddef.h>

#include "page/core.h"

typedef struct steep_page_options {
    const char *out;                         /* path of the page; folders above it are made */
    const char *title;                       /* NULL: "Steep report" */
    const steep_figure_limits *limits;       /* of gnuplot, for each picture; NULL: the usual ones */
    void (*about_to_write)(const char *out); /* called when all is drawn; NULL: nothing is */
} steep_page_options;

/* Reads every folder, and writes the page in one stroke: one JSON object, which page.js shows: what was run, slopes with
 * verdicts, figures, which gnuplot draws, with the numbers of their points, pictures of single fits, tables of
 * separations, a table of all fits, other pictures, links to the files. A folder is of a sweep (slopes.csv, series.csv,
 * fits.csv, run.json), of one fit (parameters.json with residuals.csv), of a separation (separation.csv), or has pictures
 * (SVG, PNG) of any other kind. The same files give the same bytes.
 *
 * STEEP_BAD_INPUT, with nothing written: a folder that is not there or has none of these, a table that is cut short, was
 * changed or fits none of the others, a page that cannot be made where it is to be. STEEP_IO: the page cannot be written;
 * or gnuplot has not drawn all pictures, then the page is there and says which are missing. A device or a pipe in the
 * page's place is written into. */
steep_status steep_page_write(const char *const *folder, size_t folders, const steep_page_options *options,
                              steep_error *error);
