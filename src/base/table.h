/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table: CSV files read whole, with line and column named in every complaint; and files replaced in one stroke. */
#ifndef STEEP_BASE_TABLE_H
#define STEEP_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

/* Rows of text fields. Quoted fields ("a,b", doubled quotes, newlines) are understood; blanks around a field are no
 * part of it. */
typedef struct steep_table {
    char *path;
    size_t columns, rows;
    char **header; /* columns names */
    char **cell;   /* rows * columns fields, row-major */
    size_t *line;  /* where each row begins in the file, from 1 */
    bool torn;     /* the last line has no newline: it may be cut short, and is not among the rows */
    size_t tail;   /* 1 if it has all its fields nevertheless: then it stands in cell and line behind the rows */
    long whole;    /* bytes of the file up to the end of the last whole line; 0 if the header itself is torn */
    char *storage;
} steep_table;

/* Reads a file. Fails with STEEP_IO (cannot open or read) or STEEP_BAD_INPUT (empty; a row before the last with a wrong
 * number of fields: the message names file, line, expected and found). Lines that start with '#' and blank lines are
 * skipped. *table is zeroed on failure. */
steep_status steep_table_read(const char *path, steep_table *table, steep_error *error);
void steep_table_free(steep_table *table);

/* The column of that name, or columns (one past the last) if there is none. */
size_t steep_table_column(const steep_table *table, const char *name);

/* A field as a number, whole field, finite: otherwise STEEP_BAD_INPUT naming file, line, column and the text. The
 * number's point is the locale's: "." where the program has not called setlocale. */
steep_status steep_table_number(const steep_table *table, size_t row, size_t column, double *value, steep_error *error);

/* Writes a field, quoted where it must be (comma, quote, newline, blanks at its ends, # in front). */
void steep_table_put(FILE *stream, const char *text);

/* Opens path.tmp for writing; steep_table_commit flushes, checks for write errors (a full disk), syncs and renames it
 * over path, or removes it and reports STEEP_IO, leaving path as it was. */
FILE *steep_table_begin(const char *path, steep_error *error);
steep_status steep_table_commit(FILE *stream, const char *path, steep_error *error);

#endif
