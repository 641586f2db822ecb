/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plans: a plan from the options of a sweep. */
#ifndef STEEP_TESTS_PLANS_H
#define STEEP_TESTS_PLANS_H

#include "harness.h"
#include "study/sweep.h"

/* The number as a text, valid until the eighth call after this one. */
static inline const char *count_text(size_t count)
{
    static char text[8][24];
    static size_t next;
    char *at = text[next++ % 8];
    snprintf(at, sizeof text[0], "%zu", count);
    return at;
}

/* The options of a sweep by name and value, as a command line has them; a value of NULL: the default. */
static inline steep_sweep_options named_options(const char *const *word, size_t words)
{
    steep_sweep_options options = steep_sweep_options_default();
    steep_option_group group[STEEP_SWEEP_GROUPS];
    steep_error error = {{0}};
    steep_sweep_groups(&options, group);
    for (size_t i = 0; i < words; i += 2)
        if (word[i + 1]) check_says(steep_options_set(group, word[i], word[i + 1], &error), STEEP_OK, "");
    return options;
}
#define OPTIONS(...)                                                                                                   \
    named_options((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static inline steep_status plan_init(const steep_sweep_options *options, steep_plan *plan, steep_error *error)
{
    steep_status status = steep_plan_init(&options->problem, &options->model, &options->solver, plan, error);
    if (status == STEEP_OK) plan->device = "cpu";
    return status;
}

/* The plan of these options, which must be valid. */
static inline steep_plan plan_of(steep_sweep_options options)
{
    steep_plan plan;
    steep_error error = {{0}};
    check_says(plan_init(&options, &plan, &error), STEEP_OK, "");
    return plan;
}
#define PLAN(...) plan_of(OPTIONS(__VA_ARGS__))

#endif
