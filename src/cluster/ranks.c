/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rank 0: a crew (execute/pool.h). Its first places are its own workers, the others are the other ranks. */
#define _GNU_SOURCE
#include "cluster/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cluster/ranks_words.h"

#define ATTEMPTS     2      /* a fit whose worker died so often is left undone */
#define IDLE_SECONDS 0.001  /* interval at which messages are looked for */
#define NEAR_SECONDS 0.0001 /* the same, shortly after a message */

typedef struct rank {
    bool ready, gone;
    double heard;
    char host[64];
} rank;

typedef struct steep_ranks_run {
    const steep_batch *batch;
    steep_ranks *ranks;
    steep_link *link;
    rank *rank;
    steep_crew own; /* this rank's own workers, who have the first places */
    double patience, active, said;
    unsigned char *message; /* the last one received */
    size_t undone;
    char complaint[200]; /* of the last fit that was left undone */
} run;

static run *run_of(const steep_batch *batch)
{
    return ((steep_ranks *)batch->others)->run;
}

static void note(const steep_batch *batch, const char *text)
{
    if (batch->note) batch->note(batch->context, text);
}

/* The places of other ranks follow the places of this rank's workers. */
static size_t place_of(const run *r, size_t number)
{
    return r->own.places + number - 1;
}

static void stop_crew(steep_crew *crew)
{
    run *r = crew->own;
    steep_crew_processes.stop(&r->own);
    free(r->message);
    crew->own = NULL;
}

static steep_status start_crew(steep_crew *crew, steep_error *error)
{
    run *r = crew->own = run_of(crew->list->context);
    r->own = (steep_crew){.list = crew->list};
    const steep_status status = steep_crew_processes.start(&r->own, error);
    if (status != STEEP_OK) return status;
    gethostname(r->rank[0].host, sizeof r->rank[0].host - 1);
    crew->places = r->own.places + r->link->size - 1;
    crew->ready = r->own.ready;
    return STEEP_OK;
}

static bool submit(steep_crew *crew, size_t place, const size_t *index, size_t count)
{
    run *r = crew->own;
    const head h = {.kind = TASKS, .number = count};
    if (place < r->own.places) return steep_crew_processes.submit(&r->own, place, index, count);
    return say(r->link, place - r->own.places + 1, &h, index, count * sizeof *index);
}

/* Tells a rank which of the requested fits are missing. */
static bool say_work(const run *r, size_t number)
{
    const steep_batch *batch = r->batch;
    const steep_plan *plan = batch->plan;
    const head work = {.kind = WORK, .number = batch->count, .flag = batch->parameters, .signal = batch->curves};
    size_t *missing = malloc((batch->count + 1) * sizeof *missing);
    for (size_t i = 0, wanted = 0, j = 0; missing && j < batch->count; wanted += plan->task[i++].wanted)
        if (batch->task[j] == i) missing[j++] = wanted;
    const bool said = missing && say(r->link, number, &work, missing, batch->count * sizeof *missing);
    free(missing);
    return said;
}

/* Answers a HELLO by the list of fits. A failure: the rank cannot take part, and the run ends. */
static steep_status greet(run *r, size_t number, const head *h, const void *tail, steep_error *error)
{
    rank *k = &r->rank[number];
    hello who;
    memcpy(&who, tail, sizeof who);
    memcpy(k->host, who.host, sizeof k->host - 1);
    if (h->status < 0)
        return steep_fail(error, STEEP_IO, "rank %zu on %s cannot take part: %.300s", number, k->host, who.error.text);
    if (who.identity != ranks_identity(r->batch->plan))
        return steep_fail(error, STEEP_IO,
                          "rank %zu on %s has another program, other points or other options than rank 0: install the "
                          "same build and the same files on every machine",
                          number, k->host);
    if (say_work(r, number)) return STEEP_OK;
    return steep_fail(error, STEEP_NO_MEMORY, "no memory for the list of fits");
}

/* Turns a message into an event; false: there is nothing that the pool must know. A result points into the message. */
static bool read_message(run *r, size_t from, const head *h, unsigned char *data, steep_crew_event *e)
{
    rank *k = &r->rank[from];
    k->heard = steep_clock_seconds();
    *e = (steep_crew_event){.place = place_of(r, from), .index = h->index, .workers = h->number, .signal = h->signal};
    switch (h->kind) {
    case HELLO:
        e->news = STEEP_CREW_FAILED;
        e->status = greet(r, from, h, data, &e->error);
        return e->status < 0;
    case READY:
        k->ready = true;
        e->news = STEEP_CREW_READY;
        return !k->gone;
    case RESULT:
        e->news = STEEP_CREW_RESULT;
        e->result = data;
        e->payload = (steep_payload){(double *)(void *)(data + sizeof(steep_outcome)), h->number};
        return h->index < r->batch->count;
    case LOST: e->news = STEEP_CREW_LOST; return h->index < r->batch->count;
    case LEAVE: e->news = STEEP_CREW_STOP; return true;
    case FAILED:
        e->news = STEEP_CREW_FAILED;
        e->status = steep_fail(&e->error, h->status, "rank %zu on %s: %.300s", from, k->host, (const char *)data);
        return true;
    case CUT:
        e->news = STEEP_CREW_FAILED;
        e->status = steep_fail(&e->error, STEEP_IO, "rank %zu " CUT_TEXT, from);
        return true;
    default: return false;
    }
}

static bool receive(run *r, steep_crew_event *e)
{
    size_t from, size;
    free(r->message);
    while ((r->message = r->link->receive(r->link, &from, &size))) {
        const head h = head_of(r->message, size);
        if (read_message(r, from, &h, r->message + sizeof h, e)) return true;
        free(r->message);
    }
    return false;
}

/* Gives up a rank that does not answer: others do its fits. What the rank sends later still counts. */
static void give_up(run *r, size_t number, double silence, steep_crew_event *e)
{
    rank *k = &r->rank[number];
    char text[sizeof e->error.text + sizeof k->host + 80];
    k->gone = r->ranks->lost = true;
    *e = (steep_crew_event){.news = STEEP_CREW_GONE, .place = place_of(r, number), .signal = -1};
    steep_fail(&e->error, STEEP_IO, "was not heard of for %.0f s", silence);
    snprintf(text, sizeof text, "rank %zu%s%s %s: the others go on with its fits", number, k->host[0] ? " on " : "",
             k->host, e->error.text);
    note(r->batch, text);
}

/* Sends a BEAT to the ranks; true: one of them has been silent for too long, and is given up. */
static bool keep_in_touch(run *r, steep_crew_event *e)
{
    const double now = steep_clock_seconds();
    const head beat = {.kind = BEAT};
    if (now - r->said < fmin(BEAT_SECONDS, r->patience / 4)) return false;
    for (size_t i = 1; i < r->link->size; i++) {
        const rank *k = &r->rank[i];
        if (k->gone || !k->ready) continue; /* it makes its samples, which may take long */
        if (now - k->heard > r->patience) {
            give_up(r, i, now - k->heard, e);
            return true;
        }
        say(r->link, i, &beat, NULL, 0);
    }
    r->said = now;
    return false;
}

static bool poll_crew(steep_crew *crew, double seconds, steep_crew_event *event)
{
    run *r = crew->own;
    const double now = steep_clock_seconds();
    r->own.stop = crew->stop;
    if (crew->stop) return false; /* the end is sent to all ranks later */
    const double wait = fmin(seconds, now - r->active < IDLE_SECONDS ? NEAR_SECONDS : IDLE_SECONDS);
    if (!receive(r, event) && !keep_in_touch(r, event)) {
        if (!steep_crew_processes.poll(&r->own, wait, event)) return false;
        if (event->news == STEEP_CREW_DIED && event->workers == 0) {
            event->news = STEEP_CREW_FAILED;
            event->status = steep_fail(&event->error, STEEP_IO, "no worker could be started");
        }
    }
    r->active = now;
    return true;
}

static const steep_crew_kind ranks_crew = {start_crew, submit, poll_crew, stop_crew};

static void lost(void *context, const steep_loss *loss)
{
    const steep_batch *batch = context;
    run *r = run_of(batch);
    const steep_task *task = &batch->plan->task[batch->task[loss->index]];
    char text[300];
    snprintf(r->complaint, sizeof r->complaint, "%.40s of width %zu, seed %zu: its worker on %.40s %.60s",
             batch->plan->variant[task->variant].label, task->width, batch->plan->seed[task->seed],
             r->rank[loss->place < r->own.places ? 0 : loss->place - r->own.places + 1].host, loss->text);
    snprintf(text, sizeof text, "%s: %s", r->complaint, loss->again ? "another one tries it" : "that is left undone");
    note(batch, text);
    r->undone += !loss->again;
}

static steep_status run_batch(const steep_batch *batch, steep_error *error)
{
    steep_ranks *ranks = batch->others;
    run r = {.batch = batch, .ranks = ranks, .link = ranks->link};
    double *cost;
    void *block = STEEP_BLOCK(STEEP_SHARE(cost, batch->count), STEEP_SHARE(r.rank, ranks->link->size));
    if (!block) return steep_fail(error, STEEP_NO_MEMORY, "no memory to hand out %zu fits", batch->count);
    for (size_t i = 0; i < batch->count; i++)
        cost[i] = steep_plan_cost(batch->plan, &batch->plan->task[batch->task[i]]);
    r.patience = ranks->patience > 0 ? ranks->patience : PATIENCE_SECONDS;
    ranks->run = &r;
    steep_work_list list = steep_cpu_list(batch, batch->jobs ? batch->jobs : 1);
    if (ranks->fit) list.work = ranks->fit;
    list.crew = &ranks_crew;
    list.cost = cost;
    list.attempts = ATTEMPTS;
    list.replace = true;
    list.lost = lost;
    const steep_status status = steep_pool_run(&list, error);
    free(block);
    ranks->run = NULL;
    steep_ranks_end(ranks);
    if (r.undone == 0 || status != STEEP_IO) return status;
    return steep_fail(error, STEEP_IO,
                      "%zu fit%s left undone: %.190s; all others are kept, the same command tries again; memory may be "
                      "short: fewer ranks a machine would help then",
                      r.undone, r.undone > 1 ? "s were" : " was", r.complaint);
}

void steep_ranks_end(steep_ranks *ranks)
{
    if (!ranks || !ranks->link) return;
    const head h = {.kind = END, .flag = ranks->lost};
    for (size_t i = 1; i < ranks->link->size; i++) say(ranks->link, i, &h, NULL, 0);
    ranks->link->close(ranks->link, ranks->lost);
    ranks->link = NULL;
}

const steep_backend steep_backend_ranks = {"cpu", NULL, steep_memory_suffices, run_batch, NULL};
