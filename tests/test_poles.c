/* SPDX-License-Identifier: GPL-3.0-or-later */
/* poles: found where they are, with their order; not found where there are none. */
#include "data/poles.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "chance.h"
#include "harness.h"

static steep_pole pole_of(const char *text, const char *domain, double *at)
{
    steep_target *target;
    steep_pole pole;
    steep_error error = {{0}};
    ck_assert_msg(steep_target_open_on(text, domain, &target, &error) == STEEP_OK, "%s", error.text);
    ck_assert_int_eq(steep_target_find_pole(target, &pole, at, NULL), STEEP_OK);
    steep_target_free(target);
    ck_assert(!(pole.found && pole.nowhere));
    return pole;
}

START_TEST(random_poles)
{
    steep_random random = chance_start(1);
    for (size_t c = chance_cases(60); c-- > 0;) {
        char text[256];
        const double place = chance_within(&random, -0.99, 0.99), order = chance_within(&random, 0.2, 3);
        double at[2];
        snprintf(text, sizeof text, "cos(x)+%.17g*abs(x-(%.17g))^(-%.17g)", chance_within(&random, 1e-3, 10), place,
                 order);
        steep_pole pole = pole_of(text, NULL, at);
        ck_assert_msg(pole.found, "%s", text);
        check_close(at[0], place, 1e-13);
        check_close(pole.order, order, 0.02); /* of doubles' own places near it */
        /* In the plane: on a line, or at a point. */
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
        /* Beside it there is none. */
        snprintf(text, sizeof text, "1/(x-(%.17g))", place);
        ck_assert(pole_of(text, place > 0 ? "-1:-0.1" : "0.1:1", at).nowhere);
    }
}
END_TEST

START_TEST(known_ones)
{
    double at[3];
    const steep_pole pole = pole_of("1/(x-0.1234567)", NULL, at);
    ck_assert(pole.found);
    check_close(at[0], 0.1234567, 1e-13);
    check_close(pole.order, 1, 1e-3);
    ck_assert(pole_of("tan(2*x)", NULL, at).found);
    check_close(fabs(at[0]), acos(0) / 2, 1e-13);
    ck_assert(pole_of("1/(cos(9*x)+0.3*y*z)", NULL, at).found);
}
END_TEST

START_TEST(none)
{
    static const char *const bounded[] = {"1/(1+25*x^2)", "1/(x^2-2*x+2)", "x^3-y/(3+x)", "sqrt(abs(x-0.3))"};
    double at[8];
    for (size_t i = 0; i < sizeof bounded / sizeof *bounded; i++)
        ck_assert_msg(pole_of(bounded[i], NULL, at).nowhere, "%s", bounded[i]);
    /* Not proved, and not taken for a pole: undefined at a point, removable, and of no power. */
    ck_assert(!pole_of("atan(1/(x-0.3))", NULL, at).found);
    ck_assert(!pole_of("sin(1/(x-0.3))", NULL, at).found);
    ck_assert(!pole_of("sin(x-0.3)/(x-0.3)", NULL, at).found);
    ck_assert(!pole_of("log(abs(x-0.3))", NULL, at).found);
    ck_assert(!pole_of("exp(-1/(x-0.3)^2)", NULL, at).found);
    for (size_t i = 0; steep_target_catalogue(i); i++)
        ck_assert_msg(!pole_of(steep_target_catalogue(i)->name, NULL, (double[8]){0}).found, "%s",
                      steep_target_catalogue(i)->name);
}
END_TEST

STEEP_TEST_MAIN("poles", random_poles, known_ones, none)
