/* SPDX-License-Identifier: GPL-3.0-or-later */
/* measured: errors of a network against the same sums in long double, by a formula written out here. */
#include "measure/measured.h"

#include "opened.h"
#include "units.h"

enum { COUNT = 301, WIDTH = 7 };

/* The number of the random case: within a case, points and parameters are the same wherever they are drawn. */
static size_t again;

/* A smooth function on [-1, 1], with weights that sum to 1 or without. */
static steep_samples make_points(bool weighted)
{
    steep_random random = chance_start(2 * again);
    SCOPED(release_target) steep_target *target = target_of("sin(3*x)");
    steep_samples s = grid_of(target, COUNT);
    double sum = 0;
    if (!weighted) return s;
    s.weight = malloc(COUNT * sizeof *s.weight);
    ck_assert_ptr_nonnull(s.weight);
    for (int k = 0; k < COUNT; k++) sum += s.weight[k] = steep_random_uniform(&random) + 0.1;
    for (int k = 0; k < COUNT; k++) s.weight[k] /= sum;
    return s;
}

static void make_theta(const steep_network *network, double *theta, double scale)
{
    steep_random random = chance_start(2 * again + 1);
    for (size_t p = 0; p < network->parameters; p++) theta[p] = steep_random_normal(&random);
    for (size_t i = 0; i < network->width; i++) theta[network->output + i] *= scale;
}

/* A relu GLU written out, in long double. */
static long double plain_glu(const steep_network *n, const double *theta, long double x)
{
    long double y = theta[n->bias];
    for (size_t i = 0; i < n->width; i++) {
        const double *gate = theta + n->branch[0] + 2 * i, *up = theta + n->branch[1] + 2 * i;
        long double z = gate[0] * x + gate[1];
        if (z > 0) y += theta[n->output + i] * z * (up[0] * x + up[1]);
    }
    return y;
}

/* Errors against long double. Squares of residuals overflow in one of three cases, and vanish in another. */
START_TEST(errors_are_those_of_long_double)
{
    static const int exponent[] = {0, -800, 800};
    for (again = 0; again < chance_cases(1); again++)
        for (int i = 0; i < 6; i++) {
            steep_network network = network_of("glu", NULL, 1, WIDTH);
            const double scale = ldexp(1, exponent[i / 2]);
            double theta[64], residual[COUNT];
            make_theta(&network, theta, scale);
            theta[network.bias] *= scale;
            SCOPED(steep_samples_free) steep_samples s = make_points(i % 2);
            long double sum = 0, largest = 0, expected[COUNT];
            for (int k = 0; k < COUNT; k++) {
                s.y[k] *= scale;
                long double r = expected[k] = plain_glu(&network, theta, s.x[k]) - s.y[k];
                sum += (s.weight ? s.weight[k] : 1.0L / COUNT) * r * r;
                largest = fmaxl(largest, fabsl(r));
            }
            steep_measured errors, repeated;
            ck_assert_int_eq(steep_measure(&network, theta, &s, residual, &errors, NULL), STEEP_OK);
            /* Each residual has a few roundings per unit of terms of size up to |r| + |y| <= 2 max; the mean adds
             * COUNT. */
            const double rounding = (8 * WIDTH + COUNT) * DBL_EPSILON * (double)(2 * largest + 10 * scale);
            check_close(errors.rmse, sqrtl(sum), rounding);
            check_close(errors.max, largest, rounding);
            for (int k = 0; k < COUNT; k++) check_close(residual[k], expected[k], rounding);
            ck_assert_int_eq(steep_measure(&network, theta, &s, NULL, &repeated, NULL), STEEP_OK);
            ck_assert(repeated.rmse == errors.rmse && repeated.max == errors.max);
        }
}

START_TEST(what_is_not_finite_is_named)
{
    steep_network network = network_of("gqu", NULL, 1, WIDTH);
    double theta[64];
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int b = 0; b < 3; b++)
        for (int where = 0; where < 2; where++) {
            make_theta(&network, theta, 1);
            SCOPED(steep_samples_free) steep_samples s = make_points(true);
            if (where) s.y[COUNT - 1] = bad[b];
            else theta[network.bias] = bad[b];
            steep_measured errors = {1, 1};
            steep_error error = {""};
            check_says(steep_measure(&network, theta, &s, NULL, &errors, &error), STEEP_NOT_FINITE,
                       where ? "point 301 of 301" : "point 1 of 301");
            ck_assert(isnan(errors.rmse) && isnan(errors.max));
        }
}

START_TEST(bad_samples_are_refused)
{
    steep_network network = network_of("mlp", NULL, 2, WIDTH);
    SCOPED(steep_samples_free) steep_samples s = make_points(false);
    double theta[64];
    make_theta(&network, theta, 1);
    steep_measured errors;
    ck_assert_int_eq(steep_measure(&network, theta, &s, NULL, &errors, NULL), STEEP_BAD_INPUT);
    network = network_of("mlp", NULL, 1, WIDTH);
    s.count = 0;
    ck_assert_int_eq(steep_measure(&network, theta, &s, NULL, &errors, NULL), STEEP_BAD_INPUT);
    ck_assert(isnan(errors.rmse) && isnan(errors.max));
}

/* The error of 0 is the error of a network whose parameters are all 0, also where squares overflow or vanish. */
START_TEST(the_error_of_zero_is_that_of_a_zero_network)
{
    for (again = 0; again < chance_cases(1); again++) {
        static const double scale[] = {0, 1, 1e-200, 1e200, 1e-310};
        steep_network network = network_of("mlp", NULL, 1, WIDTH);
        SCOPED(release_memory) double *theta = calloc(network.parameters, sizeof *theta);
        for (int weighted = 0; weighted <= 1; weighted++)
            for (int k = 0; k < 5; k++) {
                steep_measured errors;
                SCOPED(steep_samples_free) steep_samples s = make_points(weighted);
                for (size_t i = 0; i < COUNT; i++) s.y[i] *= scale[k];
                ck_assert_int_eq(steep_measure(&network, theta, &s, NULL, &errors, NULL), STEEP_OK);
                check_close(steep_rmse_of_zero(&s), errors.rmse, 4 * DBL_EPSILON * errors.rmse);
                s.y[3] = INFINITY;
                ck_assert(isnan(steep_rmse_of_zero(&s)));
            }
    }
}

/* The error in float32 against the formula written out here, point by point, with units by steep_network_units, for
 * random networks of every architecture. A weight beyond the range of float32 makes it infinite. */
START_RANDOM_TEST(single_precision_is_what_float_says, 101)
{
    const size_t cases = chance_cases(3);
    for (size_t a = 0; steep_architecture_table(a); a++)
        for (size_t c = 0; c < cases; c++) {
            steep_network network = network_of(steep_architecture_table(a)->name, NULL, 1, WIDTH);
            const size_t P = network.parameters;
            double *theta = malloc(2 * P * sizeof *theta), *rounded = theta + P, sum = 0, got;
            again = c;
            SCOPED(steep_samples_free) steep_samples s = make_points(c % 2);
            for (size_t i = 0; i < P; i++) {
                theta[i] = chance_within(&random, -2, 2);
                rounded[i] = (double)(float)theta[i];
            }
            for (size_t k = 0; k < COUNT; k++) {
                const double x = (double)(float)s.x[k];
                double h[WIDTH];
                float y = (float)theta[network.bias];
                ck_assert_int_eq(steep_network_units(&network, rounded, 1, &x, h), STEEP_OK);
                for (size_t i = 0; i < WIDTH; i++) y += (float)theta[network.output + i] * (float)h[i];
                sum += (s.weight ? s.weight[k] : 1.0 / COUNT) * pow((double)y - s.y[k], 2);
            }
            ck_assert_int_eq(steep_measure_single(&network, theta, &s, &got, NULL), STEEP_OK);
            check_close(got, sqrt(sum), 16 * COUNT * DBL_EPSILON * sqrt(sum));
            theta[network.output] = 1e39;
            ck_assert_int_eq(steep_measure_single(&network, theta, &s, &got, NULL), STEEP_OK);
            ck_assert(isinf(got));
            free(theta);
        }
}

/* The largest coefficient is max |D|, or max |D W| where a branch is linear. */
START_TEST(the_largest_coefficient_is_that_by_hand)
{
    steep_network mlp = network_of("mlp", NULL, 1, WIDTH), glu = network_of("glu", NULL, 1, WIDTH);
    double theta[64] = {0};
    theta[mlp.output + 3] = -5;
    theta[mlp.output + 2] = 4;
    theta[mlp.branch[0]] = 100;
    theta[mlp.bias] = 1000;
    ck_assert(steep_largest_coefficient(&mlp, theta) == 5);
    memset(theta, 0, sizeof theta);
    theta[glu.output + 3] = -5;
    theta[steep_network_place(&glu, 1, 3)] = 7;
    theta[steep_network_place(&glu, 1, 2)] = 1e9; /* its output weight is 0 */
    theta[steep_network_place(&glu, 0, 3)] = 100;
    ck_assert(steep_largest_coefficient(&glu, theta) == 35);
}
