/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "cli/cli.h"
#include "draw/figure.h"
#include "run/sweep.h"

typedef struct join_options {
    const char *out;
    bool fresh, quiet, no_figure;
} join_options;

#define FLAG(name, field, help)                                                                                        \
    {                                                                                                                  \
        name, STEEP_OPTION_FLAG, offsetof(join_options, field), NULL, NULL, 0, 0, NULL, help, STEEP_OPTION_FREE        \
    }

static const steep_option table[] = {
    {"out", STEEP_OPTION_TEXT, offsetof(join_options, out), "DIR", NULL, 0, 0, NULL,
     "folder for the union: a new one, or one of those that are united", STEEP_OPTION_FREE},
    FLAG("fresh", fresh, "remove what an earlier run left in the folder"),
    FLAG("quiet", quiet, "no notes"),
    FLAG("no-figure", no_figure, "draw nothing"),
    {.name = NULL},
};

static const char *const examples[] = {"steep join results/mlp results/glu --out results/both", NULL};

static steep_status join(const char *const *folder, size_t count, const join_options *own, int argc, char **argv,
                         steep_error *error)
{
    steep_sweep_options options = steep_sweep_options_default();
    if (!own->out) return steep_fail(error, STEEP_BAD_INPUT, "join: --out names the folder for the union");
    options.run.out = own->out;
    options.run.fresh = own->fresh;
    options.run.quiet = own->quiet;
    options.report = stdout;
    options.notes = stderr;
    options.argc = argc + 1;
    options.argv = argv - 1;
    steep_status status = steep_join(folder, count, &options, NULL, error);
    if (status == STEEP_OK && !own->no_figure) status = steep_figure_slopes(own->out, NULL, error);
    return status;
}

const steep_option *steep_cli_join_tables(size_t index)
{
    return index == 0 ? table : NULL;
}

int steep_command_join(int argc, char **argv)
{
    join_options own = {NULL, false, false, false};
    steep_error error = {{0}};
    bool help = false;
    size_t count = 0;
    const char **folder = calloc((size_t)argc + 1, sizeof *folder);
    steep_status status = folder ? steep_options_parse(table, &own, argc, argv, &help, folder, &count, &error)
                                 : steep_fail(&error, STEEP_NO_MEMORY, "no memory");
    if (status == STEEP_OK && help)
        steep_cli_help("steep join DIR... --out DIR [OPTIONS]",
                       "Unites the fits of several folders that steep sweep wrote under the same conditions (samples,\n"
                       "tolerance and so on; widths, seeds, architectures, targets, solvers and starts may differ):\n"
                       "fits.csv, slopes.csv, series.csv, run.json and the figure, as of one sweep.",
                       table, examples);
    else if (status == STEEP_OK) status = join(folder, count, &own, argc, argv, &error);
    free(folder);
    return status == STEEP_OK ? 0 : steep_cli_fail(status, &error);
}
