/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sheet: every format reads back as what was printed: CSV by the library's reader and JSON by Jansson, to the bit;
 * Markdown and LaTeX, with their escapes undone, have the words of the text format. Values, texts and tables are
 * random, with troublesome ones among them. */
#include "base/sheet.h"

#include <float.h>
#include <jansson.h>

#include "base/table.h"
#include "chance.h"
#include "scratch.h"

enum { MOST_COLUMNS = 7, MOST_ROWS = 6 };

typedef struct drawn {
    steep_sheet_column column[MOST_COLUMNS];
    char key[MOST_COLUMNS][16], second[MOST_COLUMNS][16], text[MOST_ROWS][MOST_COLUMNS][48];
    steep_cell cell[MOST_ROWS][MOST_COLUMNS];
    steep_sheet_layout layout;
    size_t rows;
} drawn;

static double draw_number(steep_random *random)
{
    static const double odd[] = {0, -0.0, 1, -1, NAN, INFINITY, -INFINITY, DBL_MAX, DBL_MIN, 5e-324, 0.1, 1e-17, 1e22};
    if (steep_random_uniform(random) < 0.3) return odd[chance_below(random, sizeof odd / sizeof *odd)];
    return ldexp(steep_random_uniform(random) - 0.5, (int)chance_below(random, 400) - 200);
}

/* A text of signs from every format, in any order, without blanks at its ends. */
static void draw_text(steep_random *random, char text[48])
{
    static const char *const part[] = {"a", "Zq", "7", "-", "--", ",", ";", "\"",   "|",        "\\",
                                       "{", "}",  "$", "%", "&",  "#", "_", "^",    "~",        "<",
                                       ">", "*",  "[", "]", "`",  "'", "(", "1e-5", "\xc3\xa9", "x"};
    strcpy(text, "w");
    for (size_t left = chance_below(random, 8); left > 0; left--)
        strcat(text, part[chance_below(random, sizeof part / sizeof *part)]);
}

static void draw(steep_random *random, drawn *d)
{
    *d = (drawn){.rows = chance_below(random, MOST_ROWS + 1)};
    d->layout = (steep_sheet_layout){.name = "drawn", .column = d->column};
    d->layout.columns = 1 + chance_below(random, MOST_COLUMNS);
    for (size_t c = 0; c < d->layout.columns; c++) {
        steep_sheet_column *column = &d->column[c];
        column->kind = c == 0 ? STEEP_SHEET_TEXT : (steep_sheet_kind)chance_below(random, 4);
        snprintf(d->key[c], sizeof *d->key, "key%zu", c);
        snprintf(d->second[c], sizeof *d->second, "second%zu", c);
        column->key = column->title = d->key[c];
        if (column->kind == STEEP_SHEET_PAIR) column->second = d->second[c];
        if (column->kind == STEEP_SHEET_REAL) column->format = "%.17g";
        if (column->kind == STEEP_SHEET_PAIR) column->format = "[%.17g, %.17g]";
        column->gap = c > 0 ? 2 : 0;
        column->width = (int)chance_below(random, 20) - 10;
        for (size_t r = 0; r < d->rows; r++) {
            draw_text(random, d->text[r][c]);
            d->cell[r][c] = column->kind == STEEP_SHEET_TEXT ? steep_cell_text(d->text[r][c])
                            : column->kind == STEEP_SHEET_COUNT
                                ? steep_cell_count((size_t)(1e15 * steep_random_uniform(random)))
                                : steep_cell_pair(draw_number(random), draw_number(random));
        }
    }
}

/* A sheet whose text is kept. */
typedef struct printed {
    char *text;
    FILE *stream;
    steep_sheet sheet;
} printed;

static void begin(printed *p, steep_format format, bool colour)
{
    p->stream = text_stream(&p->text);
    steep_sheet_open(&p->sheet, p->stream, (steep_style){format, colour}, "test");
}

/* Closes the sheet. Returns its text, which the caller frees. */
static char *end(printed *p)
{
    ck_assert_int_eq(steep_sheet_close(&p->sheet), STEEP_OK);
    fclose(p->stream);
    return p->text;
}

/* Prints all rows in one format. Returns the text, which the caller frees. */
static char *print(const drawn *d, steep_format format, const char *title, const char *note)
{
    printed p;
    begin(&p, format, false);
    steep_sheet_begin(&p.sheet, &d->layout, title);
    for (size_t r = 0; r < d->rows; r++) steep_sheet_row(&p.sheet, d->cell[r]);
    if (note) steep_sheet_note(&p.sheet, note);
    return end(&p);
}

static void same(double a, double b)
{
    if (isnan(a) && isnan(b)) return;
    ck_assert_msg(memcmp(&a, &b, sizeof a) == 0, "%a is not %a", a, b);
}

static void check_csv(const drawn *d)
{
    SCOPED(release_memory) char *text = print(d, STEEP_FORMAT_CSV, "title", "note");
    const char *folder = scratch_make(), *path = scratch_path(folder, "printed.csv");
    SCOPED(steep_table_free) steep_table table;
    steep_error error = {{0}};
    scratch_put(path, text);
    ck_assert_msg(steep_table_read(path, &table, &error) == STEEP_OK, "%s\n%s", error.text, text);
    ck_assert_uint_eq(table.rows, d->rows);
    for (size_t r = 0; r < d->rows; r++)
        for (size_t c = 0, at = 0; c < d->layout.columns; c++) {
            const steep_sheet_kind kind = d->column[c].kind;
            char **cell = &table.cell[r * table.columns + at];
            ck_assert_str_eq(table.header[at], d->key[c]);
            if (kind == STEEP_SHEET_TEXT) ck_assert_str_eq(*cell, d->text[r][c]);
            else same(strtod(*cell, NULL), d->cell[r][c].first);
            at += 1 + (kind == STEEP_SHEET_PAIR);
            if (kind == STEEP_SHEET_PAIR) same(strtod(cell[1], NULL), d->cell[r][c].second);
        }
}

static double number_of(const json_t *value)
{
    if (json_is_null(value)) return NAN;
    if (json_is_string(value)) return strcmp(json_string_value(value), "inf") == 0 ? INFINITY : -INFINITY;
    ck_assert(json_is_number(value));
    return json_number_value(value);
}

static void check_json(const drawn *d)
{
    SCOPED(release_memory) char *text = print(d, STEEP_FORMAT_JSON, "a \"title\"", "note");
    json_error_t error;
    json_t *whole = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(whole != NULL, "%s\n%s", error.text, text);
    const json_t *table = json_array_get(json_object_get(whole, "tables"), 0), *rows = json_object_get(table, "rows");
    ck_assert_str_eq(json_string_value(json_object_get(table, "title")), "a \"title\"");
    ck_assert_str_eq(json_string_value(json_array_get(json_object_get(table, "notes"), 0)), "note");
    ck_assert_uint_eq(json_array_size(rows), d->rows);
    for (size_t r = 0; r < d->rows; r++)
        for (size_t c = 0; c < d->layout.columns; c++) {
            const json_t *row = json_array_get(rows, r), *value = json_object_get(row, d->key[c]);
            if (d->column[c].kind == STEEP_SHEET_TEXT) ck_assert_str_eq(json_string_value(value), d->text[r][c]);
            else same(number_of(value), d->cell[r][c].first);
            if (d->column[c].kind == STEEP_SHEET_COUNT) ck_assert(json_is_integer(value));
            if (d->column[c].kind == STEEP_SHEET_PAIR)
                same(number_of(json_object_get(row, d->second[c])), d->cell[r][c].second);
        }
    json_decref(whole);
}

/* Removes blanks and line ends. So formats compare once escapes, and in LaTeX braces and dollars, are undone. */
static void squeeze(char *text)
{
    char *out = text;
    for (; *text; text++)
        if (*text != ' ' && *text != '\n') *out++ = *text;
    *out = '\0';
}

static void replace(char *text, const char *what, const char *by)
{
    for (char *at = text; (at = strstr(at, what)); at += strlen(by)) {
        memmove(at + strlen(by), at + strlen(what), strlen(at + strlen(what)) + 1);
        memcpy(at, by, strlen(by));
    }
}

/* Checks that the rows, with cells joined and blanks removed, are those of the text format. */
static void check_markdown(const drawn *d)
{
    SCOPED(release_memory) char *plain = print(d, STEEP_FORMAT_TEXT, NULL, NULL);
    SCOPED(release_memory) char *md = print(d, STEEP_FORMAT_MARKDOWN, NULL, NULL);
    char *line = md;
    for (size_t l = 0; l < d->rows + 2; l++) { /* count cells by bars without a backslash */
        size_t bars = 0;
        for (; *line != '\n'; line++) {
            if (*line == '\\') line++;
            else bars += *line == '|';
        }
        ck_assert_uint_eq(bars, d->layout.columns + 1);
        line++;
    }
    ck_assert_int_eq(*line, '\0');
    char *out = md, *rule = strstr(md, "\n|---"), *body = strchr(rule + 1, '\n');
    memmove(rule, body, strlen(body) + 1);
    for (const char *in = md; *in; in++) {
        if (*in == '|') continue;
        if (*in == '\\') in++;
        *out++ = *in;
    }
    *out = '\0';
    squeeze(md), squeeze(plain);
    ck_assert_str_eq(md, plain);
}

static void check_latex(const drawn *d)
{
    static const char *const undo[][2] = {{"\\textbackslash{}", "\1"},
                                          {"\\textasciicircum{}", "^"},
                                          {"\\textasciitilde{}", "~"},
                                          {"\\textless{}", "<"},
                                          {"\\textgreater{}", ">"},
                                          {"\\textbar{}", "|"},
                                          {"{[}", "["},
                                          {"{*}", "*"},
                                          {"-{}", "-"},
                                          {"{''}", "\""},
                                          {"\\{", "\2"},
                                          {"\\}", "\3"},
                                          {"\\$", "\4"},
                                          {"\\%", "%"},
                                          {"\\&", "\5"},
                                          {"\\#", "#"},
                                          {"\\_", "_"}};
    SCOPED(release_memory) char *plain = print(d, STEEP_FORMAT_TEXT, NULL, NULL);
    SCOPED(release_memory) char *tex = print(d, STEEP_FORMAT_LATEX, NULL, NULL);
    char *body = strstr(tex, "\\hline\n"), *end = strstr(tex, "\\hline\n\\end{tabular}\n");
    ck_assert(strncmp(tex, "\\noindent\\begin{tabular}{", 25) == 0 && body && end);
    *end = '\0';
    for (const char *c = tex; *c; c++) ck_assert_msg(*c == '\n' || (unsigned char)*c >= ' ', "%s", tex);
    replace(body, "\\hline\n", "");
    for (const char *c = body; *c; c++) { /* bare, these would be commands of LaTeX's */
        ck_assert_msg(!strchr("_%#", *c) || c[-1] == '\\', "a bare %c in %s", *c, body);
        ck_assert_msg(*c != '~' && *c != '|' && *c != '"' && *c != '<' && *c != '>', "a bare %c in %s", *c, body);
        ck_assert_msg(*c != '^' || strncmp(c - 2, "10^{", 4) == 0, "a bare ^ in %s", body);
    }
    for (size_t i = 0; i < sizeof undo / sizeof *undo; i++) replace(body, undo[i][0], undo[i][1]);
    replace(body, "$-\\infty$", "-inf"), replace(body, "$\\infty$", "inf");
    size_t cells = 0, rows = 0;
    for (char *c = body; *c; c++) {
        cells += *c == '&';
        rows += strncmp(c, "\\\\\n", 3) == 0;
    }
    ck_assert_uint_eq(rows, d->rows + 1);
    ck_assert_uint_eq(cells, (d->rows + 1) * (d->layout.columns - 1));
    replace(body, "\\\\\n", ""), replace(body, "&", ""), replace(body, "$", "");
    squeeze(body), squeeze(plain);
    /* m 10^k is m e k in the text, with a sign and two digits */
    for (char *at; (at = strstr(body, "\\cdot10^{"));) {
        char exponent[16], *last = strchr(at, '}');
        snprintf(exponent, sizeof exponent, "e%+03ld", strtol(at + 9, NULL, 10));
        memmove(at + strlen(exponent), last + 1, strlen(last + 1) + 1);
        memcpy(at, exponent, strlen(exponent));
    }
    static const char *const mark[][2] = {{"\1", "\\"}, {"\2", "{"}, {"\3", "}"}, {"\4", "$"}, {"\5", "&"}};
    for (size_t i = 0; i < sizeof mark / sizeof *mark; i++) replace(body, mark[i][0], mark[i][1]);
    /* a missing number is "--" here and "-" in the text: hyphens in a row become one */
    for (int half = 0; half < 8; half++) replace(body, "--", "-"), replace(plain, "--", "-");
    ck_assert_str_eq(body, plain);
}

START_RANDOM_TEST(formats_agree, 1)
{
    for (size_t i = 0; i < chance_cases(60); i++) {
        drawn d;
        draw(&random, &d);
        check_csv(&d);
        check_json(&d);
        check_markdown(&d);
        check_latex(&d);
    }
}

/* Columns for people or for programs alone; a record; two tables of the same and of other columns. */
START_TEST(columns_are_for_people_or_programs)
{
    static const steep_sheet_column column[] = {{"a", NULL, NULL, STEEP_SHEET_REAL, NULL, 0, 0},
                                                {NULL, NULL, "both", STEEP_SHEET_TEXT, NULL, 0, -6},
                                                {"b", NULL, "b", STEEP_SHEET_COUNT, NULL, 1, -6}};
    const steep_sheet_layout rows = {"rows", STEEP_SHEET_ROWS, column, 3, 0},
                             record = {"record", STEEP_SHEET_RECORD, column, 3, 2};
    const steep_cell cell[] = {steep_cell_real(0.5), steep_cell_toned("half", STEEP_TONE_BAD), steep_cell_real(NAN)};
    static const char *const expected[] = {
        [STEEP_FORMAT_TEXT] = "one\nboth   b\nhalf   -\n\ntwo\nboth   b\nhalf   -\nend\n\n  both   half\n",
        [STEEP_FORMAT_CSV] = "a,b\n0.5,nan\n0.5,nan\n\na,b\n0.5,nan\n",
        [STEEP_FORMAT_MARKDOWN] =
            "one\n\n| both | b |\n|---|---:|\n| half | - |\n\ntwo\n\n| both | b |\n|---|---:|\n| half | "
            "- |\n\nend\n\n| | |\n|---|---|\n| both | half |\n",
    };
    for (int f = STEEP_FORMAT_TEXT; f <= STEEP_FORMAT_MARKDOWN; f++) {
        printed p;
        begin(&p, (steep_format)f, false);
        steep_sheet_begin(&p.sheet, &rows, "one");
        steep_sheet_row(&p.sheet, cell);
        steep_sheet_begin(&p.sheet, &rows, "two");
        steep_sheet_row(&p.sheet, cell);
        steep_sheet_note(&p.sheet, "end");
        steep_sheet_begin(&p.sheet, &record, NULL);
        steep_sheet_row(&p.sheet, cell);
        SCOPED(release_memory) char *text = end(&p);
        if (expected[f]) ck_assert_str_eq(text, expected[f]);
    }
}

/* The tone of a cell sets its colour, only in text and only if requested. Without a table nothing is printed. */
START_TEST(colour_is_of_the_tone)
{
    static const steep_sheet_column column[] = {{"a", NULL, "a", STEEP_SHEET_TEXT, NULL, 0, -6},
                                                {"b", NULL, "b", STEEP_SHEET_TEXT, NULL, 1, 0}};
    const steep_sheet_layout layout = {"rows", STEEP_SHEET_LIST, column, 2, 0};
    for (int f = STEEP_FORMAT_TEXT; steep_format_names((size_t)f); f++)
        for (int on = 0; on < 2; on++) {
            const steep_cell cell[] = {steep_cell_status(STEEP_SINGULAR), steep_cell_text("plain")};
            printed p;
            begin(&p, (steep_format)f, on == 1);
            ck_assert(fflush(p.stream) == 0 && *p.text == '\0');
            steep_sheet_begin(&p.sheet, &layout, NULL);
            steep_sheet_row(&p.sheet, cell);
            SCOPED(release_memory) char *text = end(&p);
            if (f == STEEP_FORMAT_TEXT)
                ck_assert_str_eq(text, on ? "\033[31msingular\033[0m plain\n" : "singular plain\n");
            else ck_assert_ptr_null(strchr(text, '\033'));
        }
}

/* Events with random bytes that are no UTF-8 are still JSON, and valid texts stay as they are. */
START_RANDOM_TEST(any_bytes_are_json, 2)
{
    for (size_t i = 0; i < chance_cases(200); i++) {
        char some[16] = "", *text = NULL;
        const size_t length = chance_below(&random, 15);
        for (size_t k = 0; k < length; k++) some[k] = (char)(1 + chance_below(&random, 255));
        FILE *stream = text_stream(&text);
        ck_assert_int_eq(STEEP_EVENT(stream, "test", steep_fact_text("bytes", some), steep_fact_real("x", -0.1)),
                         STEEP_OK);
        fclose(stream);
        ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1);
        json_error_t error;
        json_t *line = json_loads(text, 0, &error);
        ck_assert_msg(line != NULL, "%s: %s", error.text, text);
        ck_assert_str_eq(json_string_value(json_object_get(line, "event")), "test");
        same(json_number_value(json_object_get(line, "x")), -0.1);
        json_t *right = json_stringn(some, strlen(some)); /* NULL where it is no UTF-8 */
        if (right) ck_assert(json_equal(right, json_object_get(line, "bytes")));
        else ck_assert_ptr_nonnull(strstr(json_string_value(json_object_get(line, "bytes")), "\xEF\xBF\xBD"));
        json_decref(right);
        json_decref(line);
        free(text);
    }
}

/* Numbers within a sentence are mathematics in LaTeX, and names with digits are none. */
START_TEST(numbers_in_sentences_are_mathematics)
{
    static const steep_sheet_column column[] = {{NULL, NULL, "s", STEEP_SHEET_TEXT, NULL, 0, 0}};
    const steep_sheet_layout layout = {"rows", STEEP_SHEET_LIST, column, 1, 0};
    static const char *const pair[][2] = {
        {"in [-1.5e-05, 2] by gqu2 of x1, 100 %", "in {[}$-1.5\\cdot 10^{-5}$, $2$] by gqu2 of x1, $100$ \\%"},
        {"-inf .. inf, information, info", "$-\\infty$ .. $\\infty$, information, info"},
        {"few points  and   3", "few points\\quad and\\quad $3$ "},
        {"a fact: inf", "a fact: $\\infty$"}, /* c, t behind its f */
        {"few 7e", "few $7$e"},
        {"1e, 1.e-3, 3-4, e-5, -", "$1$e, $1$.e-{}3, $3$-{}4, e-{}5, -{}"}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        const steep_cell cell = steep_cell_text(pair[i][0]);
        printed p;
        begin(&p, STEEP_FORMAT_LATEX, false);
        steep_sheet_begin(&p.sheet, &layout, NULL);
        steep_sheet_row(&p.sheet, &cell);
        SCOPED(release_memory) char *text = end(&p);
        ck_assert_msg(strstr(text, pair[i][1]) != NULL, "%s lacks %s", text, pair[i][1]);
    }
}
