/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ranks: the rows are those of one process, to the bit, whatever the number of ranks and workers and in whatever order
 * they answer; what dies on the way is done by others, or said and done by the same command again. No MPI: tests/star.h. */
#include "run/ranks.h"

#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "chance.h"
#include "run/cpu.h"
#include "run/rows.h"
#include "run/serve.h"
#include "scratch.h"
#include "star.h"

#define MOST 64

/* What happens, shared by all processes. */
typedef struct fates {
    _Atomic int deaths[MOST]; /* of the worker at fit i: so many more */
    _Atomic int fits;         /* begun in all */
    int slow;                 /* microseconds that a fit takes at most beside its own time */
    size_t dying, silent;     /* ranks that end, or stop, at their first task; 0: none */
    size_t other;             /* a rank with other options */
    size_t bad;               /* a rank whose options are wrong */
} fates;

static fates *shared; /* of one test program's run; set once, in main's process */

static steep_status fit(void *context, size_t index, void *result, steep_payload *payload, steep_error *error)
{
    const struct timespec pause = {0, shared->slow ? (long)(1000 * ((index * 7919) % (size_t)shared->slow)) : 0};
    shared->fits++;
    if (index < MOST && shared->deaths[index] > 0) {
        shared->deaths[index]--;
        raise(SIGKILL);
    }
    nanosleep(&pause, NULL);
    return steep_cpu_fit(context, index, result, payload, error);
}

/* The fit of a rank that is to end: its parent speaks for the rank. */
static steep_status fit_and_end(void *context, size_t index, void *result, steep_payload *payload, steep_error *error)
{
    (void)context, (void)index, (void)result, (void)payload, (void)error;
    kill(getppid(), SIGKILL);
    sleep(20);
    return STEEP_OK;
}

static steep_status fit_and_stop(void *context, size_t index, void *result, steep_payload *payload, steep_error *error)
{
    (void)context, (void)index, (void)result, (void)payload, (void)error;
    kill(getppid(), SIGSTOP);
    sleep(1);
    kill(getppid(), SIGKILL);
    return STEEP_OK;
}

static int serve(void *context, steep_link *link)
{
    steep_sweep_options options = *(const steep_sweep_options *)context;
    steep_error error = {{0}};
    steep_ranks ranks = {.link = link, .fit = fit, .patience = 1};
    options.run.ranks = &ranks;
    if (link->rank == shared->dying) ranks.fit = fit_and_end;
    if (link->rank == shared->silent) ranks.fit = fit_and_stop;
    if (link->rank == shared->other) options.model.widths = "2,3";
    if (link->rank == shared->bad) options.problem.target = "no_such_target";
    return steep_sweep_serve(&options, &error) == STEEP_OK ? 0 : 1;
}

static void begin(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(shared, MAP_FAILED);
}

static steep_sweep_options small_sweep(void)
{
    steep_sweep_options options = steep_sweep_options_default();
    options.model.arch = "mlp,glu";
    options.model.widths = "2:6";
    options.problem.seeds = "0:2";
    options.problem.samples = 60;
    options.solver.solver = "lm";
    options.solver.start = "random";
    options.solver.max_iterations = 12;
    options.run.out = NULL;
    options.run.jobs = 1;
    return options;
}

static steep_status run(steep_sweep_options *options, size_t size, double patience, steep_sweep_result *result,
                        steep_error *error)
{
    steep_ranks ranks = {.link = star_open(size, serve, options), .fit = fit, .patience = patience};
    options->run.ranks = &ranks;
    const steep_status status = steep_sweep_run(options, result, error);
    steep_ranks_end(&ranks);
    options->run.ranks = NULL;
    return status;
}

static void same_rows(const steep_sweep_result *a, const steep_sweep_result *b)
{
    ck_assert_uint_eq(a->plan.tasks, b->plan.tasks);
    for (size_t i = 0; i < a->plan.tasks; i++) {
        ck_assert(a->row[i].present);
        ck_assert_msg(steep_fit_row_same(&a->row[i], &b->row[i]), "row %zu is another", i);
    }
}

START_TEST(same_bits)
{
    steep_random random = chance_start(1);
    steep_sweep_options options = small_sweep();
    steep_sweep_result alone, together;
    ck_assert_int_eq(steep_sweep_run(&options, &alone, NULL), STEEP_OK);
    for (size_t c = 0, cases = chance_cases(8); c < cases; c++) {
        steep_error error = {{0}};
        const size_t size = 1 + chance_below(&random, 6);
        begin();
        options.run.jobs = chance_below(&random, 4);
        shared->slow = (int)chance_below(&random, 2) * 3000;
        for (size_t deaths = chance_below(&random, 4); deaths > 0; deaths--)
            shared->deaths[chance_below(&random, alone.plan.tasks)] = 1;
        ck_assert_msg(run(&options, size, 0, &together, &error) == STEEP_OK, "%s", error.text);
        same_rows(&alone, &together);
        steep_sweep_result_free(&together);
    }
    steep_sweep_result_free(&alone);
}
END_TEST

/* Networks come over the link, too; what is left undone is done by the same command. */
START_TEST(networks_and_resumed)
{
    steep_sweep_options options = small_sweep();
    steep_sweep_result result;
    steep_error error = {{0}};
    const char *folder = scratch_make();
    char one[64], many[64];
    snprintf(one, sizeof one, "%s/one", folder);
    snprintf(many, sizeof many, "%s/many", folder);
    options.run.keep_networks = true;
    options.run.out = one;
    ck_assert_int_eq(steep_sweep_run(&options, NULL, &error), STEEP_OK);
    begin();
    /* A fit that kills two workers is left undone, alone. */
    shared->deaths[7] = 2;
    options.run.out = many;
    ck_assert_int_eq(run(&options, 3, 0, &result, &error), STEEP_IO);
    ck_assert_msg(strstr(error.text, "1 fit was left undone") && strstr(error.text, "signal 9"), "%s", error.text);
    ck_assert_uint_eq(result.computed, result.plan.tasks - 1);
    ck_assert(!result.row[7].present);
    steep_sweep_result_free(&result);
    /* The same command does it, and nothing else. */
    shared->fits = 0;
    ck_assert_int_eq(run(&options, 4, 0, &result, &error), STEEP_OK);
    ck_assert_uint_eq(result.kept, result.plan.tasks - 1);
    ck_assert_int_eq(shared->fits, 1);
    for (size_t i = 0; i < result.plan.tasks; i++) ck_assert(result.row[i].present);
    steep_sweep_result_free(&result);
    const size_t kept = scratch_count(scratch_path(one, "networks"));
    ck_assert_uint_gt(kept, 0);
    ck_assert_uint_eq(kept, scratch_count(scratch_path(many, "networks")));
    scratch_remove(folder);
}
END_TEST

START_TEST(ranks_that_die)
{
    steep_sweep_options options = small_sweep();
    steep_sweep_result alone, together;
    ck_assert_int_eq(steep_sweep_run(&options, &alone, NULL), STEEP_OK);
    for (int silent = 0; silent < 2; silent++) {
        steep_error error = {{0}};
        begin();
        shared->slow = 40000; /* so that each rank gets some */
        shared->dying = silent ? 0 : 2;
        shared->silent = silent ? 1 : 0;
        ck_assert_msg(run(&options, 4, 0.4, &together, &error) == STEEP_OK, "%s", error.text);
        same_rows(&alone, &together);
        steep_sweep_result_free(&together);
    }
    steep_sweep_result_free(&alone);
}
END_TEST

START_TEST(ranks_that_differ)
{
    steep_sweep_options options = small_sweep();
    steep_error error = {{0}};
    begin();
    shared->slow = 40000;
    shared->other = 2;
    ck_assert_int_eq(run(&options, 3, 0, NULL, &error), STEEP_IO);
    ck_assert_msg(strstr(error.text, "rank 2") && strstr(error.text, "other options"), "%s", error.text);
    begin();
    shared->slow = 40000;
    shared->bad = 1;
    ck_assert_int_eq(run(&options, 3, 0, NULL, &error), STEEP_IO);
    ck_assert_msg(strstr(error.text, "rank 1") && strstr(error.text, "no_such_target"), "%s", error.text);
    /* What is wrong in rank 0 too is told before anything begins, and the others end. */
    begin();
    options.problem.target = "no_such_target";
    ck_assert_int_eq(run(&options, 3, 0, NULL, &error), STEEP_BAD_INPUT);
    options.problem.target = NULL;
    options.run.device = "cuda";
    ck_assert_int_eq(run(&options, 2, 0, NULL, &error), STEEP_BAD_INPUT);
    ck_assert_msg(strstr(error.text, "--device cuda"), "%s", error.text);
}
END_TEST

STEEP_TEST_MAIN("ranks", same_bits, networks_and_resumed, ranks_that_die, ranks_that_differ)
