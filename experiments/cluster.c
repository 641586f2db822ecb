/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cluster: what a sweep costs beside its fits, on one machine and with many. Fits are not computed: each returns what a
 * fit is recorded to have returned, a power law with scatter, at once. All the rest is the program's own: plan, journal,
 * shards and their union, slopes, figure.
 *
 *     cluster --out DIR       tables of sweeps of 10^4, 10^5 and 10^6 fits; --quick: of 10^4; --full: 10^7 as well
 *     mpirun -n R cluster --out DIR    fits a second that rank 0 hands to R ranks and writes down */
#define _GNU_SOURCE
#include <ftw.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "cluster/link.h"
#include "cluster/ranks.h"
#include "record/journal.h"

#include "experiment.h"

/* A fit that is recorded: second order in the width for mlp, third for glu, with a scatter of a tenth by the seed. */
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

/* --- a rank alone --- */

static bool send_nowhere(steep_link *link, size_t to, const void *bytes, size_t size)
{
    (void)link, (void)to, (void)bytes, (void)size;
    return true;
}

static void *receive_nothing(steep_link *link, size_t *from, size_t *size)
{
    (void)link, (void)from, (void)size;
    return NULL;
}

static void close_nothing(steep_link *link, bool lost)
{
    (void)link, (void)lost;
}

/* --- sweeps --- */

static char seeds[40], widths[40];

/* 2 architectures, 50 widths, and as many seeds as make the fits. */
static steep_sweep_options sweep_of(double fits)
{
    steep_sweep_options options = steep_sweep_options_default();
    snprintf(seeds, sizeof seeds, "0:%.0f", fits / 100 - 1);
    snprintf(widths, sizeof widths, "1:50");
    options.model.arch = "mlp,glu";
    options.model.widths = widths;
    options.problem.seeds = seeds;
    options.problem.sampling = "grid";
    options.problem.samples = "200";
    options.solver.solver = "frozen";
    return options;
}

static double megabytes(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)use.ru_maxrss / 1024;
}

/* Of the processor, by this process and its children that have ended: what else the machine does changes little. */
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

typedef struct timing {
    double fits, plan, shards, join, read, draw, memory;
} timing;

static void must(const experiment *e, steep_status status, const steep_error *error)
{
    if (status < 0) experiment_die(e, error, 1);
}

static double run_into(const experiment *e, double fits, const char *folder, const char *shard, bool alone)
{
    steep_sweep_options options = sweep_of(fits);
    steep_error error = {""};
    steep_link link = {0, 1, "none", send_nowhere, receive_nothing, close_nothing};
    steep_ranks ranks = {.link = &link, .fit = recorded};
    const double began = used_seconds();
    options.run.out = folder;
    options.run.shard = shard;
    options.run.backend = alone ? &steep_backend_ranks : NULL;
    options.run.others = alone ? &ranks : NULL;
    must(e, steep_sweep_run(&options, NULL, &error), &error);
    return used_seconds() - began;
}

/* What the plan, and reading all rows, take by themselves. */
static void time_parts(const experiment *e, const char *folder, timing *t)
{
    steep_sweep_options options = sweep_of(t->fits);
    steep_plan plan;
    steep_journal_state state;
    steep_error error = {""};
    char path[1200];
    double began = used_seconds();
    must(e, steep_plan_init(&options.problem, &options.model, &options.solver, &plan, &error), &error);
    plan.device = "cpu";
    t->plan = used_seconds() - began;
    steep_fit_row *row = calloc(plan.tasks, sizeof *row);
    snprintf(path, sizeof path, "%s/fits.csv", folder);
    began = used_seconds();
    must(e, row ? steep_journal_read(path, &plan, false, row, &state, &error) : STEEP_NO_MEMORY, &error);
    t->read = used_seconds() - began;
    free(row);
    steep_plan_free(&plan);
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
    (void)facts, (void)kind, (void)where;
    return remove(path);
}

/* What an earlier run of the same program left. */
static void clear_folder(const char *folder)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* All of one size, in a process of its own, so that its memory is its own. */
static timing measure(const experiment *e, double fits)
{
    timing t = {.fits = fits};
    steep_error error = {""};
    char parts[1100], shard[16];
    snprintf(parts, sizeof parts, "%s/%.0f-parts", e->out, fits);
    clear_folder(parts);
    for (int i = 1; i <= 4; i++) {
        snprintf(shard, sizeof shard, "%d/4", i);
        t.shards += run_into(e, fits, parts, shard, true);
    }
    t.join = run_into(e, fits, parts, NULL, false);
    t.memory = megabytes();
    time_parts(e, parts, &t);
    const double began = used_seconds();
    must(e, steep_figure_slopes(parts, NULL, NULL, &error), &error);
    t.draw = used_seconds() - began;
    clear_folder(parts);
    return t;
}

static timing measure_apart(const experiment *e, double fits)
{
    int ends[2], status = 0;
    timing t = {0};
    steep_error error = {"no process for a measurement"};
    fflush(NULL);
    if (pipe(ends) != 0) experiment_die(e, &error, 1);
    const pid_t child = fork();
    if (child == 0) {
        t = measure(e, fits);
        _exit(write(ends[1], &t, sizeof t) == (ssize_t)sizeof t ? 0 : 1);
    }
    close(ends[1]);
    const bool told = child > 0 && read(ends[0], &t, sizeof t) == (ssize_t)sizeof t;
    close(ends[0]);
    if (child > 0) waitpid(child, &status, 0);
    if (!told || status != 0) experiment_die(e, &error, 1);
    return t;
}

static void print_sizes(const experiment *e)
{
    static const double size[] = {1e4, 1e5, 1e6, 1e7};
    char path[1100];
    snprintf(path, sizeof path, "%s/cluster.csv", e->out);
    FILE *csv = fopen(path, "w");
    steep_error error = {""};
    if (!csv) {
        steep_fail(&error, STEEP_IO, "%s: cannot be written", path);
        experiment_die(e, &error, 1);
    }
    fputs("fits,plan,shards,join,read,draw,megabytes\n", csv);
    puts("recorded fits in 4 shards, and their union; seconds of the processor, all processes; MB: of the largest");
    puts("      fits    plan   handed out, written   us each   union  of it reading   us each    draw      MB");
    for (size_t i = 0; i < (e->quick ? 1 : e->full ? 4 : 3); i++) {
        const timing t = measure_apart(e, size[i]);
        printf("%10.0f  %6.2f  %20.2f  %8.1f  %6.2f  %13.2f  %8.1f  %6.2f  %6.0f\n", t.fits, t.plan, t.shards,
               1e6 * t.shards / t.fits, t.join, t.read, 1e6 * t.join / t.fits, t.draw, t.memory);
        fprintf(csv, "%.0f,%g,%g,%g,%g,%g,%g\n", t.fits, t.plan, t.shards, t.join, t.read, t.draw, t.memory);
        fflush(stdout);
    }
    fclose(csv);
}

/* --- ranks --- */

static int run_ranks(const experiment *e, steep_link *link)
{
    const double fits = e->quick ? 1e4 : 1e5;
    steep_sweep_options options = sweep_of(2 * fits); /* of which half: a shard has no slopes */
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
    experiment e = {.name = "cluster", .out = "results/cluster", .offers_full = true};
    steep_link *link = NULL;
    steep_error error = {""};
    experiment_parse(&e, argc, argv,
                     "What a sweep of up to a million fits (--full: ten million) takes beside its fits, which are "
                     "recorded;\nunder mpirun: how many fits a second rank 0 hands out.",
                     NULL);
    must(&e, steep_mpi_open(NULL, &link, &error), &error);
    if (link) return run_ranks(&e, link);
    print_sizes(&e);
    return 0;
}
