/* SPDX-License-Identifier: GPL-3.0-or-later */
/* streams: what a program does with its standard streams before anything else. */
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

/* /dev/null for each of the descriptors 0, 1, 2 that is closed: else the first files that are opened get these numbers,
 * and what is printed goes into them. A reader of a pipe that goes away is a failed write, not the end; so is a file at
 * its limit. False where /dev/null cannot be opened. */
static inline bool steep_streams_open(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    for (int file = 0; file <= 2; file++)
        if (fcntl(file, F_GETFD) < 0 && open("/dev/null", O_RDWR) != file) return false;
    return true;
}
