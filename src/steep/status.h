/* SPDX-License-Identifier: GPL-3.0-or-later */
/* status: what a call returned, the sentence that says why, and a monitor that watches a fit and can stop it.
 *
 * The sign of a status is a contract: 0 the requested tolerance is met, > 0 usable but stopped early, < 0 failed.
 * Errors travel up by return; the library never prints, exits or aborts. A steep_error argument may be NULL. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Marks the functions of the headers in this folder, which alone the shared library exports. */
#if defined(__GNUC__)
#define STEEP_EXPORTED __attribute__((visibility("default")))
#else
#define STEEP_EXPORTED
#endif
#ifdef __cplusplus
#define STEEP_API extern "C" STEEP_EXPORTED
#else
#define STEEP_API STEEP_EXPORTED
#endif

typedef enum steep_status {
    STEEP_OK = 0,
    STEEP_CONVERGED = 0,      /* the requested tolerance is met, re-evaluated from the returned parameters */
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

/* The name as in fits.csv: "converged", "floor", "stalled", "max_iterations", "stopped",
 * "not_finite", "singular", "bad_input", "no_memory", "io"; "unknown" for any other value. */
STEEP_API const char *steep_status_name(steep_status status);

/* What to change when a fit ended with this status; one sentence, never NULL. */
STEEP_API const char *steep_status_advice(steep_status status);

typedef struct steep_progress {
    const char *stage;    /* e.g. "D", "U", "all" for block Newton; "lm"; static storage */
    size_t iteration;     /* outer iterations done, over all stages */
    size_t evaluations;   /* evaluations of the network over all samples so far */
    double rmse;          /* current training error; NaN in a stage that has no network yet */
    double gradient_norm; /* infinity norm of the gradient of rmse^2/2, scaled as the solver documents */
    double step;          /* length of the last step (line search) or the damping (lm) */
    double seconds;       /* since the fit began */
    const double *theta;  /* the current parameters, valid during the call; NULL: not available */
} steep_progress;

typedef struct steep_monitor {
    bool (*proceed)(void *context, const steep_progress *progress); /* false stops the fit; NULL: go on */
    void *context;
} steep_monitor;

/* How a table is printed. */
typedef enum steep_format {
    STEEP_FORMAT_TEXT, /* aligned columns */
    STEEP_FORMAT_CSV,
    STEEP_FORMAT_JSON,
    STEEP_FORMAT_MARKDOWN,
    STEEP_FORMAT_LATEX /* tabular, no package needed */
} steep_format;

/* How tables are printed; all 0: as text without colour. */
typedef struct steep_style {
    steep_format format;
    bool color; /* text format: statuses and verdicts in colour, by terminal escape sequences */
} steep_style;
