/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/options.h"

#define SMALL_TEXT (64u << 20) /* bytes; up to this size the free memory is not looked up */

/* Grows *text to room bytes, and refuses more than the free memory: a device or a pipe may have no end. */
static steep_status make_room(const char *path, char **text, size_t room, steep_error *error)
{
    const char *who;
    const double left = room > SMALL_TEXT ? steep_memory_left(&who) : INFINITY;
    if (!((double)room < left))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%s: holds more than %.3g GB, and for what comes behind them %s %.3g GB: give a part of it",
                          path, (double)room / 2e9, who, left / 1e9);
    char *grown = realloc(*text, room);
    if (!grown) return steep_fail(error, STEEP_NO_MEMORY, "%s: no memory to read it", path);
    *text = grown;
    return STEEP_OK;
}

static size_t count_newlines(const char *text, size_t bytes)
{
    size_t lines = 0;
    for (size_t i = 0; i < bytes; i++) lines += text[i] == '\n';
    return lines;
}

/* Checks what was read last: no error of the file, and no zero byte in text[used..used+bytes-1]. */
static steep_status check_read(FILE *file, const char *path, const char *text, size_t used, size_t bytes,
                               steep_error *error)
{
    if (ferror(file)) return steep_fail(error, STEEP_IO, "%s: cannot be read: %s", path, strerror(errno));
    const char *zero = memchr(text + used, '\0', bytes);
    if (!zero) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%s, line %zu: holds a zero byte, and no text has one: remove the line, if a failure of power or "
                      "of a disk left it; else give a text file",
                      path, 1 + count_newlines(text, (size_t)(zero - text)));
}

/* A tab is a blank unless it separates. */
static bool is_blank(char c, char separator)
{
    return c == ' ' || (c == '\t' && separator != '\t');
}

size_t steep_table_split(char *record, char separator, char **field, size_t room)
{
    size_t count = 0;
    for (char *in = record;; in++) {
        while (is_blank(*in, separator)) in++;
        char *begin = in, *out = in, *end = in; /* end: after the last character that is quoted or no blank */
        bool quoted = *in == '"';
        if (quoted) in++;
        while (*in && (quoted || *in != separator)) {
            if (quoted && *in == '"' && *++in != '"') {
                quoted = false;
                end = out;
                continue;
            }
            if (quoted || !is_blank(*in, separator)) end = out + 1;
            *out++ = *in++;
        }
        bool last = *in == '\0';
        *end = '\0';
        if (count < room) field[count] = begin;
        count++;
        if (last) return count;
    }
}

static const char separators[] = ",;\t";
enum { SEPARATORS = sizeof separators - 1 };

/* A record before it is split. end: the first newline outside quotes, or the end of the text. stray: the first quote
 * inside an unquoted field, or the first text after a closing quote (then behind is true); NULL: none. separators: how
 * many stand outside quotes. open: a quote is not closed, and nothing is stray before it. clean: no field holds another
 * separator outside quotes, but tabs may stand around a field. */
typedef struct scanned {
    const char *end, *stray;
    size_t separators;
    bool behind, open, clean;
} scanned;

/* In a remark, which begins with #, quotes are plain characters. */
static scanned scan(const char *c, char separator)
{
    scanned s = {.clean = true};
    for (const bool remark = *c == '#';; c++, s.separators++) {
        while (is_blank(*c, separator)) c++;
        const bool quoted = *c == '"' && !remark;
        if (quoted) {
            for (c++; *c && (*c != '"' || c[1] == '"'); c++) c += *c == '"';
            s.open = !*c && !s.stray;
            if (*c) c++;
        }
        bool tab = false; /* a tab follows a character of this field */
        for (const char *begin = c; *c && *c != '\n' && *c != separator; c++) {
            if (!s.stray && (quoted ? !is_blank(*c, separator) : *c == '"')) s.stray = c, s.behind = quoted;
            if (*c == '\t') tab = tab || quoted || c > begin;
            else if (*c != ' ' && *c != '\r' && (tab || *c == ',' || *c == ';')) s.clean = false;
        }
        if (*c == separator) continue;
        s.end = c;
        return s;
    }
}

static char *record_end(char *c, char separator)
{
    char *newline = strchr(c, '\n'), *end = newline ? newline : c + strlen(c);
    return memchr(c, '"', (size_t)(end - c)) ? (char *)scan(c, separator).end : end;
}

/* Does a remark name the columns of a line of numbers, as numpy's savetxt writes it: "# x,y" before "0,1"? */
static bool names_columns(const char *remark, const char *line)
{
    static const char numbers[] = "+-.0123456789eE,; \t\r";
    const char *separator = line + strcspn(line, ",;\t\n");
    return line[strspn(line, numbers)] == '\n' && remark[strspn(remark, numbers)] != '\n' && *separator != '\n' &&
           memchr(remark, *separator, strcspn(remark, "\n"));
}

/* The header: the first line that is neither blank nor a remark, or the remark before it that names its columns,
 * without the #; *number: its number in the file. */
static char *first_record(char *text, size_t *number)
{
    char *remark = NULL;
    size_t place = 0;
    *number = 1;
    while (*text == '#' || text[strspn(text, " \t\r")] == '\n') {
        if (*text == '#') remark = text + 1 + strspn(text + 1, " "), place = *number;
        text += strcspn(text, "\n");
        if (*text) text++;
        ++*number;
    }
    if (!remark || !names_columns(remark, text)) return text;
    *number = place;
    return remark;
}

/* Sets the table's separator: the only one in the header, or a comma if the header has none. Refuses several. */
static steep_status find_separator(steep_table *table, const char *header, size_t line, steep_error *error)
{
    size_t count[SEPARATORS], found = 0, any = 0;
    table->separator = ',';
    for (size_t s = 0; s < SEPARATORS; s++) {
        const scanned header_so = scan(header, separators[s]);
        count[s] = header_so.separators;
        any += count[s];
        if (count[s] == 0 || !header_so.clean) continue;
        table->separator = separators[s];
        found++;
    }
    if (found == 1 || any == 0) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%s, line %zu: what separates its columns? The header has %zu commas, %zu semicolons and %zu "
                      "tabs: use one of these, and put a name that holds another between quotes",
                      table->path, line, count[0], count[1], count[2]);
}

/* A file that was cut short ends within one line. If an open quote reaches over several lines, a quote is missing or
 * one too many: these lines may be whole rows, and must not be dropped as a torn line. */
static steep_status check_quotes(const steep_table *table, const char *record, size_t number, bool whole,
                                 steep_error *error)
{
    if (*record == '#' || !strchr(record, '"')) return STEEP_OK;
    const scanned s = scan(record, table->separator);
    if (s.open && (whole || strchr(record, '\n')))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%s, line %zu: a quote in the row that begins there is never closed: close or remove it",
                          table->path, number);
    if (!s.stray) return STEEP_OK;
    number += count_newlines(record, (size_t)(s.stray - record));
    if (s.behind)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%s, line %zu: '%.20s' stands behind a closing quote: end the field at that quote, or double "
                          "the quotes within it; a quote of a line before may be missing",
                          table->path, number, s.stray);
    return steep_fail(
        error, STEEP_BAD_INPUT,
        "%s, line %zu: a quote stands within a field: put quotes around the field, and double those within it",
        table->path, number);
}

/* Splits one 0-terminated record, which begins at the file's line `number`; whole: a newline ended it. A whole record
 * is counted among the rows, another as the tail. */
static steep_status take_record(steep_table *table, char *record, size_t number, bool whole, steep_error *error)
{
    const bool open = !whole && scan(record, table->separator).open;
    size_t found =
        steep_table_split(record, table->separator, table->cell + table->rows * table->columns, table->columns);
    table->line[table->rows] = number;
    if (whole && found != table->columns)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%s, line %zu: %zu fields where the header has %zu (%s separate them)", table->path, number,
                          found, table->columns,
                          table->separator == ','   ? "commas"
                          : table->separator == ';' ? "semicolons"
                                                    : "tabs");
    if (whole) table->rows++;
    else table->tail = found == table->columns && !open;
    return STEEP_OK;
}

/* Reads the whole file into the table's storage, 0-terminated. */
static steep_status read_file(steep_table *table, FILE *file, steep_error *error)
{
    size_t got = 1;
    for (size_t room = 1 << 16; got > 0; room *= 2) {
        steep_status status = make_room(table->path, &table->storage, room, error);
        if (status != STEEP_OK) return status;
        got = fread(table->storage + table->bytes, 1, room - 1 - table->bytes, file);
        status = check_read(file, table->path, table->storage, table->bytes, got, error);
        if (status != STEEP_OK) return status;
        table->sum = steep_hash_bytes(table->sum, table->storage + table->bytes, got);
        table->bytes += got;
        table->storage[table->bytes] = '\0';
    }
    return STEEP_OK;
}

static int compare_places(const void *left, const void *right)
{
    char **const a = *(char **const *)left, **const b = *(char **const *)right;
    const int order = strcmp(*a, *b);
    return order ? order : (a > b) - (a < b);
}

/* Finds the separator, and splits a copy of the header, which begins in that line. */
static steep_status take_header(steep_table *table, char *begin, size_t line, steep_error *error)
{
    steep_status status = find_separator(table, begin, line, error);
    if (status < 0) return status;
    if (!*begin)
        return steep_fail(error, STEEP_BAD_INPUT, "%s: empty: begin it with a line of the columns' names", table->path);
    const size_t length = (size_t)(record_end(begin, table->separator) - begin);
    char *names;
    table->block[0] = STEEP_BLOCK(STEEP_SHARE(names, length + 1), STEEP_SHARE(table->header, length + 1),
                                  STEEP_SHARE(table->sorted, length + 1));
    if (!table->block[0]) return steep_fail(error, STEEP_NO_MEMORY, "%s: no memory for its header", table->path);
    memcpy(names, begin, length);
    if (length > 0 && names[length - 1] == '\r') names[length - 1] = '\0';
    table->columns = steep_table_split(names, table->separator, table->header, length + 1);
    for (size_t c = 0; c < table->columns; c++) table->sorted[c] = table->header + c;
    qsort(table->sorted, table->columns, sizeof *table->sorted, compare_places);
    return STEEP_OK;
}

/* Makes room for the rows of the text. A separator or a newline ends each field: a row has at least as many bytes as
 * columns. Two more: the last row, which may lack its newline, and a row that is refused. */
static steep_status make_rows(steep_table *table, const char *text, steep_error *error)
{
    const size_t bytes = strlen(text), most = bytes / table->columns + 2, lines = 1 + count_newlines(text, bytes);
    const size_t rows = (most < lines ? most : lines) + 1;
    table->block[1] = STEEP_BLOCK(STEEP_SHARE(table->line, rows), STEEP_SHARE(table->cell, rows * table->columns));
    if (table->block[1]) return STEEP_OK;
    return steep_fail(error, STEEP_NO_MEMORY, "%s: no memory for its rows", table->path);
}

/* Splits the records after the header; number: the number in the file of the header's first line. */
static steep_status split_rows(steep_table *table, char *header, size_t number, steep_error *error)
{
    steep_status status = make_rows(table, header, error);
    for (char *record = header, *next; status == STEEP_OK && *record; record = next) {
        char *end = record_end(record, table->separator);
        next = end + (*end == '\n');
        const bool whole = next > end;
        *end = '\0';
        const size_t inner = 1 + count_newlines(record, (size_t)(end - record));
        if (end > record && end[-1] == '\r') end[-1] = '\0';
        status = check_quotes(table, record, number, whole, error);
        const char *blank = record > header && table->separator == '\t' ? " \r" : " \t\r";
        if (status == STEEP_OK && *record != '#' && record[strspn(record, blank)] != '\0') {
            if (record > header) status = take_record(table, record, number, whole, error);
            table->torn = !whole;
        }
        if (whole) table->whole = (long)(next - table->storage);
        number += inner;
    }
    return status;
}

steep_status steep_table_read(const char *path, steep_table *table, steep_error *error)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* some editors begin UTF-8 files with it */
    FILE *file = fopen(path, "rb");
    *table = (steep_table){.sum = file ? STEEP_HASH_START : 0};
    if (!file) return steep_fail(error, steep_failure_of(errno), "%s: cannot be opened: %s", path, strerror(errno));
    table->path = strdup(path);
    steep_status status = table->path ? read_file(table, file, error)
                                      : steep_fail(error, STEEP_NO_MEMORY, "%s: no memory to read it", path);
    fclose(file);
    if (status == STEEP_OK) {
        size_t line;
        char *text = table->storage + (strncmp(table->storage, mark, sizeof mark - 1) == 0 ? sizeof mark - 1 : 0);
        char *header = first_record(text, &line);
        status = take_header(table, header, line, error);
        if (status == STEEP_OK) status = split_rows(table, header, line, error);
    }
    if (status != STEEP_OK) steep_table_free(table);
    return status;
}

void steep_table_free(steep_table *table)
{
    free(table->path);
    free(table->block[0]);
    free(table->block[1]);
    free(table->storage);
    memset(table, 0, sizeof *table);
}

static int compare_name(const void *name, const void *place)
{
    return strcmp(name, **(char **const *)place);
}

/* The first place in sorted with that name; NULL: there is none. */
static char ***place_of(const steep_table *table, const char *name)
{
    char ***at = table->columns ? bsearch(name, table->sorted, table->columns, sizeof *at, compare_name) : NULL;
    while (at && at > table->sorted && strcmp(*at[-1], name) == 0) at--;
    return at;
}

size_t steep_table_column(const steep_table *table, const char *name)
{
    char ***at = place_of(table, name);
    return at ? (size_t)(*at - table->header) : table->columns;
}

bool steep_table_alike(const steep_table *table, size_t columns, const size_t *column, size_t a, size_t b)
{
    char **first = table->cell + a * table->columns, **second = table->cell + b * table->columns;
    for (size_t k = 0; k < columns; k++)
        if (strcmp(first[column[k]], second[column[k]]) != 0) return false;
    return true;
}

bool steep_table_failed(const steep_table *table, size_t row)
{
    const size_t column = steep_table_column(table, "status");
    steep_status status;
    return column < table->columns && steep_status_find(table->cell[row * table->columns + column], &status) &&
           status < 0;
}

/* "a, b, c" into text: as many names as fit. */
static void list_columns(const steep_table *table, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t c = 0; c < table->columns; c++) {
        const char *name = table->header[c];
        if (strlen(text) + strlen(name) + 24 > size) {
            steep_text_add(text, size, "%s... (%zu in all)", c ? ", " : "", table->columns);
            return;
        }
        steep_text_add(text, size, "%s%s", c ? ", " : "", *name ? name : "\"\"");
    }
}

/* Does the text begin with a number, and are all characters after it among those of behind? */
static bool begins_with_number(const char *text, const char *behind)
{
    char *end;
    strtod(text, &end);
    return end > text && !end[strspn(end, behind)];
}

bool steep_table_is_number(const char *text)
{
    return begins_with_number(text, " \t");
}

steep_status steep_table_find(const steep_table *table, const char *name, size_t *column, steep_error *error)
{
    char list[240];
    char ***at = place_of(table, name), ***end = table->sorted + table->columns;
    *column = at ? (size_t)(*at - table->header) : table->columns;
    if (at && (at + 1 == end || strcmp(*at[1], name) != 0)) return STEEP_OK;
    if (at)
        return steep_fail(error, STEEP_BAD_INPUT, "%s: columns %zu and %zu are both named %s: rename one", table->path,
                          *column + 1, (size_t)(at[1] - table->header) + 1, name);
    list_columns(table, list, sizeof list);
    size_t numbers = 0;
    /* a name that is a number, or several with blanks between them */
    while (numbers < table->columns && begins_with_number(table->header[numbers], "0123456789.eE+- \t")) numbers++;
    if (numbers == table->columns) /* it is likely a row, and the names are missing */
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%s: no column %.60s: its header holds numbers (%s): begin the file with a line of the "
                          "columns' names, with commas, semicolons or tabs between them",
                          table->path, name, list);
    const char *near = steep_options_nearest_of(name, (const char *const *)table->header, table->columns);
    const bool usual = strcmp(name, "x") == 0 || strcmp(name, "y") == 0; /* of points; no option has named them */
    return steep_fail(error, STEEP_BAD_INPUT, "%s: no column %.60s%s%.60s%s; its columns are %s: name those you mean%s",
                      table->path, name, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "", list,
                      usual ? " by --x and --y" : "");
}

/* Is the text a number once its comma is a point, as "1,5"? */
static bool has_decimal_comma(const char *text)
{
    char point[64];
    const char *comma = strchr(text, ',');
    if (!comma || strlen(text) >= sizeof point) return false;
    snprintf(point, sizeof point, "%s", text);
    point[comma - text] = '.';
    return steep_table_is_number(point);
}

steep_status steep_table_number(const steep_table *table, size_t row, size_t column, double *value, steep_error *error)
{
    const char *text = table->cell[row * table->columns + column];
    char *end;
    const char *expected = steep_decimal_read(text, value, &end);
    while (*end == ' ' || *end == '\t') end++;
    const bool number = end > text && !*end && isfinite(*value), comma = !number && has_decimal_comma(text);
    if (number && !expected) return STEEP_OK;
    if (!number || !expected) expected = comma ? "a decimal point in place of the comma" : "a finite number";
    return steep_fail(error, STEEP_BAD_INPUT, "%s, line %zu, column %s: %s'%.40s': %s %s", table->path,
                      table->line[row], table->header[column], *text ? "" : "the cell is empty, ", text,
                      comma ? "write" : "expected", expected);
}
