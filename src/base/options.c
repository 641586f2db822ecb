/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/options.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "base/text.h"

#define MOST_NAMES  512 /* names that are compared with an unknown name */
#define MOST_LISTED 110 /* characters: --help leaves out the words of a TEXT if they are longer together */

/* Levenshtein distance without case, one row; SIZE_MAX for names over 63 characters. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b), row[64];
    if (m > 63 || n > 63) return SIZE_MAX;
    for (size_t j = 0; j <= n; j++) row[j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t up = row[j], same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            size_t best = corner + !same;
            if (up + 1 < best) best = up + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
            corner = up;
        }
    }
    return row[n];
}

/* Words of other programs, and our words for the same. */
static const struct {
    const char *word, *ours;
} synonyms[] = {{"gpu", "cuda"},         {"l2", "penalty"},
                {"lambda", "penalty"},   {"weight-decay", "penalty"},
                {"ridge", "penalty"},    {"neurons", "widths"},
                {"hidden", "widths"},    {"epochs", "max-iterations"},
                {"lr", "learning-rate"}, {"function", "target"},
                {"threads", "jobs"},     {"model", "arch"},
                {"output", "out"},       {"regularization", "penalty"}};

size_t steep_options_index(const char *(*names)(size_t index), const char *name)
{
    size_t i = 0;
    while (name && names(i) && strcmp(names(i), name) != 0) i++;
    return i;
}

const char *steep_options_nearest_of(const char *name, const char *const *choice, size_t count)
{
    const char *best = NULL;
    size_t least = strlen(name) / 2 > 2 ? strlen(name) / 2 : 2;
    for (size_t s = 0; s < sizeof synonyms / sizeof *synonyms; s++)
        for (size_t i = 0; strcmp(synonyms[s].word, name) == 0 && i < count; i++)
            if (strcmp(choice[i], synonyms[s].ours) == 0) return choice[i];
    for (size_t i = 0; i < count; i++) {
        const size_t one = edit_distance(name, choice[i]);
        if (!(one <= least && (!best || one < least) && one < strlen(choice[i]))) continue;
        least = one;
        best = choice[i];
    }
    return best;
}

const char *steep_options_nearest(const char *name, const char *(*choices)(size_t index))
{
    const char *list[MOST_NAMES];
    size_t count = 0;
    for (; count < MOST_NAMES && choices(count); count++) list[count] = choices(count);
    return steep_options_nearest_of(name, list, count);
}

/* "a, b, c" into text. */
static void list_choices(const char *(*choices)(size_t index), char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; choices(i); i++) steep_text_add(text, size, "%s%s", i ? ", " : "", choices(i));
}

steep_status steep_options_choose(const char *option, const char *(*choices)(size_t index), const char *name,
                                  size_t *index, steep_error *error)
{
    char all[320];
    *index = steep_options_index(choices, name);
    if (choices(*index)) return STEEP_OK;
    const char *near = steep_options_nearest(name, choices);
    list_choices(choices, all, sizeof all);
    return steep_fail(error, STEEP_BAD_INPUT, "--%s '%.80s': unknown%s%s%s; use one of %s", option, name,
                      near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "", all);
}

static void *field(const steep_option *option, void *record)
{
    return (char *)record + option->offset;
}

static void range_text(const steep_option *option, char *text, size_t size)
{
    if (option->high >= 1e18) snprintf(text, size, "%g or more", option->low);
    else snprintf(text, size, "%g to %g", option->low, option->high);
}

static steep_status refuse(const steep_option *option, const char *value, const char *right, steep_error *error)
{
    return steep_fail(error, STEEP_BAD_INPUT, "--%s '%.80s': expected %s", option->name, value, right);
}

/* The word that the option accepts in place of a number; NULL: none. */
static const char *word_of(const steep_option *option)
{
    const bool number = option->kind == STEEP_OPTION_SIZE || option->kind == STEEP_OPTION_REAL;
    return number && option->initial && isalpha((unsigned char)option->initial[0]) ? option->initial : NULL;
}

/* A number of a SIZE or REAL; every range is checked. */
static steep_status store_number(const steep_option *option, void *at, const char *text, steep_error *error)
{
    char *end, range[64];
    double value;
    const bool size = option->kind == STEEP_OPTION_SIZE;
    const char *expected = steep_decimal_read(text, &value, &end); /* 1e4 is a fair way to write a count */
    range_text(option, range, sizeof range);
    if (end == text || *end || (size && expected))
        return refuse(option, text, size ? "a whole number in decimal digits" : "a number", error);
    if (!(value >= option->low && value <= option->high)) return refuse(option, text, range, error); /* NaN, too */
    if (size && value != floor(value)) expected = "a whole number";
    else if (size && value > 0x1p53) expected = "at most 9007199254740992"; /* beyond, a double skips whole numbers */
    if (expected) return refuse(option, text, expected, error);
    if (size) *(size_t *)at = (size_t)value;
    else *(double *)at = value;
    return STEEP_OK;
}

static steep_status store(const steep_option *option, void *at, const char *text, steep_error *error)
{
    size_t index;
    const bool size = option->kind == STEEP_OPTION_SIZE, word = word_of(option) && strcmp(text, word_of(option)) == 0;
    steep_status status = STEEP_OK;
    if (word && size) *(size_t *)at = SIZE_MAX;
    else if (word) *(double *)at = -1;
    else if (size || option->kind == STEEP_OPTION_REAL) return store_number(option, at, text, error);
    else if (option->kind == STEEP_OPTION_CHOICE)
        status = steep_options_choose(option->name, option->choices, text, &index, error);
    if (!word && status == STEEP_OK) *(const char **)at = text;
    return status;
}

void steep_options_default(const steep_option *table, void *record)
{
    for (const steep_option *o = table; o->name; o++) {
        void *at = field(o, record);
        if (o->kind == STEEP_OPTION_FLAG) *(bool *)at = false;
        else if (o->initial) store(o, at, o->initial, NULL);
        else if (o->kind == STEEP_OPTION_SIZE) *(size_t *)at = 0;
        else if (o->kind == STEEP_OPTION_REAL) *(double *)at = 0;
        else *(const char **)at = NULL;
    }
}

/* Parses the text of each value again, into a local field. */
steep_status steep_options_check(const steep_option *table, const void *record, steep_error *error)
{
    for (const steep_option *o = table; o->name; o++) {
        union {
            size_t size;
            double real;
            const char *text;
        } own;
        char text[128];
        const void *at = (const char *)record + o->offset;
        if (o->kind == STEEP_OPTION_CHOICE && !*(const char *const *)at) continue;
        steep_options_value(o, record, text, sizeof text);
        const steep_status status = o->kind == STEEP_OPTION_FLAG ? STEEP_OK : store(o, &own, text, error);
        if (status < 0) return status;
    }
    return STEEP_OK;
}

void steep_options_value(const steep_option *option, const void *record, char *text, size_t size)
{
    const void *at = (const char *)record + option->offset;
    const char *word = word_of(option);
    if (word && (option->kind == STEEP_OPTION_SIZE ? *(const size_t *)at == SIZE_MAX : *(const double *)at == -1)) {
        snprintf(text, size, "%s", word);
        return;
    }
    switch (option->kind) {
    case STEEP_OPTION_FLAG: snprintf(text, size, "%s", *(const bool *)at ? "true" : "false"); break;
    case STEEP_OPTION_SIZE: snprintf(text, size, "%zu", *(const size_t *)at); break;
    case STEEP_OPTION_REAL: /* as few digits as give the number back */
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(text, size, "%.*g", digits, *(const double *)at);
            if (strtod(text, NULL) == *(const double *)at) break;
        }
        break;
    default: word = *(const char *const *)at; snprintf(text, size, "%s", word ? word : "");
    }
}

const steep_option *steep_options_find(const steep_option_group *groups, const char *name, void **at)
{
    const size_t length = strcspn(name, "=");
    for (const steep_option_group *g = groups; g->table; g++)
        for (const steep_option *o = g->table; o->name; o++)
            if (strlen(o->name) == length && strncmp(o->name, name, length) == 0) {
                if (at) *at = field(o, g->record);
                return o;
            }
    return NULL;
}

static steep_status unknown_option(const steep_option_group *groups, const char *name, steep_error *error)
{
    const char *list[MOST_NAMES];
    char shown[96];
    size_t count = 0;
    snprintf(shown, sizeof shown, "%.*s", (int)steep_least(strcspn(name, "="), 90), name);
    for (const steep_option_group *g = groups; g->table; g++)
        for (const steep_option *o = g->table; o->name && count < MOST_NAMES; o++) list[count++] = o->name;
    const char *near = steep_options_nearest_of(shown, list, count);
    if (near) return steep_fail(error, STEEP_BAD_INPUT, "unknown option --%.80s: did you mean --%s?", shown, near);
    return steep_fail(error, STEEP_BAD_INPUT, "unknown option --%.80s: --help lists the options", shown);
}

/* The value that an option before argv[end] gives to the field same, also by another name (--width); NULL: none. */
static const char *given_before(const steep_option_group *groups, char *const *argv, int end, const void *same)
{
    void *at;
    for (int i = 1; i < end; i++) {
        if (strncmp(argv[i], "--", 2) != 0 || !steep_options_find(groups, argv[i] + 2, &at) || at != same) continue;
        const char *equals = strchr(argv[i], '=');
        return equals ? equals + 1 : argv[i + 1];
    }
    return NULL;
}

/* One "--name[=value]" at argv[*i]; may take argv[*i + 1]. */
static steep_status parse_option(const steep_option_group *groups, int argc, char *const *argv, int *i,
                                 steep_error *error)
{
    const char *name = argv[*i] + 2, *equals = strchr(name, '=');
    void *at;
    const steep_option *o = steep_options_find(groups, name, &at);
    if (!o) return unknown_option(groups, name, error);
    if (o->kind == STEEP_OPTION_FLAG) {
        if (equals)
            return steep_fail(error, STEEP_BAD_INPUT, "--%s takes no value: leave out '%.80s'", o->name, equals + 1);
        *(bool *)at = true;
        return STEEP_OK;
    }
    if (!equals &&
        (*i + 1 >= argc || strncmp(argv[*i + 1], "--", 2) == 0)) /* --out --quiet: no folder of that name is meant */
        return steep_fail(error, STEEP_BAD_INPUT, "--%s: a value (%s) is missing", o->name,
                          o->argument ? o->argument : "VALUE");
    const char *value = equals ? equals + 1 : argv[*i + 1], *before = given_before(groups, argv, *i, at);
    if (before)
        return steep_fail(error, STEEP_BAD_INPUT, "--%s is given twice, '%.60s' and '%.60s': give it once", o->name,
                          before, value);
    *i += !equals;
    return store(o, at, value, error);
}

steep_status steep_options_parse(const steep_option_group *groups, steep_command_line *line, steep_error *error)
{
    bool options = true;
    char *const *argv = line->argv;
    line->help = false;
    line->words = 0;
    line->groups = groups;
    for (int i = 1; i < line->argc; i++) {
        steep_status status = STEEP_OK;
        if (options && strcmp(argv[i], "--") == 0) options = false;
        else if (options && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)) {
            line->help = true;
            return STEEP_OK;
        } else if (options && strncmp(argv[i], "--", 2) == 0)
            status = parse_option(groups, line->argc, argv, &i, error);
        else if (line->word) line->word[line->words++] = argv[i];
        else
            status = steep_fail(error, STEEP_BAD_INPUT, "unexpected word '%.80s': options begin with --, as in --help",
                                argv[i]);
        if (status < 0) return status;
    }
    return STEEP_OK;
}

bool steep_options_given(int argc, char *const *argv, const char *name)
{
    const size_t length = strlen(name);
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) /* no value begins with -- */
        if (strncmp(argv[i], "--", 2) == 0 && strcspn(argv[i] + 2, "=") == length &&
            strncmp(argv[i] + 2, name, length) == 0)
            return true;
    return false;
}

steep_status steep_options_set(const steep_option_group *groups, const char *name, const char *text, steep_error *error)
{
    void *at;
    const steep_option *o = steep_options_find(groups, name, &at);
    if (!o) return unknown_option(groups, name, error);
    if (o->kind != STEEP_OPTION_FLAG) return store(o, at, text, error);
    bool on = strcmp(text, "true") == 0;
    if (!on && strcmp(text, "false") != 0) return refuse(o, text, "true or false", error);
    *(bool *)at = on;
    return STEEP_OK;
}

static void print_option(const steep_option *o, const char *initial, FILE *stream)
{
    char left[64], more[400] = "";
    snprintf(left, sizeof left, "--%s%s%s", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
    if (o->choices) list_choices(o->choices, more, sizeof more);
    if (o->kind == STEEP_OPTION_TEXT && strlen(more) > MOST_LISTED) *more = '\0';
    if (!o->choices && o->kind != STEEP_OPTION_TEXT && o->kind != STEEP_OPTION_FLAG) range_text(o, more, sizeof more);
    fprintf(stream, "  %-24s %s", left, o->help);
    if (initial && o->kind != STEEP_OPTION_FLAG)
        fprintf(stream, " (default: %s%s%s)", initial, *more ? "; " : "", more);
    else if (*more) fprintf(stream, " (%s)", more);
    fputc('\n', stream);
}

void steep_options_print(const steep_option_group *groups, FILE *stream)
{
    for (const steep_option_group *g = groups; g->table; g++) {
        if (g->title) fprintf(stream, "%s%s\n", g == groups ? "" : "\n", g->title);
        for (const steep_option *o = g->table; o->name; o++) {
            char value[256];
            steep_options_value(o, g->record, value, sizeof value);
            bool plain = o->kind == STEEP_OPTION_SIZE || o->kind == STEEP_OPTION_REAL;
            print_option(o, *value && (!plain || o->initial) ? value : NULL, stream);
        }
    }
}
