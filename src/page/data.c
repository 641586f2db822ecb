/* SPDX-License-Identifier: GPL-3.0-or-later */
/* data: what a page shows of a run, as JSON. Remarks are those of slopes.csv. The verdict on the order against
 * parameters is the first of these that holds:
 *   1. steep's remark: the error falls faster than any power, or is still bending;
 *   2. there is no slope, or a slope without an interval;
 *   3. theory names no order; theory's order lies in the interval, which is narrower than WIDE (it agrees) or wider
 *      (open); the order is steeper or shallower than theory's, by as much as three decimals show.
 * With 2 and 3 steep's remark follows, such as few points. */
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page/page.h"

#define WIDE 0.5 /* the least distance of two orders that theory may name */

static json_t *put_number(double value)
{
    char text[STEEP_DECIMAL_ROOM];
    steep_decimal(value, text);
    return json_string(text);
}

/* The fields of run.json that are shown; others may be private. */
static json_t *put_record(const steep_page_run *run)
{
    static const char *const name[] = {"kind",   "command",  "state", "tasks",      "counts", "version",
                                       "commit", "writers",  "cpu",   "processors", "blas",   "gpu",
                                       "device", "compiler", "start", "end"};
    json_t *record = json_object();
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        json_t *value = json_object_get(run->record, name[i]);
        if (value) record = steep_json_put(record, name[i], json_incref(value));
    }
    return record;
}

static bool is_linked(const char *name)
{
    static const char *const endings[] = {".csv", ".json", ".svg", ".pdf", ".png", ".gp"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (steep_page_ends(name, endings[i])) return true;
    return false;
}

/* The path from the page to a file as a URL: letters, digits and a few others unchanged, other bytes as %XX. */
static json_t *put_url(const steep_page_run *run, const char *name)
{
    char path[sizeof run->link + NAME_MAX + 3], url[3 * sizeof path], *to = url;
    snprintf(path, sizeof path, "%s%s%s", *run->link == '/' || *run->link == '.' ? "" : "./", run->link, name);
    for (const char *at = path; *at; at++) {
        const bool plain = isascii((unsigned char)*at) && (isalnum((unsigned char)*at) || strchr("-._~/", *at));
        to += sprintf(to, plain ? "%c" : "%%%02X", (unsigned char)*at);
    }
    return json_string(url);
}

static json_t *put_files(const steep_page_run *run)
{
    json_t *files = json_array();
    for (size_t i = 0; i < run->files; i++) {
        const char *name = run->file[i]->d_name;
        if (!is_linked(name)) continue;
        files = steep_json_add(files, json_pack("[o, o]", steep_json_text(name), put_url(run, name)));
    }
    return files;
}

typedef struct verdict {
    const char *kind, *mark, *words;
    double number; /* printed behind the words; NaN: no number */
} verdict;

static verdict judge(const steep_page_series *s)
{
    const steep_slope *slope = steep_series_slope(&s->slopes, STEEP_AGAINST_PARAMS);
    const steep_slope *window = steep_series_remarked(&s->slopes);
    if (window->faster) return (verdict){"faster", "⇊", "falls faster than any power", NAN};
    if (window->status == STEEP_STALLED)
        return (verdict){"bending", "∿", "still bending; slope at the largest sizes:", window->slope + window->drift};
    if (isnan(slope->slope)) return (verdict){"none", "–", "no slope", NAN};
    if (isnan(slope->low)) return (verdict){"few", "?", "no interval", NAN};
    if (isnan(s->theory)) return (verdict){"free", "·", "measured; theory names no order", NAN};
    /* also where theory misses the interval by less than the three printed decimals show */
    const bool within = slope->low - 5e-4 <= s->theory && s->theory <= slope->high + 5e-4;
    if (within && !(slope->high - slope->low < WIDE))
        return (verdict){"few", "?", "open: theory lies in a wide interval", NAN};
    if (within) return (verdict){"agrees", "✓", "agrees with theory", NAN};
    if (slope->slope < s->theory) return (verdict){"steeper", "↘", "steeper than theory by", s->theory - slope->slope};
    return (verdict){"shallower", "↗", "shallower than theory by", slope->slope - s->theory};
}

static json_t *put_slope(const steep_page_series *s)
{
    static const char *const methods[] = {"window", "last pair", "all"};
    const steep_slope *slope = steep_series_slope(&s->slopes, STEEP_AGAINST_PARAMS),
                      *each = s->slopes.slope[STEEP_AGAINST_PARAMS], *window = steep_series_remarked(&s->slopes);
    const bool seeds = slope == &s->slopes.seeds[STEEP_AGAINST_PARAMS];
    const verdict v = judge(s);
    const steep_stored_number number[] = {{"slope", slope->slope},
                                          {"low", slope->low},
                                          {"high", slope->high},
                                          {"theory", s->theory},
                                          {"wide", steep_series_slope(&s->slopes, STEEP_AGAINST_WIDTH)->slope},
                                          {"pair", each[STEEP_SLOPE_LAST_PAIR].slope},
                                          {"all", each[STEEP_SLOPE_ALL].slope},
                                          {"points", (double)slope->points},
                                          {"first", slope->first},
                                          {"last", slope->last},
                                          {"by", v.number},
                                          {"apart", (double)window->apart},
                                          {"offset", window->offset},
                                          {"offset_low", window->offset_low},
                                          {"offset_high", window->offset_high}};
    const bool said = window->faster || window->status == STEEP_STALLED; /* the words say it */
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        object = steep_json_put(object, number[i].name, put_number(number[i].value));
    object = steep_json_put(object, "method", json_string(seeds ? "seeds" : methods[slope - each]));
    object = steep_json_put(object, "kind", json_string(v.kind));
    object = steep_json_put(object, "mark", json_string(v.mark));
    object = steep_json_put(object, "words", json_string(v.words));
    return steep_json_put(object, "remark", steep_json_text(said ? "" : s->remark));
}

/* Adds a column as one text with a blank before each number. */
static json_t *put_column(json_t *object, const char *name, steep_text *text)
{
    const bool whole = steep_text_close(text) == STEEP_OK;
    object = steep_json_put(object, name, whole ? steep_json_text(text->text) : NULL);
    free(text->text);
    return object;
}

/* Adds the columns of the rows that have a mark in the figure. */
static json_t *put_points(const steep_page_run *run, const steep_page_series *s, json_t *object)
{
    /* names of STEEP_PAGE_WIDTH and so on */
    static const char *const name[] = {"n",     "P",     "error", "low",    "high",
                                       "seeds", "floor", "below", "theory", "overfit"};
    steep_text text;
    for (size_t c = 0; c < STEEP_PAGE_NUMBERS && object; c++) {
        if (steep_text_open(&text) < 0) return json_decref(object), NULL;
        for (size_t row = s->first; row <= s->last; row++) {
            const double *number = run->series_table.number + row * STEEP_PAGE_NUMBERS;
            if (number[STEEP_PAGE_ERROR] > 0 && number[STEEP_PAGE_PARAMS] > 0 && number[STEEP_PAGE_WIDTH] > 0)
                fprintf(text.stream, " %.*g", c <= STEEP_PAGE_PARAMS ? 15 : 5, number[c]);
        }
        object = put_column(object, name[c], &text);
    }
    return object;
}

static json_t *put_series(const steep_page_run *run)
{
    json_t *list = json_array();
    for (const steep_page_series *s = run->series; s < run->series + run->count; s++) {
        json_t *one =
            json_pack("{s:i, s:o, s:o, s:o}", "s", (int)s->label, "target", steep_json_text(s->text[STEEP_PAGE_TARGET]),
                      "title", steep_json_text(s->text[STEEP_PAGE_TITLE]), "slope", put_slope(s));
        list = steep_json_add(list, put_points(run, s, one));
    }
    return list;
}

/* Columns of fits.csv, whose header is always the same (record/journal.h). keys: the names target, arch, activation,
 * solver and start. columns: the numbers, and their digits (0: as in the file). */
static const size_t keys[] = {2, 0, 1, 8, 7};
static const struct {
    size_t column;
    const char *as;
    int digits;
} columns[] = {{4, "n", 0},    {5, "P", 0},           {6, "seed", 0},     {11, "train", 4},   {12, "test", 4},
               {13, "max", 4}, {15, "iterations", 0}, {19, "seconds", 2}, {10, "samples", 0}, {0, "status", 0},
               {0, "s", 0}};
enum { KEYS = sizeof keys / sizeof *keys, COLUMNS = sizeof columns / sizeof *columns, SAMPLES = COLUMNS - 3, STATUS };
enum { SERIES = COLUMNS - 1 };

/* Whether the row has the same names as the row before. */
static bool continues(const steep_table *t, size_t row)
{
    return row > 0 && steep_table_alike(t, KEYS, keys, row - 1, row);
}

/* The fits, column by column. names: of each series, whose rows are adjacent; s: the place of a row's series in names;
 * samples: one number where all rows have the same. */
static json_t *put_fits(const steep_page_run *run)
{
    const steep_table *t = &run->fits;
    json_t *names = json_array(), *fits = json_object();
    steep_text text;
    size_t varied = 0;
    while (varied < t->rows && steep_table_alike(t, 1, &columns[SAMPLES].column, 0, varied)) varied++;
    for (size_t r = 0; r < t->rows; r++) {
        if (continues(t, r)) continue;
        json_t *one = json_array();
        for (size_t k = 0; k < KEYS; k++) one = steep_json_add(one, steep_json_text(t->cell[r * t->columns + keys[k]]));
        names = steep_json_add(names, one);
    }
    fits = steep_json_put(fits, "names", names);
    for (size_t c = 0; c < COLUMNS && fits; c++) {
        int series = -1;
        if (steep_text_open(&text) < 0) return json_decref(fits), NULL;
        for (size_t r = 0; r < (c == SAMPLES && varied == t->rows ? t->rows > 0 : t->rows); r++) {
            const char *cell = t->cell[r * t->columns + columns[c].column];
            if (c == STATUS) fprintf(text.stream, " %d", (int)run->fit[r].status);
            else if (c == SERIES) fprintf(text.stream, " %d", series += !continues(t, r));
            else if (columns[c].digits == 0) fprintf(text.stream, " %s", cell);
            else fprintf(text.stream, " %.*g", columns[c].digits, strtod(cell, NULL));
        }
        fits = put_column(fits, columns[c].as, &text);
    }
    return fits;
}

static json_t *put_separation(const steep_figure_table *t)
{
    json_t *rows = json_array();
    for (size_t r = 0; r < t->table.rows; r++) {
        json_t *row = json_array();
        for (size_t c = 0; c < t->texts; c++) row = steep_json_add(row, steep_json_text(t->text[r * t->texts + c]));
        for (size_t c = 0; c < t->numbers; c++) row = steep_json_add(row, put_number(t->number[r * t->numbers + c]));
        rows = steep_json_add(rows, row);
    }
    return rows;
}

json_t *steep_page_data(const steep_page_run *run)
{
    json_t *data = steep_json_put(json_object(), "folder", steep_json_text(run->folder));
    data = steep_json_put(data, "files", put_files(run));
    if (run->record) data = steep_json_put(data, "record", put_record(run));
    data = steep_json_put(data, "series", put_series(run));
    if (run->separation.table.path) data = steep_json_put(data, "separation", put_separation(&run->separation));
    return steep_json_put(data, "fits", put_fits(run));
}
