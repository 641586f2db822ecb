/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep, from options to slopes:
 *
 *   1. Expand and check the options (plan): nothing is written before they are known to be good.
 *   2. Open the folder (folder): check that it is of such a sweep, and that no other run is at work in it.
 *   3. Read what is there (gather): rows of an earlier run, of shards; a torn last line is dropped. Fits that this run
 *      does not ask for are taken into the plan.
 *   4. Make the samples of the missing fits (tasks): the last step in which something can prove wrong. Then remove the
 *      old files with --fresh, and write run.json (provenance).
 *   5. Fit what is missing (backend); append a row to the journal as each fit ends.
 *   6. Measure the slopes, in memory (conclude). No error may be below its lower bound (limits).
 *   7. Write the files: fits.csv in the plan's order, slopes.csv, series.csv; run.json again. */
#include "study/sweep.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "plan/range.h"
#include "record/save.h"
#include "study/run.h"

void steep_sweep_groups(steep_sweep_options *options, steep_option_group group[STEEP_SWEEP_GROUPS])
{
    const steep_option_group all[STEEP_SWEEP_GROUPS] = {
        {"Problem: what is approximated, at which points", steep_problem_option_table, &options->problem},
        {"Model: which networks", steep_model_option_table, &options->model},
        {"Solver: how their parameters are found", steep_solver_option_table, &options->solver},
        {"Run: where and how", steep_run_option_table, &options->run},
        {NULL, steep_many_option_table, &options->run}};
    memcpy(group, all, sizeof all);
}

steep_sweep_options steep_sweep_options_default(void)
{
    steep_sweep_options options = {.report = NULL};
    steep_option_group group[STEEP_SWEEP_GROUPS];
    steep_sweep_groups(&options, group);
    for (size_t g = 0; group[g].table; g++) steep_options_default(group[g].table, group[g].record);
    return options;
}

/* Reads a folder's run.json; *owned holds the texts. false: it cannot be read; opening the folder says why. */
static bool read_folder(const char *path, steep_plan_chosen *chosen, void **owned)
{
    steep_sweep_options old = steep_sweep_options_default();
    steep_option_group group[STEEP_SWEEP_GROUPS];
    const steep_path record = steep_path_in(path, "run.json");
    steep_sweep_groups(&old, group);
    if (steep_provenance_read(record.text, group, owned, NULL) != STEEP_OK || !old.solver.solver) return false;
    /* A record has no start where solvers or architectures have their own. */
    const steep_solver_options *solver = &old.solver;
    *chosen = (steep_plan_chosen){solver->restarts, old.problem.samples, old.problem.sampling,
                                  solver->solver,   solver->start,       old.model.widths};
    return true;
}

void steep_plan_write_choice(const steep_plan *plan, steep_sweep_options *options)
{
    const steep_plan_chosen *chosen = &plan->chosen;
    options->problem.samples = chosen->samples;
    options->problem.sampling = chosen->sampling;
    options->model.widths = chosen->widths;
    options->solver.solver = chosen->solver;
    options->solver.start = chosen->start;
    options->solver.restarts = chosen->restarts;
}

steep_status steep_sweep_complete(steep_sweep_options *options, steep_plan *plan, steep_error *error)
{
    steep_plan_chosen folder;
    void *owned = NULL;
    *plan = (steep_plan){0};
    if (!options->problem.target && !options->problem.data) options->problem.target = STEEP_DEFAULT_TARGET;
    steep_status status = steep_options_check(steep_run_option_table, &options->run, error);
    if (status != STEEP_OK) return status;
    if (options->run.out && !options->run.fresh && read_folder(options->run.out, &folder, &owned))
        options->problem.folder = &folder;
    status = steep_plan_init(&options->problem, &options->model, &options->solver, plan, error);
    options->problem.folder = NULL;
    steep_provenance_release(owned);
    if (status == STEEP_OK) status = steep_plan_check_given(plan, options->argc, options->argv, error);
    if (status == STEEP_OK) steep_plan_write_choice(plan, options);
    else steep_plan_free(plan);
    return steep_input_status(status);
}

void steep_run_note(const steep_run *r, const char *format, ...)
{
    if (!r->options->notes || r->options->run.quiet) return;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (*text && r->options->events) STEEP_EVENT(r->options->notes, "note", steep_fact_text("text", text));
    else if (*text) fprintf(r->options->notes, "%s\n", text);
}

/* Files of fits need a folder, and fits with one number of points. Checked before the folder is opened, and after. */
static steep_status check_files(const steep_run *r, steep_error *error)
{
    const steep_run_options *options = &r->options->run;
    const char *files = options->keep_networks ? "keep-networks" : options->curve ? "curve" : NULL;
    if (files && !options->out) return steep_fail(error, STEEP_BAD_INPUT, "--%s needs a folder: give --out", files);
    if (!files || r->plan->sets <= 1) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "--%s: its files are named by width and seed: use one number of --samples in place of %zu", files,
                      r->plan->sets);
}

/* A fit is missing while its row is missing, or its network where networks are kept. */
static steep_status list_missing(steep_run *r, steep_error *error)
{
    char why[160];
    const steep_status status = check_files(r, error);
    if (status != STEEP_OK) return status;
    for (size_t i = 0, wanted = 0; i < r->plan->tasks; i++) {
        const steep_task *task = &r->plan->task[i];
        r->mine[i] = task->wanted && wanted % r->shards == r->shard - 1;
        wanted += task->wanted;
        r->here[i] |= r->mine[i];
        if (!r->mine[i]) continue;
        r->tally.tasks++;
        steep_fit_row *row = &r->result->row[i];
        const steep_plan_key key = steep_plan_key_of(r->plan, task);
        if (row->present && r->options->run.keep_networks && row->status >= 0)
            row->present = access(steep_networks_path(r->folder.path, &key, false).text, R_OK) == 0;
        if (row->present) continue;
        if (!r->backend->can(r->plan, task, why, sizeof why))
            return steep_fail(error, STEEP_BAD_INPUT, "--device %s: %s of width %zu: %s", r->backend->name,
                              r->plan->variant[task->variant].label, task->width, why);
        r->needed[i] = true;
        r->missing[r->missing_count++] = i;
    }
    r->tally.kept = r->tally.tasks - r->missing_count;
    return STEEP_OK;
}

/* Writes progress as an event, or as a line; on a terminal the line replaces the one before. */
static void write_meter(steep_run *r, bool terminal, double now)
{
    FILE *stream = r->options->progress;
    steep_meter *m = &r->meter;
    const size_t total = r->missing_count;
    const double part = m->cost > 0 ? m->cost_done / m->cost : 0, passed = now - m->began;
    const double left = part > 0 ? passed * (1 - part) / part : NAN;
    m->shown = now;
    m->reported = m->done;
    if (r->options->events) {
        STEEP_EVENT(stream, "progress", steep_fact_count("done", m->done), steep_fact_count("total", total),
                    steep_fact_real("part", part), steep_fact_real("seconds", passed), steep_fact_real("left", left));
        return;
    }
    fprintf(stream, "%s%zu of %zu fits, %.0f %% of the work", terminal ? "\r" : "", m->done, total, 100 * part);
    if (part > 0) fprintf(stream, ", about %.0f s left", ceil(fmax(left, 0)));
    fputs(terminal ? "\033[K" : "\n", stream);
    fflush(stream);
}

/* Shows progress where it is due. last: the fits are over, and the line is cleared. */
static void show_meter(steep_run *r, bool last)
{
    FILE *stream = r->options->progress;
    const steep_meter *m = &r->meter;
    if (!stream || r->options->run.quiet) return;
    const bool events = r->options->events, terminal = !events && isatty(fileno(stream)), often = events || terminal;
    const double now = steep_clock_seconds(), pause = often ? STEEP_EVENT_SECONDS : r->options->pause;
    const bool due = pause > 0 && now - fmax(m->shown, often ? 0 : m->began) >= pause;
    if (last ? events && m->reported != m->done : due) write_meter(r, terminal, now);
    if (last && terminal && m->shown > 0) fputs("\r\033[K", stream);
    if (last && terminal) fflush(stream);
}

/* Takes a finished fit: its row into the file, the count, the message of the lowest task that failed. */
static steep_status take_note(void *context, size_t index, const steep_outcome *o, const double *theta,
                              steep_error *error)
{
    steep_run *r = context;
    size_t task = r->missing[index];
    steep_status status = STEEP_OK;
    if (o->given_up) return STEEP_OK;
    /* The network first: a row in the file says that the network is there, too. */
    if (theta && r->folder.path)
        status = steep_networks_write(&r->folder, r->plan, &r->plan->task[task], &o->row, theta, error);
    if (status == STEEP_OK && o->curve && r->folder.path)
        status = steep_curves_write(&r->folder, r->plan, &r->plan->task[task], o->curve, o->curve_numbers, error);
    if (status == STEEP_OK && r->folder.path) status = steep_journal_append(&r->journal, task, &o->row, error);
    if (status != STEEP_OK) return status;
    r->result->row[task] = o->row;
    r->meter.done++;
    r->meter.cost_done += steep_plan_cost(r->plan, &r->plan->task[task]);
    if (o->row.status < 0 && task < r->worst) {
        r->worst = task;
        snprintf(r->complaint, sizeof r->complaint, "%.190s", o->complaint.text);
    }
    show_meter(r, false);
    return STEEP_OK;
}

static void put_note(void *context, const char *text)
{
    steep_run *r = context;
    if (!r->options->events) show_meter(r, true); /* clears the line of progress */
    steep_run_note(r, "%s", text);
}

static steep_status fit_missing(steep_run *r, steep_error *error)
{
    const steep_batch batch = {.plan = r->plan,
                               .samples = &r->samples,
                               .task = r->missing,
                               .count = r->missing_count,
                               .jobs = r->options->run.jobs,
                               .threads = r->options->run.threads,
                               .parameters = r->options->run.keep_networks,
                               .curves = r->options->run.curve,
                               .on = &r->options->run.on,
                               .others = r->options->run.others,
                               .stop = r->options->stop,
                               .take = take_note,
                               .note = put_note,
                               .context = r};
    steep_status status = STEEP_OK;
    if (r->folder.path) status = steep_journal_open(&r->journal, r->journal_path.text, r->plan, r->whole, error);
    if (status != STEEP_OK) return status;
    r->meter.began = steep_clock_seconds();
    for (size_t i = 0; i < r->missing_count; i++)
        r->meter.cost += steep_plan_cost(r->plan, &r->plan->task[r->missing[i]]);
    status = r->backend->run(&batch, error);
    show_meter(r, true);
    if (r->folder.path) close(r->journal.file);
    r->tally.computed = r->meter.done;
    /* The last fits may have been given up while in progress, with none left to begin. */
    if (status == STEEP_OK && r->meter.done < r->missing_count) status = STEEP_STOPPED;
    return status;
}

static steep_status write_record(steep_run *r, const char *state, steep_error *error)
{
    if (!r->folder.path) return STEEP_OK;
    return steep_provenance_write(&r->provenance, steep_path_in(r->folder.path, "run.json").text, state, &r->tally,
                                  error);
}

static void count_rows(steep_run *r)
{
    for (size_t i = 0; i < r->plan->tasks; i++) {
        if (!r->mine[i] || !r->result->row[i].present) continue;
        r->tally.count[r->result->row[i].status - STEEP_IO]++;
        r->result->failed += r->result->row[i].status < 0;
    }
}

/* Steps 4 to 7, with the rows at hand. */
static steep_status work(steep_run *r, steep_error *error)
{
    const steep_sweep_options *options = r->options;
    steep_status status = steep_task_samples_init(r->plan, r->needed, &r->samples, error);
    if (options->begins) options->begins();
    if (status == STEEP_OK && r->folder.path && options->run.fresh) status = steep_folder_clear(&r->folder, error);
    if (status == STEEP_OK) status = write_record(r, "running", error);
    if (status != STEEP_OK) return status;
    if (options->progress && options->events && !options->run.quiet)
        STEEP_EVENT(options->progress, "begin", steep_fact_text("command", r->command),
                    steep_fact_text("out", options->run.out), steep_fact_count("fits", r->tally.tasks),
                    steep_fact_count("kept", r->tally.kept), steep_fact_count("total", r->missing_count));
    if (r->missing_count > 0) status = fit_missing(r, error);
    count_rows(r);
    if (status >= 0 && r->others == 0) steep_run_note(r, "kept %zu, computed %zu", r->tally.kept, r->tally.computed);
    if (status == STEEP_STOPPED)
        steep_fail(error, STEEP_STOPPED, "stopped after %zu of %zu fits: the same command goes on from there",
                   r->tally.kept + r->meter.done, r->tally.tasks);
    if (status == STEEP_OK) status = steep_run_conclude(r, error);
    /* The first message says what went wrong; a second one would hide it. */
    const char *state = status == STEEP_OK ? "done" : status == STEEP_STOPPED ? "stopped" : "failed";
    steep_status written = write_record(r, state, status == STEEP_OK ? error : NULL);
    if (status == STEEP_OK) status = written;
    if (status == STEEP_OK && options->draw && r->folder.path && r->shards == 1)
        status = options->draw(r->folder.path, error, options->context);
    return status;
}

/* Makes room for the result (NULL: the caller wants none) and its plan; the caller releases the run in any case. */
static steep_status begin_run(steep_run *r, steep_sweep_result *result, steep_error *error)
{
    r->result = result ? result : &r->unwanted;
    *r->result = (steep_sweep_result){.plan = calloc(1, sizeof *r->plan)};
    r->plan = r->result->plan;
    return r->plan ? STEEP_OK : steep_fail(error, STEEP_NO_MEMORY, "no memory for the plan");
}

static void release_run(steep_run *r)
{
    r->result->tasks = r->tally.tasks;
    r->result->kept = r->tally.kept;
    r->result->computed = r->tally.computed;
    if (r->samples.plan) steep_task_samples_free(&r->samples);
    if (r->folder.path) steep_folder_close(&r->folder);
    free(r->block);
    steep_sweep_result_free(&r->unwanted);
}

static steep_status name_files(steep_run *r, steep_error *error)
{
    snprintf(r->own, sizeof r->own, "fits.csv");
    if (r->shards > 1) snprintf(r->own, sizeof r->own, "fits.shard-%zu-of-%zu.csv", r->shard, r->shards);
    if (!r->folder.path) return STEEP_OK;
    r->journal_path = steep_path_in(r->folder.path, r->own);
    struct stat facts;
    if (r->options->run.fresh || lstat(r->journal_path.text, &facts) != 0 || !S_ISLNK(facts.st_mode)) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%s is a link, and rows are written through none: put the file in its place, or give --fresh",
                      r->journal_path.text);
}

/* Steps 2 to 7, on the back end. */
static steep_status run_plan(steep_run *r, const steep_backend *backend, steep_error *error)
{
    const steep_run_options *options = &r->options->run;
    r->backend = backend;
    r->plan->device = backend->name;
    steep_status status = check_files(r, error);
    if (status != STEEP_OK) return status;
    if (options->curve && r->backend->fit)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--curve: a device says nothing before a fit has ended: leave it out");
    if (r->backend->ready) status = r->backend->ready(&options->on, r->device_found, sizeof r->device_found, error);
    if (status != STEEP_OK) return status;
    if (r->device_found[0]) r->provenance.device = r->device_found;
    if (options->out) status = steep_provenance_begin(&r->provenance, error);
    if (status == STEEP_OK && options->out)
        status = steep_input_status(steep_folder_open(&r->folder, options->out, &r->provenance, options->fresh, error));
    if (status == STEEP_OK) status = name_files(r, error);
    if (status == STEEP_OK) status = steep_input_status(steep_run_gather(r, error));
    if (status == STEEP_OK) status = list_missing(r, error);
    return status == STEEP_OK ? work(r, error) : status;
}

/* What identifies this run; group: its options. */
static steep_provenance provenance_of(const steep_run *r, const steep_option_group *group)
{
    const steep_sweep_options *options = r->options;
    return (steep_provenance){.command = "sweep",
                              .groups = group,
                              .plan = r->plan,
                              .data = options->problem.data,
                              .test_data = options->problem.test_data,
                              .shard = r->shards > 1 ? r->shard_name : NULL,
                              .mixed = options->run.mixed,
                              .argc = options->argc,
                              .argv = options->argv,
                              .jobs = options->run.jobs ? options->run.jobs : steep_processors()};
}

steep_status steep_sweep_run(const steep_sweep_options *options, steep_sweep_result *result, steep_error *error)
{
    /* Options that are left out are filled in, so that run.json has them. */
    steep_sweep_options filled = *options;
    steep_option_group group[STEEP_SWEEP_GROUPS];
    steep_run r = {.options = &filled, .command = options->contest ? "contest" : "sweep"};
    const steep_backend *backend = options->run.backend; /* NULL: no other processes take part */
    steep_sweep_groups(&filled, group);
    steep_status status = begin_run(&r, result, error);
    if (status == STEEP_OK && backend && steep_backend_find(filled.run.device) != &steep_backend_cpu)
        status = steep_fail(error, STEEP_BAD_INPUT,
                            "--device %s: fits of several ranks run on processors: use --device cpu, or one process",
                            filled.run.device);
    if (status == STEEP_OK) status = steep_sweep_complete(&filled, r.plan, error);
    if (status == STEEP_OK) status = steep_shard(filled.run.shard, &r.shard, &r.shards, error);
    if (status == STEEP_OK) {
        snprintf(r.shard_name, sizeof r.shard_name, "%zu/%zu", r.shard, r.shards);
        r.provenance = provenance_of(&r, group);
        status = run_plan(&r, backend ? backend : steep_backend_find(filled.run.device), error);
    }
    release_run(&r);
    return status;
}

/* --fresh removes the files in --out: it must not be one of the folders to unite. */
static steep_status check_fresh(const steep_run *r, steep_error *error)
{
    struct stat out, other;
    if (!r->options->run.fresh || stat(r->options->run.out, &out) != 0) return STEEP_OK;
    for (size_t i = 0; i < r->others; i++)
        if (stat(r->other[i], &other) == 0 && other.st_dev == out.st_dev && other.st_ino == out.st_ino)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "--fresh would remove the fits of %s before they are united: leave --fresh out, or give "
                              "another --out",
                              r->other[i]);
    return STEEP_OK;
}

/* STEEP_BAD_INPUT where a folder to unite has no file of rows. */
static steep_status check_rows(const char *folder, steep_error *error)
{
    struct dirent **shard;
    size_t shards;
    if (access(steep_path_in(folder, "fits.csv").text, F_OK) == 0) return STEEP_OK;
    steep_status status = steep_folder_list(folder, steep_folder_is_shard, &shard, &shards, error);
    if (status != STEEP_OK) return status;
    steep_folder_free_list(shard, shards);
    if (shards > 0) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT, "%s holds no fits: it has no fits.csv: leave the folder out", folder);
}

/* Reads the conditions of the first folder, which the others must share; takes the checksum of its points anew. */
static steep_status read_conditions(steep_run *r, const steep_option_group *group, void **owned, steep_error *error)
{
    steep_error why = {{0}};
    const steep_path first = steep_path_in(r->other[0], "run.json");
    steep_status status = steep_provenance_read(first.text, group, owned, error);
    if (status != STEEP_OK) return status;
    r->provenance = provenance_of(r, group);
    r->provenance.joined = first.text;
    status = steep_provenance_begin(&r->provenance, &why);
    if (status != STEEP_OK)
        return steep_fail(error, status, "%s was written from points that are needed again: %.400s", first.text,
                          why.text);
    for (size_t i = 0; status == STEEP_OK && i < r->others; i++) {
        status = steep_provenance_compare(&r->provenance, steep_path_in(r->other[i], "run.json").text, error);
        if (status == STEEP_OK) status = check_rows(r->other[i], error);
    }
    r->provenance.joined = NULL;
    r->provenance.folder = r->other;
    r->provenance.folders = r->others;
    return status;
}

steep_status steep_join(const char *const *folders, size_t count, const steep_sweep_options *options,
                        steep_sweep_result *result, steep_error *error)
{
    steep_sweep_options read = *options;
    const steep_sweep_options initial = steep_sweep_options_default();
    steep_option_group group[STEEP_SWEEP_GROUPS];
    void *owned = NULL;
    read.problem = initial.problem;
    read.model = initial.model;
    read.solver = initial.solver;
    read.model.extra = options->model.extra;
    read.model.extra_count = options->model.extra_count;
    steep_sweep_groups(&read, group);
    steep_run r = {.options = &read, .command = "join", .other = folders, .others = count, .shard = 1, .shards = 1};
    steep_status status = begin_run(&r, result, error);
    if (status == STEEP_OK && (count == 0 || !options->run.out))
        status = steep_fail(error, STEEP_BAD_INPUT, "join: name the folders to unite, and --out for their union");
    if (status == STEEP_OK) status = steep_input_status(check_fresh(&r, error));
    if (status == STEEP_OK) status = steep_input_status(read_conditions(&r, group, &owned, error));
    if (status == STEEP_OK)
        status = steep_input_status(steep_plan_init_empty(&read.problem, &read.model, &read.solver, r.plan, error));
    if (status == STEEP_OK) status = run_plan(&r, steep_backend_find(read.run.device), error);
    release_run(&r);
    steep_provenance_release(owned);
    return status;
}

void steep_sweep_result_free(steep_sweep_result *result)
{
    if (result->plan) steep_plan_free(result->plan);
    free(result->plan);
    free(result->row);
    free(result->series);
    *result = (steep_sweep_result){0};
}
