/* SPDX-License-Identifier: GPL-3.0-or-later */
/* monitor: one call per outer iteration, to watch a fit and to stop it. The library itself never prints. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "steep/status.h"

static inline bool steep_monitor_proceed(const steep_monitor *monitor, const steep_progress *progress)
{
    return !monitor || !monitor->proceed || monitor->proceed(monitor->context, progress);
}
