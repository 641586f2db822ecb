/* SPDX-License-Identifier: GPL-3.0-or-later */
/* title: tables of substitutes. A formula is written token by token, and its exponents as formulas between braces. */
#include "draw/figure.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "formula/formula.h"

#define THIN "\u2009" /* a thin space */

typedef struct substitute {
    const char *typed, *plain, *latex;
} substitute;

/* Substitutes for characters of any text. */
/* clang-format off */
static const substitute characters[] = {
    {"\\", "\\\\", "\\char`\\\\{}"}, {"^", "\\^", "\\char`\\^{}"}, {"~", "\\~", "\\char`\\~{}"},
    {"{", "\\{", "\\{"}, {"}", "\\}", "\\}"}, {"_", "\\_", "\\_"}, {"@", "\\@", "@"}, {"&", "\\&", "\\&"},
    {"%", "%", "\\%"}, {"#", "#", "\\#"}, {"$", "$", "\\$"},
    {"−", "−", "$-$"}, {"±", "±", "$\\pm$"}, {"…", "…", "\\dots{}"}, {NULL, NULL, NULL}};
/* clang-format on */

/* In a formula: binary for + and - after an operand, where LaTeX sets spaces itself; products for * before a digit. */
static const substitute binary[] = {{"+", THIN "+" THIN, "+"}, {"-", THIN "−" THIN, "-"}, {NULL, NULL, NULL}};
static const substitute products[] = {{"*", "·", "\\cdot "}, {NULL, NULL, NULL}};
static const substitute signs[] = {{"*", THIN, "\\,"}, {"-", "−", "-"}, {",", ", ", ",\\,"}, {NULL, NULL, NULL}};

/* Writes the substitute for the first character, else the character, or a blank for a control; returns the rest. */
static const char *put_one(FILE *out, const substitute *table, const char *at, bool latex)
{
    while (table->typed && strncmp(at, table->typed, strlen(table->typed)) != 0) table++;
    if (table->typed) fputs(latex ? table->latex : table->plain, out);
    else fputc((unsigned char)*at < ' ' ? ' ' : *at, out);
    return at + (table->typed ? strlen(table->typed) : 1);
}

char *steep_title_cut(const char *text, unsigned most)
{
    if (steep_utf8_count(text) <= most) return strdup(text);
    size_t end = 0;
    for (unsigned count = 0; text[end]; end++)
        if (((unsigned char)text[end] & 0xC0) != 0x80 && ++count >= most) break;
    char *cut = malloc(end + sizeof "…");
    if (cut) sprintf(cut, "%.*s…", (int)end, text);
    return cut;
}

static const char *skip_blanks(const char *at)
{
    while (isspace((unsigned char)*at)) at++;
    return at;
}

/* The length of ^ or ** at the beginning of the text; 0: there is none. */
static size_t power_length(const char *at)
{
    return *at == '^' ? 1 : at[0] == '*' && at[1] == '*' ? 2 : 0;
}

/* The end of the number or name that begins at `at`; `at` where there is none. */
static const char *word_end(const char *at)
{
    char *end = NULL;
    if (isdigit((unsigned char)*at) || *at == '.') strtod(at, &end);
    else at += steep_formula_word(at);
    return end ? end : at;
}

/* The end of the (...) that begins at `at`. */
static const char *parentheses_end(const char *at)
{
    size_t depth = 0;
    do depth += (*at == '(') - (size_t)(*at == ')');
    while (depth > 0 && *at++);
    return *at == ')' ? at + 1 : at;
}

/* The end of the exponent that begins here: signs, a number, a name, (...) or name(...), and a power of it. */
static const char *exponent_end(const char *at)
{
    while (*at == '-' || *at == '+' || isspace((unsigned char)*at)) at++;
    at = word_end(at);
    const char *open = skip_blanks(at);
    if (*open == '(') at = parentheses_end(open);
    const char *next = skip_blanks(at);
    return power_length(next) ? exponent_end(next + power_length(next)) : at;
}

static void put_word(FILE *out, const char *word, const char *end, bool latex)
{
    size_t length = (size_t)(end - word);
    bool digit = length == 2 && isdigit((unsigned char)word[1]);
    if (length == 2 && strncmp(word, "pi", 2) == 0) fputs(latex ? "\\pi " : "π", out);
    else if (strchr("xyz", *word) && (length == 1 || digit))
        fprintf(out, latex ? "%c%s%.*s" : "{/:Italic %c}%s%.*s", *word, digit ? "_" : "", (int)length - 1, word + 1);
    else {
        fputs(latex ? "\\mathrm{" : "", out);
        while (word < end) word = put_one(out, characters, word, latex);
        fputs(latex ? "}" : "", out);
    }
}

static void put_formula(FILE *out, const char *at, const char *end, bool latex)
{
    bool operand = false; /* the last token was an operand */
    for (at = skip_blanks(at); at < end; at = skip_blanks(at)) {
        const char *after = word_end(at);
        bool word = after > at, power = power_length(at) > 0;
        if (word) put_word(out, at, after, latex);
        else if (power) {
            const char *begin = skip_blanks(at + power_length(at));
            after = exponent_end(begin);
            bool wrapped = *begin == '(' && parentheses_end(begin) == after;
            fputs("^{", out);
            put_formula(out, begin + wrapped, after - wrapped, latex);
            fputs("}", out);
        } else {
            bool dot = *at == '*' && isdigit((unsigned char)*skip_blanks(at + 1));
            after = put_one(out, dot ? products : operand && strchr("+-", *at) ? binary : signs, at, latex);
        }
        operand = word || power || after[-1] == ')';
        at = after;
    }
}

char *steep_title(const char *text, bool typeset, bool latex)
{
    steep_formula *formula = NULL;
    steep_text title;
    if (steep_text_open(&title) < 0) return NULL;
    FILE *out = title.stream;
    steep_status parsed = typeset ? steep_formula_parse(text, &formula, NULL) : STEEP_BAD_INPUT;
    if (parsed >= 0) {
        fputs(latex ? "$" : "", out);
        put_formula(out, text, text + strlen(text), latex);
        fputs(latex ? "$" : "", out);
        steep_formula_free(formula);
    } else
        while (*text) text = put_one(out, characters, text, latex);
    if (steep_text_close(&title) < 0) return NULL;
    if (parsed != STEEP_NO_MEMORY) return title.text;
    free(title.text); /* without memory to parse, it is not typeset */
    return NULL;
}
