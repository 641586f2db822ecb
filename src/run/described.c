/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/described.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fit/cells.h"
#include "fit/chebyshev.h"
#include "fit/rules.h"
#include "fit/solvers.h"
#include "model/activation_jet.h"

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

bool steep_cuda_solves(const steep_problem *problem, const steep_fit_options *options, char *text, size_t size)
{
    const steep_network *network = problem->network;
    if (place_of(network->architecture) == STEEP_CUDA_NONE) {
        snprintf(text, size, "%s is a unit by formula, which the CPU alone evaluates", network->architecture->name);
        return false;
    }
    if (options->solver != STEEP_SOLVER_LM) {
        snprintf(text, size, "solver %s runs on the CPU alone", steep_solver_names(options->solver));
        return false;
    }
    return true;
}

steep_status steep_cuda_describe(const steep_problem *problem, const steep_fit_options *options, size_t samples,
                                 double *theta, steep_cuda_fit *fit, steep_error *error)
{
    const steep_network *network = problem->network;
    char text[256];
    if (!steep_cuda_solves(problem, options, text, sizeof text)) return steep_fail(error, STEEP_BAD_INPUT, "%s", text);
    steep_status status = steep_check_points(problem, error);
    if (status < 0) return status;
    *fit = (steep_cuda_fit){.solver = STEEP_CUDA_LM,
                            .row = place_of(network->architecture),
                            .network = *network,
                            .samples = samples,
                            .theta = theta,
                            .max_iterations = options->max_iterations ? options->max_iterations : STEEP_LM_ITERATIONS,
                            .tolerance = options->tolerance};
    if (is_by_cells(problem, options->dense)) put_nodes(network, fit);
    fit->scalings = steep_network_scalings(network, fit->scaling);
    fit->kinks = steep_scalings_have_kinks(fit->scalings, fit->scaling);
    fit->closes = network->architecture->role[0] == STEEP_ROLE_GATE &&
                  steep_activation_closes(network->choice.activation) && network->counts.map[0] == STEEP_MAP_AFFINE;
    return STEEP_OK;
}
