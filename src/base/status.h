/* SPDX-License-Identifier: GPL-3.0-or-later */
/* status: what a call returned, and the sentence that says why.
 *
 * The sign is a contract: 0 asked-for tolerance met, > 0 usable but stopped early,
 * < 0 failed. Errors travel up by return; the library never prints, exits or aborts. */
#ifndef STEEP_BASE_STATUS_H
#define STEEP_BASE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum steep_status {
    STEEP_OK = 0,
    STEEP_CONVERGED = 0,      /* the tolerance asked for is met, re-evaluated from the returned parameters */
    STEEP_FLOOR = 1,          /* the rounding floor of the arithmetic is reached */
    STEEP_STALLED = 2,        /* no step decreases the error, tolerance not met */
    STEEP_MAX_ITERATIONS = 3, /* the cap on iterations is reached */
    STEEP_STOPPED = 4,        /* the monitor asked to stop */
    STEEP_NOT_FINITE = -1,    /* NaN or infinity in data or parameters */
    STEEP_SINGULAR = -2,      /* a linear system has no usable solution, or the fit is worse than a network of 0 */
    STEEP_BAD_INPUT = -3,     /* an argument is out of its range; the message names it */
    STEEP_NO_MEMORY = -4,     /* an allocation failed */
    STEEP_IO = -5             /* a file could not be read or written */
} steep_status;

/* The sentence that goes with a failure: what is wrong, and what to do. */
typedef struct steep_error {
    char text[512];
} steep_error;

/* Name as it stands in fits.csv: "converged", "floor", "stalled", "max_iterations", "stopped",
 * "not_finite", "singular", "bad_input", "no_memory", "io"; "unknown" for any other value. */
const char *steep_status_name(steep_status status);

/* What to change when a fit ended so; one sentence, never NULL. */
const char *steep_status_advice(steep_status status);

/* The status whose name is given; false when there is none (then *status is unchanged). */
int steep_status_find(const char *name, steep_status *status);

/* Writes the message (printf-like; error may be NULL) and returns status, so that
 * "return steep_fail(error, STEEP_BAD_INPUT, ...)" is one line. */
__attribute__((format(printf, 3, 4))) steep_status steep_fail(steep_error *error, steep_status status,
                                                              const char *format, ...);

#ifdef __cplusplus
}
#endif
#endif
