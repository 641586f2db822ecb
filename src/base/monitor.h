/* SPDX-License-Identifier: GPL-3.0-or-later */
/* monitor: one call per outer iteration, to watch a fit and to stop it. The library itself never prints. */
#ifndef STEEP_BASE_MONITOR_H
#define STEEP_BASE_MONITOR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct steep_progress {
    const char *stage;    /* e.g. "D", "U", "all" for block Newton; "lm"; static storage */
    size_t iteration;     /* outer iterations done, over all stages */
    size_t evaluations;   /* evaluations of the network over all samples so far */
    double rmse;          /* current training error; NaN in a stage whose model is no network yet */
    double gradient_norm; /* infinity norm of the gradient of rmse^2/2, scaled as the solver documents */
    double step;          /* length of the last step (line search) or the damping (lm) */
    double seconds;       /* since the fit began */
} steep_progress;

typedef struct steep_monitor {
    bool (*proceed)(void *context, const steep_progress *progress); /* false stops the fit; NULL: go on */
    void *context;
} steep_monitor;

static inline bool steep_monitor_proceed(const steep_monitor *monitor, const steep_progress *progress)
{
    return !monitor || !monitor->proceed || monitor->proceed(monitor->context, progress);
}

#endif
