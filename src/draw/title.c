/* SPDX-License-Identifier: GPL-3.0-or-later */
/* title: a formula is written token by token; an exponent, by itself, between braces. */
#include "draw/title.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formula/formula.h"

/* What one character becomes. */
static void put_character(FILE *out, char c, bool latex)
{
    static const char *const tex[][2] = {{"\\", "\\textbackslash{}"}, {"^", "\\^{}"},           {"~", "\\~{}"},
                                         {"<", "\\textless{}"},       {">", "\\textgreater{}"}, {"|", "\\textbar{}"}};
    if ((unsigned char)c < ' ') c = ' ';
    for (size_t i = 0; latex && i < sizeof tex / sizeof *tex; i++)
        if (c == *tex[i][0]) {
            fputs(tex[i][1], out);
            return;
        }
    if (strchr(latex ? "_%&#${}" : "\\{}^_@&~", c)) fputc('\\', out);
    fputc(c, out);
}

char *steep_title_plain(const char *text, bool latex)
{
    char *title = NULL;
    size_t size;
    FILE *out = open_memstream(&title, &size);
    if (!out) return NULL;
    for (; *text; text++) put_character(out, *text, latex);
    fclose(out);
    return title;
}

static bool continues(char c) /* a byte of a character that has begun before */
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
        if (!continues(text[end]) && ++count == most) break;
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

static bool is_power(const char *at)
{
    return *at == '^' || (at[0] == '*' && at[1] == '*');
}

/* The end of a number or a name; at itself where there is none. */
static const char *word_end(const char *at)
{
    if (!isdigit((unsigned char)*at) && *at != '.') {
        while (isalnum((unsigned char)*at) || *at == '_') at++;
        return at;
    }
    char *end;
    strtod(at, &end);
    return end;
}

/* The end of (...), or at itself. */
static const char *parentheses_end(const char *at)
{
    size_t depth = 0;
    if (*at != '(') return at;
    do {
        if (*at == '(') depth++;
        if (*at == ')') depth--;
        at++;
    } while (depth > 0 && *at);
    return at;
}

/* The end of the exponent that begins at at: signs, a number, a name, (...) or name(...), and a power of it. */
static const char *exponent_end(const char *at)
{
    for (;;) {
        at = skip_blanks(at);
        while (*at == '-' || *at == '+') at = skip_blanks(at + 1);
        at = parentheses_end(skip_blanks(word_end(at)));
        const char *next = skip_blanks(at);
        if (!is_power(next)) return at;
        at = next + (*next == '^' ? 1 : 2);
    }
}

static void put_name(FILE *out, const char *name, size_t length, bool latex)
{
    bool variable = strchr("xyz", *name) && (length == 1 || (length == 2 && isdigit((unsigned char)name[1])));
    if (length == 2 && strncmp(name, "pi", 2) == 0) {
        fputs(latex ? "\\pi " : "π", out);
    } else if (variable) {
        fprintf(out, latex ? "%c" : "{/:Italic %c}", *name);
        if (length == 2) fprintf(out, "_%c", name[1]);
    } else {
        fputs(latex ? "\\mathrm{" : "", out);
        for (size_t i = 0; i < length; i++) put_character(out, name[i], latex);
        fputs(latex ? "}" : "", out);
    }
}

/* 2.5e-3 as 2.5 times a power of ten, 1e-3 as that power alone. */
static void put_number(FILE *out, const char *at, const char *end, bool latex)
{
    const char *e = at;
    while (e < end && *e != 'e' && *e != 'E') e++;
    bool one = e == at + 1 && *at == '1';
    if (e == end || !one) fprintf(out, "%.*s", (int)(e - at), at);
    if (e == end) return;
    int power = (int)strtol(e + 1, NULL, 10);
    const char *minus = power < 0 ? latex ? "-" : "−" : "";
    fprintf(out, "%s10^{%s%d}", one ? "" : latex ? "\\cdot " : "·", minus, abs(power));
}

static void put_formula(FILE *out, const char *at, const char *end, bool latex);

/* What is no word: powers with their exponents, signs, brackets. Returns what follows. */
static const char *put_sign(FILE *out, const char *at, bool binary, bool latex)
{
    const char *thin = binary ? latex ? "\\," : "\u2009" : "";
    if (is_power(at)) {
        const char *begin = skip_blanks(at + (*at == '^' ? 1 : 2)), *end = exponent_end(begin);
        bool wrapped = *begin == '(' && parentheses_end(begin) == end;
        fputs("^{", out);
        put_formula(out, begin + wrapped, end - wrapped, latex);
        fputs("}", out);
        return end;
    }
    const char *next = skip_blanks(at + 1);
    if (*at == '*')
        fputs(isdigit((unsigned char)*next) ? latex ? "\\cdot " : "·" : latex ? "\\," : "\u2009", out);
    else if (*at == '-')
        fprintf(out, "%s%s%s", latex ? "" : thin, latex ? "-" : "−", latex ? "" : thin);
    else if (*at == '+')
        fprintf(out, "%s+%s", latex ? "" : thin, latex ? "" : thin);
    else if (*at == ',')
        fputs(latex ? ",\\," : ", ", out);
    else
        fputc(*at, out);
    return at + 1;
}

static void put_formula(FILE *out, const char *at, const char *end, bool latex)
{
    bool operand = false; /* the last token was one: then a sign is binary */
    for (at = skip_blanks(at); at < end; at = skip_blanks(at)) {
        const char *after = word_end(at);
        if (after > at && (isdigit((unsigned char)*at) || *at == '.'))
            put_number(out, at, after, latex);
        else if (after > at)
            put_name(out, at, (size_t)(after - at), latex);
        if (after > at) {
            operand = true;
            at = after;
        } else {
            bool closes = *at == ')' || is_power(at);
            at = put_sign(out, at, operand, latex);
            operand = closes;
        }
    }
}

char *steep_title_formula(const char *text, bool latex)
{
    steep_formula *formula;
    steep_error ignored;
    if (steep_formula_parse(text, &formula, &ignored) < 0) return steep_title_plain(text, latex);
    steep_formula_free(formula);
    char *title = NULL;
    size_t size;
    FILE *out = open_memstream(&title, &size);
    if (!out) return NULL;
    fputs(latex ? "$" : "", out);
    put_formula(out, text, text + strlen(text), latex);
    fputs(latex ? "$" : "", out);
    fclose(out);
    return title;
}
