/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_parts: what the files of figures share among themselves. */
#ifndef STEEP_DRAW_FIGURE_PARTS_H
#define STEEP_DRAW_FIGURE_PARTS_H

#include <stdio.h>

#include "base/status.h"
#include "base/table.h"

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

/* Writes folder/name.gp, the style, head and body, and runs gnuplot on it in the folder. */
steep_status steep_figure_draw(const char *folder, const char *name, const char *head, const char *body,
                               steep_error *error);

/* Text in quotes as gnuplot reads it, an expression; control characters become blanks. */
void steep_figure_quote(FILE *stream, const char *text);

/* "FOLDER/NAME ENDING" without the blank, which the caller frees; NULL with a message. */
char *steep_figure_path(const char *folder, const char *name, const char *ending, steep_error *error);

#endif
