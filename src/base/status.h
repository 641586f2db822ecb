/* SPDX-License-Identifier: GPL-3.0-or-later */
/* status: what a call returned, and the sentence that says why.
 *
 * The sign is a contract: 0 asked-for tolerance met, > 0 usable but stopped early,
 * < 0 failed. Errors travel up by return; the library never prints, exits or aborts. */
#pragma once

#include <errno.h>
#include <stdbool.h>

#include "steep/status.h"

/* The status whose name is given; false when there is none (then *status is unchanged). */
int steep_status_find(const char *name, steep_status *status);

/* Writes the message (printf-like; error may be NULL) and returns status, so that
 * "return steep_fail(error, STEEP_BAD_INPUT, ...)" is one line. */
__attribute__((format(printf, 3, 4))) steep_status steep_fail(steep_error *error, steep_status status,
                                                              const char *format, ...);

/* The status that goes with errno after a failed call of the system. No memory is that of the process or of the kernel;
 * all else is the file's. */
static inline steep_status steep_failure_of(int code)
{
    return code == ENOMEM ? STEEP_NO_MEMORY : STEEP_IO;
}

/* The status of reading what a user names, before anything is begun: a file that is not there, or a folder that cannot
 * be made, is bad use. */
static inline steep_status steep_input_status(steep_status status)
{
    return status == STEEP_IO ? STEEP_BAD_INPUT : status;
}

/* One call per outer iteration, to watch a fit and to stop it. The library itself never prints. */
static inline bool steep_monitor_proceed(const steep_monitor *monitor, const steep_progress *progress)
{
    return !monitor || !monitor->proceed || monitor->proceed(monitor->context, progress);
}
