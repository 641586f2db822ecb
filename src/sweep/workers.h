/* SPDX-License-Identifier: GPL-3.0-or-later */
/* workers: threads that take tasks off a list, one after the other. */
#ifndef STEEP_SWEEP_WORKERS_H
#define STEEP_SWEEP_WORKERS_H

#include <stddef.h>

#include "base/status.h"

/* One task. A status < 0 ends the whole run. May be called from several threads at once, once per index. */
typedef steep_status (*steep_work)(void *context, size_t index, steep_error *error);

/* Calls work(context, i) once for each i < count, in order of i as threads become free; jobs threads, 0: one per processor
 * that this process may use. The caller's thread is one of them. Where the system gives fewer threads the work is done by those that there
 * are. Returns STEEP_OK, STEEP_STOPPED when *stop became non-zero before all were begun, or the failure of the lowest index that
 * failed; no new task begins after a failure. */
steep_status steep_workers_run(size_t jobs, size_t count, steep_work work, void *context, const volatile int *stop,
                               steep_error *error);

/* Processors that this process may use, at least 1. */
size_t steep_workers_processors(void);

#endif
