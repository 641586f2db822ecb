/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdint.h>

#include "cli/cli.h"
#include "draw/figure.h"
#include "study/sweep.h"

typedef struct join_record {
    const char *out;
    bool fresh, mixed, quiet, no_figure;
    steep_cli_output output;
} join_record;

#define FLAG(name, field, help)                                                                                        \
    {                                                                                                                  \
        name, STEEP_OPTION_FLAG, offsetof(join_record, field), NULL, NULL, 0, 0, NULL, help, STEEP_OPTION_FREE         \
    }

static const steep_option table[] = {
    {"out", STEEP_OPTION_TEXT, offsetof(join_record, out), "DIR", NULL, 0, 0, NULL,
     "folder for the union: a new one, or one of those that are united", STEEP_OPTION_FREE},
    FLAG("fresh", fresh, "remove what an earlier run left in the folder"),
    FLAG("mixed", mixed, "unite also rows that another version, commit or processor wrote"),
    FLAG("quiet", quiet, "no notes"),
    FLAG("no-figure", no_figure, "draw nothing"),
    {.name = NULL},
};

static const char *const examples[] = {"steep join results/mlp results/glu --out results/both", NULL};

static steep_status join(void *record, const steep_command_line *line, steep_error *error)
{
    const join_record *r = record;
    steep_sweep_options options = steep_sweep_options_default();
    if (!r->out) return steep_fail(error, STEEP_BAD_INPUT, "join: --out names the folder for the union");
    options.run.out = r->out;
    options.run.fresh = r->fresh;
    options.run.mixed = r->mixed;
    options.run.quiet = r->quiet;
    options.stop = steep_cli_catch_signals();
    options.report = stdout;
    options.style = steep_cli_style(&r->output);
    options.notes = stderr;
    options.draw = r->no_figure ? NULL : steep_cli_draw_slopes;
    options.argc = line->argc + 1;
    options.argv = line->argv - 1;
    steep_status status = steep_cli_check_gnuplot(error);
    return status == STEEP_OK ? steep_join(line->word, line->words, &options, NULL, error) : status;
}

const steep_command steep_command_join = {
    .name = "join",
    .what = "rows of several folders into one, with their slopes and figure",
    .usage = "steep join DIR... --out DIR [OPTIONS]",
    .about = "Unites the fits of several folders that steep sweep wrote under the same conditions (samples,\n"
             "tolerance and so on; widths, seeds, architectures, targets, solvers and starts may differ):\n"
             "fits.csv, slopes.csv, series.csv, run.json and the figure, as of one sweep.",
    .examples = examples,
    .size = sizeof(join_record),
    .table = table,
    .prints = STEEP_PRINTS_TABLES,
    .output = offsetof(join_record, output),
    .work = join,
    .most_words = SIZE_MAX,
    .alone = true,
};
