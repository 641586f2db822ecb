/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps 6 and 7 of sweep.c: the slopes of all rows, the files that hold them, and notes for people. */
#include <math.h>
#include <stdlib.h>

#include "study/limits.h"
#include "study/run.h"
#include "study/session.h"

/* STEEP_SINGULAR where some series has no usable fit. */
static steep_status check_series(const steep_run *r, steep_error *error)
{
    const steep_plan *plan = r->plan;
    for (size_t i = 0; i < r->result->series_count; i++) {
        const steep_series *s = &r->result->series[i];
        size_t first = steep_plan_first_task(plan, s->series);
        const bool own = r->worst >= first && r->worst - first < plan->seeds * plan->widths;
        while (!r->result->row[first].present) first++;
        if (s->count > 0) continue;
        const steep_status how = r->result->row[own ? r->worst : first].status;
        return steep_fail(error, STEEP_SINGULAR, "every fit of %s on %s failed (%s): %s",
                          steep_plan_label(plan, s->series).text, plan->target[s->at.target].name,
                          steep_status_name(how), own && r->complaint[0] ? r->complaint : steep_status_advice(how));
    }
    return STEEP_OK;
}

static steep_status write_series(const steep_run *r, const steep_series_list *list, steep_error *error)
{
    steep_error remark = {{0}};
    const steep_path path = steep_path_in(r->folder.path, "series.csv");
    const steep_status status = steep_series_write(list, false, r->options->stop, path.text, &remark);
    if (status != STEEP_STALLED) return status < 0 ? steep_fail(error, status, "%s", remark.text) : status;
    steep_run_note(r, "%s", remark.text);
    return STEEP_OK;
}

/* Notes the fits whose continuous error is not resolved by its quadrature. */
static void note_unresolved(const steep_run *r)
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
        steep_run_note(
            r,
            "the continuous error of %zu fits is not resolved, and nan in fits.csv: the first, %s of width %zu on %s",
            count, r->plan->variant[r->plan->task[first].variant].label, r->plan->task[first].width,
            r->plan->target[r->plan->task[first].target].name);
}

/* STEEP_STOPPED where a stop is requested after all fits are done and their rows are in the file. */
static steep_status check_stop(const steep_run *r, steep_error *error)
{
    if (!r->options->stop || !*r->options->stop) return STEEP_OK;
    return steep_fail(error, STEEP_STOPPED,
                      "stopped before slopes and bounds were known: the same command goes on from there");
}

static void note_targets(const steep_run *r)
{
    char text[600];
    for (size_t t = 0; r->options->remark && r->missing_count > 0 && t < r->plan->targets; t++) {
        if (!r->plan->target[t].wanted || !r->plan->target[t].formula) continue;
        r->options->remark(r->plan->target[t].formula, text, sizeof text);
        steep_run_note(r, "%s", text);
    }
}

/* Notes the series that overfit. With noise every series overfits in the end, and the table says where. */
static void note_overfits(const steep_run *r)
{
    for (size_t i = 0; !r->plan->noise.deviation && i < r->result->series_count; i++) {
        const steep_series *s = &r->result->series[i];
        if (s->overfit > 0)
            steep_run_note(r, "%s on %s overfits from width %zu on: its test error leaves its training error: %s",
                           steep_plan_label(r->plan, s->series).text, r->plan->target[s->at.target].name, s->overfit,
                           steep_report_remedy(r->plan));
    }
}

static void note_advice(const steep_run *r)
{
    char text[400];
    if (r->plan->left_out > 0)
        steep_run_note(r, "%zu fits with more unknowns than training points are left out", r->plan->left_out);
    steep_plan_dropped(r->plan, text, sizeof text);
    steep_run_note(r, "%s", text);
    steep_plan_advice(r->plan, text, sizeof text);
    steep_run_note(r, "%s", text);
    steep_run_note(r, "%s", steep_session_untested(r->plan));
}

static steep_status print_report(const steep_run *r, const steep_series_list *list, steep_error *error)
{
    steep_sheet sheet;
    steep_sheet_open(&sheet, r->options->report, r->options->style, r->command);
    steep_status status = (r->options->contest ? steep_report_contest : steep_report_table)(list, &sheet);
    const steep_status closed = steep_sheet_close(&sheet);
    if (status >= 0) status = closed;
    return status < 0 ? steep_fail(error, status, "no memory for a table") : STEEP_OK;
}

static steep_status conclude_series(const steep_run *r, steep_error *error)
{
    const steep_slope_law law = steep_slope_law_find(r->options->run.law);
    steep_series_list list = {.plan = r->plan, .row = r->result->row};
    steep_status status = steep_series_measure(&list, law, error);
    r->result->series = list.series;
    r->result->series_count = list.count;
    if (status == STEEP_OK) status = steep_learning_measure(&list, law, error);
    if (status == STEEP_OK && r->folder.path)
        status = steep_report_slopes(&list, steep_path_in(r->folder.path, "slopes.csv").text, error);
    if (status == STEEP_OK && r->folder.path && list.curves > 0)
        status = steep_series_write(&list, true, NULL, steep_path_in(r->folder.path, "learning.csv").text, error);
    if (status == STEEP_OK) note_unresolved(r);
    if (status == STEEP_OK) note_targets(r);
    if (status == STEEP_OK) note_overfits(r);
    if (status == STEEP_OK && r->others == 0) note_advice(r);
    if (status == STEEP_OK) status = check_stop(r, error);
    if (status == STEEP_OK && r->folder.path) status = write_series(r, &list, error);
    if (status == STEEP_OK && r->options->report) status = print_report(r, &list, error);
    free(list.theory);
    free(list.curve_block);
    return status;
}

steep_status steep_run_conclude(steep_run *r, steep_error *error)
{
    steep_sweep_result *result = r->result;
    steep_status status = STEEP_OK;
    if (r->folder.path)
        status =
            steep_journal_finish(r->journal_path.text, r->plan, result->row, r->shards > 1 ? r->here : NULL, error);
    if (status != STEEP_OK) return status;
    if (result->failed > 0)
        steep_run_note(r, "%zu of %zu fits failed, see their status%s%s", result->failed, r->tally.tasks,
                       r->complaint[0] ? "; the first: " : "", r->complaint);
    if (r->shards > 1) {
        steep_run_note(r, "shard %s is done; the same command without --shard joins the shards", r->options->run.shard);
        return STEEP_OK;
    }
    status = check_stop(r, error);
    if (status == STEEP_OK) status = conclude_series(r, error);
    if (status == STEEP_OK && !r->options->contest) status = check_series(r, error);
    if (status == STEEP_OK && r->meter.done > 0 && steep_annex_limits[0])
        status = steep_annex_limits[0]->check(r->plan, &r->samples, result->row, r->options->stop, error);
    return status == STEEP_STOPPED ? check_stop(r, error) : status;
}
