/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts of networks of several layers. Each begins with the same network without its last layer, which lm has trained
 * from a start of the same kind; the first layer is trained from a random start:
 *
 *   layerwise   the layers below stay; a random last layer is trained above them (Bengio et al. 2007, with a target)
 *   grown       the last layer is nearly the identity at first: unit i at u_0 + e z_i, where
 *               h = h_0 + h_1 e z_i + O(e^2), has the output weight D_i / (h_1 e); units beyond the width below are
 *               random, with output weight 0. A residual layer is nearly constant. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "fit/solvers.h"

#define REACH  1   /* largest e z_i: at 0.1 tanh is nearly linear, and training ends 6 times higher; tuned */
#define NEARLY 0.1 /* factor on random weights in a residual layer, which becomes nearly constant; tuned */

/* The value of a unit at u in its first branch and 1 in all others, and its slope in the first branch. */
typedef struct centre {
    double u, value, slope;
} centre;

/* u is the first of 0, 1, -1 at which the slope is not 0; if it is 0 at all three, the centre has slope 0. */
static centre choose_centre(const steep_network *network, const double *theta)
{
    const steep_counts *c = &network->counts;
    double u[STEEP_MAX_INPUTS], g[STEEP_MAX_INPUTS], H[STEEP_MAX_PAIRS];
    const double centres[] = {0, 1, -1};
    centre at = {0};
    for (size_t b = 1; b < c->branches; b++) u[b] = 1;
    for (size_t s = 0; s < c->scalars; s++) u[c->branches + s] = theta[network->scalars + s];
    for (size_t s = 0; s < c->shared_maps; s++) u[c->branches + c->scalars + s] = 0;
    for (size_t a = 0; a < c->shared_scalars; a++)
        u[c->branches + c->scalars + c->shared_maps + a] = theta[network->shared_scalars + a];
    for (size_t i = 0; i < 3 && at.slope == 0; i++) {
        at.u = u[0] = centres[i];
        steep_architecture_unit(network->architecture, &network->choice, u, 1, &at.value, g, H);
        at.slope = g[0];
    }
    return at;
}

/* Sets the last layer to the identity on the units below, with values z, and gives it their output weights. z NULL, for
 * a residual network: sets units that are nearly 0, or nearly a constant that the bias subtracts. */
static void set_last(const steep_problem *problem, const steep_network *shallow, const double *trained, const double *z,
                     centre at, double *theta)
{
    const steep_network *network = problem->network;
    const size_t count = problem->train->count, n = shallow->width;
    for (size_t p = network->shared_maps; p < network->shared_scalars; p++) theta[p] = 0;
    memset(theta + network->output, 0, network->width * sizeof *theta);
    theta[network->bias] = trained[shallow->bias];
    for (size_t i = 0; i < (z ? n : network->width); i++) {
        double most = 0, *output = theta + network->output + i;
        for (size_t k = 0; z && k < count; k++) most = fmax(most, fabs(z[i * count + k]));
        if (most == 0) most = 1; /* the unit is closed everywhere */
        for (size_t b = 0; b < network->counts.branches; b++) {
            double *map = theta + steep_network_place(network, b, i);
            for (size_t f = 0; f < n; f++) map[f] = z ? 0 : map[f] * NEARLY;
            if (z && b == 0) map[i] = REACH / most;
            map[n] = b == 0 ? at.u : 1;
        }
        if (z) *output = trained[shallow->output + i] / at.slope * most / REACH;
        else if (i < n) *output = trained[shallow->output + i];
        theta[network->bias] -= *output * at.value;
    }
}

/* Checks a layer for start grown: a unit can be the identity, and there are enough units for the layer below. */
static steep_status check_grown(const steep_network *layer, steep_error *error)
{
    const char *name = layer->architecture->name;
    if (layer->counts.moments)
        return steep_fail(
            error, STEEP_BAD_INPUT,
            "start grown: a norm couples the units of %s, so that none is the identity: use start layerwise", name);
    for (size_t b = 0; b < layer->counts.branches; b++)
        if (layer->counts.map[b] != STEEP_MAP_AFFINE)
            return steep_fail(error, STEEP_BAD_INPUT, "start grown: a branch of %s is not affine: use start layerwise",
                              name);
    if (layer->width < layer->fan_in)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "start grown: a layer of %zu units cannot be the identity on %zu: use start layerwise",
                          layer->width, layer->fan_in);
    return STEEP_OK;
}

static steep_status init_shallow(const steep_network *network, steep_network *shallow, steep_error *error)
{
    steep_choice choice = network->choice;
    choice.depth = network->depth - 1;
    return steep_network_init(shallow, network->architecture, &choice, network->dim, network->fan_in, error);
}

steep_status steep_layer_start_check(const steep_network *network, steep_start_kind kind, size_t points,
                                     steep_error *error)
{
    const bool grown = kind == STEEP_START_GROWN;
    if ((!grown && kind != STEEP_START_LAYERWISE) || network->depth == 1) return STEEP_OK;
    steep_network shallow;
    steep_status status = init_shallow(network, &shallow, error);
    for (size_t l = 1; grown && status == STEEP_OK && l < network->depth; l++) {
        const steep_network layer = steep_network_layer(network, l);
        status = check_grown(&layer, error);
    }
    if (status != STEEP_OK) return status;
    const size_t last = grown ? 0 : network->parameters - shallow.output,
                 most = shallow.parameters > last ? shallow.parameters : last;
    if (most <= points) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "start %s trains %zu parameters at once by lm, on %zu points: use random, gain or smaller layers",
                      steep_start_names(kind), most, points);
}

/* Trains the last layer; the first `below` parameters, those of the layers below, stay fixed. */
static steep_status train_last(const steep_problem *problem, const steep_fit_options *options, size_t below,
                               double *theta, steep_error *error)
{
    const size_t P = problem->network->parameters;
    unsigned char *held = calloc(P, 1);
    if (!held) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", P);
    memset(held, 1, below);
    steep_solve solve = {.held = held};
    const steep_status status = steep_solve_marquardt(problem, options, theta, &solve, error);
    free(held);
    return status < 0 && status != STEEP_SINGULAR ? status : STEEP_OK;
}

steep_status steep_layer_start(const steep_problem *problem, const steep_fit_options *options,
                               const steep_start_options *start, double *theta, steep_error *error)
{
    const steep_network *network = problem->network;
    const bool grown = start->kind == STEEP_START_GROWN, identity = grown && !steep_network_is_residual(network);
    const size_t count = problem->train->count;
    steep_network shallow;
    centre at = {0};
    steep_status status = steep_start(network, start, theta, error);
    if (status < 0 || network->depth == 1) return status;
    status = steep_layer_start_check(network, start->kind, count, error);
    if (status == STEEP_OK) status = init_shallow(network, &shallow, error);
    if (status != STEEP_OK) return status;
    if (grown) at = choose_centre(network, theta);
    if (grown && at.slope == 0)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "start grown: %s has slope 0 at 0, 1 and -1, and so no identity: use start layerwise",
                          network->architecture->name);
    double *trained, *z;
    void *block =
        STEEP_BLOCK(STEEP_SHARE(trained, shallow.parameters), STEEP_SHARE(z, identity ? count * shallow.width : 0));
    if (!block) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", shallow.parameters);
    steep_problem below = *problem;
    steep_fit_options own = *options;
    steep_solve solve = {.reason = ""};
    below.network = &shallow;
    steep_relay relay = {.monitor = &options->monitor, .silent = true}; /* the errors are of the shallow network */
    own.monitor = steep_relay_monitor(&relay);
    status = steep_layer_start(&below, &own, start, trained, error);
    if (status >= 0) status = steep_solve_marquardt(&below, &own, trained, &solve, error);
    if (status >= 0) memcpy(theta, trained, shallow.output * sizeof *theta);
    if (status >= 0 && !grown) status = train_last(problem, &own, shallow.output, theta, error);
    if (status >= 0 && identity) status = steep_network_units(&shallow, trained, count, problem->train->x, z);
    if (status >= 0 && grown) set_last(problem, &shallow, trained, identity ? z : NULL, at, theta);
    free(block);
    return status < 0 ? status : STEEP_OK;
}
