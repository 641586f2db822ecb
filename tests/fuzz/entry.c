/* SPDX-License-Identifier: GPL-3.0-or-later */
/* entry: what libFuzzer calls. FUZZ is the harness. A run may take LIMIT seconds of processor time: by the clock on the
 * wall, a busy machine would make any input a slow one. */
#include <signal.h>
#include <sys/time.h>

#include "fuzz.h"

enum { LIMIT = 1 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void too_slow(int signal_number)
{
    (void)signal_number;
    fuzz_broken("more than %d s of processor time", LIMIT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct itimerval begin = {{0, 0}, {LIMIT, 0}}, end = {{0, 0}, {0, 0}};
    signal(SIGPROF, too_slow);
    setitimer(ITIMER_PROF, &begin, NULL);
    FUZZ(data, size);
    setitimer(ITIMER_PROF, &end, NULL);
    return 0;
}
