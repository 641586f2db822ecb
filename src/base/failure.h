/* SPDX-License-Identifier: GPL-3.0-or-later */
/* failure: the status that goes with a failed call of the system. */
#pragma once

#include <errno.h>

#include "base/status.h"

/* code: errno. No memory is that of the process or of the kernel; all else is the file's. */
static inline steep_status steep_failure_of(int code)
{
    return code == ENOMEM ? STEEP_NO_MEMORY : STEEP_IO;
}
