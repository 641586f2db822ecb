/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A network handed to the generic Levenberg-Marquardt solver (fit/least_squares.h):
 *   r_k = sqrt(w_k) (y(x_k; theta) - y_k), so that |r| is the rmse, and J's rows scaled alike.
 * All parameters move. Its tolerance is the gradient cosine that steep_gradient_cosine recomputes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fit/least_squares.h"
#include "fit/solvers.h"

typedef struct adapter {
    const steep_problem *problem;
    const steep_monitor *monitor;
    double *root;  /* sqrt(w_k) */
    double *theta; /* where J was last evaluated: the solver's present point whenever the monitor is called */
    bool at_floor;
} adapter;

static steep_status evaluate(void *context, const double *theta, double *r, double *J)
{
    adapter *a = context;
    const steep_network *network = a->problem->network;
    const steep_samples *samples = a->problem->train;
    size_t N = samples->count;
    steep_status status = J ? steep_network_jacobian(network, theta, N, samples->x, r, J, N)
                            : steep_network_values(network, theta, N, samples->x, r);
    if (status != STEEP_OK) return status;
    for (size_t k = 0; k < N; k++) r[k] = a->root[k] * (r[k] - samples->y[k]);
    if (!J) return STEEP_OK;
    memcpy(a->theta, theta, network->parameters * sizeof *theta);
    for (size_t p = 0; p < network->parameters; p++)
        for (size_t k = 0; k < N; k++) J[k + p * N] *= a->root[k];
    return STEEP_OK;
}

/* Stops at the rounding floor; else asks the user's monitor. */
static bool proceed(void *context, const steep_progress *progress)
{
    adapter *a = context;
    const steep_samples *samples = a->problem->train;
    double floor = steep_network_floor(a->problem->network, a->theta, samples->count, samples->x);
    a->at_floor = progress->rmse <= STEEP_ROUNDING_RMSE * floor;
    return !a->at_floor && steep_monitor_proceed(a->monitor, progress);
}

/* The generic result, said of a network. */
static void report(const adapter *a, const steep_least_squares_result *result, const double *theta, steep_solve *solve)
{
    const char *reason = result->reason;
    solve->status = result->status;
    if (result->status == STEEP_STOPPED && a->at_floor) {
        solve->status = STEEP_FLOOR;
        reason = "the error is at the network's rounding floor";
    } else if (result->status == STEEP_STALLED
               && steep_gradient_is_rounding(a->problem, theta, result->cosine, result->norm)) {
        solve->status = STEEP_FLOOR;
        reason = "no step lowers the error; what is left of the gradient is rounding";
    }
    snprintf(solve->reason, sizeof solve->reason, "%s", reason);
    solve->iterations = result->iterations;
    solve->evaluations = result->evaluations;
}

steep_status steep_solve_marquardt(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                   steep_solve *solve, steep_error *error)
{
    const steep_samples *samples = problem->train;
    size_t N = samples->count, P = problem->network->parameters;
    solve->iterations = solve->evaluations = 0;
    solve->status = STEEP_OK;
    if (N < P)
        return solve->status = steep_fail(error, STEEP_BAD_INPUT, "%zu samples for %zu parameters: at least as many "
                                          "samples as parameters would be right", N, P);
    adapter a = {.problem = problem, .monitor = &options->monitor, .root = malloc(N * sizeof(double)),
                 .theta = malloc(P * sizeof(double))};
    if (a.root && a.theta) {
        for (size_t k = 0; k < N; k++) a.root[k] = sqrt(samples->weight ? samples->weight[k] : 1 / (double)N);
        steep_least_squares_problem least_squares = {N, P, evaluate, &a};
        steep_least_squares_options own = steep_least_squares_options_default();
        if (options->max_iterations > 0) own.max_iterations = options->max_iterations;
        own.tolerance = options->tolerance;
        own.monitor = (steep_monitor){proceed, &a};
        steep_least_squares_result result;
        steep_least_squares_solve(&least_squares, &own, theta, &result, error);
        report(&a, &result, theta, solve);
    } else {
        solve->status = steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu samples and %zu parameters", N, P);
    }
    free(a.root);
    free(a.theta);
    return solve->status;
}
