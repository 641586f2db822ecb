/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_slopes: the picture of a sweep.
 *   1. Read series.csv: rows of one target and series are a line.
 *   2. Choose the panels' ranges; find places for keys and triangles (labels).
 *   3. Write these as variables: the script plots/slopes.gp, behind them, draws series.csv.
 * Lengths are in 1/96 inch, or in em, the height of type. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "draw/figure.h"
#include "draw/figure_parts.h"
#include "draw/labels.h"
#include "draw/scripts.h"
#include "draw/title.h"

/* Columns; SIZE and those behind it are against width, and again, AGAINST columns further, against parameters. */
enum { TARGET, TITLE, SERIES, ARCH, TEXTS };
enum { ERROR, LOW, HIGH, LOWER, PREDICTED, FLOOR, SEEDS, THEORY, OVERFIT, SIZE, SLOPE, SLOPE_LOW, SLOPE_HIGH, LAW };
enum { AGAINST = LAW + 1 - SIZE, NUMBERS = SIZE + 2 * AGAINST };
/* clang-format off */
static const char *const columns[] = {
    "target", "title", "series", "arch", "error", "low", "high", "lower", "predicted", "floor", "seeds", "theory",
    "overfit",
    "width", "width_slope", "width_low", "width_high", "width_law",
    "params", "params_slope", "params_low", "params_high", "params_law"};
/* clang-format on */

typedef struct series {
    const char **text;
    size_t first, last, style; /* rows; type of line */
    bool shown, chosen, several, shaded, predicted, bounded, hollow;
} series;

typedef struct panel {
    size_t against, from, to; /* series from <= i < to */
    double low[2], high[2];   /* logarithms of the axes' ends */
    int corner;               /* of the key */
} panel;

typedef struct picture {
    const steep_figure_options *options;
    steep_figure_table table;
    series *series;
    panel *panel;
    steep_triangle *triangle; /* of the series i against a: [a * count + i] */
    size_t count, targets, panels, columns;
    double em, width, wide, tall, entry; /* of the picture, a panel, a line of the key */
} picture;

/* --- 1. series --- */

static double value(const picture *p, size_t row, size_t column)
{
    return p->table.number[row * NUMBERS + column];
}

static bool usable(const picture *p, size_t row)
{
    return value(p, row, ERROR) > 0 && value(p, row, SIZE) > 0 && value(p, row, SIZE + AGAINST) > 0;
}

static bool near_floor(const picture *p, size_t row)
{
    return value(p, row, FLOOR) > 1e-3 * value(p, row, ERROR);
}

static bool same(const series *a, const series *b, size_t text)
{
    return strcmp(a->text[text], b->text[text]) == 0;
}

static steep_status find_series(picture *p, steep_error *error)
{
    for (size_t row = 0; row < p->table.table.rows; row++) {
        series new = {.text = &p->table.text[row * TEXTS], .first = row}, *s = p->series;
        while (s < p->series + p->count && !(same(s, &new, TARGET) && same(s, &new, SERIES))) s++;
        if (s == p->series + p->count) {
            *s = new;
            p->count++;
        } else if (s->last + 1 != row)
            return steep_fail(error, STEEP_BAD_INPUT, "%s, line %zu: expected the rows of %s on %s together",
                              p->table.table.path, p->table.table.line[row], s->text[SERIES], s->text[TARGET]);
        s->last = row;
        s->shown |= usable(p, row);
        s->several |= value(p, row, SEEDS) > 1;
        s->shaded |= near_floor(p, row);
        s->predicted |= value(p, row, PREDICTED) > 0;
        s->bounded |= value(p, row, LOWER) > 0;
        s->hollow |= value(p, row, OVERFIT) > 0;
    }
    return STEEP_OK;
}

/* Whether so many characters are the label of a series (2), or what it begins with before ", solver", or its
 * architecture (1). */
static int matches(const char *name, size_t length, const series *s)
{
    const char *label = s->text[SERIES], *arch = s->text[ARCH];
    if (strncmp(label, name, length) == 0 && (!label[length] || label[length] == ',')) return label[length] ? 1 : 2;
    return strlen(arch) == length && strncmp(arch, name, length) == 0;
}

/* Shows only what the option names, each name by its best matches. A comma with a blank behind it, or within
 * parentheses, is part of a name. */
static steep_status choose_series(picture *p, steep_error *error)
{
    for (const char *at = p->options->arch; at;) {
        size_t length = 0;
        int best = 0, depth = 0;
        for (; at[length] && (at[length] != ',' || depth > 0 || at[length + 1] == ' '); length++)
            depth += (at[length] == '(') - (at[length] == ')');
        for (series *s = p->series; s < p->series + p->count; s++)
            if (matches(at, length, s) > best) best = matches(at, length, s);
        if (!best)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "%s has no series or architecture \"%.*s\": use names from its columns series and arch",
                              p->table.table.path, (int)length, at);
        for (series *s = p->series; s < p->series + p->count; s++) s->chosen |= matches(at, length, s) == best;
        at = at[length] ? at + length + 1 : NULL;
    }
    return STEEP_OK;
}

/* Keeps what is shown. mlp, glu and gqu look the same in every figure, other labels as they come. */
static void keep_series(picture *p)
{
    static const char *const fixed[] = {"mlp", "glu", "gqu"};
    size_t kept = 0, styles = 3;
    for (size_t i = 0; i < p->count; i++) {
        series s = p->series[i];
        if (!s.shown || (p->options->arch && !s.chosen)) continue;
        for (size_t f = 0; f < 3; f++)
            if (strcmp(s.text[SERIES], fixed[f]) == 0) s.style = f + 1;
        for (size_t k = 0; k < kept && !s.style; k++)
            if (same(&s, &p->series[k], SERIES)) s.style = p->series[k].style;
        if (!s.style) s.style = ++styles;
        p->targets += kept == 0 || !same(&s, &p->series[kept - 1], TARGET);
        p->series[kept++] = s;
    }
    p->count = kept;
}

static steep_status read_series(picture *p, const char *folder, steep_error *error)
{
    steep_figure_table table = p->table; /* names of columns; then the file */
    steep_status status = steep_figure_read(folder, "series.csv", &table, error);
    if (status == STEEP_IO) status = STEEP_BAD_INPUT; /* no folder of a sweep: nothing is begun */
    p->table = table;
    if (status < 0) return status;
    p->series = calloc(p->table.table.rows + 1, sizeof *p->series);
    if (!p->series) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the series of a figure");
    status = find_series(p, error);
    if (status >= 0 && p->count) status = choose_series(p, error);
    if (status < 0) return status;
    keep_series(p);
    return p->count ? STEEP_OK : steep_fail(error, STEEP_BAD_INPUT, "%s holds no error to draw", p->table.table.path);
}

/* --- 2. ranges and places --- */

static void widen(panel *q, int axis, double number)
{
    if (!(number > 0)) return;
    q->low[axis] = fmin(q->low[axis], log(number));
    q->high[axis] = fmax(q->high[axis], log(number));
}

static void measure_panel(const picture *p, panel *q)
{
    q->low[0] = q->low[1] = INFINITY;
    q->high[0] = q->high[1] = -INFINITY;
    for (size_t i = q->from; i < q->to; i++)
        for (size_t row = p->series[i].first; row <= p->series[i].last; row++) {
            if (!usable(p, row)) continue;
            widen(q, 0, value(p, row, SIZE + AGAINST * q->against));
            for (size_t c = ERROR; c <= HIGH; c++) widen(q, 1, value(p, row, c));
            if (near_floor(p, row)) widen(q, 1, value(p, row, FLOOR));
        }
    for (int axis = 0; axis < 2; axis++) { /* a factor 6 holds two of 1, 2, 5, 10 */
        double span = q->high[axis] - q->low[axis], margin = fmax(0.06 * span, 0.5 * (log(6) - span));
        q->low[axis] = fmax(q->low[axis] - margin, log(0x1p-1074)); /* ends are written as doubles */
        q->high[axis] = fmin(q->high[axis] + margin, log(0x1p1023));
    }
}

/* A number as a part of the panel's axis; NaN: none. */
static double part(const panel *q, int axis, double number)
{
    return number > 0 ? (log(number) - q->low[axis]) / (q->high[axis] - q->low[axis]) : NAN;
}

/* The lines of a panel, in x and y, which have room for them: what was measured, then what theory says. */
static steep_scene find_lines(const picture *p, const panel *q, double *x, double *y, const steep_box *box)
{
    steep_scene scene = {.x = x, .y = y, .box = box};
    for (size_t column = ERROR; column <= PREDICTED; column++)
        for (size_t i = q->from; i < q->to; i++) {
            for (size_t row = p->series[i].first; row <= p->series[i].last; row++) {
                x[scene.points] = part(q, 0, value(p, row, SIZE + AGAINST * q->against));
                y[scene.points++] = part(q, 1, value(p, row, column));
            }
            y[scene.points++] = NAN;
        }
    return scene;
}

/* One triangle for each order that is not 0, along the lower half of a line of theory in the panel; other lines of
 * theory are crossed rather than no triangle drawn. */
static void place_triangles(const picture *p, const panel *q, steep_scene *scene, steep_box *box)
{
    const size_t size = SIZE + AGAINST * q->against, law = LAW + AGAINST * q->against;
    steep_triangle *t = p->triangle + q->against * p->count;
    for (size_t i = q->from; i < q->to; i++) {
        const size_t first = p->series[i].first, last = p->series[i].last;
        double order = value(p, first, THEORY), slope = order * (q->high[0] - q->low[0]) / (q->high[1] - q->low[1]);
        double left = part(q, 0, value(p, first, size)), height = part(q, 1, value(p, first, law)) - slope * left;
        double end = fmin(part(q, 0, value(p, last, size)), -height / slope);
        bool again = !isfinite(height) || !isfinite(1 / slope); /* or nothing that falls */
        for (size_t k = q->from; k < i; k++) again |= t[k].right > 0 && value(p, p->series[k].first, THEORY) == order;
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
        measured.points = scene->points / (PREDICTED + 1) * (HIGH + 1);
        if (steep_labels_triangle(scene, &at, &t[i]) || steep_labels_triangle(&measured, &at, &t[i]))
            box[scene->boxes++] = t[i].box;
        else t[i].right = 0;
    }
}

/* Keys inside where every panel has a corner for its own, else below; then the triangles. */
static steep_status place_labels(picture *p, steep_error *error)
{
    size_t room = 5 * (p->table.table.rows + p->count);
    double *x = calloc(2 * room, sizeof *x), *y = x + room;
    steep_box *box = calloc(p->count + 1, sizeof *box);
    bool inside = true, fine = x && box;
    for (int pass = 0; pass < 2 && fine; pass++)
        for (panel *q = p->panel; q < p->panel + p->panels; q++) {
            double tall = (1.25 * (double)(q->to - q->from) + 0.6) * p->em;
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

/* "  −3.99 ± 0.02": the slope with the farther end of its interval; three decimals where that is near. */
static const char *slope_text(const picture *p, const series *s, size_t against, char text[64])
{
    const size_t column = SLOPE + AGAINST * against;
    double slope = value(p, s->first, column), low = value(p, s->first, column + 1);
    double half = fmax(value(p, s->first, column + 2) - slope, slope - low);
    int decimals = half < 0.0095 ? 3 : 2;
    char number[2][24] = {"", ""};
    if (isfinite(slope)) put_number(number[0], sizeof number[0], fabs(slope), decimals);
    if (isfinite(half)) put_number(number[1], sizeof number[1], fmax(half, pow(10, -decimals)), decimals);
    snprintf(text, 64, "%s%s%s%s%s", *number[0] ? "  " : "", slope < 0 && *number[0] ? "−" : "", number[0],
             *number[1] ? " ± " : "", number[1]);
    return text;
}

/* Characters that a panel has room for in a label of the key, without the sample and the slope. */
static unsigned label_room(const picture *p)
{
    return (unsigned)fmax((p->wide / p->em - 3.4) / 0.58 - 15, 6);
}

/* Sizes, and panels, target by target: side by side where the picture is wide enough for two. */
static steep_status make_panels(picture *p, steep_error *error)
{
    const steep_figure_options *o = p->options;
    const size_t each = o->against ? 1 : 2;
    char text[64];
    p->panel = calloc(p->targets * each, sizeof *p->panel);
    p->triangle = calloc(2 * p->count, sizeof *p->triangle);
    if (!p->panel || !p->triangle) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a figure's panels");
    p->em = o->width > 0 ? 8.5 * 96 / 72 : 13;
    p->width = o->width > 0 ? o->width / 2.54 * 96 : each == 2 ? 900 : 500;
    p->columns = each == 2 && p->width > 50 * p->em ? 2 : 1;
    p->wide = (p->width - (p->columns == 2 ? 10 : 7.8) * p->em) / (double)p->columns;
    p->tall = fmin(0.78 * p->wide, 28 * p->em);
    for (size_t from = 0, to; from < p->count; from = to) {
        for (to = from + 1; to < p->count && same(&p->series[to], &p->series[from], TARGET);) to++;
        for (size_t a = 0; a < each; a++) {
            panel *q = &p->panel[p->panels++];
            *q = (panel){.against = o->against ? o->against == 'P' : a, .from = from, .to = to};
            measure_panel(p, q);
            for (size_t i = from; i < to; i++) {
                double label = fmin(steep_title_length(p->series[i].text[SERIES]), label_room(p));
                label += steep_title_length(slope_text(p, &p->series[i], q->against, text));
                p->entry = fmax(p->entry, (0.58 * label + 3.4) * p->em);
            }
        }
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

/* Title; the target above its first panel, unless there is another title; labels and slopes of the key. */
static bool put_texts(FILE *out, const picture *p, bool latex)
{
    const char *own = p->options->title, *tail = latex ? "_tex" : "";
    double room = (p->width / p->em - 2) / 0.58;
    char text[64];
    fprintf(out, "title%s = ", tail);
    bool fine = put_text(out, own ? own : "", (unsigned)(room / 1.1), false, latex); /* in larger type */
    fprintf(out, "\narray heading%s[%zu]\n", tail, p->panels);
    for (const panel *q = p->panel; q < p->panel + p->panels; q++) {
        bool shown = (q == p->panel || q->from != q[-1].from) && (p->targets > 1 || !own);
        fprintf(out, "heading%s[%td] = ", tail, q - p->panel + 1);
        fine &= put_text(out, shown ? p->series[q->from].text[TITLE] : "", (unsigned)(room - 10), true, latex);
        fputc('\n', out);
    }
    fprintf(out, "array key%s[%zu]\n", tail, 2 * p->count);
    for (size_t i = 0; i < 2 * p->count; i++) {
        const series *s = &p->series[i % p->count];
        fprintf(out, "key%s[%zu] = ", tail, i + 1);
        fine &= put_text(out, s->text[SERIES], label_room(p), false, latex);
        fputs(" . ", out);
        fine &= put_text(out, slope_text(p, s, i / p->count, text), 64, false, latex);
        fputc('\n', out);
    }
    return fine;
}

/* Of the lines of theory; 0: none, also where the file has a law and no order. */
static double order_of(const picture *p, const series *s)
{
    const double order = value(p, s->first, THEORY);
    return value(p, s->first, LAW) > 0 && isfinite(order) ? -order : 0;
}

static void put_variables(FILE *out, const picture *p)
{
    const panel *q = p->panel;
    const series *s = p->series;
    const steep_triangle *t = p->triangle;
    fprintf(out, "panels = %zu; columns = %zu; wide = %.8g; tall = %.8g; entry = %.6g; series = %zu\n", p->panels,
            p->columns, p->wide, p->tall, p->entry, p->count);
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
    PUT_ARRAY("style", p->count, "%zu", s[i].style);
    PUT_ARRAY("several", p->count, "%d", s[i].several);
    PUT_ARRAY("shaded", p->count, "%d", s[i].shaded);
    PUT_ARRAY("predicted", p->count, "%d", s[i].predicted);
    PUT_ARRAY("bounded", p->count, "%d", s[i].bounded);
    PUT_ARRAY("hollow", p->count, "%d", s[i].hollow);
    PUT_ARRAY("order", p->count, "%.8g", order_of(p, &s[i]));
    PUT_ARRAY("side", 2 * p->count, "%d", t[i].right > 0 ? t[i].above ? 1 : -1 : 0);
    PUT_ARRAY("tip_x", 2 * p->count, "%.8g", t[i].left);
    PUT_ARRAY("tip_y", 2 * p->count, "%.8g", t[i].upper);
    PUT_ARRAY("foot_x", 2 * p->count, "%.8g", t[i].right);
    PUT_ARRAY("foot_y", 2 * p->count, "%.8g", t[i].lower);
}

/* Draws what has been placed. */
static steep_status draw(const picture *p, const char *folder, const steep_figure_limits *limits, steep_error *error)
{
    const char *name = p->options->name ? p->options->name : "slopes";
    const char *terminals = p->options->terminal ? p->options->terminal : "svg,pdf,png";
    steep_text head;
    if (steep_text_open(&head) < 0) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a script");
    FILE *out = head.stream;
    fprintf(out, "# Draws series.csv beside it: gnuplot %s.gp\nname = '%s'; terminals = '", name, name);
    for (const char *c = terminals; *c; c++) fputc(*c == ',' ? ' ' : *c, out);
    fprintf(out, "'; width = %.8g; type = %.6g\n", p->width, p->em);
    bool fine = put_texts(out, p, false);
    fine &= put_texts(out, p, true);
    put_variables(out, p);
    if (steep_text_close(&head) < 0 || !fine) {
        free(head.text);
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for a script");
    }
    const steep_figure_script_text script = {head.text, STEEP_FIGURE_SLOPES, terminals};
    steep_status status = steep_figure_draw(folder, name, &script, limits, error);
    free(head.text);
    return status;
}

static steep_status check_options(const steep_figure_options *o, steep_error *error)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    static const char *const known[] = {"svg", "pdf", "png", "cairolatex", "tikz"};
    if (o->against && o->against != 'n' && o->against != 'P')
        return steep_fail(error, STEEP_BAD_INPUT, "against \"%c\": use n or P", o->against);
    for (const char *at = o->title; at && *at;) {
        const size_t size = steep_utf8_length((const unsigned char *)at);
        if (size == 0)
            return steep_fail(error, STEEP_BAD_INPUT, "title: byte %td is no character of UTF-8: write it in UTF-8",
                              at - o->title + 1);
        at += size;
    }
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

steep_status steep_figure_slopes(const char *folder, const steep_figure_options *options,
                                 const steep_figure_limits *limits, steep_error *error)
{
    static const steep_figure_options plain = {.arch = NULL};
    picture p = {.options = options ? options : &plain,
                 .table = {.column = columns, .texts = TEXTS, .numbers = NUMBERS}};
    steep_status status = check_options(p.options, error);
    if (status >= 0) status = read_series(&p, folder, error);
    if (status >= 0) status = make_panels(&p, error);
    if (status >= 0) status = place_labels(&p, error);
    if (status >= 0) status = draw(&p, folder, limits, error);
    steep_figure_free(&p.table);
    free(p.series);
    free(p.panel);
    free(p.triangle);
    return status;
}
