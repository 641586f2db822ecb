/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/described.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fit/cells.h"
#include "fit/chebyshev.h"
#include "fit/frozen_form.h"
#include "fit/rules.h"
#include "fit/solvers.h"
#include "fit/strategy.h"
#include "fit/varpro.h"
#include "model/activation_jet.h"
#include "model/piecewise.h"
#include "spline/free_knots.h"

/* The place of a row in the table; STEEP_CUDA_NONE for one that is not in it. */
static size_t place_of(const steep_architecture *row)
{
    for (size_t i = 0; steep_architecture_table(i); i++)
        if (steep_architecture_table(i) == row) return i;
    return STEEP_CUDA_NONE;
}

/* Rows by cells in place of samples (fit/rows.c). */
static bool is_by_cells(const steep_problem *problem, bool dense)
{
    size_t rows = dense ? 0 : steep_cells_rows(problem->network, problem->train);
    return rows > 0 && rows < problem->train->count;
}

/* Cells of as many nodes as the pieces of the spline have coefficients. */
static void put_nodes(const steep_network *network, steep_cuda_fit *fit)
{
    const steep_chebyshev basis =
        steep_chebyshev_make(steep_architecture_piecewise(network->architecture, &network->choice).degree);
    fit->nodes = basis.degree + 1;
    for (size_t i = 0; i < fit->nodes; i++) {
        fit->node[i] = basis.node[i];
        for (size_t j = 0; j < fit->nodes; j++) fit->coefficient[i][j] = basis.coefficient[i][j];
    }
}

/* Whether the device has descents of this network (cuda/polish.h): of splines whose units take their branches alone. */
static bool descends(const steep_network *network)
{
    const steep_counts *counts = &network->counts;
    return network->dim == 1 && network->inputs == counts->branches && counts->branches <= STEEP_CUDA_SECOND &&
           steep_architecture_piecewise(network->architecture, &network->choice).degree > 0;
}

/* Whether the device has a part in reduced-newton; if not, the reason in text. */
static bool moves_knots(const steep_network *network, char *text, size_t size)
{
    const steep_piecewise piecewise = steep_architecture_piecewise(network->architecture, &network->choice);
    const char *name = network->architecture->name;
    if (network->dim != 1 || piecewise.degree == 0 || 2 * piecewise.continuity > piecewise.degree + 1)
        snprintf(text, size, "reduced-newton is not for %s in %zuD", name, network->dim);
    else if (!descends(network))
        snprintf(text, size, "reduced-newton descends on units of %s, which the CPU alone has", name);
    else return true;
    return false;
}

/* Whether fit/frozen trains the factors after its linear problem. */
static bool trains_factors(const steep_problem *problem)
{
    size_t distinct = 0;
    return steep_frozen_form_trains(problem->network) &&
           (steep_samples_distinct(problem->train, &distinct, NULL) != STEEP_OK ||
            distinct >= problem->network->parameters);
}

bool steep_cuda_solves(const steep_problem *problem, const steep_fit_options *options, char *text, size_t size)
{
    const steep_network *network = problem->network;
    const bool knots = options->solver == STEEP_SOLVER_REDUCED_NEWTON, frozen = options->solver == STEEP_SOLVER_FROZEN,
               varpro = options->solver == STEEP_SOLVER_VARPRO;
    if (place_of(network->architecture) == STEEP_CUDA_NONE)
        snprintf(text, size, "%s is a unit by formula, which the CPU alone evaluates", network->architecture->name);
    else if (options->penalty > 0) snprintf(text, size, "--penalty runs on the CPU alone");
    else if (knots) return moves_knots(network, text, size);
    else if (!frozen && !varpro && options->solver != STEEP_SOLVER_LM)
        snprintf(text, size, "solver %s runs on the CPU alone", steep_solver_names(options->solver));
    else if (varpro && steep_varpro_split_of(network, NULL, NULL).moves == 0)
        snprintf(text, size, "varpro has nothing to move in %s", network->architecture->name);
    else return true;
    return false;
}

bool steep_cuda_is_whole(const steep_problem *problem, const steep_fit_options *options, const double *theta)
{
    const steep_network *network = problem->network;
    if (options->solver == STEEP_SOLVER_FROZEN) return !trains_factors(problem);
    return options->solver != STEEP_SOLVER_REDUCED_NEWTON ||
           (!steep_strategy_is_small(network) && steep_strategy_case_of(problem, theta).heads);
}

static void describe_lm(const steep_problem *problem, const steep_fit_options *options, steep_cuda_fit *fit)
{
    const steep_network *network = problem->network;
    fit->solver = STEEP_CUDA_LM;
    fit->scalings = steep_network_scalings(network, fit->scaling);
    fit->kinks = steep_scalings_have_kinks(fit->scalings, fit->scaling);
    if (is_by_cells(problem, options->dense)) put_nodes(network, fit);
    if (options->solver != STEEP_SOLVER_VARPRO) return;
    const steep_varpro_split split = steep_varpro_split_of(network, NULL, NULL);
    fit->solver = STEEP_CUDA_VARPRO;
    fit->linear = split.linear;
    fit->held = split.held;
    fit->lines = split.lines;
    fit->moves = split.moves;
}

static steep_status describe_frozen(const steep_problem *problem, bool dense, double *theta, steep_cuda_fit *fit,
                                    steep_error *error)
{
    const steep_network *network = problem->network;
    const bool spline = !dense && steep_frozen_form_is_spline(problem, theta);
    fit->solver = spline ? STEEP_CUDA_SPLINE : STEEP_CUDA_FROZEN;
    fit->piecewise = steep_architecture_piecewise(network->architecture, &network->choice);
    fit->form = steep_piecewise_form(network->architecture);
    fit->linear = steep_frozen_form_of(network->architecture).linear;
    fit->refuses_few = problem->target != NULL;
    if (!spline) steep_frozen_form_set(problem, theta);
    return steep_samples_distinct(problem->train, &fit->distinct, error);
}

/* Points as the solver refuses them, then the knots of the start in place of it. */
static steep_status describe_knots(const steep_problem *problem, const steep_fit_options *options,
                                   const steep_solve *solve, double *theta, steep_cuda_fit *fit, steep_error *error)
{
    const steep_network *network = problem->network;
    fit->solver = STEEP_CUDA_KNOTS;
    fit->piecewise = steep_architecture_piecewise(network->architecture, &network->choice);
    fit->form = steep_piecewise_form(network->architecture);
    fit->max_iterations =
        options->max_iterations ? options->max_iterations : steep_free_knots_options_default().max_iterations;
    const steep_status status = steep_check_points(problem, error);
    if (status < 0) return status;
    double *knot = malloc((network->width + 2) * sizeof *knot);
    if (!knot) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu knots", network->width + 2);
    fit->cells = steep_strategy_knots(problem, theta, solve, knot);
    memcpy(theta, knot, (fit->cells + 1) * sizeof *knot); /* there are more parameters than knots */
    free(knot);
    return STEEP_OK;
}

/* What all solves have. */
static void begin(const steep_network *network, double tolerance, const double *theta, steep_cuda_fit *fit)
{
    *fit = (steep_cuda_fit){
        .row = place_of(network->architecture), .network = *network, .theta = theta, .tolerance = tolerance};
    fit->closes = network->architecture->role[0] == STEEP_ROLE_GATE &&
                  steep_activation_closes(network->choice.activation) && network->counts.map[0] == STEEP_MAP_AFFINE;
}

steep_status steep_cuda_describe(const steep_problem *problem, const steep_fit_options *options,
                                 const steep_solve *solve, double *theta, steep_cuda_fit *fit, steep_error *error)
{
    const steep_network *network = problem->network;
    char text[256];
    if (!steep_cuda_solves(problem, options, text, sizeof text)) return steep_fail(error, STEEP_BAD_INPUT, "%s", text);
    if (!steep_cuda_is_whole(problem, options, theta))
        return steep_fail(error, STEEP_BAD_INPUT, "of solver %s a device makes the descents alone",
                          steep_solver_names(options->solver));
    begin(network, options->tolerance, theta, fit);
    fit->max_iterations = options->max_iterations ? options->max_iterations : STEEP_LM_ITERATIONS;
    if (options->solver == STEEP_SOLVER_FROZEN) return describe_frozen(problem, options->dense, theta, fit, error);
    if (options->solver == STEEP_SOLVER_REDUCED_NEWTON)
        return describe_knots(problem, options, solve, theta, fit, error);
    describe_lm(problem, options, fit);
    return steep_check_points(problem, error);
}

steep_status steep_cuda_describe_descent(const steep_problem *problem, const steep_fit_options *options,
                                         const steep_descent *how, const double *theta, steep_cuda_fit *fit,
                                         steep_error *error)
{
    const steep_network *network = problem->network;
    if (place_of(network->architecture) == STEEP_CUDA_NONE || !descends(network))
        return steep_fail(error, STEEP_BAD_INPUT, "a device has no descent of %s in %zuD", network->architecture->name,
                          network->dim);
    begin(network, how->tolerance, theta, fit);
    describe_lm(problem, options, fit);
    fit->solver = STEEP_CUDA_DESCENT;
    fit->dense = !is_by_cells(problem, options->dense);
    put_nodes(network, fit);
    fit->max_iterations = how->lm ? how->lm : STEEP_LM_ITERATIONS;
    fit->newton = how->newton;
    fit->fixed = how->held;
    for (size_t p = 0; p < network->parameters; p++) fit->moves += !how->held[p];
    return steep_check_points(problem, error);
}
