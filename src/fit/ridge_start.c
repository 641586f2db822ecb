/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The starts ridge and greedy: place the gates and solve the remaining linear problem.
 *
 * Greedy chooses its gates (fit/greedy.h). Ridge places them in m directions (model/ridges): a frozen fit for each
 * candidate, or for the given number of directions, with lines alike and odd; the least training error wins, of equals
 * the first. A restart takes the winning choice, in directions turned by its seed. Every solver begins at the frozen
 * fit, so no solver that descends ends above a frozen fit with the same exchanges. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "fit/frozen_form.h"
#include "fit/greedy.h"
#include "fit/penalty.h"
#include "fit/solvers.h"
#include "model/ridges.h"

/* A frozen fit and the value that it minimises: its training error, with a penalty sqrt(F) (fit/penalty). */
typedef struct trial {
    double *theta; /* P */
    steep_solve solve;
    double rmse;
} trial;

static steep_status run_trial(const steep_problem *problem, const steep_fit_options *options,
                              const steep_start_options *start, trial *t, steep_error *error)
{
    const steep_greedy_how how = {.exchanges = steep_greedy_exchanges(options), .threads = options->threads};
    steep_status status = start->kind == STEEP_START_GREEDY ? steep_greedy_start(problem, start, &how, t->theta, error)
                                                            : steep_start(problem->network, start, t->theta, error);
    if (status == STEEP_OK) status = steep_solve_frozen(problem, options, t->theta, &t->solve, error);
    if (status < 0) return status;
    const steep_status found = steep_penalty_measure(problem, options->penalty, t->theta, NULL, &t->rmse, error);
    return found < 0 ? found : status;
}

/* Lists the choices to try; returns their number. */
static size_t choose(const steep_network *network, const steep_start_options *start, const steep_fit_options *options,
                     steep_ridges_choice *candidate)
{
    if (start->kind == STEEP_START_GREEDY) return 1;
    if (start->directions > 0) {
        candidate[0] = (steep_ridges_choice){.directions = start->directions, .odd = start->odd};
        return 1;
    }
    if (options->directions == STEEP_AUTO || options->directions == 0)
        return steep_ridges_candidates(network, candidate);
    candidate[0] = candidate[1] = (steep_ridges_choice){.directions = options->directions};
    candidate[1].odd = true;
    return 2;
}

steep_status steep_ridge_start(const steep_problem *problem, const steep_fit_options *options,
                               steep_start_options *start, double *theta, steep_solve *solve, steep_error *error)
{
    const steep_network *network = problem->network;
    steep_ridges_choice candidate[STEEP_RIDGE_CANDIDATES] = {{0}};
    const size_t P = network->parameters;
    steep_start_options own = *start;
    steep_status status = STEEP_OK, first_failure = STEEP_OK;
    double least = NAN;
    if (network->dim < 2) return steep_start(network, start, theta, error); /* fails with a message */
    const size_t count = choose(network, start, options, candidate);
    trial t = {.solve = {.seed = start->seed}};
    void *block = STEEP_BLOCK(STEEP_SHARE(t.theta, P), STEEP_SHARE(t.solve.active, P));
    own.gates_alone = steep_frozen_form_of_gates(network);
    if (!block) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", P);
    for (size_t c = 0; status != STEEP_NO_MEMORY && c < count; c++) {
        own.directions = candidate[c].directions;
        own.odd = candidate[c].odd;
        status = run_trial(problem, options, &own, &t, error);
        if (status < 0 && first_failure == STEEP_OK) first_failure = status;
        if (status < 0 || !(t.rmse < least || isnan(least))) continue;
        least = t.rmse;
        start->directions = steep_ridges_of(network, candidate[c].directions).directions;
        start->odd = candidate[c].odd;
        memcpy(theta, t.theta, P * sizeof *theta);
        memcpy(solve->active, t.solve.active, P);
        memcpy(solve->reason, t.solve.reason, sizeof solve->reason);
        solve->iterations = t.solve.iterations;
    }
    solve->evaluations = count;
    free(block);
    if (status == STEEP_NO_MEMORY) return status; /* a choice not yet tried might be the best */
    return isfinite(least) ? STEEP_OK : first_failure < 0 ? first_failure : STEEP_NOT_FINITE;
}
