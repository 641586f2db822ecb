/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spline_least_squares: thin cells, bad input. (test_frozen: against dense rows; test_degenerate: little data.) */
#include "chance.h"
#include "opened.h"
#include "splines.h"

/* With five random samples a cell, some cells have none or one. Held jumps keep the spline near the target; without
 * holds it missed by 1e5 times the training error and more. */
START_TEST(random_samples_leave_no_cell_astray)
{
    enum { N = 10000, CELLS = 2000 };
    static const size_t thin[][2] = {{1, 1}, {2, 1}, {3, 2}};
    SCOPED(release_target) steep_target *target = target_of("cos4");
    SCOPED(steep_samples_free) steep_samples s = random_of(target, N, chance_number("SEED", 1));
    double knot[CELLS + 1];
    steep_knots_uniform(-1, 1, CELLS, knot);
    for (size_t c = 0; c < 3; c++) {
        double sum = 0;
        SCOPED(steep_spline_free) steep_spline spline = spline_of(&s, thin[c][0], thin[c][1], CELLS, knot);
        double fit = spline_rmse(&spline, &s);
        for (size_t k = 0; k < 5 * N; k++) {
            double x = -1 + 2 * ((double)k + 0.5) / (5 * N);
            sum += pow((double)(steep_spline_value(&spline, x)) - cos(4 * x), 2) / (5 * N);
        }
        ck_assert_msg(sqrt(sum) < 20 * fit, "degree %zu: test %g, train %g", thin[c][0], sqrt(sum), fit);
    }
}

START_TEST(bad_input_is_refused)
{
    SCOPED(release_target) steep_target *target = target_of("cos4");
    SCOPED(steep_samples_free) steep_samples s = grid_of(target, 30);
    const steep_samples none = {.count = 0, .dim = 1};
    const double good[] = {-1, 0, 1}, equal[] = {-1, 1, 1}, nan[] = {-1, NAN, 1};
    const struct {
        const steep_samples *samples;
        steep_spline_space space;
        const char *says;
    } bad[] = {{&none, {3, 2, 2, good}, "no samples"},
               {&s, {3, 0, 2, good}, "continuity"},
               {&s, {3, 4, 2, good}, "continuity"},
               {&s, {2, 1, 2, equal}, "ascending"},
               {&s, {2, 1, 2, nan}, "ascending"},
               {&s, {0, 0, 2, good}, "degree"},
               {&s, {STEEP_SPLINE_MAX_DEGREE + 1, 1, 2, good}, "degree"},
               {&s, {2, 1, 0, good}, "cells"}};
    steep_spline spline;
    steep_error error;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_says(steep_spline_least_squares(bad[i].samples, &bad[i].space, &spline, &error), STEEP_BAD_INPUT,
                   bad[i].says);
    const steep_spline_space space = {3, 2, 2, good};
    s.y[17] = NAN;
    check_says(steep_spline_least_squares(&s, &space, &spline, &error), STEEP_NOT_FINITE, "sample 17");
    s.y[17] = 0, s.x[17] = -1;
    check_says(steep_spline_least_squares(&s, &space, &spline, &error), STEEP_BAD_INPUT, "sample 17 is left");
}
