/* SPDX-License-Identifier: GPL-3.0-or-later */
/* page: the page of steep report without a browser: its HTML is read by a checker of its own, names with every kind of
 * character come back as they were, its numbers are those of the tables, its links lead to the files. */
#define _GNU_SOURCE
#define STEEP_TEST_SETUP    make_folder
#define STEEP_TEST_TEARDOWN remove_folder
#include "page/page.h"

#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>

#include "base/hash.h"
#include "base/table.h"
#include "chance.h"
#include "draw/figure_parts.h"
#include "page/parts.h"
#include "record/journal.h"
#include "scratch.h"
#include "study/report.h"
#include "study/series.h"

/* --- folders of runs --- */

/* Of each test, and a run's folder in it, which make_run makes. */
static char home[40], run[80];

static void make_folder(void)
{
    snprintf(home, sizeof home, "%s", scratch_make());
    snprintf(run, sizeof run, "%s/run", home);
}

static void remove_folder(void)
{
    scratch_remove(home);
}

/* A series of a power law of this order at widths 4, 8, 16 .. */
typedef struct law {
    const char *target, *label;
    double slope, low, high, theory, drift;
    size_t widths, points, apart; /* points of the window; 0: no slope */
    const char *remark;           /* of the window */
    double constant;              /* of theory's line, constant size^theory, against each; 0: none */
    size_t overfit;               /* widths at the end that overfit, their errors far above */
    const char *solver;           /* NULL: frozen */
} law;

static FILE *begin(const char *folder, const char *name)
{
    FILE *file = fopen(scratch_path(folder, name), "w");
    ck_assert_ptr_nonnull(file);
    return file;
}

static double error_at(const law *l, size_t i)
{
    return (i + l->overfit < l->widths ? 0.5 : 5e4) * pow(4.0 * pow(2, (double)i), l->slope);
}

/* What stands before the comma of a label. */
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
        const double n = 4 * pow(2, (double)i), e = error_at(l, i);
        steep_table_put(file, l->target);
        fputc(',', file);
        steep_table_put(file, l->target);
        fputc(',', file);
        steep_table_put(file, l->label);
        fprintf(file, ",%s,relu,%s,uniform,%.0f,%.0f,%.17g,%.17g,%.17g,%.17g,1,1e-17,nan,nan,nan,nan,nan,nan,%.17g,",
                arch_of(l), solver_of(l), n, 3 * n + 1, e, e, e, e, l->theory);
        for (size_t a = 0; a < 2; a++) {
            const double height = l->constant > 0 ? l->constant * pow(a ? 3 * n + 1 : n, l->theory) : NAN;
            fprintf(file, "%.17g,%.17g,%.17g,%.17g,", l->slope, l->low, l->high, height);
        }
        fprintf(file, "%d" MORE, i + l->overfit >= l->widths);
    }
}

static void put_slopes(FILE *file, const law *l)
{
    static const char *const methods[] = {"window", "last_pair", "all"};
    for (size_t a = 0; a < 2; a++)
        for (size_t m = 0; m < 3; m++) {
            fprintf(file, "%s,", arch_of(l));
            steep_table_put(file, l->target);
            fprintf(file, ",%s,%s,%s,%.17g,%.17g,%.17g,13,100,%zu,%.17g,%.17g,uniform,nan,nan,nan,%zu,%s,100\n",
                    solver_of(l), a ? "params" : "width", methods[m], l->slope, m == 1 ? NAN : l->low,
                    m == 1 ? NAN : l->high, l->points, l->drift, l->theory, l->apart,
                    m == 0 && l->remark ? l->remark : "");
        }
}

static uint64_t add(uint64_t sum, const char *text)
{
    return steep_hash_byte(steep_hash_text(sum, text), 31);
}

/* A row of fits.csv with its sum. */
static void put_fit(FILE *file, const law *l, size_t i, const char *status)
{
    char width[32], params[32], error[40];
    const bool failed = strcmp(status, "singular") == 0;
    snprintf(width, sizeof width, "%.0f", 4 * pow(2, (double)i));
    snprintf(params, sizeof params, "%.0f", 12 * pow(2, (double)i) + 1);
    snprintf(error, sizeof error, "%.17g", error_at(l, i));
    const char *const none = "nan", *const own = failed ? none : error, *const floor = failed ? none : "0";
    const char *const cell[] = {"mlp", "relu", l->target, "1", width, params, "0", "uniform", "frozen", "cpu",
                                "100", own,    own,       own, none,  "1",    "1", floor,     status};
    uint64_t sum = STEEP_HASH_START;
    for (size_t c = 0; c < sizeof cell / sizeof *cell; c++) {
        steep_table_put(file, cell[c]);
        fputc(',', file);
        sum = add(sum, cell[c]);
    }
    /* starts, hits, coefficient, rmse_single, flops and those of noise; behind the seconds */
    const char *const last[] = {"1", "1", none, none, failed ? none : "500", none, none, none, none};
    fputs("0.5,", file);
    for (size_t c = 0; c < sizeof last / sizeof *last; c++) {
        fprintf(file, "%s,", last[c]);
        sum = add(sum, last[c]);
    }
    fprintf(file, "%016" PRIx64 "\n", sum);
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
        for (size_t i = 0; i < laws[k].widths; i++)
            put_fit(fits, &laws[k], i, i % 5 == 3 ? "singular" : i % 5 == 4 ? "stalled" : "converged");
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

static steep_status report(const char *const *folder, size_t count, const char *out, steep_error *error)
{
    return steep_page_write(folder, count, &(steep_page_options){.out = out}, error);
}

/* The page over one folder; to be freed. */
static char *page_of(const char *folder)
{
    steep_error error = {{0}};
    const char *out = scratch_path(home, "report.html");
    const steep_status status = report(&folder, 1, out, &error);
    ck_assert_msg(status == STEEP_OK, "%s", error.text);
    return scratch_read(out, NULL);
}

/* --- a reader of HTML --- */

typedef struct reader {
    const char *text, *at;
    char stack[64][24]; /* names */
    size_t depth, elements;
    char *ids; /* ";id;" of each */
} reader;

static void refuse_html(const reader *r, const char *what)
{
    ck_abort_msg("byte %td: %s: %.80s", r->at - r->text, what, r->at > r->text + 40 ? r->at - 40 : r->at);
}

static bool is_void(const char *name)
{
    static const char *const names[] = {"meta", "img", "input", "br", "hr", "link"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static const char *const references[5][2] = {
    {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}};

/* Which of them begins here; 5: none. */
static size_t reference_at(const char *text)
{
    size_t i = 0;
    while (i < 5 && strncmp(text, references[i][0], strlen(references[i][0])) != 0) i++;
    return i;
}

static void read_reference(reader *r)
{
    const size_t i = reference_at(r->at);
    if (i == 5) refuse_html(r, "& that begins no reference");
    else r->at += strlen(references[i][0]);
}

static void read_name(reader *r, char *name, size_t size)
{
    size_t length = 0;
    while (isalnum((unsigned char)*r->at) || strchr("-", *r->at)) {
        ck_assert_uint_lt(length + 1, size);
        name[length++] = *r->at++;
    }
    name[length] = '\0';
    if (length == 0) refuse_html(r, "expected a name");
}

/* name="value"; value may hold no quote, no < and no bare &. A boolean attribute stands alone. */
static void read_attribute(reader *r)
{
    char name[40];
    read_name(r, name, sizeof name);
    if (*r->at != '=') return;
    if (*++r->at != '"') refuse_html(r, "a value without quotes");
    const char *begin = ++r->at;
    while (*r->at != '"') {
        if (!*r->at || *r->at == '<') refuse_html(r, "< or the end in a value");
        if (*r->at == '&') read_reference(r);
        else r->at++;
    }
    if (strcmp(name, "id") == 0) {
        char wanted[80];
        snprintf(wanted, sizeof wanted, ";%.*s;", (int)(r->at - begin), begin);
        ck_assert_msg(strstr(r->ids, wanted) == NULL, "the id %s stands twice", wanted);
        strcat(r->ids, wanted);
    }
    r->at++;
}

/* What stands between <script> and </script>, to be freed; the reader is behind it. */
static void skip_raw(reader *r, const char *name)
{
    char end[32];
    snprintf(end, sizeof end, "</%s>", name);
    const char *found = strcasestr(r->at, end);
    if (!found) refuse_html(r, "a script or style that does not end");
    ck_assert_msg(strncmp(r->at, "<!--", 4) != 0, "a comment begins a script");
    r->at = found;
}

static void read_tag(reader *r)
{
    char name[24];
    const bool closing = r->at[1] == '/';
    r->at += 1 + closing;
    read_name(r, name, sizeof name);
    if (closing) {
        ck_assert_msg(r->depth > 0 && strcmp(r->stack[r->depth - 1], name) == 0, "</%s> closes <%s>, byte %td", name,
                      r->depth > 0 ? r->stack[r->depth - 1] : "nothing", r->at - r->text);
        r->depth--;
        if (*r->at++ != '>') refuse_html(r, "a closing tag with attributes");
        return;
    }
    r->elements++;
    while (isspace((unsigned char)*r->at)) {
        while (isspace((unsigned char)*r->at)) r->at++;
        if (*r->at != '>' && *r->at != '/') read_attribute(r);
    }
    const bool alone = *r->at == '/';
    r->at += alone;
    if (*r->at++ != '>') refuse_html(r, "a tag that does not end");
    if (alone || is_void(name)) return;
    ck_assert_uint_lt(r->depth, 64);
    strcpy(r->stack[r->depth++], name);
    if (strcmp(name, "script") == 0 || strcmp(name, "style") == 0) skip_raw(r, name);
}

/* Bytes are UTF-8, without control characters but newlines; every tag is closed in its order, attributes are quoted, ids
 * stand once and are there where something refers to them. Returns the number of elements. */
static size_t check_html(const char *text)
{
    static const char start[] = "<!DOCTYPE html>\n";
    reader r = {.text = text, .at = text, .ids = calloc(strlen(text) + 1, 1)};
    ck_assert_int_eq(strncmp(text, start, sizeof start - 1), 0);
    r.at += sizeof start - 1;
    while (*r.at) {
        if (*r.at == '<') read_tag(&r);
        else if (*r.at == '&') read_reference(&r);
        else if (*r.at == '>') refuse_html(&r, "a bare >");
        else r.at++;
    }
    ck_assert_uint_eq(r.depth, 0);
    for (const char *c = text; *c; c++) ck_assert_msg((unsigned char)*c >= ' ' || *c == '\n', "a control character");
    static const char *const leads[] = {"href=\"#", "aria-labelledby=\""};
    for (size_t i = 0; i < 2; i++)
        for (const char *c = text; (c = strstr(c, leads[i]));) {
            char wanted[80];
            c += strlen(leads[i]);
            snprintf(wanted, sizeof wanted, ";%.*s;", (int)strcspn(c, "\""), c);
            ck_assert_msg(strstr(r.ids, wanted) != NULL, "nothing has the id %s", wanted);
        }
    free(r.ids);
    return r.elements;
}

/* The k-th block of JSON; NULL past the last. */
static json_t *data_of(const char *text, size_t k)
{
    json_error_t why;
    for (;; k--) {
        text = strstr(text, "<script type=\"application/json\"");
        if (!text) return NULL;
        text = strchr(text, '>') + 1;
        if (k == 0) break;
    }
    json_t *value = json_loadb(text, (size_t)(strstr(text, "</script>") - text), 0, &why);
    ck_assert_msg(value != NULL, "%s: %.60s", why.text, text);
    return value;
}

/* --- texts --- */

/* The text of HTML's references again; in place. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        const size_t i = reference_at(from);
        *to++ = i < 5 ? *references[i][1] : *from;
        from += i < 5 ? strlen(references[i][0]) : 1;
    }
    *to = '\0';
}

static char *written(void (*put)(FILE *, const char *), const char *text)
{
    char *memory = NULL;
    size_t size;
    FILE *file = open_memstream(&memory, &size);
    ck_assert_ptr_nonnull(file);
    put(file, text);
    fclose(file);
    return memory;
}

/* A text of random bytes, of characters with a meaning, and of whole characters of UTF-8. */
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

START_TEST(texts_survive)
{
    steep_random random = chance_start(1);
    for (size_t k = 0; k < chance_cases(4000); k++) {
        char text[128];
        draw_text(&random, text, sizeof text);
        char *html = written(steep_html_text, text), *json = written(steep_html_json, text);
        ck_assert_msg(html[strcspn(html, "<>\"'\n\x01")] == '\0', "%s", html);
        ck_assert_msg(json[strcspn(json, "<>&\n\x01")] == '\0', "%s", json);
        unescape(html);
        json_t *value = json_loads(json, JSON_DECODE_ANY, NULL); /* refuses what is no UTF-8 */
        ck_assert_msg(value != NULL, "%s", json);
        ck_assert_str_eq(json_string_value(value), html); /* two routes to the same text */
        json_t *again = json_string(text);                /* NULL: text itself is no UTF-8 */
        if (again && !strpbrk(text, "\n\x01\x7f\xc2") && !strstr(html, "\xef\xbf\xbd") && !strchr(html, ' '))
            ck_assert_str_eq(html, text); /* nothing in it had to be replaced */
        json_decref(again);
        json_decref(value);
        free(html);
        free(json);
    }
}
END_TEST

START_TEST(plain_texts_are_themselves)
{
    static const char *const text[] = {"", "exp(-x)*cos(8*x)", "é𝄞 ∼ −2", "a<b && \"c\" > 'd'",
                                       "</script><script>alert(1)</script>"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        char *html = written(steep_html_text, text[i]);
        unescape(html);
        ck_assert_str_eq(html, text[i]);
        free(html);
    }
}
END_TEST

START_TEST(numbers_read_back)
{
    steep_random random = chance_start(2);
    for (size_t k = 0; k < chance_cases(2000); k++) {
        const double value = chance_within(&random, -1, 1) * pow(10, chance_within(&random, -300, 300));
        char *memory = NULL;
        size_t size;
        FILE *file = open_memstream(&memory, &size);
        steep_html_value(file, 5, value);
        fclose(file);
        check_close(strtod(memory, NULL), value, 5e-5 * fabs(value)); /* five digits */
        json_t *number = json_loads(memory, JSON_DECODE_ANY, NULL);
        ck_assert_msg(json_is_number(number), "%s", memory);
        json_decref(number);
        free(memory);
    }
}
END_TEST

/* --- whole pages --- */

START_TEST(hostile_names)
{
    steep_random random = chance_start(3);
    for (size_t k = 0; k < chance_cases(25); k++) {
        char target[2][100], label[100], folder[300], name[100], command[100];
        draw_text(&random, target[0], sizeof target[0]);
        draw_text(&random, target[1], sizeof target[1]);
        draw_text(&random, label, sizeof label);
        draw_text(&random, command, sizeof command);
        draw_text(&random, name, sizeof name);
        for (char *c = name; *c; c++) *c = *c == '/' ? '_' : *c;
        snprintf(folder, sizeof folder, "%s/x%s", home, name);
        for (size_t i = 0; i < 2; i++) { /* tables trim blanks */
            memmove(target[i] + 1, target[i], strlen(target[i]) + 1);
            target[i][0] = (char)('a' + i);
            strcat(target[i], "z");
        }
        law laws[2] = {plain, plain};
        laws[0].target = target[0], laws[1].target = target[1];
        laws[0].label = laws[1].label = *label == ' ' || *label == '\t' ? "b" : label;
        json_t *sound = json_string(command);
        make_run(folder, laws, 2, sound ? command : "none");
        json_decref(sound);
        char *text = page_of(folder);
        check_html(text);
        ck_assert_ptr_null(strstr(text, "alert("));
        for (size_t i = 0; i < 3; i++) json_decref(data_of(text, i));
        ck_assert_ptr_null(strstr(strstr(text, "id=\"fits-data\""), "<!--"));
        free(text);
    }
}
END_TEST

/* The cells of a row of the table of slopes: data's values, one after the other. */
static size_t read_values(const char *row, double *value, size_t room)
{
    size_t count = 0;
    const char *end = strstr(row, "</tr>");
    for (const char *c = row; (c = strstr(c, "<data value=\"")) && c < end; count++) {
        c += 13;
        if (count < room) value[count] = strtod(c, NULL);
    }
    return count;
}

START_TEST(values_are_those_of_slopes_csv)
{
    steep_random random = chance_start(4);
    for (size_t k = 0; k < chance_cases(10); k++) {
        law l = plain;
        l.slope = chance_within(&random, -6, -0.5);
        l.low = l.slope - chance_within(&random, 0, 0.1);
        l.high = l.slope + chance_within(&random, 0, 0.1);
        l.theory = chance_within(&random, -6, 0);
        make_run(run, &l, 1, "steep");
        char *text = page_of(run);
        steep_table t;
        ck_assert_int_eq(steep_table_read(scratch_path(run, "slopes.csv"), &t, NULL), STEEP_OK);
        double value[16], wanted[5];
        static const char *const column[] = {"slope", "low", "high", "theory"};
        for (size_t c = 0; c < 4; c++) /* row 3: params, window */
            ck_assert_int_eq(steep_table_number(&t, 3, steep_table_column(&t, column[c]), &wanted[c], NULL), STEEP_OK);
        const size_t count = read_values(strstr(strstr(text, "slopes-table"), "<tbody>"), value, 16);
        ck_assert_uint_eq(count, 10);
        for (size_t c = 0; c < 4; c++)
            ck_assert_msg(value[c] == wanted[c], "%s: %.17g, %.17g", column[c], value[c], wanted[c]);
        steep_table_free(&t);
        free(text);
    }
}
END_TEST

/* The cell of the verdict in the first row of the table, to be freed with the page. */
static const char *verdict_of(const char *text, int *length)
{
    const char *cell = strstr(strstr(strstr(text, "slopes-table"), "<tbody>"), "class=\"verdict");
    ck_assert_ptr_nonnull(cell);
    *length = (int)(strstr(cell, "</td>") - cell);
    return cell;
}

static bool holds(const char *cell, int length, const char *words)
{
    const char *found = strstr(cell, words);
    return found && found + strlen(words) <= cell + length;
}

/* Agreement needs an interval narrower than a half; what is called a difference is one in three decimals. */
START_TEST(verdicts_of_random_intervals)
{
    steep_random random = chance_start(8);
    size_t met[3] = {0};
    for (size_t k = 0; k < chance_cases(60); k++) {
        int length;
        law l = plain;
        const double size = exp(chance_within(&random, log(1e-7), log(2)));
        l.low = l.slope - size * chance_within(&random, 0, 1);
        l.high = l.slope + size * chance_within(&random, 0, 1);
        l.theory = l.slope + exp(chance_within(&random, log(1e-6), 0)) * (chance_below(&random, 2) ? 1 : -1);
        if (k % 10 == 0) l.low = l.high = l.slope; /* seeds that are one fit */
        make_run(run, &l, 1, "steep");
        char *text = page_of(run);
        const char *cell = verdict_of(text, &length);
        const bool within = l.low <= l.theory && l.theory <= l.high, wide = !(l.high - l.low < 0.5);
        const bool near = fabs(l.slope - l.theory) < 5e-4;
        ck_assert_ptr_null(strstr(text, "± 0.000"));
        const char *says = within && wide ? "open" : within || near ? "agrees with theory" : "er than theory by ";
        ck_assert_msg(holds(cell, length, says) && !holds(cell, length, "by 0.000"), "[%g, %g], %g: %.*s", l.low,
                      l.high, l.theory, length, cell);
        met[within && wide ? 0 : within || near ? 1 : 2]++;
        free(text);
    }
    for (size_t i = 0; i < 3; i++) ck_assert_uint_gt(met[i], 0);
}
END_TEST

START_TEST(verdicts)
{
    static const struct {
        double low, high, theory, drift;
        size_t apart;
        const char *remark, *says, *says_not;
    } cases[] = {
        {-2.01, -1.99, -2, 0.01, 0, NULL, "agrees with theory", ":"},
        {-2.01, -2, -2, 0.01, 0, NULL, "agrees with theory", ";"},
        {-2, -1.99, -2, 0.01, 0, NULL, "agrees with theory", ":"},
        {-2.01, -1.99, -1.5, 0.01, 0, NULL, "steeper than theory by 0.500", ";"},
        {-2.01, -1.99, -2.25, 0.01, 0, NULL, "shallower than theory by 0.250", ";"},
        {-2.01, -1.99, -2, 0.5, 0, "still bending", "still bending; slope at the largest sizes: −1.500", "agrees"},
        /* What bends is for steep to say, whatever the numbers are. */
        {-2.01, -1.99, -2, 0.5, 0, NULL, "agrees with theory", "bending"},
        {-3, -1, -2, 0.5, 0, "still bending", "still bending; slope at the largest sizes: −1.500", "agrees"},
        {-2.01, -1.99, NAN, 0.01, 0, NULL, "theory names no order", ":"},
        {NAN, NAN, -2, NAN, 0, "few points", "no interval: few points", "agrees"},
        {NAN, NAN, -2, NAN, 0, "few points above the floor", "no interval: few points above the floor", "agrees"},
        {NAN, NAN, -2, NAN, 0, "falls faster than any power", "falls faster than any power", "agrees"},
        {-2.01, -1.99, -2, 0, 3, NULL, "agrees with theory; 3 apart from the others, left out", ":"},
        {-2.01, -1.99, -2, 0, 0, "a <b> & c", "agrees with theory: a &lt;b&gt; &amp; c", "<b>"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int length;
        law l = plain;
        l.low = cases[i].low, l.high = cases[i].high, l.theory = cases[i].theory;
        l.drift = cases[i].drift, l.apart = cases[i].apart, l.remark = cases[i].remark;
        make_run(run, &l, 1, "steep");
        char *text = page_of(run);
        const char *cell = verdict_of(text, &length);
        ck_assert_msg(holds(cell, length, cases[i].says) && !holds(cell, length, cases[i].says_not), "%s: %.*s",
                      cases[i].says, length, cell);
        free(text);
    }
}
END_TEST

/* --- figures --- */

/* A text without the blanks that say nothing in a picture. */
static void squeeze(char *text)
{
    char *to = text;
    for (const char *at = text; *at; at++)
        if (!isspace((unsigned char)*at)) *to++ = *at;
    *to = '\0';
}

static int hex(char c)
{
    return c <= '9' ? c - '0' : c - 'A' + 10;
}

/* The picture against n or P of the page's first figure, squeezed; to be freed. */
static char *picture_of(const char *text, char against)
{
    char begin[64];
    snprintf(begin, sizeof begin, "<img class=\"panel against-%c\"", against);
    const char *at = strstr(text, begin), *end = at ? strchr(at, '>') : NULL;
    ck_assert_msg(end != NULL, "no %s", begin);
    at = strstr(at, "data:image/svg+xml,");
    ck_assert(at && at < end);
    char *picture = strndup(at + 19, (size_t)(end - at) - 20), *to = picture;
    for (const char *from = picture; *from; from++) {
        const bool coded = *from == '%';
        *to++ = coded ? (char)(16 * hex(from[1]) + hex(from[2])) : *from;
        from += coded ? 2 : 0;
    }
    *to = '\0';
    squeeze(picture);
    return picture;
}

/* What gnuplot draws of the folder by itself, to be freed. */
static char *drawn_by_itself(const char *folder, char against)
{
    const steep_figure_options o = {.terminal = "svg", .title = "", .against = against};
    steep_error error = {{0}};
    const steep_status status = steep_figure_slopes(folder, &o, NULL, &error);
    ck_assert_msg(status == STEEP_OK, "%s", error.text);
    char *text = scratch_read(scratch_path(folder, "slopes.svg"), NULL);
    squeeze(text);
    return text;
}

typedef struct place {
    double size, error, x, y; /* logarithms; in the picture */
} place;

/* Marks in a picture of series i of count, those of widths that overfit or the others, with their numbers; returns how
 * many. plots/slopes.gp draws layers of all series: the seventh has points, the eighth hollow ones. */
static size_t read_marks(const char *picture, const json_t *all, size_t i, bool hollow, char against, place *to)
{
    char begin[64];
    const char size[2] = {against, 0};
    const json_t *series = json_array_get(all, i), *overfit = json_object_get(series, "overfit");
    size_t count = 0;
    snprintf(begin, sizeof begin, "id=\"gnuplot_plot_%zua\"", (hollow ? 7 : 6) * json_array_size(all) + i + 1);
    const char *at = strstr(picture, begin), *end = at ? strstr(at + 1, "id=\"gnuplot_plot_") : NULL;
    ck_assert_msg(end != NULL, "no %s", begin);
    for (size_t k = 0; k < json_array_size(json_object_get(series, "error")); k++) {
        if (hollow != (json_number_value(json_array_get(overfit, k)) > 0)) continue;
        at = strstr(at, "<use");
        ck_assert_msg(at && at < end, "a mark too few: %s", begin);
        place *p = &to[count++];
        ck_assert_int_eq(sscanf(at++, "<usexlink:href='#gpPt%*u'transform='translate(%lf,%lf)", &p->x, &p->y), 2);
        p->size = log(json_number_value(json_array_get(json_object_get(series, size), k)));
        p->error = log(json_number_value(json_array_get(json_object_get(series, "error"), k)));
    }
    at = strstr(at, "<use");
    ck_assert_msg(!at || at > end, "a mark too many: %s", begin);
    return count;
}

/* The marks of all series lie where the numbers say, on one pair of logarithmic axes: those through the marks that lie
 * farthest apart. Places are printed to a hundredth, numbers to five digits. */
static void check_places(const place *p, size_t count)
{
    size_t least = 0, most = 0, low = 0, high = 0;
    for (size_t i = 1; i < count; i++) {
        if (p[i].size < p[least].size) least = i;
        if (p[i].size > p[most].size) most = i;
        if (p[i].error < p[low].error) low = i;
        if (p[i].error > p[high].error) high = i;
    }
    const double across = (p[most].x - p[least].x) / (p[most].size - p[least].size);
    const double up = (p[high].y - p[low].y) / (p[high].error - p[low].error);
    ck_assert(across > 10 && up < -1);
    for (size_t i = 0; i < count; i++) {
        check_close(p[i].x, p[least].x + across * (p[i].size - p[least].size), 0.05);
        check_close(p[i].y, p[low].y + up * (p[i].error - p[low].error), 0.05);
    }
}

static void check_figure(const char *text, const char *folder, const law *laws, size_t count)
{
    json_t *data = data_of(text, 0);
    for (size_t a = 0; a < 2; a++) {
        const char against = a ? 'P' : 'n';
        char *own = picture_of(text, against), *svg = drawn_by_itself(folder, against);
        place at[160];
        size_t marks = 0;
        for (size_t i = 0; i < count; i++) {
            ck_assert_str_eq(json_string_value(json_object_get(json_array_get(data, i), "label")), laws[i].label);
            const size_t kept = read_marks(own, data, i, false, against, &at[marks]);
            ck_assert_uint_eq(kept, laws[i].widths - laws[i].overfit);
            marks += kept;
            ck_assert_uint_eq(read_marks(own, data, i, true, against, &at[marks]), laws[i].overfit);
        }
        check_places(at, marks);
        ck_assert_str_eq(own, svg);
        free(own);
        free(svg);
    }
    json_decref(data);
}

/* The numbers of "array NAME[...] = [a, b, ...]" of the script. */
static size_t read_array(const char *script, const char *name, unsigned *into, size_t room)
{
    char begin[64];
    size_t found = 0;
    snprintf(begin, sizeof begin, "\narray %s[", name);
    const char *at = strstr(script, begin);
    ck_assert_ptr_nonnull(at);
    for (at = strstr(at, "= [") + 3; found < room && *at != ']'; at += *at == ',' ? 2 : 0)
        into[found++] = (unsigned)strtoul(at, (char **)&at, 10);
    return found;
}

/* The samples beside the names have colour, dash and mark of the figure's script. */
static void check_chips(const char *folder, const char *text, size_t count)
{
    static const char *const name[] = {"colour", "dash", "mark"};
    unsigned look[3][16];
    char *script = scratch_read(scratch_path(folder, "slopes.gp"), NULL);
    for (size_t k = 0; k < 3; k++) ck_assert_uint_eq(read_array(script, name[k], look[k], 16), count);
    for (size_t i = 0; i < count; i++) {
        char begin[40];
        unsigned own[3];
        snprintf(begin, sizeof begin, "data-s=\"%zu\"><svg class=\"chip ", i);
        const char *chip = strstr(text, begin);
        ck_assert_ptr_nonnull(chip);
        ck_assert_int_eq(sscanf(chip + strlen(begin), "k%u d%u m%u", &own[0], &own[1], &own[2]), 3);
        for (size_t k = 0; k < 3; k++) ck_assert_uint_eq(own[k], look[k][i]);
    }
    free(script);
}

/* The page has gnuplot's own picture, and its numbers are those of the marks. */
START_TEST(figures_are_gnuplots)
{
    static const char *const archs[] = {"glu", "mlp", "own", "gqu", "la:gelu"}, *const solvers[] = {"lm", "frozen",
                                                                                                    "newton"};
    steep_random random = chance_start(9);
    for (size_t c = 0; c < chance_cases(12); c++) {
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
        char *text = page_of(run);
        check_html(text);
        check_figure(text, run, laws, count);
        check_chips(run, text, count);
        free(text);
    }
}
END_TEST

/* The page is written and says which pictures it lacks, and so does the status. */
START_TEST(no_gnuplot)
{
    const char *out = scratch_path(home, "report.html");
    char kept[80];
    steep_error error = {{0}};
    snprintf(kept, sizeof kept, "%s", out);
    make_run(run, &plain, 1, "steep");
    setenv("PATH", "/nonexistent", 1);
    const char *const one = run;
    ck_assert_int_eq(report(&one, 1, kept, &error), STEEP_IO);
    ck_assert_msg(strstr(error.text, "is written, without 1 of its pictures: gnuplot could not be started") &&
                      strstr(error.text, "gnuplot-nox"),
                  "%s", error.text);
    char *text = scratch_read(kept, NULL);
    check_html(text);
    ck_assert(strstr(text, "This picture is missing: gnuplot could not be started") && !strstr(text, "class=\"panel"));
    ck_assert_ptr_nonnull(strstr(text, "agrees with theory"));
    free(text);
}
END_TEST

/* The colours of pages are those of the style that gnuplot reads, in their order. */
START_TEST(colours_are_those_of_figures)
{
    char colours[128] = "";
    make_run(run, &plain, 1, "steep");
    char *text = page_of(run);
    ck_assert_int_eq(sscanf(strstr(steep_script_style, "\ncolours = '"), "\ncolours = '%127[^']", colours), 1);
    for (int i = 0; i < 9; i++) {
        char name[12];
        const int length = snprintf(name, sizeof name, "--c%d: #", i + 1);
        const char *own = strstr(text, name) + length;
        ck_assert_msg(strncasecmp(own, colours + 7 * i, 6) == 0, "%.6s, not %.6s", own, colours + 7 * i);
    }
    free(text);
}
END_TEST

/* Counts are those of fits.csv, whatever the last command's record says. */
START_TEST(cards_are_of_the_whole_folder)
{
    make_run(run, &plain, 1, "steep");
    char *text = page_of(run);
    static const char *const says[] = {
        "<b>7</b> fits",     ">converged <b>5</b>",     ">singular <b>1</b>",         ">stalled <b>1</b>",
        "<dd>4 to 256</dd>", "<dd>1, on 1 target</dd>", "The last command of several"};
    for (size_t i = 0; i < sizeof says / sizeof *says; i++)
        ck_assert_msg(strstr(text, says[i]) != NULL, "no %s", says[i]);
    free(text);
}
END_TEST

/* A row for each width, with the numbers of separation.csv to the bit; its picture stands with it, and once. */
START_TEST(separations_have_their_table)
{
    enum { ROWS = 5 };
    steep_random random = chance_start(10);
    double number[ROWS][6];
    ck_assert_int_eq(mkdir(run, 0700), 0);
    FILE *file = begin(run, "separation.csv");
    fputs(
        "witness,class,width,lambda,vector_norm,bound,bound_source,E0,E1,W,certified_low,certified_high,restarts,hits,"
        "status,seconds\n",
        file);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t k = 0; k < 6; k++)
            number[i][k] = exp(chance_within(&random, -9, 1)); /* W, bound, low, high, E1, E0 */
        fprintf(file,
                "\"max(x,0)<y\",relu*id,%zu,1,euclidean,%.17g,\"B.5, "
                "sharp\",%.17g,%.17g,%.17g,%.17g,%.17g,9,1,converged,1\n",
                i + 1, number[i][1], number[i][5], number[i][4], number[i][0], number[i][2], number[i][3]);
    }
    fclose(file);
    scratch_write(scratch_path(run, "separation.svg"), "<svg/>", 6);
    char *text = page_of(run);
    check_html(text);
    const char *row = strstr(strstr(text, "id=\"separations\""), "<tbody>");
    ck_assert_ptr_nonnull(row);
    for (size_t i = 0; i < ROWS; i++) {
        double value[16];
        row = strstr(row, "<tr>") + 4;
        ck_assert_uint_eq(read_values(row, value, 16), 7);
        ck_assert_double_eq(value[0], (double)i + 1);
        for (size_t k = 0; k < 6; k++) ck_assert_double_eq(value[k + 1], number[i][k]);
    }
    ck_assert_ptr_nonnull(strstr(text, "max(x,0)&lt;y"));
    const char *picture = strstr(text, "data:image/svg+xml");
    ck_assert(picture && !strstr(picture + 1, "data:image/svg+xml"));
    free(text);
}
END_TEST

START_TEST(same_bytes)
{
    char folder[2][80], out[2][80];
    law other = plain;
    other.label = "glu";
    for (size_t i = 0; i < 2; i++) {
        snprintf(folder[i], sizeof folder[i], "%s/run%zu", home, i);
        snprintf(out[i], sizeof out[i], "%s/report%zu.html", home, i);
        make_run(folder[i], i ? &other : &plain, 1, "steep");
    }
    const char *const folders[] = {folder[0], folder[1]};
    char *text[2];
    size_t size[2];
    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(report(folders, 2, out[i], NULL), STEEP_OK);
        text[i] = scratch_read(out[i], &size[i]);
    }
    ck_assert_uint_eq(size[0], size[1]);
    ck_assert_mem_eq(text[0], text[1], size[0]);
    check_html(text[0]);
    free(text[0]);
    free(text[1]);
}
END_TEST

/* Every link leads from the page's folder to a file, wherever the two lie. */
START_TEST(links_lead_somewhere)
{
    static const char *const folders[] = {"a", "deep/er/run", "with blank", "per%cent:colon", "q?u#ery", "é"};
    static const char *const outs[] = {"report.html", "other/way/report.html", "deep/report.html", "a/report.html"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        for (size_t k = 0; k < sizeof outs / sizeof *outs; k++) {
            char folder[120], out[120];
            mkdir(scratch_path(home, "deep"), 0700);
            mkdir(scratch_path(home, "deep/er"), 0700);
            snprintf(folder, sizeof folder, "%s/%s", home, folders[i]);
            snprintf(out, sizeof out, "%s/%s", home, outs[k]);
            make_run(folder, &plain, 1, "steep");
            const char *const one = folder;
            ck_assert_int_eq(report(&one, 1, out, NULL), STEEP_OK);
            char *text = scratch_read(out, NULL);
            size_t links = 0;
            *strrchr(out, '/') = '\0';
            for (const char *c = strstr(text, "class=\"links\""); (c = strstr(c, "<a href=\"")); links++) {
                char path[400];
                size_t used = (size_t)snprintf(path, sizeof path, "%s/", out);
                for (c += 9; *c != '"'; c++) {
                    ck_assert_msg(!strchr("?# :", *c), "%.60s", c);
                    path[used++] = *c == '%' ? (char)(16 * hex(c[1]) + hex(c[2])) : *c;
                    if (*c == '%') c += 2;
                }
                path[used] = '\0';
                ck_assert_msg(scratch_exists(path), "%s", path);
            }
            ck_assert_uint_eq(links, 4);
            free(text);
        }
}
END_TEST

#define PNG "\x89PNG\r\n\x1a\n"

/* What has a picture's name is within the page where it is a file of its own that begins as one. */
START_TEST(no_other_files_within)
{
    static const struct {
        const char *name, *text;
        bool shown;
    } file[] = {{"a.png", PNG "x", true},
                {"b.png", "secret", false},
                {"c.png", "<svg/>", false},
                {"d.svg", "<?xml version=\"1.0\"?>\n<!-- b -->\n<svg/>", true},
                {"e.svg", " \n<svg></svg>", true},
                {"f.svg", "<html></html>", false},
                {"g.svg", PNG "x", false},
                {"h.svg", "root:<svg>", false},
                {"i.png", "", false}};
    char kept[80], shown[64];
    snprintf(kept, sizeof kept, "%s", scratch_path(home, "drawn"));
    ck_assert_int_eq(mkdir(kept, 0700), 0);
    scratch_write(scratch_path(home, "own"), PNG "secret", 14);
    ck_assert_int_eq(symlink("../own", scratch_path(kept, "link.png")), 0);
    ck_assert_int_eq(mkfifo(scratch_path(kept, "pipe.png"), 0600), 0);
    for (size_t i = 0; i < sizeof file / sizeof *file; i++)
        scratch_write(scratch_path(kept, file[i].name), file[i].text, strlen(file[i].text));
    char *text = page_of(kept);
    check_html(text);
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        snprintf(shown, sizeof shown, "alt=\"Picture %s of", file[i].name);
        ck_assert_msg((strstr(text, shown) != NULL) == file[i].shown, "%s", file[i].name);
    }
    ck_assert_ptr_null(strstr(text, "alt=\"Picture link.png"));
    ck_assert_ptr_null(strstr(text, "alt=\"Picture pipe.png"));
    free(text);
}
END_TEST

START_TEST(pictures_within)
{
    const char *folder = scratch_path(home, "drawn");
    char kept[80], picture[4096];
    steep_random random = chance_start(6);
    snprintf(kept, sizeof kept, "%s", folder);
    ck_assert_int_eq(mkdir(kept, 0700), 0);
    for (size_t length = 9; length < 60; length++) {
        memcpy(picture, PNG, 8);
        for (size_t i = 8; i < length; i++) picture[i] = (char)chance_below(&random, 256);
        scratch_write(scratch_path(kept, "some.png"), picture, length);
        char *text = page_of(kept);
        check_html(text);
        const char *c = strstr(text, "data:image/png;base64,");
        ck_assert_ptr_nonnull(c);
        c += 22;
        static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        unsigned bits = 0, have = 0;
        size_t at = 0;
        for (; *c != '"' && *c != '='; c++) {
            bits = bits << 6 | (unsigned)(strchr(letters, *c) - letters);
            if ((have += 6) < 8) continue;
            have -= 8;
            ck_assert_uint_lt(at, length);
            ck_assert_int_eq((unsigned char)(bits >> have), (unsigned char)picture[at]);
            at++;
        }
        ck_assert_uint_eq(at, length);
        free(text);
    }
}
END_TEST

/* --- what is refused --- */

static void refuse(const char *base, const char *folder, const char *says)
{
    steep_error error = {{0}};
    const char *out = scratch_path(base, "refused.html");
    ck_assert_int_eq(report(&folder, 1, out, &error), STEEP_BAD_INPUT);
    ck_assert_msg(strstr(error.text, says) != NULL, "%s", error.text);
    ck_assert(!scratch_exists(scratch_path(base, "refused.html")));
}

/* The file of the run without its last bytes, or with one text in place of another. */
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
        {"slopes.csv", ",frozen,", ",lm,", 0, "do not have the same series"},
        {"slopes.csv", "window", "door", 0, "do not have the same series"},
        {"slopes.csv", "theory", "belief", 0, "no column theory"},
        {"run.json", "{", "", 0, "no record"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_run(run, &plain, 1, "steep");
        change(run, cases[i].file, cases[i].from, cases[i].to, cases[i].less);
        refuse(home, run, cases[i].says);
    }
}
END_TEST

START_TEST(refused_folders)
{
    steep_error error = {{0}};
    refuse(home, run, "cannot be opened");
    ck_assert_int_eq(mkdir(run, 0700), 0);
    refuse(home, run, "no slopes.csv");
    scratch_write(scratch_path(run, "notes.txt"), "x", 1);
    refuse(home, scratch_path(run, "notes.txt"), "as a folder");
    rmdir(run);
    unlink(scratch_path(run, "notes.txt"));
    ck_assert_int_eq(rmdir(run), 0);
    make_run(run, &plain, 1, "steep");
    ck_assert_int_eq(unlink(scratch_path(run, "slopes.csv")), 0);
    refuse(home, run, "has not ended");
    ck_assert_int_eq(report(NULL, 0, "x", &error), STEEP_BAD_INPUT);
    const char *const one = scratch_path(home, "sound");
    make_run(one, &plain, 1, "steep");
    ck_assert_int_lt(report(&one, 1, "/proc/none/report.html", &error), 0);
}
END_TEST

STEEP_TEST_MAIN("page", texts_survive, plain_texts_are_themselves, numbers_read_back, hostile_names,
                values_are_those_of_slopes_csv, verdicts, verdicts_of_random_intervals, figures_are_gnuplots,
                no_gnuplot, colours_are_those_of_figures, cards_are_of_the_whole_folder, separations_have_their_table,
                same_bytes, links_lead_somewhere, no_other_files_within, pictures_within, refused, refused_folders)
