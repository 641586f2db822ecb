/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>

#include "base/random.h"
#include "fit/solvers.h"
#include "chance.h"
#include "harness.h"
#include "measure/measured.h"
#include "steep/spline.h"
#include "spline/gates.h"

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
    const struct {
        const char *target;
        size_t cells;
        double rmse[3];
    } known[] = {{"cosine_well", 16, {2.77e-3, 2.39e-4, 4.20e-5}}, {"runge3", 16, {1.42e-3, 1.23e-4, 1.35e-5}}};
    static const char *const arches[] = {"mlp", "glu", "gqu"};
    steep_random random = chance_today(3);
    const size_t day = chance_below(&random, 2); /* one of two targets */
    for (size_t c = 0, cases = chance_cases(1); c < cases; c++) {
        const size_t k = (day + c) % 2;
        steep_target *target;
        steep_samples train;
        ck_assert_int_eq(steep_target_open(known[k].target, &target, NULL), STEEP_OK);
        ck_assert_int_eq(steep_samples_grid(target, 4000, &train, NULL), STEEP_OK);
        for (size_t a = 0; a < 3; a++) {
            steep_fit_result result;
            ck_assert_int_ge(fit(arches[a], NULL, known[k].cells + (a == 2), STEEP_SOLVER_REDUCED_NEWTON,
                                 STEEP_START_EQUIDISTRIBUTED, STEEP_AUTO, target, &train, &result, NULL),
                             0);
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
    steep_random random = chance_today(1);
    for (size_t a = 0, cases = chance_cases(3); a < cases * sizeof arches / sizeof *arches; a++) {
        const char *arch = arches[a / cases];
        const size_t width = 5 + chance_below(&random, 56);
        const steep_start_kind start = chance_below(&random, 2) ? STEEP_START_UNIFORM : STEEP_START_EQUIDISTRIBUTED;
        steep_fit_result frozen, moved;
        ck_assert_int_ge(fit(arch, NULL, width, STEEP_SOLVER_FROZEN, start, 0, target, &train, &frozen, NULL), 0);
        ck_assert_int_ge(fit(arch, NULL, width, STEEP_SOLVER_REDUCED_NEWTON, start, 0, target, &train, &moved, NULL),
                         0);
        ck_assert_msg(moved.rmse_train <= frozen.rmse_train * (1 + 1e-9), "%s, %zu: %g, frozen %g", arch, width,
                      moved.rmse_train, frozen.rmse_train);
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
    ck_assert_ptr_nonnull(strstr(error.text, "use lm"));
    ck_assert_int_eq(
        fit("glu", NULL, 8, STEEP_SOLVER_REDUCED_NEWTON, STEEP_START_UNIFORM, 0, plane, &flat, &result, &error),
        STEEP_BAD_INPUT);
    steep_samples_free(&train);
    steep_samples_free(&flat);
    steep_target_free(line);
    steep_target_free(plane);
}
END_TEST

/* Fewer gates than heads, and starts that carry no head: lm from there. */
START_TEST(gates_too_few_for_a_head_are_trained_all_the_same)
{
    steep_target *target;
    steep_samples train;
    steep_fit_result moved, plain;
    ck_assert_int_eq(steep_target_open("cosine_well", &target, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_random(target, 500, 1, &train, NULL), STEEP_OK);
    ck_assert_int_eq(fit("gqu", NULL, 1, STEEP_SOLVER_REDUCED_NEWTON, STEEP_START_EQUIDISTRIBUTED, STEEP_AUTO, target,
                         &train, &moved, NULL),
                     STEEP_CONVERGED);
    ck_assert(moved.gradient_norm <= moved.tolerance);
    ck_assert_ptr_nonnull(strstr(moved.reason, "of lm"));
    ck_assert_int_ge(fit("gqu", NULL, 1, STEEP_SOLVER_LM, STEEP_START_UNIFORM, 40, target, &train, &plain, NULL), 0);
    ck_assert_msg(moved.rmse_train <= plain.rmse_train * (1 + 1e-3), "%g, lm %g", moved.rmse_train, plain.rmse_train);
    steep_fit_result_free(&moved);
    steep_fit_result_free(&plain);
    steep_samples_free(&train);
    steep_target_free(target);
}
END_TEST

/* The best C^1 spline that the heads leave room for: what a gqu was before it was trained any further. */
static double best_smooth_spline(const steep_target *target, const steep_samples *train, size_t width)
{
    double best = INFINITY;
    for (uint64_t restart = 0; restart < 20; restart++) {
        steep_random random = steep_random_start(restart, STEEP_STREAM_JITTER);
        double even[16], knot[16];
        steep_free_knots_result found;
        steep_spline spline;
        ck_assert_int_eq(steep_knots_equidistributed(target, 4, width - 1, even, NULL), STEEP_OK);
        memcpy(knot, even, sizeof knot);
        for (size_t i = 1; restart > 0 && i + 1 < width; i++)
            knot[i] += 0.9 * (steep_random_uniform(&random) - 0.5) * fmin(even[i] - even[i - 1], even[i + 1] - even[i]);
        ck_assert_int_ge(steep_spline_free_knots(&(steep_free_knots_problem){train, NULL, 3, 2, width - 1}, knot, NULL,
                                                 &spline, &found, NULL),
                         0);
        steep_spline_free(&spline);
        best = fmin(best, found.rmse);
    }
    return best;
}

START_TEST(a_small_gqu_leaves_the_smooth_family_behind)
{
    static const char *const names[] = {"cosine_well", "runge3"};
    steep_random random = chance_today(2);
    const size_t day = chance_below(&random, 4); /* two of four widths */
    for (size_t t = 0; t < 2; t++) {
        steep_target *target;
        steep_samples train;
        ck_assert_int_eq(steep_target_open(names[t], &target, NULL), STEEP_OK);
        ck_assert_int_eq(steep_samples_random(target, 1000, 1, &train, NULL), STEEP_OK);
        for (size_t k = 0, cases = chance_cases(2); k < cases; k++) {
            const size_t width = 3 + (day + k) % 4;
            steep_fit_result moved, plain;
            double smooth = best_smooth_spline(target, &train, width);
            ck_assert_int_ge(fit("gqu", NULL, width, STEEP_SOLVER_REDUCED_NEWTON, STEEP_START_EQUIDISTRIBUTED, 12,
                                 target, &train, &moved, NULL),
                             0);
            ck_assert_int_ge(
                fit("gqu", NULL, width, STEEP_SOLVER_LM, STEEP_START_EQUIDISTRIBUTED, 2, target, &train, &plain, NULL),
                0);
            ck_assert_msg(moved.rmse_train <= plain.rmse_train * (1 + 1e-3), "%s, %zu: %g, lm %g", names[t], width,
                          moved.rmse_train, plain.rmse_train);
            ck_assert_msg(moved.rmse_train < 0.9 * smooth, "%s, %zu: %g, smooth %g", names[t], width, moved.rmse_train,
                          smooth);
            if (moved.status == STEEP_CONVERGED) ck_assert(moved.gradient_norm <= moved.tolerance);
            steep_fit_result_free(&moved);
            steep_fit_result_free(&plain);
        }
        steep_samples_free(&train);
        steep_target_free(target);
    }
}
END_TEST

/* All gates inside, facing both ways: no gate is spent on the head. */
START_TEST(a_small_mlp_spends_no_gate_on_its_head)
{
    steep_target *target;
    steep_samples train;
    steep_fit_result moved, other;
    ck_assert_int_eq(steep_target_open("cosine_well", &target, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_random(target, 2000, 0, &train, NULL), STEEP_OK);
    ck_assert_int_ge(
        fit("mlp", NULL, 6, STEEP_SOLVER_REDUCED_NEWTON, STEEP_START_EQUIDISTRIBUTED, 0, target, &train, &moved, NULL),
        0);
    static const steep_solver solvers[] = {STEEP_SOLVER_NEWTON, STEEP_SOLVER_LM};
    static const steep_start_kind starts[] = {STEEP_START_EQUIDISTRIBUTED, STEEP_START_UNIFORM};
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 2; k++) {
            ck_assert_int_ge(fit("mlp", NULL, 6, solvers[s], starts[k], 0, target, &train, &other, NULL), 0);
            ck_assert_msg(moved.rmse_train <= other.rmse_train * (1 + 1e-3), "%g, %s %g", moved.rmse_train,
                          steep_solver_names(solvers[s]), other.rmse_train);
            steep_fit_result_free(&other);
        }
    double low = train.low[0], high = train.high[0], knot[6];
    steep_network network;
    const steep_architecture *row = steep_architecture_find("mlp", NULL, 0);
    steep_choice choice = steep_choice_default(row);
    ck_assert_int_eq(steep_network_init(&network, row, &choice, 1, 6, NULL), STEEP_OK);
    ck_assert_uint_eq(steep_gates_knots(&network, moved.theta, low, high, knot), 6);
    steep_fit_result_free(&moved);
    steep_samples_free(&train);
    steep_target_free(target);
}
END_TEST

typedef struct told {
    size_t last, begun, unknown;
    double least;
} told;

static bool listen(void *context, const steep_progress *progress)
{
    told *t = context;
    t->begun += progress->iteration < t->last;
    t->last = progress->iteration;
    t->unknown += isnan(progress->rmse);
    t->least = fmin(t->least, progress->rmse);
    return true;
}

/* One start of the solver alone, without steep_fit: theta's error by the plain formula, and the reason. */
static double one_start(const char *arch, size_t width, size_t restart, uint64_t seed, const steep_target *target,
                        const steep_samples *train, char reason[160])
{
    const steep_architecture *row = steep_architecture_find(arch, NULL, 0);
    steep_choice choice = steep_choice_default(row);
    steep_network network;
    steep_error error;
    double interior[64];
    ck_assert_int_eq(steep_network_init(&network, row, &choice, 1, width, &error), STEEP_OK);
    double *theta = malloc(network.parameters * sizeof *theta);
    unsigned char *active = malloc(network.parameters);
    memset(active, 1, network.parameters);
    steep_piecewise piecewise;
    row->piecewise(&choice, &piecewise);
    size_t cells = width - piecewise.heads + 1;
    ck_assert_int_eq(steep_knots_equidistributed(target, piecewise.degree + 1, cells, interior, &error), STEEP_OK);
    const steep_start_options how = {.kind = STEEP_START_EQUIDISTRIBUTED,
                                     .low = train->low,
                                     .high = train->high,
                                     .interior = interior + 1,
                                     .seed = seed};
    ck_assert_int_eq(steep_start(&network, &how, theta, &error), STEEP_OK);
    steep_problem problem = {&network, target, train, NULL};
    steep_fit_options options = steep_fit_options_default();
    steep_solve solve = {.active = active, .restart = restart, .seed = seed};
    ck_assert_msg(steep_solve_reduced_newton(&problem, &options, theta, &solve, &error) >= 0, "%s", error.text);
    steep_measured errors;
    ck_assert_int_eq(steep_measure(&network, theta, train, NULL, &errors, &error), STEEP_OK);
    memcpy(reason, solve.reason, 160);
    free(theta);
    free(active);
    return errors.rmse;
}

/* Each restart goes the way whose turn it is, by its name in the reason, drawn anew: a search where gates are few. */
START_TEST(every_way_has_its_turn)
{
    static const struct {
        const char *arch, *turn;
        size_t width;
    } ways[] = {{"glu", "search", 5}, {"gqu", "search", 5}, {"gqu", "search", 12}, {"mlp", "inside", 11}};
    steep_target *target;
    steep_samples train;
    ck_assert_int_eq(steep_target_open("exp(-x)*cos(8*x)", &target, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_grid(target, 400, &train, NULL), STEEP_OK);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        for (size_t restart = 1; restart <= 3; restart++) {
            char reason[160];
            double rmse[2];
            size_t taken = 0;
            for (uint64_t seed = 0; seed < 2; seed++) {
                rmse[seed] =
                    one_start(ways[w].arch, ways[w].width, restart, 11 * seed + restart, target, &train, reason);
                taken += strncmp(reason, ways[w].turn, strlen(ways[w].turn)) == 0 || strncmp(reason, "heads", 5) == 0;
                if (strcmp(ways[w].turn, "search") == 0) ck_assert_msg(strncmp(reason, "search", 6) == 0, "%s", reason);
            }
            ck_assert_uint_eq(taken, 2);
            ck_assert(rmse[0] != rmse[1]); /* other knots, another way down */
        }
    steep_samples_free(&train);
    steep_target_free(target);
}
END_TEST

/* Where the best start was cut short, steep_fit takes its end further: lower, somewhere, than any start by itself. */
START_TEST(the_best_end_is_taken_further)
{
    static const char *const targets[] = {"cosine_well", "chirp", "exp(-x)*cos(8*x)"};
    size_t further = 0;
    for (size_t t = 0; t < 3; t++) {
        steep_target *target;
        steep_samples train;
        ck_assert_int_eq(steep_target_open(targets[t], &target, NULL), STEEP_OK);
        ck_assert_int_eq(steep_samples_grid(target, 400, &train, NULL), STEEP_OK);
        for (size_t width = 6; width <= 12; width += 3) {
            char reason[160];
            steep_fit_result result;
            double alone = one_start("glu", width, 0, 0, target, &train, reason);
            ck_assert_int_ge(fit("glu", NULL, width, STEEP_SOLVER_REDUCED_NEWTON, STEEP_START_EQUIDISTRIBUTED, 0,
                                 target, &train, &result, NULL),
                             0);
            ck_assert(result.rmse_train <= alone);
            further += result.rmse_train < alone;
            steep_fit_result_free(&result);
        }
        steep_samples_free(&train);
        steep_target_free(target);
    }
    ck_assert_uint_gt(further, 0);
}
END_TEST

/* The iterations go on from strategy to strategy, and begin anew once, to finish the best end; no error is told that is
 * not a network's: C^0 cubics with a gqu's knots, those of the rough strategy, have less. */
START_TEST(the_monitor_hears_of_networks)
{
    const steep_architecture *row = steep_architecture_find("gqu", NULL, 0);
    steep_choice choice = steep_choice_default(row);
    steep_network network;
    steep_target *target;
    steep_samples train;
    steep_fit_result result;
    told t = {.least = INFINITY};
    ck_assert_int_eq(steep_target_open("cosine_well", &target, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_grid(target, 1000, &train, NULL), STEEP_OK);
    ck_assert_int_eq(steep_network_init(&network, row, &choice, 1, 8, NULL), STEEP_OK);
    steep_fit_options options = steep_fit_options_default();
    options.solver = STEEP_SOLVER_REDUCED_NEWTON;
    options.start = STEEP_START_EQUIDISTRIBUTED;
    options.restarts = 0;
    options.monitor = (steep_monitor){listen, &t};
    steep_problem problem = {&network, target, &train, NULL};
    ck_assert_int_ge(steep_fit(&problem, &options, &result, NULL), 0);
    ck_assert_msg(t.begun <= 1, "the iterations began anew %zu times", t.begun);
    ck_assert_uint_gt(t.unknown, 0);
    ck_assert_msg(t.least >= 0.999 * result.rmse_train, "told %g, reached %g", t.least, result.rmse_train);
    steep_fit_result_free(&result);
    steep_samples_free(&train);
    steep_target_free(target);
}
END_TEST

STEEP_TEST_MAIN("reduced_newton", known_minima_are_reached, free_gates_are_never_worse_than_frozen_ones,
                an_end_called_converged_has_no_gradient_in_any_parameter, what_it_cannot_do_is_refused,
                gates_too_few_for_a_head_are_trained_all_the_same, a_small_gqu_leaves_the_smooth_family_behind,
                a_small_mlp_spends_no_gate_on_its_head, the_monitor_hears_of_networks, every_way_has_its_turn,
                the_best_end_is_taken_further)
