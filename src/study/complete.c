/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/sweep.h"

#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "record/provenance.h"

/* The start of a record that names none: an older version's, or that of solvers which have their own. */
static const char *start_of(const steep_solver_options *old)
{
    const bool own = strstr(old->solver, "newton") || strstr(old->solver, "exchange");
    return old->start || own ? old->start : "uniform";
}

/* What the record of a folder has, in texts of *owned. Where there is none that can be read whoever opens the folder
 * says why. */
static bool read_folder(const char *path, steep_plan_chosen *chosen, void **owned)
{
    steep_sweep_options old = steep_sweep_options_default();
    steep_option_group group[STEEP_SWEEP_GROUPS];
    char sum[80];
    const steep_path record = steep_path_in(path, "run.json");
    *owned = NULL;
    steep_sweep_groups(&old, group);
    if (access(record.text, R_OK) != 0 ||
        steep_provenance_read(record.text, group, sum, sizeof sum, owned, NULL) != STEEP_OK || !old.solver.solver)
        return false;
    *chosen = (steep_plan_chosen){old.solver.restarts, old.problem.samples,   old.problem.sampling,
                                  old.solver.solver,   start_of(&old.solver), old.model.widths};
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
