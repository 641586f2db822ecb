/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/team.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

struct steep_team {
    pthread_mutex_t starting;                /* held until the barrier is initialised with the number of threads */
    pthread_barrier_t together;              /* all threads and the caller wait here before and after each job */
    void (*job)(void *context, size_t part); /* NULL: the threads end */
    void *context;
    size_t count, threads;
    atomic_size_t next; /* the next part to do */
    pthread_t thread[];
};

static void do_parts(steep_team *team)
{
    for (size_t part; (part = atomic_fetch_add(&team->next, 1)) < team->count;) team->job(team->context, part);
}

static void *serve(void *context)
{
    steep_team *team = context;
    pthread_mutex_lock(&team->starting);
    pthread_mutex_unlock(&team->starting);
    for (;;) {
        pthread_barrier_wait(&team->together);
        if (!team->job) return NULL;
        do_parts(team);
        pthread_barrier_wait(&team->together);
    }
}

/* The new threads block all signals: the program's other threads receive these. */
static void start_threads(steep_team *team, size_t count)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&team->starting);
    while (team->threads < count && pthread_create(&team->thread[team->threads], NULL, serve, team) == 0)
        team->threads++;
    pthread_barrier_init(&team->together, NULL, (unsigned)team->threads + 1);
    pthread_mutex_unlock(&team->starting);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

steep_team *steep_team_open(size_t threads)
{
    if (threads < 2) return NULL;
    steep_team *team = calloc(1, sizeof *team + (threads - 1) * sizeof *team->thread);
    if (!team) return NULL;
    pthread_mutex_init(&team->starting, NULL);
    start_threads(team, threads - 1);
    if (team->threads > 0) return team;
    steep_team_close(team);
    return NULL;
}

void steep_team_close(steep_team *team)
{
    if (!team) return;
    team->job = NULL;
    pthread_barrier_wait(&team->together);
    for (size_t i = 0; i < team->threads; i++) pthread_join(team->thread[i], NULL);
    pthread_barrier_destroy(&team->together);
    pthread_mutex_destroy(&team->starting);
    free(team);
}

size_t steep_team_size(const steep_team *team)
{
    return team ? team->threads + 1 : 1;
}

void steep_team_run(steep_team *team, size_t count, void (*job)(void *context, size_t part), void *context)
{
    if (!team || count < 2) {
        for (size_t part = 0; part < count; part++) job(context, part);
        return;
    }
    team->job = job;
    team->context = context;
    team->count = count;
    atomic_store(&team->next, 0);
    pthread_barrier_wait(&team->together);
    do_parts(team);
    pthread_barrier_wait(&team->together);
}
