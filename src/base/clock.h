/* SPDX-License-Identifier: GPL-3.0-or-later */
/* clock: seconds for reports and monitors. No decision of the library reads it: results do not depend on time. */
#pragma once

#include <time.h>

/* Wall time in seconds from some fixed moment, monotonic. */
static inline double steep_clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
