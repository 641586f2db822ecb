/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/table.h"

#include <sys/resource.h>

#include "chance.h"
#include "scratch.h"

static char path[64];
static steep_error error;

/* Writes the text to a file, whose name is in path. */
static void put(const char *text)
{
    if (!path[0]) strcpy(path, scratch_path(scratch_make(), "table"));
    scratch_put(path, text);
}

static steep_status read_text(const char *text, steep_table *table)
{
    put(text);
    return steep_table_read(path, table, &error);
}

/* Reads a text that must be a valid table. */
static steep_table table_of(const char *text)
{
    steep_table t;
    ck_assert_msg(read_text(text, &t) == STEEP_OK, "%s\n%s", error.text, text);
    return t;
}

/* An endless pipe of letters is refused, by a process that may take 100 MB. */
START_TEST(a_text_without_end_is_refused)
{
    steep_table t;
    check_says(steep_table_read("/dev/zero", &t, &error), STEEP_BAD_INPUT, "zero byte");
#if !defined(__SANITIZE_ADDRESS__) /* the sanitizer's own memory is not limited */
    const struct rlimit most = {100000000, RLIM_INFINITY};
    char name[32];
    FILE *letters = popen("yes | tr -d '\\n'", "r");
    ck_assert_ptr_nonnull(letters);
    snprintf(name, sizeof name, "/dev/fd/%d", fileno(letters));
    ck_assert_int_eq(setrlimit(RLIMIT_DATA, &most), 0);
    check_says(steep_table_read(name, &t, &error), STEEP_BAD_INPUT, "give a part of it");
    pclose(letters);
#endif
}

START_TEST(what_is_no_table_is_refused)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"a,b\n1,2\n1,2,3\n4,5\n", "line 3: 3 fields where the header has 2"},
        {"", "empty"},
        {"# from the lab\n\na,b\n1,2\n\n# more\n3\n5,6\n", "line 7: 1 fields where the header has 2"},
        {"a,b;c\n1,2;3\n", "line 1: what separates its columns? The header has 1 commas, 1 semicolons and 0 tabs"},
        {"# x\n\na,b\tc\n", "line 3: what separates its columns? The header has 1 commas, 0 semicolons and 1 tabs"},
        {"a;b\tc d;e\n", "2 semicolons and 1 tabs"},
        {"x;y\n1,5;2,5\n1;2;3\n", "line 3: 3 fields where the header has 2 (semicolons separate them)"},
        {"x\ty\n1\n", "line 2: 1 fields where the header has 2 (tabs separate them)"},
        {"x,y\n1,5,2,5\n", "line 2: 4 fields where the header has 2 (commas separate them)"}};
    steep_table t = {.sum = 1};
    const steep_table zeros = {.sum = 0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        check_says(read_text(wrong[i].text, &t), STEEP_BAD_INPUT, wrong[i].says);
        ck_assert(strstr(error.text, path) && memcmp(&t, &zeros, sizeof t) == 0);
    }
    t.sum = 1;
    check_says(steep_table_read("/nowhere/at/all.csv", &t, &error), STEEP_IO, "/nowhere/at/all.csv");
    ck_assert_mem_eq(&t, &zeros, sizeof t);
    check_says(steep_table_read("/tmp", &t, &error), STEEP_IO, "directory");
}

/* Lines count with remarks and blank ones; a decimal comma is named. */
START_TEST(what_is_no_number_is_refused)
{
    static const struct {
        const char *text;
        size_t row, column;
        const char *says; /* NULL: a number */
    } cell[] = {{"a,b\n1,two\n", 0, 1, "line 2, column b: 'two'"},
                {"a,b\n1,2\n3,nan\n", 1, 1, "column b"},
                {"a,b\n1,2\n3,-inf\n", 1, 1, "column b"},
                {"a,b\n1,2\n3,1e999\n", 1, 1, "column b"},
                {"a,b\n4,\n", 0, 1, "column b"},
                {"a,b\n5,6 \n", 0, 1, NULL},
                {"# from the lab\n\na,b\n1,2\n\n# more\n3,four\n", 1, 1, "line 7, column b: 'four'"},
                {"x;y\n1,5;2\n", 0, 0, "decimal point in place of the comma"},
                {"x;y\n1,5;2\n-3,25e-2;,5\n", 1, 0, "decimal point in place of the comma"},
                {"x;y\n1,5;2\n-3,25e-2;,5\n", 1, 1, "decimal point in place of the comma"},
                {"x;y\n1,5;2\n1,2,3;1,x\n", 1, 0, "expected a finite number"},
                {"x;y\n1,5;2\n1,2,3;1,x\n", 1, 1, "line 3, column y: '1,x': expected a finite number"}};
    for (size_t i = 0; i < sizeof cell / sizeof *cell; i++) {
        double value;
        SCOPED(steep_table_free) steep_table t = table_of(cell[i].text);
        const char *says = cell[i].says ? cell[i].says : "";
        check_says(steep_table_number(&t, cell[i].row, cell[i].column, &value, &error),
                   cell[i].says ? STEEP_BAD_INPUT : STEEP_OK, says);
    }
}

/* Written fields come back, as names and as cells, with every separator. gnuplot's fields are those of the text with
 * blanks for control characters and ' for ". */
START_RANDOM_TEST(fields_come_back_and_gnuplots_have_no_quotes_within, 2)
{
    static const char letters[] = "a ,;#\t\n\r\"'\x1f\x7f\xC3";
    SCOPED(release_memory) char *plain = NULL, *clean = NULL;
    FILE *to_plain = text_stream(&plain), *to_clean = text_stream(&clean);
    for (size_t i = 0; i < chance_cases(2000); i++) {
        char word[2][8] = {"", ""}, separator = ",;\t"[i % 3];
        SCOPED(release_memory) char *text = NULL;
        FILE *to_text = text_stream(&text);
        for (size_t c = 0, signs = chance_below(&random, 15); c < signs; c++)
            word[c % 2][c / 2] = letters[chance_below(&random, sizeof letters - 1)];
        for (size_t c = 0; c < 4; c++) steep_table_put(to_text, word[c % 2], c % 2 ? '\n' : separator);
        fclose(to_text);
        if (*word[0] || *word[1]) {
            SCOPED(steep_table_free) steep_table t = table_of(text);
            for (size_t c = 0; c < 2; c++)
                ck_assert_msg(t.columns == 2 && t.rows == 1 && !strcmp(t.header[c], word[c]) &&
                                  !strcmp(t.cell[c], word[c]),
                              "%s", text);
        }
        steep_table_put_plain(to_plain, word[0], '\n');
        for (char *c = word[0]; *c; c++) *c = *c == '"' ? '\'' : (unsigned char)*c < ' ' ? ' ' : *c;
        steep_table_put(to_clean, word[0], '\n');
    }
    fclose(to_plain);
    fclose(to_clean);
    ck_assert_str_eq(plain, clean);
}

/* A file is replaced whole, or, where rows failed or were stopped, not at all. */
START_TEST(what_failed_takes_no_place)
{
    static const steep_status rows[] = {STEEP_NO_MEMORY, STEEP_STOPPED, STEEP_STALLED, STEEP_OK};
    FILE *stream;
    for (size_t i = 0; i < 2 * (sizeof rows / sizeof *rows); i++) {
        const bool before = i % 2;
        put("before\n");
        if (!before) unlink(path);
        ck_assert_int_eq(steep_table_begin(path, &stream, NULL), STEEP_OK);
        fputs("after\n", stream);
        ck_assert_int_eq(steep_table_end(stream, path, rows[i / 2], NULL), rows[i / 2]);
        ck_assert(scratch_exists(path) == (before || i / 2 > 1) && !scratch_exists(steep_named_temporary(path).text));
        ck_assert(scratch_holds(path, "after\n") == (i / 2 > 1));
        ck_assert(scratch_holds(path, "before\n") == (before && i / 2 <= 1));
    }
    check_says(steep_table_begin("/nowhere/file", &stream, &error), STEEP_IO, "/nowhere/file");
    ck_assert_ptr_null(stream);
}

/* Into a pipe that was full for a moment go no other bytes than those of the table. */
START_TEST(a_pipe_gets_what_is_its_own)
{
    static char bytes[1 << 21];
    char name[32];
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
    FILE *stream = fdopen(ends[1], "w");
    memset(bytes, 'a', sizeof bytes / 2);
    fwrite(bytes, 1, sizeof bytes / 2, stream);
    ck_assert(ferror(stream));
    ssize_t all = 0, got;
    while ((got = read(ends[0], bytes + all, sizeof bytes - (size_t)all)) > 0) all += got;
    check_says(steep_table_end(stream, name, STEEP_OK, &error), STEEP_IO, "an earlier write failed");
    while ((got = read(ends[0], bytes + all, sizeof bytes - (size_t)all)) > 0) all += got;
    ck_assert(all > 0 && strspn(bytes, "a") >= (size_t)all);
    close(ends[0]);
}

/* A link at the temporary name leads to no other file: it is removed, not followed. */
START_TEST(links_are_not_followed)
{
    char victim[80];
    struct stat info;
    FILE *stream;
    put("before\n");
    const steep_path name = steep_named_temporary(path);
    const char *temporary = name.text;
    ck_assert_msg(steep_named_is_temporary(temporary), "%s", temporary);
    ck_assert(!steep_named_is_temporary(path));
    snprintf(victim, sizeof victim, "%s.victim", path);
    ck_assert_int_eq(rename(path, victim), 0);
    for (int hard = 0; hard < 2; hard++) {
        ck_assert_int_eq(hard ? link(victim, temporary) : symlink(victim, temporary), 0);
        ck_assert_msg(steep_table_begin(path, &stream, &error) == STEEP_OK, "%s", error.text);
        fputs("after\n", stream);
        ck_assert_int_eq(steep_table_end(stream, path, STEEP_OK, &error), STEEP_OK);
        ck_assert(lstat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 6);
        ck_assert(scratch_holds(victim, "before\n"));
    }
    ck_assert_int_eq(mkdir(temporary, 0777), 0); /* a folder there is an error */
    ck_assert_int_eq(steep_table_begin(path, &stream, &error), STEEP_IO);
    ck_assert_ptr_null(stream);
}

START_TEST(the_header_says_what_separates)
{
    static const struct {
        const char *text;
        char separator;
        size_t columns;
        const char *first; /* cell */
    } cases[] = {
        {"a,b\n1;5,2\n", ',', 2, "1;5"},         {"a;b\n1,5;2\n", ';', 2, "1,5"},
        {"a\tb c\n 1,5 \t2;\n", '\t', 2, "1,5"}, {"a\n1;2\n", ',', 1, "1;2"},
        {"a b\n1 2\n", ',', 1, "1 2"},           {"\"a,b\";c\n1;2\n", ';', 2, "1"},
        {"\"a;b\nc\",c\n1,2\n", ',', 2, "1"},    {"\"a;b\"\t\"c,\"\"\t\"\n1\t2\n", '\t', 2, "1"},
        {"a,\tb\t,c\t\n1,\t2,3\n", ',', 3, "1"}, /* tabs around fields are blanks */
        {"\ta;\tb\n1;2\n", ';', 2, "1"},         {"\ta\tb\n0\t1\t2\n", '\t', 3, "0"}, /* a column without a name */
        {"a\tb\n\t\n1\t2\n", '\t', 2, ""},       {";\n1;2\n", ';', 2, "1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SCOPED(steep_table_free) steep_table t = table_of(cases[i].text);
        ck_assert_msg(t.separator == cases[i].separator && t.columns == cases[i].columns, "%s: '%c', %zu columns",
                      cases[i].text, t.separator, t.columns);
        ck_assert_str_eq(t.cell[0], cases[i].first);
    }
}

START_TEST(columns_are_found_or_named)
{
    static const struct {
        const char *text, *name, *says; /* NULL: it is column 2 */
    } look[] = {{"width,height,weight,width\n1,2,3,4\n", "weight", NULL},
                {"width,height,weight,width\n1,2,3,4\n", "hieght",
                 "no column hieght (did you mean height?); its columns are width, height, weight, width"},
                {"width,height,weight,width\n1,2,3,4\n", "width", "columns 1 and 4 are both named width"},
                {"# by numpy\n#  a;b ;c\r\n \n-1.5;2e-3; 7\n", "c", NULL},
                {"# a,b,c\n1;2;3\n", "c", "its header holds numbers (1, 2, 3)"},
                {"# a,b,c\n1,2,x\n", "c", "its columns are 1, 2, x"},
                {"0.5,-1e3\n1,2\n", "x", "its header holds numbers (0.5, -1e3)"},
                {"0.5 -1e3 7\n1 2 3\n", "x", "with commas, semicolons or tabs between"}};
    for (size_t i = 0; i < sizeof look / sizeof *look; i++) {
        SCOPED(steep_table_free) steep_table t = table_of(look[i].text);
        const char *says = look[i].says ? look[i].says : "";
        size_t column = 9;
        check_says(steep_table_find(&t, look[i].name, &column, &error), look[i].says ? STEEP_BAD_INPUT : STEEP_OK,
                   says);
        ck_assert(look[i].says || column == 2);
    }
}

enum { LONGEST = 64, MOST_ROWS = 32 };

/* The result of a second reader of rows of two fields: the rows, a torn last row with both fields included; the bytes
 * of whole lines; or the line to refuse; stray: for a quote, not for the number of fields. */
typedef struct plain {
    size_t rows, line[MOST_ROWS], whole, wrong;
    bool stray, torn;
    char cell[MOST_ROWS][3][LONGEST]; /* the third: all further fields */
} plain;

/* Reads character by character. */
static void read_plainly(const char *c, char separator, size_t line, plain *p)
{
    const char *const begin = c;
    *p = (plain){0};
    for (; *c; p->whole = c[-1] == '\n' ? (size_t)(c - begin) : p->whole) {
        enum { BEFORE, BARE, QUOTED, CLOSED } state = BEFORE;
        const size_t begins = line, blanks = strspn(c, separator == '\t' ? " \r" : " \t\r");
        size_t fields = 1, used = 0, length = 0; /* characters of the cell, all and without blanks at its end */
        char *cell = p->cell[p->rows][0];
        if (*c == '#' || c[blanks] == '\n' || c[blanks] == '\0') {
            c += strcspn(c, "\n");
            c += *c == '\n';
            line++;
            continue;
        }
        for (; *c && !(*c == '\n' && state != QUOTED); c++) {
            const bool end = *c == '\r' && (c[1] == '\0' || c[1] == '\n');
            line += *c == '\n';
            if (state == QUOTED && *c == '"' && c[1] != '"') state = CLOSED;
            else if (state == QUOTED) cell[used++] = *c, length = used, c += *c == '"';
            else if (*c == separator) {
                cell[length] = '\0';
                cell = p->cell[p->rows][fields < 2 ? fields : 2];
                fields++, used = length = 0, state = BEFORE;
            } else if (*c == ' ' || (*c == '\t' && separator != '\t') || end) {
                if (state == BARE) cell[used++] = *c;
            } else if (state == CLOSED || (state == BARE && *c == '"')) {
                p->wrong = line, p->stray = true;
                return;
            } else if (*c == '"') state = QUOTED;
            else state = BARE, cell[used++] = *c, length = used;
        }
        cell[length] = '\0';
        p->stray = state == QUOTED;
        if (p->stray ? line > begins : *c && fields != 2) {
            p->wrong = begins;
            return;
        }
        if (fields == 2 && !p->stray) p->line[p->rows++] = begins;
        p->torn = !*c;
        line += *c == '\n';
        c += *c == '\n';
    }
}

/* The reader against the second one, on headers of two columns above random parts: the same rows or refusal. */
START_RANDOM_TEST(a_second_reader_finds_the_same, 14)
{
    static const struct {
        const char *text, *name[2];
        size_t lines;
    } header[] = {{"a%cb\n", {"a", "b"}, 1},
                  {"\xEF\xBB\xBF\"a,;\t\"%c b \r\n", {"a,;\t", "b"}, 1},
                  {"# ,;\n \n\"\"\"a\n#\" %c\"\"\n", {"\"a\n#", ""}, 4}};
    static const char *const part[] = {"\n", " ", "a", "1.5", "\"b\"", "\xC3\xA9", "\r\n",
                                       "#",  ";", ",", "\t",  "\r",    "\"\"",     "\""};
    size_t count[3] = {0};
    for (size_t i = 0; i < chance_cases(6000); i++) {
        char text[120], at[24], separator = ",;\t"[chance_below(&random, 3)];
        const size_t h = chance_below(&random, 3), most = 1 + chance_below(&random, sizeof part / sizeof *part);
        plain p;
        SCOPED(steep_table_free) steep_table t = {0};
        const size_t body = (size_t)sprintf(text, header[h].text, separator);
        for (size_t left = chance_below(&random, 14); left > 0; left--) {
            const size_t sign = chance_below(&random, 3);
            if (sign == 0) strncat(text, &separator, 1);
            else strcat(text, part[sign == 1 ? chance_below(&random, most) : 2 + chance_below(&random, 4)]);
        }
        read_plainly(text + body, separator, header[h].lines + 1, &p);
        const steep_status status = read_text(text, &t);
        ck_assert_msg((status == STEEP_OK) == (p.wrong == 0), "line %zu, '%s':\n%s", p.wrong, error.text, text);
        snprintf(at, sizeof at, ", line %zu: ", p.wrong);
        if (p.wrong)
            ck_assert_msg(strstr(error.text, at) && p.stray == (strstr(error.text, "quote") != NULL),
                          "'%s' and not%s:\n%s", error.text, at, text);
        count[p.wrong ? 1 + p.stray : 0] += p.wrong ? 1 : p.rows;
        if (p.wrong) continue;
        ck_assert_msg(t.separator == separator && t.columns == 2 && t.rows + t.tail == p.rows && t.tail <= t.torn,
                      "%zu rows, %zu:\n%s", p.rows, t.rows + t.tail, text);
        ck_assert_msg(t.torn == p.torn && t.whole == (long)(body + p.whole), "%d, %ld:\n%s", t.torn, t.whole, text);
        for (size_t c = 0; c < 2; c++) ck_assert_str_eq(t.header[c], header[h].name[c]);
        for (size_t c = 0; c < 2 * p.rows; c++)
            ck_assert_msg(strcmp(t.cell[c], p.cell[c / 2][c % 2]) == 0 && t.line[c / 2] == p.line[c / 2],
                          "<%s> for <%s>:\n%s", t.cell[c], p.cell[c / 2][c % 2], text);
    }
    SCOPED(steep_table_free) steep_table torn = table_of("a,b"); /* the header itself */
    ck_assert(torn.torn && torn.rows + torn.tail == 0 && torn.whole == 0);
    printf("%zu rows, %zu numbers of fields and %zu quotes refused\n", count[0], count[1], count[2]);
    ck_assert(count[0] > 500 && count[1] > 500 && count[2] > 500);
}

/* Many rows, or many columns which are all looked up, take linear time: comparing all names would be 10^10 steps. The
 * message on a name that is none of many lists the first of them. */
START_TEST(large_tables_take_linear_time)
{
    enum { MANY = 100000 };
    for (size_t wide = 0; wide < 2; wide++) {
        const size_t columns = wide ? MANY : 3, rows = wide ? 1 : MANY;
        put("");
        FILE *stream = fopen(path, "w");
        for (size_t c = 0; c < columns; c++) fprintf(stream, "x%zu%c", c, c + 1 < columns ? ';' : '\n');
        for (size_t i = 0; i < rows * columns; i++)
            fprintf(stream, i % columns == 2 ? "\"%.17g\"%c" : "%.17g%c", 1.0 / (double)(i + 1),
                    i % columns + 1 < columns ? ';' : '\n');
        fclose(stream);
        SCOPED(steep_table_free) steep_table t;
        const clock_t begin = clock();
        ck_assert_int_eq(steep_table_read(path, &t, NULL), STEEP_OK);
        ck_assert(t.rows == rows && t.columns == columns);
        for (size_t c = 0, found; c < columns; c++) {
            char name[24];
            snprintf(name, sizeof name, "x%zu", c);
            ck_assert(steep_table_find(&t, name, &found, NULL) == STEEP_OK && found == c);
        }
        for (size_t i = 0; i < rows * columns; i++) {
            double value;
            ck_assert(steep_table_number(&t, i / columns, i % columns, &value, NULL) == STEEP_OK &&
                      value == 1.0 / (double)(i + 1));
        }
        const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        ck_assert_msg(seconds < 2.5, "%g s", seconds); /* measured: .1 */
        size_t column;
        if (!wide) continue;
        check_says(steep_table_find(&t, "y7", &column, &error), STEEP_BAD_INPUT, "did you mean x7?");
        ck_assert_msg(strstr(error.text, " x0, x1, ") && strstr(error.text, "... (100000 in all)"), "%s", error.text);
    }
}
