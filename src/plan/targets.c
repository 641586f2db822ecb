/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "plan/parts.h"
#include "plan/range.h"

static bool drops(const steep_problem_options *options)
{
    return options->missing && strcmp(options->missing, "drop") == 0;
}

steep_status steep_plan_add_points(steep_plan *plan, const steep_problem_options *options, steep_error *error)
{
    const char *path = options->points ? "the points" : options->data, *slash = strrchr(path, '/');
    steep_points_options how = {.given = options->points,
                                .x = options->x,
                                .y = options->y,
                                .domain = options->domain,
                                .test = options->test_data,
                                .holdout = options->holdout,
                                .folds = options->folds,
                                .standardize = options->standardize,
                                .drop_missing = drops(options)};
    plan->target = calloc(1, sizeof *plan->target);
    if (options->folds == 1)
        return steep_fail(error, STEEP_BAD_INPUT, "--folds 1: the one part would be all points: use 2 or more");
    plan->folds = options->folds;
    plan->points = calloc(plan->folds + 1, sizeof *plan->points);
    plan->data_name = strdup(slash ? slash + 1 : options->points ? "points" : path);
    if (!plan->target || !plan->points || !plan->data_name)
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for the points of %s", path);
    steep_status status = STEEP_OK;
    for (; status == STEEP_OK && how.fold < (plan->folds > 0 ? plan->folds : 1); how.fold++) {
        size_t distinct;
        steep_points *points = &plan->points[how.fold];
        status = steep_points_read(path, &how, points, error);
        if (status == STEEP_OK) status = steep_samples_distinct(&points->train, &distinct, error);
        if (status == STEEP_OK && (how.fold == 0 || distinct < plan->distinct)) plan->distinct = distinct;
    }
    if (status != STEEP_OK) return status;
    plan->data = steep_points_train(plan->points);
    plan->data_test = steep_points_test(plan->points);
    plan->target[0] = (steep_plan_target){.name = plan->data_name, .dim = plan->points->dim, .wanted = true};
    plan->targets = 1;
    return STEEP_OK;
}

void steep_plan_dropped(const steep_plan *plan, char *text, size_t size)
{
    const size_t none[2] = {0}, *dropped = plan->points ? plan->points->dropped : none;
    text[0] = '\0';
    if (dropped[0] + dropped[1] == 0) return;
    int used = snprintf(text, size, "%s: %zu rows without a value are left out", plan->data_name, dropped[0]);
    if (dropped[1] > 0) snprintf(text + used, size - (size_t)used, ", and %zu of the test", dropped[1]);
}

/* Refuses options that belong to points from a file where there is no file. */
static steep_status check_no_points(const steep_problem_options *options, steep_error *error)
{
    const char *given = options->x             ? "x"
                        : options->y           ? "y"
                        : options->test_data   ? "test-data"
                        : options->holdout > 0 ? "holdout"
                        : options->folds > 0   ? "folds"
                        : drops(options)       ? "missing drop"
                                               : NULL;
    if (!given) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT, "--%s belongs to points from a file: give --data too, or leave it out",
                      given);
}

static bool same_target(const steep_plan_target *left, const steep_plan_target *right)
{
    const steep_target *a = left->formula, *b = right->formula;
    bool same = steep_formula_same(a->formula, b->formula);
    for (size_t j = 0; same && j < a->dim; j++) same = a->low[j] == b->low[j] && a->high[j] == b->high[j];
    return same;
}

/* Refuses the last target where it is one of those before it, under the same name or another. */
static steep_status check_twice(const steep_plan *plan, steep_error *error)
{
    const steep_plan_target *last = &plan->target[plan->targets - 1];
    for (size_t s = 0; s + 1 < plan->targets; s++) {
        if (strcmp(plan->target[s].name, last->name) == 0)
            return steep_fail(error, STEEP_BAD_INPUT, "--target: %s stands there twice: name it once", last->name);
        if (!same_target(&plan->target[s], last)) continue;
        if (!last->wanted)
            return steep_fail(error, STEEP_BAD_INPUT, "its target %.160s is %.160s of this command: use that name",
                              last->name, plan->target[s].name);
        return steep_fail(error, STEEP_BAD_INPUT, "--target: %.160s and %.160s are the same target: name it once",
                          plan->target[s].name, last->name);
    }
    return STEEP_OK;
}

static steep_status append(steep_plan *plan, const char *text, bool wanted, steep_error *error)
{
    steep_target *formula;
    steep_plan_target *grown = realloc(plan->target, (plan->targets + 1) * sizeof *grown);
    if (!grown) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the targets");
    plan->target = grown;
    steep_status status = steep_target_open_on(text, plan->domain, &formula, error);
    if (status != STEEP_OK) return status;
    grown[plan->targets] = (steep_plan_target){formula->name, formula, formula->dim, {0}, wanted};
    if (plan->standardize) status = steep_standard_of_target(formula, &grown[plan->targets].standard, error);
    plan->targets++;
    return status == STEEP_OK ? check_twice(plan, error) : status;
}

steep_status steep_plan_add_targets(steep_plan *plan, const steep_problem_options *options, steep_error *error)
{
    if ((options->points != NULL) + (options->data != NULL) + (options->target != NULL) > 1)
        return steep_fail(error, STEEP_BAD_INPUT, "%s and --%s are both given: use one of them",
                          options->points ? "the points" : "--data", options->target ? "target" : "data");
    if (options->data || options->points) return steep_plan_add_points(plan, options, error);
    steep_words names;
    steep_status status = check_no_points(options, error);
    if (status != STEEP_OK) return status;
    status = steep_words_split("target", options->target ? options->target : STEEP_DEFAULT_TARGET, ';', &names, error);
    for (size_t t = 0; status == STEEP_OK && t < names.count; t++) status = append(plan, names.word[t], true, error);
    free(names.word);
    return status;
}

size_t steep_plan_find_target(const steep_plan *plan, const char *name)
{
    size_t t = 0;
    while (t < plan->targets && strcmp(plan->target[t].name, name) != 0) t++;
    return t;
}

steep_status steep_plan_admit_target(steep_plan *plan, const char *name, steep_error *error)
{
    if (steep_plan_find_target(plan, name) < plan->targets) return STEEP_OK;
    if (plan->data)
        return steep_fail(error, STEEP_BAD_INPUT, "the points are of %s and a row is of '%s': use another --out",
                          plan->data_name, name);
    return append(plan, name, false, error);
}
