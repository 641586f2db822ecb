/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chance.h"
#include "data/points.h"
#include "scratch.h"

static char problem[64], points[80], table[64];
static steep_error error;

static void make_folder(void)
{
    const char *folder = scratch_make();
    snprintf(problem, sizeof problem, "%s/p.txt", folder);
    snprintf(points, sizeof points, "%s/data_files", folder);
    ck_assert_int_eq(mkdir(points, 0700), 0);
    snprintf(points, sizeof points, "%s/data_files/points.dat", folder);
    snprintf(table, sizeof table, "%s/table.csv", folder);
}

/* Random points from a problem file and from a CSV file are the same to the bit, with all ranges and headings. */
START_RANDOM_TEST(points_are_those_of_the_same_table, 11)
{
    make_folder();
    for (size_t i = 0; i < chance_cases(200); i++) {
        const size_t dim = 1 + chance_below(&random, 3), count = 20 + chance_below(&random, 40);
        const size_t form = chance_below(&random, dim == 1 ? 3 : 2);
        const bool errors = chance_below(&random, 2), range = chance_below(&random, 2);
        FILE *dat = fopen(points, "w"), *csv = fopen(table, "w");
        if (form < 2) fputs(form == 0 ? "#" : "", dat);
        for (size_t j = 0; j < dim && form < 2; j++) fprintf(dat, form == 0 ? " X%zu" : "<x%zu> ", j);
        if (form < 2) fprintf(dat, form == 0 ? " Y%s\n\n" : "<y>%s\n", errors ? form == 0 ? " E" : " <E>" : "");
        for (size_t j = 0; j < dim; j++) fprintf(csv, dim > 1 ? "x%zu," : "x,", j + 1);
        fputs("y\n", csv);
        for (size_t k = 0; k < count; k++) {
            double x[3] = {0};
            for (size_t j = 0; j < dim; j++) x[j] = 20 * steep_random_uniform(&random) - 10;
            const double y = steep_random_uniform(&random);
            const bool inside = !range || (x[0] >= -5 && x[0] <= 7.5);
            for (size_t j = 0; j < dim; j++) fprintf(dat, "%s%.17g", j ? "\t" : "  ", x[j]);
            for (size_t j = 0; j < dim && inside; j++) fprintf(csv, "%.17g,", x[j]);
            fprintf(dat, errors ? " %.17g 0.1\r\n" : " %.17g\n", y);
            if (inside) fprintf(csv, "%.17g\n", y);
        }
        ck_assert(fclose(dat) == 0 && fclose(csv) == 0);
        char text[300];
        snprintf(text, sizeof text, "# FitBenchmark Problem\nname = 'drawn'\ninput_file = %s\n%s",
                 i % 2 ? "'points.dat'" : "\"points.dat\"  # beside", range ? "fit_ranges = {'x': [-5, 7.5]}\n" : "");
        scratch_put(problem, text);
        SCOPED(steep_points_free) steep_points a, b;
        const steep_points_options options = {.holdout = i % 3 ? 0.25 : 0, .seed = i};
        ck_assert(steep_problem_file_is(problem) && !steep_problem_file_is(table));
        check_says(steep_points_read(problem, &options, &a, &error), STEEP_OK, "");
        check_says(steep_points_read(table, &options, &b, &error), STEEP_OK, "");
        ck_assert(a.dim == b.dim && a.train.count == b.train.count && a.test.count == b.test.count);
        ck_assert(a.sum[0] != b.sum[0] && a.bytes[0] > 0);
        ck_assert_mem_eq(a.train.x, b.train.x, a.train.count * dim * sizeof(double));
        ck_assert_mem_eq(a.train.y, b.train.y, a.train.count * sizeof(double));
        if (a.test.count > 0) ck_assert_mem_eq(a.test.x, b.test.x, a.test.count * dim * sizeof(double));
        for (size_t j = 0; j < dim; j++) ck_assert_str_eq(a.x[j], b.x[j]);
    }
}

START_TEST(what_cannot_be_read_is_named)
{
    static const struct {
        const char *entries, *points, *says;
    } bad[] = {
        {"name = 'a'\n", "1 2\n", "has no line input_file"},
        {"input_file = ['a.dat', 'b.dat']\n", "1 2\n", "line 2: names several files"},
        {"input_file = 'other.dat'\n", "1 2\n", "other.dat, is neither beside it nor in data_files"},
        {"input_file = 'points.dat'\nfit_ranges = {'x': [2, 1]}\n", "1 2\n", "line 3: fit_ranges"},
        {"input_file = 'points.dat'\nfit_ranges = {'x': 2}\n", "1 2\n", "line 3: fit_ranges"},
        {"input_file = 'points.dat'\nfit_ranges = {'x': [, 5]}\n", "1 2\n", "line 3: fit_ranges"},
        {"input_file = 'points.dat'\nfit_ranges = {'x': [5, 6]}\n", "1 2\n2 3\n", "no point in it within fit_ranges"},
        {"input_file = 'points.dat'\n", "", "no point in it"},
        {"input_file = 'points.dat'\n", "# X Y0 Y1\n1 2 3\n", "1 columns x and 2 columns y"},
        {"input_file = 'points.dat'\n", "# time value\n1 2\n", "0 columns x and 0 columns y"},
        {"input_file = 'points.dat'\n", "1 2 3 4\n", "0 columns x and 0 columns y"},
        {"input_file = 'points.dat'\n", "# X Y\n1 2\n3\n", "points.dat, line 3: \"\" in place of number 2 of 2"},
        {"input_file = 'points.dat'\n", "# X Y\n1 2\n3 nan\n", "line 3: \"nan\" in place of number 2 of 2"},
        {"input_file = 'points.dat'\n", "1 2\n3 4 5\n", "line 2: \"5\" in place of number 3 of 2"},
        {"input_file = 'points.dat'\n", "1 2\n3 4x\n", "line 2: \"4x\" in place of number 2 of 2"},
        {"input_file = 'points.dat'\n", "1 2\n1 4\n", "every training point has the same x"},
    };
    make_folder();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[300];
        steep_points p;
        error.text[0] = '\0';
        snprintf(text, sizeof text, "#FitBenchmark Problem\n%s", bad[i].entries);
        scratch_put(problem, text);
        scratch_put(points, bad[i].points);
        const steep_status status = steep_points_read(problem, NULL, &p, &error);
        ck_assert_msg((status == STEEP_BAD_INPUT || status == STEEP_IO) && strstr(error.text, bad[i].says), "%zu: %s",
                      i, error.text);
    }
    scratch_put(problem, "# FitBenchmark\ninput_file = 'points.dat'\n");
    scratch_put(points, "1 2\n2 3\n");
    steep_points p;
    check_says(steep_points_read(problem, &(steep_points_options){.x = "a"}, &p, &error), STEEP_BAD_INPUT,
               "--x belongs to points from a CSV file");
}
