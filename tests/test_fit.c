/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/problem.h"
#include "opened.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <pthread.h>

#include "fit/penalty.h"
#include "penalised.h"
#include "fitting.h"
#include "measure/measured.h"
#include "units.h"

/* Opened before each test, closed after it, by hand: the harness has one test case. */
typedef struct bench {
    steep_target *target;
    steep_samples train, test;
} bench;

static bench open_bench(const char *name, size_t count)
{
    bench b;
    ck_assert_int_eq(steep_target_open(name, &b.target, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_random(b.target, count, 1, &b.train, NULL), STEEP_OK);
    ck_assert_int_eq(steep_samples_grid(b.target, count, &b.test, NULL), STEEP_OK);
    return b;
}

static void close_bench(bench *b)
{
    steep_samples_free(&b->train);
    steep_samples_free(&b->test);
    steep_target_free(b->target);
}

START_TEST(every_number_is_the_networks_own)
{
    SCOPED(close_bench) bench b = open_bench("runge3", 1000);
    steep_network network = network_of("glu", NULL, 1, 6);
    for (steep_solver solver = 0; solver < STEEP_SOLVERS; solver++) {
        const steep_solver_row *row = steep_solver_table(solver);
        if (!solver_takes(row, &network, b.target)) continue;
        steep_fit_options options = steep_fit_options_default();
        steep_problem problem = {&network, b.target, &b.train, &b.test};
        SCOPED(steep_fit_result_free) steep_fit_result result;
        steep_measured train, test;
        steep_error error;
        options.solver = solver;
        options.max_iterations = row->iterations ? row->iterations : 20;
        options.restarts = 2;
        ck_assert_msg(steep_fit(&problem, &options, &result, &error) >= 0, "%s: %s", row->name, error.text);
        ck_assert_int_eq(steep_measure(&network, result.theta, &b.train, NULL, &train, NULL), STEEP_OK);
        ck_assert_int_eq(steep_measure(&network, result.theta, &b.test, NULL, &test, NULL), STEEP_OK);
        ck_assert(result.rmse_train == train.rmse && result.rmse_test == test.rmse);
        ck_assert(result.max_error == (train.max > test.max ? train.max : test.max));
        ck_assert(result.reason[0] != '\0');
        if (result.status == STEEP_CONVERGED && !row->writes) ck_assert(result.gradient_norm <= result.tolerance);
    }
}
END_TEST

START_TEST(converged_is_withdrawn_when_the_gradient_does_not_bear_it_out)
{
    SCOPED(close_bench) bench b = open_bench("cos4", 4000);
    steep_network network = network_of("gqu", NULL, 1, 700);
    steep_fit_options options = steep_fit_options_default();
    steep_problem problem = {&network, b.target, &b.train, NULL};
    SCOPED(steep_fit_result_free) steep_fit_result result;
    options.tolerance = 1e-15; /* no residual of 1e-11 in double bears that out */
    ck_assert_int_eq(steep_fit(&problem, &options, &result, NULL), STEEP_FLOOR);
    ck_assert_ptr_nonnull(strstr(result.reason, "rounding"));
    ck_assert(result.gradient_norm > options.tolerance);
}
END_TEST

/* Restarts that end in several minima: hits are those within 1 % of the best, and "hits" stops once it is found again.
 */
START_TEST(hits_count_the_starts_that_found_the_best)
{
    enum { STARTS = 12 };
    SCOPED(close_bench) bench b = open_bench("exp(-x)*cos(8*x)", 200);
    steep_network network = network_of("mlp", NULL, 1, 5);
    steep_problem problem = {&network, b.target, &b.train, NULL};
    steep_fit_options options = steep_fit_options_default();
    options.solver = STEEP_SOLVER_VARPRO;
    options.start = STEEP_START_RANDOM;
    options.seed = 3;
    double best[STARTS];
    size_t until = 0;
    for (size_t r = 0; r < STARTS; r++) {
        SCOPED(steep_fit_result_free) steep_fit_result result;
        size_t hits = 0;
        options.restarts = r;
        ck_assert_int_ge(steep_fit(&problem, &options, &result, NULL), 0);
        best[r] = result.rmse_train;
        ck_assert(r == 0 || best[r] <= best[r - 1]);
        ck_assert_uint_eq(result.starts, r + 1);
        for (size_t i = 0; i <= r; i++) hits += best[i] <= STEEP_FOUND_AGAIN * best[r];
        ck_assert_uint_ge(result.hits, 1);
        ck_assert_uint_le(result.hits, hits); /* best[i] is the best up to i: a start that did worse stands there too */
        if (result.hits >= 2 && until == 0) until = r + 1;
    }
    ck_assert_uint_gt(until, 1); /* several minima are there, and one is found twice */
    SCOPED(steep_fit_result_free) steep_fit_result result;
    options.restarts = STARTS;
    options.hits = 2;
    ck_assert_int_ge(steep_fit(&problem, &options, &result, NULL), 0);
    ck_assert_uint_eq(result.hits, 2);
    ck_assert_uint_eq(result.starts, until);
    ck_assert(result.rmse_train == best[until - 1]);
}
END_TEST

typedef struct thread {
    const steep_problem *problem;
    steep_solver solver;
    double rmse;
    pthread_t id;
} thread;

static void *fit_in_thread(void *context)
{
    thread *t = context;
    steep_fit_options options = steep_fit_options_default();
    steep_fit_result result;
    options.solver = t->solver;
    options.max_iterations = 12;
    options.restarts = 1;
    steep_fit(t->problem, &options, &result, NULL);
    t->rmse = result.rmse_train;
    steep_fit_result_free(&result);
    return NULL;
}

/* Several threads fit at once, each with the bits that one alone gets. */
START_TEST(threads_do_not_meet)
{
    enum { TIMES = 2 };
    SCOPED(close_bench) bench b = open_bench("cosine_well", 300);
    steep_network network = network_of("glu", NULL, 1, 10);
    steep_problem problem = {&network, b.target, &b.train, NULL};
    thread alone[STEEP_SOLVERS], crowd[TIMES * STEEP_SOLVERS];
    size_t solvers = 0;
    for (steep_solver solver = 0; solver < STEEP_SOLVERS; solver++) {
        if (!solver_takes(steep_solver_table(solver), &network, b.target)) continue;
        alone[solvers] = (thread){.problem = &problem, .solver = solver};
        fit_in_thread(&alone[solvers]);
        ck_assert(isfinite(alone[solvers++].rmse));
    }
    for (size_t i = 0; i < TIMES * solvers; i++) {
        crowd[i] = (thread){.problem = &problem, .solver = alone[i % solvers].solver};
        ck_assert_int_eq(pthread_create(&crowd[i].id, NULL, fit_in_thread, &crowd[i]), 0);
    }
    for (size_t i = 0; i < TIMES * solvers; i++) {
        pthread_join(crowd[i].id, NULL);
        ck_assert_msg(crowd[i].rmse == alone[i % solvers].rmse, "%s: %.17g, alone %.17g",
                      steep_solver_names(crowd[i].solver), crowd[i].rmse, alone[i % solvers].rmse);
    }
}
END_TEST

/* An error above that of the network that is 0 everywhere is a failure: lm cut short, a construction too coarse. The
 * message has both numbers and what to do, and nothing of the fit is left to be used. Zero data can be fitted. */
START_TEST(worse_than_zero_is_a_failure)
{
    static const struct {
        steep_solver solver;
        size_t width, iterations;
        const char *says;
    } cases[] = {{STEEP_SOLVER_LM, 16, 1, "more iterations"}, {STEEP_SOLVER_CONSTRUCT, 4, 0, "more units"}};
    SCOPED(close_bench) bench b = open_bench("chirp", 400);
    steep_network network = network_of("gqu", NULL, 1, 16);
    steep_fit_options options = steep_fit_options_default();
    steep_fit_result result;
    steep_error error;
    char zero[32];
    snprintf(zero, sizeof zero, "%.3g", steep_rmse_of_zero(&b.train));
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        network = network_of("gqu", NULL, 1, cases[c].width);
        options.solver = cases[c].solver;
        options.max_iterations = cases[c].iterations;
        steep_problem problem = {&network, b.target, &b.train, &b.test};
        ck_assert_int_eq(steep_fit(&problem, &options, &result, &error), STEEP_SINGULAR);
        ck_assert_msg(strstr(error.text, zero) && strstr(error.text, cases[c].says), "%s", error.text);
        ck_assert_int_eq(result.status, STEEP_SINGULAR);
        ck_assert(result.theta == NULL && isnan(result.rmse_train) && isnan(result.rmse_test) && isnan(result.floor));
        ck_assert_ptr_nonnull(strstr(result.reason, "worse"));
        steep_fit_result_free(&result);
    }
    memset(b.train.y, 0, b.train.count * sizeof *b.train.y);
    options.max_iterations = 20;
    options.restarts = 0;
    network = network_of("glu", NULL, 1, 5);
    for (steep_solver solver = 0; solver < STEEP_SOLVERS; solver++) {
        steep_problem problem = {&network, NULL, &b.train, NULL};
        if (!solver_takes(steep_solver_table(solver), &network, NULL)) continue;
        options.solver = solver;
        ck_assert_msg(steep_fit(&problem, &options, &result, &error) >= 0, "%s: %s", steep_solver_names(solver),
                      error.text);
        steep_fit_result_free(&result);
    }
}
END_TEST

/* Every solver of all parameters counts distinct points, in one dimension and in two; frozen takes what a file has. */
START_TEST(repeated_points_do_not_count)
{
    for (size_t dim = 1; dim <= 2; dim++) {
        SCOPED(close_bench) bench b = open_bench(dim == 1 ? "cos4" : "sin4sin4", 200);
        steep_network network = network_of("mlp", NULL, dim, 12);
        size_t distinct = network.parameters - 1;
        for (size_t k = distinct; k < b.train.count; k++) /* rows that repeat the last point */
            for (size_t j = 0; j < dim; j++)
                b.train.x[j * b.train.count + k] = b.train.x[j * b.train.count + distinct - 1];
        for (steep_solver solver = 0; solver < STEEP_SOLVERS; solver++) {
            const steep_solver_row *row = steep_solver_table(solver);
            steep_fit_options options = steep_fit_options_default();
            steep_problem problem = {&network, NULL, &b.train, NULL};
            steep_fit_result result;
            steep_error error;
            char says[80];
            options.solver = solver;
            if (!moves_all(row) || !solver_takes(row, &network, NULL)) continue;
            snprintf(says, sizeof says, "%zu distinct points (200 samples) for %zu parameters", distinct,
                     network.parameters);
            ck_assert_int_eq(steep_fit(&problem, &options, &result, &error), STEEP_BAD_INPUT);
            ck_assert_msg(strstr(error.text, says), "%s: %s", steep_solver_names(solver), error.text);
        }
        for (int dense = 0; dense <= 1; dense++) {
            steep_fit_options options = steep_fit_options_default();
            steep_network wide = network_of("mlp", NULL, dim, 250);
            steep_problem problem = {&wide, NULL, &b.train, NULL};
            SCOPED(steep_fit_result_free) steep_fit_result result;
            options.dense = dense;
            ck_assert_int_ge(steep_fit(&problem, &options, &result, NULL), 0);
            ck_assert_msg(strstr(result.reason, "distinct points for"), "%s", result.reason);
        }
    }
}
END_TEST

START_TEST(bad_options_are_refused)
{
    SCOPED(close_bench) bench b = open_bench("cos4", 100);
    steep_network line = network_of("mlp", NULL, 1, 4), plane = network_of("mlp", NULL, 2, 4);
    steep_fit_options options = steep_fit_options_default();
    steep_fit_result result;
    steep_error error;
    steep_problem wrong = {&plane, b.target, &b.train, NULL}, problem = {&line, b.target, &b.train, NULL},
                  points = {&line, NULL, &b.train, NULL};
    ck_assert_int_eq(steep_fit(&wrong, NULL, &result, &error), STEEP_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "2D"));
    options.tolerance = NAN;
    ck_assert_int_eq(steep_fit(&problem, &options, &result, &error), STEEP_BAD_INPUT);
    options = steep_fit_options_default();
    options.start = STEEP_START_EQUIDISTRIBUTED;
    ck_assert_int_eq(steep_fit(&points, &options, &result, &error), STEEP_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "formula"));
    options = steep_fit_options_default();
    options.continuous = true;
    ck_assert_int_eq(steep_fit(&points, &options, &result, &error), STEEP_BAD_INPUT);
}
END_TEST

/* A solver that finds no step has ended at its floor where the gradient is of the size that rounding of the plain
 * formula makes, else it is stalled: from the parameters returned, by sums in long double. */
START_TEST(a_stall_within_rounding_is_the_floor)
{
    static const struct {
        const char *arch, *target;
        size_t width;
    } cases[] = {
        {"polynorm", "cosine_well", 7}, {"polynorm", "cos4", 7}, {"blend", "cos4", 20}, {"blend", "cosine_well", 12}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        SCOPED(close_bench) bench b = open_bench(cases[c].target, 300);
        steep_network network = network_of(cases[c].arch, NULL, 1, cases[c].width);
        steep_problem problem = {&network, b.target, &b.train, NULL};
        steep_fit_options options = steep_fit_options_default();
        SCOPED(steep_fit_result_free) steep_fit_result result;
        size_t P = network.parameters, N = b.train.count;
        options.solver = STEEP_SOLVER_VARPRO;
        ck_assert_int_ge(steep_fit(&problem, &options, &result, NULL), 0);
        double *J = malloc(N * (P + 1) * sizeof *J), *y = J + N * P, worst = 0;
        ck_assert_int_eq(steep_network_jacobian(&network, result.theta, N, b.train.x, y, J, N), STEEP_OK);
        for (size_t p = 0; p < P; p++) {
            long double dot = 0, square = 0;
            for (size_t k = 0; k < N; k++) {
                dot += (long double)J[k + p * N] * (y[k] - b.train.y[k]);
                square += (long double)J[k + p * N] * J[k + p * N];
            }
            if (square > 0) worst = fmax(worst, (double)fabsl(dot / sqrtl(square * (long double)N)));
        }
        bool rounding = worst <= 30 * result.floor, met = result.gradient_norm <= result.tolerance;
        ck_assert_msg(met || result.status == STEEP_MAX_ITERATIONS ||
                          result.status == (rounding ? STEEP_FLOOR : STEEP_STALLED),
                      "%s on %s: %s, gradient times rmse %g, floor %g", cases[c].arch, cases[c].target,
                      steep_status_name(result.status), worst, result.floor);
        if (c < 3) ck_assert_int_eq(result.status, STEEP_FLOOR);
        free(J);
    }
}
END_TEST

/* A target that the network holds exactly: no end is better than one at the rounding floor, and none is the same within
 * 1 %. */
START_TEST(restarts_end_at_the_rounding_floor)
{
    SCOPED(close_bench) bench b = open_bench("max(0,x-.3)+.5*max(0,.1-x)", 400);
    const char *const arch[] = {"mlp", "glu"};
    for (size_t c = 0; c < 4; c++) {
        steep_network network = network_of(arch[c % 2], NULL, 1, 2 + c);
        steep_problem problem = {&network, b.target, &b.train, NULL};
        steep_fit_options options = steep_fit_options_default();
        SCOPED(steep_fit_result_free) steep_fit_result result;
        options.solver = STEEP_SOLVER_REDUCED_NEWTON;
        options.start = STEEP_START_UNIFORM;
        ck_assert_int_ge(steep_fit(&problem, &options, &result, NULL), 0);
        printf("%s of %zu: %.3g, floor %.3g, %zu starts\n", arch[c % 2], network.width, result.rmse_train, result.floor,
               result.starts);
        ck_assert(result.rmse_train <= 8 * result.floor);
        ck_assert_uint_le(result.starts, 24); /* of 241 */
    }
}
END_TEST

/* Hits that end the restarts by themselves: where the solver searches and was not told how often. */
START_TEST(hits_are_counted_where_gates_are_few)
{
    static const struct {
        const char *arch;
        size_t width, restarts, hits;
    } expected[] = {{"mlp", 8, 240, 35}, {"glu", 6, 240, 35}, {"gqu", 8, 240, 35}, {"glu", 9, 40, 0},
                    {"gqu", 12, 40, 35}, {"gqu", 13, 40, 0},  {"mlp", 33, 0, 0}};
    for (size_t c = 0; c < sizeof expected / sizeof *expected; c++) {
        steep_network network = network_of(expected[c].arch, NULL, 1, expected[c].width);
        steep_fit_options options = steep_fit_options_default();
        ck_assert_uint_eq(steep_fit_restarts(&network, &options).hits, 0); /* frozen */
        options.solver = STEEP_SOLVER_REDUCED_NEWTON;
        ck_assert_uint_eq(steep_fit_restarts(&network, &options).hits, expected[c].hits);
        ck_assert_uint_eq(steep_fit_restarts(&network, &options).most, expected[c].restarts);
        options.hits = 2;
        ck_assert_uint_eq(steep_fit_restarts(&network, &options).hits, 2);
        options.hits = STEEP_AUTO;
        options.restarts = 7;
        ck_assert_uint_eq(steep_fit_restarts(&network, &options).hits, 0);
        ck_assert_uint_eq(steep_fit_restarts(&network, &options).most, 7);
    }
}
END_TEST

/* lm from the network that the values are of, and every other solver from near its end: the same minimum, below the start,
 * with a gradient of the whole objective of 0. One that promises less (reaches) ends below its own start, with a gradient
 * as small as it promises. The larger the penalty, the smaller the contributions of the units. Of three units in one
 * dimension or two one a day, and of three penalties one for the solvers beside lm. */
START_TEST(a_penalty_is_what_every_solver_minimises)
{
    static const char *const arches[] = {"mlp", "glu", "la"};
    gsl_set_error_handler_off();
    steep_random random = chance_today(1);
    const size_t day = chance_below(&random, 6);
    for (size_t i = 0, cases = chance_cases(1); i < cases; i++) {
        const size_t c = (day + i) % 6, dim = 1 + c % 2, drawn = chance_below(&random, 3);
        SCOPED(close_bench) bench b = open_bench(dim == 1 ? "runge3" : "sin4sin4", 300);
        const steep_architecture *row = steep_architecture_find(arches[c / 2], NULL, 0);
        steep_choice choice = steep_choice_default(row); /* smooth: no kink on a point */
        ck_assert_int_eq(steep_choice_parse("tanh", "gs", NULL, &choice, NULL), STEEP_OK);
        steep_network network = layout_of(row, &choice, dim, 2);
        const steep_problem problem = {&network, b.target, &b.train, NULL};
        double size_before = INFINITY, *teacher = malloc(2 * network.parameters * sizeof *teacher),
               *near = teacher + network.parameters, start, begin, value;
        start_of(&network, &b.train, STEEP_START_RANDOM, c, teacher);
        ck_assert_int_eq(steep_network_values(&network, teacher, b.train.count, b.train.x, b.train.y), STEEP_OK);
        for (size_t k = 0; k < 3; k++) {
            const double penalty = pow(10, (double)k - 6);
            double least = NAN;
            start = objective_of(&problem, penalty, teacher, 0);
            for (size_t s = 0; s <= (k == drawn ? STEEP_SOLVERS : 0);
                 s++) { /* first lm, by which the others are judged */
                const steep_solver solver = s == 0 ? STEEP_SOLVER_LM : (steep_solver)(s - 1);
                const steep_solver_row *by = steep_solver_table(solver);
                const char *name = by->name;
                if (!moves_all(by) || !solver_takes(by, &network, NULL)) continue;
                steep_fit_options options = steep_fit_options_default();
                SCOPED(steep_fit_result_free) steep_fit_result result;
                steep_error error = {{0}};
                options.solver = solver;
                options.penalty = penalty;
                options.max_iterations = by->iterations ? by->iterations : 1000;
                options.tolerance = fmax(options.tolerance, by->reaches);
                options.initial = s == 0 ? teacher : near;
                steep_measured before;
                ck_assert_int_eq(steep_measure(&network, options.initial, &b.train, NULL, &before, NULL), STEEP_OK);
                begin = objective_of(&problem, penalty, options.initial, before.rmse);
                ck_assert_msg(steep_fit(&problem, &options, &result, &error) >= 0, "%s", error.text);
                value = objective_of(&problem, penalty, result.theta, result.rmse_train);
                if (s == 0) {
                    const double size = (value * value - pow(result.rmse_train, 2)) / penalty;
                    ck_assert_msg(size < size_before, "%g: contributions %g, before %g", penalty, size, size_before);
                    size_before = size;
                    least = value;
                    for (size_t p = 0; p < network.parameters; p++) near[p] = result.theta[p] * (p % 2 ? 1.001 : 0.999);
                }
                const double most = by->reaches > 0 ? begin : fmin(start, least * (1 + 1e-5));
                ck_assert_msg(value <= most, "%s, %s in %zuD, %g: %.17g, at most %.17g", name, arches[c / 2], dim,
                              penalty, value, most);
                ck_assert_msg(result.gradient_norm <= options.tolerance || result.status == STEEP_FLOOR,
                              "%s, %s in %zuD, %g: %s, gradient %g", name, arches[c / 2], dim, penalty, result.reason,
                              result.gradient_norm);
            }
        }
        free(teacher);
    }
}
END_TEST

/* reduced-newton goes on from its plain minimum: no larger an objective than there, by any penalty. */
START_TEST(a_penalty_takes_reduced_newton_further)
{
    SCOPED(close_bench) bench b = open_bench("runge3", 400);
    for (size_t width = 4; width <= 40; width += 36) {
        steep_network network = network_of(width % 8 ? "mlp" : "glu", NULL, 1, width);
        const steep_problem problem = {&network, b.target, &b.train, NULL};
        steep_fit_options options = steep_fit_options_default();
        SCOPED(steep_fit_result_free) steep_fit_result plain, penalised;
        double before, after;
        options.solver = STEEP_SOLVER_REDUCED_NEWTON;
        options.restarts = 2;
        ck_assert_int_ge(steep_fit(&problem, &options, &plain, NULL), 0);
        options.penalty = 1e-4;
        ck_assert_int_ge(steep_fit(&problem, &options, &penalised, NULL), 0);
        before = objective_of(&problem, 1e-4, plain.theta, plain.rmse_train);
        after = objective_of(&problem, 1e-4, penalised.theta, penalised.rmse_train);
        ck_assert_msg(after < before && penalised.rmse_train > plain.rmse_train, "width %zu: %g, before %g", width,
                      after, before);
    }
}
END_TEST

/* And with one the dense road is taken, where without it the spline road is. */
START_TEST(bad_penalties_are_refused)
{
    SCOPED(close_bench) bench b = open_bench("runge3", 300);
    steep_network network = network_of("mlp", NULL, 1, 5);
    const steep_problem problem = {&network, b.target, &b.train, NULL};
    const double wrong[] = {-1, NAN, INFINITY, 1e7};
    steep_fit_options options = steep_fit_options_default();
    SCOPED(steep_fit_result_free) steep_fit_result result;
    steep_error error;
    for (size_t i = 0; i < 4; i++) {
        options.penalty = wrong[i];
        ck_assert_int_eq(steep_fit(&problem, &options, &result, &error), STEEP_BAD_INPUT);
        ck_assert(strstr(error.text, "penalty"));
    }
    options.penalty = 1e-9;
    options.solver = STEEP_SOLVER_CONSTRUCT;
    ck_assert_int_eq(steep_fit(&problem, &options, &result, &error), STEEP_BAD_INPUT);
    ck_assert_msg(strstr(error.text, "minimises nothing"), "%s", error.text);
    options.solver = STEEP_SOLVER_FROZEN;
    ck_assert_int_ge(steep_fit(&problem, &options, &result, &error), 0);
    ck_assert_msg(strstr(result.reason, "dense"), "%s", result.reason);
    steep_fit_result_free(&result);
    options.penalty = 0;
    ck_assert_int_ge(steep_fit(&problem, &options, &result, &error), 0);
    ck_assert_msg(strstr(result.reason, "spline"), "%s", result.reason);
}
END_TEST

STEEP_TEST_MAIN("fit", every_number_is_the_networks_own, converged_is_withdrawn_when_the_gradient_does_not_bear_it_out,
                hits_count_the_starts_that_found_the_best, threads_do_not_meet, worse_than_zero_is_a_failure,
                repeated_points_do_not_count, bad_options_are_refused, a_stall_within_rounding_is_the_floor,
                hits_are_counted_where_gates_are_few, restarts_end_at_the_rounding_floor,
                a_penalty_is_what_every_solver_minimises, a_penalty_takes_reduced_newton_further,
                bad_penalties_are_refused)
