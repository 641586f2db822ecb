/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cluster/mpi.h"
#include "cluster/serve.h"
#include "cluster/slurm.h"
#include "draw/figure.h"

static const char *const examples[] = {
    "steep sweep",
    "steep sweep --target cosine_well --widths 8:2048:x2 --samples 10000 --out results/cosine",
    "steep sweep --arch mlp,mlp:relu2 --target 'exp(-x)*cos(8*x)' --solver lm --widths 4:32:x2 --seeds 0:4 --out lm",
    "steep sweep --arch glu --solver frozen,lm --widths 4:32:x2 --out compared",
    "steep sweep --shard 1/4 --out shared/run    (and 2/4, 3/4, 4/4 elsewhere; then once without --shard)",
    NULL,
};

/* Options that the library does not know. */
typedef struct own_options {
    bool no_figure, slurm;
    size_t parts;
} own_options;

static const steep_option own_table[] = {
    {"no-figure", STEEP_OPTION_FLAG, offsetof(own_options, no_figure), NULL, NULL, 0, 0, NULL, "draw nothing",
     STEEP_OPTION_FREE},
    {"print-slurm", STEEP_OPTION_FLAG, offsetof(own_options, slurm), NULL, NULL, 0, 0, NULL,
     "run nothing: print a batch script for Slurm, an array of shards and a job that joins them", STEEP_OPTION_FREE},
    {"parts", STEEP_OPTION_SIZE, offsetof(own_options, parts), "N", "0", 0, 10000, NULL,
     "of --print-slurm: how many shards; 0: about an hour each", STEEP_OPTION_FREE},
    {.name = NULL},
};

const steep_option *steep_cli_sweep_tables(size_t index)
{
    const steep_option *const tables[] = {steep_problem_option_table, steep_model_option_table,
                                          steep_solver_option_table,  steep_run_option_table,
                                          steep_many_option_table,    own_table,
                                          steep_cli_output_table,     steep_cli_events_table};
    return index < sizeof tables / sizeof *tables ? tables[index] : NULL;
}

/* Is this word the option, with its value where it has a =? */
static bool is_option(const char *word, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && (!word[length] || word[length] == '=');
}

/* The words of the command that its parts are to have, in word; jobs: --jobs among them. */
static size_t keep_words(const steep_command_line *line, bool jobs, const char **word)
{
    size_t count = 0;
    for (int i = 1; i < line->argc; i++) {
        const char *one = line->argv[i];
        const bool left_out = is_option(one, "--parts") || (!jobs && is_option(one, "--jobs"));
        if (left_out) i += !strchr(one, '=');
        else if (strcmp(one, "--print-slurm") != 0) word[count++] = one;
    }
    return count;
}

static steep_status print_slurm(const own_options *own, const steep_sweep_options *options,
                                const steep_command_line *line, steep_error *error)
{
    char program[4096];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    const char **word = calloc((size_t)line->argc + 1, sizeof *word);
    if (!word) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %d words", line->argc);
    program[length > 0 ? length : 0] = '\0';
    const steep_slurm slurm = {
        .parts = own->parts, .program = length > 0 ? program : "steep", .words = keep_words(line, options->run.jobs > 0, word), .word = word};
    const steep_status status = steep_slurm_print(&slurm, options, stdout, error);
    free(word);
    return status;
}

/* The other processes that mpirun or srun started beside this one. */
static steep_status open_ranks(steep_sweep_options *options, steep_ranks *ranks, steep_error *error)
{
    const char *patience = getenv("STEEP_MPI_PATIENCE");
    if (patience) ranks->patience = strtod(patience, NULL);
    const steep_status status = steep_mpi_open(getenv("STEEP_MPI_OBJECT"), &ranks->link, error);
    if (ranks->link) options->run.ranks = ranks, options->run.backend = &steep_backend_ranks;
    return status;
}

/* Rank 0 says what is to be said, unless nothing more is heard of it. */
static int serve(steep_sweep_options *options)
{
    steep_error error = {{0}};
    const steep_ranks *ranks = options->run.ranks;
    const size_t rank = ranks->link->rank;
    const steep_status status = steep_sweep_serve(options, &error);
    if (status < 0 && ranks->lost) fprintf(stderr, "steep: rank %zu: %s\n", rank, error.text);
    return status == STEEP_OK || !ranks->lost ? 0 : 1;
}

/* Other ranks are no longer needed then. */
static steep_status draw(const char *folder, steep_error *error, void *context)
{
    const steep_sweep_options *options = context;
    steep_ranks_end(options->run.ranks);
    const steep_figure_limits limits = steep_cli_figure_limits(options->stop);
    return steep_cli_drawn(folder, steep_figure_slopes(folder, NULL, &limits, error));
}

/* Before, a signal ends the program: it has touched nothing. */
static void hear_signals(void)
{
    steep_cli_catch_signals();
}

static void remark(const steep_target *target, char *text, size_t size)
{
    steep_annexes_remark(target, STEEP_OTHER_DOMAIN, text, size);
}

int steep_command_sweep(int argc, char **argv)
{
    steep_sweep_options options = steep_sweep_options_default();
    steep_option_group group[STEEP_SWEEP_GROUPS + 3];
    own_options own = {.no_figure = false};
    steep_cli_output output;
    steep_error error = {{0}};
    steep_command_line line = {.argc = argc, .argv = argv};
    steep_sweep_groups(&options, group);
    group[STEEP_SWEEP_GROUPS - 1] = (steep_option_group){NULL, own_table, &own};
    group[STEEP_SWEEP_GROUPS] = (steep_option_group){NULL, steep_cli_output_table, &output};
    group[STEEP_SWEEP_GROUPS + 1] = (steep_option_group){NULL, steep_cli_events_table, &output};
    group[STEEP_SWEEP_GROUPS + 2] = (steep_option_group){NULL, NULL, NULL};
    steep_options_default(steep_cli_output_table, &output, NULL);
    steep_options_default(steep_cli_events_table, &output, NULL);
    const char *arch = options.model.arch;
    const bool first = steep_mpi_find().rank == 0 || !steep_mpi_started(); /* the others have the same to say */
    steep_status status = steep_options_parse_groups(group, &line, &error);
    if (status < 0) return first ? steep_cli_fail(status, &error) : 2;
    if (line.help && !first) return 0;
    if (line.help) {
        steep_cli_help_groups("steep sweep [OPTIONS]",
                              "Fits every architecture at every width and seed, writes fits.csv (a row per fit), "
                              "slopes.csv,\nseries.csv, run.json and the figure slopes.svg, .pdf, .png into a folder, "
                              "prints the table of slopes.\nThe same command again goes on where it was interrupted; "
                              "another list of widths, seeds,\narchitectures, targets, solvers or starts adds to what "
                              "the folder has.",
                              group, examples);
        return 0;
    }
    steep_cli_unit_alone(arch, &options.model);
    if (own.parts > 0 && !own.slurm) {
        steep_fail(&error, STEEP_BAD_INPUT, "--parts %zu: of what: use it with --print-slurm, or --shard", own.parts);
        return first ? steep_cli_end(&output, STEEP_BAD_INPUT, &error) : 2;
    }
    options.argc = argc + 1; /* with "steep" itself, which stands before argv[0] in main's list */
    options.argv = argv - 1;
    if (own.slurm) {
        status = print_slurm(&own, &options, &line, &error);
        return steep_cli_end(&output, status, &error);
    }
    options.progress = options.notes = stderr;
    options.pause = steep_cli_progress_seconds();
    options.report = stdout;
    options.style = steep_cli_style(&output);
    options.events = output.json;
    options.stop = steep_cli_stop();
    options.begins = hear_signals;
    options.remark = remark;
    options.apart = true;
    options.draw = own.no_figure ? NULL : draw;
    options.context = &options;
    steep_ranks ranks = {.link = NULL};
    status = steep_cli_check_gnuplot(&error);
    if (status == STEEP_OK) status = steep_cli_device(&options.run.on, &error);
    if (status == STEEP_OK) status = open_ranks(&options, &ranks, &error);
    if (status < 0) return first ? steep_cli_end(&output, status, &error) : 2;
    if (ranks.link) hear_signals(); /* mpirun sends them to all */
    if (ranks.link && ranks.link->rank > 0) return serve(&options);
    if (status == STEEP_OK) status = steep_sweep_run(&options, NULL, &error);
    steep_ranks_end(&ranks);
    return steep_cli_end(&output, status, &error);
}
