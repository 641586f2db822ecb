/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_slopes: the picture of a sweep.
 *   1. Read series.csv, or learning.csv: rows of one target and series are a line.
 *   2. Choose the panels' ranges; find places for keys and triangles (labels).
 *   3. Write all this as variables, and behind them the script plots/slopes.gp, which draws series.csv.
 * Lengths are in 1/96 inch, or in em, the height of type. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/figure.h"

/* The columns from SIZE on are against width. The same columns follow against parameters and against training points,
 * AGAINST columns further each time; against operations there is only SIZE. */
enum { TARGET, TITLE, SERIES, ARCH, SOLVER, START, TEXTS };
enum { ERROR, LOW, HIGH, LOWER, PREDICTED, FLOOR, SEEDS, THEORY, OVERFIT, SIZE, SLOPE, SLOPE_LOW, SLOPE_HIGH, LAW };
enum { AGAINST = LAW + 1 - SIZE };
enum { OF_WIDTH, OF_PARAMS, OF_SAMPLES, OF_FLOPS };
static const double KEY_LETTER = 0.7, KEY_SAMPLE = 2.9; /* widths in em, measured in gnuplot's svg */
enum { MOST_TARGETS = 20 };                             /* gnuplot refuses pictures with hundreds of them */

typedef struct series {
    const char **text;
    size_t first, last; /* rows */
    steep_look look;
    bool shown, chosen, several, floored, predicted, bounded, hollow;
} series;

typedef struct panel {
    size_t against, from, to, column; /* axis; series from <= i < to; place in a row of panels */
    double low[2], high[2];           /* logarithms of the axes' ends */
    int corner;                       /* of the key */
} panel;

typedef struct picture {
    const steep_figure_options *options;
    const char *file;                /* the table that is drawn */
    const steep_figure_looks *looks; /* NULL: its own */
    steep_figure_table table;
    series *series;
    panel *panel;
    steep_triangle *triangle;            /* of series i against axis a: [a * count + i] */
    size_t axes;                         /* how many of OF_WIDTH, .. are read */
    size_t count, targets;               /* number of series that are drawn; of targets, also beyond MOST_TARGETS */
    size_t panels, columns, by;          /* by: the text that panels of a target differ in; TARGET: none */
    bool fine, beyond;                   /* no text lacked memory; a width that overfits lies beyond an axis */
    double em, width, wide, tall, entry; /* em; width of the picture; size of a panel; width of a line of the key */
} picture;

/* clang-format off */
static const char *const columns[] = {
    "target", "title", "series", "arch", "solver", "start",
    "error", "low", "high", "lower", "predicted", "floor", "seeds", "theory", "overfit",
    "width", "width_slope", "width_low", "width_high", "width_law",
    "params", "params_slope", "params_low", "params_high", "params_law",
    "samples", "samples_slope", "samples_low", "samples_high", "samples_law",
    "flops"};
/* clang-format on */

/* A number of a row; NaN where there is no such column. */
static double value(const picture *p, size_t row, size_t column)
{
    return column < p->table.numbers ? p->table.number[row * p->table.numbers + column] : NAN;
}

static bool same(const series *a, const series *b, size_t text)
{
    return strcmp(a->text[text], b->text[text]) == 0;
}

static bool is_usable(const picture *p, size_t row)
{
    return value(p, row, ERROR) > 0 && value(p, row, SIZE) > 0 && value(p, row, SIZE + AGAINST) > 0;
}

static bool overfits(const picture *p, size_t row)
{
    return value(p, row, OVERFIT) > 0;
}

static bool near_floor(const picture *p, size_t row)
{
    return value(p, row, FLOOR) > 1e-3 * value(p, row, ERROR);
}

static steep_status find_series(picture *p, steep_error *error)
{
    for (size_t row = 0; row < p->table.table.rows; row++) {
        series new = {.text = &p->table.text[row * TEXTS], .first = row}, *s = p->series;
        while (s < p->series + p->count && !(same(s, &new, TARGET) && same(s, &new, SERIES))) s++;
        if (s == p->series + p->count) *s = new, p->count++;
        else if (s->last + 1 != row)
            return steep_fail(error, STEEP_BAD_INPUT, "%s, line %zu: expected the rows of %s on %s together",
                              p->table.table.path, p->table.table.line[row], s->text[SERIES], s->text[TARGET]);
        s->last = row;
        s->shown |= is_usable(p, row);
        s->several |= value(p, row, SEEDS) > 1;
        s->floored |= near_floor(p, row);
        s->predicted |= !p->options->no_theory && isfinite(value(p, row, THEORY)) && value(p, row, PREDICTED) > 0;
        s->bounded |= !p->options->no_theory && value(p, row, LOWER) > 0;
        s->hollow |= overfits(p, row);
    }
    return STEEP_OK;
}

/* 2 where so many characters of name are the series' label, 1 where they are its label up to a comma or its arch. */
static int matches(const char *name, size_t length, const series *s)
{
    const char *label = s->text[SERIES], *arch = s->text[ARCH];
    if (strncmp(label, name, length) == 0 && (!label[length] || label[length] == ',')) return label[length] ? 1 : 2;
    return strlen(arch) == length && strncmp(arch, name, length) == 0;
}

/* Chooses the series that the option arch names; a name stands for its best matches. A comma within parentheses, or
 * followed by a blank, is part of a name. */
static steep_status choose_series(picture *p, steep_error *error)
{
    for (const char *at = p->options->arch, *end; at; at = *end ? end + 1 : NULL) {
        int best = 0;
        for (end = steep_text_outside(at, ','); *end && end[1] == ' ';) end = steep_text_outside(end + 1, ',');
        const size_t length = (size_t)(end - at);
        for (series *s = p->series; s < p->series + p->count; s++)
            if (matches(at, length, s) > best) best = matches(at, length, s);
        if (!best)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "%s has no series or architecture \"%.*s\": use names from its columns series and arch",
                              p->table.table.path, (int)length, at);
        for (series *s = p->series; s < p->series + p->count; s++) s->chosen |= matches(at, length, s) == best;
    }
    return STEEP_OK;
}

/* Looks are chosen for all series, so that a series looks the same where few are shown. Given looks go first. */
static steep_status choose_looks(picture *p, steep_error *error)
{
    steep_look *look = calloc(p->count + 1, sizeof *look);
    if (!look) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the series of a figure");
    for (size_t i = 0; i < p->count; i++) {
        const char *const *text = p->series[i].text;
        look[i] = (steep_look){text[SERIES], text[ARCH], text[SOLVER], text[START], 0, 0, 0};
    }
    steep_look_choose(look, p->count);
    for (size_t i = 0; i < p->count; i++) {
        p->series[i].look = look[i];
        for (size_t k = 0; p->looks && k < p->looks->labels; k++)
            if (strcmp(p->looks->look[k].label, p->series[i].text[SERIES]) == 0) p->series[i].look = p->looks->look[k];
    }
    free(look);
    return STEEP_OK;
}

static void keep_series(picture *p)
{
    size_t kept = 0;
    series last = {.text = NULL};
    for (size_t i = 0; i < p->count; i++) {
        const series s = p->series[i];
        if (!s.shown || (p->options->arch && !s.chosen)) continue;
        p->targets += !last.text || !same(&s, &last, TARGET);
        last = s;
        if (p->targets <= MOST_TARGETS) p->series[kept++] = s;
    }
    p->count = kept;
}

static bool same_panel(const picture *p, const series *a, const series *b)
{
    return same(a, b, TARGET) && same(a, b, p->by);
}

/* Brings series that share panels together, in the order of their first series. */
static void group_series(picture *p)
{
    series *s = p->series;
    for (size_t i = 1, j; i < p->count; i++) {
        for (j = i; j < p->count && !same_panel(p, &s[j], &s[i - 1]);) j++;
        if (j == p->count) continue;
        const series found = s[j];
        memmove(&s[i + 1], &s[i], (j - i) * sizeof *s);
        s[i] = found;
    }
}

static steep_status read_series(picture *p, const char *folder, steep_error *error)
{
    steep_status status = steep_figure_read(folder, p->file, &p->table, error);
    if (status < 0 && p->options->against == 'N' && status != STEEP_NO_MEMORY)
        status =
            steep_fail(error, STEEP_BAD_INPUT,
                       "%s: no learning curves (learning.csv): they need several --samples, as in 100:1e5:x4", folder);
    if (status < 0) return steep_input_status(status); /* no folder of a sweep: nothing is begun */
    p->series = calloc(p->table.table.rows + 1, sizeof *p->series);
    if (!p->series) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the series of a figure");
    status = find_series(p, error);
    if (status >= 0 && p->count) status = choose_series(p, error);
    if (status >= 0) status = choose_looks(p, error);
    if (status < 0) return status;
    keep_series(p);
    group_series(p);
    return p->count ? STEEP_OK : steep_fail(error, STEEP_BAD_INPUT, "%s holds no error to draw", p->table.table.path);
}

static void widen(panel *q, int axis, double number)
{
    if (!(number > 0)) return;
    q->low[axis] = fmin(q->low[axis], log(number));
    q->high[axis] = fmax(q->high[axis], log(number));
}

/* Widens the panel's axes to hold series from..to-1. all: also errors of widths that overfit. */
static void cover_series(const picture *p, panel *q, size_t from, size_t to, bool all)
{
    for (size_t i = from; i < to; i++)
        for (size_t row = p->series[i].first; row <= p->series[i].last; row++) {
            if (!is_usable(p, row)) continue;
            widen(q, 0, value(p, row, SIZE + AGAINST * q->against));
            for (size_t c = ERROR; c <= HIGH && (all || !overfits(p, row)); c++) widen(q, 1, value(p, row, c));
            if (near_floor(p, row)) widen(q, 1, value(p, row, FLOOR));
        }
}

/* Sets the axes, which all panels of a target (series from..to-1) share. Ends that the user gives are kept. */
static void measure_panel(const picture *p, panel *q, size_t from, size_t to)
{
    q->low[0] = q->low[1] = INFINITY;
    q->high[0] = q->high[1] = -INFINITY;
    cover_series(p, q, from, to, false);
    if (q->low[1] > q->high[1]) cover_series(p, q, from, to, true);
    for (int axis = 0; axis < 2; axis++) { /* an axis spans a factor 6 at least: two of 1, 2, 5, 10 */
        const double *given = axis ? p->options->ylim : p->options->xlim;
        double span = q->high[axis] - q->low[axis], margin = fmax(0.06 * span, 0.5 * (log(6) - span));
        q->low[axis] = fmax(q->low[axis] - margin, log(0x1p-1074)); /* ends are written as doubles */
        q->high[axis] = fmin(q->high[axis] + margin, log(0x1p1023));
        if (given[0] > 0) q->low[axis] = log(given[0]), q->high[axis] = log(given[1]);
    }
}

/* The place of a number on the axis, whose ends are 0 and 1; NaN: none. */
static double part(const panel *q, int axis, double number)
{
    return number > 0 ? (log(number) - q->low[axis]) / (q->high[axis] - q->low[axis]) : NAN;
}

/* Columns that are drawn as lines; the first MEASURED of them are measured. */
enum { DRAWN = 6, MEASURED = 3 };

/* The height of a series' line in the panel; NaN: no point. A width that overfits has only a mark, at the edge if it is
 * beyond. One line of theory is drawn, the predicted one if there is one. */
static double height(picture *p, const panel *q, const series *s, size_t row, size_t column)
{
    const double at = part(q, 1, value(p, row, column));
    if (isnan(at) || (column >= LAW && s->predicted)) return NAN;
    if (column > HIGH || !overfits(p, row)) return at;
    if (column != ERROR) return NAN;
    p->beyond |= at < 0 || at > 1;
    return fmax(0, fmin(at, 1));
}

/* Writes the lines of a panel into x and y: first measured lines, then lines of theory. */
static steep_scene find_lines(picture *p, const panel *q, double *x, double *y, const steep_box *box)
{
    steep_scene scene = {.x = x, .y = y, .box = box};
    const size_t column[DRAWN] = {ERROR, LOW, HIGH, LOWER, PREDICTED, LAW + AGAINST * q->against};
    for (size_t c = 0; c < (p->options->no_theory ? MEASURED : DRAWN); c++)
        for (size_t i = q->from; i < q->to; i++) {
            for (size_t row = p->series[i].first; row <= p->series[i].last; row++) {
                x[scene.points] = part(q, 0, value(p, row, SIZE + AGAINST * q->against));
                y[scene.points++] = height(p, q, &p->series[i], row, column[c]);
            }
            y[scene.points++] = NAN;
        }
    return scene;
}

/* Places a triangle for each order except 0 along the lower half of its line of theory, if need be across another. */
static void place_triangles(const picture *p, const panel *q, steep_scene *scene, steep_box *box)
{
    const size_t size = SIZE + AGAINST * q->against, law = LAW + AGAINST * q->against;
    steep_triangle *t = p->triangle + q->against * p->count;
    for (size_t i = q->from; i < q->to; i++) {
        const size_t first = p->series[i].first, last = p->series[i].last;
        double order = value(p, first, THEORY), slope = order * (q->high[0] - q->low[0]) / (q->high[1] - q->low[1]);
        double left = part(q, 0, value(p, first, size)), height = part(q, 1, value(p, first, law)) - slope * left;
        double end = fmin(part(q, 0, value(p, last, size)), -height / slope);
        bool again = p->options->no_theory || !isfinite(height) || !isfinite(1 / slope); /* or no slope */
        for (size_t k = q->from; k < i; k++) again |= t[k].right > 0 && value(p, p->series[k].first, THEORY) == order;
        if (again) continue;
        const int digits = order == round(order) ? 1 : 2 * order == round(2 * order) ? 2 : 3;
        steep_triangle_line at = {.height = height,
                                  .slope = slope,
                                  .begin = 0.5 * (fmax(left, (1 - height) / slope) + end),
                                  .end = end,
                                  .digit_width = digits * p->em / p->wide,
                                  .digit_height = 1.2 * p->em / p->tall};
        steep_scene measured = *scene;
        measured.points = scene->points / DRAWN * MEASURED;
        if (steep_labels_triangle(scene, &at, &t[i]) || steep_labels_triangle(&measured, &at, &t[i]))
            box[scene->boxes++] = t[i].box;
        else t[i].right = 0;
    }
}

/* Places the keys inside if every panel has a free corner, else below; then the triangles. */
static steep_status place_labels(picture *p, steep_error *error)
{
    size_t room = DRAWN * (p->table.table.rows + p->count);
    double *x = calloc(2 * room, sizeof *x), *y = x + room;
    steep_box *box = calloc(p->count + 1, sizeof *box);
    bool inside = true, fine = x && box;
    for (int pass = 0; pass < 2 && fine; pass++)
        for (panel *q = p->panel; q < p->panel + p->panels; q++) {
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

/* A number for the key: with decimals, or with three digits where it is no slope but a slip in the file. */
static int put_number(char *text, size_t size, double number, int decimals)
{
    return fabs(number) < 1e6 ? snprintf(text, size, "%.*f", decimals, number) : snprintf(text, size, "%.3g", number);
}

/* "  −3.99 ± 0.02": the slope and the larger distance to an end of its interval, with three decimals where that is
 * small. With an interval wider than the slope the slope is unknown. */
static const char *slope_text(const picture *p, const series *s, size_t against, char text[64])
{
    const size_t column = SLOPE + AGAINST * against;
    double slope = value(p, s->first, column), low = value(p, s->first, column + 1);
    double high = value(p, s->first, column + 2), half = fmax(high - slope, slope - low);
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

/* How many characters of a label fit into a panel's key, beside the sample and the slope. */
static unsigned label_room(const picture *p)
{
    return (unsigned)fmax((p->wide / p->em - KEY_SAMPLE) / KEY_LETTER - 15, 6);
}

/* Widens p->entry to hold the texts of a panel's key. */
static void measure_key(picture *p, const panel *q)
{
    char text[64];
    for (size_t i = q->from; i < q->to; i++) {
        double label = fmin(steep_utf8_count(p->series[i].text[SERIES]), label_room(p));
        label += steep_utf8_count(slope_text(p, &p->series[i], q->against, text));
        p->entry = fmax(p->entry, (KEY_LETTER * label + KEY_SAMPLE) * p->em);
    }
}

/* The axis of a letter of the option against. */
static size_t axis_of(char against)
{
    static const char letters[] = "nPNC";
    return against ? (size_t)(strchr(letters, against) - letters) : OF_WIDTH;
}

/* Adds the panels of a target (series from..to-1): against each axis, and for each value of the text p->by. */
static void add_panels(picture *p, size_t from, size_t to)
{
    const char only = p->options->against;
    const size_t before = p->panels;
    for (size_t i = from, end; i < to; i = end) {
        for (end = i + 1; end < to && same_panel(p, &p->series[end], &p->series[i]);) end++;
        for (size_t a = 0; a < (only ? 1 : 2); a++) {
            panel *q = &p->panel[p->panels];
            *q = (panel){.against = only ? axis_of(only) : a, .from = i, .to = end};
            q->column = (p->panels++ - before) % p->columns;
            measure_panel(p, q, from, to);
            measure_key(p, q);
        }
    }
}

/* Sets the sizes, then makes the panels of each target: side by side where the picture is wide enough for two. */
static steep_status make_panels(picture *p, steep_error *error)
{
    const steep_figure_options *o = p->options;
    const bool pairs = !o->against || p->by != TARGET;
    p->panel = calloc(2 * p->count + 1, sizeof *p->panel);
    p->triangle = calloc(p->axes * p->count + 1, sizeof *p->triangle);
    if (!p->panel || !p->triangle) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a figure's panels");
    p->em = o->width > 0 ? 8.5 * 96 / 72 : 13;
    p->width = o->width > 0 ? o->width / 2.54 * 96 : pairs ? 900 : 500;
    p->columns = pairs && p->width > 50 * p->em ? 2 : 1;
    p->wide = (p->width - (p->columns == 2 ? 10 : 7.8) * p->em) / (double)p->columns;
    p->tall = fmin(0.78 * p->wide, 28 * p->em);
    for (size_t from = 0, to; from < p->count; from = to) {
        for (to = from + 1; to < p->count && same(&p->series[to], &p->series[from], TARGET);) to++;
        add_panels(p, from, to);
    }
    return STEEP_OK;
}

/* Writes "array NAME[count] = [...]", each value printed by the format. */
#define PUT_ARRAY(name, count, format, value)                                                                          \
    do {                                                                                                               \
        fprintf(out, "array %s[%zu] = [", name, count);                                                                \
        for (size_t i = 0; i < (count); i++) fprintf(out, "%s" format, i ? ", " : "", value);                          \
        fputs("]\n", out);                                                                                             \
    } while (0)

/* Writes a text, cut to `most` characters: as it is, or typeset for gnuplot's enhanced mode, or either for LaTeX. */
static void put_text(FILE *out, picture *p, const char *text, unsigned most, bool typeset, bool latex)
{
    char *cut = steep_title_cut(text, most);
    char *title = cut && (typeset || latex) ? steep_title(cut, typeset, latex) : NULL;
    p->fine &= cut && (title || !(typeset || latex));
    steep_figure_quote(out, title ? title : cut ? cut : "");
    free(cut);
    free(title);
}

/* The heading above the first panel of these series: the target, unless there is a title, and the text p->by. */
static void put_heading(FILE *out, picture *p, const panel *q, bool latex)
{
    const bool first = q == p->panel || q->from != q[-1].from, titled = p->targets > 1 || !p->options->title;
    const bool apart = first && p->by != TARGET, half = p->columns == 2 && p->options->against;
    const series *s = &p->series[q->from];
    const unsigned room = (unsigned)((half ? p->wide : p->width) / p->em / 0.58) - 13;
    put_text(out, p, first && titled ? s->text[TITLE] : "", apart ? room / 2 : room, true, latex);
    if (apart) fputs(titled ? " . ', ' . " : " . ", out);
    if (apart) put_text(out, p, s->text[p->by], room / 2, false, latex);
}

/* Writes title, headings, and labels and slopes of the key. */
static void put_texts(FILE *out, picture *p, bool latex)
{
    const char *own = p->options->title, *tail = latex ? "_tex" : "";
    double room = (p->width / p->em - 2) / 0.58;
    char text[64], of_many[64] = "";
    if (p->targets > MOST_TARGETS)
        snprintf(of_many, sizeof of_many, "the first %d of %zu targets", MOST_TARGETS, p->targets);
    fprintf(out, "title%s = ", tail);
    put_text(out, p, own ? own : of_many, (unsigned)(room / 1.1), false, latex); /* in larger type */
    fprintf(out, "\narray heading%s[%zu]\n", tail, p->panels);
    for (const panel *q = p->panel; q < p->panel + p->panels; q++) {
        fprintf(out, "heading%s[%td] = ", tail, q - p->panel + 1);
        put_heading(out, p, q, latex);
        fputc('\n', out);
    }
    fprintf(out, "array key%s[%zu]\n", tail, p->axes * p->count);
    for (size_t i = 0; i < p->axes * p->count; i++) {
        const series *s = &p->series[i % p->count];
        fprintf(out, "key%s[%zu] = ", tail, i + 1);
        put_text(out, p, s->text[SERIES], label_room(p), false, latex);
        fputs(" . ", out);
        put_text(out, p, slope_text(p, s, i / p->count, text), 64, false, latex);
        fputc('\n', out);
    }
}

/* Minus the slope of theory's line; 0: no line, also where the file has no order. */
static double order_of(const picture *p, const series *s)
{
    const double order = value(p, s->first, THEORY);
    const size_t axis = p->axes > OF_PARAMS + 1 ? p->axes - 1 : OF_WIDTH;
    const double law = value(p, s->first, LAW + AGAINST * axis);
    return !p->options->no_theory && law > 0 && isfinite(order) ? -order : 0;
}

static void put_variables(FILE *out, const picture *p)
{
    const panel *q = p->panel;
    const series *s = p->series;
    const steep_triangle *t = p->triangle;
    fprintf(out, "panels = %zu; wide = %.8g; tall = %.8g; entry = %.6g; series = %zu; beyond = %d\n", p->panels,
            p->wide, p->tall, p->entry, p->count, p->beyond);
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

/* Writes the script and draws it. */
static steep_status draw(picture *p, const char *folder, const steep_figure_limits *limits, steep_error *error)
{
    const char *name = p->options->name ? p->options->name : "slopes";
    const char *terminals = p->options->terminal ? p->options->terminal : STEEP_FIGURE_TERMINALS;
    steep_figure_writer w = {folder, name, steep_script_slopes, terminals, limits, NULL};
    const steep_status status = steep_figure_begin(&w, error);
    if (status < 0) return status;
    FILE *out = w.head;
    fprintf(out, "# Draws %s beside it: gnuplot %s.gp\nname = '%s'; file = '%s'", p->file, name, name, p->file);
    steep_figure_put_terminals(out, terminals);
    fprintf(out, "; width = %.8g; type = %.6g\n", p->width, p->em);
    put_texts(out, p, false);
    put_texts(out, p, true);
    put_variables(out, p);
    return steep_figure_end(&w, p->fine, error);
}

static steep_status open_figure(picture *p, const char *folder, steep_error *error)
{
    const steep_figure_options *o = p->options;
    steep_status status = steep_figure_check(o, error);
    if (status < 0) return status;
    p->file = o->against == 'N' ? "learning.csv" : "series.csv";
    for (p->by = o->by ? ARCH : TARGET; o->by && strcmp(columns[p->by], o->by) != 0;) p->by++;
    p->axes = 1 + (axis_of(o->against) > OF_PARAMS ? axis_of(o->against) : OF_PARAMS);
    p->table = (steep_figure_table){.column = columns, .texts = TEXTS};
    p->table.numbers = SIZE + (p->axes > OF_FLOPS ? AGAINST * OF_FLOPS + 1 : AGAINST * p->axes);
    status = read_series(p, folder, error);
    return status >= 0 ? make_panels(p, error) : status;
}

static void close_figure(picture *p)
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
    picture p = {.options = options ? options : &(steep_figure_options){0}, .looks = looks, .fine = true};
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
    picture p = {.options = &own};
    const steep_status status = open_figure(&p, folder, error);
    for (size_t axis = 0; status >= 0 && axis < 2; axis++) {
        const double low = exp(p.panel->low[axis]);
        ends[axis][0] = ends[axis][1] == 0 ? low : fmin(ends[axis][0], low);
        ends[axis][1] = fmax(ends[axis][1], exp(p.panel->high[axis]));
    }
    close_figure(&p);
    return status;
}
