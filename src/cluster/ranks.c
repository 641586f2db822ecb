/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rank 0. Missing fits are sorted by what they are expected to cost, the dearest first, as a list is best shared out
 * whose long pieces come first. A rank that has a free worker gets the next fit. Where fits are short it gets more of
 * them beforehand, as much as AHEAD_COST of work: but no more than what leaves enough for all ranks to end together. */
#define _GNU_SOURCE
#include "cluster/ranks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "cluster/ranks_words.h"
#include "execute/cpu.h"
#include "execute/memory.h"

#define AHEAD_COST   20e3   /* of work beforehand for a worker, in what steep_fit_cost counts: about microseconds */
#define AHEAD_TASKS  512    /* fits that a rank has at most */
#define SHARE        4      /* what is handed out beforehand leaves so many times as much for each worker */
#define LOSSES       2      /* a fit whose worker died so often is left undone */
#define IDLE_SECONDS 0.001  /* how soon a message is seen */
#define NEAR_SECONDS 0.0001 /* and shortly after another one */

typedef struct rank {
    bool ready, greeted, gone;
    size_t hands, tasks, room, *task; /* what it has been given and not answered */
    double cost, heard;
    char host[64];
} rank;

typedef struct run {
    const steep_batch *batch;
    steep_ranks *ranks;
    steep_pool *pool; /* this rank's own workers */
    rank *rank;
    double *cost;            /* by index in the batch */
    size_t *order;           /* all indices, dearest first */
    size_t next;             /* in order */
    size_t *again, returned; /* fits that were lost once, to be handed out before others */
    unsigned char *losses;
    bool *ended; /* by index: there is a result, or none is waited for any more */
    size_t open, undone, hands;
    double cost_left; /* of what is not handed out */
    double active, said;
    bool stopped;
    steep_status status;
    steep_error *error;
    char complaint[200]; /* of the last fit that was left undone */
} run;

__attribute__((format(printf, 2, 3))) static void note(const run *r, const char *format, ...)
{
    char text[400];
    va_list arguments;
    if (!r->batch->note) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    r->batch->note(r->batch->context, text);
}

static void fail(run *r, steep_status status, const char *text)
{
    if (r->status < 0) return;
    r->status = steep_fail(r->error, status, "%s", text);
}

/* --- handing out --- */

static bool peek(const run *r, size_t *index)
{
    if (r->returned > 0) *index = r->again[r->returned - 1];
    else if (r->next < r->batch->count) *index = r->order[r->next];
    else return false;
    return true;
}

static void pop(run *r)
{
    size_t index = 0;
    peek(r, &index);
    if (r->returned > 0) r->returned--;
    else r->next++;
    r->cost_left -= r->cost[index];
}

/* How much work a worker may have beforehand. */
static double ahead(const run *r)
{
    return fmin(AHEAD_COST, r->cost_left / (SHARE * (double)r->hands));
}

static bool wants(const run *r, const rank *k, double cost)
{
    if (k->tasks < k->hands) return true;
    return k->tasks < AHEAD_TASKS && k->cost + cost <= ahead(r) * (double)k->hands;
}

static bool add_task(run *r, rank *k, size_t index)
{
    if (k->tasks == k->room) {
        const size_t room = 2 * k->room + 4;
        size_t *grown = realloc(k->task, room * sizeof *grown);
        if (!grown) {
            fail(r, STEEP_NO_MEMORY, "no memory for the list of a rank's fits");
            return false;
        }
        k->task = grown;
        k->room = room;
    }
    k->task[k->tasks++] = index;
    k->cost += r->cost[index];
    return true;
}

/* Gives a rank what it wants, once it has come down to half of that. */
static void feed(run *r, size_t number)
{
    rank *k = &r->rank[number];
    size_t index, list[AHEAD_TASKS], count = 0;
    if (!k->ready || k->gone || r->status < 0) return;
    if (k->tasks >= k->hands && 2 * k->cost > ahead(r) * (double)k->hands) return;
    while (count < AHEAD_TASKS && peek(r, &index) && wants(r, k, r->cost[index])) {
        pop(r);
        if (r->ended[index]) continue; /* a rank that was given up has answered after all */
        if (!add_task(r, k, index)) return;
        list[count++] = index;
    }
    const head h = {.kind = TASKS, .number = count};
    for (size_t i = 0; number == 0 && i < count; i++)
        if (steep_pool_give(r->pool, list[i], r->error) != STEEP_OK) fail(r, STEEP_NO_MEMORY, "no memory for a queue");
    if (number > 0 && count > 0 && !say(r->ranks->link, number, &h, list, count * sizeof *list))
        fail(r, STEEP_IO, "fits cannot be sent to another rank");
}

static void feed_all(run *r)
{
    for (size_t i = 0; i < r->ranks->link->size; i++) feed(r, i);
}

/* --- what comes back --- */

static bool strike(run *r, rank *k, size_t index)
{
    for (size_t i = 0; i < k->tasks; i++) {
        if (k->task[i] != index) continue;
        k->task[i] = k->task[--k->tasks];
        k->cost = k->tasks > 0 ? k->cost - r->cost[index] : 0;
        return true;
    }
    return false;
}

/* A fit whose worker ended, as how says. */
static void lose(run *r, size_t index, const rank *k, const char *how)
{
    const steep_task *task = &r->batch->plan->task[r->batch->task[index]];
    if (r->ended[index]) return;
    const bool again = ++r->losses[index] < LOSSES;
    snprintf(r->complaint, sizeof r->complaint, "%.40s of width %zu, seed %zu: its worker on %.40s %.60s",
             r->batch->plan->variant[task->variant].label, task->width, r->batch->plan->seed[task->seed], k->host, how);
    note(r, "%s: %s", r->complaint, again ? "another one tries it" : "that is left undone");
    if (again) {
        r->again[r->returned++] = index;
        r->cost_left += r->cost[index];
        return;
    }
    r->ended[index] = true;
    r->undone++;
    r->open--;
}

static void lose_by_signal(run *r, size_t index, const rank *k, int signal)
{
    char how[80] = "ended without a result";
    if (signal > 0) snprintf(how, sizeof how, "was ended by signal %d (%s)", signal, strsignal(signal));
    lose(r, index, k, how);
}

static void take(run *r, size_t index, const steep_outcome *o, const double *theta)
{
    if (index >= r->batch->count || r->ended[index] || r->status < 0) return;
    r->ended[index] = true;
    r->open--;
    r->status = r->batch->take(r->batch->context, index, o, theta, r->error);
    if (r->status > 0) r->status = STEEP_OK;
}

static void take_result(run *r, const head *h, const unsigned char *tail)
{
    result_words words;
    steep_outcome o = {.given_up = false};
    double *theta = NULL;
    memcpy(&words, tail, sizeof words);
    tail += sizeof words;
    o.row = words.row;
    o.given_up = words.given_up;
    if (words.complains) memcpy(&o.complaint, tail, sizeof o.complaint);
    if (words.complains) tail += sizeof o.complaint;
    if (h->number > 0) {
        theta = malloc(h->number * sizeof *theta);
        if (theta) memcpy(theta, tail, h->number * sizeof *theta);
        else fail(r, STEEP_NO_MEMORY, "no memory for the parameters of a fit");
    }
    take(r, h->index, &o, theta);
    free(theta);
}

/* A rank that is not heard of: others do its fits. What it sends later still counts. */
static void give_up(run *r, size_t number, const char *how)
{
    rank *k = &r->rank[number];
    if (k->gone) return;
    k->gone = true;
    if (k->ready) r->hands -= k->hands;
    r->ranks->lost = true;
    note(r, "rank %zu%s%s %s: the others go on with its fits", number, k->host[0] ? " on " : "", k->host, how);
    for (size_t i = 0; i < k->tasks; i++) lose(r, k->task[i], k, how);
    k->tasks = 0;
    k->cost = 0;
}

static void greet(run *r, size_t number, const head *h, const unsigned char *tail)
{
    rank *k = &r->rank[number];
    const steep_plan *plan = r->batch->plan;
    char text[400];
    hello who;
    memcpy(&who, tail, sizeof who);
    memcpy(k->host, who.host, sizeof k->host);
    if (h->status < 0) {
        snprintf(text, sizeof text, "rank %zu on %s cannot take part: %.300s", number, k->host, who.error.text);
        fail(r, STEEP_IO, text);
    } else if (who.identity != ranks_identity(plan)) {
        snprintf(text, sizeof text,
                 "rank %zu on %s has another program, other points or other options than rank 0: install the same "
                 "build and the same files on every machine",
                 number, k->host);
        fail(r, STEEP_IO, text);
    }
    if (r->status < 0) return;
    unsigned char *bit = calloc(plan->wanted / 8 + 1, 1);
    const head work = {.kind = WORK, .number = plan->wanted, .flag = r->batch->parameters};
    for (size_t i = 0, at = 0, j = 0; bit && i < plan->tasks && j < r->batch->count; i++) {
        if (!plan->task[i].wanted) continue;
        if (r->batch->task[j] == i) {
            bit[at / 8] = (unsigned char)(bit[at / 8] | 1U << at % 8);
            j++;
        }
        at++;
    }
    if (!bit || !say(r->ranks->link, number, &work, bit, plan->wanted / 8 + 1))
        fail(r, STEEP_NO_MEMORY, "no memory for the list of fits");
    free(bit);
    k->greeted = true;
}

static void read_message(run *r, size_t from, const unsigned char *message)
{
    head h;
    steep_error said;
    char text[400];
    rank *k = &r->rank[from];
    memcpy(&h, message, sizeof h);
    message += sizeof h;
    k->heard = steep_clock_seconds();
    switch (h.kind) {
    case HELLO: greet(r, from, &h, message); break;
    case READY:
        k->ready = true;
        k->hands = h.number;
        if (!k->gone) r->hands += h.number;
        break;
    case RESULT:
        strike(r, k, h.index);
        take_result(r, &h, message);
        break;
    case LOST:
        if (strike(r, k, h.index)) lose_by_signal(r, h.index, k, h.signal);
        break;
    case LEAVE: r->stopped = true; break;
    case FAILED:
        memcpy(&said, message, sizeof said);
        snprintf(text, sizeof text, "rank %zu on %s: %.300s", from, k->host, said.text);
        fail(r, h.status, text);
        break;
    default: break;
    }
    feed(r, from);
}

/* One of this rank's own workers. */
static void read_event(run *r, const steep_pool_event *event)
{
    strike(r, &r->rank[0], event->index);
    if (event->signal != 0) {
        lose_by_signal(r, event->index, &r->rank[0], event->signal);
        if (steep_pool_hands(r->pool) == 0) fail(r, STEEP_IO, "no worker could be started");
    } else if (event->status < 0) fail(r, event->status, event->error.text);
    else take(r, event->index, event->result, event->payload->count > 0 ? event->payload->value : NULL);
    feed(r, 0);
}

/* --- the loop --- */

static void keep_in_touch(run *r, double patience)
{
    const double now = steep_clock_seconds();
    const head beat = {.kind = BEAT};
    char how[80];
    if (now - r->said < fmin(BEAT_SECONDS, patience / 4)) return;
    r->said = now;
    for (size_t i = 1; i < r->ranks->link->size; i++) {
        rank *k = &r->rank[i];
        if (k->gone || !k->ready) continue; /* it makes its samples, which takes what it takes */
        if (now - k->heard > patience) {
            snprintf(how, sizeof how, "was not heard of for %.0f s", now - k->heard);
            give_up(r, i, how);
        } else say(r->ranks->link, i, &beat, NULL, 0);
    }
    feed_all(r);
}

static void turn(run *r)
{
    size_t from, size;
    unsigned char *message;
    steep_pool_event event;
    bool any = false;
    while (r->status >= 0 && r->open > 0 && (message = r->ranks->link->receive(r->ranks->link, &from, &size))) {
        read_message(r, from, message);
        free(message);
        any = true;
    }
    const double now = steep_clock_seconds();
    if (any) r->active = now;
    double wait = any ? 0 : now - r->active < IDLE_SECONDS ? NEAR_SECONDS : IDLE_SECONDS;
    for (; r->status >= 0 && r->open > 0 && steep_pool_take(r->pool, wait, &event); wait = 0) {
        read_event(r, &event);
        r->active = now;
    }
    r->stopped = r->stopped || (r->batch->stop && *r->batch->stop);
}

static int compare_costs(const void *a, const void *b, void *costs)
{
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    const double *cost = costs;
    if (cost[i] != cost[j]) return cost[i] < cost[j] ? 1 : -1;
    return (i > j) - (i < j);
}

static steep_status prepare(run *r)
{
    const steep_batch *b = r->batch;
    const size_t count = b->count, jobs = b->jobs ? b->jobs : 1;
    r->cost = malloc((count + 1) * sizeof *r->cost);
    r->order = malloc((count + 1) * sizeof *r->order);
    r->again = malloc((count + 1) * sizeof *r->again);
    r->losses = calloc(count + 1, 1);
    r->ended = calloc(count + 1, sizeof *r->ended);
    r->rank = calloc(r->ranks->link->size, sizeof *r->rank);
    if (!r->cost || !r->order || !r->again || !r->losses || !r->ended || !r->rank)
        return steep_fail(r->error, STEEP_NO_MEMORY, "no memory to hand out %zu fits", count);
    for (size_t i = 0; i < count; i++) {
        r->order[i] = i;
        r->cost[i] = steep_plan_cost(b->plan, &b->plan->task[b->task[i]]);
        r->cost_left += r->cost[i];
    }
    qsort_r(r->order, count, sizeof *r->order, compare_costs, r->cost);
    r->open = count;
    const steep_pool_options options = {.hands = steep_memory_jobs(b->plan, b->task, count, jobs),
                                        .size = sizeof(steep_outcome),
                                        .work = r->ranks->fit ? r->ranks->fit : steep_cpu_fit,
                                        .context = (void *)b};
    const steep_status status = steep_pool_open(&options, &r->pool, r->error);
    if (status != STEEP_OK) return status;
    r->hands = r->rank[0].hands = steep_pool_hands(r->pool);
    r->rank[0].ready = true;
    gethostname(r->rank[0].host, sizeof r->rank[0].host - 1);
    return STEEP_OK;
}

static void release(run *r)
{
    steep_pool_close(r->pool);
    for (size_t i = 0; r->rank && i < r->ranks->link->size; i++) free(r->rank[i].task);
    free(r->rank);
    free(r->cost);
    free(r->order);
    free(r->again);
    free(r->losses);
    free(r->ended);
}

static steep_status run_batch(const steep_batch *batch, steep_error *error)
{
    run r = {.batch = batch, .ranks = batch->ranks, .error = error};
    const double patience = r.ranks->patience > 0 ? r.ranks->patience : PATIENCE_SECONDS;
    r.status = prepare(&r);
    if (r.status == STEEP_OK) feed(&r, 0);
    while (r.status >= 0 && r.open > 0 && !r.stopped) {
        turn(&r);
        keep_in_touch(&r, patience);
    }
    release(&r);
    steep_ranks_end(r.ranks);
    if (r.status < 0) return r.status;
    if (r.open > 0) return steep_fail(error, STEEP_STOPPED, "stopped before all tasks were done");
    if (r.undone == 0) return STEEP_OK;
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

const steep_backend steep_backend_ranks = {"cpu", "processes of several ranks", NULL, steep_memory_suffices, run_batch};
