/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The caller's process never opens a device: one that has may not be forked, and the caller forks as it likes, for the
 * fits that the CPU computes among others. A process of its own opens the device, runs all fits there, and sends three
 * kinds of messages: a fit is refused; a fit has ended, with its parameters where they are asked for; the end. */
#include "execute/cuda.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "execute/apart.h"
#include "execute/cpu.h"
#include "execute/device.h"
#include "execute/offload.h"

typedef enum letter_kind { REFUSED, ENDED, THE_END } letter_kind;

/* A message; behind it count parameters. */
typedef struct letter {
    letter_kind kind;
    size_t index, points, count;
    steep_device device;
    steep_status status;     /* of the fit, or of the whole */
    steep_fit_result result; /* its theta is the sender's */
    steep_error said;        /* what went with the status; why it is refused */
} letter;

static steep_status lost_reader(steep_error *error)
{
    return steep_fail(error, STEEP_IO, "nobody reads the results of the device");
}

/* --- in the process of the device --- */

typedef struct sender {
    const steep_post *post;
    steep_device device;
    bool parameters;
    void *context; /* of what opens fits */
} sender;

static steep_status send_letter(const sender *s, const letter *l, const double *theta, steep_error *error)
{
    const steep_parcel parcel = {l, theta, sizeof *l, l->count * sizeof *theta};
    return steep_post_send(s->post, &parcel) ? STEEP_OK : lost_reader(error);
}

static steep_status send_refused(void *context, size_t index, const char *why, steep_error *error)
{
    letter l = {.kind = REFUSED, .index = index};
    snprintf(l.said.text, sizeof l.said.text, "%s", why);
    return send_letter(context, &l, NULL, error);
}

static steep_status send_ended(void *context, size_t index, const steep_offload_fit *fit,
                               const steep_fit_result *result, const steep_error *said, steep_error *error)
{
    const sender *s = context;
    letter l = {.kind = ENDED,
                .index = index,
                .points = fit && fit->problem->train ? fit->problem->train->count : 0,
                .device = s->device,
                .status = result->status,
                .result = *result,
                .said = *said};
    if (s->parameters && fit && result->status >= 0) l.count = fit->problem->network->parameters;
    return send_letter(s, &l, result->theta, error);
}

/* Opens the device, runs all, sends the end. */
static void serve(steep_offload *offload, const steep_device_options *on, sender *s)
{
    steep_loaded_device loaded;
    steep_cuda_device *device = NULL;
    letter end = {.kind = THE_END};
    end.status = steep_device_load(on, &loaded, &end.said);
    if (end.status == STEEP_OK) end.status = steep_device_open(&loaded, on, &device, &end.said);
    if (end.status == STEEP_OK) {
        s->device = loaded.kind;
        offload->refused = send_refused;
        offload->done = send_ended;
        offload->context = s;
        offload->stop = s->post->stop;
        end.status = steep_offload_run(offload, &loaded, device, &end.said);
        loaded.api->close(device);
    }
    send_letter(s, &end, NULL, NULL);
}

/* --- a batch of a plan --- */

typedef struct errand {
    const steep_batch *batch;
    size_t *left, left_count; /* places in the batch of what the device does not take */
    char why[320];            /* of the first in the plan's order */
    size_t first;
    bool ended;
    steep_status status; /* of the device */
    steep_error said;
} errand;

static const steep_task *task_of(const steep_batch *batch, size_t index)
{
    return &batch->plan->task[batch->task[index]];
}

static steep_status open_task(void *context, size_t index, steep_offload_fit *fit, steep_error *error)
{
    const steep_batch *batch = ((const sender *)context)->context;
    steep_task_open *open = malloc(sizeof *open);
    if (!open) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a fit");
    const steep_status status = steep_task_open_init(batch->samples, task_of(batch, index), open, error);
    *fit = (steep_offload_fit){&open->problem, &open->options, open};
    if (status == STEEP_OK) return status;
    steep_task_open_free(open);
    free(open);
    return status;
}

static void close_task(void *context, steep_offload_fit *fit)
{
    (void)context;
    steep_task_open_free(fit->own);
    free(fit->own);
}

/* Starts and ends, and the samples that are a task's own. */
static size_t bytes_of_task(void *context, size_t index)
{
    const steep_batch *batch = ((const sender *)context)->context;
    const steep_plan *plan = batch->plan;
    const steep_task *task = task_of(batch, index);
    const steep_network network = {.width = task->width, .parameters = task->parameters};
    const steep_fit_options options = steep_plan_fit_options(plan, task);
    const size_t solves = 1 + steep_fit_restarts(&network, &options);
    const size_t own = plan->sampling == STEEP_GAUSS && plan->target[task->target].dim == 1 ? plan->samples : 0;
    return solves * (task->parameters * 9 + STEEP_OFFLOAD_TURN) + 32 * own + 4096;
}

static void serve_batch(void *context, const steep_post *post)
{
    const errand *e = context;
    const steep_batch *batch = e->batch;
    sender s = {.post = post, .parameters = batch->parameters, .context = (void *)batch};
    steep_offload offload = {
        .count = batch->count, .threads = batch->jobs, .open = open_task, .close = close_task, .bytes = bytes_of_task};
    serve(&offload, batch->on, &s);
}

static void note_refused(errand *e, const letter *l)
{
    const steep_batch *batch = e->batch;
    const steep_task *task = task_of(batch, l->index);
    if (e->left_count == 0 || l->index < e->first) {
        e->first = l->index;
        snprintf(e->why, sizeof e->why, "%s of width %zu: %.200s", batch->plan->variant[task->variant].label,
                 task->width, l->said.text);
    }
    e->left[e->left_count++] = l->index;
}

static steep_status take_letter(errand *e, const letter *l, const double *theta, steep_error *error)
{
    const steep_batch *batch = e->batch;
    steep_outcome o = {.complaint = l->said};
    steep_fit_result result = l->result;
    result.theta = NULL;
    steep_task_rescale(batch->plan, task_of(batch, l->index), &result);
    o.row = steep_backend_row(&result, l->status, l->points, l->device);
    return batch->take(batch->context, l->index, &o, l->count > 0 ? theta : NULL, error);
}

/* The parameters behind a letter. */
static const double *behind(const letter *l)
{
    return (const double *)(const void *)(l + 1);
}

static bool is_whole(const void *message, size_t bytes, size_t count)
{
    const letter *l = message;
    return bytes >= sizeof *l && bytes == sizeof *l + l->count * sizeof(double) &&
           (l->kind == THE_END || l->index < count);
}

static steep_status read_letter(void *context, const void *message, size_t bytes, steep_error *error)
{
    errand *e = context;
    const letter *l = message;
    if (!is_whole(message, bytes, e->batch->count)) return steep_fail(error, STEEP_IO, "a message of %zu bytes", bytes);
    if (l->kind == ENDED) return take_letter(e, l, behind(l), error);
    if (l->kind == REFUSED) {
        if (e->left_count == e->batch->count) return steep_fail(error, STEEP_IO, "a fit was refused twice");
        note_refused(e, l);
        return STEEP_OK;
    }
    e->ended = true;
    e->status = l->status;
    e->said = l->said;
    return STEEP_OK;
}

/* A failure of the device in the middle of a run. */
static steep_status tell(steep_status status, const steep_error *said, steep_error *error)
{
    if (status >= 0) return status == STEEP_OK ? status : steep_fail(error, status, "%s", said->text);
    return steep_fail(error, status,
                      "%.380s: what had finished is kept, the same command goes on, also with --device cpu",
                      said->text);
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

static steep_status run(const steep_batch *batch, steep_error *error)
{
    errand e = {.batch = batch, .left = malloc((batch->count + 1) * sizeof *e.left)};
    if (!e.left) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu fits", batch->count);
    const steep_apart apart = {serve_batch, read_letter, &e, batch->stop, 0};
    steep_status status = steep_apart_run(&apart, error);
    if (status == STEEP_OK && !e.ended) status = steep_fail(error, STEEP_IO, "the device's process said no end");
    if (status == STEEP_OK) status = tell(e.status, &e.said, error);
    if (status == STEEP_OK) status = run_rest(&e, error);
    free(e.left);
    return status;
}

/* What the device does not take the CPU runs. */
static bool can(const steep_plan *plan, const steep_task *task, char *text, size_t size)
{
    (void)plan, (void)task, (void)text, (void)size;
    return true;
}

const steep_backend steep_backend_cuda = {"cuda", "one GPU, and the CPU for what it does not take", steep_device_probe,
                                          can, run};

/* --- one fit --- */

typedef struct single {
    const steep_problem *problem;
    const steep_fit_options *options;
    const steep_device_options *on;
    steep_device_fit *fit;
    steep_fit_result *result;
    bool answered, ended;
    steep_status status;
    steep_error said;
} single;

static steep_status open_single(void *context, size_t index, steep_offload_fit *fit, steep_error *error)
{
    const single *one = ((const sender *)context)->context;
    (void)index, (void)error;
    *fit = (steep_offload_fit){one->problem, one->options, NULL};
    return STEEP_OK;
}

static void close_single(void *context, steep_offload_fit *fit)
{
    (void)context, (void)fit;
}

static size_t bytes_of_single(void *context, size_t index)
{
    (void)context, (void)index;
    return 0;
}

static void serve_single(void *context, const steep_post *post)
{
    single *one = context;
    sender s = {.post = post, .parameters = true, .context = one};
    steep_offload offload = {
        .count = 1, .threads = 1, .open = open_single, .close = close_single, .bytes = bytes_of_single};
    serve(&offload, one->on, &s);
}

static steep_status read_single(void *context, const void *message, size_t bytes, steep_error *error)
{
    single *one = context;
    const letter *l = message;
    if (!is_whole(message, bytes, 1)) return steep_fail(error, STEEP_IO, "a message of %zu bytes", bytes);
    if (l->kind == THE_END) {
        one->ended = true;
        one->status = l->status;
        if (!one->answered) one->said = l->said;
        return STEEP_OK;
    }
    one->answered = true;
    if (l->kind == REFUSED) {
        snprintf(one->fit->refused, sizeof one->fit->refused, "%.190s", l->said.text);
        return STEEP_OK;
    }
    *one->result = l->result;
    one->result->theta = NULL;
    one->fit->device = l->device;
    if (l->status < 0) {
        one->said = l->said;
        return STEEP_OK;
    }
    one->result->theta = malloc((l->count + 1) * sizeof(double));
    if (!one->result->theta)
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for the %zu parameters of a fit", l->count);
    memcpy(one->result->theta, behind(l), l->count * sizeof(double));
    return STEEP_OK;
}

steep_status steep_cuda_fit_one(const steep_problem *problem, const steep_fit_options *options,
                                const steep_device_options *on, const volatile int *stop, steep_device_fit *fit,
                                steep_fit_result *result, steep_error *error)
{
    single one = {.problem = problem, .options = options, .on = on, .fit = fit, .result = result};
    const steep_apart apart = {serve_single, read_single, &one, stop, 0};
    *fit = (steep_device_fit){.device = STEEP_DEVICE_CPU};
    *result = (steep_fit_result){.rmse_train = NAN};
    steep_status status = steep_apart_run(&apart, error);
    if (status == STEEP_OK && one.answered) {
        if (result->status < 0) steep_fail(error, result->status, "%s", one.said.text);
        return result->status;
    }
    steep_fit_result_free(result);
    if (status == STEEP_OK && !one.ended) status = steep_fail(error, STEEP_IO, "the device's process said no end");
    if (status == STEEP_OK) status = tell(one.status, &one.said, error);
    fit->given_up = status == STEEP_STOPPED;
    result->status = status;
    return status;
}
