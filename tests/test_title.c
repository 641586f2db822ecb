/* SPDX-License-Identifier: GPL-3.0-or-later */
/* title: what formulas and names become; a typeset formula, read back, is the same function. */
#include "draw/figure.h"

#include "chance.h"
#include "opened.h"

#define THIN "\u2009"

/* Typeset for gnuplot, and for LaTeX. */
static void check_title(const char *text, const char *plain, const char *tex)
{
    for (int latex = 0; latex < 2; latex++) {
        SCOPED(release_memory) char *title = steep_title(text, true, latex);
        ck_assert_msg(title && strcmp(title, latex ? tex : plain) == 0, "%s: \"%s\", expected \"%s\"", text, title,
                      latex ? tex : plain);
    }
}

START_TEST(formulas_are_typeset)
{
    check_title("exp(-x)*cos(8*x)", "exp(−{/:Italic x})" THIN "cos(8" THIN "{/:Italic x})",
                "$\\mathrm{exp}(-x)\\,\\mathrm{cos}(\\mathrm{8}\\,x)$");
    check_title("x^2 - y", "{/:Italic x}^{2}" THIN "−" THIN "{/:Italic y}", "$x^{\\mathrm{2}}-y$");
    check_title("2*3*pi", "2·3" THIN "π", "$\\mathrm{2}\\cdot \\mathrm{3}\\,\\pi $");
    check_title("2^-(x1+1)^2/3", "2^{−({/:Italic x}_1" THIN "+" THIN "1)^{2}}/3",
                "$\\mathrm{2}^{-(x_1+\\mathrm{1})^{\\mathrm{2}}}/\\mathrm{3}$");
    check_title("x**(y/2)", "{/:Italic x}^{{/:Italic y}/2}", "$x^{y/\\mathrm{2}}$");
    check_title("(x)^(2)*(y)", "({/:Italic x})^{2}" THIN "({/:Italic y})", "$(x)^{\\mathrm{2}}\\,(y)$");
    check_title("min(x,0.5)", "min({/:Italic x}, 0.5)", "$\\mathrm{min}(x,\\,\\mathrm{0.5})$");
    check_title("leaky_relu(x)", "leaky\\_relu({/:Italic x})", "$\\mathrm{leaky\\_relu}(x)$");
    check_title("x", "{/:Italic x}", "$x$");
}

START_TEST(names_are_escaped)
{
    check_title("cosine_well", "cosine\\_well", "cosine\\_well");
    check_title("cos4", "cos4", "cos4");
    check_title("data/a 100%.csv", "data/a 100%.csv", "data/a 100\\%.csv");
    check_title("{x}^2_@&~\\\t\n'\"$#", "\\{x\\}\\^2\\_\\@\\&\\~\\\\  '\"$#",
                "\\{x\\}\\char`\\^{}2\\_@\\&\\char`\\~{}\\char`\\\\{}  '\"\\$\\#");
    check_title("", "", "");
    SCOPED(release_memory) char *plain = steep_title("x^2", false, false);
    ck_assert_str_eq(plain, "x\\^2");
}

START_TEST(titles_are_cut)
{
    static const struct {
        const char *text, *cut;
        unsigned most;
    } cases[] = {{"runge3", "runge3", 6}, {"runge3", "rung…", 5}, {"−−−", "−−−", 3},
                 {"−−−−", "−−…", 3},      {"ab", "…", 1},         {"", "", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SCOPED(release_memory) char *cut_text = steep_title_cut(cases[i].text, cases[i].most);
        ck_assert_str_eq(cut_text, cases[i].cut);
        ck_assert_uint_le(steep_utf8_count(cut_text), cases[i].most);
    }
}

static void grow(steep_random *random, FILE *out, int depth)
{
    static const char *const leaves[] = {"x", "y", "x2", "pi", "2", "0.75", "1e-2", "(x)"};
    static const char *const functions[] = {"sin", "cosh", "relu2", "leaky_relu"};
    static const char *const operators[] = {"+", " - ", "*", " * ", "/", "^", "**", "^-", "*-"};
    size_t choice = depth > 3 ? 0 : chance_below(random, 4);
    if (choice == 0) {
        fputs(leaves[chance_below(random, 8)], out);
    } else if (choice == 1) {
        fprintf(out, "%s%s(", chance_below(random, 2) ? "-" : "", functions[chance_below(random, 4)]);
        grow(random, out, depth + 1);
        fputs(")", out);
    } else {
        bool wrapped = chance_below(random, 2);
        if (wrapped) fputs("(", out);
        grow(random, out, depth + 1);
        fputs(operators[chance_below(random, 9)], out);
        grow(random, out, depth + 1);
        if (wrapped) fputs(")", out);
    }
}

static bool take(const char **at, const char *mark)
{
    if (strncmp(*at, mark, strlen(mark)) != 0) return false;
    *at += strlen(mark);
    return true;
}

/* Enhanced text back into a formula: raised parts into parentheses, signs and products as they are typed. */
static void read_back(const char *at, FILE *out)
{
    while (*at) {
        if (take(&at, "{/:Italic ")) {
            fputc(*at++, out);
            at++; /* the brace */
        } else if (take(&at, "^{")) fputs("^(", out);
        else if (take(&at, "}")) fputs(")", out);
        else if (take(&at, THIN "+" THIN) || take(&at, "+")) fputs("+", out);
        else if (take(&at, THIN "−" THIN) || take(&at, "−")) fputs("-", out);
        else if (take(&at, THIN) || take(&at, "·")) fputs("*", out);
        else if (take(&at, "π")) fputs("pi", out);
        else if (take(&at, "\\_")) fputs("_", out);
        else if (*at == '_') at++; /* an index */
        else fputc(*at++, out);
    }
}

static char *round_trip(const char *text)
{
    char *back = NULL;
    SCOPED(release_memory) char *title = steep_title(text, true, false);
    FILE *out = text_stream(&back);
    ck_assert(title != NULL);
    read_back(title, out);
    fclose(out);
    return back;
}

START_RANDOM_TEST(a_typeset_formula_is_the_same_function, 1)
{
    size_t compared = 0;
    for (size_t n = chance_cases(500); n > 0; n--) {
        SCOPED(release_memory) char *text = NULL;
        FILE *out = text_stream(&text);
        grow(&random, out, 0);
        fclose(out);
        SCOPED(release_formula) steep_formula *before = NULL, *after = NULL;
        steep_error error = {""};
        if (steep_formula_parse(text, &before, &error) < 0) continue; /* a sign where the grammar has none */
        SCOPED(release_memory) char *back = round_trip(text);
        ck_assert_msg(steep_formula_parse(back, &after, &error) >= 0, "%s came back as %s: %s", text, back, error.text);
        for (int k = 0; k < 5; k++) {
            double at[] = {chance_within(&random, -2, 2), chance_within(&random, -2, 2)}, a, b;
            steep_formula_values(before, 1, at, &a);
            steep_formula_values(after, 1, at, &b);
            ck_assert_msg(memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b)), "%s came back as %s: %.17g, %.17g",
                          text, back, a, b);
        }
        compared++;
    }
    ck_assert_uint_gt(compared, 100);
}
