/* SPDX-License-Identifier: GPL-3.0-or-later */
/* workers: processes that take tasks off a list, one after the other.
 *
 * Processes, not threads: a task that crashes takes no other with it, and a library behind a unit of the caller's own
 * need not be safe in threads. */
#ifndef STEEP_EXECUTE_WORKERS_H
#define STEEP_EXECUTE_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Numbers beside a result, any count of them; value is malloc'ed. */
typedef struct steep_payload {
    double *value;
    size_t count;
} steep_payload;

/* One task, in a worker: sees the caller's memory as it was when the run began; what it changes there is lost but for
 * result (size bytes, zeroed before) and payload (empty before; freed by the worker). A status < 0 ends the whole
 * run. */
typedef steep_status (*steep_work)(void *context, size_t index, void *result, steep_payload *payload,
                                   steep_error *error);

/* A finished task (status >= 0), in the caller's process, one at a time, in no order. A status < 0 ends the run. */
typedef steep_status (*steep_work_note)(void *context, size_t index, const void *result, const steep_payload *payload,
                                        steep_error *error);

#define STEEP_WORK_RESULT 3072 /* the largest size of a result */

typedef struct steep_work_list {
    size_t jobs, count, size; /* workers (0: one per processor that this process may use), tasks, bytes of a result */
    steep_work work;
    steep_work_note note;
    void *context;
    const volatile int *stop; /* NULL: never */
    bool apart; /* a process of its own for one job, too: a task that never asks for a stop is ended by it */
    void (*say)(void *context, const char *text); /* at once, that a worker was killed; NULL: nobody listens */
} steep_work_list;

/* Calls work(context, i) once for each i < count, in order of i as workers become free; with one job everything happens
 * in the caller's process, unless it is to be apart. Each result is handed to note. Once *stop is non-zero no task begins, tasks in progress are
 * given up, results that had come in are still noted. Returns STEEP_OK, STEEP_STOPPED when tasks are left undone for
 * it, the failure of the lowest index that failed (no new task begins after a failure), or STEEP_IO when a worker died
 * of a signal: the message says which. Fewer processes than asked for do the work if the system gives no more. */
steep_status steep_workers_run(const steep_work_list *list, steep_error *error);

#endif
