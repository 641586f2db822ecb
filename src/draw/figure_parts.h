/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_parts: what the files of figures share among themselves. */
#pragma once

#include <stdio.h>

#include "base/status.h"
#include "base/table.h"
#include "base/text.h"
#include "draw/figure.h"

/* Some columns of a table, each row's values side by side. The caller names the columns, texts first. */
typedef struct steep_figure_table {
    const char *const *column;
    size_t texts, numbers;
    steep_table table;
    const char **text; /* rows * texts */
    double *number;    /* rows * numbers; NaN where the table says nan */
} steep_figure_table;

/* Reads folder/name. Fails also where the last line is cut short, a column is missing, or a row does not stand on the
 * line after that of the row before, or has quotes within a field: gnuplot takes rows by their number. Free it,
 * whatever comes back. */
steep_status steep_figure_read(const char *folder, const char *name, steep_figure_table *table, steep_error *error);
void steep_figure_free(steep_figure_table *table);

/* The columns of t->table, which has been read: what steep_figure_read does once its own rules are kept. */
steep_status steep_figure_columns(steep_figure_table *t, steep_error *error);

typedef struct steep_figure_script_text {
    const char *head, *body, *terminals; /* terminals: of the pictures, with commas; NULL: any of svg, pdf, png */
} steep_figure_script_text;

/* Writes folder/name.gp, the style, head and body, and runs gnuplot on it in the folder (draw/gnuplot.h). */
steep_status steep_figure_draw(const char *folder, const char *name, const steep_figure_script_text *script,
                               const steep_figure_limits *limits, steep_error *error);

/* The terminals of figures that always draw the same ones. */
#define STEEP_FIGURE_TERMINALS "svg,pdf,png"

/* steep_figure_fit, by these terminals, with commas. */
steep_status steep_figure_fit_as(const char *folder, const char *title, const char *terminals,
                                 const steep_figure_limits *limits, steep_error *error);

/* The script of a picture: its head is written to head.stream, between begin and end. */
typedef struct steep_figure_writer {
    const char *folder, *name, *body, *terminals;
    const steep_figure_limits *limits;
    steep_text head;
} steep_figure_writer;

/* STEEP_NO_MEMORY: there is nothing to end. */
steep_status steep_figure_begin(steep_figure_writer *w, steep_error *error);

/* Draws, unless something that was to be written found no memory: fine false. */
steep_status steep_figure_end(steep_figure_writer *w, bool fine, steep_error *error);

/* "; NAME = TEXT", the text in quotes as gnuplot reads it; NULL: "". */
void steep_figure_put_text(FILE *stream, const char *name, const char *text);

/* "; terminals = 'svg pdf'" from "svg,pdf". */
void steep_figure_put_terminals(FILE *stream, const char *terminals);

/* Text in quotes as gnuplot reads it, an expression; control characters become blanks. */
void steep_figure_quote(FILE *stream, const char *text);

/* "FOLDER/NAME ENDING" without the blank, which the caller frees; NULL with a message. */
char *steep_figure_path(const char *folder, const char *name, const char *ending, steep_error *error);
