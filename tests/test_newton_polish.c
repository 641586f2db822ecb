/* SPDX-License-Identifier: GPL-3.0-or-later */
/* newton_polish: from near a minimum to it, quadratically; what lm needs hundreds of steps for. */
#include "fitting.h"

static bool note(void *context, const steep_progress *progress)
{
    double *history = context;
    ck_assert_str_eq(progress->stage, "polish");
    if (progress->iteration < 64) history[progress->iteration] = progress->gradient_norm;
    return progress->iteration < (size_t)history[64];
}

static void open_near(fitting *f)
{
    fitting_open(f, "exp(-x)*cos(3*x)", 2000, "glu", -1, 2, STEEP_START_UNIFORM, 1);
    f->options.max_iterations = 12;
    ck_assert_int_ge(steep_solve_marquardt(&f->problem, &f->options, f->theta, &f->solve, &f->error), 0);
    f->options.max_iterations = 60;
}

START_TEST(the_end_is_reached_quadratically)
{
    SCOPED(fitting_close) fitting f;
    open_near(&f);
    double history[65] = {0}, before = fitting_rmse(&f);
    SCOPED(release_memory)
    unsigned char *held = calloc(f.network.parameters, 1); /* scales: the Hessian is singular along them */
    ck_assert_ptr_nonnull(held);
    for (size_t i = 0; i < f.network.width; i++) held[2 * i] = held[f.network.output + i] = 1;
    history[64] = 64;
    f.solve.held = held;
    f.options.monitor = (steep_monitor){note, history};
    f.options.tolerance = 1e-10;
    ck_assert_int_eq(steep_newton_polish(&f.problem, &f.options, f.theta, &f.solve, &f.error), STEEP_CONVERGED);
    ck_assert(fitting_rmse(&f) <= before * (1 + 1e-12));
    ck_assert_uint_ge(f.solve.iterations, 1);
    ck_assert_uint_le(f.solve.iterations, 40);
    double last = history[f.solve.iterations - 1], end = cosine_of(&f.problem, f.theta, NULL);
    ck_assert_msg(end <= fmax(pow(last, 1.5), 1e-11), "%g after %g", end, last); /* 1e-11: rounding of J'r */
}
END_TEST

START_TEST(it_stops_when_told_and_refuses_what_is_no_spline)
{
    SCOPED(fitting_close) fitting f;
    open_near(&f);
    double history[65] = {0};
    f.options.monitor = (steep_monitor){note, history};
    f.options.tolerance = 1e-12;
    ck_assert_int_eq(steep_newton_polish(&f.problem, &f.options, f.theta, &f.solve, &f.error), STEEP_STOPPED);
    f.options.monitor = (steep_monitor){NULL, NULL};
    f.options.max_iterations = 0;
    ck_assert_int_eq(steep_newton_polish(&f.problem, &f.options, f.theta, &f.solve, &f.error), STEEP_MAX_ITERATIONS);
    fitting_close(&f);
    fitting_open(&f, "runge3", 200, "mlp", STEEP_TANH, 3, STEEP_START_RANDOM, 1);
    ck_assert_int_eq(steep_newton_polish(&f.problem, &f.options, f.theta, &f.solve, &f.error), STEEP_BAD_INPUT);
}
END_TEST

STEEP_TEST_MAIN("newton_polish", the_end_is_reached_quadratically, it_stops_when_told_and_refuses_what_is_no_spline)
