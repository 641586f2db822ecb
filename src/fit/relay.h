/* SPDX-License-Identifier: GPL-3.0-or-later */
/* relay: the caller's monitor behind a solver that runs other solvers one after the other. */
#pragma once

#include <math.h>

#include "base/status.h"

typedef struct steep_relay {
    const steep_monitor *monitor; /* the caller's */
    size_t before;                /* iterations of the stages before: added to those of this one */
    bool silent; /* the errors of this stage are those of a spline that is no network yet: NaN instead */
} steep_relay;

static inline bool steep_relay_proceed(void *context, const steep_progress *progress)
{
    const steep_relay *relay = context;
    steep_progress told = *progress;
    told.iteration += relay->before;
    if (relay->silent) told.rmse = NAN;
    return steep_monitor_proceed(relay->monitor, &told);
}

/* The monitor to hand to the stage; *relay must outlive it. */
static inline steep_monitor steep_relay_monitor(steep_relay *relay)
{
    return (steep_monitor){steep_relay_proceed, relay};
}
