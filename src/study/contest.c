/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of a contest: the fits of each target within each number of parameters, the least error first. */
#include <math.h>
#include <stdlib.h>

#include "study/report.h"

#define OVERFIT 2 /* times the training error */

/* The test error, or where nothing was tested the training error; infinite for a fit that failed. */
static double error_of(const steep_fit_row *row)
{
    if (!steep_fit_row_usable(row)) return INFINITY;
    return isnan(row->rmse_test) ? row->rmse_train : row->rmse_test;
}

/* A test error far above the training error: polynomials of high degree on equispaced points have that, too. */
static const char *remark_of(const steep_fit_row *row)
{
    return steep_fit_row_usable(row) && row->rmse_test > OVERFIT * row->rmse_train ? "overfits: more --samples" : "";
}

/* The seed that ends lowest on the training points is the fit of a series at a width: plan->tasks, where no fit is
 * there. */
static size_t best_seed(const steep_plan *plan, const steep_fit_row *row, size_t task)
{
    size_t best = plan->tasks;
    for (size_t s = 0; s < plan->seeds; s++) {
        const size_t at = task + s * plan->widths;
        if (!plan->task[at].wanted || !row[at].present) continue;
        if (best == plan->tasks || row[at].rmse_train < row[best].rmse_train || isnan(row[best].rmse_train)) best = at;
    }
    return best;
}

/* Is this the widest that the options ask for of its series within a budget? Widths ascend in a series. */
static bool is_widest(const steep_plan *plan, size_t index, size_t most)
{
    if (!plan->task[index].wanted || plan->task[index].parameters > most) return false;
    for (size_t i = index + 1; i % plan->widths != 0; i++)
        if (plan->task[i].wanted && plan->task[i].parameters <= most) return false;
    return true;
}

/* The tasks of a target within a budget, into found, the least error first; how many. */
static size_t rank(const steep_plan *plan, const steep_fit_row *row, size_t target, size_t budget, size_t *found)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->tasks; i++) {
        const steep_task *task = &plan->task[i];
        if (task->target != target || task->seed != 0 || !is_widest(plan, i, plan->budget[budget])) continue;
        const size_t best = best_seed(plan, row, i);
        if (best == plan->tasks) continue;
        size_t at = count++;
        for (; at > 0 && error_of(&row[best]) < error_of(&row[found[at - 1]]); at--) found[at] = found[at - 1];
        found[at] = best;
    }
    return count;
}

static void line_of(const steep_plan *plan, const steep_fit_row *row, size_t budget, size_t index,
                    steep_sheet_line *line)
{
    const steep_task *task = &plan->task[index];
    const steep_method *method = &plan->method[task->method];
    const steep_fit_row *fit = &row[index];
    const double error = error_of(fit);
    const steep_sheet_part part[] = {
        {{.key = "target"}, steep_cell_text(plan->target[task->target].name)},
        {{.key = "budget", .kind = STEEP_SHEET_COUNT}, steep_cell_count(plan->budget[budget])},
        {{"unit", NULL, "unit", STEEP_SHEET_TEXT, NULL, 0, -22}, steep_cell_text(plan->variant[task->variant].label)},
        {{"solver", NULL, "solver", STEEP_SHEET_TEXT, NULL, 1, -14},
         steep_cell_text(steep_solver_names((size_t)method->solver))},
        {{.key = "start"}, steep_cell_text(steep_start_names((size_t)method->start))},
        {{"width", NULL, "n", STEEP_SHEET_COUNT, NULL, 1, 4}, steep_cell_count(task->width)},
        {{"params", NULL, "P", STEEP_SHEET_COUNT, NULL, 1, 5}, steep_cell_count(task->parameters)},
        {{"error", NULL, "error", STEEP_SHEET_REAL, "%.2e", 2, 8}, steep_cell_real(isfinite(error) ? error : NAN)},
        {{"single", NULL, "float32", STEEP_SHEET_REAL, "%.1e", 2, 7}, steep_cell_real(fit->rmse_single)},
        {{"coefficient", NULL, "largest D", STEEP_SHEET_REAL, "%.0e", 2, 9}, steep_cell_real(fit->coefficient)},
        {{"hits", NULL, "hits", STEEP_SHEET_COUNT, NULL, 1, 4}, steep_cell_count(fit->hits)},
        {{"starts", NULL, "of", STEEP_SHEET_COUNT, NULL, 1, 3}, steep_cell_count(fit->starts)},
        {{"seconds", NULL, "seconds", STEEP_SHEET_REAL, "%.3g", 2, 8}, steep_cell_real(fit->seconds)},
        {{"status", NULL, "status", STEEP_SHEET_TEXT, NULL, 2, -14}, steep_cell_status(fit->status)},
        {{.key = "training", .kind = STEEP_SHEET_REAL}, steep_cell_real(fit->rmse_train)},
        {{"remark", NULL, "", STEEP_SHEET_TEXT, NULL, 2, 0}, steep_cell_toned(remark_of(fit), STEEP_TONE_DOUBTFUL)},
    };
    steep_sheet_line_set(line, "contest", part, sizeof part / sizeof *part);
}

steep_status steep_report_contest(const steep_plan *plan, const steep_fit_row *row, steep_sheet *sheet)
{
    steep_sheet_line line;
    size_t *found = malloc((plan->tasks + 1) * sizeof *found);
    if (!found) return STEEP_NO_MEMORY;
    for (size_t t = 0; t < plan->targets; t++)
        for (size_t b = 0; b < plan->budgets; b++) {
            char title[300];
            const size_t count = rank(plan, row, t, b, found);
            snprintf(title, sizeof title, "%.200s: at most %zu parameters, penalty %g", plan->target[t].name,
                     plan->budget[b], plan->fit.penalty);
            for (size_t i = 0; i < count; i++) {
                line_of(plan, row, b, found[i], &line);
                if (i == 0) steep_sheet_begin(sheet, &line.layout, title);
                steep_sheet_row(sheet, line.cell);
            }
        }
    steep_sheet_note(sheet, "(error: test error, where there are test points, else training error; float32: the same "
                            "network in single precision; hits: starts that found the best within 1 %)");
    steep_sheet_end(sheet);
    free(found);
    return STEEP_OK;
}
