/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>

#include "fit/problem.h"
#include "harness.h"

static steep_status fit(const char *arch, const char *activation, size_t width, steep_solver solver,
                        steep_start_kind start, size_t restarts, const steep_target *target, const steep_samples *train,
                        steep_fit_result *result, steep_error *error)
{
    const steep_architecture *row = steep_architecture_find(arch, NULL, 0);
    steep_choice choice = steep_choice_default(row);
    steep_network network;
    ck_assert_int_eq(steep_choice_parse(activation, NULL, NULL, &choice, error), STEEP_OK);
    ck_assert_int_eq(steep_network_init(&network, row, &choice, train->dim, width, error), STEEP_OK);
    steep_fit_options options = steep_fit_options_default();
    options.solver = solver;
    options.start = start;
    options.restarts = restarts;
    steep_problem problem = {&network, target, train, NULL};
    return steep_fit(&problem, &options, result, error);
}

/* Best known minima, as found by several methods in prototypes; n cells, gqu one unit more. */
START_TEST(known_minima_are_reached)
{
    const struct { const char *target; size_t cells; double rmse[3]; } known[] = {
        {"cosine_well", 16, {2.77e-3, 2.39e-4, 4.20e-5}}, {"runge3", 16, {1.42e-3, 1.23e-4, 1.35e-5}}};
    static const char *const arches[] = {"mlp", "glu", "gqu"};
    for (size_t k = 0; k < 2; k++) {
        steep_target *target;
        steep_samples train;
        ck_assert_int_eq(steep_target_open(known[k].target, &target, NULL), STEEP_OK);
        ck_assert_int_eq(steep_samples_grid(target, 4000, &train, NULL), STEEP_OK);
        for (size_t a = 0; a < 3; a++) {
            steep_fit_result result;
            ck_assert_int_ge(fit(arches[a], NULL, known[k].cells + (a == 2), STEEP_SOLVER_REDUCED_NEWTON,
                                 STEEP_START_EQUIDISTRIBUTED, STEEP_AUTO, target, &train, &result, NULL), 0);
            ck_assert_msg(result.rmse_train <= 1.03 * known[k].rmse[a], "%s on %s: %g", arches[a], known[k].target,
                          result.rmse_train);
            if (result.status == STEEP_CONVERGED) ck_assert(result.gradient_norm <= result.tolerance);
            steep_fit_result_free(&result);
        }
        steep_samples_free(&train);
        steep_target_free(target);
    }
}
END_TEST

START_TEST(free_gates_are_never_worse_than_frozen_ones)
{
    static const char *const arches[] = {"mlp", "glu", "gqu", "gqu2d", "gqu2a"};
    steep_target *target;
    steep_samples train;
    ck_assert_int_eq(steep_target_open("chirp", &target, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_random(target, 3000, 7, &train, NULL), STEEP_OK);
    for (size_t a = 0; a < sizeof arches / sizeof *arches; a++)
        for (size_t width = 5; width <= 60; width += 11)
            for (steep_start_kind start = STEEP_START_UNIFORM; start <= STEEP_START_EQUIDISTRIBUTED; start += 3) {
                steep_fit_result frozen, moved;
                ck_assert_int_ge(
                    fit(arches[a], NULL, width, STEEP_SOLVER_FROZEN, start, 0, target, &train, &frozen, NULL), 0);
                ck_assert_int_ge(
                    fit(arches[a], NULL, width, STEEP_SOLVER_REDUCED_NEWTON, start, 0, target, &train, &moved, NULL),
                    0);
                ck_assert(moved.rmse_train <= frozen.rmse_train * (1 + 1e-9));
                steep_fit_result_free(&frozen);
                steep_fit_result_free(&moved);
            }
    steep_samples_free(&train);
    steep_target_free(target);
}
END_TEST

START_TEST(an_end_called_converged_has_no_gradient_in_any_parameter)
{
    steep_target *target;
    steep_samples train;
    steep_fit_result result;
    ck_assert_int_eq(steep_target_open("exp(-x)*cos(5*x)", &target, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_grid(target, 20000, &train, NULL), STEEP_OK);
    ck_assert_int_eq(fit("glu", NULL, 12, STEEP_SOLVER_REDUCED_NEWTON, STEEP_START_EQUIDISTRIBUTED, 0, target, &train,
                         &result, NULL),
                     STEEP_CONVERGED);
    ck_assert(result.gradient_norm <= 1e-6); /* over gates, factors and output weights alike */
    steep_fit_result_free(&result);
    steep_samples_free(&train);
    steep_target_free(target);
}
END_TEST

START_TEST(what_it_cannot_do_is_refused)
{
    steep_target *line, *plane;
    steep_samples train, flat;
    steep_fit_result result;
    steep_error error;
    ck_assert_int_eq(steep_target_open("cos4", &line, NULL), STEEP_OK);
    ck_assert_int_eq(steep_target_open("x*y", &plane, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_grid(line, 300, &train, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_grid(plane, 300, &flat, NULL), STEEP_OK);
    ck_assert_int_eq(
        fit("mlp", "relu3", 8, STEEP_SOLVER_REDUCED_NEWTON, STEEP_START_UNIFORM, 0, line, &train, &result, &error),
        STEEP_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "lm would be right"));
    ck_assert_int_eq(
        fit("glu", NULL, 8, STEEP_SOLVER_REDUCED_NEWTON, STEEP_START_UNIFORM, 0, plane, &flat, &result, &error),
        STEEP_BAD_INPUT);
    ck_assert_int_eq(
        fit("gqu", NULL, 1, STEEP_SOLVER_REDUCED_NEWTON, STEEP_START_UNIFORM, 0, line, &train, &result, &error),
        STEEP_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "needs 2"));
    steep_samples_free(&train);
    steep_samples_free(&flat);
    steep_target_free(line);
    steep_target_free(plane);
}
END_TEST

STEEP_TEST_MAIN("reduced_newton", known_minima_are_reached, free_gates_are_never_worse_than_frozen_ones,
                an_end_called_converged_has_no_gradient_in_any_parameter, what_it_cannot_do_is_refused)
