/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A unit does not change when one of its factors is scaled up and another down: D, the gate's slope and, where units
 * are products, the larger coefficient of each factor after the second carry nothing. lm without them takes the same
 * way with half the unknowns (its gradient in them vanishes with that in the others). */
#include "fit/solvers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fit/relay.h"

#define MARGIN 0.1 /* of the tolerance: the parameters held have a gradient too */

static void hold_scales(const steep_network *network, const double *theta, unsigned char *held)
{
    memset(held, 0, network->parameters);
    for (size_t i = 0; i < network->width; i++) {
        size_t gate = steep_network_gate(network, i), output = network->output + i;
        held[gate] = theta[gate] != 0;
        held[output] = network->counts.branches > 1 && theta[output] != 0;
        for (size_t b = 2; b < network->counts.branches; b++) {
            size_t factor = steep_network_place(network, b, i);
            if (network->architecture->role[b] == STEEP_ROLE_FACTOR)
                held[factor + (fabs(theta[factor]) < fabs(theta[factor + 1]))] = 1;
        }
    }
}

steep_status steep_descend_held(const steep_problem *problem, const steep_fit_options *options,
                                const steep_descent *how, double *theta, steep_solve end[2], steep_error *error)
{
    steep_relay relay = {&options->monitor, 0, false};
    steep_fit_options own = *options;
    own.monitor = steep_relay_monitor(&relay);
    own.tolerance = how->tolerance;
    own.max_iterations = how->lm;
    steep_status status = steep_solve_marquardt_held(problem, &own, how->held, theta, &end[0], error);
    relay.before = end[0].iterations;
    own.max_iterations = how->newton;
    if (options->penalty == 0 && (status == STEEP_MAX_ITERATIONS || status == STEEP_STALLED))
        status = steep_newton_polish(problem, &own, how->held, theta, &end[1], error);
    return status;
}

steep_status steep_descend(const steep_problem *problem, const steep_fit_options *options,
                           const steep_descend_limits *limits, double *theta, steep_solve *solve, steep_error *error)
{
    const size_t most = options->max_iterations;
    unsigned char *held = malloc(problem->network->parameters);
    if (!held) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", problem->network->parameters);
    hold_scales(problem->network, theta, held);
    steep_solve end[2] = {{.restart = solve->restart}, {.restart = solve->restart}};
    steep_relay relay = {&options->monitor, solve->iterations, false};
    steep_fit_options own = *options;
    own.monitor = steep_relay_monitor(&relay);
    const steep_descent how = {held, most ? most : limits->lm, most ? most : limits->newton,
                               MARGIN * options->tolerance};
    steep_status status = steep_descend_held(problem, &own, &how, theta, end, error);
    free(held);
    solve->reason[strcspn(solve->reason, ";")] = '\0';
    steep_reason_add(solve->reason, "; then %zu of lm, %zu of Newton on all parameters", end[0].iterations,
                     end[1].iterations);
    solve->iterations += end[0].iterations + end[1].iterations;
    solve->evaluations += end[0].evaluations + end[1].evaluations;
    return status;
}
