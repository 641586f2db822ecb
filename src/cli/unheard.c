/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/unheard.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define LOOK_SECONDS 0.05 /* how often the flag is looked at */
#define PATIENCE     0.5  /* seconds from a stop to the end */

/* A while, or until steep_unheard_end. */
static void wait_a_little(steep_unheard *u)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(LOOK_SECONDS * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&u->changed, &u->lock, &until);
}

/* The lock is held while the program ends, so that the other thread goes no further than steep_unheard_end. */
static void *look_out(void *context)
{
    steep_unheard *u = context;
    double asked = 0; /* when the stop was seen */
    pthread_mutex_lock(&u->lock);
    while (!u->over) {
        wait_a_little(u);
        if (u->over || !*u->stop) continue;
        const double now = steep_clock_seconds();
        if (asked == 0) asked = now;
        if (now - asked < PATIENCE) continue;
        const int code = u->end(u->context);
        fflush(stdout);
        _exit(code);
    }
    pthread_mutex_unlock(&u->lock);
    return NULL;
}

void steep_unheard_begin(steep_unheard *u)
{
    sigset_t all, before;
    u->over = u->waits = false;
    if (pthread_mutex_init(&u->lock, NULL) != 0) return;
    if (pthread_cond_init(&u->changed, NULL) == 0) {
        sigfillset(&all); /* signals are for the thread that computes */
        pthread_sigmask(SIG_SETMASK, &all, &before);
        u->waits = pthread_create(&u->thread, NULL, look_out, u) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (u->waits) return;
        pthread_cond_destroy(&u->changed);
    }
    pthread_mutex_destroy(&u->lock);
}

void steep_unheard_end(steep_unheard *u)
{
    if (!u->waits) return;
    pthread_mutex_lock(&u->lock);
    u->over = true;
    pthread_cond_signal(&u->changed);
    pthread_mutex_unlock(&u->lock);
    pthread_join(u->thread, NULL);
    pthread_cond_destroy(&u->changed);
    pthread_mutex_destroy(&u->lock);
    u->waits = false;
}
