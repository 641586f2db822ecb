/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/points.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/status.h"
#include "base/text.h"

enum { MOST_COLUMNS = 64, PATH_ROOM = 4096 };
static const char blanks[] = " \t\r\n";

/* A text file line by line; both files add to the problem's sum. */
typedef struct lines {
    const char *path;
    FILE *file;
    char *text;
    size_t room, number;
    steep_problem_file *problem;
} lines;

/* The next line into l->text; false at the end, and after a failure, which *status says. */
static bool next_line(lines *l, steep_status *status, steep_error *error)
{
    if (*status < 0) return false;
    errno = 0;
    const ssize_t length = getline(&l->text, &l->room, l->file);
    if (length < 0 && (ferror(l->file) || errno == ENOMEM))
        *status = steep_fail(error, steep_failure_of(errno), "%s: cannot be read: %s", l->path, strerror(errno));
    if (length < 0) return false;
    l->number++;
    l->problem->bytes += (size_t)length;
    l->problem->sum = steep_hash_bytes(l->problem->sum, l->text, (size_t)length);
    return true;
}

static void close_lines(lines *l)
{
    if (l->file) fclose(l->file);
    free(l->text);
}

bool steep_problem_file_is(const char *path)
{
    char begin[32] = "";
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return false; /* a pipe is read once */
    FILE *file = fopen(path, "rb");
    const bool is = file && fgets(begin, sizeof begin, file) && begin[0] == '#' &&
                    strncmp(begin + 1 + strspn(begin + 1, " "), "FitBenchmark", 12) == 0;
    if (file) fclose(file);
    return is;
}

typedef struct entries {
    char input[PATH_ROOM];
    double low, high; /* of x */
} entries;

/* The value of this key on a line "key = 'value'", without its quotes; NULL: another line. */
static char *value_of(char *line, const char *key)
{
    line += strspn(line, blanks);
    const size_t length = strlen(key);
    if (strncmp(line, key, length) != 0) return NULL;
    char *value = line + length + strspn(line + length, blanks);
    if (*value != '=') return NULL;
    value += 1 + strspn(value + 1, " \t'\"");
    char *end = value + strcspn(value, "#\n");
    while (end > value && strchr(" \t\r'\"", end[-1])) end--;
    *end = '\0';
    return value;
}

/* Reads {'x': [low, high]}; of several intervals the first counts. */
static steep_status read_range(const lines *l, const char *text, entries *e, steep_error *error)
{
    char *end = NULL;
    const char *open = strchr(text, '[');
    if (open && !steep_decimal_read(open + 1, &e->low, &end) && end > open + 1 &&
        *(end += strspn(end, blanks)) == ',') {
        const char *second = end + 1;
        if (!steep_decimal_read(second, &e->high, &end) && end > second && e->low < e->high) return STEEP_OK;
    }
    return steep_fail(error, STEEP_BAD_INPUT, "%s, line %zu: fit_ranges = %.60s: write {'x': [LOW, HIGH]}", l->path,
                      l->number, text);
}

static steep_status read_entries(lines *l, entries *e, steep_error *error)
{
    steep_status status = STEEP_OK;
    while (next_line(l, &status, error)) {
        const char *input = value_of(l->text, "input_file"), *range = value_of(l->text, "fit_ranges");
        if (input && *input == '[')
            status = steep_fail(error, STEEP_BAD_INPUT,
                                "%s, line %zu: names several files of points: fit them one by one", l->path, l->number);
        if (input && (size_t)snprintf(e->input, sizeof e->input, "%s", input) >= sizeof e->input)
            status = steep_fail(error, STEEP_BAD_INPUT, "%s, line %zu: the name of the file is too long", l->path,
                                l->number);
        if (range && *range) status = read_range(l, range, e, error);
    }
    if (status == STEEP_OK && !*e->input)
        status =
            steep_fail(error, STEEP_BAD_INPUT, "%s: has no line input_file = 'FILE' that names its points", l->path);
    return status;
}

/* Opens the file of points in the problem's folder data_files, or else beside the problem. */
static FILE *open_points(const char *path, const char *input, char *found)
{
    const char *slash = strrchr(path, '/');
    const int folder = slash ? (int)(slash - path) + 1 : 0;
    FILE *file = NULL;
    for (int i = 0; i < 2 && !file; i++)
        if (snprintf(found, PATH_ROOM, "%.*s%s%s", folder, path, i == 0 ? "data_files/" : "", input) < PATH_ROOM)
            file = fopen(found, "rb");
    return file;
}

typedef struct numbers {
    char kind[MOST_COLUMNS]; /* 'x', 'y', 'e' of each column */
    size_t columns, dim, count, room;
    double *row; /* count rows of dim + 1 numbers: x, then y */
} numbers;

/* The kinds of columns by the first line, "# X Y E" or "<X0> <X1> <Y>"; for a line of numbers x, y and perhaps e. */
static steep_status find_kinds(const lines *l, const char *line, bool number, numbers *n, steep_error *error)
{
    const char *apart = number ? blanks : " \t\r\n<>";
    size_t outputs = 0;
    bool known = true;
    if (!number) line += strspn(line, "# \t\r\n<>");
    for (; *line && known; line += strcspn(line, apart), line += strspn(line, apart)) {
        const char kind = !number ? (char)(*line | 0x20) : n->columns < 3 ? "xye"[n->columns] : '?';
        known = n->columns < MOST_COLUMNS && strchr("xye", kind);
        if (known) n->kind[n->columns++] = kind;
        n->dim += kind == 'x';
        outputs += kind == 'y';
    }
    known = known && (!number || n->columns > 1);
    if (known && n->dim > 0 && outputs == 1) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%s: %zu columns x and %zu columns y: begin it with a line such as \"# X Y E\" with one y",
                      l->path, known ? n->dim : 0, known ? outputs : 0);
}

/* A line of numbers becomes a row, unless its x lies outside the range. */
static steep_status take_numbers(const lines *l, const entries *e, numbers *n, steep_error *error)
{
    if (n->count == n->room) {
        n->room = 2 * n->room + 256;
        double *grown = realloc(n->row, n->room * (n->dim + 1) * sizeof *grown);
        if (!grown) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu points", n->room);
        n->row = grown;
    }
    double *row = n->row + n->count * (n->dim + 1), value;
    size_t j = 0, x = 0;
    char *at = l->text + strspn(l->text, blanks);
    for (char *end; *at && j < n->columns; j++, at = end + strspn(end, blanks)) {
        if (steep_decimal_read(at, &value, &end) || end == at || (*end && !strchr(blanks, *end)) || !isfinite(value))
            break;
        if (n->kind[j] == 'x') row[x++] = value;
        if (n->kind[j] == 'y') row[n->dim] = value;
    }
    if (*at || j < n->columns)
        return steep_fail(error, STEEP_BAD_INPUT, "%s, line %zu: \"%.*s\" in place of number %zu of %zu", l->path,
                          l->number, (int)strcspn(at, blanks), at, j + 1, n->columns);
    n->count += row[0] >= e->low && row[0] <= e->high;
    return STEEP_OK;
}

static steep_status read_numbers(lines *l, const entries *e, numbers *n, steep_error *error)
{
    steep_status status = STEEP_OK;
    while (next_line(l, &status, error)) {
        char *at = l->text + strspn(l->text, blanks);
        if (!*at) continue;
        const bool first = n->columns == 0, number = strchr("+-.0123456789", *at) != NULL;
        if (first) status = find_kinds(l, at, number, n, error);
        if (status == STEEP_OK && (number || !first) && *at != '#') status = take_numbers(l, e, n, error);
    }
    if (status == STEEP_OK && n->count == 0)
        status = steep_fail(error, STEEP_BAD_INPUT, "%s: no point in it%s", l->path,
                            e->low > -INFINITY ? " within fit_ranges" : "");
    return status;
}

static steep_status read_points(lines *l, const entries *e, steep_error *error)
{
    numbers n = {.row = NULL};
    steep_status status = read_numbers(l, e, &n, error);
    steep_samples *points = &l->problem->points;
    if (status == STEEP_OK) status = steep_samples_allocate(n.count, n.dim, false, points, error);
    for (size_t k = 0; status == STEEP_OK && k < n.count; k++) {
        const double *row = n.row + k * (n.dim + 1);
        for (size_t j = 0; j < n.dim; j++) points->x[j * n.count + k] = row[j];
        points->y[k] = row[n.dim];
    }
    free(n.row);
    return status;
}

steep_status steep_problem_file_read(const char *path, steep_problem_file *problem, steep_error *error)
{
    char found[PATH_ROOM];
    entries e = {"", -INFINITY, INFINITY};
    *problem = (steep_problem_file){.sum = STEEP_HASH_START};
    lines own = {.path = path, .file = fopen(path, "rb"), .problem = problem},
          points = {.path = found, .problem = problem};
    steep_status status = STEEP_OK;
    if (!own.file)
        status = steep_fail(error, steep_failure_of(errno), "%s: cannot be opened: %s", path, strerror(errno));
    if (status == STEEP_OK) status = read_entries(&own, &e, error);
    if (status == STEEP_OK && !(points.file = open_points(path, e.input, found)))
        status =
            steep_fail(error, STEEP_IO, "%s: its file of points, %.200s, is neither beside it nor in data_files: %s",
                       path, e.input, strerror(errno));
    if (status == STEEP_OK) status = read_points(&points, &e, error);
    close_lines(&own);
    close_lines(&points);
    return status;
}
