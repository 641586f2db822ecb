/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/table.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- reading --- */

/* The whole file in memory, with a 0 behind it. */
static steep_status slurp(const char *path, char **text, size_t *size, steep_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file) return steep_fail(error, STEEP_IO, "%s: cannot be opened: %s", path, strerror(errno));
    size_t room = 1 << 16, used = 0;
    char *buffer = malloc(room);
    while (buffer) {
        used += fread(buffer + used, 1, room - used - 1, file);
        if (used + 1 < room) break;
        char *grown = realloc(buffer, room *= 2);
        if (!grown) free(buffer);
        buffer = grown;
    }
    int failed = ferror(file) ? errno : 0;
    fclose(file);
    if (!buffer) return steep_fail(error, STEEP_NO_MEMORY, "%s: no memory to read it", path);
    if (failed) {
        free(buffer);
        return steep_fail(error, STEEP_IO, "%s: cannot be read: %s", path, strerror(failed));
    }
    buffer[used] = '\0';
    *text = buffer;
    *size = used;
    return STEEP_OK;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Splits one record in place; at most room fields are stored, all are counted. Quotes are undone, blanks around a field
 * go. */
static size_t split(char *record, char **field, size_t room)
{
    size_t count = 0;
    for (char *in = record;; in++) {
        while (is_blank(*in)) in++;
        char *begin = in, *out = in, *end = in; /* end: behind the last character that is no blank, or is quoted */
        bool quoted = *in == '"';
        if (quoted) in++;
        while (*in && (quoted || *in != ',')) {
            if (quoted && *in == '"' && *++in != '"') {
                quoted = false;
                end = out;
                continue;
            }
            if (quoted || !is_blank(*in)) end = out + 1;
            *out++ = *in++;
        }
        bool last = *in == '\0';
        *end = '\0';
        if (count < room) field[count] = begin;
        count++;
        if (last) return count;
    }
}

static size_t count_lines(const char *text)
{
    size_t lines = 1;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

/* The end of the record that begins here: the first newline outside quotes, or the end of the text. A remark has no
 * quotes. */
static char *record_end(char *c)
{
    bool quoted = false, begins = true, remark = *c == '#';
    for (; *c && (quoted || *c != '\n'); c++) {
        if (quoted && *c == '"' && c[1] == '"')
            c++;
        else if (*c == '"' && !remark && (quoted || begins))
            quoted = !quoted;
        begins = *c == ',' || (begins && is_blank(*c));
    }
    return c;
}

static steep_status begin_rows(steep_table *table, char *record, size_t lines, steep_error *error)
{
    size_t columns = 1;
    for (const char *c = record; *c; c++) columns += *c == ',';
    table->header = calloc(columns, sizeof *table->header);
    table->line = calloc(lines, sizeof *table->line);
    table->cell = columns <= SIZE_MAX / lines ? calloc(lines * columns, sizeof *table->cell) : NULL;
    if (!table->header || !table->line || !table->cell)
        return steep_fail(error, STEEP_NO_MEMORY, "%s: no memory for its rows", table->path);
    table->columns = split(record, table->header, columns);
    return STEEP_OK;
}

/* One record of the file, 0-terminated; whole: a newline ended it. Counts it among the rows, or as the tail. */
static steep_status take_record(steep_table *table, char *record, size_t number, size_t lines, bool whole,
                                steep_error *error)
{
    table->torn = !whole;
    if (!table->header) return begin_rows(table, record, lines, error);
    size_t found = split(record, table->cell + table->rows * table->columns, table->columns);
    table->line[table->rows] = number;
    if (whole && found != table->columns)
        return steep_fail(error, STEEP_BAD_INPUT, "%s, line %zu: %zu fields where the header has %zu", table->path,
                          number, found, table->columns);
    if (whole)
        table->rows++;
    else
        table->tail = found == table->columns;
    return STEEP_OK;
}

static steep_status split_records(steep_table *table, size_t size, steep_error *error)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* some editors begin UTF-8 files with it */
    const size_t lines = count_lines(table->storage);
    char *record = table->storage, *text_end = record + size;
    if (strncmp(record, mark, sizeof mark - 1) == 0) record += sizeof mark - 1;
    for (size_t number = 1; record < text_end;) {
        char *end = record_end(record), *next = end + (*end == '\n');
        *end = '\0';
        size_t inner = count_lines(record);
        if (end > record && end[-1] == '\r') end[-1] = '\0';
        steep_status status = STEEP_OK;
        if (*record != '#' && record[strspn(record, " \t\r")] != '\0')
            status = take_record(table, record, number, lines, next > end, error);
        if (status < 0) return status;
        if (next > end) table->whole = (long)(next - table->storage);
        number += inner;
        record = next;
    }
    if (!table->header)
        return steep_fail(error, STEEP_BAD_INPUT, "%s: empty: a header line with the columns' names would be right",
                          table->path);
    return STEEP_OK;
}

steep_status steep_table_read(const char *path, steep_table *table, steep_error *error)
{
    size_t size = 0;
    memset(table, 0, sizeof *table);
    steep_status status = slurp(path, &table->storage, &size, error);
    if (status < 0) return status;
    table->path = strdup(path);
    if (!table->path) status = steep_fail(error, STEEP_NO_MEMORY, "%s: no memory to read it", path);
    if (status == STEEP_OK && strlen(table->storage) != size)
        status = steep_fail(error, STEEP_BAD_INPUT, "%s: holds a zero byte: it is no text file", path);
    if (status == STEEP_OK) status = split_records(table, size, error);
    if (status < 0) steep_table_free(table);
    return status;
}

void steep_table_free(steep_table *table)
{
    free(table->path);
    free(table->header);
    free(table->line);
    free(table->cell);
    free(table->storage);
    memset(table, 0, sizeof *table);
}

size_t steep_table_column(const steep_table *table, const char *name)
{
    size_t c = 0;
    while (c < table->columns && strcmp(table->header[c], name) != 0) c++;
    return c;
}

steep_status steep_table_number(const steep_table *table, size_t row, size_t column, double *value, steep_error *error)
{
    const char *text = table->cell[row * table->columns + column];
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    while (*end == ' ' || *end == '\t') end++;
    if (end == text || *end || !isfinite(*value))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%s, line %zu, column %s: '%.40s' where a finite number would be right", table->path,
                          table->line[row], table->header[column], text);
    return STEEP_OK;
}

/* --- writing --- */

void steep_table_put(FILE *stream, const char *text)
{
    size_t length = strlen(text);
    if (!strpbrk(text, ",\"\n\r") && *text != '#' && !is_blank(*text) && (length == 0 || !is_blank(text[length - 1]))) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"') fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

static char *temporary(const char *path)
{
    size_t length = strlen(path) + 5;
    char *name = malloc(length);
    if (name) snprintf(name, length, "%s.tmp", path);
    return name;
}

FILE *steep_table_begin(const char *path, steep_error *error)
{
    char *name = temporary(path);
    FILE *stream = name ? fopen(name, "w") : NULL;
    if (!name)
        steep_fail(error, STEEP_NO_MEMORY, "%s: no memory to write it", path);
    else if (!stream)
        steep_fail(error, STEEP_IO, "%s: cannot be written: %s", name, strerror(errno));
    free(name);
    return stream;
}

steep_status steep_table_commit(FILE *stream, const char *path, steep_error *error)
{
    char *name = temporary(path);
    bool good = !ferror(stream);
    int code = good ? 0 : ENOSPC; /* an earlier write failed, and only a full disk does that quietly */
    if (fflush(stream) != 0 && !code) code = errno;
    if (!code && fsync(fileno(stream)) != 0) code = errno;
    if (fclose(stream) != 0 && !code) code = errno;
    good = code == 0;
    if (!name) return steep_fail(error, STEEP_NO_MEMORY, "%s: no memory to write it", path);
    if (good && rename(name, path) != 0) {
        good = false;
        code = errno;
    }
    steep_status status = STEEP_OK;
    if (!good) {
        status = steep_fail(error, STEEP_IO, "%s: cannot be written: %s; what stood there before is unchanged", path,
                            strerror(code));
        remove(name);
    }
    free(name);
    return status;
}
