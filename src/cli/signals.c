/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"

#define SAME_SECONDS 1 /* signals so soon after the first belong to it: timeout(1) sends two */

static volatile int stop_asked;
static volatile double first_asked; /* time of the first signal */
static steep_path beside;

/* Sets a handler, except for ignored signals. No handler may allocate or lock. */
static void handle(void (*handler)(int), int flags)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    enum { SIGNALS = sizeof signals / sizeof *signals };
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < SIGNALS; i++) sigaddset(&action.sa_mask, signals[i]);
    for (size_t i = 0; i < SIGNALS; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

/* The first signal asks for a stop; a later signal ends the program. */
static void ask_to_stop(int signal_number)
{
    const int code = errno;
    const double now = steep_clock_seconds();
    if (!stop_asked) first_asked = now;
    stop_asked = 1;
    if (now - first_asked > SAME_SECONDS) {
        signal(signal_number, SIG_DFL);
        raise(signal_number); /* delivered when this handler returns */
    }
    errno = code;
}

const volatile int *steep_cli_stop(void)
{
    return &stop_asked;
}

void steep_cli_catch_signals(void)
{
    handle(ask_to_stop, SA_RESTART);
}

static void leave(int signal_number)
{
    unlink(beside.text);
    raise(signal_number); /* the handler is the system's again: delivered when this one returns */
}

void steep_cli_guard(const char *path)
{
    beside = steep_named_temporary(path);
    if (*path && !steep_named_stands(path)) handle(leave, (int)SA_RESETHAND);
}
