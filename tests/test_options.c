/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/options.h"

#include "base/text.h"

#include "harness.h"

typedef struct record {
    bool loud;
    size_t count, tries;
    double rate;
    const char *name, *kind;
} record;

static const char *kinds(size_t index)
{
    static const char *const names[] = {"apple", "pear", "quince"};
    return index < 3 ? names[index] : NULL;
}

enum { RATE = 3, TRIES = 5 };
static const steep_option table[] = {
    {"loud", STEEP_OPTION_FLAG, offsetof(record, loud), NULL, NULL, 0, 0, NULL, "says more", false},
    {"count", STEEP_OPTION_SIZE, offsetof(record, count), "N", "7", 1, 1000, NULL, "how many", true},
    {"counts", STEEP_OPTION_SIZE, offsetof(record, count), "N", "7", 1, 1000, NULL, "the same", true},
    {"rate", STEEP_OPTION_REAL, offsetof(record, rate), "X", "0.5", 0, 1, NULL, "how fast", true},
    {"name", STEEP_OPTION_TEXT, offsetof(record, name), "TEXT", NULL, 0, 0, NULL, "who", true},
    {"tries", STEEP_OPTION_SIZE, offsetof(record, tries), "N", "auto", 0, 99, NULL, "how often", true},
    {"kind", STEEP_OPTION_CHOICE, offsetof(record, kind), "KIND", "pear", 0, 0, kinds, "which", true},
    {"penalty", STEEP_OPTION_REAL, offsetof(record, rate), "X", "0.5", 0, 1, NULL, "on coefficients", true},
    {.name = NULL}};

static record r;
static steep_error error;

static steep_status parse(int argc, char **argv)
{
    steep_command_line line = {.argc = argc, .argv = argv};
    steep_options_default(table, &r);
    return steep_options_parse(STEEP_ONE_GROUP(table, &r), &line, &error);
}

#define PARSE(...) parse((int)(sizeof((char *[]){"p", __VA_ARGS__}) / sizeof(char *)), (char *[]){"p", __VA_ARGS__})

START_TEST(defaults_are_the_tables)
{
    steep_options_default(table, &r);
    ck_assert(!r.loud && r.count == 7 && r.rate == 0.5 && r.name == NULL);
    ck_assert_str_eq(r.kind, "pear");
    ck_assert_int_eq(steep_options_check(table, &r, NULL), STEEP_OK);
}

START_TEST(both_spellings_are_understood)
{
    ck_assert_int_eq(PARSE("--loud", "--count", "12", "--rate=0.25", "--name", "x=y", "--kind=quince"), STEEP_OK);
    ck_assert(r.loud && r.count == 12 && r.rate == 0.25);
    ck_assert_str_eq(r.name, "x=y");
    ck_assert_str_eq(r.kind, "quince");
    ck_assert_int_eq(PARSE("--count", "1e3"), STEEP_OK);
    ck_assert_uint_eq(r.count, 1000);
}

START_TEST(what_is_wrong_is_named)
{
    static const struct {
        const char *word, *says, *value[4];
    } wrong[] = {{"--cuont", "did you mean --count?", {"3"}},
                 {"--count", "1 to 1000", {"0", "1e12", "-1"}},
                 {"--count", "whole number", {"2.5", "many", "3x"}},
                 {"--count", "decimal digits", {"0x10"}},
                 {"--rate", "decimal digits", {"0x1p-3"}},
                 {"--rate", "no nearer to 0", {"1e-999"}},
                 {"--rate", "0 to 1", {"nan", "2"}},
                 {"--rate", "number", {""}},
                 {"--kind", "did you mean 'apple'?", {"appel"}},
                 {"--kind", "did you mean 'pear'?", {"PEAR"}},
                 {"--kind", "apple, pear, quince", {"zzzzzzzz"}},
                 {"--loud=yes", "takes no value", {"--loud"}},
                 {"--lambda=3", "did you mean --penalty?", {"--loud"}}, /* words of other programs */
                 {"--l2", "did you mean --penalty?", {"1"}},
                 {"--weight-decay", "did you mean --penalty?", {"1"}},
                 {"--ridge", "did you mean --penalty?", {"1"}},
                 {"stray", "unexpected word 'stray'", {"--loud"}}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        for (const char *const *value = wrong[i].value; *value; value++)
            check_says(PARSE((char *)wrong[i].word, (char *)*value), STEEP_BAD_INPUT, wrong[i].says);
    check_says(PARSE("--count"), STEEP_BAD_INPUT, "missing");
    check_says(PARSE("--name", "--loud"), STEEP_BAD_INPUT, "--name: a value (TEXT) is missing");
    ck_assert_int_eq(PARSE("--name=--loud"), STEEP_OK);
    ck_assert_str_eq(r.name, "--loud");
}

/* Hexadecimal numbers, and numbers that strtod rounds to 0, are refused; others are read as strtod reads them. */
START_TEST(numbers_are_decimal_and_not_lost)
{
    static const struct {
        const char *says, *text[11]; /* says NULL: fine */
    } cases[] = {{NULL, {"0", "0.0e-999", "-0", " 1e-320", "4.94e-324", "1e400", "nan", "-inf", ".5", ""}},
                 {"decimal digits", {"0x10", " -0X1p3", "+0x.8"}},
                 {"0, or", {"1e-999", "-1e-400", "0.1e-323", "2e-324"}}};
    double value;
    char *end;
    for (size_t i = 0; i < 3; i++)
        for (const char *const *text = cases[i].text; *text; text++) {
            const char *said = steep_decimal_read(*text, &value, &end), *says = cases[i].says;
            ck_assert_msg(says ? said && strstr(said, says) : !said, "%s: %s", *text, said ? said : "");
            ck_assert(said || ((isnan(value) || value == strtod(*text, NULL)) && *end == '\0'));
        }
    ck_assert_ptr_null(steep_decimal_read("3x", &value, &end));
    ck_assert_str_eq(end, "x");
}

/* The text of a value is short where it can be, and always gives the same value back. */
START_TEST(values_as_text_are_exact)
{
    static const double values[] = {0, 0.1, 1.0 / 3, 0.5, 1, 1e-300, 0x1.fffffffffffffp-1};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[32], word[48];
        steep_options_value(&table[RATE], &(record){.rate = values[i]}, text, sizeof text);
        snprintf(word, sizeof word, "--rate=%s", text);
        ck_assert_int_eq(PARSE(word), STEEP_OK);
        ck_assert(r.rate == values[i]);
        ck_assert(i != 1 || strcmp(text, "0.1") == 0);
    }
}

START_TEST(a_record_filled_by_hand_is_checked_too)
{
    const record wrong[] = {{.count = 7, .rate = NAN, .kind = "pear"},
                            {.count = 1001, .rate = 1, .kind = "pear"},
                            {.count = 1000, .rate = 1, .kind = "plum"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_int_eq(steep_options_check(table, &wrong[i], NULL), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_options_check(table, &(record){.count = 1000, .rate = 1, .kind = "pear"}, NULL), STEEP_OK);
}

START_TEST(auto_is_a_size_where_the_table_says_so)
{
    char text[16];
    ck_assert_int_eq(PARSE("--count", "3"), STEEP_OK);
    ck_assert_uint_eq(r.tries, (size_t)-1);
    ck_assert_int_eq(steep_options_check(table, &r, NULL), STEEP_OK);
    steep_options_value(&table[TRIES], &r, text, sizeof text);
    ck_assert_str_eq(text, "auto");
    ck_assert_int_eq(PARSE("--tries", "0"), STEEP_OK);
    ck_assert_uint_eq(r.tries, 0);
    ck_assert_int_eq(PARSE("--tries", "100"), STEEP_BAD_INPUT);
    ck_assert_int_eq(PARSE("--count", "auto"), STEEP_BAD_INPUT);
}

START_TEST(words_are_kept_and_help_is_heard)
{
    const char *words[5];
    char *argv[] = {"p", "one", "--loud", "two", "--", "--three"};
    steep_options_default(table, &r);
    steep_command_line line = {.argc = 6, .argv = argv, .word = words};
    ck_assert_int_eq(steep_options_parse(STEEP_ONE_GROUP(table, &r), &line, NULL), STEEP_OK);
    ck_assert_uint_eq(line.words, 3);
    ck_assert_str_eq(words[2], "--three");
    ck_assert(!line.help && r.loud);
    char *asks[] = {"p", "--help", "--nonsense"};
    line.argc = 3, line.argv = asks;
    ck_assert_int_eq(steep_options_parse(STEEP_ONE_GROUP(table, &r), &line, NULL), STEEP_OK);
    ck_assert(line.help);
}

START_TEST(what_was_given_is_known)
{
    char *argv[] = {"p", "--count", "7", "--name=--rate", "--", "--kind", "pear"};
    ck_assert(steep_options_given(7, argv, "count") && steep_options_given(7, argv, "name"));
    ck_assert(!steep_options_given(7, argv, "rate"));
    ck_assert(!steep_options_given(7, argv, "kind"));
    ck_assert(!steep_options_given(7, argv, "coun") && !steep_options_given(7, argv, "counts"));
    ck_assert(!steep_options_given(0, NULL, "count"));
}

START_TEST(help_lists_every_option_with_its_range)
{
    SCOPED(release_memory) char *text = NULL;
    FILE *stream = text_stream(&text);
    steep_options_default(table, &r);
    steep_options_print(STEEP_ONE_GROUP(table, &r), stream);
    fclose(stream);
    for (const steep_option *o = table; o->name; o++) ck_assert_ptr_nonnull(strstr(text, o->help));
    ck_assert_ptr_nonnull(strstr(text, "1 to 1000"));
    ck_assert_ptr_nonnull(strstr(text, "apple, pear, quince"));
}

/* An option with a value that is given twice, or once by its second name, is refused; the message has both values. */
START_TEST(no_option_is_given_twice)
{
    static const struct {
        const char *word, *behind, *value;
        char option; /* 0: a flag */
    } given[] = {{"--loud", NULL, "", 0},       {"--count=10", NULL, "10", 'c'},  {"--count", "11", "11", 'c'},
                 {"--counts", "12", "12", 'c'}, {"--counts=13", NULL, "13", 'c'}, {"--tries=14", NULL, "14", 't'},
                 {"--tries", "15", "15", 't'}};
    enum { GIVEN = sizeof given / sizeof *given };
    static char *const between[] = {(char *)"--loud", (char *)"--rate=1", (char *)"--name", (char *)"x"};
    for (size_t i = 0; i < 2 * GIVEN * GIVEN; i++) { /* side by side, and apart */
        const size_t pair[2] = {i / 2 / GIVEN, i / 2 % GIVEN};
        char *argv[9] = {(char *)"p"}, values[20];
        int argc = 1;
        for (int k = 0; k < 2; k++) {
            argv[argc++] = (char *)given[pair[k]].word;
            if (given[pair[k]].behind) argv[argc++] = (char *)given[pair[k]].behind;
            if (k > 0 || i % 2 == 0) continue;
            memcpy(argv + argc, between, sizeof between);
            argc += 4;
        }
        const char option = given[pair[0]].option;
        const bool twice = option && option == given[pair[1]].option;
        snprintf(values, sizeof values, "'%s' and '%s'", given[pair[0]].value, given[pair[1]].value);
        check_says(parse(argc, argv), twice ? STEEP_BAD_INPUT : STEEP_OK, twice ? values : "");
        ck_assert(!twice || strstr(error.text, "twice"));
    }
}
