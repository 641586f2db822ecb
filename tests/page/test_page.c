/* SPDX-License-Identifier: GPL-3.0-or-later */
/* page: the data in the page of steep report, without a browser: names with every kind of character come back
 * unchanged, numbers equal those of the tables, links lead to the files. (tests/report.py: what the script shows.) */
#define _GNU_SOURCE
#define STEEP_TEST_SETUP enter_folder
#include "page/page.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>

#include "base/hash.h"
#include "base/table.h"
#include "chance.h"
#include "draw/figure.h"
#include "record/journal.h"
#include "scratch.h"
#include "study/run.h"
#include "study/series.h"

/* Each test has its own folder, which is the working directory. */
static void enter_folder(void)
{
    ck_assert_int_eq(chdir(scratch_make()), 0);
}

static const char run[] = "run", page[] = "report.html";

/* A series of a power law of this order at widths 4, 8, 16 .. */
typedef struct law {
    const char *target, *label;
    double slope, low, high, theory, drift;
    size_t widths, points, apart; /* points of the window; 0: no slope */
    const char *remark;           /* of the window */
    double constant;              /* of theory's line, constant size^theory, against each; 0: none */
    size_t overfit;               /* widths at the end that overfit, their errors far above */
    const char *solver;           /* NULL: frozen */
    const char *samples;          /* of its fits; NULL: 100 */
} law;

static FILE *begin(const char *folder, const char *name)
{
    FILE *file = fopen(scratch_path(folder, name), "w");
    ck_assert_ptr_nonnull(file);
    return file;
}

/* The architecture of a label, which is before its comma. */
static const char *arch_of(const law *l)
{
    static char arch[64];
    snprintf(arch, sizeof arch, "%.*s", (int)strcspn(l->label, ","), l->label);
    return l->solver ? arch : "mlp";
}

static const char *solver_of(const law *l)
{
    return l->solver ? l->solver : "frozen";
}

/* The gap, points, operations, and what noise did, of a row of series.csv. */
#define MORE ",nan,,100,nan,nan,nan,nan,500,nan,nan\n"

static void put_series(FILE *file, const law *l)
{
    for (size_t i = 0; i < l->widths; i++) {
        const bool overfits = i + l->overfit >= l->widths;
        const double n = 4 * pow(2, (double)i), e = (overfits ? 5e4 : 0.5) * pow(n, l->slope);
        steep_table_put(file, l->target, ',');
        steep_table_put(file, l->target, ',');
        steep_table_put(file, l->label, ',');
        fprintf(file, "%s,relu,%s,uniform,%.0f,%.0f,%.17g,%.17g,%.17g,%.17g,1,1e-17,nan,nan,nan,nan,nan,nan,%.17g,",
                arch_of(l), solver_of(l), n, 3 * n + 1, e, e, e, e, l->theory);
        for (size_t a = 0; a < 2; a++) {
            const double height = l->constant > 0 ? l->constant * pow(a ? 3 * n + 1 : n, l->theory) : NAN;
            fprintf(file, "%.17g,%.17g,%.17g,%.17g,", l->slope, l->low, l->high, height);
        }
        fprintf(file, "%d" MORE, overfits);
    }
}

static void put_slopes(FILE *file, const law *l)
{
    static const char *const methods[] = {"window", "last_pair", "all"};
    for (size_t a = 0; a < 2; a++)
        for (size_t m = 0; m < 3; m++) {
            fprintf(file, "%s,", arch_of(l));
            steep_table_put(file, l->target, ',');
            fprintf(file, "%s,%s,%s,%.17g,%.17g,%.17g,13,100,%zu,%.17g,%.17g,uniform,nan,nan,nan,%zu,%s,100\n",
                    solver_of(l), a ? "params" : "width", methods[m], l->slope, m == 1 ? NAN : l->low,
                    m == 1 ? NAN : l->high, l->points, l->drift, l->theory, l->apart,
                    m == 0 && l->remark ? l->remark : "");
        }
}

/* Fits that converged, failed and stalled. The sum of a row leaves out the seconds. */
static void put_fits(FILE *file, const char *target, const char *samples)
{
    static const char *const status[] = {"converged", "singular", "stalled"}, *const none = "nan";
    static const char *const width[] = {"4", "8", "16"}, *const params[] = {"13", "25", "49"};
    for (size_t i = 0; i < 3; i++) {
        const char *const error = i == 1 ? none : "0.25", *const floor = i == 1 ? none : "0";
        const char *const flops = i == 1 ? none : "500";
        const char *const cell[] = {"mlp",    "relu", target,    "1",   width[i], params[i], "0",  "uniform",
                                    "frozen", "cpu",  samples,   error, error,    error,     none, "1",
                                    "1",      floor,  status[i], "0.5", "1",      "1",       none, none,
                                    flops,    none,   none,      none,  none};
        uint64_t sum = STEEP_HASH_START;
        for (size_t c = 0; c < sizeof cell / sizeof *cell; c++) {
            steep_table_put(file, cell[c], ',');
            if (c != 19) sum = steep_hash_byte(steep_hash_text(sum, cell[c]), 31);
        }
        fprintf(file, "%016" PRIx64 "\n", sum);
    }
}

static void make_run(const char *folder, const law *laws, size_t count, const char *command)
{
    mkdir(folder, 0700); /* it may be there */
    FILE *series = begin(folder, "series.csv"), *slopes = begin(folder, "slopes.csv"),
         *fits = begin(folder, "fits.csv");
    fprintf(series, "%s\n", STEEP_SERIES_HEADER);
    fprintf(slopes, "%s\n", STEEP_SLOPES_HEADER);
    fprintf(fits, "%s\n", STEEP_FITS_HEADER);
    for (size_t k = 0; k < count; k++) {
        put_series(series, &laws[k]);
        put_slopes(slopes, &laws[k]);
        put_fits(fits, laws[k].target, laws[k].samples ? laws[k].samples : "100");
    }
    ck_assert_int_eq(fclose(series) | fclose(slopes) | fclose(fits), 0);
    json_t *record = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:{s:i}}", "kind", "sweep", "command", command,
                               "version", "0.1.0", "commit", "abc", "state", "done", "cpu", "a <processor>", "tasks", 3,
                               "counts", "converged", 3);
    ck_assert_ptr_nonnull(record);
    ck_assert_int_eq(json_dump_file(record, scratch_path(folder, "run.json"), 0), 0);
    json_decref(record);
}

static const law plain = {.target = "sin(x)",
                          .label = "mlp",
                          .slope = -2,
                          .low = -2.01,
                          .high = -1.99,
                          .theory = -2,
                          .drift = 0.01,
                          .widths = 7,
                          .points = 6};

static steep_error error;

static steep_status report(const char *folder, const char *out)
{
    return steep_page_write(&folder, 1, &(steep_page_options){.out = out}, &error);
}

/* For tests that do not look at pictures, which take most of a page's time: no gnuplot is found. */
static steep_status report_unpictured(const char *folder, const char *out)
{
    setenv("PATH", "/nonexistent", 1);
    return report(folder, out);
}

static void release_json(json_t **value)
{
    json_decref(*value);
}

/* Returns the data of a page, which nothing in it ends early; the caller releases it. */
static json_t *data_of(const char *path)
{
    static const char begin[] = "<script type=\"application/json\" id=\"data\">";
    json_error_t why;
    char *text = scratch_read(path, NULL), *at = strstr(text, begin) + sizeof begin - 1, *end = strstr(at, "</");
    ck_assert_int_eq(strncmp(text, "<!DOCTYPE html>\n", 16), 0);
    ck_assert_int_eq(strncmp(end, "</script>\n<script>\n", 19), 0);
    *end = '\0';
    ck_assert_msg(!strstr(at, "<!") && strcmp(end + strlen(end + 1) - 15, "</body>\n</html>\n") == 0, "%.80s", at);
    json_t *data = json_loads(at, JSON_REJECT_DUPLICATES, &why);
    ck_assert_msg(data != NULL, "%s: %.60s", why.text, at);
    free(text);
    return data;
}

/* Returns the data of the page over one folder. */
static json_t *page_of(const char *folder)
{
    check_says(report(folder, page), STEEP_OK, "");
    return data_of(page);
}

static json_t *unpictured(const char *folder)
{
    ck_assert_int_eq(report_unpictured(folder, page), STEEP_IO);
    return data_of(page);
}

/* Returns a member, by names and numbers: "runs 0 series 0 slope". */
static json_t *member(json_t *data, const char *way)
{
    char part[40];
    for (int used; sscanf(way, "%39s%n", part, &used) == 1; way += used) {
        data = json_is_array(data) ? json_array_get(data, (size_t)atoi(part)) : json_object_get(data, part);
        ck_assert_msg(data != NULL, "no %s", part);
    }
    return data;
}

static const char *word(json_t *data, const char *way)
{
    const char *text = json_string_value(member(data, way));
    ck_assert_msg(text != NULL, "%s is no text", way);
    return text;
}

/* The page has the number of training points of each fit, once if all fits have the same number. */
START_TEST(fits_say_their_points)
{
    law laws[2] = {plain, plain};
    laws[0].target = "cos(x)";
    for (int several = 0; several < 2; several++) {
        if (several) laws[1].samples = "400";
        make_run("points", laws, 2, "none");
        SCOPED(release_json) json_t *data = unpictured("points");
        ck_assert_str_eq(word(data, "runs 0 fits samples"), several ? " 100 100 100 400 400 400" : " 100");
    }
}

/* Writes a text of random bytes, of characters with a meaning, and of whole characters of UTF-8. */
static void draw_text(steep_random *random, char *text, size_t size)
{
    static const char *const piece[] = {"</script>", "<!--",    "\"",
                                        "'",         "&amp;",   "<",
                                        ">",         "&",       "é",
                                        "𝄞",         "\\",      "]]>",
                                        "\n",        "\x01",    "\xe2\x80\xae",
                                        "\xc0\x80",  "\xf5",    "\xed\xa0\x80",
                                        "\u2028",    "{",       "a",
                                        " ",         "</style", "\xef\xbf\xbf"};
    size_t used = 0;
    const size_t pieces = 1 + chance_below(random, 9);
    *text = '\0';
    for (size_t k = 0; k < pieces; k++) {
        char byte[2] = {(char)(1 + chance_below(random, 255)), 0};
        const size_t which = chance_below(random, 2 * sizeof piece / sizeof *piece);
        const char *next = which < sizeof piece / sizeof *piece ? piece[which] : byte;
        if (used + strlen(next) + 1 > size) break;
        strcpy(text + used, next);
        used += strlen(next);
    }
}

START_RANDOM_TEST(hostile_names, 3)
{
    for (size_t k = 0; k < chance_cases(25); k++) {
        char text[5][100], target[2][102], folder[102], *label = text[2], *command = text[3], *name = text[4];
        law laws[2] = {plain, plain};
        for (size_t i = 0; i < 5; i++) draw_text(&random, text[i], sizeof text[i]);
        for (char *c = name; *c; c++) *c = *c == '/' ? '_' : *c;
        snprintf(folder, sizeof folder, "x%.99s", name);
        for (size_t i = 0; i < 2; i++) { /* tables trim blanks */
            snprintf(target[i], sizeof target[i], "%c%.99sz", (char)('a' + i), text[i]);
            laws[i].target = target[i];
            laws[i].label = *label == ' ' || *label == '\t' ? "b" : label;
        }
        SCOPED(release_json) json_t *sound = json_string(command);
        make_run(folder, laws, 2, sound ? command : "none");
        SCOPED(release_json) json_t *data = k < 4 ? page_of(folder) : unpictured(folder);
        SCOPED(release_json) json_t *clean = steep_json_text(folder);
        ck_assert(json_equal(member(data, "runs 0 folder"), clean));
        json_t *own = member(data, "runs 0 series");
        ck_assert_uint_eq(json_array_size(own), 2);
        for (size_t i = 0; i < 2; i++) {
            SCOPED(release_json) json_t *target_text = steep_json_text(laws[i].target);
            ck_assert(json_equal(json_object_get(json_array_get(own, i), "target"), target_text));
        }
    }
}

/* The verdict of the one series, as page.js puts it together. */
static const char *verdict_of(json_t *data)
{
    static char text[400];
    json_t *own = member(data, "runs 0 series 0 slope");
    const double by = strtod(word(own, "by"), NULL), apart = strtod(word(own, "apart"), NULL);
    const char *remark = word(own, "remark");
    int at = snprintf(text, sizeof text, "%s", word(own, "words"));
    if (isfinite(by)) at += snprintf(text + at, sizeof text - at, " %.3f", by);
    if (*remark) at += snprintf(text + at, sizeof text - at, ": %s", remark);
    if (apart >= 1) snprintf(text + at, sizeof text - at, "; %.0f apart", apart);
    return text;
}

/* The page prints the numbers of slopes.csv. It says that slope and theory agree if theory is in the interval and the
 * interval is narrower than a half, and that they differ only if three decimals show it. */
START_RANDOM_TEST(verdicts_of_random_intervals, 8)
{
    size_t met[4] = {0};
    for (size_t k = 0; k < chance_cases(60); k++) {
        law l = plain;
        l.slope = chance_within(&random, -6, -0.5);
        const double size = exp(chance_within(&random, log(1e-7), log(2)));
        l.low = l.slope - size * chance_within(&random, 0, 1);
        l.high = l.slope + size * chance_within(&random, 0, 1);
        l.theory = l.slope + exp(chance_within(&random, log(1e-6), 0)) * (chance_below(&random, 2) ? 1 : -1);
        if (k % 10 == 0) l.low = l.high = l.slope; /* seeds that are one fit */
        if (k % 10 == 1) l.theory = k % 20 == 1 ? l.low : l.high;
        make_run(run, &l, 1, "steep");
        SCOPED(release_json) json_t *data = unpictured(run);
        const bool within = l.low - 5e-4 <= l.theory && l.theory <= l.high + 5e-4; /* in three decimals */
        const size_t kind = within ? l.high - l.low < 0.5 : l.slope < l.theory ? 2 : 3;
        static const char *const words[] = {"open: theory lies in a wide interval", "agrees with theory",
                                            "steeper than theory by", "shallower than theory by"};
        char expected[60];
        const int at = snprintf(expected, sizeof expected, "%s", words[kind]);
        if (kind > 1) snprintf(expected + at, sizeof expected - (size_t)at, " %.3f", fabs(l.slope - l.theory));
        ck_assert_str_eq(verdict_of(data), expected);
        const double numbers[] = {l.slope, l.low, l.high, l.theory};
        static const char *const names[] = {"slope", "low", "high", "theory"};
        json_t *own = member(data, "runs 0 series 0 slope");
        for (size_t i = 0; i < 4; i++) ck_assert_double_eq(strtod(word(own, names[i]), NULL), numbers[i]);
        met[kind]++;
    }
    for (size_t i = 0; i < 4; i++) ck_assert_uint_gt(met[i], 0);
}

START_TEST(verdicts)
{
    static const struct {
        double low, high, theory, drift;
        size_t apart;
        const char *remark, *says, *says_not;
    } cases[] = {
        {-2.01, -1.99, -2, 0.5, 0, "still bending", "still bending; slope at the largest sizes: -1.500", "agrees"},
        /* steep alone says what bends, whatever the numbers are. */
        {-2.01, -1.99, -2, 0.5, 0, NULL, "agrees with theory", "bending"},
        {-3, -1, -2, 0.5, 0, "still bending", "still bending; slope at the largest sizes: -1.500", "agrees"},
        {-2.01, -1.99, NAN, 0.01, 0, NULL, "theory names no order", ":"},
        {NAN, NAN, -2, NAN, 0, "few points", "no interval: few points", "agrees"},
        {NAN, NAN, -2, NAN, 0, "few points above the floor", "no interval: few points above the floor", "agrees"},
        {NAN, NAN, -2, NAN, 0, "falls faster than any power", "falls faster than any power", "agrees"},
        {-2.01, -1.99, -2, 0, 3, NULL, "agrees with theory; 3 apart", ":"},
        {-2.01, -1.99, -2, 0, 0, "a <b> & c", "agrees with theory: a <b> & c", ";"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        law l = plain;
        l.low = cases[i].low, l.high = cases[i].high, l.theory = cases[i].theory;
        l.drift = cases[i].drift, l.apart = cases[i].apart, l.remark = cases[i].remark;
        make_run(run, &l, 1, "steep");
        SCOPED(release_json) json_t *data = unpictured(run);
        const char *cell = verdict_of(data);
        ck_assert_msg(strstr(cell, cases[i].says) && !strstr(cell, cases[i].says_not), "%s: %s", cases[i].says, cell);
    }
}

/* Removes blanks, which say nothing in a picture. */
static void squeeze(char *text)
{
    char *to = text;
    for (const char *at = text; *at; at++)
        if (!isspace((unsigned char)*at)) *to++ = *at;
    *to = '\0';
}

/* Returns the picture against n or P of the page's first figure, without blanks; the caller frees it. */
static char *picture_of(json_t *data, char against)
{
    char way[] = "runs 0 figures 0 ?";
    way[sizeof way - 2] = against;
    char *picture = strdup(word(data, way));
    squeeze(picture);
    return picture;
}

/* Returns the picture that gnuplot draws of the folder alone; the caller frees it. */
static char *drawn_by_itself(const char *folder, char against)
{
    const steep_figure_options o = {.terminal = "svg", .title = "", .against = against};
    check_says(steep_figure_slopes(folder, &o, NULL, &error), STEEP_OK, "");
    char *text = scratch_read(scratch_path(folder, "slopes.svg"), NULL);
    squeeze(text);
    return text;
}

/* Counts the marks of series i of count in a picture, of widths that overfit or of the others. plots/slopes.gp draws
 * layers of all series: the seventh has points, the eighth hollow ones. tests/test_figure.c tests their places. */
static size_t count_marks(const char *picture, size_t count, size_t i, bool hollow)
{
    char begin[64];
    size_t marks = 0;
    snprintf(begin, sizeof begin, "id=\"gnuplot_plot_%zua\"", (hollow ? 7 : 6) * count + i + 1);
    const char *at = strstr(picture, begin), *end = at ? strstr(at + 1, "id=\"gnuplot_plot_") : NULL;
    ck_assert_msg(end != NULL, "no %s", begin);
    while ((at = strstr(at, "<use")) && at < end) marks++, at++;
    return marks;
}

static void check_figure(json_t *data, const char *folder, const law *laws, size_t count)
{
    json_t *all = member(data, "runs 0 series");
    for (size_t a = 0; a < 2; a++) {
        const char against = a ? 'P' : 'n';
        SCOPED(release_memory) char *own = picture_of(data, against);
        SCOPED(release_memory) char *svg = drawn_by_itself(folder, against);
        for (size_t i = 0; i < count; i++) {
            json_t *series = json_array_get(all, i);
            const size_t label = (size_t)json_integer_value(json_object_get(series, "s"));
            size_t points = 0, hollow = 0;
            for (const char *at = word(series, "overfit"); *at && points < 32; points++)
                hollow += strtod(at, (char **)&at) > 0;
            ck_assert_str_eq(word(json_array_get(member(data, "labels"), label), "0"), laws[i].label);
            ck_assert_uint_eq(points - hollow, count_marks(own, count, i, false));
            ck_assert_uint_eq(hollow, count_marks(own, count, i, true));
        }
        ck_assert_str_eq(own, svg);
    }
}

/* The samples beside the names have colour, dash and mark of the figure's script. */
static void check_chips(const char *folder, json_t *data, size_t count)
{
    static const char *const name[] = {"\narray colour[", "\narray dash[", "\narray mark["};
    SCOPED(release_memory) char *script = scratch_read(scratch_path(folder, "slopes.gp"), NULL);
    for (size_t k = 0; k < 3; k++) {
        const char *at = strstr(strstr(script, name[k]), "= [") + 2;
        for (size_t i = 0; i < count; i++) {
            json_t *own = json_array_get(member(data, "labels"), i);
            ck_assert_int_eq(strtol(at + 1, (char **)&at, 10), json_integer_value(json_array_get(own, k + 1)));
        }
        ck_assert_int_eq(*at, ']');
    }
}

/* The page has the picture that gnuplot draws of the folder alone, with a mark for each point of the page's data. */
START_RANDOM_TEST(figures_are_gnuplots, 9)
{
    static const char *const archs[] = {"glu", "mlp", "own", "gqu", "la:gelu"}, *const solvers[] = {"lm", "frozen",
                                                                                                    "newton"};
    for (size_t c = 0; c < chance_cases(4); c++) {
        char label[15][40];
        const size_t most = 1 + chance_below(&random, 5), methods = 1 + chance_below(&random, 3);
        const bool sets = chance_below(&random, 2); /* numbers of training points in place of solvers */
        law laws[15];
        size_t count = 0;
        for (size_t i = 0; i < most * methods; i++) {
            if (count > 0 && chance_below(&random, 4) == 0) continue;
            law *l = &laws[count];
            *l = plain;
            l->solver = solvers[sets ? 0 : i % methods];
            int at = snprintf(label[count], sizeof label[count], "%s, %s", archs[i / methods], l->solver);
            if (sets) snprintf(label[count] + at, sizeof label[count] - at, ", N = %u", 100U << i % methods);
            l->label = label[count++];
            l->slope = chance_within(&random, -4, -0.2);
            l->theory = chance_below(&random, 4) ? chance_within(&random, -4, -0.2) : NAN;
            l->constant = chance_below(&random, 3) ? exp(chance_within(&random, -2, 2)) : 0;
            l->widths = 4 + chance_below(&random, 6);
            l->overfit = chance_below(&random, 3);
        }
        make_run(run, laws, count, "steep");
        SCOPED(release_json) json_t *data = page_of(run);
        check_figure(data, run, laws, count);
        check_chips(run, data, count);
    }
}

/* Without gnuplot the page is written. Page and status say which pictures are missing. */
START_TEST(no_gnuplot)
{
    make_run(run, &plain, 1, "steep");
    check_says(report_unpictured(run, page), STEEP_IO,
               "is written, without 1 of its pictures: gnuplot could not be started");
    ck_assert_ptr_nonnull(strstr(error.text, "gnuplot-nox"));
    SCOPED(release_json) json_t *data = data_of(page);
    json_t *figure = member(data, "runs 0 figures 0");
    ck_assert_ptr_nonnull(strstr(word(figure, "missing"), "gnuplot could not be started"));
    ck_assert(!json_object_get(figure, "P") && !json_object_get(figure, "n"));
    ck_assert_str_eq(word(data, "runs 0 series 0 slope words"), "agrees with theory");
}

/* A page does not name the folder of its pictures, which is gone: a gnuplot that draws nothing, and errors of 0. */
START_TEST(nothing_drawn)
{
    char bin[PATH_MAX];
    law zero = plain;
    zero.slope = -1000;
    ck_assert(mkdir("bin", 0700) == 0 && realpath("bin", bin));
    scratch_put("bin/gnuplot", "#!/bin/sh\n");
    ck_assert(chmod("bin/gnuplot", 0700) == 0 && setenv("PATH", bin, 1) == 0);
    for (int k = 0; k < 2; k++) {
        make_run(run, k ? &zero : &plain, 1, "steep");
        check_says(report(run, page), STEEP_IO, "is written, without 1 of its pictures");
        SCOPED(release_json) json_t *data = data_of(page);
        const char *missing = word(data, "runs 0 figures 0 missing");
        ck_assert_msg(strstr(missing, k ? "no error" : "drew nothing") && !strchr(missing, '/'), "%s", missing);
    }
}

/* The colours of pages are those of the style that gnuplot reads, in their order. */
START_TEST(colours_are_those_of_figures)
{
    char colours[128] = "";
    ck_assert_int_eq(sscanf(strstr(steep_script_style, "\ncolours = '"), "\ncolours = '%127[^']", colours), 1);
    for (int i = 0; i < 9; i++) {
        char name[12];
        const int length = snprintf(name, sizeof name, "--c%d: #", i + 1);
        const char *own = strstr(steep_page_style, name) + length;
        ck_assert_msg(strncasecmp(own, colours + 7 * i, 6) == 0, "%.6s, not %.6s", own, colours + 7 * i);
    }
}

/* The page has a row for each width, with the numbers of separation.csv to the bit, and the picture once. */
START_RANDOM_TEST(separations_have_their_table, 10)
{
    enum { ROWS = 5 };
    double number[ROWS][6];
    ck_assert_int_eq(mkdir(run, 0700), 0);
    FILE *file = begin(run, "separation.csv");
    fputs("witness,class,width,lambda,vector_norm,bound_source,status,E0,E1,certified_high,certified_low,bound,W\n",
          file);
    for (size_t i = 0; i < ROWS; i++) {
        fprintf(file, "\"max(x,0)<y\",relu*id,%zu,1,euclidean,\"B.5, sharp\",converged", i + 1);
        for (size_t k = 6; k-- > 0;) {
            number[i][k] = exp(chance_within(&random, -9, 1));
            fprintf(file, ",%.17g", number[i][k]);
        }
        fputs("\n", file);
    }
    fclose(file);
    scratch_write(scratch_path(run, "separation.svg"), "<svg/>", 6);
    SCOPED(release_json) json_t *data = page_of(run);
    json_t *rows = member(data, "runs 0 separation");
    ck_assert_uint_eq(json_array_size(rows), ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        json_t *row = json_array_get(rows, i);
        ck_assert_str_eq(word(row, "0"), "max(x,0)<y");
        ck_assert_int_eq(atoi(word(row, "4")), (int)i + 1);
        for (size_t k = 0; k < 6; k++)
            ck_assert_double_eq(strtod(json_string_value(json_array_get(row, 5 + k)), NULL), number[i][k]);
    }
    ck_assert_uint_eq(json_array_size(member(data, "runs 0 pictures")), 1);
}

START_TEST(same_bytes)
{
    static const char *const folders[] = {"run0", "run1"}, *const outs[] = {"report0.html", "report1.html"};
    law other = plain;
    other.label = "glu";
    for (size_t i = 0; i < 2; i++) make_run(folders[i], i ? &other : &plain, 1, "steep");
    setenv("PATH", "/nonexistent", 1);
    for (size_t i = 0; i < 2; i++)
        ck_assert_int_eq(steep_page_write(folders, 2, &(steep_page_options){.out = outs[i]}, &error), STEEP_IO);
    scratch_same(outs[0], outs[1]);
    json_decref(data_of(outs[0]));
}

/* Every link leads from the page's folder to a file, wherever the two lie. */
START_TEST(links_lead_somewhere)
{
    static const char *const folders[] = {"a", "deep/er/run", "with blank", "per%cent:colon", "q?u#ery", "é"};
    static const char *const outs[] = {"report.html", "other/way/report.html", "deep/report.html", "a/report.html"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        for (size_t k = 0; k < sizeof outs / sizeof *outs; k++) {
            char folder[120], out[120];
            mkdir("deep", 0700);
            mkdir("deep/er", 0700);
            snprintf(folder, sizeof folder, "%s/%s", i % 2 ? "." : scratch_folder, folders[i]);
            snprintf(out, sizeof out, "%s/%s", k % 2 ? "." : scratch_folder, outs[k]);
            make_run(folder, &plain, 1, "steep");
            ck_assert_int_eq(report_unpictured(folder, out), STEEP_IO);
            SCOPED(release_json) json_t *data = data_of(out);
            json_t *files = member(data, "runs 0 files"), *file;
            size_t link;
            *strrchr(out, '/') = '\0';
            json_array_foreach(files, link, file)
            {
                char path[400];
                size_t used = (size_t)snprintf(path, sizeof path, "%s/", out);
                for (const char *c = word(file, "1"); *c; c++) {
                    ck_assert_msg(!strchr("?# :", *c), "%.60s", c);
                    unsigned byte = (unsigned char)*c;
                    if (*c == '%') ck_assert_int_eq(sscanf(c + 1, "%2X", &byte), 1);
                    c += *c == '%' ? 2 : 0;
                    path[used++] = (char)byte;
                }
                path[used] = '\0';
                ck_assert_msg(scratch_exists(path), "%s", path);
            }
            ck_assert_uint_eq(json_array_size(files), 4);
        }
}

#define PNG "\x89PNG\r\n\x1a\n"

/* A picture is shown only if its name is a regular file of the run and its bytes begin as a picture; of two with one
 * name, the SVG. */
START_TEST(no_other_files_within)
{
    static const struct {
        const char *name, *text;
        bool shown;
    } file[] = {{"a.png", PNG "x", true},
                {"b.png", "secret", false},
                {"c.png", "<svg/>", false},
                {"d.png", PNG "x", false},
                {"d.svg", "<?xml version=\"1.0\"?>\n<!-- b -->\n<svg/>", true},
                {"e.svg", " \n<svg></svg>", true},
                {"f.svg", "<html></html>", false},
                {"g.svg", PNG "x", false},
                {"h.svg", "root:<svg>", false},
                {"i.png", "", false}};
    ck_assert_int_eq(mkdir(run, 0700), 0);
    scratch_write("own", PNG "secret", 14);
    ck_assert_int_eq(symlink("../own", scratch_path(run, "link.png")), 0);
    ck_assert_int_eq(mkfifo(scratch_path(run, "pipe.png"), 0600), 0);
    for (size_t i = 0; i < sizeof file / sizeof *file; i++)
        scratch_write(scratch_path(run, file[i].name), file[i].text, strlen(file[i].text));
    SCOPED(release_json) json_t *data = page_of(run);
    json_t *one;
    size_t next = 0, k;
    json_array_foreach(member(data, "runs 0 pictures"), k, one)
    {
        while (next < sizeof file / sizeof *file && !file[next].shown) next++;
        ck_assert_uint_lt(next, sizeof file / sizeof *file);
        ck_assert_str_eq(word(one, "0"), file[next++].name);
    }
    ck_assert_uint_eq(k, 3);
}

START_TEST(pictures_within)
{
    static const char picture[] = /* behind PNG: all letters of base64, in their order */
        PNG "\0\x00\x10\x83\x10\x51\x87\x20\x92\x8b\x30\xd3\x8f\x41\x14\x93\x51\x55\x97\x61\x96\x9b\x71\xd7\x9f"
            "\x82\x18\xa3\x92\x59\xa7\xa2\x9a\xab\xb2\xdb\xaf\xc3\x1c\xb3\xd3\x5d\xb7\xe3\x9e\xbb\xf3\xdf\xbf";
    static const char *const ends[] = {"8w==", "898=", "89+/"};
    ck_assert_int_eq(mkdir(run, 0700), 0);
    for (size_t i = 0; i < 3; i++) {
        scratch_write(scratch_path(run, "some.png"), picture, 55 + i);
        SCOPED(release_json) json_t *data = page_of(run);
        char text[120];
        snprintf(text, sizeof text,
                 "data:image/png;base64,iVBORw0KGgoAABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz01234567%s",
                 ends[i]);
        ck_assert_str_eq(word(data, "runs 0 pictures 0 1"), text);
    }
}

static bool broken; /* the disk of SVG pictures */

/* In place of the C library's. */
int ferror(FILE *stream)
{
    char head[5] = "";
    if (!broken || pread(fileno(stream), head, 4, 0) < 4 || strcmp(head, "<svg") != 0) return ferror_unlocked(stream);
    errno = EIO;
    return 1;
}

/* A picture that cannot be read is named, and no page is written. */
START_TEST(a_picture_on_a_broken_disk)
{
    static const char svg[] = "<svg><text>words</text></svg>";
    ck_assert_int_eq(mkdir(run, 0700), 0);
    scratch_write(scratch_path(run, "some.svg"), svg, strlen(svg));
    broken = true;
    check_says(report(run, page), STEEP_IO, "some.svg: cannot be read: Input/output error");
    broken = false;
    ck_assert(!scratch_exists(page));
}

static size_t left; /* files in TMPDIR when the page is written */

static void count_left(const char *out)
{
    ck_assert_str_eq(out, page);
    left = scratch_count("tmp");
}

/* A signal while the page is written ends the program: by then there is nothing left to remove in TMPDIR. */
START_TEST(no_folder_is_left_in_tmpdir)
{
    const char *folder = run;
    make_run(run, &plain, 1, "steep");
    ck_assert(mkdir("tmp", 0700) == 0 && setenv("TMPDIR", "tmp", 1) == 0);
    left = 9;
    const steep_page_options options = {.out = page, .about_to_write = count_left};
    check_says(steep_page_write(&folder, 1, &options, &error), STEEP_OK, "");
    ck_assert_uint_eq(left, 0);
}

static void refuse(const char *folder, const char *says)
{
    check_says(report(folder, page), STEEP_BAD_INPUT, says);
    ck_assert(!scratch_exists(page));
}

/* Writes a file of the run again, without its last bytes or with one text replaced by another. */
static void change(const char *folder, const char *name, const char *from, const char *to, size_t less)
{
    size_t size = 0;
    char *text = scratch_read(scratch_path(folder, name), &size), *at = from ? strstr(text, from) : NULL;
    FILE *file = begin(folder, name);
    if (at) fprintf(file, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    else fwrite(text, 1, size - less, file);
    fclose(file);
    free(text);
}

START_TEST(refused)
{
    static const struct {
        const char *file, *from, *to;
        size_t less;
        const char *says;
    } cases[] = {
        {"fits.csv", NULL, NULL, 5, "cut short"},
        {"series.csv", NULL, NULL, 5, "cut short"},
        {"slopes.csv", NULL, NULL, 5, "cut short"},
        {"fits.csv", "converged", "stalled", 0, "checksum"},
        {"fits.csv", "arch,", "kind,", 0, "header"},
        {"slopes.csv", ",frozen,", ",lm,", 0, "differ in their series"},
        {"slopes.csv", "window", "door", 0, "differ in their series"},
        {"slopes.csv", "theory", "belief", 0, "no column theory"},
        {"run.json", "{", "", 0, "no record"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_run(run, &plain, 1, "steep");
        change(run, cases[i].file, cases[i].from, cases[i].to, cases[i].less);
        refuse(run, cases[i].says);
    }
}

START_TEST(refused_folders)
{
    refuse(run, "cannot be opened");
    ck_assert_int_eq(mkdir(run, 0700), 0);
    refuse(run, "no slopes.csv");
    scratch_write("run/notes.txt", "x", 1);
    refuse("run/notes.txt", "as a folder");
    make_run(run, &plain, 1, "steep");
    ck_assert_int_eq(unlink("run/slopes.csv"), 0);
    refuse(run, "has not ended");
    make_run("sound", &plain, 1, "steep");
    ck_assert_int_lt(report("sound", "/proc/none/report.html"), 0);
}
