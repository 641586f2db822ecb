/* SPDX-License-Identifier: GPL-3.0-or-later */
/* marquardt: lm and the other solvers that descend in all parameters, on networks in 1D and 2D: known minima, weights,
 * faults; claims recomputed. */
#include "fitting.h"
#include "floors.h"
#include "solvers.h"

/* The solvers that descend in all parameters, each from the start in theta. */
static const char *const descents[] = {"lm", "gsl", "newton", "varpro"};
enum { DESCENTS = sizeof descents / sizeof *descents };

static bool is_newton(size_t d)
{
    return strcmp(steep_solver_names((size_t)solver_named(descents[d])), "newton") == 0;
}

static steep_status run_by(size_t d, fitting *f)
{
    const steep_solver_row *row = steep_solver_table((size_t)solver_named(descents[d]));
    return row->solve(&f->problem, &f->options, f->theta, &f->solve, &f->error);
}

/* From near a teacher's parameters, solvers get back to the teacher's values, down to rounding. */
START_TEST(a_teacher_is_found_again)
{
    static const struct {
        const char *target, *architecture;
        int activation;
        size_t width, by; /* by: the first so many of descents */
    } rows[] = {{"runge3", "mlp", STEEP_TANH, 1, 3},
                {"runge3", "mlp", STEEP_TANH, 3, 2},
                {"sin4sin4", "mlp", STEEP_TANH, 3, 1},
                {"runge3", "glu", STEEP_SILU, 2, 1},
                {"sin4sin4", "glu", STEEP_GELU, 2, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t d = 0; d < rows[i].by; d++) {
            FITTING(f, rows[i].target, 400, rows[i].architecture, rows[i].activation, rows[i].width, STEEP_START_RANDOM,
                    3);
            fitting_teach(&f);
            for (size_t p = 0; p < f.network.parameters; p++) f.theta[p] += 1e-3 * cos(7.0 * (double)p);
            ck_assert(fitting_rmse(&f) > 1e-5);
            f.options.max_iterations = 400;
            steep_status status = run_by(d, &f);
            fitting_check_claims(&f, status);
            const bool stall = is_newton(d) && status == STEEP_STALLED; /* steep_fit judges it */
            ck_assert_msg(status == STEEP_FLOOR || status == STEEP_CONVERGED || stall, "%s, %zu: %s, rmse %g, %s",
                          descents[d], i, steep_status_name(status), fitting_rmse(&f), f.solve.reason);
            check_close(fitting_rmse(&f), 0, 8 * floor_of(&f.network, f.theta, f.samples.count, f.samples.x));
        }
}

/* Weights count: Gauss points stand for the interval, and the gradient of the weighted error vanishes; with equal
 * weights there is another minimum. */
START_TEST(weights_are_heard)
{
    for (size_t d = 0; d < DESCENTS; d++) {
        SCOPED(fitting_close) fitting f;
        double knots[3] = {-1, -0.8, 1};
        memset(&f, 0, sizeof f);
        ck_assert_int_eq(steep_target_open("cos4", &f.target, &f.error), STEEP_OK);
        ck_assert_int_eq(steep_samples_gauss(f.target, 2, knots, 40, &f.samples, &f.error), STEEP_OK);
        fitting_begin(&f, "mlp", STEEP_TANH, is_newton(d) ? 1 : 2, STEEP_START_RANDOM, 4);
        steep_status status = run_by(d, &f);
        fitting_check_claims(&f, status);
        ck_assert_msg(status == STEEP_CONVERGED, "%s: %s", descents[d], f.solve.reason);
        double weighted = fitting_rmse(&f), *keep = f.samples.weight;
        f.samples.weight = NULL;
        ck_assert(cosine_of(&f.problem, f.theta, NULL) > 1e-3);
        ck_assert_int_eq(run_by(d, &f), STEEP_CONVERGED);
        f.samples.weight = keep;
        ck_assert(fitting_rmse(&f) > weighted * (1 + 1e-6));
    }
}

START_TEST(it_stops_when_told)
{
    for (size_t d = 0; d < DESCENTS; d++) {
        const bool stages = is_newton(d);
        SCOPED(fitting_close) fitting f;
        watch w;
        fitting_open(&f, "runge3", 300, "glu", -1, 4, STEEP_START_RANDOM, 4);
        fitting_watch(&f, &w);
        w.stop_at = 4;
        ck_assert_int_eq(run_by(d, &f), STEEP_STOPPED);
        ck_assert_int_eq(w.calls, 4);
        if (!stages) ck_assert_str_eq(w.stages, steep_solver_names((size_t)solver_named(descents[d])));
        if (!stages) ck_assert_int_eq(f.solve.iterations, 3);
        check_close(w.last, fitting_rmse(&f), 1e-12 * w.last);
        w.stop_at = 0;
        f.options.max_iterations = 5;
        steep_status status = run_by(d, &f);
        fitting_check_claims(&f, status);
        if (d < 2)
            ck_assert_int_eq(status, STEEP_MAX_ITERATIONS); /* the others end before, or have a cap of each stage */
        if (d < 2) ck_assert_int_eq(f.solve.iterations, 5);
    }
}

START_TEST(faults_are_named)
{
    for (size_t c = 0; c < 3 * DESCENTS; c++) {
        const size_t d = c / 3, bad = c % 3;
        FITTING(f, "runge3", 100, "glu", -1, 4, STEEP_START_RANDOM, 4);
        if (bad < 2) f.samples.y[50] = bad ? INFINITY : NAN;
        else f.theta[0] = NAN;
        const double kept = f.theta[1];
        ck_assert_msg(run_by(d, &f) == STEEP_NOT_FINITE, "%s, %zu: %s", descents[d], bad, f.solve.reason);
        ck_assert(f.error.text[0] && f.theta[1] == kept);
    }
}

/* A network that starts at its own values has rmse 0, to rounding: solvers end at the floor, without an iteration. */
START_TEST(the_floor_is_noticed)
{
    FITTING(f, "runge3", 200, "glu", -1, 4, STEEP_START_RANDOM, 4);
    fitting_teach(&f);
    f.samples.y[100] += DBL_EPSILON;
    for (size_t i = 0; i < DESCENTS; i++) {
        if (strcmp(descents[i], "varpro") == 0) continue; /* whose own linear problem comes first */
        ck_assert_int_eq(run_by(i, &f), STEEP_FLOOR);
        ck_assert_int_eq(f.solve.iterations, 0);
        ck_assert_msg(strstr(f.solve.reason, "floor") != NULL, "solver %zu: %s", i, f.solve.reason);
    }
}
