/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure: what is drawn from a run's tables, and what is said when it cannot be. */
#define _GNU_SOURCE /* memmem */
#include "draw/figure.h"

#include "chance.h"
#include "base/clock.h"
#include "experiment.h"
#define STEEP_TEST_SETUP    make_folder
#define STEEP_TEST_TEARDOWN NULL
#include "scratch.h"

/* The columns that are read. */
static const char series_header[] =
    "target,title,series,arch,solver,start,width,params,error,low,high,seeds,floor,lower,predicted,theory,width_slope,"
    "width_low,width_high,width_law,params_slope,params_low,params_high,params_law,overfit\n";

static steep_error error;

/* A folder whose name gnuplot must quote. One at a time. */
static char folder[96];

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "%s/it's a \"run\"", scratch_make());
    ck_assert_int_eq(mkdir(folder, 0700), 0);
}

static const char *inside(const char *name)
{
    return scratch_path(folder, name);
}

static void put(const char *name, const char *text)
{
    scratch_write(inside(name), text, strlen(text));
}

static FILE *begin(const char *name)
{
    FILE *file = fopen(inside(name), "w");
    ck_assert_ptr_nonnull(file);
    return file;
}

/* The whole of a file in the folder, four at a time. */
static const char *get(const char *name)
{
    static char *text[4];
    static unsigned turn;
    turn = (turn + 1) % 4;
    free(text[turn]);
    text[turn] = scratch_read(inside(name), NULL);
    ck_assert_msg(text[turn] != NULL, "%s is not there", name);
    return text[turn];
}

static size_t length(const char *name)
{
    struct stat status;
    return stat(inside(name), &status) == 0 ? (size_t)status.st_size : 0;
}

static bool contains(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

/* Every one of the parts is in the text. */
static void check_parts(const char *text, const char *const *part)
{
    for (; *part; part++) ck_assert_msg(contains(text, *part), "no %s", *part);
}
#define HAS(text, ...) check_parts(text, (const char *const[]){__VA_ARGS__, NULL})

static size_t count_of(const char *text, const char *part)
{
    size_t found = 0;
    for (; (text = strstr(text, part)) != NULL; text++) found++;
    return found;
}

/* One row: error and quartiles (0: the error), seeds, floor, lower, predicted; theory's slope; slope, interval and
 * theory's line against width and parameters, where 0 stands for none; text columns as CSV has them. */
typedef struct row {
    const char *target, *series, *arch, *solver;
    int width, params, seeds;
    double error, low, high, floor, lower, predicted, theory, slope[2][3], law[2];
    bool overfit;
} row;

static double or_nan(double value)
{
    return value == 0 ? NAN : value;
}

/* Appends it to series.csv. */
static void put_row(row r)
{
    FILE *file = fopen(inside("series.csv"), "a");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "%s,%s,%s,%s,%s,uniform,%d,%d,%.17g,%.17g,%.17g,%d,%.17g,%.17g,%.17g,%.17g", r.target, r.target,
            r.series, r.arch, r.solver ? r.solver : "frozen", r.width, r.params, r.error, r.low > 0 ? r.low : r.error,
            r.high > 0 ? r.high : r.error, r.seeds, r.floor, r.lower, r.predicted, or_nan(r.theory));
    for (int a = 0; a < 2; a++)
        fprintf(file, ",%.17g,%.17g,%.17g,%.17g", or_nan(r.slope[a][0]), or_nan(r.slope[a][1]), or_nan(r.slope[a][2]),
                or_nan(r.law[a]));
    fprintf(file, ",%d\n", r.overfit);
    ck_assert_int_eq(fclose(file), 0);
}

/* A power law of order -2 (mlp, as theory says) or -3 (glu, half as high, no theory) at widths 1, 2, 4 .. 64. */
static row law(const char *target, int order, int width)
{
    bool mlp = order == 2;
    int params = (mlp ? 3 : 5) * width + 1;
    double level = mlp ? pow(width, -2) : 0.5 * pow(width, -3);
    const char *const name = mlp ? "mlp" : "glu:gelu";
    row r = {.target = target, .series = name, .arch = name, .width = width, .params = params};
    r.seeds = 1, r.error = level, r.floor = 1e-9, r.lower = r.predicted = NAN;
    if (mlp) r.theory = -2, r.law[0] = level, r.law[1] = 9 * pow(params, -2);
    for (int a = 0; a < 2; a++)
        for (int i = 0; i < (mlp ? 3 : 1); i++) r.slope[a][i] = mlp ? -2 + 0.012 * (i == 2) - 0.012 * (i == 1) : -3.14;
    return r;
}

/* Both laws, and a series without a usable fit. */
static void put_laws(const char *target)
{
    for (int order = 2; order <= 3; order++)
        for (int n = 1; n <= 64; n *= 2) put_row(law(target, order, n));
    row none = law(target, 3, 5);
    none.series = none.arch = "gqu";
    none.seeds = 0;
    none.error = NAN;
    put_row(none);
}

/* The header of series.csv, and rows as a text. */
static void put_series(const char *rows)
{
    FILE *file = begin("series.csv");
    fprintf(file, "%s%s", series_header, rows);
    ck_assert_int_eq(fclose(file), 0);
}

static void write_run(const char *target)
{
    put_series("");
    put_laws(target);
}

/* Refused with this status, naming these. */
static void refused(const steep_figure_options *options, steep_status status, const char *part, const char *another)
{
    check_says(steep_figure_slopes(folder, options, NULL, &error), status, part);
    ck_assert_msg(contains(error.text, another), "\"%s\" without \"%s\"", error.text, another);
}

/* The numbers of "array NAME[...] = [a, b, ...]" in a script. */
static size_t numbers(const char *script, const char *name, double *into, size_t room)
{
    char begin[64];
    snprintf(begin, sizeof begin, "\narray %s[", name);
    const char *at = strstr(script, begin);
    ck_assert_msg(at != NULL, "no array %s", name);
    size_t found = 0;
    for (at = strstr(at, "= [") + 3; found < room; at++) {
        char *end;
        into[found++] = strtod(at, &end);
        ck_assert(end > at);
        at = end;
        if (*at == ']') break;
    }
    return found;
}

typedef struct text_box {
    double left, right, top, bottom;
    const char *text;
} text_box;

enum { MOST_TEXTS = 2000 };

/* Characters without tags; an entity is one. */
static size_t count_letters(const char *at)
{
    size_t letters = 0;
    for (const char *end = strstr(at, "</text>"); at < end; at++) {
        if (*at == '<') at = strchr(at, '>');
        else {
            if (*at == '&') at = strchr(at, ';');
            letters += ((unsigned char)*at & 0xc0) != 0x80;
        }
    }
    return letters;
}

static size_t find_texts(const char *svg, text_box *box)
{
    size_t found = 0;
    for (const char *at = svg; (at = strstr(at, "<g transform=\"translate(")) != NULL; at++) {
        double x, y, size = 0;
        ck_assert_int_eq(sscanf(at, "<g transform=\"translate(%lf,%lf)", &x, &y), 2);
        const char *line_end = strchr(at, '\n'), *font = strstr(at, "font-size=\"");
        const char *text = strchr(strstr(at, "<text"), '>') + 1;
        if (!font || font > line_end) continue;
        sscanf(font, "font-size=\"%lf", &size);
        const char *anchor = strstr(at, "text-anchor=\""), *turned = strstr(at, "rotate(");
        char letter = anchor[strlen("text-anchor=\"")];
        text_box *b = &box[found];
        double wide = 0.55 * size * (double)count_letters(text);
        b->text = text;
        if (wide == 0) continue;
        ck_assert_uint_lt(++found, MOST_TEXTS);
        double before = letter == 's' ? 0 : letter == 'm' ? wide / 2 : wide;
        if (turned && turned < line_end)
            b->left = x - 0.75 * size, b->right = x, b->top = y - wide / 2, b->bottom = y + wide / 2;
        else b->left = x - before, b->right = b->left + wide, b->top = y - 0.7 * size, b->bottom = y;
    }
    return found;
}

/* No two texts one over the other, none beyond the picture. */
static void check_texts(const char *name)
{
    static text_box box[MOST_TEXTS];
    const char *svg = get(name);
    double wide, tall;
    ck_assert_int_eq(sscanf(strstr(svg, "viewBox="), "viewBox=\"0 0 %lf %lf", &wide, &tall), 2);
    size_t texts = find_texts(svg, box);
    ck_assert_uint_gt(texts, 10);
    for (size_t i = 0; i < texts; i++) {
        const text_box *b = &box[i];
        ck_assert_msg(b->left >= 0 && b->right <= wide && b->top >= 0 && b->bottom <= tall,
                      "\"%.40s\" leaves the picture: %g to %g of %g, %g to %g of %g", b->text, b->left, b->right, wide,
                      b->top, b->bottom, tall);
        for (size_t j = 0; j < i; j++)
            ck_assert_msg(b->left >= box[j].right || box[j].left >= b->right || b->top >= box[j].bottom ||
                              box[j].top >= b->bottom,
                          "%s: \"%.40s\" at %g, %g and \"%.40s\" at %g, %g overprint", name, b->text, b->left,
                          b->bottom, box[j].text, box[j].left, box[j].bottom);
    }
}

/* Draws, as SVG where no terminal is named; the script's text. */
static const char *draw_script(const steep_figure_options *options)
{
    steep_figure_options own = options ? *options : (steep_figure_options){0};
    char name[64];
    if (!own.terminal) own.terminal = "svg";
    check_says(steep_figure_slopes(folder, &own, NULL, &error), STEEP_OK, "");
    snprintf(name, sizeof name, "%s.gp", own.name ? own.name : "slopes");
    return get(name);
}

/* The same, and the texts of slopes.svg stand apart. */
static const char *draw(const steep_figure_options *options)
{
    const char *script = draw_script(options);
    check_texts("slopes.svg");
    return script;
}

/* Also by gnuplot alone, in the folder. */
START_TEST(slopes_are_drawn)
{
    write_run("runge3");
    ck_assert_int_eq(steep_figure_slopes(folder, NULL, NULL, NULL), STEEP_OK);
    const char *script = get("slopes.gp");
    HAS(script, "'mlp' . '  −2.00 ± 0.01'", "'mlp' . '  $-$2.00 $\\pm$ 0.01'",
        "'glu:gelu' . '  −3.14'" /* no interval */, "order[2] = [2, 0]" /* theory names none */);
    ck_assert(!contains(script, "gqu")); /* a series without an error is none */
    ck_assert(length("slopes.png") > 10000 && length("slopes.pdf") > 5000);
    check_texts("slopes.svg");
    const char *svg = get("slopes.svg");
    HAS(svg, "</svg>", "mlp  −2.00 ± 0.01", ">runge3<", "slope of theory");
    ck_assert(!contains(svg, "quartiles") && !contains(svg, "no network below"));
    unlink(inside("slopes.svg"));
    ck_assert(chdir(folder) == 0 && system("gnuplot slopes.gp") == 0 && chdir("/") == 0);
    ck_assert_str_eq(svg, get("slopes.svg"));
}

/* The triangle of each order is along theory's line, which stands at 3 n^-2 and 0.5 n^-3. */
static void check_triangles(const char *script)
{
    static const char *const names[] = {"tip_x", "foot_x", "tip_y", "foot_y", "side"};
    double from[2][2], to[2][2], at[5][4];
    for (int i = 0; i < 5; i++) ck_assert_uint_eq(numbers(script, names[i], at[i], 4), 4);
    numbers(script, "x_from", from[0], 2), numbers(script, "x_to", to[0], 2);
    numbers(script, "y_from", from[1], 2), numbers(script, "y_to", to[1], 2);
    const double wide = log(to[0][0] / from[0][0]), tall = log(to[1][0] / from[1][0]), *side = at[4];
    ck_assert(side[0] != 0 && side[1] != 0 && side[3] == 0); /* glu: no line against parameters */
    for (int i = 0; i < 2; i++) {
        const double order = 2 + i, x = from[0][0] * exp(at[0][i] * wide), y = from[1][0] * exp(at[2][i] * tall);
        check_close((at[3][i] - at[2][i]) * tall / ((at[1][i] - at[0][i]) * wide), -order, 1e-6);
        check_close(log(y / ((i ? 0.5 : 3) * pow(x, -order))) / tall, 0.035 * side[i], 1e-6);
    }
}

/* gnuplot leaves out what has no room: the legend has a row more where its columns are wide. */
START_TEST(theory_and_the_legend_are_all_there)
{
    static const double widths[] = {0, 8.5, 12, 20};
    for (int seeds = 1; seeds <= 5; seeds += 4) {
        put_series("");
        for (int order = 2; order <= 3; order++)
            for (int n = 8; n <= 64; n *= 2) {
                row r = law("\"min(x,0.5)\"", order, n);
                r.theory = -order;
                r.law[0] = (order == 2 ? 3 : 1) * r.error;
                r.floor = 0.5 * r.error;
                if (order == 2) r.predicted = 3 * r.error, r.lower = seeds > 1 ? 0.1 * r.error : NAN;
                r.overfit = order == 3 && n == 64;
                r.seeds = seeds;
                put_row(r);
            }
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            const char *script = draw(&(steep_figure_options){.width = widths[w]}), *svg = get("slopes.svg");
            HAS(svg, "<text>theory<", "<text>slope of theory<", "<text>overfits, left out<", "<text>rounding floor<");
            if (seeds > 1) HAS(svg, "<text>no network below<", "<text>quartiles of the seeds<");
            else check_triangles(script);
        }
    }
}

static const char *const colours[] = {"rgb(  0, 114, 178)", "rgb(213,  94,   0)", "rgb(  0, 158, 115)",
                                      "rgb(204, 121, 167)", "rgb(230, 159,   0)", "rgb( 86, 180, 233)"};
static const char *const filled[] = {"gpPt6'", "gpPt4'", "gpPt8'", "gpPt12'", "gpPt10'", "gpPt14'"};
static const char *const hollow_marks[] = {"gpPt5'", "gpPt3'", "gpPt7'", "gpPt11'", "gpPt9'", "gpPt13'"};
enum { MOST_SERIES = 15, MOST_WIDTHS = 8, MOST_MARKS = 12 };

/* A series as it was written, and what it must look like. */
typedef struct drawn {
    const char *arch, *solver;
    size_t widths, colour, mark, method;
    bool several; /* seeds */
    row row[MOST_WIDTHS];
} drawn;

/* The frame of a picture's panel, in its units, and the ends of its axes. */
typedef struct frame {
    double left, right, top, bottom, x_from, x_to, y_from, y_to;
} frame;

static frame find_frame(const char *script, const char *svg)
{
    frame f;
    double other[2];
    numbers(script, "x_from", &f.x_from, 1);
    numbers(script, "x_to", &f.x_to, 1);
    numbers(script, "y_from", &f.y_from, 1);
    numbers(script, "y_to", &f.y_to, 1);
    for (const char *at = svg; (at = strstr(at, "d='M")) != NULL; at++)
        if (sscanf(at, "d='M%lf,%lf L%lf,%lf L%lf,%lf M", &f.left, &f.top, &other[0], &f.bottom, &f.right, &other[1]) ==
                6 &&
            other[0] == f.left && other[1] == f.bottom)
            return f;
    ck_abort_msg("no frame");
}

static void place(const frame *f, double x, double y, double at[2])
{
    at[0] = f->left + (f->right - f->left) * log(x / f->x_from) / log(f->x_to / f->x_from);
    at[1] = f->bottom + (f->top - f->bottom) * log(y / f->y_from) / log(f->y_to / f->y_from);
}

static bool close_to(const double a[2], const double b[2])
{
    return fabs(a[0] - b[0]) < 0.05 && fabs(a[1] - b[1]) < 0.05;
}

/* The places of all marks of this shape (NULL: any) and colour, in the order in which they are drawn. */
static size_t find_marks(const char *svg, const char *shape, const char *colour, double (*at)[2])
{
    char begin[64];
    size_t found = 0;
    snprintf(begin, sizeof begin, "<use xlink:href='#%s", shape ? shape : "");
    for (const char *mark = svg; (mark = strstr(mark, begin)) != NULL; mark++) {
        const char *end = strchr(mark, '\n'), *own = strstr(mark, colour);
        if (!own || own > end) continue;
        ck_assert_uint_lt(found, MOST_MARKS);
        ck_assert_int_eq(sscanf(strstr(mark, "translate("), "translate(%lf,%lf)", &at[found][0], &at[found][1]), 2);
        found++;
    }
    return found;
}

/* Whether there is a line of this colour and dash through these points and no others, which meets as many at least. */
static bool is_line(const char *svg, const char *colour, const char *dash, double (*at)[2], size_t count, size_t least)
{
    char begin[120];
    snprintf(begin, sizeof begin, "<path stroke='%s'%s  d='", colour, dash);
    for (const char *line = svg; (line = strstr(line, begin)) != NULL; line++) {
        size_t points = 0, met = 0;
        for (const char *c = line + strlen(begin); *c != '/'; c++) {
            double p[2];
            if (sscanf(c, *c == 'M' ? "M%lf,%lf" : "L%lf,%lf", &p[0], &p[1]) != 2) continue;
            points++;
            for (size_t i = 0; i < count; i++) met += close_to(p, at[i]);
        }
        if (met == points && met >= least) return true;
    }
    return false;
}

/* The lines that a series may have, and their dashes; what was measured has one of its method. */
enum { MEASURED, PREDICTED_LINE, LAW_LINE, BOUND, LINES };
#define DASH(lengths) " stroke-dasharray='" lengths "'"
static const char *const dashes[] = {"", DASH("6.5,4.5"), DASH("6.5,2.6,1.3,2.6"), DASH("1.0,2.5")};
static const char *const method_dashes[] = {"", DASH("10.5,3.5"), DASH("4.9,3.1")};

static double height_of(const row *r, int line)
{
    if (line == MEASURED) return r->overfit ? NAN : r->error;
    if (line == BOUND) return r->lower;
    if (line == PREDICTED_LINE) return r->predicted;
    return isnan(r->predicted) ? or_nan(r->law[0]) : NAN;
}

/* The line is there through all its numbers, of which neighbours are joined; false: it has no numbers. */
static bool check_line(const char *svg, const frame *f, const drawn *d, int line)
{
    double at[MOST_WIDTHS][2];
    size_t count = 0, joined = 0;
    for (size_t i = 0; i < d->widths; i++) {
        const double height = height_of(&d->row[i], line);
        const bool before = i > 0 && !isnan(height_of(&d->row[i - 1], line));
        const bool after = i + 1 < d->widths && !isnan(height_of(&d->row[i + 1], line));
        if (isnan(height)) continue;
        place(f, d->row[i].width, height, at[count++]);
        joined += before || after;
    }
    const char *dash = line == MEASURED ? method_dashes[d->method] : dashes[line];
    ck_assert_msg(joined == 0 || is_line(svg, colours[d->colour], dash, at, count, joined), "no line %d of %s, %s",
                  line, d->arch, d->solver);
    return joined > 0;
}

/* Every mark where its numbers are, the hollow ones at an edge where they are beyond it; a filled one more in the
 * key, and no other of the shape and colour. */
static void check_marks(const char *svg, const frame *f, const drawn *d)
{
    for (int hollow = 0; hollow < 2; hollow++) {
        double mark[MOST_MARKS][2], at[2];
        const size_t marks = find_marks(svg, (hollow ? hollow_marks : filled)[d->mark], colours[d->colour], mark);
        size_t wanted = 0, found = 0;
        for (const row *r = d->row; r < d->row + d->widths; r++) {
            if (r->overfit != hollow || isnan(r->error)) continue;
            place(f, r->width, r->error, at);
            if (hollow) at[1] = fmax(f->top, fmin(f->bottom, at[1]));
            for (size_t m = 0; m < marks; m++) found += close_to(mark[m], at);
            ck_assert_msg(found == ++wanted, "no mark %zu of %s, %s at width %d, %g", d->mark, d->arch, d->solver,
                          r->width, r->error);
        }
        ck_assert_uint_eq(marks, wanted + !hollow);
    }
}

/* Within the panel no line of what was measured runs through a row of the key: its text, and its sample beside it. */
static void check_keys(const char *svg, const frame *f, const drawn *d, size_t count)
{
    const double em = 13, steps = 100;
    for (size_t key = 0; key < count; key++) {
        char label[80];
        double x, y, left;
        snprintf(label, sizeof label, "\">%s, %s", d[key].arch, d[key].solver);
        const char *text = strstr(svg, label), *at = svg, *next;
        ck_assert_msg(text != NULL, "no key %s", label);
        while ((next = strstr(at + 1, "translate(")) != NULL && next < text) at = next;
        ck_assert_int_eq(sscanf(at, "translate(%lf,%lf)", &x, &y), 2);
        ck_assert(sscanf(strstr(text, "d='M"), "d='M%lf", &left) == 1 && left < x && left > x - 3 * em);
        const double right = x + 0.4 * em * (double)(strchr(text, '<') - text - 2);
        for (size_t i = 0; i < count; i++)
            for (size_t w = 1; w < d[i].widths && !d[i].row[w].overfit; w++)
                for (double k = 0; k <= steps && !isnan(d[i].row[w - 1].error + d[i].row[w].error); k++) {
                    double a[2], b[2];
                    place(f, d[i].row[w - 1].width, d[i].row[w - 1].error, a);
                    place(f, d[i].row[w].width, d[i].row[w].error, b);
                    const double p[2] = {a[0] + (b[0] - a[0]) * k / steps, a[1] + (b[1] - a[1]) * k / steps};
                    ck_assert_msg(p[0] < left || p[0] > right || p[1] < y - 0.75 * em || p[1] > y + 0.2 * em,
                                  "the line of %s, %s runs through the key of %s", d[i].arch, d[i].solver, label);
                }
    }
}

/* The axis of errors is that of the widths that do not overfit, with their quartiles: a factor, or a part of what they
 * span, wider. */
static void check_range(const frame *f, const drawn *d, size_t count)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t w = 0; w < d[i].widths; w++) {
            if (d[i].row[w].overfit || isnan(d[i].row[w].error)) continue;
            least = fmin(least, d[i].several ? d[i].row[w].low : d[i].row[w].error);
            most = fmax(most, d[i].several ? d[i].row[w].high : d[i].row[w].error);
        }
    const double room = 2.5 * pow(most / least, 0.06);
    ck_assert(f->y_to > most && f->y_to < room * most && f->y_from < least && f->y_from > least / room);
}

/* Powers of random order, with theory of its own, without, predicted or not, some widths that overfit at the end; of
 * one seed, or of several with their quartiles, and no usable fit at some widths. */
static void draw_series(steep_random *random, drawn *d)
{
    const size_t kind = chance_below(random, 3), overfit = chance_below(random, 3);
    const double order = -chance_within(random, 0.3, 4), theory = -1 - (double)chance_below(random, 4);
    const double scale = exp(chance_within(random, -2, 2)), beyond = exp(chance_within(random, 0, 9));
    d->widths = 4 + chance_below(random, MOST_WIDTHS - 3);
    d->several = chance_below(random, 2);
    for (size_t i = 0; i < d->widths; i++) {
        row *r = &d->row[i];
        const int n = 4 << i;
        *r = law("runge3", 3, n);
        r->series = d->arch, r->arch = d->arch, r->solver = d->solver;
        r->overfit = i + overfit >= d->widths;
        r->error = scale * pow(n, order) * exp(chance_within(random, -0.3, 0.3)) * (r->overfit ? beyond : 1);
        r->floor = 1e-4 * r->error;
        r->lower = chance_below(random, 4) ? 0.3 * r->error : NAN;
        r->theory = kind ? theory : 0;
        r->law[0] = kind ? 2 * scale * pow(n, theory) : 0;
        r->predicted = kind == 2 ? 3 * scale * pow(n, theory) : NAN;
        if (d->several) r->seeds = 5, r->low = 0.8 * r->error, r->high = 2 * r->error;
        if (d->several && i > 0 && i + 1 < d->widths && !r->overfit && chance_below(random, 6) == 0)
            r->seeds = 0, r->error = NAN;
    }
}

/* Names: the first three have colours of their own, the others follow; looks from the order of appearance. */
static size_t draw_all(steep_random *random, drawn *d)
{
    static const char *const archs[] = {"mlp", "glu", "gqu", "own", "la:gelu"};
    static const char *const solvers[] = {"lm", "frozen", "newton"};
    const size_t most = 1 + chance_below(random, 3), begin = chance_below(random, 5);
    size_t count = 0, methods = 0, others = 3, method_of[3] = {9, 9, 9}, colour_of[5] = {0, 1, 2, 9, 9};
    for (size_t k = 0; k < 5; k++)
        for (size_t m = 0; m < most; m++) {
            const size_t arch = (begin + k) % 5;
            if (count > 0 && chance_below(random, 3) == 0) continue;
            if (method_of[m] == 9) method_of[m] = methods++;
            if (colour_of[arch] == 9) colour_of[arch] = others++;
            d[count++] =
                (drawn){.arch = archs[arch], .solver = solvers[m], .colour = colour_of[arch], .method = method_of[m]};
        }
    for (size_t i = 0; i < count; i++) {
        d[i].mark = methods > 1 ? d[i].method : d[i].colour;
        draw_series(random, &d[i]);
    }
    return count;
}

/* Marks in the picture's own frame; lines in one that holds all of them. */
START_TEST(lines_lie_where_their_numbers_are)
{
    const steep_figure_options own = {.against = 'n'}, all = {.against = 'n', .ylim = {1e-14, 1e6}};
    steep_random random = chance_start(2);
    for (size_t c = 0; c < chance_cases(6); c++) {
        drawn d[MOST_SERIES];
        char label[MOST_SERIES][64];
        put_series("");
        const size_t count = draw_all(&random, d);
        for (size_t i = 0; i < count; i++) {
            snprintf(label[i], sizeof label[i], "\"%s, %s\"", d[i].arch, d[i].solver);
            for (size_t w = 0; w < d[i].widths; w++) d[i].row[w].series = label[i], put_row(d[i].row[w]);
        }
        const char *script = draw(&own), *svg = get("slopes.svg");
        frame f = find_frame(script, svg);
        double several[MOST_SERIES];
        ck_assert_uint_eq(numbers(script, "several", several, MOST_SERIES), count);
        for (size_t i = 0; i < count; i++) check_close(several[i], d[i].several, 0);
        check_range(&f, d, count);
        check_keys(svg, &f, d, count);
        for (size_t i = 0; i < count; i++) check_marks(svg, &f, &d[i]);
        script = draw(&all), svg = get("slopes.svg");
        f = find_frame(script, svg);
        for (int line = 0; line < LINES; line++) {
            size_t lines = 0;
            for (size_t i = 0; i < count; i++) lines += check_line(svg, &f, &d[i], line);
            if (line == PREDICTED_LINE || line == LAW_LINE) /* no others, but for the legend */
                ck_assert_uint_eq(count_of(svg, dashes[line]), lines + (lines > 0));
        }
    }
}

/* Each target has its heading, and nothing lies over anything, at any width and whatever is left of the panels. */
START_TEST(each_target_has_its_heading)
{
    static const char *const targets[] = {"cosine_well", "exp(-x)*cos(8*x)", "x^2"};
    write_run("cosine_well");
    for (int i = 1; i < 3; i++) put_laws(targets[i]);
    static const double widths[] = {0, 8.5, 12, 17};
    static const char against[] = {0, 'n', 'P'};
    steep_random random = chance_today(2);
    for (size_t k = 0, cases = chance_cases(4); k < cases; k++) {
        draw(&(steep_figure_options){.width = widths[k % 4], .against = against[chance_below(&random, 3)]});
        const char *svg = get("slopes.svg");
        ck_assert_uint_eq(count_of(svg, ">cosine_well<"), 1);
        ck_assert_uint_eq(count_of(svg, ">) cos(8\u2009<") + count_of(svg, ">)\u2009cos(8\u2009<"), 1);
    }
    draw(&(steep_figure_options){.title = "three of them"});
    ck_assert(contains(get("slopes.svg"), ">three of them<"));
}

/* A key stands inside only where every panel has a free corner. */
START_TEST(keys_stand_alike)
{
    write_run("runge3");
    ck_assert(contains(draw(NULL), "corner[2] = [1, 1]"));
    for (int n = 1; n <= 64; n *= 2) { /* up and down: a line through every corner */
        row r = law("x^2", 2, n);
        r.error = n % 3 == 1 ? 1 : 1e-4;
        put_row(r);
    }
    ck_assert(contains(draw(NULL), "corner[4] = [0, 0, 0, 0]"));
}

/* The first 20 targets of 21, in panels against n and P, and a title that says so; not where there is another. */
START_TEST(of_many_targets_the_first_are_drawn)
{
    put_series("");
    for (int i = 0; i < 21; i++)
        for (int n = 1; n <= 64; n *= 2) {
            char target[16];
            snprintf(target, sizeof target, "x^%d", i + 1);
            put_row(law(target, 2, n));
        }
    const char *script = draw(NULL);
    HAS(script, "title = 'the first 20 of 21 targets'", "array heading[40]");
    ck_assert(!contains(draw(&(steep_figure_options){.title = "own", .against = 'n'}), "the first 20"));
}

/* Ten series with long labels: the keys stand below, in a column or more, the labels cut where they must be. */
START_TEST(keys_of_many_series_stand_below)
{
    put_series("");
    for (int i = 0; i < 10; i++)
        for (int n = 1; n <= 64; n *= 2) {
            char label[64];
            row r = law("runge3", 2, n);
            snprintf(label, sizeof label, "unit_%d_%.*s", i, 3 * i, "with_a_long_name_that_goes_on_and_on");
            r.series = r.arch = label;
            r.error = r.error * pow(1.3, i);
            put_row(r);
        }
    static const double widths[] = {5, 0, 8.5, 17};
    for (int w = 0; w < 4; w++) {
        draw(&(steep_figure_options){.width = widths[w]});
        if (w > 0) ck_assert_uint_ge(count_of(get("slopes.svg"), ">unit_3_"), 2);
    }
    ck_assert(contains(get("slopes.gp"), "…"));
}

/* A gnuplot that is found before the others: a script for sh, $2 its NAME.gp. */
static void fake_gnuplot(const char *script)
{
    char text[600], search[300];
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", script);
    put("gnuplot", text);
    ck_assert_int_eq(chmod(inside("gnuplot"), 0700), 0);
    snprintf(search, sizeof search, "%s:/usr/bin:/bin", folder);
    setenv("PATH", search, 1);
}

/* Empty pictures, for tests of the script alone. */
#define SVG "echo '</svg>' >${2%.gp}.svg; "
#define PDF "echo '%%EOF' >${2%.gp}.pdf; "
#define PNG "printf 'IEND\\256B`\\202' >${2%.gp}.png; "

/* Series by label, by architecture, by a label with a comma and a blank; the exact label before what it begins. */
START_TEST(series_are_chosen_by_label_or_architecture)
{
    put_series("");
    static const char *const labels[] = {"mlp", "mlp:tanh", "\"glu, lm\"", "\"glu, newton\"", "\"min(z1,z2)\""};
    static const char *const archs[] = {"mlp", "mlp", "glu", "glu", "own"};
    static const char *const solvers[] = {"frozen", "frozen", "lm", "newton", "lm"};
    for (int i = 0; i < 5; i++)
        for (int n = 1; n <= 4; n *= 2) {
            row r = law("runge3", 2, n);
            r.series = labels[i], r.arch = archs[i], r.solver = solvers[i];
            put_row(r);
        }
    static const struct {
        const char *arch, *shown; /* one letter a label, as above: m t l n o */
    } cases[] = {{NULL, "mtlno"},           {"mlp", "m"},        {"mlp:tanh", "t"},     {"glu", "ln"}, {"glu, lm", "l"},
                 {"glu, newton,mlp", "mn"}, {"min(z1,z2)", "o"}, {"own,mlp:tanh", "to"}};
    fake_gnuplot(SVG);
    static const char *const texts[] = {"'mlp'", "'mlp:tanh'", "'glu, lm'", "'glu, newton'", "'min(z1,z2)'"};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const char *script = draw_script(&(steep_figure_options){.arch = cases[c].arch, .against = 'n'});
        for (int i = 0; i < 5; i++)
            ck_assert_msg(contains(script, texts[i]) == (strchr(cases[c].shown, "mtlno"[i]) != NULL), "%s: %s",
                          cases[c].arch, texts[i]);
    }
    refused(&(steep_figure_options){.arch = "glu,gqu"}, STEEP_BAD_INPUT, "\"gqu\"", "series.csv");
    refused(&(steep_figure_options){.arch = ""}, STEEP_BAD_INPUT, "series", "arch");
}

START_TEST(every_terminal_has_its_files_and_size)
{
    write_run("runge3");
    draw_script(&(steep_figure_options){.width = 8.5, .name = "column.1", .terminal = "svg,pdf,tikz,cairolatex"});
    static const char *const made[] = {".gp", ".svg", ".pdf", "-tikz.tex", "-cairolatex.tex", "-cairolatex.pdf"};
    for (int i = 0; i < 6; i++) {
        char name[40];
        snprintf(name, sizeof name, "column.1%s", made[i]);
        ck_assert_msg(length(name) > 1000, "no %s", name);
    }
    ck_assert_uint_eq(length("column.1.png") + length("slopes.svg"), 0);
    const char *svg = get("column.1.svg");
    HAS(svg, "width=\"321\"" /* 8.5 cm at 96 to the inch */, "font-size=\"11.33\"");
    check_texts("column.1.svg");
    const char *box = memmem(get("column.1.pdf"), length("column.1.pdf"), "MediaBox [ 0 0 ", 15);
    ck_assert_ptr_nonnull(box);
    check_close(strtod(box + 15, NULL), 8.5 / 2.54 * 72, 1);
    const char *tex = get("column.1-tikz.tex");
    HAS(tex, "rectangle (8.5", "$10^{-2}$", "$-$2.00 $\\pm$ 0.01", "width $n$");
    ck_assert(!contains(tex, "Italic") && !contains(tex, "−"));
    HAS(get("column.1-cairolatex.tex"), "column.1-cairolatex", "$10^{-2}$", "parameters $P$");
    HAS(draw(&(steep_figure_options){.against = 'P'}), "array against[1] = [1]", "panels = 1;");
}

START_TEST(wrong_options_are_refused)
{
    write_run("runge3");
    refused(&(steep_figure_options){.against = 'x'}, STEEP_BAD_INPUT, "\"x\"", "use n, P");
    static const double widths[] = {NAN, -1, 4.9, 101, INFINITY};
    for (int i = 0; i < 5; i++) refused(&(steep_figure_options){.width = widths[i]}, STEEP_BAD_INPUT, "width", "cm");
    static const double limits[][2] = {{0, 1}, {-1, 2}, {2, 1}, {1, 1}, {1, INFINITY}, {NAN, 1}, {1, NAN}};
    for (int i = 0; i < 7; i++) {
        refused(&(steep_figure_options){.xlim = {limits[i][0], limits[i][1]}}, STEEP_BAD_INPUT, "xlim", "positive");
        refused(&(steep_figure_options){.ylim = {limits[i][0], limits[i][1]}}, STEEP_BAD_INPUT, "ylim", "positive");
    }
    refused(&(steep_figure_options){.by = "width"}, STEEP_BAD_INPUT, "\"width\"", "solver, arch or start");
    static const char *const terminals[] = {"", "svg,", "gif", "svg pdf", "SVG", "svg,,pdf"};
    for (int i = 0; i < 6; i++)
        refused(&(steep_figure_options){.terminal = terminals[i]}, STEEP_BAD_INPUT, "terminal", "cairolatex");
    static const char *const names[] = {"", "a/b", "it's", ".hidden", "a b", "-x"};
    for (int i = 0; i < 6; i++) refused(&(steep_figure_options){.name = names[i]}, STEEP_BAD_INPUT, "name", names[i]);
    static const char *const titles[] = {"\377\n\001", "a\303", "\355\240\200", "\300\200", "caf\303\251 \351"};
    static const char *const bytes[] = {"byte 1 ", "byte 2 ", "byte 1 ", "byte 1 ", "byte 7 "};
    for (int i = 0; i < 5; i++)
        refused(&(steep_figure_options){.title = titles[i]}, STEEP_BAD_INPUT, bytes[i], "UTF-8");
    ck_assert_uint_eq(length("slopes.gp"), 0);
}

/* What follows seeds in a row without theory and slopes. */
#define NONE ",nan,nan,nan,nan,nan,nan,nan,nan,nan,nan,nan,nan,0\n"

/* Commas, quotes, percent signs, braces in names and titles; all rows of a quoted name are drawn. */
START_TEST(odd_names_are_drawn_as_they_are)
{
#define MIN "\"min(x,0.5)\",\"min(x,0.5)\","
#define BY  ",mlp,lm,uniform,"
    static const char nasty[] = "Bob's 100 % \"test\" {x}_1^2 \\ @ & ~ $#\n<b>";
    put_series(MIN "it's % {a}_b" BY "2,7,0.2,0.2,0.2,1" NONE                             /* */
                   MIN "it's % {a}_b" BY "4,13,0.02,0.02,0.02,1" NONE                     /* */
                       MIN "\"say b, c\357\277\277\377\"" BY "4,13,0.03,0.03,0.03,1" NONE /* */
                   "x^2,x^2,it's % {a}_b" BY "4,13,0.02,0.02,0.02,1" NONE);
    const char *script = draw(&(steep_figure_options){.title = nasty, .terminal = "svg,tikz,pdf"}),
               *svg = get("slopes.svg");
    HAS(script, "'it' . \"'\" . 's % {a}_b'", "'say b, c\357\277\275\357\277\275'" /* U+FFFF, and no character */);
    HAS(svg, "Bob's 100 % \"test\" {x}_1^2 \\ @ &amp; ~ $# &lt;b>");
    ck_assert_uint_eq(count_of(svg, "' transform='translate("), 2 * (4 + 3)); /* points and those of the keys */
    HAS(get("slopes-tikz.tex"), "it's \\% \\{a\\}\\_b", "Bob's 100 \\% \"test\" \\{x\\}\\_1\\char`\\^{}2");
    /* A title longer than the picture is cut. */
    char long_title[400];
    memset(long_title, 'w', sizeof long_title - 1);
    long_title[sizeof long_title - 1] = 0;
    draw(&(steep_figure_options){.title = long_title, .width = 8.5});
    ck_assert(contains(get("slopes.svg"), "www…"));
}

static void write_fit(void)
{
    FILE *residuals = begin("residuals.csv"), *units = begin("units.csv");
    fputs("x,y,network,residual\n", residuals);
    fputs("x,unit_1,unit_2\n", units);
    for (int i = 0; i <= 4000; i++) {
        double x = -1 + i / 2000.0;
        fprintf(residuals, "%.17g,%.17g,%.17g,%.17g\n", x, x * x, fabs(x), fabs(x) - x * x);
        fprintf(units, "%.17g,%.17g,%.17g\n", x, fmax(x, 0), fmax(-x, 0));
    }
    ck_assert_int_eq(fclose(residuals) | fclose(units), 0);
    put("gates.csv", "knot,sign\n0,1\n-7,1\n0,-1\n");
}

/* A slope that its interval, wider than the slope, leaves open is not printed; a narrow interval has three decimals. */
START_TEST(slopes_are_printed_with_their_intervals)
{
    static const struct {
        double slope[3];
        const char *text;
    } cases[] = {{{-2, -2.3, -1.8}, "−2.00 ± 0.30"},
                 {{-2, -2.1, -1.55}, "−2.00 ± 0.45"},
                 {{-2, -3, -1.01}, "−2.00 ± 1.00"},
                 {{-2, -3, -0.99}, "slope unknown"},
                 {{-0.4, -0.4, 0.1}, "slope unknown"},
                 {{-2, -2.0096, -1.9999}, "−2.00 ± 0.01"},
                 {{-2.0004, -2.0014, -1.9994}, "−2.000 ± 0.001"},
                 {{0.5, 0.5, 0.5}, "0.500 ± 0.001"}};
    fake_gnuplot(SVG);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int against = 0; against < 2; against++) {
            char text[64];
            row r = law("runge3", 2, 4);
            memcpy(r.slope[against], cases[c].slope, sizeof r.slope[against]);
            put_series("");
            put_row(r);
            snprintf(text, sizeof text, "key[1] = 'mlp' . '  %s'", cases[c].text);
            const char *script = draw_script(&(steep_figure_options){.against = "nP"[against]});
            text[4] = (char)('1' + against); /* texts against P stand behind those against n */
            ck_assert_msg(contains(script, text), "no %s", text);
        }
}

/* Panels of its own for each solver, architecture or start: each has the series of one, all have the same axes,
 * nothing is printed over anything. */
START_TEST(panels_are_by_what_is_chosen)
{
    static const char *const archs[] = {"mlp", "glu", "gqu", "own"}, *const solvers[] = {"frozen", "lm", "newton"};
    static const char *const by[] = {"solver", "arch", "start", NULL};
    static const size_t groups[] = {3, 4, 1, 1};
    put_series("");
    for (size_t i = 0; i < 12; i++)
        for (int n = 4; n <= 64; n *= 2) {
            char label[40];
            row r = law("x^2", 2, n);
            snprintf(label, sizeof label, "\"%s, %s\"", archs[i / 3], solvers[i % 3]);
            r.arch = archs[i / 3], r.solver = solvers[i % 3], r.series = label;
            r.error = r.error * pow(1.7, (double)i);
            put_row(r);
        }
    for (size_t k = 0; k < 4; k++) {
        const bool both = k % 2 == 0;
        const char *script = draw(&(steep_figure_options){.by = by[k], .against = both ? 0 : 'n'});
        double from[8], to[8], low[8], high[8];
        const size_t panels = numbers(script, "from", from, 8);
        ck_assert_uint_eq(panels, groups[k] * (both ? 2 : 1));
        numbers(script, "to", to, 8);
        numbers(script, "y_from", low, 8);
        numbers(script, "y_to", high, 8);
        for (size_t q = 0; q < panels; q++) {
            check_close(to[q] - from[q] + 1, 12.0 / (double)groups[k], 0);
            ck_assert(low[q] == low[0] && high[q] == high[0]);
        }
        ck_assert_int_eq(contains(script, "' . ', ' . 'newton'"), k == 0);
        ck_assert_int_eq(contains(script, "' . ', ' . 'own'"), k == 1);
    }
}

START_TEST(limits_are_kept_and_theory_left_out)
{
    write_run("runge3");
    HAS(draw(&(steep_figure_options){.xlim = {2, 500}, .ylim = {1e-7, 3}, .no_theory = true}), "x_from[2] = [2, 2]",
        "x_to[2] = [500, 500]", "y_from[2] = [1e-07, 1e-07]", "y_to[2] = [3, 3]", "side[4] = [0, 0, 0, 0]",
        "order[2] = [0, 0]");
    ck_assert(!contains(get("slopes.svg"), "theory"));
    static const double ends[][2] = {
        {1e-300, 1e300}, {1e5, 1e6}, {1, 1.0000001}, {1e-320, 1}}; /* also where nothing lies */
    for (int i = 0; i < 8; i++) {
        const double *e = ends[i / 2], none[2] = {0, 0}, *across = i % 2 ? e : none, *up = i % 2 ? none : e;
        draw(&(steep_figure_options){
            .xlim = {across[0], across[1]}, .ylim = {up[0], up[1]}, .against = "nP"[(i + i / 2) % 2]});
    }
}

static steep_status fit_of_folder(void)
{
    return steep_figure_fit(folder, NULL, "svg", NULL, &error);
}

static steep_status map_of_folder(void)
{
    return steep_figure_map(folder, NULL, NULL, NULL, NULL, &error);
}

static steep_status separation_of_folder(void)
{
    return steep_figure_separation(folder, NULL, &error);
}

START_TEST(fit_is_drawn)
{
    write_fit();
    check_says(steep_figure_fit(folder, "two units", STEEP_FIGURE_TERMINALS, NULL, &error), STEEP_OK, "");
    HAS(get("fit.gp"), "units = 2; gates = 3; thin = 3; thin_units = 3; title = 'two units'");
    ck_assert(length("fit.png") > 10000 && length("fit.pdf") > 5000);
    const char *svg = get("fit.svg");
    HAS(svg, "two units", ">−1<"); /* residual / 10^-1: the largest is 0.25 */
    size_t with_gates = count_of(svg, "<path");
    unlink(inside("gates.csv")); /* optional */
    check_says(fit_of_folder(), STEEP_OK, "");
    ck_assert_uint_lt(count_of(get("fit.svg"), "<path"), with_gates);
    put("residuals.csv", "x,y,network,residual\n0,0,0,0\n0,0,0,0\n1,0,0,0\n"); /* two in one place; all 0 */
    put("units.csv", "x,unit\n0,0\n1,0\n");
    put("gates.csv", "knot,sign\n");
    check_says(fit_of_folder(), STEEP_OK, "");
}

/* A surface of 5 by 4 with its target or without, points in dim dimensions, some lines. */
static void write_map(bool known, bool flat, double height, size_t lines)
{
    FILE *surface = begin("surface.csv"), *points = begin("residuals.csv"), *gates = begin("gates.csv");
    fprintf(surface, "x1,x2,network%s\n", known ? ",target,residual" : "");
    for (int k = 0; k < 20; k++) {
        const int line = k / 5;
        const double x = k % 5, y = line, f = height * sin(x + y);
        fprintf(surface, "%s%g,%g,%g", k > 0 && k % 5 == 0 ? "\n" : "", x, y, f);
        if (known) fprintf(surface, ",%g,%g", 0.9 * f, 0.1 * f);
        fputs("\n", surface);
    }
    fprintf(points, "x1,x2,%sy,network,residual\n", flat ? "" : "x3,");
    for (int k = 0; k < 90; k++)
        fprintf(points, "%g,%g,%s%g,%g,%g\n", k / 90.0, k % 9 / 9.0, flat ? "" : "1,", height * k, height * k + 1, 1.0);
    fputs("unit,from1,from2,to1,to2\n", gates);
    for (size_t i = 0; i < lines; i++) fprintf(gates, "%zu,0,%zu,4,1\n", i + 1, i);
    ck_assert(fclose(surface) == 0 && fclose(points) == 0 && fclose(gates) == 0);
}

START_TEST(maps_are_drawn)
{
    static const int cases[] = {0, 6, 9}; /* each property with and without */
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char says[120];
        const int i = cases[c];
        const bool known = i & 1, flat = i & 2;
        write_map(known, flat, i & 4 ? 1 : 0, i & 8 ? 3 : 0);
        check_says(steep_figure_map(folder, "a surface", "width_{2} of it", "up", NULL, &error), STEEP_OK, "");
        snprintf(says, sizeof says, "known = %d; flat = %d; gates = %d; thin = 1; size = 0.70; title = 'a surface'",
                 known, flat, i & 8 ? 3 : 0);
        HAS(get("fit.gp"), says);
        ck_assert(length("fit.png") > 10000 && length("fit.pdf") > 5000);
        const char *svg = get("fit.svg");
        HAS(svg, "a surface", "width_{2} of it"); /* names are not typeset */
        ck_assert(contains(svg, "where its gates open") == ((i & 8) != 0));
    }
}

enum { SEPARATED = 5 };
static const char separation_header[] =
    "witness,class,width,lambda,vector_norm,bound,bound_source,E0,E1,W,certified_low,"
    "certified_high,restarts,hits,status,seconds\n";

/* Widths 1 .. rows; E[3 i ..]: E0, E1, W. Without bound or certificate: nan, as the program writes. */
static void write_separation(const double *E, size_t rows, bool bounded, bool certified)
{
    FILE *file = begin("separation.csv");
    fputs(separation_header, file);
    for (size_t i = 0; i < rows; i++, E += 3) {
        fprintf(file, "moa_type1,\"relu*id\",%zu,1,euclidean,%.17g,\"B.5, sharp\",%.17g,%.17g,%.17g,", i + 1,
                bounded ? 0.25 : NAN, E[0], E[1], E[2]);
        fprintf(file, "%.17g,%.17g,9,1,converged,0.5\n", certified ? E[2] / 1.5 : NAN, certified ? E[2] * 1.5 : NAN);
    }
    ck_assert_int_eq(fclose(file), 0);
}

/* Each series stands where its column says, widths at equal distances, all on one logarithmic axis: that through the
 * first two of W; behind its marks that of the key. Places are printed to a hundredth. */
static void check_separation_marks(const char *svg, const double *E)
{
    double mark[MOST_MARKS][2], scale = 0, origin = 0;
    for (size_t series = 3; series-- > 0;) { /* the first of the colours is the last series' */
        ck_assert_uint_eq(find_marks(svg, NULL, colours[2 - series], mark), SEPARATED + 1);
        if (series == 2) {
            origin = mark[0][1];
            scale = (mark[1][1] - origin) / log(E[5] / E[2]);
            ck_assert_double_lt(scale, 0);
        }
        for (size_t i = 0; i < SEPARATED; i++) {
            check_close(mark[i][1], origin + scale * log(E[3 * i + series] / E[2]), 0.3);
            if (i > 0) check_close(mark[i][0] - mark[i - 1][0], mark[1][0] - mark[0][0], 0.02);
        }
    }
}

START_TEST(separations_are_drawn)
{
    steep_random random = chance_start(1);
    double E[3 * SEPARATED];
    for (size_t c = 0; c < chance_cases(2); c++) {
        const bool bounded = c % 2 == 0, certified = chance_below(&random, 2) == 0;
        for (size_t i = 0; i < SEPARATED; i++) {
            E[3 * i] = exp(-1.0 * (double)i * steep_random_uniform(&random)) / 4;
            E[3 * i + 1] = 0.3 + steep_random_uniform(&random);
            E[3 * i + 2] = E[3 * i] + E[3 * i + 1] + 3.0 / (double)(i + 1);
        }
        write_separation(E, SEPARATED, bounded, certified);
        check_says(separation_of_folder(), STEEP_OK, "");
        HAS(get("separation.gp"), bounded ? "bounded = 1;" : "bounded = 0;",
            certified ? "certified = 1;" : "certified = 0;");
        ck_assert(length("separation.png") > 5000 && length("separation.pdf") > 3000);
        const char *svg = get("separation.svg");
        check_separation_marks(svg, E);
        ck_assert_int_eq(contains(svg, ">bound<"), bounded);
        ck_assert_int_eq(contains(svg, ">certified<"), certified);
        check_texts("separation.svg");
    }
}

/* The table says what it is, typeset as a formula is elsewhere. */
START_TEST(separations_are_named)
{
#define NAMED "witness,class,width,lambda,E0,E1,W,bound,certified_low\n"
    fake_gnuplot(SVG PDF PNG);
    put("separation.csv", NAMED "\"tanh(x)*max(y_,0)\",relu,1,2.5,1,1,2,1,nan\n");
    check_says(separation_of_folder(), STEEP_OK, "");
    ck_assert(contains(get("separation.gp"), "title = 'tanh(x)*max(y\\_,0)' . ' by ' . 'relu' . ', λ = 2.5'"));
    put("separation.csv", NAMED "\"tanh(x)*y^2\",exp(-z1^2)*z2,1,1,1,1,2,1,nan\n");
    check_says(separation_of_folder(), STEEP_OK, "");
    ck_assert(contains(get("separation.gp"),
                       "title = 'tanh({/:Italic x})\u2009{/:Italic y}^{2}' . ' by ' . 'exp(-z1\\^2)*z2' . "));
}

/* One width, and a class that has the witness: a logarithm has no place for 0. */
START_TEST(separations_of_one_width_and_of_0_are_drawn)
{
    static const double E[][9] = {{0.1, 0.4, 0.5}, {0, 0, 0}, {0.1, 0.4, 0.5, 0, 0.3, 0.3, 0, 0, 0}};
    for (int i = 0; i < 4; i++) {
        write_separation(E[i % 3], i == 2 ? 3 : 1, i == 2, i > 1);
        check_says(separation_of_folder(), STEEP_OK, "");
    }
}

static steep_status slopes_of_folder(void)
{
    return steep_figure_slopes(folder, &(steep_figure_options){.terminal = "svg"}, NULL, &error);
}

START_TEST(bad_tables_are_refused)
{
#define SEPARATION "witness,class,width,E0,E1,"
#define MLP        "t,t,mlp,mlp,lm,uniform,"
#define REST       ",0.1,0.1,0.1,1" NONE
    static const struct {
        steep_status (*picture)(void);
        const char *file, *text, *says, *another; /* file NULL: series.csv, below its header */
    } wrong[] = {
        {map_of_folder, "surface.csv", "x1,x2,value\n0,0,1\n1,0,1\n\n0,1,1\n1,1,1\n", "network", ""},
        {map_of_folder, "residuals.csv", "x1,x2,y,network\n1,2,3,4\n", "residual", ""},
        {map_of_folder, "gates.csv", "unit,from1,from2,to1,to2\n1,0,0,here,1\n", "line 2", ""},
        {fit_of_folder, "residuals.csv", "x,y,network,residual\n0,0,0,0\n1,0,zero,0\n", "line 3", ""},
        {fit_of_folder, "units.csv", "t,unit\n0,0\n1,0\n", "no column x", ""},
        {fit_of_folder, "gates.csv", "knot,sign\nhere,1\n", "line 2", ""},
        {separation_of_folder, "separation.csv", SEPARATION "W,bound,certified_low,lambda\n", "no rows", ""},
        {separation_of_folder, "separation.csv", SEPARATION "W,bound,certified_low,lambda\na,relu,1,1,one,2,1,1,1\n",
         "line 2", ""},
        {slopes_of_folder, NULL, "", "series.csv", "no error to draw"},
        {slopes_of_folder, NULL, MLP "4,13,nan,nan,nan,0" NONE, "series.csv", "no error to draw"},
        {slopes_of_folder, NULL, MLP "4,13" REST MLP "8,25,0.1,0.1", "series.csv", "cut short"},
        {slopes_of_folder, NULL, MLP "4,13" REST "\n" MLP "8,25" REST, "line 4", "blank lines"},
        {slopes_of_folder, NULL, MLP "4,13" REST "\"t\n2\",t,mlp,mlp,lm,uniform,4,13" REST, "line 3", "line breaks"},
        {slopes_of_folder, NULL, MLP "4,13" REST "\"say \"\"t\"\", t\",t,mlp,mlp,lm,uniform,4,13" REST, "line 3",
         "quotes"},
        {slopes_of_folder, NULL, MLP "4,13" REST "t,t,glu,glu,lm,uniform,4,13" REST MLP "8,25" REST, "line 4",
         "mlp on t"},
        {slopes_of_folder, NULL, MLP "4,thirteen" REST, "line 2", "params"},
        {slopes_of_folder, NULL, MLP "4,13,steep,0.1,0.1,1" NONE, "series.csv", "steep"},
        {slopes_of_folder, "series.csv", "target,title,series,arch,solver,start,width,params\n", "series.csv",
         "no column error"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const bool slopes = wrong[i].picture == slopes_of_folder;
        if (i == 0 || wrong[i].picture != wrong[i - 1].picture) {
            make_folder();
            check_says(wrong[i].picture(), slopes ? STEEP_BAD_INPUT : STEEP_IO, ""); /* nothing is there */
        }
        if (wrong[i].picture == fit_of_folder) write_fit();
        else write_map(false, true, 1, 1);
        if (wrong[i].file) put(wrong[i].file, wrong[i].text);
        else put_series(wrong[i].text);
        check_says(wrong[i].picture(), STEEP_BAD_INPUT, wrong[i].says);
        ck_assert_msg(contains(error.text, wrong[i].another), "%s without %s", error.text, wrong[i].another);
        ck_assert_uint_eq(length("fit.gp") + length("separation.gp") + length("slopes.gp"), 0);
    }
    put_series(MLP "4,13" REST);
    draw(NULL);
}

/* One that is not there, fails, or says nothing and draws nothing, or not all, is an error; what stood there stays. */
START_TEST(a_gnuplot_that_fails_is_told)
{
    static const struct {
        const char *script, *says, *another, *terminal;
    } cases[] = {
        {NULL, "gnuplot-nox", "slopes.gp", NULL},
        {"echo 'no such\nterminal' >&2; exit 3", "exit status 3", "no such terminal", NULL},
        {"kill -9 $$", "signal 9", "", NULL},
        {"exit 0", "drew nothing", "slopes.svg", NULL},
        {SVG PDF ": >slopes.png", "slopes.png is empty", "", NULL},
        {SVG PNG, "no ", "slopes.pdf", NULL},
        {SVG PNG, "a part of it only", "it said nothing", NULL},
        {"echo 'no fonts in /größe' >&2", "drew nothing", "it said: no fonts in /größe", NULL}, /* which is why */
        {SVG, "slopes-tikz.tex", "", "svg,tikz"},
        {"for e in svg pdf png; do mkdir slopes.$e; done", "slopes.svg is no file", "", NULL}};
    const size_t count = sizeof cases / sizeof *cases;
    write_run("runge3");
    put("slopes.svg", "old\n");
    for (size_t i = 0; i < count; i++) {
        if (cases[i].script) fake_gnuplot(cases[i].script);
        else setenv("PATH", "/nonexistent", 1);
        refused(&(steep_figure_options){.terminal = cases[i].terminal}, STEEP_IO, cases[i].says, cases[i].another);
        ck_assert(length("slopes.gp") > 1000 && (i + 1 == count || length("slopes.svg") == 4));
    }
    ck_assert(rmdir(inside("slopes.svg")) == 0 && rmdir(inside("slopes.pdf")) == 0 && rmdir(inside("slopes.png")) == 0);
    /* A link at the picture's name leads nowhere. */
    put("victim", "mine\n");
    ck_assert_int_eq(symlink("victim", inside("slopes.svg")), 0);
    fake_gnuplot(SVG PDF PNG);
    draw_script(NULL);
    ck_assert_uint_eq(length("victim"), 5);
}

/* A gnuplot that hangs is ended, with what it started, when its time is over: also one that has closed what it says,
 * and one that somebody wants to stop. */
START_TEST(a_gnuplot_that_hangs_is_ended)
{
    static const char *const hangs[] = {"sleep 40\n", "exec 2>&-\nsleep 40 & sleep 40\n",
                                        "trap '' TERM INT HUP\necho half >slopes.svg\nsleep 40\n"};
    write_run("runge3");
    for (size_t i = 0; i < sizeof hangs / sizeof *hangs; i++) {
        volatile int stop = 0;
        steep_figure_limits limits = {&stop, 0.3};
        fake_gnuplot(hangs[i]);
        double begin = steep_clock_seconds();
        check_says(steep_figure_slopes(folder, NULL, &limits, &error), STEEP_IO, "0.3 s");
        ck_assert_msg(contains(error.text, "slopes.gp"), "%s", error.text);
        ck_assert(steep_clock_seconds() - begin < 20);
        ck_assert_uint_eq(length("slopes.svg"), 0); /* nor what is half drawn */
        stop = 1;
        limits.seconds = 0;
        ck_assert_int_eq(steep_figure_slopes(folder, NULL, &limits, &error), STEEP_STOPPED);
        ck_assert(steep_clock_seconds() - begin < 20);
    }
}

/* A picture that ends before its end, as where a disk is full and gnuplot says nothing, is no picture: every format;
 * what stood there stays. */
START_TEST(torn_pictures_are_no_pictures)
{
    static const char *const made[] = {"slopes.svg", "slopes-cairolatex.tex", "slopes.pdf", "slopes-cairolatex.pdf",
                                       "slopes.png", "slopes-tikz.tex"};
    static const double left[] = {0, 0.001, 0.3, 0.9, 0.99};
    const steep_figure_options all = {.terminal = "svg,pdf,png,cairolatex,tikz"};
    write_run("runge3");
    fake_gnuplot("/usr/bin/gnuplot \"$@\" && mkdir whole && cp slopes*.??? whole");
    draw(&all);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        for (size_t k = 0; k < sizeof left / sizeof *left; k++) {
            char fake[120];
            const size_t whole = length(made[i]), size = (size_t)(left[k] * (double)whole);
            snprintf(fake, sizeof fake, "cp whole/* . && truncate -s %zu %s\n", size, made[i]);
            fake_gnuplot(fake);
            refused(&all, STEEP_IO, made[i], size > 0 ? "cut short" : "empty");
            ck_assert(whole > 0 && length(made[i]) == whole);
        }
}

/* A script of one's own: the style before it, run in the folder; its errors come back. */
START_TEST(own_scripts_run_in_the_folder)
{
    put("own.in", "set terminal svg; set output 'own.svg'; plot sin(x) linetype 3\n");
    char path[192];
    snprintf(path, sizeof path, "%s", inside("own.in"));
    check_says(experiment_script(folder, "own", path, &error), STEEP_OK, "");
    ck_assert(contains(get("own.svg"), "</svg>"));
    ck_assert(strncmp(get("own.gp"), steep_script_style, strlen(steep_script_style)) == 0);
    put("own.in", "plot 'nothing.csv'\n");
    check_says(experiment_script(folder, "own", path, &error), STEEP_IO, "nothing.csv");
    check_says(experiment_script(folder, "own", "/nonexistent/own.gp", &error), STEEP_IO, "/nonexistent/own.gp");
}

STEEP_TEST_MAIN("figure")
