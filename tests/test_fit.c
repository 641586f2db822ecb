/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <pthread.h>

#include "fitting.h"
#include "opened.h"
#include "penalised.h"
#include "plane.h"

START_TEST(every_number_is_the_networks_own)
{
    PLANE(p, "runge3", 300, "glu", NULL, 6);
    SCOPED(steep_samples_free) steep_samples other = grid_of(p.target, 300);
    p.problem.test = &other;
    for (steep_solver solver = 0; steep_solver_table((size_t)solver); solver++) {
        const steep_solver_row *row = steep_solver_table(solver);
        if (!solver_takes(row, &p.network, p.target)) continue;
        steep_measured train, test;
        FITTED result = plane_fit(&p, solver, STEEP_START_UNIFORM, row->iterations ? row->iterations : 20, 2);
        ck_assert_int_eq(steep_measure(&p.network, result.theta, &p.train, NULL, &train, NULL), STEEP_OK);
        ck_assert_int_eq(steep_measure(&p.network, result.theta, &other, NULL, &test, NULL), STEEP_OK);
        ck_assert(result.rmse_train == train.rmse && result.rmse_test == test.rmse);
        ck_assert(result.max_error == fmax(train.max, test.max));
        ck_assert(result.reason[0] != '\0');
        if (result.status == STEEP_CONVERGED && !row->writes) ck_assert(result.gradient_norm <= result.tolerance);
    }
}

START_TEST(converged_is_withdrawn_when_the_gradient_does_not_bear_it_out)
{
    PLANE(p, "cos4", 4000, "gqu", NULL, 700);
    steep_fit_options options = steep_fit_options_default();
    options.tolerance = 1e-15; /* a residual of 1e-11 in double cannot confirm it */
    FITTED result = plane_fit_by(&p, &options);
    ck_assert_int_eq(result.status, STEEP_FLOOR);
    ck_assert_ptr_nonnull(strstr(result.reason, "rounding"));
    ck_assert(result.gradient_norm > options.tolerance);
}

/* Restarts end in several minima: hits are the starts within 1 % of the best; option hits stops after so many of
 * them. */
START_TEST(hits_count_the_starts_that_found_the_best)
{
    enum { STARTS = 12 };
    PLANE(p, "exp(-x)*cos(8*x)", 200, "mlp", NULL, 5);
    steep_fit_options options = options_by(STEEP_SOLVER_VARPRO, STEEP_START_RANDOM);
    options.seed = 3;
    double best[STARTS];
    size_t until = 0;
    for (size_t r = 0; r < STARTS; r++) {
        size_t hits = 0;
        options.restarts = r;
        FITTED result = plane_fit_by(&p, &options);
        best[r] = result.rmse_train;
        ck_assert(r == 0 || best[r] <= best[r - 1]);
        ck_assert_uint_eq(result.starts, r + 1);
        for (size_t i = 0; i <= r; i++) hits += best[i] <= STEEP_FOUND_AGAIN * best[r];
        ck_assert_uint_ge(result.hits, 1);
        ck_assert_uint_le(result.hits, hits); /* at most: best[i] is the best of starts 0..i, start i may be worse */
        if (result.hits >= 2 && until == 0) until = r + 1;
    }
    ck_assert_uint_gt(until, 1); /* several minima are there, and one is found twice */
    options.restarts = STARTS;
    options.hits = 2;
    FITTED result = plane_fit_by(&p, &options);
    ck_assert_uint_eq(result.hits, 2);
    ck_assert_uint_eq(result.starts, until);
    ck_assert(result.rmse_train == best[until - 1]);
}

static bool count_down(void *left, const steep_progress *progress)
{
    ck_assert(progress && *(size_t *)left > 0); /* a monitor that said no is not asked again */
    return --*(size_t *)left > 0;
}

/* A fit that is stopped says so, also where an earlier start, or an earlier strategy of a start, is the best. */
START_TEST(a_stop_is_said)
{
    PLANE(p, "sin(8*x)", 60, "gqu", NULL, 4);
    for (size_t c = 0; c < 34; c++) {
        size_t left = 20 + 23 * (c / 2);
        steep_fit_options options =
            options_by(c % 2 ? STEEP_SOLVER_LM : STEEP_SOLVER_REDUCED_NEWTON, STEEP_START_UNIFORM);
        options.restarts = 300;
        options.monitor = (steep_monitor){count_down, &left};
        FITTED result = plane_fit_by(&p, &options);
        ck_assert_msg(left == 0 && result.status == STEEP_STOPPED, "case %zu: %s", c, result.reason);
    }
}

typedef struct thread {
    const steep_problem *problem;
    steep_solver solver;
    double rmse;
    pthread_t id;
} thread;

static void *fit_in_thread(void *context)
{
    thread *t = context;
    steep_fit_options options = options_by(t->solver, STEEP_START_UNIFORM);
    FITTED result;
    options.max_iterations = 12;
    options.restarts = 1;
    steep_fit(t->problem, &options, &result, NULL);
    t->rmse = result.rmse_train;
    return NULL;
}

/* Fits in several threads at once have the bits of fits alone. */
START_TEST(threads_do_not_meet)
{
    enum { TIMES = 2, MOST = 20 };
    PLANE(p, "cosine_well", 300, "glu", NULL, 10);
    thread alone[MOST], crowd[TIMES * MOST];
    size_t solvers = 0;
    for (steep_solver solver = 0; steep_solver_table((size_t)solver); solver++) {
        if (!solver_takes(steep_solver_table(solver), &p.network, p.target)) continue;
        alone[solvers] = (thread){.problem = &p.problem, .solver = solver};
        fit_in_thread(&alone[solvers]);
        ck_assert(isfinite(alone[solvers++].rmse));
    }
    for (size_t i = 0; i < TIMES * solvers; i++) {
        crowd[i] = (thread){.problem = &p.problem, .solver = alone[i % solvers].solver};
        ck_assert_int_eq(pthread_create(&crowd[i].id, NULL, fit_in_thread, &crowd[i]), 0);
    }
    for (size_t i = 0; i < TIMES * solvers; i++) {
        pthread_join(crowd[i].id, NULL);
        ck_assert_msg(crowd[i].rmse == alone[i % solvers].rmse, "%s: %.17g, alone %.17g",
                      steep_solver_names(crowd[i].solver), crowd[i].rmse, alone[i % solvers].rmse);
    }
}

/* An error above the error of the network 0 is a failure: lm stopped early, a construction too coarse. The message has
 * the error of 0 and what to do, and the result has no numbers. Zero data can be fitted. */
START_TEST(worse_than_zero_is_a_failure)
{
    static const struct {
        steep_solver solver;
        size_t width, iterations;
        double scale; /* of the values: the last fit is done in other units */
        const char *says;
    } cases[] = {{STEEP_SOLVER_LM, 16, 1, 1, "more iterations"},
                 {STEEP_SOLVER_CONSTRUCT, 4, 0, 1, "more units"},
                 {STEEP_SOLVER_LM, 16, 1, 0x1p30, "more iterations"}};
    SCOPED(plane_close) plane p;
    steep_fit_options options = steep_fit_options_default();
    char zero[32];
    plane_open(&p, "chirp", 400, "glu", NULL, 5);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        steep_fit_result result;
        for (size_t k = 0; k < p.train.count; k++) p.train.y[k] *= cases[c].scale;
        snprintf(zero, sizeof zero, "%.3g", steep_rmse_of_zero(&p.train));
        plane_change(&p, "gqu", NULL, cases[c].width);
        options.solver = cases[c].solver;
        options.max_iterations = cases[c].iterations;
        ck_assert_int_eq(steep_fit(&p.problem, &options, &result, &p.error), STEEP_SINGULAR);
        ck_assert_msg(strstr(p.error.text, zero) && strstr(p.error.text, cases[c].says), "%s", p.error.text);
        ck_assert_int_eq(result.status, STEEP_SINGULAR);
        ck_assert(result.theta == NULL && isnan(result.rmse_train) && isnan(result.rmse_test) && isnan(result.floor));
        ck_assert_ptr_nonnull(strstr(result.reason, "worse"));
    }
    for (steep_solver solver = 0; steep_solver_table((size_t)solver); solver++) { /* a rate may be bad, and usable */
        if (!steep_solver_table(solver)->trains) continue;
        SCOPED(steep_fit_result_free) steep_fit_result result;
        options.solver = solver;
        options.max_iterations = 1;
        options.training.learning_rate = 1e-9;
        ck_assert_int_eq(steep_fit(&p.problem, &options, &result, &p.error), STEEP_MAX_ITERATIONS);
        ck_assert(result.rmse_train > steep_rmse_of_zero(&p.train) && strstr(result.reason, "worse") &&
                  strstr(result.reason, zero));
    }
    memset(p.train.y, 0, p.train.count * sizeof *p.train.y);
    plane_change(&p, "glu", NULL, 5);
    p.problem.target = NULL;
    for (steep_solver solver = 0; steep_solver_table((size_t)solver); solver++)
        if (solver_takes(steep_solver_table(solver), &p.network, NULL))
            plane_rmse(&p, solver, STEEP_START_UNIFORM, 20, 0);
}

/* Solvers of all parameters refuse fewer samples, or fewer distinct points, than parameters, in 1D and 2D. frozen takes
 * all samples. */
START_TEST(repeated_points_do_not_count)
{
    for (size_t dim = 1; dim <= 2; dim++) {
        PLANE(p, dim == 1 ? "cos4" : "sin4sin4", 200, "mlp", NULL, 12);
        const size_t N = p.train.count, distinct = p.network.parameters - 1;
        p.problem.target = NULL;
        for (size_t k = distinct; k < N; k++) /* rows that repeat the last point */
            for (size_t j = 0; j < dim; j++) p.train.x[j * N + k] = p.train.x[j * N + distinct - 1];
        char same[80], few[80];
        snprintf(same, sizeof same, "%zu distinct points (200 samples) for %zu parameters", distinct, distinct + 1);
        snprintf(few, sizeof few, "%zu samples for %zu parameters", distinct, distinct + 1);
        for (steep_solver solver = 0; steep_solver_table((size_t)solver); solver++) {
            const steep_solver_row *row = steep_solver_table(solver);
            const steep_fit_options options = options_by(solver, STEEP_START_UNIFORM);
            if (!moves_all(row) || !solver_takes(row, &p.network, NULL)) continue;
            if (row->underdetermined) {
                FITTED result = plane_fit_by(&p, &options);
                ck_assert_msg(result.status >= 0, "%s: %s", row->name, result.reason);
                continue;
            }
            plane_refuses(&p, &options, same);
            p.train.count = distinct;
            plane_refuses(&p, &options, few);
            p.train.count = N;
        }
        plane_change(&p, "mlp", NULL, 250);
        for (int dense = 0; dense <= 1; dense++) {
            steep_fit_options options = steep_fit_options_default();
            options.dense = dense;
            FITTED result = plane_fit_by(&p, &options);
            ck_assert_msg(strstr(result.reason, "distinct points for"), "%s", result.reason);
        }
    }
}

START_TEST(bad_options_are_refused)
{
    const double penalties[] = {-1, NAN, INFINITY, 1e7};
    PLANE(p, "cos4", 100, "mlp", NULL, 4);
    steep_fit_options options = steep_fit_options_default(), late = options;
    for (size_t i = 0; i < 4; i++) {
        options.penalty = penalties[i];
        plane_refuses(&p, &options, "penalty");
    }
    options.penalty = 1e-9;
    options.solver = STEEP_SOLVER_CONSTRUCT;
    plane_refuses(&p, &options, "minimises nothing");
    options = late;
    options.tolerance = NAN;
    plane_refuses(&p, &options, "tolerance");
    p.problem.target = NULL;
    options = options_by(STEEP_SOLVER_FROZEN, STEEP_START_EQUIDISTRIBUTED);
    plane_refuses(&p, &options, "formula");
    late.continuous = true;
    plane_refuses(&p, &late, "formula");
    p.network = network_of("mlp", NULL, 2, 4);
    plane_refuses(&p, NULL, "2D");
    plane_change(&p, "mlp", NULL, 4);
    p.train.y[20] = NAN;
    steep_fit_result result;
    ck_assert_int_eq(steep_fit(&p.problem, NULL, &result, &p.error), STEEP_NOT_FINITE);
    ck_assert_ptr_nonnull(strstr(p.error.text, "sample 20"));
}

/* A solver that finds no step is at its floor if the gradient is as small as rounding of the plain formula makes it,
 * otherwise it is stalled. The gradient is computed from the returned parameters, in long double. */
START_TEST(a_stall_within_rounding_is_the_floor)
{
    static const struct {
        const char *arch, *target;
        size_t width;
    } cases[] = {
        {"la", "cos4", 20}, {"blend-layer", "cos4", 20}, {"blend", "cos4", 20}, {"polynorm", "cosine_well", 7}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        PLANE(p, cases[c].target, 300, cases[c].arch, NULL, cases[c].width);
        const size_t P = p.network.parameters, N = p.train.count;
        FITTED result = plane_fit(&p, STEEP_SOLVER_VARPRO, STEEP_START_UNIFORM, 0, STEEP_AUTO);
        double *J = malloc(N * (P + 1) * sizeof *J), *y = J + N * P, worst = 0;
        ck_assert_int_eq(steep_network_jacobian(&p.network, result.theta, N, p.train.x, y, J, N), STEEP_OK);
        for (size_t j = 0; j < P; j++) {
            long double dot = 0, square = 0;
            for (size_t k = 0; k < N; k++) {
                dot += (long double)J[k + j * N] * (y[k] - p.train.y[k]);
                square += (long double)J[k + j * N] * J[k + j * N];
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
    PLANE_AT(line, "x", true, 300, 0, "mlp", NULL, 2); /* a search has no other end than its cap */
    FITTED exact = plane_fit(&line, STEEP_SOLVER_REDUCED_NEWTON, STEEP_START_EQUIDISTRIBUTED, 0, 1);
    ck_assert_int_eq(exact.status, STEEP_FLOOR);
    PLANE_AT(bent, "abs(x)^1.5", true, 300, 0, "gqu", "silu", 8); /* its gradient is rounding, but its error is not */
    FITTED capped = plane_fit(&bent, STEEP_SOLVER_VARPRO, STEEP_START_UNIFORM, 40, 0);
    ck_assert_int_eq(capped.status, STEEP_MAX_ITERATIONS);
}

/* On a target that the network can hold exactly, restarts end at the rounding floor: no end is better, and no two ends
 * agree within 1 %. */
START_TEST(restarts_end_at_the_rounding_floor)
{
    for (size_t c = 0; c < 4; c++) {
        PLANE(p, "max(0,x-.3)+.5*max(0,.1-x)", 400, c % 2 ? "glu" : "mlp", NULL, 2 + c);
        FITTED result = plane_fit(&p, STEEP_SOLVER_REDUCED_NEWTON, STEEP_START_UNIFORM, 0, STEEP_AUTO);
        check_close(result.rmse_train, 0, 8 * result.floor);
        ck_assert_uint_le(result.starts, 24); /* of at most 241 */
    }
}

/* Default restarts of reduced-newton, and hits that end them; with given restarts no hits end them. */
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

/* A fit with a penalty; requires a gradient as small as its solver promises. */
static steep_fit_result penalised(plane *p, steep_solver solver, double penalty, const double *initial)
{
    const steep_solver_row *by = steep_solver_table(solver);
    steep_fit_options options = options_by(solver, STEEP_START_UNIFORM);
    options.penalty = penalty;
    options.max_iterations = by->iterations ? by->iterations : 1000;
    options.tolerance = fmax(options.tolerance, by->reaches);
    options.initial = initial;
    steep_fit_result result = plane_fit_by(p, &options);
    ck_assert_msg(result.gradient_norm <= options.tolerance || result.status == STEEP_FLOOR,
                  "%s, %s, %g: %s, gradient %g", by->name, p->network.architecture->name, penalty, result.reason,
                  result.gradient_norm);
    return result;
}

/* lm starts from the network that the values come from, every other solver near lm's end. All find the same minimum of
 * the objective, below the start. A solver that promises less (reaches) ends below its own start. A larger penalty
 * gives smaller contributions of the units. Each day tests one of three units; other solvers one of three penalties. */
START_TEST(a_penalty_is_what_every_solver_minimises)
{
    static const char *const arches[] = {"mlp", "glu", "la"};
    gsl_set_error_handler_off();
    steep_random random = chance_today(1);
    const size_t day = chance_below(&random, 6);
    for (size_t i = 0, cases = chance_cases(1); i < cases; i++) {
        const size_t c = (day + i) % 6, drawn = chance_below(&random, 3);
        PLANE(p, c % 2 ? "sin4sin4" : "runge3", 300, arches[c / 2], NULL, 2);
        steep_choice choice = p.network.choice; /* smooth: no kink on a point */
        ck_assert_int_eq(steep_choice_parse("tanh", "gs", NULL, &choice, NULL), STEEP_OK);
        p.network = layout_of(p.network.architecture, &choice, p.train.dim, 2);
        const size_t P = p.network.parameters;
        SCOPED(release_memory) double *teacher = malloc(P * sizeof *teacher), *near = malloc(P * sizeof *near);
        double size_before = INFINITY;
        start_of(&p.network, &p.train, STEEP_START_RANDOM, c, teacher);
        ck_assert_int_eq(steep_network_values(&p.network, teacher, p.train.count, p.train.x, p.train.y), STEEP_OK);
        for (size_t k = 0; k < 3; k++) {
            const double penalty = pow(10, (double)k - 6), start = objective_of(&p.problem, penalty, teacher, 0);
            FITTED lm = penalised(&p, STEEP_SOLVER_LM, penalty, teacher);
            const double least = objective_of(&p.problem, penalty, lm.theta, lm.rmse_train),
                         size = (least * least - pow(lm.rmse_train, 2)) / penalty;
            ck_assert_msg(size < size_before, "%g: contributions %g, before %g", penalty, size, size_before);
            ck_assert(least <= start);
            size_before = size;
            for (size_t j = 0; j < P; j++) near[j] = lm.theta[j] * (j % 2 ? 1.001 : 0.999);
            const double begin = objective_of(&p.problem, penalty, near, plane_error(&p, near));
            for (steep_solver solver = 0; k == drawn && steep_solver_table((size_t)solver); solver++) {
                const steep_solver_row *by = steep_solver_table(solver);
                if (!moves_all(by) || !solver_takes(by, &p.network, NULL)) continue;
                FITTED result = penalised(&p, solver, penalty, near);
                const double value = objective_of(&p.problem, penalty, result.theta, result.rmse_train),
                             most = by->reaches > 0 ? begin : fmin(start, least * (1 + 1e-5));
                ck_assert_msg(value <= most, "%s, case %zu, %g: %.17g, at most %.17g", by->name, c, penalty, value,
                              most);
            }
        }
    }
}

/* With a penalty, reduced-newton goes on from its plain minimum, to a lower objective and a larger error. */
START_TEST(a_penalty_takes_reduced_newton_further)
{
    const double penalty = 1e-4;
    for (size_t width = 4; width <= 40; width += 36) {
        PLANE(p, "runge3", 400, width % 8 ? "mlp" : "glu", NULL, width);
        steep_fit_options options = options_by(STEEP_SOLVER_REDUCED_NEWTON, STEEP_START_UNIFORM);
        options.restarts = 1;
        FITTED plain = plane_fit_by(&p, &options);
        options.penalty = penalty;
        FITTED penalised = plane_fit_by(&p, &options);
        const double before = objective_of(&p.problem, penalty, plain.theta, plain.rmse_train),
                     after = objective_of(&p.problem, penalty, penalised.theta, penalised.rmse_train);
        ck_assert_msg(after < before && penalised.rmse_train > plain.rmse_train, "width %zu: %g, before %g", width,
                      after, before);
    }
}
