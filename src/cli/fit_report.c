/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fit_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "fit/solvers.h"
#include "record/rows.h"

#define FEW_HITS 3 /* below it the best of several starts may be by chance */

void steep_fit_print_iteration(steep_sheet *sheet, steep_sheet_line *line, const steep_progress *p)
{
    const bool first = !line->layout.name;
    const steep_sheet_part part[] = {
        {{"stage", NULL, "stage", STEEP_SHEET_TEXT, NULL, 0, -8}, steep_cell_text(p->stage ? p->stage : "")},
        {{"iteration", NULL, "iteration", STEEP_SHEET_COUNT, NULL, 1, 9}, steep_cell_count(p->iteration)},
        {{"evaluations", NULL, "evaluations", STEEP_SHEET_COUNT, NULL, 1, 11}, steep_cell_count(p->evaluations)},
        {{"rmse", NULL, "rmse", STEEP_SHEET_REAL, "%.6e", 1, 13}, steep_cell_real(p->rmse)},
        {{"gradient", NULL, "gradient", STEEP_SHEET_REAL, "%.3e", 1, 13}, steep_cell_real(p->gradient_norm)},
        {{"step", NULL, "step", STEEP_SHEET_REAL, "%.3e", 1, 11}, steep_cell_real(p->step)},
        {{"seconds", NULL, "seconds", STEEP_SHEET_REAL, "%.3f", 1, 9}, steep_cell_real(p->seconds)},
    };
    steep_sheet_line_set(line, "iterations", part, sizeof part / sizeof *part);
    if (first) steep_sheet_begin(sheet, &line->layout, NULL);
    steep_sheet_row(sheet, line->cell);
    fflush(stdout);
}

/* --- the report --- */

enum { MOST_TEXT = 600 };

/* Its line, and room for the sentences. */
typedef struct writer {
    steep_sheet_line line;
    char text[STEEP_SHEET_MOST][MOST_TEXT];
} writer;

static void add(writer *w, steep_sheet_column column, steep_cell cell)
{
    steep_sheet_line_add(&w->line, &(steep_sheet_part){column, cell}, 1);
}

static void add_text(writer *w, const char *key, const char *text)
{
    add(w, (steep_sheet_column){.key = key}, steep_cell_text(text));
}

static void add_count(writer *w, const char *key, double count)
{
    add(w, (steep_sheet_column){.key = key, .kind = STEEP_SHEET_COUNT}, steep_cell_real(count));
}

static void add_real(writer *w, const char *key, double value)
{
    add(w, (steep_sheet_column){.key = key, .kind = STEEP_SHEET_REAL}, steep_cell_real(value));
}

/* A number that people see, too, under a title. */
static void add_shown(writer *w, const char *key, const char *title, double value)
{
    add(w, (steep_sheet_column){key, NULL, title, STEEP_SHEET_REAL, "%.6e", 0, -14}, steep_cell_real(value));
}

/* A sentence for people, left out where it is not given. */
__attribute__((format(printf, 4, 5))) static void add_sentence(writer *w, const char *title, bool given,
                                                               const char *format, ...)
{
    char *text = w->text[w->line.layout.columns];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, MOST_TEXT, format, arguments);
    va_end(arguments);
    add(w, (steep_sheet_column){NULL, NULL, title, STEEP_SHEET_TEXT, NULL, 0, -14},
        steep_cell_text(given ? text : NULL));
}

static void add_identity(writer *w, const steep_fit_report *r)
{
    const steep_plan *plan = r->plan;
    const char *solver = steep_solver_names((size_t)plan->method[0].solver),
               *start = r->load ? r->load : steep_start_names((size_t)plan->method[0].start),
               *device = steep_device_names((size_t)r->device);
    add_text(w, "arch", plan->variant[0].label);
    add_text(w, "target", plan->target[0].name);
    add_count(w, "width", (double)plan->task[0].width);
    add_count(w, "params", (double)plan->task[0].parameters);
    add_count(w, "seed", (double)plan->seed[0]);
    add_text(w, "solver", solver);
    add_text(w, "start", start);
    add_sentence(w, "solver", true, "%s, start %s", solver, start);
    add_text(w, "device", device);
    add_sentence(w, "device", r->device != STEEP_DEVICE_CPU, "%s", device);
}

static void add_errors(writer *w, const steep_fit_report *r)
{
    const steep_fit_result *result = r->result;
    const steep_samples *train = r->open->problem.train, *test = r->open->problem.test;
    const bool continuous = r->open->options.continuous;
    char remark[96];
    snprintf(remark, sizeof remark, "on %zu points", train->count);
    add_real(w, "rmse_train", result->rmse_train);
    add_count(w, "train_points", (double)train->count);
    add_sentence(w, "train RMSE", !isnan(result->rmse_train), "%.6e   %s", result->rmse_train, remark);
    if (continuous)
        snprintf(remark, sizeof remark, "continuous, quadrature off by %.1e or less, as it estimates",
                 result->test_estimate);
    else if (test) snprintf(remark, sizeof remark, "on %zu points", test->count);
    add_real(w, "rmse_test", result->rmse_test);
    add_count(w, "test_points", !continuous && test ? (double)test->count : NAN);
    add_real(w, "test_estimate", continuous ? result->test_estimate : NAN);
    add_sentence(w, "test RMSE", !isnan(result->rmse_test), "%.6e   %s", result->rmse_test, remark);
    add_shown(w, "max_error", "largest error", result->max_error);
    add_shown(w, "floor", "rounding floor", result->floor);
    add_shown(w, "rmse_single", "in float32", result->rmse_single);
    add_shown(w, "coefficient", "coefficients", result->coefficient);
    add_real(w, "gradient", result->gradient_norm);
    add_real(w, "tolerance", result->tolerance);
    add_sentence(w, "gradient", !isnan(result->gradient_norm), "%.6e   scaled; tolerance %g", result->gradient_norm,
                 result->tolerance);
}

static void add_effort(writer *w, const steep_fit_result *r)
{
    const char *others = r->hits == r->starts ? ""
                         : r->hits < FEW_HITS
                             ? ": starts of one kind count as one, others may be better, see --restarts"
                             : ": it is one of several minima";
    add_count(w, "iterations", (double)r->iterations);
    add_count(w, "evaluations", (double)r->evaluations);
    add_real(w, "seconds", r->seconds);
    add_sentence(w, "iterations", true, "%zu, %zu evaluations, %.3g s", r->iterations, r->evaluations, r->seconds);
    add_count(w, "starts", (double)r->starts);
    add_count(w, "hits", (double)r->hits);
    add_sentence(w, "found by", r->starts > 1, "%zu of %zu starts ended within 1 %% of the best%s", r->hits, r->starts,
                 others);
}

void steep_fit_print_report(steep_sheet *sheet, const steep_fit_report *r)
{
    const steep_plan *plan = r->plan;
    const steep_status status = r->result->status;
    char title[400];
    writer w;
    steep_sheet_line_set(&w.line, "fit", NULL, 0);
    snprintf(title, sizeof title, "%.100s on %.200s, width %zu, %zu parameters, seed %zu", plan->variant[0].label,
             plan->target[0].name, plan->task[0].width, plan->task[0].parameters, plan->seed[0]);
    add_identity(&w, r);
    add_text(&w, "status", steep_status_name(status));
    add_text(&w, "reason", r->result->reason);
    add_sentence(&w, "status", true, "%s: %s", steep_status_name(status), r->result->reason);
    w.line.cell[w.line.layout.columns - 1].tone = steep_cell_status(status).tone;
    add_errors(&w, r);
    add_effort(&w, r->result);
    add_sentence(&w, "advice", status > 0, "%s", steep_status_advice(status));
    w.line.layout.shape = STEEP_SHEET_RECORD, w.line.layout.indent = 2;
    steep_sheet_begin(sheet, &w.line.layout, title);
    steep_sheet_row(sheet, w.line.cell);
    steep_sheet_end(sheet);
    fflush(stdout);
}
