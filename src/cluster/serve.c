/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rank that is not the first: it says hello, makes samples, then passes tasks and results on until the end. */
#define _GNU_SOURCE
#include <time.h>
#include <unistd.h>

#include "cluster/ranks_words.h"

#define IDLE_SECONDS 0.001 /* how soon a message is seen while there is nothing to do */
#define BUSY_SECONDS 0.005 /* and while all workers have tasks */

typedef struct servant {
    steep_ranks *ranks;
    const steep_run_options *run;
    steep_plan plan; /* without tasks where the options are wrong; status then says so */
    steep_batch batch;
    steep_task_samples samples;
    size_t *task;
    steep_pool *pool;
    steep_work_list list;
    double heard, said; /* heard: when rank 0 spoke, or this rank left; 0: neither yet */
    bool ended, left;   /* rank 0 has ended the run; rank 0 was told that this rank leaves */
    steep_status status;
    steep_error error;
} servant;

static void fail(servant *s, steep_status status, const char *text)
{
    const head h = {.kind = FAILED, .status = status};
    if (s->status < 0) return;
    s->status = steep_fail(&s->error, status, "%s", text);
    say(s->ranks->link, 0, &h, s->error.text, sizeof s->error.text);
}

static void say_hello(servant *s)
{
    hello me = {.identity = s->status >= 0 ? ranks_identity(&s->plan) : 0};
    const head h = {.kind = HELLO, .status = s->status};
    gethostname(me.host, sizeof me.host - 1);
    me.error = s->error;
    say(s->ranks->link, 0, &h, &me, sizeof me);
    s->said = steep_clock_seconds();
}

/* Lists the tasks at these places among the requested ones (ascending), and makes their samples. */
static steep_status list_tasks(servant *s, const size_t *number, size_t count, steep_error *error)
{
    const steep_plan *plan = &s->plan;
    bool *needed = calloc(plan->tasks + 1, sizeof *needed);
    s->task = malloc((count + 1) * sizeof *s->task);
    for (size_t i = 0, wanted = 0; needed && s->task && i < plan->tasks && s->batch.count < count; i++) {
        if (!plan->task[i].wanted || wanted++ != number[s->batch.count]) continue;
        needed[i] = true;
        s->task[s->batch.count++] = i;
    }
    const steep_status status = needed && s->task ? steep_task_samples_init(plan, needed, &s->samples, error)
                                                  : steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu fits", count);
    free(needed);
    return status;
}

static steep_status send_result(void *context, size_t index, const void *result, const steep_payload *theta,
                                steep_error *error)
{
    const servant *s = ((const steep_batch *)context)->others;
    const size_t numbers = theta->count * sizeof(double);
    const head h = {.kind = RESULT, .index = index, .number = theta->count};
    unsigned char *tail = malloc(sizeof(steep_outcome) + numbers);
    if (!tail) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the parameters of a fit");
    memcpy(tail, result, sizeof(steep_outcome));
    if (numbers > 0) memcpy(tail + sizeof(steep_outcome), theta->value, numbers);
    const bool sent = say(s->ranks->link, 0, &h, tail, sizeof(steep_outcome) + numbers);
    free(tail);
    return sent ? STEEP_OK : steep_fail(error, STEEP_IO, "cannot send a result");
}

static void send_loss(void *context, const steep_loss *loss)
{
    servant *s = ((const steep_batch *)context)->others;
    const head h = {.kind = LOST, .index = loss->index, .signal = loss->signal};
    say(s->ranks->link, 0, &h, NULL, 0);
    if (loss->workers == 0) fail(s, STEEP_IO, "its worker ended, and no other can be started");
}

static steep_status begin_work(servant *s, const head *h, const size_t *missing, steep_error *error)
{
    steep_status status = list_tasks(s, missing, h->number, error);
    if (status != STEEP_OK) return status;
    s->batch.task = s->task;
    s->batch.parameters = h->flag;
    s->batch.curves = h->signal;
    s->batch.threads = s->run->threads;
    s->list = steep_cpu_list(&s->batch, s->run->jobs ? s->run->jobs : 1);
    if (s->ranks->fit) s->list.work = s->ranks->fit;
    s->list.note = send_result;
    s->list.lost = send_loss;
    s->list.replace = true;
    status = steep_pool_open(&s->list, &s->pool, error);
    const head ready = {.kind = READY, .number = s->pool ? steep_pool_workers(s->pool) : 0};
    if (status == STEEP_OK) say(s->ranks->link, 0, &ready, NULL, 0);
    return status;
}

static void listen(servant *s)
{
    size_t from, size;
    unsigned char *message;
    while (!s->ended && (message = s->ranks->link->receive(s->ranks->link, &from, &size))) {
        const head h = head_of(message, size);
        const size_t *number = (const void *)(message + sizeof h); /* of TASKS and WORK */
        s->ended = h.kind == END;
        if (h.kind == END) s->ranks->lost = h.flag;
        if (h.kind == CUT) fail(s, STEEP_IO, "rank 0 " CUT_TEXT);
        for (size_t i = 0; h.kind == TASKS && s->pool && i < h.number; i++) steep_pool_push(s->pool, number[i]);
        if (h.kind == WORK && !s->pool && s->status >= 0 && !s->left) {
            steep_error why = {{0}};
            const steep_status status = begin_work(s, &h, number, &why);
            if (status < 0) fail(s, status, why.text);
        }
        s->heard = steep_clock_seconds(); /* to make samples may have taken long */
        free(message);
    }
}

static void leave(servant *s)
{
    const head h = {.kind = LEAVE};
    if (s->left) return;
    s->left = true;
    s->heard = steep_clock_seconds();
    say(s->ranks->link, 0, &h, NULL, 0);
    steep_pool_close(s->pool); /* fits in progress are given up */
    s->pool = NULL;
}

static void turn(servant *s, double patience)
{
    listen(s);
    if (s->batch.stop && *s->batch.stop) leave(s);
    if (!s->pool || s->status < 0) nanosleep(&(struct timespec){0, (long)(1e9 * IDLE_SECONDS)}, NULL);
    else {
        const bool busy = steep_pool_tasks(s->pool) >= steep_pool_workers(s->pool);
        steep_error why = {{0}};
        const steep_status status = steep_pool_turn(s->pool, busy ? BUSY_SECONDS : IDLE_SECONDS, &why);
        if (status < 0) fail(s, status, why.text);
    }
    const double now = steep_clock_seconds();
    const head beat = {.kind = BEAT};
    if (now - s->said > fmin(BEAT_SECONDS, patience / 4) && say(s->ranks->link, 0, &beat, NULL, 0)) s->said = now;
    /* Before it sends work, rank 0 may be silent for long: it reads what is there. */
    if (s->heard == 0 || s->ended || now - s->heard <= patience) return;
    s->ended = s->ranks->lost = true;
    if (s->status >= 0)
        s->status =
            steep_fail(&s->error, STEEP_IO,
                       "rank 0 has not answered for %.0f s: its rows are kept, the same command goes on", patience);
}

steep_status steep_sweep_serve(const steep_sweep_options *options, steep_error *error)
{
    steep_sweep_options filled = *options;
    steep_ranks *ranks = options->run.others;
    servant s = {.ranks = ranks, .run = &options->run};
    s.batch = (steep_batch){.plan = &s.plan, .samples = &s.samples, .others = &s, .stop = options->stop};
    const double patience = ranks->patience > 0 ? ranks->patience : PATIENCE_SECONDS;
    s.status = steep_sweep_complete(&filled, &s.plan, &s.error);
    say_hello(&s);
    while (!s.ended) turn(&s, patience);
    steep_pool_close(s.pool);
    if (s.samples.plan) steep_task_samples_free(&s.samples);
    free(s.task);
    ranks->link->close(ranks->link, ranks->lost);
    ranks->link = NULL;
    steep_plan_free(&s.plan);
    if (s.status < 0) return steep_fail(error, s.status, "%s", s.error.text);
    return s.left ? steep_fail(error, STEEP_STOPPED, "this rank was told to end") : STEEP_OK;
}
