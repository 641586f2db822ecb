/* SPDX-License-Identifier: GPL-3.0-or-later */
/* limits: honest errors pass, an error that no piecewise polynomial can have is called a bug. */
#include "run/limits.h"

#include <float.h>

#include "base/table.h"
#include "scratch.h"
#include "spline/bracket.h"
#include "run/theory.h"

static steep_grid make_grid(const char *arch, const char *target, const char *sampling)
{
    steep_sweep_options options = steep_sweep_options_default();
    steep_grid grid;
    steep_error error = {{0}};
    options.arch = arch;
    options.target = target;
    options.widths = "2:30:4";
    options.seeds = "0:1";
    options.samples = 1500;
    options.sampling = sampling;
    ck_assert_msg(steep_grid_init(&options, &grid, &error) == STEEP_OK, "%s", error.text);
    return grid;
}

/* Real fits of every task. */
static steep_row *fit_all(const steep_grid *grid, const steep_task_samples *samples)
{
    steep_row *row = calloc(grid->tasks, sizeof *row);
    for (size_t i = 0; i < grid->tasks; i++) {
        steep_task_open open;
        steep_fit_result result = {0};
        ck_assert_int_eq(steep_task_open_init(samples, &grid->task[i], &open, NULL), STEEP_OK);
        ck_assert_int_ge(steep_fit(&open.problem, &open.options, &result, NULL), 0);
        row[i] = (steep_row){
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
        steep_grid grid = make_grid("mlp,glu,gqu,la", "cosine_well", samplings[s]);
        steep_task_samples samples;
        steep_error error = {{0}};
        ck_assert_int_eq(steep_task_samples_init(&grid, NULL, &samples, NULL), STEEP_OK);
        steep_row *row = fit_all(&grid, &samples);
        ck_assert_msg(steep_limits_check(&grid, &samples, row, &error) == STEEP_OK, "%s", error.text);
        for (size_t v = 0; v < 4; v++) {
            size_t i = (v * grid.seeds + 1) * grid.widths + 3; /* second seed, width 14 */
            steep_row kept = row[i];
            double lower[15], upper[15];
            steep_bracket_size size = {v < 3 ? v + 1 : 1, 400, 14};
            ck_assert_int_eq(steep_bracket(&samples.train[s ? 0 : 1], &size, lower, upper, NULL), STEEP_OK);
            row[i].rmse_train = 0.999 * lower[14];
            row[i].floor = 1e-16;
            steep_status status = steep_limits_check(&grid, &samples, row, &error);
            ck_assert_int_eq(status, v < 3 ? STEEP_SINGULAR : STEEP_OK); /* la is no piecewise polynomial */
            if (v < 3) ck_assert_ptr_nonnull(strstr(error.text, "width 14"));
            row[i].floor = 0.01 * lower[14]; /* an error that rounding may have lowered so far is no bug */
            ck_assert_int_eq(steep_limits_check(&grid, &samples, row, NULL), STEEP_OK);
            row[i].floor = 1e-16;
            row[i].rmse_train = 1.001 * lower[14], row[i].floor = 0.01 * lower[14];
            ck_assert_int_eq(steep_limits_check(&grid, &samples, row, NULL), STEEP_OK);
            row[i].rmse_train = 0.999 * lower[14], row[i].floor = 1e-16;
            row[i].status = STEEP_NOT_FINITE; /* a failed fit claims nothing */
            ck_assert_int_eq(steep_limits_check(&grid, &samples, row, NULL), STEEP_OK);
            row[i] = kept;
        }
        free(row);
        steep_task_samples_free(&samples);
        steep_grid_free(&grid);
    }
}
END_TEST

static void check_term(const steep_table *csv, size_t row, const char *column, double expected)
{
    double value;
    ck_assert_int_eq(steep_table_number(csv, row, steep_table_column(csv, column), &value, NULL), STEEP_OK);
    check_close(value, expected, 0); /* 17 digits */
}

START_TEST(the_file_has_the_bracket_and_what_it_comes_to)
{
    steep_grid grid = make_grid("mlp,glu,la", "cosine_well;sin4sin4", "random");
    const char *folder = scratch_make(), *path = scratch_path(folder, "limits.csv");
    steep_table csv;
    steep_error error = {{0}};
    ck_assert_msg(steep_limits_write(&grid, path, &error) == STEEP_OK, "%s", error.text);
    ck_assert_int_eq(steep_table_read(path, &csv, NULL), STEEP_OK);
    ck_assert_uint_eq(csv.rows, 2 * grid.widths); /* neither la nor 2D */
    for (size_t r = 0; r < csv.rows; r++) {
        double n, lower, upper, asymptotic, constant = r < grid.widths ? 0.920 : 0.731, p = r < grid.widths ? 2 : 3;
        ck_assert_int_eq(steep_table_number(&csv, r, steep_table_column(&csv, "width"), &n, NULL), STEEP_OK);
        ck_assert_int_eq(steep_table_number(&csv, r, steep_table_column(&csv, "lower"), &lower, NULL), STEEP_OK);
        ck_assert_int_eq(steep_table_number(&csv, r, steep_table_column(&csv, "upper"), &upper, NULL), STEEP_OK);
        ck_assert_int_eq(steep_table_number(&csv, r, steep_table_column(&csv, "asymptotic"), &asymptotic, NULL),
                         STEEP_OK);
        ck_assert(0 < lower && lower <= upper);
        check_close(asymptotic * pow(n + 1, p), constant, 0.001 * constant); /* docs/theory.md: 0.920 and 0.731 */
        if (n == 30) ck_assert(lower < 1.1 * asymptotic && asymptotic < 1.2 * upper);
        steep_theory theory = steep_theory_of(&grid, 0, r / grid.widths);
        steep_terms terms = steep_theory_at(&theory, (size_t)n);
        check_term(&csv, r, "uniform", terms.uniform);
        check_term(&csv, r, "equidistributed", terms.equidistributed);
        check_term(&csv, r, "predicted", terms.uniform); /* frozen gates of start uniform */
    }
    steep_table_free(&csv);
    scratch_remove(folder);
    steep_grid_free(&grid);
}
END_TEST

STEEP_TEST_MAIN("limits", honest_errors_pass_and_impossible_ones_do_not, the_file_has_the_bracket_and_what_it_comes_to)
