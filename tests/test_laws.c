/* SPDX-License-Identifier: GPL-3.0-or-later */
/* broken_law: the interval of a straight line where nothing else fits, laws with a break that it knows, and what must
 * not matter. */
#include "slope/broken_law.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "chance.h"
#include "harness.h"

enum { SIZES = 17 };

static void half_octaves(double *u)
{
    for (int i = 0; i < SIZES; i++) u[i] = (2 + i) * log(2) / 2;
}

static steep_broken_law measure(size_t count, const double *u, const double *v)
{
    steep_broken_law law;
    ck_assert_int_eq(steep_broken_law_measure(&(steep_log_points){count, u, v, log(4)}, 0.95, 0, &law, NULL), STEEP_OK);
    return law;
}

START_TEST(too_few_points)
{
    double u[] = {0, 1, 2, 3}, v[] = {0, -1, -2, -3};
    steep_broken_law law = measure(4, u, v);
    ck_assert(isnan(law.low) && isnan(law.high) && isnan(law.scatter));
    double near[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5}, some[] = {0, -1, -2, -3, -4, -5}; /* less than a factor 4 */
    law = measure(6, near, some);
    ck_assert(isnan(law.low) && isnan(law.high) && isnan(law.scatter));
}
END_TEST

/* Second route: five points are too few for a break, and leaving one out leaves too few; what is left is Student's t
 * about the textbook's line, t(.975, 3) = 3.182446305284263 from tables. */
START_TEST(five_points_are_a_line)
{
    steep_random random = chance_start(1);
    for (size_t again = chance_cases(1); again > 0; again--) {
        double u[5], v[5], mean_u = 0, mean_v = 0, uu = 0, uv = 0, rr = 0;
        for (int i = 0; i < 5; i++) {
            u[i] = i;
            v[i] = -3 * u[i] + 0.1 * steep_random_normal(&random);
            mean_u += u[i] / 5, mean_v += v[i] / 5;
        }
        for (int i = 0; i < 5; i++) uu += (u[i] - mean_u) * (u[i] - mean_u), uv += (u[i] - mean_u) * (v[i] - mean_v);
        double b = uv / uu;
        for (int i = 0; i < 5; i++) {
            double r = v[i] - mean_v - b * (u[i] - mean_u);
            rr += r * r;
        }
        double half = 3.182446305284263 * sqrt(rr / 3 / uu);
        steep_broken_law law = measure(5, u, v);
        check_close(law.low, b - half, 1e-4 * half); /* the search ends at 1e-5 of the spread */
        check_close(law.high, b + half, 1e-4 * half);
        check_close(law.scatter, sqrt(rr / 3), 1e3 * DBL_EPSILON);
    }
}
END_TEST

/* A pure law with scatter: hardly longer than the interval of the straight line; t(.975, 15) = 2.131449545559323. */
START_TEST(a_pure_law_costs_little)
{
    double u[SIZES], v[SIZES], ours = 0, line = 0;
    half_octaves(u);
    steep_random random = chance_start(4);
    for (size_t trial = 0; trial < chance_cases(100); trial++) {
        double uu = 0, uv = 0, vv = 0, mean_u = 5 * log(2), mean_v = 0;
        for (int i = 0; i < SIZES; i++) v[i] = -2 * u[i] + 0.05 * steep_random_normal(&random);
        for (int i = 0; i < SIZES; i++) mean_v += v[i] / SIZES;
        for (int i = 0; i < SIZES; i++) {
            uu += (u[i] - mean_u) * (u[i] - mean_u), uv += (u[i] - mean_u) * (v[i] - mean_v);
            vv += (v[i] - mean_v) * (v[i] - mean_v);
        }
        line += 2 * 2.131449545559323 * sqrt((vv - uv * uv / uu) / 15 / uu);
        steep_broken_law law = measure(SIZES, u, v);
        ours += law.high - law.low;
        ck_assert(law.low < -2 + 0.2 && law.high > -2 - 0.2);
    }
    ck_assert_msg(ours > line && ours < 2 * line, "intervals %g times as long as a line's", ours / line);
}
END_TEST

/* Laws of the family, off its grid: held in 93 % and more of all cases (of 4000: 95.5, 95.4 and 94.1 %); a corner, which
 * is none of them, in 89 % (90.3 %). A count of cases may fall short of that by four deviations. */
START_TEST(breaks_are_seen)
{
    double u[SIZES], v[SIZES];
    half_octaves(u);
    steep_random random = chance_start(5);
    const size_t cases = chance_cases(400);
    for (int kind = 0; kind < 4; kind++) {
        size_t held = 0;
        double longest = 0;
        for (size_t trial = 0; trial < cases; trial++) {
            for (int i = 0; i < SIZES; i++) {
                double n = exp(u[i]), law = -3 * log(n + 2.7);
                if (kind == 1) law = -3 * u[i] + log1p(9 / (n * n));
                if (kind == 2) law = -3 * u[i] + 2.0 / 5.3 * log1p(pow(n / 9.1, -5.3));
                if (kind == 3) law = n < 11 ? -u[i] : -log(11) - 3 * (u[i] - log(11)); /* a corner */
                v[i] = law + 0.02 * steep_random_normal(&random);
            }
            steep_broken_law law = measure(SIZES, u, v);
            held += law.low <= -3 && -3 <= law.high;
            longest = fmax(longest, law.high - law.low);
        }
        const double part = kind == 3 ? 0.89 : 0.93, count = (double)cases;
        ck_assert_msg((double)held >= part * count - 4 * sqrt(part * (1 - part) * count) && longest < 1,
                      "kind %d: held %zu of %zu, longest %g", kind, held, cases, longest);
    }
}
END_TEST

/* Units of size and error do not matter, and a factor size^-1 shifts the interval by one. */
START_TEST(invariances)
{
    steep_random random = chance_start(2);
    for (size_t again = chance_cases(1); again > 0; again--) {
        double u[SIZES], v[SIZES], a[SIZES], b[SIZES];
        half_octaves(u);
        for (int i = 0; i < SIZES; i++) v[i] = -2.5 * log(exp(u[i]) + 3) + 0.03 * steep_random_normal(&random);
        steep_broken_law law = measure(SIZES, u, v), other;
        for (int i = 0; i < SIZES; i++) a[i] = u[i] + 7, b[i] = v[i] - 11;
        other = measure(SIZES, a, b);
        double tolerance = 4e-5 * (law.high - law.low);
        check_close(other.low, law.low, tolerance);
        check_close(other.high, law.high, tolerance);
        check_close(other.scatter, law.scatter, 1e-9);
        for (int i = 0; i < SIZES; i++) b[i] = v[i] - u[i];
        other = measure(SIZES, u, b);
        check_close(other.low, law.low - 1, tolerance);
        check_close(other.high, law.high - 1, tolerance);
    }
}
END_TEST

START_TEST(levels_are_nested)
{
    steep_random random = chance_start(3);
    for (size_t again = chance_cases(1); again > 0; again--) {
        double u[SIZES], v[SIZES], before = 0;
        half_octaves(u);
        for (int i = 0; i < SIZES; i++) v[i] = -2 * u[i] + 0.1 * steep_random_normal(&random);
        for (double level = 0.5; level < 0.9999; level = 1 - (1 - level) / 2) {
            steep_broken_law law;
            steep_broken_law_measure(&(steep_log_points){SIZES, u, v, log(4)}, level, 0, &law, NULL);
            ck_assert(law.high - law.low > before);
            before = law.high - law.low;
        }
    }
}
END_TEST

/* Without scatter the laws are met to rounding, or to what the grid leaves; thousands of sizes are no trouble. */
START_TEST(no_scatter_and_many_sizes)
{
    double u[SIZES], v[SIZES];
    half_octaves(u);
    for (int i = 0; i < SIZES; i++) v[i] = -4 * u[i];
    steep_broken_law law = measure(SIZES, u, v);
    steep_broken_law quiet;
    ck_assert_int_eq(steep_broken_law_measure(&(steep_log_points){SIZES, u, v, log(4)}, 0.95, 1e-6, &quiet, NULL),
                     STEEP_OK);
    ck_assert(isnan(quiet.low) && isnan(quiet.high) && quiet.scatter == law.scatter);
    ck_assert(law.scatter < 1e-9 && fabs(law.low + 4) < 1e-8 && fabs(law.high + 4) < 1e-8);
    for (int i = 0; i < SIZES; i++) v[i] = -4 * log(exp(u[i]) + 1);
    law = measure(SIZES, u, v);
    ck_assert_msg(law.scatter < 1e-3, "scatter %g of an offset law", law.scatter);
    enum { MANY = 3000 };
    static double many_u[MANY], many_v[MANY];
    for (int i = 0; i < MANY; i++) many_u[i] = log(1 + i), many_v[i] = -2 * many_u[i] + 0.1 * sin(1e3 * i * i);
    law = measure(MANY, many_u, many_v);
    ck_assert(law.low < -1.9 && law.high > -2.1 && law.high - law.low < 0.2);
}
END_TEST

STEEP_TEST_MAIN("broken_law", too_few_points, five_points_are_a_line, a_pure_law_costs_little, breaks_are_seen,
                invariances, levels_are_nested, no_scatter_and_many_sizes)
