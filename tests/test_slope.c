/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slope: exact laws to rounding, the window against floor, offset, knee and noise, and how often the interval is
 * right. */
#include "slope/slope.h"

#include <float.h>
#include <stdbool.h>
#include <string.h>

#include "chance.h"
#include "harness.h"

enum { WIDTHS = 17 };

/* 2, 3, 4, 6, 8, 11, 16, ..., 512: as the rule was tuned on. */
static void half_octaves(double *size)
{
    for (int i = 0; i < WIDTHS; i++) size[i] = round(pow(2, 1 + i / 2.0));
}

/* Rounding of a slope from n points with |v| up to v: eps * |v| / spread of u, c = 8. */
static double rounding(double v, double span)
{
    return 8 * DBL_EPSILON * v / span;
}

START_TEST(exact_laws)
{
    double size[WIDTHS], error[WIDTHS];
    half_octaves(size);
    for (int order = 1; order <= 5; order++) {
        for (int i = 0; i < WIDTHS; i++) error[i] = 3 * pow(size[i], -order);
        for (int method = 0; steep_slope_method_names((size_t)method); method++) {
            steep_slope s;
            ck_assert_int_eq(
                steep_slope_measure(method, &(steep_slope_points){WIDTHS, size, error, NULL}, NULL, &s, NULL),
                STEEP_OK);
            bool pair = method == STEEP_SLOPE_LAST_PAIR;
            double tolerance = rounding(fabs(log(error[WIDTHS - 1])), log(pair ? 512.0 / 362 : 256));
            check_close(s.slope, -order, tolerance);
            check_close(exp(s.intercept), 3, 3 * tolerance * log(512) * 4);
            ck_assert_uint_eq(s.points, pair ? 2 : WIDTHS);
            check_close(s.first, pair ? 362 : 2, 0);
            check_close(s.last, 512, 0);
            ck_assert_uint_eq(s.dropped, 0);
            check_close(s.floor, 0, 0);
            if (pair) {
                ck_assert(isnan(s.low) && isnan(s.high) && isnan(s.drift));
            } else {
                check_close(s.drift, 0, 64 * tolerance);
                ck_assert(s.low <= s.slope && s.slope <= s.high);
                check_close(s.high - s.low, 0, 128 * tolerance);
            }
        }
    }
}
END_TEST

/* Second route: the interval of OLS by the textbook sums, t(.975, 8 degrees) = 2.306004135204166 from tables. */
START_TEST(naive_interval)
{
    steep_random random = chance_start(1);
    for (size_t again = chance_cases(1); again > 0; again--) {
        double size[10], error[10], u[10], v[10], su = 0, sv = 0, suu = 0, suv = 0, rr = 0;
        for (int i = 0; i < 10; i++) {
            size[i] = 3 + 2 * i;
            error[i] = pow(size[i], -2.5) * exp(0.1 * steep_random_normal(&random));
            u[i] = log(size[i]), v[i] = log(error[i]);
            su += u[i], sv += v[i], suu += u[i] * u[i], suv += u[i] * v[i];
        }
        double d = 10 * suu - su * su, b = (10 * suv - su * sv) / d, a = (sv - b * su) / 10;
        for (int i = 0; i < 10; i++) rr += (v[i] - a - b * u[i]) * (v[i] - a - b * u[i]);
        double half = 2.306004135204166 * sqrt(rr / 8 * 10 / d);
        steep_slope s;
        ck_assert_int_eq(
            steep_slope_measure(STEEP_SLOPE_ALL, &(steep_slope_points){10, size, error, NULL}, NULL, &s, NULL),
            STEEP_OK);
        double tolerance = 1e3 * DBL_EPSILON * suu / (d / 100);
        check_close(s.slope, b, tolerance);
        check_close(s.intercept, a, tolerance * 10);
        check_close(s.high - s.slope, half, tolerance);
        check_close(s.slope - s.low, half, tolerance);
    }
}
END_TEST

/* Second route for the window's own standard error: the jackknife by leaving points out, one fit each. */
START_TEST(window_interval_is_the_jackknife)
{
    steep_random random = chance_start(2);
    for (size_t again = chance_cases(1); again > 0; again--) {
        double size[9], error[9], left[9], mean = 0, sum = 0;
        for (int i = 0; i < 9; i++) {
            size[i] = 4 << i;
            /* An outlier at the end makes the jackknife the larger of the two; so small a one is no scatter. */
            error[i] = pow(size[i], -3) * exp(0.0005 * steep_random_normal(&random) + (i == 8 ? 0.002 : 0));
        }
        steep_slope all, window, s;
        steep_slope_options options = steep_slope_options_default();
        options.drift = options.drift_noisy = 10; /* every drift is allowed, */
        options.minimum_points = 9;               /* and the window is everything */
        ck_assert_int_eq(steep_slope_measure(STEEP_SLOPE_WINDOW, &(steep_slope_points){9, size, error, NULL}, &options,
                                             &window, NULL),
                         STEEP_OK);
        ck_assert_int_eq(
            steep_slope_measure(STEEP_SLOPE_ALL, &(steep_slope_points){9, size, error, NULL}, NULL, &all, NULL),
            STEEP_OK);
        for (int out = 0; out < 9; out++) {
            double some_size[8], some_error[8];
            for (int i = 0, k = 0; i < 9; i++)
                if (i != out) some_size[k] = size[i], some_error[k++] = error[i];
            ck_assert_int_eq(steep_slope_measure(STEEP_SLOPE_ALL, &(steep_slope_points){8, some_size, some_error, NULL},
                                                 NULL, &s, NULL),
                             0);
            left[out] = s.slope;
            mean += s.slope / 9;
        }
        for (int i = 0; i < 9; i++) sum += (left[i] - mean) * (left[i] - mean);
        double t = 2.364624251592785; /* t(.975, 7) */
        double expected = t * sqrt(8.0 / 9 * sum) + fabs(window.drift);
        ck_assert_msg(t * sqrt(8.0 / 9 * sum) > all.high - all.slope, "the jackknife should be the larger here");
        check_close(window.high - window.slope, expected, 1e4 * DBL_EPSILON);
        check_close(window.slope, all.slope, 0);
    }
}
END_TEST

/* A quadratic in log-log has its drift in closed form: v = -2 u - c u^2, local slope changes by -2 c span. */
START_TEST(drift_of_a_parabola)
{
    double size[WIDTHS], error[WIDTHS];
    half_octaves(size);
    for (int i = 0; i < WIDTHS; i++) {
        double u = log(size[i]);
        error[i] = exp(-2 * u - 0.01 * u * u);
    }
    steep_slope s;
    ck_assert_int_eq(
        steep_slope_measure(STEEP_SLOPE_ALL, &(steep_slope_points){WIDTHS, size, error, NULL}, NULL, &s, NULL),
        STEEP_OK);
    check_close(s.drift, -0.02 * log(256), 1e3 * DBL_EPSILON);
    ck_assert_int_eq(
        steep_slope_measure(STEEP_SLOPE_WINDOW, &(steep_slope_points){WIDTHS, size, error, NULL}, NULL, &s, NULL),
        STEEP_OK);
    /* Drifts below 0.04 are those of spans < exp(2) = 7.39, from 512/7.39 = 69.3 on: 91 and 128. No scatter: the
     * shorter interval. */
    check_close(s.first, 128, 0);
    for (int i = 0; i < WIDTHS; i++) error[i] *= i % 2 ? 1.02 : 0.98; /* scatter: the longer window */
    ck_assert_int_eq(
        steep_slope_measure(STEEP_SLOPE_WINDOW, &(steep_slope_points){WIDTHS, size, error, NULL}, NULL, &s, NULL),
        STEEP_OK);
    ck_assert(s.first < 128);
}
END_TEST

/* E = sqrt(T^2 + F^2), the floor told: points within 30 F go, the slope of T stays. */
START_TEST(floor_given)
{
    double size[WIDTHS], error[WIDTHS], floor[WIDTHS];
    half_octaves(size);
    for (int i = 0; i < WIDTHS; i++) {
        double truth = 0.1 * pow(size[i], -4);
        floor[i] = 1e-11 * (1 + 0.01 * size[i]);
        error[i] = hypot(truth, floor[i]);
    }
    size_t above = 0;
    for (int i = 0; i < WIDTHS; i++) above += error[i] >= 30 * floor[i];
    ck_assert_uint_lt(above, WIDTHS);
    steep_slope s;
    ck_assert_int_eq(
        steep_slope_measure(STEEP_SLOPE_WINDOW, &(steep_slope_points){WIDTHS, size, error, floor}, NULL, &s, NULL),
        STEEP_OK);
    ck_assert_uint_eq(s.points, above);
    ck_assert_uint_eq(s.dropped, WIDTHS - above);
    check_close(s.floor, floor[WIDTHS - 1], 0);
    check_close(s.slope, -4, 1.0 / 1800); /* log E moves by (F/T)^2 / 2 <= 1/1800 at the last point */
    ck_assert_int_eq(
        steep_slope_measure(STEEP_SLOPE_LAST_PAIR, &(steep_slope_points){WIDTHS, size, error, floor}, NULL, &s, NULL),
        STEEP_OK);
    check_close(s.slope, -4, 1.0 / 1800 / log(sqrt(2) * 0.99));
    ck_assert_int_eq(
        steep_slope_measure(STEEP_SLOPE_ALL, &(steep_slope_points){WIDTHS, size, error, floor}, NULL, &s, NULL),
        STEEP_OK);
    ck_assert_uint_eq(s.points, WIDTHS);
    ck_assert_msg(s.slope > -3.9, "the naive slope %g should be spoilt by the floor", s.slope);
}
END_TEST

START_TEST(floor_detected)
{
    double size[WIDTHS], error[WIDTHS];
    half_octaves(size);
    for (int order = 2; order <= 5; order++) {
        /* The law meets the floor between two sizes, at one, and with three points to go. */
        for (int meet = 160; meet <= 256; meet += 16) {
            double level = pow(meet, -order);
            for (int i = 0; i < WIDTHS; i++) error[i] = hypot(pow(size[i], -order), level);
            steep_slope s;
            steep_slope_measure(STEEP_SLOPE_WINDOW, &(steep_slope_points){WIDTHS, size, error, NULL}, NULL, &s, NULL);
            ck_assert_msg(s.floor > 0.9 * level && s.floor < 2 * level, "order %d from %d on: floor %g for %g", order,
                          meet, s.floor, level);
            check_close(s.slope, -order, 1.0 / 900);
        }
        /* The law alone, and one that goes on at a gentler slope, have no floor. */
        steep_slope s;
        for (int i = 0; i < WIDTHS; i++) error[i] = pow(size[i], -order);
        steep_slope_measure(STEEP_SLOPE_WINDOW, &(steep_slope_points){WIDTHS, size, error, NULL}, NULL, &s, NULL);
        check_close(s.floor, 0, 0);
        for (int i = 0; i < WIDTHS; i++) error[i] = pow(size[i], -order) + pow(32, 1.0 - order) / size[i];
        steep_slope_measure(STEEP_SLOPE_WINDOW, &(steep_slope_points){WIDTHS, size, error, NULL}, NULL, &s, NULL);
        check_close(s.floor, 0, 0);
    }
}
END_TEST

/* E = (size + 1)^-3: local slope -3 size/(size + 1). The window goes right, and its interval holds the order. */
START_TEST(offset_is_cut)
{
    double size[WIDTHS], error[WIDTHS];
    half_octaves(size);
    for (int i = 0; i < WIDTHS; i++) error[i] = pow(size[i] + 1, -3);
    steep_slope s, naive;
    ck_assert_int_eq(
        steep_slope_measure(STEEP_SLOPE_WINDOW, &(steep_slope_points){WIDTHS, size, error, NULL}, NULL, &s, NULL),
        STEEP_OK);
    ck_assert_int_eq(
        steep_slope_measure(STEEP_SLOPE_ALL, &(steep_slope_points){WIDTHS, size, error, NULL}, NULL, &naive, NULL),
        STEEP_OK);
    ck_assert_msg(s.first > 16 && s.last / s.first >= 4, "window from %g to %g", s.first, s.last);
    ck_assert_msg(s.low <= -3 && -3 <= s.high, "order -3 outside [%g, %g]", s.low, s.high);
    ck_assert_msg(naive.low > -3, "naive %g, low %g should miss the order", naive.slope, naive.low);
    ck_assert(fabs(s.drift) < 0.04);
    /* Too strong an offset for the sizes at hand is said to be so. */
    for (int i = 0; i < WIDTHS; i++) error[i] = pow(size[i] + 40, -3);
    ck_assert_int_eq(
        steep_slope_measure(STEEP_SLOPE_WINDOW, &(steep_slope_points){WIDTHS, size, error, NULL}, NULL, &s, NULL),
        STEEP_STALLED);
    ck_assert(fabs(s.drift) >= 0.04);
    ck_assert(s.last / s.first >= 4);
}
END_TEST

/* A bent curve without scatter whose first points hide the bend: over windows that hold them the quadratic term is
 * insignificant by its standard error, which stands for a scatter that there is none of. Still bending. */
START_TEST(wild_first_points_make_no_window)
{
    double size[WIDTHS], error[WIDTHS];
    half_octaves(size);
    for (int i = 0; i < WIDTHS - 2; i++) error[i] = pow(size[i], -2) * exp(-0.02 * log(size[i]) * log(size[i]));
    static const double wild[] = {0.3, -0.3, 0.15, -0.1};
    for (int i = 0; i < 4; i++) error[i] *= exp(wild[i]);
    steep_slope s;
    ck_assert_int_eq(
        steep_slope_measure(STEEP_SLOPE_WINDOW, &(steep_slope_points){WIDTHS - 2, size, error, NULL}, NULL, &s, NULL),
        STEEP_STALLED);
    check_close(s.first, 64, 0); /* the last that spans a factor 4: 64 to 256 */
}
END_TEST

START_TEST(order_and_duplicates_do_not_matter)
{
    steep_random random = chance_start(3);
    for (size_t again = chance_cases(1); again > 0; again--) {
        double size[WIDTHS], error[WIDTHS], mixed_size[3 * WIDTHS], mixed_error[3 * WIDTHS];
        half_octaves(size);
        for (int i = 0; i < WIDTHS; i++) {
            error[i] = pow(size[i], -2) * exp(0.05 * steep_random_normal(&random));
            int at = (7 * i + 3) % WIDTHS; /* 7 and 17 are coprime: a permutation */
            mixed_size[at] = mixed_size[at + WIDTHS] = mixed_size[at + 2 * WIDTHS] = size[i];
            mixed_error[at + WIDTHS * (i % 3)] = error[i];
            mixed_error[at + WIDTHS * ((i + 1) % 3)] = error[i] * 1.5;
            mixed_error[at + WIDTHS * ((i + 2) % 3)] = i % 2 ? NAN : error[i]; /* a failed fit, or a twin */
        }
        for (int method = 0; steep_slope_method_names((size_t)method); method++) {
            steep_slope a, b;
            steep_slope_measure(method, &(steep_slope_points){WIDTHS, size, error, NULL}, NULL, &a, NULL);
            steep_slope_measure(method, &(steep_slope_points){3 * WIDTHS, mixed_size, mixed_error, NULL}, NULL, &b,
                                NULL);
            check_close(a.slope, b.slope, 0);
            check_close(a.first, b.first, 0);
            ck_assert_uint_eq(a.points, b.points);
            if (method != STEEP_SLOPE_LAST_PAIR) check_close(a.low, b.low, 0);
        }
    }
}
END_TEST

START_TEST(unusable_points_are_left_out)
{
    double size[] = {NAN, 1, 2, -4, 4, 0, 8, INFINITY, 16, 32, 64, 128};
    double error[] = {1, 1, 0.25, 1, 1 / 16.0, 1, 1 / 64.0, 1, -1, 0, NAN, INFINITY};
    steep_slope s;
    ck_assert_int_eq(steep_slope_measure(STEEP_SLOPE_ALL, &(steep_slope_points){12, size, error, NULL}, NULL, &s, NULL),
                     STEEP_OK);
    ck_assert_uint_eq(s.points, 4); /* 1, 2, 4, 8 */
    check_close(s.slope, -2, rounding(log(64), log(8)));
    /* A floor that is no number is no floor. */
    double floor[] = {NAN, NAN, 0, 0, -1, 0, INFINITY, 0, 0, 0, 0, 0};
    ck_assert_int_eq(
        steep_slope_measure(STEEP_SLOPE_LAST_PAIR, &(steep_slope_points){12, size, error, floor}, NULL, &s, NULL),
        STEEP_OK);
    check_close(s.first, 4, 0);
    check_close(s.slope, -2, rounding(log(64), log(2)));
}
END_TEST

START_TEST(too_few_points)
{
    double size[] = {1, 2, 4, 8, 16}, error[] = {1, 0.5, 0.25, 0.125, 0.0625}, floor[] = {1, 1, 1, 1, 1};
    steep_slope s;
    ck_assert_int_eq(
        steep_slope_measure(STEEP_SLOPE_WINDOW, &(steep_slope_points){0, NULL, NULL, NULL}, NULL, &s, NULL),
        STEEP_FLOOR);
    ck_assert(isnan(s.slope) && isnan(s.low) && isnan(s.first) && s.points == 0);
    ck_assert_int_eq(steep_slope_measure(STEEP_SLOPE_ALL, &(steep_slope_points){1, size, error, NULL}, NULL, &s, NULL),
                     STEEP_FLOOR);
    ck_assert(isnan(s.slope) && s.points == 1);
    check_close(s.first, 1, 0);
    ck_assert_int_eq(
        steep_slope_measure(STEEP_SLOPE_LAST_PAIR, &(steep_slope_points){1, size, error, NULL}, NULL, &s, NULL),
        STEEP_FLOOR);
    ck_assert_int_eq(steep_slope_measure(STEEP_SLOPE_ALL, &(steep_slope_points){2, size, error, NULL}, NULL, &s, NULL),
                     STEEP_OK);
    check_close(s.slope, -1, rounding(1, log(2)));
    ck_assert(isnan(s.low) && isnan(s.drift));
    /* Four points are too few for a window, though enough for a line; so are five that span less than a factor 4. */
    ck_assert_int_eq(
        steep_slope_measure(STEEP_SLOPE_WINDOW, &(steep_slope_points){4, size, error, NULL}, NULL, &s, NULL),
        STEEP_FLOOR);
    check_close(s.slope, -1, rounding(log(8), log(8)));
    ck_assert_uint_eq(s.points, 4);
    double near[] = {16, 20, 25, 31, 39}, law[5];
    for (int i = 0; i < 5; i++) law[i] = 1 / near[i];
    ck_assert_int_eq(steep_slope_measure(STEEP_SLOPE_WINDOW, &(steep_slope_points){5, near, law, NULL}, NULL, &s, NULL),
                     STEEP_FLOOR);
    check_close(s.slope, -1, rounding(log(39), log(39.0 / 16)));
    /* Everything at the floor. */
    for (int method = 0; method < 2; method++) {
        ck_assert_int_eq(steep_slope_measure(method, &(steep_slope_points){5, size, error, floor}, NULL, &s, NULL),
                         STEEP_FLOOR);
        ck_assert(isnan(s.slope) && s.points == 0 && s.dropped == 5);
    }
    /* Sizes all equal are one point. */
    double same[] = {7, 7, 7, 7, 7};
    ck_assert_int_eq(steep_slope_measure(STEEP_SLOPE_ALL, &(steep_slope_points){5, same, error, NULL}, NULL, &s, NULL),
                     STEEP_FLOOR);
    ck_assert_uint_eq(s.points, 1);
}
END_TEST

START_TEST(a_grid_that_spans_exactly_four)
{
    /* log(4) and the difference of two logarithms differ in the last bit for some first sizes. */
    for (int first = 1; first < 200; first++) {
        double size[5], error[5], step[] = {1, 1.5, 2, 3, 4};
        for (int i = 0; i < 5; i++) size[i] = first * step[i], error[i] = pow(size[i], -2);
        steep_slope s;
        ck_assert_int_eq(
            steep_slope_measure(STEEP_SLOPE_WINDOW, &(steep_slope_points){5, size, error, NULL}, NULL, &s, NULL),
            STEEP_OK);
    }
}
END_TEST

START_TEST(bad_options)
{
    double size[] = {1, 2}, error[] = {1, 1};
    steep_slope_options bad[7];
    for (int i = 0; i < 7; i++) bad[i] = steep_slope_options_default();
    bad[0].floor_factor = NAN;
    bad[1].drift = -1;
    bad[2].drift_noisy = NAN;
    bad[3].minimum_points = 2;
    bad[4].minimum_span = 0.5;
    bad[5].level = 1;
    bad[6].level = NAN;
    for (int i = 0; i < 7; i++) {
        steep_slope s;
        steep_error message = {""};
        ck_assert_int_eq(
            steep_slope_measure(STEEP_SLOPE_WINDOW, &(steep_slope_points){2, size, error, NULL}, &bad[i], &s, &message),
            STEEP_BAD_INPUT);
        ck_assert_int_eq(s.status, STEEP_BAD_INPUT);
        ck_assert(isnan(s.slope) && strlen(message.text) > 10);
    }
    steep_slope s;
    ck_assert_int_eq(
        steep_slope_measure((steep_slope_method)3, &(steep_slope_points){2, size, error, NULL}, NULL, &s, NULL),
        STEEP_BAD_INPUT);
}
END_TEST

/* Simulated series with a known order: how often the 95 % interval holds it. */
typedef double curve(double size, double order);
static double pure(double size, double order)
{
    return pow(size, -order);
}
static double offset(double size, double order)
{
    return pow(size + 2, -order);
}
static double broken(double size, double order) /* slope -1 up to 12, then the order: a smooth knee */
{
    return pow(pow(size, 4) + pow(size, 4 * order) / pow(12, 4 * (order - 1)), -0.25);
}
static double with_floor(double size, double order)
{
    return hypot(pow(size, -order), pow(200, -order));
}

START_TEST(coverage)
{
    curve *const curves[] = {pure, offset, broken, with_floor};
    const char *const name[] = {"pure", "offset", "broken", "floor"};
    const double noises[] = {0.02, 0.1};
    double size[WIDTHS], error[WIDTHS], floor[WIDTHS];
    half_octaves(size);
    steep_random random = chance_start(4);
    for (int c = 0; c < 4; c++)
        for (int k = 0; k < 2; k++) {
            int held = 0, total = 0;
            for (int order = 2; order <= 4; order++)
                for (size_t trial = 0; trial < chance_cases(200); trial++) {
                    for (int i = 0; i < WIDTHS; i++) {
                        error[i] = curves[c](size[i], order) * exp(noises[k] * steep_random_normal(&random));
                        floor[i] = pow(200, -order);
                    }
                    steep_slope s;
                    steep_slope_measure(STEEP_SLOPE_WINDOW,
                                        &(steep_slope_points){WIDTHS, size, error, c == 3 ? floor : NULL}, NULL, &s,
                                        NULL);
                    ck_assert(s.low <= s.slope && s.slope <= s.high); /* the interval is widened to hold it */
                    held += s.low <= -order && -order <= s.high;
                    total++;
                }
            double share = (double)held / total;
            /* 95 % is aimed at; 600 draws have a standard error of 0.009. experiments/coverage has more. */
            ck_assert_msg(share >= 0.925 && share <= 0.995, "%s, noise %g: the interval held the order in %d of %d",
                          name[c], noises[k], held, total);
        }
}
END_TEST

STEEP_TEST_MAIN("slope", exact_laws, naive_interval, window_interval_is_the_jackknife, drift_of_a_parabola, floor_given,
                floor_detected, offset_is_cut, wild_first_points_make_no_window, order_and_duplicates_do_not_matter,
                unusable_points_are_left_out, too_few_points, a_grid_that_spans_exactly_four, bad_options, coverage)
