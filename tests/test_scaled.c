/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scaled: a fit to values times a power of 2 is the fit times this power, digit by digit. */
#include "plane.h"
#include "solvers.h"

enum { SAMPLES = 120, WIDTH = 3 };

/* A fit to the samples with their values times 2^exponent. */
static steep_fit_result fit_at(int exponent, const steep_samples *train, const steep_samples *test,
                               const steep_network *network, steep_fit_options options)
{
    double y[SAMPLES], other[SAMPLES];
    steep_samples a = *train, b = *test;
    for (size_t k = 0; k < SAMPLES; k++) y[k] = ldexp(train->y[k], exponent), other[k] = ldexp(test->y[k], exponent);
    a.y = y, b.y = other;
    steep_fit_result result;
    steep_error error = {{0}};
    steep_fit(&(steep_problem){network, NULL, &a, &b}, &options, &result, &error);
    ck_assert_msg(result.status >= 0, "2^%d: %s", exponent, error.text);
    return result;
}

START_RANDOM_TEST(a_power_of_two_changes_no_digit, 1)
{
    const steep_solver solvers[] = {STEEP_SOLVER_FROZEN, STEEP_SOLVER_REDUCED_NEWTON, solver_named("newton"),
                                    STEEP_SOLVER_LM,     STEEP_SOLVER_VARPRO,         STEEP_SOLVER_GSL};
    const steep_network network = network_of("glu", "relu", 1, WIDTH);
    for (size_t c = chance_cases(12); c-- > 0;) {
        SCOPED(steep_samples_free) steep_samples train, test;
        ck_assert_int_eq(steep_samples_allocate(SAMPLES, 1, false, &train, NULL), STEEP_OK);
        ck_assert_int_eq(steep_samples_allocate(SAMPLES, 1, false, &test, NULL), STEEP_OK);
        const double bend = chance_within(&random, 1, 5), noise = chance_within(&random, 0, 0.2);
        for (size_t k = 0; k < SAMPLES; k++) {
            train.x[k] = 2 * ((double)k + steep_random_uniform(&random)) / SAMPLES - 1;
            test.x[k] = 2 * ((double)k + steep_random_uniform(&random)) / SAMPLES - 1;
            train.y[k] = sin(bend * train.x[k]) + noise * steep_random_normal(&random);
            test.y[k] = sin(bend * test.x[k]);
        }
        train.low[0] = test.low[0] = -1, train.high[0] = test.high[0] = 1;
        steep_fit_options options = steep_fit_options_default();
        options.solver = solvers[chance_below(&random, sizeof solvers / sizeof *solvers)];
        options.seed = chance_below(&random, 1000);
        options.restarts = 1, options.hits = 0, options.max_iterations = 30;
        /* Exponents from +-30, where every fit changes units, to the ends of the range, which are bounded by the
         * rounding of subnormal numbers. */
        FITTED base = fit_at(30, &train, &test, &network, options);
        const int exponent =
            chance_below(&random, 2) ? 30 + (int)chance_below(&random, 900) : -30 - (int)chance_below(&random, 880);
        FITTED far = fit_at(exponent, &train, &test, &network, options);
        const char *name = steep_solver_names((size_t)options.solver);
        ck_assert_msg(far.status == base.status, "%s at 2^%d", name, exponent);
        ck_assert(far.rmse_train == ldexp(base.rmse_train, exponent - 30));
        ck_assert(far.rmse_test == ldexp(base.rmse_test, exponent - 30));
        ck_assert_msg(exponent < 140 || isinf(far.rmse_single), "float32 ends before 2^%d", exponent);
        ck_assert(far.max_error == ldexp(base.max_error, exponent - 30) &&
                  far.floor == ldexp(base.floor, exponent - 30));
        ck_assert(far.gradient_norm == base.gradient_norm);
        for (size_t p = 0; p < network.parameters; p++) {
            const bool output = p == network.bias || (p >= network.output && p < network.output + WIDTH);
            ck_assert_msg(far.theta[p] == (output ? ldexp(base.theta[p], exponent - 30) : base.theta[p]),
                          "%s at 2^%d: parameter %zu is %g", name, exponent, p, far.theta[p]);
        }
        /* A frozen fit without other units is the same, too. */
        options.solver = STEEP_SOLVER_FROZEN;
        FITTED plain = fit_at(0, &train, &test, &network, options);
        FITTED scaled = fit_at(exponent, &train, &test, &network, options);
        check_close(ldexp(scaled.rmse_train, -exponent), plain.rmse_train, 64 * DBL_EPSILON * plain.rmse_train);
    }
}

START_TEST(beyond_the_range)
{
    const steep_network network = network_of("mlp", "tanh", 1, WIDTH);
    SCOPED(steep_samples_free) steep_samples train;
    SCOPED(steep_fit_result_free) steep_fit_result result;
    steep_error error = {{0}};
    steep_fit_options options = steep_fit_options_default();
    const steep_problem problem = {&network, NULL, &train, NULL};
    ck_assert_int_eq(steep_samples_allocate(SAMPLES, 1, false, &train, NULL), STEEP_OK);
    /* Points too far, too near each other; values that leave no room for their errors: low, high, size. */
    static const double bad[][3] = {{0, 1e298 * SAMPLES, 1}, {-1e300, 1e300, 1}, {0, 1e-322, 1},
                                    {-1.7e308, 1.7e308, 1},  {1e200, 2e200, 1},  {1, 1e101, 1},
                                    {0, 1e-101, 1},          {0, 1, 1e-320},     {0, 1, 1e307}};
    for (size_t c = 0; c < 3 * sizeof bad / sizeof *bad; c++) {
        static const steep_solver solvers[] = {STEEP_SOLVER_FROZEN, STEEP_SOLVER_LM, STEEP_SOLVER_VARPRO};
        const double low = bad[c / 3][0], high = bad[c / 3][1], size = bad[c / 3][2];
        options.solver = solvers[c % 3];
        train.low[0] = low, train.high[0] = high;
        for (size_t k = 0; k < SAMPLES; k++) {
            train.x[k] = low + (high / SAMPLES - low / SAMPLES) * (double)k;
            train.y[k] = size * sin((double)k);
        }
        check_says(steep_fit(&problem, &options, &result, &error), STEEP_BAD_INPUT, size == 1 ? "1e+100" : "1e-300");
        ck_assert_msg(strstr(error.text, size == 1 ? "--standardize" : "1e+300"), "%s", error.text);
        ck_assert(!result.theta && (size != 1 || strstr(result.reason, "coordinate 1")));
    }
}

/* Values that are all 0 are fitted with error 0 by every solver. */
START_TEST(all_zero)
{
    const steep_solver solvers[] = {STEEP_SOLVER_FROZEN, solver_named("newton"), STEEP_SOLVER_LM,
                                    STEEP_SOLVER_VARPRO, STEEP_SOLVER_GSL,       solver_named("exchange")};
    static const struct {
        const char *row, *activation;
    } rows[] = {{"mlp", "relu"}, {"mlp", "tanh"}, {"mlp", "gelu"},   {"glu", "relu"},
                {"glu", "silu"}, {"gqu", "relu"}, {"gqu2a", "relu"}, {"gqu2c", "relu"}};
    const size_t runs = sizeof rows / sizeof *rows * (sizeof solvers / sizeof *solvers);
    for (size_t c = 0; c < 2 * runs; c++) {
        const size_t dim = 1 + c % 2, r = c / 2 % (sizeof rows / sizeof *rows);
        steep_fit_options options = steep_fit_options_default();
        options.solver = solvers[c / 2 / (sizeof rows / sizeof *rows)];
        options.start = c / 2 % 3 ? STEEP_START_UNIFORM : STEEP_START_RANDOM;
        const bool exchanges = options.solver == solver_named("exchange"); /* takes long with many units */
        if (exchanges && dim == 1) continue;
        SCOPED(steep_samples_free) steep_samples train;
        SCOPED(steep_fit_result_free) steep_fit_result result;
        steep_error error = {{0}};
        const steep_network network = network_of(rows[r].row, rows[r].activation, dim, exchanges ? 1 : WIDTH);
        ck_assert_int_eq(steep_samples_allocate(SAMPLES, dim, c % 4 < 2, &train, NULL), STEEP_OK);
        for (size_t k = 0; k < SAMPLES; k++) {
            train.x[k] = 2 * (double)k / SAMPLES - 1;
            if (dim > 1) train.x[SAMPLES + k] = sin((double)k);
            if (train.weight) train.weight[k] = 1.0 / SAMPLES;
            train.y[k] = k % 2 ? 0.0 : -0.0;
        }
        for (size_t j = 0; j < dim; j++) train.low[j] = -1, train.high[j] = 1;
        steep_fit(&(steep_problem){&network, NULL, &train, &train}, &options, &result, &error);
        const char *name = steep_solver_names((size_t)options.solver);
        ck_assert_msg(result.status >= 0, "%s, %s in %zuD: %s", name, rows[r].row, dim, error.text);
        ck_assert_msg(result.rmse_train == 0 && result.rmse_test == 0 && result.max_error == 0, "%s, %s:%s in %zuD: %g",
                      name, rows[r].row, rows[r].activation, dim, result.rmse_train);
        ck_assert_msg(result.status == STEEP_CONVERGED || result.status == STEEP_FLOOR, "%s, %s in %zuD: %s", name,
                      rows[r].row, dim, result.reason);
    }
}
