/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure: checks options, reads tables that gnuplot can read, and writes scripts. */
#include "draw/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"

void steep_figure_quote(FILE *stream, const char *text)
{
    fputc('\'', stream);
    for (size_t size; *text; text += size ? size : 1) {
        size = steep_utf8_length((const unsigned char *)text);
        /* SVG is XML, which excludes U+FFFE and U+FFFF: these, and bytes that are not UTF-8, become U+FFFD. */
        const bool known = size > 0 && strncmp(text, "\xEF\xBF\xBE", 3) != 0 && strncmp(text, "\xEF\xBF\xBF", 3) != 0;
        if (*text == '\'') fputs("' . \"'\" . '", stream); /* gnuplot takes '' for ', but not twice in a row */
        else if ((unsigned char)*text < ' ') fputc(' ', stream);
        else if (known) fwrite(text, 1, size, stream);
        else fputs(STEEP_UTF8_UNKNOWN, stream);
    }
    fputc('\'', stream);
}

/* Checks the ends of an axis: 0 and 0 for none, or two numbers for a logarithmic axis. */
static steep_status check_limits(const char *name, const double ends[2], steep_error *error)
{
    const bool none = ends[0] == 0 && ends[1] == 0;
    if (none || (ends[0] > 0 && ends[1] > ends[0] && isfinite(ends[1]))) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT, "%s %g to %g: use two positive numbers, the smaller one first", name,
                      ends[0], ends[1]);
}

static STEEP_NAMES(by_names, "arch", "solver", "start")

steep_status steep_figure_check(const steep_figure_options *o, steep_error *error)
{
    static const char *const known[] = {"svg", "pdf", "png", "cairolatex", "tikz"};
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    if (o->against && !strchr("nPNC", o->against))
        return steep_fail(error, STEEP_BAD_INPUT, "against \"%c\": use n, P, N or C", o->against);
    if (steep_options_index(by_names, o->by) == 3)
        return steep_fail(error, STEEP_BAD_INPUT, "by \"%.80s\": use solver, arch or start", o->by);
    for (const char *at = o->title; at && *at;) {
        const size_t size = steep_utf8_length((const unsigned char *)at);
        if (size == 0)
            return steep_fail(error, STEEP_BAD_INPUT, "title: byte %td is no character of UTF-8: write it in UTF-8",
                              at - o->title + 1);
        at += size;
    }
    if (check_limits("xlim", o->xlim, error) < 0 || check_limits("ylim", o->ylim, error) < 0) return STEEP_BAD_INPUT;
    if (o->width != 0 && !(o->width >= 5 && o->width <= 100))
        return steep_fail(error, STEEP_BAD_INPUT, "width %g cm: expected 5 to 100 cm", o->width);
    if (o->name && (!*o->name || *o->name == '.' || *o->name == '-' || o->name[strspn(o->name, letters)]))
        return steep_fail(
            error, STEEP_BAD_INPUT,
            "name \"%.80s\": use letters, digits, dots, - and _, without a folder, and begin with none of . and -",
            o->name);
    for (const char *at = o->terminal; at;) {
        size_t length = strcspn(at, ","), i = 0;
        while (i < 5 && !(strlen(known[i]) == length && strncmp(at, known[i], length) == 0)) i++;
        if (i == 5)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "terminal \"%.*s\": use svg, pdf, png, cairolatex or tikz, several with commas",
                              (int)length, at);
        at = at[length] ? at + length + 1 : NULL;
    }
    return STEEP_OK;
}

/* gnuplot counts lines in place of rows, and ends a field at a doubled quote and a comma. */
static steep_status check_lines(const steep_table *table, steep_error *error)
{
    for (size_t row = 0; row < table->rows; row++) {
        bool apart = row > 0 && table->line[row] != table->line[row - 1] + 1;
        for (size_t i = 0; i < table->columns; i++)
            apart |= strpbrk(table->cell[row * table->columns + i], "\n\"") != NULL;
        if (apart)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "%s, line %zu: gnuplot reads a row a line: remove blank lines, comments, and line breaks "
                              "and quotes within fields",
                              table->path, table->line[row]);
    }
    return STEEP_OK;
}

static steep_status read_columns(steep_figure_table *t, steep_error *error)
{
    const steep_table *table = &t->table;
    steep_status status = STEEP_OK;
    t->text = calloc(table->rows * t->texts + 1, sizeof *t->text);
    t->number = calloc(table->rows * t->numbers + 1, sizeof *t->number);
    if (!t->text || !t->number)
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for the %zu rows of %s", table->rows, table->path);
    for (size_t i = 0; i < t->texts + t->numbers && status >= 0; i++) {
        size_t column;
        status = steep_table_find(table, t->column[i], &column, error);
        for (size_t row = 0; row < table->rows && status >= 0; row++) {
            const char *cell = table->cell[row * table->columns + column];
            double *number = t->number + row * t->numbers;
            if (i < t->texts) t->text[row * t->texts + i] = cell;
            else if (strcmp(cell, "nan") == 0) number[i - t->texts] = NAN;
            else status = steep_table_number(table, row, column, &number[i - t->texts], error);
        }
    }
    return status;
}

steep_status steep_figure_read(const char *folder, const char *name, steep_figure_table *t, steep_error *error)
{
    const steep_path path = steep_path_in(folder, name);
    steep_status status = steep_table_read(path.text, &t->table, error);
    if (status >= 0 && t->table.torn)
        status = steep_fail(error, STEEP_BAD_INPUT, "%s: the last line is cut short: write the file anew", path.text);
    if (status >= 0 && !t->blocks) status = check_lines(&t->table, error);
    return status < 0 ? status : read_columns(t, error);
}

void steep_figure_free(steep_figure_table *t)
{
    steep_table_free(&t->table);
    free(t->text);
    free(t->number);
}

/* Number columns of slopes.csv. The first THEORY columns are fields of steep_slope. */
enum { THEORY = 9, POINTS, APART, NUMBERS };

steep_figure_table steep_slopes_columns(void)
{
    static const char *const names[STEEP_SLOPES_TEXTS + NUMBERS] = {
        "against", "method", "remark", "arch",   "target",     "solver",      "start",  "slope",  "low",  "high",
        "first",   "last",   "drift",  "offset", "offset_low", "offset_high", "theory", "points", "apart"};
    return (steep_figure_table){.column = names, .texts = STEEP_SLOPES_TEXTS, .numbers = NUMBERS, .blocks = true};
}

steep_slope steep_slopes_slope(const steep_figure_table *t, size_t row, double *theory)
{
    const double *n = t->number + row * NUMBERS;
    const char *remark = t->text[row * STEEP_SLOPES_TEXTS + STEEP_SLOPES_REMARK];
    const steep_slope known[] = {{.faster = true}, {.turns = true}, {.status = STEEP_STALLED}, {0}};
    size_t k = 0;
    while (k < 3 && strcmp(remark, steep_slope_remark(&known[k])) != 0) k++;
    steep_slope s = known[k];
    double *const number[THEORY] = {&s.slope, &s.low,    &s.high,       &s.first,      &s.last,
                                    &s.drift, &s.offset, &s.offset_low, &s.offset_high};
    for (size_t i = 0; i < THEORY; i++) *number[i] = n[i];
    s.points = n[POINTS] > 0 ? (size_t)n[POINTS] : 0;
    s.apart = n[APART] > 0 ? (size_t)n[APART] : 0;
    s.held_out = NAN;
    if (theory) *theory = n[THEORY];
    return s;
}

steep_path steep_figure_path(const steep_figure_writer *w, const char *ending, const char *more)
{
    steep_path path;
    snprintf(path.text, sizeof path.text, "%s/%s%s%s", w->folder, w->name, ending, more);
    return path;
}

steep_status steep_figure_begin(steep_figure_writer *w, steep_error *error)
{
    const steep_status status = steep_table_begin(steep_figure_path(w, ".gp", "").text, &w->head, error);
    if (status >= 0) fprintf(w->head, "%s\n", steep_script_style);
    return status;
}

steep_status steep_figure_end(steep_figure_writer *w, bool fine, steep_error *error)
{
    const steep_path path = steep_figure_path(w, ".gp", "");
    fprintf(w->head, "\n%sunset output\n", w->body); /* closes the last picture */
    steep_status status = fine ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for a script");
    status = steep_table_end(w->head, path.text, status, error);
    return status < 0 ? status : steep_gnuplot_run(w, error);
}

void steep_figure_put_text(FILE *stream, const char *name, const char *text)
{
    fprintf(stream, "; %s = ", name);
    steep_figure_quote(stream, text ? text : "");
}

void steep_figure_put_terminals(FILE *stream, const char *terminals)
{
    fputs("; terminals = '", stream);
    for (const char *c = terminals; *c; c++) fputc(*c == ',' ? ' ' : *c, stream);
    fputc('\'', stream);
}

static bool same_method(const steep_look *a, const steep_look *b)
{
    const char *points = strstr(a->label, ", N = "), *other = strstr(b->label, ", N = ");
    return strcmp(a->solver, b->solver) == 0 && strcmp(a->start, b->start) == 0 &&
           strcmp(points ? points : "", other ? other : "") == 0;
}

void steep_look_choose(steep_look *look, size_t count)
{
    static const char *const fixed[] = {"mlp", "glu", "gqu"};
    enum { FIXED = sizeof fixed / sizeof *fixed, COLOURS = 9, MARKS = 6, DASHES = 4 };
    unsigned archs = FIXED, methods = 0;
    for (size_t i = 0; i < count; i++) { /* here colour and mark are the numbers of architecture and method, from 0 */
        size_t arch = 0, method = 0;     /* the first look of the same architecture; of the same method */
        unsigned f = 0;
        while (strcmp(look[arch].arch, look[i].arch) != 0) arch++;
        while (!same_method(&look[method], &look[i])) method++;
        while (f < FIXED && strcmp(fixed[f], look[i].arch) != 0) f++;
        look[i].colour = f < FIXED ? f : arch < i ? look[arch].colour : archs++;
        look[i].mark = method < i ? look[method].mark : methods++;
    }
    for (steep_look *l = look; l < look + count; l++) {
        const unsigned arch = l->colour, round = arch / COLOURS, method = l->mark;
        l->colour = 1 + arch % COLOURS;
        l->mark = 1 + ((methods > 1 ? method : arch) + round) % MARKS;
        l->dash = 1 + method % DASHES;
    }
}
