/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gsl: the cross-check of lm, and what it does with weights, caps, monitors and faults. */
#include "fitting.h"
#include "floors.h"

static steep_status run(fitting *f)
{
    return steep_solve_gsl(&f->problem, &f->options, f->theta, &f->solve, &f->error);
}

/* Two solvers that share the network's derivatives and nothing else end in the same minimum. From random parameters two
 * descents may take different valleys, so both begin where lm is after a few steps. */
static void check_same_minimum(const char *target, const char *architecture, int activation, size_t width,
                               uint64_t seed)
{
    fitting f;
    fitting_open(&f, target, 400, architecture, activation, width, STEEP_START_RANDOM, seed);
    f.options.max_iterations = 40;
    steep_solve_marquardt(&f.problem, &f.options, f.theta, &f.solve, &f.error);
    double *start = malloc(f.network.parameters * sizeof *start);
    ck_assert(start != NULL);
    memcpy(start, f.theta, f.network.parameters * sizeof *start);
    f.options.max_iterations = 5000;
    f.options.tolerance = 1e-6; /* error in rmse: its square over the least eigenvalue */
    steep_status other = steep_solve_marquardt(&f.problem, &f.options, f.theta, &f.solve, &f.error);
    fitting_check_claims(&f, other);
    double lm = fitting_rmse(&f);
    memcpy(f.theta, start, f.network.parameters * sizeof *start);
    steep_status status = run(&f);
    fitting_check_claims(&f, status);
    double gsl = fitting_rmse(&f);
    ck_assert_msg(other == STEEP_CONVERGED && status == STEEP_CONVERGED, "%s %zu on %s: lm %s %g, gsl %s %g",
                  architecture, width, target, steep_status_name(other), lm, steep_status_name(status), gsl);
    check_close(gsl, lm, 1e-6 * lm);
    free(start);
    fitting_close(&f);
}

START_TEST(gsl_and_lm_end_in_the_same_minimum)
{
    for (size_t width = 3; width <= 5; width++) check_same_minimum("runge3", "glu", -1, width, 1);
    check_same_minimum("cos4cos4", "mlp", STEEP_TANH, 4, 3);
    check_same_minimum("sin4sin4", "mlp", -1, 4, 3);
}
END_TEST

START_TEST(weights_are_heard)
{
    fitting f;
    double knots[3] = {-1, -0.8, 1}, rmse[2];
    for (int solver = 0; solver < 2; solver++) {
        memset(&f, 0, sizeof f);
        ck_assert_int_eq(steep_target_open("cos4", &f.target, &f.error), STEEP_OK);
        ck_assert_int_eq(steep_samples_gauss(f.target, 2, knots, 40, &f.samples, &f.error), STEEP_OK);
        fitting_begin(&f, "mlp", STEEP_TANH, 2, STEEP_START_RANDOM, 4);
        steep_status status =
            solver ? run(&f) : steep_solve_marquardt(&f.problem, &f.options, f.theta, &f.solve, &f.error);
        fitting_check_claims(&f, status);
        ck_assert_int_eq(status, STEEP_CONVERGED);
        rmse[solver] = fitting_rmse(&f);
        fitting_close(&f);
    }
    check_close(rmse[0], rmse[1], 1e-12 * rmse[0]); /* the square of the tolerance, times the condition */
}
END_TEST

START_TEST(it_stops_when_told)
{
    fitting f;
    watch w;
    fitting_open(&f, "runge3", 300, "glu", -1, 4, STEEP_START_RANDOM, 4);
    fitting_watch(&f, &w);
    f.options.max_iterations = 7;
    steep_status status = run(&f);
    ck_assert_int_eq(status, STEEP_MAX_ITERATIONS);
    fitting_check_claims(&f, status);
    ck_assert_int_eq(f.solve.iterations, 7);
    ck_assert_int_eq(w.calls, 8);
    ck_assert_str_eq(w.stages, "gsl");
    ck_assert(w.last < w.first);
    check_close(w.last, fitting_rmse(&f), 300 * DBL_EPSILON * w.last);
    fitting_watch(&f, &w);
    w.stop_at = 3;
    ck_assert_int_eq(run(&f), STEEP_STOPPED);
    ck_assert_int_eq(f.solve.iterations, 2);
    fitting_close(&f);
}
END_TEST

START_TEST(faults_are_named)
{
    fitting f;
    fitting_open(&f, "runge3", 20, "glu", -1, 4, STEEP_START_RANDOM, 4);
    ck_assert_int_eq(run(&f), STEEP_BAD_INPUT);
    ck_assert(strstr(f.error.text, "20 samples") && strstr(f.error.text, "21 parameters"));
    fitting_close(&f);
    fitting_open(&f, "runge3", 100, "glu", -1, 4, STEEP_START_RANDOM, 4);
    f.samples.y[50] = NAN;
    ck_assert_int_eq(run(&f), STEEP_NOT_FINITE);
    f.samples.y[50] = INFINITY;
    ck_assert_int_eq(run(&f), STEEP_NOT_FINITE);
    ck_assert(f.error.text[0]);
    fitting_close(&f);
}
END_TEST

/* Down to rounding, and then no further, and said so. */
START_TEST(a_teacher_is_found_again)
{
    fitting f;
    fitting_open(&f, "runge3", 300, "mlp", STEEP_TANH, 3, STEEP_START_RANDOM, 3);
    fitting_teach(&f);
    for (size_t p = 0; p < f.network.parameters; p++) f.theta[p] += 1e-3 * cos(7.0 * (double)p);
    f.options.max_iterations = 400;
    steep_status status = run(&f);
    fitting_check_claims(&f, status);
    ck_assert_msg(status == STEEP_FLOOR || status == STEEP_CONVERGED, "%s: %s", steep_status_name(status),
                  f.solve.reason);
    check_close(fitting_rmse(&f), 0, 8 * floor_of(&f.network, f.theta, f.samples.count, f.samples.x));
    fitting_close(&f);
}
END_TEST

STEEP_TEST_MAIN("gsl", gsl_and_lm_end_in_the_same_minimum, weights_are_heard, it_stops_when_told, faults_are_named,
                a_teacher_is_found_again)
