/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "execute/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* What the monitor of one fit needs. */
typedef struct watch {
    const volatile int *stop;
    bool given_up; /* the fit was told to stop: with restarts its status may be that of an earlier start */
} watch;

static bool keep_going(void *context, const steep_progress *progress)
{
    watch *w = context;
    (void)progress;
    w->given_up = w->given_up || (w->stop && *w->stop);
    return !w->given_up;
}

/* Threads of each fit, where as many fits as possible run side by side. */
static size_t threads_of(const steep_batch *batch)
{
    const size_t processors = steep_processors(), jobs = batch->jobs > 0 ? batch->jobs : processors;
    const size_t fits = jobs < batch->count ? jobs : batch->count;
    if (batch->threads > 0 && batch->threads != STEEP_AUTO) return batch->threads;
    return fits < processors ? processors / fits : 1;
}

/* Payload: the parameters, where requested and the fit has not failed, and then the curve. False without memory. */
static bool put_payload(const steep_batch *batch, const steep_task_open *open, const steep_fit_result *fit,
                        const steep_curve *curve, steep_outcome *o, steep_payload *payload)
{
    const size_t P = batch->parameters && o->row.status >= 0 ? open->network.parameters : 0,
                 more = curve->count * STEEP_CURVE_NUMBERS;
    if (P + more == 0) return true;
    double *value = malloc((P + more) * sizeof *value);
    if (!value) return false;
    if (P > 0) memcpy(value, fit->theta, P * sizeof *value);
    if (more > 0) memcpy(value + P, curve->row, more * sizeof *value);
    *payload = (steep_payload){value, P + more};
    o->curve_numbers = more;
    return true;
}

steep_status steep_cpu_fit(void *context, size_t index, void *result, steep_payload *payload, steep_error *error)
{
    const steep_batch *batch = context;
    const steep_task *task = &batch->plan->task[batch->task[index]];
    steep_outcome *o = result;
    steep_task_open open;
    steep_status status = steep_task_open_init(batch->samples, task, &open, error);
    if (status == STEEP_NO_MEMORY) return status;
    steep_fit_result fit = {0};
    watch watched = {.stop = batch->stop};
    open.options.threads = threads_of(batch);
    open.options.monitor = (steep_monitor){keep_going, &watched};
    steep_curve curve = {0};
    if (batch->curves) open.options.curve = &curve;
    if (status == STEEP_OK) status = steep_fit(&open.problem, &open.options, &fit, error);
    steep_task_rescale(batch->plan, task, &fit, &curve);
    const size_t points = open.problem.train ? open.problem.train->count : steep_plan_key_of(batch->plan, task).samples;
    o->row = steep_backend_row(&fit, status, points, STEEP_DEVICE_CPU);
    o->complaint = *error;
    if (status >= 0 && open.clean && !watched.given_up) {
        const steep_status shared = steep_task_share(batch->plan, task, &open, &fit, &o->row, error);
        if (shared < 0) status = shared;
    }
    o->given_up = watched.given_up;
    if (status != STEEP_NO_MEMORY && !put_payload(batch, &open, &fit, &curve, o, payload))
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for the parameters of a fit");
    free(curve.row);
    steep_fit_result_free(&fit);
    steep_task_open_free(&open);
    return status == STEEP_NO_MEMORY || status == STEEP_IO ? status : STEEP_OK;
}

static steep_status note(void *context, size_t index, const void *result, const steep_payload *payload,
                         steep_error *error)
{
    const steep_batch *batch = context;
    steep_outcome o = *(const steep_outcome *)result;
    const size_t P = payload->count - o.curve_numbers;
    if (o.curve_numbers > 0) o.curve = payload->value + P;
    return batch->take(batch->context, index, &o, P > 0 ? payload->value : NULL, error);
}

/* Reports a lost task at once, because the other tasks may take long. */
static void lost(void *context, const steep_loss *loss)
{
    const steep_batch *batch = context;
    char text[200];
    if (!batch->note || loss->workers == 0 || loss->signal < 0) return;
    snprintf(text, sizeof text, "a worker %s, and what it fitted last is lost", loss->text);
    batch->note(batch->context, text);
}

steep_work_list steep_cpu_list(const steep_batch *batch, size_t jobs)
{
    return (steep_work_list){.jobs = steep_memory_jobs(batch->plan, batch->task, batch->count, jobs),
                             .count = batch->count,
                             .size = sizeof(steep_outcome),
                             .work = steep_cpu_fit,
                             .note = note,
                             .context = (void *)batch,
                             .stop = batch->stop,
                             .lost = lost};
}

static steep_status run(const steep_batch *batch, steep_error *error)
{
    const steep_work_list list = steep_cpu_list(batch, batch->jobs);
    return steep_pool_run(&list, error);
}

const steep_backend steep_backend_cpu = {"cpu", NULL, steep_memory_suffices, run, NULL};
