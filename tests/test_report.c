/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report: exact power laws come back as their exponents, best seeds count, theory stands where there is one. */
#include "run/report.h"

#include "base/table.h"
#include "scratch.h"

static steep_grid make_grid(const char *arch, const char *target)
{
    steep_sweep_options options = steep_sweep_options_default();
    steep_grid grid;
    steep_error error = {{0}};
    options.arch = arch;
    options.target = target;
    options.widths = "8:256:x2";
    options.seeds = "0:2";
    ck_assert_msg(steep_grid_init(&options, &grid, &error) == STEEP_OK, "%s", error.text);
    return grid;
}

/* error = width^-2 (params^-3 for the second variant) for seed 1, worse for the others; one fit failed. */
static steep_row *make_rows(const steep_grid *grid)
{
    steep_row *row = calloc(grid->tasks, sizeof *row);
    for (size_t i = 0; i < grid->tasks; i++) {
        const steep_task *task = &grid->task[i];
        double best = task->variant == 1 ? pow((double)task->parameters, -3) : pow((double)task->width, -2);
        row[i] = (steep_row){.present = true,
                             .rmse_train = best * (task->seed == 1 ? 1 : 1.5 + (double)(i % 3)),
                             .rmse_test = best * (task->seed == 1 ? 1 : 1.5 + (double)(i % 3)),
                             .floor = 1e-17 * (double)(grid->tasks - (i ^ 1))};
    }
    row[0].status = STEEP_SINGULAR;
    row[0].rmse_test = 1e-30;
    return row;
}

static double cell(const steep_table *csv, size_t row, const char *column)
{
    const char *text = csv->cell[row * csv->columns + steep_table_column(csv, column)];
    return strcmp(text, "nan") == 0 ? NAN : atof(text);
}

static const char *word(const steep_table *csv, size_t row, const char *column)
{
    return csv->cell[row * csv->columns + steep_table_column(csv, column)];
}

START_TEST(power_laws)
{
    steep_grid grid = make_grid("mlp,glu,mlp:gelu", "cos4;cos4cos4");
    steep_row *row = make_rows(&grid);
    const char *folder = scratch_make(), *path = scratch_path(folder, "slopes.csv");
    steep_table csv;
    steep_error error = {{0}};
    ck_assert_msg(steep_report_slopes(&grid, row, path, NULL, &error) == STEEP_OK, "%s", error.text);
    char *text = scratch_read(path, NULL);
    ck_assert_int_eq(strncmp(text, STEEP_SLOPES_HEADER "\n", sizeof STEEP_SLOPES_HEADER), 0);
    free(text);
    ck_assert_int_eq(steep_table_read(path, &csv, NULL), STEEP_OK);
    ck_assert_uint_eq(csv.rows, 2 * 3 * 2 * 3);
    for (size_t r = 0; r < csv.rows; r++) {
        size_t target = r / 18, variant = r / 6 % 3, against = r / 3 % 2, method = r % 3;
        static const char *const label[] = {"mlp", "glu", "mlp:gelu"};
        ck_assert_str_eq(word(&csv, r, "arch"), label[variant]);
        ck_assert_str_eq(word(&csv, r, "target"), target ? "cos4cos4" : "cos4");
        ck_assert_str_eq(word(&csv, r, "solver"), "frozen");
        ck_assert_str_eq(word(&csv, r, "against"), against ? "params" : "width");
        ck_assert_str_eq(word(&csv, r, "method"), method == 0 ? "window" : method == 1 ? "last_pair" : "all");
        /* Exact in their own size: rounding of the logarithms alone. */
        if ((variant == 1) == (against == 1)) check_close(cell(&csv, r, "slope"), variant == 1 ? -3 : -2, 1e-13);
        double theory = cell(&csv, r, "theory");
        if (target == 1 || variant == 2) ck_assert(isnan(theory));
        else ck_assert(theory == (variant == 1 ? -3 : -2));
    }
    steep_table_free(&csv);
    scratch_remove(folder);
    free(row);
    steep_grid_free(&grid);
}
END_TEST

START_TEST(printed_table)
{
    steep_grid grid = make_grid("mlp,glu", "cos4");
    steep_row *row = make_rows(&grid);
    const char *folder = scratch_make();
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    ck_assert_int_eq(steep_report_slopes(&grid, row, scratch_path(folder, "slopes.csv"), stream, NULL), STEEP_OK);
    fclose(stream);
    char name[16], interval[2][32];
    double slope, theory, floor;
    const char *glu = strstr(text, "\nglu");
    ck_assert_msg(glu && strstr(text, "architecture") && strstr(text, "interval") && strstr(text, "theory"), "%s",
                  text);
    ck_assert_int_eq(
        sscanf(glu, " %15s %lf %31s %31s %lf %lf", name, &slope, interval[0], interval[1], &theory, &floor), 6);
    ck_assert(slope == -3 && theory == -3);
    check_close(floor, 1e-17 * (double)(grid.tasks / 2), 0.05e-16); /* its largest, printed with two digits */
    ck_assert_ptr_nonnull(strstr(text, "test error"));
    ck_assert_ptr_null(strstr(text, "overfits"));
    free(text);
    /* Test errors far above training errors, at the two largest widths of the first architecture. */
    for (size_t i = 0; i < grid.tasks; i++)
        if (grid.task[i].variant == 0 && grid.task[i].width >= 128) row[i].rmse_test = 100 * row[i].rmse_train;
    stream = open_memstream(&text, &size);
    ck_assert_int_eq(steep_report_slopes(&grid, row, scratch_path(folder, "slopes.csv"), stream, NULL), STEEP_OK);
    fclose(stream);
    const char *says = strstr(text, "overfits from width 128 on");
    ck_assert_msg(says && says < strstr(text, "\nglu") && !strstr(says + 1, "overfits"), "%s", text);
    free(text);
    scratch_remove(folder);
    free(row);
    steep_grid_free(&grid);
}
END_TEST

/* Without a test error the training error stands in; without any usable fit there are no numbers, and no failure. */
START_TEST(untested_and_empty)
{
    steep_grid grid = make_grid("mlp", "cos4");
    steep_row *row = make_rows(&grid);
    const char *folder = scratch_make(), *path = scratch_path(folder, "slopes.csv");
    steep_table csv;
    for (size_t i = 0; i < grid.tasks; i++) row[i].rmse_test = NAN;
    ck_assert_int_eq(steep_report_slopes(&grid, row, path, NULL, NULL), STEEP_OK);
    ck_assert_int_eq(steep_table_read(path, &csv, NULL), STEEP_OK);
    check_close(cell(&csv, 0, "slope"), -2, 1e-13);
    steep_table_free(&csv);
    for (size_t i = 0; i < grid.tasks; i++) row[i].status = STEEP_NOT_FINITE;
    ck_assert_int_eq(steep_report_slopes(&grid, row, path, NULL, NULL), STEEP_OK);
    ck_assert_int_eq(steep_table_read(path, &csv, NULL), STEEP_OK);
    ck_assert_uint_eq(csv.rows, 6);
    for (size_t r = 0; r < 6; r++) ck_assert(isnan(cell(&csv, r, "slope")) && cell(&csv, r, "points") == 0);
    steep_table_free(&csv);
    ck_assert_int_eq(steep_report_slopes(&grid, row, "/proc/none/slopes.csv", NULL, NULL), STEEP_IO);
    scratch_remove(folder);
    free(row);
    steep_grid_free(&grid);
}
END_TEST

STEEP_TEST_MAIN("report", power_laws, printed_table, untested_and_empty)
