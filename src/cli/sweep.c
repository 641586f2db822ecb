/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/sweep.h"

#include <stdio.h>
#include <string.h>

#include "cli/annex.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "draw/figure.h"
#include "execute/place.h"

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
    bool no_figure;
} own_options;

static const steep_option own_table[] = {
    {"no-figure", STEEP_OPTION_FLAG, offsetof(own_options, no_figure), NULL, NULL, 0, 0, NULL, "draw nothing",
     STEEP_OPTION_FREE},
    {.name = NULL},
};

static const steep_option no_options[] = {{.name = NULL}};

const steep_option *steep_cli_sweep_tables(size_t index)
{
    const steep_annex_of_sweep *annex = steep_annexes_sweep();
    const steep_option *const tables[] = {steep_problem_option_table, steep_model_option_table,
                                          steep_solver_option_table,  steep_run_option_table,
                                          steep_many_option_table,    own_table,
                                          annex ? annex->table : no_options,
                                          steep_cli_output_table,     steep_cli_events_table};
    return index < sizeof tables / sizeof *tables ? tables[index] : NULL;
}

static void end_others(steep_sweep_options *options)
{
    if (options->run.others) steep_annexes_sweep()->end(options);
}

/* Other processes are no longer needed then. */
static steep_status draw(const char *folder, steep_error *error, void *context)
{
    steep_sweep_options *options = context;
    end_others(options);
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

/* The processes that mpirun or srun started beside this one. */
static steep_status open_others(const steep_annex_of_sweep *annex, steep_sweep_options *options, steep_error *error)
{
    const steep_place place = steep_place_find();
    if (annex) return annex->open(options, error);
    if (place.size == 1 || !steep_place_started()) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%s started %zu processes, and this build has no cluster part: it was built without src/cluster: "
                      "use --shard, or a build with that folder",
                      place.starter, place.size);
}

/* A word of the command line that belongs to an annex that this build lacks. */
static steep_status check_missing(int argc, char **argv, steep_error *error)
{
    char missing[160];
    for (int i = 1; i < argc; i++)
        if (steep_annexes_missing(argv[i], missing, sizeof missing))
            return steep_fail(error, STEEP_BAD_INPUT, "%s", missing);
    return STEEP_OK;
}

static void show_help(const steep_option_group *group)
{
    steep_cli_help_groups("steep sweep [OPTIONS]",
                          "Fits every architecture at every width and seed, writes fits.csv (a row per fit), "
                          "slopes.csv,\nseries.csv, run.json and the figure slopes.svg, .pdf, .png into a folder, "
                          "prints the table of slopes.\nThe same command again goes on where it was interrupted; "
                          "another list of widths, seeds,\narchitectures, targets, solvers or starts adds to what "
                          "the folder has.",
                          group, examples);
}

/* first: of the processes that have the same to say. */
static int end(const steep_cli_output *output, bool first, steep_status status, const steep_error *error)
{
    return first ? steep_cli_end(output, status, error) : 2;
}

/* Options that are not on the command line. */
static void set_up(steep_sweep_options *options, const own_options *own, const steep_cli_output *output)
{
    options->progress = options->notes = stderr;
    options->pause = steep_cli_progress_seconds();
    options->report = stdout;
    options->style = steep_cli_style(output);
    options->events = output->json;
    options->stop = steep_cli_stop();
    options->begins = hear_signals;
    options->remark = remark;
    options->apart = true;
    options->draw = own->no_figure ? NULL : draw;
    options->context = options;
}

static int sweep(const steep_annex_of_sweep *annex, steep_sweep_options *options, const steep_cli_output *output,
                 bool first)
{
    steep_error error = {{0}};
    steep_status status = steep_cli_check_gnuplot(&error);
    if (status == STEEP_OK) status = steep_cli_device(&options->run.on, &error);
    if (status == STEEP_OK) status = open_others(annex, options, &error);
    if (status < 0) return end(output, first, status, &error);
    if (options->run.others) hear_signals(); /* mpirun sends them to all */
    if (options->run.others && annex->serves(options)) return annex->serve(options);
    status = steep_sweep_run(options, NULL, &error);
    end_others(options);
    return steep_cli_end(output, status, &error);
}

int steep_command_sweep(int argc, char **argv)
{
    const steep_annex_of_sweep *annex = steep_annexes_sweep();
    steep_sweep_options options = steep_sweep_options_default();
    steep_option_group group[STEEP_SWEEP_GROUPS + 4];
    own_options own = {.no_figure = false};
    _Alignas(16) unsigned char record[256] = {0}; /* of the annex */
    steep_cli_output output;
    steep_error error = {{0}};
    steep_command_line line = {.argc = argc, .argv = argv};
    steep_option_group *more = &group[STEEP_SWEEP_GROUPS - 1];
    steep_sweep_groups(&options, group);
    *more++ = (steep_option_group){NULL, own_table, &own};
    if (annex) *more++ = (steep_option_group){NULL, annex->table, record};
    *more++ = (steep_option_group){NULL, steep_cli_output_table, &output};
    *more++ = (steep_option_group){NULL, steep_cli_events_table, &output};
    *more = (steep_option_group){NULL, NULL, NULL};
    if (annex) steep_options_default(annex->table, record, NULL);
    steep_options_default(steep_cli_output_table, &output, NULL);
    steep_options_default(steep_cli_events_table, &output, NULL);
    const char *arch = options.model.arch;
    const bool first = steep_place_find().rank == 0 || !steep_place_started(); /* the others have the same to say */
    steep_status status = check_missing(argc, argv, &error);
    if (status == STEEP_OK) status = steep_options_parse_groups(group, &line, &error);
    if (status < 0) return first ? steep_cli_fail(status, &error) : 2;
    if (line.help && first) show_help(group);
    if (line.help) return 0;
    steep_cli_unit_alone(arch, &options.model);
    options.argc = argc + 1; /* with "steep" itself, which stands before argv[0] in main's list */
    options.argv = argv - 1;
    if (annex && annex->instead(record, &options, &line, &status, &error)) return end(&output, first, status, &error);
    set_up(&options, &own, &output);
    return sweep(annex, &options, &output, first);
}
