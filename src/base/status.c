/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct status_row {
    steep_status status;
    const char *name, *advice;
} status_row;

static const status_row rows[] = {
    {STEEP_CONVERGED, "converged", "Nothing to change."},
    {STEEP_FLOOR, "floor",
     "The rounding floor of double precision is reached: leave these widths out of a slope, or use fewer units."},
    {STEEP_STALLED, "stalled",
     "No step decreases the error any more: try another start, another seed or another solver."},
    {STEEP_MAX_ITERATIONS, "max_iterations", "The cap on iterations is reached: raise it with --max-iterations."},
    {STEEP_STOPPED, "stopped", "The run was asked to stop: the same command goes on from here."},
    {STEEP_NOT_FINITE, "not_finite", "NaN or infinity appeared: check the data, or start from smaller parameters."},
    {STEEP_SINGULAR, "singular",
     "No usable solution, or none better than a network of 0: use fewer units, more samples or a start without dead "
     "units."},
    {STEEP_BAD_INPUT, "bad_input", "An argument is out of its range: the message names it."},
    {STEEP_NO_MEMORY, "no_memory", "Memory ran out: use fewer samples, smaller widths or fewer jobs."},
    {STEEP_IO, "io", "A file could not be read or written: check its path, its permissions and the disk's free space."},
};

enum { ROWS = sizeof rows / sizeof *rows };

const char *steep_status_name(steep_status status)
{
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].status == status) return rows[i].name;
    return "unknown";
}

const char *steep_status_advice(steep_status status)
{
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].status == status) return rows[i].advice;
    return "This status is not one of Steep's: please report it.";
}

int steep_status_find(const char *name, steep_status *status)
{
    for (size_t i = 0; name && i < ROWS; i++)
        if (!strcmp(rows[i].name, name)) {
            *status = rows[i].status;
            return 1;
        }
    return 0;
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
