/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pool: every task is answered once, whatever workers die on the way; a task that kills its worker is lost alone, or
 * tried again; a life is given all tasks at once. */
#include "execute/pool.h"

#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "chance.h"
#include "execute/processes.h"
#include "harness.h"

#define MOST 200

typedef struct drawn {
    size_t count, payload[MOST];
    int fate[MOST]; /* 0: done; 1: its worker is killed; 2: its worker ends */
    int seen[MOST], lost[MOST];
} drawn;

static steep_status work(void *context, size_t index, void *result, steep_payload *payload, steep_error *error)
{
    const drawn *d = context;
    (void)error;
    if (d->fate[index] == 1) raise(SIGKILL);
    if (d->fate[index] == 2) _exit(0);
    *(size_t *)result = index * index;
    *payload = (steep_payload){calloc(d->payload[index] + 1, sizeof(double)), d->payload[index]};
    for (size_t i = 0; i < payload->count; i++) payload->value[i] = (double)(index + i);
    return STEEP_OK;
}

static steep_status note(void *context, size_t index, const void *result, const steep_payload *payload,
                         steep_error *error)
{
    drawn *d = context;
    (void)error;
    ck_assert_int_eq(d->seen[index]++, 0);
    ck_assert_int_eq(d->fate[index], 0);
    ck_assert_uint_eq(*(const size_t *)result, index * index);
    ck_assert_uint_eq(payload->count, d->payload[index]);
    for (size_t i = 0; i < payload->count; i += 97) ck_assert(payload->value[i] == (double)(index + i));
    return STEEP_OK;
}

static void lost(void *context, const steep_loss *loss)
{
    drawn *d = context;
    ck_assert_int_eq(loss->signal, d->fate[loss->index] == 1 ? SIGKILL : -1);
    ck_assert_int_eq(loss->again, d->lost[loss->index] == 0);
    d->lost[loss->index]++;
}

static drawn draw_tasks(steep_random *random)
{
    drawn d = {.count = 1 + chance_below(random, MOST)};
    const size_t deaths = chance_below(random, 3) ? 30 : 2; /* of 2 every second task is bad */
    for (size_t i = 0; i < d.count; i++) {
        if (chance_below(random, deaths) == 0) d.fate[i] = 1 + (int)chance_below(random, 2);
        if (chance_below(random, 4) == 0) d.payload[i] = chance_below(random, 30000); /* more than a pipe holds */
    }
    return d;
}

START_TEST(all_answered)
{
    steep_random random = chance_start(1);
    for (size_t c = 0, cases = chance_cases(12); c < cases; c++) {
        drawn d = draw_tasks(&random);
        const steep_work_list list = {.jobs = 1 + chance_below(&random, 6),
                                      .count = d.count,
                                      .size = sizeof(size_t),
                                      .work = work,
                                      .note = note,
                                      .context = &d,
                                      .apart = true,
                                      .attempts = 2,
                                      .replace = true,
                                      .lost = lost};
        steep_pool *pool;
        ck_assert_int_eq(steep_pool_open(&list, &pool, NULL), STEEP_OK);
        ck_assert_uint_eq(steep_pool_workers(pool), list.jobs < d.count ? list.jobs : d.count);
        for (size_t given = 0; given < d.count || steep_pool_tasks(pool) > 0;) {
            for (size_t more = chance_below(&random, 9); more > 0 && given < d.count; more--)
                steep_pool_push(pool, given++);
            ck_assert_int_eq(steep_pool_turn(pool, steep_pool_tasks(pool) > 0 ? 0.5 : 0, NULL), STEEP_OK);
        }
        for (size_t i = 0; i < d.count; i++) {
            ck_assert_int_eq(d.seen[i], d.fate[i] == 0);
            ck_assert_int_eq(d.lost[i], d.fate[i] == 0 ? 0 : 2);
        }
        steep_pool_close(pool);
    }
}
END_TEST

/* Closing ends what is in progress at once, and leaves no process behind. */
static steep_status sleep_long(void *context, size_t index, void *result, steep_payload *payload, steep_error *error)
{
    (void)context, (void)index, (void)result, (void)payload, (void)error;
    sleep(30);
    return STEEP_OK;
}

START_TEST(closed_early)
{
    const steep_work_list list = {.jobs = 3, .count = 8, .work = sleep_long};
    steep_pool *pool;
    ck_assert_int_eq(steep_pool_open(&list, &pool, NULL), STEEP_OK);
    for (size_t i = 0; i < 8; i++) steep_pool_push(pool, i);
    ck_assert_int_eq(steep_pool_turn(pool, 0.01, NULL), STEEP_OK);
    ck_assert_uint_eq(steep_pool_tasks(pool), 8);
    alarm(5);
    steep_pool_close(pool);
    alarm(0);
    steep_pool_close(NULL);
}
END_TEST

/* --- dearest first --- */

static steep_status order_of(void *context, size_t index, void *result, steep_payload *payload, steep_error *error)
{
    size_t *turn = context;
    (void)index, (void)payload, (void)error;
    *(size_t *)result = (*turn)++;
    return STEEP_OK;
}

typedef struct order {
    size_t turn, at[MOST]; /* first: what order_of counts */
} order;

static steep_status keep_order(void *context, size_t index, const void *result, const steep_payload *payload,
                               steep_error *error)
{
    (void)payload, (void)error;
    ((order *)context)->at[index] = *(const size_t *)result;
    return STEEP_OK;
}

START_TEST(dearest_first)
{
    steep_random random = chance_start(2);
    for (size_t c = 0, cases = chance_cases(12); c < cases; c++) {
        double cost[MOST];
        const size_t count = 1 + chance_below(&random, MOST);
        order o = {0};
        for (size_t i = 0; i < count; i++) cost[i] = (double)(1 + chance_below(&random, 20));
        const steep_work_list list = {.jobs = 1,
                                      .count = count,
                                      .size = sizeof(size_t),
                                      .work = order_of,
                                      .note = keep_order,
                                      .context = &o,
                                      .cost = cost,
                                      .apart = chance_below(&random, 2)};
        ck_assert_int_eq(steep_pool_run(&list, NULL), STEEP_OK);
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < i; j++) ck_assert((o.at[i] < o.at[j]) == (cost[i] > cost[j]));
    }
}
END_TEST

/* --- a life --- */

static volatile int stop;

static void ask_to_stop(int signal_number)
{
    (void)signal_number;
    stop = 1;
}

typedef struct letters {
    const char *how; /* what becomes of the life after three answers */
    size_t refuse, answers, bytes;
} letters;

static void answer_backwards(void *context, steep_worker *worker)
{
    const letters *l = context;
    size_t count, *index = steep_worker_receive(worker, &count);
    const steep_error why = {"no more of this"};
    for (size_t i = 0; i < count; i++) {
        steep_payload payload = {calloc(i * i * 7 + i * 5000 + 1, sizeof(double)), i * i * 7 + i * 5000};
        for (size_t k = 0; k < payload.count; k++) payload.value[k] = (double)(i + k);
        const bool sent =
            steep_worker_answer(worker, index[count - 1 - i], STEEP_OK, &i, &payload, NULL);
        free(payload.value);
        if (i == 3 && strcmp(l->how, "dies") == 0) raise(SIGKILL);
        if (i == 3 && strcmp(l->how, "fails") == 0) steep_worker_fail(worker, STEEP_IO, &why);
        if (i == 3 && strcmp(l->how, "heeds") == 0)
            while (!*worker->stop) usleep(1000);
        if (i == 3 && strcmp(l->how, "hangs") == 0)
            while (true) pause();
        if (!sent || *worker->stop) break;
    }
    free(index);
}

static steep_status read_answer(void *context, size_t index, const void *result, const steep_payload *payload,
                                steep_error *error)
{
    letters *l = context;
    const size_t i = l->answers++;
    ck_assert_uint_eq(*(const size_t *)result, i);
    ck_assert_uint_eq(index, 5 - i);
    ck_assert_uint_eq(payload->count, i * i * 7 + i * 5000);
    for (size_t k = 0; k < payload->count; k++) ck_assert(payload->value[k] == (double)(i + k));
    if (i == 3 && l->how[0] == 'h') alarm(1);
    return l->answers == l->refuse ? steep_fail(error, STEEP_IO, "no room") : STEEP_OK;
}

START_TEST(a_life)
{
    static const struct {
        const char *how, *says;
        size_t refuse, answers;
        steep_status status;
    } cases[] = {{"", "", 0, 6, STEEP_OK},          {"", "no room", 2, 2, STEEP_IO},
                 {"dies", "it was ended by signal 9", 0, 4, STEEP_IO}, {"fails", "no more of this", 0, 4, STEEP_IO},
                 {"heeds", "", 0, 4, STEEP_STOPPED}, {"hangs", "", 0, 4, STEEP_STOPPED}};
    signal(SIGALRM, ask_to_stop);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        letters l = {.how = cases[i].how, .refuse = cases[i].refuse};
        steep_error error = {""};
        stop = 0;
        const double begin = steep_clock_seconds();
        const steep_work_list list = {.count = 6,
                                      .size = sizeof(size_t),
                                      .note = read_answer,
                                      .context = &l,
                                      .stop = &stop,
                                      .crew = &steep_crew_life,
                                      .life = answer_backwards,
                                      .patience = 0.2,
                                      .worker = "it"};
        const steep_status status = steep_pool_run(&list, &error);
        ck_assert_msg(status == cases[i].status && strstr(error.text, cases[i].says), "%s: %s: %s", cases[i].how,
                      steep_status_name(status), error.text);
        ck_assert_uint_ge(l.answers, cases[i].answers);
        if (cases[i].refuse == 0) ck_assert_uint_eq(l.answers, cases[i].answers);
        ck_assert(steep_clock_seconds() - begin < 10);
    }
}
END_TEST

STEEP_TEST_MAIN("pool", all_answered, closed_early, dearest_first, a_life)
