/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_parts: what the files of figures share among themselves. */
#ifndef STEEP_DRAW_FIGURE_PARTS_H
#define STEEP_DRAW_FIGURE_PARTS_H

#include <stdio.h>

#include "base/status.h"
#include "base/table.h"

/* Writes folder/name.gp, the style, head and body, and runs gnuplot on it in the folder. */
steep_status steep_figure_draw(const char *folder, const char *name, const char *head, const char *body,
                               steep_error *error);

/* Reads folder/name and finds its columns. Fails also where the last line is cut short, a column is missing, or a row
 * does not stand on the line after that of the row before, or has quotes within a field: gnuplot takes rows by their
 * number. */
steep_status steep_figure_table(const char *folder, const char *name, const char *const *columns, size_t count,
                                size_t *column, steep_table *table, steep_error *error);

/* Text in single quotes as gnuplot reads it; control characters become blanks. */
void steep_figure_quote(FILE *stream, const char *text);

/* printf into memory that the caller frees; NULL without memory. */
__attribute__((format(printf, 1, 2))) char *steep_figure_text(const char *format, ...);

#endif
