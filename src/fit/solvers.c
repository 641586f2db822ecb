/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of solvers: the rows of fit/list.h, then the rows of annexes. */
#include "fit/solvers.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/options.h"
#include "fit/strategy.h"

#define STEEP_SOLVER STEEP_SOLVER_ROW
static const steep_solver_row table[STEEP_SOLVERS] = {
#include "fit/list.h"
};

const steep_solver_row *steep_solver_table(size_t index)
{
    if (index < STEEP_SOLVERS) return &table[index];
    index -= STEEP_SOLVERS;
    for (const steep_solvers_of *const *annex = steep_annex_solvers; *annex; index -= (*annex++)->count)
        if (index < (*annex)->count) return &(*annex)->row[index];
    return NULL;
}

const char *steep_solver_names(size_t index)
{
    const steep_solver_row *row = steep_solver_table(index);
    return row ? row->name : NULL;
}

steep_solver steep_solver_find(const char *name)
{
    const size_t index = steep_options_index(steep_solver_names, name);
    return name && steep_solver_table(index) ? (steep_solver)index : -1;
}

const char *steep_solver_formula(size_t index)
{
    const steep_solver_row *row = steep_solver_table(index);
    return row ? row->text : NULL;
}

steep_status steep_solve_end(steep_solve *solve, steep_status status, const char *reason)
{
    snprintf(solve->reason, sizeof solve->reason, "%s", reason);
    return status;
}

static bool proceed(void *context, const steep_progress *progress)
{
    const steep_relay *relay = context;
    steep_progress told = *progress;
    told.iteration += relay->before;
    told.rmse = relay->silent ? NAN : ldexp(told.rmse, relay->exponent);
    if (relay->theta || relay->silent || relay->exponent != 0) told.theta = relay->theta;
    return steep_monitor_proceed(relay->monitor, &told);
}

steep_monitor steep_relay_monitor(steep_relay *relay)
{
    return (steep_monitor){proceed, relay};
}

steep_status steep_solve_ends(const steep_problem *problem, const steep_fit_options *options, steep_progress progress,
                              double begin, steep_solve *solve)
{
    const steep_samples *train = problem->train;
    double floor;
    const steep_status status = steep_network_floor(problem->network, progress.theta, train->count, train->x, &floor);
    if (status < 0) return status;
    progress.iteration = solve->iterations;
    progress.evaluations = solve->evaluations;
    progress.seconds = steep_clock_seconds() - begin;
    if (progress.rmse <= STEEP_ROUNDING_RMSE * floor) return steep_solve_end(solve, STEEP_FLOOR, STEEP_REASON_FLOOR);
    if (steep_monitor_proceed(&options->monitor, &progress)) return STEEP_OK;
    return steep_solve_end(solve, STEEP_STOPPED, "the monitor asked to stop");
}
