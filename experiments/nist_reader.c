/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NIST's files: a header that says in which lines parameters and data stand, then these. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nist.h"

#define MAX_LINE 256

/* A file as lines, numbered from 1 as its header counts them. */
typedef struct lines {
    const char *path;
    char (*line)[MAX_LINE];
    size_t count;
} lines;

static steep_status read_lines(const char *path, lines *file, steep_error *error)
{
    FILE *stream = fopen(path, "r");
    char line[MAX_LINE];
    steep_status status = STEEP_OK;
    *file = (lines){.path = path};
    if (!stream) return steep_fail(error, STEEP_IO, "%s: cannot be read: %s", path, strerror(errno));
    while (status == STEEP_OK && fgets(line, sizeof line, stream)) {
        if (!strchr(line, '\n') && !feof(stream))
            status = steep_fail(error, STEEP_BAD_INPUT,
                                "%s:%zu: a line of %d characters or more: expected a file "
                                "of NIST's StRD",
                                path, file->count + 1, MAX_LINE - 1);
        char(*more)[MAX_LINE] = realloc(file->line, (file->count + 1) * sizeof *more);
        if (!more) status = steep_fail(error, STEEP_NO_MEMORY, "%s: no memory for its lines", path);
        else file->line = more;
        line[strcspn(line, "\r\n")] = '\0';
        if (status == STEEP_OK) memcpy(file->line[file->count++], line, sizeof line);
    }
    if (status == STEEP_OK && ferror(stream))
        status = steep_fail(error, STEEP_IO, "%s: cannot be read: %s", path, strerror(errno));
    fclose(stream);
    return status;
}

/* Does text begin with word, whatever the case? */
static bool begins(const char *text, const char *word)
{
    for (; *word; text++, word++)
        if (tolower((unsigned char)*text) != tolower((unsigned char)*word)) return false;
    return true;
}

/* Where word stands in lines low..high, past it; NULL if nowhere. Case does not count. */
static const char *find(const lines *file, size_t low, size_t high, const char *word)
{
    for (size_t l = low; l <= high && l <= file->count; l++)
        for (const char *at = file->line[l - 1]; *at; at++)
            if (begins(at, word)) return at + strlen(word);
    return NULL;
}

static steep_status foreign(const lines *file, const char *what, steep_error *error)
{
    return steep_fail(error, STEEP_BAD_INPUT, "%s: no %s: expected an unchanged file of NIST's StRD", file->path, what);
}

/* The range that the header gives to a part of the file, "NAME (lines A to B)". */
static steep_status find_range(const lines *file, const char *name, size_t *low, size_t *high, steep_error *error)
{
    for (size_t l = 1; l <= file->count; l++) {
        const char *at = find(file, l, l, name);
        if (at && sscanf(at, " (lines %zu to %zu)", low, high) == 2 && *low >= 1 && *low <= *high &&
            *high <= file->count)
            return STEEP_OK;
    }
    char what[64];
    snprintf(what, sizeof what, "\"%s (lines A to B)\" within the file", name);
    return foreign(file, what, error);
}

/* Exactly count numbers, and nothing behind them. */
static bool read_numbers(const char *text, size_t count, double *value)
{
    for (size_t i = 0; i < count; i++) {
        char *end;
        value[i] = strtod(text, &end);
        if (end == text || !isfinite(value[i])) return false;
        text = end;
    }
    return text[strspn(text, " \t")] == '\0';
}

static steep_status read_parameters(const lines *file, nist_study *s, steep_error *error)
{
    size_t low, high, last;
    steep_status status = find_range(file, "Certified Values", &low, &last, error);
    if (status == STEEP_OK) status = find_range(file, "Starting Values", &low, &high, error);
    if (status < 0) return status;
    if (high - low + 1 != s->model->parameters)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%s: \"Starting Values (lines %zu to %zu)\": expected %zu "
                          "lines, one a parameter",
                          file->path, low, high, s->model->parameters);
    for (size_t p = 0; p < s->model->parameters; p++) {
        const char *equals = strchr(file->line[low - 1 + p], '=');
        double v[4];
        if (!equals || !read_numbers(equals + 1, 4, v))
            return steep_fail(error, STEEP_BAD_INPUT, "%s:%zu: expected \"b%zu = start1 start2 certified deviation\"",
                              file->path, low + p, p + 1);
        s->start[0][p] = v[0];
        s->start[1][p] = v[1];
        s->certified[p] = v[2];
    }
    const char *rss = find(file, high, last, "Residual Sum of Squares:");
    if (!rss || !read_numbers(rss, 1, &s->rss)) return foreign(file, "\"Residual Sum of Squares:\"", error);
    return STEEP_OK;
}

static steep_status read_data(const lines *file, nist_study *s, steep_error *error)
{
    size_t low, high, P = s->model->predictors;
    steep_status status = find_range(file, "Data", &low, &high, error);
    if (status < 0) return status;
    s->count = high - low + 1;
    s->x = calloc(s->count * P, sizeof *s->x);
    s->y = calloc(s->count, sizeof *s->y);
    s->scratch = calloc(s->count * (P + s->model->parameters), sizeof *s->scratch);
    if (!s->x || !s->y || !s->scratch)
        return steep_fail(error, STEEP_NO_MEMORY, "%s: no memory for its data", file->path);
    for (size_t k = 0; k < s->count; k++) {
        double v[1 + NIST_PREDICTORS];
        if (!read_numbers(file->line[low - 1 + k], 1 + P, v) || (s->model->log_response && !(v[0] > 0)))
            return steep_fail(error, STEEP_BAD_INPUT, "%s:%zu: expected a response%s and %zu predictors", file->path,
                              low + k, s->model->log_response ? " above 0" : "", P);
        s->y[k] = s->model->log_response ? log(v[0]) : v[0];
        for (size_t j = 0; j < P; j++) s->x[k + j * s->count] = v[1 + j];
    }
    return s->count >= s->model->parameters ? STEEP_OK : foreign(file, "more observations than parameters", error);
}

void nist_study_close(nist_study *s)
{
    free(s->x);
    free(s->y);
    free(s->scratch);
    steep_formula_free(s->formula);
}

steep_status nist_study_open(const char *folder, const nist_model *m, nist_study *s, steep_error *error)
{
    char path[1024], name[64] = "";
    lines file;
    *s = (nist_study){.model = m};
    snprintf(path, sizeof path, "%s/%s.dat", folder, m->name);
    steep_status status = read_lines(path, &file, error);
    if (status == STEEP_OK) {
        const char *title = find(&file, 1, file.count, "Dataset Name:");
        const char *level = find(&file, 1, file.count, "Level of Difficulty");
        if (!title || sscanf(title, " %63s", name) != 1 || strcmp(name, m->name) != 0)
            status = steep_fail(error, STEEP_BAD_INPUT, "%s: expected \"Dataset Name: %s\"", path, m->name);
        else if (!level) status = foreign(&file, "\"Level of Difficulty\"", error);
        else sscanf(file.line[(size_t)(level - file.line[0]) / sizeof *file.line], " %15s", s->difficulty);
    }
    if (status == STEEP_OK) status = read_parameters(&file, s, error);
    if (status == STEEP_OK) status = read_data(&file, s, error);
    if (status == STEEP_OK) status = steep_formula_parse_unit(m->text, &s->formula, (size_t[5]){0}, error);
    free(file.line);
    if (status < 0) nist_study_close(s);
    return status;
}
