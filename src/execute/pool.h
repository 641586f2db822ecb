/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pool: hands tasks to workers and takes their results.
 *
 * A row (steep_crew_kind) says what the workers are: processes of this machine, or ranks on several machines
 * (cluster/ranks). The pool alone decides the order of tasks, how many tasks a worker has in advance, what happens to a
 * task whose worker died, and how a run ends. What a task computes is a function of its index: results depend neither
 * on the number of workers nor on the order in which they finish. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Any count of numbers that go with a result; value is malloc'ed. */
typedef struct steep_payload {
    double *value;
    size_t count;
} steep_payload;

/* Does one task, in a worker. It sees the caller's memory as it was when the worker started; its changes are lost but
 * for result (size bytes, zeroed before) and payload (empty before; freed by the worker). A failure ends the run. */
typedef steep_status (*steep_work)(void *context, size_t index, void *result, steep_payload *payload,
                                   steep_error *error);

/* Takes a finished task (status >= 0) in the caller's process, one at a time, in any order. Status < 0 ends the run. */
typedef steep_status (*steep_work_note)(void *context, size_t index, const void *result, const steep_payload *payload,
                                        steep_error *error);

/* A task whose worker ended. */
typedef struct steep_loss {
    size_t index, place;
    int signal;     /* the signal that ended the worker; -1: it ended without a signal and without a result */
    char text[80];  /* the same in words, to follow "a worker " */
    bool again;     /* another worker tries the task */
    size_t workers; /* the number of workers that are left */
} steep_loss;

#define STEEP_WORK_RESULT 3072 /* the largest size of a result, in bytes */

struct steep_crew_kind;

/* A worker, in its own process. */
typedef struct steep_worker {
    const struct steep_work_list *list;
    int end; /* the worker's end of its socket */
} steep_worker;

typedef struct steep_work_list {
    size_t jobs, count, size; /* workers (0: one per processor that this process may use), tasks, bytes of a result */
    steep_work work;
    steep_work_note note;
    void *context;
    const volatile int *stop; /* non-zero: no task begins, those in progress are given up; NULL: never */

    const struct steep_crew_kind *crew; /* NULL: processes */
    const double *cost; /* of each task, about microseconds: the dearest go first; NULL: unknown, tasks go in order */
    size_t attempts;    /* workers that may die at a task before it is left undone; 0: 1 */
    bool replace;       /* another worker takes the place of one that died */
    void (*lost)(void *context, const steep_loss *loss); /* called at once after a loss; may be NULL */

    /* For processes, in place of work: runs as the only worker, which does all tasks and answers them in any order. */
    void (*life)(void *context, const steep_worker *worker);
    const char *worker; /* name of a worker in messages; NULL: "a worker" */
} steep_work_list;

/* Does each task of the list once. Each result goes to note; once *stop is non-zero, results that had come in still do.
 * Returns STEEP_OK, STEEP_STOPPED when tasks are left undone for the stop, the failure of the lowest index that failed
 * (no new task begins after a failure), or STEEP_IO when a worker died: the message says how. Fewer workers than
 * requested do the work if the system allows no more. */
steep_status steep_pool_run(const steep_work_list *list, steep_error *error);

typedef struct steep_pool steep_pool;

/* Starts the workers; the list must live as long as the pool. */
steep_status steep_pool_open(const steep_work_list *list, steep_pool **pool, steep_error *error);
void steep_pool_push(steep_pool *pool, size_t index); /* a task below list->count that is not in the pool */
/* Hands out tasks and takes all events, the first within `seconds`. Returns the failure that ends the run, if any. */
steep_status steep_pool_turn(steep_pool *pool, double seconds, steep_error *error);
size_t steep_pool_tasks(const steep_pool *pool);   /* the number of tasks that are neither done nor left undone */
size_t steep_pool_workers(const steep_pool *pool); /* 0: the tasks stay in the pool */
void steep_pool_close(steep_pool *pool);           /* ends the workers at once; NULL does nothing */

typedef enum steep_crew_news {
    STEEP_CREW_RESULT, /* a task has ended: index, status, error, result, payload */
    STEEP_CREW_DIED,   /* the worker at a place ended in the first of its tasks: signal; workers at the place now */
    STEEP_CREW_LOST,   /* one of several workers at a place ended, and another took over: index, signal */
    STEEP_CREW_READY,  /* a place has workers: their number */
    STEEP_CREW_GONE,   /* a place ended with all its workers and tasks: error or signal says how */
    STEEP_CREW_FAILED, /* the run cannot go on: status, error */
    STEEP_CREW_STOP    /* the run is told to stop */
} steep_crew_news;

typedef struct steep_crew_event {
    steep_crew_news news;
    size_t place, index, workers;
    int signal; /* as in steep_loss */
    steep_status status;
    steep_error error;
    const void *result;    /* valid until the next poll */
    steep_payload payload; /* valid until the next poll; owned by the crew */
} steep_crew_event;

/* A crew has places, and each has workers. */
typedef struct steep_crew {
    const steep_work_list *list;
    void *own;
    size_t places, ready; /* the first `ready` places have a worker at once */
    bool stop;            /* set by the pool: tasks in progress are given up */
} steep_crew;

typedef struct steep_crew_kind {
    /* After a failure that leaves crew->own set, stop is called. */
    steep_status (*start)(steep_crew *crew, steep_error *error);
    bool (*submit)(steep_crew *crew, size_t place, const size_t *index, size_t count); /* false: they cannot be sent */
    /* Waits up to `seconds` for the next event; false: none came. Where crew->stop is set, it gives up tasks in
     * progress, and false means that no event will come. */
    bool (*poll)(steep_crew *crew, double seconds, steep_crew_event *event);
    void (*stop)(steep_crew *crew);
} steep_crew_kind;

/* Workers that are processes of this machine: list->jobs places with one worker each; with list->life one place, one
 * worker, which has all tasks from its start. Processes, not threads: a task that crashes ends no other task, and a
 * library behind a unit of the caller's own need not be thread-safe. */
extern const steep_crew_kind steep_crew_processes;

/* Sends the outcome of a task; false when the caller no longer reads. error may be NULL where status >= 0. */
bool steep_worker_answer(const steep_worker *worker, size_t index, steep_status status, const void *result,
                         const steep_payload *payload, const steep_error *error);
/* Sends that the run cannot go on. */
void steep_worker_fail(const steep_worker *worker, steep_status status, const steep_error *error);
