/* SPDX-License-Identifier: GPL-3.0-or-later */
/* title: a formula is written token by token; an exponent, by itself, between braces. */
#include "draw/title.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formula/formula.h"

/* What one character becomes where it means itself. */
static void put_character(FILE *out, char c, bool latex)
{
    if ((unsigned char)c < ' ') c = ' ';
    if (latex && strchr("\\^~", c)) fprintf(out, "\\char`\\%c{}", c);
    else fprintf(out, strchr(latex ? "_%&#${}" : "\\{}^_@&~", c) ? "\\%c" : "%c", c);
}

static bool continues(char c) /* a byte of a UTF-8 character that has begun before */
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

unsigned steep_title_length(const char *text)
{
    unsigned length = 0;
    for (; *text; text++) length += !continues(*text);
    return length;
}

char *steep_title_cut(const char *text, unsigned most)
{
    if (steep_title_length(text) <= most) return strdup(text);
    size_t end = 0;
    for (unsigned count = 0; text[end]; end++)
        if (!continues(text[end]) && ++count >= most) break;
    char *cut = malloc(end + sizeof "…");
    if (!cut) return NULL;
    memcpy(cut, text, end);
    memcpy(cut + end, "…", sizeof "…");
    return cut;
}

/* --- formulas --- */

static const char *skip_blanks(const char *at)
{
    while (isspace((unsigned char)*at)) at++;
    return at;
}

/* Characters of ^ or **; 0: the text begins with none. */
static size_t power_length(const char *at)
{
    return *at == '^' ? 1 : at[0] == '*' && at[1] == '*' ? 2 : 0;
}

/* The end of a number or a name; at itself where there is none. */
static const char *word_end(const char *at)
{
    char *end = NULL;
    if (isdigit((unsigned char)*at) || *at == '.') strtod(at, &end);
    else
        while (isalnum((unsigned char)*at) || *at == '_') at++;
    return end ? end : at;
}

/* The end of (...), or at itself. */
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

static void put_word(FILE *out, const char *word, size_t length, bool latex)
{
    bool digit = length == 2 && isdigit((unsigned char)word[1]);
    if (length == 2 && strncmp(word, "pi", 2) == 0) fputs(latex ? "\\pi " : "π", out);
    else if (strchr("xyz", *word) && (length == 1 || digit))
        fprintf(out, latex ? "%c%s%.*s" : "{/:Italic %c}%s%.*s", *word, digit ? "_" : "", (int)length - 1, word + 1);
    else {
        fputs(latex ? "\\mathrm{" : "", out);
        for (size_t i = 0; i < length; i++) put_character(out, word[i], latex);
        fputs(latex ? "}" : "", out);
    }
}

/* LaTeX spaces + and - by itself; a sign that stands before its operand has no room beside it. */
static void put_sign(FILE *out, const char *at, bool binary, bool latex)
{
    bool dot = *at == '*' && isdigit((unsigned char)*skip_blanks(at + 1));
    const char *room = binary && !latex ? "\u2009" : "";
    if (*at == '*') fputs(dot ? latex ? "\\cdot " : "·" : latex ? "\\," : "\u2009", out);
    else if (*at == '-' || *at == '+') fprintf(out, "%s%s%s", room, *at == '+' ? "+" : latex ? "-" : "−", room);
    else fprintf(out, *at == ',' ? latex ? "%c\\," : "%c " : "%c", *at);
}

static void put_formula(FILE *out, const char *at, const char *end, bool latex)
{
    bool operand = false; /* the last token was one: then a sign is binary */
    for (at = skip_blanks(at); at < end; at = skip_blanks(at)) {
        const char *after = word_end(at);
        bool word = after > at;
        if (word) put_word(out, at, (size_t)(after - at), latex);
        else if (power_length(at)) {
            const char *begin = skip_blanks(at + power_length(at));
            after = exponent_end(begin);
            bool wrapped = *begin == '(' && parentheses_end(begin) == after;
            fputs("^{", out);
            put_formula(out, begin + wrapped, after - wrapped, latex);
            fputs("}", out);
        } else {
            put_sign(out, at, operand, latex);
            after = at + 1;
        }
        operand = word || after[-1] == ')' || after > at + 1;
        at = after;
    }
}

char *steep_title(const char *text, bool typeset, bool latex)
{
    steep_formula *formula = NULL;
    steep_error ignored;
    char *title = NULL;
    size_t size;
    FILE *out = open_memstream(&title, &size);
    if (!out) return NULL;
    if (typeset && steep_formula_parse(text, &formula, &ignored) >= 0) {
        fputs(latex ? "$" : "", out);
        put_formula(out, text, text + strlen(text), latex);
        fputs(latex ? "$" : "", out);
        steep_formula_free(formula);
    } else
        for (; *text; text++) put_character(out, *text, latex);
    fclose(out);
    return title;
}
