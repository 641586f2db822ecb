/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/annex.h"
#include "cli/cli.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/unheard.h"
#include "draw/figure.h"
#include "execute/backend.h"
#include "execute/memory.h"
#include "execute/tasks.h"
#include "record/folder.h"
#include "record/save.h"
#include "study/complete.h"
#include "study/sweep.h"

/* The sweep's options, of which "fit" leaves out those of many fits, and its own. */
typedef struct fit_record {
    steep_sweep_options sweep;
    const char *load;
    const char *slice;
    bool iterations, no_figure;
    const double *initial; /* of the network that was loaded */
    size_t axis[2];        /* of the slice, from 0 */
    void *annex[STEEP_ANNEXES_OF_FIT]; /* their records, NULL past the last */
    steep_cli_output output;
    steep_sheet sheet;
} fit_record;

#define FLAG(name, field, help)                                                                                        \
    {                                                                                                                  \
        name, STEEP_OPTION_FLAG, offsetof(fit_record, field), NULL, NULL, 0, 0, NULL, help, STEEP_OPTION_FREE          \
    }

static const steep_option own[] = {
    {"load", STEEP_OPTION_TEXT, offsetof(fit_record, load), "FILE", NULL, 0, 0, NULL,
     "begin with this network (parameters.json), in place of --arch, --width and --start", STEEP_OPTION_CONDITION},
    {"slice", STEEP_OPTION_TEXT, offsetof(fit_record, slice), "I,J", NULL, 0, 0, NULL,
     "in three and more dimensions: coordinates of the plane that is drawn (default: 1,2)", STEEP_OPTION_FREE},
    FLAG("iterations", iterations, "print a line per iteration"),
    FLAG("no-figure", no_figure, "draw nothing"),
    {.name = NULL},
};

static const char *const examples[] = {
    "steep fit",
    "steep fit --arch mlp --width 40 --target chirp --solver lm --iterations",
    "steep fit --arch gqu --width 12 --target cosine_well --certify",
    "steep fit --data points.csv --arch glu --width 12 --out results/points",
    "steep fit --data points.csv --load results/points/parameters.json --solver lm --out results/finer",
    NULL,
};

#define DEFAULT_ARCH "gqu"
#define FEW_HITS     3 /* below it the best of several starts may be by chance */
#define FIT_GROUPS   (STEEP_SWEEP_GROUPS + 2 + STEEP_ANNEXES_OF_FIT)

/* The annex of that place with options of steep fit; NULL past the last. */
static const steep_annex_of_fit *annex_at(size_t index)
{
    for (const steep_annex *const *annex = steep_annexes; *annex; annex++)
        if ((*annex)->fit && index-- == 0) return (*annex)->fit;
    return NULL;
}

/* The groups over a record, which gets the defaults of one fit. */
static steep_status make_groups(fit_record *record, steep_option_group group[FIT_GROUPS], steep_error *error)
{
    size_t n = 4; /* behind the sweep's */
    *record = (fit_record){.sweep = steep_sweep_options_default()};
    record->sweep.model.arch = DEFAULT_ARCH;
    record->sweep.model.widths = "20";
    record->sweep.run.out = NULL;
    steep_sweep_groups(&record->sweep, group);
    steep_options_default(own, record, NULL);
    steep_options_default(steep_cli_output_table, &record->output, NULL);
    steep_options_default(steep_cli_events_table, &record->output, NULL);
    group[n++] = (steep_option_group){NULL, own, record};
    const steep_annex_of_fit *annex;
    for (size_t k = 0; (annex = annex_at(k)); k++) {
        if (k == STEEP_ANNEXES_OF_FIT) return steep_fail(error, STEEP_BAD_INPUT, "raise STEEP_ANNEXES_OF_FIT");
        record->annex[k] = calloc(1, annex->size);
        if (!record->annex[k]) return steep_fail(error, STEEP_NO_MEMORY, "no memory for options");
        steep_options_default(annex->table, record->annex[k], NULL);
        group[n++] = (steep_option_group){NULL, annex->table, record->annex[k]};
    }
    group[n++] = (steep_option_group){NULL, steep_cli_output_table, &record->output};
    group[n++] = (steep_option_group){NULL, steep_cli_events_table, &record->output};
    group[n] = (steep_option_group){NULL, NULL, NULL};
    return STEEP_OK;
}

static void free_record(fit_record *record)
{
    for (size_t k = 0; k < STEEP_ANNEXES_OF_FIT; k++) free(record->annex[k]);
}

const steep_option *steep_cli_fit_tables(size_t index)
{
    const steep_option *const before[] = {steep_problem_option_table, steep_model_option_table,
                                          steep_solver_option_table, steep_run_option_table, own};
    const steep_option *const after[] = {steep_cli_output_table, steep_cli_events_table, NULL};
    if (index < sizeof before / sizeof *before) return before[index];
    index -= sizeof before / sizeof *before;
    for (size_t k = 0; annex_at(k); k++, index--)
        if (index == 0) return annex_at(k)->table;
    return index < sizeof after / sizeof *after ? after[index] : NULL;
}

/* --- while it runs --- */

typedef struct watch {
    const volatile int *stop;
    fit_record *record;
    const steep_provenance *provenance;
    const steep_folder *folder; /* NULL: none */
    bool begun;
    double told;           /* seconds, of the last event */
    steep_unheard unheard; /* until the solver asks for the first time */
} watch;

enum { ITERATION_COLUMNS = 7 };
static const steep_sheet_column iteration_columns[ITERATION_COLUMNS] = {
    {"stage", NULL, "stage", STEEP_SHEET_TEXT, NULL, 0, -8},
    {"iteration", NULL, "iteration", STEEP_SHEET_COUNT, NULL, 1, 9},
    {"evaluations", NULL, "evaluations", STEEP_SHEET_COUNT, NULL, 1, 11},
    {"rmse", NULL, "rmse", STEEP_SHEET_REAL, "%.6e", 1, 13},
    {"gradient", NULL, "gradient", STEEP_SHEET_REAL, "%.3e", 1, 13},
    {"step", NULL, "step", STEEP_SHEET_REAL, "%.3e", 1, 11},
    {"seconds", NULL, "seconds", STEEP_SHEET_REAL, "%.3f", 1, 9},
};
static const steep_sheet_layout iteration_layout = {
    .name = "iterations", .column = iteration_columns, .columns = ITERATION_COLUMNS};

static void print_iteration(watch *w, const steep_progress *p)
{
    steep_sheet *sheet = &w->record->sheet;
    const steep_cell cell[ITERATION_COLUMNS] = {
        steep_cell_text(p->stage ? p->stage : ""),
        steep_cell_count(p->iteration),
        steep_cell_count(p->evaluations),
        steep_cell_real(p->rmse),
        steep_cell_real(p->gradient_norm),
        steep_cell_real(p->step),
        steep_cell_real(p->seconds),
    };
    if (!w->begun) steep_sheet_begin(sheet, &iteration_layout, NULL);
    w->begun = true;
    steep_sheet_row(sheet, cell);
    fflush(stdout);
}

static void tell(watch *w, const steep_progress *p)
{
    const double now = steep_clock_seconds();
    if (now - w->told < STEEP_EVENT_SECONDS) return;
    w->told = now;
    steep_event_write(stderr, "progress",
                      (const steep_event_field[]){steep_event_text("stage", p->stage),
                                                  steep_event_count("iteration", p->iteration),
                                                  steep_event_count("evaluations", p->evaluations),
                                                  steep_event_real("rmse", p->rmse),
                                                  steep_event_real("gradient", p->gradient_norm),
                                                  steep_event_real("step", p->step),
                                                  steep_event_real("seconds", p->seconds),
                                                  {0}});
}

/* That it is at work, now and then. */
static void show_life(watch *w, const steep_progress *p)
{
    const double now = steep_clock_seconds();
    if (w->told == 0) w->told = now;
    if (now - w->told < steep_cli_progress_seconds()) return;
    w->told = now;
    fprintf(stderr, "%s%siteration %zu, rmse %.6e, %.0f s\n", p->stage ? p->stage : "", p->stage ? ", " : "",
            p->iteration, p->rmse, p->seconds);
}

static bool proceed(void *context, const steep_progress *progress)
{
    watch *w = context;
    steep_unheard_end(&w->unheard);
    if (w->record->iterations) print_iteration(w, progress);
    if (w->record->output.json && !w->record->sweep.run.quiet) tell(w, progress);
    else if (!w->record->iterations && !w->record->sweep.run.quiet) show_life(w, progress);
    return !*w->stop && !ferror(stdout); /* nobody reads on */
}

/* --- the report --- */

/* For people, sentences, behind the numbers that they are made of. */
enum {
    ARCH,
    TARGET,
    WIDTH,
    PARAMS,
    SEED,
    SOLVER,
    START,
    SOLVER_TEXT,
    DEVICE,
    DEVICE_TEXT,
    STATUS,
    REASON,
    STATUS_TEXT,
    TRAIN,
    TRAIN_POINTS,
    TRAIN_TEXT,
    TEST,
    TEST_POINTS,
    TEST_ESTIMATE,
    TEST_TEXT,
    LARGEST,
    FLOOR,
    SINGLE,
    COEFFICIENT,
    GRADIENT,
    TOLERANCE,
    GRADIENT_TEXT,
    ITERATIONS,
    EVALUATIONS,
    SECONDS,
    ITERATIONS_TEXT,
    STARTS,
    HITS,
    FOUND_TEXT,
    ADVICE,
    COLUMNS
};

#define SENTENCE(title)                                                                                                \
    {                                                                                                                  \
        NULL, NULL, title, STEEP_SHEET_TEXT, NULL, 0, -14                                                              \
    }

static const steep_sheet_column columns[COLUMNS] = {
    [ARCH] = {.key = "arch"},
    [TARGET] = {.key = "target"},
    [WIDTH] = {.key = "width", .kind = STEEP_SHEET_COUNT},
    [PARAMS] = {.key = "params", .kind = STEEP_SHEET_COUNT},
    [SEED] = {.key = "seed", .kind = STEEP_SHEET_COUNT},
    [SOLVER] = {.key = "solver"},
    [START] = {.key = "start"},
    [SOLVER_TEXT] = SENTENCE("solver"),
    [DEVICE] = {.key = "device"},
    [DEVICE_TEXT] = SENTENCE("device"),
    [STATUS] = {.key = "status"},
    [REASON] = {.key = "reason"},
    [STATUS_TEXT] = SENTENCE("status"),
    [TRAIN] = {.key = "rmse_train", .kind = STEEP_SHEET_REAL},
    [TRAIN_POINTS] = {.key = "train_points", .kind = STEEP_SHEET_COUNT},
    [TRAIN_TEXT] = SENTENCE("train RMSE"),
    [TEST] = {.key = "rmse_test", .kind = STEEP_SHEET_REAL},
    [TEST_POINTS] = {.key = "test_points", .kind = STEEP_SHEET_COUNT},
    [TEST_ESTIMATE] = {.key = "test_estimate", .kind = STEEP_SHEET_REAL},
    [TEST_TEXT] = SENTENCE("test RMSE"),
    [LARGEST] = {"max_error", NULL, "largest error", STEEP_SHEET_REAL, "%.6e", 0, -14},
    [FLOOR] = {"floor", NULL, "rounding floor", STEEP_SHEET_REAL, "%.6e", 0, -14},
    [SINGLE] = {"rmse_single", NULL, "in float32", STEEP_SHEET_REAL, "%.6e", 0, -14},
    [COEFFICIENT] = {"coefficient", NULL, "coefficients", STEEP_SHEET_REAL, "%.6e", 0, -14},
    [GRADIENT] = {.key = "gradient", .kind = STEEP_SHEET_REAL},
    [TOLERANCE] = {.key = "tolerance", .kind = STEEP_SHEET_REAL},
    [GRADIENT_TEXT] = SENTENCE("gradient"),
    [ITERATIONS] = {.key = "iterations", .kind = STEEP_SHEET_COUNT},
    [EVALUATIONS] = {.key = "evaluations", .kind = STEEP_SHEET_COUNT},
    [SECONDS] = {.key = "seconds", .kind = STEEP_SHEET_REAL},
    [ITERATIONS_TEXT] = SENTENCE("iterations"),
    [STARTS] = {.key = "starts", .kind = STEEP_SHEET_COUNT},
    [HITS] = {.key = "hits", .kind = STEEP_SHEET_COUNT},
    [FOUND_TEXT] = SENTENCE("found by"),
    [ADVICE] = SENTENCE("advice"),
};
static const steep_sheet_layout layout = {"fit", STEEP_SHEET_RECORD, columns, COLUMNS, 2};

/* A fit that is reported, and room for the sentences. */
typedef struct reported {
    const fit_record *record;
    const steep_plan *plan;
    const steep_task_open *open;
    const steep_fit_result *result;
    steep_device device;
    char solver[600], status[600], train[120], test[160], gradient[120], iterations[120], found[200];
} reported;

/* "value remark", where there is a value. */
static steep_cell sentence(char *room, size_t size, double value, const char *remark)
{
    snprintf(room, size, "%.6e%s", value, remark);
    return steep_cell_text(isnan(value) ? NULL : room);
}

static void put_identity(reported *r, steep_cell *cell)
{
    const steep_plan *plan = r->plan;
    const steep_task *task = &plan->task[0];
    const char *solver = steep_solver_names((size_t)plan->method[0].solver),
               *start = r->record->load ? r->record->load : steep_start_names((size_t)plan->method[0].start),
               *device = steep_device_names((size_t)r->device);
    snprintf(r->solver, sizeof r->solver, "%s, start %s", solver, start);
    cell[ARCH] = steep_cell_text(plan->variant[0].label);
    cell[TARGET] = steep_cell_text(plan->target[0].name);
    cell[WIDTH] = steep_cell_count(task->width);
    cell[PARAMS] = steep_cell_count(task->parameters);
    cell[SEED] = steep_cell_count(plan->seed[0]);
    cell[SOLVER] = steep_cell_text(solver);
    cell[START] = steep_cell_text(start);
    cell[SOLVER_TEXT] = steep_cell_text(r->solver);
    cell[DEVICE] = steep_cell_text(device);
    cell[DEVICE_TEXT] = steep_cell_text(r->device == STEEP_DEVICE_CPU ? NULL : device);
}

static void put_errors(reported *r, steep_cell *cell)
{
    const steep_fit_result *result = r->result;
    const steep_problem *problem = &r->open->problem;
    const bool continuous = r->open->options.continuous;
    char remark[96];
    snprintf(remark, sizeof remark, "   on %zu points", problem->train->count);
    cell[TRAIN] = steep_cell_real(result->rmse_train);
    cell[TRAIN_POINTS] = steep_cell_count(problem->train->count);
    cell[TRAIN_TEXT] = sentence(r->train, sizeof r->train, result->rmse_train, remark);
    if (continuous)
        snprintf(remark, sizeof remark, "   continuous, quadrature off by %.1e or less, as it estimates",
                 result->test_estimate);
    else if (problem->test) snprintf(remark, sizeof remark, "   on %zu points", problem->test->count);
    cell[TEST] = steep_cell_real(result->rmse_test);
    cell[TEST_POINTS] = steep_cell_real(!continuous && problem->test ? (double)problem->test->count : NAN);
    cell[TEST_ESTIMATE] = steep_cell_real(continuous ? result->test_estimate : NAN);
    cell[TEST_TEXT] = sentence(r->test, sizeof r->test, result->rmse_test, remark);
    cell[LARGEST] = steep_cell_real(result->max_error);
    cell[FLOOR] = steep_cell_real(result->floor);
    cell[SINGLE] = steep_cell_real(result->rmse_single);
    cell[COEFFICIENT] = steep_cell_real(result->coefficient);
    snprintf(remark, sizeof remark, "   scaled; tolerance %g", result->tolerance);
    cell[GRADIENT] = steep_cell_real(result->gradient_norm);
    cell[TOLERANCE] = steep_cell_real(result->tolerance);
    cell[GRADIENT_TEXT] = sentence(r->gradient, sizeof r->gradient, result->gradient_norm, remark);
}

static void put_effort(reported *r, steep_cell *cell)
{
    const steep_fit_result *result = r->result;
    snprintf(r->iterations, sizeof r->iterations, "%zu, %zu evaluations, %.3g s", result->iterations,
             result->evaluations, result->seconds);
    snprintf(r->found, sizeof r->found, "%zu of %zu starts ended within 1 %% of the best%s", result->hits,
             result->starts,
             result->hits == result->starts ? ""
             : result->hits < FEW_HITS      ? ": starts of one kind count as one, others may be better, see --restarts"
                                            : ": it is one of several minima");
    cell[ITERATIONS] = steep_cell_count(result->iterations);
    cell[EVALUATIONS] = steep_cell_count(result->evaluations);
    cell[SECONDS] = steep_cell_real(result->seconds);
    cell[ITERATIONS_TEXT] = steep_cell_text(r->iterations);
    cell[STARTS] = steep_cell_count(result->starts);
    cell[HITS] = steep_cell_count(result->hits);
    cell[FOUND_TEXT] = steep_cell_text(result->starts > 1 ? r->found : NULL);
}

static void print_report(reported *r, steep_sheet *sheet)
{
    const steep_plan *plan = r->plan;
    const steep_status status = r->result->status;
    steep_cell cell[COLUMNS];
    char title[400];
    snprintf(title, sizeof title, "%.100s on %.200s, width %zu, %zu parameters, seed %zu", plan->variant[0].label,
             plan->target[0].name, plan->task[0].width, plan->task[0].parameters, plan->seed[0]);
    snprintf(r->status, sizeof r->status, "%s: %s", steep_status_name(status), r->result->reason);
    put_identity(r, cell);
    cell[STATUS] = steep_cell_text(steep_status_name(status));
    cell[REASON] = steep_cell_text(r->result->reason);
    cell[STATUS_TEXT] = steep_cell_toned(r->status, steep_cell_status(status).tone);
    put_errors(r, cell);
    put_effort(r, cell);
    cell[ADVICE] = steep_cell_text(status > 0 ? steep_status_advice(status) : NULL);
    steep_sheet_begin(sheet, &layout, title);
    steep_sheet_row(sheet, cell);
    fflush(stdout);
}

/* --- what annexes say of it --- */

static steep_status check_annexes(const fit_record *record, const steep_plan *plan, const steep_command_line *line,
                                  steep_error *error)
{
    const steep_target *target = plan->points ? NULL : plan->target[plan->task[0].target].formula;
    steep_status status = STEEP_OK;
    for (size_t k = 0; status == STEEP_OK && k < STEEP_ANNEXES_OF_FIT && record->annex[k]; k++)
        status = annex_at(k)->check(record->annex[k], target, line, error);
    return status;
}

/* The numbers that annexes compute of the fit, printed, into number. */
static steep_status ask_annexes(fit_record *record, const steep_plan *plan, const steep_task_open *open,
                                const steep_fit_result *result, steep_stored_number *number, size_t *numbers,
                                steep_error *error)
{
    const steep_annex_fit fit = {.network = &open->network,
                                 .theta = result->theta,
                                 .target = plan->target[plan->task[0].target].formula,
                                 .stop = steep_cli_stop(),
                                 .output = &record->output,
                                 .sheet = &record->sheet};
    steep_status status = STEEP_OK;
    *numbers = 0;
    for (size_t k = 0; k < STEEP_ANNEXES_OF_FIT && record->annex[k]; k++) {
        size_t count = 0;
        if (status < 0 || status == STEEP_STOPPED || !annex_at(k)->asked(record->annex[k])) continue;
        status = annex_at(k)->run(record->annex[k], &fit, number + *numbers, &count, error);
        *numbers += count;
        fflush(stdout);
    }
    return status;
}

/* --- the files --- */

typedef steep_status (*save_function)(const steep_saved *saved, const char *path, steep_error *error);

static steep_status save_as(const steep_folder *folder, const char *name, save_function save, const steep_saved *saved,
                            steep_error *error)
{
    char *path = steep_folder_file(folder, name);
    if (!path) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
    steep_status status = save(saved, path, error);
    free(path);
    return status;
}

/* The name of a coordinate: a column's, or that of a formula's variable. */
static void name_axis(const steep_saved *saved, size_t j, char name[64])
{
    const steep_points *points = saved->plan->points;
    if (points) snprintf(name, 64, "%s", points->x[j]);
    else if (saved->network->dim <= 3) snprintf(name, 64, "%c", "xyz"[j]);
    else snprintf(name, 64, "x%zu", j + 1);
}

static steep_status draw(const steep_folder *folder, const steep_saved *saved, steep_error *error)
{
    char across[64], up[64], title[160];
    const steep_figure_limits limits = steep_cli_figure_limits(steep_cli_catch_signals());
    snprintf(title, sizeof title, "%s on %.60s, width %zu, rmse %.2e", saved->plan->variant[0].label,
             saved->plan->target[0].name, saved->network->width,
             isnan(saved->result->rmse_test) ? saved->result->rmse_train : saved->result->rmse_test);
    if (saved->network->dim == 1) return steep_figure_fit(folder->path, title, &limits, error);
    name_axis(saved, saved->axis[0], across);
    name_axis(saved, saved->axis[1], up);
    return steep_figure_map(folder->path, &(steep_figure_plane){title, across, up}, &limits, error);
}

static steep_status save_all(const steep_folder *folder, const steep_saved *saved, steep_error *error)
{
    const bool line = saved->network->dim == 1;
    steep_status status = save_as(folder, "parameters.json", steep_save_parameters, saved, error);
    if (status == STEEP_OK) status = save_as(folder, "residuals.csv", steep_save_residuals, saved, error);
    if (status == STEEP_OK && line) status = save_as(folder, "units.csv", steep_save_units, saved, error);
    if (status == STEEP_OK && !line) status = save_as(folder, "surface.csv", steep_save_surface, saved, error);
    if (status == STEEP_OK)
        status = save_as(folder, "gates.csv", line ? steep_save_gates : steep_save_lines, saved, error);
    return status;
}

static steep_status write_record(const steep_provenance *provenance, const steep_folder *folder, const char *state,
                                 const steep_fit_result *result, steep_error *error)
{
    char *path = steep_folder_file(folder, "run.json");
    if (!path) return steep_fail(error, STEEP_NO_MEMORY, "no memory for a file name");
    steep_tally tally = {.tasks = 1};
    if (result) {
        tally.computed = 1;
        tally.count[result->status - STEEP_IO] = 1;
    }
    steep_status status = steep_provenance_write(provenance, path, state, &tally, error);
    free(path);
    return status;
}

/* --- one fit --- */

/* Where residuals are taken, in the units of the data: the test points, or the training points where there are none. */
static const steep_samples *points_of(const steep_plan *plan, const steep_task_samples *samples,
                                      const steep_task_open *open)
{
    const steep_points *points = plan->points;
    if (points) return points->test.count > 0 ? &points->test : &points->train;
    if (steep_plan_standard(plan, &plan->task[0])) return &samples->test[0];
    return open->problem.test ? open->problem.test : open->problem.train;
}

/* The back end where it is a device. */
static const steep_backend *device_of(const fit_record *record)
{
    const steep_backend *backend = steep_backend_find(record->sweep.run.device);
    return backend && backend->fit ? backend : NULL;
}

/* Whether the device is there, and what of the other options it cannot do. */
static steep_status check_device(fit_record *record, char *text, size_t size, steep_error *error)
{
    steep_run_options *run = &record->sweep.run;
    const steep_backend *backend = device_of(record);
    text[0] = '\0';
    if (!backend) return STEEP_OK;
    if (record->iterations)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--iterations: a device says nothing before a fit has ended: leave it out, or use --device "
                          "cpu");
    steep_status status = steep_cli_device(&run->on, error);
    return status == STEEP_OK ? backend->ready(&run->on, text, size, error) : status;
}

/* A stop before the solver has asked for one: nothing is there to keep. */
static int end_unheard(void *context)
{
    const watch *w = context;
    steep_error error = {{0}};
    if (w->folder) write_record(w->provenance, w->folder, "stopped", NULL, NULL);
    steep_fail(&error, STEEP_STOPPED, "stopped before the solver had a network to keep: the same command begins anew");
    return steep_cli_end(&w->record->output, STEEP_STOPPED, &error);
}

static steep_status fit_here(watch *w, const steep_task_open *open, steep_fit_result *result, steep_error *error)
{
    w->unheard = (steep_unheard){.stop = w->stop, .end = end_unheard, .context = w};
    steep_unheard_begin(&w->unheard);
    const steep_status status = steep_fit(&open->problem, &open->options, result, error);
    steep_unheard_end(&w->unheard);
    return status;
}

/* The fit itself, and what computed it; on the CPU what the device does not take. */
static steep_status fit(watch *w, const steep_task_open *open, steep_fit_result *result, steep_device *device,
                        steep_error *error)
{
    const fit_record *record = w->record;
    steep_device_fit on = {.on = &record->sweep.run.on, .stop = w->stop};
    const steep_backend *backend = device_of(record);
    *device = STEEP_DEVICE_CPU;
    if (!backend) return fit_here(w, open, result, error);
    steep_status status = backend->fit(&open->problem, &open->options, &on, result, error);
    *device = on.device;
    if (on.given_up) return steep_fail(error, STEEP_STOPPED, "stopped: a device keeps nothing of a fit in progress");
    if (!on.refused[0]) return status;
    if (!record->sweep.run.quiet)
        steep_cli_note(&record->output, "--device %s: this fit runs on the CPU: %s", backend->name,
                       on.refused);
    return fit_here(w, open, result, error);
}

static void note_remarks(const fit_record *record, const steep_plan *plan)
{
    char remark[600] = "", better[300] = "", dropped[400];
    steep_plan_dropped(plan, dropped, sizeof dropped);
    if (dropped[0]) steep_cli_note(&record->output, "%s", dropped);
    if (plan->target[0].formula)
        steep_annexes_remark(plan->target[0].formula, STEEP_OTHER_DOMAIN, remark, sizeof remark);
    if (remark[0]) steep_cli_note(&record->output, "%s", remark);
    if (!record->load) steep_plan_advice(plan, better, sizeof better);
    if (better[0]) steep_cli_note(&record->output, "%s", better);
}

/* Fits, reports, and leaves files in the folder, NULL for none. */
static steep_status fit_and_save(fit_record *record, const steep_plan *plan, const steep_folder *folder,
                                 const steep_provenance *provenance, steep_error *error)
{
    steep_task_samples samples;
    steep_task_open open = {0};
    steep_fit_result result = {0};
    steep_device device = STEEP_DEVICE_CPU;
    watch watched = {.stop = steep_cli_stop(), .record = record, .provenance = provenance, .folder = folder};
    steep_status status = steep_task_samples_init(plan, NULL, &samples, error);
    if (status != STEEP_OK) return status;
    status = steep_task_open_init(&samples, &plan->task[0], &open, error);
    if (status == STEEP_OK) steep_cli_catch_signals(); /* until then one ends the program, and nothing was touched */
    if (status == STEEP_OK && folder && record->sweep.run.fresh) status = steep_folder_clear(folder, error);
    if (status == STEEP_OK && folder) status = write_record(provenance, folder, "running", NULL, error);
    const bool begun = status == STEEP_OK;
    if (begun && !record->sweep.run.quiet) note_remarks(record, plan);
    if (begun) {
        open.options.monitor = (steep_monitor){proceed, &watched};
        open.options.initial = record->initial;
        status = fit(&watched, &open, &result, &device, error);
        steep_task_rescale(plan, &plan->task[0], &result);
    }
    const bool given_up = status == STEEP_STOPPED && !result.theta; /* on a device */
    if (given_up && folder) write_record(provenance, folder, "stopped", NULL, NULL);
    if (status >= 0 && !given_up) {
        reported told = {.record = record, .plan = plan, .open = &open, .result = &result, .device = device};
        print_report(&told, &record->sheet);
    }
    steep_stored_number number[STEEP_SAVED_NUMBERS];
    size_t numbers = 0;
    if (status >= 0 && !given_up) {
        const steep_status asked = ask_annexes(record, plan, &open, &result, number, &numbers, error);
        if (asked < 0 || asked == STEEP_STOPPED) status = asked;
    }
    if (status >= 0 && !given_up && folder) {
        steep_saved saved = {plan,
                             &plan->task[0],
                             &open.network,
                             &result,
                             points_of(plan, &samples, &open),
                             number,
                             numbers,
                             {record->axis[0], record->axis[1]}};
        steep_status written = save_all(folder, &saved, error);
        const char *state = written < 0 ? "failed" : status == STEEP_STOPPED ? "stopped" : "done";
        /* what went wrong first is what is told */
        steep_status recorded = write_record(provenance, folder, state, &result, written < 0 ? NULL : error);
        if (written == STEEP_OK) written = recorded;
        if (written == STEEP_OK && !record->no_figure)
            written = steep_cli_drawn(folder->path, draw(folder, &saved, error));
        if (written != STEEP_OK) status = written;
    } else if (begun && !given_up && folder) write_record(provenance, folder, "failed", &result, NULL);
    steep_fit_result_free(&result);
    steep_task_open_free(&open);
    steep_task_samples_free(&samples);
    return status;
}

static steep_status check_single(const steep_plan *plan, steep_error *error)
{
    if (plan->tasks == 1) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "steep fit makes one fit and these options stand for %zu: use one --arch, --target, --solver, "
                      "--width and --seed, or steep sweep",
                      plan->tasks);
}

/* What the back end says of it, before anything is begun; a large fit is told. */
static steep_status check_memory(const fit_record *record, const steep_plan *plan, steep_error *error)
{
    char why[256];
    const char *who;
    const double needed = steep_memory_needed(plan, &plan->task[0]), room = steep_memory_left(&who);
    if (!steep_memory_suffices(plan, &plan->task[0], why, sizeof why))
        return steep_fail(error, STEEP_BAD_INPUT, "%s of width %zu: %s", plan->variant[0].label, plan->task[0].width,
                          why);
    if (needed > 1e9)
        steep_cli_note(&record->output, "this fit needs %.3g GB of memory; %s %.3g GB", needed / 1e9, who, room / 1e9);
    return STEEP_OK;
}

/* --slice I,J in dim dimensions; by default the first two coordinates. */
static steep_status read_slice(const char *text, size_t dim, size_t axis[2], steep_error *error)
{
    unsigned long i = 1, j = 2;
    char rest;
    axis[0] = 0, axis[1] = dim > 1;
    if (!text) return STEEP_OK;
    if (strspn(text, "0123456789,") != strlen(text) || sscanf(text, "%lu,%lu%c", &i, &j, &rest) != 2 || i == j ||
        i < 1 || j < 1 || i > dim || j > dim)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--slice '%.40s': two of the coordinates 1 to %zu are drawn: write them as 1,2", text, dim);
    axis[0] = i - 1, axis[1] = j - 1;
    return STEEP_OK;
}

static steep_status run_fit(fit_record *record, const steep_loaded *loaded, const steep_option_group *group, int argc,
                            char **argv, steep_error *error)
{
    const steep_sweep_options *options = &record->sweep;
    char found[256];
    steep_plan plan;
    steep_folder folder;
    steep_provenance provenance = {.command = "fit",
                                   .groups = group,
                                   .single = true,
                                   .plan = &plan,
                                   .data = options->problem.data,
                                   .test_data = options->problem.test_data,
                                   .argc = argc + 1,
                                   .argv = argv - 1,
                                   .jobs = 1}; /* "steep" itself stands before argv[0] in main's list */
    steep_status status =
        steep_cli_input(steep_plan_init(&options->problem, &options->model, &options->solver, &plan, error));
    if (status != STEEP_OK) return status;
    steep_plan_write_choice(&plan, &record->sweep);
    plan.device = options->run.device;
    status = steep_plan_check_given(&plan, argc, argv, error);
    if (status == STEEP_OK) status = check_single(&plan, error);
    if (status == STEEP_OK) status = check_device(record, found, sizeof found, error);
    if (status == STEEP_OK && found[0]) provenance.device = found;
    if (status == STEEP_OK)
        status = check_annexes(record, &plan, &(steep_command_line){.argc = argc, .argv = argv}, error);
    if (status == STEEP_OK) status = read_slice(record->slice, plan.target[0].dim, record->axis, error);
    if (status == STEEP_OK && loaded) status = steep_load_check(loaded, &plan, error);
    if (status == STEEP_OK) status = check_memory(record, &plan, error);
    if (status == STEEP_OK) status = steep_provenance_begin(&provenance, error);
    if (status == STEEP_OK && !options->run.out) status = fit_and_save(record, &plan, NULL, &provenance, error);
    else if (status == STEEP_OK) {
        status = steep_cli_input(steep_folder_open(&folder, options->run.out, &provenance, options->run.fresh, error));
        if (status == STEEP_OK) {
            status = fit_and_save(record, &plan, &folder, &provenance, error);
            steep_folder_close(&folder);
        }
    }
    steep_plan_free(&plan);
    return status;
}

static steep_status load_and_run(fit_record *record, const steep_option_group *group, int argc, char **argv,
                                 steep_error *error)
{
    fit_record initial;
    steep_option_group none[FIT_GROUPS];
    steep_loaded loaded;
    if (!record->load) return run_fit(record, NULL, group, argc, argv, error);
    steep_status status = make_groups(&initial, none, error);
    if (status == STEEP_OK)
        status = steep_cli_input(steep_load(record->load, &initial.sweep.model, &record->sweep.model, &loaded, error));
    free_record(&initial);
    if (status != STEEP_OK) return status;
    record->initial = loaded.stored.theta;
    if (!record->sweep.solver.solver)
        record->sweep.solver.solver = steep_solver_names((size_t)steep_fit_options_default().solver);
    if (!record->sweep.solver.start) record->sweep.solver.start = "uniform";
    status = run_fit(record, &loaded, group, argc, argv, error);
    steep_load_free(&loaded);
    return status;
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

static int run_command(fit_record *record, const steep_option_group *group, int argc, char **argv)
{
    steep_error error = {{0}};
    steep_command_line line = {.argc = argc, .argv = argv};
    const char *arch = record->sweep.model.arch;
    steep_status status = check_missing(argc, argv, &error);
    if (status == STEEP_OK) status = steep_options_parse_groups(group, &line, &error);
    if (status < 0) return steep_cli_fail(status, &error);
    if (line.help) {
        steep_cli_help_groups(
            "steep fit [OPTIONS]",
            "Fits one network and reports why it stopped and how far it got; --out writes "
            "parameters.json,\nresiduals.csv, gates.csv, run.json, in 1D units.csv, else surface.csv, "
            "and the picture fit.svg, .pdf, .png.",
            group, examples);
        return 0;
    }
    steep_cli_unit_alone(arch, &record->sweep.model);
    if (!record->sweep.problem.target && !record->sweep.problem.data) record->sweep.problem.target = STEEP_DEFAULT_TARGET;
    const steep_style style = steep_cli_style(&record->output);
    steep_sheet_open(&record->sheet, stdout, &style, "fit");
    status = steep_cli_check_gnuplot(&error);
    if (status == STEEP_OK) status = load_and_run(record, group, argc, argv, &error);
    status = steep_cli_close(&record->sheet, status, &error);
    return steep_cli_end(&record->output, status, &error);
}

int steep_command_fit(int argc, char **argv)
{
    steep_option_group group[FIT_GROUPS];
    fit_record record;
    steep_error error = {{0}};
    const steep_status status = make_groups(&record, group, &error);
    const int result = status < 0 ? steep_cli_fail(status, &error) : run_command(&record, group, argc, argv);
    free_record(&record);
    return result;
}
