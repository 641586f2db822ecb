/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure_slopes: the picture of a sweep.
 *   1. read fits.csv and slopes.csv; a series is what differs in arch, activation, target or solver;
 *   2. give each series its slopes, its rows of limits.csv, where there is one, and the height of its line where no
 *      constant is predicted there: that of the fit, in the middle of its window;
 *   3. choose ranges; write a script that takes the points from fits.csv, and lines, triangles and key from here;
 *   4. run it. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/table.h"
#include "slope/slope.h"
#include "draw/figure.h"
#include "draw/figure_parts.h"

/* Dashes of the lines that are no measurement. */
#define WITH_CONSTANT "(10,7)"
#define SLOPE_ALONE "(10,4,2,4)"
#define NONE_BELOW "(2,5)"
#define NONE_AT_LAST "(2,10)"

enum { WIDTH, PARAMS, AGAINST };
static const char *const against_name[AGAINST] = {"width", "params"};
static const char *const against_label[AGAINST] = {"width {/:Italic n}", "parameters {/:Italic P}"};

enum { ARCH, ACTIVATION, TARGET, SOLVER, N_COLUMN, P_COLUMN, TEST, TRAIN, FLOOR, FITS_COLUMNS };
static const char *const fits_column[FITS_COLUMNS] = {"arch",   "activation", "target",     "solver", "width",
                                                      "params", "rmse_test",  "rmse_train", "floor"};
enum { S_ARCH, S_TARGET, S_SOLVER, S_AGAINST, S_METHOD, S_SLOPE, S_LOW, S_HIGH, S_FIRST, S_LAST, S_THEORY };
enum { SLOPES_COLUMNS = S_THEORY + 1 };
static const char *const slopes_column[SLOPES_COLUMNS] = {"arch", "target", "solver", "against", "method", "slope",
                                                          "low",  "high",   "first",  "last",    "theory"};

typedef struct measured {
    bool found, window;
    double slope, low, high, first, last, theory;
    double middle, height; /* the fit at the middle of the window, in logarithms */
    double from, to;       /* sizes of the series' own points */
} measured;

typedef struct series {
    const char *key[SOLVER + 1]; /* arch, activation, target, solver; text of the table */
    const char *label;           /* as slopes.csv calls it */
    size_t target, style;
    size_t first_row, last_row;  /* of fits.csv */
    size_t first_limit, limits;  /* rows of limits.csv, and how many */
    bool predicted, asymptotic;  /* theory's constant is known; widths beyond the bracket, and their asymptote */
    measured against[AGAINST];
} series;

typedef struct picture {
    steep_table fits, slopes, limits; /* limits without rows: there is no such file */
    size_t fit[FITS_COLUMNS], slope[SLOPES_COLUMNS]; /* where the columns are */
    size_t error_column;
    series *series;
    size_t count, targets;
    const char **target;
    bool solvers_differ, wide;
    double *size, *error; /* room for one panel's points */
} picture;

typedef struct frame { /* of one panel: ranges in logarithms */
    double low[2], high[2];
    bool floor;
    double shade; /* the highest floor */
} frame;

typedef struct box { /* in fractions of the panel */
    double left, lower, right, upper;
} box;

enum { FEW_DECADES = 500, MAX_TRIANGLES = 16, INSIDE = 4, HEAD = 40, ROW = 360, GAP = 48 };
typedef struct panel {
    size_t target, against, shown;
    bool constants, slopes, limits, last; /* what lines there are beside the series' points */
    bool wide;       /* too many series for a key inside: it stands at the right of the row */
    frame frame;
    size_t fits, points; /* the fits' come first, then those of limits */
    double *x, *y;   /* fractions of the panel */
    box key, triangle[MAX_TRIANGLES];
    double order[MAX_TRIANGLES];
    size_t triangles;
} panel;

static steep_status find_columns(const steep_table *table, const char *const *name, size_t count, size_t *column,
                                 steep_error *error)
{
    for (size_t i = 0; i < count; i++) {
        column[i] = steep_table_column(table, name[i]);
        if (column[i] == table->columns)
            return steep_fail(error, STEEP_BAD_INPUT, "%s has no column \"%s\"", table->path, name[i]);
    }
    return STEEP_OK;
}

static const char *field(const steep_table *table, size_t row, size_t column)
{
    return table->cell[row * table->columns + column];
}

/* NaN where the field is none. */
static double number(const steep_table *table, size_t row, size_t column)
{
    const char *text = field(table, row, column);
    char *end;
    double value = strtod(text, &end);
    return end == text || *end ? NAN : value;
}

static bool usable(const picture *p, size_t row)
{
    double error = number(&p->fits, row, p->error_column);
    return isfinite(error) && error > 0 && number(&p->fits, row, p->fit[N_COLUMN]) > 0 &&
           number(&p->fits, row, p->fit[P_COLUMN]) > 0;
}

static bool belongs(const picture *p, size_t row, const series *s)
{
    for (size_t i = ARCH; i <= SOLVER; i++)
        if (strcmp(field(&p->fits, row, p->fit[i]), s->key[i]) != 0) return false;
    return true;
}

/* Test errors where there are any, else training errors. */
static void choose_error(picture *p)
{
    p->error_column = p->fit[TRAIN];
    for (size_t row = 0; row < p->fits.rows; row++)
        if (number(&p->fits, row, p->fit[TEST]) > 0) {
            p->error_column = p->fit[TEST];
            return;
        }
}

static size_t find_target(picture *p, const char *name)
{
    size_t t = 0;
    while (t < p->targets && strcmp(p->target[t], name) != 0) t++;
    if (t == p->targets) p->target[p->targets++] = name;
    return t;
}

static void find_series(picture *p)
{
    for (size_t row = 0; row < p->fits.rows; row++) {
        if (!usable(p, row)) continue;
        size_t s = 0;
        while (s < p->count && !belongs(p, row, &p->series[s])) s++;
        if (s == p->count) {
            for (size_t i = ARCH; i <= SOLVER; i++) p->series[s].key[i] = field(&p->fits, row, p->fit[i]);
            p->series[s].target = find_target(p, p->series[s].key[TARGET]);
            p->series[s].label = p->series[s].key[ARCH];
            p->series[s].first_row = row;
            p->count++;
        }
        p->series[s].last_row = row;
        p->solvers_differ |= strcmp(p->series[s].key[SOLVER], p->series[0].key[SOLVER]) != 0;
    }
}

/* "arch", or "arch:activation" when the activation is not the architecture's own; 2 and 1 say how well it fits. */
static int label_matches(const char *label, const series *s)
{
    size_t length = strlen(s->key[ARCH]);
    if (strncmp(label, s->key[ARCH], length) != 0) return 0;
    if (label[length] == 0) return 1;
    return label[length] == ':' && strcmp(label + length + 1, s->key[ACTIVATION]) == 0 ? 2 : 0;
}

/* The windowed slope where there is one, else the last pair's; of the label that fits best. */
static void find_slopes(const picture *p, series *s)
{
    int best = 1;
    const steep_table *t = &p->slopes;
    for (size_t row = 0; row < t->rows; row++)
        if (label_matches(field(t, row, p->slope[S_ARCH]), s) > best) best = 2;
    for (size_t row = 0; row < t->rows; row++) {
        const char *label = field(t, row, p->slope[S_ARCH]), *method = field(t, row, p->slope[S_METHOD]);
        const char *against = field(t, row, p->slope[S_AGAINST]);
        bool window = strcmp(method, "window") == 0;
        if (label_matches(label, s) != best || strcmp(field(t, row, p->slope[S_TARGET]), s->key[TARGET]) != 0 ||
            strcmp(field(t, row, p->slope[S_SOLVER]), s->key[SOLVER]) != 0)
            continue;
        s->label = label;
        if (!window && strcmp(method, "last_pair") != 0) continue;
        measured m = {.found = true, .window = window};
        double *const into[] = {&m.slope, &m.low, &m.high, &m.first, &m.last, &m.theory};
        for (size_t i = 0; i < sizeof into / sizeof *into; i++) *into[i] = number(t, row, p->slope[S_SLOPE + i]);
        for (size_t a = 0; a < AGAINST; a++)
            if (strcmp(against, against_name[a]) == 0 && isfinite(m.slope) && !s->against[a].window)
                s->against[a] = m;
    }
}

/* The series' rows of limits.csv, which stand together, and whether theory's constant is among their columns. */
static void find_limits(const picture *p, series *s)
{
    const steep_table *t = &p->limits;
    size_t arch = steep_table_column(t, "arch"), target = steep_table_column(t, "target"),
           predicted = steep_table_column(t, "predicted"), lower = steep_table_column(t, "lower"),
           asymptotic = steep_table_column(t, "asymptotic");
    size_t beyond = 0;
    if (arch == t->columns || target == t->columns || lower == t->columns || asymptotic == t->columns) return;
    for (size_t row = 0; row < t->rows; row++) {
        if (strcmp(field(t, row, arch), s->label) != 0 || strcmp(field(t, row, target), s->key[TARGET]) != 0) continue;
        if (s->limits++ == 0) s->first_limit = row;
        double value = predicted < t->columns ? number(t, row, predicted) : NAN;
        s->predicted |= !p->solvers_differ && isfinite(value) && value > 0; /* of the sweep's one solver */
        beyond += !(number(t, row, lower) > 0) && number(t, row, asymptotic) > 0;
    }
    s->asymptotic = beyond > 1; /* one point is no line */
}

/* Where the series' points begin and end, and how high its line runs. */
static void place(picture *p, series *s, size_t a)
{
    measured *m = &s->against[a];
    size_t points = 0;
    m->from = INFINITY;
    m->to = 0;
    for (size_t row = 0; row < p->fits.rows; row++) {
        if (!usable(p, row) || !belongs(p, row, s)) continue;
        double size = number(&p->fits, row, p->fit[a == WIDTH ? N_COLUMN : P_COLUMN]);
        m->from = fmin(m->from, size);
        m->to = fmax(m->to, size);
        if (!(size >= m->first && size <= m->last)) continue;
        p->size[points] = size;
        p->error[points++] = number(&p->fits, row, p->error_column);
    }
    steep_slope fit;
    steep_slope_measure(STEEP_SLOPE_ALL, &(steep_series){points, p->size, p->error, NULL}, NULL, &fit, NULL);
    m->found &= isfinite(fit.slope);
    if (!m->found) return;
    m->middle = 0.5 * (log(fit.first) + log(fit.last));
    m->height = fit.intercept + fit.slope * m->middle;
}

/* The gated family looks the same in every figure; the others take what is left in order. */
static void choose_styles(picture *p)
{
    static const char *const fixed[] = {"mlp", "glu", "gqu"};
    for (size_t t = 0; t < p->targets; t++) {
        bool taken[64] = {false};
        for (int pass = 0; pass < 2; pass++)
            for (size_t i = 0; i < p->count; i++) {
                series *s = &p->series[i];
                if (s->target != t || s->style) continue;
                for (size_t f = 0; f < 3; f++)
                    if (strcmp(s->label, fixed[f]) == 0 && !taken[f + 1]) s->style = f + 1;
                for (size_t f = 1; pass && !s->style; f++)
                    if (f > 63 || !taken[f]) s->style = f;
                if (s->style < 64) taken[s->style] = true;
            }
    }
}

static void widen(double *low, double *high, double value)
{
    *low = fmin(*low, value);
    *high = fmax(*high, value);
}

static frame choose_frame(const picture *p, size_t target, size_t a)
{
    frame f = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}, false, -INFINITY};
    double floor = INFINITY;
    for (size_t row = 0; row < p->fits.rows; row++) {
        if (!usable(p, row) || strcmp(field(&p->fits, row, p->fit[TARGET]), p->target[target]) != 0) continue;
        double at = number(&p->fits, row, p->fit[FLOOR]);
        widen(&f.low[0], &f.high[0], log(number(&p->fits, row, p->fit[a == WIDTH ? N_COLUMN : P_COLUMN])));
        widen(&f.low[1], &f.high[1], log(number(&p->fits, row, p->error_column)));
        if (at > 0) widen(&floor, &f.shade, log(at));
    }
    /* The floor is shown where an error comes within a factor 1000 of it. */
    f.floor = floor > f.low[1] - log(1e3) && isfinite(floor);
    if (f.floor) f.low[1] = fmin(f.low[1], floor);
    for (int axis = 0; axis < 2; axis++) {
        double margin = fmax(0.06 * (f.high[axis] - f.low[axis]), 0.1);
        f.low[axis] -= margin;
        f.high[axis] += margin;
    }
    return f;
}

/* "gqu  −3.99 ± 0.02", the farther end of the interval: three decimals where it is that near. */
static void write_key(FILE *out, const series *s, const measured *m, bool solver)
{
    char text[512], value[96] = "";
    double half = fmax(m->high - m->slope, m->slope - m->low);
    int decimals = half < 0.0095 ? 3 : 2;
    if (m->found && isfinite(half)) {
        double unit = pow(10, -decimals);
        snprintf(value, sizeof value, "  %s%.*f ± %.*f", m->slope < 0 ? "−" : "", decimals, fabs(m->slope), decimals,
                 fmax(half, unit));
    } else if (m->found) {
        snprintf(value, sizeof value, "  %s%.2f", m->slope < 0 ? "−" : "", fabs(m->slope));
    }
    snprintf(text, sizeof text, "%s%s%s%s", s->label, solver ? " " : "", solver ? s->key[SOLVER] : "", value);
    steep_figure_quote(out, text);
}

/* A right triangle beside a line: 1 across and the order down; all in fractions of the panel. */
typedef struct triangle {
    double left, right, upper, lower;
    bool above;
} triangle;

/* Room that it takes with its two numbers. */
static box triangle_box(const triangle *t)
{
    return (box){t->left - (t->above ? 0.01 : 0.05), t->lower - (t->above ? 0.02 : 0.07),
                 t->right + (t->above ? 0.05 : 0.01), t->upper + (t->above ? 0.07 : 0.02)};
}

static bool overlap(box a, box b)
{
    return a.left < b.right && b.left < a.right && a.lower < b.upper && b.lower < a.upper;
}

/* A point within the box and not beyond the hypotenuse, where the triangle's own line runs. */
static bool covers(const triangle *t, box b, double x, double y)
{
    if (x <= b.left || x >= b.right || y <= b.lower || y >= b.upper) return false;
    double side = y - (t->upper + (t->lower - t->upper) * (x - t->left) / (t->right - t->left));
    return t->above ? side > -0.02 : side < 0.02;
}

/* Nothing else in its place: no point, no key, no earlier triangle. */
static bool is_free(const triangle *t, const panel *q, size_t points)
{
    box b = triangle_box(t);
    if (b.left < 0.01 || b.right > 0.99 || b.lower < 0.01 || b.upper > 0.99 || overlap(b, q->key)) return false;
    for (size_t i = 0; i < q->triangles; i++)
        if (overlap(b, q->triangle[i])) return false;
    for (size_t i = 0; i < points; i++)
        if (covers(t, b, q->x[i], q->y[i])) return false;
    return true;
}

/* Looks along the line for a place that is free of the first points, from the window's end back, below and above, first
 * for a large triangle; false: there is none. */
static bool find_place(const measured *m, const panel *q, size_t points, triangle *t)
{
    const frame *f = &q->frame;
    double width = f->high[0] - f->low[0], height = f->high[1] - f->low[1];
    double across = 0.09; /* then smaller */
    double begin = (log(m->first) - f->low[0]) / width, end = (log(m->last) - f->low[0]) / width;
    for (int step = 0; step < 50; step++)
        for (int above = 0; above < 2; above++) {
            if (step == 25) across = 0.06;
            t->right = end - 0.03 - (end - begin) * (step % 25) / 24;
            t->left = t->right - across;
            t->above = above;
            double line = (m->height + m->theory * (t->left * width + f->low[0] - m->middle) - f->low[1]) / height;
            t->upper = line + (above ? 0.035 : -0.035);
            t->lower = t->upper + m->theory * across * width / height;
            if (is_free(t, q, points)) return true;
        }
    return false;
}

static void write_triangle(FILE *out, const measured *m, const frame *f, const triangle *t)
{
    double x[] = {exp(f->low[0] + t->left * (f->high[0] - f->low[0])),
                  exp(f->low[0] + t->right * (f->high[0] - f->low[0]))};
    double y[] = {exp(f->low[1] + t->upper * (f->high[1] - f->low[1])),
                  exp(f->low[1] + t->lower * (f->high[1] - f->low[1]))};
    double corner_x = x[t->above], corner_y = y[!t->above];
    fprintf(out, "    set object polygon from %.6g,%.6g to %.6g,%.6g to %.6g,%.6g to %.6g,%.6g front fillstyle empty "
                 "border linecolor rgb ink linewidth 0.8\n",
            x[0], y[0], corner_x, corner_y, x[1], y[1], x[0], y[0]);
    fprintf(out, "    set label '%g' at %.6g,%.6g %s offset character %g,0 front textcolor rgb ink font ',11'\n",
            fabs(m->theory), corner_x, sqrt(y[0] * y[1]), t->above ? "left" : "right", t->above ? 0.5 : -0.5);
    fprintf(out, "    set label '1' at %.6g,%.6g center offset character 0,%g front textcolor rgb ink font ',11'\n",
            sqrt(x[0] * x[1]), corner_y, t->above ? 0.6 : -0.6);
}

/* One triangle for each order, where there is room. */
static void write_triangles(FILE *out, const picture *p, panel *q)
{
    for (size_t i = 0; i < p->count && q->triangles < MAX_TRIANGLES; i++) {
        const measured *m = &p->series[i].against[q->against];
        bool again = false;
        for (size_t j = 0; j < q->triangles; j++) again |= q->order[j] == m->theory;
        triangle t;
        if (p->series[i].target != q->target || !m->found || !(m->theory < 0) || again ||
            !(find_place(m, q, q->points, &t) || find_place(m, q, q->fits, &t)))
            continue;
        q->order[q->triangles] = m->theory;
        q->triangle[q->triangles++] = triangle_box(&t);
        write_triangle(out, m, &q->frame, &t);
    }
}

/* The rows of one series, by name: x or NaN. gnuplot reads the text of a quoted field only to its first comma: then the
 * rows' numbers say what the text cannot. */
static void write_filter(FILE *out, const picture *p, const series *s, size_t a)
{
    fputs("(", out);
    for (size_t i = ARCH; i <= SOLVER; i++) {
        size_t length = strcspn(s->key[i], ",\"");
        fprintf(out, "%sstrcol('%s') eq ", i == ARCH ? "" : " && ", fits_column[i]);
        steep_figure_quote_part(out, s->key[i], length);
        if (s->key[i][length]) fprintf(out, " && $0 >= %zu && $0 <= %zu", s->first_row, s->last_row);
    }
    fprintf(out, " ? column('%s') : NaN):", p->fits.header[p->fit[a == WIDTH ? N_COLUMN : P_COLUMN]]);
}

static void write_floors(FILE *out, const picture *p, const panel *q, const char **next)
{
    for (size_t i = 0; q->frame.floor && i < p->count; i++) {
        if (p->series[i].target != q->target) continue;
        fprintf(out, "%s 'fits.csv' using ", *next);
        write_filter(out, p, &p->series[i], q->against);
        fprintf(out,
                "(positive(column('floor'))) smooth unique with filledcurves y1=%.6g linecolor rgb floor_shade notitle",
                exp(q->frame.low[1]));
        *next = ", \\\n       ";
    }
}

static bool slope_alone(const series *s, size_t against)
{
    return !s->predicted && s->against[against].found && s->against[against].theory < 0;
}

/* An expression of the series' rows of limits.csv, as a line. */
static void write_limit(FILE *out, const series *s, size_t against, const char *value, const char *dashes,
                        const char **next)
{
    fprintf(out,
            "%s 'limits.csv' using ($0 >= %zu && $0 <= %zu ? column('%s') : NaN):(%s) with lines linetype %zu "
            "linewidth 1 dashtype %s notitle",
            *next, s->first_limit, s->first_limit + s->limits - 1, against_name[against], value, s->style, dashes);
    *next = ", \\\n       ";
}

/* With its constant where limits.csv predicts it, else theory's slope through the middle of the window. */
static void write_theories(FILE *out, const picture *p, const panel *q, const char **next)
{
    for (size_t i = 0; i < p->count; i++) {
        const series *s = &p->series[i];
        const measured *m = &s->against[q->against];
        if (s->target != q->target) continue;
        if (s->predicted) write_limit(out, s, q->against, "positive(column('predicted'))", WITH_CONSTANT, next);
        else if (slope_alone(s, q->against)) {
            fprintf(out, "%s [%.8g:%.8g] '+' using 1:(exp(%.10g + %.10g * (log($1) - %.10g))) with lines linetype %zu "
                         "linewidth 1 dashtype " SLOPE_ALONE " notitle",
                    *next, m->from, m->to, m->height, m->theory, m->middle, s->style);
            *next = ", \\\n       ";
        }
    }
}

/* What no network of a width gets under (sweep/limits): the bracket's lower end, and, at widths that it does not
 * reach, what it comes to as n grows. */
static void write_limits(FILE *out, const picture *p, const panel *q, const char **next)
{
    for (size_t i = 0; i < p->count; i++) {
        const series *s = &p->series[i];
        if (s->target != q->target || s->limits == 0) continue;
        write_limit(out, s, q->against, "positive(column('lower'))", NONE_BELOW, next);
        if (s->asymptotic)
            write_limit(out, s, q->against, "strcol('lower') eq 'nan' ? positive(column('asymptotic')) : NaN",
                        NONE_AT_LAST, next);
    }
}

/* The key's entries for what is not a series. */
static void write_legend(FILE *out, const panel *q, const char *next)
{
    const struct {
        bool shown;
        const char *dashes, *title;
    } line[] = {{q->constants, WITH_CONSTANT, "theory, with its constant"},
                {q->slopes, SLOPE_ALONE, "theory''s slope"},
                {q->limits, NONE_BELOW, "no network below"},
                {q->last, NONE_AT_LAST, "the same, as n grows"}};
    for (size_t i = 0; i < sizeof line / sizeof *line; i++)
        if (line[i].shown)
            fprintf(out, "%s keyentry with lines linecolor rgb faint linewidth 1 dashtype %s title '%s'", next,
                    line[i].dashes, line[i].title);
    if (q->frame.floor)
        fprintf(out, "%s keyentry with boxes fillstyle solid linecolor rgb floor_shade title 'rounding floor'", next);
}

static void write_plot(FILE *out, const picture *p, const panel *q)
{
    /* gnuplot takes "sample" only before a range: the first entry is one that lies below the panel. */
    const char *next = ", \\\n       ";
    fprintf(out, "    plot sample [1:2] '+' using 1:(%.6g) with dots notitle", 0.1 * exp(q->frame.low[1]));
    write_floors(out, p, q, &next);
    write_limits(out, p, q, &next);
    write_theories(out, p, q, &next);
    for (size_t i = 0; i < p->count; i++) {
        const series *s = &p->series[i];
        if (s->target != q->target) continue;
        fprintf(out, "%s 'fits.csv' using ", next);
        write_filter(out, p, s, q->against);
        fprintf(out, "(positive(column('%s'))) with points linetype %zu title ", p->fits.header[p->error_column],
                s->style);
        write_key(out, s, &s->against[q->against], p->solvers_differ);
        next = ", \\\n       ";
    }
    write_legend(out, q, next);
    fputs("\n", out);
}

static void put_point(panel *q, double size, double error)
{
    const frame *f = &q->frame;
    if (!(size > 0 && error > 0)) return;
    q->x[q->points] = (log(size) - f->low[0]) / (f->high[0] - f->low[0]);
    q->y[q->points++] = (log(error) - f->low[1]) / (f->high[1] - f->low[1]);
}

/* The points of a panel in fractions of it, those of the lines that no network gets under too, and where its key
 * stands. */
static void fill_panel(const picture *p, panel *q)
{
    const frame *f = &q->frame;
    q->points = 0;
    for (size_t row = 0; row < p->fits.rows; row++)
        if (usable(p, row) && strcmp(field(&p->fits, row, p->fit[TARGET]), p->target[q->target]) == 0)
            put_point(q, number(&p->fits, row, p->fit[q->against == WIDTH ? N_COLUMN : P_COLUMN]),
                      number(&p->fits, row, p->error_column));
    q->fits = q->points;
    for (size_t i = 0; i < p->count; i++) {
        const series *s = &p->series[i];
        const steep_table *t = &p->limits;
        size_t size = steep_table_column(t, against_name[q->against]);
        for (size_t row = s->first_limit; s->target == q->target && row < s->first_limit + s->limits; row++) {
            double lower = number(t, row, steep_table_column(t, "lower"));
            put_point(q, number(t, row, size),
                      lower > 0 ? lower : number(t, row, steep_table_column(t, "asymptotic")));
        }
    }
    double base = f->floor ? (f->shade - f->low[1]) / (f->high[1] - f->low[1]) + 0.01 : 0;
    size_t lines = q->shown + f->floor + q->constants + q->slopes + q->limits + q->last;
    q->key = (box){0, base, 0.42, base + 0.052 * ((double)lines + 1.5)};
    if (q->wide) q->key = (box){2, 2, 2, 2};
}

/* Margins in fractions of the canvas: HEAD points above, ROW a row of panels of which GAP lie below its axis. */
static void write_margins(FILE *out, const picture *p, const panel *q)
{
    double height = HEAD + ROW * (double)p->targets, above = HEAD + ROW * (double)q->target;
    static const double left[2][2] = {{0.080, 0.545}, {0.066, 0.398}}, right[2][2] = {{0.525, 0.985}, {0.382, 0.714}};
    fprintf(out,
            "    set lmargin at screen %g; set rmargin at screen %g; set tmargin at screen %.5f; set bmargin at screen "
            "%.5f\n",
            left[q->wide][q->against], right[q->wide][q->against], 1 - (above + (p->targets > 1 ? 22 : 2)) / height,
            1 - (above + ROW - GAP) / height);
}

/* Labels at 1, 2, 5 of each decade where there are few decades, at every digit within one; else gnuplot's own. */
static void write_tics(FILE *out, char axis, double low, double high)
{
    static const int few[] = {1, 2, 5}, all[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    bool within = high - low < log(5);
    fprintf(out, "    set %ctics autofreq\n", axis);
    if (high - low > log(FEW_DECADES)) return;
    const char *next = " (";
    fprintf(out, "    set %ctics", axis);
    for (int decade = (int)floor(low / log(10)); decade <= high / log(10); decade++)
        for (size_t i = 0; i < (within ? 9 : 3); i++) {
            double tic = (within ? all : few)[i] * pow(10, decade);
            if (log(tic) < low || log(tic) > high) continue;
            fprintf(out, "%s%.8g", next, tic);
            next = ", ";
        }
    fputs(*next == ',' ? ")\n" : "\n", out);
}

/* How y's numbers are written: the powers alone where they stand alone. */
static const char *number_format(double low, double high)
{
    if (high - low > log(FEW_DECADES)) return "10^{%T}";
    return low < log(1e-3) ? "%.0t×10^{%T}" : "%g";
}

static void write_axes(FILE *out, const picture *p, const panel *q)
{
    const frame *f = &q->frame;
    fprintf(out, "    unset label; unset object; set logscale xy; set xrange [%.6g:%.6g]; set yrange [%.6g:%.6g]\n",
            exp(f->low[0]), exp(f->high[0]), exp(f->low[1]), exp(f->high[1]));
    fprintf(out, "    set xlabel '%s'; set format x '%s'\n", against_label[q->against],
            f->high[0] > log(2e4) ? "10^{%T}" : "%g");
    fprintf(out, "    set ylabel '%s' offset 0.5,0; set format y '%s'\n",
            q->against != WIDTH ? "" : p->error_column == p->fit[TEST] ? "RMSE" : "RMSE on the training points",
            q->against != WIDTH ? "" : number_format(f->low[1], f->high[1]));
    write_tics(out, 'x', f->low[0], f->high[0]);
    write_tics(out, 'y', f->low[1], f->high[1]);
    fputs("    set title ", out);
    steep_figure_quote(out, p->targets > 1 && q->against == WIDTH ? p->target[q->target] : "");
    fputs(" noenhanced offset 0,-0.4\n", out);
    if (!q->wide)
        fprintf(out, "    set key on left bottom reverse Left at graph 0.02, graph %.4f\n", q->key.lower + 0.01);
    else if (q->against == WIDTH)
        fputs("    set key off\n", out);
    else
        fputs("    set key on at screen 0.73, graph 1 left top reverse Left title 'slope against {/:Italic P}' left "
              "enhanced\n",
              out);
}

static void write_panel(FILE *out, const picture *p, size_t target, size_t a)
{
    panel q = {.target = target, .against = a, .frame = choose_frame(p, target, a), .x = p->size, .y = p->error};
    for (size_t i = 0; i < p->count; i++) {
        const series *s = &p->series[i];
        if (s->target != target) continue;
        q.shown++;
        q.constants |= s->predicted;
        q.slopes |= slope_alone(s, a);
        q.limits |= s->limits > 0;
        q.last |= s->asymptotic;
    }
    q.wide = p->wide;
    fill_panel(p, &q);
    write_margins(out, p, &q);
    write_axes(out, p, &q);
    write_triangles(out, p, &q);
    write_plot(out, p, &q);
}

static void write_script(FILE *out, const picture *p, const char *title)
{
    fprintf(out, "%s\n", steep_figure_style());
    fputs("# Draws slopes.svg, slopes.pdf and slopes.png from fits.csv beside it: gnuplot slopes.gp\n"
          "positive(value) = value > 0 ? value : NaN\n"
          "do for [format in 'svg pdf png'] {\n",
          out);
    fprintf(out, "    eval canvas(format, 'slopes', %d, %zu)\n    set multiplot title ", p->wide ? 1180 : 900,
            HEAD + ROW * p->targets);
    steep_figure_quote(out, title ? title : p->targets == 1 ? p->target[0] : "");
    fputs(" noenhanced font ',15'\n", out);
    for (size_t t = 0; t < p->targets; t++)
        for (size_t a = 0; a < AGAINST; a++)
            write_panel(out, p, t, a);
    fputs("    unset multiplot\n}\nunset output\n", out);
}

static steep_status read_tables(picture *p, const char *folder, steep_error *error)
{
    char *fits = steep_figure_text("%s/fits.csv", folder), *slopes = steep_figure_text("%s/slopes.csv", folder);
    steep_status status = fits && slopes ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for file names");
    if (status >= 0) status = steep_table_read(fits, &p->fits, error);
    if (status >= 0) status = steep_table_read(slopes, &p->slopes, error);
    if (status >= 0) status = find_columns(&p->fits, fits_column, FITS_COLUMNS, p->fit, error);
    if (status >= 0) status = find_columns(&p->slopes, slopes_column, SLOPES_COLUMNS, p->slope, error);
    free(fits);
    free(slopes);
    char *limits = steep_figure_text("%s/limits.csv", folder);
    if (status >= 0 && !limits) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for file names");
    if (status >= 0 && access(limits, R_OK) == 0) status = steep_table_read(limits, &p->limits, error);
    free(limits);
    if (status < 0) return status;
    size_t room = p->fits.rows + p->limits.rows + 1;
    p->series = calloc(room, sizeof *p->series);
    p->target = calloc(room, sizeof *p->target);
    p->size = calloc(room, sizeof *p->size);
    p->error = calloc(room, sizeof *p->error);
    if (!p->series || !p->target || !p->size || !p->error)
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for a figure of %zu rows", p->fits.rows);
    return STEEP_OK;
}

steep_status steep_figure_slopes(const char *folder, const char *title, steep_error *error)
{
    picture p = {.count = 0};
    steep_figure_file file;
    steep_status status = read_tables(&p, folder, error);
    if (status >= 0) {
        choose_error(&p);
        find_series(&p);
        if (!p.count) status = steep_fail(error, STEEP_BAD_INPUT, "%s holds no fit with an error to draw", p.fits.path);
    }
    if (status >= 0) {
        for (size_t i = 0; i < p.count; i++) {
            find_slopes(&p, &p.series[i]);
            find_limits(&p, &p.series[i]);
            for (size_t a = 0; a < AGAINST; a++) place(&p, &p.series[i], a);
        }
        choose_styles(&p);
        for (size_t t = 0; t < p.targets; t++) {
            size_t shown = 0;
            for (size_t i = 0; i < p.count; i++) shown += p.series[i].target == t;
            p.wide |= shown > INSIDE;
        }
        status = steep_figure_begin(folder, "slopes", &file, error);
    }
    if (status >= 0) {
        write_script(file.stream, &p, title);
        status = steep_figure_commit(&file, error);
    }
    steep_table_free(&p.fits);
    steep_table_free(&p.slopes);
    steep_table_free(&p.limits);
    free(p.series);
    free(p.target);
    free(p.size);
    free(p.error);
    return status < 0 ? status : steep_figure_run(folder, "slopes", error);
}
