/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sheet: the tables that a command prints. A command says what its columns and rows are; the printers, one for each
 * format (steep_format), are here and nowhere else. Rows go out as they come: nothing is kept of them.
 *
 * docs/reference/formats.md says what each looks like. What text, Markdown and LaTeX show and what CSV and JSON hold
 * may differ in columns, not in values: an interval is one column for people and two for programs, a sentence may stand
 * for several numbers. */
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
    const char *key;    /* its name for programs; NULL: it is for people alone */
    const char *second; /* of a PAIR: the name of its second number */
    const char *title;  /* its heading for people; NULL: it is for programs alone */
    steep_sheet_kind kind;
    const char *format; /* for people, a double (two of a PAIR): "%.3f", "[%.3f, %.3f]"; of a COUNT NULL */
    int gap, width; /* of text: blanks in front, below 0: on a line of its own behind as many, where it is not empty;
                           at least so many characters, below 0: to the left */
} steep_sheet_column;

typedef enum steep_sheet_shape {
    STEEP_SHEET_ROWS,  /* names of the columns, then a line a row */
    STEEP_SHEET_LIST,  /* in text without the line of names */
    STEEP_SHEET_RECORD /* one row, for people a line a column: "  title   value"; cells that are not given have none */
} steep_sheet_shape;

typedef struct steep_sheet_layout {
    const char *name; /* in JSON */
    steep_sheet_shape shape;
    const steep_sheet_column *column;
    size_t columns;
    int indent; /* of text: blanks in front of each row */
} steep_sheet_layout;

/* What colour a cell has, where there are colours. */
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

/* A row whose cells stand beside their columns, and the layout that it is of. */
enum { STEEP_SHEET_MOST = 40 };
typedef struct steep_sheet_part {
    steep_sheet_column column;
    steep_cell cell;
} steep_sheet_part;
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
    size_t tables, rows, notes;       /* ended; of the last table */
    steep_status status;              /* STEEP_NO_MEMORY once something found none */
} steep_sheet;

/* Begins what a command prints. Nothing is written before the first table; without one nothing at all. */
void steep_sheet_open(steep_sheet *sheet, FILE *stream, const steep_style *style, const char *command);

/* Begins a table; the layout stays until steep_sheet_end or the close. title: one line above it, NULL for none. One
 * more table of the same layout goes on with the same columns: in CSV without names of its own. */
void steep_sheet_begin(steep_sheet *sheet, const steep_sheet_layout *layout, const char *title);

/* A row: layout->columns cells. */
void steep_sheet_row(steep_sheet *sheet, const steep_cell *cell);

/* A line below the table, which it ends. */
void steep_sheet_note(steep_sheet *sheet, const char *text);

/* Ends the table that is open, if one is. */
void steep_sheet_end(steep_sheet *sheet);

/* Ends what is open, and flushes. STEEP_NO_MEMORY: something is missing. Errors of writing stay with the stream. */
steep_status steep_sheet_close(steep_sheet *sheet);

/* Events: what a command is doing, for programs: a line of JSON for each event, {"event": NAME, ...}, numbers as in
 * tables. docs/reference/formats.md lists the events and their fields. */

#define STEEP_EVENT_SECONDS 0.1 /* between two lines of progress, at least */

typedef struct steep_event_field {
    const char *name; /* NULL ends a list */
    steep_sheet_kind kind;
    steep_cell cell;
} steep_event_field;

static inline steep_event_field steep_event_text(const char *name, const char *text)
{
    return (steep_event_field){name, STEEP_SHEET_TEXT, steep_cell_text(text)};
}

static inline steep_event_field steep_event_count(const char *name, size_t count)
{
    return (steep_event_field){name, STEEP_SHEET_COUNT, steep_cell_count(count)};
}

static inline steep_event_field steep_event_real(const char *name, double value)
{
    return (steep_event_field){name, STEEP_SHEET_REAL, steep_cell_real(value)};
}

/* Writes the line in one stroke and flushes. STEEP_NO_MEMORY: nothing was written. */
steep_status steep_event_write(FILE *stream, const char *event, const steep_event_field *field);
