/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep, from options to slopes:
 *
 *   1. Expand and check the options (plan): nothing is written before they are known to be good.
 *   2. Open the folder (folder): whose is it, is anybody else at work there.
 *   3. Read what is there (journal): rows of an earlier run, of shards; a torn last line is dropped. Fits that this run
 *      does not ask for are taken into the plan.
 *   4. Make the samples that what is missing needs (tasks). Nothing can be wrong any more: with --fresh remove what was
 *      there; write run.json (provenance).
 *   5. Fit what is missing (backend), a row appended as each fit ends.
 *   6. Slopes, in memory; no error below what is possible (limits).
 *   7. The files: fits.csv in the plan's order, slopes.csv, series.csv; run.json again. */
#include "study/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/event.h"
#include "base/processors.h"
#include "execute/backend.h"
#include "execute/cpu.h"
#include "plan/range.h"
#include "record/folder.h"
#include "record/journal.h"
#include "record/networks.h"
#include "study/complete.h"
#include "study/limits.h"
#include "study/report.h"
#include "study/series.h"

/* --- the options --- */

void steep_sweep_groups(steep_sweep_options *options, steep_option_group group[STEEP_SWEEP_GROUPS])
{
    group[0] = (steep_option_group){"Problem: what is approximated, at which points", steep_problem_option_table,
                                    &options->problem};
    group[1] = (steep_option_group){"Model: which networks", steep_model_option_table, &options->model};
    group[2] =
        (steep_option_group){"Solver: how their parameters are found", steep_solver_option_table, &options->solver};
    group[3] = (steep_option_group){"Run: where and how", steep_run_option_table, &options->run};
    group[4] = (steep_option_group){NULL, steep_many_option_table, &options->run};
    group[5] = (steep_option_group){NULL, NULL, NULL};
}

steep_sweep_options steep_sweep_options_default(void)
{
    steep_sweep_options options = {.report = NULL};
    steep_option_group group[STEEP_SWEEP_GROUPS];
    steep_sweep_groups(&options, group);
    for (size_t g = 0; group[g].table; g++) steep_options_default(group[g].table, group[g].record, NULL);
    return options;
}

/* --- the state of a run --- */

typedef struct run {
    const steep_sweep_options *options;
    const steep_backend *backend;
    steep_plan *plan; /* the result's, as are row and series */
    steep_sweep_result *result;
    steep_provenance provenance;
    steep_folder folder;      /* path NULL: no files */
    const char *const *other; /* folders that are joined in it */
    char **record;            /* of each its run.json */
    size_t others;
    char device_found[256]; /* what the back end says of itself, "": nothing */
    size_t shard, shards;
    char shard_name[48]; /* "2/4", however it was written: folders lock by it */
    bool *mine;          /* by task: wanted, and of this shard */
    bool *here;          /* by task: its row stands, or will, in the file at journal_path */
    size_t *missing, missing_count;
    char *journal_path, *json_path;
    long whole; /* bytes of the file at journal_path */
    bool old;   /* its rows have no checksums yet */
    steep_task_samples samples;
    steep_journal journal;
    steep_tally tally;
    size_t done, told;      /* fits; by the last event */
    double cost, cost_done; /* expected, of what is missing */
    double began, shown;    /* seconds */
    size_t worst;           /* lowest task that failed, plan->tasks if none, and what it said */
    char complaint[200];
} run;

__attribute__((format(printf, 2, 3))) static void note(const run *r, const char *format, ...)
{
    if (!r->options->notes || r->options->run.quiet) return;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    if (r->options->events) {
        vsnprintf(text, sizeof text, format, arguments);
        text[strcspn(text, "\n")] = '\0';
        steep_event_write(r->options->notes, "note", (const steep_event_field[]){steep_event_text("text", text), {0}});
    } else vfprintf(r->options->notes, format, arguments);
    va_end(arguments);
}

/* --- 3: what is there --- */

/* What is done with each file of rows; own: this run appends to it. */
typedef steep_status (*reader)(run *r, const char *path, bool own, steep_error *error);

/* Rows without checksums are those of an older version: taken where rows may be mixed, and then written anew. */
static steep_status check_age(const run *r, const char *path, const steep_journal_state *state, steep_error *error)
{
    if (!state->bare || r->options->run.mixed) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%s: its rows have no checksums, as an older version wrote them: give --mixed to keep them as "
                      "they are, --fresh to begin anew, or another --out",
                      path);
}

static steep_status admit_rows(run *r, const char *path, bool own, steep_error *error)
{
    steep_journal_state state;
    /* What other shards do beside this one's fits is of no use to it, and may be of other lists and change now. */
    if (!own && r->shards > 1) return STEEP_OK;
    steep_status status = steep_journal_admit(path, r->plan, &state, error);
    return status == STEEP_OK ? check_age(r, path, &state, error) : status;
}

static steep_status read_rows(run *r, const char *path, bool own, steep_error *error)
{
    steep_journal_state state;
    steep_status status = own || r->shards == 1
                              ? steep_journal_read(path, r->plan, r->result->row, &state, error)
                              : steep_journal_read_known(path, r->plan, r->result->row, &state, error);
    if (status == STEEP_OK) status = check_age(r, path, &state, error);
    if (status == STEEP_OK && own) r->whole = state.whole;
    if (status == STEEP_OK && own) r->old = state.old;
    /* One's own file is read first: what is there now is of it. */
    for (size_t i = 0; own && i < r->plan->tasks; i++) r->here[i] = r->result->row[i].present;
    /* Another shard may be writing its last line now: only one's own is known to be torn. */
    if (status == STEEP_OK && state.torn && (own || r->shards == 1))
        note(r, "%s: the last line was cut short: dropped\n", path);
    return status;
}

/* Rows of another folder: where there is a row already it must be the same. */
static steep_status merge_rows(run *r, const char *path, bool own, steep_error *error)
{
    steep_journal_state state;
    steep_fit_row *found = calloc(r->plan->tasks + 1, sizeof *found);
    (void)own;
    if (!found) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu rows", r->plan->tasks);
    steep_status status = steep_journal_read(path, r->plan, found, &state, error);
    for (size_t i = 0; status == STEEP_OK && i < r->plan->tasks; i++) {
        if (!found[i].present) continue;
        const steep_task *task = &r->plan->task[i];
        steep_fit_row_complete(&r->result->row[i], &found[i]);
        if (r->result->row[i].present && !steep_fit_row_same(&r->result->row[i], &found[i]))
            status = steep_fail(error, STEEP_BAD_INPUT,
                                "%s: %s of width %zu, seed %zu, on %s has other numbers than in a folder before it: "
                                "one of the two was made by another version; fit it anew",
                                path, r->plan->variant[task->variant].label, task->width, r->plan->seed[task->seed],
                                r->plan->target[task->target].name);
        r->result->row[i] = found[i];
    }
    if (status == STEEP_OK && state.torn) note(r, "%s: the last line was cut short: left out\n", path);
    free(found);
    return status;
}

static steep_status with_file(run *r, const steep_folder *folder, const char *name, reader read, bool own,
                              steep_error *error)
{
    char *path = steep_folder_file(folder, name);
    if (!path) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
    steep_status status = read(r, path, own, error);
    free(path);
    return status;
}

/* Every file of rows in a folder, this run's own first (NULL: it has none there). */
static steep_status with_files(run *r, const steep_folder *folder, const char *own, reader read, steep_error *error)
{
    char **shard;
    size_t shards;
    steep_status status = STEEP_OK;
    if (own) status = with_file(r, folder, own, read, true, error);
    if (status == STEEP_OK && (!own || r->shards > 1)) status = with_file(r, folder, "fits.csv", read, false, error);
    if (status != STEEP_OK) return status;
    status = steep_folder_shards(folder, &shard, &shards, error);
    for (size_t i = 0; status == STEEP_OK && i < shards; i++)
        if (!own || strcmp(shard[i], own) != 0) status = with_file(r, folder, shard[i], read, false, error);
    if (shard) steep_folder_free_list(shard, shards);
    return status;
}

/* The folders that are joined. */
static steep_status with_others(run *r, reader read, steep_error *error)
{
    steep_status status = STEEP_OK;
    for (size_t i = 0; status == STEEP_OK && i < r->others; i++) {
        const steep_folder folder = {.path = (char *)r->other[i], .lock = -1, .shard_lock = -1};
        if (read == admit_rows) {
            char *record = steep_folder_file(&folder, "run.json");
            if (!record) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
            status = steep_provenance_units(record, r->plan, error);
            free(record);
        }
        if (status == STEEP_OK) status = with_files(r, &folder, NULL, read, error);
    }
    return status;
}

/* The rows of the folder, and the plan with all of their fits. */
static steep_status take_in(run *r, const char *own, steep_error *error)
{
    steep_status status = STEEP_OK;
    const bool begun = r->folder.path && !r->options->run.fresh; /* what is to be removed does not count */
    if (r->folder.path) {
        if (begun) status = steep_provenance_units(r->json_path, r->plan, error);
        if (status == STEEP_OK && begun) status = with_files(r, &r->folder, own, admit_rows, error);
        if (status == STEEP_OK) status = with_others(r, admit_rows, error);
        if (status == STEEP_OK) status = steep_plan_lay_out(r->plan, error);
    }
    if (status != STEEP_OK) return status;
    size_t tasks = r->plan->tasks;
    r->worst = tasks;
    r->result->row = calloc(tasks + 1, sizeof *r->result->row);
    r->mine = calloc(tasks + 1, sizeof *r->mine);
    r->here = calloc(tasks + 1, sizeof *r->here);
    r->missing = calloc(tasks + 1, sizeof *r->missing);
    if (!r->result->row || !r->mine || !r->here || !r->missing)
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu fits", tasks);
    if (begun) status = with_files(r, &r->folder, own, read_rows, error);
    return status == STEEP_OK ? with_others(r, merge_rows, error) : status;
}

/* A fit is missing while its row is, or its network where networks are kept. */
static steep_status list_missing(run *r, steep_error *error)
{
    char why[160];
    for (size_t i = 0, wanted = 0; i < r->plan->tasks; i++) {
        const steep_task *task = &r->plan->task[i];
        r->mine[i] = task->wanted && wanted % r->shards == r->shard - 1;
        wanted += task->wanted;
        r->here[i] |= r->mine[i];
        if (!r->mine[i]) continue;
        r->tally.tasks++;
        if (r->result->row[i].present && r->options->run.keep_networks && r->result->row[i].status >= 0 &&
            steep_networks_has(&r->folder, r->plan, task, &r->result->row[i].present, error) < 0)
            return STEEP_NO_MEMORY;
        if (r->result->row[i].present) continue;
        if (!r->backend->can(r->plan, task, why, sizeof why))
            return steep_fail(error, STEEP_BAD_INPUT, "--device %s: %s of width %zu: %s", r->backend->name,
                              r->plan->variant[task->variant].label, task->width, why);
        r->missing[r->missing_count++] = i;
    }
    r->tally.kept = r->tally.tasks - r->missing_count;
    return STEEP_OK;
}

/* --- 5: fits --- */

static double cost_of(const run *r, size_t task)
{
    return steep_plan_cost(r->plan, &r->plan->task[task]);
}

/* What is left to do, before it is begun. */
static void announce(const run *r)
{
    const steep_sweep_options *options = r->options;
    if (!options->progress || !options->events || options->run.quiet) return;
    steep_event_write(options->progress, "begin",
                      (const steep_event_field[]){steep_event_text("command", r->others > 0 ? "join" : "sweep"),
                                                  steep_event_text("out", options->run.out),
                                                  steep_event_count("fits", r->tally.tasks),
                                                  steep_event_count("kept", r->tally.kept),
                                                  steep_event_count("total", r->missing_count),
                                                  {0}});
}

static void write_progress(const run *r, FILE *stream, double part, double passed)
{
    steep_event_write(stream, "progress",
                      (const steep_event_field[]){steep_event_count("done", r->done),
                                                  steep_event_count("total", r->missing_count),
                                                  steep_event_real("part", part),
                                                  steep_event_real("seconds", passed),
                                                  steep_event_real("left", part > 0 ? passed * (1 - part) / part : NAN),
                                                  {0}});
}

/* How much is done and how long the rest will take, by what the fits are expected to cost: the last and widest fits of
 * a list take most of its time. */
static void show_progress(run *r, bool last)
{
    FILE *stream = r->options->progress;
    const bool events = r->options->events;
    if (!stream || r->options->run.quiet) return;
    const bool lines = !events && !isatty(fileno(stream));
    if (lines && (last || r->options->pause <= 0)) return;
    double now = steep_clock_seconds(), passed = now - r->began;
    double part = r->cost > 0 ? r->cost_done / r->cost : 0;
    if (events) {
        if (last ? r->told == r->done : now - r->shown < STEEP_EVENT_SECONDS) return;
        r->shown = now;
        r->told = r->done;
        write_progress(r, stream, part, passed);
        return;
    }
    if (last) {
        if (r->shown > 0) fputs("\r\033[K", stream);
        fflush(stream);
        return;
    }
    if (now - fmax(r->shown, lines ? r->began : 0) < (lines ? r->options->pause : 0.1)) return;
    r->shown = now;
    fprintf(stream, "%s%zu of %zu fits, %.0f %% of the work", lines ? "" : "\r", r->done, r->missing_count, 100 * part);
    if (part > 0) fprintf(stream, ", about %.0f s left", ceil(fmax(passed * (1 - part) / part, 0)));
    fputs(lines ? "\n" : "\033[K", stream);
    fflush(stream);
}

/* A finished fit: its row into the file, the count, the first complaint. */
static steep_status take_note(void *context, size_t index, const steep_outcome *o, const double *theta,
                              steep_error *error)
{
    run *r = context;
    size_t task = r->missing[index];
    steep_status status = STEEP_OK;
    if (o->given_up) return STEEP_OK;
    /* The network first: a row that is there says that its network is, too. */
    if (theta && r->folder.path)
        status = steep_networks_write(&r->folder, r->plan, &r->plan->task[task], &o->row, theta, error);
    if (status == STEEP_OK && r->folder.path) status = steep_journal_append(&r->journal, task, &o->row, error);
    if (status != STEEP_OK) return status;
    r->result->row[task] = o->row;
    r->done++;
    r->cost_done += cost_of(r, task);
    if (o->row.status < 0 && task < r->worst) {
        r->worst = task;
        snprintf(r->complaint, sizeof r->complaint, "%.190s", o->complaint.text);
    }
    show_progress(r, false);
    return STEEP_OK;
}

static void put_note(void *context, const char *text)
{
    const run *r = context;
    if (!r->options->events) show_progress(context, true); /* its line makes room */
    note(r, "%s\n", text);
}

/* Rows that an older version wrote get their checksums before new ones join them. */
static steep_status renew_journal(run *r, steep_error *error)
{
    struct stat facts;
    steep_status status =
        steep_journal_finish(r->journal_path, r->plan, r->result->row, r->shards > 1 ? r->here : NULL, error);
    if (status != STEEP_OK) return status;
    if (stat(r->journal_path, &facts) != 0)
        return steep_fail(error, STEEP_IO, "%s: cannot be read: %s", r->journal_path, strerror(errno));
    r->whole = (long)facts.st_size;
    return STEEP_OK;
}

static steep_status fit_missing(run *r, steep_error *error)
{
    const steep_batch batch = {.plan = r->plan,
                               .samples = &r->samples,
                               .task = r->missing,
                               .count = r->missing_count,
                               .jobs = r->options->run.jobs,
                               .parameters = r->options->run.keep_networks,
                               .on = &r->options->run.on,
                               .ranks = r->options->run.ranks,
                               .stop = r->options->stop,
                               .apart = r->options->apart,
                               .take = take_note,
                               .note = put_note,
                               .context = r};
    steep_status status = r->old ? renew_journal(r, error) : STEEP_OK;
    if (status == STEEP_OK && r->folder.path)
        status = steep_journal_open(&r->journal, r->journal_path, r->plan, r->whole, error);
    if (status != STEEP_OK) return status;
    r->began = steep_clock_seconds();
    for (size_t i = 0; i < r->missing_count; i++) r->cost += cost_of(r, r->missing[i]);
    status = r->backend->run(&batch, error);
    show_progress(r, true);
    if (r->folder.path) steep_journal_close(&r->journal);
    r->tally.computed = r->done;
    /* The last fits may have been given up while in progress, with none left to begin. */
    if (status == STEEP_OK && r->done < r->missing_count) status = STEEP_STOPPED;
    return status;
}

/* --- 6 and 7: slopes and files --- */

static void count_rows(run *r)
{
    memset(r->tally.count, 0, sizeof r->tally.count);
    for (size_t i = 0; i < r->plan->tasks; i++)
        if (r->mine[i] && r->result->row[i].present) r->tally.count[r->result->row[i].status - STEEP_IO]++;
}

static size_t failures(const run *r)
{
    size_t failed = 0;
    for (int status = STEEP_IO; status < 0; status++) failed += r->tally.count[status - STEEP_IO];
    return failed;
}

/* A series without a single usable fit has nothing to show. */
static steep_status check_series(const run *r, steep_error *error)
{
    const steep_plan *plan = r->plan;
    for (size_t i = 0; i < r->result->series_count; i++) {
        const steep_series *s = &r->result->series[i];
        size_t first = steep_plan_first_task(plan, s->series);
        char label[160];
        while (!r->result->row[first].present) first++;
        if (s->count > 0) continue;
        steep_status how = r->result->row[first].status;
        steep_plan_label(plan, s->series, label, sizeof label);
        return steep_fail(error, STEEP_SINGULAR, "every fit of %s on %s failed (%s): %s", label,
                          plan->target[s->at.target].name, steep_status_name(how),
                          r->complaint[0] ? r->complaint : steep_status_advice(how));
    }
    return STEEP_OK;
}

static steep_status write_slopes(const run *r, steep_error *error)
{
    char *path = steep_folder_file(&r->folder, "slopes.csv");
    if (!path) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
    steep_status status = steep_report_slopes(r->plan, r->result->series, r->result->series_count, path, error);
    free(path);
    return status;
}

static steep_status write_series(const run *r, steep_error *error)
{
    const steep_sweep_result *result = r->result;
    steep_error remark = {{0}};
    char *path = steep_folder_file(&r->folder, "series.csv");
    if (!path) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
    steep_status status =
        steep_series_write(r->plan, result->row, result->series, result->series_count, r->options->stop, path, &remark);
    free(path);
    if (status == STEEP_STOPPED) return status;
    if (status < 0) return steep_fail(error, status, "%s", remark.text);
    if (status == STEEP_STALLED) note(r, "%s\n", remark.text);
    return STEEP_OK;
}

/* Fits whose continuous error the quadrature did not resolve. */
static void note_unresolved(const run *r)
{
    size_t count = 0, first = 0;
    for (size_t i = r->plan->tasks; r->plan->test == STEEP_GAUSS && i-- > 0;) {
        const steep_fit_row *row = &r->result->row[i];
        const steep_plan_target *target = &r->plan->target[r->plan->task[i].target];
        if (!steep_fit_row_usable(row) || !target->formula || target->dim != 1 || !isnan(row->rmse_test)) continue;
        count++;
        first = i;
    }
    if (count > 0)
        note(
            r,
            "the continuous error of %zu fits is not resolved, and nan in fits.csv: the first, %s of width %zu on %s\n",
            count, r->plan->variant[r->plan->task[first].variant].label, r->plan->task[first].width,
            r->plan->target[r->plan->task[first].target].name);
}

/* A stop that was asked for when all fits were done, and their rows in the file. */
static steep_status check_stop(const run *r, steep_error *error)
{
    if (!r->options->stop || !*r->options->stop) return STEEP_OK;
    return steep_fail(error, STEEP_STOPPED,
                      "stopped after all fits, before their slopes and bounds were known: the "
                      "same command goes on from there");
}

static void note_targets(const run *r)
{
    char text[600];
    for (size_t t = 0; r->options->remark && r->missing_count > 0 && t < r->plan->targets; t++) {
        if (!r->plan->target[t].wanted || !r->plan->target[t].formula) continue;
        r->options->remark(r->plan->target[t].formula, text, sizeof text);
        if (text[0]) note(r, "%s\n", text);
    }
}

static void note_overfits(const run *r)
{
    for (size_t i = 0; i < r->result->series_count; i++) {
        const steep_series *s = &r->result->series[i];
        char label[160];
        steep_plan_label(r->plan, s->series, label, sizeof label);
        if (s->overfit > 0)
            note(r, "%s on %s overfits from width %zu on: its test error leaves its training error: %s\n", label,
                 r->plan->target[s->at.target].name, s->overfit, steep_report_remedy(r->plan));
    }
}

static void note_advice(const run *r)
{
    char text[400];
    steep_plan_dropped(r->plan, text, sizeof text);
    if (text[0]) note(r, "%s\n", text);
    steep_plan_advice(r->plan, text, sizeof text);
    if (text[0]) note(r, "%s\n", text);
}

static steep_status print_report(const run *r, steep_error *error)
{
    const steep_sweep_result *result = r->result;
    steep_sheet sheet;
    steep_sheet_open(&sheet, r->options->report, &r->options->style, r->others > 0 ? "join" : "sweep");
    steep_status status = steep_report_table(r->plan, result->row, result->series, result->series_count, &sheet);
    const steep_status closed = steep_sheet_close(&sheet);
    if (status >= 0) status = closed;
    return status < 0 ? steep_fail(error, status, "no memory for the table of slopes") : STEEP_OK;
}

static steep_status conclude(run *r, steep_error *error)
{
    steep_sweep_result *result = r->result;
    size_t failed = failures(r);
    steep_status status = STEEP_OK;
    if (r->folder.path)
        status = steep_journal_finish(r->journal_path, r->plan, result->row, r->shards > 1 ? r->here : NULL, error);
    if (status != STEEP_OK) return status;
    if (failed > 0)
        note(r, "%zu of %zu fits failed, see their status%s%s\n", failed, r->tally.tasks,
             r->complaint[0] ? "; the first: " : "", r->complaint);
    if (r->shards > 1) {
        note(r, "shard %s is done; the same command without --shard joins the shards\n", r->options->run.shard);
        return STEEP_OK;
    }
    status = check_stop(r, error);
    if (status == STEEP_OK)
        status = steep_series_measure(r->plan, result->row, steep_slope_law_find(r->options->run.law), &result->series,
                                      &result->series_count, error);
    if (status == STEEP_OK && r->folder.path) status = write_slopes(r, error);
    if (status == STEEP_OK) note_unresolved(r);
    if (status == STEEP_OK) note_targets(r);
    if (status == STEEP_OK) note_overfits(r);
    if (status == STEEP_OK && r->others == 0) note_advice(r);
    if (status == STEEP_OK) status = check_stop(r, error);
    if (status == STEEP_OK && r->folder.path) status = write_series(r, error);
    if (status == STEEP_STOPPED) return check_stop(r, error);
    if (status == STEEP_OK && r->options->report) status = print_report(r, error);
    if (status == STEEP_OK) status = check_series(r, error);
    if (status != STEEP_OK || r->done == 0) return status;
    status = steep_limits_check(r->plan, &r->samples, result->row, r->options->stop, error);
    return status == STEEP_STOPPED ? check_stop(r, error) : status;
}

/* --- the whole --- */

static steep_status write_record(run *r, const char *state, steep_error *error)
{
    if (!r->folder.path) return STEEP_OK;
    return steep_provenance_write(&r->provenance, r->json_path, state, &r->tally, error);
}

/* Steps 4 to 7, with the rows at hand. */
static steep_status work(run *r, steep_error *error)
{
    bool *needed = calloc(r->plan->tasks + 1, sizeof *needed);
    if (!needed) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu fits", r->plan->tasks);
    for (size_t i = 0; i < r->missing_count; i++) needed[r->missing[i]] = true;
    steep_status status = steep_task_samples_init(r->plan, needed, &r->samples, error);
    free(needed);
    if (r->options->begins) r->options->begins();
    if (status == STEEP_OK && r->folder.path && r->options->run.fresh) status = steep_folder_clear(&r->folder, error);
    if (status == STEEP_OK) status = write_record(r, "running", error);
    if (status != STEEP_OK) return status;
    announce(r);
    if (r->missing_count > 0) status = fit_missing(r, error);
    count_rows(r);
    if (status >= 0 && r->others == 0) note(r, "kept %zu, computed %zu\n", r->tally.kept, r->tally.computed);
    if (status == STEEP_STOPPED)
        steep_fail(error, STEEP_STOPPED, "stopped after %zu of %zu fits: the same command goes on from there",
                   r->tally.kept + r->done, r->tally.tasks);
    if (status == STEEP_OK) status = conclude(r, error);
    /* What went wrong is told first; this second message would hide it. */
    const char *state = status == STEEP_OK ? "done" : status == STEEP_STOPPED ? "stopped" : "failed";
    steep_status written = write_record(r, state, status == STEEP_OK ? error : NULL);
    if (status == STEEP_OK) status = written;
    if (status == STEEP_OK && r->options->draw && r->folder.path && r->shards == 1)
        status = r->options->draw(r->folder.path, error, r->options->context);
    return status;
}

static void release(run *r)
{
    *r->result = (steep_sweep_result){.tasks = r->tally.tasks,
                                      .kept = r->tally.kept,
                                      .computed = r->tally.computed,
                                      .failed = failures(r),
                                      .plan = r->result->plan,
                                      .row = r->result->row,
                                      .series = r->result->series,
                                      .series_count = r->result->series_count};
    if (r->samples.plan) steep_task_samples_free(&r->samples);
    if (r->folder.path) steep_folder_close(&r->folder);
    free(r->mine);
    free(r->here);
    free(r->missing);
    free(r->journal_path);
    free(r->json_path);
}

/* The name of this run's own file of rows, and those of its other files. */
static steep_status name_files(run *r, char *own, size_t size, steep_error *error)
{
    snprintf(own, size, "fits.csv");
    if (r->shards > 1) snprintf(own, size, "fits.shard-%zu-of-%zu.csv", r->shard, r->shards);
    if (!r->folder.path) return STEEP_OK;
    r->journal_path = steep_folder_file(&r->folder, own);
    r->json_path = steep_folder_file(&r->folder, "run.json");
    if (!r->journal_path || !r->json_path) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
    struct stat facts;
    if (r->options->run.fresh || lstat(r->journal_path, &facts) != 0 || !S_ISLNK(facts.st_mode)) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%s: it is a link, and rows are written through none: put the file itself in its place, or give "
                      "--fresh to begin anew",
                      r->journal_path);
}

/* Steps 2 to 7. */
/* Before anything is begun a file that is not there, or a folder that cannot be made, is an option that is wrong. */
static steep_status of_input(steep_status status)
{
    return status == STEEP_IO ? STEEP_BAD_INPUT : status;
}

static steep_status run_plan(run *r, steep_error *error)
{
    const steep_run_options *options = &r->options->run;
    char own[64];
    steep_status status = STEEP_OK;
    if (options->keep_networks && !options->out)
        return steep_fail(error, STEEP_BAD_INPUT, "--keep-networks needs a folder: give --out");
    if (r->backend->ready) status = r->backend->ready(&options->on, r->device_found, sizeof r->device_found, error);
    if (status != STEEP_OK) return status;
    if (r->device_found[0]) r->provenance.device = r->device_found;
    if (options->out) status = steep_provenance_begin(&r->provenance, error);
    if (status == STEEP_OK && options->out)
        status = of_input(steep_folder_open(&r->folder, options->out, &r->provenance, options->fresh, error));
    if (status == STEEP_OK) status = name_files(r, own, sizeof own, error);
    if (status == STEEP_OK) status = of_input(take_in(r, own, error));
    if (status == STEEP_OK) status = list_missing(r, error);
    return status == STEEP_OK ? work(r, error) : status;
}

static steep_provenance provenance_of(const run *r, const steep_option_group *group)
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

/* Where other processes take part they do, whatever the device's name. */
static const steep_backend *find_backend(const steep_run_options *options)
{
    return options->ranks ? options->backend : steep_backend_find(options->device);
}

static steep_status check_ranks(const steep_run_options *options, steep_error *error)
{
    if (!options->ranks || !options->device || steep_backend_find(options->device) == &steep_backend_cpu)
        return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "--device %s: fits of several ranks run on processors: use --device cpu, or one process",
                      options->device);
}

steep_status steep_sweep_run(const steep_sweep_options *options, steep_sweep_result *result, steep_error *error)
{
    /* What is left out is filled in, so that run.json has it. */
    steep_sweep_options filled = *options;
    steep_option_group group[STEEP_SWEEP_GROUPS];
    steep_sweep_result own;
    steep_sweep_groups(&filled, group);
    run r = {.options = &filled, .result = result ? result : &own, .backend = find_backend(&filled.run)};
    *r.result = (steep_sweep_result){0};
    r.plan = &r.result->plan;
    steep_status status = check_ranks(&filled.run, error);
    if (status == STEEP_OK) status = steep_sweep_complete(&filled, r.plan, error);
    if (status != STEEP_OK) return status;
    r.plan->device = r.backend->name;
    status = steep_shard(filled.run.shard, &r.shard, &r.shards, error);
    snprintf(r.shard_name, sizeof r.shard_name, "%zu/%zu", r.shard, r.shards);
    r.provenance = provenance_of(&r, group);
    if (status == STEEP_OK) status = run_plan(&r, error);
    release(&r);
    if (!result) steep_sweep_result_free(&own);
    return status;
}

/* --- several folders --- */

/* --fresh removes what --out holds: not the rows that are to be united. */
static steep_status check_fresh(const run *r, steep_error *error)
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

/* The options of the first folder's record, and the sum of its points as they are now. */
static steep_status read_first(run *r, const char *record, const steep_option_group *group, void **owned,
                               steep_error *error)
{
    char sum[80];
    steep_error why = {{0}};
    steep_status status = steep_provenance_read(record, group, sum, sizeof sum, owned, error);
    if (status != STEEP_OK) return status;
    r->provenance = provenance_of(r, group);
    r->provenance.joined = record;
    status = steep_provenance_begin(&r->provenance, &why);
    if (status == STEEP_OK) return status;
    return steep_fail(error, status, "%s was written from points that are needed again: %.400s", record, why.text);
}

/* A folder that is joined has a file of rows. */
static steep_status check_rows(const steep_folder *folder, steep_error *error)
{
    char *path = steep_folder_file(folder, "fits.csv"), **shard;
    size_t shards;
    if (!path) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
    bool there = access(path, F_OK) == 0;
    free(path);
    if (there) return STEEP_OK;
    steep_status status = steep_folder_shards(folder, &shard, &shards, error);
    if (status != STEEP_OK) return status;
    steep_folder_free_list(shard, shards);
    if (shards > 0) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT, "%s holds no fits: it has no fits.csv: leave the folder out",
                      folder->path);
}

/* The conditions of the first folder, which the others must have, too. */
static steep_status read_conditions(run *r, const steep_option_group *group, void **owned, steep_error *error)
{
    steep_status status = STEEP_OK;
    r->record = calloc(r->others, sizeof *r->record);
    if (!r->record) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
    for (size_t i = 0; status == STEEP_OK && i < r->others; i++) {
        const steep_folder folder = {.path = (char *)r->other[i]};
        char *record = r->record[i] = steep_folder_file(&folder, "run.json");
        if (!record) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
        if (status == STEEP_OK && i == 0) status = read_first(r, record, group, owned, error);
        if (status == STEEP_OK) status = steep_provenance_compare(&r->provenance, record, error);
        if (status == STEEP_OK) status = check_rows(&folder, error);
    }
    r->provenance.joined = NULL;
    r->provenance.record = (const char *const *)r->record;
    r->provenance.records = r->others;
    return status;
}

steep_status steep_join(const char *const *folders, size_t count, const steep_sweep_options *options,
                        steep_sweep_result *result, steep_error *error)
{
    steep_sweep_options read = *options;
    const steep_sweep_options initial = steep_sweep_options_default();
    steep_option_group group[STEEP_SWEEP_GROUPS];
    steep_sweep_result own;
    void *owned = NULL;
    read.problem = initial.problem;
    read.model = initial.model;
    read.solver = initial.solver;
    read.model.extra = options->model.extra;
    read.model.extra_count = options->model.extra_count;
    steep_sweep_groups(&read, group);
    run r = {
        .options = &read, .result = result ? result : &own, .other = folders, .others = count, .shard = 1, .shards = 1};
    *r.result = (steep_sweep_result){0};
    r.plan = &r.result->plan;
    if (count == 0 || !options->run.out)
        return steep_fail(error, STEEP_BAD_INPUT, "join: name the folders to unite, and --out for their union");
    steep_status status = of_input(check_fresh(&r, error));
    if (status == STEEP_OK) status = of_input(read_conditions(&r, group, &owned, error));
    if (status == STEEP_OK)
        status = of_input(steep_plan_init_empty(&read.problem, &read.model, &read.solver, r.plan, error));
    if (status == STEEP_OK) {
        r.backend = steep_backend_find(read.run.device);
        r.plan->device = r.backend->name;
        status = run_plan(&r, error);
        release(&r);
    }
    for (size_t i = 0; r.record && i < count; i++) free(r.record[i]);
    free(r.record);
    steep_provenance_release(owned);
    if (!result) steep_sweep_result_free(&own);
    return status;
}

void steep_sweep_result_free(steep_sweep_result *result)
{
    steep_plan_free(&result->plan);
    free(result->row);
    free(result->series);
    *result = (steep_sweep_result){0};
}
