/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A network handed to the generic Levenberg-Marquardt solver (fit/least_squares.h):
 *   r_k = sqrt(w_k) (y(x_k; theta) - y_k), so that |r| is the rmse, and J's rows scaled alike.
 * Where the network is a 1D spline, a few rows a cell stand for all samples (fit/cells): the same steps, sooner. A
 * penalty adds rows of its own (fit/penalty).
 * No step goes along a scaling that changes no unit (model/scaling). All parameters move. Its tolerance is the gradient
 * cosine that steep_gradient_cosine recomputes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steep/fit.h"
#include "fit/rows.h"
#include "fit/solvers.h"
#include "measure/measured.h"
#include "model/scaling.h"

typedef struct adapter {
    const steep_problem *problem;
    const steep_monitor *monitor;
    steep_rows rows;
    double *theta; /* where J was last evaluated: the solver's present point whenever the monitor is called */
    size_t unknowns, *unknown; /* the parameters that move, unknowns of them */
    double *all, *J; /* P parameters, those held at their values; Jacobian in all of them, NULL where none is held */
    size_t scalings;
    steep_scaling scaling[STEEP_MAX_SCALINGS];
    double *direction; /* P x directions */
    bool at_floor;
    steep_status failure; /* of what the monitor measures */
} adapter;

static steep_status evaluate(void *context, const double *unknowns, double *r, double *J)
{
    adapter *a = context;
    for (size_t u = 0; u < a->unknowns; u++) a->all[a->unknown[u]] = unknowns[u];
    steep_status status = steep_rows_evaluate(&a->rows, a->all, r, J && a->J ? a->J : J);
    if (!J || status != STEEP_OK) return status;
    memcpy(a->theta, a->all, a->problem->network->parameters * sizeof *a->theta);
    for (size_t u = 0; a->J && u < a->unknowns; u++)
        memcpy(J + u * a->rows.count, a->J + a->unknown[u] * a->rows.count, a->rows.count * sizeof *J);
    return STEEP_OK;
}

/* The scalings' directions in the unknowns. One that moves a parameter which is held is no scaling any more: zeros. */
static void invariant(void *context, const double *unknowns, double *direction)
{
    adapter *a = context;
    size_t P = a->problem->network->parameters,
           count = steep_scaling_directions(a->problem->network, a->scalings, a->scaling);
    for (size_t u = 0; u < a->unknowns; u++) a->all[a->unknown[u]] = unknowns[u];
    steep_scaling_write(a->problem->network, a->scalings, a->scaling, a->all, a->direction);
    for (size_t i = 0; i < count; i++) {
        double *v = a->direction + i * P, *to = direction + i * a->unknowns;
        for (size_t u = 0; u < a->unknowns; u++) {
            to[u] = v[a->unknown[u]];
            v[a->unknown[u]] = 0;
        }
        for (size_t p = 0; p < P; p++)
            if (v[p] != 0) memset(to, 0, a->unknowns * sizeof *to);
    }
}

/* Stops at the rounding floor; else asks the user's monitor. */
static bool proceed(void *context, const steep_progress *progress)
{
    adapter *a = context;
    const steep_samples *samples = a->problem->train;
    double floor, rmse = progress->rmse;
    steep_measured measured;
    a->failure = steep_network_floor(a->problem->network, a->theta, samples->count, samples->x, &floor);
    if (a->failure >= 0 && a->rows.cells &&
        rmse <= STEEP_ROUNDING_CELLS * floor) { /* these carry rounding of their own */
        steep_status status = steep_measure(a->problem->network, a->theta, samples, NULL, &measured, NULL);
        if (status == STEEP_OK) rmse = measured.rmse;
        if (status == STEEP_NO_MEMORY) a->failure = status;
    }
    if (a->failure < 0) return false;
    a->at_floor = rmse <= STEEP_ROUNDING_RMSE * floor;
    steep_progress own = *progress;
    own.theta = a->theta;
    return !a->at_floor && steep_monitor_proceed(a->monitor, &own);
}

/* The generic result, said of a network. */
static void report(const adapter *a, const steep_least_squares_result *result, const double *theta, steep_solve *solve,
                   steep_error *error)
{
    const char *reason = result->reason;
    bool rounding = false;
    steep_status failure = a->failure;
    if (failure >= 0 && result->status == STEEP_STALLED)
        failure = steep_gradient_is_rounding(a->problem, theta, result->cosine, result->norm, &rounding);
    solve->status = result->status;
    if (failure < 0 && result->status >= 0)
        solve->status = steep_fail(error, failure, "no memory to judge a fit of %zu parameters", a->unknowns);
    if (solve->status == STEEP_STOPPED && a->at_floor) {
        solve->status = STEEP_FLOOR;
        reason = "the error is at the network's rounding floor";
    } else if (rounding) {
        solve->status = STEEP_FLOOR;
        reason = "no step lowers the error; what is left of the gradient is rounding";
    }
    snprintf(solve->reason, sizeof solve->reason, "%s", reason);
    solve->iterations = result->iterations;
    solve->evaluations = result->evaluations;
    solve->triangles = result->triangles;
}

/* Memory and rows of an adapter; release whatever came of it. */
static steep_status prepare(adapter *a, const steep_fit_options *options, const unsigned char *held,
                            const double *theta, steep_error *error)
{
    size_t P = a->problem->network->parameters;
    steep_status status = steep_rows_open(a->problem, options, &a->rows, error);
    if (status < 0) return status;
    a->theta = malloc(2 * P * sizeof *a->theta);
    a->unknown = malloc(P * sizeof *a->unknown);
    if (held) a->J = malloc(a->rows.count * P * sizeof *a->J);
    a->scalings = steep_network_scalings(a->problem->network, a->scaling);
    a->direction =
        malloc((steep_scaling_directions(a->problem->network, a->scalings, a->scaling) * P + 1) * sizeof *a->direction);
    if (!a->theta || !a->unknown || !a->direction || (held && !a->J))
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu rows and %zu parameters", a->rows.count, P);
    a->all = a->theta + P;
    memcpy(a->all, theta, P * sizeof *theta);
    for (size_t p = 0; p < P; p++)
        if (!held || !held[p]) a->unknown[a->unknowns++] = p;
    return STEEP_OK;
}

static void release(adapter *a)
{
    steep_rows_close(&a->rows);
    free(a->theta);
    free(a->unknown);
    free(a->J);
    free(a->direction);
}

steep_status steep_solve_marquardt_held(const steep_problem *problem, const steep_fit_options *options,
                                        const unsigned char *held, double *theta, steep_solve *solve,
                                        steep_error *error)
{
    size_t P = problem->network->parameters;
    solve->iterations = solve->evaluations = 0;
    solve->status = steep_check_points(problem, error);
    if (solve->status < 0) return solve->status;
    adapter a = {.problem = problem, .monitor = &options->monitor};
    solve->status = prepare(&a, options, held, theta, error);
    double *x = solve->status == STEEP_OK ? malloc(P * sizeof *x) : NULL;
    if (solve->status == STEEP_OK && !x)
        solve->status = steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", P);
    if (x) {
        for (size_t u = 0; u < a.unknowns; u++) x[u] = theta[a.unknown[u]];
        steep_least_squares_problem least_squares = {
            a.rows.count, a.unknowns, evaluate, &a, steep_scaling_directions(problem->network, a.scalings, a.scaling),
            invariant};
        steep_least_squares_options own = steep_least_squares_options_default();
        if (options->max_iterations > 0) own.max_iterations = options->max_iterations;
        own.tolerance = options->tolerance;
        own.threads = options->threads;
        if (!steep_scalings_have_kinks(a.scalings, a.scaling)) own.drift = INFINITY;
        own.even = problem->network->depth > 1 && solve->restart % 2 == 0; /* of layers either may end lower */
        own.monitor = (steep_monitor){proceed, &a};
        steep_least_squares_result result;
        steep_least_squares_solve(&least_squares, &own, x, &result, error);
        for (size_t u = 0; u < a.unknowns; u++) theta[a.unknown[u]] = x[u];
        report(&a, &result, theta, solve, error);
    }
    free(x);
    release(&a);
    return solve->status;
}

steep_status steep_solve_marquardt(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                   steep_solve *solve, steep_error *error)
{
    return steep_solve_marquardt_held(problem, options, NULL, theta, solve, error);
}
