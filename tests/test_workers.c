/* SPDX-License-Identifier: GPL-3.0-or-later */
/* workers: each task once, whatever the number of threads; failures and stops end the run. */
#include "sweep/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "harness.h"

#define TASKS 1000

typedef struct bench {
    atomic_int done[TASKS], total;
    size_t bad, worse;      /* these fail; TASKS: none */
    volatile int stop;
    size_t stop_at;         /* asks for the stop when this many are done */
    bool alone;             /* one thread: look at the order */
    size_t last;
    bool ordered;
    pthread_t thread[TASKS];
} bench;

static steep_status count(void *context, size_t index, steep_error *error)
{
    bench *b = context;
    atomic_fetch_add(&b->done[index], 1);
    b->thread[index] = pthread_self();
    if (b->alone) {
        b->ordered = b->ordered && index == b->last;
        b->last = index + 1;
    }
    if ((size_t)atomic_fetch_add(&b->total, 1) + 1 == b->stop_at) b->stop = 1;
    if (index == b->bad || index == b->worse) return steep_fail(error, STEEP_SINGULAR, "task %zu", index);
    return index % 7 ? STEEP_OK : STEEP_STALLED; /* > 0 is no failure */
}

static bench *make_bench(void)
{
    bench *b = calloc(1, sizeof *b);
    ck_assert_ptr_nonnull(b);
    b->bad = b->worse = TASKS;
    b->stop_at = TASKS + 1;
    b->ordered = true;
    return b;
}

START_TEST(each_once)
{
    static const size_t jobs[] = {0, 1, 2, 7, 64};
    for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
        bench *b = make_bench();
        b->alone = jobs[j] == 1;
        ck_assert_int_eq(steep_workers_run(jobs[j], TASKS, count, b, NULL, NULL), STEEP_OK);
        for (size_t i = 0; i < TASKS; i++) ck_assert_int_eq(atomic_load(&b->done[i]), 1);
        if (jobs[j] == 1) {
            ck_assert(b->ordered);
            for (size_t i = 0; i < TASKS; i++) ck_assert(pthread_equal(b->thread[i], pthread_self()));
        }
        free(b);
    }
    ck_assert_int_eq(steep_workers_run(3, 0, count, NULL, NULL, NULL), STEEP_OK);
}
END_TEST

START_TEST(failures)
{
    for (size_t jobs = 1; jobs <= 4; jobs++) {
        bench *b = make_bench();
        steep_error error = {{0}};
        b->bad = 500;
        ck_assert_int_eq(steep_workers_run(jobs, TASKS, count, b, NULL, &error), STEEP_SINGULAR);
        ck_assert_str_eq(error.text, "task 500");
        for (size_t i = 0; i <= 500; i++) ck_assert_int_eq(atomic_load(&b->done[i]), 1); /* begun before it */
        if (jobs == 1) ck_assert_int_eq(atomic_load(&b->total), 501);
        free(b);
    }
}
END_TEST

START_TEST(stops)
{
    for (size_t jobs = 1; jobs <= 4; jobs++) {
        bench *b = make_bench();
        steep_error error = {{0}};
        b->stop_at = 100;
        ck_assert_int_eq(steep_workers_run(jobs, TASKS, count, b, &b->stop, &error), STEEP_STOPPED);
        int total = atomic_load(&b->total);
        ck_assert_msg(total >= 100 && total < 100 + (int)jobs, "%d done by %zu", total, jobs);
        free(b);
    }
    /* Asked for during the last one: nothing is left undone. */
    bench *b = make_bench();
    b->stop_at = TASKS;
    ck_assert_int_eq(steep_workers_run(1, TASKS, count, b, &b->stop, NULL), STEEP_OK);
    free(b);
}
END_TEST

static steep_status wait_for_other(void *context, size_t index, steep_error *error)
{
    atomic_int *arrived = context;
    (void)index;
    atomic_fetch_add(arrived, 1);
    for (int i = 0; i < 5000 && atomic_load(arrived) < 2; i++) nanosleep(&(struct timespec){0, 1000000}, NULL);
    return atomic_load(arrived) < 2 ? steep_fail(error, STEEP_SINGULAR, "alone") : STEEP_OK;
}

/* Two tasks that wait for each other end only when they run at the same time. */
START_TEST(in_parallel)
{
    atomic_int arrived = 0;
    ck_assert_int_eq(steep_workers_run(2, 2, wait_for_other, &arrived, NULL, NULL), STEEP_OK);
    ck_assert_int_eq(atomic_load(&arrived), 2);
    ck_assert_uint_ge(steep_workers_processors(), 1);
}
END_TEST

STEEP_TEST_MAIN("workers", each_once, failures, stops, in_parallel)
