/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/guard.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/named.h"

static char beside[PATH_MAX + STEEP_NAMED_TEMPORARY + 1];

/* Unlinking and raising are calls that a handler may make. */
static void leave(int signal_number)
{
    unlink(beside);
    raise(signal_number); /* whose handler is the system's again: it comes as this one returns */
}

void steep_cli_guard(const char *path)
{
    struct sigaction action = {.sa_handler = leave, .sa_flags = (int)SA_RESETHAND};
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    char *temporary = steep_named_temporary(path);
    const int length = snprintf(beside, sizeof beside, "%s", temporary ? temporary : "");
    free(temporary);
    if (!*path || length == 0 || length >= (int)sizeof beside || steep_named_stands(path)) return;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction before;
        /* nohup and background jobs of a shell ignore some of them, and that is to stay */
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}
