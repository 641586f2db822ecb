/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report: exact power laws give back their exponents, the best seed counts, theory stands where there is one. */
#include "study/run.h"

#include "chance.h"
#include "plans.h"
#include "rows.h"
#include "study/series.h"

static steep_plan make_plan(const char *arch, const char *target)
{
    return PLAN("arch", arch, "target", target, "widths", "8:256:x2", "seeds", "0:2");
}

/* A fit with the same error in training and test. */
static steep_fit_row fit_of(double error)
{
    return (steep_fit_row){.present = true, .rmse_train = error, .rmse_test = error, .floor = 1e-30};
}

/* error = width^-2 (params^-3 for the second variant) for seed 1, worse for the others; one fit failed. */
static steep_fit_row *make_rows(const steep_plan *plan)
{
    steep_fit_row *row = calloc(plan->tasks, sizeof *row);
    for (size_t i = 0; i < plan->tasks; i++) {
        const steep_task *task = &plan->task[i];
        double best = task->variant == 1 ? pow((double)task->parameters, -3) : pow((double)task->width, -2);
        row[i] = fit_of(best * (task->seed == 1 ? 1 : 1.5 + (double)((i + task->seed / 2) % 3)));
        row[i].floor = 1e-17 * (double)(plan->tasks - (i ^ 1));
    }
    row[0].status = STEEP_SINGULAR;
    row[0].rmse_test = 1e-30;
    return row;
}

static void release_list(steep_series_list *list)
{
    free(list->series);
    free(list->theory);
    free(list->curve_block);
}

/* Measures the series of the rows; requires `wanted` series. */
static steep_series_list measure(const steep_plan *plan, const steep_fit_row *row, size_t wanted)
{
    steep_series_list list = {.plan = plan, .row = row};
    ck_assert_int_eq(steep_series_measure(&list, STEEP_LAW_POWER, NULL), STEEP_OK);
    ck_assert_uint_eq(list.count, wanted);
    return list;
}

/* Prints a table of a sweep; the caller frees the text. */
static char *print_by(steep_status (*report)(const steep_series_list *, steep_sheet *), const steep_series_list *list,
                      steep_format format)
{
    char *text = NULL;
    steep_sheet sheet;
    FILE *stream = text_stream(&text);
    steep_sheet_open(&sheet, stream, (steep_style){format, false}, "sweep");
    ck_assert_int_eq(report(list, &sheet), STEEP_OK);
    ck_assert_int_eq(steep_sheet_close(&sheet), STEEP_OK);
    fclose(stream);
    return text;
}

static char *print(const steep_series_list *list, steep_format format)
{
    return print_by(steep_report_table, list, format);
}

START_TEST(power_laws_come_back)
{
    SCOPED(steep_plan_free) steep_plan plan = make_plan("mlp,glu,mlp:gelu", "cos4;cos4cos4");
    SCOPED(release_memory) steep_fit_row *row = make_rows(&plan);
    SCOPED(release_list) steep_series_list list = measure(&plan, row, 6);
    const char *path = scratch_path(scratch_make(), "slopes.csv");
    ck_assert_int_eq(steep_report_slopes(&list, path, NULL), STEEP_OK);
    SCOPED(release_memory) char *text = scratch_read(path, NULL);
    ck_assert_int_eq(strncmp(text, STEEP_SLOPES_HEADER "\n", sizeof STEEP_SLOPES_HEADER), 0);
    SCOPED(steep_table_free) steep_table csv = table_at(path);
    ck_assert_uint_eq(csv.rows, 2 * 3 * 2 * 4);
    for (size_t r = 0; r < csv.rows; r++) {
        size_t target = r / 24, variant = r / 8 % 3, against = r / 4 % 2, method = r % 4;
        static const char *const label[] = {"mlp", "glu", "mlp:gelu"}, *const methods[] = {"window", "last_pair", "all",
                                                                                           "seeds"};
        ck_assert_str_eq(word_of(&csv, r, "arch"), label[variant]);
        ck_assert_str_eq(word_of(&csv, r, "target"), target ? "cos4cos4" : "cos4");
        ck_assert_str_eq(word_of(&csv, r, "solver"), "frozen");
        ck_assert_str_eq(word_of(&csv, r, "against"), against ? "params" : "width");
        ck_assert_str_eq(word_of(&csv, r, "method"), methods[method]);
        ck_assert_str_eq(word_of(&csv, r, "start"), "uniform");
        const steep_series *series = &list.series[r / 8];
        const steep_slope *own = method == 3 ? &series->seeds[against] : &series->slope[against][method];
        ck_assert(cell_of(&csv, r, "slope") == own->slope && cell_of(&csv, r, "points") == (double)own->points);
        if (method == 3) continue;
        /* Exact in their own size: rounding of the logarithms alone. */
        if ((variant == 1) == (against == 1))
            check_close(cell_of(&csv, r, "slope"), variant == 1 ? -3 : -2, method == 0 ? 1e-3 : 1e-13);
        double theory = cell_of(&csv, r, "theory");
        if (variant == 2) ck_assert(isnan(theory));
        else if (target == 0) ck_assert(theory == (variant == 1 ? -3 : -2));
        else ck_assert(theory == (variant == 1 ? -1.75 : -1.25)); /* 2D */
    }
}

/* From the first width on whose test error has left the training error, widths are in the naive slope alone, and the
 * table says so. A network of few parameters does not overfit, whatever its test error is by chance. */
START_TEST(what_overfits_is_said_and_left_out)
{
    SCOPED(steep_plan_free) steep_plan plan = make_plan("mlp,glu", "cos4");
    SCOPED(release_memory) steep_fit_row *row = make_rows(&plan);
    SCOPED(release_list) steep_series_list list = measure(&plan, row, 2);
    SCOPED(release_memory) char *text = print(&list, STEEP_FORMAT_TEXT);
    char name[16];
    double slope, theory, floor;
    const char *glu = strstr(text, "\nglu");
    ck_assert_msg(glu && strstr(text, "architecture") && strstr(text, "interval") && strstr(text, "theory"), "%s",
                  text);
    double best = NAN, low, high;
    ck_assert_int_eq(sscanf(glu, " %15s %lf [%lf, %lf] %lf %lf %*s %*s %*s %*s %*s %lf", name, &slope, &low, &high,
                            &theory, &floor, &best),
                     7);
    ck_assert_msg(fabs(best + 3) < 0.01 && theory == -3 && low <= slope && slope <= high && low <= -3 && -3 <= high,
                  "%s", text);
    check_close(floor, 1e-17 * (double)(plan.tasks / 2), 0.05e-16); /* its largest, printed with two digits */
    ck_assert_ptr_nonnull(strstr(text, "test error"));
    ck_assert_ptr_null(strstr(text, "overfits"));
    for (size_t i = 0; i < plan.tasks; i++)
        if (plan.task[i].variant == 0 && (plan.task[i].width == 8 || plan.task[i].width >= 128))
            row[i].rmse_test = 1.2 * row[i].rmse_train;
    SCOPED(release_list) steep_series_list crowded = measure(&plan, row, 2);
    SCOPED(release_memory) char *other = print(&crowded, STEEP_FORMAT_TEXT);
    const char *says = strstr(other, "overfits from width 128 on");
    ck_assert_msg(says && says < strstr(other, "\nglu") && !strstr(says + 1, "overfits"), "%s", other);
    ck_assert_msg(strstr(says, "left out (more --samples, or --sampling grid)") != NULL, "%s", other);
    ck_assert(crowded.series[0].overfit == 128 && crowded.series[1].overfit == 0);
    for (size_t a = 0; a < STEEP_AGAINSTS; a++) {
        const steep_slope *own = crowded.series[0].slope[a];
        const double most = a == STEEP_AGAINST_WIDTH ? 64 : 193, all = a == STEEP_AGAINST_WIDTH ? 256 : 769;
        ck_assert(own[STEEP_SLOPE_LAST_PAIR].last == most && own[STEEP_SLOPE_WINDOW].last == most);
        ck_assert(own[STEEP_SLOPE_ALL].last == all);
    }
}

/* Series that differ by their start, or by the number of training points of their fits, are told apart in tables for
 * readers and for programs. */
START_TEST(starts_and_numbers_of_points_are_said)
{
    SCOPED(steep_plan_free)
    steep_plan plan = PLAN("arch", "mlp:tanh", "target", "cos4cos4", "params", "30", "samples", "90,200", "solver",
                           "lm", "start", "random,greedy", "sampling", "grid");
    SCOPED(release_memory) steep_fit_row *row = make_rows(&plan);
    SCOPED(release_list) steep_series_list list = measure(&plan, row, 4);
    const double least = (double)steep_plan_points(&plan, plan.task), most = 225;
    const char *path = scratch_path(scratch_make(), "table.csv");
    for (int table = 0; table < 3; table++) {
        SCOPED(release_memory) char *text = NULL;
        if (table == 2) ck_assert_int_eq(steep_report_slopes(&list, path, NULL), STEEP_OK);
        else
            scratch_put(path,
                        text = print_by(table ? steep_report_contest : steep_report_table, &list, STEEP_FORMAT_CSV));
        SCOPED(steep_table_free) steep_table csv = table_at(path);
        unsigned found = 0;
        for (size_t r = 0; r < csv.rows; r++) {
            const double samples = cell_of(&csv, r, "samples");
            ck_assert((samples == least || samples == most) && (table != 1 || cell_of(&csv, r, "seed") == 0));
            found |= 1U << (2 * (samples == least) + !strcmp(word_of(&csv, r, "start"), "random"));
        }
        ck_assert_msg((table == 2 || csv.rows == 4) && found == 15, "table %d", table);
    }
    SCOPED(release_memory) char *table = print(&list, STEEP_FORMAT_TEXT);
    ck_assert_msg(strstr(table, "100 to 225 equispaced training points"), "%s", table);
    SCOPED(release_memory) char *text = print_by(steep_report_contest, &list, STEEP_FORMAT_TEXT);
    ck_assert_msg(strstr(text, " start ") && strstr(text, " points ") && strstr(text, " greedy             225 "), "%s",
                  text);
    /* If each unit has its own start, starts are not shown. */
    SCOPED(steep_plan_free) steep_plan own = PLAN("arch", "spline,mlp:tanh", "params", "12", "solver", "varpro");
    SCOPED(release_memory) steep_fit_row *rows = make_rows(&own);
    SCOPED(release_list) steep_series_list units = measure(&own, rows, 4);
    SCOPED(release_memory) char *plain = print_by(steep_report_contest, &units, STEEP_FORMAT_TEXT);
    ck_assert_msg(own.methods == 2 && strstr(plain, "varpro") && !strstr(plain, " start "), "%s", plain);
}

/* What overfits is told to have more points; --samples is no option beside --data. */
START_TEST(contests_of_files_need_more_points)
{
    const char *path = scratch_path(scratch_make(), "points.csv");
    scratch_put(path, "x,y\n1,2\n2,4\n3,3\n4,7\n5,6\n6,9\n");
    SCOPED(steep_plan_free) steep_plan plan = PLAN("data", path, "arch", "mlp", "params", "4", "solver", "frozen");
    const steep_fit_row row = {.present = true, .rmse_train = 0.01, .rmse_test = 1};
    SCOPED(release_list) steep_series_list list = measure(&plan, &row, 1);
    SCOPED(release_memory) char *text = print_by(steep_report_contest, &list, STEEP_FORMAT_TEXT);
    ck_assert_msg(strstr(text, "overfits") && !strstr(text, "--samples"), "%s", text);
}

/* A best width at an end of the curve's is marked: networks beyond may be better. The widest of all is another's. */
START_TEST(curves_say_where_widths_end)
{
    static const size_t best[] = {4, 8, 16};
    SCOPED(steep_plan_free)
    steep_plan plan =
        PLAN("arch", "mlp", "target", "cos4", "samples", "80,90,200", "widths", "4,8,16,32", "noise", "0.1");
    SCOPED(release_memory) steep_fit_row *row = calloc(plan.tasks, sizeof *row);
    for (size_t i = 0; i < plan.tasks; i++)
        if (plan.task[i].width < 32) row[i] = fit_of(plan.task[i].width == best[plan.task[i].set] ? 0.1 : 0.2);
    SCOPED(release_list) steep_series_list list = measure(&plan, row, 3);
    ck_assert_int_eq(steep_learning_measure(&list, STEEP_LAW_POWER, NULL), STEEP_OK);
    ck_assert(list.curve[0].slope[STEEP_SLOPE_LAST_PAIR].last == 90); /* not 200, where the widest is best */
    SCOPED(release_memory) char *text = print(&list, STEEP_FORMAT_TEXT);
    const char *curve = strstr(text, "learning curve"), *narrow = strstr(curve, "the narrowest: "),
               *wide = strstr(curve, "the widest: ");
    ck_assert_msg(narrow && wide && narrow < strstr(curve, " 90 ") && strstr(curve, " 200 ") < wide, "%s", text);
    ck_assert(!strstr(narrow + 1, "the narrowest: ") && !strstr(wide + 1, "the widest: "));
    /* Without test points, as by --test gauss, the noise's part of the training error says where a series overfits. */
    for (size_t i = 0; i < plan.tasks; i++)
        row[i].rmse_clean = 0.1, row[i].noise_train = plan.task[i].width < 16 ? 0.01 : 0.09, row[i].noise_test = NAN;
    SCOPED(release_list) steep_series_list noisy = measure(&plan, row, 3);
    ck_assert_uint_eq(noisy.series->overfit, 16);
}

/* Errors at points that are drawn scatter, be they of the training or of the test: intervals are longer. */
START_TEST(drawn_points_have_longer_intervals)
{
    static const char *const points[][2] = {{"grid", "grid"}, {"sobol", "grid"}, {"grid", "random"}};
    double length[3];
    for (size_t k = 0; k < 3; k++) {
        SCOPED(steep_plan_free)
        steep_plan plan = PLAN("arch", "mlp", "target", "cos4", "widths", "8:256:x1.5", "sampling", points[k][0],
                               "test", points[k][1]);
        SCOPED(release_memory) steep_fit_row *row = calloc(plan.tasks, sizeof *row);
        for (size_t i = 0; i < plan.tasks; i++)
            row[i] = fit_of(pow((double)plan.task[i].width, -2) * (1 + 0.003 * (double)((7 * i) % 5)));
        SCOPED(release_list) steep_series_list list = measure(&plan, row, 1);
        const steep_slope *slope = &list.series->slope[STEEP_AGAINST_PARAMS][STEEP_SLOPE_WINDOW];
        length[k] = slope->high - slope->low;
        ck_assert(k == 0 || length[k] > 1.5 * length[0]);
    }
}

/* The plan of a file with random points, a part of them for the test. */
static steep_plan plan_of_points(const char *path, steep_random *random)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("x,y\n", file);
    for (size_t i = 0; i < 60; i++)
        fprintf(file, "%zu,%.17g\n", i, 7 + chance_within(random, -1, 1) * exp(chance_within(random, -3, 3)));
    fclose(file);
    return PLAN("data", path, "holdout", "0.4", "arch", "mlp,glu", "widths", "2:9", "seeds", "0:2");
}

/* 1 - mse / variance, the variance as the mean of squares less the square of the mean. */
static double r2_of(const steep_samples *test, double error)
{
    long double sum = 0, squares = 0;
    for (size_t k = 0; k < test->count; k++) sum += test->y[k], squares += (long double)test->y[k] * test->y[k];
    const long double mean = sum / test->count;
    return (double)(1 - (long double)error * error / (squares / test->count - mean * mean));
}

static void check_least(const steep_plan *plan, const steep_fit_row *row, const steep_table *csv, size_t variant)
{
    double least = INFINITY, width = 0, seconds = 0;
    for (size_t i = 0; i < plan->tasks; i++) {
        if (plan->task[i].variant != variant || !row[i].present) continue;
        seconds += row[i].seconds;
        if (row[i].status >= 0 && row[i].rmse_test < least)
            least = row[i].rmse_test, width = (double)plan->task[i].width;
    }
    check_close(cell_of(csv, variant, "least_error"), least, 0);
    check_close(cell_of(csv, variant, "at_width"), width, 0);
    check_close(cell_of(csv, variant, "seconds"), seconds, 1e-14 * seconds);
    const double r2 = cell_of(csv, variant, "r2");
    if (!plan->points) ck_assert(isnan(r2));
    else check_close(r2, r2_of(&plan->points->test, least), 1e-12 * (1 + fabs(r2)));
}

/* The least error, its width, the seconds and R^2 are those of the rows, whichever fits failed or are not there. */
START_RANDOM_TEST(least_errors_are_those_of_the_rows, 1)
{
    const char *folder = scratch_make();
    for (size_t c = 0; c < chance_cases(40); c++) {
        SCOPED(steep_plan_free)
        steep_plan plan =
            c % 2 ? make_plan("mlp,glu", "cos4") : plan_of_points(scratch_path(folder, "points.csv"), &random);
        SCOPED(release_memory) steep_fit_row *row = calloc(plan.tasks, sizeof *row);
        for (size_t i = 0; i < plan.tasks; i++) {
            const double error = exp(chance_within(&random, -9, 1));
            row[i] =
                (steep_fit_row){.present = chance_below(&random, 6) > 0, .rmse_train = error / 2, .rmse_test = error};
            row[i].status = chance_below(&random, 6) > 0 ? STEEP_OK : STEEP_SINGULAR;
            row[i].floor = 1e-18, row[i].seconds = chance_within(&random, 0, 5);
        }
        row[1].present = row[plan.tasks - 1].present = true;
        row[1].status = row[plan.tasks - 1].status = STEEP_OK;
        const char *path = scratch_path(folder, "table.csv");
        SCOPED(release_list) steep_series_list list = measure(&plan, row, 2);
        SCOPED(release_memory) char *text = print(&list, STEEP_FORMAT_CSV);
        scratch_put(path, text);
        SCOPED(steep_table_free) steep_table csv = table_at(path);
        ck_assert_uint_eq(csv.rows, 2);
        for (size_t v = 0; v < 2; v++) check_least(&plan, row, &csv, v);
    }
}

/* With many points, the test error may be any multiple of the training error, may scatter, and may rise once. A series
 * overfits from the width on where the test error rises to stay. */
START_RANDOM_TEST(what_rises_to_stay_overfits, 2)
{
    SCOPED(steep_plan_free)
    steep_plan plan = PLAN("arch", "mlp", "target", "cos4", "samples", "10000000", "widths", "2:24:x1.5");
    SCOPED(release_memory) steep_fit_row *row = calloc(plan.tasks, sizeof *row);
    for (size_t c = 0; c < chance_cases(100); c++) {
        const double times = chance_below(&random, 2) ? chance_within(&random, 1, 8) : 1;
        const size_t from = chance_below(&random, 2) ? 1 + chance_below(&random, plan.widths - 1) : plan.widths,
                     spike = 1 + chance_below(&random, plan.widths - 2);
        double least = INFINITY;
        for (size_t w = 0; w < plan.widths; w++) {
            const double train = pow((double)plan.width[w], -chance_within(&random, 1.3, 1.4)); /* falls at any step */
            double test = times * train * chance_within(&random, 0.97, 1.03);
            if (w < from) least = fmin(least, test);
            if (w == spike && from == plan.widths) test = 5 * times;
            if (w >= from) test = least * chance_within(&random, 1.5, 90);
            row[w] = (steep_fit_row){.present = true, .rmse_train = train, .rmse_test = test, .floor = 1e-20};
        }
        SCOPED(release_list) steep_series_list list = measure(&plan, row, 1);
        ck_assert_msg(list.series->overfit == (from < plan.widths ? plan.width[from] : 0), "from %zu: %zu", from,
                      list.series->overfit);
    }
}

/* Without a test error the training error stands in; without any usable fit there are no numbers, and no failure. */
START_TEST(training_errors_stand_in_and_nothing_has_no_slope)
{
    SCOPED(steep_plan_free) steep_plan plan = make_plan("mlp", "cos4");
    SCOPED(release_memory) steep_fit_row *row = make_rows(&plan);
    const char *folder = scratch_make(), *path = scratch_path(folder, "slopes.csv");
    for (size_t i = 0; i < plan.tasks; i++) row[i].rmse_test = NAN;
    SCOPED(release_list) steep_series_list list = measure(&plan, row, 1);
    ck_assert_int_eq(steep_report_slopes(&list, path, NULL), STEEP_OK);
    SCOPED(steep_table_free) steep_table untested = table_at(path);
    check_close(cell_of(&untested, 0, "slope"), -2, 1e-3);
    for (size_t i = 0; i < plan.tasks; i++) row[i].status = STEEP_NOT_FINITE;
    SCOPED(release_list) steep_series_list none = measure(&plan, row, 1);
    ck_assert_int_eq(steep_report_slopes(&none, path, NULL), STEEP_OK);
    SCOPED(steep_table_free) steep_table csv = table_at(path);
    ck_assert_uint_eq(csv.rows, 6); /* no slope of any seed: no row for the seeds */
    for (size_t r = 0; r < 6; r++) ck_assert(isnan(cell_of(&csv, r, "slope")) && cell_of(&csv, r, "points") == 0);
    ck_assert_int_eq(steep_report_slopes(&none, "/proc/none/slopes.csv", NULL), STEEP_IO);
}

/* The slope of seeds is that of the medians, here the middle seed's. Its interval holds Student's of the mean of the
 * seeds' slopes, t_{0.975, 2} = 4.302652729749, and one of this length about the slope. A seed with the fits of another
 * seed, as with frozen gates on a grid, does not count: seeds that are all one fit have the interval of this fit. */
START_TEST(the_interval_of_seeds_holds_students)
{
    SCOPED(steep_plan_free)
    steep_plan plan = PLAN("arch", "mlp", "target", "cos4", "widths", "8:256:x2", "seeds", "0:3");
    SCOPED(release_memory) steep_fit_row *row = calloc(plan.tasks, sizeof *row);
    const double exponent[] = {-2.0, -2.5, -2.1, -2.5}, mean = -2.2, deviation = sqrt(0.07);
    for (size_t i = 0; i < plan.tasks; i++)
        row[i] = fit_of(pow((double)plan.task[i].width, exponent[plan.task[i].seed]));
    SCOPED(release_list) steep_series_list list = measure(&plan, row, 1);
    const steep_slope *seeds = &list.series->seeds[STEEP_AGAINST_WIDTH];
    ck_assert(seeds->points == 3 && list.series->distinct == 3);
    check_close(seeds->slope, -2.1, 1e-3);
    const double half = 4.302652729749464 * deviation / sqrt(3);
    ck_assert(seeds->low <= mean - half + 1e-3 && seeds->high >= mean + half - 1e-3);
    ck_assert(seeds->low <= seeds->slope - half + 1e-3 && seeds->high >= seeds->slope + half - 1e-3);
    for (size_t i = 0; i < plan.tasks; i++) row[i] = row[i % plan.widths];
    SCOPED(release_list) steep_series_list equal = measure(&plan, row, 1);
    const steep_slope *one = steep_series_slope(equal.series, STEEP_AGAINST_WIDTH);
    ck_assert_uint_eq(equal.series->distinct, 1);
    ck_assert(one == &equal.series->slope[STEEP_AGAINST_WIDTH][STEEP_SLOPE_WINDOW] && one->low < one->high);
    /* A test error that is not resolved is none: it neither tells two seeds apart nor spoils the median. */
    for (size_t i = 0; i < plan.tasks; i++)
        if (plan.task[i].width == 32) row[i].rmse_test = NAN;
    SCOPED(release_list) steep_series_list untold = measure(&plan, row, 1);
    ck_assert_uint_eq(untold.series->distinct, 1);
    for (size_t i = 0; i < plan.tasks; i++)
        row[i] = fit_of(pow((double)plan.task[i].width, -2) * (1 + 0.1 * (double)plan.task[i].seed));
    row[plan.widths].rmse_test = NAN; /* of seed 1, width 8 */
    SCOPED(release_list) steep_series_list some = measure(&plan, row, 1);
    seeds = &some.series->seeds[STEEP_AGAINST_WIDTH];
    ck_assert(isfinite(seeds->low) && seeds->first == 8 && seeds->last == 256);
}

/* Theory's order is reached unless that derivative of the target is not square integrable, or one below it jumps. */
START_TEST(a_singular_target_has_no_theory_beside_gates_that_stay)
{
    static const struct {
        const char *arch, *target, *solver, *start;
        size_t singular;
    } cases[] = {
        {"glu", "x^2", "frozen", "uniform", 0},
        {"mlp", "abs(x)^1.5", "frozen", "uniform", 2},
        {"mlp", "abs(x)^1.5", "frozen", "equidistributed", 0},
        {"mlp", "abs(x)^1.5", "lm", "uniform", 0},
        {"gqu", "abs(x)", "frozen", "uniform", 4},
        {"gqu", "elu(x-0.3)", "frozen", "random", 4},
        {"gqu", "max(x,0)^2+cos(x)", "frozen", "equidistributed", 4},
        {"glu", "abs(x)+x^3", "construct", "uniform", 3},
        {"gqu", "abs(x)", "lm", "uniform", 0},
        {"mlp", "max(x,0)^2", "frozen", "uniform", 0},
        {"gqu", "cos(3000*x)", "frozen", "uniform", 0}, /* too fast for the search for jumps: not known */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        SCOPED(steep_plan_free)
        steep_plan plan = PLAN("arch", cases[k].arch, "target", cases[k].target, "widths", "8:128:x2", "solver",
                               cases[k].solver, "start", cases[k].start);
        SCOPED(release_memory) steep_fit_row *row = make_rows(&plan);
        SCOPED(release_list) steep_series_list list = measure(&plan, row, 1);
        const double theory = list.series->theory;
        ck_assert_msg(list.series->singular == cases[k].singular && (cases[k].singular ? isnan(theory) : theory < 0),
                      "case %zu: singular %zu, theory %g", k, list.series->singular, theory);
    }
}

/* Errors that do not fall, and those that fall and rise, have no theory beside them; steep falls keep theirs. */
START_TEST(noise_has_no_theory)
{
    SCOPED(steep_plan_free) steep_plan plan = make_plan("mlp", "cos4");
    SCOPED(release_memory) steep_fit_row *row = calloc(plan.tasks, sizeof *row);
    for (int kind = 0; kind < 3; kind++) {
        for (size_t i = 0; i < plan.tasks; i++) {
            const double u = log((double)plan.task[i].width / 32), even = 0.5 + 0.001 * (double)((7 * i) % 5);
            row[i] = fit_of(kind == 0 ? exp(-2 * u) : kind == 1 ? even : exp(0.3 * u * u));
        }
        SCOPED(release_list) steep_series_list list = measure(&plan, row, 1);
        const double theory = list.series->theory;
        ck_assert_msg(kind == 0 ? theory == -2 : isnan(theory), "%d: theory %g", kind, theory);
    }
}

/* series.csv has the slopes of its series, and theory's lines through the middle of the window. */
static void check_series(const steep_table *csv, const steep_series_list *list, int against)
{
    char column[4][32];
    static const char *const tail[] = {"slope", "low", "high", "law"}, *const size[] = {"width", "params"};
    for (size_t i = 0; i < 4; i++) snprintf(column[i], sizeof column[i], "%s_%s", size[against], tail[i]);
    double sum = 0;
    for (size_t r = 0; r < csv->rows; r++) {
        const steep_series *series = &list->series[strcmp(word_of(csv, r, "arch"), "mlp") != 0];
        const steep_slope *fitted = series->slope[against], *shown = &series->seeds[against];
        if (isnan(shown->slope))
            shown = &fitted[isnan(fitted[STEEP_SLOPE_WINDOW].slope) ? STEEP_SLOPE_LAST_PAIR : STEEP_SLOPE_WINDOW];
        const double at = cell_of(csv, r, size[against]), law = cell_of(csv, r, column[3]),
                     theory = cell_of(csv, r, "theory");
        const double told[] = {shown->slope, shown->low, shown->high};
        for (size_t i = 0; i < 3; i++) check_close(cell_of(csv, r, column[i]), told[i], 0);
        if (series != list->series) {
            ck_assert(isnan(law) && isnan(theory)); /* gelu: no piecewise polynomial */
            continue;
        }
        check_close(theory, -2, 0);
        check_close(log(law / cell_of(csv, 0, column[3])), theory * log(at / cell_of(csv, 0, size[against])), 1e-12);
        double level = cell_of(csv, r, "predicted");
        if (isnan(level)) level = cell_of(csv, r, "error");
        if (at >= fitted[STEEP_SLOPE_WINDOW].first && at <= fitted[STEEP_SLOPE_WINDOW].last) sum += log(law / level);
    }
    ck_assert(fabs(sum) < 1e-12);
}

START_TEST(series_have_the_slopes_and_lines_of_theory)
{
    static const char *const starts[] = {"uniform", "random"}; /* with a prediction, and without */
    for (int k = 0; k < 2; k++) {
        SCOPED(steep_plan_free)
        steep_plan plan =
            PLAN("arch", "mlp,mlp:gelu", "target", "cos4", "widths", "8:256:x2", "seeds", "0:2", "start", starts[k]);
        SCOPED(release_memory) steep_fit_row *row = make_rows(&plan);
        const char *path = scratch_path(scratch_make(), "series.csv");
        SCOPED(release_list) steep_series_list list = measure(&plan, row, 2);
        ck_assert_int_eq(steep_series_write(&list, false, NULL, path, NULL), STEEP_OK);
        SCOPED(steep_table_free) steep_table csv = table_at(path);
        ck_assert_uint_eq(csv.rows, 2 * plan.widths);
        ck_assert_int_eq(isnan(cell_of(&csv, 0, "predicted")), k);
        for (int against = 0; against < STEEP_AGAINSTS; against++) check_series(&csv, &list, against);
    }
}
