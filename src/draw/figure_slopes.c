/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_slopes: the picture of a sweep.
 *   1. Read series.csv (drawn).
 *   2. Choose the panels' ranges; find places for keys and triangles (labels).
 *   3. Write these as variables: the script plots/slopes.gp, behind them, draws series.csv.
 * Lengths are in 1/96 inch, or in em, the height of type. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "draw/drawn.h"
#include "draw/figure_parts.h"

/* --- 2. ranges and places --- */

static void widen(steep_drawn_panel *q, int axis, double number)
{
    if (!(number > 0)) return;
    q->low[axis] = fmin(q->low[axis], log(number));
    q->high[axis] = fmax(q->high[axis], log(number));
}

static bool overfits(const steep_drawn *p, size_t row)
{
    return steep_drawn_value(p, row, OVERFIT) > 0;
}

/* Heights are those of series from..to-1, with widths that overfit or without. */
static void cover_series(const steep_drawn *p, steep_drawn_panel *q, size_t from, size_t to, bool all)
{
    for (size_t i = from; i < to; i++)
        for (size_t row = p->series[i].first; row <= p->series[i].last; row++) {
            if (!steep_drawn_usable(p, row)) continue;
            widen(q, 0, steep_drawn_value(p, row, SIZE + AGAINST * q->against));
            for (size_t c = ERROR; c <= HIGH && (all || !overfits(p, row)); c++)
                widen(q, 1, steep_drawn_value(p, row, c));
            if (steep_drawn_near_floor(p, row)) widen(q, 1, steep_drawn_value(p, row, FLOOR));
        }
}

/* The ends of an axis that the user gives stand as they are. */
static void limit(steep_drawn_panel *q, int axis, const double ends[2])
{
    if (ends[0] > 0) q->low[axis] = log(ends[0]), q->high[axis] = log(ends[1]);
}

/* Panels of a target, whose series are from..to-1, have the same axes. */
static void measure_panel(const steep_drawn *p, steep_drawn_panel *q, size_t from, size_t to)
{
    q->low[0] = q->low[1] = INFINITY;
    q->high[0] = q->high[1] = -INFINITY;
    cover_series(p, q, from, to, false);
    if (q->low[1] > q->high[1]) cover_series(p, q, from, to, true);
    for (int axis = 0; axis < 2; axis++) { /* a factor 6 holds two of 1, 2, 5, 10 */
        double span = q->high[axis] - q->low[axis], margin = fmax(0.06 * span, 0.5 * (log(6) - span));
        q->low[axis] = fmax(q->low[axis] - margin, log(0x1p-1074)); /* ends are written as doubles */
        q->high[axis] = fmin(q->high[axis] + margin, log(0x1p1023));
    }
    limit(q, 0, p->options->xlim);
    limit(q, 1, p->options->ylim);
}

/* A number as a part of the panel's axis; NaN: none. */
static double part(const steep_drawn_panel *q, int axis, double number)
{
    return number > 0 ? (log(number) - q->low[axis]) / (q->high[axis] - q->low[axis]) : NAN;
}

/* Columns that are drawn as lines, of them those that were measured. */
enum { DRAWN = 6, MEASURED = 3 };

/* Where a line of the series is in the panel; NaN: nowhere. A width that overfits has a mark alone, at an edge where it is
 * beyond it; one line of theory is drawn, the predicted one if there is one. */
static double height(const steep_drawn *p, const steep_drawn_panel *q, const steep_drawn_series *s, size_t row,
                     size_t column)
{
    const double at = part(q, 1, steep_drawn_value(p, row, column));
    if (isnan(at) || (column >= LAW && s->predicted)) return NAN;
    if (column > HIGH || !overfits(p, row)) return at;
    return column == ERROR ? fmax(0, fmin(at, 1)) : NAN;
}

/* The lines of a panel, in x and y, which have room for them: what was measured, then what theory says. */
static steep_scene find_lines(const steep_drawn *p, const steep_drawn_panel *q, double *x, double *y,
                              const steep_box *box)
{
    steep_scene scene = {.x = x, .y = y, .box = box};
    const size_t column[DRAWN] = {ERROR, LOW, HIGH, LOWER, PREDICTED, LAW + AGAINST * q->against};
    for (size_t c = 0; c < (p->options->no_theory ? MEASURED : DRAWN); c++)
        for (size_t i = q->from; i < q->to; i++) {
            for (size_t row = p->series[i].first; row <= p->series[i].last; row++) {
                x[scene.points] = part(q, 0, steep_drawn_value(p, row, SIZE + AGAINST * q->against));
                y[scene.points++] = height(p, q, &p->series[i], row, column[c]);
            }
            y[scene.points++] = NAN;
        }
    return scene;
}

/* One triangle for each order that is not 0, along the lower half of a line of theory in the panel; other lines of
 * theory are crossed rather than no triangle drawn. */
static void place_triangles(const steep_drawn *p, const steep_drawn_panel *q, steep_scene *scene, steep_box *box)
{
    const size_t size = SIZE + AGAINST * q->against, law = LAW + AGAINST * q->against;
    steep_triangle *t = p->triangle + q->against * p->count;
    for (size_t i = q->from; i < q->to; i++) {
        const size_t first = p->series[i].first, last = p->series[i].last;
        double order = steep_drawn_value(p, first, THEORY),
               slope = order * (q->high[0] - q->low[0]) / (q->high[1] - q->low[1]);
        double left = part(q, 0, steep_drawn_value(p, first, size)),
               height = part(q, 1, steep_drawn_value(p, first, law)) - slope * left;
        double end = fmin(part(q, 0, steep_drawn_value(p, last, size)), -height / slope);
        bool again = p->options->no_theory || !isfinite(height) || !isfinite(1 / slope); /* or nothing that falls */
        for (size_t k = q->from; k < i; k++)
            again |= t[k].right > 0 && steep_drawn_value(p, p->series[k].first, THEORY) == order;
        if (again) continue;
        steep_triangle_line at = {.height = height,
                                  .slope = slope,
                                  .begin = 0.5 * (fmax(left, (1 - height) / slope) + end),
                                  .end = end,
                                  .digit_width = (order == round(order)           ? 1
                                                  : 2 * order == round(2 * order) ? 2
                                                                                  : 3) *
                                                 p->em / p->wide,
                                  .digit_height = 1.2 * p->em / p->tall};
        steep_scene measured = *scene;
        measured.points = scene->points / DRAWN * MEASURED;
        if (steep_labels_triangle(scene, &at, &t[i]) || steep_labels_triangle(&measured, &at, &t[i]))
            box[scene->boxes++] = t[i].box;
        else t[i].right = 0;
    }
}

/* Keys inside where every panel has a corner for its own, else below; then the triangles. */
static steep_status place_labels(steep_drawn *p, steep_error *error)
{
    size_t room = DRAWN * (p->table.table.rows + p->count);
    double *x = calloc(2 * room, sizeof *x), *y = x + room;
    steep_box *box = calloc(p->count + 1, sizeof *box);
    bool inside = true, fine = x && box;
    for (int pass = 0; pass < 2 && fine; pass++)
        for (steep_drawn_panel *q = p->panel; q < p->panel + p->panels; q++) {
            double tall = (1.4 * (double)(q->to - q->from) + 0.6) * p->em;
            steep_scene scene = find_lines(p, q, x, y, box);
            q->corner = inside ? steep_labels_corner(&scene, p->entry / p->wide, tall / p->tall, &box[0]) : 0;
            inside &= q->corner > 0;
            scene.boxes = inside;
            if (pass > 0) place_triangles(p, q, &scene, box);
        }
    free(x);
    free(box);
    return fine ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for labels");
}

/* A number as the key has it: decimals, or where that is no slope but a slip in the file, few digits. */
static int put_number(char *text, size_t size, double number, int decimals)
{
    return fabs(number) < 1e6 ? snprintf(text, size, "%.*f", decimals, number) : snprintf(text, size, "%.3g", number);
}

/* "  −3.99 ± 0.02": the slope with the farther end of its interval; three decimals where that is near. An interval that
 * is wider than the slope leaves it unknown. */
static const char *slope_text(const steep_drawn *p, const steep_drawn_series *s, size_t against, char text[64])
{
    const size_t column = SLOPE + AGAINST * against;
    double slope = steep_drawn_value(p, s->first, column), low = steep_drawn_value(p, s->first, column + 1);
    double high = steep_drawn_value(p, s->first, column + 2), half = fmax(high - slope, slope - low);
    int decimals = half < 0.0095 ? 3 : 2;
    char number[2][24] = {"", ""};
    if (isfinite(slope)) put_number(number[0], sizeof number[0], fabs(slope), decimals);
    if (isfinite(half)) put_number(number[1], sizeof number[1], fmax(half, pow(10, -decimals)), decimals);
    if (high - low > fabs(slope)) snprintf(text, 64, "  slope unknown");
    else
        snprintf(text, 64, "%s%s%s%s%s", *number[0] ? "  " : "", slope < 0 && *number[0] ? "−" : "", number[0],
                 *number[1] ? " ± " : "", number[1]);
    return text;
}

/* Characters that a panel has room for in a label of the key, without the sample and the slope. */
static unsigned label_room(const steep_drawn *p)
{
    return (unsigned)fmax((p->wide / p->em - 3.4) / 0.58 - 15, 6);
}

/* Room for the texts of a panel's key. */
static void measure_key(steep_drawn *p, const steep_drawn_panel *q)
{
    char text[64];
    for (size_t i = q->from; i < q->to; i++) {
        double label = fmin(steep_utf8_count(p->series[i].text[SERIES]), label_room(p));
        label += steep_utf8_count(slope_text(p, &p->series[i], q->against, text));
        p->entry = fmax(p->entry, (0.58 * label + 3.4) * p->em);
    }
}

/* The axis of a letter. */
static size_t axis_of(char against)
{
    static const char letters[] = "nPNC";
    return against ? (size_t)(strchr(letters, against) - letters) : OF_WIDTH;
}

/* The panels of a target, whose series are from..to-1: against each, or, by a text, for each value of it. */
static void add_panels(steep_drawn *p, size_t from, size_t to)
{
    const char only = p->options->against;
    const size_t each = only ? 1 : 2, before = p->panels, alone = axis_of(only);
    for (size_t i = from, end; i < to; i = end) {
        for (end = i + 1; end < to && steep_drawn_same_panel(p, &p->series[end], &p->series[i]);) end++;
        for (size_t a = 0; a < each; a++) {
            steep_drawn_panel *q = &p->panel[p->panels];
            *q = (steep_drawn_panel){.against = only ? alone : a, .from = i, .to = end};
            q->column = (p->panels++ - before) % p->columns;
            measure_panel(p, q, from, to);
            measure_key(p, q);
        }
    }
}

/* Sizes, and panels, target by target: side by side where the picture is wide enough for two. */
static steep_status make_panels(steep_drawn *p, steep_error *error)
{
    const steep_figure_options *o = p->options;
    const bool pairs = !o->against || p->by != TARGET;
    p->panel = calloc(2 * p->count, sizeof *p->panel);
    p->triangle = calloc(p->axes * p->count, sizeof *p->triangle);
    if (!p->panel || !p->triangle) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a figure's panels");
    p->em = o->width > 0 ? 8.5 * 96 / 72 : 13;
    p->width = o->width > 0 ? o->width / 2.54 * 96 : pairs ? 900 : 500;
    p->columns = pairs && p->width > 50 * p->em ? 2 : 1;
    p->wide = (p->width - (p->columns == 2 ? 10 : 7.8) * p->em) / (double)p->columns;
    p->tall = fmin(0.78 * p->wide, 28 * p->em);
    for (size_t from = 0, to; from < p->count; from = to) {
        for (to = from + 1; to < p->count && steep_drawn_same(&p->series[to], &p->series[from], TARGET);) to++;
        add_panels(p, from, to);
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

/* A text, cut to so many characters: as it stands, or typeset for gnuplot's enhanced mode, or as LaTeX has either.
 * False without memory. */
static bool put_text(FILE *out, const char *text, unsigned most, bool typeset, bool latex)
{
    char *cut = steep_title_cut(text, most);
    char *title = cut && (typeset || latex) ? steep_title(cut, typeset, latex) : NULL;
    bool fine = cut && (title || !(typeset || latex));
    steep_figure_quote(out, title ? title : cut ? cut : "");
    free(cut);
    free(title);
    return fine;
}

/* Above the first of the panels that share their series: the target, unless there is another title, and what tells the
 * panels apart. */
static bool put_heading(FILE *out, const steep_drawn *p, const steep_drawn_panel *q, bool latex)
{
    const bool first = q == p->panel || q->from != q[-1].from, titled = p->targets > 1 || !p->options->title;
    const bool apart = first && p->by != TARGET, half = p->columns == 2 && p->options->against;
    const steep_drawn_series *s = &p->series[q->from];
    const unsigned room = (unsigned)((half ? p->wide : p->width) / p->em / 0.58) - 13;
    bool fine = put_text(out, first && titled ? s->text[TITLE] : "", apart ? room / 2 : room, true, latex);
    if (!apart) return fine;
    fputs(titled ? " . ', ' . " : " . ", out);
    return put_text(out, s->text[p->by], room / 2, false, latex) && fine;
}

/* Title, headings; labels and slopes of the key. */
static bool put_texts(FILE *out, const steep_drawn *p, bool latex)
{
    const char *own = p->options->title, *tail = latex ? "_tex" : "";
    double room = (p->width / p->em - 2) / 0.58;
    char text[64], of_many[64];
    snprintf(of_many, sizeof of_many, "the first %d of %zu targets", STEEP_DRAWN_TARGETS, p->targets);
    if (!own && p->targets > STEEP_DRAWN_TARGETS) own = of_many;
    fprintf(out, "title%s = ", tail);
    bool fine = put_text(out, own ? own : "", (unsigned)(room / 1.1), false, latex); /* in larger type */
    fprintf(out, "\narray heading%s[%zu]\n", tail, p->panels);
    for (const steep_drawn_panel *q = p->panel; q < p->panel + p->panels; q++) {
        fprintf(out, "heading%s[%td] = ", tail, q - p->panel + 1);
        fine &= put_heading(out, p, q, latex);
        fputc('\n', out);
    }
    fprintf(out, "array key%s[%zu]\n", tail, p->axes * p->count);
    for (size_t i = 0; i < p->axes * p->count; i++) {
        const steep_drawn_series *s = &p->series[i % p->count];
        fprintf(out, "key%s[%zu] = ", tail, i + 1);
        fine &= put_text(out, s->text[SERIES], label_room(p), false, latex);
        fputs(" . ", out);
        fine &= put_text(out, slope_text(p, s, i / p->count, text), 64, false, latex);
        fputc('\n', out);
    }
    return fine;
}

/* Of the lines of theory; 0: none, also where the file has a law and no order. */
static double order_of(const steep_drawn *p, const steep_drawn_series *s)
{
    const double order = steep_drawn_value(p, s->first, THEORY);
    const size_t axis = p->axes > OF_PARAMS + 1 ? p->axes - 1 : OF_WIDTH;
    const double law = steep_drawn_value(p, s->first, LAW + AGAINST * axis);
    return !p->options->no_theory && law > 0 && isfinite(order) ? -order : 0;
}

/* Whether a width that overfits lies beyond an axis. */
static bool goes_beyond(const steep_drawn *p)
{
    for (const steep_drawn_panel *q = p->panel; q < p->panel + p->panels; q++)
        for (size_t i = q->from; i < q->to; i++)
            for (size_t row = p->series[i].first; row <= p->series[i].last; row++)
                if (overfits(p, row) && fabs(part(q, 1, steep_drawn_value(p, row, ERROR)) - 0.5) > 0.5) return true;
    return false;
}

static void put_variables(FILE *out, const steep_drawn *p)
{
    const steep_drawn_panel *q = p->panel;
    const steep_drawn_series *s = p->series;
    const steep_triangle *t = p->triangle;
    fprintf(out, "panels = %zu; wide = %.8g; tall = %.8g; entry = %.6g; series = %zu; beyond = %d\n", p->panels,
            p->wide, p->tall, p->entry, p->count, goes_beyond(p));
    PUT_ARRAY("side_by_side", p->panels, "%zu", q[i].column);
    PUT_ARRAY("against", p->panels, "%zu", q[i].against);
    PUT_ARRAY("x_from", p->panels, "%.8g", exp(q[i].low[0]));
    PUT_ARRAY("x_to", p->panels, "%.8g", exp(q[i].high[0]));
    PUT_ARRAY("y_from", p->panels, "%.8g", exp(q[i].low[1]));
    PUT_ARRAY("y_to", p->panels, "%.8g", exp(q[i].high[1]));
    PUT_ARRAY("corner", p->panels, "%d", q[i].corner);
    PUT_ARRAY("from", p->panels, "%zu", q[i].from + 1);
    PUT_ARRAY("to", p->panels, "%zu", q[i].to);
    PUT_ARRAY("first", p->count, "%zu", s[i].first);
    PUT_ARRAY("last", p->count, "%zu", s[i].last);
    PUT_ARRAY("colour", p->count, "%u", s[i].look.colour);
    PUT_ARRAY("mark", p->count, "%u", s[i].look.mark);
    PUT_ARRAY("dash", p->count, "%u", s[i].look.dash);
    PUT_ARRAY("several", p->count, "%d", s[i].several);
    PUT_ARRAY("floored", p->count, "%d", s[i].floored);
    PUT_ARRAY("predicted", p->count, "%d", s[i].predicted);
    PUT_ARRAY("bounded", p->count, "%d", s[i].bounded);
    PUT_ARRAY("hollow", p->count, "%d", s[i].hollow);
    PUT_ARRAY("order", p->count, "%.8g", order_of(p, &s[i]));
    PUT_ARRAY("side", p->axes * p->count, "%d", t[i].right > 0 ? t[i].above ? 1 : -1 : 0);
    PUT_ARRAY("tip_x", p->axes * p->count, "%.8g", t[i].left);
    PUT_ARRAY("tip_y", p->axes * p->count, "%.8g", t[i].upper);
    PUT_ARRAY("foot_x", p->axes * p->count, "%.8g", t[i].right);
    PUT_ARRAY("foot_y", p->axes * p->count, "%.8g", t[i].lower);
}

/* Draws what has been placed. */
static steep_status draw(const steep_drawn *p, const char *folder, const steep_figure_limits *limits,
                         steep_error *error)
{
    const char *name = p->options->name ? p->options->name : "slopes";
    const char *terminals = p->options->terminal ? p->options->terminal : STEEP_FIGURE_TERMINALS;
    steep_figure_writer w = {folder, name, steep_script_slopes, terminals, limits, NULL};
    const steep_status status = steep_figure_begin(&w, error);
    if (status < 0) return status;
    FILE *out = w.head;
    const char *file = steep_drawn_file(p->options);
    fprintf(out, "# Draws %s beside it: gnuplot %s.gp\nname = '%s'; file = '%s'", file, name, name, file);
    steep_figure_put_terminals(out, terminals);
    fprintf(out, "; width = %.8g; type = %.6g\n", p->width, p->em);
    bool fine = put_texts(out, p, false);
    fine &= put_texts(out, p, true);
    put_variables(out, p);
    return steep_figure_end(&w, fine, error);
}

/* The ends of an axis: none, or two numbers that a logarithmic axis can have. */
static steep_status check_limits(const char *name, const double ends[2], steep_error *error)
{
    const bool none = ends[0] == 0 && ends[1] == 0;
    if (none || (ends[0] > 0 && ends[1] > ends[0] && isfinite(ends[1]))) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT, "%s %g to %g: use two positive numbers, the smaller one first", name,
                      ends[0], ends[1]);
}

/* The column that --by names; TEXTS: none of that name. */
static size_t column_of(const char *by)
{
    if (!by) return TARGET;
    size_t column = ARCH;
    while (column < TEXTS && strcmp(steep_drawn_columns[column], by) != 0) column++;
    return column;
}

static steep_status check_options(const steep_figure_options *o, steep_error *error)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    static const char *const known[] = {"svg", "pdf", "png", "cairolatex", "tikz"};
    if (o->against && !strchr("nPNC", o->against))
        return steep_fail(error, STEEP_BAD_INPUT, "against \"%c\": use n, P, N or C", o->against);
    if (column_of(o->by) == TEXTS)
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

static steep_status open_figure(steep_drawn *p, const char *folder, steep_error *error)
{
    const steep_figure_options *o = p->options;
    steep_status status = check_options(o, error);
    p->by = column_of(o->by);
    p->axes = status >= 0 && axis_of(o->against) > OF_PARAMS ? axis_of(o->against) + 1 : OF_PARAMS + 1;
    p->table = (steep_figure_table){.column = steep_drawn_columns, .texts = TEXTS};
    p->table.numbers = SIZE + (p->axes > OF_FLOPS ? AGAINST * OF_FLOPS + 1 : AGAINST * p->axes);
    if (status >= 0) status = steep_drawn_read(p, folder, error);
    return status >= 0 ? make_panels(p, error) : status;
}

static void close_figure(steep_drawn *p)
{
    steep_figure_free(&p->table);
    free(p->series);
    free(p->panel);
    free(p->triangle);
}

steep_status steep_figure_slopes_with(const char *folder, const steep_figure_options *options,
                                      const steep_figure_looks *looks, const steep_figure_limits *limits,
                                      steep_error *error)
{
    static const steep_figure_options plain = {.arch = NULL};
    steep_drawn p = {.options = options ? options : &plain, .looks = looks};
    steep_status status = open_figure(&p, folder, error);
    if (status >= 0) status = place_labels(&p, error);
    if (status >= 0) status = draw(&p, folder, limits, error);
    close_figure(&p);
    return status;
}

steep_status steep_figure_slopes(const char *folder, const steep_figure_options *options,
                                 const steep_figure_limits *limits, steep_error *error)
{
    return steep_figure_slopes_with(folder, options, NULL, limits, error);
}

steep_status steep_figure_ends(const char *folder, steep_figure_options *options, steep_error *error)
{
    steep_figure_options own = *options;
    double *ends[2] = {options->xlim, options->ylim};
    for (size_t axis = 0; axis < 2; axis++) own.xlim[axis] = own.ylim[axis] = 0;
    steep_drawn p = {.options = &own};
    const steep_status status = open_figure(&p, folder, error);
    for (size_t axis = 0; status >= 0 && axis < 2; axis++) {
        const double low = exp(p.panel->low[axis]), high = exp(p.panel->high[axis]), *end = ends[axis];
        const bool none = end[1] == 0;
        ends[axis][0] = none ? low : fmin(end[0], low);
        ends[axis][1] = none ? high : fmax(end[1], high);
    }
    close_figure(&p);
    return status;
}
