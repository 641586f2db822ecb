/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fit goes through steep_fit several times, each time with a solver that runs elsewhere (fit/solvers.h):
 *
 *   1. In a thread: steep_fit makes the starts, all restarts of them. Each is noted, and its solve fails for now.
 *   2. The device solves what was noted, a wave of many fits in one batch. Threads prepare the next wave meanwhile.
 *   3. In a thread, as soon as all solves of a fit have ended: steep_fit makes the same starts again, and each is
 *      answered with its end from the device. A start that is asked for anew is noted: the fit goes through 2 and 3
 *      again. Where none is, steep_fit has chosen and measured.
 *
 * Where the device's end says so the CPU's solver goes on from it, in pass 3. So the order of restarts, the end of a
 * search that has found enough, the checks and the measurements are the very code of a fit on the CPU; and between the
 * passes a fit is no more than its starts. Solves are independent of each
 * other: no number depends on what is in a wave or in a batch. */
#include "cuda/offload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/core.h"
#include "cuda/described.h"
#include "cuda/threads.h"

/* A solve of a fit: what was noted, and what came of it. */
typedef struct turn {
    size_t restart;
    double *theta;         /* the start, then the end */
    unsigned char *active; /* which parameters moved */
    steep_cuda_fit fit;
    steep_cuda_result end; /* theta and active are not of it */
    steep_error said;      /* where it is refused */
    bool ended, refused;
} turn;

typedef struct wave wave;

/* One fit on its way. */
typedef struct work {
    steep_piece piece; /* first */
    const steep_offload *offload;
    wave *wave;
    size_t index, turns, room;
    size_t at;      /* the turn behind the one that was asked for last */
    size_t pending; /* turns that the last pass has left to the device */
    size_t left;    /* those of them that have not ended */
    turn *turn;
    steep_offload_fit fit;
    const steep_samples *train; /* what its solves are trained on: the problem's, or own */
    steep_samples own;          /* in the units that it is fitted in, where these are others (fit/scaled.c) */
    double *values;
    char refused[200];
    steep_fit_result result;
    steep_error said;
    double seconds; /* of what this pass was answered from memory */
    bool open, ended, given_up;
    bool prepared; /* its first pass is over */
    bool gone;     /* it was handed over */
} work;

struct wave {
    work *list;
    size_t count, prepared, finishing;
};

typedef struct state {
    const steep_offload *offload;
    const steep_loaded_device *loaded;
    steep_cuda_device *device;
    steep_threads *threads;
    size_t next; /* fit that no wave has yet */
    steep_status status;
    steep_error *error;
} state;

static void fail(state *s, steep_status status, const steep_error *why)
{
    if (s->status < 0) return;
    s->status = status;
    if (s->error) *s->error = *why;
}

/* --- 1 and 3: a pass of steep_fit, in a thread --- */

static bool stopping(const steep_offload *offload)
{
    return offload->stop && *offload->stop;
}

/* The monitor of what steep_fit does by itself: starts that take fits of their own. */
static bool keep_going(void *context, const steep_progress *progress)
{
    work *w = context;
    (void)progress;
    w->given_up = w->given_up || stopping(w->offload);
    return !w->given_up;
}

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
    const size_t P = w->fit.problem->network->parameters;
    if (w->turns == w->room) {
        const size_t room = w->room ? 2 * w->room : 1;
        turn *more = realloc(w->turn, room * sizeof *more);
        if (!more) return NULL;
        w->turn = more;
        w->room = room;
    }
    turn *t = &w->turn[w->turns];
    *t = (turn){.restart = restart, .theta = malloc(P * sizeof *t->theta), .active = malloc(P)};
    w->turns++;
    w->at = w->turns;
    if (!t->theta || !t->active) return NULL;
    memcpy(t->theta, theta, P * sizeof *theta);
    memset(t->active, 1, P);
    return t;
}

/* The samples of the solves, all those of one fit the same: values in other units are gone when steep_fit returns. */
static bool keep_samples(work *w, const steep_samples *train)
{
    if (w->train) return true;
    if (train != w->fit.problem->train) {
        w->values = malloc((train->count + 1) * sizeof *w->values);
        if (!w->values) return false;
        memcpy(w->values, train->y, train->count * sizeof *w->values);
        w->own = *train;
        w->own.y = w->values;
    }
    w->train = w->values ? &w->own : train;
    return true;
}

static size_t count_pending(const work *w)
{
    size_t pending = 0;
    for (size_t i = 0; i < w->turns; i++) pending += !w->turn[i].ended;
    return pending;
}

/* The end of a turn, as its solver reports it: the device's, or the CPU's that goes on from there. */
static steep_status answer(work *w, const turn *t, const steep_problem *problem, const steep_fit_options *options,
                           double *theta, steep_solve *solve, steep_error *error)
{
    if (t->refused) {
        solve->status = t->end.status;
        return steep_fail(error, t->end.status, "%s", t->said.text);
    }
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
    if (!t) {
        t = add_turn(w, solve->restart, theta);
        if (!t || !keep_samples(w, problem->train))
            return steep_fail(error, STEEP_NO_MEMORY, "no memory for the starts of a fit");
        t->end.status = steep_cuda_describe(problem, options, t->theta, &t->fit, &t->said);
        t->ended = t->refused = t->end.status < 0;
    }
    return t->ended ? answer(w, t, problem, options, theta, solve, error) : STEEP_NOT_FINITE;
}

/* Opens the fit; false where there is nothing to solve. */
static bool begin(work *w)
{
    const steep_offload *o = w->offload;
    w->result.status = o->open(o->context, w->index, &w->fit, &w->said);
    w->open = w->result.status == STEEP_OK;
    w->ended = !w->open;
    if (!w->open) return false;
    if (steep_cuda_solves(w->fit.problem, w->fit.options, w->refused, sizeof w->refused)) return true;
    if (!w->refused[0]) snprintf(w->refused, sizeof w->refused, "the device does not take it");
    return false;
}

/* A pass. It is the last where nothing is left to solve. */
static void advance(steep_piece *piece)
{
    work *w = (work *)piece;
    w->given_up = w->given_up || stopping(w->offload);
    if (w->given_up || (!w->open && !begin(w))) return;
    steep_fit_options quiet = *w->fit.options;
    const steep_elsewhere elsewhere = {solve, w};
    quiet.elsewhere = &elsewhere;
    quiet.monitor = (steep_monitor){keep_going, w};
    w->seconds = 0;
    w->at = w->fit.resumed = 0;
    steep_fit(w->fit.problem, &quiet, &w->result, &w->said);
    w->pending = count_pending(w);
    w->ended = w->pending == 0 || w->result.status == STEEP_NO_MEMORY;
    w->result.seconds += w->seconds;
    if (w->ended) return;
    steep_fit_result_free(&w->result);
    w->said.text[0] = '\0';
}

/* --- in the caller's thread --- */

static void release(work *w)
{
    for (size_t r = 0; r < w->turns; r++) {
        free(w->turn[r].theta);
        free(w->turn[r].active);
    }
    free(w->turn);
    free(w->values);
    w->turn = NULL;
    w->values = NULL;
    w->turns = w->room = 0;
    steep_fit_result_free(&w->result);
    if (w->open) w->offload->close(w->offload->context, &w->fit);
    w->open = false;
}

/* A fit that has ended goes to the caller. */
static void hand_over(state *s, work *w)
{
    const steep_offload *o = s->offload;
    const steep_status status = w->result.status;
    steep_error why = {{0}};
    if (s->status >= 0 && !w->given_up && (status == STEEP_NO_MEMORY || status == STEEP_IO)) fail(s, status, &w->said);
    if (s->status >= 0 && !w->given_up) {
        const steep_status taken =
            w->refused[0] ? o->refused(o->context, w->index, w->refused, &why)
                          : o->done(o->context, w->index, w->open ? &w->fit : NULL, &w->result, &w->said, &why);
        if (taken < 0) fail(s, taken, &why);
    }
    release(w);
    w->gone = true;
}

/* A piece that came back from the threads. */
static void receive(state *s, steep_piece *piece)
{
    work *w = (work *)piece;
    if (!w->prepared) {
        w->prepared = true;
        w->wave->prepared++;
        return;
    }
    w->wave->finishing--;
    if (w->ended || w->given_up) hand_over(s, w);
}

/* A fit whose solves have ended goes through its next pass, before others begin. */
static void give_to_finish(const state *s, work *w)
{
    w->wave->finishing++;
    steep_threads_give_first(s->threads, &w->piece);
}

/* The next wave: as many fits as the host has room for, on their way to the threads. */
static steep_status begin_wave(state *s, wave *v)
{
    const steep_offload *o = s->offload;
    const size_t most = o->most ? o->most : STEEP_OFFLOAD_BYTES;
    size_t bytes = 0, count = 0;
    while (s->next + count < o->count) {
        bytes += o->bytes(o->context, s->next + count) + sizeof(work) + 2 * sizeof(turn);
        if (count > 0 && bytes > most) break;
        count++;
    }
    *v = (wave){.list = count > 0 ? calloc(count, sizeof *v->list) : NULL};
    if (count > 0 && !v->list) {
        steep_error why = {{0}};
        fail(s, steep_fail(&why, STEEP_NO_MEMORY, "no memory for %zu fits at once", count), &why);
        return STEEP_NO_MEMORY;
    }
    v->count = count;
    for (size_t i = 0; i < count; i++) {
        v->list[i] = (work){.piece.work = advance, .offload = o, .wave = v, .index = s->next + i};
        steep_threads_give(s->threads, &v->list[i].piece);
    }
    s->next += count;
    return STEEP_OK;
}

static void end_wave(wave *v)
{
    for (size_t i = 0; i < v->count; i++) release(&v->list[i]);
    free(v->list);
    *v = (wave){0};
}

/* --- 2: a batch --- */

/* The solves of a wave that are left, and whose they are; count of each. */
typedef struct solves {
    steep_cuda_fit *fit;
    work **owner;
    turn **turn;
    const steep_samples **set; /* sets of them */
    size_t count, sets;
} solves;

typedef struct taking {
    state *state;
    solves list;
} taking;

/* Whether the device takes all turns of a fit. */
static bool can(const state *s, work *w)
{
    const size_t samples = w->train->count;
    for (size_t r = 0; r < w->turns; r++)
        if (!w->turn[r].ended &&
            !s->loaded->api->can(s->device, &w->turn[r].fit, samples, w->refused, sizeof w->refused)) {
            if (!w->refused[0]) snprintf(w->refused, sizeof w->refused, "the device does not take it");
            return false;
        }
    return true;
}

/* Where a fit goes on behind a pass: away, or to the device with so many solves. */
static size_t sort_out(state *s, work *w)
{
    w->left = 0;
    if (w->gone || w->given_up || s->status < 0) return 0;
    if (!w->ended && !w->refused[0] && can(s, w)) w->left = w->pending;
    else hand_over(s, w);
    return w->left;
}

typedef struct seen {
    const steep_samples *set;
    size_t at;
} seen;

static int compare_sets(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const seen *)a)->set, y = (uintptr_t)((const seen *)b)->set;
    return (x > y) - (x < y);
}

/* The sets of samples of these solves, each once, and which is whose. */
static bool number_sets(solves *list)
{
    seen *all = malloc((list->count + 1) * sizeof *all);
    if (!all) return false;
    for (size_t i = 0; i < list->count; i++) all[i] = (seen){list->owner[i]->train, i};
    qsort(all, list->count, sizeof *all, compare_sets);
    list->sets = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (i == 0 || all[i].set != all[i - 1].set) list->set[list->sets++] = all[i].set;
        list->fit[all[i].at].samples = list->sets - 1;
    }
    free(all);
    return true;
}

/* A solve has ended. */
static steep_status take(void *context, size_t index, const steep_cuda_result *result, steep_error *error)
{
    const taking *all = context;
    state *s = all->state;
    work *w = all->list.owner[index];
    turn *t = all->list.turn[index];
    all->list.turn[index] = NULL;
    const size_t P = w->fit.problem->network->parameters;
    steep_piece *piece;
    t->ended = true;
    w->left--;
    w->given_up = w->given_up || result->given_up;
    t->end = *result;
    memcpy(t->theta, result->theta, P * sizeof *t->theta);
    memcpy(t->active, result->active, P);
    if (w->left == 0 && !w->given_up) give_to_finish(s, w);
    while ((piece = steep_threads_take(s->threads, false))) receive(s, piece);
    return s->status < 0 ? steep_fail(error, s->status, "the run ended") : STEEP_OK;
}

/* Those that have not ended, in front. */
static size_t gather(solves *list)
{
    size_t left = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (!list->turn[i]) continue;
        list->fit[left] = list->fit[i];
        list->owner[left] = list->owner[i];
        list->turn[left++] = list->turn[i];
    }
    return left;
}

/* One batch; where the device has no room for it, its two halves. */
static steep_status run_solves(state *s, const solves *given, steep_error *error)
{
    taking all = {s, *given};
    solves *list = &all.list;
    if (list->count == 0) return STEEP_OK;
    if (!number_sets(list)) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu solves", list->count);
    const steep_cuda_batch batch = {.samples = list->set,
                                    .fit = list->fit,
                                    .sets = list->sets,
                                    .count = list->count,
                                    .stop = s->offload->stop,
                                    .take = take,
                                    .context = &all};
    steep_status status = s->loaded->api->run(s->device, &batch, error);
    if (status != STEEP_NO_MEMORY || s->status < 0) return status;
    const size_t before = list->count, left = gather(list);
    if (left == before && left == 1) return status;
    const solves first = {list->fit, list->owner, list->turn, list->set, left / 2, 0};
    const solves rest = {
        list->fit + left / 2, list->owner + left / 2, list->turn + left / 2, list->set, left - left / 2, 0};
    status = run_solves(s, &first, error);
    return status == STEEP_OK ? run_solves(s, &rest, error) : status;
}

static size_t count_left(const wave *v)
{
    size_t left = 0;
    for (size_t i = 0; i < v->count; i++) left += v->list[i].left;
    return left;
}

static void receive_until(state *s, const size_t *count, size_t wanted)
{
    while (*count != wanted) {
        steep_piece *piece = steep_threads_take(s->threads, true);
        if (!piece) return;
        receive(s, piece);
    }
}

/* What the passes of a wave have left to the device, `count` solves. */
static steep_status run_round(state *s, wave *v, size_t count, steep_error *error)
{
    solves list = {.fit = malloc(count * sizeof *list.fit),
                   .owner = malloc(count * sizeof *list.owner),
                   .turn = malloc(count * sizeof *list.turn),
                   .set = malloc(count * sizeof *list.set)};
    steep_status status = STEEP_OK;
    if (!list.fit || !list.owner || !list.turn || !list.set)
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu solves", count);
    for (size_t i = 0; status == STEEP_OK && i < v->count; i++)
        for (size_t r = 0; v->list[i].left > 0 && r < v->list[i].turns; r++) {
            if (v->list[i].turn[r].ended) continue;
            list.fit[list.count] = v->list[i].turn[r].fit;
            list.owner[list.count] = &v->list[i];
            list.turn[list.count++] = &v->list[i].turn[r];
        }
    if (status == STEEP_OK) status = run_solves(s, &list, error);
    if (status == STEEP_OK && s->status >= 0 && count_left(v) > 0)
        status = steep_fail(error, STEEP_IO, "the device left %zu solves undone and did not say why", count_left(v));
    receive_until(s, &v->finishing, 0); /* also before a failure of the device is told: they count */
    free(list.fit);
    free(list.owner);
    free(list.turn);
    free(list.set);
    return status;
}

/* Until nothing of the wave is left. */
static steep_status run_wave(state *s, wave *v, steep_error *error)
{
    for (;;) {
        size_t count = 0;
        for (size_t i = 0; i < v->count; i++) count += sort_out(s, &v->list[i]);
        if (count == 0 || s->status < 0) return STEEP_OK;
        const steep_status status = run_round(s, v, count, error);
        if (status != STEEP_OK || stopping(s->offload)) return status;
    }
}

/* --- the whole --- */

steep_status steep_offload_run(const steep_offload *offload, const steep_loaded_device *loaded,
                               steep_cuda_device *device, steep_error *error)
{
    state s = {.offload = offload, .loaded = loaded, .device = device, .error = error};
    wave waves[2] = {{0}}, *now = &waves[0], *later = &waves[1];
    steep_error why = {{0}};
    bool stopped = false;
    steep_status status = steep_threads_open(offload->threads, &s.threads, error);
    if (status != STEEP_OK) return status;
    begin_wave(&s, now);
    while (s.status >= 0 && now->count > 0) {
        receive_until(&s, &now->prepared, now->count);
        if (!stopping(offload)) begin_wave(&s, later);
        status = s.status < 0 ? STEEP_OK : run_wave(&s, now, &why);
        if (status < 0) fail(&s, status, &why);
        stopped = stopped || status == STEEP_STOPPED || stopping(offload);
        end_wave(now);
        if (stopped) break;
        wave *next = later;
        later = now;
        now = next;
    }
    steep_threads_close(s.threads);
    end_wave(now);
    end_wave(later);
    if (s.status < 0) return s.status;
    return stopped ? steep_fail(error, STEEP_STOPPED, "stopped before all fits were done") : STEEP_OK;
}
