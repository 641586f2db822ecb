/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tape: gradient and Hessian of random formulas against Taylor jets in long double, which share the program and nothing
 * else; the same bits whatever the order of derivatives and the number of points. */
#include "formula/tape.h"

#include <float.h>

#include "chance.h"
#include "opened.h"
#include "formula_steps.h"

enum { M = 5, Q = M * (M + 1) / 2, MANY = 700 }; /* inputs, their pairs, points */

/* Formulas of arguments A and B, of moderate size for arguments of any size. */
static const char pieces[] =
    "(A+B)/2 (A-B)/2 A*B/(1+A^2+B^2) tanh(A)*B/(1+B^2) sin(A) cos(A)*0.5 exp(-A^2) log(1+A^2+B^2) sqrt(1+A^2)-1 "
    "atan(A) sigmoid(A) erf(A) J0(3*A) J1(A)+J0(B) erfc(A)*0.5 asin(0.9*sin(A)) acos(0.9*cos(A)/2) tan(sin(A)) "
    "sinh(sin(A)) cosh(cos(B))/2 -A log1p(exp(-A^2)) expm1(-A^2) cbrt(2+sin(A)) min(A,B) max(A,B/2) abs(A)/2 "
    "relu(A)/(1+abs(B)) softplus(sin(A)) gelu(A)/(1+A^2) (2+sin(A))^(cos(B)) (1+A^2)^(-2) (1+B^2)^0.3 A/(2+sin(B)) "
    "silu(sin(A)) mish(sin(B)) 2^sin(A) sign(A)*B^2/(1+B^2) leaky_relu(A)/2 A^3/(1+A^4) 0*A+B/2 1*A";

static void write_formula(FILE *out, steep_random *random, int depth)
{
    static const char *const inputs[] = {"z1", "z2", "e1", "s1", "a1", "0.7"};
    if (depth == 0) {
        fputs(inputs[chance_below(random, sizeof inputs / sizeof *inputs)], out);
        return;
    }
    const char *piece = pieces + chance_below(random, sizeof pieces);
    while (piece > pieces && piece[-1] != ' ') piece--; /* the longer, the likelier */
    fputc('(', out);
    for (; *piece && *piece != ' '; piece++) {
        if (*piece == 'A' || *piece == 'B') write_formula(out, random, (int)chance_below(random, (size_t)depth));
        else fputc(*piece, out);
    }
    fputc(')', out);
}

static steep_formula *formula_of(const char *text)
{
    steep_formula *f;
    steep_error error = {""};
    size_t counts[5];
    check_says(steep_formula_parse_unit(text, &f, counts, &error), STEEP_OK, "");
    return f;
}

/* A formula that has every input, so that they are numbered without gaps. */
static steep_formula *draw_formula(steep_random *random)
{
    SCOPED(release_memory) char *text = NULL;
    FILE *out = text_stream(&text);
    write_formula(out, random, 4);
    fputs("+0.1*z1*e1+0.2*z2*s1-0.3*a1", out);
    fclose(out);
    steep_formula *f = formula_of(text);
    ck_assert_uint_eq(steep_formula_dim(f), M);
    return f;
}

/* Value, gradient and Hessian at points; a single point is at place 0. */
typedef struct derived {
    double h[MANY], g[M][MANY], H[Q][MANY];
} derived;

/* Computes derivatives up to `order` at `count` points from `first` on; input i of point k: u[i][k]. */
static void derive(const steep_formula *f, size_t first, size_t count, double u[M][MANY], int order, derived *d)
{
    const double *in[M];
    double *g[M], *H[Q];
    for (size_t i = 0; i < M; i++) in[i] = u[i] + first, g[i] = d->g[i];
    for (size_t q = 0; q < Q; q++) H[q] = d->H[q];
    steep_formula_derivatives(f, &(steep_tile){count, in, order, d->h, g, H});
}

/* Along v the jet's first coefficients are g'v and v'Hv/2. Rounding model: eps times numbers of order 10 in a few dozen
 * operations, times derivatives that may be as large as those of the result. */
START_RANDOM_TEST(derivatives_are_those_of_the_jets, 1)
{
    static double u[M][MANY];
    static derived d;
    for (size_t trial = 0; trial < chance_cases(400); trial++) {
        SCOPED(release_formula) steep_formula *f = draw_formula(&random);
        double v[M], size = 1;
        for (size_t i = 0; i < M; i++) chance_fill(&random, -2, 2, 1, u[i]);
        derive(f, 0, 1, u, 2, &d);
        for (size_t i = 0; i < M; i++) size = fmax(size, fabs(d.g[i][0]));
        for (size_t q = 0; q < Q; q++) size = fmax(size, fabs(d.H[q][0]));
        for (size_t along = 0; along < 4; along++) {
            long double at[M], to[M], c[3], slope = 0, bend = 0;
            chance_fill(&random, -1, 1, M, v);
            for (size_t i = 0; i < M; i++) at[i] = u[i][0], to[i] = v[i];
            steep_formula_jet(f, at, to, 2, c);
            for (size_t i = 0, q = 0; i < M; i++) {
                slope += (long double)d.g[i][0] * v[i];
                for (size_t j = 0; j <= i; j++, q++) bend += (long double)d.H[q][0] * v[i] * v[j] * (i == j ? 0.5L : 1);
            }
            const long double apart[] = {d.h[0] - c[0], slope - c[1], bend - c[2]};
            for (int k = 0; k < 3; k++)
                ck_assert_msg(fabsl(apart[k]) <= 4096 * DBL_EPSILON * size * size, "%s, order %d: jet %.17Lg, less %Lg",
                              steep_formula_text(f), k, c[k], apart[k]);
        }
    }
}

START_RANDOM_TEST(orders_and_blocks_change_no_bit, 2)
{
    static double u[M][MANY];
    static derived d[3], one;
    for (size_t trial = 0; trial < chance_cases(20); trial++) {
        SCOPED(release_formula) steep_formula *f = draw_formula(&random);
        for (size_t i = 0; i < M; i++) chance_fill(&random, -2, 2, MANY, u[i]);
        for (int order = 0; order < 3; order++) derive(f, 0, MANY, u, order, &d[order]);
        ck_assert_mem_eq(d[0].h, d[1].h, sizeof d[0].h);
        ck_assert_mem_eq(d[0].h, d[2].h, sizeof d[0].h);
        ck_assert_mem_eq(d[1].g, d[2].g, sizeof d[1].g);
        for (size_t k = 0; k < MANY; k += 37) {
            derive(f, k, 1, u, 2, &one);
            bool same = !memcmp(&one.h[0], &d[2].h[k], sizeof(double));
            for (size_t i = 0; i < M; i++) same = same && !memcmp(&one.g[i][0], &d[2].g[i][k], sizeof(double));
            for (size_t q = 0; q < Q; q++) same = same && !memcmp(&one.H[q][0], &d[2].H[q][k], sizeof(double));
            ck_assert_msg(same, "%s, point %zu", steep_formula_text(f), k);
        }
    }
}

/* There are no steps for what is known beforehand: numbers of steps of the three orders, counted by hand. */
START_TEST(nothing_is_computed_twice_or_in_vain)
{
    static const struct {
        const char *text;
        size_t steps[3];
    } known[] = {{"z1", {0, 1, 2}},                 /* the column itself; a 1; a 1 and a 0 */
                 {"z1+z2", {1, 2, 3}},              /* the sum; a 1; a 0 */
                 {"z1*z2", {1, 1, 3}},              /* the product; gradients are the inputs; a 1 and a 0 */
                 {"exp(z1)", {1, 1, 1}},            /* its own derivatives */
                 {"exp(z1)*z2+exp(z1)", {3, 3, 4}}, /* exp, product, sum; h_1 and h_11 are h, h_2 and h_12 exp; a 0 */
                 {"sin(z1)+sin(z1)*sin(z1)", {3, 7, 14}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        SCOPED(release_formula) steep_formula *f = formula_of(known[i].text);
        for (int order = 0; order < 3; order++)
            ck_assert_msg(f->tape[order].steps == known[i].steps[order], "%s, order %d: %zu steps", known[i].text,
                          order, f->tape[order].steps);
    }
}

/* Steps that depend on the first inputs, or do not, counted by hand; together, the tape's without numbers. */
START_TEST(steps_of_a_unit_and_of_its_layer)
{
    static const struct {
        const char *text;
        size_t first, own, shared;
    } known[] = {{"z1", 1, 0, 0},
                 {"a1*relu(z1)", 1, 2, 0},
                 {"tanh(s1)*z1+tanh(s2)*sin(z1)", 1, 4, 2},                   /* sin, two products, a sum; two tanh */
                 {"(exp(s1)*z1+exp(s2)*sin(z1))/(exp(s1)+exp(s2))", 1, 5, 3}, /* exp once each, their sum */
                 {"z1*e1+s1", 1, 2, 0},
                 {"z1*e1+s1", 0, 0, 2}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t own, shared;
        SCOPED(release_formula) steep_formula *f = formula_of(known[i].text);
        ck_assert_int_eq(formula_steps(f, 0, known[i].first, &own, &shared), STEEP_OK);
        ck_assert_msg(own == known[i].own && shared == known[i].shared, "%s: %zu and %zu", known[i].text, own, shared);
        for (int order = 0; order < 3; order++) {
            size_t steps = 0;
            for (size_t s = 0; s < f->tape[order].steps; s++) steps += f->tape[order].step[s].op != STEEP_CODE_NUMBER;
            ck_assert_int_eq(formula_steps(f, order, known[i].first, &own, &shared), STEEP_OK);
            ck_assert_uint_eq(own + shared, steps);
        }
    }
}

START_TEST(a_factor_of_zero_hides_no_nan)
{
    SCOPED(release_formula) steep_formula *f = formula_of("0*z1");
    double bad[] = {NAN, INFINITY}, h[2];
    const double *in[1] = {bad};
    steep_formula_derivatives(f, &(steep_tile){2, in, 0, h, NULL, NULL});
    ck_assert(isnan(h[0]) && isnan(h[1]));
}

/* Roots and powers behind closed gates: all derivatives of the part that the gate closes are 0, as those of the
 * function are; derivatives of the rest stay; a NaN stays NaN. */
START_RANDOM_TEST(behind_a_closed_gate_nothing_moves, 9)
{
    static const char held[] =
        "sqrt(relu(z1)) relu(z1)^1.5 cbrt(relu(z1))*z2 relu(z1)^e1 sqrt(relu(z1)*z2^2) relu(z1)^(0.5+e1^2) "
        "exp(z2)*relu(z1^3)^0.25 sqrt(sqrt(relu(z1))) sqrt(relu(z1))*relu(z1)^e1 tanh(z2*sqrt(relu(z1))) "
        "(2*relu(z1))^(e1*z2)";
    char one[40];
    for (const char *at = held; sscanf(at, "%39s", one) == 1; at = strstr(at, one) + strlen(one)) {
        static const double bends[] = {0, 0, 2, 0, 1, 0};
        static double u[M][MANY];
        static derived d;
        char text[99];
        snprintf(text, sizeof text, "%s+z2*z2+e1*z2", one);
        SCOPED(release_formula) steep_formula *f = formula_of(text);
        ck_assert_uint_eq(steep_formula_dim(f), 3);
        for (size_t again = chance_cases(20); again > 0; again--) {
            const double y = u[1][0] = chance_within(&random, 0.1, 2), e = u[2][0] = chance_within(&random, 0.1, 3);
            u[0][0] = -chance_within(&random, 0.01, 3);
            derive(f, 0, 1, u, 2, &d);
            ck_assert_msg(d.h[0] == y * y + e * y && d.g[0][0] == 0 && d.g[1][0] == 2 * y + e && d.g[2][0] == y,
                          "%s: %g, %g %g %g", text, d.h[0], d.g[0][0], d.g[1][0], d.g[2][0]);
            for (int q = 0; q < 6; q++) ck_assert_msg(d.H[q][0] == bends[q], "%s, pair %d: %g", text, q, d.H[q][0]);
        }
        u[0][0] = NAN;
        derive(f, 0, 1, u, 2, &d);
        ck_assert_msg(isnan(d.h[0]) && isnan(d.g[0][0]) && isnan(d.H[0][0]), "%s at NaN", text);
    }
}
