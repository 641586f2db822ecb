/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A free worker gets the next task. Where tasks are short, its place gets up to AHEAD_COST of work in advance, so that
 * the worker need not wait; but the queue keeps enough for all workers to end at about the same time. Where costs are
 * known, the dearest tasks go first, since a long task at the end would leave the other workers idle. */
#define _GNU_SOURCE
#include "execute/pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"

#define AHEAD_COST   20e3 /* most work of a worker in advance, about microseconds */
#define AHEAD_TASKS  64   /* most tasks of a worker: they must fit into its socket, or both sides wait for ever */
#define SHARE        4    /* a worker has in advance at most 1/SHARE of its even share of the queue */
#define POLL_SECONDS 0.05 /* a stop is seen within this time */

typedef struct task {
    size_t place; /* the place that has it, or NOWHERE */
    size_t turn;  /* counts up as tasks are handed out: a worker does its tasks in this order */
    size_t losses;
    bool open; /* neither done nor left undone */
} task;

#define NOWHERE ((size_t)-1)

typedef struct place {
    size_t workers, tasks;
    double cost; /* of its tasks */
} place;

struct steep_pool {
    const steep_work_list *list;
    const steep_crew_kind *kind;
    steep_crew crew;
    place *place;
    void *block; /* the memory of task, queue, parcel */
    task *task;
    size_t *queue, first, queued;     /* a ring of list->count */
    size_t *parcel;                   /* the tasks that a place is given at once */
    size_t open, out, workers, turns; /* out: tasks that are at places */
    double cost_left;                 /* of the queue */
    size_t failed;                    /* the lowest index that failed, list->count: none */
    bool stopped, ended;              /* told to stop; failed outside a task: the run ends at once */
    steep_status status;
    steep_error error;
    steep_loss loss; /* of the last task that is left undone */
};

static bool stopping(const steep_pool *p)
{
    return p->stopped || (p->list->stop && *p->list->stop);
}

/* An unknown cost counts as AHEAD_COST / 2: a worker gets a second task in advance while there are many. */
static double cost_of(const steep_pool *p, size_t index)
{
    return p->list->cost ? p->list->cost[index] : AHEAD_COST / 2;
}

static void fail(steep_pool *p, size_t index, steep_status status, const steep_error *error)
{
    if (p->ended || (p->status < 0 && index >= p->failed)) return;
    p->failed = index;
    p->status = status;
    p->error = *error;
}

static void push(steep_pool *p, size_t index, bool front)
{
    const size_t room = p->list->count;
    if (front) p->first = (p->first + room - 1) % room;
    p->queue[front ? p->first : (p->first + p->queued) % room] = index;
    p->queued++;
    p->cost_left += cost_of(p, index);
}

static size_t pop(steep_pool *p)
{
    const size_t index = p->queue[p->first];
    p->first = (p->first + 1) % p->list->count;
    p->queued--;
    p->cost_left = p->queued > 0 ? p->cost_left - cost_of(p, index) : 0;
    return index;
}

/* How much work a worker may have in advance. */
static double ahead(const steep_pool *p)
{
    return fmin(AHEAD_COST, p->cost_left / (SHARE * (double)p->workers));
}

static bool wants(const steep_pool *p, const place *at, double cost)
{
    if (at->tasks < at->workers || p->list->life) return true;
    return at->tasks < AHEAD_TASKS * at->workers && at->cost + cost <= ahead(p) * (double)at->workers;
}

/* Gives a place the tasks that it wants, once it has half of the allowed work or less. */
static void feed(steep_pool *p, size_t number)
{
    place *at = &p->place[number];
    size_t count = 0;
    if (at->workers == 0 || (at->tasks >= at->workers && 2 * at->cost > ahead(p) * (double)at->workers)) return;
    while (p->queued > 0 && wants(p, at, cost_of(p, p->queue[p->first]))) {
        const size_t index = pop(p);
        task *t = &p->task[index];
        if (!t->open) continue; /* a place that had been given up answered it after all */
        t->place = number;
        t->turn = p->turns++;
        at->tasks++;
        p->out++;
        at->cost += cost_of(p, index);
        p->parcel[count++] = index;
    }
    if (count == 0 || p->kind->submit(&p->crew, number, p->parcel, count)) return;
    fail(p, 0, STEEP_IO, &(steep_error){"tasks cannot be sent to a worker"});
    p->ended = true;
}

static void feed_all(steep_pool *p)
{
    for (size_t i = 0; i < p->crew.places && p->queued > 0 && p->status >= 0 && !stopping(p); i++) feed(p, i);
}

static void take_from_place(steep_pool *p, size_t index)
{
    task *t = &p->task[index];
    if (t->place == NOWHERE) return;
    place *at = &p->place[t->place];
    at->tasks--;
    p->out--;
    at->cost = at->tasks > 0 ? at->cost - cost_of(p, index) : 0;
    t->place = NOWHERE;
}

static void take_result(steep_pool *p, steep_crew_event *e)
{
    task *t = &p->task[e->index];
    if (t->place == e->place) take_from_place(p, e->index);
    if (!t->open) return; /* another place has done it */
    t->open = false;
    p->open--;
    if (e->status >= 0) e->status = p->list->note(p->list->context, e->index, e->result, &e->payload, &e->error);
    if (e->status < 0) fail(p, e->index, e->status, &e->error);
}

static void describe(steep_loss *loss, const steep_crew_event *e)
{
    if (e->error.text[0]) snprintf(loss->text, sizeof loss->text, "%.70s", e->error.text);
    else if (e->signal > 0)
        snprintf(loss->text, sizeof loss->text, "was ended by signal %d (%s)", e->signal, strsignal(e->signal));
    else snprintf(loss->text, sizeof loss->text, "ended without a result");
}

/* Handles a task whose worker ended: queues it again, or leaves it undone. */
static void lose(steep_pool *p, size_t index, const steep_crew_event *e)
{
    task *t = &p->task[index];
    take_from_place(p, index);
    if (!t->open || stopping(p)) return;
    const size_t attempts = p->list->attempts > 0 ? p->list->attempts : 1;
    steep_loss loss = {.index = index, .place = e->place, .signal = e->signal, .again = ++t->losses < attempts};
    loss.workers = p->workers;
    describe(&loss, e);
    if (loss.again) push(p, index, true);
    else {
        t->open = false;
        p->open--;
        p->loss = loss;
    }
    if (p->list->lost) p->list->lost(p->list->context, &loss);
}

/* The task that a place was given first, which its worker does first; NOWHERE where it has none. */
static size_t find_first(const steep_pool *p, size_t number)
{
    size_t found = NOWHERE;
    for (size_t i = 0; i < p->list->count; i++)
        if (p->task[i].place == number && (found == NOWHERE || p->task[i].turn < p->task[found].turn)) found = i;
    return found;
}

/* The task in which a worker died is lost, its other tasks go back to the queue; all tasks of a gone place are lost. */
static void bury(steep_pool *p, const steep_crew_event *e)
{
    const size_t first = find_first(p, e->place);
    for (size_t i = p->list->count; i-- > 0;) {
        if (p->task[i].place != e->place) continue;
        if (i == first || e->news == STEEP_CREW_GONE) lose(p, i, e);
        else {
            take_from_place(p, i);
            if (p->task[i].open) push(p, i, true);
        }
    }
}

static void set_workers(steep_pool *p, size_t number, size_t workers)
{
    p->workers += workers - p->place[number].workers;
    p->place[number].workers = workers;
}

static void take(steep_pool *p, steep_crew_event *e)
{
    switch (e->news) {
    case STEEP_CREW_RESULT: take_result(p, e); break;
    case STEEP_CREW_READY: set_workers(p, e->place, e->workers); break;
    case STEEP_CREW_LOST:
        if (p->task[e->index].place == e->place) lose(p, e->index, e);
        break;
    case STEEP_CREW_DIED:
    case STEEP_CREW_GONE:
        set_workers(p, e->place, e->workers);
        bury(p, e);
        break;
    case STEEP_CREW_FAILED:
        fail(p, 0, e->status, &e->error);
        p->ended = true;
        break;
    case STEEP_CREW_STOP: p->stopped = true; break;
    }
}

steep_status steep_pool_turn(steep_pool *p, double seconds, steep_error *error)
{
    steep_crew_event event;
    feed_all(p);
    for (; !p->ended; seconds = 0) {
        p->crew.stop = stopping(p) || (p->status < 0 && p->list->life);
        if (!p->kind->poll(&p->crew, seconds, &event)) break;
        take(p, &event);
        feed_all(p);
    }
    return p->status < 0 ? steep_fail(error, p->status, "%s", p->error.text) : STEEP_OK;
}

steep_status steep_pool_open(const steep_work_list *list, steep_pool **pool, steep_error *error)
{
    steep_pool *p = calloc(1, sizeof *p);
    *pool = NULL;
    if (!p) return steep_fail(error, STEEP_NO_MEMORY, "no memory for workers");
    *p = (steep_pool){.list = list,
                      .kind = list->crew ? list->crew : &steep_crew_processes,
                      .crew = {.list = list},
                      .failed = list->count};
    p->block = STEEP_BLOCK(STEEP_SHARE(p->queue, list->count + 1), STEEP_SHARE(p->parcel, list->count + 1),
                           STEEP_SHARE(p->task, list->count + 1));
    steep_status status =
        p->block ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu tasks", list->count);
    for (size_t i = 0; status == STEEP_OK && i < list->count; i++) p->task[i].place = NOWHERE;
    if (status == STEEP_OK) status = p->kind->start(&p->crew, error);
    if (status == STEEP_OK) p->place = calloc(p->crew.places, sizeof *p->place);
    if (status == STEEP_OK && !p->place) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for workers");
    for (size_t i = 0; status == STEEP_OK && i < p->crew.ready; i++) set_workers(p, i, 1);
    if (status == STEEP_OK) *pool = p;
    else steep_pool_close(p);
    return status;
}

void steep_pool_push(steep_pool *pool, size_t index)
{
    pool->task[index] = (task){.place = NOWHERE, .open = true};
    pool->open++;
    push(pool, index, false);
}

size_t steep_pool_tasks(const steep_pool *pool)
{
    return pool->open;
}

size_t steep_pool_workers(const steep_pool *pool)
{
    return pool->workers;
}

void steep_pool_close(steep_pool *pool)
{
    if (!pool) return;
    if (pool->crew.own) pool->kind->stop(&pool->crew);
    free(pool->place);
    free(pool->block);
    free(pool);
}

static int compare_costs(const void *a, const void *b, void *costs)
{
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    const double *cost = costs;
    if (cost[i] != cost[j]) return cost[i] < cost[j] ? 1 : -1;
    return (i > j) - (i < j);
}

/* Whether tasks are at workers, or wait while there are workers that may take them. */
static bool going_on(const steep_pool *p)
{
    if (p->ended || p->open == 0) return false;
    return p->out > 0 || (p->workers > 0 && p->status >= 0 && !stopping(p));
}

static steep_status say_loss(const steep_pool *p, steep_error *error)
{
    const char *who = p->list->worker ? p->list->worker : "a worker";
    if (p->loss.signal > 0)
        return steep_fail(error, STEEP_IO, "%s %s: what had finished is kept, the same command goes on%s", who,
                          p->loss.text, p->list->worker ? "" : "; memory may be short: fewer --jobs would help then");
    return steep_fail(error, STEEP_IO,
                      "%s could not hand over its last result: what had finished is kept, the same command goes on",
                      who);
}

steep_status steep_pool_run(const steep_work_list *list, steep_error *error)
{
    steep_pool *p;
    if (list->size > STEEP_WORK_RESULT)
        return steep_fail(error, STEEP_BAD_INPUT, "a result of %zu bytes: use at most %d", list->size,
                          STEEP_WORK_RESULT);
    if (list->count == 0) return STEEP_OK;
    steep_status status = steep_pool_open(list, &p, error);
    if (status != STEEP_OK) return status;
    for (size_t i = 0; i < list->count; i++) steep_pool_push(p, i);
    if (list->cost) qsort_r(p->queue, list->count, sizeof *p->queue, compare_costs, (void *)list->cost);
    for (bool last = false; !last && going_on(p);) {
        last = stopping(p); /* the last turn takes the results that had come in */
        steep_pool_turn(p, POLL_SECONDS, NULL);
    }
    if (p->status < 0) status = steep_fail(error, p->status, "%s", p->error.text);
    else if (p->loss.signal != 0 && !stopping(p)) status = say_loss(p, error);
    else if (p->open > 0) status = steep_fail(error, STEEP_STOPPED, "stopped before all tasks were done");
    steep_pool_close(p);
    return status;
}
