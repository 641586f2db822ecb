/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "spline/bracket.h"

#include <float.h>

#include "harness.h"
#include "spline/free_knots.h"
#include "spline/knots.h"

static steep_samples gauss_on(const steep_target *target, size_t cells, size_t points)
{
    double *knot = malloc((cells + 1) * sizeof *knot);
    steep_samples samples;
    steep_knots_uniform(-1, 1, cells, knot);
    ck_assert_int_eq(steep_samples_gauss(target, cells, knot, points, &samples, NULL), STEEP_OK);
    free(knot);
    return samples;
}

/* cosine_well with ten breakpoints: MLP [5.20e-3, 5.55e-3], GLU [3.43e-4, 3.68e-4] on 400 cells (docs/theory.md). */
START_TEST(known_brackets)
{
    const double known[2][2] = {{5.20e-3, 5.55e-3}, {3.43e-4, 3.68e-4}};
    steep_target *target;
    ck_assert_int_eq(steep_target_open("cosine_well", &target, NULL), STEEP_OK);
    steep_samples samples = gauss_on(target, 400, 8);
    for (size_t degree = 1; degree <= 2; degree++) {
        double lower[51], upper[51];
        ck_assert_int_eq(steep_bracket(&samples, &(steep_bracket_size){degree, 400, 50}, lower, upper, NULL), STEEP_OK);
        check_close(lower[10], known[degree - 1][0], 0.002 * known[degree - 1][0]);
        check_close(upper[10], known[degree - 1][1], 0.002 * known[degree - 1][1]);
        for (int n = 0; n <= 50; n++) {
            ck_assert(lower[n] <= upper[n]);
            ck_assert(n == 0 || (lower[n] <= lower[n - 1] && upper[n] <= upper[n - 1]));
        }
    }
    steep_samples_free(&samples);
    steep_target_free(target);
}
END_TEST

/* With as many intervals as samples and one breakpoint, upper is the best of all splits: try each one by hand. */
START_TEST(one_breakpoint_by_exhaustion)
{
    steep_target *target;
    steep_samples s;
    double lower[2], upper[2], best = INFINITY;
    ck_assert_int_eq(steep_target_open("exp(x) + abs(x - 0.3)", &target, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_random(target, 60, 4, &s, NULL), STEEP_OK);
    ck_assert_int_eq(steep_bracket(&s, &(steep_bracket_size){1, 60, 1}, lower, upper, NULL), STEEP_OK);
    for (size_t cut = 0; cut < 60; cut++) {
        double square = 0;
        for (int part = 0; part < 2; part++) {
            size_t from = part ? cut : 0, to = part ? 60 : cut;
            double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
            for (size_t k = from; k < to; k++) {
                n++, x += s.x[k], y += s.y[k], xx += s.x[k] * s.x[k], xy += s.x[k] * s.y[k], yy += s.y[k] * s.y[k];
            }
            if (n < 3) continue;
            double sxx = xx - x * x / n, sxy = xy - x * y / n, syy = yy - y * y / n;
            square += syy - sxy * sxy / sxx;
        }
        best = fmin(best, sqrt(square / 60));
    }
    check_close(upper[1], best, 1e-6 * best); /* sums of squares by hand cancel */
    ck_assert(lower[1] <= upper[1]);
    steep_samples_free(&s);
    steep_target_free(target);
}
END_TEST

START_TEST(no_trained_spline_is_below)
{
    static const size_t classes[][2] = {{1, 1}, {2, 1}, {3, 2}};
    steep_target *target;
    ck_assert_int_eq(steep_target_open("chirp", &target, NULL), STEEP_OK);
    steep_samples samples = gauss_on(target, 300, 6);
    for (size_t c = 0; c < 3; c++) {
        double lower[31], upper[31];
        ck_assert_int_eq(steep_bracket(&samples, &(steep_bracket_size){classes[c][0], 300, 30}, lower, upper, NULL),
                         STEEP_OK);
        for (size_t cells = 3; cells <= 30; cells += 9) {
            double knot[31];
            steep_spline spline;
            steep_free_knots_result result;
            ck_assert_int_eq(steep_knots_equidistributed(target, classes[c][0] + 1, cells, knot, NULL), STEEP_OK);
            ck_assert_int_ge(steep_spline_free_knots(
                                 &(steep_free_knots_problem){&samples, NULL, classes[c][0], classes[c][1], cells}, knot,
                                 NULL, &spline, &result, NULL),
                             0);
            ck_assert_msg(result.rmse >= lower[cells - 1], "degree %zu, %zu cells: %g < %g", classes[c][0], cells,
                          result.rmse, lower[cells - 1]);
            steep_spline_free(&spline);
        }
    }
    steep_samples_free(&samples);
    steep_target_free(target);
}
END_TEST

START_TEST(a_piecewise_polynomial_costs_nothing_from_its_own_breakpoints_on)
{
    steep_target *target;
    steep_samples samples;
    double lower[4], upper[4];
    ck_assert_int_eq(steep_target_open("abs(x + 0.5) + 2*abs(x - 0.25)", &target, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_grid(target, 400, &samples, NULL), STEEP_OK);
    ck_assert_int_eq(steep_bracket(&samples, &(steep_bracket_size){1, 400, 3}, lower, upper, NULL), STEEP_OK);
    ck_assert(lower[1] > 0.01);
    check_close(lower[2], 0, 100 * DBL_EPSILON * 3);
    check_close(upper[2], 0, 100 * DBL_EPSILON * 3); /* breakpoints fall between samples */
    ck_assert_int_eq(steep_bracket(&samples, &(steep_bracket_size){9, 400, 3}, lower, upper, NULL), STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_bracket(&samples, &(steep_bracket_size){1, 1, 3}, lower, upper, NULL), STEEP_BAD_INPUT);
    steep_samples_free(&samples);
    steep_target_free(target);
}
END_TEST

STEEP_TEST_MAIN("bracket", known_brackets, one_breakpoint_by_exhaustion, no_trained_spline_is_below,
                a_piecewise_polynomial_costs_nothing_from_its_own_breakpoints_on)
