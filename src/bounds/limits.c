/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bounds/groups.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "bounds/public.h"

#define FLOORS   60 /* rounding of the network and of the bounds' sums, in units of the row's floor */
#define RELATIVE 1e-9

/* The degree of the variant's piecewise polynomial; 0 where there is none in 1D, or none with bounds. */
static size_t degree_of(const steep_plan *plan, size_t target, size_t variant)
{
    size_t degree = steep_plan_piecewise(plan, variant).degree;
    return plan->target[target].dim == 1 && degree <= STEEP_SEGMENT_DEGREE ? degree : 0;
}

/* Fails where a task's row claims a training error below lower, the lower bound for its samples at its width. */
static steep_status judge_row(const steep_plan *plan, const steep_task *task, const steep_fit_row *row, double lower,
                              steep_error *error)
{
    const steep_standard *standard = steep_plan_standard(plan, task); /* of the samples */
    const double best = standard ? standard->y_scale * lower : lower;
    if (!steep_fit_row_usable(row) || isnan(best)) return STEEP_OK;
    if (!(row->rmse_train < best * (1 - RELATIVE) - FLOORS * row->floor)) return STEEP_OK;
    return steep_fail(error, STEEP_SINGULAR,
                      "%s of width %zu on %s claims a training error of %.6g, and no piecewise polynomial with %zu "
                      "breakpoints has less than %.6g: this is a bug, please report it with run.json",
                      plan->variant[task->variant].label, task->width, plan->target[task->target].name, row->rmse_train,
                      task->width, best);
}

/* Samples, and the first task that uses them. All tasks of its target and number of points use the same samples; own:
 * only those of its seed. */
typedef struct samples_of {
    const steep_samples *train;
    steep_task task;
    bool own;
    const volatile int *stop;
} samples_of;

/* Judges every row on these samples that has this degree. bound: workspace for 2 widths numbers. */
static steep_status judge(const steep_plan *plan, const steep_fit_row *row, const samples_of *on, size_t degree,
                          double *bound, steep_error *error)
{
    const steep_bounds_widths widths = {degree, plan->widths, plan->width, on->stop};
    const size_t all = plan->tasks / plan->targets, begin = on->task.target * all;
    steep_status status = STEEP_OK;
    bool known = false;
    for (size_t i = begin; status == STEEP_OK && i < begin + all; i++) {
        const steep_task *task = &plan->task[i];
        if (task->set != on->task.set || (on->own && task->seed != on->task.seed) ||
            degree_of(plan, task->target, task->variant) != degree)
            continue;
        if (!known) status = steep_bounds_at(on->train, &widths, bound, bound + plan->widths, error);
        known = true;
        if (status == STEEP_OK) status = judge_row(plan, task, &row[i], bound[i % plan->widths], error);
    }
    return status;
}

static steep_status check(const steep_plan *plan, const steep_task_samples *samples, const steep_fit_row *row,
                          const volatile int *stop, steep_error *error)
{
    /* Whether each seed has its own samples. */
    const bool own = plan->data ? plan->folds > 0 : steep_plan_drawn(plan);
    const size_t seeds = own ? plan->seeds : 1;
    double *bound = malloc((2 * plan->widths + 1) * sizeof *bound);
    steep_status status = bound ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for bounds");
    for (size_t i = 0; status == STEEP_OK && i < plan->targets * plan->sets * seeds; i++) {
        const size_t s = i % seeds, set = i / seeds % plan->sets, t = i / seeds / plan->sets;
        const steep_task task = {.target = (uint32_t)t, .seed = (uint32_t)s, .set = (uint32_t)set};
        const samples_of on = {steep_task_train(samples, &task), task, own, stop};
        if (stop && *stop) status = STEEP_STOPPED;
        for (size_t degree = 1; status == STEEP_OK && on.train && on.train->count > 0 && degree <= STEEP_SEGMENT_DEGREE;
             degree++)
            status = judge(plan, row, &on, degree, bound, error);
    }
    free(bound);
    return status;
}

/* The bounds of the error on test points. The points are made anew, for fits may have been kept from another run. */
static steep_status of_points(const steep_plan *plan, const steep_series_index *at, const steep_bounds_widths *widths,
                              steep_limits *limits, steep_error *error)
{
    const steep_samples *points = limits->tested ? plan->data_test : plan->data;
    steep_samples test = {0};
    steep_status status = STEEP_OK;
    if (!plan->data) {
        points = &test;
        status = steep_samples_test(plan->target[at->target].formula, plan->sampling, plan->test, plan->set[at->set],
                                    &test, error);
    }
    if (status == STEEP_OK && points) status = steep_bounds_at(points, widths, limits->lower, limits->upper, error);
    steep_samples_free(&test);
    return status;
}

static steep_status bounds_of(const steep_plan *plan, const steep_series_index *at, steep_limits *limits,
                              steep_error *error)
{
    const steep_target *formula = plan->target[at->target].formula;
    const steep_bounds_widths widths = {limits->degree, plan->widths, plan->width, limits->stop};
    steep_bounds_quadrature quadrature = {0, true};
    steep_status status = STEEP_OK;
    for (size_t w = 0; w < plan->widths; w++) limits->lower[w] = limits->upper[w] = NAN;
    if (plan->folds > 0 || (formula && !limits->tested)) return STEEP_OK; /* each seed has points of its own */
    if (formula && plan->test == STEEP_GAUSS)
        status = steep_bounds_continuous(formula, &widths, limits->lower, limits->upper, &quadrature, error);
    else status = of_points(plan, at, &widths, limits, error);
    limits->unresolved = !quadrature.resolved;
    const double unit = plan->points && plan->points->standard.dim > 0 ? plan->points->standard.y_scale : 1;
    for (size_t w = 0; w < plan->widths; w++) {
        limits->lower[w] *= unit;
        limits->upper[w] *= unit;
    }
    return status;
}

static steep_status find(const steep_plan *plan, const steep_series_index *at, bool tested, steep_limits *limits,
                         steep_error *error)
{
    const size_t degree = degree_of(plan, at->target, at->variant);
    const size_t points = at->target * plan->sets + at->set + 1;
    if (limits->points == points && limits->degree == degree && limits->tested == tested) return STEEP_OK;
    limits->points = points;
    limits->degree = degree;
    limits->tested = tested;
    limits->unresolved = false;
    if (degree == 0) return STEEP_OK;
    if (!limits->lower) limits->lower = malloc((2 * plan->widths + 1) * sizeof *limits->lower);
    if (!limits->lower) return steep_fail(error, STEEP_NO_MEMORY, "no memory for bounds");
    limits->upper = limits->lower + plan->widths;
    return bounds_of(plan, at, limits, error);
}

const steep_limits_of steep_limits_of_bounds = {find, check};
