/* SPDX-License-Identifier: GPL-3.0-or-later */
/* noise: added values have the documented formula and distribution; the noise's share of errors; lists of points. */
#include "data/noise.h"

#include <gsl/gsl_cdf.h>

#include "chance.h"
#include "execute/tasks.h"
#include "measure/measured.h"
#include "numerics/sort.h"
#include "plans.h"
#include "rows.h"
#include "steep/network.h"

static steep_error error;

static double probability(steep_noise_kind kind, double z)
{
    if (kind == STEEP_NOISE_NORMAL) return gsl_cdf_ugaussian_P(z);
    if (kind == STEEP_NOISE_STUDENT) return gsl_cdf_tdist_P(z * sqrt(5.0 / 3), 5);
    return (1 + z / sqrt(3)) / 2;
}

/* Draws against GSL's distributions by Kolmogorov and Smirnov: the distance is below 2.2/sqrt(n) with probability 1 -
 * 1e-4. The mean square is 1 within 5 standard errors, sqrt((kurtosis - 1)/n). */
START_TEST(draws_have_their_distributions)
{
    enum { COUNT = 20000 };
    static const double kurtosis[] = {3, 9, 1.8};
    for (int kind = STEEP_NOISE_NORMAL; kind <= STEEP_NOISE_UNIFORM; kind++) {
        static double z[COUNT];
        double square = 0, apart = 0;
        steep_noise_draw((steep_noise_kind)kind, chance_number("SEED", 0) + 5, COUNT, z);
        for (size_t k = 0; k < COUNT; k++) square += z[k] * z[k] / COUNT;
        qsort(z, COUNT, sizeof *z, steep_compare_number);
        for (size_t k = 0; k < COUNT; k++)
            apart = fmax(apart, fabs(probability((steep_noise_kind)kind, z[k]) - (k + 0.5) / COUNT));
        check_close(apart, 0, 2.2 / sqrt(COUNT));
        check_close(square, 1, 5 * sqrt((kurtosis[kind] - 1) / COUNT));
    }
}

/* z_k by the documented formula, from the numbers 2 k and 2 k + 1 of the stream alone. */
static double by_formula(steep_noise_kind kind, uint64_t seed, size_t k)
{
    steep_random random = steep_random_start(seed, STEEP_STREAM_NOISE);
    for (size_t i = 0; i < 2 * k; i++) steep_random_uniform(&random);
    const long double u = steep_random_uniform(&random), v = steep_random_uniform(&random), pi = acosl(-1);
    if (kind == STEEP_NOISE_UNIFORM) return (double)((2 * u - 1) * sqrtl(3));
    if (kind == STEEP_NOISE_NORMAL) return (double)(sqrtl(-2 * logl(1 - u)) * cosl(2 * pi * v));
    return (double)(sqrtl(0.6L) * sqrtl(5 * expm1l(-0.4L * logl(1 - u))) * cosl(2 * pi * v));
}

/* For every sampling, in 1D and 2D, standardized or not: training values are f(x) + s(x) z, test values are f(x), and
 * points are those of the same command without noise. z differs by seed, on grids too. */
START_RANDOM_TEST(training_values_are_targets_with_noise, 1)
{
    const size_t cases = chance_cases(40);
    for (size_t c = 0; c < cases; c++) {
        static const char *const sampling[] = {"random", "grid", "sobol"};
        const bool plane = chance_below(&random, 2), standardize = chance_below(&random, 2);
        const size_t kind = chance_below(&random, 3);
        steep_sweep_options options =
            OPTIONS("target", plane ? "cos(2*x)*y" : "exp(x)", "sampling", sampling[chance_below(&random, 3)],
                    "samples", "20,70", "seeds", "3,11", "arch", "mlp", "widths", "2", "solver", "frozen");
        options.problem.standardize = standardize;
        options.problem.noise_kind = steep_noise_names(kind);
        SCOPED(steep_plan_free) steep_plan clean = plan_of(options);
        options.problem.noise = plane ? "0.1*(1+x^2+y)^2" : "0.1*(1+x^2)";
        SCOPED(steep_plan_free) steep_plan plan = plan_of(options);
        SCOPED(steep_task_samples_free) steep_task_samples samples, truth; /* released before their plans */
        ck_assert_int_eq(steep_task_samples_init(&plan, NULL, &samples, &error), STEEP_OK);
        ck_assert_int_eq(steep_task_samples_init(&clean, NULL, &truth, &error), STEEP_OK);
        ck_assert_uint_eq(plan.tasks, 4);
        for (size_t i = 0; i < plan.tasks; i++) {
            SCOPED(steep_task_open_free) steep_task_open with, free_of;
            const steep_standard *standard = steep_plan_standard(&plan, &plan.task[i]);
            ck_assert_int_eq(steep_task_open_init(&samples, &plan.task[i], &with, &error), STEEP_OK);
            ck_assert_int_eq(steep_task_open_init(&truth, &clean.task[i], &free_of, &error), STEEP_OK);
            const steep_samples *a = with.problem.train, *b = free_of.problem.train, *t = with.problem.test;
            const size_t n = a->count;
            ck_assert(n == b->count && n == steep_plan_key_of(&plan, &plan.task[i]).samples);
            ck_assert(memcmp(a->x, b->x, n * a->dim * sizeof *a->x) == 0 && with.clean->y != a->y);
            ck_assert(memcmp(t->y, free_of.problem.test->y, t->count * sizeof *t->y) == 0);
            ck_assert(memcmp(a->low, b->low, a->dim * sizeof *a->low) == 0);
            for (size_t k = 0; k < n; k++) {
                double x = a->x[k], y = plane ? a->x[n + k] : 0, unit = 1;
                if (standard) x = standard->x_mean[0] + standard->x_scale[0] * x, unit = standard->y_scale;
                if (standard && plane) y = standard->x_mean[1] + standard->x_scale[1] * y;
                const double s = 0.1 * (plane ? pow(1 + x * x + y, 2) : 1 + x * x);
                const double z = by_formula((steep_noise_kind)kind, plan.seed[plan.task[i].seed], k);
                check_close(a->y[k], b->y[k] + s * z / unit, 64 * DBL_EPSILON * (1 + fabs(b->y[k]) + fabs(z)));
            }
        }
    }
}

static void run(const steep_sweep_options *options, steep_sweep_result *result)
{
    check_says(steep_sweep_run(options, result, &error), STEEP_OK, "");
}

static steep_sweep_options frozen(const char *arch, const char *seeds)
{
    steep_sweep_options options = OPTIONS("target", "exp(-x)*cos(3*x)", "noise", "0.2", "samples", "400", "seeds",
                                          seeds, "arch", arch, "widths", "10");
    options.run.out = NULL;
    options.run.jobs = 2;
    return options;
}

/* Frozen fits are linear: the share of the noise is one fit to the noise alone, over the training and the test points,
 * and test errors lie between the sum and the difference of both parts. */
START_RANDOM_TEST(share_is_the_fit_to_the_noise, 2)
{
    const size_t cases = chance_cases(20);
    for (size_t c = 0; c < cases; c++) {
        static const char *const arch[] = {"mlp", "glu", "gqu"};
        steep_sweep_options options = frozen(arch[chance_below(&random, 3)], count_text(chance_below(&random, 1000)));
        options.model.widths = count_text(9 + chance_below(&random, 20));
        SCOPED(steep_plan_free) steep_plan plan = plan_of(options);
        SCOPED(steep_task_samples_free) steep_task_samples samples;
        SCOPED(steep_task_open_free) steep_task_open open;
        SCOPED(steep_fit_result_free) steep_fit_result fit, alone;
        steep_fit_row row;
        ck_assert_int_eq(steep_task_samples_init(&plan, NULL, &samples, &error), STEEP_OK);
        ck_assert_int_eq(steep_task_open_init(&samples, plan.task, &open, &error), STEEP_OK);
        ck_assert_int_ge(steep_fit(&open.problem, &open.options, &fit, &error), STEEP_OK);
        ck_assert_int_eq(steep_task_share(&plan, plan.task, &open, &fit, &row, &error), STEEP_OK);
        steep_samples noise = *open.clean, test = *open.problem.test;
        noise.y = malloc(noise.count * sizeof *noise.y), test.y = calloc(test.count, sizeof *test.y);
        for (size_t k = 0; k < noise.count; k++) noise.y[k] = open.problem.train->y[k] - open.clean->y[k];
        const steep_problem problem = {open.problem.network, NULL, &noise, &test};
        ck_assert_int_ge(steep_fit(&problem, &open.options, &alone, &error), STEEP_OK);
        const double rounding = 1e-9 * row.noise; /* times the condition of splines */
        check_close(row.noise, steep_rmse_of_zero(&noise), rounding);
        check_close(alone.rmse_test, row.noise_test, rounding);
        steep_measured share;
        memset(noise.y, 0, noise.count * sizeof *noise.y);
        ck_assert_int_eq(steep_measure(problem.network, alone.theta, &noise, NULL, &share, NULL), STEEP_OK);
        check_close(share.rmse, row.noise_train, rounding);
        ck_assert(fit.rmse_test <= row.rmse_clean + row.noise_test + rounding);
        ck_assert(fit.rmse_test >= fabs(row.rmse_clean - row.noise_test) - rounding);
        free(noise.y), free(test.y);
    }
}

/* No fit is below the lower bound of its own points, noise and scales: the sweep would report it and fail. */
START_TEST(fits_are_above_their_bounds)
{
    static const char *const sampling[] = {"random", "grid", "sobol"};
    for (size_t c = 0; c < 12; c++) {
        steep_sweep_options options = frozen("mlp,glu", "0:1");
        options.problem.target = c % 2 ? "50*exp(-x)*cos(3*x)" : "runge3";
        options.problem.standardize = c / 2 % 2;
        options.problem.sampling = sampling[c / 4];
        options.problem.noise = c % 3 ? "0.01" : "0";
        options.problem.samples = "100,300";
        options.model.widths = "4:16:x2";
        run(&options, NULL);
    }
}

static steep_sweep_options listed(const char *samples, const char *out)
{
    steep_sweep_options options = frozen("mlp,glu", "0:1");
    options.problem.samples = samples;
    options.model.widths = "4:16:4";
    options.run.out = out;
    return options;
}

/* learning.csv against the rows: the least median over seeds among the widths, and the fit's operations there. */
START_TEST(learning_curves_take_the_least_medians)
{
    const char *folder = scratch_make();
    steep_sweep_options options = listed("200:5000:x3", folder);
    run(&options, NULL);
    SCOPED(steep_table_free) steep_table curve = table_at(scratch_path(folder, "learning.csv"));
    SCOPED(steep_table_free) steep_table fits = table_at(scratch_path(folder, "fits.csv"));
    ck_assert_uint_eq(curve.rows, 2 * 3);
    for (size_t c = 0; c < curve.rows; c++) {
        const bool mlp = strcmp(word_of(&curve, c, "arch"), "mlp") == 0;
        const double N = cell_of(&curve, c, "samples"), width = cell_of(&curve, c, "width");
        double median[5] = {INFINITY}; /* at width 4, 8, 12, 16: of two seeds the mean */
        size_t best = 0;
        for (size_t i = 0; i < fits.rows; i++)
            if (strcmp(word_of(&fits, i, "arch"), word_of(&curve, c, "arch")) == 0 && cell_of(&fits, i, "samples") == N)
                median[(size_t)cell_of(&fits, i, "width") / 4] += cell_of(&fits, i, "rmse_test") / 2;
        for (size_t w = 1; w < 5; w++) best = median[w] < median[best] ? w : best;
        check_close(cell_of(&curve, c, "error"), median[best], 4 * DBL_EPSILON * median[best]);
        check_close(width, 4.0 * (double)best, 0);
        check_close(cell_of(&curve, c, "theory"), mlp ? -2.0 / 5 : -3.0 / 7, 1e-15);
        /* of a spline fit (fit/cost.c) */
        check_close(cell_of(&curve, c, "flops"), 30 * N + 100 * (mlp ? 2 : 3) * width, 0);
    }
}

/* Operations of lm by dense QR: for each iteration 2 N P^2 and smaller terms; for each evaluation, at each point, 20
 * for a unit and 6 for a parameter. */
START_TEST(operations_of_lm_are_counted)
{
    for (size_t jobs = 1; jobs <= 2; jobs++) {
        steep_sweep_options options = frozen("mlp:tanh", "0:1");
        SCOPED(steep_sweep_result_free) steep_sweep_result result;
        options.solver.solver = "lm";
        options.solver.restarts = 1;
        options.solver.max_iterations = 20;
        options.run.jobs = jobs;
        run(&options, &result);
        for (size_t i = 0; i < 2; i++) {
            const steep_fit_row *r = &result.row[i];
            const double P = 31, N = 400, I = (double)r->iterations, E = (double)r->evaluations;
            ck_assert(r->starts == 2 && I > 1);
            const double count = I * (2 * N * P * P + 2 * P * P + P * P * P) + E * N * (20 * 10 + 6 * P);
            check_close(r->operations, count, 8 * DBL_EPSILON * count);
        }
    }
}

START_TEST(bad_input_is_refused)
{
    static const struct {
        const char *says, *word[6];
    } at[] = {
        {"at least 0", {"noise", "-1"}},
        {"--noise: ", {"noise", "x+"}},
        {"--noise x is -", {"noise", "x"}},
        {"0 or more everywhere", {"noise", "1/(x-x)"}},
        {"is in 2D", {"noise", "y"}},
        {"--sampling gauss", {"noise", ".1", "sampling", "gauss"}},
        {"--solver construct", {"noise", ".1", "solver", "construct"}},
        {"--samples", {"samples", ""}},
        {"from 2 to 100000000", {"samples", "1"}},
        {"no whole number", {"samples", "many"}},
        {"use one number", {"samples", "100,200", "sampling", "gauss"}},
        {"99 and 100 are the same 100 points",
         {"target", "x*y", "samples", "99,100", "sampling", "grid"}}, /* 10 by 10 */
    };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        steep_sweep_options options = named_options(at[i].word, 6);
        options.run.out = NULL;
        check_says(steep_sweep_run(&options, NULL, &error), STEEP_BAD_INPUT, at[i].says);
    }
    for (int curve = 0; curve < 2; curve++) {
        steep_sweep_options options = listed("100,200", scratch_path(scratch_make(), "kept"));
        *(curve ? &options.run.curve : &options.run.keep_networks) = true;
        check_says(steep_sweep_run(&options, NULL, &error), STEEP_BAD_INPUT, curve ? "--curve" : "--keep-networks");
    }
}
