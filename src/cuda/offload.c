/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fit runs steep_fit in several passes, with a function in place of its solver (steep_elsewhere, fit/solvers.h):
 *
 *   1. In a thread, steep_fit draws the starts of all restarts. Each start is recorded, and its solve reports a
 *      failure, because this pass needs only the starts.
 *   2. The device solves the recorded starts of many fits, a wave, in one batch.
 *   3. In a thread, once all solves of a fit have ended, steep_fit draws the same starts again, and each solve returns
 *      its end from the device. A start that steep_fit draws for the first time is recorded, and the fit repeats steps
 *      2 and 3. Without such a start steep_fit has chosen and measured, and the fit goes to the caller.
 *
 * Where the device's end says so (resume), the CPU's solver continues from it in step 3. So a fit on a device runs the
 * code of a fit on the CPU for the order of restarts, the stop after enough hits, the checks and the measurements, and
 * between passes a fit keeps only its starts. Solves are independent: no number depends on the content of a wave or a
 * batch. */
#include "cuda/device.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One solve of a fit: the recorded start, and its end. */
typedef struct turn {
    steep_cuda_fit fit;    /* the first member: take finds the turn by it */
    struct work *work;     /* the fit of this solve */
    double *theta;         /* P numbers, the start, later the end; then P bytes, active; NULL: not recorded yet */
    steep_cuda_result end; /* theta in it is not valid any more */
    bool left, ended;      /* the device has still to solve it; the device has solved it */
} turn;

typedef struct state state;

/* One fit in progress. */
typedef struct work {
    state *state;
    struct work *next; /* the next fit that waits for a thread */
    size_t index, turns;
    size_t left; /* turns that the device has to solve */
    turn *turn;  /* one for each restart; NULL: the fit has not begun */
    steep_offload_fit fit;
    double seconds; /* device time of the solves whose ends this pass has used */
} work;

struct state {
    const steep_offload *offload;
    const steep_opened_device *opened;
    pthread_mutex_t lock; /* guards the fields below and calls of the caller's done */
    pthread_cond_t given, idle;
    work *waiting;
    size_t open; /* fits in threads, or waiting for one */
    bool closing;
    steep_status status;
    steep_error *error;
};

/* Keeps the first failure. The caller holds the lock. */
static void fail(state *s, steep_status status, const steep_error *why)
{
    if (s->status < 0) return;
    s->status = status;
    if (s->error) *s->error = *why;
}

/* Stands in for the solver of the options. A solve that has ended on the device returns the device's end, or the end of
 * the CPU's solver that continues from there. Other starts are recorded and end with a failure. Starts that the solver
 * itself would refuse are refused. */
static steep_status solve(void *context, const steep_problem *problem, const steep_fit_options *options, double *theta,
                          steep_solve *solve, steep_error *error)
{
    work *w = context;
    const steep_opened_device *on = w->state->opened;
    turn *t = &w->turn[solve->restart];
    const size_t P = problem->network->parameters;
    if (problem->train != w->fit.open.problem.train) { /* scaled samples (fit/scaled.c) end with steep_fit */
        snprintf(w->fit.refused, sizeof w->fit.refused, "values far from 1 are fitted in other units on the CPU");
        return STEEP_NOT_FINITE;
    }
    if (t->ended) {
        memcpy(theta, t->theta, P * sizeof *theta);
        w->seconds += t->end.seconds;
        w->fit.resumed += t->end.resume;
        return steep_cuda_finish(problem, options, &t->end, theta, solve, error);
    }
    if (!t->theta) *t = (turn){.work = w, .theta = malloc(P * (sizeof *theta + 1))};
    if (!t->theta) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the starts of a fit");
    memcpy(t->theta, theta, P * sizeof *theta);
    const steep_status status = steep_cuda_describe(problem, options, t->theta, &t->fit, error);
    if (status != STEEP_OK) return status;
    t->left = on->api->can(on->device, &t->fit, w->fit.refused, sizeof w->fit.refused);
    w->left += t->left;
    return STEEP_NOT_FINITE;
}

/* Opens the fit; false where the device has nothing to solve. */
static bool begin(work *w)
{
    const steep_offload *o = w->state->offload;
    steep_offload_fit *f = &w->fit;
    f->result.status = o->open(o->context, w->index, &f->open, &f->said);
    if (f->result.status != STEEP_OK ||
        !steep_cuda_solves(&f->open.problem, &f->open.options, f->refused, sizeof f->refused))
        return false;
    w->turns = steep_fit_restarts(f->open.problem.network, &f->open.options).most + 1;
    w->turn = calloc(w->turns, sizeof *w->turn);
    if (!w->turn) f->result.status = steep_fail(&f->said, STEEP_NO_MEMORY, "no memory for %zu starts", w->turns);
    return w->turn != NULL;
}

/* Runs one pass of steep_fit. Returns whether solves are left for the device. */
static bool pass(work *w)
{
    steep_offload_fit *f = &w->fit;
    steep_fit_options quiet = f->open.options;
    const steep_elsewhere elsewhere = {solve, w};
    quiet.elsewhere = &elsewhere;
    quiet.monitor = (steep_monitor){NULL, NULL};
    w->seconds = 0;
    f->resumed = 0;
    steep_fit(&f->open.problem, &quiet, &f->result, &f->said);
    f->result.seconds += w->seconds;
    if (f->refused[0] || f->result.status == STEEP_NO_MEMORY) w->left = 0;
    if (w->left == 0) return false;
    steep_fit_result_free(&f->result);
    f->said.text[0] = '\0';
    return true;
}

static void release(work *w)
{
    for (size_t r = 0; w->turn && r < w->turns; r++) free(w->turn[r].theta);
    free(w->turn);
    steep_fit_result_free(&w->fit.result);
    steep_task_open_free(&w->fit.open);
}

/* Passes a fit that has ended to the caller. */
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

/* The loop of a thread: runs passes of waiting fits. A fit has ended when a pass leaves nothing to solve. */
static void labour(state *s)
{
    pthread_mutex_lock(&s->lock);
    while (!s->closing) {
        work *w = s->waiting;
        if (!w) {
            pthread_cond_wait(&s->given, &s->lock);
            continue;
        }
        s->waiting = w->next;
        pthread_mutex_unlock(&s->lock);
        if (!((w->turn || begin(w)) && pass(w))) hand_over(w);
        pthread_mutex_lock(&s->lock);
        if (--s->open == 0) pthread_cond_signal(&s->idle);
    }
    pthread_mutex_unlock(&s->lock);
}

/* Queues a fit for its next pass. Returns the status of the run so far. */
static steep_status give(work *w)
{
    state *s = w->state;
    pthread_mutex_lock(&s->lock);
    w->next = s->waiting;
    s->waiting = w;
    s->open++;
    const steep_status status = s->status;
    pthread_cond_signal(&s->given);
    pthread_mutex_unlock(&s->lock);
    return status;
}

/* Waits until all queued fits have run their pass. Returns the status of the run. */
static steep_status wait_for_all(state *s)
{
    pthread_mutex_lock(&s->lock);
    while (s->open > 0) pthread_cond_wait(&s->idle, &s->lock);
    const steep_status status = s->status;
    pthread_mutex_unlock(&s->lock);
    return status;
}

/* Stores the end of a solve. After the last solve of a fit, queues the fit. */
static steep_status take(void *context, size_t index, const steep_cuda_result *result, steep_error *error)
{
    const steep_cuda_fit *const *fit = context;
    turn *t = (turn *)fit[index];
    const size_t P = t->fit.network.parameters;
    (void)error; /* the run keeps the message */
    t->left = false;
    t->ended = true;
    t->end = *result;
    memcpy(t->theta, result->theta, P * sizeof *t->theta);
    t->end.active = memcpy(t->theta + P, result->active, P);
    return --t->work->left == 0 ? give(t->work) : STEEP_OK;
}

/* Runs one batch of `count` solves. Where the device has no room, runs the unsolved ones in two halves. */
static steep_status run_solves(const steep_opened_device *on, const steep_cuda_fit **fit, size_t count,
                               steep_error *error)
{
    const steep_cuda_batch batch = {.fit = fit, .count = count, .take = take, .context = fit};
    steep_status status = count > 0 ? on->api->run(on->device, &batch, error) : STEEP_OK;
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        if (((const turn *)fit[i])->left) fit[left++] = fit[i];
    if (status == STEEP_OK && left > 0)
        return steep_fail(error, STEEP_IO, "the device left %zu solves undone and did not say why", left);
    if (status != STEEP_NO_MEMORY || (left == count && left == 1)) return status;
    status = run_solves(on, fit, left / 2, error);
    return status == STEEP_OK ? run_solves(on, fit + left / 2, left - left / 2, error) : status;
}

/* Runs the `count` solves that the passes of a wave have left for the device. */
static steep_status run_round(const state *s, const work *wave, size_t fits, size_t count, steep_error *error)
{
    const steep_cuda_fit **fit = malloc(count * sizeof *fit);
    if (!fit) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu solves", count);
    count = 0;
    for (size_t i = 0; i < fits; i++)
        for (size_t r = 0; wave[i].left > 0 && r < wave[i].turns; r++)
            if (wave[i].turn[r].left) fit[count++] = &wave[i].turn[r].fit;
    const steep_status status = run_solves(s->opened, fit, count, error);
    free(fit);
    return status;
}

/* Runs `fits` fits from `first` on, pass by pass, until no solve is left. */
static steep_status run_wave(state *s, size_t first, size_t fits, steep_error *error)
{
    steep_status status = STEEP_OK;
    work *wave = calloc(fits, sizeof *wave);
    if (!wave) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu fits at once", fits);
    for (size_t i = 0; i < fits; i++) {
        wave[i] = (work){.state = s, .index = first + i};
        give(&wave[i]);
    }
    for (;;) {
        const steep_status taken = wait_for_all(s); /* also after a failure of the device: fits that have ended count */
        size_t count = 0;
        for (size_t i = 0; i < fits; i++) count += wave[i].left;
        if (status != STEEP_OK || taken < 0 || count == 0) break;
        status = run_round(s, wave, fits, count, error);
    }
    for (size_t i = 0; i < fits; i++) release(&wave[i]);
    free(wave);
    return status;
}

static void run_waves(state *s)
{
    const size_t count = s->offload->count, wave = s->offload->wave ? s->offload->wave : STEEP_OFFLOAD_WAVE;
    steep_status status = STEEP_OK;
    steep_error why = {{0}};
    for (size_t first = 0; status == STEEP_OK && s->status >= 0 && first < count; first += wave)
        status = run_wave(s, first, count - first < wave ? count - first : wave, &why);
    pthread_mutex_lock(&s->lock);
    if (status < 0) fail(s, status, &why);
    s->closing = true;
    pthread_cond_broadcast(&s->given);
    pthread_mutex_unlock(&s->lock);
}

/* Parts of a team: part 0 feeds the device, and at the end makes the other parts return. With fewer threads than parts
 * some parts begin only then, and return at once. */
static void do_part(void *context, size_t part)
{
    if (part == 0) run_waves(context);
    else labour(context);
}

steep_status steep_offload_run(const steep_offload *offload, const steep_opened_device *opened, steep_error *error)
{
    state s = {.offload = offload,
               .opened = opened,
               .lock = PTHREAD_MUTEX_INITIALIZER,
               .given = PTHREAD_COND_INITIALIZER,
               .idle = PTHREAD_COND_INITIALIZER,
               .error = error};
    const size_t threads = offload->threads ? offload->threads : steep_processors();
    steep_team *team = steep_team_open(threads + 1);
    if (!team) return steep_fail(error, STEEP_NO_MEMORY, "no thread could be started");
    steep_team_run(team, threads + 1, do_part, &s);
    steep_team_close(team);
    return s.status;
}
