/* SPDX-License-Identifier: GPL-3.0-or-later */
/* threads: small pieces of work beside a thread that is busy with a device. Fits that the CPU computes run in processes
 * (execute/processes); a process that has opened a device cannot be forked, and what is left to do on its side, starts and
 * measurements, is the library's own code, which threads may call. */
#ifndef STEEP_CUDA_THREADS_H
#define STEEP_CUDA_THREADS_H

#include <stdbool.h>
#include <stddef.h>

#include "cuda/core.h"

/* First member of what a piece of work needs. */
typedef struct steep_piece {
    void (*work)(struct steep_piece *piece); /* in a thread */
    struct steep_piece *next;
} steep_piece;

typedef struct steep_threads steep_threads;

/* count threads (0: one per processor); fewer where the system gives no more, STEEP_NO_MEMORY where it gives none. */
steep_status steep_threads_open(size_t count, steep_threads **threads, steep_error *error);
/* What has begun is waited for, what has not is dropped. NULL: nothing. */
void steep_threads_close(steep_threads *threads);

/* A piece waits for its turn; the first come first. It must stay until it was taken back. */
void steep_threads_give(steep_threads *threads, steep_piece *piece);
/* Before all that wait. */
void steep_threads_give_first(steep_threads *threads, steep_piece *piece);
/* A piece that is done. NULL: there is none; with wait, there will be none, as none was given. */
steep_piece *steep_threads_take(steep_threads *threads, bool wait);

#endif
