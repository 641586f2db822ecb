/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/sweep.h"

#include "cli/cli.h"

static const char *const examples[] = {
    "steep sweep",
    "steep sweep --target cosine_well --widths 8:2048:x2 --samples 10000 --out results/cosine",
    "steep sweep --arch mlp,mlp:relu2 --target 'exp(-x)*cos(8*x)' --solver lm --widths 4:32:x2 --seeds 0:4 --out lm",
    "steep sweep --shard 1/4 --out shared/run    (and 2/4, 3/4, 4/4 elsewhere; then once without --shard)",
    NULL,
};

const steep_option *steep_cli_sweep_options(steep_option *room)
{
    (void)room;
    return steep_sweep_option_table;
}

int steep_command_sweep(int argc, char **argv)
{
    steep_sweep_options options = {0};
    steep_sweep_result result;
    steep_error error = {{0}};
    bool help = false;
    steep_status status = steep_options_default(steep_sweep_option_table, &options, &error);
    if (status == STEEP_OK)
        status = steep_options_parse(steep_sweep_option_table, &options, argc, argv, &help, NULL, NULL, &error);
    if (status < 0) return steep_cli_fail(status, &error);
    if (help) {
        steep_cli_help("steep sweep [OPTIONS]",
                       "Fits every architecture at every width and seed, writes fits.csv (a row per fit), slopes.csv,\n"
                       "run.json and the figure slopes.svg, .pdf, .png into a folder, prints the table of slopes. The\n"
                       "same command again goes on where it was interrupted.",
                       steep_sweep_option_table, examples);
        return 0;
    }
    steep_cli_unit_alone(steep_sweep_option_table, &options);
    options.progress = options.notes = stderr;
    options.report = stdout;
    options.stop = steep_cli_catch_signals();
    options.argc = argc + 1; /* with "steep" itself, which stands before argv[0] in main's list */
    options.argv = argv - 1;
    status = steep_sweep_run(&options, &result, &error);
    return status == STEEP_OK ? 0 : steep_cli_fail(status, &error);
}
