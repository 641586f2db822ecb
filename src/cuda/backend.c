/* SPDX-License-Identifier: GPL-3.0-or-later */
/* backend: gives fits to a device in batches (cuda/offload). Fits that the device refuses (long formulas, solvers that
 * it lacks, sizes beyond its memory) run on the CPU afterwards. One note says so, and the column device of each row.
 *
 * The caller's process never opens a device, because a process with an open device must not fork, and the caller forks,
 * for example for the fits on the CPU. A separate process opens the device, makes all fits together, and answers each
 * fit: refused, or ended, with the parameters on request. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/device.h"

/* The answer for one fit on the device; the parameters are the payload. */
typedef struct device_end {
    bool refused; /* said has the reason */
    size_t points, resumed;
    steep_device device;
    steep_fit_result result; /* theta is valid only in the device's process */
    steep_error said;        /* message of the status, reason of the refusal, or description of the device */
} device_end;

/* A request to the device's process: a batch of a plan; one fit; or, with both NULL, the device's description. */
typedef struct errand {
    const steep_device_options *on;
    const steep_batch *batch;
    size_t *left, left_count; /* refused fits, ascending: left[i] is the index in the batch, left[batch->count + i] the
                                 number in the plan */
    char why[320];            /* reason for the first of them */
    size_t resumed;           /* number of solves that the CPU's solver continued */
    /* For one fit, and for the description: */
    const steep_problem *problem;
    const steep_fit_options *options;
    device_end end;
    double *theta;
    /* In the process of the device: */
    const steep_worker *worker;
    steep_opened_device opened;
} errand;

static const steep_task *task_of(const steep_batch *batch, size_t index)
{
    return &batch->plan->task[batch->task[index]];
}

static steep_status send_end(const errand *e, size_t index, const device_end *end, const steep_payload *theta,
                             steep_error *error)
{
    if (steep_worker_answer(e->worker, index, STEEP_OK, end, theta, NULL)) return STEEP_OK;
    return steep_fail(error, STEEP_IO, "nobody reads the results of the device");
}

static steep_status send_fit(void *context, size_t index, const steep_offload_fit *fit, steep_error *error)
{
    const errand *e = context;
    const steep_problem *problem = &fit->open.problem;
    device_end end = {.refused = fit->refused[0] != '\0',
                      .points = problem->train ? problem->train->count : 0,
                      .resumed = fit->resumed,
                      .device = e->opened.kind,
                      .result = fit->result,
                      .said = fit->said};
    const bool with = (!e->batch || e->batch->parameters) && !end.refused && fit->result.status >= 0;
    if (end.refused) snprintf(end.said.text, sizeof end.said.text, "%s", fit->refused);
    return send_end(e, index, &end, &(steep_payload){fit->result.theta, with ? problem->network->parameters : 0},
                    error);
}

static steep_status open_task(void *context, size_t index, steep_task_open *open, steep_error *error)
{
    const errand *e = context;
    if (e->batch) return steep_task_open_init(e->batch->samples, task_of(e->batch, index), open, error);
    open->problem = *e->problem;
    open->options = *e->options;
    return STEEP_OK;
}

/* Opens the device and runs all fits, or sends the device's description. */
static steep_status serve(errand *e, steep_error *error)
{
    device_end end = {.refused = true};
    const steep_offload offload = {.count = e->batch ? e->batch->count : 1,
                                   .threads = e->batch ? e->batch->jobs : 1,
                                   .open = open_task,
                                   .done = send_fit,
                                   .context = e};
    steep_status status = steep_device_open(e->on, &e->opened, error);
    if (status != STEEP_OK) return status;
    if (e->batch || e->problem) status = steep_offload_run(&offload, &e->opened, error);
    else {
        snprintf(end.said.text, sizeof end.said.text, "%s", e->opened.api->describe(e->opened.device));
        status = send_end(e, 0, &end, &(steep_payload){NULL, 0}, error);
    }
    e->opened.api->close(e->opened.device);
    return status;
}

static void life(void *context, const steep_worker *worker)
{
    errand *e = context; /* this process's copy */
    steep_error why = {{0}}, text;
    e->worker = worker;
    const steep_status status = serve(e, &why);
    if (status == STEEP_OK) return;
    steep_fail(&text, status, "%.380s%s", why.text,
               e->batch || e->problem ? ": what had finished is kept, the same command goes on, also with --device cpu"
                                      : "");
    steep_worker_fail(worker, status, &text);
}

/* Runs fits in a process that opens the device. */
static steep_status run_device(errand *e, steep_work_note note, const volatile int *stop, steep_error *error)
{
    const steep_work_list list = {.count = e->batch ? e->batch->count : 1,
                                  .size = sizeof(device_end),
                                  .crew = &steep_crew_processes,
                                  .life = life,
                                  .worker = "the process that runs the device",
                                  .note = note,
                                  .context = e,
                                  .stop = stop};
    return steep_pool_run(&list, error);
}

static void note_refused(errand *e, size_t index, const char *why)
{
    const steep_task *task = task_of(e->batch, index);
    size_t at = e->left_count++;
    for (; at > 0 && e->left[at - 1] > index; at--) e->left[at] = e->left[at - 1];
    e->left[at] = index;
    if (at == 0)
        snprintf(e->why, sizeof e->why, "%s of width %zu: %.200s", e->batch->plan->variant[task->variant].label,
                 task->width, why);
}

static steep_status take_end(void *context, size_t index, const void *result, const steep_payload *theta,
                             steep_error *error)
{
    errand *e = context;
    const steep_batch *batch = e->batch;
    const device_end *end = result;
    steep_outcome o = {.complaint = end->said};
    steep_fit_result fit = end->result;
    if (end->refused) {
        note_refused(e, index, end->said.text);
        return STEEP_OK;
    }
    e->resumed += end->resumed;
    steep_task_rescale(batch->plan, task_of(batch, index), &fit, NULL);
    o.row = steep_backend_row(&fit, fit.status, end->points, end->device);
    return batch->take(batch->context, index, &o, theta->count > 0 ? theta->value : NULL, error);
}

static steep_status take_rest(void *context, size_t index, const steep_outcome *outcome, const double *theta,
                              steep_error *error)
{
    const errand *e = context;
    return e->batch->take(e->batch->context, e->left[index], outcome, theta, error);
}

/* Runs the refused fits on the CPU, after a check that the CPU can run them. */
static steep_status run_rest(errand *e, steep_error *error)
{
    const steep_batch *batch = e->batch;
    size_t *number = e->left + batch->count;
    char text[512];
    if (e->left_count == 0) return STEEP_OK;
    for (size_t i = 0; i < e->left_count; i++) {
        const steep_task *task = task_of(batch, e->left[i]);
        number[i] = batch->task[e->left[i]];
        if (!steep_backend_cpu.can(batch->plan, task, text, sizeof text))
            return steep_fail(error, STEEP_BAD_INPUT, "%s of width %zu, which the device does not take: %s",
                              batch->plan->variant[task->variant].label, task->width, text);
    }
    snprintf(text, sizeof text, "--device cuda: %zu of %zu fits run on the CPU: %s%.320s", e->left_count, batch->count,
             e->left_count > 1 ? "the first, " : "", e->why);
    if (batch->note) batch->note(batch->context, text);
    steep_batch part = *batch;
    part.task = number;
    part.count = e->left_count;
    part.take = take_rest;
    part.note = NULL;
    part.context = e;
    return steep_backend_cpu.run(&part, error);
}

static steep_status run(const steep_batch *batch, steep_error *error)
{
    errand e = {.on = batch->on, .batch = batch, .left = malloc((2 * batch->count + 1) * sizeof *e.left)};
    char text[160];
    if (!e.left) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu fits", batch->count);
    steep_status status = run_device(&e, take_end, batch->stop, error);
    snprintf(text, sizeof text,
             "--device cuda: %zu solves stalled, or have dependent columns: the CPU's solver went on with them",
             e.resumed);
    if (e.resumed > 0 && batch->note) batch->note(batch->context, text);
    if (status == STEEP_OK) status = run_rest(&e, error);
    free(e.left);
    return status;
}

/* Every task is accepted, since the CPU runs refused fits; but only the CPU's back end fits with noise and without. */
static bool can(const steep_plan *plan, const steep_task *task, char *text, size_t size)
{
    (void)task;
    if (plan->noise.deviation) snprintf(text, size, "fits with --noise run on processors: use --device cpu");
    return !plan->noise.deviation;
}

static steep_status keep_end(void *context, size_t index, const void *result, const steep_payload *theta,
                             steep_error *error)
{
    errand *one = context;
    (void)index;
    memcpy(&one->end, result, sizeof one->end);
    one->end.result.theta = NULL;
    if (theta->count == 0) return STEEP_OK;
    one->theta = malloc(theta->count * sizeof *one->theta);
    if (!one->theta)
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for the %zu parameters of a fit", theta->count);
    memcpy(one->theta, theta->value, theta->count * sizeof *one->theta);
    return STEEP_OK;
}

static steep_status fit_one(const steep_problem *problem, const steep_fit_options *options, steep_device_fit *fit,
                            steep_fit_result *result, steep_error *error)
{
    errand one = {.on = fit->on, .problem = problem, .options = options};
    fit->device = STEEP_DEVICE_CPU;
    fit->refused[0] = '\0';
    *result = (steep_fit_result){.rmse_train = NAN};
    result->status = run_device(&one, keep_end, fit->stop, error);
    fit->given_up = result->status == STEEP_STOPPED;
    if (result->status != STEEP_OK) {
        free(one.theta);
        return result->status;
    }
    if (one.end.refused) {
        snprintf(fit->refused, sizeof fit->refused, "%.190s", one.end.said.text);
        return STEEP_OK;
    }
    *result = one.end.result;
    result->theta = one.theta;
    fit->device = one.end.device;
    return result->status < 0 ? steep_fail(error, result->status, "%s", one.end.said.text) : result->status;
}

static steep_status ready(const steep_device_options *on, char *text, size_t size, steep_error *error)
{
    errand e = {.on = on};
    steep_error why = {{0}};
    const steep_status status = run_device(&e, keep_end, NULL, &why);
    snprintf(text, size, "%s", e.end.said.text);
    if (status >= 0) return STEEP_OK;
    if (status == STEEP_BAD_INPUT) return steep_fail(error, status, "%s", why.text);
    return steep_fail(error, STEEP_BAD_INPUT, "--device cuda: the driver cannot be asked: %.300s: use --device cpu",
                      why.text);
}

const steep_backend steep_backend_cuda = {"cuda", ready, can, run, fit_one};
