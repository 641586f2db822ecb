/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "spline/free_knots.h"

#include <float.h>

#include "base/random.h"
#include "harness.h"
#include "spline/knots.h"
#include "spline/least_squares.h"

static const size_t classes[][2] = {{1, 1}, {2, 1}, {3, 2}, {3, 1}};
enum { CLASSES = sizeof classes / sizeof *classes };

/* Half the continuous mean square of the best spline on these knots. */
static double half_square(const steep_target *target, size_t c, size_t cells, const double *knot)
{
    steep_samples samples;
    steep_spline spline;
    ck_assert_int_eq(steep_samples_gauss(target, cells, knot, 12, &samples, NULL), STEEP_OK);
    ck_assert_int_eq(steep_spline_least_squares(&samples, classes[c][0], classes[c][1], cells, knot, &spline, NULL),
                     STEEP_OK);
    long double sum = 0;
    for (size_t k = 0; k < samples.count; k++) {
        long double e = steep_spline_value(&spline, samples.x[k]) - samples.y[k];
        sum += samples.weight[k] * e * e;
    }
    steep_spline_free(&spline);
    steep_samples_free(&samples);
    return (double)sum / 2;
}

START_TEST(gradient_is_that_of_the_projected_error)
{
    enum { CELLS = 7 };
    double knot[CELLS + 1] = {-1, -0.8, -0.45, -0.2, 0.15, 0.3, 0.75, 1};
    steep_target *target;
    ck_assert_int_eq(steep_target_open("chirp", &target, NULL), STEEP_OK);
    for (size_t c = 0; c < CLASSES; c++) {
        double worst = 0, at[CELLS + 1], F = half_square(target, c, CELLS, knot), step = 1e-4;
        memcpy(at, knot, sizeof at);
        for (size_t i = 1; i < CELLS; i++) { /* fourth-order central differences */
            double f[4], h = fmin(knot[i] - knot[i - 1], knot[i + 1] - knot[i]);
            const double offset[] = {-2, -1, 1, 2};
            for (int k = 0; k < 4; k++) {
                at[i] = knot[i] + offset[k] * step;
                f[k] = half_square(target, c, CELLS, at);
            }
            at[i] = knot[i];
            worst = fmax(worst, fabs((f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * step)) * h / (2 * F));
        }
        steep_free_knots_options options = steep_free_knots_options_default();
        steep_free_knots_result result;
        steep_spline spline;
        options.max_iterations = 0;
        options.gauss_points = 12;
        ck_assert_int_eq(steep_spline_free_knots(NULL, target, classes[c][0], classes[c][1], CELLS, at, &options,
                                                 &spline, &result, NULL),
                         STEEP_MAX_ITERATIONS);
        check_close(result.gradient, worst, 1e-6 * worst); /* step^4 f^(5) against rounding / step */
        check_close(result.rmse, sqrt(2 * F), 1e-9 * sqrt(F));
        steep_spline_free(&spline);
    }
    steep_target_free(target);
}
END_TEST

/* Newton's method: once near, the gradient's exponent doubles from step to step. */
static bool note_gradient(void *context, const steep_progress *progress)
{
    double *history = context;
    ck_assert(progress->seconds > 0);
    if (progress->iteration < 64) history[progress->iteration] = progress->gradient_norm;
    return true;
}

START_TEST(convergence_is_quadratic)
{
    steep_target *target;
    ck_assert_int_eq(steep_target_open("exp(-x)*cos(3*x)", &target, NULL), STEEP_OK);
    for (size_t c = 0; c < 3; c++) {
        double knot[9], history[64] = {0};
        steep_free_knots_options options = steep_free_knots_options_default();
        steep_free_knots_result result;
        steep_spline spline;
        steep_knots_equidistributed(target, classes[c][0] + 1, 8, knot, NULL);
        options.monitor = (steep_monitor){note_gradient, history};
        ck_assert_int_eq(steep_spline_free_knots(NULL, target, classes[c][0], classes[c][1], 8, knot, &options, &spline,
                                                 &result, NULL), STEEP_CONVERGED);
        ck_assert(result.gradient <= options.tolerance);
        ck_assert_uint_le(result.iterations, 30); /* docs/theory.md: 5 to 15, up to 30 */
        history[result.iterations] = result.gradient;
        double last = history[result.iterations], before = history[result.iterations - 1];
        ck_assert_msg(last < 1e-10 || last < pow(before, 1.5), "class %zu: %g after %g", c, last, before);
        steep_spline_free(&spline);
    }
    steep_target_free(target);
}
END_TEST

START_TEST(prototype_minima_are_reached)
{
    const struct { const char *target; size_t cells; double rmse[3]; } known[] = {
        {"cosine_well", 16, {2.77e-3, 2.39e-4, 4.20e-5}}, {"runge3", 32, {3.77e-4, 1.67e-5, 9.68e-7}}};
    for (size_t k = 0; k < 2; k++) {
        steep_target *target;
        ck_assert_int_eq(steep_target_open(known[k].target, &target, NULL), STEEP_OK);
        for (size_t c = 0; c < 3; c++) {
            double knot[33], best = INFINITY;
            for (uint64_t restart = 0; restart < 20; restart++) {
                steep_random random = steep_random_start(restart, STEEP_STREAM_JITTER);
                double even[33];
                steep_free_knots_result result;
                steep_spline spline;
                steep_knots_equidistributed(target, classes[c][0] + 1, known[k].cells, even, NULL);
                memcpy(knot, even, sizeof knot);
                for (size_t i = 1; restart > 0 && i < known[k].cells; i++)
                    knot[i] += 0.45 * (steep_random_uniform(&random) - 0.5) *
                               fmin(even[i] - even[i - 1], even[i + 1] - even[i]);
                ck_assert_int_ge(steep_spline_free_knots(NULL, target, classes[c][0], classes[c][1], known[k].cells,
                                                         knot, NULL, &spline, &result, NULL),
                                 0);
                best = fmin(best, result.rmse);
                steep_spline_free(&spline);
            }
            ck_assert_msg(best <= 1.03 * known[k].rmse[c], "%s, class %zu: %g", known[k].target, c, best);
        }
        steep_target_free(target);
    }
}
END_TEST

START_TEST(samples_stand_in_for_the_integral)
{
    steep_target *target;
    steep_samples samples;
    ck_assert_int_eq(steep_target_open("cosine_well", &target, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_grid(target, 20000, &samples, NULL), STEEP_OK);
    for (size_t c = 0; c < 3; c++) {
        double knot[17], again[17];
        steep_free_knots_result sum, integral;
        steep_spline a, b;
        steep_knots_equidistributed(target, classes[c][0] + 1, 16, knot, NULL);
        memcpy(again, knot, sizeof again);
        ck_assert_int_ge(
            steep_spline_free_knots(&samples, NULL, classes[c][0], classes[c][1], 16, knot, NULL, &a, &sum, NULL), 0);
        ck_assert_int_ge(
            steep_spline_free_knots(NULL, target, classes[c][0], classes[c][1], 16, again, NULL, &b, &integral, NULL),
            0);
        check_close(sum.rmse, integral.rmse, 0.01 * integral.rmse); /* ends of the grid weigh 1/20000 too much */
        steep_spline_free(&a);
        steep_spline_free(&b);
    }
    steep_samples_free(&samples);
    steep_target_free(target);
}
END_TEST

static bool stop_at_two(void *context, const steep_progress *progress)
{
    (void)context;
    return progress->iteration < 2;
}

START_TEST(it_stops_when_told_and_refuses_what_it_cannot_do)
{
    steep_target *target;
    steep_free_knots_options options = steep_free_knots_options_default();
    steep_free_knots_result result;
    steep_spline spline;
    steep_error error;
    double knot[9];
    ck_assert_int_eq(steep_target_open("chirp", &target, NULL), STEEP_OK);
    steep_knots_uniform(-1, 1, 8, knot);
    options.monitor.proceed = stop_at_two;
    ck_assert_int_eq(steep_spline_free_knots(NULL, target, 2, 1, 8, knot, &options, &spline, &result, &error),
                     STEEP_STOPPED);
    ck_assert_uint_eq(result.iterations, 2);
    steep_spline_free(&spline);
    ck_assert_int_eq(steep_spline_free_knots(NULL, target, 3, 3, 8, knot, NULL, &spline, &result, &error),
                     STEEP_BAD_INPUT);
    ck_assert_int_eq(steep_spline_free_knots(NULL, NULL, 2, 1, 8, knot, NULL, &spline, &result, &error),
                     STEEP_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "no samples"));
    steep_target_free(target);
}
END_TEST

STEEP_TEST_MAIN("free_knots", gradient_is_that_of_the_projected_error, convergence_is_quadratic,
                prototype_minima_are_reached, samples_stand_in_for_the_integral,
                it_stops_when_told_and_refuses_what_it_cannot_do)
