/* SPDX-License-Identifier: GPL-3.0-or-later */
/* monitor: one call per outer iteration, to watch a fit and to stop it. The library itself never prints. */
#ifndef STEEP_BASE_MONITOR_H
#define STEEP_BASE_MONITOR_H

#include <stdbool.h>
#include <stddef.h>

#include "steep/status.h"

static inline bool steep_monitor_proceed(const steep_monitor *monitor, const steep_progress *progress)
{
    return !monitor || !monitor->proceed || monitor->proceed(monitor->context, progress);
}

#endif
