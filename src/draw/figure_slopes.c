/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_slopes: the picture of a sweep.
 *   1. Read series.csv and slopes.csv: rows of one target and series are a line, with its slopes.
 *   2. Choose the panels' ranges; find places for keys and triangles (labels).
 *   3. Write these as variables: the script plots/slopes.gp, behind them, draws series.csv.
 * Lengths are in 1/96 inch, or in em, the height of type. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/figure.h"
#include "draw/figure_parts.h"
#include "draw/labels.h"
#include "draw/scripts.h"
#include "draw/title.h"

enum { TARGET, TITLE, SERIES, ARCH, SOLVER, START, TEXTS };
enum { SIZE_N, SIZE_P, ERROR, LOW, HIGH, SEEDS, FLOOR, LOWER, PREDICTED, NUMBERS };
static const char *const series_column[] = {"target", "title", "series", "arch",  "solver",
                                            "start",  "width", "params", "error", "low",
                                            "high",   "seeds", "floor",  "lower", "predicted"};
enum { S_ARCH, S_TARGET, S_SOLVER, S_AGAINST, S_METHOD, S_TEXTS };
enum { SLOPE, SLOPE_LOW, SLOPE_HIGH, FIRST, LAST, THEORY, S_NUMBERS };
static const char *const slopes_column[] = {"arch", "target", "solver", "against", "method", "slope",
                                            "low",  "high",   "first",  "last",    "theory"};

typedef struct series {
    const char *text[TEXTS];
    size_t first, last; /* rows */
    size_t target, style;
    bool shown, several, predicted, bounded;
    double slope[2][S_NUMBERS]; /* against n and P; NaN: none */
} series;

typedef struct panel {
    size_t target, against, from, to; /* lines from <= i < to */
    double low[2], high[2];           /* logarithms of the axes' ends */
    int corner;                       /* of the key */
} panel;

typedef struct line { /* a series in a panel */
    const panel *panel;
    const series *series;
    const double *slope;
    bool floor;           /* is shown */
    bool sloped;          /* there is an order to draw, */
    double middle, level; /* through here, in logarithms */
    int side;             /* of its triangle: 1 above, -1 below, 0 none */
    steep_triangle triangle;
} line;

typedef struct picture {
    const steep_figure_options *options;
    steep_table table, slopes;
    size_t column[TEXTS + NUMBERS], slope_column[S_TEXTS + S_NUMBERS];
    double (*number)[NUMBERS]; /* of each row */
    series *series;
    panel *panel;
    line *line;
    size_t count, targets, panels, lines, columns;
    double em, width, wide, tall, entry; /* of the picture, a panel, a line of the key */
} picture;

/* --- 1. tables --- */

/* Numbers, or NaN for the text nan, from so many columns. */
static steep_status read_numbers(const steep_table *table, size_t row, const size_t *column, size_t count, double *into,
                                 steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t i = 0; i < count && status >= 0; i++) {
        into[i] = NAN;
        if (strcmp(table->cell[row * table->columns + column[i]], "nan") != 0)
            status = steep_table_number(table, row, column[i], &into[i], error);
    }
    return status;
}

static bool usable(const double *number)
{
    return number[ERROR] > 0 && number[SIZE_N] > 0 && number[SIZE_P] > 0;
}

static bool same(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static steep_status read_series(picture *p, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t row = 0; row < p->table.rows && status >= 0; row++) {
        const char *text[TEXTS];
        for (size_t i = 0; i < TEXTS; i++) text[i] = p->table.cell[row * p->table.columns + p->column[i]];
        double *number = p->number[row];
        status = read_numbers(&p->table, row, p->column + TEXTS, NUMBERS, number, error);
        series *s = p->series;
        while (s < p->series + p->count &&
               !(same(s->text[TARGET], text[TARGET]) && same(s->text[SERIES], text[SERIES])))
            s++;
        if (s == p->series + p->count) {
            memcpy(s->text, text, sizeof text);
            s->first = row;
            p->count++;
        } else if (s->last + 1 != row)
            return steep_fail(error, STEEP_BAD_INPUT, "%s, line %zu: expected the rows of %s on %s together",
                              p->table.path, p->table.line[row], text[SERIES], text[TARGET]);
        s->last = row;
        s->shown |= usable(number);
        s->several |= number[SEEDS] > 1;
        s->predicted |= number[PREDICTED] > 0;
        s->bounded |= number[LOWER] > 0;
    }
    return status;
}

/* Whether a label of so many characters is that of the series (2), or what it begins with before ", solver" (1). */
static int matches(const char *label, size_t length, const series *s)
{
    if (strncmp(s->text[SERIES], label, length) != 0) return 0;
    return s->text[SERIES][length] == 0 ? 2 : s->text[SERIES][length] == ',';
}

/* A row of slopes.csv belongs to the series. */
static bool belongs(const picture *p, size_t row, const series *s)
{
    char **cell = p->slopes.cell + row * p->slopes.columns;
    const size_t *column = p->slope_column, start = steep_table_column(&p->slopes, "start");
    return same(cell[column[S_TARGET]], s->text[TARGET]) && same(cell[column[S_SOLVER]], s->text[SOLVER]) &&
           matches(cell[column[S_ARCH]], strlen(cell[column[S_ARCH]]), s) &&
           (start == p->slopes.columns || same(cell[start], s->text[START]));
}

/* The slopes of a series: over seeds before the window's before the last pair's. */
static steep_status find_slopes(const picture *p, series *s, steep_error *error)
{
    static const char *const methods[] = {"last_pair", "window", "seeds"};
    for (size_t i = 0; i < 2 * S_NUMBERS; i++) s->slope[i / S_NUMBERS][i % S_NUMBERS] = NAN;
    for (size_t method = 0; method < 3; method++)
        for (size_t row = 0; row < p->slopes.rows; row++) {
            char **cell = p->slopes.cell + row * p->slopes.columns;
            if (!same(cell[p->slope_column[S_METHOD]], methods[method]) || !belongs(p, row, s)) continue;
            double new[S_NUMBERS], *old = s->slope[same(cell[p->slope_column[S_AGAINST]], "params")];
            steep_status status = read_numbers(&p->slopes, row, p->slope_column + S_TEXTS, S_NUMBERS, new, error);
            if (status < 0) return status;
            for (size_t i = 0; i < S_NUMBERS && isfinite(new[SLOPE]); i++)
                if (i < FIRST || isfinite(new[i])) old[i] = new[i];
        }
    return STEEP_OK;
}

/* Shows only what the options name: by whole labels, else by what labels begin with, or by architecture. A comma with a
 * blank behind it, or within parentheses, is part of a name. */
static steep_status choose_series(picture *p, steep_error *error)
{
    bool *chosen = calloc(p->count, sizeof *chosen);
    if (!chosen) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu series", p->count);
    for (const char *at = p->options->arch; at;) {
        size_t length = 0;
        int best = 0;
        for (int depth = 0; at[length] && (at[length] != ',' || depth > 0 || at[length + 1] == ' '); length++)
            depth += (at[length] == '(') - (at[length] == ')');
        for (int pass = 0; pass < 2; pass++)
            for (size_t i = 0; i < p->count; i++) {
                const char *arch = p->series[i].text[ARCH];
                int match = matches(at, length, &p->series[i]);
                if (!match) match = strlen(arch) == length && strncmp(at, arch, length) == 0;
                if (pass == 0) best = match > best ? match : best;
                else chosen[i] |= match > 0 && match == best;
            }
        if (!best) {
            free(chosen);
            return steep_fail(error, STEEP_BAD_INPUT,
                              "%s has no series or architecture \"%.*s\": use names from its columns series and arch",
                              p->table.path, (int)length, at);
        }
        at = at[length] ? at + length + 1 : NULL;
    }
    for (size_t i = 0; i < p->count; i++) p->series[i].shown &= chosen[i];
    free(chosen);
    return STEEP_OK;
}

/* Targets in their order; mlp, glu and gqu look the same in every figure, other labels as they come. */
static void number_series(picture *p)
{
    static const char *const fixed[] = {"mlp", "glu", "gqu"};
    size_t styles = 3;
    for (size_t i = 0; i < p->count; i++) {
        series *s = &p->series[i];
        if (!s->shown) continue;
        s->target = p->targets;
        for (size_t f = 0; f < 3; f++)
            if (same(s->text[SERIES], fixed[f])) s->style = f + 1;
        for (const series *t = p->series; t < s; t++) {
            if (t->shown && same(t->text[TARGET], s->text[TARGET])) s->target = t->target;
            if (t->shown && same(t->text[SERIES], s->text[SERIES])) s->style = t->style;
        }
        if (!s->style) s->style = ++styles;
        if (s->target == p->targets) p->targets++;
    }
}

static steep_status read_tables(picture *p, const char *folder, steep_error *error)
{
    steep_status status =
        steep_figure_table(folder, "series.csv", series_column, TEXTS + NUMBERS, p->column, &p->table, error);
    if (status >= 0)
        status = steep_figure_table(folder, "slopes.csv", slopes_column, S_TEXTS + S_NUMBERS, p->slope_column,
                                    &p->slopes, error);
    if (status < 0) return status;
    p->number = calloc(p->table.rows + 1, sizeof *p->number);
    p->series = calloc(p->table.rows + 1, sizeof *p->series);
    if (!p->number || !p->series)
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for a figure of %zu rows", p->table.rows);
    status = read_series(p, error);
    for (size_t i = 0; i < p->count && status >= 0; i++) status = find_slopes(p, &p->series[i], error);
    if (status >= 0 && p->options->arch && p->count) status = choose_series(p, error);
    if (status < 0) return status;
    number_series(p);
    return p->targets ? STEEP_OK : steep_fail(error, STEEP_BAD_INPUT, "%s holds no error to draw", p->table.path);
}

/* --- 2. ranges and places --- */

static void widen(panel *q, int axis, double value)
{
    q->low[axis] = fmin(q->low[axis], log(value));
    q->high[axis] = fmax(q->high[axis], log(value));
}

/* The ranges of a panel, and what is known of its lines. A floor is shown where an error comes within a factor 1000 of
 * it; a line of theory's order goes through the mean of what is predicted, else of the errors, where the slope was
 * measured. */
static void measure_panel(picture *p, panel *q)
{
    q->low[0] = q->low[1] = INFINITY;
    q->high[0] = q->high[1] = -INFINITY;
    for (line *l = p->line + q->from; l < p->line + q->to; l++) {
        double points = 0;
        for (size_t row = l->series->first; row <= l->series->last; row++) {
            const double *number = p->number[row], size = number[q->against];
            double level = number[l->series->predicted ? PREDICTED : ERROR];
            if (!usable(number)) continue;
            widen(q, 0, size);
            for (size_t i = ERROR; i <= HIGH; i++)
                if (number[i] > 0) widen(q, 1, number[i]);
            l->floor |= number[FLOOR] > 1e-3 * number[ERROR];
            if (number[FLOOR] > 1e-3 * number[ERROR]) widen(q, 1, number[FLOOR]);
            if (!(level > 0) || size < l->slope[FIRST] || size > l->slope[LAST]) continue;
            points++;
            l->middle += (log(size) - l->middle) / points;
            l->level += (log(level) - l->level) / points;
        }
        l->sloped = points > 0 && l->slope[THEORY] < 0;
    }
    for (int axis = 0; axis < 2; axis++) { /* a factor 6 holds two of 1, 2, 5, 10 */
        double span = q->high[axis] - q->low[axis], margin = fmax(0.06 * span, 0.5 * (log(6) - span));
        q->low[axis] -= margin;
        q->high[axis] += margin;
    }
}

/* A logarithm as a part of the panel's axis, and back as a number. */
static double part(const panel *q, int axis, double logarithm)
{
    return (logarithm - q->low[axis]) / (q->high[axis] - q->low[axis]);
}

static double number_at(const panel *q, int axis, double fraction)
{
    return exp(q->low[axis] + fraction * (q->high[axis] - q->low[axis]));
}

/* The lines of three columns into the scene, which has room for them in x and y. */
static void add_lines(const picture *p, const panel *q, const size_t *columns, steep_scene *scene, double *x, double *y)
{
    for (const line *l = p->line + q->from; l < p->line + q->to; l++)
        for (size_t i = 0; i < 3; i++) {
            for (size_t row = l->series->first; row <= l->series->last; row++) {
                double value = p->number[row][columns[i]];
                x[scene->points] = part(q, 0, log(p->number[row][q->against]));
                y[scene->points++] = value > 0 ? part(q, 1, log(value)) : NAN;
            }
            x[scene->points] = y[scene->points] = NAN;
            scene->points++;
        }
}

/* One triangle for each order, where there is room; lines of theory are crossed rather than no triangle drawn. */
static void place_triangles(picture *p, const panel *q, steep_scene scene[2], steep_box *box)
{
    size_t count = scene[0].boxes;
    for (line *l = p->line + q->from; l < p->line + q->to; l++) {
        double order = l->slope[THEORY], wide = q->high[0] - q->low[0], tall = q->high[1] - q->low[1];
        bool again = !l->sloped;
        for (const line *k = p->line + q->from; k < l; k++) again |= k->side && k->slope[THEORY] == order;
        if (again) continue;
        steep_triangle_line at = {.height = part(q, 1, l->level + order * (q->low[0] - l->middle)),
                                  .slope = order * wide / tall,
                                  .begin = isnan(l->slope[FIRST]) ? 0 : part(q, 0, log(l->slope[FIRST])),
                                  .end = isnan(l->slope[LAST]) ? 1 : part(q, 0, log(l->slope[LAST])),
                                  .digit_width = (order == round(order) ? 1 : 2) * p->em / p->wide,
                                  .digit_height = 1.2 * p->em / p->tall};
        scene[0].boxes = scene[1].boxes = count;
        if (!steep_labels_triangle(&scene[1], &at, &l->triangle) &&
            !steep_labels_triangle(&scene[0], &at, &l->triangle))
            continue;
        l->side = l->triangle.above ? 1 : -1;
        box[count++] = l->triangle.box;
    }
}

/* Keys inside where every panel has a corner for its own, else below; then the triangles. */
static steep_status place_labels(picture *p, steep_error *error)
{
    static const size_t errors[] = {ERROR, LOW, HIGH}, others[] = {LOWER, PREDICTED, ERROR};
    size_t room = 6 * (p->table.rows + p->count);
    double *x = calloc(room, sizeof *x), *y = calloc(room, sizeof *y);
    steep_box *box = calloc(p->count + 1, sizeof *box);
    bool inside = true, fine = x && y && box;
    for (int pass = 0; pass < 2 && fine; pass++)
        for (panel *q = p->panel; q < p->panel + p->panels; q++) {
            double tall = (1.25 * (double)(q->to - q->from) + 0.6) * p->em;
            steep_scene scene[2] = {{.x = x, .y = y, .box = box}}; /* measured; with what theory says */
            add_lines(p, q, errors, &scene[0], x, y);
            scene[1] = scene[0];
            add_lines(p, q, others, &scene[1], x, y);
            q->corner = steep_labels_corner(&scene[1], p->entry / p->wide, tall / p->tall, &box[0]);
            inside &= q->corner > 0;
            if (pass == 0) continue;
            if (!inside) q->corner = 0;
            scene[0].boxes = inside;
            place_triangles(p, q, scene, box);
        }
    free(x);
    free(y);
    free(box);
    return fine ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for labels");
}

/* "  −3.99 ± 0.02": the farther end of the interval, three decimals where it is that near. */
static void put_slope(FILE *out, const double *slope, bool latex)
{
    double half = fmax(slope[SLOPE_HIGH] - slope[SLOPE], slope[SLOPE] - slope[SLOPE_LOW]);
    int decimals = half < 0.0095 ? 3 : 2;
    if (isnan(slope[SLOPE])) return;
    fprintf(out, "  %s%s%.*f", latex ? "$" : "",
            slope[SLOPE] >= 0 ? ""
            : latex           ? "-"
                              : "−",
            decimals, fabs(slope[SLOPE]));
    if (isfinite(half)) fprintf(out, latex ? " \\pm %.*f" : " ± %.*f", decimals, fmax(half, pow(10, -decimals)));
    fputs(latex ? "$" : "", out);
}

/* The key's text, which the caller frees: the label, cut to what a panel has room for, and the slope. */
static char *key_text(const picture *p, const line *l, bool latex)
{
    double room = (p->wide / p->em - 3.4) / 0.58 - 15; /* without the sample and the slope */
    char *text = NULL, *cut = steep_title_cut(l->series->text[SERIES], (unsigned)fmax(room, 6));
    char *label = cut && latex ? steep_title(cut, false, true) : NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        fputs(label ? label : cut ? cut : "", out);
        put_slope(out, l->slope, latex);
        fclose(out);
    }
    free(cut);
    free(label);
    return text;
}

/* Sizes, panels and their lines: side by side where the picture is wide enough for two. */
static steep_status make_panels(picture *p, steep_error *error)
{
    const steep_figure_options *o = p->options;
    size_t each = o->against ? 1 : 2;
    p->panels = p->targets * each;
    p->panel = calloc(p->panels, sizeof *p->panel);
    p->line = calloc(p->panels * p->count, sizeof *p->line);
    if (!p->panel || !p->line) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu panels", p->panels);
    p->em = o->width > 0 ? 8.5 * 96 / 72 : 13;
    p->width = o->width > 0 ? o->width / 2.54 * 96 : each == 2 ? 900 : 500;
    p->columns = each == 2 && p->width > 50 * p->em ? 2 : 1;
    p->wide = (p->width - (p->columns == 2 ? 10 : 7.8) * p->em) / (double)p->columns;
    p->tall = fmin(0.78 * p->wide, 28 * p->em);
    for (size_t i = 0; i < p->panels; i++) {
        panel *q = &p->panel[i];
        *q = (panel){.target = i / each, .against = o->against ? o->against == 'P' : i % 2, .from = p->lines};
        for (const series *s = p->series; s < p->series + p->count; s++) {
            if (!s->shown || s->target != q->target) continue;
            line *l = &p->line[p->lines++];
            *l = (line){.panel = q, .series = s, .slope = s->slope[q->against]};
            char *text = key_text(p, l, false);
            p->entry = fmax(p->entry, (0.58 * (text ? steep_title_length(text) : 0) + 3.4) * p->em);
            free(text);
        }
        q->to = p->lines;
        measure_panel(p, q);
    }
    return STEEP_OK;
}

/* --- 3. the script --- */

/* "array NAME[count] = [...]", each value printed by the format. */
#define PUT_ARRAY(name, count, format, value)                                                                          \
    do {                                                                                                               \
        fprintf(out, "array %s[%zu] = [", name, count);                                                                \
        for (size_t i = 0; i < (count); i++) fprintf(out, "%s" format, i ? ", " : "", value);                          \
        fputs("]\n", out);                                                                                             \
    } while (0)

/* A text that is freed here. */
static void put_text(FILE *out, const char *before, char *text)
{
    fputs(before, out);
    steep_figure_quote(out, text ? text : "");
    free(text);
}

/* The title of the picture, in letters 1.1 times as large, or, target by target, those of the panels. */
static void put_titles(FILE *out, const picture *p, bool latex)
{
    const char *own = p->options->title;
    double room = (p->width / p->em - 2) / 0.58;
    char *cut = steep_title_cut(own ? own : "", (unsigned)(room / 1.1));
    put_text(out, latex ? "title_tex = " : "title = ", cut ? steep_title(cut, false, latex) : NULL);
    free(cut);
    fprintf(out, "\narray heading%s[%zu] = [", latex ? "_tex" : "", p->panels);
    for (size_t i = 0; i < p->panels; i++) {
        const series *first = p->line[p->panel[i].from].series;
        bool shown = (i == 0 || p->panel[i].target != p->panel[i - 1].target) && (p->targets > 1 || !own);
        cut = steep_title_cut(shown && first ? first->text[TITLE] : "", (unsigned)(room - 10));
        put_text(out, i ? ", " : "", cut ? steep_title(cut, true, latex) : NULL);
        free(cut);
    }
    fputs("]\n", out);
}

static void put_panels(FILE *out, const picture *p)
{
    static const char *const sizes[] = {"width", "params"};
    const panel *q = p->panel;
    fprintf(out, "panels = %zu; columns = %zu; wide = %.8g; tall = %.8g; entry = %.6g\n", p->panels, p->columns,
            p->wide, p->tall, p->entry);
    PUT_ARRAY("size", p->panels, "'%s'", sizes[q[i].against]);
    PUT_ARRAY("x_from", p->panels, "%.8g", exp(q[i].low[0]));
    PUT_ARRAY("x_to", p->panels, "%.8g", exp(q[i].high[0]));
    PUT_ARRAY("y_from", p->panels, "%.8g", exp(q[i].low[1]));
    PUT_ARRAY("y_to", p->panels, "%.8g", exp(q[i].high[1]));
    PUT_ARRAY("corner", p->panels, "%d", q[i].corner);
    PUT_ARRAY("from", p->panels, "%zu", q[i].from + 1);
    PUT_ARRAY("to", p->panels, "%zu", q[i].to);
}

static void put_lines(FILE *out, const picture *p)
{
    const line *l = p->line;
    PUT_ARRAY("first", p->lines, "%zu", l[i].series->first);
    PUT_ARRAY("last", p->lines, "%zu", l[i].series->last);
    PUT_ARRAY("style", p->lines, "%zu", l[i].series->style);
    PUT_ARRAY("several", p->lines, "%d", l[i].series->several);
    PUT_ARRAY("predicted", p->lines, "%d", l[i].series->predicted);
    PUT_ARRAY("bounded", p->lines, "%d", l[i].series->bounded);
    PUT_ARRAY("shaded", p->lines, "%d", l[i].floor);
    PUT_ARRAY("order", p->lines, "%.8g", l[i].sloped ? l[i].slope[THEORY] : 0);
    PUT_ARRAY("middle", p->lines, "%.10g", l[i].middle);
    PUT_ARRAY("level", p->lines, "%.10g", l[i].level);
    PUT_ARRAY("side", p->lines, "%d", l[i].side);
    PUT_ARRAY("tip_x", p->lines, "%.8g", number_at(l[i].panel, 0, l[i].triangle.left));
    PUT_ARRAY("tip_y", p->lines, "%.8g", number_at(l[i].panel, 1, l[i].triangle.upper));
    PUT_ARRAY("foot_x", p->lines, "%.8g", number_at(l[i].panel, 0, l[i].triangle.right));
    PUT_ARRAY("foot_y", p->lines, "%.8g", number_at(l[i].panel, 1, l[i].triangle.lower));
    for (int latex = 0; latex < 2; latex++) {
        fprintf(out, "array key%s[%zu] = [", latex ? "_tex" : "", p->lines);
        for (size_t i = 0; i < p->lines; i++) put_text(out, i ? ", " : "", key_text(p, &l[i], latex));
        fputs("]\n", out);
    }
}

/* Draws what has been placed. */
static steep_status draw(const picture *p, const char *folder, steep_error *error)
{
    const char *name = p->options->name ? p->options->name : "slopes";
    const char *terminals = p->options->terminal ? p->options->terminal : "svg,pdf,png";
    char *head = NULL;
    size_t size;
    FILE *out = open_memstream(&head, &size);
    if (!out) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a script");
    fprintf(out, "# Draws series.csv beside it: gnuplot %s.gp\nname = '%s'; terminals = '", name, name);
    for (const char *c = terminals; *c; c++) fputc(*c == ',' ? ' ' : *c, out);
    fprintf(out, "'; width = %.8g; type = %.6g\n", p->width, p->em);
    put_titles(out, p, false);
    put_titles(out, p, true);
    put_panels(out, p);
    put_lines(out, p);
    fclose(out);
    steep_status status = steep_figure_draw(folder, name, head, STEEP_FIGURE_SLOPES, error);
    free(head);
    return status;
}

static steep_status check_options(const steep_figure_options *o, steep_error *error)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    static const char *const known[] = {"svg", "pdf", "png", "cairolatex", "tikz"};
    if (o->against && o->against != 'n' && o->against != 'P')
        return steep_fail(error, STEEP_BAD_INPUT, "against \"%c\": use n or P", o->against);
    if (o->width != 0 && !(o->width >= 5 && o->width <= 100))
        return steep_fail(error, STEEP_BAD_INPUT, "width %g cm: expected 5 to 100 cm", o->width);
    if (o->name && (!*o->name || *o->name == '.' || o->name[strspn(o->name, letters)]))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "name \"%.80s\": use letters, digits, dots, - and _, without a folder", o->name);
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

steep_status steep_figure_slopes(const char *folder, const steep_figure_options *options, steep_error *error)
{
    static const steep_figure_options plain = {.arch = NULL};
    picture p = {.options = options ? options : &plain};
    steep_status status = check_options(p.options, error);
    if (status >= 0) status = read_tables(&p, folder, error);
    if (status >= 0) status = make_panels(&p, error);
    if (status >= 0) status = place_labels(&p, error);
    if (status >= 0) status = draw(&p, folder, error);
    steep_table_free(&p.table);
    steep_table_free(&p.slopes);
    free(p.number);
    free(p.series);
    free(p.panel);
    free(p.line);
    return status;
}
