/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One atomic counter hands out the tasks. What a task computes is a function of its index alone, so that results do not depend on
 * how many threads there are or which of them was first. */
#define _GNU_SOURCE
#include "sweep/workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct crew {
    size_t count;
    steep_work work;
    void *context;
    const volatile int *stop;
    atomic_size_t next;
    atomic_bool ended, stopped;
    pthread_mutex_t mutex; /* guards what follows */
    size_t failed;         /* lowest index that failed, count if none */
    steep_status status;
    steep_error error;
} crew;

size_t steep_workers_processors(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
        return (size_t)CPU_COUNT(&allowed);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
}

static void note_failure(crew *c, size_t index, steep_status status, const steep_error *error)
{
    pthread_mutex_lock(&c->mutex);
    if (index < c->failed) {
        c->failed = index;
        c->status = status;
        c->error = *error;
    }
    pthread_mutex_unlock(&c->mutex);
    atomic_store(&c->ended, true);
}

static void *labour(void *argument)
{
    crew *c = argument;
    while (!atomic_load(&c->ended)) {
        if (c->stop && *c->stop) {
            if (atomic_load(&c->next) < c->count) atomic_store(&c->stopped, true);
            break;
        }
        size_t index = atomic_fetch_add(&c->next, 1);
        if (index >= c->count) break;
        steep_error error = {{0}};
        steep_status status = c->work(c->context, index, &error);
        if (status < 0) note_failure(c, index, status, &error);
    }
    return NULL;
}

steep_status steep_workers_run(size_t jobs, size_t count, steep_work work, void *context, const volatile int *stop,
                               steep_error *error)
{
    if (jobs == 0) jobs = steep_workers_processors();
    if (jobs > count) jobs = count;
    if (count == 0) return STEEP_OK;
    crew all = {.count = count, .work = work, .context = context, .stop = stop, .failed = count};
    pthread_mutex_init(&all.mutex, NULL);
    pthread_t *thread = malloc(jobs * sizeof *thread);
    size_t others = 0;
    if (thread)
        while (others + 1 < jobs && pthread_create(&thread[others], NULL, labour, &all) == 0) others++;
    labour(&all);
    for (size_t i = 0; i < others; i++) pthread_join(thread[i], NULL);
    free(thread);
    pthread_mutex_destroy(&all.mutex);
    if (all.failed < count) return steep_fail(error, all.status, "%s", all.error.text);
    if (atomic_load(&all.stopped)) return steep_fail(error, STEEP_STOPPED, "stopped before all tasks were begun");
    return STEEP_OK;
}
