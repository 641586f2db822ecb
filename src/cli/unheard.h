/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unheard: a stop that comes while nothing asks for it. A solver asks its monitor once an iteration; a start, a linear
 * problem and the measurement behind it ask nobody, may take minutes, and leave nothing that could be kept. A thread
 * waits beside them, and ends the program where they do not end soon after a stop. */
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

#include "base/status.h"

typedef struct steep_unheard {
    const volatile int *stop;
    int (*end)(void *context); /* called in the thread, while the other computes: writes what is to be written; returns
                                  the exit status */
    void *context;
    pthread_t thread;
    sem_t over; /* nobody needs the thread any more */
    bool waits; /* it is there */
} steep_unheard;

/* From here on a stop that half a second does not see the end of ends the program by u->end; stop, end and context are
 * set. Where there is no thread to be had nothing does. */
void steep_unheard_begin(steep_unheard *u);

/* Something asks for a stop now, or all is over: from here on u->end is not called. A second call does nothing. */
void steep_unheard_end(steep_unheard *u);
