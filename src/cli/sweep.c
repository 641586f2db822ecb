/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/sweep.h"

#include "cli/cli.h"
#include "cli/output.h"
#include "draw/figure.h"

static const char *const examples[] = {
    "steep sweep",
    "steep sweep --target cosine_well --widths 8:2048:x2 --samples 10000 --out results/cosine",
    "steep sweep --arch mlp,mlp:relu2 --target 'exp(-x)*cos(8*x)' --solver lm --widths 4:32:x2 --seeds 0:4 --out lm",
    "steep sweep --arch glu --solver frozen,lm --widths 4:32:x2 --out compared",
    "steep sweep --shard 1/4 --out shared/run    (and 2/4, 3/4, 4/4 elsewhere; then once without --shard)",
    NULL,
};

typedef struct drawing {
    bool none;
} drawing;

static const steep_option drawing_table[] = {
    {"no-figure", STEEP_OPTION_FLAG, offsetof(drawing, none), NULL, NULL, 0, 0, NULL, "draw nothing",
     STEEP_OPTION_FREE},
    {.name = NULL},
};

const steep_option *steep_cli_sweep_tables(size_t index)
{
    const steep_option *const tables[] = {steep_problem_option_table, steep_model_option_table,
                                          steep_solver_option_table,  steep_run_option_table,
                                          steep_many_option_table,    drawing_table,
                                          steep_cli_output_table,     steep_cli_events_table};
    return index < sizeof tables / sizeof *tables ? tables[index] : NULL;
}

int steep_command_sweep(int argc, char **argv)
{
    steep_sweep_options options = steep_sweep_options_default();
    steep_option_group group[STEEP_SWEEP_GROUPS + 3];
    drawing draw = {false};
    steep_cli_output output;
    steep_error error = {{0}};
    steep_command_line line = {.argc = argc, .argv = argv};
    steep_sweep_groups(&options, group);
    group[STEEP_SWEEP_GROUPS - 1] = (steep_option_group){NULL, drawing_table, &draw};
    group[STEEP_SWEEP_GROUPS] = (steep_option_group){NULL, steep_cli_output_table, &output};
    group[STEEP_SWEEP_GROUPS + 1] = (steep_option_group){NULL, steep_cli_events_table, &output};
    group[STEEP_SWEEP_GROUPS + 2] = (steep_option_group){NULL, NULL, NULL};
    steep_options_default(steep_cli_output_table, &output, NULL);
    steep_options_default(steep_cli_events_table, &output, NULL);
    const char *arch = options.model.arch;
    steep_status status = steep_options_parse_groups(group, &line, &error);
    if (status < 0) return steep_cli_fail(status, &error);
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
    options.progress = options.notes = stderr;
    options.report = stdout;
    options.style = steep_cli_style(&output);
    options.events = output.json;
    options.stop = steep_cli_catch_signals();
    options.argc = argc + 1; /* with "steep" itself, which stands before argv[0] in main's list */
    options.argv = argv - 1;
    status = steep_cli_device(&options.run.on, &error);
    if (status == STEEP_OK) status = steep_sweep_run(&options, NULL, &error);
    const steep_figure_limits limits = steep_cli_figure_limits(options.stop);
    if (status == STEEP_OK && !draw.none && !options.run.shard)
        status = steep_figure_slopes(options.run.out, NULL, &limits, &error);
    return steep_cli_end(&output, status, &error);
}
