/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/team.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct steep_team {
    pthread_mutex_t lock;
    pthread_cond_t begun, ended;
    size_t round, busy; /* how many jobs were begun; threads still at this one; both under the lock */
    bool over;
    void (*job)(void *context, size_t part);
    void *context;
    size_t count, threads;
    atomic_size_t next; /* part */
    pthread_t thread[];
};

static void do_parts(steep_team *team)
{
    for (size_t part; (part = atomic_fetch_add(&team->next, 1)) < team->count;) team->job(team->context, part);
}

static void *serve(void *context)
{
    steep_team *team = context;
    size_t seen = 0;
    pthread_mutex_lock(&team->lock);
    for (;;) {
        while (team->round == seen && !team->over) pthread_cond_wait(&team->begun, &team->lock);
        if (team->over) break;
        seen = team->round;
        pthread_mutex_unlock(&team->lock);
        do_parts(team);
        pthread_mutex_lock(&team->lock);
        if (--team->busy == 0) pthread_cond_signal(&team->ended);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

/* Signals are for the threads that the program has without us. */
static void start_threads(steep_team *team, size_t count)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (team->threads < count && pthread_create(&team->thread[team->threads], NULL, serve, team) == 0)
        team->threads++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

steep_team *steep_team_open(size_t threads)
{
    if (threads < 2) return NULL;
    steep_team *team = calloc(1, sizeof *team + (threads - 1) * sizeof *team->thread);
    if (!team) return NULL;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->begun, NULL);
    pthread_cond_init(&team->ended, NULL);
    start_threads(team, threads - 1);
    if (team->threads > 0) return team;
    steep_team_close(team);
    return NULL;
}

void steep_team_close(steep_team *team)
{
    if (!team) return;
    pthread_mutex_lock(&team->lock);
    team->over = true;
    pthread_cond_broadcast(&team->begun);
    pthread_mutex_unlock(&team->lock);
    for (size_t i = 0; i < team->threads; i++) pthread_join(team->thread[i], NULL);
    pthread_cond_destroy(&team->ended);
    pthread_cond_destroy(&team->begun);
    pthread_mutex_destroy(&team->lock);
    free(team);
}

void steep_team_run(steep_team *team, size_t count, void (*job)(void *context, size_t part), void *context)
{
    if (!team || count < 2) {
        for (size_t part = 0; part < count; part++) job(context, part);
        return;
    }
    pthread_mutex_lock(&team->lock);
    team->job = job;
    team->context = context;
    team->count = count;
    atomic_store(&team->next, 0);
    team->busy = team->threads;
    team->round++;
    pthread_cond_broadcast(&team->begun);
    pthread_mutex_unlock(&team->lock);
    do_parts(team);
    pthread_mutex_lock(&team->lock);
    while (team->busy > 0) pthread_cond_wait(&team->ended, &team->lock);
    pthread_mutex_unlock(&team->lock);
}
