/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tasks: samples are as requested and made once, and Gauss points integrate. */
#include "execute/tasks.h"

#include "plans.h"

START_TEST(shared_samples)
{
    SCOPED(steep_plan_free)
    steep_plan plan = PLAN("target", "cos4;runge3", "widths", "5,9", "seeds", "0:1", "samples", "100");
    SCOPED(steep_task_samples_free) steep_task_samples samples, few;
    ck_assert_int_eq(steep_task_samples_init(&plan, NULL, &samples, NULL), STEEP_OK);
    for (size_t i = 0; i < plan.tasks; i++)
        for (size_t j = 0; j < plan.tasks; j++) {
            SCOPED(steep_task_open_free) steep_task_open a, b;
            ck_assert_int_eq(steep_task_open_init(&samples, &plan.task[i], &a, NULL), STEEP_OK);
            ck_assert_int_eq(steep_task_open_init(&samples, &plan.task[j], &b, NULL), STEEP_OK);
            bool target = plan.task[i].target == plan.task[j].target, seed = plan.task[i].seed == plan.task[j].seed;
            ck_assert((a.problem.train == b.problem.train) == (target && seed));
            ck_assert((a.problem.test == b.problem.test) == target);
            ck_assert_uint_eq(a.options.seed, plan.seed[plan.task[i].seed]);
            ck_assert(a.problem.train->count == 100 && a.problem.test->count == 100);
            ck_assert(a.problem.test->x[0] == -1 && a.problem.test->x[99] == 1);
        }
    /* Only what is needed. */
    const bool needed[32] = {true};
    ck_assert_int_eq(steep_task_samples_init(&plan, needed, &few, NULL), STEEP_OK);
    ck_assert(few.train[0].count == 100 && few.train[1].count == 0 && few.test[1].count == 0);
}

/* How many training and test points there are, for each sampling in one and two dimensions. */
START_TEST(counts)
{
    static const struct {
        const char *sampling, *test, *target;
        size_t train, tested;
    } at[] = {
        {"random", "grid", "cos4", 100, 100},       {"grid", "grid", "cos4", 100, 199},
        {"grid", "grid", "cos4cos4", 100, 19 * 19}, {"random", "gauss", "cos4", 100, 0},
        {"random", "gauss", "cos4cos4", 100, 121},  {"gauss", "grid", "cos4cos4", 100, 100},
        {"gauss", "gauss", "cos4cos4", 100, 121},   {"random", "grid", "cos4cos4", 90, 100},
    };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        SCOPED(steep_plan_free)
        steep_plan plan = PLAN("sampling", at[i].sampling, "test", at[i].test, "target", at[i].target, "samples",
                               count_text(at[i].train), "widths", "5", "arch", "glu");
        SCOPED(steep_task_samples_free) steep_task_samples samples;
        SCOPED(steep_task_open_free) steep_task_open open;
        ck_assert_int_eq(steep_task_samples_init(&plan, NULL, &samples, NULL), STEEP_OK);
        ck_assert_int_eq(steep_task_open_init(&samples, &plan.task[0], &open, NULL), STEEP_OK);
        ck_assert_msg(open.problem.train->count == at[i].train, "%zu: %zu", i, open.problem.train->count);
        ck_assert_uint_eq(open.problem.train->count, steep_plan_points(&plan, &plan.task[0]));
        ck_assert_msg((open.problem.test ? open.problem.test->count : 0) == at[i].tested, "%zu", i);
        ck_assert_int_eq(open.options.continuous, at[i].tested == 0);
    }
}

/* Gauss points in the start's cells: enough of them, ascending, weights 1 in sum, exact for degree 2 points - 1: the
 * mean of x^6 is 1/7. */
START_TEST(gauss_in_cells)
{
    static const char *const starts[] = {"uniform", "alternating", "one-sided", "equidistributed", "random"};
    static const size_t asked[] = {20, 300, 5000}; /* below, at, above what a rule of 64 points can give to a cell */
    for (size_t s = 0; s < 5; s++)
        for (size_t c = 0; c < 3; c++) {
            SCOPED(steep_plan_free)
            steep_plan plan = PLAN("arch", "mlp,gqu", "target", s == 3 ? "cos4" : "x^3", "sampling", "gauss", "start",
                                   starts[s], "samples", count_text(asked[c]), "widths", "1:30:7");
            SCOPED(steep_task_samples_free) steep_task_samples samples;
            ck_assert_int_eq(steep_task_samples_init(&plan, NULL, &samples, NULL), STEEP_OK);
            for (size_t i = 0; i < plan.tasks; i++) {
                SCOPED(steep_task_open_free) steep_task_open open;
                steep_error error = {{0}};
                check_says(steep_task_open_init(&samples, &plan.task[i], &open, &error), STEEP_OK, "");
                const steep_samples *train = open.problem.train;
                double sum = 0, mean = 0;
                for (size_t k = 0; k < train->count; k++) {
                    ck_assert(k == 0 || train->x[k] > train->x[k - 1]);
                    sum += train->weight[k];
                    mean += train->weight[k] * pow(train->x[k], 6);
                }
                check_close(sum, 1, 1e-15 * (double)train->count);
                check_close(mean, 1.0 / 7, 1e-15 * (double)train->count);
                ck_assert_uint_ge(train->count, steep_plan_unknowns(&plan, &plan.task[i]));
                if (strcmp(starts[s], "random") != 0) ck_assert_uint_ge(train->count, asked[c]);
            }
        }
}

/* Values of a size that no fit takes are refused where the points are made, before a folder is touched. Targets that
 * are not needed are not checked. */
START_TEST(sizes_out_of_range)
{
    static const struct {
        const char *target, *solver, *sampling, *test;
    } at[] = {{"x;1e200*x", "frozen,construct", "random", "grid"},
              {"x;1e200*x", "frozen,construct", "gauss", "grid"},
              {"x;1e-200*x", "frozen", "grid", "gauss"}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        SCOPED(steep_plan_free)
        steep_plan plan = PLAN("target", at[i].target, "sampling", at[i].sampling, "test", at[i].test, "solver",
                               at[i].solver, "arch", "glu", "widths", "3,4");
        SCOPED(steep_task_samples_free) steep_task_samples samples;
        steep_error error = {{0}};
        bool needed[32] = {false};
        check_says(steep_task_samples_init(&plan, NULL, &samples, &error), STEEP_BAD_INPUT, "from 1e-100 to 1e+100");
        ck_assert_ptr_nonnull(strstr(error.text, plan.target[1].name));
        ck_assert_uint_le(plan.tasks, 32);
        for (size_t t = 0; t < plan.tasks; t++) needed[t] = plan.task[t].target == 0;
        check_says(steep_task_samples_init(&plan, needed, &samples, &error), STEEP_OK, "");
    }
}
