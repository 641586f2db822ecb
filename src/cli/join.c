/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "draw/figure.h"
#include "study/sweep.h"

typedef struct join_options {
    const char *out;
    bool fresh, mixed, quiet, no_figure;
} join_options;

#define FLAG(name, field, help)                                                                                        \
    {                                                                                                                  \
        name, STEEP_OPTION_FLAG, offsetof(join_options, field), NULL, NULL, 0, 0, NULL, help, STEEP_OPTION_FREE        \
    }

static const steep_option table[] = {
    {"out", STEEP_OPTION_TEXT, offsetof(join_options, out), "DIR", NULL, 0, 0, NULL,
     "folder for the union: a new one, or one of those that are united", STEEP_OPTION_FREE},
    FLAG("fresh", fresh, "remove what an earlier run left in the folder"),
    FLAG("mixed", mixed, "unite also rows that another version, commit or processor wrote"),
    FLAG("quiet", quiet, "no notes"),
    FLAG("no-figure", no_figure, "draw nothing"),
    {.name = NULL},
};

static const char *const examples[] = {"steep join results/mlp results/glu --out results/both", NULL};

static steep_status draw(const char *folder, steep_error *error, void *context)
{
    const steep_sweep_options *options = context;
    const steep_figure_limits limits = steep_cli_figure_limits(options->stop);
    return steep_cli_drawn(folder, steep_figure_slopes(folder, NULL, &limits, error));
}

static steep_status join(const steep_command_line *line, const join_options *own, const steep_cli_output *output,
                         steep_error *error)
{
    steep_sweep_options options = steep_sweep_options_default();
    if (!own->out) return steep_fail(error, STEEP_BAD_INPUT, "join: --out names the folder for the union");
    options.run.out = own->out;
    options.run.fresh = own->fresh;
    options.run.mixed = own->mixed;
    options.run.quiet = own->quiet;
    options.stop = steep_cli_catch_signals();
    options.report = stdout;
    options.style = steep_cli_style(output);
    options.notes = stderr;
    options.draw = own->no_figure ? NULL : draw;
    options.context = &options;
    options.argc = line->argc + 1;
    options.argv = line->argv - 1;
    steep_status status = steep_cli_check_gnuplot(error);
    return status == STEEP_OK ? steep_join(line->word, line->words, &options, NULL, error) : status;
}

const steep_option *steep_cli_join_tables(size_t index)
{
    return index == 0 ? table : index == 1 ? steep_cli_output_table : NULL;
}

int steep_command_join(int argc, char **argv)
{
    join_options own;
    steep_cli_output output;
    const steep_option_group groups[] = {
        {NULL, table, &own}, {NULL, steep_cli_output_table, &output}, {NULL, NULL, NULL}};
    steep_error error = {{0}};
    steep_command_line line = {.argc = argc, .argv = argv};
    steep_status status = steep_cli_parse_groups(groups, &line, &error);
    if (status == STEEP_OK && line.help)
        steep_cli_help_tables(
            "steep join DIR... --out DIR [OPTIONS]",
            "Unites the fits of several folders that steep sweep wrote under the same conditions (samples,\n"
            "tolerance and so on; widths, seeds, architectures, targets, solvers and starts may differ):\n"
            "fits.csv, slopes.csv, series.csv, run.json and the figure, as of one sweep.",
            steep_cli_join_tables, examples);
    else if (status == STEEP_OK) status = join(&line, &own, &output, &error);
    free(line.word);
    return status == STEEP_OK ? 0 : steep_cli_fail(status, &error);
}
