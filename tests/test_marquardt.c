/* SPDX-License-Identifier: GPL-3.0-or-later */
/* marquardt: lm on networks. Known minima, every kind of unit in 1D and 2D, weights, faults; claims recomputed. */
#include "fitting.h"
#include "floors.h"

#include <sys/resource.h>

static steep_status run(fitting *f)
{
    return steep_solve_marquardt(&f->problem, &f->options, f->theta, &f->solve, &f->error);
}

/* A network learns what another one says: back to it from nearby, down to its rounding. */
START_TEST(a_teacher_is_found_again)
{
    static const struct {
        const char *target, *architecture;
        int activation;
        size_t width;
    } rows[] = {{"runge3", "mlp", STEEP_TANH, 3},
                {"sin4sin4", "mlp", STEEP_TANH, 3},
                {"runge3", "glu", STEEP_SILU, 2},
                {"sin4sin4", "glu", STEEP_GELU, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fitting f;
        fitting_open(&f, rows[i].target, 400, rows[i].architecture, rows[i].activation, rows[i].width,
                     STEEP_START_RANDOM, 3);
        fitting_teach(&f);
        for (size_t p = 0; p < f.network.parameters; p++) f.theta[p] += 1e-3 * cos(7.0 * (double)p);
        ck_assert(fitting_rmse(&f) > 1e-5);
        f.options.max_iterations = 400;
        steep_status status = run(&f);
        fitting_check_claims(&f, status);
        ck_assert_msg(status == STEEP_FLOOR || status == STEEP_CONVERGED, "%zu: %s, rmse %g, %s", i,
                      steep_status_name(status), fitting_rmse(&f), f.solve.reason);
        double floor = floor_of(&f.network, f.theta, f.samples.count, f.samples.x);
        check_close(fitting_rmse(&f), 0, 4 * floor);
        fitting_close(&f);
    }
}
END_TEST

/* No unit, no dimension needs a special case. */
START_TEST(every_unit_is_fitted_and_falls)
{
    const char *const targets[] = {"runge3", "sin4sin4"};
    size_t rows = 0;
    for (size_t i = 0; steep_architecture_table(i); i++, rows++)
        for (size_t dim = 1; dim <= 2; dim++) {
            fitting f;
            watch w;
            const char *name = steep_architecture_table(i)->name;
            fitting_open(&f, targets[dim - 1], 200 * dim, name, -1, 4, STEEP_START_RANDOM, 1);
            fitting_watch(&f, &w);
            f.options.max_iterations = 25;
            double before = fitting_rmse(&f);
            steep_status status = run(&f);
            fitting_check_claims(&f, status);
            double after = fitting_rmse(&f);
            ck_assert_msg(after < 0.99 * before, "%s in %zuD: from %g to %g (%s)", name, dim, before, after,
                          f.solve.reason);
            ck_assert_str_eq(w.stages, "lm");
            if (status == STEEP_MAX_ITERATIONS) { /* else it may end before the monitor is asked again */
                check_close(w.last, after, 400 * DBL_EPSILON * after);
                ck_assert_int_eq(w.calls, 26);
            }
            fitting_close(&f);
        }
    ck_assert_int_ge(rows, 14);
}
END_TEST

/* Weights: Gauss points stand for the interval; the gradient of the continuous error vanishes. */
START_TEST(weights_are_heard)
{
    fitting f;
    double knots[3] = {-1, -0.8, 1};
    memset(&f, 0, sizeof f);
    ck_assert_int_eq(steep_target_open("cos4", &f.target, &f.error), STEEP_OK);
    ck_assert_int_eq(steep_samples_gauss(f.target, 2, knots, 40, &f.samples, &f.error), STEEP_OK);
    fitting_begin(&f, "mlp", STEEP_TANH, 2, STEEP_START_RANDOM, 4);
    steep_status status = run(&f);
    fitting_check_claims(&f, status);
    ck_assert_int_eq(status, STEEP_CONVERGED);
    double weighted = fitting_rmse(&f), *keep = f.samples.weight;
    f.samples.weight = NULL; /* the same points, equal weights: another minimum */
    ck_assert(cosine_of(&f.problem, f.theta, NULL) > 1e-3);
    ck_assert_int_eq(run(&f), STEEP_CONVERGED);
    f.samples.weight = keep;
    ck_assert(fitting_rmse(&f) > weighted * (1 + 1e-6));
    fitting_close(&f);
}
END_TEST

START_TEST(the_gradient_meets_what_was_asked)
{
    for (double tolerance = 1e-2; tolerance > 1e-10; tolerance *= 1e-2) {
        fitting f;
        fitting_open(&f, "cos4", 300, "mlp", STEEP_TANH, 2, STEEP_START_RANDOM, 4);
        f.options.tolerance = tolerance;
        steep_status status = run(&f);
        fitting_check_claims(&f, status);
        ck_assert_msg(status == STEEP_CONVERGED, "%g: %s, %s", tolerance, steep_status_name(status), f.solve.reason);
        fitting_close(&f);
    }
}
END_TEST

START_TEST(it_stops_when_told)
{
    fitting f;
    watch w;
    fitting_open(&f, "runge3", 300, "glu", -1, 4, STEEP_START_RANDOM, 4);
    fitting_watch(&f, &w);
    w.stop_at = 4;
    ck_assert_int_eq(run(&f), STEEP_STOPPED);
    ck_assert_int_eq(f.solve.iterations, 3);
    check_close(w.last, fitting_rmse(&f), 300 * DBL_EPSILON * w.last);
    w.stop_at = 0;
    f.options.max_iterations = 5;
    steep_status status = run(&f);
    ck_assert_int_eq(status, STEEP_MAX_ITERATIONS);
    ck_assert_int_eq(f.solve.iterations, 5);
    fitting_check_claims(&f, status);
    fitting_close(&f);
}
END_TEST

START_TEST(bad_input_is_named)
{
    fitting f;
    fitting_open(&f, "runge3", 20, "glu", -1, 4, STEEP_START_RANDOM, 4);
    ck_assert_int_eq(run(&f), STEEP_BAD_INPUT);
    ck_assert(strstr(f.error.text, "20 samples") && strstr(f.error.text, "21 parameters"));
    fitting_close(&f);
    fitting_open(&f, "runge3", 100, "glu", -1, 4, STEEP_START_RANDOM, 4);
    f.samples.y[50] = NAN;
    ck_assert_int_eq(run(&f), STEEP_NOT_FINITE);
    ck_assert(f.error.text[0]);
    f.samples.y[50] = 1;
    f.theta[0] = NAN;
    ck_assert_int_eq(run(&f), STEEP_NOT_FINITE);
    fitting_close(&f);
}
END_TEST

START_TEST(no_memory_is_said_so)
{
#ifndef __SANITIZE_ADDRESS__ /* which reserves more address space than this limit */
    fitting f;
    fitting_open(&f, "runge3", 200, "glu", -1, 4, STEEP_START_RANDOM, 4);
    f.options.max_iterations = 2;
    ck_assert_int_eq(run(&f), STEEP_MAX_ITERATIONS); /* the algebra library has its own memory by now */
    fitting_close(&f);
    fitting_open(&f, "runge3", 20000, "glu", -1, 800, STEEP_START_RANDOM, 4); /* J alone: 640 MB */
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = (rlim_t)400 << 20;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0); /* of this test's own process */
    ck_assert_int_eq(run(&f), STEEP_NO_MEMORY);
    ck_assert(f.error.text[0]);
    fitting_close(&f);
#endif
}
END_TEST

/* Taught by itself: rmse 0 to rounding at the start, and that is where it ends. */
START_TEST(the_floor_is_noticed)
{
    fitting f;
    fitting_open(&f, "runge3", 200, "glu", -1, 4, STEEP_START_RANDOM, 4);
    fitting_teach(&f);
    f.samples.y[100] += DBL_EPSILON;
    steep_status (*const solvers[])(const steep_problem *, const steep_fit_options *, double *, steep_solve *,
                                    steep_error *) = {steep_solve_marquardt, steep_solve_gsl, steep_solve_newton};
    for (size_t i = 0; i < 3; i++) {
        ck_assert_int_eq(solvers[i](&f.problem, &f.options, f.theta, &f.solve, &f.error), STEEP_FLOOR);
        ck_assert_int_eq(f.solve.iterations, 0);
        ck_assert_msg(strstr(f.solve.reason, "floor") != NULL, "solver %zu: %s", i, f.solve.reason);
    }
    fitting_close(&f);
}
END_TEST

STEEP_TEST_MAIN("marquardt", a_teacher_is_found_again, every_unit_is_fitted_and_falls, weights_are_heard,
                the_gradient_meets_what_was_asked, it_stops_when_told, bad_input_is_named, no_memory_is_said_so,
                the_floor_is_noticed)
