/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "fit/curve.h"
#include "fit/solvers.h"
#include "model/start.h"
#include "model/written.h"
#include "record/save.h"
#include "study/session.h"

/* The options of "fit": those of a sweep, except the group for many fits, and its own. */
typedef struct fit_record {
    steep_cli_output output;
    steep_sweep_options sweep;
    const char *load;
    const char *slice;
    bool iterations, no_figure;
    steep_annex_record annex;
} fit_record;

#define AT(field) offsetof(fit_record, field)

static const steep_option own[] = {
    TEXT("load", load, "FILE", NULL,
         "begin with this network (parameters.json), in place of --arch, --width and --start", CONDITION),
    TEXT("slice", slice, "I,J", NULL,
         "in three and more dimensions: coordinates of the plane that is drawn (default: 1,2)", FREE),
    FLAG("iterations", iterations, "print a line per iteration", FREE),
    FLAG("no-figure", no_figure, "draw nothing", FREE),
    {.name = NULL},
};

/* Lists the options over a record, and sets the defaults of one fit. */
static void groups(void *record, steep_option_group *group)
{
    const steep_annex_of_fit *annex = steep_annexes_fit();
    fit_record *r = record;
    r->sweep = steep_sweep_options_default();
    r->sweep.model.arch = "gqu";
    r->sweep.model.widths = "20";
    r->sweep.run.out = NULL;
    steep_sweep_groups(&r->sweep, group);
    group[STEEP_SWEEP_GROUPS - 2] = (steep_option_group){NULL, NULL, NULL}; /* the group for many fits */
    steep_cli_group(group, NULL, own, r);
    if (annex) steep_cli_group(group, NULL, annex->table, &r->annex);
}

/* A saved network, and the texts of the options that describe it. */
typedef struct loaded {
    steep_stored stored;
    char arch[128], dictionary[64], width[32], layers[160];
} loaded;

/* Sets the options of the model from the network. */
static void describe(loaded *l, steep_model_options *model)
{
    const steep_network *network = &l->stored.network;
    const steep_architecture *row = network->architecture;
    const steep_choice *choice = &network->choice;
    snprintf(l->arch, sizeof l->arch, "%s%s%s", row->name, row->uses_activation ? ":" : "",
             row->uses_activation ? steep_activation_names((size_t)choice->activation) : "");
    l->layers[0] = '\0';
    for (size_t k = 0; k + 1 < network->depth; k++)
        steep_text_add(l->layers, sizeof l->layers, "%zu,", network->hidden[k]);
    steep_text_add(l->layers, sizeof l->layers, "%zu%s", network->width, choice->residual ? "+" : "");
    snprintf(l->width, sizeof l->width, "%zu", network->width);
    steep_choice_dictionary(choice, l->dictionary, sizeof l->dictionary);
    model->widths = l->width;
    if (network->depth > 1) model->layers = l->layers;
    model->arch = l->stored.written ? NULL : l->arch;
    if (l->stored.written) model->unit = l->stored.written->given;
    if (row->uses_gate) model->gate = steep_gate_name(choice->gate);
    if (row->uses_degree) model->degree = (size_t)choice->degree;
    if (row->uses_dictionary) model->dictionary = l->dictionary;
}

/* Reads the network of --load, and sets the options of the model from it (architecture, choice, width), and solver and
 * start where no option does. On success the caller frees l->stored; on failure nothing. */
static steep_status load(const char *path, const steep_command_line *line, steep_sweep_options *options, loaded *l,
                         steep_error *error)
{
    static const char *const decided[] = {"arch",  "unit",   "activation", "dictionary", "gate",  "degree",
                                          "width", "widths", "depth",      "layers",     "params"};
    char file[PATH_MAX];
    for (size_t i = 0; i < sizeof decided / sizeof *decided; i++)
        if (steep_options_given(line->argc, line->argv, decided[i]))
            return steep_fail(error, STEEP_BAD_INPUT, "--%s: the network of --load has its own: leave it out",
                              decided[i]);
    if (!options->solver.solver)
        options->solver.solver = steep_solver_names((size_t)steep_fit_options_default().solver);
    steep_status status = steep_cli_network(path, file, error);
    if (status == STEEP_OK) status = steep_stored_read(file, &l->stored, error);
    if (status != STEEP_OK) return steep_input_status(status);
    describe(l, &options->model);
    const bool gates = steep_start_check(&l->stored.network, STEEP_START_UNIFORM, NULL) == STEEP_OK;
    if (!options->solver.start) options->solver.start = gates ? "uniform" : "random"; /* for restarts */
    return STEEP_OK;
}

/* Whether both scales are the same; b NULL: no scales. */
static bool same_scales(const steep_standard *a, const steep_standard *b)
{
    if (!b) return a->dim == 0;
    return a->dim == b->dim && memcmp(a->x_mean, b->x_mean, a->dim * sizeof *a->x_mean) == 0 &&
           memcmp(a->x_scale, b->x_scale, a->dim * sizeof *a->x_scale) == 0 && a->y_mean == b->y_mean &&
           a->y_scale == b->y_scale;
}

/* Checks that the network has dimension and parameters of the plan's one network, and its points the same scales. */
static steep_status check_loaded(const loaded *l, const steep_plan *plan, steep_error *error)
{
    const steep_network *network = &l->stored.network;
    if (network->dim != plan->target[0].dim)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "the network of --load is in %zuD and %s is in %zuD: use another target", network->dim,
                          plan->target[0].name, plan->target[0].dim);
    if (steep_network_size(network) != plan->task[0].parameters)
        return steep_fail(error, STEEP_BAD_INPUT, "the network of --load has %zu parameters, expected %zu",
                          steep_network_size(network), plan->task[0].parameters);
    const steep_solver_row *solver = steep_solver_table(plan->method[0].solver);
    if (solver->writes)
        return steep_fail(error, STEEP_BAD_INPUT, "--solver %s begins with nothing: use another with --load",
                          solver->name);
    if (!same_scales(&l->stored.standard, steep_plan_standard(plan, &plan->task[0])))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "the points of --load have other scales: use the same --data, --holdout and --standardize");
    return STEEP_OK;
}

/* One fit, from the plan to its files. */
typedef struct one_fit {
    fit_record *record;
    const steep_command_line *line;
    const steep_annex_of_fit *annex; /* NULL: none */
    const steep_backend *backend;    /* backend->fit NULL: the fit runs in this process */
    steep_sheet sheet;
    loaded loaded; /* the network of --load; its theta is NULL without --load */
    steep_plan plan;
    steep_provenance provenance;
    char found[256];     /* description of the device, "": none */
    size_t axis[2];      /* coordinates of the slice, from 0 */
    steep_folder folder; /* path NULL: no folder */
    steep_task_samples samples;
    steep_task_open open;
    steep_fit_result result;
    steep_curve curve; /* of --curve */
    steep_device device;
    steep_stored_number number[STEEP_SAVED_NUMBERS]; /* numbers that an annex computed */
    size_t numbers;
    steep_sheet_line iteration;
    double reported; /* time of the last report, in seconds */
    bool heard;      /* the solver has called the monitor */
} one_fit;

/* Reports progress from time to time: an event with these fields for programs, or a line. */
static void report_progress(one_fit *f, const steep_progress *p, const steep_sheet_part *field, size_t count)
{
    const bool event = f->record->output.json;
    const double now = steep_clock_seconds();
    if (f->reported == 0 && !event) f->reported = now;
    if (now - f->reported < (event ? STEEP_EVENT_SECONDS : steep_cli_progress_seconds())) return;
    f->reported = now;
    if (event) steep_event_write(stderr, "progress", field, count);
    else
        fprintf(stderr, "%s%siteration %zu, rmse %.6e, %.0f s\n", p->stage ? p->stage : "", p->stage ? ", " : "",
                p->iteration, p->rmse, p->seconds);
}

/* Prints a line of the table of iterations; the first line begins the table. */
static void print_iteration(one_fit *f, const steep_sheet_part *part, size_t count)
{
    steep_sheet_line *line = &f->iteration;
    steep_sheet_line_set(line, "iterations", part, count);
    if (!line->cell[0].text) line->cell[0].text = ""; /* no stage: null in the event, a text in the table */
    if (!f->sheet.layout) steep_sheet_begin(&f->sheet, &line->layout, NULL);
    steep_sheet_row(&f->sheet, line->cell);
    fflush(stdout);
}

static bool proceed(void *context, const steep_progress *p)
{
    one_fit *f = context;
    const fit_record *record = f->record;
    const steep_sheet_part part[] = {
        {{"stage", NULL, "stage", STEEP_SHEET_TEXT, NULL, 0, -8}, steep_cell_text(p->stage)},
        {{"iteration", NULL, "iteration", STEEP_SHEET_COUNT, NULL, 1, 9}, steep_cell_count(p->iteration)},
        {{"evaluations", NULL, "evaluations", STEEP_SHEET_COUNT, NULL, 1, 11}, steep_cell_count(p->evaluations)},
        {{"rmse", NULL, "rmse", STEEP_SHEET_REAL, "%.6e", 1, 13}, steep_cell_real(p->rmse)},
        {{"gradient", NULL, "gradient", STEEP_SHEET_REAL, "%.3e", 1, 13}, steep_cell_real(p->gradient_norm)},
        {{"step", NULL, "step", STEEP_SHEET_REAL, "%.3e", 1, 11}, steep_cell_real(p->step)},
        {{"seconds", NULL, "seconds", STEEP_SHEET_REAL, "%.3f", 1, 9}, steep_cell_real(p->seconds)},
    };
    const size_t count = sizeof part / sizeof *part;
    if (!f->heard) steep_cli_catch_signals();
    f->heard = true;
    if (record->iterations) print_iteration(f, part, count);
    if (!record->sweep.run.quiet && (record->output.json || !record->iterations)) report_progress(f, p, part, count);
    return !*steep_cli_stop() && !ferror(stdout); /* nobody reads the output */
}

#define FEW_HITS 3 /* with fewer hits the best of several starts may be chance */
enum { MOST_TEXT = 600 };

/* The line of the report, and memory for its sentences. */
typedef struct writer {
    steep_sheet_line line;
    char text[STEEP_SHEET_MOST][MOST_TEXT];
} writer;

/* Adds what programs read: the numbers in the sentences, and more. */
static void add_facts(writer *w, const one_fit *f, const char *start)
{
    const steep_plan *plan = &f->plan;
    const steep_fit_result *r = &f->result;
    const steep_samples *test = f->open.problem.test;
    const bool continuous = f->open.options.continuous;
    const steep_sheet_part part[] = {
        steep_fact_text("arch", plan->variant[0].label),
        steep_fact_text("target", plan->target[0].name),
        steep_fact_count("width", plan->task[0].width),
        steep_fact_count("params", plan->task[0].parameters),
        steep_fact_count("seed", plan->seed[0]),
        steep_fact_text("solver", steep_solver_names((size_t)plan->method[0].solver)),
        steep_fact_text("start", start),
        steep_fact_text("device", steep_device_names((size_t)f->device)),
        steep_fact_text("status", steep_status_name(r->status)),
        steep_fact_text("reason", r->reason),
        steep_fact_real("rmse_train", r->rmse_train),
        steep_fact_count("train_points", f->open.problem.train->count),
        steep_fact_real("rmse_test", r->rmse_test),
        {{.key = "test_points", .kind = STEEP_SHEET_COUNT},
         steep_cell_real(!continuous && test ? (double)test->count : NAN)},
        steep_fact_real("test_estimate", continuous ? r->test_estimate : NAN),
        steep_fact_real("max_error", r->max_error),
        steep_fact_real("floor", r->floor),
        steep_fact_real("rmse_single", r->rmse_single),
        steep_fact_real("coefficient", r->coefficient),
        steep_fact_real("gradient", r->gradient_norm),
        steep_fact_real("tolerance", r->tolerance),
        steep_fact_count("iterations", r->iterations),
        steep_fact_count("evaluations", r->evaluations),
        steep_fact_real("seconds", r->seconds),
        steep_fact_count("starts", r->starts),
        steep_fact_count("hits", r->hits),
    };
    steep_sheet_line_set(&w->line, "fit", part, sizeof part / sizeof *part);
}

/* Adds a sentence for people; it is left out unless given is true. */
__attribute__((format(printf, 4, 5))) static void add_sentence(writer *w, const char *title, bool given,
                                                               const char *format, ...)
{
    char *text = w->text[w->line.layout.columns];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, MOST_TEXT, format, arguments);
    va_end(arguments);
    const steep_sheet_part part = {{.title = title, .width = -14}, steep_cell_text(given ? text : NULL)};
    steep_sheet_line_add(&w->line, &part, 1);
}

static void add_errors(writer *w, const one_fit *f)
{
    const steep_fit_result *r = &f->result;
    const steep_samples *train = f->open.problem.train, *test = f->open.problem.test;
    const bool tested = !isnan(r->rmse_test);
    add_sentence(w, "train RMSE", !isnan(r->rmse_train), "%.6e   on %zu points", r->rmse_train, train->count);
    if (f->open.options.continuous)
        add_sentence(w, "test RMSE", tested, "%.6e   continuous, quadrature off by %.1e or less, as it estimates",
                     r->rmse_test, r->test_estimate);
    else add_sentence(w, "test RMSE", tested, "%.6e   on %zu points", r->rmse_test, test ? test->count : 0);
    add_sentence(w, "largest error", !isnan(r->max_error), "%.6e", r->max_error);
    add_sentence(w, "rounding floor", !isnan(r->floor), "%.6e", r->floor);
    const bool lost = r->rmse_single > fmax(1e-6, 10 * (tested ? r->rmse_test : r->rmse_train)); /* as of a sweep */
    add_sentence(w, "in float32", !isnan(r->rmse_single), "%.6e%s", r->rmse_single,
                 lost ? "   --penalty 1e-14 keeps coefficients small, and may end lower" : "");
    add_sentence(w, "coefficients", !isnan(r->coefficient), "%.6e", r->coefficient);
    add_sentence(w, "gradient", !isnan(r->gradient_norm), "%.6e   scaled; tolerance %g", r->gradient_norm,
                 r->tolerance);
}

static void add_effort(writer *w, const steep_fit_result *r)
{
    const char *others = r->hits == r->starts ? ""
                         : r->hits < FEW_HITS
                             ? ": starts of one kind count as one, others may be better, see --restarts"
                             : ": it is one of several minima";
    add_sentence(w, "iterations", true, "%zu, %zu evaluations, %.3g s", r->iterations, r->evaluations, r->seconds);
    add_sentence(w, "found by", r->starts > 1, "%zu of %zu starts ended within 1 %% of the best%s", r->hits, r->starts,
                 others);
}

static void print_report(one_fit *f)
{
    const steep_plan *plan = &f->plan;
    const steep_status status = f->result.status;
    const char *solver = steep_solver_names((size_t)plan->method[0].solver),
               *start = f->record->load ? f->record->load : steep_start_names((size_t)plan->method[0].start);
    char title[400];
    writer w;
    snprintf(title, sizeof title, "%.100s on %.200s, width %zu, %zu parameters, seed %zu", plan->variant[0].label,
             plan->target[0].name, plan->task[0].width, plan->task[0].parameters, plan->seed[0]);
    add_facts(&w, f, start);
    add_sentence(&w, "solver", true, "%s, start %s", solver, start);
    add_sentence(&w, "device", f->device != STEEP_DEVICE_CPU, "%s", steep_device_names((size_t)f->device));
    add_sentence(&w, "status", true, "%s: %s", steep_status_name(status), f->result.reason);
    w.line.cell[w.line.layout.columns - 1].tone = steep_cell_status(status).tone;
    add_errors(&w, f);
    add_effort(&w, &f->result);
    add_sentence(&w, "advice", status > 0, "%s", steep_status_advice(status));
    w.line.layout.shape = STEEP_SHEET_RECORD, w.line.layout.indent = 2;
    steep_sheet_begin(&f->sheet, &w.line.layout, title);
    steep_sheet_row(&f->sheet, w.line.cell);
    steep_sheet_end(&f->sheet);
    fflush(stdout);
}

/* The name of coordinate j: that of the data's column, or of the formula's variable. */
static void name_axis(const steep_saved *saved, size_t j, char name[64])
{
    const steep_points *points = saved->plan->points;
    if (points) snprintf(name, 64, "%s", points->x[j]);
    else if (saved->network->dim <= 3) snprintf(name, 64, "%c", "xyz"[j]);
    else snprintf(name, 64, "x%zu", j + 1);
}

static steep_status draw(const char *folder, const steep_saved *saved, steep_error *error)
{
    char across[64], up[64], title[192];
    const steep_figure_limits limits = steep_cli_figure_limits();
    snprintf(title, sizeof title, "%s on %.60s, width %zu, rmse %.2e", saved->plan->variant[0].label,
             saved->plan->target[0].name, saved->network->width,
             isnan(saved->result->rmse_test) ? saved->result->rmse_train : saved->result->rmse_test);
    if (saved->network->dim == 1) return steep_figure_fit(folder, title, STEEP_FIGURE_TERMINALS, &limits, error);
    name_axis(saved, saved->axis[0], across);
    name_axis(saved, saved->axis[1], up);
    return steep_figure_map(folder, title, across, up, &limits, error);
}

static steep_status write_record(const one_fit *f, const char *state, bool ended, steep_error *error)
{
    if (!f->folder.path) return STEEP_OK;
    steep_tally tally = {.tasks = 1, .computed = ended};
    if (ended) tally.count[f->result.status - STEEP_IO] = 1;
    return steep_provenance_write(&f->provenance, steep_path_in(f->folder.path, "run.json").text, state, &tally, error);
}

/* The points of the residuals, in the units of the data: test points, or training points where there is no test. */
static const steep_samples *points_of(const one_fit *f)
{
    const steep_points *points = f->plan.points;
    if (points) return points->test.count > 0 ? &points->test : &points->train;
    if (steep_plan_standard(&f->plan, &f->plan.task[0])) return &f->samples.test[0];
    return f->open.problem.test ? f->open.problem.test : f->open.problem.train;
}

static steep_status write_curve(const one_fit *f, steep_error *error)
{
    if (!f->folder.path || f->curve.count == 0) return STEEP_OK;
    return steep_curves_write(&f->folder, &f->plan, &f->plan.task[0], &f->curve.row->restart,
                              f->curve.count * STEEP_CURVE_NUMBERS, error);
}

/* Writes the files of a fit that ended with this status. Returns the status, or what went wrong here. status < 0: the
 * annex failed, and has its message in error. */
static steep_status keep(one_fit *f, steep_status status, steep_error *error)
{
    if (status < 0) error = NULL;
    const steep_saved saved = {&f->plan,     &f->plan.task[0], &f->open.network, &f->result,
                               points_of(f), f->number,        f->numbers,       {f->axis[0], f->axis[1]}};
    steep_status written = steep_save_files(&saved, f->folder.path, error);
    if (written == STEEP_OK) written = write_curve(f, error);
    const char *state = written < 0 || status < 0 ? "failed" : status == STEEP_STOPPED ? "stopped" : "done";
    /* the first failure is reported */
    const steep_status recorded = write_record(f, state, true, written < 0 ? NULL : error);
    if (written == STEEP_OK) written = recorded;
    if (written == STEEP_OK && !f->record->no_figure)
        written = steep_cli_drawn(f->folder.path, draw(f->folder.path, &saved, error));
    return written == STEEP_OK || status < 0 ? status : written;
}

/* Checks that the device is there, and that it can do what the other options request. */
static steep_status check_device(one_fit *f, steep_error *error)
{
    steep_run_options *run = &f->record->sweep.run;
    f->backend = steep_backend_find(run->device);
    if (run->curve && !run->out) return steep_fail(error, STEEP_BAD_INPUT, "--curve needs a folder: give --out");
    if (!f->backend->fit) return STEEP_OK;
    if (run->curve || f->record->iterations)
        return steep_fail(error, STEEP_BAD_INPUT, "--%s: a device says nothing before a fit has ended: leave it out%s",
                          run->curve ? "curve" : "iterations", run->curve ? "" : ", or use --device cpu");
    const steep_status status = steep_cli_device(&run->on, error);
    return status == STEEP_OK ? f->backend->ready(&run->on, f->found, sizeof f->found, error) : status;
}

/* Makes the fit and sets f->device. A fit that the device refuses is made on the CPU. */
static steep_status fit(one_fit *f, steep_error *error)
{
    const fit_record *record = f->record;
    const steep_backend *backend = f->backend;
    steep_device_fit on = {.on = &record->sweep.run.on, .stop = steep_cli_stop()};
    f->device = STEEP_DEVICE_CPU;
    if (!backend->fit) return steep_fit(&f->open.problem, &f->open.options, &f->result, error);
    const steep_status status = backend->fit(&f->open.problem, &f->open.options, &on, &f->result, error);
    f->device = on.device;
    if (on.given_up) return steep_fail(error, STEEP_STOPPED, "stopped: a device keeps nothing of a fit in progress");
    if (!on.refused[0]) return status;
    if (!record->sweep.run.quiet)
        steep_cli_note(&record->output, "--device %s: this fit runs on the CPU: %s", backend->name, on.refused);
    return steep_fit(&f->open.problem, &f->open.options, &f->result, error);
}

static void note_remarks(const fit_record *record, const steep_plan *plan)
{
    char text[4][600] = {"", "", ""};
    steep_plan_dropped(plan, text[0], sizeof text[0]);
    if (plan->target[0].formula) steep_annexes_remark(plan->target[0].formula, text[1], sizeof text[1]);
    if (!record->load) steep_plan_advice(plan, text[2], sizeof text[2]);
    snprintf(text[3], sizeof text[3], "%s", steep_session_untested(plan));
    for (size_t i = 0; i < 4; i++)
        if (*text[i]) steep_cli_note(&record->output, "%s", text[i]);
}

/* Reports a fit that has a network, runs the annex on it, and writes the files. */
static steep_status conclude(one_fit *f, steep_status status, steep_error *error)
{
    print_report(f);
    if (f->annex) {
        const steep_annex_fit fit = {.network = &f->open.network,
                                     .theta = f->result.theta,
                                     .target = f->plan.target[0].formula,
                                     .stop = steep_cli_stop(),
                                     .output = &f->record->output,
                                     .quiet = f->record->sweep.run.quiet,
                                     .sheet = &f->sheet};
        const steep_status asked = f->annex->run(&f->record->annex, &fit, f->number, &f->numbers, error);
        fflush(stdout);
        if (asked < 0 || asked == STEEP_STOPPED) status = asked;
    }
    return f->folder.path ? keep(f, status, error) : status;
}

/* Fits, reports, and writes the files; samples and network are open. */
static steep_status fit_and_conclude(one_fit *f, steep_error *error)
{
    const fit_record *record = f->record;
    const size_t threads = record->sweep.run.threads;
    steep_status status = STEEP_OK;
    if (f->folder.path && record->sweep.run.fresh) status = steep_folder_clear(&f->folder, error);
    if (status == STEEP_OK) status = write_record(f, "running", false, error);
    if (status != STEEP_OK) return status;
    if (!record->sweep.run.quiet) note_remarks(record, &f->plan);
    f->open.options.monitor = (steep_monitor){proceed, f};
    if (record->sweep.run.curve) f->open.options.curve = &f->curve;
    f->open.options.initial = f->loaded.stored.theta;
    f->open.options.threads = threads > 0 && threads != STEEP_AUTO ? threads : steep_processors();
    /* Before a solver first calls the monitor, a signal ends the program: a start, or a linear problem, may take
     * minutes and leaves nothing that could be kept. */
    if (f->backend->fit) steep_cli_catch_signals();
    status = fit(f, error);
    steep_cli_catch_signals();
    steep_task_rescale(&f->plan, &f->plan.task[0], &f->result, &f->curve);
    const bool given_up = status == STEEP_STOPPED && !f->result.theta; /* on a device */
    if (status >= 0 && !given_up) return conclude(f, status, error);
    write_curve(f, NULL); /* the first failure is reported */
    write_record(f, given_up ? "stopped" : "failed", !given_up, NULL);
    return status;
}

/* Refuses a fit for which memory does not suffice; notes the memory of a large fit. */
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

/* Reads --slice I,J in dim dimensions; by default the first two coordinates. */
static steep_status read_slice(const char *text, size_t dim, size_t axis[2], steep_error *error)
{
    unsigned long i = 1, j = dim > 1 ? 2 : 1;
    char rest;
    if (text && (strspn(text, "0123456789,") != strlen(text) || sscanf(text, "%lu,%lu%c", &i, &j, &rest) != 2 ||
                 i == j || i < 1 || j < 1 || i > dim || j > dim))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "--slice '%.40s': of %zu coordinates two are drawn: write them as 1,2; leave it out in 1D",
                          text, dim);
    axis[0] = i - 1, axis[1] = j - 1;
    return STEEP_OK;
}

static steep_status check_annex(const one_fit *f, steep_error *error)
{
    steep_network network;
    const steep_annex_fit fit = {.network = &network, .target = f->plan.points ? NULL : f->plan.target[0].formula};
    const steep_status status = steep_plan_network(&f->plan, &f->plan.task[0], &network, error);
    return status == STEEP_OK ? f->annex->check(&f->record->annex, &fit, f->line, error) : status;
}

/* Makes the plan and finds every error of the options, before anything is begun. */
static steep_status plan(one_fit *f, steep_error *error)
{
    const fit_record *record = f->record;
    steep_sweep_options *options = &f->record->sweep;
    steep_status status =
        steep_input_status(steep_plan_init(&options->problem, &options->model, &options->solver, &f->plan, error));
    if (status != STEEP_OK) return status;
    steep_plan_write_choice(&f->plan, options);
    f->plan.device = options->run.device;
    status = steep_plan_check_given(&f->plan, f->line->argc, f->line->argv, error);
    if (status == STEEP_OK) status = steep_session_check_one(&f->plan, error);
    if (status == STEEP_OK) status = check_device(f, error);
    if (status == STEEP_OK && f->annex) status = check_annex(f, error);
    if (status == STEEP_OK) status = read_slice(record->slice, f->plan.target[0].dim, f->axis, error);
    if (status == STEEP_OK && record->load) status = check_loaded(&f->loaded, &f->plan, error);
    return status == STEEP_OK ? check_memory(record, &f->plan, error) : status;
}

static steep_status open_folder(one_fit *f, steep_error *error)
{
    const steep_run_options *run = &f->record->sweep.run;
    const steep_problem_options *problem = &f->record->sweep.problem;
    f->provenance = (steep_provenance){.command = "fit",
                                       .groups = f->line->groups,
                                       .single = true,
                                       .plan = &f->plan,
                                       .data = problem->data,
                                       .test_data = problem->test_data,
                                       .device = f->found[0] ? f->found : NULL,
                                       .argc = f->line->argc + 1,
                                       .argv = f->line->argv - 1, /* "steep" itself stands there, as in main's list */
                                       .jobs = 1};
    const steep_status status = steep_provenance_begin(&f->provenance, error);
    if (status != STEEP_OK || !run->out) return status;
    return steep_input_status(steep_folder_open(&f->folder, run->out, &f->provenance, run->fresh, error));
}

static steep_status make_fit(void *record, const steep_command_line *line, steep_error *error)
{
    fit_record *r = record;
    one_fit f = {.record = r, .line = line, .annex = steep_annexes_fit(), .folder = {.lock = -1, .shard_lock = -1}};
    steep_cli_as_given(line, &r->sweep.model);
    if (!r->sweep.problem.target && !r->sweep.problem.data) r->sweep.problem.target = STEEP_DEFAULT_TARGET;
    steep_sheet_open(&f.sheet, stdout, steep_cli_style(&r->output), "fit");
    steep_status status = steep_cli_check_gnuplot(error);
    if (status == STEEP_OK && r->load) status = load(r->load, line, &r->sweep, &f.loaded, error);
    if (status == STEEP_OK) status = plan(&f, error);
    if (status == STEEP_OK) status = open_folder(&f, error);
    if (status == STEEP_OK) status = steep_task_samples_init(&f.plan, NULL, &f.samples, error);
    if (status == STEEP_OK) status = steep_task_open_init(&f.samples, &f.plan.task[0], &f.open, error);
    if (status == STEEP_OK) status = fit_and_conclude(&f, error);
    steep_fit_result_free(&f.result);
    free(f.curve.row);
    steep_task_open_free(&f.open);
    steep_task_samples_free(&f.samples);
    steep_folder_close(&f.folder);
    steep_plan_free(&f.plan);
    steep_stored_free(&f.loaded.stored);
    return steep_cli_close(&f.sheet, status, error);
}

const steep_command steep_command_fit = {
    .name = "fit",
    .what = "one fit: report, parameters, residuals, a picture",
    .about = "Fits one network and reports why it stopped and how far it got; --out writes parameters.json,\n"
             "residuals.csv, gates.csv, run.json, in 1D units.csv, else surface.csv, and the picture fit.svg, .pdf, "
             ".png.",
    .examples = "  steep fit\n"
                "  steep fit --arch mlp --width 40 --target chirp --solver lm --iterations\n"
                "  steep fit --arch gqu --width 12 --target cosine_well --certify\n"
                "  steep fit --data points.csv --arch glu --width 12 --out results/points\n"
                "  steep fit --data points.csv --load results/points/parameters.json --solver lm --out results/finer\n",
    .size = sizeof(fit_record),
    .groups = groups,
    .prints = STEEP_PRINTS_EVENTS,
    .work = make_fit,
};
