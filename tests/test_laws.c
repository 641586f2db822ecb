/* SPDX-License-Identifier: GPL-3.0-or-later */
/* laws: the posterior of an order against an integral by brute force, what must not matter, which law is recognised. */
#include "slope/laws.h"

#include "chance.h"
#include "harness.h"
#include "slope/slope.h"

enum { SIZES = 17 };

static void half_octaves(double *u)
{
    for (int i = 0; i < SIZES; i++) u[i] = (2 + i) * log(2) / 2;
}

static steep_laws measure(size_t count, const double *u, const double *v, bool with_offset)
{
    steep_laws laws;
    steep_slope_options options = steep_slope_options_default();
    if (with_offset) options.law = STEEP_LAW_OFFSET;
    ck_assert_int_eq(steep_laws_measure(&(steep_law_points){.count = count, .u = u, .v = v}, &options, &laws, NULL),
                     STEEP_OK);
    return laws;
}

/* Second route: the posterior of b in v = log(e^a n^b + E), with the same priors (a, b flat, E = 0 with its share, else
 * log E uniform, noise 1/s), summed over a grid of a, b and log E; the sum over the noise is a power of the sum of
 * squares. All six points belong to the law, since fewer would not span the minimum. */
enum { POINTS = 6, A = 21, B = 61, QUANTILES = 3 };
typedef struct posterior {
    double b[B], mass[B];
} posterior;

/* The sum of squares of v - log(e^a x + E); derivative: half its slope in a, half its Gauss-Newton curvature. */
static double rest_of(const double *v, const double *x, double a, double offset, double derivative[2])
{
    double rest = 0;
    derivative[0] = derivative[1] = 0;
    for (int i = 0; i < POINTS; i++) {
        const double law = exp(a) * x[i], d = v[i] - log(law + offset), share = law / (law + offset);
        rest += d * d;
        derivative[0] -= share * d;
        derivative[1] += share * share;
    }
    return rest;
}

/* Sums over a, eight deviations to both sides of the least sum of squares. */
static double sum_over_a(const double *v, const double *x, double offset)
{
    double a = v[0] - log(x[0]), d[2], sum = 0, rest = rest_of(v, x, a, offset, d);
    for (int step = 0; step < 12; step++) {
        a -= fmax(-2, fmin(d[0] / d[1], 2));
        rest = rest_of(v, x, a, offset, d);
    }
    const double wide = 8 * sqrt(rest / (POINTS - 2) / d[1]), step = 2 * wide / (A - 1);
    for (int m = 0; m < A; m++) sum += pow(rest_of(v, x, a - wide + step * m, offset, d), -0.5 * POINTS) * step;
    return sum;
}

static double quantile_of(const posterior *p, double probability)
{
    double all = 0, sum = 0;
    for (int j = 0; j < B; j++) all += p->mass[j];
    for (int j = 0; j < B; j++) {
        if (sum + p->mass[j] >= probability * all)
            return p->b[j] + (p->b[1] - p->b[0]) * ((probability * all - sum) / p->mass[j] - 0.5);
        sum += p->mass[j];
    }
    return NAN;
}

/* Writes to q the median and the quantiles 0.1 and 0.9 of b, from `levels` values of log E. */
static void sum_by_force(const double *u, const double *v, const steep_laws *about, int levels, double q[QUANTILES])
{
    posterior p;
    double least = INFINITY, x[POINTS];
    for (int i = 0; i < POINTS; i++) least = fmin(least, v[i]);
    for (int j = 0; j < B; j++) {
        p.b[j] = about->order + 3 * (about->high - about->low) * (2.0 * j / (B - 1) - 1);
        for (int i = 0; i < POINTS; i++) x[i] = exp(p.b[j] * u[i]);
        p.mass[j] = 0.25 * sum_over_a(v, x, 0);
        for (int k = 0; k < levels; k++)
            p.mass[j] += 0.08 / levels * sum_over_a(v, x, exp(least - 6 + 6 * (k + 0.5) / levels));
    }
    for (int i = 0; i < QUANTILES; i++) q[i] = quantile_of(&p, (const double[]){0.5, 0.1, 0.9}[i]);
}

/* Order and interval against brute force. A well-determined level keeps the posterior within a small part of log E: the
 * grid is halved until the quantiles stay. */
START_RANDOM_TEST(the_posterior_is_that_of_brute_force, 1)
{
    for (size_t again = chance_cases(3); again > 0; again--) {
        double u[POINTS], v[POINTS], q[QUANTILES] = {INFINITY}, moved = INFINITY;
        const double slope = chance_within(&random, -3, -1.5), level = chance_within(&random, 0, 0.02);
        for (int i = 0; i < POINTS; i++) {
            u[i] = log(4) + 0.6 * i;
            v[i] = log(exp(slope * (u[i] - u[0])) + level) + 0.04 * steep_random_normal(&random);
        }
        steep_laws laws;
        const steep_law_points points = {.count = POINTS, .u = u, .v = v};
        const steep_slope_options options = {.law = STEEP_LAW_OFFSET, .minimum_span = exp(2.7), .level = 0.8};
        ck_assert_int_eq(steep_laws_measure(&points, &options, &laws, NULL), STEEP_OK);
        const double unit = laws.high - laws.low;
        for (int levels = 160; moved > 0.02 * unit; levels *= 2) {
            double coarse[QUANTILES];
            memcpy(coarse, q, sizeof q);
            ck_assert_int_lt(levels, 40000);
            sum_by_force(u, v, &laws, levels, q);
            moved = 0;
            for (int i = 0; i < QUANTILES; i++) moved = fmax(moved, fabs(q[i] - coarse[i]));
        }
        ck_assert_msg(fabs(q[0] - laws.order) < 0.1 * unit && fabs(q[1] - laws.low) < 0.15 * unit &&
                          fabs(q[2] - laws.high) < 0.15 * unit,
                      "%g [%g, %g] by force %g [%g, %g]", laws.order, laws.low, laws.high, q[0], q[1], q[2]);
    }
}

/* The noise of a pure law is correlated from size to size: the interval holds the order as often as it should, and the
 * correlation is reported, rarely where there is none. */
START_RANDOM_TEST(correlated_noise_is_seen, 9)
{
    enum { MANY = 32 };
    const size_t cases = chance_cases(60);
    size_t held = 0, seen = 0, false_alarms = 0;
    for (size_t trial = 0; trial < 2 * cases; trial++) {
        double u[MANY], v[MANY], order = chance_within(&random, -4, -1);
        const double rho = trial < cases ? chance_within(&random, 0.42, 0.85) : 0;
        double deviation = 0.02 * steep_random_normal(&random);
        for (int i = 0; i < MANY; i++) {
            u[i] = log(2 + i);
            v[i] = order * u[i] + deviation;
            deviation = rho * deviation + sqrt(1 - rho * rho) * 0.02 * steep_random_normal(&random);
        }
        const steep_laws laws = measure(MANY, u, v, false);
        held += trial < cases && laws.low <= order && order <= laws.high;
        seen += trial < cases && laws.correlated > 0.5;
        false_alarms += trial >= cases && laws.correlated > 0.9;
    }
    ck_assert_msg(10 * held >= 9 * cases - 10 && 10 * seen >= 7 * cases && 20 * false_alarms <= cases,
                  "held %zu, seen %zu, seen where there is none %zu, of %zu", held, seen, false_alarms, cases);
}

/* The unit of errors does not matter; a higher level makes a longer interval. */
START_RANDOM_TEST(units_do_not_matter_and_levels_do, 2)
{
    for (size_t again = chance_cases(2); again > 0; again--) {
        double u[SIZES], v[SIZES], b[SIZES], before = 0;
        half_octaves(u);
        for (int i = 0; i < SIZES; i++) v[i] = -2.5 * log(exp(u[i]) + 3) + 0.03 * steep_random_normal(&random);
        for (int i = 0; i < SIZES; i++) b[i] = v[i] - 11;
        const steep_laws laws = measure(SIZES, u, v, false), other = measure(SIZES, u, b, false);
        double tolerance = 1e-4 * (laws.high - laws.low);
        check_close(other.low, laws.low, tolerance);
        check_close(other.high, laws.high, tolerance);
        check_close(other.scatter, laws.scatter, 1e-6);
        for (double level = 0.5; level < 0.9999; level = 1 - (1 - level) / 4) {
            steep_laws wider;
            const steep_slope_options options = {.minimum_span = 4, .level = level};
            const steep_law_points points = {.count = SIZES, .u = u, .v = v};
            ck_assert_int_eq(steep_laws_measure(&points, &options, &wider, NULL), STEEP_OK);
            ck_assert(wider.high - wider.low > before);
            before = wider.high - wider.low;
        }
    }
}

/* Errors that fall faster than any power are told from power laws, and power laws from them. */
START_RANDOM_TEST(what_is_faster_than_any_power_is_told, 5)
{
    double u[SIZES], v[SIZES];
    half_octaves(u);
    for (size_t trial = 0; trial < chance_cases(20); trial++) {
        const double noise = trial % 2 ? 0.05 : 0, g = chance_within(&random, 0.4, 1), k = chance_within(&random, 1, 3);
        const double s = chance_within(&random, 1, 6), shift = chance_within(&random, -1, 8);
        for (int i = 0; i < SIZES; i++) v[i] = -k * exp(g * u[i]) + noise * steep_random_normal(&random);
        steep_laws fast = measure(SIZES, u, v, false);
        ck_assert_msg(fast.faster > 0.9, "exp(-%g n^%g), noise %g: %g", k, g, noise, fast.faster);
        for (int i = 0; i < SIZES; i++) v[i] = -s * log(exp(u[i]) + shift) + noise * steep_random_normal(&random);
        steep_laws power = measure(SIZES, u, v, false);
        ck_assert_msg(power.faster < 0.1, "(n + %g)^-%g, noise %g: %g", shift, s, noise, power.faster);
    }
}

/* For E + A n^b, E and b are in their intervals as often as they should be; if E = 0, its interval reaches 0. */
START_RANDOM_TEST(offsets_and_orders_are_in_their_intervals, 6)
{
    enum { COUNT = 12 };
    const size_t cases = chance_cases(100);
    double u[COUNT], v[COUNT];
    size_t order = 0, offset = 0, none = 0;
    for (size_t trial = 0; trial < cases; trial++) {
        for (int i = 0; i < COUNT; i++) {
            u[i] = log(1e6) + 0.8 * i;
            v[i] = log(1.69 + 400 * exp(-0.34 * u[i])) + 0.01 * steep_random_normal(&random);
        }
        steep_laws laws = measure(COUNT, u, v, true);
        order += laws.low <= -0.34 && -0.34 <= laws.high;
        offset += laws.offset_low <= 1.69 && 1.69 <= laws.offset_high;
        for (int i = 0; i < COUNT; i++) v[i] = -0.34 * u[i] + 0.01 * steep_random_normal(&random);
        laws = measure(COUNT, u, v, true);
        none += laws.offset_low < 1e-3 * exp(v[COUNT - 1]);
    }
    const double count = (double)cases, least = 0.9 * count - 4 * sqrt(0.09 * count);
    ck_assert_msg((double)order >= least && (double)offset >= least && (double)none >= least,
                  "order in %zu, offset in %zu, none in %zu of %zu", order, offset, none, cases);
}

/* Curves on a level from the start or after a few sizes, with noise up to 10 %, tell little or nothing of a law below:
 * the order is unknown, or a plausible number within its interval. */
START_RANDOM_TEST(a_level_hides_the_law, 8)
{
    for (size_t trial = 0; trial < chance_cases(60); trial++) {
        const size_t count = 4 + chance_below(&random, SIZES - 3), flat = chance_below(&random, 4);
        const double order = chance_within(&random, -4, -1), noise = pow(10, chance_within(&random, -7, -1));
        double u[SIZES], v[SIZES], above = flat == 0 ? 0 : pow(10, chance_within(&random, -2, 3));
        half_octaves(u);
        for (int i = 0; i < SIZES; i++) {
            v[i] = log(0.01 * (1 + above * exp(order * (u[i] - u[0])))) + noise * steep_random_normal(&random);
            if (flat == 1) v[i] -= 1e-7 * exp(u[i]); /* and fits the noise a little */
        }
        const steep_laws laws = measure(count, u, v, false);
        if (isnan(laws.order)) continue;
        ck_assert_msg(laws.low <= laws.order && laws.order <= laws.high && fabs(laws.order) < 12 && laws.low > -60 &&
                          laws.high < 60,
                      "%zu sizes, %g n^%g above the level, noise %g: %g [%g, %g]", count, above, order, noise,
                      laws.order, laws.low, laws.high);
        if (flat == 0 && count >= 8)
            ck_assert_msg(laws.low <= 0.01 && laws.high >= -0.01 - noise, "%zu sizes, level with noise %g: [%g, %g]",
                          count, noise, laws.low, laws.high);
    }
}
