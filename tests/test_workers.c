/* SPDX-License-Identifier: GPL-3.0-or-later */
/* workers: each task once, whatever the number of processes; failures, stops and crashes end the run and lose
 * nothing. */
#include "execute/pool.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/processors.h"
#include "harness.h"

#define TASKS 1000

typedef struct bench {
    int noted[TASKS], total; /* by the caller's process */
    size_t bad, crash;       /* fails; kills its worker; TASKS: none */
    size_t refused;          /* whose note fails */
    volatile int stop;
    int stop_at; /* asks for the stop when this many are noted */
    pid_t caller;
    size_t last;
    bool ordered;
    int told; /* tasks that were noted when a death was told; -1: none was */
    char text[200];
} bench;

static void hear(void *context, const steep_loss *loss)
{
    bench *b = context;
    b->told = b->total;
    snprintf(b->text, sizeof b->text, "%s", loss->text);
}

static steep_status square(void *context, size_t index, void *result, steep_payload *payload, steep_error *error)
{
    bench *b = context;
    if (index == b->crash) raise(SIGKILL);
    if (index == b->bad) return steep_fail(error, STEEP_SINGULAR, "task %zu", index);
    *(size_t *)result = index * index;
    /* Up to a few hundred kilobytes: more than a pipe holds. */
    *payload = (steep_payload){calloc(index % 5 * 10007 + 1, sizeof(double)), index % 5 * 10007};
    for (size_t i = 0; i < payload->count; i++) payload->value[i] = (double)(index + i);
    return index % 7 ? STEEP_OK : STEEP_STALLED; /* > 0 is no failure */
}

static steep_status note(void *context, size_t index, const void *result, const steep_payload *payload,
                         steep_error *error)
{
    bench *b = context;
    ck_assert_int_eq(getpid(), b->caller);
    ck_assert_uint_eq(*(const size_t *)result, index * index);
    ck_assert_uint_eq(payload->count, index % 5 * 10007);
    for (size_t i = 0; i < payload->count; i += 997) ck_assert(payload->value[i] == (double)(index + i));
    b->noted[index]++;
    b->ordered = b->ordered && index == b->last;
    b->last = index + 1;
    if (++b->total == b->stop_at) b->stop = 1;
    if (index == b->refused) return steep_fail(error, STEEP_IO, "no room for %zu", index);
    return STEEP_OK;
}

static bench make_bench(void)
{
    return (bench){.bad = TASKS,
                   .crash = TASKS,
                   .refused = TASKS,
                   .stop_at = TASKS + 1,
                   .caller = getpid(),
                   .ordered = true,
                   .told = -1};
}

static steep_status run(size_t jobs, bench *b, steep_error *error)
{
    const steep_work_list list = {.jobs = jobs,
                                  .count = TASKS,
                                  .size = sizeof(size_t),
                                  .work = square,
                                  .note = note,
                                  .context = b,
                                  .stop = &b->stop,
                                  .lost = hear};
    return steep_pool_run(&list, error);
}

START_TEST(each_once)
{
    static const size_t jobs[] = {0, 1, 2, 7, 20};
    for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
        bench b = make_bench();
        ck_assert_int_eq(run(jobs[j], &b, NULL), STEEP_OK);
        for (size_t i = 0; i < TASKS; i++) ck_assert_int_eq(b.noted[i], 1);
        if (jobs[j] == 1) ck_assert(b.ordered);
    }
    const steep_work_list none = {.jobs = 3, .size = 8, .work = square, .note = note},
                          large = {.jobs = 3, .count = 1, .size = STEEP_WORK_RESULT + 1, .work = square, .note = note};
    ck_assert_int_eq(steep_pool_run(&none, NULL), STEEP_OK);
    ck_assert_int_eq(steep_pool_run(&large, NULL), STEEP_BAD_INPUT);
}
END_TEST

START_TEST(failures)
{
    for (size_t jobs = 1; jobs <= 4; jobs++) {
        bench b = make_bench();
        steep_error error = {{0}};
        b.bad = 500;
        ck_assert_int_eq(run(jobs, &b, &error), STEEP_SINGULAR);
        ck_assert_str_eq(error.text, "task 500");
        for (size_t i = 0; i < 500; i++) ck_assert_int_eq(b.noted[i], 1); /* begun before it */
        ck_assert_int_eq(b.noted[500], 0);
        b = make_bench();
        b.refused = 300;
        ck_assert_int_eq(run(jobs, &b, &error), STEEP_IO);
        ck_assert_str_eq(error.text, "no room for 300");
    }
}
END_TEST

START_TEST(stops)
{
    for (size_t jobs = 1; jobs <= 4; jobs++) {
        bench b = make_bench();
        steep_error error = {{0}};
        b.stop_at = jobs == 1 ? 100 : 1;
        ck_assert_int_eq(run(jobs, &b, &error),
                         /* workers may have been quicker than the first note */
                         b.total == TASKS ? STEEP_OK : STEEP_STOPPED);
        ck_assert_int_ge(b.total, b.stop_at);
        for (size_t i = 0; i < TASKS; i++) ck_assert_int_le(b.noted[i], 1);
        if (jobs == 1) ck_assert_int_eq(b.total, 100);
    }
}
END_TEST

START_TEST(a_crash_is_told_and_takes_nothing_with_it)
{
    bench b = make_bench();
    steep_error error = {{0}};
    b.crash = TASKS - 1;
    ck_assert_int_eq(run(2, &b, &error), STEEP_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "signal 9"));
    for (size_t i = 0; i < TASKS - 1; i++) ck_assert_int_eq(b.noted[i], 1);
    ck_assert_int_ge(b.told, 0);
    ck_assert_ptr_nonnull(strstr(b.text, "signal 9"));
    b = make_bench();
    b.crash = 0;
    ck_assert_int_eq(run(2, &b, NULL), STEEP_IO);
    ck_assert_int_ge(b.told, 0); /* at once, not behind all that the other does */
    ck_assert_int_lt(b.told, TASKS - 1);
    ck_assert_int_eq(b.total, TASKS - 1);
}
END_TEST

static steep_status wait_for_other(void *context, size_t index, void *result, steep_payload *payload,
                                   steep_error *error)
{
    atomic_int *arrived = context;
    (void)index, (void)result, (void)payload;
    atomic_fetch_add(arrived, 1);
    for (int i = 0; i < 5000 && atomic_load(arrived) < 2; i++) nanosleep(&(struct timespec){0, 1000000}, NULL);
    return atomic_load(arrived) < 2 ? steep_fail(error, STEEP_SINGULAR, "alone") : STEEP_OK;
}

static steep_status ignore(void *context, size_t index, const void *result, const steep_payload *payload,
                           steep_error *error)
{
    (void)context, (void)index, (void)result, (void)payload, (void)error;
    return STEEP_OK;
}

/* Two tasks that wait for each other end only when they run at the same time. */
START_TEST(in_parallel)
{
    atomic_int *arrived = mmap(NULL, sizeof *arrived, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const steep_work_list list = {
        .jobs = 2, .count = 2, .work = wait_for_other, .note = ignore, .context = arrived};
    ck_assert_int_eq(steep_pool_run(&list, NULL), STEEP_OK);
    ck_assert_int_eq(atomic_load(arrived), 2);
    ck_assert_uint_ge(steep_processors(), 1);
    munmap(arrived, sizeof *arrived);
}
END_TEST

static steep_status wait_long(void *context, size_t index, void *result, steep_payload *payload, steep_error *error)
{
    (void)context, (void)index, (void)result, (void)payload, (void)error;
    for (int i = 0; i < 20; i++) nanosleep(&(struct timespec){1, 0}, NULL); /* and asks for no stop */
    return STEEP_OK;
}

static volatile int alarmed;

static void ask_to_stop(int signal_number)
{
    (void)signal_number;
    alarmed = 1;
}

/* A task that is apart is ended by a stop, with one job, too. */
START_TEST(apart)
{
    const steep_work_list list = {
        .jobs = 1, .count = 1, .work = wait_long, .note = ignore, .stop = &alarmed, .apart = true};
    const double begin = steep_clock_seconds();
    signal(SIGALRM, ask_to_stop);
    alarm(1);
    ck_assert_int_eq(steep_pool_run(&list, NULL), STEEP_STOPPED);
    ck_assert(steep_clock_seconds() - begin < 15);
}
END_TEST

STEEP_TEST_MAIN("workers", apart, each_once, failures, stops, a_crash_is_told_and_takes_nothing_with_it, in_parallel)
