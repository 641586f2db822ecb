/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_slopes: the picture of a sweep.
 *   1. Read series.csv and slopes.csv; rows of one target and series are a line, with its slopes.
 *   2. Choose the panels' ranges and sizes; find places for keys and triangles (labels).
 *   3. Write these as variables; the script plots/slopes.gp, behind them, draws series.csv.
 * Lengths are in 1/96 inch, or in em, the height of type. Coordinates are logarithms, or fractions of the panel. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "draw/figure.h"
#include "draw/figure_parts.h"
#include "draw/labels.h"
#include "draw/scripts.h"
#include "draw/title.h"

enum { TARGET, TITLE, SERIES, ARCH, SOLVER, START, TEXTS };
enum { WIDTH, PARAMS, ERROR, LOW, HIGH, SEEDS, FLOOR, LOWER, PREDICTED, NUMBERS };
static const char *const series_column[TEXTS + NUMBERS] = {"target", "title", "series", "arch",  "solver",
                                                           "start",  "width", "params", "error", "low",
                                                           "high",   "seeds", "floor",  "lower", "predicted"};
enum { S_ARCH, S_TARGET, S_SOLVER, S_AGAINST, S_METHOD, S_SLOPE, S_LOW, S_HIGH, S_FIRST, S_LAST, S_THEORY, S_COLUMNS };
static const char *const slopes_column[S_COLUMNS] = {"arch", "target", "solver", "against", "method", "slope",
                                                     "low",  "high",   "first",  "last",    "theory"};
static const char *const against_name[] = {"width", "params"};

typedef struct measured {
    double slope, low, high, first, last, theory; /* NaN: none */
} measured;

typedef struct series {
    const char *text[TEXTS];
    size_t first, last; /* rows */
    size_t target, style;
    bool shown, several, predicted, bounded;
    measured against[2];
} series;

typedef struct panel {
    size_t target, against, from, to; /* entries from <= i < to */
    double low[2], high[2];           /* logarithms of the axes' ends */
    bool floor;                       /* shown */
    double left, right, top, bottom;  /* in the picture, from its upper left corner */
    int corner, columns;              /* of the key */
} panel;

typedef struct entry { /* a series in a panel */
    const panel *panel;
    const series *series;
    const measured *slope;
    bool sloped;           /* there is an order to draw, */
    double middle, height; /* by a line through here */
    int side;              /* of its triangle: 1 above, -1 below, 0 none */
    steep_triangle triangle;
} entry;

typedef struct picture {
    const steep_figure_options *options;
    steep_table table, slopes;
    size_t column[TEXTS + NUMBERS], slope_column[S_COLUMNS];
    double (*number)[NUMBERS]; /* of each row */
    series *series;
    panel *panel;
    entry *entry;
    size_t count, targets, panels, columns, key_letters;
    double em, width, height, legend;
    int legend_columns;
} picture;

/* --- 1. tables --- */

static const char *field(const steep_table *table, size_t row, size_t column)
{
    return table->cell[row * table->columns + column];
}

/* A number, or NaN for the text nan. */
static steep_status read_number(const steep_table *table, size_t row, size_t column, double *value, steep_error *error)
{
    *value = NAN;
    if (strcmp(field(table, row, column), "nan") == 0) return STEEP_OK;
    return steep_table_number(table, row, column, value, error);
}

static bool usable(const picture *p, size_t row)
{
    const double *number = p->number[row];
    return number[ERROR] > 0 && number[WIDTH] > 0 && number[PARAMS] > 0;
}

static bool same(const series *s, const char *const text[TEXTS])
{
    return strcmp(s->text[TARGET], text[TARGET]) == 0 && strcmp(s->text[SERIES], text[SERIES]) == 0;
}

static steep_status read_series(picture *p, steep_error *error)
{
    for (size_t row = 0; row < p->table.rows; row++) {
        const char *text[TEXTS];
        for (size_t i = 0; i < TEXTS; i++) text[i] = field(&p->table, row, p->column[i]);
        for (size_t i = 0; i < NUMBERS; i++) {
            steep_status status = read_number(&p->table, row, p->column[TEXTS + i], &p->number[row][i], error);
            if (status < 0) return status;
        }
        series *s = &p->series[p->count];
        if (p->count > 0 && same(s - 1, text))
            s--;
        else {
            for (size_t i = 0; i < p->count; i++)
                if (same(&p->series[i], text))
                    return steep_fail(error, STEEP_BAD_INPUT, "%s, line %zu: rows of series %s on %s stand apart",
                                      p->table.path, p->table.line[row], text[SERIES], text[TARGET]);
            memcpy(s->text, text, sizeof text);
            s->first = row;
            p->count++;
        }
        s->last = row;
        s->shown |= usable(p, row);
        s->several |= p->number[row][SEEDS] > 1;
        s->predicted |= p->number[row][PREDICTED] > 0;
        s->bounded |= p->number[row][LOWER] > 0;
    }
    return STEEP_OK;
}

/* The label of slopes.csv: that of the series, whose text may go on with ", solver". */
static bool label_matches(const char *label, const series *s)
{
    size_t length = strlen(label);
    return strncmp(s->text[SERIES], label, length) == 0 &&
           (s->text[SERIES][length] == 0 || s->text[SERIES][length] == ',');
}

/* The slopes of a series: over seeds before the window's before the last pair's. */
static steep_status find_slopes(const picture *p, series *s, steep_error *error)
{
    static const char *const methods[] = {"last_pair", "window", "seeds"};
    const steep_table *t = &p->slopes;
    const size_t *column = p->slope_column, start = steep_table_column(t, "start");
    for (int a = 0; a < 2; a++) s->against[a] = (measured){NAN, NAN, NAN, NAN, NAN, NAN};
    for (size_t method = 0; method < 3; method++)
        for (size_t row = 0; row < t->rows; row++) {
            measured m;
            double *const into[] = {&m.slope, &m.low, &m.high, &m.first, &m.last, &m.theory};
            int a = strcmp(field(t, row, column[S_AGAINST]), against_name[1]) == 0;
            if (strcmp(field(t, row, column[S_METHOD]), methods[method]) != 0 ||
                strcmp(field(t, row, column[S_TARGET]), s->text[TARGET]) != 0 ||
                strcmp(field(t, row, column[S_SOLVER]), s->text[SOLVER]) != 0 ||
                (start < t->columns && strcmp(field(t, row, start), s->text[START]) != 0) ||
                !label_matches(field(t, row, column[S_ARCH]), s))
                continue;
            for (size_t i = 0; i < 6; i++) {
                steep_status status = read_number(t, row, column[S_SLOPE + i], into[i], error);
                if (status < 0) return status;
            }
            measured *old = &s->against[a];
            if (!isfinite(m.slope)) continue;
            if (isnan(m.first) || isnan(m.last)) m.first = old->first, m.last = old->last;
            if (isnan(m.theory)) m.theory = old->theory;
            *old = m;
        }
    return STEEP_OK;
}

/* Whether the word names the series: 2 by its label, 1 by what its label begins with, or by its architecture. */
static int names_series(const char *word, size_t length, const series *s)
{
    const char *label = s->text[SERIES], *arch = s->text[ARCH];
    if (strncmp(label, word, length) == 0 && (label[length] == 0 || label[length] == ',')) return label[length] ? 1 : 2;
    return strlen(arch) == length && strncmp(arch, word, length) == 0;
}

/* The longest beginning of the list, up to a comma or the end, that names a series, and how well; a label may itself
 * hold commas. */
static size_t next_word(const picture *p, const char *list, int *how)
{
    size_t longest = 0;
    *how = 0;
    for (size_t end = 0;; end++) {
        end += strcspn(list + end, ",");
        size_t length = end;
        while (length > 0 && list[length - 1] == ' ') length--;
        int best = 0;
        for (size_t i = 0; i < p->count && length > 0; i++) {
            int match = names_series(list, length, &p->series[i]);
            best = match > best ? match : best;
        }
        if (best) longest = length, *how = best;
        if (list[end] == 0) return longest;
    }
}

/* Shows only what the options name. */
static steep_status choose_series(picture *p, steep_error *error)
{
    bool *chosen = calloc(p->count + 1, sizeof *chosen);
    if (!chosen) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu series", p->count);
    for (const char *at = p->options->arch; *(at += strspn(at, ", "));) {
        int how;
        size_t length = next_word(p, at, &how);
        if (length == 0) {
            free(chosen);
            return steep_fail(error, STEEP_BAD_INPUT,
                              "%s has no series or architecture \"%.*s\": use names of its "
                              "columns series and arch",
                              p->table.path, (int)strcspn(at, ","), at);
        }
        for (size_t i = 0; i < p->count; i++) chosen[i] |= names_series(at, length, &p->series[i]) == how;
        at += length;
    }
    for (size_t i = 0; i < p->count; i++) p->series[i].shown &= chosen[i];
    free(chosen);
    return STEEP_OK;
}

/* Targets in their order; mlp, glu and gqu look the same in every figure, other labels take what is left in order. */
static void choose_styles(picture *p)
{
    static const char *const fixed[] = {"mlp", "glu", "gqu"};
    bool taken[64] = {false};
    size_t next = 1;
    for (size_t i = 0; i < p->count; i++) {
        series *s = &p->series[i];
        s->target = p->targets;
        for (size_t j = 0; j < i; j++)
            if (p->series[j].shown && strcmp(p->series[j].text[TARGET], s->text[TARGET]) == 0)
                s->target = p->series[j].target;
        if (s->shown && s->target == p->targets) p->targets++;
        for (size_t f = 0; f < 3; f++)
            if (s->shown && strcmp(s->text[SERIES], fixed[f]) == 0) s->style = f + 1, taken[f + 1] = true;
    }
    for (size_t i = 0; i < p->count; i++) {
        series *s = &p->series[i];
        for (size_t j = 0; j < i && !s->style; j++)
            if (strcmp(p->series[j].text[SERIES], s->text[SERIES]) == 0) s->style = p->series[j].style;
        if (s->style || !s->shown) continue;
        while (next < 64 && taken[next]) next++;
        s->style = next++;
    }
}

static steep_status read_tables(picture *p, const char *folder, steep_error *error)
{
    steep_status status =
        steep_figure_table(folder, "series.csv", series_column, TEXTS + NUMBERS, p->column, &p->table, error);
    if (status >= 0)
        status = steep_figure_table(folder, "slopes.csv", slopes_column, S_COLUMNS, p->slope_column, &p->slopes, error);
    if (status < 0) return status;
    p->number = calloc(p->table.rows + 1, sizeof *p->number);
    p->series = calloc(p->table.rows + 1, sizeof *p->series);
    if (!p->number || !p->series)
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for a figure of %zu rows", p->table.rows);
    status = read_series(p, error);
    for (size_t i = 0; i < p->count && status >= 0; i++) status = find_slopes(p, &p->series[i], error);
    if (status >= 0 && p->options->arch) status = choose_series(p, error);
    if (status < 0) return status;
    choose_styles(p);
    if (p->targets > 0) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT, "%s holds no error to draw", p->table.path);
}

enum { MAX_TRIANGLES = 16 };

/* --- 2. ranges, sizes and places --- */

static void widen(double range[2], double value)
{
    if (!(value > 0)) return;
    range[0] = fmin(range[0], log(value));
    range[1] = fmax(range[1], log(value));
}

static void choose_ranges(const picture *p, panel *q)
{
    double range[2][2] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}}, floors[2] = {INFINITY, -INFINITY};
    for (size_t e = q->from; e < q->to; e++)
        for (size_t row = p->entry[e].series->first; row <= p->entry[e].series->last; row++) {
            const double *number = p->number[row];
            if (!usable(p, row)) continue;
            widen(range[0], number[q->against ? PARAMS : WIDTH]);
            for (size_t i = ERROR; i <= HIGH; i++) widen(range[1], number[i]);
            widen(floors, number[FLOOR]);
        }
    /* The floor is shown where an error comes within a factor 1000 of it. */
    bool near = floors[0] > range[1][0] - log(1e3) && isfinite(floors[0]);
    q->floor = near;
    if (near) range[1][0] = fmin(range[1][0], floors[0]);
    for (int axis = 0; axis < 2; axis++) {
        double margin = fmax(0.06 * (range[axis][1] - range[axis][0]), 0.1);
        q->low[axis] = range[axis][0] - margin;
        q->high[axis] = range[axis][1] + margin;
    }
}

/* A value of a row as a part of the panel's axis; NaN where it is none. */
static double part(const panel *q, int axis, double value)
{
    return value > 0 ? (log(value) - q->low[axis]) / (q->high[axis] - q->low[axis]) : NAN;
}

/* The lines of some columns into the scene, which has room for them in x and y. */
static void add_lines(const picture *p, const panel *q, const size_t *columns, steep_scene *scene, double *x, double *y)
{
    for (size_t e = q->from; e < q->to; e++)
        for (size_t i = 0; i < 3; i++) {
            const series *s = p->entry[e].series;
            for (size_t row = s->first; row <= s->last; row++) {
                x[scene->points] = part(q, 0, p->number[row][q->against ? PARAMS : WIDTH]);
                y[scene->points++] = part(q, 1, p->number[row][columns[i]]);
            }
            x[scene->points] = y[scene->points] = NAN;
            scene->points++;
        }
}

/* The line of theory's slope goes through the mean of the points that the slope was measured on. */
static void find_middle(const picture *p, entry *e)
{
    const series *s = e->series;
    double points = 0, x = 0, y = 0;
    for (size_t row = s->first; row <= s->last; row++) {
        double size = p->number[row][e->panel->against ? PARAMS : WIDTH];
        if (!usable(p, row) || size < e->slope->first || size > e->slope->last) continue;
        points++;
        x += log(size);
        y += log(p->number[row][ERROR]);
    }
    e->sloped = points > 0 && e->slope->theory < 0;
    if (e->sloped) e->middle = x / points, e->height = y / points;
}

/* One triangle for each order, where there is room; lines of theory are crossed rather than no triangle drawn. */
static void place_triangles(picture *p, const panel *q, const steep_scene *all, const steep_scene *errors)
{
    steep_box box[MAX_TRIANGLES + 1];
    double order[MAX_TRIANGLES];
    size_t count = 0;
    if (all->boxes) box[0] = *all->box;
    for (entry *e = p->entry + q->from; e < p->entry + q->to && count < MAX_TRIANGLES; e++) {
        const measured *m = e->slope;
        double wide = q->high[0] - q->low[0], tall = q->high[1] - q->low[1];
        bool again = !e->sloped;
        for (size_t i = 0; i < count; i++) again |= order[i] == m->theory;
        if (again) continue;
        steep_triangle_line line = {.height = (e->height + m->theory * (q->low[0] - e->middle) - q->low[1]) / tall,
                                    .slope = m->theory * wide / tall,
                                    .begin = m->first > 0 ? part(q, 0, m->first) : 0,
                                    .end = m->last > 0 ? part(q, 0, m->last) : 1,
                                    .digit_width =
                                        (m->theory == round(m->theory) ? 1 : 2) * p->em / (q->right - q->left),
                                    .digit_height = 1.2 * p->em / (q->bottom - q->top)};
        steep_scene scenes[] = {*all, *errors};
        for (int i = 0; i < 2; i++) scenes[i].box = box, scenes[i].boxes = all->boxes + count;
        bool found = steep_labels_triangle(&scenes[0], &line, &e->triangle) ||
                     steep_labels_triangle(&scenes[1], &line, &e->triangle);
        if (!found) continue;
        e->side = e->triangle.above ? 1 : -1;
        box[scenes[0].boxes] = e->triangle.box;
        order[count++] = m->theory;
    }
}

/* Room of a text of so many letters, and of a key's entry, whose sample stands beside it. */
static double letters_width(const picture *p, double letters)
{
    return 0.58 * p->em * letters;
}

static double entry_width(const picture *p, double letters)
{
    return letters_width(p, letters) + 3.4 * p->em;
}

/* ", −3.99 ± 0.02" for the key: the farther end of the interval, three decimals where it is that near. */
static void put_slope(FILE *out, const measured *m, bool latex)
{
    double half = fmax(m->high - m->slope, m->slope - m->low);
    int decimals = half < 0.0095 ? 3 : 2;
    if (isnan(m->slope)) return;
    fprintf(out, "  %s%s%.*f", latex ? "$" : "", m->slope >= 0 ? "" : latex ? "-" : "−", decimals, fabs(m->slope));
    if (isfinite(half)) fprintf(out, latex ? " \\pm %.*f" : " ± %.*f", decimals, fmax(half, pow(10, -decimals)));
    fputs(latex ? "$" : "", out);
}

/* The key's text, which the caller frees: the label, cut to what a panel has room for, and the slope. */
static char *key_text(const picture *p, const entry *e, bool latex)
{
    enum { SLOPE_LETTERS = 15 };
    double room = (e->panel->right - e->panel->left - entry_width(p, SLOPE_LETTERS)) / letters_width(p, 1);
    char *text = NULL, *cut = steep_title_cut(e->series->text[SERIES], room > 6 ? (unsigned)room : 6),
         *label = cut && latex ? steep_title_plain(cut, true) : NULL;
    size_t size;
    FILE *out = cut && (label || !latex) ? open_memstream(&text, &size) : NULL;
    if (out) {
        fputs(latex ? label : cut, out);
        put_slope(out, e->slope, latex);
        fclose(out);
    }
    free(cut);
    free(label);
    return text;
}

/* The picture's width and type, the panels' sizes and entries; all stand at the top until stack() moves them. */
static steep_status choose_sizes(picture *p, steep_error *error)
{
    const steep_figure_options *o = p->options;
    size_t each = o->against ? 1 : 2, entries = 0;
    p->panels = p->targets * each;
    p->panel = calloc(p->panels, sizeof *p->panel);
    p->entry = calloc(p->panels * p->count, sizeof *p->entry);
    if (!p->panel || !p->entry) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu panels", p->panels);
    p->em = o->width > 0 ? 8.5 * 96 / 72 : 13;
    p->width = o->width > 0 ? o->width / 2.54 * 96 : each == 2 ? 900 : 500;
    p->columns = each == 2 && p->width > 50 * p->em ? 2 : 1;
    double left = 5.6 * p->em, gap = 2.2 * p->em,
           wide = (p->width - left - 1.4 * p->em - gap * (double)(p->columns - 1)) / (double)p->columns;
    for (size_t i = 0; i < p->panels; i++) {
        panel *q = &p->panel[i];
        q->target = i / each;
        q->against = o->against == 'P' || (each == 2 && i % 2);
        q->left = left + (p->columns == 2 && i % 2 ? wide + gap : 0);
        q->right = q->left + wide;
        q->bottom = fmin(0.78 * wide, 28 * p->em);
        q->from = entries;
        for (const series *s = p->series; s < p->series + p->count; s++) {
            if (!s->shown || s->target != q->target) continue;
            entry *e = &p->entry[entries++];
            *e = (entry){.panel = q, .series = s, .slope = &s->against[q->against]};
            find_middle(p, e);
            char *text = key_text(p, e, false);
            size_t letters = text ? steep_title_length(text) : 0;
            p->key_letters = letters > p->key_letters ? letters : p->key_letters;
            free(text);
        }
        q->to = entries;
        choose_ranges(p, q);
    }
    return STEEP_OK;
}

/* Keys inside where every panel has a corner for its own, else below; then the triangles. */
static steep_status place_labels(picture *p, steep_error *error)
{
    static const size_t errors[] = {ERROR, LOW, HIGH}, all[] = {LOWER, PREDICTED, ERROR};
    size_t room = 6 * (p->table.rows + p->count);
    double *x = calloc(room, sizeof *x), *y = calloc(room, sizeof *y);
    bool inside = true;
    for (int pass = 0; pass < 2 && x && y; pass++)
        for (panel *q = p->panel; q < p->panel + p->panels; q++) {
            double rows = (double)(q->to - q->from);
            steep_scene scene[2] = {{.x = x, .y = y}, {.x = x, .y = y}};
            steep_box key;
            add_lines(p, q, errors, &scene[0], x, y);
            scene[1] = scene[0];
            add_lines(p, q, all, &scene[1], x, y);
            q->corner = steep_labels_corner(&scene[1], entry_width(p, (double)p->key_letters) / (q->right - q->left),
                                            (1.25 * rows + 0.6) * p->em / (q->bottom - q->top), &key);
            inside &= q->corner > 0;
            if (pass == 0) continue;
            if (!inside) q->corner = 0;
            scene[0].box = scene[1].box = &key;
            scene[0].boxes = scene[1].boxes = inside;
            place_triangles(p, q, &scene[1], &scene[0]);
        }
    free(x);
    free(y);
    return x && y ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for labels");
}

/* What the legend names. */
typedef struct legend {
    bool quartiles, constants, slopes, bounds, floors;
} legend;

static legend find_legend(const picture *p)
{
    legend l = {false, false, false, false, false};
    for (const entry *e = p->entry; e < p->entry + p->panel[p->panels - 1].to; e++) {
        l.quartiles |= e->series->several;
        l.constants |= e->series->predicted;
        l.slopes |= !e->series->predicted && e->sloped;
        l.bounds |= e->series->bounded;
        l.floors |= e->panel->floor;
    }
    return l;
}

/* Panels from the top down: headings, panels, numbers and names of their axes, keys; then the legend. */
static void stack(picture *p)
{
    double y = (p->options->title || p->targets == 1 ? 2.6 : 0.8) * p->em;
    for (size_t i = 0; i < p->panels; i += p->columns) {
        panel *q = &p->panel[i];
        double tall = q->bottom, rows = (double)(q->to - q->from);
        if (p->targets > 1 && (i == 0 || q[-1].target != q->target)) y += 1.8 * p->em;
        for (size_t j = 0; j < p->columns; j++) {
            q[j].top = y;
            q[j].bottom = y + tall;
            q[j].columns = (int)fmax(1, (q->right - q->left) / entry_width(p, (double)p->key_letters));
        }
        y += tall + 3.7 * p->em;
        if (q->corner == 0) y += (1.3 * ceil(rows / q->columns) + 0.4) * p->em;
    }
    legend l = find_legend(p);
    int entries = l.quartiles + l.constants + l.slopes + l.bounds + l.floors;
    double letters = l.quartiles ? 22 : l.bounds ? 16 : 15; /* of the longest text */
    p->legend = y + 0.2 * p->em;
    p->legend_columns = (int)fmax(1, fmin(entries, (p->width - p->em) / entry_width(p, letters)));
    p->height = ceil(p->legend + (1.35 * ceil((double)entries / p->legend_columns) + 0.5) * p->em);
}

/* --- 3. the script --- */

/* "array NAME[count] = [...]", each value printed by the format. */
#define PUT_ARRAY(name, count, format, value)                                                                          \
    do {                                                                                                               \
        fprintf(out, "array %s[%zu] = [", name, (size_t)(count));                                                      \
        for (size_t i = 0; i < (count); i++) fprintf(out, "%s" format, i ? ", " : "", value);                          \
        fputs("]\n", out);                                                                                             \
    } while (0)

/* A text that is freed here; NULL: "". */
static void put_text(FILE *out, const char *before, char *text)
{
    fputs(before, out);
    steep_figure_quote(out, text ? text : "");
    free(text);
}

static const char *target_title(const picture *p, size_t target)
{
    const series *s = p->series;
    while (!s->shown || s->target != target) s++;
    return s->text[TITLE];
}

/* A title in so many letters; a formula only where one is meant. */
static void put_title(FILE *out, const char *title, double letters, bool formula, bool latex)
{
    char *cut = steep_title_cut(title, (unsigned)letters);
    put_text(out, "", !cut ? NULL : formula ? steep_title_formula(cut, latex) : steep_title_plain(cut, latex));
    free(cut);
}

static void put_titles(FILE *out, const picture *p, bool latex)
{
    const char *own = p->options->title, *title = own ? own : p->targets == 1 ? target_title(p, 0) : "";
    double room = p->width - 2 * p->em, needed = letters_width(p, fmax(1, steep_title_length(title)));
    double scale = fmax(0.85, fmin(1.15, room / needed)), below = (p->width - 7 * p->em) / letters_width(p, 1);
    fprintf(out, "title_size = %.6g\ntitle%s = ", scale * p->em, latex ? "_tex" : "");
    put_title(out, title, room / (scale * letters_width(p, 1)), !own, latex);
    fprintf(out, "\narray heading%s[%zu] = [", latex ? "_tex" : "", p->panels);
    for (size_t i = 0; i < p->panels; i++) {
        const panel *q = &p->panel[i];
        bool first = p->targets > 1 && (i == 0 || q[-1].target != q->target);
        fputs(i ? ", " : "", out);
        put_title(out, first ? target_title(p, q->target) : "", below, true, latex);
    }
    fputs("]\n", out);
}

static void put_panels(FILE *out, const picture *p)
{
    const panel *q = p->panel;
    size_t n = p->panels;
    fprintf(out, "panels = %zu\n", n);
    PUT_ARRAY("left", n, "%.6g", q[i].left / p->width);
    PUT_ARRAY("right", n, "%.6g", q[i].right / p->width);
    PUT_ARRAY("top", n, "%.6g", 1 - q[i].top / p->height);
    PUT_ARRAY("bottom", n, "%.6g", 1 - q[i].bottom / p->height);
    PUT_ARRAY("size", n, "'%s'", against_name[q[i].against]);
    PUT_ARRAY("x_from", n, "%.8g", exp(q[i].low[0]));
    PUT_ARRAY("x_to", n, "%.8g", exp(q[i].high[0]));
    PUT_ARRAY("y_from", n, "%.8g", exp(q[i].low[1]));
    PUT_ARRAY("y_to", n, "%.8g", exp(q[i].high[1]));
    PUT_ARRAY("labelled", n, "%d", p->columns == 1 || i % 2 == 0);
    PUT_ARRAY("shaded", n, "%d", q[i].floor);
    PUT_ARRAY("corner", n, "%d", q[i].corner);
    PUT_ARRAY("key_rows", n, "%.0f", ceil((double)(q[i].to - q[i].from) / q[i].columns));
    PUT_ARRAY("from", n, "%zu", q[i].from + 1);
    PUT_ARRAY("to", n, "%zu", q[i].to);
}

/* A place in a panel in its axis' own numbers. */
static double number_at(const panel *q, int axis, double fraction)
{
    return exp(q->low[axis] + fraction * (q->high[axis] - q->low[axis]));
}

static void put_entries(FILE *out, const picture *p)
{
    const entry *e = p->entry;
    size_t n = p->panel[p->panels - 1].to;
    PUT_ARRAY("first", n, "%zu", e[i].series->first);
    PUT_ARRAY("last", n, "%zu", e[i].series->last);
    PUT_ARRAY("style", n, "%zu", e[i].series->style);
    PUT_ARRAY("several", n, "%d", e[i].series->several);
    PUT_ARRAY("order", n, "%.8g", e[i].sloped ? e[i].slope->theory : 0);
    PUT_ARRAY("sloped", n, "%d", e[i].sloped && !e[i].series->predicted);
    PUT_ARRAY("middle", n, "%.10g", e[i].middle);
    PUT_ARRAY("level", n, "%.10g", e[i].height);
    PUT_ARRAY("side", n, "%d", e[i].side);
    PUT_ARRAY("tip_x", n, "%.8g", number_at(e[i].panel, 0, e[i].triangle.left));
    PUT_ARRAY("tip_y", n, "%.8g", number_at(e[i].panel, 1, e[i].triangle.upper));
    PUT_ARRAY("foot_x", n, "%.8g", number_at(e[i].panel, 0, e[i].triangle.right));
    PUT_ARRAY("foot_y", n, "%.8g", number_at(e[i].panel, 1, e[i].triangle.lower));
    for (int latex = 0; latex < 2; latex++) {
        fprintf(out, "array key%s[%zu] = [", latex ? "_tex" : "", n);
        for (size_t i = 0; i < n; i++) put_text(out, i ? ", " : "", key_text(p, &e[i], latex));
        fputs("]\n", out);
    }
}

static void put_script(FILE *out, const picture *p, const char *name)
{
    const char *terminals = p->options->terminal ? p->options->terminal : "svg,pdf,png";
    legend l = find_legend(p);
    fprintf(out, "# Draws series.csv beside it: gnuplot %s.gp\nname = '%s'; terminals = '", name, name);
    for (const char *c = terminals; *c; c++) fputc(*c == ',' ? ' ' : *c, out);
    fprintf(out, "'; width = %.8g; height = %.8g; type = %.6g\n", p->width, p->height, p->em);
    fprintf(out, "legend_at = %.6g; legend_columns = %d\n", 1 - p->legend / p->height, p->legend_columns);
    fprintf(out, "quartiles = %d; constants = %d; slopes = %d; bounds = %d; floors = %d\n", l.quartiles, l.constants,
            l.slopes, l.bounds, l.floors);
    put_titles(out, p, false);
    put_titles(out, p, true);
    put_panels(out, p);
    put_entries(out, p);
    fputs("\n" STEEP_FIGURE_SLOPES, out);
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
                          "name \"%s\": use letters, digits, dots, - and _, without a folder and without an ending",
                          o->name);
    for (const char *at = o->terminal; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t length = strcspn(at, ",");
        bool found = false;
        for (size_t i = 0; i < 5; i++) found |= strlen(known[i]) == length && strncmp(at, known[i], length) == 0;
        if (!found)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "terminal \"%.*s\": use svg, pdf, png, cairolatex or tikz, with commas between several",
                              (int)length, at);
    }
    return STEEP_OK;
}

steep_status steep_figure_slopes(const char *folder, const steep_figure_options *options, steep_error *error)
{
    static const steep_figure_options plain = {.arch = NULL};
    picture p = {.options = options ? options : &plain};
    const char *name = p.options->name ? p.options->name : "slopes";
    steep_figure_file file;
    steep_status status = check_options(p.options, error);
    if (status >= 0) status = read_tables(&p, folder, error);
    if (status >= 0) status = choose_sizes(&p, error);
    if (status >= 0) status = place_labels(&p, error);
    if (status >= 0) {
        stack(&p);
        status = steep_figure_begin(folder, name, &file, error);
    }
    if (status >= 0) {
        put_script(file.stream, &p, name);
        status = steep_figure_commit(&file, error);
    }
    steep_table_free(&p.table);
    steep_table_free(&p.slopes);
    free(p.number);
    free(p.series);
    free(p.panel);
    free(p.entry);
    return status < 0 ? status : steep_figure_run(folder, name, error);
}
