/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All parameters of a 1D network whose gates make knots, by Newton's method with the linear ones eliminated.
 *
 *   1. Knots from the start's gates; in a restart after the first, jittered: each interior knot by up to 0.2 or 0.45 of
 *      the way to its nearer neighbour, in turn, which leaves symmetric saddles and finds other minima (small widths
 *      are multimodal).
 *   2. Free knots (spline/free_knots).
 *   3. The spline's jumps as gates, turned outward (spline/gates).
 * Solver and start of choice in 1D (docs/theory.md): raw Newton on the same parameters meets condition numbers of 1e9
 * and more. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fit/solvers.h"
#include "spline/free_knots.h"
#include "spline/gates.h"

/* Step 1: knots with both ends into knot[<= width + 1], gates and signs as they will stand. Returns the cells, 0 when
 * the gates cannot carry a spline of the class. */
static size_t start_from_gates(const steep_problem *problem, const steep_piecewise *piecewise, const double *theta,
                               double *knot, size_t *open)
{
    const steep_network *network = problem->network;
    double low = problem->train->low[0], high = problem->train->high[0];
    *open = 0;
    for (size_t i = 0; i < network->width; i++) {
        const double *gate = theta + network->branch[0] + 2 * i;
        double root = -gate[1] / gate[0];
        if (!isfinite(root)) return 0;
        *open += root <= low || root >= high;
    }
    knot[0] = low;
    size_t cells = steep_gates_knots(network, theta, low, high, knot + 1) + 1;
    knot[cells] = high;
    return *open >= piecewise->heads ? cells : 0;
}

static void jitter(size_t cells, double *knot, const steep_solve *solve)
{
    if (solve->restart == 0) return;
    steep_random random = steep_random_start(solve->seed, STEEP_STREAM_JITTER);
    double reach = solve->restart % 2 ? 0.4 : 0.9, before = knot[0];
    for (size_t i = 1; i < cells; i++) {
        double near = fmin(knot[i] - before, knot[i + 1] - knot[i]);
        before = knot[i];
        knot[i] += reach * (steep_random_uniform(&random) - 0.5) * near;
    }
}

/* Gates for the knots found: heads and spare gates stand just outside the ends, facing inward, the others at the
 * knots. A gate at an end itself would have a sample on its kink, where relu' is 0 by convention, and no gradient to
 * be judged by. */
static void place_gates(size_t width, size_t cells, const double *knot, double *gate,
                        double *sign)
{
    size_t open = width - (cells - 1);
    double low = knot[0], high = knot[cells], beyond = (high - low) / 2048;
    for (size_t i = 0; i < open; i++) gate[i] = i % 2 ? high + beyond : low - beyond;
    memcpy(gate + open, knot + 1, (cells - 1) * sizeof *gate);
    steep_gates_outward(width, low, high, gate, sign);
}

static steep_status run(const steep_problem *problem, const steep_fit_options *options,
                        const steep_piecewise *piecewise, size_t cells, double *knot, double *gate, double *theta,
                        steep_solve *solve, steep_error *error)
{
    const steep_network *network = problem->network;
    double *sign = gate + network->width;
    steep_spline spline = {0};
    steep_free_knots_options free_options = steep_free_knots_options_default();
    steep_free_knots_result found;
    if (options->max_iterations) free_options.max_iterations = options->max_iterations;
    free_options.monitor = options->monitor;
    jitter(cells, knot, solve);
    steep_status status = steep_spline_free_knots(problem->train, NULL, piecewise->degree, piecewise->continuity, cells,
                                                  knot, &free_options, &spline, &found, error);
    solve->iterations = found.iterations;
    solve->evaluations = found.evaluations;
    if (status < 0) return status;
    snprintf(solve->reason, sizeof solve->reason, "%zu Newton steps in %zu cells, knots' gradient %.1e of the error",
             found.iterations, cells, found.gradient);
    place_gates(network->width, cells, knot, gate, sign);
    memset(theta, 0, network->parameters * sizeof *theta);
    steep_status placed = steep_gates_from_spline(network, &spline, gate, sign, theta, error);
    steep_spline_free(&spline);
    if (placed < 0) return placed;
    return status == STEEP_STALLED && found.gradient <= options->tolerance ? STEEP_CONVERGED : status;
}

steep_status steep_solve_reduced_newton(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                        steep_solve *solve, steep_error *error)
{
    const steep_network *network = problem->network;
    steep_piecewise piecewise = {0, 0, 0};
    if (network->architecture->piecewise) network->architecture->piecewise(&network->choice, &piecewise);
    if (network->dim != 1 || piecewise.degree == 0 || 2 * piecewise.continuity > piecewise.degree + 1)
        return steep_fail(
            error, STEEP_BAD_INPUT,
            "reduced-newton moves the knots of mlp, glu, gqu and its relatives with relu gates in 1D: for %s in %zuD "
            "lm would be right",
            network->architecture->name, network->dim);
    double *knot = malloc((3 * network->width + 2) * sizeof *knot);
    if (!knot) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu knots", network->width);
    size_t open, cells = start_from_gates(problem, &piecewise, theta, knot, &open);
    steep_status status;
    if (cells > 0)
        status = run(problem, options, &piecewise, cells, knot, knot + network->width + 2, theta, solve, error);
    else
        status = steep_fail(error, STEEP_BAD_INPUT,
                            "%zu gates open on the whole domain: reduced-newton needs %zu for %s; a start "
                            "other than random, or a larger width, would be right",
                            open, piecewise.heads, network->architecture->name);
    free(knot);
    /* A gqu keeps its units smooth at the knots: G, g, q move together, and no one of them is free. */
    bool tied = piecewise.continuity > 1;
    if (tied) memset(solve->active, 0, network->parameters);
    for (size_t p = 0; tied && p < network->width * network->features[1]; p++)
        solve->active[network->branch[1] + p] = 1;
    if (tied) solve->active[network->bias] = 1;
    solve->status = status;
    return status;
}
