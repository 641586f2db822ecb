/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pictures: a folder with the tables of a run; the arrays of a script, and the texts and marks of an SVG file. */
#ifndef STEEP_TESTS_PICTURES_H
#define STEEP_TESTS_PICTURES_H

#include "draw/figure.h"

#include "chance.h"
#define STEEP_TEST_SETUP make_folder
#include "scratch.h"

/* Header of series.csv: the columns that the figure reads. */
static const char series_header[] =
    "target,title,series,arch,solver,start,width,params,error,low,high,seeds,floor,lower,predicted,theory,width_slope,"
    "width_low,width_high,width_law,params_slope,params_low,params_high,params_law,overfit\n";

static steep_error error;

/* The folder of a test. gnuplot must quote its name. */
static char folder[96];

static inline void make_folder(void)
{
    snprintf(folder, sizeof folder, "%s/it's a \"run\"", scratch_make());
    ck_assert_int_eq(mkdir(folder, 0700), 0);
}

static inline const char *inside(const char *name)
{
    return scratch_path(folder, name);
}

static inline void put(const char *name, const char *text)
{
    scratch_write(inside(name), text, strlen(text));
}

static inline FILE *begin(const char *name)
{
    FILE *file = fopen(inside(name), "w");
    ck_assert_ptr_nonnull(file);
    return file;
}

/* Returns the text of a file in the folder. The text is valid until the fourth call after this one. */
static inline const char *get(const char *name)
{
    static char *text[4];
    static unsigned turn;
    turn = (turn + 1) % 4;
    free(text[turn]);
    text[turn] = scratch_read(inside(name), NULL);
    ck_assert_msg(text[turn] != NULL, "%s is not there", name);
    return text[turn];
}

static inline size_t length(const char *name)
{
    struct stat status;
    return stat(inside(name), &status) == 0 ? (size_t)status.st_size : 0;
}

static inline bool contains(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

/* Requires that the text contains every one of the parts. */
static inline void check_parts(const char *text, const char *const *part)
{
    for (; *part; part++) ck_assert_msg(contains(text, *part), "no %s", *part);
}
#define HAS(text, ...) check_parts(text, (const char *const[]){__VA_ARGS__, NULL})

static inline size_t count_of(const char *text, const char *part)
{
    size_t found = 0;
    for (; (text = strstr(text, part)) != NULL; text++) found++;
    return found;
}

/* A row of series.csv; texts are CSV cells. low, high: quartiles (0: the error); theory: the slope of theory; slope[a],
 * law[a]: slope with its interval and theory's line, against width (a = 0) or parameters (a = 1); 0: none. */
typedef struct row {
    const char *target, *series, *arch, *solver;
    int width, params, seeds;
    double error, low, high, floor, lower, predicted, theory, slope[2][3], law[2];
    bool overfit;
} row;

static inline double or_nan(double value)
{
    return value == 0 ? NAN : value;
}

/* Appends the row to series.csv. */
static inline void put_row(row r)
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

/* A row of a power law at a width n. Order 2: mlp, n^-2, as theory says. Order 3: glu, n^-3 / 2, without theory. */
static inline row law(const char *target, int order, int width)
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

/* Appends both laws at widths 1, 2, 4 .. 64, and a series without a usable fit. */
static inline void put_laws(const char *target)
{
    for (int order = 2; order <= 3; order++)
        for (int n = 1; n <= 64; n *= 2) put_row(law(target, order, n));
    row none = law(target, 3, 5);
    none.series = none.arch = "gqu";
    none.seeds = 0;
    none.error = NAN;
    put_row(none);
}

/* Writes series.csv: the header and these rows. */
static inline void put_series(const char *rows)
{
    FILE *file = begin("series.csv");
    fprintf(file, "%s%s", series_header, rows);
    ck_assert_int_eq(fclose(file), 0);
}

static inline void write_run(const char *target)
{
    put_series("");
    put_laws(target);
}

/* Requires that the figure is refused with this status, and a message that contains both parts. */
static inline void refused(const steep_figure_options *options, steep_status status, const char *part,
                           const char *another)
{
    check_says(steep_figure_slopes(folder, options, NULL, &error), status, part);
    ck_assert_msg(contains(error.text, another), "\"%s\" without \"%s\"", error.text, another);
}

/* Reads the numbers of "array NAME[...] = [a, b, ...]" in a script, at most `room`. Returns how many there are. */
static inline size_t numbers(const char *script, const char *name, double *into, size_t room)
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

/* Counts the characters before </text> that are no part of a tag; an entity counts as one. */
static inline size_t count_letters(const char *at)
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

static inline size_t find_texts(const char *svg, text_box *box)
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

/* Requires that no two texts overlap and that no text leaves the picture. */
static inline void check_texts(const char *name)
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

/* Draws the figure, as SVG if the options name no terminal. Returns the text of the script. */
static inline const char *draw_script(const steep_figure_options *options)
{
    steep_figure_options own = options ? *options : (steep_figure_options){0};
    char name[64];
    if (!own.terminal) own.terminal = "svg";
    check_says(steep_figure_slopes(folder, &own, NULL, &error), STEEP_OK, "");
    snprintf(name, sizeof name, "%s.gp", own.name ? own.name : "slopes");
    return get(name);
}

/* As draw_script; also checks the texts of slopes.svg. */
static inline const char *draw(const steep_figure_options *options)
{
    const char *script = draw_script(options);
    check_texts("slopes.svg");
    return script;
}

enum { MOST_MARKS = 12 };
static const char *const colours[] = {"rgb(  0, 114, 178)", "rgb(213,  94,   0)", "rgb(  0, 158, 115)",
                                      "rgb(204, 121, 167)", "rgb(230, 159,   0)", "rgb( 86, 180, 233)"};

/* Writes the places of all marks of this shape (NULL: any) and colour, in the order of drawing. Returns how many. */
static inline size_t find_marks(const char *svg, const char *shape, const char *colour, double (*at)[2])
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

/* Puts a gnuplot of our own first on PATH: this script for sh, whose $2 is the file NAME.gp. */
static inline void fake_gnuplot(const char *script)
{
    char text[600], search[300];
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", script);
    put("gnuplot", text);
    ck_assert_int_eq(chmod(inside("gnuplot"), 0700), 0);
    snprintf(search, sizeof search, "%s:/usr/bin:/bin", folder);
    setenv("PATH", search, 1);
}

/* Parts of a script for fake_gnuplot: each writes an empty picture. For tests of the gnuplot script alone. */
#define SVG "echo '</svg>' >${2%.gp}.svg; "
#define PDF "echo '%%EOF' >${2%.gp}.pdf; "
#define PNG "printf 'IEND\\256B`\\202' >${2%.gp}.png; "

/* The columns after `seeds` of a row without theory and slopes. */
#define NONE ",nan,nan,nan,nan,nan,nan,nan,nan,nan,nan,nan,nan,0\n"

#endif
