/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lint.h: included before every file that make lint analyses. Analysers see one file at a time and not that steep_fail
 * returns its status; without this header they follow paths on which a failed call returns success. */
#include "base/status.h"

__attribute__((format(printf, 1, 2))) void lint_use(const char *format, ...); /* never linked */

static inline steep_status lint_fail(steep_error *error, steep_status status)
{
    (void)error;
    return status;
}
#define steep_fail(error, status, ...) (lint_use(__VA_ARGS__), lint_fail((error), (status)))

/* What the Makefile gives to src/record/machine.c. */
#define STEEP_COMMIT "lint"
#define STEEP_CFLAGS "lint"
