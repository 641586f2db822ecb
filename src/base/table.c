/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/table.h"

#include <errno.h>
#include <math.h>
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

/* Splits one line in place; at most room fields are stored, all are counted. Quotes are undone. */
static size_t split(char *line, char **field, size_t room)
{
    size_t count = 0;
    for (char *in = line;;) {
        char *out = in, *begin = in;
        bool quoted = *in == '"';
        if (quoted) in++;
        while (*in && (quoted || *in != ',')) {
            if (quoted && *in == '"') {
                if (in[1] == '"') in++;
                else {
                    quoted = false;
                    in++;
                    continue;
                }
            }
            *out++ = *in++;
        }
        bool last = *in == '\0';
        *out = '\0';
        if (count < room) field[count] = begin;
        count++;
        if (last) return count;
        in++;
    }
}

static size_t count_lines(const char *text)
{
    size_t lines = 1;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

/* One line, 0-terminated in place, without a carriage return; *next begins the one after. False: it has no newline. */
static bool cut_line(char *line, char **next)
{
    size_t length = strcspn(line, "\n");
    bool ended = line[length] == '\n';
    *next = line + length + ended;
    line[length] = '\0';
    if (length > 0 && line[length - 1] == '\r') line[length - 1] = '\0';
    return ended;
}

static steep_status split_lines(steep_table *table, size_t size, steep_error *error)
{
    size_t lines = count_lines(table->storage), number = 0;
    char *line = table->storage, *end = line + size, *next;
    for (; line < end; line = next) {
        bool ended = cut_line(line, &next);
        number++;
        if (*line == '\0' || *line == '#') continue;
        if (!table->header) {
            size_t columns = 1;
            for (const char *c = line; *c; c++) columns += *c == ',';
            table->header = calloc(columns, sizeof *table->header);
            table->cell = table->header ? calloc(lines * columns, sizeof *table->cell) : NULL;
            if (!table->cell) return steep_fail(error, STEEP_NO_MEMORY, "%s: no memory for its rows", table->path);
            table->columns = split(line, table->header, columns);
            table->torn = !ended;
        } else {
            size_t found = split(line, table->cell + table->rows * table->columns, table->columns);
            bool whole = found == table->columns;
            if (!ended) {
                table->torn = true;
                table->tail = whole;
                return STEEP_OK;
            }
            if (!whole)
                return steep_fail(error, STEEP_BAD_INPUT, "%s, line %zu: %zu fields where the header has %zu", table->path,
                                  number, found, table->columns);
            table->rows++;
        }
        table->whole = (long)(next - table->storage);
    }
    if (!table->header)
        return steep_fail(error, STEEP_BAD_INPUT, "%s: empty: a header line with the columns' names would be right", table->path);
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
    if (status == STEEP_OK) status = split_lines(table, size, error);
    if (status < 0) steep_table_free(table);
    return status;
}

void steep_table_free(steep_table *table)
{
    free(table->path);
    free(table->header);
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
        return steep_fail(error, STEEP_BAD_INPUT, "%s, line %zu, column %s: '%.40s' where a finite number would be right",
                          table->path, row + 2, table->header[column], text);
    return STEEP_OK;
}

/* --- writing --- */

void steep_table_put(FILE *stream, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
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
    if (!name) steep_fail(error, STEEP_NO_MEMORY, "%s: no memory to write it", path);
    else if (!stream) steep_fail(error, STEEP_IO, "%s: cannot be written: %s", name, strerror(errno));
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
