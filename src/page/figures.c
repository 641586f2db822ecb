/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figures: error against size for each target of each run, as gnuplot draws it.
 *   1. Points: a series of more than MOST is thinned to the smallest and the largest error of each part of its widths.
 *   2. Axes: where several runs have the target, those of all its series; else gnuplot's figure has its own.
 *   3. A folder of its own gets a series.csv of these points, and draw/figure makes the picture there.
 *   4. The numbers, as JSON, for page.js: what it shows where the pointer is, and as a table. Local slopes are between a
 *      width and the nearest one smaller by a factor STEP at least, both errors FAR_ABOVE times their rounding floor. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page/parts.h"

#define MOST      400
#define PARTS     180
#define STEP      1.3
#define FAR_ABOVE 30

/* The rows of one series that are drawn. */
typedef struct points {
    const steep_page_series *series;
    size_t count, *row;
} points;

typedef struct figure {
    FILE *out;
    const steep_page *page;
    const steep_page_run *run;
    points *points; /* of each series that has an error */
    size_t *label;  /* of each, its number on the page */
    size_t *marks;  /* of each, how many points */
    size_t count;
} figure;

static const size_t size_column[2] = {STEEP_PAGE_WIDTH, STEEP_PAGE_PARAMS};
static const char letter[2] = {'n', 'P'};

static bool usable(const steep_page_run *run, size_t row)
{
    return steep_page_number(run, row, STEEP_PAGE_ERROR) > 0 && steep_page_number(run, row, STEEP_PAGE_PARAMS) > 0 &&
           steep_page_number(run, row, STEEP_PAGE_WIDTH) > 0;
}

static bool overfits(const steep_page_run *run, size_t row)
{
    return steep_page_number(run, row, STEEP_PAGE_OVERFIT) > 0;
}

/* --- 1. points --- */

static void keep(points *p, size_t row)
{
    if (p->count == 0 || p->row[p->count - 1] < row) p->row[p->count++] = row;
}

/* The smallest and the largest error of the rows from..to-1, in their order. */
static void keep_extremes(const steep_page_run *run, points *p, size_t from, size_t to)
{
    size_t least = to, most = to;
    for (size_t row = from; row < to; row++) {
        if (!usable(run, row)) continue;
        const double e = steep_page_number(run, row, STEEP_PAGE_ERROR);
        if (least == to || e < steep_page_number(run, least, STEEP_PAGE_ERROR)) least = row;
        if (most == to || e > steep_page_number(run, most, STEEP_PAGE_ERROR)) most = row;
    }
    if (least == to) return;
    keep(p, least < most ? least : most);
    keep(p, least < most ? most : least);
}

static size_t rows_of(const steep_page_series *s)
{
    return s->last - s->first + 1;
}

/* The part of the series' widths that a row belongs to. */
static double part_of(const steep_page_run *run, const steep_page_series *s, size_t row)
{
    const double first = log(steep_page_number(run, s->first, STEEP_PAGE_WIDTH));
    const double span = log(steep_page_number(run, s->last, STEEP_PAGE_WIDTH)) - first;
    return floor((log(steep_page_number(run, row, STEEP_PAGE_WIDTH)) - first) / span * PARTS);
}

/* row[]: as long as the series. */
static void find_points(const steep_page_run *run, const steep_page_series *s, size_t *row, points *p)
{
    *p = (points){.series = s, .row = row};
    for (size_t from = s->first, to; from <= s->last; from = to) {
        to = from + 1;
        if (rows_of(s) > MOST)
            while (to <= s->last && part_of(run, s, to) == part_of(run, s, from)) to++;
        keep_extremes(run, p, from, to);
    }
}

/* --- 2. axes --- */

static void cover(double ends[2], double number)
{
    if (!(number > 0)) return;
    ends[0] = fmin(ends[0], number);
    ends[1] = fmax(ends[1], number);
}

/* As draw/figure: widths that overfit do not stretch the axis of errors, unless all do. */
static void cover_row(const steep_page_run *run, size_t row, bool all, double ends[3][2])
{
    const double error = steep_page_number(run, row, STEEP_PAGE_ERROR);
    const double floor = steep_page_number(run, row, STEEP_PAGE_FLOOR);
    if (!usable(run, row)) return;
    for (size_t a = 0; a < 2; a++) cover(ends[a], steep_page_number(run, row, size_column[a]));
    for (size_t c = STEEP_PAGE_ERROR; c <= STEEP_PAGE_HIGH && (all || !overfits(run, row)); c++)
        cover(ends[2], steep_page_number(run, row, c));
    if (floor > 1e-3 * error) cover(ends[2], floor);
}

/* Ends of the axes of width, parameters and errors over all runs; how many runs have the target. */
static size_t cover_target(const steep_page *page, const char *target, bool all, double ends[3][2])
{
    size_t runs = 0;
    for (size_t k = 0; k < 3; k++) ends[k][0] = INFINITY, ends[k][1] = 0;
    for (size_t r = 0; r < page->runs; r++) {
        const steep_page_run *run = &page->run[r];
        bool here = false;
        for (const steep_page_series *s = run->series; s < run->series + run->count; s++) {
            if (strcmp(s->text[STEEP_PAGE_TARGET], target) != 0) continue;
            here = true;
            for (size_t row = s->first; row <= s->last; row++) cover_row(run, row, all, ends);
        }
        runs += here;
    }
    return runs;
}

static void find_axes(const steep_page *page, const char *target, size_t against, steep_figure_options *options)
{
    double ends[3][2];
    if (cover_target(page, target, false, ends) < 2) return;
    if (ends[2][1] == 0) cover_target(page, target, true, ends);
    for (size_t axis = 0; axis < 2; axis++) {
        const double *from = ends[axis == 0 ? against : 2], span = log(from[1] / from[0]);
        const double room = exp(fmax(0.06 * span, 0.5 * (log(6) - span)));
        double *to = axis == 0 ? options->xlim : options->ylim;
        to[0] = from[0] / room, to[1] = from[1] * room;
        if (!(to[0] > 0) || !isfinite(to[1])) to[0] = to[1] = 0;
    }
}

/* --- 3. pictures --- */

/* A field of a row of gnuplot's: a quote or the end of a line within it has a substitute. */
static steep_status put_cell(FILE *out, const char *cell, steep_error *error)
{
    char *plain = strdup(cell), *quote;
    if (!plain) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a figure");
    for (char *c = plain; *c; c++)
        if ((unsigned char)*c < ' ') *c = ' ';
    while ((quote = strchr(plain, '"'))) *quote = '\'';
    steep_table_put(out, plain);
    free(plain);
    return STEEP_OK;
}

/* The text of a label's own row: it has no target and no numbers. */
static const char *text_of(const figure *f, size_t label, const char *column)
{
    const steep_look *look = &f->page->look[label];
    return strcmp(column, "series") == 0   ? f->page->label[label]
           : strcmp(column, "arch") == 0   ? look->arch
           : strcmp(column, "solver") == 0 ? look->solver
           : strcmp(column, "start") == 0  ? look->start
           : strcmp(column, "target") == 0 ? ""
                                           : "nan";
}

/* A row of the run's series.csv; row SIZE_MAX: the label's own. */
static steep_status put_row(FILE *out, const figure *f, size_t label, size_t row, steep_error *error)
{
    const steep_table *t = &f->run->series_table.table;
    steep_status status = STEEP_OK;
    for (size_t c = 0; c < t->columns && status == STEEP_OK; c++) {
        const char *text = row == SIZE_MAX ? text_of(f, label, t->header[c]) : t->cell[row * t->columns + c];
        if (c > 0) fputc(',', out);
        status = put_cell(out, text, error);
    }
    fputc('\n', out);
    return status;
}

/* A row of each label of the page comes first: so each has the look that it has on the whole page. */
static steep_status put_table(FILE *out, const figure *f, steep_error *error)
{
    const steep_table *t = &f->run->series_table.table;
    steep_status status = STEEP_OK;
    for (size_t c = 0; c < t->columns; c++) fprintf(out, "%s%s", c > 0 ? "," : "", t->header[c]);
    fputc('\n', out);
    for (size_t i = 0; i < f->page->labels && status == STEEP_OK; i++) status = put_row(out, f, i, SIZE_MAX, error);
    for (size_t i = 0; i < f->count; i++)
        for (size_t k = 0; k < f->points[i].count && status == STEEP_OK; k++)
            status = put_row(out, f, f->label[i], f->points[i].row[k], error);
    return status;
}

static steep_status write_series(const figure *f, steep_error *error)
{
    FILE *out;
    steep_scratch_clear(f->page->scratch);
    steep_status status = steep_scratch_open(f->page->scratch, "series.csv", &out, error);
    return status == STEEP_OK ? steep_scratch_close(out, put_table(out, f, error), error) : status;
}

static steep_status put_picture(const figure *f, size_t against, steep_error *error)
{
    steep_scratch *scratch = f->page->scratch;
    const char *const *text = f->points[0].series->text;
    steep_figure_options options = {.against = letter[against], .title = "", .terminal = "svg"};
    char name[300];
    find_axes(f->page, text[STEEP_PAGE_TARGET], against, &options);
    snprintf(name, sizeof name, "Error against %s on %.200s, logarithmic axes; the slopes stand in the table",
             against ? "parameters" : "width", text[STEEP_PAGE_TITLE]);
    const steep_svg svg = {.kind = against ? "panel against-P" : "panel against-n",
                           .name = name,
                           .series = f->count,
                           .label = f->label,
                           .marks = f->marks};
    char *path = steep_figure_path(scratch->folder, "slopes.svg", "", error);
    steep_status status = path ? STEEP_OK : STEEP_NO_MEMORY;
    if (status == STEEP_OK) status = steep_figure_slopes(scratch->folder, &options, f->page->options->limits, error);
    if (status == STEEP_OK) status = steep_svg_put(f->out, path, &svg, error);
    free(path);
    return status;
}

/* --- 4. numbers --- */

/* Far above its floor, and no overfitting. */
static bool sound(const steep_page_run *run, size_t row)
{
    const double floor = steep_page_number(run, row, STEEP_PAGE_FLOOR);
    return !overfits(run, row) && !(FAR_ABOVE * floor > steep_page_number(run, row, STEEP_PAGE_ERROR));
}

/* The local slope that ends at point i; NaN: there is none. */
static double local_slope(const steep_page_run *run, const points *p, size_t i, size_t against)
{
    const double width = steep_page_number(run, p->row[i], STEEP_PAGE_WIDTH);
    size_t j = i;
    while (j > 0 && !(width >= STEP * steep_page_number(run, p->row[j], STEEP_PAGE_WIDTH))) j--;
    const size_t end = p->row[i], begin = p->row[j], column = size_column[against];
    if (!(width >= STEP * steep_page_number(run, begin, STEEP_PAGE_WIDTH)) || !sound(run, end) || !sound(run, begin))
        return NAN;
    return log(steep_page_number(run, end, STEEP_PAGE_ERROR) / steep_page_number(run, begin, STEEP_PAGE_ERROR)) /
           log(steep_page_number(run, end, column) / steep_page_number(run, begin, column));
}

/* Numbers of page.js: columns of series.csv, or local slopes against width and parameters. */
enum { LOCAL = 100 };
static const struct {
    const char *name;
    size_t column;
} numbers[] = {{"n", STEEP_PAGE_WIDTH},
               {"P", STEEP_PAGE_PARAMS},
               {"error", STEEP_PAGE_ERROR},
               {"low", STEEP_PAGE_LOW},
               {"high", STEEP_PAGE_HIGH},
               {"seeds", STEEP_PAGE_SEEDS},
               {"below", STEEP_PAGE_LOWER},
               {"theory", STEEP_PAGE_PREDICTED},
               {"overfit", STEEP_PAGE_OVERFIT},
               {"localn", LOCAL},
               {"localP", LOCAL + 1}};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static double number_of(const figure *f, const points *p, size_t which, size_t i)
{
    const size_t column = numbers[which].column, row = p->row[i];
    if (column >= LOCAL) return local_slope(f->run, p, i, column - LOCAL);
    return column == STEEP_PAGE_PREDICTED && isnan(p->series->theory) ? NAN : steep_page_number(f->run, row, column);
}

/* Nothing of a column that says nothing: no number, no mark of overfitting, quartiles and seeds of a single seed. */
static bool is_wanted(const figure *f, const points *p, size_t which)
{
    const size_t column = numbers[which].column;
    const bool of_seeds = column == STEEP_PAGE_LOW || column == STEEP_PAGE_HIGH || column == STEEP_PAGE_SEEDS;
    for (size_t i = 0; i < p->count; i++) {
        const double number =
            of_seeds ? steep_page_number(f->run, p->row[i], STEEP_PAGE_SEEDS) - 1 : number_of(f, p, which, i);
        if (isfinite(number) && (number > 0 || !(of_seeds || column == STEEP_PAGE_OVERFIT))) return true;
    }
    return false;
}

static void put_numbers(const figure *f, const points *p, size_t which)
{
    if (!is_wanted(f, p, which)) return;
    fprintf(f->out, ",\"%s\":[", numbers[which].name);
    for (size_t i = 0; i < p->count; i++) {
        if (i > 0) fputc(',', f->out);
        steep_html_value(f->out, numbers[which].column <= STEEP_PAGE_PARAMS ? 15 : 5, number_of(f, p, which, i));
    }
    fputc(']', f->out);
}

static void put_data(const figure *f)
{
    fputs("<script type=\"application/json\">[", f->out);
    for (size_t i = 0; i < f->count; i++) {
        fprintf(f->out, "%s{\"s\":%zu,\"label\":", i > 0 ? ",\n" : "", f->label[i]);
        steep_html_json(f->out, f->points[i].series->text[STEEP_PAGE_LABEL]);
        for (size_t k = 0; k < NUMBERS; k++) put_numbers(f, &f->points[i], k);
        fputc('}', f->out);
    }
    fputs("]</script>\n", f->out);
}

/* How many points are not drawn. */
static void put_thinned(const figure *f)
{
    size_t drawn = 0, all = 0;
    for (size_t i = 0; i < f->count; i++)
        if (rows_of(f->points[i].series) > MOST) drawn += f->points[i].count, all += rows_of(f->points[i].series);
    if (all > 0)
        fprintf(f->out,
                "<p class=\"note\">Thinned: of long series the smallest and the largest error of each part of the "
                "widths, %zu of %zu points.</p>\n",
                drawn, all);
}

static void put_heading(const figure *f, const steep_page_series *s)
{
    steep_html_print(f->out, "<figure class=\"plot\" tabindex=\"0\"><figcaption><h3>%s</h3>",
                     s->text[STEEP_PAGE_TITLE]);
    if (f->page->runs > 1) steep_html_print(f->out, "<span class=\"run\">%s</span>", f->run->name);
    fputs("</figcaption>\n", f->out);
}

/* Both pictures, or a note why there is none. */
static steep_status put_figure(const figure *f, const steep_page_series *s, steep_error *error)
{
    put_heading(f, s);
    if (f->count == 0) fputs("<p class=\"note\">There is no error to draw.</p>\n", f->out);
    steep_status status = f->count == 0 ? STEEP_OK : write_series(f, error);
    for (size_t against = 2; against-- > 0 && f->count > 0 && status == STEEP_OK;)
        status = put_picture(f, against, error);
    if (status == STEEP_OK && f->count > 0) put_thinned(f), put_data(f);
    status = steep_scratch_note(f->page->scratch, f->out, status, error);
    fputs("</figure>\n", f->out);
    return status;
}

/* The figure of the run's series from..to-1. */
static steep_status draw(FILE *out, const steep_page *page, const steep_page_run *run, const size_t range[2],
                         steep_error *error)
{
    const size_t from = range[0], to = range[1], rows = run->series[to - 1].last - run->series[from].first + 1;
    figure f = {.out = out, .page = page, .run = run};
    size_t *row = malloc(rows * sizeof *row);
    f.points = calloc(to - from, sizeof *f.points);
    f.label = calloc(to - from, sizeof *f.label);
    f.marks = calloc(to - from, sizeof *f.marks);
    const bool fine = f.points && f.label && f.marks && row;
    steep_status status = fine ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for a figure");
    for (size_t i = from; status == STEEP_OK && i < to; i++) {
        const steep_page_series *s = &run->series[i];
        find_points(run, s, row + s->first - run->series[from].first, &f.points[f.count]);
        f.label[f.count] = s->label;
        f.marks[f.count] = f.points[f.count].count;
        f.count += f.points[f.count].count > 0;
    }
    if (status == STEEP_OK) status = put_figure(&f, &run->series[from], error);
    free(f.points);
    free(f.label);
    free(f.marks);
    free(row);
    return status;
}

/* The series of the run on this target, or none: they stand together. */
static void find_target(const steep_page_run *run, const char *target, size_t range[2])
{
    size_t from = 0, to;
    while (from < run->count && strcmp(run->series[from].text[STEEP_PAGE_TARGET], target) != 0) from++;
    for (to = from; to < run->count && strcmp(run->series[to].text[STEEP_PAGE_TARGET], target) == 0;) to++;
    range[0] = from, range[1] = to;
}

/* Was the target drawn with an earlier run? */
static bool is_done(const steep_page *page, size_t runs, const char *target)
{
    size_t range[2] = {0, 0};
    for (size_t r = 0; r < runs && range[0] == range[1]; r++) find_target(&page->run[r], target, range);
    return range[0] < range[1];
}

/* All runs on one target, side by side. */
static steep_status put_target(FILE *out, const steep_page *page, size_t run, const char *target, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t r = run; r < page->runs && status == STEEP_OK; r++) {
        size_t range[2];
        find_target(&page->run[r], target, range);
        if (range[0] < range[1]) status = draw(out, page, &page->run[r], range, error);
    }
    return status;
}

/* A button that shows and hides all series with this label. */
static void put_toggle(FILE *out, const steep_page *page, size_t label)
{
    fprintf(out, "<button type=\"button\" class=\"toggle\" aria-pressed=\"true\" data-s=\"%zu\">", label);
    steep_page_put_chip(out, page, label);
    steep_html_print(out, "%s</button>", page->label[label]);
}

static void put_tools(FILE *out, const steep_page *page)
{
    fputs("<div class=\"tools\" role=\"toolbar\" aria-label=\"Figures\">\n"
          "<fieldset class=\"against\"><legend>Against</legend>"
          "<label><input type=\"radio\" name=\"against\" value=\"P\" checked> parameters P</label>"
          "<label><input type=\"radio\" name=\"against\" value=\"n\"> width n</label></fieldset>\n"
          "<fieldset class=\"layers\"><legend>Show</legend>"
          "<label><input type=\"checkbox\" value=\"theory\" checked> theory</label>"
          "<label><input type=\"checkbox\" value=\"below\" checked> lower bounds</label></fieldset>\n"
          "<fieldset class=\"series\"><legend>Architectures</legend>",
          out);
    for (size_t i = 0; i < page->labels; i++) put_toggle(out, page, i);
    fputs("<button type=\"button\" class=\"all\">all</button><button type=\"button\" class=\"none\">none</button>"
          "</fieldset>\n</div>\n",
          out);
}

steep_status steep_page_put_figures(FILE *out, const steep_page *page, steep_error *error)
{
    steep_status status = STEEP_OK;
    if (page->labels == 0) return STEEP_OK;
    fputs("<section id=\"figures\" aria-labelledby=\"figures-title\">\n<h2 id=\"figures-title\">Figures</h2>\n", out);
    put_tools(out, page);
    fputs("<p class=\"note help\">Press a series to hide it, with shift to see it alone. Drag to zoom, double-click to "
          "come back; or focus a figure: arrows walk from point to point, + and − zoom, 0 comes back.</p>\n"
          "<div class=\"plots\">\n",
          out);
    for (size_t r = 0; r < page->runs && status == STEEP_OK; r++) {
        const steep_page_run *run = &page->run[r];
        for (size_t i = 0; i < run->count && status == STEEP_OK; i++) {
            const char *target = run->series[i].text[STEEP_PAGE_TARGET];
            if (i > 0 && strcmp(run->series[i - 1].text[STEEP_PAGE_TARGET], target) == 0) continue;
            if (!is_done(page, r, target)) status = put_target(out, page, r, target, error);
        }
    }
    fputs("</div>\n</section>\n", out);
    return status;
}
