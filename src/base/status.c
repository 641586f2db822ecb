/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Row i belongs to status STEEP_STOPPED - i. */
static const struct {
    const char *name, *advice;
} rows[] = {
    {"stopped", "The run was asked to stop: the same command goes on from here; a single fit goes on with --load."},
    {"max_iterations", "The cap on iterations is reached: raise it with --max-iterations."},
    {"stalled", "No step decreases the error any more: try another start, another seed or another solver."},
    {"floor", "Only rounding is left to lower: slopes leave out the widths whose error is near its rounding floor."},
    {"converged", "Nothing to change."},
    {"not_finite", "NaN or infinity appeared: check the data, or start from smaller parameters."},
    {"singular", "No usable solution, or none better than a network of 0: use fewer units, more samples or a start "
                 "without dead units."},
    {"bad_input", "An argument is out of its range: the message names it."},
    {"no_memory", "Memory ran out: use fewer samples, smaller widths or fewer jobs."},
    {"io", "A file could not be read or written: check its path, its permissions and the disk's free space."},
};

enum { ROWS = sizeof rows / sizeof *rows };

static bool is_known(steep_status status)
{
    return status <= STEEP_STOPPED && status > STEEP_STOPPED - ROWS;
}

const char *steep_status_name(steep_status status)
{
    return is_known(status) ? rows[STEEP_STOPPED - status].name : "unknown";
}

const char *steep_status_advice(steep_status status)
{
    return is_known(status) ? rows[STEEP_STOPPED - status].advice
                            : "This status is not one of Steep's: please report it.";
}

int steep_status_find(const char *name, steep_status *status)
{
    int i = 0;
    while (name && i < ROWS && strcmp(rows[i].name, name) != 0) i++;
    if (!name || i == ROWS) return 0;
    *status = (steep_status)(STEEP_STOPPED - i);
    return 1;
}

steep_status steep_fail(steep_error *error, steep_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}
