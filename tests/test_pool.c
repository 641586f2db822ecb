/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pool: every task is answered once, whatever workers die on the way; a task that kills its worker is lost alone. */
#include "execute/pool.h"

#include <signal.h>
#include <unistd.h>

#include "chance.h"
#include "harness.h"

#define MOST 200

typedef struct drawn {
    size_t count, payload[MOST];
    int fate[MOST]; /* 0: done; 1: its worker is killed; 2: its worker ends; 3: fails */
} drawn;

static steep_status work(void *context, size_t index, void *result, steep_payload *payload, steep_error *error)
{
    const drawn *d = context;
    if (d->fate[index] == 1) raise(SIGKILL);
    if (d->fate[index] == 2) _exit(0);
    if (d->fate[index] == 3) return steep_fail(error, STEEP_SINGULAR, "task %zu", index);
    *(size_t *)result = index * index;
    *payload = (steep_payload){calloc(d->payload[index] + 1, sizeof(double)), d->payload[index]};
    for (size_t i = 0; i < payload->count; i++) payload->value[i] = (double)(index + i);
    return STEEP_OK;
}

static void look_at(const drawn *d, const steep_pool_event *event, int *seen)
{
    const int fate = d->fate[event->index];
    char text[40];
    snprintf(text, sizeof text, "task %zu", event->index);
    ck_assert_int_eq(seen[event->index]++, 0);
    ck_assert_int_eq(event->signal, fate == 1 ? SIGKILL : fate == 2 ? -1 : 0);
    ck_assert_int_eq(event->status, fate == 0 ? STEEP_OK : fate == 3 ? STEEP_SINGULAR : STEEP_IO);
    if (fate == 3) ck_assert_str_eq(event->error.text, text);
    if (fate != 0) return;
    ck_assert_uint_eq(*(const size_t *)event->result, event->index * event->index);
    ck_assert_uint_eq(event->payload->count, d->payload[event->index]);
    for (size_t i = 0; i < event->payload->count; i += 97)
        ck_assert(event->payload->value[i] == (double)(event->index + i));
}

START_TEST(all_answered)
{
    steep_random random = chance_start(1);
    for (size_t c = 0, cases = chance_cases(12); c < cases; c++) {
        drawn d = {.count = 1 + chance_below(&random, MOST)};
        int seen[MOST] = {0};
        const size_t deaths = chance_below(&random, 3) ? 30 : 2; /* of 2 every second task is bad */
        for (size_t i = 0; i < d.count; i++) {
            if (chance_below(&random, deaths) == 0) d.fate[i] = 1 + (int)chance_below(&random, 3);
            if (chance_below(&random, 4) == 0) d.payload[i] = chance_below(&random, 30000); /* more than a pipe holds */
        }
        const steep_pool_options options = {1 + chance_below(&random, 6), sizeof(size_t), work, &d};
        steep_pool *pool;
        ck_assert_int_eq(steep_pool_open(&options, &pool, NULL), STEEP_OK);
        ck_assert_uint_eq(steep_pool_hands(pool), options.hands);
        steep_pool_event event;
        size_t given = 0, answered = 0;
        while (answered < d.count) {
            for (size_t more = chance_below(&random, 9); more > 0 && given < d.count; more--)
                ck_assert_int_eq(steep_pool_give(pool, given++, NULL), STEEP_OK);
            if (!steep_pool_take(pool, given > answered ? 0.5 : 0, &event)) continue;
            look_at(&d, &event, seen);
            answered++;
        }
        ck_assert(!steep_pool_take(pool, 0, &event));
        steep_pool_close(pool);
    }
}
END_TEST

/* Closing ends what is in progress at once, and leaves no process behind. */
static steep_status sleep_long(void *context, size_t index, void *result, steep_payload *payload, steep_error *error)
{
    (void)index, (void)payload, (void)error;
    *(pid_t *)result = *(pid_t *)context;
    sleep(30);
    return STEEP_OK;
}

START_TEST(closed_early)
{
    pid_t caller = getpid();
    const steep_pool_options options = {3, sizeof(pid_t), sleep_long, &caller};
    steep_pool *pool;
    steep_pool_event event;
    ck_assert_int_eq(steep_pool_open(&options, &pool, NULL), STEEP_OK);
    for (size_t i = 0; i < 8; i++) ck_assert_int_eq(steep_pool_give(pool, i, NULL), STEEP_OK);
    ck_assert(!steep_pool_take(pool, 0.01, &event));
    alarm(5);
    steep_pool_close(pool);
    alarm(0);
    steep_pool_close(NULL);
}
END_TEST

STEEP_TEST_MAIN("pool", all_answered, closed_early)
