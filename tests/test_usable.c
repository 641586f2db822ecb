/* SPDX-License-Identifier: GPL-3.0-or-later */
/* usable: outliers against a search that looks at all points each time; merged points against all points; 40,000 sizes
 * in the time of some sorts. */
#include "slope/usable.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_randist.h>

#include "chance.h"
#include "harness.h"
#include "slope/laws.h"
#include "slope/mixture.h"

enum { CURVE = 60 };

/* Returns d, the distance of point `at` from the parabola through the six others of seven; *deviation: its error. */
static double distance_of(const steep_log_point *p, size_t at, double *deviation)
{
    double power[6][3], v[6], fitted[3], covariance[9], rest;
    for (size_t i = 0, r = 0; i < 7; i++) {
        const double t = p[i].u - p[at].u;
        if (i == at) continue;
        power[r][0] = 1, power[r][1] = t, power[r][2] = t * t;
        v[r++] = p[i].v - p[at].v;
    }
    gsl_matrix_view X = gsl_matrix_view_array(*power, 6, 3), C = gsl_matrix_view_array(covariance, 3, 3);
    gsl_vector_view y = gsl_vector_view_array(v, 6), c = gsl_vector_view_array(fitted, 3);
    gsl_multifit_linear_workspace *work = gsl_multifit_linear_alloc(6, 3);
    gsl_multifit_linear(&X.matrix, &y.vector, &c.vector, &C.matrix, &rest, work);
    gsl_multifit_linear_free(work);
    *deviation = sqrt(rest / 3 + covariance[0]);
    return -fitted[0];
}

/* The rule of usable.h by brute force: all points are examined for each removal. Returns how many stay. */
static size_t alike_by_force(size_t n, steep_log_point *p)
{
    for (size_t most = n / 5; most > 0 && n > 6; most--) {
        size_t farthest = n;
        double ratio = 8;
        for (size_t i = 0; i < n; i++) {
            size_t first = i < 3 ? 0 : i - 3;
            if (first + 7 > n) first = n - 7;
            double deviation;
            const double d = distance_of(p + first, i - first, &deviation);
            if (fabs(d) < log(2.5) || ((i == 0 || i == n - 1) && d < 0) || !(fabs(d) / deviation > ratio)) continue;
            ratio = fabs(d) / deviation;
            farthest = i;
        }
        if (farthest == n) break;
        for (size_t i = farthest; i + 1 < n; i++) p[i] = p[i + 1];
        n--;
    }
    return n;
}

START_RANDOM_TEST(the_same_points_stand_apart, 1)
{
    size_t taken = 0;
    for (size_t trial = 0; trial < chance_cases(200); trial++) {
        steep_log_point curve[CURVE], other[CURVE];
        const size_t all = 5 + chance_below(&random, CURVE - 4);
        const double often = chance_within(&random, 0, 0.4), noise = pow(10, chance_within(&random, -6, -0.5));
        double u = 0;
        for (size_t i = 0; i < all; i++) {
            curve[i] = (steep_log_point){.u = u, .v = -2 * u + noise * steep_random_normal(&random)};
            if (steep_random_uniform(&random) < often) curve[i].v += 3 * steep_random_normal(&random);
            u += chance_within(&random, 0.05, 0.7);
        }
        memcpy(other, curve, sizeof curve);
        size_t n = all;
        ck_assert_int_eq(steep_usable_alike(&n, curve, NULL), STEEP_OK);
        ck_assert_uint_eq(n, alike_by_force(all, other));
        for (size_t i = 0; i < n; i++) ck_assert(curve[i].u == other[i].u && curve[i].v == other[i].v);
        taken += all - n;
    }
    ck_assert(taken > 100); /* there was something to take */
}

/* A law that begins at the first point, so that the same beginnings are tried for all sets of points. */
static steep_laws laws_of(const steep_law_points *points, double level)
{
    steep_laws laws;
    const double span = 0.98 * (points->u[points->count - 1] - points->u[0]);
    const steep_slope_options options = {.minimum_span = exp(span), .level = level};
    ck_assert_int_eq(steep_laws_measure(points, &options, &laws, NULL), STEEP_OK);
    return laws;
}

/* Checks that fewer points give the order, interval and scatter of all points, to `part` of half of the interval and
 * of_scatter of the scatter. One far law may move an end by half a percent: the interval must be between those of 94
 * and 96 percent. Returns false, unchecked, if neighbours of all points seem to deviate together, as means do not. */
static bool check_alike(const steep_law_points *fewer, const steep_law_points *points, double part, double of_scatter)
{
    const steep_laws less = laws_of(fewer, 0.95), wide = laws_of(points, 0.96), all = laws_of(points, 0.94);
    const double room = part * (all.high - all.low) / 2;
    if (all.correlated > 1e-3) return false;
    check_close(less.order, all.order, room);
    check_close(less.low, (wide.low + all.low) / 2, (all.low - wide.low) / 2 + room);
    check_close(less.high, (wide.high + all.high) / 2, (wide.high - all.high) / 2 + room);
    check_close(less.scatter, all.scatter, of_scatter * all.scatter);
    return true;
}

/* A point of whole weight is the same as so many points at one place. */
START_RANDOM_TEST(a_weight_is_so_many_points, 2)
{
    enum { PLACES = 24, MOST = 5 };
    const size_t trials = chance_cases(6);
    size_t alike = 0;
    for (size_t trial = 0; trial < trials; trial++) {
        double u[PLACES], v[PLACES], weight[PLACES], all_u[MOST * PLACES], all_v[MOST * PLACES], within = 0;
        size_t count = 0;
        for (size_t i = 0; i < PLACES; i++) {
            const size_t times = 1 + chance_below(&random, MOST);
            u[i] = 0.2 * (double)i, weight[i] = (double)times, v[i] = 0;
            for (size_t k = 0; k < times; k++) {
                all_u[count] = u[i] + 1e-9 * (double)k;
                all_v[count] = -2 * u[i] + 0.1 * steep_random_normal(&random);
                v[i] += all_v[count++] / (double)times;
            }
            for (size_t k = count - times; k < count; k++) within += pow(all_v[k] - v[i], 2);
        }
        alike += check_alike(&(steep_law_points){PLACES, u, v, weight, within},
                             &(steep_law_points){.count = count, .u = all_u, .v = all_v}, 0.05, 0.01);
    }
    ck_assert_uint_gt(2 * alike, trials);
}

START_RANDOM_TEST(bins_say_what_all_points_say, 3)
{
    enum { SIZES = 2100 };
    static steep_log_point p[SIZES], bin[STEEP_USABLE_MANY];
    static double u[SIZES], v[SIZES], bin_u[SIZES], bin_v[SIZES], weight[SIZES];
    size_t alike = 0;
    for (size_t trial = 0; trial < chance_cases(2); trial++) {
        const double order = chance_within(&random, 1, 4), shift = chance_within(&random, 0, 20), noise = 0.05;
        for (size_t i = 0; i < SIZES; i++) {
            const double size = 1 + 3 * (double)i;
            u[i] = log(size);
            v[i] = -order * log(size + shift * (double)(trial % 2)) + noise * steep_random_normal(&random);
            p[i] = (steep_log_point){.u = u[i], .v = v[i], .size = size};
        }
        double within;
        const size_t bins = steep_usable_merge(SIZES, p, bin, &within);
        ck_assert(bins < STEEP_USABLE_BINS && bins > 100);
        double sum = 0;
        for (size_t b = 0; b < bins; b++) {
            bin_u[b] = bin[b].u, bin_v[b] = bin[b].v, weight[b] = bin[b].weight, sum += weight[b];
            ck_assert(p[bin[b].first].u <= bin[b].u + 1e-12);
        }
        check_close(sum, SIZES, 0);
        alike += check_alike(&(steep_law_points){bins, bin_u, bin_v, weight, within},
                             &(steep_law_points){.count = SIZES, .u = u, .v = v}, 0.1, 0.02);
    }
    ck_assert_uint_gt(alike, 0);
}

/* Quantiles of many parts, with few and many degrees of freedom in any order, against GSL's distribution. */
START_RANDOM_TEST(parts_of_different_freedom, 5)
{
    for (size_t again = chance_cases(20); again > 0; again--) {
        enum { MOST = 200 };
        steep_student part[MOST];
        const size_t count = 1 + chance_below(&random, MOST);
        const double q[] = {0.025, 0.5, 0.9};
        double x[3], sum = 0, spread = 0;
        for (size_t i = 0; i < count; i++) {
            part[i] = (steep_student){chance_within(&random, 0.01, 1), chance_within(&random, -3, 1),
                                      chance_within(&random, 0.1, 1), (unsigned)(1 + chance_below(&random, 9))};
            if (chance_below(&random, 20) == 0) part[i].freedom = 1990 + (unsigned)chance_below(&random, 20);
            if (chance_below(&random, 40) == 0) part[i].freedom = 2000000; /* 2000 and fewer are summed */
            sum += part[i].weight;
        }
        for (size_t i = 0; i < count; i++) part[i].weight /= sum, spread += part[i].weight * (part[i].scale + 4);
        ck_assert(steep_mixture_quantiles(part, count, 3, q, x));
        for (int k = 0; k < 3; k++) {
            double below = 0, density = 0;
            for (size_t i = 0; i < count; i++) {
                const double t = (x[k] - part[i].centre) / part[i].scale;
                below += part[i].weight * gsl_cdf_tdist_P(t, part[i].freedom);
                density += part[i].weight * gsl_ran_tdist_pdf(t, part[i].freedom) / part[i].scale;
            }
            check_close(below, q[k], 3e-5 * spread * density + 1e-7);
        }
    }
}

/* O(n log n): 40,000 sizes in a random order, with outliers, or flat in the end. */
START_RANDOM_TEST(as_many_as_there_are, 4)
{
    enum { MANY = 40000 };
    double *size = malloc(2 * MANY * sizeof *size), *error = size + MANY;
    ck_assert_ptr_nonnull(size);
    for (size_t i = 0; i < MANY; i++) size[i] = 1 + (double)i;
    for (size_t i = MANY; i-- > 1;) {
        const size_t k = chance_below(&random, i + 1);
        const double kept = size[i];
        size[i] = size[k], size[k] = kept;
    }
    const clock_t begin = clock();
    size_t turned = 0;
    for (int flat = 0; flat < 2; flat++) {
        for (size_t i = 0; i < MANY; i++) {
            error[i] = (pow(size[i], -2) + (flat ? 1e-9 : 0)) * exp(0.1 * steep_random_normal(&random));
            if (!flat && i % 20 == 0) error[i] *= 1e3;
        }
        for (int method = 0; steep_slope_method_names((size_t)method); method++) {
            steep_slope s;
            const steep_slope_points points = {MANY, size, error, NULL};
            ck_assert_int_ge(steep_slope_measure(method, &points, NULL, &s, NULL), 0);
            if (method != STEEP_SLOPE_WINDOW) continue;
            if (s.turns) turned++; /* by chance, where the last points stand above the least: of one curve in 20 */
            if (s.turns) continue;
            ck_assert_msg(fabs(s.slope + 2) < fmin(0.02, 1.5 * (s.high - s.low)) && s.high - s.low < 0.2, "[%g, %g]",
                          s.low, s.high); /* three times the interval of 95 % */
            ck_assert_msg(flat || s.apart > MANY / 30, "%zu", s.apart);
        }
    }
    ck_assert_uint_le(turned, 1);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    ck_assert_msg(seconds < 20, "%g s for %d sizes", seconds, MANY); /* 0.3 s; minutes where it is quadratic */
    free(size);
}

/* The last two octaves have one size: no order, although older octaves have one. */
START_TEST(an_order_that_is_not_there_is_none)
{
    static const double cells[] = {15, 23, 31, 1023};
    steep_log_point p[4];
    double order, half;
    for (size_t i = 0; i < 4; i++)
        p[i] =
            (steep_log_point){.u = log(cells[i]), .v = -2 * log(cells[i]), .size = cells[i], .weight = 1, .first = i};
    ck_assert(!steep_extrapolate(4, p, true, &order, &half));
}
