/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figures: error against size for each target of each run, and below it the local slopes.
 *   1. Axes: those of one target are the same in all runs, which stand side by side.
 *   2. Points: a series of more than MOST is thinned to the smallest and the largest error of each part of its sizes.
 *   3. Local slopes: between a size and the nearest one smaller by a factor STEP at least, both errors FAR_ABOVE times
 *      their rounding floor, drawn at the geometric mean.
 *   4. A key, two panels, and the numbers as JSON, for page.js: what it shows where the pointer is, and as a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "page/html.h"
#include "page/parts.h"

#define MOST      400
#define PARTS     180
#define STEP      1.3
#define FAR_ABOVE 30
#define AROUND    1.2 /* local slopes farther than this from theory and order do not widen the axis */

/* The points of one series that are drawn. */
typedef struct points {
    size_t count, local, of; /* errors, local slopes, rows in all */
    size_t *row;
    double *size[2], *error, *low, *high, *below, *theory, *law[2]; /* size, law: against params, width */
    double *kept, *hollow;                                          /* errors of widths that do not overfit, or do */
    double *middle[2], *slope[2];                                   /* local slopes */
} points;
enum { ARRAYS = 15 }; /* of numbers */

typedef struct figure {
    FILE *out;
    const steep_page *page;
    const steep_page_run *run;
    size_t first, last; /* series */
    steep_panel error, local;
    points *points; /* of each series from first on */
} figure;

/* Panels have params as their first x axis. */
static const size_t size_column[2] = {STEEP_PAGE_PARAMS, STEEP_PAGE_WIDTH};

static bool usable(const steep_page_run *run, size_t row)
{
    return steep_page_number(run, row, STEEP_PAGE_ERROR) > 0 && steep_page_number(run, row, STEEP_PAGE_PARAMS) > 0 &&
           steep_page_number(run, row, STEEP_PAGE_WIDTH) > 0;
}

/* --- 2. points --- */

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

static void pick(const steep_page_run *run, const steep_page_series *s, points *p)
{
    const double first = log(steep_page_number(run, s->first, STEEP_PAGE_WIDTH));
    const double span = log(steep_page_number(run, s->last, STEEP_PAGE_WIDTH)) - first;
    p->of = s->last - s->first + 1;
    for (size_t row = s->first, to; row <= s->last; row = to) {
        to = row + 1;
        if (p->of > MOST) {
            const double part = floor((log(steep_page_number(run, row, STEEP_PAGE_WIDTH)) - first) / span * PARTS);
            while (to <= s->last &&
                   floor((log(steep_page_number(run, to, STEEP_PAGE_WIDTH)) - first) / span * PARTS) == part)
                to++;
        }
        keep_extremes(run, p, row, to);
    }
}

/* --- 3. local slopes --- */

static bool overfits(const steep_page_run *run, size_t row)
{
    return steep_page_number(run, row, STEEP_PAGE_OVERFIT) > 0;
}

/* Far above its floor, and no overfitting. */
static bool sound(const steep_page_run *run, size_t row)
{
    const double floor = steep_page_number(run, row, STEEP_PAGE_FLOOR);
    return !overfits(run, row) && !(FAR_ABOVE * floor > steep_page_number(run, row, STEEP_PAGE_ERROR));
}

static void find_local(const steep_page_run *run, points *p)
{
    for (size_t i = 1, j = 0; i < p->count; i++) {
        while (j + 1 < i && p->size[1][i] >= STEP * p->size[1][j + 1]) j++;
        if (p->size[1][i] < STEP * p->size[1][j] || !sound(run, p->row[i]) || !sound(run, p->row[j])) continue;
        for (size_t a = 0; a < 2; a++) {
            p->middle[a][p->local] = sqrt(p->size[a][i] * p->size[a][j]);
            p->slope[a][p->local] = log(p->error[i] / p->error[j]) / log(p->size[a][i] / p->size[a][j]);
        }
        p->local++;
    }
}

static void fill(const steep_page_run *run, const steep_page_series *s, points *p)
{
    const bool ordered = isfinite(s->theory);
    for (size_t i = 0; i < p->count; i++) {
        const size_t row = p->row[i];
        for (size_t a = 0; a < 2; a++) {
            const size_t law = a ? STEEP_PAGE_WIDTH_LAW : STEEP_PAGE_PARAMS_LAW;
            p->size[a][i] = steep_page_number(run, row, size_column[a]);
            p->law[a][i] = ordered ? steep_page_number(run, row, law) : NAN;
        }
        p->error[i] = steep_page_number(run, row, STEEP_PAGE_ERROR);
        p->low[i] = overfits(run, row) ? NAN : steep_page_number(run, row, STEEP_PAGE_LOW);
        p->high[i] = overfits(run, row) ? NAN : steep_page_number(run, row, STEEP_PAGE_HIGH);
        p->below[i] = steep_page_number(run, row, STEEP_PAGE_LOWER);
        p->theory[i] = ordered ? steep_page_number(run, row, STEEP_PAGE_PREDICTED) : NAN;
        p->hollow[i] = overfits(run, row) ? p->error[i] : NAN;
        p->kept[i] = overfits(run, row) ? NAN : p->error[i];
    }
}

/* Most points that are drawn of a series. */
static size_t room_of(const steep_page_series *s)
{
    const size_t rows = s->last - s->first + 1;
    return rows > MOST ? 2 * (PARTS + 2) : rows;
}

/* storage[ARRAYS * room], row[room]. */
static void find_points(const steep_page_run *run, const steep_page_series *s, double *storage, size_t *row, points *p)
{
    double **const array[ARRAYS] = {&p->size[0],   &p->size[1],   &p->error,    &p->low,      &p->high,
                                    &p->below,     &p->theory,    &p->law[0],   &p->law[1],   &p->hollow,
                                    &p->middle[0], &p->middle[1], &p->slope[0], &p->slope[1], &p->kept};
    for (size_t i = 0; i < ARRAYS; i++) *array[i] = storage + i * room_of(s);
    p->row = row;
    pick(run, s, p);
    fill(run, s, p);
    find_local(run, p);
}

/* --- 1. axes --- */

/* Widths that overfit do not stretch the axis of errors, unless all do. */
static void cover_row(const steep_page_run *run, size_t row, bool all, steep_panel *panel)
{
    if (!usable(run, row)) return;
    for (size_t a = 0; a < 2; a++) steep_axis_cover(&panel->x[a], steep_page_number(run, row, size_column[a]));
    for (size_t c = STEEP_PAGE_ERROR; c <= STEEP_PAGE_HIGH && (all || !overfits(run, row)); c++)
        steep_axis_cover(&panel->y, steep_page_number(run, row, c));
}

static void cover_target(const steep_page *page, const char *target, bool all, steep_panel *panel)
{
    for (size_t r = 0; r < page->runs; r++)
        for (size_t i = 0; i < page->run[r].count; i++) {
            const steep_page_series *s = &page->run[r].series[i];
            if (strcmp(s->text[STEEP_PAGE_TARGET], target) != 0) continue;
            for (size_t row = s->first; row <= s->last; row++) cover_row(&page->run[r], row, all, panel);
        }
}

/* Of all series on the target, in all runs. */
static void find_axes(const steep_page *page, const char *target, steep_panel *panel)
{
    cover_target(page, target, false, panel);
    if (panel->y.from > panel->y.to) cover_target(page, target, true, panel);
    for (size_t a = 0; a < 2; a++) steep_axis_widen(&panel->x[a], 0.04, log10(6));
    steep_axis_widen(&panel->y, 0.06, log10(6));
}

/* Orders and theory, and local slopes near them. */
static void find_slopes_axis(const figure *f, steep_axis *axis)
{
    size_t method;
    for (size_t i = f->first; i <= f->last; i++) {
        const steep_page_series *s = &f->run->series[i];
        steep_axis_cover(axis, s->theory);
        steep_axis_cover(axis, steep_page_named(s, 1, &method)->slope);
    }
    const bool known = axis->from <= axis->to;
    const double low = known ? axis->from - AROUND : -12, high = known ? axis->to + AROUND : 3;
    for (size_t i = f->first; i <= f->last; i++) {
        const points *p = &f->points[i - f->first];
        for (size_t k = 0; k < p->local; k++)
            for (size_t a = 0; a < 2; a++)
                if (p->slope[a][k] >= low && p->slope[a][k] <= high) steep_axis_cover(axis, p->slope[a][k]);
    }
    steep_axis_widen(axis, 0.08, 1);
}

/* --- 4. key, panels, numbers --- */

/* The interval is wider than the slope. */
static bool is_unknown(const steep_page_slope *slope)
{
    return slope->high - slope->low > fabs(slope->slope);
}

/* The beginning of a button that shows and hides all series with this label. */
static void put_toggle(FILE *out, const steep_page *page, size_t label)
{
    fprintf(out, "<button type=\"button\" class=\"toggle\" aria-pressed=\"true\" data-s=\"%zu\">", label);
    steep_page_put_chip(out, page, label);
    steep_html_text(out, page->label[label]);
}

static void put_key(const figure *f)
{
    fputs("<ul class=\"key\">", f->out);
    for (size_t i = f->first; i <= f->last; i++) {
        size_t method;
        const steep_page_series *s = &f->run->series[i];
        const steep_page_slope *slope = steep_page_named(s, 1, &method);
        fputs("<li>", f->out);
        const double half = fmax(slope->high - slope->slope, slope->slope - slope->low);
        const bool unknown = is_unknown(slope);
        put_toggle(f->out, f->page, s->label);
        fputs(" <span class=\"slope\">", f->out);
        if (unknown) fputs("slope unknown", f->out);
        else if (isfinite(slope->slope)) steep_html_decimal(f->out, 3, slope->slope);
        if (!unknown && isfinite(slope->slope) && isfinite(half)) fprintf(f->out, " ± %.3f", fmax(half, 1e-3));
        fputs("</span></button></li>", f->out);
    }
    fputs("</ul>\n", f->out);
}

/* "<g class=... data-s=...>": what belongs to a series; the end of the tag's name and other attributes are in begin. */
static void open_series(const figure *f, const char *begin, const steep_page_series *s)
{
    fprintf(f->out, "%s class=\"s ", begin);
    steep_page_style_of(f->out, f->page, s->label);
    fprintf(f->out, "\" data-s=\"%zu\">\n", s->label);
}

/* The lines of a series in the panel of errors. */
static void put_errors(const figure *f, const steep_page_series *s, const points *p)
{
    const steep_panel *panel = &f->error;
    bool several = false, below = false, theory = false;
    for (size_t i = 0; i < p->count; i++) {
        several |= p->low[i] < p->high[i];
        below |= p->below[i] > 0;
        theory |= p->theory[i] > 0;
    }
    open_series(f, "<g", s);
    for (size_t a = 0; a < 2; a++) {
        steep_curve c = {.kind = "band", .against = a, .count = p->count, .x = p->size[a], .y = p->low};
        if (several) steep_panel_area(f->out, panel, &c, p->high);
        c.kind = "below", c.y = p->below;
        if (below) steep_panel_line(f->out, panel, &c);
        c.kind = theory ? "theory" : "theory law", c.y = theory ? p->theory : p->law[a];
        const steep_curve line = {.kind = "line", .against = a, .count = p->count, .x = p->size[a], .y = p->kept};
        steep_panel_line(f->out, panel, &line);
        if (theory || p->law[a][0] > 0) steep_panel_line(f->out, panel, &c);
    }
    fputs("</g>\n", f->out);
}

/* The local slopes of a series, its interval, where it is known, over its window, and theory's order. */
static void put_local(const figure *f, const steep_page_series *s, const points *p)
{
    open_series(f, "<g", s);
    for (size_t a = 0; a < 2; a++) {
        size_t method;
        const steep_page_slope *slope = steep_page_named(s, !a, &method);
        const double window[2] = {slope->first, slope->last}, low[2] = {slope->low, slope->low};
        const double high[2] = {slope->high, slope->high}, theory[2] = {s->theory, s->theory};
        const steep_axis *x = &f->local.x[a];
        const double ends[2] = {pow(10, x->from), pow(10, x->to)};
        steep_curve c = {.kind = "band", .against = a, .count = 2, .x = window, .y = low};
        if (!is_unknown(slope)) steep_panel_area(f->out, &f->local, &c, high);
        c.kind = "theory", c.x = ends, c.y = theory;
        if (isfinite(s->theory)) steep_panel_line(f->out, &f->local, &c);
        c = (steep_curve){.kind = "line", .against = a, .count = p->local, .x = p->middle[a], .y = p->slope[a]};
        steep_panel_line(f->out, &f->local, &c);
        c.kind = "points";
        steep_panel_points(f->out, &f->local, &c);
    }
    fputs("</g>\n", f->out);
}

/* The marks of a series, hollow where they overfit. */
static void put_marks(const figure *f, const steep_page_series *s, const points *p)
{
    const unsigned mark = f->page->look[s->label].mark;
    open_series(f, "<svg width=\"100%\" height=\"100%\"", s);
    for (size_t a = 0; a < 2; a++) {
        const steep_curve errors = {.kind = "dots", .against = a, .count = p->count, .x = p->size[a], .y = p->kept};
        const steep_curve hollow = {.kind = "hollow", .against = a, .count = p->count, .x = p->size[a], .y = p->hollow};
        steep_panel_marks(f->out, &f->error, &errors, mark);
        steep_panel_marks(f->out, &f->error, &hollow, mark);
    }
    fputs("</svg>\n", f->out);
}

static void put_numbers(FILE *out, const char *name, const double *number, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) any |= isfinite(number[i]);
    if (!any) return;
    fprintf(out, ",\"%s\":[", name);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) fputc(',', out);
        steep_html_value(out, 5, number[i]);
    }
    fputc(']', out);
}

static void put_seeds(const figure *f, const points *p)
{
    bool several = false;
    for (size_t i = 0; i < p->count; i++) several |= steep_page_number(f->run, p->row[i], STEEP_PAGE_SEEDS) > 1;
    if (!several) return;
    fputs(",\"seeds\":[", f->out);
    for (size_t i = 0; i < p->count; i++)
        fprintf(f->out, "%s%.0f", i ? "," : "", steep_page_number(f->run, p->row[i], STEEP_PAGE_SEEDS));
    fputc(']', f->out);
    put_numbers(f->out, "low", p->low, p->count);
    put_numbers(f->out, "high", p->high, p->count);
}

static void put_data(const figure *f)
{
    fputs("<script type=\"application/json\">[", f->out);
    for (size_t i = f->first; i <= f->last; i++) {
        const steep_page_series *s = &f->run->series[i];
        const points *p = &f->points[i - f->first];
        fprintf(f->out, "%s{\"s\":%zu,\"label\":", i > f->first ? ",\n" : "", s->label);
        steep_html_json(f->out, s->text[STEEP_PAGE_LABEL]);
        put_numbers(f->out, "x2", p->size[1], p->count);
        put_numbers(f->out, "x", p->size[0], p->count);
        put_numbers(f->out, "error", p->error, p->count);
        put_seeds(f, p);
        put_numbers(f->out, "below", p->below, p->count);
        put_numbers(f->out, "theory", p->theory, p->count);
        put_numbers(f->out, "hollow", p->hollow, p->count);
        put_numbers(f->out, "mx", p->middle[0], p->local);
        put_numbers(f->out, "mx2", p->middle[1], p->local);
        put_numbers(f->out, "slope", p->slope[0], p->local);
        put_numbers(f->out, "slope2", p->slope[1], p->local);
        fputc('}', f->out);
    }
    fputs("]</script>\n", f->out);
}

/* How many points are not drawn. */
static void put_thinned(const figure *f)
{
    size_t drawn = 0, all = 0;
    for (size_t i = f->first; i <= f->last; i++)
        if (f->points[i - f->first].of > MOST)
            drawn += f->points[i - f->first].count, all += f->points[i - f->first].of;
    if (all > 0)
        fprintf(f->out,
                "<p class=\"note\">Thinned: of long series the smallest and the largest error of each part of the "
                "widths, %zu of %zu points.</p>\n",
                drawn, all);
}

/* How many widths that overfit stand at an edge of the panel. */
static void put_beyond(const figure *f)
{
    size_t beyond = 0;
    for (size_t i = f->first; i <= f->last; i++) {
        const points *p = &f->points[i - f->first];
        for (size_t k = 0; k < p->count; k++) beyond += fabs(steep_axis_place(&f->error.y, p->hollow[k]) - 0.5) > 0.5;
    }
    if (beyond > 0)
        fprintf(f->out, "<p class=\"note\">%zu error%s that overfit%s: beyond the axis, drawn at its edge.</p>\n",
                beyond, beyond == 1 ? "" : "s", beyond == 1 ? "s" : "");
}

static void put_panel(const figure *f, bool local)
{
    const steep_panel *panel = local ? &f->local : &f->error;
    steep_panel_open(f->out, panel);
    for (size_t i = f->first; i <= f->last; i++)
        (local ? put_local : put_errors)(f, &f->run->series[i], &f->points[i - f->first]);
    if (!local) steep_panel_turn(f->out, panel);
    for (size_t i = f->first; i <= f->last && !local; i++) put_marks(f, &f->run->series[i], &f->points[i - f->first]);
    steep_panel_close(f->out);
}

static steep_status put_figure(figure *f, steep_error *error)
{
    const char *const *text = f->run->series[f->first].text;
    steep_text names;
    if (steep_text_open(&names) < 0) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a figure");
    fprintf(names.stream, "Error against parameters or width on %s, logarithmic axes; the slopes stand in the table",
            text[STEEP_PAGE_TITLE]);
    if (steep_text_close(&names) < 0) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a figure");
    f->error = (steep_panel){
        .x = {steep_axis_empty(true, "parameters P"), steep_axis_empty(true, "width n")},
        .y = steep_axis_empty(true, "error"),
        .kind = "errors",
        .name = names.text,
        .width = 560,
        .height = 340,
    };
    find_axes(f->page, text[STEEP_PAGE_TARGET], &f->error);
    f->local = (steep_panel){.x = {f->error.x[0], f->error.x[1]},
                             .y = steep_axis_empty(false, "local slope"),
                             .kind = "local",
                             .name = "Local slopes of the same series; bands are the intervals of the orders",
                             .width = 560,
                             .height = 180};
    find_slopes_axis(f, &f->local.y);
    fprintf(f->out, "<figure class=\"plot\" tabindex=\"0\"><figcaption><h3>");
    steep_html_text(f->out, text[STEEP_PAGE_TITLE]);
    fputs("</h3>", f->out);
    if (f->page->runs > 1) {
        fputs("<span class=\"run\">", f->out);
        steep_html_text(f->out, f->run->name);
        fputs("</span>", f->out);
    }
    fputs("</figcaption>\n", f->out);
    put_key(f);
    put_panel(f, false);
    put_panel(f, true);
    put_beyond(f);
    put_thinned(f);
    put_data(f);
    fputs("</figure>\n", f->out);
    free(names.text);
    return STEEP_OK;
}

/* The figure of the run's series from..to-1. */
static steep_status draw(FILE *out, const steep_page *page, const steep_page_run *run, size_t from, size_t to,
                         steep_error *error)
{
    figure f = {.out = out, .page = page, .run = run, .first = from, .last = to - 1};
    size_t room = 0, used = 0;
    for (size_t i = from; i < to; i++) room += room_of(&run->series[i]);
    points *point = calloc(to - from, sizeof *point);
    double *storage = malloc(ARRAYS * room * sizeof *storage);
    size_t *row = malloc(room * sizeof *row);
    steep_status status =
        point && storage && row ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for a figure");
    for (size_t i = from; status == STEEP_OK && i < to; used += room_of(&run->series[i++]))
        find_points(run, &run->series[i], storage + ARRAYS * used, row + used, &point[i - from]);
    f.points = point;
    if (status == STEEP_OK) status = put_figure(&f, error);
    free(point);
    free(storage);
    free(row);
    return status;
}

/* The series of the run on this target, or none: they stand together. */
static void find_target(const steep_page_run *run, const char *target, size_t *from, size_t *to)
{
    *from = 0;
    while (*from < run->count && strcmp(run->series[*from].text[STEEP_PAGE_TARGET], target) != 0) ++*from;
    *to = *from;
    while (*to < run->count && strcmp(run->series[*to].text[STEEP_PAGE_TARGET], target) == 0) ++*to;
}

/* Was the target drawn with an earlier run? */
static bool is_done(const steep_page *page, size_t runs, const char *target)
{
    size_t from = 0, to = 0;
    for (size_t r = 0; r < runs && from == to; r++) find_target(&page->run[r], target, &from, &to);
    return from < to;
}

/* All runs on one target, side by side. */
static steep_status put_target(FILE *out, const steep_page *page, size_t run, const char *target, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t r = run; r < page->runs && status == STEEP_OK; r++) {
        size_t from, to;
        find_target(&page->run[r], target, &from, &to);
        if (from < to) status = draw(out, page, &page->run[r], from, to, error);
    }
    return status;
}

static void put_tools(FILE *out, const steep_page *page)
{
    fputs("<div class=\"tools\" role=\"toolbar\" aria-label=\"Figures\">\n"
          "<fieldset class=\"against\"><legend>Against</legend>"
          "<label><input type=\"radio\" name=\"against\" value=\"P\" checked> parameters P</label>"
          "<label><input type=\"radio\" name=\"against\" value=\"n\"> width n</label></fieldset>\n"
          "<fieldset class=\"layers\"><legend>Show</legend>"
          "<label><input type=\"checkbox\" value=\"local\" checked> local slopes</label>"
          "<label><input type=\"checkbox\" value=\"theory\" checked> theory</label>"
          "<label><input type=\"checkbox\" value=\"below\" checked> lower bounds</label></fieldset>\n"
          "<fieldset class=\"series\"><legend>Architectures</legend>",
          out);
    for (size_t i = 0; i < page->labels; i++) {
        put_toggle(out, page, i);
        fputs("</button>", out);
    }
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
    fputs(
        "<p class=\"note help\">Marks are medians over seeds, bands their quartiles, hollow marks widths that overfit; "
        "thick dashes are theory (dashes and dots: its slope alone), dots the level that no network of a kind gets "
        "below. Drag to zoom, double-click to come "
        "back; or focus a figure: arrows walk from point to point, + and − zoom, 0 comes back.</p>\n"
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
