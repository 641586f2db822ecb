/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ranks: rows have the bits of one process, for any number of ranks and workers and any order of their answers. Fits of
 * ranks that die are done by other ranks, or are reported and done by the same command again. No MPI:
 * tests/cluster/star.h. */
#include "cluster/ranks.h"

#include <sys/mman.h>

#include "chance.h"
#include "cluster/ranks_words.h"
#include "execute/backend.h"
#include "plans.h"
#include "record/journal.h"
#include "scratch.h"
#include "cluster/star.h"

static steep_error error;

#define MOST 64

/* What happens to a rank. */
typedef enum fate { LIVES, NEVER_COMES, DIES, FALLS_SILENT, PAUSES, FATE_KINDS } fate;

/* What happens, shared by all processes. */
typedef struct fates {
    _Atomic int deaths[MOST];            /* workers that will die at fit i */
    _Atomic int fits;                    /* begun in all */
    _Atomic size_t begun[STAR_MOST];     /* by rank */
    _Atomic size_t log[STAR_MOST][MOST]; /* fits by rank, in the order in which its only worker began them */
    struct {
        fate kind;
        size_t at;
    } fate[STAR_MOST];
    int slow;     /* most microseconds that a fit waits */
    size_t other; /* a rank with other options */
    size_t bad;   /* a rank whose options are wrong */
    int stop;     /* other ranks are told to end */
} fates;

static fates *shared;   /* of one test program's run; set once, in main's process */
static size_t own_rank; /* set once in each rank */

enum { PATIENCE_US = 200000, THREADS = 3 }; /* threads: of each fit */

/* The factor by which sanitizers or other programs slow this one: CK_TIMEOUT_MULTIPLIER. */
static double slowness(void)
{
    const char *text = getenv("CK_TIMEOUT_MULTIPLIER");
    const double times = text ? strtod(text, NULL) : 1;
    return times >= 1 ? times : 1;
}

static void pause_for(double seconds)
{
    seconds *= slowness();
    const struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&time, NULL);
}

/* Called by a worker: the rank meets its fate if this is the fit for it. */
static void meet_fate(size_t at)
{
    const pid_t rank = getppid();
    if (shared->fate[own_rank].kind == LIVES || shared->fate[own_rank].at != at) return;
    switch (shared->fate[own_rank].kind) {
    case DIES: kill(rank, SIGKILL); break;
    case FALLS_SILENT:
        kill(rank, SIGSTOP);
        pause_for(3e-6 * PATIENCE_US);
        kill(rank, SIGKILL);
        break;
    case PAUSES: /* for so long that others are given its fits; then it answers, too */
        kill(rank, SIGSTOP);
        pause_for(2e-6 * PATIENCE_US);
        kill(rank, SIGCONT);
        return;
    default: return;
    }
    pause_for(20);
}

static steep_status fit(void *context, size_t index, void *result, steep_payload *payload, steep_error *why)
{
    const struct timespec pause = {0, shared->slow ? (long)(1000 * ((index * 7919) % (size_t)shared->slow)) : 0};
    const size_t at = shared->begun[own_rank]++;
    if (at < MOST) shared->log[own_rank][at] = index;
    shared->fits++;
    meet_fate(at);
    if (index < MOST && shared->deaths[index] > 0) {
        shared->deaths[index]--;
        raise(SIGKILL);
    }
    nanosleep(&pause, NULL);
    if (((const steep_batch *)context)->threads != THREADS) return steep_fail(why, STEEP_IO, "other threads");
    return steep_cpu_fit(context, index, result, payload, why);
}

static int serve(void *context, steep_link *link)
{
    steep_sweep_options options = *(const steep_sweep_options *)context;
    steep_ranks ranks = {.link = link, .fit = fit, .patience = slowness()};
    options.run.backend = &steep_backend_ranks;
    options.run.others = &ranks;
    own_rank = link->rank;
    if (shared->fate[own_rank].kind == NEVER_COMES) raise(SIGKILL);
    if (link->rank == shared->other) options.model.widths = "2,3";
    if (link->rank == shared->bad) options.problem.target = "no_such_target";
    options.stop = &shared->stop;
    return steep_sweep_serve(&options, &error) == STEEP_OK ? 0 : 1;
}

static void begin(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(shared, MAP_FAILED);
}

static steep_sweep_options small_sweep(void)
{
    steep_sweep_options options = OPTIONS("arch", "mlp,glu", "widths", "2:6", "seeds", "0:2", "samples", "60", "solver",
                                          "lm", "start", "random", "max-iterations", "12");
    options.run.out = NULL;
    options.run.jobs = 1;
    options.run.threads = THREADS;
    return options;
}

/* Runs a sweep on the ranks of ranks->link, and ends these ranks. */
static steep_status run_on(steep_ranks *ranks, steep_sweep_options *options, steep_sweep_result *result)
{
    options->run.backend = &steep_backend_ranks;
    options->run.others = ranks;
    const steep_status status = steep_sweep_run(options, result, &error);
    steep_ranks_end(ranks);
    options->run.others = NULL;
    options->run.backend = NULL;
    return status;
}

static steep_status run(steep_sweep_options *options, size_t size, double patience, steep_sweep_result *result)
{
    steep_ranks ranks = {.link = star_open(size, serve, options), .fit = fit, .patience = slowness() * patience};
    return run_on(&ranks, options, result);
}

/* Wrong or other options of a rank are named. Faults that rank 0 has, too, are told before any fit; all ranks end. */
START_TEST(ranks_that_differ)
{
    static const struct {
        size_t other, bad;
        const char *target, *device;
        steep_status status;
        const char *who, *says;
    } cases[] = {{2, 0, NULL, NULL, STEEP_IO, "rank 2", "other options"},
                 {0, 1, NULL, NULL, STEEP_IO, "rank 1", "no_such_target"},
                 {0, 0, "no_such_target", NULL, STEEP_BAD_INPUT, "", "no_such_target"},
                 {0, 0, NULL, "cuda", STEEP_BAD_INPUT, "", "--device cuda"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        steep_sweep_options options = small_sweep();
        begin();
        shared->slow = 40000;
        shared->other = cases[i].other;
        shared->bad = cases[i].bad;
        if (cases[i].target) options.problem.target = cases[i].target;
        options.run.device = cases[i].device;
        check_says(run(&options, 3, 0, NULL), cases[i].status, cases[i].says);
        ck_assert_msg(strstr(error.text, cases[i].who), "%s", error.text);
    }
}

/* Writes the place of each fit in the right order: the most expensive first, equals in the plan's order. */
static void rank_by_cost(const steep_plan *plan, size_t *place)
{
    for (size_t i = 0; i < plan->tasks; i++) {
        const double own = steep_plan_cost(plan, &plan->task[i]);
        place[i] = 0;
        for (size_t j = 0; j < plan->tasks; j++) {
            const double other = steep_plan_cost(plan, &plan->task[j]);
            place[i] += other > own || (other == own && j < i);
        }
    }
}

/* The most expensive fits go first, for random widths and two solvers, so that the plan's order is another. Rank 0
 * alone does all fits in order; with others, each rank begins its fits in order. */
START_RANDOM_TEST(dearest_first, 2)
{
    for (size_t c = 0, cases = chance_cases(5); c < cases; c++) {
        steep_sweep_options options = small_sweep();
        SCOPED(steep_sweep_result_free) steep_sweep_result result;
        char widths[64];
        size_t place[MOST], began = 0;
        const size_t size = c == 0 ? 1 : 1 + chance_below(&random, 4), width = 1 + chance_below(&random, 9);
        snprintf(widths, sizeof widths, "%zu,%zu,%zu", width, width + 1 + chance_below(&random, 9),
                 width + 11 + chance_below(&random, 9));
        options.model.widths = widths;
        options.problem.samples = "400";
        options.solver.solver = "lm,frozen";
        begin();
        shared->slow = 3000;
        check_says(run(&options, size, 0, &result), STEEP_OK, "");
        ck_assert_uint_le(result.plan->tasks, MOST);
        rank_by_cost(result.plan, place);
        for (size_t r = 0; r < size; r++) {
            const _Atomic size_t *index = shared->log[r];
            for (size_t i = 1; i < shared->begun[r]; i++)
                ck_assert_msg(place[index[i - 1]] < place[index[i]], "fit %zu goes before fit %zu, which is dearer",
                              (size_t)index[i - 1], (size_t)index[i]);
            began += shared->begun[r];
        }
        ck_assert_uint_eq(began, result.plan->tasks);
    }
}

/* Draws what happens in case c of random_lives. Returns how many mishaps there are. */
static size_t draw_fates(size_t c, steep_random *random, size_t size, size_t tasks)
{
    const bool drawn = c > 2, calm = drawn && c % 2;
    const size_t deaths = drawn ? chance_below(random, 4) : 2 * (c == 2);
    size_t mishaps = calm ? 0 : deaths;
    begin();
    shared->slow = !drawn ? 40000 : calm ? 3000 * (int)chance_below(random, 2) : 20000; /* so that each gets some */
    for (size_t r = 1; r < size && !calm; r++) {
        shared->fate[r].at = drawn ? chance_below(random, 4) : 0;
        if (drawn) shared->fate[r].kind = (fate)chance_below(random, FATE_KINDS);
        else if (r == 2 - c) shared->fate[r].kind = c ? FALLS_SILENT : DIES;
        mishaps += shared->fate[r].kind != LIVES;
    }
    for (size_t k = 0; k < deaths; k++) {
        _Atomic int *own = &shared->deaths[drawn ? chance_below(random, tasks) : 7];
        *own = calm ? 1 : *own + 1;
    }
    return mishaps;
}

static void check_rows(const steep_sweep_result *alone, const steep_sweep_result *together, bool all)
{
    for (size_t i = 0; i < alone->plan->tasks; i++)
        ck_assert(together->row[i].present ? steep_fit_row_same(&alone->row[i], &together->row[i]) : !all);
}

/* The rows have the bits of one process although ranks never come, die, fall silent, or are given up and answer after
 * all, at a random fit, and workers die. The first cases: a rank dies; a rank falls silent; a fit kills two workers.
 * Only a fit that is lost twice is left undone, and the same command does it. In every other random case ranks live,
 * and no fit is lost twice. Networks come over the link, too. */
START_RANDOM_TEST(random_lives, 3)
{
    steep_sweep_options options = small_sweep();
    steep_sweep_result alone, together;
    char one[64], many[64];
    snprintf(one, sizeof one, "%s/one", scratch_make());
    snprintf(many, sizeof many, "%s/many", scratch_folder);
    options.run.keep_networks = true;
    options.run.out = one;
    ck_assert_int_eq(steep_sweep_run(&options, &alone, NULL), STEEP_OK);
    options.run.out = many;
    const size_t tasks = alone.plan->tasks, networks = scratch_count(scratch_path(one, "networks"));
    ck_assert_uint_gt(networks, 0);
    for (size_t c = 0, cases = 3 + chance_cases(10); c < cases; c++) {
        const size_t size = c > 2 ? 1 + chance_below(&random, 6) : 4, mishaps = draw_fates(c, &random, size, tasks);
        options.run.jobs = chance_below(&random, 4);
        const steep_status status = run(&options, size, mishaps ? 1e-6 * PATIENCE_US : 0, &together);
        ck_assert_msg(status == STEEP_OK || (mishaps > 1 && status == STEEP_IO && strstr(error.text, "left undone")),
                      "%zu mishaps: %s", mishaps, error.text);
        check_rows(&alone, &together, status == STEEP_OK);
        const size_t done = together.computed;
        if (c == 2) {
            ck_assert(done == tasks - 1 && !together.row[7].present);
            ck_assert_msg(strstr(error.text, "1 fit was") && strstr(error.text, "signal 9"), "%s", error.text);
        }
        steep_sweep_result_free(&together);
        begin();
        check_says(run(&options, size, 0, &together), STEEP_OK, "");
        ck_assert_uint_eq(together.kept, done);
        ck_assert_uint_eq((size_t)shared->fits, tasks - done);
        check_rows(&alone, &together, true);
        ck_assert_uint_eq(scratch_count(scratch_path(many, "networks")), networks);
        steep_sweep_result_free(&together);
        scratch_remove(many);
    }
    steep_sweep_result_free(&alone);
}

/* Messages that hold less than their kind needs. */
static const struct {
    kind kind;
    size_t number, bytes;
} cut[] = {{BEAT, 0, sizeof(head) - 1},
           {HELLO, 0, sizeof(head)},
           {HELLO, 0, sizeof(head) + sizeof(hello) - 1},
           {RESULT, 0, sizeof(head) + sizeof(steep_outcome) - 1},
           {RESULT, SIZE_MAX / 8 + 2, sizeof(head) + sizeof(steep_outcome) + 8},
           {FAILED, 0, sizeof(head) + 3},
           {WORK, 3, sizeof(head) + 2 * sizeof(size_t)},
           {TASKS, SIZE_MAX / 8 + 2, sizeof(head) + sizeof(size_t)}};
enum { TO_RANK_0 = 6, CUTS = sizeof cut / sizeof *cut };

static bool send_cut(steep_link *link, size_t to, size_t c)
{
    const head h = {.kind = cut[c].kind, .number = cut[c].number};
    char *bytes = calloc(1, sizeof h + cut[c].bytes);
    memcpy(bytes, &h, sizeof h);
    const bool sent = link->send(link, to, bytes, cut[c].bytes);
    free(bytes);
    return sent;
}

/* Whether a message of this kind is among those that have come; the text of a failure is in error. */
static bool has_come(steep_link *link, kind wanted)
{
    size_t from, size;
    for (char *bytes; (bytes = link->receive(link, &from, &size));) {
        head h;
        memcpy(&h, bytes, sizeof h);
        if (h.kind == FAILED) memcpy(&error, bytes + sizeof h, sizeof error);
        free(bytes);
        if (h.kind == wanted) return true;
    }
    return false;
}

static bool await(steep_link *link, kind wanted)
{
    for (int k = 0; k < 1000; k++) {
        if (has_come(link, wanted)) return true;
        pause_for(0.01);
    }
    return false;
}

static int serve_cut(void *context, steep_link *link)
{
    return send_cut(link, 0, *(const size_t *)context) && await(link, END) ? 0 : 1;
}

/* A rank of another build may send less than a message should hold: no side reads behind it, both say so. */
START_TEST(short_messages_are_of_another_build)
{
    for (size_t c = 0; c < CUTS; c++) {
        steep_sweep_options options = small_sweep();
        begin();
        if (c < TO_RANK_0) {
            steep_ranks ranks = {.link = star_open(2, serve_cut, &c), .fit = fit, .patience = slowness()};
            check_says(run_on(&ranks, &options, NULL), STEEP_IO, "of another build");
            continue;
        }
        steep_link *link = star_open(2, serve, &options);
        ck_assert(send_cut(link, 1, c) && await(link, FAILED));
        check_says(0, 0, "of another build");
        say(link, 1, &(head){.kind = END}, NULL, 0);
        link->close(link, false);
    }
}

/* A rank that is told to end does no work that comes later, and waits for rank 0 no longer than its patience. */
START_TEST(a_rank_that_leaves)
{
    static const size_t list[] = {0, 1, 2};
    const head work = {.kind = WORK, .number = 3}, end = {.kind = END};
    for (size_t late = 0; late < 2; late++) {
        steep_sweep_options options = small_sweep();
        begin();
        shared->stop = late;
        steep_link *link = star_open(2, serve, &options);
        ck_assert(await(link, late ? LEAVE : HELLO));
        say(link, 1, &work, list, sizeof list);
        ck_assert(late || await(link, READY));
        shared->stop = 1;
        ck_assert(late || await(link, LEAVE));
        if (late) say(link, 1, &end, NULL, 0);
        siginfo_t gone = {.si_pid = 0}; /* rank 0 is silent, or has said all */
        for (int k = 0; k < 1000 && !gone.si_pid; k++) {
            waitid(P_PID, (id_t)((star *)link)->rank[1], &gone, WEXITED | WNOWAIT | WNOHANG);
            pause_for(0.01);
        }
        if (!gone.si_pid) kill(((star *)link)->rank[1], SIGKILL);
        ck_assert_msg(gone.si_pid, "the rank waits for ever");
        ck_assert(!late || !has_come(link, READY));
        link->close(link, false);
    }
}
