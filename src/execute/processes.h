/* SPDX-License-Identifier: GPL-3.0-or-later */
/* processes: workers that are processes of this machine.
 *
 * Processes, not threads: a task that crashes takes no other with it, and a library behind a unit of the caller's own
 * need not be safe in threads. */
#pragma once

#include "execute/pool.h"

/* list->jobs places with one worker each; with list->life one place, one worker, which has all tasks from its start. */
extern const steep_crew_kind steep_crew_processes;

/* --- of list->life, in its process --- */

typedef struct steep_worker {
    const steep_work_list *list;
    int end; /* of its socket */
} steep_worker;

/* Sends what became of a task; false when nobody reads any more. error may be NULL where status >= 0. */
bool steep_worker_answer(const steep_worker *worker, size_t index, steep_status status, const void *result,
                         const steep_payload *payload, const steep_error *error);
/* Sends that the run cannot go on. */
void steep_worker_fail(const steep_worker *worker, steep_status status, const steep_error *error);
