/* SPDX-License-Identifier: GPL-3.0-or-later */
/* backend: hands fits to a device in batches (cuda/offload). What the device does not take, units by formula, solvers
 * it does not have, sizes beyond its memory, runs on the CPU afterwards: that is said once, and the row's device says so.
 *
 * The caller's process never opens a device: one that has may not be forked, and the caller forks as it likes, for the
 * fits that the CPU computes among others. A process of its own opens the device, is given all fits at once, and answers
 * each: it is refused, or it has ended, with its parameters where they are asked for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/core.h"
#include "cuda/device.h"
#include "cuda/offload.h"

/* What became of a fit on the device; its parameters are the payload. */
typedef struct device_end {
    bool refused; /* said has why */
    size_t points, resumed;
    steep_device device;
    steep_fit_result result; /* its theta is the process's */
    steep_error said;        /* what went with the status; why it is refused */
} device_end;

/* --- in the process of the device --- */

typedef struct sender {
    const steep_worker *worker;
    const size_t *index; /* of the fits that it was given */
    steep_device device;
    bool parameters;
    void *context; /* of what opens fits */
} sender;

static steep_status send_end(const sender *s, size_t index, const device_end *end, const steep_payload *theta,
                             steep_error *error)
{
    if (steep_worker_answer(s->worker, s->index[index], STEEP_OK, end, theta, NULL)) return STEEP_OK;
    return steep_fail(error, STEEP_IO, "nobody reads the results of the device");
}

static steep_status send_refused(void *context, size_t index, const char *why, steep_error *error)
{
    device_end end = {.refused = true};
    snprintf(end.said.text, sizeof end.said.text, "%s", why);
    return send_end(context, index, &end, &(steep_payload){NULL, 0}, error);
}

static steep_status send_ended(void *context, size_t index, const steep_offload_fit *fit,
                               const steep_fit_result *result, const steep_error *said, steep_error *error)
{
    const sender *s = context;
    const device_end end = {.points = fit && fit->problem->train ? fit->problem->train->count : 0,
                            .resumed = fit ? fit->resumed : 0,
                            .device = s->device,
                            .result = *result,
                            .said = *said};
    const bool with = s->parameters && fit && result->status >= 0;
    return send_end(s, index, &end, &(steep_payload){result->theta, with ? fit->problem->network->parameters : 0},
                    error);
}

static void fail_all(const steep_worker *worker, steep_status status, const steep_error *why)
{
    steep_error text;
    steep_fail(&text, status, "%.380s: what had finished is kept, the same command goes on, also with --device cpu",
               why->text);
    steep_worker_fail(worker, status, &text);
}

/* Opens the device, runs all the fits that the worker is given. */
static void serve(steep_offload *offload, const steep_device_options *on, sender *s)
{
    steep_loaded_device loaded;
    steep_cuda_device *device = NULL;
    steep_error why = {{0}};
    size_t *index = steep_worker_receive(s->worker, &offload->count);
    if (!index) return;
    steep_status status = steep_device_load(on, &loaded, &why);
    if (status == STEEP_OK) status = steep_device_open(&loaded, on, &device, &why);
    if (status == STEEP_OK) {
        s->index = index;
        s->device = loaded.kind;
        offload->refused = send_refused;
        offload->done = send_ended;
        offload->context = s;
        offload->stop = s->worker->stop;
        status = steep_offload_run(offload, &loaded, device, &why);
        loaded.api->close(device);
    }
    if (status < 0) fail_all(s->worker, status, &why);
    free(index);
}

/* Runs a list of fits in a process that opens the device. */
static steep_status run_device(steep_work_list *list, steep_error *error)
{
    list->size = sizeof(device_end);
    list->crew = &steep_crew_processes;
    list->worker = "the process that runs the device";
    return steep_pool_run(list, error);
}

/* --- a batch of a plan --- */

typedef struct errand {
    const steep_batch *batch;
    size_t *left, left_count; /* indices in the batch of what the device does not take */
    char why[320];            /* of the first in the plan's order */
    size_t first;
    size_t resumed; /* solves that the CPU's solver has gone on with */
    /* Of one fit by itself, where batch is NULL: */
    const steep_problem *problem;
    const steep_fit_options *options;
    const steep_device_options *on;
    device_end end;
    double *theta;
} errand;

static const errand *errand_of(const void *context)
{
    return ((const sender *)context)->context;
}

static const steep_task *task_of(const steep_batch *batch, size_t index)
{
    return &batch->plan->task[batch->task[index]];
}

static steep_status open_task(void *context, size_t index, steep_offload_fit *fit, steep_error *error)
{
    const errand *e = errand_of(context);
    const steep_batch *batch = e->batch;
    *fit = (steep_offload_fit){.problem = e->problem, .options = e->options};
    if (!batch) return STEEP_OK;
    steep_task_open *open = malloc(sizeof *open);
    if (!open) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a fit");
    const steep_status status = steep_task_open_init(batch->samples, task_of(batch, index), open, error);
    *fit = (steep_offload_fit){.problem = &open->problem, .options = &open->options, .own = open};
    if (status == STEEP_OK) return status;
    steep_task_open_free(open);
    free(open);
    return status;
}

static void close_task(void *context, steep_offload_fit *fit)
{
    if (errand_of(context)->batch) steep_task_open_free(fit->own);
    free(fit->own);
}

/* Starts and ends, and the samples that are a task's own. */
static size_t bytes_of_task(void *context, size_t index)
{
    const steep_batch *batch = errand_of(context)->batch;
    if (!batch) return 0;
    const steep_plan *plan = batch->plan;
    const steep_task *task = task_of(batch, index);
    const steep_network network = {.width = task->width, .parameters = task->parameters};
    const steep_fit_options options = steep_plan_fit_options(plan, task);
    const size_t solves = 1 + steep_fit_restarts(&network, &options);
    const size_t own = steep_plan_own_points(plan, task->target) ? plan->set[0] : 0;
    return solves * (task->parameters * 9 + STEEP_OFFLOAD_TURN) + 32 * own + 4096;
}

static void serve_errand(void *context, steep_worker *worker)
{
    const errand *e = context;
    sender s = {.worker = worker, .parameters = !e->batch || e->batch->parameters, .context = context};
    steep_offload offload = {
        .threads = e->batch ? e->batch->jobs : 1, .open = open_task, .close = close_task, .bytes = bytes_of_task};
    serve(&offload, e->batch ? e->batch->on : e->on, &s);
}

static void note_refused(errand *e, size_t index, const char *why)
{
    const steep_batch *batch = e->batch;
    const steep_task *task = task_of(batch, index);
    if (e->left_count == 0 || index < e->first) {
        e->first = index;
        snprintf(e->why, sizeof e->why, "%s of width %zu: %.200s", batch->plan->variant[task->variant].label,
                 task->width, why);
    }
    e->left[e->left_count++] = index;
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

/* --- what it does not take --- */

/* The batch of these, whose places are those of the whole. */
typedef struct rest {
    const steep_batch *whole;
    const size_t *place;
} rest;

static steep_status take_rest(void *context, size_t index, const steep_outcome *outcome, const double *theta,
                              steep_error *error)
{
    const rest *r = context;
    return r->whole->take(r->whole->context, r->place[index], outcome, theta, error);
}

static int compare_places(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Whether the CPU can run what is left: nobody has asked before. */
static steep_status check_rest(const errand *e, steep_error *error)
{
    const steep_batch *batch = e->batch;
    char why[200];
    for (size_t i = 0; i < e->left_count; i++) {
        const steep_task *task = task_of(batch, e->left[i]);
        if (!steep_backend_cpu.can(batch->plan, task, why, sizeof why))
            return steep_fail(error, STEEP_BAD_INPUT, "%s of width %zu, which the device does not take: %s",
                              batch->plan->variant[task->variant].label, task->width, why);
    }
    return STEEP_OK;
}

static steep_status run_rest(errand *e, steep_error *error)
{
    const steep_batch *batch = e->batch;
    rest r = {batch, e->left};
    char text[512];
    steep_status status = e->left_count > 0 ? check_rest(e, error) : STEEP_OK;
    if (e->left_count == 0 || status != STEEP_OK) return status;
    snprintf(text, sizeof text, "--device cuda: %zu of %zu fits run on the CPU: %s%.320s", e->left_count, batch->count,
             e->left_count > 1 ? "the first, " : "", e->why);
    if (batch->note) batch->note(batch->context, text);
    qsort(e->left, e->left_count, sizeof *e->left, compare_places);
    size_t *task = malloc(e->left_count * sizeof *task);
    if (!task) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu fits", e->left_count);
    for (size_t i = 0; i < e->left_count; i++) task[i] = batch->task[e->left[i]];
    steep_batch part = *batch;
    part.task = task;
    part.count = e->left_count;
    part.take = take_rest;
    part.note = NULL;
    part.context = &r;
    status = steep_backend_cpu.run(&part, error);
    free(task);
    return status;
}

static void note_resumed(const errand *e)
{
    char text[160];
    snprintf(text, sizeof text, "--device cuda: %zu solves stalled or were too ill-conditioned for normal equations: the "
             "CPU's solver went on with them", e->resumed);
    if (e->resumed > 0 && e->batch->note) e->batch->note(e->batch->context, text);
}

static steep_status run(const steep_batch *batch, steep_error *error)
{
    errand e = {.batch = batch, .left = malloc((batch->count + 1) * sizeof *e.left)};
    if (!e.left) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu fits", batch->count);
    steep_work_list list = {
        .count = batch->count, .life = serve_errand, .note = take_end, .context = &e, .stop = batch->stop};
    steep_status status = run_device(&list, error);
    note_resumed(&e);
    if (status == STEEP_OK) status = run_rest(&e, error);
    free(e.left);
    return status;
}

/* The CPU runs what the device does not take; but it alone fits to the same points without their noise. */
static bool can(const steep_plan *plan, const steep_task *task, char *text, size_t size)
{
    (void)task;
    if (plan->noise.deviation) snprintf(text, size, "fits with --noise run on processors: use --device cpu");
    return !plan->noise.deviation;
}

/* --- one fit --- */

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
    errand one = {.problem = problem, .options = options, .on = fit->on};
    steep_work_list list = {.count = 1, .life = serve_errand, .note = keep_end, .context = &one, .stop = fit->stop};
    fit->device = STEEP_DEVICE_CPU;
    fit->refused[0] = '\0';
    *result = (steep_fit_result){.rmse_train = NAN};
    result->status = run_device(&list, error);
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

const steep_backend steep_backend_cuda = {
    "cuda", "one GPU, and the CPU for what it does not take", steep_device_probe, can, run, fit_one};
