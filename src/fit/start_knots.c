/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/start_knots.h"

#include <stdlib.h>

#include "model/start.h"
#include "spline/gates.h"
#include "steep/spline.h"

static steep_status equidistributed(const steep_problem *problem, double *knot, size_t *cells, steep_error *error)
{
    const steep_network *network = problem->network;
    if (!problem->target || network->dim != 1)
        return steep_fail(error, STEEP_BAD_INPUT, "an equidistributed start needs a 1D formula: use start uniform");
    const steep_piecewise piecewise = steep_architecture_piecewise(network->architecture, &network->choice);
    const size_t order = piecewise.degree ? piecewise.degree + 1 : network->counts.branches + 1;
    *cells = steep_start_inside(STEEP_START_EQUIDISTRIBUTED, &piecewise, network->width) + 1;
    return steep_knots_equidistributed(problem->target, order, *cells, knot, error);
}

steep_status steep_fit_start_knots(const steep_problem *problem, const steep_fit_options *options, double *knot,
                                   size_t *cells, steep_error *error)
{
    if (options->start == STEEP_START_EQUIDISTRIBUTED) return equidistributed(problem, knot, cells, error);
    const steep_network *network = problem->network;
    const double *low = problem->target->low, *high = problem->target->high;
    const steep_start_options start = {
        .kind = options->start, .low = low, .high = high, .seed = options->seed, .gates_alone = true};
    double *theta = malloc(network->parameters * sizeof *theta);
    if (!theta) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", network->parameters);
    const steep_status status = steep_start(network, &start, theta, error);
    if (status == STEEP_OK) {
        *cells = steep_gates_knots(network, theta, *low, *high, knot + 1) + 1;
        knot[0] = *low;
        knot[*cells] = *high;
    }
    free(theta);
    return status;
}
