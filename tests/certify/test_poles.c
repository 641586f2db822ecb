/* SPDX-License-Identifier: GPL-3.0-or-later */
/* poles: found where they are, with their order; not found where there are none. */
#include "certify/norms.h"

#include "chance.h"
#include "opened.h"

static steep_pole pole_of(const char *text, const char *domain, double *at)
{
    SCOPED(release_target) steep_target *target;
    steep_pole pole;
    steep_error error = {{0}};
    ck_assert_msg(steep_target_open_on(text, domain, &target, &error) == STEEP_OK, "%s", error.text);
    ck_assert_int_eq(steep_target_find_pole(target, &pole, at), STEEP_OK);
    ck_assert(!(pole.found && pole.nowhere));
    return pole;
}

START_RANDOM_TEST(random_poles, 1)
{
    for (size_t c = chance_cases(30); c-- > 0;) {
        char text[256];
        const double place = chance_within(&random, -0.99, 0.99), order = chance_within(&random, 0.2, 4.5);
        double at[2];
        snprintf(text, sizeof text, "cos(x)+%.17g*abs(x-(%.17g))^(-%.17g)", chance_within(&random, 1e-3, 10), place,
                 order);
        steep_pole pole = pole_of(text, NULL, at);
        ck_assert_msg(pole.found, "%s", text);
        check_close(at[0], place, 1e-13);
        check_close(pole.order, order, 0.02); /* of doubles' own places near it */
        /* In 2D: on a line, or at a point. */
        snprintf(text, sizeof text, "sin(y)+1/(x-(%.17g)+%.17g*y)", place / 2, chance_within(&random, -1, 1));
        ck_assert_msg(pole_of(text, NULL, at).found, "%s", text);
        snprintf(text, sizeof text, "1/((x-(%.17g))^2+(y-(%.17g))^2)", place, place / 3);
        pole = pole_of(text, NULL, at);
        ck_assert_msg(pole.found && fabs(at[0] - place) < 1e-6 && fabs(at[1] - place / 3) < 1e-6, "%s", text);
        /* On a line that ends where the box does, which some directions at its end run along. */
        snprintf(text, sizeof text, "1/(x%cy-(%.17g))", "+-"[c % 2], place);
        pole = pole_of(text, NULL, at);
        ck_assert_msg(pole.found, "%s", text);
        check_close(pole.order, 1, 0.02);
        /* A box beside the pole has none. */
        snprintf(text, sizeof text, "1/(x-(%.17g))", place);
        ck_assert(pole_of(text, place > 0 ? "-1:-0.1" : "0.1:1", at).nowhere);
    }
}

/* Formulas with one singular place in [-1, 1]: [0] bounded, or like a power of a logarithm; [1] poles. Capitals stand
 * for random parts: A is the place, D is x - A, R is the place of six digits, Q its square. */
static const char letters[] = "DABNPTRQ", *const singular[2][13] = {
                                              {"absD^P", "1/(D^2+T)*T", "1/(x^2-2*(R)*x+Q+T)*T", "1/(sin(B*D)-1-T)*T",
                                               "sinh(B*D)/D/exp(B)", "tanh(0.N/D)", "exp(-1/D^2)", "1/(1+exp(1/D))",
                                               "min(abs(1/D),B)", "log(absD)^N", "D*log(absD)", "atan(B/D)",
                                               "sin(1/D)"},
                                              {"absD^(-P-0.2)", "1/D^N", "1/tan(B*D)", "sin(9*D)*D^(-2)", "1/sinh(B*D)",
                                               "(x+B)/D^N", "exp(0.00N/D)", "1/(exp(x)-exp(A))", "max(1/D,B)",
                                               "log(absD)^N*absD^(-P-0.2)", "cos(D)/(absD*(x+B))", "1/(abs(x)-abs(A))",
                                               "sin(1/D)/D"}};

/* Writes a multiple of one of them plus something bounded. Returns the place. */
static double write_singular(steep_random *random, bool pole, char *text, size_t size)
{
    static const char *const bounded[] = {"cos(3*x)",    "tanh(50*x)",        "exp(2*x)",      "abs(x+0.2)^0.5",
                                          "sign(x+0.3)", "relu(x-0.25)",      "1/(1+100*x^2)", "x^5-x",
                                          "sin(400*x)",  "x*log(abs(x+1.5))", "atan(9*x)",     "log(x+1.0001)/10",
                                          "min(x,0.3)",  "1/(x-1.01)/99",     "erf(x)"};
    const double a = chance_within(random, -0.99, 0.99), near = round(a * 1e6) / 1e6;
    double number[] = {a, a, 0, 0, 0, 0, near, near * near};
    number[2] = chance_within(random, 4, 60);
    number[3] = 2 + (double)chance_below(random, 3);
    number[4] = chance_within(random, 0.01, 4);
    number[5] = pow(10, chance_within(random, -14, -2));
    static const char *const format[] = {"(x-(%.17g))", "%.17g", "%.17g", "%.0f", "%.17g", "%.17g", "%.6f", "%.12f"};
    const char *form = singular[pole][chance_below(random, 13)];
    size_t used = (size_t)snprintf(text, size, "%.17g*", exp(chance_within(random, -9, 9)));
    for (; *form; form++) {
        const char *letter = strchr(letters, *form);
        used += letter ? (size_t)snprintf(text + used, size - used, format[letter - letters], number[letter - letters])
                       : (size_t)snprintf(text + used, size - used, "%c", *form);
    }
    snprintf(text + used, size - used, "+%s", bounded[chance_below(random, sizeof bounded / sizeof *bounded)]);
    return a;
}

/* Nothing else is taken for a pole, and poles are found, except one in a hundred. */
START_RANDOM_TEST(half_have_a_pole, 2)
{
    size_t found = 0, missed = 0, none = 0, asked = chance_cases(100);
    while (found + missed < asked || none < asked) {
        char text[600];
        double at[1];
        const bool pole = found + missed < asked;
        const double place = write_singular(&random, pole, text, sizeof text);
        SCOPED(release_target) steep_target *target;
        if (steep_target_open(text, &target, NULL) != STEEP_OK) continue; /* it is infinite at a point that is tried */
        const steep_pole seen = pole_of(text, NULL, at);
        if (!pole) ck_assert_msg(!seen.found, "%s: order %g at %.17g, where %.17g", text, seen.order, at[0], place);
        if (pole) ck_assert_msg(!seen.nowhere, "%s", text);
        if (!pole) none++;
        else if (seen.found) found++;
        else {
            missed++;
            printf("missed: %s\n", text);
        }
    }
    printf("of %zu poles %zu were found; of %zu bounded formulas or logarithms none was taken for a pole\n",
           found + missed, found, none);
    ck_assert_uint_le(100 * missed, found + missed);
}

START_TEST(known_ones)
{
    double at[3];
    ck_assert(pole_of("1/(cos(9*x)+0.3*y*z)", NULL, at).found);
    /* An essential singularity, on one side; a pole far below other values. */
    ck_assert(pole_of("exp(1/(x-0.5275492))", NULL, at).order == INFINITY && fabs(at[0] - 0.5275492) < 1e-13);
    ck_assert(pole_of("1/(x-0.31234)+1e6*sin(1e4*x)", NULL, at).found);
    /* Not proved, not found: unbounded on every small box about 0.1. */
    const steep_pole unknown = pole_of("1/(x^2-0.2*x+0.01)", NULL, at);
    ck_assert(!unknown.found && !unknown.nowhere);
}

START_TEST(none)
{
    static const char *const bounded[] = {"1/(1+25*x^2)", "1/(x^2-2*x+2)", "x^3-y/(3+x)", "sqrt(abs(x-0.3))"};
    double at[8];
    for (size_t i = 0; i < sizeof bounded / sizeof *bounded; i++)
        ck_assert_msg(pole_of(bounded[i], NULL, at).nowhere, "%s", bounded[i]);
    /* Not proved, and not taken for a pole: removable. */
    ck_assert(!pole_of("sin(x-0.3)/(x-0.3)", NULL, at).found);
    steep_random random = chance_today(3); /* a quarter of the catalogue, another one each day */
    for (size_t i = chance_below(&random, 4); steep_target_catalogue(i); i += 4)
        ck_assert_msg(!pole_of(steep_target_catalogue(i)->name, NULL, (double[8]){0}).found, "%s",
                      steep_target_catalogue(i)->name);
}
