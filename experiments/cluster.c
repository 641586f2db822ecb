/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cluster: what a sweep costs beside its fits, on one machine and on many. No fit is computed: each returns a simulated
 * result at once, a power law with scatter. Everything else is what a sweep does: plan, journal, shards and their
 * union, slopes, figure.
 *
 *     cluster --out DIR       tables of sweeps of 10^4, 10^5 and 10^6 fits; --quick: of 10^4; --full: 10^7 as well
 *     mpirun -n R cluster --out DIR    fits a second that rank 0 gives to R ranks and records */
#define _GNU_SOURCE
#include <ftw.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "cluster/link.h"
#include "cluster/ranks.h"
#include "record/journal.h"

#include "experiment.h"

/* A simulated fit: error width^-2 for mlp, width^-3 for glu, times 1 to 1.1 by the seed. */
static steep_status recorded(void *context, size_t index, void *result, steep_payload *payload, steep_error *error)
{
    const steep_batch *batch = context;
    const steep_task *task = &batch->plan->task[batch->task[index]];
    steep_outcome *o = result;
    steep_random random = steep_random_start(batch->plan->seed[task->seed], (task->variant << 20) + task->width);
    const double scatter = 1 + 0.1 * steep_random_uniform(&random);
    const double e = scatter * pow((double)task->width, task->variant % 2 ? -3.0 : -2.0);
    (void)payload, (void)error;
    o->row = (steep_fit_row){.present = true,
                             .status = STEEP_STALLED,
                             .rmse_train = 0.9 * e,
                             .rmse_test = e,
                             .max_error = 4 * e,
                             .floor = 1e-16,
                             .gradient_norm = 1e-9 * e,
                             .seconds = 1e-6,
                             .iterations = 50,
                             .evaluations = 60,
                             .samples = batch->plan->set[0],
                             .starts = 1,
                             .hits = 1};
    return STEEP_OK;
}

/* The link of a rank that is alone: nothing arrives. */
static void *receive_nothing(steep_link *link, size_t *from, size_t *size)
{
    (void)link, (void)from, (void)size;
    return NULL;
}

static void close_nothing(steep_link *link, bool lost)
{
    (void)link, (void)lost;
}

static char seeds[40];

/* 2 architectures, 50 widths, fits / 100 seeds. */
static steep_sweep_options sweep_of(double fits)
{
    steep_sweep_options options = steep_sweep_options_default();
    snprintf(seeds, sizeof seeds, "0:%.0f", fits / 100 - 1);
    options.model.arch = "mlp,glu";
    options.model.widths = "1:50";
    options.problem.seeds = seeds;
    options.problem.sampling = "grid";
    options.problem.samples = "200";
    options.solver.solver = "frozen";
    return options;
}

/* Processor seconds of this process, or of its children that have ended; other programs disturb them little. */
static double used_by(int who)
{
    struct rusage use;
    getrusage(who, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

static double used_seconds(void)
{
    return used_by(RUSAGE_SELF) + used_by(RUSAGE_CHILDREN);
}

static void must(const experiment *e, steep_status status, const steep_error *error)
{
    if (status < 0) experiment_die(e, error, 1);
}

static double run_into(const experiment *e, double fits, const char *folder, const char *shard, bool alone)
{
    steep_sweep_options options = sweep_of(fits);
    steep_error error = {""};
    steep_link link = {0, 1, "none", NULL, receive_nothing, close_nothing};
    steep_ranks ranks = {.link = &link, .fit = recorded};
    const double began = used_seconds();
    options.run.out = folder;
    options.run.shard = shard;
    options.run.backend = alone ? &steep_backend_ranks : NULL;
    options.run.others = alone ? &ranks : NULL;
    must(e, steep_sweep_run(&options, NULL, &error), &error);
    return used_seconds() - began;
}

/* Seconds of making the plan, and of reading all rows. */
static void time_parts(const experiment *e, double fits, const char *folder, double *plan_seconds, double *read_seconds)
{
    steep_sweep_options options = sweep_of(fits);
    steep_plan plan;
    steep_journal_state state;
    steep_error error = {""};
    char path[1200];
    double began = used_seconds();
    must(e, steep_plan_init(&options.problem, &options.model, &options.solver, &plan, &error), &error);
    plan.device = "cpu";
    *plan_seconds = used_seconds() - began;
    steep_fit_row *row = calloc(plan.tasks, sizeof *row);
    snprintf(path, sizeof path, "%s/fits.csv", folder);
    began = used_seconds();
    must(e, row ? steep_journal_read(path, &plan, false, row, &state, &error) : STEEP_NO_MEMORY, &error);
    *read_seconds = used_seconds() - began;
    free(row);
    steep_plan_free(&plan);
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
    (void)facts, (void)kind, (void)where;
    return remove(path);
}

/* Removes what an earlier run left. */
static void clear_folder(const char *folder)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Prints the row of one size. */
static void measure(const experiment *e, double fits)
{
    steep_error error = {""};
    struct rusage use;
    char parts[1100], shard[16];
    double shards = 0, plan, read;
    snprintf(parts, sizeof parts, "%s/%.0f-parts", e->out, fits);
    clear_folder(parts);
    for (int i = 1; i <= 4; i++) {
        snprintf(shard, sizeof shard, "%d/4", i);
        shards += run_into(e, fits, parts, shard, true);
    }
    const double join = run_into(e, fits, parts, NULL, false);
    getrusage(RUSAGE_SELF, &use);
    time_parts(e, fits, parts, &plan, &read);
    const double began = used_seconds();
    must(e, steep_figure_slopes(parts, NULL, NULL, &error), &error);
    printf("%10.0f  %6.2f  %20.2f  %8.1f  %6.2f  %13.2f  %8.1f  %6.2f  %6.0f\n", fits, plan, shards,
           1e6 * shards / fits, join, read, 1e6 * join / fits, used_seconds() - began, (double)use.ru_maxrss / 1024);
    clear_folder(parts);
}

/* Each size runs in its own process, so that its peak memory is measured alone. */
static void print_sizes(const experiment *e)
{
    static const double size[] = {1e4, 1e5, 1e6, 1e7};
    const steep_error error = {"no process for a measurement"};
    puts("recorded fits in 4 shards, and their union; seconds of the processor, all processes; MB: of the largest");
    puts("      fits    plan   handed out, written   us each   union  of it reading   us each    draw      MB");
    for (size_t i = 0; i < (e->quick ? 1 : e->full ? 4 : 3); i++) {
        int status = 1;
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0) {
            measure(e, size[i]);
            exit(0);
        }
        if (waitpid(child, &status, 0) < 0 || status != 0) experiment_die(e, &error, 1);
    }
}

static int run_ranks(const experiment *e, steep_link *link)
{
    const double fits = e->quick ? 1e4 : 1e5;
    steep_sweep_options options = sweep_of(2 * fits); /* shard 1/2 runs half of them, and measures no slopes */
    steep_ranks ranks = {.link = link, .fit = recorded};
    steep_error error = {""};
    const size_t size = link->size;
    char folder[1100];
    snprintf(folder, sizeof folder, "%s/ranks-%zu", e->out, size);
    options.run.backend = &steep_backend_ranks;
    options.run.others = &ranks;
    options.run.out = folder;
    options.run.shard = "1/2";
    if (link->rank > 0) return steep_sweep_serve(&options, &error) == STEEP_OK ? 0 : 1;
    clear_folder(folder);
    const double began = steep_clock_seconds(), mine = used_by(RUSAGE_SELF);
    must(e, steep_sweep_run(&options, NULL, &error), &error);
    const double seconds = steep_clock_seconds() - began, used = used_by(RUSAGE_SELF) - mine;
    printf("%5zu  %8.0f  %20.0f  %28.1f  %29.0f\n", size, fits, fits / seconds, 1e6 * used / fits, fits / used);
    return 0;
}

int main(int argc, char **argv)
{
    steep_link *link = NULL;
    steep_error error = {""};
    const experiment e = experiment_begin_as(
        argc, argv,
        (experiment){.name = "cluster",
                     .columns = NULL,
                     .about =
                         "What a sweep of up to a million fits (--full: ten million) takes beside its fits, which are "
                         "recorded;\nunder mpirun: how many fits a second rank 0 hands out.",
                     .has_full = true});
    must(&e, steep_mpi_open(NULL, &link, &error), &error);
    if (link) return run_ranks(&e, link);
    print_sizes(&e);
    return 0;
}
