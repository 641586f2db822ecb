/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sheet: the tables that a command prints. A command says what its columns and rows are; the printers, one for each
 * format (steep_format), are here and nowhere else. Rows are written at once, and not kept.
 *
 * docs/reference/formats.md describes the formats. Formats for people (text, Markdown, LaTeX) and for programs (CSV,
 * JSON) may differ in columns, not in values: an interval is one column for people and two for programs; a sentence
 * may replace several numbers. */
#pragma once

#include <stdio.h>

#include "base/status.h"

/* "text", "csv", "json", "md", "tex"; NULL past the last. */
const char *steep_format_names(size_t index);

/* The format of that name; text where name is NULL or none of them. */
steep_format steep_format_find(const char *name);

typedef enum steep_sheet_kind {
    STEEP_SHEET_TEXT,
    STEEP_SHEET_COUNT, /* a whole number */
    STEEP_SHEET_REAL,
    STEEP_SHEET_PAIR /* two real numbers, as an interval */
} steep_sheet_kind;

typedef struct steep_sheet_column {
    const char *key;    /* the name for programs; NULL: only people see this column */
    const char *second; /* of a PAIR: the name of the second number */
    const char *title;  /* the heading for people; NULL: only programs see this column */
    steep_sheet_kind kind;
    const char *format; /* for people, of one double (a PAIR: two): "%.3f", "[%.3f, %.3f]"; NULL: %g, a COUNT %.0f */
    int gap, width; /* in text. gap: blanks in front; < 0: the cell, unless empty, has its own line after -gap blanks.
                           width: least number of characters; < 0: aligned to the left */
} steep_sheet_column;

typedef enum steep_sheet_shape {
    STEEP_SHEET_ROWS,  /* names of the columns, then a line a row */
    STEEP_SHEET_LIST,  /* in text without the line of names */
    STEEP_SHEET_RECORD /* one row; for people a line "  title   value" for each cell that is given */
} steep_sheet_shape;

typedef struct steep_sheet_layout {
    const char *name; /* in JSON */
    steep_sheet_shape shape;
    const steep_sheet_column *column;
    size_t columns;
    int indent; /* of text: blanks in front of each row */
} steep_sheet_layout;

/* The tone of a cell; text with colours shows the tone as a colour. */
typedef enum steep_tone { STEEP_TONE_PLAIN, STEEP_TONE_GOOD, STEEP_TONE_DOUBTFUL, STEEP_TONE_BAD } steep_tone;

typedef struct steep_cell {
    const char *text;     /* of TEXT; NULL: not given */
    double first, second; /* NaN: not given, "-" for people */
    steep_tone tone;
} steep_cell;

static inline steep_cell steep_cell_text(const char *text)
{
    return (steep_cell){text, 0, 0, STEEP_TONE_PLAIN};
}

static inline steep_cell steep_cell_toned(const char *text, steep_tone tone)
{
    return (steep_cell){text, 0, 0, tone};
}

static inline steep_cell steep_cell_real(double value)
{
    return (steep_cell){NULL, value, 0, STEEP_TONE_PLAIN};
}

static inline steep_cell steep_cell_count(size_t count) /* exact up to 2^53 */
{
    return steep_cell_real((double)count);
}

static inline steep_cell steep_cell_pair(double first, double second)
{
    return (steep_cell){NULL, first, second, STEEP_TONE_PLAIN};
}

/* The name of a status in its tone: good where all is well, bad where it failed. */
steep_cell steep_cell_status(steep_status status);

/* A column with its cell. */
typedef struct steep_sheet_part {
    steep_sheet_column column;
    steep_cell cell;
} steep_sheet_part;

/* Parts that only programs see; fields of events. */
static inline steep_sheet_part steep_fact_text(const char *key, const char *text)
{
    return (steep_sheet_part){{.key = key}, steep_cell_text(text)};
}

static inline steep_sheet_part steep_fact_count(const char *key, size_t count)
{
    return (steep_sheet_part){{.key = key, .kind = STEEP_SHEET_COUNT}, steep_cell_count(count)};
}

static inline steep_sheet_part steep_fact_real(const char *key, double value)
{
    return (steep_sheet_part){{.key = key, .kind = STEEP_SHEET_REAL}, steep_cell_real(value)};
}

/* A row that is built from parts, and its layout. At most STEEP_SHEET_MOST columns; not checked. */
enum { STEEP_SHEET_MOST = 40 };
typedef struct steep_sheet_line {
    steep_sheet_layout layout;
    steep_sheet_column column[STEEP_SHEET_MOST];
    steep_cell cell[STEEP_SHEET_MOST];
} steep_sheet_line;

static inline void steep_sheet_line_add(steep_sheet_line *line, const steep_sheet_part *part, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        line->column[line->layout.columns] = part[i].column;
        line->cell[line->layout.columns++] = part[i].cell;
    }
}

static inline void steep_sheet_line_set(steep_sheet_line *line, const char *name, const steep_sheet_part *part,
                                        size_t count)
{
    line->layout = (steep_sheet_layout){.name = name, .column = line->column};
    steep_sheet_line_add(line, part, count);
}

typedef struct steep_sheet {
    FILE *stream;
    steep_style style;
    const char *command;
    const steep_sheet_layout *layout; /* of the table that is open; NULL: none is */
    size_t tables, rows, notes;       /* tables that have ended; rows and notes of the last table */
    steep_status status;              /* STEEP_NO_MEMORY after a failed allocation */
} steep_sheet;

/* Begins what a command prints. Nothing is written before the first table; without one nothing at all. */
void steep_sheet_open(steep_sheet *sheet, FILE *stream, steep_style style, const char *command);

/* Begins a table and ends an open one. The layout must stay valid until the table ends. title: one line above it, NULL
 * for none. In CSV, a table that ends an open one of the same layout has no line of names. */
void steep_sheet_begin(steep_sheet *sheet, const steep_sheet_layout *layout, const char *title);

/* A row: layout->columns cells. */
void steep_sheet_row(steep_sheet *sheet, const steep_cell *cell);

/* A line below the table; no row may follow. */
void steep_sheet_note(steep_sheet *sheet, const char *text);

/* Ends the table that is open, if one is. */
void steep_sheet_end(steep_sheet *sheet);

/* Ends the output, and flushes. STEEP_NO_MEMORY: a part of it is missing. The stream itself keeps write errors. */
steep_status steep_sheet_close(steep_sheet *sheet);

/* Events: what a command is doing, for programs: a line of JSON for each event, {"event": NAME, ...}, numbers as in
 * tables. docs/reference/formats.md lists the events and their fields. */

#define STEEP_EVENT_SECONDS 0.1 /* least time between two lines of progress */

/* Writes the event's line with one fwrite and flushes. STEEP_NO_MEMORY: nothing was written. */
steep_status steep_event_write(FILE *stream, const char *event, const steep_sheet_part *field, size_t count);

/* The same for a list of fields. */
#define STEEP_EVENT(stream, event, ...)                                                                                \
    steep_event_write(stream, event, (const steep_sheet_part[]){__VA_ARGS__},                                          \
                      sizeof((const steep_sheet_part[]){__VA_ARGS__}) / sizeof(steep_sheet_part))
