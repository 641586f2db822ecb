/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "execute/tasks.h"

#include <stdlib.h>

#include "fit/solvers.h"
#include "fit/solvers.h"
#include "spline/gates.h"
#include "steep/spline.h"

/* --- shared samples --- */

/* In 1D Gauss points are a task's own, in the cells between its gates. */
static steep_status make_train(const steep_plan *plan, const steep_task *task, steep_samples *train, steep_error *error)
{
    const steep_target *target = plan->target[task->target].formula;
    if (plan->sampling == STEEP_GAUSS && target->dim == 1) return STEEP_OK;
    return steep_samples_train(target, plan->sampling, plan->samples, plan->seed[task->seed], train, error);
}

static steep_status make_test(const steep_plan *plan, size_t target_index, steep_samples *test, steep_error *error)
{
    const steep_target *target = plan->target[target_index].formula;
    if (plan->test == STEEP_GAUSS && target->dim == 1) return STEEP_OK;
    return steep_samples_test(target, plan->sampling, plan->test, plan->samples, test, error);
}

/* The slot of a task's training samples: grids do not depend on the seed. */
static size_t slot_of(const steep_plan *plan, const steep_task *task)
{
    return task->target * plan->seeds + (steep_sampling_drawn(plan->sampling) ? task->seed : 0);
}

/* The training and test samples of one task, where they are not there yet. */
static steep_status make_samples(steep_task_samples *samples, const steep_task *task, steep_error *error)
{
    const steep_plan *plan = samples->plan;
    const steep_standard *standard = steep_plan_standard(plan, task);
    const size_t slot = slot_of(plan, task), t = task->target;
    steep_status status = STEEP_OK;
    if (samples->train[slot].count == 0) {
        status = make_train(plan, task, &samples->train[slot], error);
        if (status == STEEP_OK && standard)
            status = steep_standard_samples(standard, &samples->train[slot], &samples->scaled_train[slot], error);
    }
    if (status == STEEP_OK && samples->test[t].count == 0) {
        status = make_test(plan, t, &samples->test[t], error);
        if (status == STEEP_OK && standard)
            status = steep_standard_samples(standard, &samples->test[t], &samples->scaled_test[t], error);
    }
    return status;
}

static steep_status check_range(const steep_task_samples *samples, const steep_task *task, steep_error *error)
{
    steep_task_open open;
    steep_error why = {{0}};
    steep_status status = steep_task_open_init(samples, task, &open, &why);
    const bool opened = status == STEEP_OK;
    if (opened) status = steep_fit_check_range(&open.problem, &open.options, &why);
    steep_task_open_free(&open);
    if (status == STEEP_OK || (!opened && status != STEEP_NO_MEMORY)) return STEEP_OK; /* its fit will say so */
    return steep_fail(error, status, "%s: %s", samples->plan->target[task->target].name, why.text);
}

/* Sizes that no fit of a task takes, before anything is begun; of tasks with the same points and solver the first. */
static steep_status check_ranges(const steep_task_samples *samples, const bool *needed, steep_error *error)
{
    const steep_plan *plan = samples->plan;
    bool *checked = calloc(plan->targets * plan->seeds * plan->methods + 1, sizeof *checked);
    steep_status status = checked ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for samples");
    for (size_t i = 0; status == STEEP_OK && i < plan->tasks; i++) {
        const steep_task *task = &plan->task[i];
        bool *done = &checked[slot_of(plan, task) * plan->methods + task->method];
        if (*done || (needed && !needed[i])) continue;
        *done = true;
        status = check_range(samples, task, error);
    }
    free(checked);
    return status;
}

steep_status steep_task_samples_init(const steep_plan *plan, const bool *needed, steep_task_samples *samples,
                                     steep_error *error)
{
    *samples = (steep_task_samples){.plan = plan};
    if (plan->data) return check_ranges(samples, needed, error);
    samples->train = calloc(plan->targets * plan->seeds, sizeof *samples->train);
    samples->test = calloc(plan->targets, sizeof *samples->test);
    samples->scaled_train = calloc(plan->targets * plan->seeds, sizeof *samples->scaled_train);
    samples->scaled_test = calloc(plan->targets, sizeof *samples->scaled_test);
    const bool room = samples->train && samples->test && samples->scaled_train && samples->scaled_test;
    steep_status status = room ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for samples");
    for (size_t i = 0; room && status == STEEP_OK && i < plan->tasks; i++)
        if (!needed || needed[i]) status = make_samples(samples, &plan->task[i], error);
    if (status == STEEP_OK) status = check_ranges(samples, needed, error);
    if (status != STEEP_OK) steep_task_samples_free(samples);
    return status == STEEP_NOT_FINITE ? STEEP_BAD_INPUT : status;
}

static void free_all(steep_samples *samples, size_t count)
{
    for (size_t i = 0; samples && i < count; i++) steep_samples_free(&samples[i]);
    free(samples);
}

void steep_task_samples_free(steep_task_samples *samples)
{
    const steep_plan *plan = samples->plan;
    const size_t seeds = plan ? plan->seeds : 0, targets = plan ? plan->targets : 0;
    free_all(samples->train, targets * seeds);
    free_all(samples->scaled_train, targets * seeds);
    free_all(samples->test, targets);
    free_all(samples->scaled_test, targets);
    *samples = (steep_task_samples){0};
}

/* --- Gauss points of one task --- */

static steep_status gauss_train(const steep_plan *plan, const steep_task *task, steep_task_open *open,
                                steep_error *error)
{
    size_t most, points, cells = 0;
    steep_plan_gauss(plan, task, &most, &points);
    double *knot = malloc((task->width + 2) * sizeof *knot);
    if (!knot) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the Gauss points of width %zu", task->width);
    steep_status status = steep_fit_start_knots(&open->problem, &open->options, knot, &cells, error);
    if (status == STEEP_OK)
        status = steep_samples_gauss_cells(open->problem.target, cells, knot, points, &open->own, error);
    free(knot);
    return status;
}

steep_status steep_task_open_init(const steep_task_samples *samples, const steep_task *task, steep_task_open *open,
                                  steep_error *error)
{
    const steep_plan *plan = samples->plan;
    size_t dim = plan->target[task->target].dim;
    *open = (steep_task_open){.options = steep_plan_fit_options(plan, task)};
    steep_status status = steep_plan_network(plan, task, &open->network, error);
    if (status != STEEP_OK) return status;
    const steep_points *points = steep_plan_points_of(plan, task->seed);
    open->problem = (steep_problem){.network = &open->network};
    if (points) open->problem.train = steep_points_train(points), open->problem.test = steep_points_test(points);
    if (points) return STEEP_OK;
    const bool scaled = steep_plan_standard(plan, task) != NULL;
    const steep_samples *test = &(scaled ? samples->scaled_test : samples->test)[task->target];
    open->problem.target = scaled ? NULL : plan->target[task->target].formula;
    open->problem.train = &(scaled ? samples->scaled_train : samples->train)[slot_of(plan, task)];
    if (test->count > 0) open->problem.test = test;
    open->options.continuous = plan->test == STEEP_GAUSS && dim == 1;
    if (plan->sampling != STEEP_GAUSS || dim != 1 || scaled) return STEEP_OK; /* scaled: the plan refuses it in 1D */
    status = gauss_train(plan, task, open, error);
    open->problem.train = &open->own;
    return status;
}

void steep_task_open_free(steep_task_open *open)
{
    steep_samples_free(&open->own);
}

void steep_task_rescale(const steep_plan *plan, const steep_task *task, steep_fit_result *result, steep_curve *curve)
{
    const steep_standard *standard = steep_plan_standard(plan, task);
    double *const error[] = {&result->rmse_train, &result->rmse_test,   &result->max_error,
                             &result->floor,      &result->rmse_single, &result->coefficient};
    for (size_t i = 0; standard && i < sizeof error / sizeof *error; i++) *error[i] *= standard->y_scale;
    if (standard && curve) steep_curve_scale(curve, standard->y_scale);
}
