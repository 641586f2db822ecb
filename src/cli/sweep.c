/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands that work on whole folders: steep sweep, contest and join. */
#include "cli/cli.h"
#include "execute/place.h"

typedef struct sweep_record {
    steep_cli_output output;
    steep_sweep_options options;
    bool no_figure;
    steep_annex_record annex;
} sweep_record;

#define AT(field) offsetof(sweep_record, field)

static const steep_option own_table[] = {FLAG("no-figure", no_figure, "draw nothing", FREE), {.name = NULL}};

static void groups(void *record, steep_option_group *group)
{
    const steep_annex_of_sweep *annex = steep_annexes_sweep();
    sweep_record *r = record;
    r->options = steep_sweep_options_default();
    steep_sweep_groups(&r->options, group);
    steep_cli_group(group, NULL, own_table, r);
    if (annex) steep_cli_group(group, NULL, annex->table, &r->annex);
}

/* A contest is a sweep of all units at one number of parameters, each by a solver of its own. */
static void contest_groups(void *record, steep_option_group *group)
{
    sweep_record *r = record;
    groups(record, group);
    r->options.contest = true;
    r->options.model.arch = "all";
    r->options.model.params = "120";
    r->options.solver.solver = "auto";
    r->options.run.out = "results/contest";
}

static void end_others(steep_sweep_options *options)
{
    if (options->run.others) steep_annexes_sweep()->end(options);
}

/* Draws the figure, after the end of other processes, which are no longer needed. */
static steep_status draw(const char *folder, steep_error *error, void *context)
{
    const steep_figure_limits limits = steep_cli_figure_limits();
    sweep_record *r = context;
    end_others(&r->options);
    const steep_status status = steep_cli_drawn(folder, steep_figure_slopes(folder, NULL, &limits, error));
    if (status != STEEP_BAD_INPUT) return status;
    if (!r->options.run.quiet) steep_cli_note(&r->output, "no figure: %s", error->text); /* all errors are 0 */
    return STEEP_OK;
}

/* Connects to the processes that mpirun or srun started beside this one. */
static steep_status open_others(const steep_annex_of_sweep *annex, steep_sweep_options *options, steep_error *error)
{
    const steep_place place = steep_place_find();
    if (annex) return annex->open(options, error);
    if (place.size == 1) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%s started %zu processes, and this build is without src/cluster: use --shard, or another build",
                      place.starter, place.size);
}

/* Sets the options that are not on the command line. */
static void set_up(sweep_record *r, const steep_command_line *line)
{
    steep_sweep_options *options = &r->options;
    steep_cli_as_given(line, &options->model);
    options->argc = line->argc + 1; /* with "steep" itself, which stands before argv[0] in main's list */
    options->argv = line->argv - 1;
    options->progress = options->notes = stderr;
    options->pause = steep_cli_progress_seconds();
    options->report = stdout;
    options->style = steep_cli_style(&r->output);
    options->events = r->output.json;
    options->stop = steep_cli_stop();
    options->begins = steep_cli_catch_signals; /* before, a signal ends the program, which has changed nothing */
    options->remark = steep_annexes_remark;
    options->draw = r->no_figure || options->contest ? NULL : draw;
    options->context = r;
}

static steep_status run(void *record, const steep_command_line *line, steep_error *error)
{
    const steep_annex_of_sweep *annex = steep_annexes_sweep();
    sweep_record *r = record;
    steep_sweep_options *options = &r->options;
    const steep_model_options *model = &options->model;
    set_up(r, line);
    if (options->contest && (model->widths || model->layers))
        return steep_fail(error, STEEP_BAD_INPUT, "--%s: a contest is at equal numbers of parameters: use --params",
                          model->widths ? "widths" : "layers");
    steep_status status = STEEP_OK;
    if (annex && annex->instead(&r->annex, options, line, &status, error)) return status;
    status = steep_cli_check_gnuplot(error);
    if (status == STEEP_OK) status = steep_cli_device(&options->run.on, error);
    if (status == STEEP_OK) status = open_others(annex, options, error);
    if (status != STEEP_OK) return status;
    if (options->run.others) steep_cli_catch_signals(); /* mpirun sends signals to all */
    if (options->run.others && steep_place_find().rank > 0) return annex->serve(options, error);
    status = steep_sweep_run(options, NULL, error);
    end_others(options);
    return status;
}

const steep_command steep_command_sweep = {
    .name = "sweep",
    .what = "fit every architecture at every width, measure the slopes, draw the figure",
    .about = "Fits every architecture at every width and seed, writes fits.csv (a row per fit), slopes.csv,\n"
             "series.csv, run.json and the figure slopes.svg, .pdf, .png into a folder, prints the table of slopes.\n"
             "The same command again goes on where it was interrupted; another list of widths, seeds,\n"
             "architectures, targets, solvers or starts adds to what the folder has.",
    .examples =
        "  steep sweep\n"
        "  steep sweep --target cosine_well --widths 8:2048:x2 --samples 10000 --out results/cosine\n"
        "  steep sweep --arch mlp,mlp:relu2 --target 'exp(-x)*cos(8*x)' --solver lm --widths 4:32:x2 --seeds 0:4\n"
        "  steep sweep --arch glu --solver frozen,lm --widths 4:32:x2 --out compared\n"
        "  steep sweep --shard 1/4 --out shared/run    (and 2/4, 3/4, 4/4 elsewhere; then once without --shard)\n",
    .size = sizeof(sweep_record),
    .groups = groups,
    .prints = STEEP_PRINTS_EVENTS,
    .work = run,
    .together = true,
};

const steep_command steep_command_contest = {
    .name = "contest",
    .what = "which unit does best on a target, at equal numbers of parameters",
    .about = "Fits every unit, or those of --arch and --unit, each at the largest width with at most --params\n"
             "parameters, by a solver that suits it (auto: reduced-newton for knots in 1D, frozen for\n"
             "comparators, else varpro from five starts), and prints them by error. With --out the folder is\n"
             "that of a sweep: the same command goes on where it was interrupted.",
    .examples =
        "  steep contest --target 'atan(20*x)' --penalty 1e-14\n"
        "  steep contest --target franke --arch mlp,mlp:gelu,glu:silu,rbf,kan --params 60,120 --out results/franke\n"
        "  steep contest --data points.csv --holdout 0.2 --unit @mine.txt --jobs 4\n",
    .size = sizeof(sweep_record),
    .groups = contest_groups,
    .prints = STEEP_PRINTS_EVENTS,
    .work = run,
    .together = true,
};

static const steep_option join_table[] = {
    TEXT("out", options.run.out, "DIR", NULL, "folder for the union: a new one, or one of those that are united", FREE),
    FLAG("fresh", options.run.fresh, "remove what an earlier run left in the folder", FREE),
    FLAG("mixed", options.run.mixed, "unite also rows that another version, commit or processor wrote", FREE),
    FLAG("quiet", options.run.quiet, "no notes", FREE),
    FLAG("no-figure", no_figure, "draw nothing", FREE),
    {.name = NULL},
};

static void join_groups(void *record, steep_option_group *group)
{
    sweep_record *r = record;
    r->options = steep_sweep_options_default();
    steep_cli_group(group, "Options:", join_table, r);
}

static steep_status join(void *record, const steep_command_line *line, steep_error *error)
{
    sweep_record *r = record;
    if (!r->options.run.out) return steep_fail(error, STEEP_BAD_INPUT, "join: --out names the folder for the union");
    set_up(r, line);
    steep_cli_catch_signals();
    const steep_status status = steep_cli_check_gnuplot(error);
    return status == STEEP_OK ? steep_join(line->word, line->words, &r->options, NULL, error) : status;
}

const steep_command steep_command_join = {
    .name = "join",
    .what = "rows of several folders into one, with their slopes and figure",
    .usage = "steep join DIR... --out DIR [OPTIONS]",
    .about = "Unites the fits of several folders that steep sweep wrote under the same conditions (samples,\n"
             "tolerance and so on; widths, seeds, architectures, targets, solvers and starts may differ):\n"
             "fits.csv, slopes.csv, series.csv, run.json and the figure, as of one sweep.",
    .examples = "  steep join results/mlp results/glu --out results/both\n",
    .size = sizeof(sweep_record),
    .groups = join_groups,
    .prints = STEEP_PRINTS_TABLES,
    .work = join,
    .most_words = SIZE_MAX,
    .alone = true,
};
