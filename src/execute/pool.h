/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pool: hands tasks to workers and takes their results.
 *
 * Who the workers are is a row (steep_crew_kind): processes of this machine, or ranks on several machines
 * (cluster/ranks). The order of tasks, how many of them a worker has beforehand, what becomes of a task whose worker
 * died, and how a run ends are here alone. What a task computes is a function of its index: results depend neither on
 * the number of workers nor on who was first. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Numbers beside a result, any count of them; value is malloc'ed. */
typedef struct steep_payload {
    double *value;
    size_t count;
} steep_payload;

/* One task, in a worker: sees the caller's memory as it was when the worker was started; what it changes there is lost
 * but for result (size bytes, zeroed before) and payload (empty before; freed by the worker). A failure ends all. */
typedef steep_status (*steep_work)(void *context, size_t index, void *result, steep_payload *payload,
                                   steep_error *error);

/* A finished task (status >= 0), in the caller's process, one at a time, in no order. A status < 0 ends the run. */
typedef steep_status (*steep_work_note)(void *context, size_t index, const void *result, const steep_payload *payload,
                                        steep_error *error);

/* A task whose worker ended. */
typedef struct steep_loss {
    size_t index, place;
    int signal;     /* that ended the worker; -1: it ended otherwise without a result */
    char text[80];  /* the same in words, behind "a worker " */
    bool again;     /* another worker tries it */
    size_t workers; /* that are left */
} steep_loss;

#define STEEP_WORK_RESULT 3072 /* the largest size of a result, in bytes */

struct steep_crew_kind;

/* In the process of a worker. */
typedef struct steep_worker {
    const struct steep_work_list *list;
    int end; /* of its socket */
} steep_worker;

typedef struct steep_work_list {
    size_t jobs, count, size; /* workers (0: one per processor that this process may use), tasks, bytes of a result */
    steep_work work;
    steep_work_note note;
    void *context;
    const volatile int *stop; /* non-zero: no task begins, those in progress are given up; NULL: never */

    const struct steep_crew_kind *crew; /* NULL: processes */
    const double *cost; /* by task, in about microseconds: the dearest first; NULL: in order, their costs are unknown */
    size_t attempts;    /* workers that may die at a task before it is left undone; 0: 1 */
    bool replace;       /* another worker takes the place of one that died */
    void (*lost)(void *context, const steep_loss *loss); /* at once; NULL: nobody listens */

    /* Of processes, in place of work: the whole life of a worker that does all tasks and answers them in any order. */
    void (*life)(void *context, const steep_worker *worker);
    const char *worker; /* as messages name it; NULL: "a worker" */
} steep_work_list;

/* Does each task of the list once. Each result goes to note; once *stop is non-zero, results that had come in still do.
 * Returns STEEP_OK, STEEP_STOPPED when tasks are left undone for the stop, the failure of the lowest index that failed
 * (no new task begins after a failure), or STEEP_IO when a worker died: the message says how. Fewer workers than asked
 * for do the work if the system gives no more. */
steep_status steep_pool_run(const steep_work_list *list, steep_error *error);

typedef struct steep_pool steep_pool;

/* Starts the workers; the list must stay. */
steep_status steep_pool_open(const steep_work_list *list, steep_pool **pool, steep_error *error);
void steep_pool_push(steep_pool *pool, size_t index); /* a task below list->count that is not in the pool */
/* Hands out tasks and takes what comes within so many seconds; the failure that ends the run. */
steep_status steep_pool_turn(steep_pool *pool, double seconds, steep_error *error);
size_t steep_pool_tasks(const steep_pool *pool);   /* that are neither done nor left undone */
size_t steep_pool_workers(const steep_pool *pool); /* none: what is in the pool stays there */
void steep_pool_close(steep_pool *pool);           /* ends the workers at once; NULL does nothing */

typedef enum steep_crew_news {
    STEEP_CREW_RESULT, /* a task has ended: index, status, error, result, payload */
    STEEP_CREW_DIED,   /* the worker at a place ended at the first of its tasks: signal; workers: now there */
    STEEP_CREW_LOST,   /* one of several workers at a place ended, and another is there: index, signal */
    STEEP_CREW_READY,  /* a place has so many workers */
    STEEP_CREW_GONE,   /* a place is no more, with all its workers and tasks: error says how, or signal */
    STEEP_CREW_FAILED, /* the run cannot go on: status, error */
    STEEP_CREW_STOP    /* it is told to stop */
} steep_crew_news;

typedef struct steep_crew_event {
    steep_crew_news news;
    size_t place, index, workers;
    int signal; /* as in steep_loss */
    steep_status status;
    steep_error error;
    const void *result;    /* until the next call */
    steep_payload payload; /* likewise; the crew's */
} steep_crew_event;

/* A crew has places, and each has workers. */
typedef struct steep_crew {
    const steep_work_list *list;
    void *own;
    size_t places, ready; /* the first `ready` places have a worker at once */
    bool stop;            /* set by the pool: what is in progress is given up */
} steep_crew;

typedef struct steep_crew_kind {
    /* A failure: where it left crew->own, stop is called. */
    steep_status (*start)(steep_crew *crew, steep_error *error);
    bool (*submit)(steep_crew *crew, size_t place, const size_t *index, size_t count); /* false: they cannot be sent */
    /* The next event, if it comes within so many seconds. Where crew->stop says so it gives up what is in progress;
     * false then says that nothing comes any more. */
    bool (*poll)(steep_crew *crew, double seconds, steep_crew_event *event);
    void (*stop)(steep_crew *crew);
} steep_crew_kind;

/* Workers that are processes of this machine: list->jobs places with one worker each; with list->life one place, one
 * worker, which has all tasks from its start. Processes, not threads: a task that crashes takes no other with it, and a
 * library behind a unit of the caller's own need not be safe in threads. */
extern const steep_crew_kind steep_crew_processes;

/* Sends what became of a task; false when nobody reads any more. error may be NULL where status >= 0. */
bool steep_worker_answer(const steep_worker *worker, size_t index, steep_status status, const void *result,
                         const steep_payload *payload, const steep_error *error);
/* Sends that the run cannot go on. */
void steep_worker_fail(const steep_worker *worker, steep_status status, const steep_error *error);
