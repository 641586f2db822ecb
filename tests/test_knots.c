/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "steep/spline.h"

#include <float.h>

#include "chance.h"
#include "harness.h"
#include "opened.h"

START_TEST(uniform_knots_are_equal_and_hit_the_ends)
{
    double knot[8];
    steep_knots_uniform(-1, 2.5, 7, knot);
    ck_assert(knot[0] == -1 && knot[7] == 2.5);
    for (int i = 0; i <= 7; i++) check_close(knot[i], -1 + 0.5 * i, 4 * DBL_EPSILON);
}
END_TEST

/* Each cell's share of the integral of |f^(p)|^{1/(p+1/2)}, by a route of its own: f = cos 4x, whose derivatives are
 * known. */
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
END_TEST

START_TEST(a_target_without_that_derivative_gets_equal_cells)
{
    double knot[5];
    SCOPED(release_target) steep_target *target = target_of("1 + 2*x");
    ck_assert_int_eq(steep_knots_equidistributed(target, 2, 4, knot, NULL), STEEP_OK);
    for (int i = 0; i <= 4; i++) check_close(knot[i], -1 + 0.5 * i, 64 * DBL_EPSILON);
}
END_TEST

START_TEST(bad_input_is_refused)
{
    steep_error error;
    double knot[5];
    SCOPED(release_target) steep_target *plane = target_of("x*y");
    SCOPED(release_target) steep_target *line = target_of("x");
    ck_assert_int_eq(steep_knots_equidistributed(plane, 2, 4, knot, &error), STEEP_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "1D"));
    ck_assert_int_eq(steep_knots_equidistributed(line, 9, 4, knot, &error), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_knots_equidistributed(line, 2, 0, knot, &error), STEEP_BAD_INPUT);
}
END_TEST

/* sqrt(x + 1), p = 3: the density is (x + 1)^{-5/7}, its integral (x + 1)^{2/7}, so x_i + 1 = 2 (i/m)^{7/2}: 6.6e-10
 * for the first of 512, far below any even grid. Pieces carry an eighth of a cell and the integral is linear in each,
 * which the first knots feel. */
START_TEST(knots_gather_at_a_singular_end)
{
    enum { CELLS = 512 };
    double knot[CELLS + 1];
    SCOPED(release_target) steep_target *target = target_of("sqrt(x+1)");
    ck_assert_int_eq(steep_knots_equidistributed(target, 3, CELLS, knot, NULL), STEEP_OK);
    for (int i = 1; i <= CELLS; i++) {
        double truth = 2 * pow((double)i / CELLS, 3.5);
        ck_assert(knot[i] > knot[i - 1]);
        if (i < CELLS)
            ck_assert_msg(fabs(knot[i] + 1 - truth) <= (0.02 + 0.8 / i) * truth, "knot %d at -1 + %g, not %g", i,
                          knot[i] + 1, truth);
    }
}
END_TEST

static double smallest(size_t cells, const double *knot)
{
    double least = INFINITY;
    for (size_t i = 0; i < cells; i++) least = fmin(least, knot[i + 1] - knot[i]);
    return least;
}

/* On (x + 1)^a, a < p, the smallest cell shrinks like n^-e, e = (p + 1/2)/(a + 1/2) (theory.md): e at most 4, so
 * that 512 cells stay above what rounding allows. Where the first knot falls between the points of the integral moves
 * it by less than a fifth: log(1.2)/log(16) of the exponent. */
START_TEST(the_smallest_cell_shrinks_by_its_exponent)
{
    steep_random random = chance_start(1);
    for (size_t k = chance_cases(12); k > 0; k--) {
        size_t p = 2 + chance_below(&random, 3);
        double most = (double)p - 0.3, least = ((double)p + 0.5) / 4 - 0.5, knot[513];
        double a = chance_within(&random, fmax(least, 0.1), most), e = ((double)p + 0.5) / (a + 0.5);
        char formula[32];
        snprintf(formula, sizeof formula, "(x+1)^%.6f", a);
        SCOPED(release_target) steep_target *target = target_of(formula);
        ck_assert_int_eq(steep_knots_equidistributed(target, p, 32, knot, NULL), STEEP_OK);
        double wide = smallest(32, knot);
        ck_assert_int_eq(steep_knots_equidistributed(target, p, 512, knot, NULL), STEEP_OK);
        double order = log(wide / smallest(512, knot)) / log(16);
        ck_assert_msg(fabs(order - e) <= log(1.2) / log(16), "%s, p = %zu: n^-%g, not n^-%g", formula, p, order, e);
    }
}
END_TEST

STEEP_TEST_MAIN("knots", uniform_knots_are_equal_and_hit_the_ends, cells_carry_equal_shares,
                a_target_without_that_derivative_gets_equal_cells, bad_input_is_refused, knots_gather_at_a_singular_end,
                the_smallest_cell_shrinks_by_its_exponent)
