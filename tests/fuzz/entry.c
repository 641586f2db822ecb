/* SPDX-License-Identifier: GPL-3.0-or-later */
/* entry: the functions that libFuzzer calls. FUZZ is the harness. A run may take LIMIT seconds of processor time (by
 * the clock on the wall, a busy machine would make any input slow) and MEMORY bytes at a time, counted without the
 * corpus and the sanitizers' own. */
#include <sanitizer/allocator_interface.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#include "fuzz.h"

enum { LIMIT = 1, MEMORY = 100 << 20 };

/* Bytes allocated at present, the most at once within this input, and within any input. */
static size_t live, most, most_of_all;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count_more(const volatile void *memory, size_t size)
{
    (void)memory;
    live += size;
    if (live > most) most = live;
}

static void count_less(const volatile void *memory)
{
    const size_t size = memory ? __sanitizer_get_allocated_size((const void *)memory) : 0;
    live -= size < live ? size : live; /* memory from before the count */
}

/* As libFuzzer prints its own numbers; run.sh reads it. */
static void print_most(void)
{
    fprintf(stderr, "stat::most_memory_kb: %zu\n", most_of_all >> 10);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    if (!__sanitizer_install_malloc_and_free_hooks(count_more, count_less) || atexit(print_most) != 0)
        fuzz_broken("memory cannot be counted");
    return 0;
}

static void too_slow(int signal_number)
{
    (void)signal_number;
    fuzz_broken("more than %d s of processor time", LIMIT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct itimerval begin = {{0, 0}, {LIMIT, 0}}, end = {{0, 0}, {0, 0}};
    signal(SIGPROF, too_slow);
    const size_t before = most = live;
    setitimer(ITIMER_PROF, &begin, NULL);
    FUZZ(data, size);
    setitimer(ITIMER_PROF, &end, NULL);
    if (most - before > most_of_all) most_of_all = most - before;
    if (most - before > MEMORY) fuzz_broken("%zu bytes at a time", most - before);
    return 0;
}
