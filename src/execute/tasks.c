/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "execute/tasks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "fit/cost.h"
#include "fit/solvers.h"

static size_t test_slot(const steep_plan *plan, const steep_task *task)
{
    return task->target * plan->sets + task->set;
}

static size_t slot_of(const steep_plan *plan, const steep_task *task)
{
    return test_slot(plan, task) * plan->seeds + (steep_plan_drawn(plan) ? task->seed : 0);
}

/* Makes the training and test samples of one task unless they exist. In 1D, Gauss points belong to the task alone. */
static steep_status make_samples(steep_task_samples *samples, const steep_task *task, steep_error *error)
{
    const steep_plan *plan = samples->plan;
    const steep_target *target = plan->target[task->target].formula;
    const steep_standard *standard = steep_plan_standard(plan, task);
    const size_t slot = slot_of(plan, task), t = test_slot(plan, task), points = plan->set[task->set];
    steep_samples *train = &samples->train[slot], *test = &samples->test[t];
    steep_status status = STEEP_OK;
    if (train->count == 0 && !steep_plan_own_points(plan, task->target)) {
        steep_samples drawn;
        status = steep_samples_train(target, plan->sampling, points, plan->seed[task->seed], &drawn, error);
        if (status != STEEP_OK) return status;
        if (standard) status = steep_standard_samples(standard, &drawn, train, error);
        else *train = drawn;
        if (status == STEEP_OK && plan->noise.deviation) {
            samples->noisy[slot] = *train;
            status = steep_noise_add(&plan->noise, plan->seed[task->seed], &drawn, standard ? standard->y_scale : 1,
                                     &samples->noisy[slot], error);
        }
        if (standard) steep_samples_free(&drawn);
    }
    if (status == STEEP_OK && test->count == 0 && !(plan->test == STEEP_GAUSS && target->dim == 1)) {
        status = steep_samples_test(target, plan->sampling, plan->test, points, test, error);
        if (status == STEEP_OK && standard)
            status = steep_standard_samples(standard, test, &samples->scaled_test[t], error);
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
    if (status == STEEP_OK || (!opened && status != STEEP_NO_MEMORY)) return STEEP_OK; /* the fit will report it */
    return steep_fail(error, status, "%s: %s", samples->plan->target[task->target].name, why.text);
}

/* Refuses values of a size that a task's fit refuses, before any fit begins; one check for each points and solver. */
static steep_status check_ranges(const steep_task_samples *samples, const bool *needed, steep_error *error)
{
    const steep_plan *plan = samples->plan;
    bool *checked = calloc(plan->targets * plan->sets * plan->seeds * plan->methods + 1, sizeof *checked);
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
    const size_t tests = plan->targets * plan->sets, trains = tests * plan->seeds;
    samples->train = calloc(2 * trains + 2 * tests + 1, sizeof *samples->train);
    if (!samples->train) return steep_fail(error, STEEP_NO_MEMORY, "no memory for samples");
    samples->noisy = samples->train + trains;
    samples->test = samples->noisy + trains;
    samples->scaled_test = samples->test + tests;
    steep_status status = STEEP_OK;
    for (size_t i = 0; status == STEEP_OK && i < plan->tasks; i++)
        if (!needed || needed[i]) status = make_samples(samples, &plan->task[i], error);
    if (status == STEEP_OK) status = check_ranges(samples, needed, error);
    if (status != STEEP_OK) steep_task_samples_free(samples);
    return status == STEEP_NOT_FINITE ? STEEP_BAD_INPUT : status;
}

void steep_task_samples_free(steep_task_samples *samples)
{
    const steep_plan *plan = samples->plan;
    const size_t tests = plan ? plan->targets * plan->sets : 0, trains = plan ? tests * plan->seeds : 0;
    for (size_t i = 0; samples->train && i < 2 * trains + 2 * tests; i++) {
        const bool noisy = i >= trains && i < 2 * trains; /* noisy samples own only y */
        if (noisy) free(samples->train[i].y);
        else steep_samples_free(&samples->train[i]);
    }
    free(samples->train);
    *samples = (steep_task_samples){0};
}

static steep_status gauss_train(const steep_plan *plan, const steep_task *task, steep_task_open *open,
                                steep_error *error)
{
    size_t most, points, cells = 0;
    steep_plan_gauss(plan, task, &most, &points);
    double *knot = malloc((task->width + 2) * sizeof *knot);
    if (!knot) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the Gauss points of width %zu", task->width);
    steep_status status = steep_fit_start_knots(&open->problem, &open->options, knot, &cells, error);
    if (status == STEEP_OK) status = steep_samples_gauss(open->problem.target, cells, knot, points, &open->own, error);
    free(knot);
    return status;
}

const steep_samples *steep_task_train(const steep_task_samples *samples, const steep_task *task)
{
    const steep_plan *plan = samples->plan;
    const steep_points *points = steep_plan_points_of(plan, task->seed);
    if (points) return steep_points_train(points);
    const size_t slot = slot_of(plan, task);
    if (!samples->train) return NULL;
    return plan->noise.deviation ? &samples->noisy[slot] : &samples->train[slot];
}

steep_status steep_task_open_init(const steep_task_samples *samples, const steep_task *task, steep_task_open *open,
                                  steep_error *error)
{
    const steep_plan *plan = samples->plan;
    *open = (steep_task_open){.options = steep_plan_fit_options(plan, task)};
    steep_status status = steep_plan_network(plan, task, &open->network, error);
    if (status != STEEP_OK) return status;
    const steep_points *points = steep_plan_points_of(plan, task->seed);
    open->problem = (steep_problem){.network = &open->network, .train = steep_task_train(samples, task)};
    if (points) {
        open->problem.test = steep_points_test(points);
        return STEEP_OK;
    }
    const bool scaled = steep_plan_standard(plan, task) != NULL;
    const steep_samples *test = &(scaled ? samples->scaled_test : samples->test)[test_slot(plan, task)];
    open->problem.target = scaled ? NULL : plan->target[task->target].formula;
    if (plan->noise.deviation) open->clean = &samples->train[slot_of(plan, task)];
    if (test->count > 0) open->problem.test = test;
    open->options.continuous = plan->test == STEEP_GAUSS && plan->target[task->target].dim == 1;
    if (!steep_plan_own_points(plan, task->target) || scaled) return STEEP_OK; /* scaled: the plan refuses it in 1D */
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

/* The root mean square of the difference of two networks over these points; NaN where samples is NULL. */
static steep_status measure_difference(const steep_network *network, const double *theta, const double *other,
                                       const steep_samples *samples, double *difference, steep_error *error)
{
    *difference = NAN;
    if (!samples) return STEEP_OK;
    steep_samples of_other = *samples;
    steep_measured measured = {NAN, NAN};
    of_other.y = malloc(samples->count * sizeof *of_other.y);
    steep_status status = STEEP_NO_MEMORY;
    if (of_other.y) status = steep_network_values(network, other, samples->count, samples->x, of_other.y);
    if (status >= 0) status = steep_measure(network, theta, &of_other, NULL, &measured, error);
    free(of_other.y);
    if (status == STEEP_NO_MEMORY) return steep_fail(error, status, "no memory for %zu values", samples->count);
    if (status >= 0) *difference = measured.rmse;
    return STEEP_OK;
}

static double root_mean_square(const steep_samples *noisy, const double *clean)
{
    double sum = 0;
    for (size_t k = 0; k < noisy->count; k++) sum += (noisy->y[k] - clean[k]) * (noisy->y[k] - clean[k]);
    return sqrt(sum / (double)noisy->count);
}

steep_status steep_task_share(const steep_plan *plan, const steep_task *task, const steep_task_open *open,
                              const steep_fit_result *fit, steep_fit_row *row, steep_error *error)
{
    const steep_standard *standard = steep_plan_standard(plan, task);
    const double unit = standard ? standard->y_scale : 1;
    steep_problem problem = open->problem;
    steep_fit_options options = open->options;
    steep_fit_result without = {0};
    steep_error why = {{0}};
    problem.train = open->clean;
    options.curve = NULL;
    steep_status status = steep_fit(&problem, &options, &without, &why);
    row->noise = unit * root_mean_square(open->problem.train, open->clean->y);
    if (status == STEEP_NO_MEMORY) return steep_fail(error, status, "%s", why.text);
    if (status < 0) return STEEP_OK;
    row->rmse_clean = unit * without.rmse_test;
    status = measure_difference(problem.network, fit->theta, without.theta, problem.train, &row->noise_train, error);
    if (status == STEEP_OK)
        status = measure_difference(problem.network, fit->theta, without.theta, problem.test, &row->noise_test, error);
    row->noise_train *= unit;
    row->noise_test *= unit;
    steep_fit_result_free(&without);
    return status;
}

#define SMALL    3e7 /* bytes: a smaller need is always met, without a check */
#define GIGABYTE 1e9

/* Bytes of the fit alone: workers share samples. */
static double fit_of(const steep_plan *plan, const steep_task *task)
{
    steep_network network;
    const steep_fit_options options = steep_plan_fit_options(plan, task);
    if (steep_plan_network(plan, task, &network, NULL) != STEEP_OK) return 0;
    return steep_fit_memory(&network, steep_plan_points(plan, task), &options);
}

double steep_memory_needed(const steep_plan *plan, const steep_task *task)
{
    const size_t dim = plan->target[task->target].dim;
    double points = (double)steep_plan_points(plan, task);
    if (plan->data) return fit_of(plan, task); /* the points are there already */
    points += (double)steep_samples_test_count(plan->sampling, plan->test, plan->set[task->set], dim);
    return sizeof(double) * points * (double)(dim + 2) + fit_of(plan, task);
}

bool steep_memory_suffices(const steep_plan *plan, const steep_task *task, char *text, size_t size)
{
    const double needed = steep_memory_needed(plan, task);
    const char *who;
    if (needed < SMALL) return true;
    const double room = steep_memory_left(&who);
    if (needed <= room) return true;
    snprintf(text, size, "needs %.3g GB of memory and %s %.3g GB: use a smaller width%s, or another solver",
             needed / GIGABYTE, who, room / GIGABYTE, plan->data ? ", fewer points" : ", fewer --samples");
    return false;
}

size_t steep_memory_jobs(const steep_plan *plan, const size_t *task, size_t count, size_t jobs)
{
    double most = 0;
    if (jobs == 0) jobs = steep_processors();
    for (size_t i = 0; i < count && jobs > 1; i++) most = fmax(most, fit_of(plan, &plan->task[task[i]]));
    if (most < SMALL) return jobs;
    const double fits = floor(steep_memory_left(NULL) / most);
    return fits < (double)jobs ? (fits > 1 ? (size_t)fits : 1) : jobs;
}
