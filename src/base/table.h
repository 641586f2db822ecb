/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table: CSV files read whole, with file, line and column named in every complaint; files replaced in one stroke. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "base/text.h"

/* Rows of text fields. Quoted fields ("a,b", doubled quotes, newlines) are understood; blanks around a field are no
 * part of it. Lines may end with CR LF, and the file may begin with UTF-8's byte order mark.
 *
 * The columns are separated by commas, semicolons or tabs: by the one of the three that the header has outside quotes.
 * A header with none of them is one column; one with several of them is refused, but tabs around the fields of commas
 * or semicolons are blanks. */
typedef struct steep_table {
    char *path;
    char separator; /* ',', ';' or '\t' */
    size_t columns, rows;
    char **header;  /* columns names */
    char ***sorted; /* places in header by name, equal names in the header's order */
    char **cell;    /* rows * columns fields, row-major */
    size_t *line;   /* where each row begins in the file, from 1 */
    bool torn;      /* the last line has no newline: it may be cut short, and is not among the rows */
    size_t tail;    /* 1 if a torn line has all its fields, quotes closed: it stands in cell and line after the rows */
    long whole;     /* bytes of the file up to the end of the last whole line; 0 if the header itself is torn */
    uint64_t sum;   /* of the file's bytes, as they were read: FNV-1a in 64 bits */
    size_t bytes;   /* how many */
    char *storage;  /* the rows' text */
    void *block[2]; /* of header and sorted; of cell and line */
} steep_table;

/* Reads a file. Fails with STEEP_IO (cannot open or read) or STEEP_BAD_INPUT (empty; a header with several separators:
 * the message names the line and how many of each; a row before the last with a wrong number of fields: file, line,
 * expected and found; a quote that is never closed, with a newline behind it: the line that its row begins in; text
 * behind a closing quote, or a quote within a field that has none at its beginning: its line). Lines that start with
 * '#' and blank lines are skipped (so an empty cell that is all of its row is written ""). *table is zeroed on
 * failure. */
steep_status steep_table_read(const char *path, steep_table *table, steep_error *error);
void steep_table_free(steep_table *table);

/* The column of that name, or columns (one past the last) if there is none. */
size_t steep_table_column(const steep_table *table, const char *name);

/* Do rows a and b have the same cells in these columns? */
bool steep_table_alike(const steep_table *table, size_t columns, const size_t *column, size_t a, size_t b);

/* Is the row that of a fit that failed, as its column status says, if there is one? */
bool steep_table_failed(const steep_table *table, size_t row);

/* The same for a name that must be there, once. Otherwise STEEP_BAD_INPUT: the message suggests the nearest name and
 * lists the columns there are. */
steep_status steep_table_find(const steep_table *table, const char *name, size_t *column, steep_error *error);

/* Is text a number, and nothing behind it but blanks? */
bool steep_table_is_number(const char *text);

/* Splits a record in place as the reader does: field[0..room-1] are stored, all are counted. Quotes are undone, blanks
 * around a field go. */
size_t steep_table_split(char *record, char separator, char **field, size_t room);

/* A field as a number, whole field, finite, in decimal digits, and not so small that it would be taken for 0: otherwise
 * STEEP_BAD_INPUT naming file, line, column and the text. The
 * number's point is the locale's: "." where the program has not called setlocale. A decimal comma is an error that says
 * so, whatever the separator. */
steep_status steep_table_number(const steep_table *table, size_t row, size_t column, double *value, steep_error *error);

/* Writes a field, quoted where it must be (a separator of any kind, quote, newline, blanks at its ends, # in front),
 * and the character after it; 0: none. */
void steep_table_put(FILE *stream, const char *text, char after);
/* The same for gnuplot, which takes each line for a row, and knows no quotes within a field: blanks and ' stand for
 * these. after: not 0. */
void steep_table_put_plain(FILE *stream, const char *text, char after);

/* Writes a number so that reading gives the same one back, and the character after it. Not a number is "nan", without a
 * sign whatever its bits. */
void steep_table_put_number(FILE *stream, double value, char after);
/* The same of several, with commas between them. */
void steep_table_put_numbers(FILE *stream, const double *value, size_t count, char after);

/* Opens path.SUM.tmp for writing, as a new file; SUM: eight digits of this thread and host, so that no other writer has
 * the same name. What has that name is removed first, and a link is not followed. *stream is NULL on failure.
 * steep_table_end flushes, checks for write errors (a full disk), syncs and renames it over path, or removes it and
 * reports STEEP_IO (STEEP_NO_MEMORY), leaving path as it was. rows: what came of writing it, and what is returned then;
 * what failed or was stopped is removed. */
steep_status steep_table_begin(const char *path, FILE **stream, steep_error *error);
steep_status steep_table_end(FILE *stream, const char *path, steep_status rows, steep_error *error);

/* Opens it as steep_table_begin does, to be replaced in one stroke, and is ended as that is, by steep_table_end. But a
 * device or a pipe is written into as it stands, for a file in its place would be none.
 * STEEP_BAD_INPUT: no name, a folder, or a file that cannot be made there. */
steep_status steep_named_begin(const char *path, FILE **stream, steep_error *error);

/* "path.SUM.tmp". SUM: eight hexadecimal digits of this thread and host, the same at each call. */
#define STEEP_NAMED_TEMPORARY 13 /* characters behind path */
steep_path steep_named_temporary(const char *path);

/* Does a name end so? */
bool steep_named_is_temporary(const char *name);

/* Is it a device, a pipe or another name that is written into as it stands? */
bool steep_named_stands(const char *path);
