/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep, from options to figure:
 *
 *   1. Expand and check the options (grid): nothing is written before they are known to be good.
 *   2. Open the folder (folder): whose is it, is anybody else at work there.
 *   3. Read what is there (journal): rows of an earlier run, of shards; a torn last line is dropped.
 *   4. Make the samples that what is missing needs (tasks), write run.json (provenance).
 *   5. Fit what is missing, in several processes (workers), a row appended as each fit ends.
 *   6. Bring fits.csv into the grid's order; slopes, table (report); no error below what is possible (limits); figure;
 * write run.json again. */
#include "run/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "draw/figure.h"
#include "run/folder.h"
#include "run/journal.h"
#include "run/limits.h"
#include "run/report.h"
#include "run/tasks.h"
#include "run/workers.h"

/* --- the options --- */

static const char *test_names(size_t index)
{
    static const char *const names[] = {"grid", "gauss"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static const char *device_names(size_t index)
{
    return index == 0 ? "cpu" : NULL;
}

#define AT(field) offsetof(steep_sweep_options, field)
#define TEXT(name, field, argument, initial, help, identity) \
    {name, STEEP_OPTION_TEXT, AT(field), argument, initial, 0, 0, NULL, help, identity}
#define CHOICE(name, field, initial, choices, help) \
    {name, STEEP_OPTION_CHOICE, AT(field), "NAME", initial, 0, 0, choices, help, true}
#define SIZE(name, field, initial, low, high, help, identity) \
    {name, STEEP_OPTION_SIZE, AT(field), "N", initial, low, high, NULL, help, identity}
#define FLAG(name, field, help, identity) {name, STEEP_OPTION_FLAG, AT(field), NULL, NULL, 0, 0, NULL, help, identity}

const steep_option steep_sweep_option_table[] = {
    TEXT("arch", arch, "LIST", "mlp,glu,gqu", "architectures; mlp:relu2 names an activation too", true),
    TEXT("unit", unit, "FORMULA", NULL,
         "a unit by formula, as in 'exp(-z1^2)*z2', or @FILE of them; without --arch, that alone", true),
    TEXT("activation", activation, "LIST", NULL, "on the gate, for each architecture that names none", true),
    TEXT("dictionary", dictionary, "LETTERS", NULL, "activations of a mixture: g s r2 l t r i, as in gsr2l", true),
    CHOICE("gate", gate, NULL, steep_gate_names, "gate function of a mixture"),
    SIZE("degree", degree, NULL, 0, 8, "of a learned activation; 0: the architecture's own", true),
    TEXT("target", target, "LIST", NULL, "names or formulas, separated by ';' (default: runge3)", true),
    TEXT("data", data, "FILE", NULL, "CSV with columns x (or x1, x2 ...) and y, in place of a target", true),
    TEXT("widths", widths, "LIST", "1:103:3", "hidden units: 20, 5,10,20, 1:50, 1:103:3 or 8:4096:x2", true),
    TEXT("width", widths, "N", "1:103:3", "the same as --widths", false),
    TEXT("seeds", seeds, "LIST", "0", "seeds of points and starts: 0 or 0:4", true),
    SIZE("samples", samples, "2000", 2, 1e8, "training points", true),
    CHOICE("sampling", sampling, "random", steep_sampling_names, "where they lie"),
    CHOICE("test", test, "grid", test_names, "test error: on an equispaced grid, or continuous"),
    CHOICE("start", start, NULL, steep_start_names,
           "where the gates begin (default: the solver's own, see the manual)"),
    CHOICE("solver", solver, "frozen", steep_solver_names, "how the parameters are found"),
    CHOICE("line-search", line_search, "wolfe", steep_line_search_names, "of newton"),
    CHOICE("construction", construction, "midpoint", steep_construction_names, "of glu, by solver construct"),
    SIZE("restarts", restarts, "auto", 0, 1e6,
         "more starts of each fit, the best counts; auto: reduced-newton 40 to width 32", true),
    SIZE("hits", hits, "0", 0, 1e6, "no more restarts once so many starts have found the best, within 1 %; 0: all", true),
    SIZE("max-iterations", max_iterations, "0", 0, 1e9, "0: the solver's own", true),
    {"tolerance", STEEP_OPTION_REAL, AT(tolerance), "X", "1e-6", 1e-300, 0.999, NULL, "on the scaled gradient", true},
    FLAG("dense", dense, "frozen: by dense QR where the spline road would serve", true),
    SIZE("jobs", jobs, "0", 0, 4096, "fits side by side; 0: one per processor", false),
    CHOICE("device", device, "cpu", device_names, "where fits run"),
    TEXT("shard", shard, "I/N", NULL, "do the I-th part of N only; a later run without it joins them", false),
    TEXT("out", out, "DIR", "results/sweep", "folder for fits.csv, slopes.csv, run.json and the figure", false),
    FLAG("fresh", fresh, "remove what an earlier run left in the folder", false),
    FLAG("quiet", quiet, "no progress, no notes", false),
    FLAG("no-figure", no_figure, "draw nothing", false),
    {.name = NULL},
};

steep_sweep_options steep_sweep_options_default(void)
{
    steep_sweep_options options = {0};
    steep_options_default(steep_sweep_option_table, &options, NULL);
    return options;
}

/* --- the state of a run --- */

typedef struct run {
    const steep_sweep_options *options;
    steep_grid grid;
    steep_provenance provenance;
    steep_folder folder;
    size_t shard, shards;
    steep_row *row;       /* by task */
    bool *mine, *wanted;  /* by task: of this shard; of this shard and missing */
    size_t *missing, missing_count;
    char *journal_path, *json_path;
    long whole;           /* of the file at journal_path */
    steep_task_samples samples;
    steep_journal journal;
    steep_tally tally;
    size_t done;
    double began, shown;  /* seconds */
    size_t worst;         /* lowest task that failed, grid.tasks if none, and what it said */
    char complaint[200];
} run;

__attribute__((format(printf, 2, 3))) static void note(const run *r, const char *format, ...)
{
    if (!r->options->notes || r->options->quiet) return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(r->options->notes, format, arguments);
    va_end(arguments);
}

static bool asked_to_stop(const run *r)
{
    return r->options->stop && *r->options->stop;
}

/* --- 3: what is there --- */

static steep_status read_journal(run *r, const char *name, bool own, steep_error *error)
{
    char *path = steep_folder_file(&r->folder, name);
    if (!path) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
    steep_journal_state state;
    steep_status status = steep_journal_read(path, &r->grid, r->row, &state, error);
    if (status == STEEP_OK && own) r->whole = state.whole;
    /* Another shard may be writing its last line now: only one's own is known to be torn. */
    if (status == STEEP_OK && state.torn && (own || r->shards == 1))
        note(r, "%s: the last line was cut short: dropped\n", path);
    free(path);
    return status;
}

static steep_status read_journals(run *r, const char *own, steep_error *error)
{
    char **shard;
    size_t shards;
    steep_status status = read_journal(r, own, true, error);
    if (status == STEEP_OK && r->shards > 1) status = read_journal(r, "fits.csv", false, error);
    if (status != STEEP_OK) return status;
    status = steep_folder_shards(&r->folder, &shard, &shards, error);
    for (size_t i = 0; status == STEEP_OK && i < shards; i++)
        if (strcmp(shard[i], own) != 0) status = read_journal(r, shard[i], false, error);
    if (shard) steep_folder_free_list(shard, shards);
    return status;
}

static void list_missing(run *r)
{
    for (size_t i = 0; i < r->grid.tasks; i++) {
        r->mine[i] = i % r->shards == r->shard - 1;
        r->wanted[i] = r->mine[i] && !r->row[i].present;
        if (r->wanted[i]) r->missing[r->missing_count++] = i;
        r->tally.tasks += r->mine[i];
    }
    r->tally.kept = r->tally.tasks - r->missing_count;
}

/* --- 5: fits --- */

static void show_progress(run *r, bool last)
{
    FILE *stream = r->options->progress;
    if (!stream || r->options->quiet || !isatty(fileno(stream))) return;
    double now = steep_clock_seconds(), passed = now - r->began;
    if (last) {
        if (r->shown > 0) fputs("\r\033[K", stream);
        fflush(stream);
        return;
    }
    if (now - r->shown < 0.1) return;
    r->shown = now;
    double rate = passed > 0 ? (double)r->done / passed : 0,
           left = rate > 0 ? (double)(r->missing_count - r->done) / rate : 0;
    fprintf(stream, "\r%zu of %zu fits, %.3g a second, %.0f s left\033[K", r->done, r->missing_count, rate, ceil(left));
    fflush(stream);
}

/* What the monitor of one fit needs. */
typedef struct watch {
    const run *run;
    bool given_up; /* the fit was told to stop: with restarts its status may be that of an earlier start */
} watch;

static bool keep_going(void *context, const steep_progress *progress)
{
    watch *w = context;
    (void)progress;
    w->given_up = w->given_up || asked_to_stop(w->run);
    return !w->given_up;
}

static steep_row row_of(const steep_fit_result *result, steep_status status, size_t points)
{
    steep_row row = {.present = true,
                     .status = status,
                     .rmse_train = NAN,
                     .rmse_test = NAN,
                     .max_error = NAN,
                     .floor = NAN,
                     .gradient_norm = NAN,
                     .seconds = result->seconds,
                     .samples = points,
                     .iterations = result->iterations,
                     .evaluations = result->evaluations,
                     .starts = result->starts,
                     .hits = result->hits};
    if (status < 0) return row;
    row.rmse_train = result->rmse_train;
    row.rmse_test = result->rmse_test;
    row.max_error = result->max_error;
    row.floor = result->floor;
    row.gradient_norm = result->gradient_norm;
    return row;
}

/* What comes back from a worker. */
typedef struct outcome {
    steep_row row;
    steep_error complaint;
    bool given_up;
} outcome;

/* One fit, in a worker. A fit that fails is a result (its row says how) unless the machine failed it: no memory, no
 * disk. */
static steep_status fit_task(void *context, size_t index, void *result, steep_error *error)
{
    run *r = context;
    outcome *o = result;
    steep_task_open open;
    steep_status status = steep_task_open_init(&r->samples, &r->grid.task[r->missing[index]], &open, error);
    if (status == STEEP_NO_MEMORY) return status;
    steep_fit_result fit = {0};
    watch watched = {.run = r};
    open.options.monitor = (steep_monitor){keep_going, &watched};
    if (status == STEEP_OK) status = steep_fit(&open.problem, &open.options, &fit, error);
    o->given_up = watched.given_up;
    o->row = row_of(&fit, status, open.problem.train ? open.problem.train->count : 0);
    o->complaint = *error;
    steep_fit_result_free(&fit);
    steep_task_open_free(&open);
    return status == STEEP_NO_MEMORY || status == STEEP_IO ? status : STEEP_OK;
}

/* A finished fit, in this process: the row into the file, the count, the first complaint. */
static steep_status take_note(void *context, size_t index, const void *result, steep_error *error)
{
    run *r = context;
    const outcome *o = result;
    size_t task = r->missing[index];
    if (o->given_up) return STEEP_OK;
    steep_status status = steep_journal_append(&r->journal, task, &o->row, error);
    if (status != STEEP_OK) return status;
    r->row[task] = o->row;
    r->done++;
    if (o->row.status < 0 && task < r->worst) {
        r->worst = task;
        snprintf(r->complaint, sizeof r->complaint, "%.190s", o->complaint.text);
    }
    show_progress(r, false);
    return STEEP_OK;
}

static steep_status fit_missing(run *r, steep_error *error)
{
    steep_status status = steep_journal_open(&r->journal, r->journal_path, &r->grid, r->whole, error);
    if (status != STEEP_OK) return status;
    r->began = steep_clock_seconds();
    status = steep_workers_run(r->provenance.jobs, r->missing_count, sizeof(outcome), fit_task, take_note, r,
                               r->options->stop, error);
    show_progress(r, true);
    steep_journal_close(&r->journal);
    r->tally.computed = r->done;
    /* The last fits may have been given up while in progress, with none left to begin. */
    if (status == STEEP_OK && r->done < r->missing_count) status = STEEP_STOPPED;
    return status;
}

/* --- 6: the end --- */

static void count_rows(run *r)
{
    memset(r->tally.count, 0, sizeof r->tally.count);
    for (size_t i = 0; i < r->grid.tasks; i++)
        if (r->mine[i] && r->row[i].present) r->tally.count[r->row[i].status - STEEP_IO]++;
}

static size_t failures(const run *r)
{
    size_t failed = 0;
    for (int status = STEEP_IO; status < 0; status++) failed += r->tally.count[status - STEEP_IO];
    return failed;
}

/* A variant without a single usable fit has nothing to show. */
static steep_status check_variants(const run *r, steep_error *error)
{
    const steep_grid *grid = &r->grid;
    size_t each = grid->seeds * grid->widths;
    for (size_t v = 0; v < grid->targets * grid->variants; v++) {
        size_t usable = 0;
        for (size_t i = v * each; i < (v + 1) * each; i++) usable += r->row[i].present && r->row[i].status >= 0;
        if (usable == 0)
            return steep_fail(error, STEEP_SINGULAR, "every fit of %s on %s failed (%s): %s",
                              grid->variant[v % grid->variants].label, steep_grid_target_name(grid, v / grid->variants),
                              steep_status_name(r->row[v * each].status),
                              r->complaint[0] ? r->complaint : steep_status_advice(r->row[v * each].status));
    }
    return STEEP_OK;
}

static steep_status write_limits(run *r, steep_error *error)
{
    char *path = steep_folder_file(&r->folder, "limits.csv");
    if (!path) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
    /* What it holds depends on the grid alone: nothing new, nothing to write. */
    bool there = r->done == 0 && access(path, R_OK) == 0;
    steep_status status = there ? STEEP_OK : steep_limits_write(&r->grid, path, error);
    free(path);
    return status;
}

static steep_status draw(const run *r, steep_error *error)
{
    if (r->options->no_figure) return STEEP_OK;
    return steep_figure_slopes(r->folder.path, NULL, error);
}

static steep_status conclude(run *r, steep_error *error)
{
    steep_status status = steep_journal_settle(r->journal_path, &r->grid, r->row, r->mine, error);
    if (status != STEEP_OK) return status;
    size_t failed = failures(r);
    if (failed > 0)
        note(r, "%zu of %zu fits failed, see their status%s%s\n", failed, r->tally.tasks,
             r->complaint[0] ? "; the first: " : "", r->complaint);
    if (r->shards > 1) {
        note(r, "shard %s is done; the same command without --shard joins the shards\n", r->options->shard);
        return STEEP_OK;
    }
    char *path = steep_folder_file(&r->folder, "slopes.csv");
    if (!path) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
    status = steep_report_slopes(&r->grid, r->row, path, r->options->report, error);
    free(path);
    if (r->options->report) fflush(r->options->report);
    if (status == STEEP_OK) status = check_variants(r, error);
    if (status == STEEP_OK && r->done > 0) status = steep_limits_check(&r->grid, &r->samples, r->row, error);
    if (status == STEEP_OK) status = write_limits(r, error);
    if (status == STEEP_OK) status = draw(r, error);
    return status;
}

static steep_status allocate(run *r, const char *own, steep_error *error)
{
    size_t tasks = r->grid.tasks;
    r->row = calloc(tasks, sizeof *r->row);
    r->mine = calloc(tasks, sizeof *r->mine);
    r->wanted = calloc(tasks, sizeof *r->wanted);
    r->missing = calloc(tasks, sizeof *r->missing);
    r->journal_path = steep_folder_file(&r->folder, own);
    r->json_path = steep_folder_file(&r->folder, "run.json");
    r->worst = tasks;
    if (r->row && r->mine && r->wanted && r->missing && r->journal_path && r->json_path) return STEEP_OK;
    return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu fits", tasks);
}

/* Steps 3 to 6 in an open folder. */
static steep_status work(run *r, steep_error *error)
{
    char own[64] = "fits.csv";
    if (r->shards > 1) snprintf(own, sizeof own, "fits.shard-%zu-of-%zu.csv", r->shard, r->shards);
    steep_status status = allocate(r, own, error);
    if (status == STEEP_OK) status = read_journals(r, own, error);
    if (status != STEEP_OK) return status;
    list_missing(r);
    status = steep_task_samples_init(&r->grid, r->wanted, &r->samples, error);
    if (status == STEEP_OK) status = steep_provenance_write(&r->provenance, r->json_path, "running", &r->tally, error);
    if (status != STEEP_OK) return status;
    if (r->missing_count > 0) status = fit_missing(r, error);
    count_rows(r);
    if (status >= 0) note(r, "kept %zu, computed %zu\n", r->tally.kept, r->tally.computed);
    if (status == STEEP_STOPPED)
        steep_fail(error, STEEP_STOPPED, "stopped after %zu of %zu fits: the same command goes on from there",
                   r->tally.kept + r->done, r->tally.tasks);
    if (status == STEEP_OK) status = conclude(r, error);
    /* What went wrong is told first; this second message would hide it. */
    const char *state = status == STEEP_OK ? "done" : status == STEEP_STOPPED ? "stopped" : "failed";
    steep_status written = steep_provenance_write(&r->provenance, r->json_path, state, &r->tally,
                                                  status == STEEP_OK ? error : NULL);
    return status == STEEP_OK ? written : status;
}

steep_status steep_sweep_run(const steep_sweep_options *options, steep_sweep_result *result, steep_error *error)
{
    /* What is left out is filled in, so that run.json and the comparison on resume have it. */
    steep_sweep_options filled = *options;
    if (!filled.target && !filled.data) filled.target = STEEP_DEFAULT_TARGET;
    options = &filled;
    run r = {.options = options};
    if (result) *result = (steep_sweep_result){0};
    steep_status status = steep_grid_init(options, &r.grid, error);
    if (status != STEEP_OK) return status;
    status = steep_grid_shard(options->shard, &r.shard, &r.shards, error);
    r.provenance = (steep_provenance){.command = "sweep",
                                      .table = steep_sweep_option_table,
                                      .record = options,
                                      .data = options->data,
                                      .shard = r.shards > 1 ? options->shard : NULL,
                                      .argc = options->argc,
                                      .argv = options->argv,
                                      .seed = r.grid.seed,
                                      .seeds = r.grid.seeds,
                                      .jobs = options->jobs ? options->jobs : steep_workers_processors()};
    if (status == STEEP_OK) status = steep_provenance_begin(&r.provenance, error);
    if (status == STEEP_OK) status = steep_folder_open(&r.folder, options->out, &r.provenance, options->fresh, error);
    if (status == STEEP_OK) {
        status = work(&r, error);
        if (result)
            *result = (steep_sweep_result){r.tally.tasks, r.tally.kept, r.tally.computed, failures(&r)};
        steep_folder_close(&r.folder);
    }
    if (r.samples.grid) steep_task_samples_free(&r.samples);
    free(r.row);
    free(r.mine);
    free(r.wanted);
    free(r.missing);
    free(r.journal_path);
    free(r.json_path);
    steep_grid_free(&r.grid);
    return status;
}
