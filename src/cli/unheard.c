/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/unheard.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define LOOK_SECONDS 0.05 /* how often the flag is looked at */
#define PATIENCE     0.5  /* seconds from a stop to the end */

/* Is it over, within a while? */
static bool is_over(steep_unheard *u)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(LOOK_SECONDS * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return sem_timedwait(&u->over, &until) == 0;
}

/* While the program ends, the other thread waits in steep_unheard_end. */
static void *look_out(void *context)
{
    steep_unheard *u = context;
    double asked = 0; /* when the stop was seen */
    while (!is_over(u)) {
        if (!*u->stop) continue;
        const double now = steep_clock_seconds();
        if (asked == 0) asked = now;
        if (now - asked < PATIENCE) continue;
        const int code = u->end(u->context);
        fflush(stdout);
        _exit(code);
    }
    return NULL;
}

void steep_unheard_begin(steep_unheard *u)
{
    sigset_t all, before;
    u->waits = sem_init(&u->over, 0, 0) == 0;
    if (!u->waits) return;
    sigfillset(&all); /* signals are for the thread that computes */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    u->waits = pthread_create(&u->thread, NULL, look_out, u) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void steep_unheard_end(steep_unheard *u)
{
    if (!u->waits) return;
    sem_post(&u->over);
    pthread_join(u->thread, NULL);
    sem_destroy(&u->over);
    u->waits = false;
}
