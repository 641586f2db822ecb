/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "steep/spline.h"

#include <float.h>

#include "chance.h"
#include "opened.h"

START_TEST(uniform_knots_are_equal_and_hit_the_ends)
{
    double knot[8];
    steep_knots_uniform(-1, 2.5, 7, knot);
    ck_assert(knot[0] == -1 && knot[7] == 2.5);
    for (int i = 0; i <= 7; i++) check_close(knot[i], -1 + 0.5 * i, 4 * DBL_EPSILON);
}

/* Equidistributed cells have equal shares of the integral of |f^(p)|^{1/(p+1/2)}, summed here for f = cos 4x, whose
 * derivatives are known. */
START_TEST(cells_carry_equal_shares)
{
    SCOPED(release_target) steep_target *target = target_of("cos4");
    for (size_t order = 2; order <= 4; order++) {
        enum { CELLS = 23, FINE = 4000 };
        double knot[CELLS + 1], share[CELLS], total = 0;
        ck_assert_int_eq(steep_knots_equidistributed(target, order, CELLS, knot, NULL), STEEP_OK);
        ck_assert(knot[0] == -1 && knot[CELLS] == 1);
        for (int i = 0; i < CELLS; i++) {
            ck_assert(knot[i] < knot[i + 1]);
            share[i] = 0;
            for (int k = 0; k < FINE; k++) {
                double x = knot[i] + (knot[i + 1] - knot[i]) * (k + 0.5) / FINE;
                double size = fabs(order % 2 ? sin(4 * x) : cos(4 * x)) * pow(4, (double)order);
                share[i] += (knot[i + 1] - knot[i]) / FINE * pow(size, 1 / ((double)order + 0.5));
            }
            total += share[i];
        }
        for (int i = 0; i < CELLS; i++) check_close(share[i], total / CELLS, 0.01 * total / CELLS); /* 4464 intervals */
    }
}

START_TEST(a_target_without_that_derivative_gets_equal_cells)
{
    double knot[5];
    SCOPED(release_target) steep_target *target = target_of("1 + 2*x");
    ck_assert_int_eq(steep_knots_equidistributed(target, 2, 4, knot, NULL), STEEP_OK);
    for (int i = 0; i <= 4; i++) check_close(knot[i], -1 + 0.5 * i, 64 * DBL_EPSILON);
}

START_TEST(bad_input_is_refused)
{
    static const struct {
        const char *target;
        size_t order, cells;
        const char *says;
    } bad[] = {{"x*y", 2, 4, "1D"}, {"x", 9, 4, "order"}, {"x", 2, 0, "cells"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        steep_error error;
        double knot[5];
        SCOPED(release_target) steep_target *target = target_of(bad[i].target);
        check_says(steep_knots_equidistributed(target, bad[i].order, bad[i].cells, knot, &error), STEEP_BAD_INPUT,
                   bad[i].says);
    }
}

/* For (x + 1)^a, a < p, the integral of the density is (x + 1)^{1/g}, g = (p + 1/2)/(a + 1/2), so x_i + 1 = 2 (i/n)^g,
 * and the first cell shrinks like n^-g (theory.md). g is at most 4, so that the first cell stays above rounding. The
 * integral is linear in pieces that carry an eighth of a cell, which moves the first knots by up to a fifth. */
START_RANDOM_TEST(knots_gather_at_a_singular_end, 1)
{
    for (size_t k = chance_cases(8); k > 0; k--) {
        const size_t p = 2 + chance_below(&random, 3);
        const double most = (double)p - 0.3, least = ((double)p + 0.5) / 4 - 0.5,
                     a = k == 1 ? fmax(least, 0.5) : chance_within(&random, fmax(least, 0.1), most),
                     g = ((double)p + 0.5) / (a + 0.5);
        double knot[513], first[2];
        char formula[32];
        snprintf(formula, sizeof formula, "(x+1)^%.6f", a);
        SCOPED(release_target) steep_target *target = target_of(formula);
        for (size_t many = 0; many < 2; many++) {
            const size_t cells = many ? 512 : 32;
            ck_assert_int_eq(steep_knots_equidistributed(target, p, cells, knot, NULL), STEEP_OK);
            for (size_t i = 1; i < cells; i++) {
                const double truth = 2 * pow((double)i / (double)cells, g), error = fabs(knot[i] + 1 - truth) / truth;
                ck_assert(knot[i] > knot[i - 1]);
                ck_assert_msg(error <= 0.02 + (i > 1 ? 0.8 / (double)i : 1), "%s, p = %zu, knot %zu at -1 + %g, not %g",
                              formula, p, i, knot[i] + 1, truth);
            }
            first[many] = knot[1] + 1;
        }
        check_close(log(first[0] / first[1]) / log(16), g, log(1.2) / log(16));
    }
}
