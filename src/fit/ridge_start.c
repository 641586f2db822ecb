/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The start ridge: gates in m directions (model/ridges), and with them the solution of the linear problem that is left.
 *
 * With m given that is one frozen fit. Else there is one for each candidate m, in ascending order, and the least
 * training error wins, the first of equals. Every solver begins there, so that none that descends ends above the
 * frozen fit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/frozen_form.h"
#include "fit/solvers.h"
#include "measure/measured.h"
#include "model/ridges.h"

/* A frozen fit and its training error. */
typedef struct trial {
    double *theta; /* P */
    steep_solve solve;
    double rmse;
} trial;

static steep_status run_trial(const steep_problem *problem, const steep_fit_options *options,
                              const steep_start_options *start, trial *t, steep_error *error)
{
    steep_measured measured = {NAN, NAN};
    memset(t->solve.active, 1, problem->network->parameters);
    t->solve.reason[0] = '\0';
    steep_status status = steep_start(problem->network, start, t->theta, error);
    if (status == STEEP_OK) status = steep_solve_frozen(problem, options, t->theta, &t->solve, error);
    if (status >= 0 && steep_measure(problem->network, t->theta, problem->train, NULL, &measured, error) < 0)
        status = STEEP_NOT_FINITE;
    t->rmse = measured.rmse;
    return status;
}

/* The trial becomes the best so far. */
static void keep(const trial *t, size_t parameters, double *theta, steep_solve *solve)
{
    memcpy(theta, t->theta, parameters * sizeof *theta);
    memcpy(solve->active, t->solve.active, parameters);
    memcpy(solve->reason, t->solve.reason, sizeof solve->reason);
    solve->status = t->solve.status;
    solve->iterations = t->solve.iterations;
}

steep_status steep_ridge_start(const steep_problem *problem, const steep_fit_options *options,
                               const steep_start_options *start, size_t *directions, double *theta, steep_solve *solve,
                               steep_error *error)
{
    const steep_network *network = problem->network;
    size_t P = network->parameters, candidate[STEEP_RIDGE_CANDIDATES] = {options->directions}, count = 1;
    steep_start_options own = *start;
    steep_status status = STEEP_OK, first_failure = STEEP_OK;
    double least = NAN;
    if (network->dim < 2) return steep_start(network, start, theta, error); /* which says why not */
    if (options->directions == STEEP_AUTO || options->directions == 0)
        count = steep_ridges_candidates(network, candidate);
    trial t = {.theta = malloc(P * sizeof *t.theta), .solve = {.seed = start->seed, .active = malloc(P)}};
    own.gates_alone = steep_frozen_form_of_gates(network);
    if (!t.theta || !t.solve.active)
        first_failure = steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", P);
    for (size_t c = 0; t.theta && t.solve.active && c < count; c++) {
        own.directions = candidate[c];
        status = run_trial(problem, options, &own, &t, error);
        if (status < 0 && first_failure == STEEP_OK) first_failure = status;
        if (status < 0 || !(t.rmse < least || isnan(least))) continue;
        least = t.rmse;
        *directions = steep_ridges_of(network, candidate[c]).directions;
        keep(&t, P, theta, solve);
    }
    solve->evaluations = count;
    free(t.theta);
    free(t.solve.active);
    return isfinite(least) ? STEEP_OK : first_failure < 0 ? first_failure : STEEP_NOT_FINITE;
}
