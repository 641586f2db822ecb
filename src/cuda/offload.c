/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fit goes through steep_fit several times, each time with a solver that runs elsewhere (fit/solvers.h):
 *
 *   1. In a thread: steep_fit makes the starts, all restarts of them. Each is noted, and its solve fails for now.
 *   2. The device solves what was noted, a wave of many fits in one batch.
 *   3. In a thread, as soon as all solves of a fit have ended: steep_fit makes the same starts again, and each is
 *      answered with its end from the device. A start that is asked for anew is noted: the fit goes through 2 and 3
 *      again. Where none is, steep_fit has chosen and measured, and the fit goes to the caller.
 *
 * Where the device's end says so the CPU's solver goes on from it, in pass 3. So the order of restarts, the end of a
 * search that has found enough, the checks and the measurements are the very code of a fit on the CPU; and between the
 * passes a fit is no more than its starts. Solves are independent of each other: no number depends on what is in a wave
 * or in a batch. */
#include "cuda/device.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/core.h"

/* A solve of a fit: what was noted, and what came of it. */
typedef struct turn {
    steep_cuda_fit fit; /* first */
    struct work *work;  /* whose it is */
    size_t restart;
    double *theta;         /* the start, then the end */
    unsigned char *active; /* which parameters moved */
    steep_cuda_result end; /* theta and active are not of it */
    bool left, ended;      /* the device has to solve it; it has */
} turn;

typedef struct state state;

/* One fit on its way. */
typedef struct work {
    state *state;
    struct work *next; /* of those that wait for a thread */
    size_t index, turns, room;
    size_t at;   /* the turn behind the one that was asked for last */
    size_t left; /* turns that the device has to solve */
    turn *turn;
    steep_offload_fit fit;
    double seconds; /* of what this pass was answered from memory */
    bool begun;
} work;

struct state {
    const steep_offload *offload;
    const steep_opened_device *opened;
    pthread_mutex_t lock; /* of what follows, and of the caller's functions that take fits */
    pthread_cond_t given, idle;
    work *waiting, **end;
    size_t open; /* fits in threads, or waiting for one */
    bool closing;
    steep_status status;
    steep_error *error;
    size_t threads;
    pthread_t thread[];
};

/* With the lock. */
static void fail(state *s, steep_status status, const steep_error *why)
{
    if (s->status < 0) return;
    s->status = status;
    if (s->error) *s->error = *why;
}

/* --- 1 and 3: a pass of steep_fit, in a thread --- */

/* They are asked for in the same order, pass for pass, but for those that are new. */
static turn *find_turn(work *w, size_t restart)
{
    for (size_t i = 0; i < w->turns; i++) {
        turn *t = &w->turn[(w->at + i) % w->turns];
        if (t->restart != restart) continue;
        w->at = (size_t)(t - w->turn) + 1;
        return t;
    }
    return NULL;
}

/* A new one that begins at theta; NULL: no memory. */
static turn *add_turn(work *w, size_t restart, const double *theta)
{
    const size_t P = w->fit.open.problem.network->parameters;
    if (w->turns == w->room) {
        const size_t room = w->room ? 2 * w->room : 1;
        turn *more = realloc(w->turn, room * sizeof *more);
        if (!more) return NULL;
        w->turn = more;
        w->room = room;
    }
    turn *t = &w->turn[w->turns];
    *t = (turn){.work = w, .restart = restart, .theta = malloc(P * sizeof *t->theta), .active = malloc(P)};
    w->turns++;
    w->at = w->turns;
    if (!t->theta || !t->active) return NULL;
    memcpy(t->theta, theta, P * sizeof *theta);
    memset(t->active, 1, P);
    return t;
}

/* The end of a turn, as its solver reports it: the device's, or the CPU's that goes on from there. */
static steep_status answer(work *w, const turn *t, const steep_problem *problem, const steep_fit_options *options,
                           double *theta, steep_solve *solve, steep_error *error)
{
    memcpy(theta, t->theta, problem->network->parameters * sizeof *theta);
    w->seconds += t->end.seconds;
    w->fit.resumed += t->end.resume;
    steep_cuda_result end = t->end;
    end.active = t->active;
    return steep_cuda_finish(problem, options, &end, theta, solve, error);
}

/* In place of the solver of the options. A start that is noted fails for now, or at once as the solver itself would
 * refuse it. */
static steep_status solve(void *context, const steep_problem *problem, const steep_fit_options *options, double *theta,
                          steep_solve *solve, steep_error *error)
{
    work *w = context;
    turn *t = find_turn(w, solve->restart);
    if (problem->train != w->fit.open.problem.train) { /* fit/scaled.c: they are gone when steep_fit returns */
        snprintf(w->fit.refused, sizeof w->fit.refused, "values far from 1 are fitted in other units on the CPU");
        return STEEP_NOT_FINITE;
    }
    if (t && t->ended) return answer(w, t, problem, options, theta, solve, error);
    if (!t) t = add_turn(w, solve->restart, theta);
    if (!t) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the starts of a fit");
    const steep_status status = steep_cuda_describe(problem, options, t->theta, &t->fit, error);
    t->left = status == STEEP_OK;
    return t->left ? STEEP_NOT_FINITE : (solve->status = status);
}

/* Opens the fit; false where there is nothing to solve. */
static bool begin(work *w)
{
    const steep_offload *o = w->state->offload;
    steep_offload_fit *f = &w->fit;
    w->begun = true;
    f->result.status = o->open(o->context, w->index, &f->open, &f->said);
    return f->result.status == STEEP_OK &&
           steep_cuda_solves(&f->open.problem, &f->open.options, f->refused, sizeof f->refused);
}

/* Turns that are left to the device; none where it does not take them all. */
static size_t count_left(work *w)
{
    const steep_opened_device *on = w->state->opened;
    size_t left = 0;
    for (size_t i = 0; !w->fit.refused[0] && i < w->turns; i++) {
        if (!w->turn[i].left) continue;
        if (!on->api->can(on->device, &w->turn[i].fit, w->fit.refused, sizeof w->fit.refused)) return 0;
        left++;
    }
    return left;
}

/* Whether solves are left to the device. */
static bool pass(work *w)
{
    steep_offload_fit *f = &w->fit;
    steep_fit_options quiet = f->open.options;
    const steep_elsewhere elsewhere = {solve, w};
    quiet.elsewhere = &elsewhere;
    quiet.monitor = (steep_monitor){NULL, NULL};
    w->seconds = 0;
    w->at = f->resumed = 0;
    steep_fit(&f->open.problem, &quiet, &f->result, &f->said);
    f->result.seconds += w->seconds;
    w->left = f->result.status == STEEP_NO_MEMORY ? 0 : count_left(w);
    if (w->left == 0) return false;
    steep_fit_result_free(&f->result);
    f->said.text[0] = '\0';
    return true;
}

static void release(work *w)
{
    for (size_t r = 0; r < w->turns; r++) {
        free(w->turn[r].theta);
        free(w->turn[r].active);
    }
    free(w->turn);
    w->turn = NULL;
    w->turns = w->room = w->left = 0;
    steep_fit_result_free(&w->fit.result);
    steep_task_open_free(&w->fit.open);
}

/* A fit that has ended goes to the caller. */
static void hand_over(work *w)
{
    state *s = w->state;
    const steep_offload *o = s->offload;
    const steep_status status = w->fit.result.status;
    steep_error why = {{0}};
    pthread_mutex_lock(&s->lock);
    if (status == STEEP_NO_MEMORY || status == STEEP_IO) fail(s, status, &w->fit.said);
    const steep_status taken = s->status >= 0 ? o->done(o->context, w->index, &w->fit, &why) : STEEP_OK;
    if (taken < 0) fail(s, taken, &why);
    pthread_mutex_unlock(&s->lock);
}

/* A pass. It is the last where nothing is left to solve. */
static void advance(work *w)
{
    if ((w->begun || begin(w)) && pass(w)) return;
    hand_over(w);
    release(w);
}

/* --- threads --- */

static void *labour(void *context)
{
    state *s = context;
    pthread_mutex_lock(&s->lock);
    while (!s->closing) {
        work *w = s->waiting;
        if (!w) {
            pthread_cond_wait(&s->given, &s->lock);
            continue;
        }
        s->waiting = w->next;
        if (!s->waiting) s->end = &s->waiting;
        pthread_mutex_unlock(&s->lock);
        advance(w);
        pthread_mutex_lock(&s->lock);
        if (--s->open == 0) pthread_cond_signal(&s->idle);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* A fit waits for a thread, for its next pass. */
static void give(state *s, work *w)
{
    pthread_mutex_lock(&s->lock);
    w->next = NULL;
    *s->end = w;
    s->end = &w->next;
    s->open++;
    pthread_cond_signal(&s->given);
    pthread_mutex_unlock(&s->lock);
}

/* Until all that wait have been through their pass; what came of them. */
static steep_status wait_for_all(state *s)
{
    pthread_mutex_lock(&s->lock);
    while (s->open > 0) pthread_cond_wait(&s->idle, &s->lock);
    const steep_status status = s->status;
    pthread_mutex_unlock(&s->lock);
    return status;
}

static void close_state(state *s)
{
    pthread_mutex_lock(&s->lock);
    s->closing = true;
    pthread_cond_broadcast(&s->given);
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i < s->threads; i++) pthread_join(s->thread[i], NULL);
    pthread_cond_destroy(&s->idle);
    pthread_cond_destroy(&s->given);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* Fewer threads where the system gives no more; NULL: none, or no memory. */
static state *open_state(size_t threads)
{
    if (threads == 0) threads = steep_processors();
    state *s = calloc(1, sizeof *s + threads * sizeof *s->thread);
    if (!s) return NULL;
    s->end = &s->waiting;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->given, NULL);
    pthread_cond_init(&s->idle, NULL);
    while (s->threads < threads && pthread_create(&s->thread[s->threads], NULL, labour, s) == 0) s->threads++;
    if (s->threads > 0) return s;
    close_state(s);
    return NULL;
}

/* --- 2: a batch, in the caller's thread --- */

/* Solves that are left, NULL where one has ended. */
typedef struct solves {
    state *state;
    const steep_cuda_fit **fit;
    size_t count;
} solves;

/* A solve has ended. */
static steep_status take(void *context, size_t index, const steep_cuda_result *result, steep_error *error)
{
    const solves *list = context;
    turn *t = (turn *)list->fit[index];
    work *w = t->work;
    const size_t P = w->fit.open.problem.network->parameters;
    list->fit[index] = NULL;
    t->left = false;
    t->ended = true;
    t->end = *result;
    memcpy(t->theta, result->theta, P * sizeof *t->theta);
    memcpy(t->active, result->active, P);
    if (--w->left == 0) give(list->state, w);
    pthread_mutex_lock(&list->state->lock);
    const steep_status status = list->state->status;
    pthread_mutex_unlock(&list->state->lock);
    return status < 0 ? steep_fail(error, status, "the run ended") : STEEP_OK;
}

/* Those that have not ended, in front. */
static size_t gather(const solves *list)
{
    size_t left = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->fit[i]) list->fit[left++] = list->fit[i];
    return left;
}

/* One batch; where the device has no room for it, its two halves. */
static steep_status run_solves(solves list, steep_error *error)
{
    const state *s = list.state;
    const steep_cuda_batch batch = {.fit = list.fit, .count = list.count, .take = take, .context = &list};
    steep_status status = list.count > 0 ? s->opened->api->run(s->opened->device, &batch, error) : STEEP_OK;
    const size_t left = gather(&list);
    if (status == STEEP_OK && left > 0)
        return steep_fail(error, STEEP_IO, "the device left %zu solves undone and did not say why", left);
    if (status != STEEP_NO_MEMORY || (left == list.count && left == 1)) return status;
    status = run_solves((solves){list.state, list.fit, left / 2}, error);
    return status == STEEP_OK ? run_solves((solves){list.state, list.fit + left / 2, left - left / 2}, error) : status;
}

/* What the passes of a wave have left to the device, `count` solves. */
static steep_status run_round(state *s, const work *wave, size_t fits, size_t count, steep_error *error)
{
    solves list = {s, malloc(count * sizeof *list.fit), 0};
    if (!list.fit) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu solves", count);
    for (size_t i = 0; i < fits; i++)
        for (size_t r = 0; wave[i].left > 0 && r < wave[i].turns; r++)
            if (wave[i].turn[r].left) list.fit[list.count++] = &wave[i].turn[r].fit;
    const steep_status status = run_solves(list, error);
    free(list.fit);
    return status;
}

/* Pass by pass, until nothing of the wave is left. */
static steep_status run_wave(state *s, work *wave, size_t fits, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t i = 0; i < fits; i++) give(s, &wave[i]);
    for (;;) {
        const steep_status taken = wait_for_all(s); /* also where the device failed: what has ended counts */
        size_t count = 0;
        for (size_t i = 0; i < fits; i++) count += wave[i].left;
        if (status != STEEP_OK || taken < 0 || count == 0) return status;
        status = run_round(s, wave, fits, count, error);
    }
}

/* --- the whole --- */

/* The fits from `first` on. */
static steep_status run_fits(state *s, size_t first, size_t fits, steep_error *error)
{
    work *wave = calloc(fits, sizeof *wave);
    if (!wave) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu fits at once", fits);
    for (size_t i = 0; i < fits; i++) wave[i] = (work){.state = s, .index = first + i};
    const steep_status status = run_wave(s, wave, fits, error);
    for (size_t i = 0; i < fits; i++) release(&wave[i]);
    free(wave);
    return status;
}

steep_status steep_offload_run(const steep_offload *offload, const steep_opened_device *opened, steep_error *error)
{
    steep_status status = STEEP_OK;
    steep_error why = {{0}};
    state *s = open_state(offload->threads);
    if (!s) return steep_fail(error, STEEP_NO_MEMORY, "no thread could be started");
    s->offload = offload;
    s->opened = opened;
    s->error = error;
    const size_t wave = offload->wave ? offload->wave : STEEP_OFFLOAD_WAVE;
    for (size_t first = 0; status == STEEP_OK && s->status >= 0 && first < offload->count; first += wave)
        status = run_fits(s, first, offload->count - first < wave ? offload->count - first : wave, &why);
    if (status < 0) fail(s, status, &why);
    status = s->status;
    close_state(s);
    return status;
}
