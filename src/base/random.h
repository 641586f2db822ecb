/* SPDX-License-Identifier: GPL-3.0-or-later */
/* random: a counter-based generator, Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC'11).
 *
 * A number is a function of (seed, stream, index) alone, so that results depend neither on the order of
 * fits nor on the number of threads. */
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* Streams: one purpose each, so that two purposes never share numbers. */
enum {
    STEEP_STREAM_SAMPLES = 1,
    STEEP_STREAM_START = 2,
    STEEP_STREAM_JITTER = 3,
    STEEP_STREAM_TEST = 4,
    STEEP_STREAM_SIMULATION = 5,
    STEEP_STREAM_SPLIT = 6,
    STEEP_STREAM_MOVED = 7,
    STEEP_STREAM_CHOSEN = 8,
    STEEP_STREAM_BATCH = 9,
    STEEP_STREAM_NOISE = 10
};

typedef struct steep_random {
    uint64_t seed, stream; /* key, and high half of the counter; low words first */
    uint64_t block;        /* low half of the counter: next block to make */
    uint32_t word[4];      /* the current block: two numbers */
    unsigned used;         /* words of the current block already used, 4 when exhausted */
} steep_random;

/* The generator at its first number. */
steep_random steep_random_start(uint64_t seed, uint64_t stream);

/* Uniform in [0, 1), 53 bits. */
double steep_random_uniform(steep_random *random);

/* One of 0, ..., count - 1. */
static inline size_t steep_random_below(steep_random *random, size_t count)
{
    return (size_t)(steep_random_uniform(random) * (double)count);
}

/* Standard normal, by Box-Muller: each number uses two uniforms, as many as a block of the generator has. */
double steep_random_normal(steep_random *random);

/* streams: a program prepares its standard streams before it does anything else. */

/* Opens /dev/null for each closed descriptor of 0, 1, 2: otherwise the first files opened get these numbers, and output
 * is printed into them. Ignores SIGPIPE and SIGXFSZ: a pipe without a reader, or a file at its size limit, is a failed
 * write and does not end the program. False if /dev/null cannot be opened. */
static inline bool steep_streams_open(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    for (int file = 0; file <= 2; file++)
        if (fcntl(file, F_GETFD) < 0 && open("/dev/null", O_RDWR) != file) return false;
    return true;
}
