/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "formula/formula.h"

#include "opened.h"

enum { ORDER = STEEP_JET_ORDER, TERMS = ORDER + 1 };

#define EPS 0x1p-63L /* of long double; check_close compares in double, so differences are formed before */

static steep_formula *parse(const char *text)
{
    steep_formula *f = NULL;
    steep_error error = {""};
    ck_assert_msg(steep_formula_parse(text, &f, &error) == STEEP_OK, "%s: %s", text, error.text);
    ck_assert_str_eq(steep_formula_text(f), text);
    return f;
}

/* FORMULA(f, text): parsed, and freed where its scope ends. */
#define FORMULA(f, text) SCOPED(release_formula) steep_formula *f = parse(text)

/* Returns the reference value in long double. The value in double must be this value, rounded once. */
static long double value(const char *text, double x, double y)
{
    FORMULA(f, text);
    const long double point[9] = {x, y}, reference = steep_formula_reference(f, point);
    double rounded;
    steep_formula_values(f, 1, (const double[9]){x, y}, &rounded);
    ck_assert_msg(rounded == (double)reference, "%s: %.17g", text, rounded);
    return reference;
}

/* The jet at x, y = 6 along v in x. Jets of lower order must have the same coefficients, and write nothing behind them.
 * C in the text: a curve in every function's domain, without zero coefficients. */
static void jet(const char *text, long double x, long double v, size_t order, long double *c)
{
    static const char curve[] = "(0.4+0.6*x-0.3*x^2+0.2*x^3+0.1*x^4-0.1*x^5+0.05*x^6+0.1*x^7-0.1*x^8)";
    const long double at[] = {x, 6}, along[] = {v, 0};
    char whole[1000] = "";
    for (size_t used = 0; *text; text++) {
        snprintf(whole + used, sizeof whole - used, *text == 'C' ? "%s" : "%.1s", *text == 'C' ? curve : text);
        used = strlen(whole);
    }
    FORMULA(f, whole);
    steep_formula_jet(f, at, along, order, c);
    const long double y = steep_formula_reference(f, at);
    ck_assert_msg(c[0] == y || fabsl(c[0] / y - 1) < 16 * EPS, "%s: %Lg, not %Lg", whole, c[0], y);
    for (size_t low = 0; low < order; low++) {
        long double part[TERMS + 1];
        for (size_t k = 0; k <= TERMS; k++) part[k] = 77;
        steep_formula_jet(f, at, along, low, part);
        for (size_t k = 0; k <= TERMS; k++)
            ck_assert_msg(k > low ? part[k] == 77 : part[k] == c[k] || (isnan(part[k]) && isnan(c[k])),
                          "%s: %zu of %zu", whole, k, low);
    }
}

/* The two sides of an equation. */
typedef struct equation {
    char left[100], right[100];
} equation;

/* Reads the next equation of a list "left=right;left=right;". Returns false behind the last. */
static bool next_equation(const char **list, equation *sides)
{
    int used = 0;
    const bool found = sscanf(*list, "%99[^=]=%99[^;];%n", sides->left, sides->right, &used) == 2;
    *list += used;
    return found;
}

/* Values at x = 0.5, y = -1.25 are exactly the numbers on the right, as the C library reads them. */
START_TEST(precedence_is_that_of_mathematics)
{
    const char *list =
        "1+2*3=7;(1+2)*3=9;2-3-4=-5;2/4/2=0.25;2^3^2=512;2**3**2=512;(2^3)^2=64;-2^2=-4;(-2)^2=4;2^-1*3=1.5;"
        "--3=3;-+-3=3;2*-3=-6;2--3=5;1E-1=0.1;1e2+.5+2.=102.5;cbrt(-8)=-2;x/y*x=-0.2;-x*y=0.625;x^-2=4;"
        " x\t+ y\n=-0.75;x1+x2=-0.75;min(x,y)=-1.25;max(x,y)=0.5;pow(x,2)=0.25;relu(x)=0.5;relu(y)=0;"
        "abs(y)=1.25;x^1=0.5;x^0=1;sign(y)+sign(0)=-1;sign(x)=1;";
    for (equation sides; next_equation(&list, &sides);) {
        const long double found = value(sides.left, 0.5, -1.25);
        ck_assert_msg(found == strtold(sides.right, NULL), "%s = %s, not %.20Lg", sides.left, sides.right, found);
    }
    ck_assert(!*list && value("pi", 0, 0) == acosl(-1) && value("e", 0, 0) == expl(1));
}

START_TEST(every_function_is_that_of_the_c_library)
{
    static const struct {
        const char *name;
        long double (*function)(long double);
    } known[] = {{"sin", sinl},   {"cos", cosl},   {"tan", tanl},   {"asin", asinl}, {"acos", acosl}, {"atan", atanl},
                 {"sinh", sinhl}, {"cosh", coshl}, {"tanh", tanhl}, {"exp", expl},   {"log", logl},   {"sqrt", sqrtl},
                 {"cbrt", cbrtl}, {"abs", fabsl},  {"erf", erfl},   {"J0", j0l},     {"J1", j1l}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[32], folded[32];
        snprintf(text, sizeof text, "%s(x)", known[i].name);
        snprintf(folded, sizeof folded, "%s(0.4375)", known[i].name);
        ck_assert_ldouble_eq_tol(value(text, 0.4375, 0), known[i].function(0.4375L), 4e-19L);
        ck_assert(value(folded, 0, 0) == value(text, 0.4375, 0)); /* constants are folded with the same functions */
    }
}

START_TEST(mistakes_are_pointed_at)
{
    static const struct {
        const char *text;
        int column;
        const char *says;
    } wrong[] = {{"sin(x", 6, "expected an operator or \")\", found the end"},
                 {"2x", 2, "write * to multiply"},
                 {"x)", 2, "found \")\""},
                 {"x+*2", 3, "a number, a variable, a function or \"(\", found \"*\""},
                 {"coss(x)", 1, "did you mean \"cos\""},
                 {"  exq(x)", 3, "did you mean \"exp\""},
                 {"max(x)", 6, "\",\", found \")\""},
                 {"sin(x,x)", 6, "found \",\""},
                 {"sin x", 5, "\"(\" after sin"},
                 {"x y", 3, "write * to multiply"},
                 {"1+t", 3, "variables are x, y, z or x1, x2, ..."},
                 {"x10001", 1, "unknown name"},
                 {"x0", 1, "unknown name"},
                 {"()", 2, "found \")\""},
                 {"x^", 3, "found the end"},
                 {"1.2.3", 1, "no number"},
                 {".", 1, "no number"},
                 {"0x10", 1, "no number"},
                 {"3 e2", 3, "found \"e2\""},
                 {"x;y", 2, "found \";\""},
                 {"\xC2\xB5*x", 1, "found \"\xC2\xB5\""},
                 {"x*\xCF\x80*(", 3, "found \"\xCF\x80\""}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        steep_formula *f = (steep_formula *)&f;
        steep_error error = {""};
        char place[40];
        ck_assert_int_eq(steep_formula_parse(wrong[i].text, &f, &error), STEEP_BAD_INPUT);
        ck_assert_ptr_null(f);
        snprintf(place, sizeof place, "formula, column %d: ", wrong[i].column);
        ck_assert_msg(strncmp(error.text, place, strlen(place)) == 0 && strstr(error.text, wrong[i].says), "%s: %s",
                      wrong[i].text, error.text);
        snprintf(place, sizeof place, "\n%*s", 4 + wrong[i].column, "^"); /* below a quote that is indented by four */
        ck_assert_str_eq(strrchr(error.text, '\n'), place);
    }
    steep_formula *f;
    steep_error error;
    ck_assert_int_eq(steep_formula_parse("", &f, &error), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_formula_parse(" \t", &f, &error), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_formula_parse("x+*", &f, NULL), STEEP_BAD_INPUT);
}

/* For a mistake far into a long formula, the message quotes a part, with the caret below the mistake. */
START_TEST(long_formulas_are_quoted_in_part)
{
    char text[1600] = "x";
    for (int i = 0; i < 200; i++) strcat(text, "+sin(x)");
    text[701] = '?';
    steep_formula *f;
    steep_error error;
    ck_assert_int_eq(steep_formula_parse(text, &f, &error), STEEP_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "column 702"));
    const char *quote = strchr(error.text, '\n') + 1, *caret = strrchr(error.text, '\n') + 1;
    ck_assert_uint_eq(strcspn(quote, "?"), strcspn(caret, "^"));
    ck_assert_uint_lt(strlen(error.text), 300);
}

/* Depth and length have limits, checked before anything overflows; right below them formulas still work. */
START_TEST(limits_are_kept)
{
    static const struct {
        const char *open, *close;
    } nest[] = {{"(", ")"}, {"-", ""}, {"x+(", ")"}, {"x^", ""}, {"max(x,", ")"}, {"1+x*x^min(2,", ")"}};
    static const int below[] = {190, 190, 95, 190, 190, 45}; /* each operator on the way is a level, too */
    for (size_t i = 0; i < sizeof nest / sizeof *nest; i++)
        for (int deep = 0; deep < 2; deep++) {
            char text[STEEP_FORMULA_LENGTH + 1] = "";
            const int levels = deep ? STEEP_FORMULA_DEPTH : below[i];
            for (int k = 0; k < levels; k++) strcat(text, nest[i].open);
            strcat(text, "x");
            for (int k = 0; k < levels; k++) strcat(text, nest[i].close);
            SCOPED(release_formula) steep_formula *f;
            steep_error error = {""};
            check_says(steep_formula_parse(text, &f, &error), deep ? STEEP_BAD_INPUT : STEEP_OK,
                       deep ? "nested too deeply" : "");
            if (deep) continue;
            const double x = 0.5;
            const long double point = x;
            double y;
            long double c[TERMS];
            steep_formula_values(f, 1, &x, &y);
            steep_formula_jet(f, &point, NULL, ORDER, c);
            check_close(y, steep_formula_reference(f, &point), levels * 0x1p-52 * fabs(y));
            check_close(y, c[0], levels * 0x1p-52 * fabs(y));
        }
    for (int over = 0; over < 2; over++) {
        char text[STEEP_FORMULA_LENGTH + 2];
        steep_error error = {""};
        SCOPED(release_formula) steep_formula *f;
        snprintf(text, sizeof text, "%-*s", STEEP_FORMULA_LENGTH + over, "x");
        check_says(steep_formula_parse(text, &f, &error), over ? STEEP_BAD_INPUT : STEEP_OK, over ? "4096" : "");
    }
}

/* |a_k - b_k| <= c eps max(1, |b_k|) for all k */
static void same(const char *text, const long double *a, const long double *b, double c)
{
    for (size_t k = 0; k < TERMS; k++)
        ck_assert_msg(fabsl(a[k] - b[k]) <= c * EPS * fmaxl(1, fabsl(b[k])), "%s, coefficient %zu: %.20Lg, not %.20Lg",
                      text, k, a[k], b[k]);
}

/* Functions that undo or complete each other have the same jets on the curve. The bound: rounding of a composition
 * grows with the coefficients of its factors, here up to 10^3. */
START_TEST(compositions_give_the_argument_back)
{
    const char *list =
        "exp(log(C))=C;log(exp(C))=C;atan(tan(C))=C;asin(sin(C))=C;acos(sin(C))+asin(sin(C))=pi/2;"
        "sin(C)*sin(C)+cos(C)*cos(C)=1;sin(C)/cos(C)=tan(C);sinh(C)/cosh(C)=tanh(C);sinh(C)+cosh(C)=exp(C);"
        "sqrt(C)*sqrt(C)=C;C^0.5=sqrt(C);cbrt(C)^3=C;C^(1/3)=cbrt(C);C*(1/C)=1;log(C^C)=C*log(C);"
        "erf(C)+erfc(C)=1;expm1(C)=exp(C)-1;log1p(C)=log(1+C);sigmoid(C)=1/(1+exp(-C));C^7=C*C*C*C*C*C*C;"
        "C^(2+x^2)=C*C*exp(x^2*log(C));(C+2)^-3=1/((C+2)*(C+2)*(C+2));sqrt(2+C)^C=exp(C*log(2+C)/2);"
        "log(3+C)^2.5=exp(2.5*log(log(3+C)));max(C,2)*min(C,-2)+abs(C+3)+relu(C+2)=2*C+1;"
        "max(-2,C)*min(2,C)+abs(-C)+relu(-C)=C*C+C;";
    for (equation sides; next_equation(&list, &sides);) {
        long double a[TERMS], b[TERMS];
        jet(sides.left, 0, 1, ORDER, a);
        jet(sides.right, 0, 1, ORDER, b);
        same(sides.left, a, b, strstr(sides.left, "/C") ? 4e6 : 4e3);
    }
    ck_assert(!*list);
}

/* Powers p of a = t^m u at its root: the series if p m is whole, otherwise infinity with its sign for t > 0. */
START_TEST(roots_are_one_sided)
{
    static const struct {
        const char *text;
        long double known[5];
    } rows[] = {{"sqrt(4*x^2)", {0, 2, 0, 0, 0}},
                {"sqrt(x)", {0, INFINITY, -INFINITY, INFINITY, -INFINITY}},
                {"sqrt(-8*x)", {0, NAN, NAN, NAN, NAN}}, /* no real root for t > 0 */
                {"x^1.5", {0, 0, INFINITY, -INFINITY, INFINITY}},
                {"cbrt(-8*x)", {0, -INFINITY, INFINITY, -INFINITY, INFINITY}},
                {"cbrt(-27*x^3-27*x^4)", {0, -3, -1, 1 / 3.0L, -5 / 27.0L}}, /* -3 t (1 + t)^(1/3) */
                {"(4*x^2)^(1/3)", {0, INFINITY, -INFINITY, INFINITY, -INFINITY}},
                {"x^(y-7)", {INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        long double out[TERMS];
        jet(rows[i].text, 0, 1, ORDER, out);
        for (size_t k = 0; k < 5; k++) {
            const long double known = rows[i].known[k];
            const bool right = isfinite(known) ? fabsl(out[k] - known) <= 8 * EPS * fabsl(known)
                               : isnan(known)  ? isnan(out[k])
                                               : out[k] == known;
            ck_assert_msg(right, "%s, coefficient %zu: %Lg, not %Lg", rows[i].text, k, out[k], known);
        }
    }
}

/* The derivative of the left side is the right side, coefficient by coefficient, at points from -30 to 30 (y is 6). */
START_TEST(functions_have_their_derivatives)
{
    const char *list =
        "J0(x)=-J1(x);x*J1(x)=x*J0(x);erf(x)=2/sqrt(pi)*exp(-x^2);sin(x)=cos(x);cos(x)=-sin(x);tan(x)=1+tan(x)^2;"
        "exp(x/8)=exp(x/8)/8;log(32+x)=1/(32+x);sqrt(32+x)=0.5/sqrt(32+x);atan(x)=1/(1+x^2);tanh(x)=1-tanh(x)^2;"
        "asin(x/32)=1/sqrt(1024-x^2);sinh(x/8)=cosh(x/8)/8;(1+x/32)^6=6/32*(1+x/32)^5;(2+x/32)^y=6/32*(2+x/32)^5;";
    for (equation sides; next_equation(&list, &sides);)
        for (int at = -40; at <= 40; at++) {
            long double whole[TERMS], slope[TERMS];
            jet(sides.left, at * 0.77L, 1, ORDER, whole);
            jet(sides.right, at * 0.77L, 1, ORDER, slope);
            for (size_t k = 0; k < ORDER; k++) {
                const long double found = (long double)(k + 1) * whole[k + 1];
                ck_assert_msg(fabsl(found - slope[k]) <= 64 * EPS * fmaxl(1, fabsl(slope[k])),
                              "%s at %g, coefficient %zu: %Lg, not %Lg", sides.left, at * 0.77, k + 1, found, slope[k]);
            }
        }
    ck_assert(!*list);
}

/* tanh keeps its relative accuracy where it is nearly constant: 1 - tanh^2 would cancel. */
START_TEST(flat_ends_keep_their_digits)
{
    long double out[TERMS];
    jet("tanh(x)", 18, 1, ORDER, out);
    const long double slope = 4 / powl(expl(18) + expl(-18), 2);
    check_close(out[1] / slope, 1, 64 * EPS); /* exp(18): 18 eps and a few */
    check_close(out[2] / slope, -tanhl(18), 64 * EPS);
}

/* A jet at a kink is the jet of the side t > 0 of its direction; relu at 0 has the jet 0, as in networks. */
START_TEST(kinks_are_one_sided)
{
    static const struct {
        const char *text;
        long double right[3], left[3];
    } known[] = {{"abs(x)", {0, 1, 0}, {0, 1, 0}},
                 {"max(x,0)", {0, 1, 0}, {0, 0, 0}},
                 {"max(0,x)", {0, 1, 0}, {0, 0, 0}},
                 {"min(x,0)", {0, 0, 0}, {0, -1, 0}},
                 {"relu(x)", {0, 0, 0}, {0, 0, 0}},
                 {"relu(-x)", {0, 0, 0}, {0, 0, 0}},
                 {"max(x,0)+max(x,0)^2", {0, 1, 1}, {0, 0, 0}},
                 {"max(x,x^2)", {0, 1, 0}, {0, 0, 1}},
                 {"min(x,x^2)", {0, 0, 1}, {0, -1, 0}},
                 {"sign(x)", {0, 0, 0}, {0, 0, 0}},
                 {"abs(x^2-x)", {0, 1, -1}, {0, 1, 1}},
                 {"abs(x)^1.5", {0, 0, INFINITY}, {0, 0, INFINITY}},
                 {"sqrt(x^2)", {0, 1, 0}, {0, 1, 0}},
                 {"max(x,x)", {0, 1, 0}, {0, -1, 0}},
                 {"relu(x+1)", {1, 1, 0}, {1, -1, 0}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        long double right[3], left[3];
        jet(known[i].text, 0, 1, 2, right);
        jet(known[i].text, 0, -1, 2, left);
        for (int k = 0; k < 3; k++)
            ck_assert_msg(right[k] == known[i].right[k] && left[k] == known[i].left[k], "%s, %d: %Lg right, %Lg left",
                          known[i].text, k, right[k], left[k]);
    }
}

/* Behind a closed gate a formula is 0 with all its derivatives. If only the first nine coefficients of an argument are
 * 0, the coefficients of its root are not known, and not finite. */
START_TEST(roots_behind_a_closed_gate_are_flat)
{
    static const char *const closed[] = {"sqrt(relu(x))",           "relu(x)^0.001",   "relu(x)^y",
                                         "relu(x)^(x+y+1)",         "max(x,0)^0.1",    "max(0,x)^0.1",
                                         "min(-x,0)^(1/3)",         "cbrt(x*relu(x))", "sqrt(sin(relu(x)^3)/(1+x^2))",
                                         "(relu(x)+relu(x-y))^0.2", "sqrt(0*x)",       "expm1(relu(x))^0.3"};
    static const char *const unknown[] = {"(x+1)^30", "(x+1)^9*relu(x+2)", "relu(x+1)^9", "max((x+1)^9,0)"};
    static const long double x[] = {-1, 0.001L}, v[][2] = {{1, 0}, {0, 1}, {-1, 2}};
    long double c[TERMS];
    char root[64];
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++)
        for (size_t d = 0; d < sizeof v / sizeof *v; d++)
            for (size_t order = 0; order < TERMS; order++) {
                FORMULA(f, closed[i]);
                steep_formula_jet(f, x, v[d], order, c);
                for (size_t k = 0; k <= order; k++)
                    ck_assert_msg(c[k] == 0, "%s, order %zu: %zu is %Lg", closed[i], order, k, c[k]);
            }
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        snprintf(root, sizeof root, "(%s)^0.01", unknown[i]);
        FORMULA(f, root);
        steep_formula_jet(f, x, NULL, TERMS - 1, c);
        ck_assert_msg(c[0] == 0 && !(fabsl(c[1]) < INFINITY), "%s: %Lg, %Lg", root, c[0], c[1]);
    }
}

START_TEST(nan_is_never_hidden)
{
    static const char *const text[] = {"relu(x)", "max(x,1)", "max(1,x)", "min(x,1)", "min(1,x)",
                                       "sign(x)", "abs(x)",   "x^2",      "x^-1",     "x*0"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        FORMULA(f, text[i]);
        const double x = NAN;
        const long double point = NAN;
        double y = 0;
        long double c[TERMS] = {0};
        steep_formula_values(f, 1, &x, &y);
        steep_formula_jet(f, &point, NULL, 2, c);
        ck_assert_msg(isnan(y) && isnan(steep_formula_reference(f, &point)) && isnan(c[0]), "%s", text[i]);
    }
}
