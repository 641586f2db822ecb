/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pool: worker processes that are given tasks as they come, by who does not know all of them beforehand (run/workers
 * has the list at once). A worker that dies loses the task that it was at, and another takes its place. */
#ifndef STEEP_EXECUTE_POOL_H
#define STEEP_EXECUTE_POOL_H

#include <stdbool.h>

#include "execute/workers.h"

typedef struct steep_pool steep_pool;

typedef struct steep_pool_options {
    size_t hands, size; /* workers, at least 1; bytes of a result, at most STEEP_WORK_RESULT */
    steep_work work;    /* in a worker, which sees the caller's memory as it was when it was started */
    void *context;
} steep_pool_options;

/* What became of a task. */
typedef struct steep_pool_event {
    size_t index;
    int signal;          /* that ended its worker; -1: it ended otherwise without a result; 0: there is a result */
    steep_status status; /* of work, and its error where < 0 */
    steep_error error;
    const void *result;           /* until the next call */
    const steep_payload *payload; /* likewise */
} steep_pool_event;

/* Starts the workers. STEEP_NO_MEMORY or STEEP_IO: none could be started. Fewer than asked for do if the system gives
 * no more. */
steep_status steep_pool_open(const steep_pool_options *options, steep_pool **pool, steep_error *error);
size_t steep_pool_hands(const steep_pool *pool); /* workers that are there; none: what is queued stays so */
void steep_pool_close(steep_pool *pool);         /* ends the workers at once; NULL does nothing */

/* Takes a task into the queue. */
steep_status steep_pool_give(steep_pool *pool, size_t index, steep_error *error);
/* What comes next, if it comes within so many seconds: false where nothing has. */
bool steep_pool_take(steep_pool *pool, double seconds, steep_pool_event *event);

#endif
