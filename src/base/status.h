/* SPDX-License-Identifier: GPL-3.0-or-later */
/* status: what a call returned, and the sentence that says why.
 *
 * The sign is a contract: 0 asked-for tolerance met, > 0 usable but stopped early,
 * < 0 failed. Errors travel up by return; the library never prints, exits or aborts. */
#pragma once

#include "steep/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The status whose name is given; false when there is none (then *status is unchanged). */
int steep_status_find(const char *name, steep_status *status);

/* Writes the message (printf-like; error may be NULL) and returns status, so that
 * "return steep_fail(error, STEEP_BAD_INPUT, ...)" is one line. */
__attribute__((format(printf, 3, 4))) steep_status steep_fail(steep_error *error, steep_status status,
                                                              const char *format, ...);

#ifdef __cplusplus
}
#endif
