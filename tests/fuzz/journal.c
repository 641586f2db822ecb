/* SPDX-License-Identifier: GPL-3.0-or-later */
/* journal: fits.csv of a folder. What a run takes in, it writes in its final form, which reads the same and is final;
 * a file that was cut is cut to its whole lines and goes on. */
#include "record/journal.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "study/sweep.h"

enum { MOST_TASKS = 2000 }; /* more are laid out, and not read twice */

static void open_plan(steep_plan *plan)
{
    steep_sweep_options o = steep_sweep_options_default();
    steep_error error = {{0}};
    o.model.arch = "mlp,glu";
    o.model.widths = "4:6";
    o.problem.target = "cos4;max(x,-x)*2";
    o.problem.seeds = "0:1";
    if (steep_plan_init(&o.problem, &o.model, &o.solver, plan, &error) != STEEP_OK) fuzz_broken("%s", error.text);
    plan->device = "cpu";
}

static bool same_rows(const steep_fit_row *a, const steep_fit_row *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].present != b[i].present || (a[i].present && !steep_fit_row_same(&a[i], &b[i]))) return false;
    return true;
}

/* The rows in their final form: read again, and written again. */
static void check_final(const steep_plan *plan, const steep_fit_row *row)
{
    steep_fit_row *back = calloc(plan->tasks + 1, sizeof *back);
    steep_journal_state state;
    steep_error error = {{0}};
    size_t size[2];
    const char *path = fuzz_path("out");
    if (!back) fuzz_broken("no memory for %zu rows", plan->tasks);
    if (steep_journal_finish(path, plan, row, NULL, &error) != STEEP_OK) fuzz_broken("%s", error.text);
    char *text = fuzz_read(path, &size[0]);
    if (steep_journal_read(path, plan, false, back, &state, &error) != STEEP_OK)
        fuzz_broken("final, refused: %s", error.text);
    if (state.torn || state.whole != (long)size[0]) fuzz_broken("%ld bytes of %zu", state.whole, size[0]);
    if (!same_rows(row, back, plan->tasks)) fuzz_broken("other rows");
    if (steep_journal_finish(path, plan, back, NULL, &error) != STEEP_OK) fuzz_broken("%s", error.text);
    char *again = fuzz_read(path, &size[1]);
    if (strcmp(text, again) != 0) fuzz_broken("not final:\n%s\n%s", text, again);
    free(text), free(again), free(back);
}

/* Goes on where the file ends: a row more, and all that were there. */
static void check_going_on(const steep_plan *plan, const steep_fit_row *row, long whole)
{
    const char *path = fuzz_path("in");
    steep_fit_row *back = calloc(plan->tasks + 1, sizeof *back), *all = calloc(plan->tasks + 1, sizeof *all);
    steep_journal journal;
    steep_journal_state state;
    steep_error error = {{0}};
    size_t task = 0;
    if (!back || !all) fuzz_broken("no memory for %zu rows", plan->tasks);
    memcpy(all, row, plan->tasks * sizeof *all);
    while (task < plan->tasks && all[task].present) task++;
    if (steep_journal_open(&journal, path, plan, whole, &error) != STEEP_OK) fuzz_broken("%s", error.text);
    if (task < plan->tasks) {
        all[task] =
            (steep_fit_row){.present = true, .rmse_train = 0.5, .seconds = 1, .samples = plan->set[0], .starts = 1};
        if (steep_journal_append(&journal, task, &all[task], &error) != STEEP_OK) fuzz_broken("%s", error.text);
    }
    steep_journal_close(&journal);
    if (steep_journal_read(path, plan, false, back, &state, &error) != STEEP_OK) fuzz_broken("gone on: %s", error.text);
    if (state.torn || !same_rows(all, back, plan->tasks)) fuzz_broken("other rows after going on");
    free(back), free(all);
}

/* Reads the rows of a plan that has them all. */
static steep_status check_rows(const char *path, const steep_plan *plan, steep_error *error)
{
    steep_journal_state state;
    steep_fit_row *row = calloc(plan->tasks + 1, sizeof *row);
    if (!row) fuzz_broken("no memory for %zu rows", plan->tasks);
    const steep_status status = steep_journal_read(path, plan, false, row, &state, error);
    if (status == STEEP_OK) {
        check_final(plan, row);
        check_going_on(plan, row, state.whole);
    }
    free(row);
    return status;
}

/* A plan takes in what it does not have. */
static void check_admission(const char *path)
{
    steep_plan plan;
    steep_error error = {{0}};
    open_plan(&plan);
    steep_status status = steep_journal_admit(path, &plan, &error);
    if (status == STEEP_OK) status = steep_plan_lay_out(&plan, &error);
    if (fuzz_accepted(status, &error) && plan.tasks <= MOST_TASKS) {
        status = check_rows(path, &plan, &error);
        (void)fuzz_accepted(status, &error);
    }
    steep_plan_free(&plan);
}

/* A plan takes long to make, so there is one for all files whose rows it has. */
static steep_plan common;

static void close_common(void)
{
    steep_plan_free(&common);
}

void fuzz_journal(const uint8_t *data, size_t size)
{
    const char *path = fuzz_path("in");
    steep_journal_state state;
    steep_error error = {{0}};
    if (!common.tasks) {
        open_plan(&common);
        atexit(close_common);
    }
    steep_fit_row *row = calloc(common.tasks + 1, sizeof *row);
    if (!row) fuzz_broken("no memory for %zu rows", common.tasks);
    fuzz_write(path, data, size);
    const bool known = fuzz_accepted(steep_journal_read(path, &common, true, row, &state, &error), &error);
    free(row);
    if (known && !fuzz_accepted(check_rows(path, &common, &error), &error)) check_admission(path);
}
