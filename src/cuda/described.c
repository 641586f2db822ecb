/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cuda/device.h"

#include <stdio.h>
#include <string.h>

/* The index of a row in the table; the number of rows for a row that is not there. */
static size_t place_of(const steep_architecture *row)
{
    size_t i = 0;
    while (steep_architecture_table(i) && steep_architecture_table(i) != row) i++;
    return i;
}

/* Fills *formula for devices. False: the unit is not by formula, or its tapes are too long for a device. */
static bool formula_of(const steep_written *written, steep_cuda_formula *formula)
{
    if (!written) return false;
    const steep_formula *f = written->formula;
    memcpy(formula->counts, written->counts, sizeof formula->counts);
    formula->inputs = f->dim;
    memcpy(formula->tape, f->tape, sizeof formula->tape);
    return f->tape[0].columns <= STEEP_CUDA_CELLS && f->tape[1].columns <= STEEP_CUDA_CELLS;
}

/* Whether fit/frozen takes the spline path, or trains factors after its linear problem. */
static bool is_fast_here(const steep_network *network, const steep_fit_options *options)
{
    const steep_piecewise piecewise = steep_architecture_piecewise(network->architecture, &network->choice);
    return network->dim == 1 && piecewise.degree > 0 && (!options->dense || steep_frozen_form_trains(network));
}

bool steep_cuda_solves(const steep_problem *problem, const steep_fit_options *options, char *text, size_t size)
{
    const steep_network *network = problem->network;
    const steep_solver_row *solver = steep_solver_table(options->solver);
    steep_cuda_formula formula;
    if (!steep_architecture_table(place_of(network->architecture)) && !formula_of(network->choice.written, &formula))
        snprintf(text, size, "%s is %s, which the CPU alone evaluates", network->architecture->name,
                 network->choice.written ? "a long formula" : "a comparator");
    else if (options->penalty > 0) snprintf(text, size, "--penalty runs on the CPU alone");
    else if (options->stages > 1) snprintf(text, size, "--stages runs on the CPU alone");
    else if (!solver->on_device) snprintf(text, size, "solver %s runs on the CPU alone", solver->name);
    else if (solver->frozen && is_fast_here(network, options))
        snprintf(text, size, "frozen gates of %s in one dimension take the CPU milliseconds",
                 network->architecture->name);
    else if (solver->eliminates && steep_varpro_split_of(network, false, NULL, NULL).moves == 0)
        snprintf(text, size, "%s has nothing to move in %s", solver->name, network->architecture->name);
    else if (network->depth > 1)
        snprintf(text, size, "the device fits one layer of units, and the network has %zu", network->depth);
    else return true;
    return false;
}

static void describe_lm(const steep_problem *problem, const steep_fit_options *options, steep_cuda_fit *fit)
{
    const steep_network *network = problem->network;
    fit->solver = STEEP_CUDA_LM;
    fit->scalings = steep_network_scalings(network, fit->scaling);
    fit->kinks = steep_scalings_have_kinks(fit->scalings, fit->scaling);
    if (!steep_solver_table(options->solver)->eliminates) return;
    const steep_varpro_split split = steep_varpro_split_of(network, false, NULL, NULL);
    fit->solver = STEEP_CUDA_VARPRO;
    fit->linear = split.linear;
    fit->held = split.held;
    fit->offset = split.offset;
}

steep_status steep_cuda_describe(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                 steep_cuda_fit *fit, steep_error *error)
{
    const steep_network *network = problem->network;
    char text[256];
    if (!steep_cuda_solves(problem, options, text, sizeof text)) return steep_fail(error, STEEP_BAD_INPUT, "%s", text);
    *fit = (steep_cuda_fit){.row = place_of(network->architecture),
                            .network = *network,
                            .samples = problem->train,
                            .theta = theta,
                            .tolerance = options->tolerance,
                            .max_iterations = options->max_iterations ? options->max_iterations : STEEP_LM_ITERATIONS};
    formula_of(network->choice.written, &fit->formula);
    if (steep_solver_table(options->solver)->frozen) {
        fit->solver = STEEP_CUDA_FROZEN;
        fit->linear = steep_frozen_form_of(network->architecture).linear;
        steep_frozen_form_set(problem, theta);
        return steep_samples_distinct(problem->train, &fit->distinct, error);
    }
    describe_lm(problem, options, fit);
    return steep_check_points(problem, error);
}

static steep_status resume(const steep_problem *problem, const steep_fit_options *options, const steep_cuda_result *end,
                           double *theta, steep_solve *solve, steep_error *error)
{
    steep_fit_options rest = *options;
    const size_t most = options->max_iterations ? options->max_iterations : STEEP_LM_ITERATIONS;
    rest.elsewhere = NULL;
    rest.max_iterations = end->iterations < most ? most - end->iterations : 1;
    const steep_status status = steep_solver_table(options->solver)->solve(problem, &rest, theta, solve, error);
    if (end->status < 0) return status;
    solve->iterations += end->iterations;
    solve->evaluations += end->evaluations;
    solve->triangles += end->triangles;
    return status;
}

steep_status steep_cuda_finish(const steep_problem *problem, const steep_fit_options *options,
                               const steep_cuda_result *end, double *theta, steep_solve *solve, steep_error *error)
{
    const size_t P = problem->network->parameters;
    if (end->resume) return resume(problem, options, end, theta, solve, error);
    if (solve->active) memcpy(solve->active, end->active, P);
    solve->iterations = end->iterations;
    solve->evaluations = end->evaluations;
    solve->triangles = end->triangles;
    snprintf(solve->reason, sizeof solve->reason, "%s", end->reason);
    const steep_solver_row *solver = steep_solver_table(options->solver);
    if (solver->frozen || solver->eliminates || end->status != STEEP_MAX_ITERATIONS) return end->status;
    steep_measured measured;
    if (steep_measure(problem->network, theta, problem->train, NULL, &measured, NULL) != STEEP_OK) return end->status;
    const steep_progress at = {.theta = theta, .rmse = measured.rmse};
    const steep_status status = steep_solve_ends(problem, options, at, 0, solve); /* no monitor can stop it */
    if (status < 0) return steep_fail(error, status, "no memory to judge a fit");
    return status == STEEP_OK ? end->status : status;
}
