/* SPDX-License-Identifier: GPL-3.0-or-later */
/* journal: fits.csv of a folder. Rows that a run accepts are written in their final form, which reads as the same rows
 * and is written as the same text. (tests/test_journal.c: a file that was cut goes on.) */
#include "record/journal.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "study/sweep.h"

enum { MOST_TASKS = 2000 }; /* more are laid out, and not read twice */

static void open_plan(steep_plan *plan)
{
    steep_sweep_options o = steep_sweep_options_default();
    o.model.arch = "mlp,glu";
    o.model.widths = "4:6";
    o.problem.target = "cos4;max(x,-x)*2";
    o.problem.seeds = "0:1";
    fuzz_must("a plan", steep_plan_init(&o.problem, &o.model, &o.solver, plan, &fuzz_error));
    plan->device = "cpu";
}

static bool same_rows(const steep_fit_row *a, const steep_fit_row *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].present != b[i].present || (a[i].present && !steep_fit_row_same(&a[i], &b[i]))) return false;
    return true;
}

/* Writes the rows in their final form: it must read as the same rows, and be the same text when written again. */
static void check_final(const steep_plan *plan, const steep_fit_row *row)
{
    steep_fit_row *back = fuzz_new(plan->tasks + 1, sizeof *back);
    steep_journal_state state;
    size_t size[2];
    const char *path = fuzz_path("out");
    fuzz_must("written", steep_journal_finish(path, plan, row, NULL, &fuzz_error));
    char *text = fuzz_read(path, &size[0]);
    fuzz_must("final, refused", steep_journal_read(path, plan, false, back, &state, &fuzz_error));
    if (state.torn || state.whole != (long)size[0]) fuzz_broken("%ld bytes of %zu", state.whole, size[0]);
    if (!same_rows(row, back, plan->tasks)) fuzz_broken("other rows");
    fuzz_must("written again", steep_journal_finish(path, plan, back, NULL, &fuzz_error));
    char *again = fuzz_read(path, &size[1]);
    if (strcmp(text, again) != 0) fuzz_broken("not final:\n%s\n%s", text, again);
    free(text), free(again), free(back);
}

/* Reads the rows of a plan that has them all. */
static steep_status check_rows(const char *path, const steep_plan *plan)
{
    steep_journal_state state;
    steep_fit_row *row = fuzz_new(plan->tasks + 1, sizeof *row);
    const steep_status status = steep_journal_read(path, plan, false, row, &state, &fuzz_error);
    if (status == STEEP_OK) check_final(plan, row);
    free(row);
    return status;
}

/* A plan admits rows that it does not have. */
static void check_admission(const char *path)
{
    steep_plan plan;
    open_plan(&plan);
    steep_status status = steep_journal_admit(path, &plan, &fuzz_error);
    if (status == STEEP_OK) status = steep_plan_lay_out(&plan, &fuzz_error);
    if (fuzz_accepted(status) && plan.tasks <= MOST_TASKS) {
        fuzz_accepted(check_rows(path, &plan));
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
    if (!common.tasks) {
        open_plan(&common);
        atexit(close_common);
    }
    steep_fit_row *row = fuzz_new(common.tasks + 1, sizeof *row);
    fuzz_write(path, data, size);
    const bool known = fuzz_accepted(steep_journal_read(path, &common, true, row, &state, &fuzz_error));
    free(row);
    if (known && !fuzz_accepted(check_rows(path, &common))) check_admission(path);
}
