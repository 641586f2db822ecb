/* SPDX-License-Identifier: GPL-3.0-or-later */
/* newton: its stages in order, one step where F is quadratic, quadratic convergence where it should be, its safeguards,
 * its line searches; claims recomputed. */
#include "descent/descent.h"
#include "fitting.h"

static steep_status run(fitting *f)
{
    f->solve.iterations = f->solve.evaluations = 0;
    return steep_solve_newton(&f->problem, &f->options, f->theta, &f->solve, &f->error);
}

static void run_until(fitting *f, const char *stage)
{
    watch w;
    fitting_watch(f, &w);
    w.until = stage;
    ck_assert_int_eq(run(f), STEEP_STOPPED);
}

static double block_cosine(fitting *f, size_t first, size_t count, bool bias)
{
    memset(f->solve.active, 0, f->network.parameters);
    memset(f->solve.active + first, 1, count);
    if (bias) f->solve.active[f->network.bias] = 1;
    double cosine = cosine_of(&f->problem, f->theta, f->solve.active);
    memset(f->solve.active, 1, f->network.parameters);
    return cosine;
}

/* F is quadratic in D and d, and in U: one step each leaves only rounding of the gradient, by Jacobi preconditioning
 * also for units of very different sizes. With fixed gates both reach the error of the dense frozen solver. */
START_TEST(quadratic_blocks_take_one_step)
{
    for (int uneven = 0; uneven < 2; uneven++) {
        FITTING(f, "runge3", 500, "glu", -1, 8, STEEP_START_ALTERNATING, 1);
        const size_t bytes = f.network.parameters * sizeof *f.theta;
        SCOPED(release_memory) double *start = memcpy(malloc(bytes), f.theta, bytes);
        if (uneven) {
            for (size_t i = 0; i < 16; i++) f.theta[f.network.branch[1] + i] *= i / 2 % 2 ? 1e-6 : 1e6;
            memset(f.theta + f.network.output, 0, 8 * sizeof *f.theta);
        }
        run_until(&f, "U");
        ck_assert_int_eq(f.solve.iterations, 1);
        const double before = block_cosine(&f, f.network.output, 8, true);
        ck_assert_msg(before <= 1e-8, "after D: %g", before); /* eps times the condition of H, 1e6 */
        if (uneven) continue;
        run_until(&f, "G"); /* D is at its minimum already: no step; then U */
        ck_assert_int_eq(f.solve.iterations, 1);
        const double after = block_cosine(&f, f.network.branch[1], 16, false);
        ck_assert_msg(after <= 1e-8, "after U: %g", after);
        const double newton = fitting_rmse(&f);
        memcpy(f.theta, start, bytes);
        f.options.dense = true;
        ck_assert_int_eq(steep_solve_frozen(&f.problem, &f.options, f.theta, &f.solve, &f.error), STEEP_OK);
        check_close(newton, fitting_rmse(&f), 1e-7 * newton); /* allowed: the square of the remaining gradient */
    }
}

/* The order of the stages. The pass over the blocks repeats while it lowers the error by more than 0.1 %: the first
 * case needs more than one pass. */
START_TEST(stages_come_in_order)
{
    static const struct {
        const char *target, *architecture, *stages;
    } rows[] = {{"runge3", "glu", "D,U,G,D,U,G,D,U,G"},
                {"runge3", "mlp", "D,G,"},
                {"runge3", "gqu", "D,U,Q,G,"},
                {"sin4sin4", "glu", "D,U,G,"},
                {"runge3", "la", "D,G,shared scalars,"},
                {"runge3", "moa", "D,G,shared maps,"},
                {"runge3", "blend", "D,U,Q,G,scalars,shared scalars,"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        watch w;
        FITTING(f, rows[i].target, 300, rows[i].architecture, -1, i == 0 ? 5 : 4,
                i == 0 ? STEEP_START_ALTERNATING : STEEP_START_RANDOM, 1 + (i > 0));
        fitting_watch(&f, &w);
        f.options.max_iterations = 5;
        fitting_check_claims(&f, run(&f));
        ck_assert_msg(strncmp(w.stages, rows[i].stages, strlen(rows[i].stages)) == 0, "%s: %s", rows[i].architecture,
                      w.stages);
        if (strlen(w.stages) < 150) ck_assert_msg(strstr(w.stages, ",all") != NULL, "%s", w.stages);
        ck_assert(w.last <= w.first);
        check_close(w.last, fitting_rmse(&f), 1e-11 * w.last);
    }
}

/* Near a nondegenerate minimum whose residual is not 0 the exact Hessian matters: every step of the last stage squares
 * the gradient, c_{k+1} <= C c_k^2, to rounding; without the curvature, c_{k+1} ~ c_k / 10. */
typedef struct orders {
    const char *stage; /* cosine: gradients of this stage, in the order of its iterations */
    bool stop;         /* stop at the first call */
    double cosine[200];
    size_t count;
} orders;

static bool note_cosine(void *context, const steep_progress *progress)
{
    orders *o = context;
    if (strcmp(progress->stage, o->stage) == 0 && o->count < 200) o->cosine[o->count++] = progress->gradient_norm;
    return !o->stop;
}

START_TEST(convergence_is_quadratic)
{
    orders o = {.stage = "all"};
    FITTING(f, "cos4", 300, "mlp", STEEP_TANH, 2, STEEP_START_RANDOM, 4);
    f.options.tolerance = 1e-13;
    ck_assert_int_ge(steep_solve_marquardt(&f.problem, &f.options, f.theta, &f.solve, &f.error), 0);
    for (size_t p = 0; p < f.network.parameters; p++) f.theta[p] *= 1 + 3e-2 * cos(3.0 * (double)p);
    f.options.monitor = (steep_monitor){note_cosine, &o};
    f.options.max_iterations = 2; /* leave the blocks early */
    run(&f);
    o.count = 0;
    f.options.max_iterations = 50;
    for (size_t p = 0; p < f.network.parameters; p++) f.theta[p] *= 1 + 1e-2 * cos(3.0 * (double)p);
    fitting_check_claims(&f, run(&f));
    ck_assert_int_ge(o.count, 3);
    ck_assert_int_le(o.count, 12);
    size_t squared = 0;
    for (size_t i = 0; i + 1 < o.count; i++) {
        if (!(o.cosine[i] < 1e-2)) continue;
        double next = o.cosine[i + 1], bound = 100 * o.cosine[i] * o.cosine[i] + 1e-13;
        ck_assert_msg(next <= bound, "gradient %g after %g", next, o.cosine[i]);
        squared++;
    }
    ck_assert_int_ge(squared, 2);
}

/* A unit closed on all samples has zero rows: it stays as it is, and the fit of the others goes on. */
START_TEST(dead_units_stay)
{
    FITTING(f, "runge3", 400, "glu", -1, 5, STEEP_START_ALTERNATING, 3);
    double *gate = f.theta + f.network.branch[0] + 4;
    gate[0] = 1, gate[1] = -50;
    double kept[5] = {gate[0], gate[1], f.theta[f.network.output + 2], f.theta[f.network.branch[1] + 4],
                      f.theta[f.network.branch[1] + 5]};
    double before = fitting_rmse(&f);
    fitting_check_claims(&f, run(&f));
    ck_assert(fitting_rmse(&f) < 0.2 * before);
    ck_assert(gate[0] == kept[0] && gate[1] == kept[1] && f.theta[f.network.output + 2] == kept[2]);
    ck_assert(f.theta[f.network.branch[1] + 4] == kept[3] && f.theta[f.network.branch[1] + 5] == kept[4]);
}

/* Two gates at the ends are open everywhere; one may lose the slope that the other gains, so G's Hessian is singular. A
 * step in this direction is rounding over rounding: the error must not depend on the last digit of the data. */
START_TEST(the_last_digit_of_the_data_stays_the_last)
{
    for (size_t width = 8; width <= 24; width += 8) {
        double end[2];
        for (int other = 0; other < 2; other++) {
            FITTING(f, "cosine_well", 1000, "mlp", -1, width, STEEP_START_ALTERNATING, 0);
            for (size_t k = 0; other && k < f.samples.count; k++)
                f.samples.y[k] *= k % 3 ? 1 + DBL_EPSILON : 1 - DBL_EPSILON;
            f.options.max_iterations = 15;
            fitting_check_claims(&f, run(&f));
            end[other] = fitting_rmse(&f);
        }
        check_close(end[1], end[0], 1e7 * DBL_EPSILON * end[0]); /* differences grow in each step; plain solve: 1e14 */
    }
}

/* The cap of iterations is the cap of the last stage. */
START_TEST(it_stops_at_its_cap)
{
    for (size_t cap = 1; cap < 6; cap += 2) {
        orders o = {.stage = "all"};
        FITTING(f, "runge3", 300, "gqu", -1, 4, STEEP_START_RANDOM, 4);
        f.options.monitor = (steep_monitor){note_cosine, &o};
        f.options.max_iterations = cap;
        steep_status status = run(&f);
        ck_assert_int_eq(status, STEEP_MAX_ITERATIONS);
        ck_assert_int_eq(o.count, cap + 1);
        fitting_check_claims(&f, status);
    }
}

START_TEST(a_hessian_too_large_is_refused)
{
    FITTING(f, "runge3", 100, "mlp", -1, 11000, STEEP_START_RANDOM, 4); /* 8.7 GB a Hessian: refused by number */
    ck_assert_int_eq(run(&f), STEEP_BAD_INPUT);
    ck_assert(strstr(f.error.text, "33001"));
}

static void open_near(fitting *f, orders *o)
{
    fitting_open(f, "exp(-x)*cos(3*x)", 2000, "glu", -1, 2, STEEP_START_UNIFORM, 1);
    f->options.max_iterations = 12;
    ck_assert_int_ge(steep_solve_marquardt(&f->problem, &f->options, f->theta, &f->solve, &f->error), 0);
    f->options.max_iterations = 60;
    f->options.monitor = (steep_monitor){note_cosine, o};
}

static steep_status polish(fitting *f)
{
    return steep_newton_polish(&f->problem, &f->options, f->theta, &f->solve, &f->error);
}

START_TEST(a_polish_converges_quadratically)
{
    SCOPED(fitting_close) fitting f;
    orders o = {.stage = "polish"};
    open_near(&f, &o);
    const double before = fitting_rmse(&f);
    SCOPED(release_memory)
    unsigned char *held = calloc(f.network.parameters, 1); /* scales: the Hessian is singular along them */
    for (size_t i = 0; i < f.network.width; i++) held[2 * i] = held[f.network.output + i] = 1;
    f.solve.held = held;
    f.options.tolerance = 1e-10;
    ck_assert_int_eq(polish(&f), STEEP_CONVERGED);
    ck_assert(fitting_rmse(&f) <= before * (1 + 1e-12));
    ck_assert(f.solve.iterations >= 1 && f.solve.iterations <= 40);
    const double last = o.cosine[f.solve.iterations - 1], end = cosine_of(&f.problem, f.theta, NULL);
    ck_assert_msg(end <= fmax(pow(last, 1.5), 1e-11), "%g after %g", end, last); /* 1e-11: rounding of J'r */
}

START_TEST(a_polish_stops_when_told_and_refuses_what_is_no_spline)
{
    SCOPED(fitting_close) fitting f, smooth;
    orders o = {.stage = "polish", .stop = true};
    open_near(&f, &o);
    f.options.tolerance = 1e-12;
    ck_assert_int_eq(polish(&f), STEEP_STOPPED);
    f.options.monitor = (steep_monitor){NULL, NULL};
    f.options.max_iterations = 0;
    ck_assert_int_eq(polish(&f), STEEP_MAX_ITERATIONS);
    fitting_open(&smooth, "runge3", 200, "mlp", STEEP_TANH, 3, STEEP_START_RANDOM, 1);
    ck_assert_int_eq(polish(&smooth), STEEP_BAD_INPUT);
}
