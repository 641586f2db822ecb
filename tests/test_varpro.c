/* SPDX-License-Identifier: GPL-3.0-or-later */
/* varpro: the linear parameters are those of a linear fit, every row of the table is fitted, minima are those of lm. */
#include <float.h>

#include "fit/solvers.h"
#include "chance.h"
#include "harness.h"
#include "twice.h"

static steep_network network_of(const steep_architecture *row, size_t dim, size_t width)
{
    steep_choice choice = steep_choice_default(row);
    steep_network network;
    ck_assert_int_eq(steep_network_init(&network, row, &choice, dim, width, NULL), STEEP_OK);
    return network;
}

static steep_status fit(const steep_network *network, steep_solver solver, steep_start_kind start, size_t iterations,
                        const steep_target *target, const steep_samples *train, steep_fit_result *result,
                        steep_error *error)
{
    steep_fit_options options = steep_fit_options_default();
    options.solver = solver;
    options.start = start;
    options.max_iterations = iterations;
    steep_problem problem = {network, target, train, NULL};
    return steep_fit(&problem, &options, result, error);
}

/* At the end no linear parameter has a gradient left, whatever the others do; the start alone is far from that. */
START_TEST(linear_parameters_are_solved_for)
{
    const char *const targets[] = {"runge3", "sin4sin4"};
    for (size_t t = 0; t < 2; t++) {
        steep_target *target;
        steep_samples train;
        ck_assert_int_eq(steep_target_open(targets[t], &target, NULL), STEEP_OK);
        ck_assert_int_eq(steep_samples_random(target, 400, 5, &train, NULL), STEEP_OK);
        for (size_t i = 0; steep_architecture_table(i); i++) {
            const steep_architecture *row = steep_architecture_table(i);
            steep_network network = network_of(row, target->dim, 5);
            steep_problem problem = {&network, target, &train, NULL};
            steep_fit_result result;
            steep_error error;
            ck_assert_msg(fit(&network, STEEP_SOLVER_VARPRO, STEEP_START_RANDOM, 3, target, &train, &result, &error) >=
                              0,
                          "%s: %s", row->name, error.text);
            unsigned char *linear = calloc(network.parameters, 1);
            linear[network.bias] = 1;
            for (size_t b = 0; b < network.counts.branches; b++)
                if (steep_architecture_affine(row) >> b & 1)
                    memset(linear + network.branch[b], 1, network.width * network.features[b]);
            if (!steep_architecture_affine(row)) memset(linear + network.output, 1, network.width);
            double cosine;
            ck_assert_int_eq(steep_gradient_cosine(&problem, 0, result.theta, linear, &cosine), STEEP_OK);
            /* a residual at the floor has no direction; hermite's units depend on each other, and the rank cut shows */
            double allowed = 1e-6 + 100 * result.floor / result.rmse_train;
            ck_assert_msg(cosine <= allowed, "%s on %s: %g > %g", row->name, targets[t], cosine, allowed);
            free(linear);
            steep_fit_result_free(&result);
        }
        steep_samples_free(&train);
        steep_target_free(target);
    }
}
END_TEST

START_TEST(smooth_minima_meet_the_tolerance_in_all_parameters)
{
    steep_target *target;
    steep_samples train;
    steep_fit_result result;
    ck_assert_int_eq(steep_target_open("exp(-x)*cos(2*x)", &target, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_grid(target, 300, &train, NULL), STEEP_OK);
    const steep_architecture *mlp = steep_architecture_find("mlp", NULL, 0);
    steep_network network = network_of(mlp, 1, 2);
    ck_assert_int_eq(steep_choice_parse("tanh", NULL, NULL, &network.choice, NULL), STEEP_OK);
    ck_assert_int_eq(fit(&network, STEEP_SOLVER_VARPRO, STEEP_START_UNIFORM, 500, target, &train, &result, NULL),
                     STEEP_CONVERGED);
    ck_assert(result.gradient_norm <= result.tolerance);
    steep_fit_result_free(&result);
    steep_samples_free(&train);
    steep_target_free(target);
}
END_TEST

/* Smooth units depend on each other by all degrees, and what a fit gains stands in what is left of columns after nearly
 * all of them is projected away: nothing of that may be taken for rounding. The frozen error is 1e-3. */
START_TEST(smooth_units_are_followed_to_rounding)
{
    steep_target *target;
    steep_samples train;
    ck_assert_int_eq(steep_target_open("runge3", &target, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_grid(target, 1001, &train, NULL), STEEP_OK);
    for (int silu = 0; silu < 2; silu++) {
        steep_network network = network_of(steep_architecture_find("glu", NULL, 0), 1, 30);
        steep_fit_result result;
        ck_assert_int_eq(steep_choice_parse(silu ? "silu" : "gelu", NULL, NULL, &network.choice, NULL), STEEP_OK);
        ck_assert_int_ge(fit(&network, STEEP_SOLVER_VARPRO, STEEP_START_UNIFORM, 0, target, &train, &result, NULL), 0);
        ck_assert_msg(result.rmse_train < 1e-4, "%s: %g", silu ? "silu" : "gelu", result.rmse_train);
        steep_fit_result_free(&result);
    }
    steep_samples_free(&train);
    steep_target_free(target);
}
END_TEST

/* From the same start, with as many steps, it ends no higher than lm on the raw parameters here, but for
 * the choice among neighbouring minima. */
START_TEST(elimination_is_no_worse_than_raw_parameters)
{
    static const char *const arches[] = {"mlp", "glu", "gqu"};
    steep_target *target;
    steep_samples train;
    ck_assert_int_eq(steep_target_open("runge3", &target, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_random(target, 800, 1, &train, NULL), STEEP_OK);
    for (size_t a = 0; a < 3; a++) {
        steep_network network = network_of(steep_architecture_find(arches[a], NULL, 0), 1, 8);
        steep_fit_result raw, projected;
        ck_assert_int_ge(fit(&network, STEEP_SOLVER_LM, STEEP_START_UNIFORM, 60, target, &train, &raw, NULL), 0);
        ck_assert_int_ge(fit(&network, STEEP_SOLVER_VARPRO, STEEP_START_UNIFORM, 60, target, &train, &projected, NULL),
                         0);
        ck_assert_msg(projected.rmse_train <= 1.05 * raw.rmse_train, "%s: %g, lm %g", arches[a], projected.rmse_train,
                      raw.rmse_train);
        steep_fit_result_free(&raw);
        steep_fit_result_free(&projected);
    }
    steep_samples_free(&train);
    steep_target_free(target);
}
END_TEST

/* rmse and iterations of two steps from a random start. flat: four gates are open on all samples, more than polynomials
 * need, and one on none, so that the columns of the linear parameters depend on each other. */
static double two_steps(const steep_network *network, bool flat, const steep_target *target, const steep_samples *train,
                        size_t *iterations)
{
    steep_fit_options options = steep_fit_options_default();
    steep_start_options how = {.kind = STEEP_START_RANDOM, .low = train->low, .high = train->high, .seed = 3};
    steep_problem problem = {network, target, train, NULL};
    steep_fit_result result;
    double *theta = malloc(network->parameters * sizeof *theta);
    ck_assert_int_eq(steep_start(network, &how, theta, NULL), STEEP_OK);
    for (size_t i = 0; flat && i < 5; i++) theta[steep_network_gate(network, i) + 2] = i < 4 ? 9 : -9;
    options.solver = STEEP_SOLVER_VARPRO;
    options.max_iterations = 2;
    options.initial = theta;
    ck_assert_int_ge(steep_fit(&problem, &options, &result, NULL), 0);
    double rmse = result.rmse_train;
    *iterations = result.iterations;
    steep_fit_result_free(&result);
    free(theta);
    return rmse;
}

/* Of many rows the solver gets a triangle: each point twice is the same problem, with so many rows or with half of
 * them. */
START_TEST(many_rows_take_the_same_steps)
{
    static const struct {
        const char *arch, *activation;
        bool flat;
    } cases[] = {{"mlp", NULL, false}, {"glu", NULL, false},   {"gqu", NULL, false}, {"glu", "gelu", false},
                 {"moa", NULL, false}, {"gqu2a", NULL, false}, {"mlp", NULL, true},  {"glu", NULL, true}};
    steep_random random = chance_start(7);
    steep_target *target;
    steep_samples once, twice;
    ck_assert_int_eq(steep_target_open("exp(-x)*cos(3*y+x*y)", &target, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_random(target, 2600, chance_below(&random, 1000), &once, NULL), STEEP_OK);
    samples_twice(&once, &twice);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        steep_network network = network_of(steep_architecture_find(cases[c].arch, NULL, 0), 2, 6);
        size_t few, many;
        if (cases[c].activation)
            ck_assert_int_eq(steep_choice_parse(cases[c].activation, NULL, NULL, &network.choice, NULL), STEEP_OK);
        double one = two_steps(&network, cases[c].flat, target, &once, &few),
               two = two_steps(&network, cases[c].flat, target, &twice, &many);
        ck_assert_msg(fabs(one - two) <= 1e-6 * one, "%s: %.17g, many rows %.17g", cases[c].arch, one, two);
        ck_assert_uint_eq(few, many);
    }
    steep_samples_free(&once);
    steep_samples_free(&twice);
    steep_target_free(target);
}
END_TEST

static bool never(void *context, const steep_progress *progress)
{
    (void)context;
    return progress->iteration < 1;
}

START_TEST(it_stops_when_told_and_refuses_too_few_samples)
{
    steep_target *target;
    steep_samples train;
    steep_fit_result result;
    steep_error error;
    ck_assert_int_eq(steep_target_open("runge3", &target, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_grid(target, 40, &train, NULL), STEEP_OK);
    steep_network small = network_of(steep_architecture_find("glu", NULL, 0), 1, 4),
                  large = network_of(steep_architecture_find("glu", NULL, 0), 1, 10);
    ck_assert_int_eq(fit(&large, STEEP_SOLVER_VARPRO, STEEP_START_UNIFORM, 5, target, &train, &result, &error),
                     STEEP_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "40 samples for 51 parameters"));
    steep_fit_options options = steep_fit_options_default();
    steep_problem problem = {&small, target, &train, NULL};
    options.solver = STEEP_SOLVER_VARPRO;
    options.monitor.proceed = never;
    ck_assert_int_eq(steep_fit(&problem, &options, &result, &error), STEEP_STOPPED);
    steep_fit_result_free(&result);
    steep_samples_free(&train);
    steep_target_free(target);
}
END_TEST

/* Without a penalty smooth units reach their error by coefficients that cancel: float32 has nothing of it. With one the
 * network is as good in float32 as float32 allows, and no worse in double. */
START_TEST(a_penalty_keeps_float32_usable)
{
    steep_target *target;
    steep_samples train, test;
    steep_fit_options options = steep_fit_options_default();
    const steep_architecture *row = steep_architecture_find("glu", NULL, 0);
    steep_choice choice = steep_choice_default(row);
    steep_network network;
    choice.activation = STEEP_SILU;
    ck_assert_int_eq(steep_network_init(&network, row, &choice, 2, 32, NULL), STEEP_OK);
    ck_assert_int_eq(steep_target_open("exp(-3*((x-.2)^2+y^2))*sin(5*x*y)", &target, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_random(target, 1000, 0, &train, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_grid(target, 2000, &test, NULL), STEEP_OK);
    const steep_problem problem = {&network, target, &train, &test};
    options.solver = STEEP_SOLVER_VARPRO;
    options.max_iterations = 30;
    for (size_t with = 0; with < 2; with++) {
        steep_fit_result result;
        options.penalty = with ? 1e-12 : 0;
        ck_assert_int_ge(steep_fit(&problem, &options, &result, NULL), 0);
        printf("%s penalty: RMSE %.2g, in float32 %.2g, largest coefficient %.2g\n", with ? "with" : "without",
               result.rmse_test, result.rmse_single, result.coefficient);
        if (with) ck_assert(result.rmse_test < 2e-4 && result.rmse_single < 1.1 * result.rmse_test);
        else ck_assert(result.rmse_single > 10 * result.rmse_test);
        steep_fit_result_free(&result);
    }
    steep_samples_free(&train);
    steep_samples_free(&test);
    steep_target_free(target);
}
END_TEST

STEEP_TEST_MAIN("varpro", many_rows_take_the_same_steps, linear_parameters_are_solved_for,
                smooth_units_are_followed_to_rounding, smooth_minima_meet_the_tolerance_in_all_parameters,
                elimination_is_no_worse_than_raw_parameters, it_stops_when_told_and_refuses_too_few_samples,
                a_penalty_keeps_float32_usable)
