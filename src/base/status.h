/* SPDX-License-Identifier: GPL-3.0-or-later */
/* status: what a call returned, and the sentence that says why.
 *
 * The sign is a contract: 0 the requested tolerance is met, > 0 usable but stopped early,
 * < 0 failed. Errors travel up by return; the library never prints, exits or aborts. */
#pragma once

#include <errno.h>
#include <stdbool.h>

#include "steep/status.h"

/* Sets *status to the status of that name and returns 1. An unknown name returns 0 and leaves *status unchanged. */
int steep_status_find(const char *name, steep_status *status);

/* Writes the message (printf-like; error may be NULL) and returns status, so that
 * "return steep_fail(error, STEEP_BAD_INPUT, ...)" is one line. */
__attribute__((format(printf, 3, 4))) steep_status steep_fail(steep_error *error, steep_status status,
                                                              const char *format, ...);

/* The status for errno after a failed system call: STEEP_NO_MEMORY for ENOMEM (the process or the kernel has no memory
 * left), STEEP_IO for every other error, which lies with the file. */
static inline steep_status steep_failure_of(int code)
{
    return code == ENOMEM ? STEEP_NO_MEMORY : STEEP_IO;
}

/* The status for a file or folder that the user names, before any work begins. A missing file, or a folder that cannot
 * be made, is bad use: STEEP_IO becomes STEEP_BAD_INPUT. */
static inline steep_status steep_input_status(steep_status status)
{
    return status == STEEP_IO ? STEEP_BAD_INPUT : status;
}

/* Calls the monitor, once per outer iteration; false stops the fit. A missing monitor lets the fit go on. */
static inline bool steep_monitor_proceed(const steep_monitor *monitor, const steep_progress *progress)
{
    return !monitor || !monitor->proceed || monitor->proceed(monitor->context, progress);
}
