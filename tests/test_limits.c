/* SPDX-License-Identifier: GPL-3.0-or-later */
/* limits: honest errors pass, an error that no piecewise polynomial can have is called a bug. */
#include "run/limits.h"

#include <float.h>
#include <stdint.h>

#include "harness.h"
#include "plans.h"
#include "spline/bracket.h"
#include "run/theory.h"

static steep_plan make_plan(const char *arch, const char *target, const char *sampling)
{
    steep_sweep_options options = steep_sweep_options_default();
    steep_plan plan;
    steep_error error = {{0}};
    options.model.arch = arch;
    options.problem.target = target;
    options.model.widths = "2:30:4";
    options.problem.seeds = "0:1";
    options.problem.samples = 1500;
    options.problem.sampling = sampling;
    ck_assert_msg(plan_init(&options, &plan, &error) == STEEP_OK, "%s", error.text);
    return plan;
}

/* Real fits of every task. */
static steep_fit_row *fit_all(const steep_plan *plan, const steep_task_samples *samples)
{
    steep_fit_row *row = calloc(plan->tasks, sizeof *row);
    for (size_t i = 0; i < plan->tasks; i++) {
        steep_task_open open;
        steep_fit_result result = {0};
        ck_assert_int_eq(steep_task_open_init(samples, &plan->task[i], &open, NULL), STEEP_OK);
        ck_assert_int_ge(steep_fit(&open.problem, &open.options, &result, NULL), 0);
        row[i] = (steep_fit_row){
            .present = true, .status = result.status, .rmse_train = result.rmse_train, .floor = result.floor};
        steep_fit_result_free(&result);
        steep_task_open_free(&open);
    }
    return row;
}

START_TEST(honest_errors_pass_and_impossible_ones_do_not)
{
    static const char *const samplings[] = {"random", "grid"};
    for (int s = 0; s < 2; s++) {
        steep_plan plan = make_plan("mlp,glu,gqu,la", "cosine_well", samplings[s]);
        steep_task_samples samples;
        steep_error error = {{0}};
        ck_assert_int_eq(steep_task_samples_init(&plan, NULL, &samples, NULL), STEEP_OK);
        steep_fit_row *row = fit_all(&plan, &samples);
        ck_assert_msg(steep_limits_check(&plan, &samples, row, &error) == STEEP_OK, "%s", error.text);
        for (size_t v = 0; v < 4; v++) {
            size_t i = (v * plan.seeds + 1) * plan.widths + 3; /* second seed, width 14 */
            steep_fit_row kept = row[i];
            double lower[15], upper[15];
            steep_bracket_size size = {v < 3 ? v + 1 : 1, 400, 14};
            ck_assert_int_eq(steep_bracket(&samples.train[s ? 0 : 1], &size, lower, upper, NULL), STEEP_OK);
            row[i].rmse_train = 0.999 * lower[14];
            row[i].floor = 1e-16;
            steep_status status = steep_limits_check(&plan, &samples, row, &error);
            ck_assert_int_eq(status, v < 3 ? STEEP_SINGULAR : STEEP_OK); /* la is no piecewise polynomial */
            if (v < 3) ck_assert_ptr_nonnull(strstr(error.text, "width 14"));
            row[i].floor = 0.01 * lower[14]; /* an error that rounding may have lowered so far is no bug */
            ck_assert_int_eq(steep_limits_check(&plan, &samples, row, NULL), STEEP_OK);
            row[i].floor = 1e-16;
            row[i].rmse_train = 1.001 * lower[14], row[i].floor = 0.01 * lower[14];
            ck_assert_int_eq(steep_limits_check(&plan, &samples, row, NULL), STEEP_OK);
            row[i].rmse_train = 0.999 * lower[14], row[i].floor = 1e-16;
            row[i].status = STEEP_NOT_FINITE; /* a failed fit claims nothing */
            ck_assert_int_eq(steep_limits_check(&plan, &samples, row, NULL), STEEP_OK);
            row[i] = kept;
        }
        free(row);
        steep_task_samples_free(&samples);
        steep_plan_free(&plan);
    }
}
END_TEST

START_TEST(the_bracket_and_what_it_comes_to)
{
    steep_plan plan = make_plan("mlp,glu,la", "cosine_well;sin4sin4", "random");
    steep_limits limits = {.degree = 0};
    steep_error error = {{0}};
    size_t last = SIZE_MAX;
    for (size_t v = 0; v < 2; v++) {
        const double constant = v == 0 ? 0.920 : 0.731, p = v == 0 ? 2 : 3; /* docs/theory.md */
        ck_assert_msg(steep_limits_of(&plan, 0, v, &last, &limits, &error) == STEEP_OK, "%s", error.text);
        ck_assert_uint_eq(limits.degree, v + 1);
        check_close(limits.asymptotic, constant, 0.001 * constant);
        for (size_t n = 1; n <= STEEP_LIMIT_WIDTHS; n++) {
            ck_assert(0 < limits.lower[n] && limits.lower[n] <= limits.upper[n]);
            ck_assert(limits.lower[n] <= limits.lower[n - 1]);
        }
        const double asymptotic = limits.asymptotic / pow(31, p);
        ck_assert(limits.lower[30] < 1.1 * asymptotic && asymptotic < 1.2 * limits.upper[30]);
    }
    ck_assert_int_eq(steep_limits_of(&plan, 0, 2, &last, &limits, NULL), STEEP_OK); /* la */
    ck_assert_uint_eq(limits.degree, 0);
    ck_assert_int_eq(steep_limits_of(&plan, 1, 0, &last, &limits, NULL), STEEP_OK); /* 2D */
    ck_assert_uint_eq(limits.degree, 0);
    steep_plan_free(&plan);
}
END_TEST

STEEP_TEST_MAIN("limits", honest_errors_pass_and_impossible_ones_do_not, the_bracket_and_what_it_comes_to)
