/* SPDX-License-Identifier: GPL-3.0-or-later */
/* apart: work in a process of its own, which sends what it finds. A device is opened in such a process alone: the
 * caller's stays free of it, may fork as often as it likes, and outlives a driver that ends its process. */
#ifndef STEEP_EXECUTE_APART_H
#define STEEP_EXECUTE_APART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Two pieces of memory that are sent as one message. */
typedef struct steep_parcel {
    const void *head, *tail;
    size_t head_bytes, tail_bytes;
} steep_parcel;

/* In the process: sends a message; false when nobody reads any more. */
typedef struct steep_post {
    int out;
    const volatile int *stop; /* non-zero: the caller wants the work to end */
} steep_post;
bool steep_post_send(const steep_post *post, const steep_parcel *parcel);

typedef struct steep_apart {
    void (*work)(void *context, const steep_post *post); /* in the process; sees the caller's memory as it was */
    /* In the caller's: a message, whole, aligned as malloc does. A status < 0 ends the work. */
    steep_status (*read)(void *context, const void *message, size_t bytes, steep_error *error);
    void *context;
    const volatile int *stop; /* non-zero: the work is told to end, and made to after patience; NULL: never */
    double patience;          /* seconds; 0: 20 */
} steep_apart;

/* Runs the work and reads all it sends. STEEP_OK when it came to its end; the failure of a read; STEEP_IO when its
 * process was ended by a signal, which the message names, or could not be started; STEEP_STOPPED when it did not end
 * for *stop and was ended. */
steep_status steep_apart_run(const steep_apart *apart, steep_error *error);

#endif
