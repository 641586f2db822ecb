/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table: CSV files read whole, with file, line and column in every error; files replaced atomically. */
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
 * The separator of columns is a comma, a semicolon or a tab: the one that the header has outside quotes. A header with
 * none of the three is one column; a header with several is refused. But where commas or semicolons separate the
 * fields, tabs around a field are blanks. */
typedef struct steep_table {
    char *path;
    char separator; /* ',', ';' or '\t' */
    size_t columns, rows;
    char **header;  /* the names of the columns */
    char ***sorted; /* pointers into header, sorted by name; equal names in the header's order */
    char **cell;    /* rows * columns fields, row-major */
    size_t *line;   /* where each row begins in the file, from 1 */
    bool torn;      /* the last line has no newline: it may be cut short, and is not among the rows */
    size_t tail;    /* 1 if a torn line has all fields and closed quotes: cell and line hold it after the rows */
    long whole;     /* bytes of the file up to the end of the last whole line; 0 if the header itself is torn */
    uint64_t sum;   /* FNV-1a in 64 bits of the file's bytes */
    size_t bytes;   /* size of the file */
    char *storage;  /* the rows' text */
    void *block[2]; /* memory of header and sorted; memory of cell and line */
} steep_table;

/* Reads a file. Fails with STEEP_IO (cannot open or read), STEEP_NO_MEMORY or STEEP_BAD_INPUT: the file is empty, too
 * large for the free memory or holds a zero byte; the header has several separators (the message counts each); a whole
 * line has a wrong number of fields (the message says how many are expected); a quote with a newline after it is never
 * closed; text follows a closing quote; a quote stands inside a field that begins without one. The message names the
 * line; for an open quote, the line where its row begins. Lines that start with '#' and blank lines are skipped (so a
 * row of one empty cell is written ""), but a line "# x,y" before a first row of numbers is the header: numpy writes it
 * so. *table is zeroed on failure. */
steep_status steep_table_read(const char *path, steep_table *table, steep_error *error);
void steep_table_free(steep_table *table);

/* The column of that name, or columns (one past the last) if there is none. */
size_t steep_table_column(const steep_table *table, const char *name);

/* Do rows a and b have the same cells in these columns? */
bool steep_table_alike(const steep_table *table, size_t columns, const size_t *column, size_t a, size_t b);

/* Has the table a column status, and does it say that the fit of this row failed? */
bool steep_table_failed(const steep_table *table, size_t row);

/* Like steep_table_column, for a name that must be there exactly once. Otherwise STEEP_BAD_INPUT: the message suggests
 * the nearest name and lists the columns, or says which two columns have the name. */
steep_status steep_table_find(const steep_table *table, const char *name, size_t *column, steep_error *error);

/* Is text a number, and nothing behind it but blanks? */
bool steep_table_is_number(const char *text);

/* Splits a record in place as the reader does: removes quotes, and blanks around fields. Stores the first fields in
 * field[0..room-1], and returns the number of all fields. */
size_t steep_table_split(char *record, char separator, char **field, size_t room);

/* Reads a field as a number: the whole field, finite, in decimal digits, and not so small that it rounds to 0.
 * Otherwise STEEP_BAD_INPUT; the message names file, line, column and text, and says so if there is a decimal comma,
 * whatever the separator. The decimal point is the locale's: "." where the program has not called setlocale. */
steep_status steep_table_number(const steep_table *table, size_t row, size_t column, double *value, steep_error *error);

/* Writes a field, quoted where it must be (a separator of any kind, quote, newline, blanks at its ends, # in front),
 * and the character after it; 0: none. */
void steep_table_put(FILE *stream, const char *text, char after);
/* The same for gnuplot, which reads each line as a row and knows no quotes within a field: control characters are
 * written as blanks, and " as '. */
void steep_table_put_plain(FILE *stream, const char *text, char after);

/* Writes a number so that reading gives the same one back, and the character after it. Not a number is "nan", without a
 * sign whatever its bits. */
void steep_table_put_number(FILE *stream, double value, char after);
/* The same of several, with commas between them. */
void steep_table_put_numbers(FILE *stream, const double *value, size_t count, char after);

/* Opens path.SUM.tmp for writing, as a new file; SUM: eight digits of this thread and host, so that no other writer has
 * the same name. A file or link of that name is removed first, and no link is followed. *stream is NULL on failure.
 * steep_table_end closes it. rows: the status of writing. If rows < 0 or STEEP_STOPPED, the new file is removed and
 * rows is returned. Otherwise flushes, checks for write errors (a full disk), syncs, renames the file over path and
 * returns rows; or removes the file, leaves path as it was and returns STEEP_IO (STEEP_NO_MEMORY). */
steep_status steep_table_begin(const char *path, FILE **stream, steep_error *error);
steep_status steep_table_end(FILE *stream, const char *path, steep_status rows, steep_error *error);

/* Opens a new file for path as steep_table_begin does; steep_table_end replaces path atomically. But a device or a
 * pipe is opened itself: a file renamed over it would take its place.
 * STEEP_BAD_INPUT: no name, a folder, or a file that cannot be made there. */
steep_status steep_named_begin(const char *path, FILE **stream, steep_error *error);

/* "path.SUM.tmp". SUM: eight hexadecimal digits of this thread and host, the same at each call. */
#define STEEP_NAMED_TEMPORARY 13 /* characters after path */
steep_path steep_named_temporary(const char *path);

/* Does a name end with .SUM.tmp? */
bool steep_named_is_temporary(const char *name);

/* Is path a device, a pipe or another name that is written to directly, without a temporary file? */
bool steep_named_stands(const char *path);
