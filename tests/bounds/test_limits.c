/* SPDX-License-Identifier: GPL-3.0-or-later */
/* limits: true errors pass; an error that no piecewise polynomial can have is reported as a bug. */
#include "bounds/public.h"

#include "narrow.h"
#include "plans.h"
#include "study/limits.h"
#include "study/theory.h"

static steep_error error;

static steep_plan make_plan(const char *arch, const char *target, const char *widths, const char *sampling)
{
    return PLAN("arch", arch, "target", target, "widths", widths, "seeds", "0:1", "samples", "700", "sampling",
                sampling);
}

/* Fits every task. Returns the rows, which the caller frees. */
static steep_fit_row *fit_all(const steep_plan *plan, const steep_task_samples *samples)
{
    steep_fit_row *row = calloc(plan->tasks, sizeof *row);
    for (size_t i = 0; i < plan->tasks; i++) {
        SCOPED(steep_task_open_free) steep_task_open open;
        SCOPED(steep_fit_result_free) steep_fit_result result = {0};
        ck_assert_int_eq(steep_task_open_init(samples, &plan->task[i], &open, NULL), STEEP_OK);
        ck_assert_int_ge(steep_fit(&open.problem, &open.options, &result, NULL), 0);
        row[i] = (steep_fit_row){
            .present = true, .status = result.status, .rmse_train = result.rmse_train, .floor = result.floor};
    }
    return row;
}

/* Claims of a fit: error and floor as parts of the lower bound at its width, status, and the check's verdict. */
static const struct {
    double error, floor;
    steep_status status, said;
} claims[] = {{0.999, 0, STEEP_OK, STEEP_SINGULAR},
              {0.999, 0.01, STEEP_OK, STEEP_OK}, /* an error that rounding may have lowered so far is no bug */
              {1.001, 0, STEEP_OK, STEEP_OK},
              {0.999, 0, STEEP_NOT_FINITE, STEEP_OK}}; /* a failed fit claims nothing */

START_TEST(honest_errors_pass_and_impossible_ones_do_not)
{
    static const char *const samplings[] = {"random", "grid"};
    for (int s = 0; s < 2; s++) {
        SCOPED(steep_plan_free)
        steep_plan plan = make_plan("mlp,glu,gqu,la", "cosine_well", "2:14:4", samplings[s]);
        SCOPED(steep_task_samples_free) steep_task_samples samples;
        ck_assert_int_eq(steep_task_samples_init(&plan, NULL, &samples, NULL), STEEP_OK);
        SCOPED(release_memory) steep_fit_row *row = fit_all(&plan, &samples);
        check_says(steep_annex_limits[0]->check(&plan, &samples, row, NULL, &error), STEEP_OK, "");
        for (size_t v = 0; v < 4; v++) {
            size_t i = (v * plan.seeds + 1) * plan.widths + 3; /* second seed, width 14 */
            const steep_fit_row kept = row[i];
            double lower[4], upper[4];
            const steep_bounds_widths widths = {v < 3 ? v + 1 : 1, plan.widths, plan.width, NULL};
            ck_assert_int_eq(steep_bounds_at(&samples.train[s ? 0 : 1], &widths, lower, upper, NULL), STEEP_OK);
            for (size_t c = 0; c < sizeof claims / sizeof *claims; c++) {
                const bool bug = v < 3 && claims[c].said < 0; /* la is no piecewise polynomial */
                row[i].rmse_train = claims[c].error * lower[3];
                row[i].floor = fmax(claims[c].floor * lower[3], 1e-16);
                row[i].status = claims[c].status;
                check_says(steep_annex_limits[0]->check(&plan, &samples, row, NULL, &error),
                           bug ? STEEP_SINGULAR : STEEP_OK, bug ? "width 14" : "");
            }
            row[i] = kept;
        }
    }
}

START_TEST(the_bounds_and_what_they_come_to)
{
    SCOPED(steep_plan_free)
    steep_plan plan = make_plan("mlp,glu,la", "cosine_well;sin4sin4", "2:30:4", "random");
    steep_limits limits = {.degree = 0};
    for (size_t v = 0; v < 2; v++) {
        const double constant = v == 0 ? 0.920 : 0.731, p = v == 0 ? 2 : 3; /* docs/explanation/theory.md */
        const steep_series_index at = {0, v, 0, 0};
        check_says(steep_annex_limits[0]->find(&plan, &at, true, &limits, &error), STEEP_OK, "");
        ck_assert(limits.degree == v + 1 && !limits.unresolved);
        const double best = steep_theory_of(&plan, at).best;
        check_close(best, constant, 0.001 * constant);
        for (size_t w = 0; w < plan.widths; w++) {
            ck_assert(0 < limits.lower[w] && limits.lower[w] <= limits.upper[w]);
            ck_assert(w == 0 || limits.lower[w] <= limits.lower[w - 1]);
        }
        const double asymptotic = best / pow(31, p);
        ck_assert_uint_eq(plan.width[7], 30);
        ck_assert(limits.lower[7] < 1.1 * asymptotic && asymptotic < 1.2 * limits.upper[7]);
        /* without test errors the training errors count, on other points for each seed */
        ck_assert_int_eq(steep_annex_limits[0]->find(&plan, &at, false, &limits, NULL), STEEP_OK);
        ck_assert(isnan(limits.lower[0]));
    }
    const steep_series_index none[] = {{0, 2, 0, 0}, {1, 0, 0, 0}}; /* la, and in the plane */
    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_eq(steep_annex_limits[0]->find(&plan, &none[i], true, &limits, NULL), STEEP_OK);
        ck_assert_uint_eq(limits.degree, 0);
    }
    free(limits.lower);
}

/* No fit is below the lower bound that is drawn, on points and on the interval, for random targets, up to widths at
 * which best fits are below the asymptotic line. */
START_RANDOM_TEST(no_fit_is_below_what_is_drawn, 1)
{
    static const char *const solvers[] = {"frozen", "reduced-newton"}, *const tests[] = {"grid", "gauss"};
    for (size_t c = chance_cases(2); c-- > 0;) {
        feature f = feature_draw(&random);
        char widths[80];
        const size_t first = 1 + chance_below(&random, 6), large = c % 2 == 0 ? 150 : 25;
        snprintf(widths, sizeof widths, "%zu,%zu,%zu", first, first + 3, first + 7 + chance_below(&random, large));
        const char *test = tests[chance_below(&random, 2)], *solver = solvers[chance_below(&random, 2)];
        steep_sweep_options options = OPTIONS("arch", "mlp,glu,gqu", "widths", widths, "target", f.text, "samples",
                                              "1500", "sampling", "grid", "test", test, "solver", solver, "start",
                                              f.jump > 0 ? "uniform" : "equidistributed", "restarts", "0");
        SCOPED(steep_sweep_result_free) steep_sweep_result result;
        options.run.out = NULL;
        options.run.jobs = 1;
        ck_assert_msg(steep_sweep_run(&options, &result, &error) == STEEP_OK, "%s: %s", f.text, error.text);
        for (size_t s = 0; s < result.series_count; s++) {
            steep_limits limits = {.degree = 0};
            const size_t begin = steep_plan_first_task(result.plan, result.series[s].series);
            ck_assert_int_eq(
                steep_annex_limits[0]->find(result.plan, &result.series[s].at, result.series[s].tested, &limits, NULL),
                STEEP_OK);
            for (size_t w = 0; w < result.plan->widths; w++) {
                const steep_fit_row *row = &result.row[begin + w];
                if (!steep_fit_row_usable(row) || isnan(limits.lower[w])) continue;
                ck_assert_msg(
                    !(steep_series_error(&result.series[s], row) < limits.lower[w] * (1 - 1e-6) - 60 * row->floor),
                    "%s, %s, series %zu, width %zu: %.9g < %.9g", f.text, test, s, result.plan->width[w],
                    row->rmse_test, limits.lower[w]);
            }
            free(limits.lower);
        }
        steep_target_free(f.target);
    }
}
