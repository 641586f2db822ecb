/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pipe: what processes of a run share that speak to their parent. Inside this room. */
#ifndef STEEP_EXECUTE_PIPE_H
#define STEEP_EXECUTE_PIPE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#ifdef STEEP_COVERAGE
void __gcov_dump(void); /* _exit would lose what the process counted */
#else
static inline void __gcov_dump(void)
{
}
#endif

/* All of size bytes into out; false: the other end is closed. */
static inline bool steep_pipe_send(int out, const void *bytes, size_t size)
{
    for (size_t sent = 0; sent < size;) {
        ssize_t part = write(out, (const char *)bytes + sent, size - sent);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return false;
        sent += (size_t)part;
    }
    return true;
}

/* Reads size bytes; false at the end of the pipe. */
static inline bool steep_pipe_receive(int in, void *bytes, size_t size)
{
    for (size_t got = 0; got < size;) {
        ssize_t part = read(in, (char *)bytes + got, size - got);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return false;
        got += (size_t)part;
    }
    return true;
}

#endif
