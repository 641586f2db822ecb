/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A unit does not change when one of its factors is scaled up and another down: D, the gate's slope and, where units
 * are products, the larger coefficient of each factor after the second carry nothing. lm without them takes the same
 * way with half the unknowns (its gradient in them vanishes with that in the others). */
#include "fit/solvers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

steep_status steep_descend(const steep_problem *problem, const steep_fit_options *options, const steep_descent *how,
                           double *theta, steep_solve *solve, steep_error *error)
{
    const size_t P = problem->network->parameters, most = options->max_iterations;
    unsigned char *scales = how->held ? NULL : malloc(P);
    const unsigned char *held = how->held ? how->held : scales;
    if (!held) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", P);
    if (scales) hold_scales(problem->network, theta, scales);
    steep_solve lm = {.restart = solve->restart, .held = held}, newton = lm;
    steep_relay relay = {.monitor = &options->monitor, .before = solve->iterations};
    steep_fit_options own = *options;
    own.monitor = steep_relay_monitor(&relay);
    if (scales) own.tolerance = MARGIN * options->tolerance;
    own.max_iterations = most ? most : how->lm;
    steep_status status = steep_solve_marquardt(problem, &own, theta, &lm, error);
    relay.before += lm.iterations;
    own.max_iterations = most ? most : how->newton;
    if (options->penalty == 0 && (status == STEEP_MAX_ITERATIONS || status == STEEP_STALLED))
        status = steep_newton_polish(problem, &own, theta, &newton, error);
    free(scales);
    solve->reason[strcspn(solve->reason, ";")] = '\0';
    steep_reason_add(solve->reason, "; then %zu of lm, %zu of Newton on %s", lm.iterations, newton.iterations,
                     scales ? "all parameters" : "all but the gates");
    solve->iterations += lm.iterations + newton.iterations;
    solve->evaluations += lm.evaluations + newton.evaluations;
    return status;
}
