/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pool: every task is answered once, for any number of workers, also if workers die; a task that kills its worker is
 * lost alone, or tried again; failures and stops end the run; a life gets all tasks at once. */
#include "execute/pool.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "chance.h"
#include "harness.h"

enum { MOST = 5000, MANY = 1000 };

/* What happens to a task: it is done; its worker is killed, or ends; it fails; its result is refused; it waits until a
 * second such task is at work; it takes half a minute. */
typedef enum fate { DONE, KILLED, ENDED, FAILS, REFUSED, MEETS, SLEEPS } fate;

typedef struct drawn {
    size_t count, payload[MOST];
    fate fate[MOST];
    int seen[MOST], lost[MOST];
    size_t at[MOST];    /* number of results before this one */
    size_t total, told; /* results; results before the last loss */
    size_t stop_at;     /* asks for a stop after so many results; 0: never */
    volatile int stop;
    atomic_int *meeting; /* shared with the workers */
    pid_t caller;
    char text[200]; /* of the last loss */
} drawn;

static steep_status work(void *context, size_t index, void *result, steep_payload *payload, steep_error *error)
{
    const drawn *d = context;
    if (d->fate[index] == KILLED) raise(SIGKILL);
    if (d->fate[index] == ENDED) _exit(0);
    if (d->fate[index] == FAILS) return steep_fail(error, STEEP_SINGULAR, "task %zu", index);
    for (int i = 0; d->fate[index] == SLEEPS && i < 30; i++) sleep(1);
    if (d->fate[index] == MEETS) {
        atomic_fetch_add(d->meeting, 1);
        for (int i = 0; i < 5000 && atomic_load(d->meeting) < 2; i++) usleep(1000);
        if (atomic_load(d->meeting) < 2) return steep_fail(error, STEEP_SINGULAR, "alone");
    }
    *(size_t *)result = index * index;
    *payload = (steep_payload){calloc(d->payload[index] + 1, sizeof(double)), d->payload[index]};
    for (size_t i = 0; i < payload->count; i++) payload->value[i] = (double)(index + i);
    return index % 7 ? STEEP_OK : STEEP_STALLED; /* > 0 is no failure */
}

static steep_status note(void *context, size_t index, const void *result, const steep_payload *payload,
                         steep_error *error)
{
    drawn *d = context;
    ck_assert_int_eq(getpid(), d->caller);
    ck_assert_int_eq(d->seen[index]++, 0);
    ck_assert(d->fate[index] == DONE || d->fate[index] >= REFUSED);
    ck_assert_uint_eq(*(const size_t *)result, index * index);
    ck_assert_uint_eq(payload->count, d->payload[index]);
    for (size_t i = 0; i < payload->count; i += 97) ck_assert(payload->value[i] == (double)(index + i));
    d->at[index] = d->total;
    if (++d->total == d->stop_at) d->stop = 1;
    return d->fate[index] == REFUSED ? steep_fail(error, STEEP_IO, "no room for %zu", index) : STEEP_OK;
}

static void lost(void *context, const steep_loss *loss)
{
    drawn *d = context;
    ck_assert_int_eq(loss->signal, d->fate[loss->index] == KILLED ? SIGKILL : -1);
    d->lost[loss->index]++;
    d->told = d->total;
    snprintf(d->text, sizeof d->text, "%s", loss->text);
}

static steep_work_list list_of(drawn *d, size_t jobs)
{
    steep_work_list list = {.jobs = jobs, .count = d->count, .size = sizeof(size_t), .context = d, .stop = &d->stop};
    list.work = work, list.note = note, list.lost = lost;
    return list;
}

static drawn draw_tasks(steep_random *random)
{
    drawn d = {.count = 1 + chance_below(random, 200), .caller = getpid()};
    const size_t deaths = chance_below(random, 3) ? 30 : 2; /* 2: every second task is bad */
    for (size_t i = 0; i < d.count; i++) {
        if (chance_below(random, deaths) == 0) d.fate[i] = chance_below(random, 2) ? KILLED : ENDED;
        if (chance_below(random, 4) == 0) d.payload[i] = chance_below(random, 30000); /* more than a pipe holds */
    }
    return d;
}

START_RANDOM_TEST(all_tasks_are_answered, 1)
{
    for (size_t c = 0, cases = chance_cases(12); c < cases; c++) {
        drawn d = draw_tasks(&random);
        steep_work_list list = list_of(&d, 1 + chance_below(&random, 6));
        list.replace = true;
        list.attempts = 2;
        steep_pool *pool;
        ck_assert_int_eq(steep_pool_open(&list, &pool, NULL), STEEP_OK);
        ck_assert_uint_eq(steep_pool_workers(pool), list.jobs < d.count ? list.jobs : d.count);
        for (size_t given = 0; given < d.count || steep_pool_tasks(pool) > 0;) {
            for (size_t more = chance_below(&random, 9); more > 0 && given < d.count; more--)
                steep_pool_push(pool, given++);
            ck_assert_int_eq(steep_pool_turn(pool, steep_pool_tasks(pool) > 0 ? 0.5 : 0, NULL), STEEP_OK);
        }
        for (size_t i = 0; i < d.count; i++) {
            ck_assert_int_eq(d.seen[i], d.fate[i] == DONE);
            ck_assert_int_eq(d.lost[i], d.fate[i] == DONE ? 0 : 2);
        }
        steep_pool_close(pool);
    }
}

/* MANY tasks, one of them perhaps bad. Some results are nearly as large as a pipe, more of them if a worker is killed:
 * then the other worker is still at work when the loss is seen. */
static drawn many(size_t bad, fate how)
{
    drawn d = {.count = MANY, .caller = getpid(), .told = MANY};
    for (size_t i = 0; i < MANY; i++) d.payload[i] = i % 5 * (how == KILLED || i % 20 < 5 ? 2007 : 7);
    d.fate[bad] = how;
    return d;
}

START_TEST(each_task_is_answered_once)
{
    static const size_t jobs[] = {0, 1, 2, 7, 20};
    for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
        drawn d = many(0, DONE);
        const steep_work_list list = list_of(&d, jobs[j]);
        ck_assert_int_eq(steep_pool_run(&list, NULL), STEEP_OK);
        for (size_t i = 0; i < MANY; i++) ck_assert(d.seen[i] == 1 && (jobs[j] != 1 || d.at[i] == i));
    }
    const steep_work_list none = {.jobs = 3, .size = 8, .work = work, .note = note},
                          large = {.jobs = 3, .count = 1, .size = STEEP_WORK_RESULT + 1, .work = work, .note = note};
    ck_assert_int_eq(steep_pool_run(&none, NULL), STEEP_OK);
    ck_assert_int_eq(steep_pool_run(&large, NULL), STEEP_BAD_INPUT);
}

START_TEST(failures_and_stops_end_a_run)
{
    for (size_t jobs = 1; jobs <= 4; jobs++) {
        steep_error error = {{0}};
        drawn d = many(500, FAILS);
        steep_work_list list = list_of(&d, jobs);
        check_says(steep_pool_run(&list, &error), STEEP_SINGULAR, "task 500");
        for (size_t i = 0; i <= 500; i++) ck_assert_int_eq(d.seen[i], i < 500); /* begun before it */
        d = many(300, REFUSED);
        check_says(steep_pool_run(&list, &error), STEEP_IO, "no room for 300");
        d = many(0, DONE);
        d.stop_at = 1;
        list.replace = true; /* no worker replaces one that the stop killed */
        const steep_status status = steep_pool_run(&list, &error);
        ck_assert_int_eq(status, d.total == MANY ? STEEP_OK : STEEP_STOPPED); /* workers may be quicker than a note */
        ck_assert_uint_ge(d.total, d.stop_at);
    }
}

/* A crash loses its task alone, and is reported at once, before the other worker has done all other tasks. */
START_TEST(a_crash_takes_nothing_with_it)
{
    static const size_t bad[] = {MANY - 1, 0};
    for (size_t k = 0; k < 2; k++) {
        steep_error error = {{0}};
        drawn d = many(bad[k], KILLED);
        const steep_work_list list = list_of(&d, 2);
        check_says(steep_pool_run(&list, &error), STEEP_IO, "signal 9");
        for (size_t i = 0; i < MANY; i++) ck_assert_int_eq(d.seen[i], i != bad[k]);
        ck_assert_ptr_nonnull(strstr(d.text, "signal 9"));
        ck_assert_uint_lt(d.told, bad[k] == 0 ? MANY - 1 : MANY);
    }
}

/* Two tasks that wait for each other end only when they run at the same time. */
START_TEST(tasks_run_in_parallel)
{
    drawn d = {.count = 2, .fate = {MEETS, MEETS}, .caller = getpid()};
    const steep_work_list list = list_of(&d, 2);
    d.meeting = mmap(NULL, sizeof *d.meeting, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_int_eq(steep_pool_run(&list, NULL), STEEP_OK);
    ck_assert_uint_eq(d.total, 2);
}

static volatile int stop;

static void ask_to_stop(int signal_number)
{
    (void)signal_number;
    stop = 1;
}

static steep_status do_nothing(void *context, size_t index, void *result, steep_payload *payload, steep_error *error)
{
    (void)context, (void)payload, (void)error;
    *(size_t *)result = index;
    return STEEP_OK;
}

static steep_status count(void *context, size_t index, const void *result, const steep_payload *payload,
                          steep_error *error)
{
    (void)payload, (void)error;
    ck_assert_uint_eq(*(const size_t *)result, index);
    ++*(size_t *)context;
    return STEEP_OK;
}

/* Tasks that take no time, so many that a fifth of them, sent at once, would not fit into the worker's socket, nor the
 * results into the caller's: neither side waits for room. */
START_TEST(nobody_waits_for_room)
{
    enum { TASKS = 160000 };
    static double cost[TASKS];
    size_t answered = 0;
    for (size_t i = 0; i < TASKS; i++) cost[i] = 1e-3;
    const steep_work_list list = {.jobs = 1,
                                  .count = TASKS,
                                  .size = sizeof(size_t),
                                  .cost = cost,
                                  .context = &answered,
                                  .work = do_nothing,
                                  .note = count};
    ck_assert_int_eq(steep_pool_run(&list, NULL), STEEP_OK);
    ck_assert_uint_eq(answered, TASKS);
}

/* Closing ends tasks in progress at once, and so does a stop with one job. */
START_TEST(closing_ends_what_is_in_progress)
{
    drawn d = {.count = 8, .caller = getpid()};
    for (size_t i = 0; i < 8; i++) d.fate[i] = SLEEPS;
    steep_work_list list = list_of(&d, 3);
    steep_pool *pool;
    const double begin = steep_clock_seconds();
    ck_assert_int_eq(steep_pool_open(&list, &pool, NULL), STEEP_OK);
    for (size_t i = 0; i < 8; i++) steep_pool_push(pool, i);
    ck_assert_int_eq(steep_pool_turn(pool, 0.01, NULL), STEEP_OK);
    ck_assert_uint_eq(steep_pool_tasks(pool), 8);
    steep_pool_close(pool);
    steep_pool_close(NULL);
    signal(SIGALRM, ask_to_stop);
    alarm(1);
    list.jobs = 1, list.stop = &stop;
    ck_assert_int_eq(steep_pool_run(&list, NULL), STEEP_STOPPED);
    ck_assert(steep_clock_seconds() - begin < 15);
}

typedef struct letters {
    const char *how; /* what the life does after four answers */
    size_t refuse, answers, bytes;
} letters;

static void answer_backwards(void *context, const steep_worker *worker)
{
    const letters *l = context;
    const size_t count = worker->list->count;
    const steep_error why = {"no more of this"};
    for (size_t i = 0; i < count; i++) {
        steep_payload payload = {calloc(i * i * 7 + i * 5000 + 1, sizeof(double)), i * i * 7 + i * 5000};
        for (size_t k = 0; k < payload.count; k++) payload.value[k] = (double)(i + k);
        const bool sent = steep_worker_answer(worker, count - 1 - i, STEEP_OK, &i, &payload, NULL);
        free(payload.value);
        if (i == 3 && strcmp(l->how, "dies") == 0) raise(SIGKILL);
        if (i == 3 && strcmp(l->how, "fails") == 0) steep_worker_fail(worker, STEEP_IO, &why);
        if (i == 3 && strcmp(l->how, "hangs") == 0)
            while (true) pause();
        if (!sent) break;
    }
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

START_TEST(a_life_is_given_all_tasks)
{
    static const struct {
        const char *how, *says;
        size_t refuse, answers;
        steep_status status;
    } cases[] = {{"", "", 0, 6, STEEP_OK},
                 {"", "no room", 2, 2, STEEP_IO},
                 {"dies", "it was ended by signal 9", 0, 4, STEEP_IO},
                 {"fails", "no more of this", 0, 4, STEEP_IO},
                 {"hangs", "", 0, 4, STEEP_STOPPED}};
    signal(SIGALRM, ask_to_stop);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        letters l = {.how = cases[i].how, .refuse = cases[i].refuse};
        steep_error error = {""};
        stop = 0;
        const double begin = steep_clock_seconds();
        steep_work_list list = {.count = 6, .size = sizeof(size_t), .context = &l, .stop = &stop, .worker = "it"};
        list.crew = &steep_crew_processes, list.life = answer_backwards, list.note = read_answer;
        const steep_status status = steep_pool_run(&list, &error);
        ck_assert_msg(status == cases[i].status && strstr(error.text, cases[i].says), "%s: %s: %s", cases[i].how,
                      steep_status_name(status), error.text);
        ck_assert_uint_ge(l.answers, cases[i].answers);
        if (cases[i].refuse == 0) ck_assert_uint_eq(l.answers, cases[i].answers);
        ck_assert(steep_clock_seconds() - begin < 10);
    }
}
