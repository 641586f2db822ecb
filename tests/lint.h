/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lint.h: included before every file that make lint analyses: analysers look at one file at a time and do not know that
 * steep_fail returns the status it is given; without that they follow paths on which a failure is no failure. */
#include "base/status.h"

static inline steep_status lint_fail(steep_error *error, steep_status status)
{
    (void)error;
    return status;
}
#define steep_fail(error, status, ...) lint_fail((error), (status))
