/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The generic Levenberg-Marquardt solver (fit/least_squares.c) applied to a network:
 *   r_k = sqrt(w_k) (y(x_k; theta) - y_k), so that |r| is the rmse, and J's rows scaled alike.
 * In a 1D spline network a few rows for each cell stand for all samples (fit/cells): the same steps in less time. A
 * penalty adds its own rows (fit/penalty). No step goes along a scaling that changes no unit (model/scaling). The
 * tolerance bounds the gradient cosine that steep_gradient_cosine recomputes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "fit/rows.h"
#include "fit/solvers.h"
#include "model/written.h"

/* Below this many rounding floors, an rmse from cells is measured again by the plain formula: cells round, too. */
#define CELLS 256

/* Writes the directions of the scalings, restricted to the parameters that move. */
static void invariant(void *context, const double *x, double *direction)
{
    const steep_moves *m = context;
    const size_t P = m->network->parameters, count = steep_scaling_directions(m->network, m->scalings, m->scaling);
    for (size_t u = 0; u < m->count; u++) m->theta[m->place[u]] = x[u];
    for (size_t i = 0; i < count; i++) {
        double *v = m->direction, *to = direction + i * m->count;
        steep_scaling_write(m->network, m->scaling, i, m->theta, v);
        for (size_t u = 0; u < m->count; u++) {
            to[u] = v[m->place[u]];
            v[m->place[u]] = 0;
        }
        for (size_t p = 0; p < P && !m->made_up; p++)
            if (v[p] != 0) memset(to, 0, m->count * sizeof *to);
    }
}

steep_status steep_moves_solve(steep_moves *m, const steep_fit_options *options, steep_least_squares_options own,
                               steep_least_squares_result *result, steep_error *error)
{
    m->scalings = steep_network_scalings(m->network, m->scaling);
    const size_t directions = steep_scaling_directions(m->network, m->scalings, m->scaling);
    double *x;
    void *block = STEEP_BLOCK(STEEP_SHARE(x, m->count), STEEP_SHARE(m->direction, m->network->parameters));
    *result = (steep_least_squares_result){.status = STEEP_NO_MEMORY};
    if (!block) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", m->count);
    for (size_t u = 0; u < m->count; u++) x[u] = m->theta[m->place[u]];
    if (options->max_iterations > 0) own.max_iterations = options->max_iterations;
    own.tolerance = options->tolerance;
    own.threads = options->threads;
    if (!steep_scalings_have_kinks(m->scalings, m->scaling)) own.drift = INFINITY;
    const steep_least_squares_problem problem = {m->rows, m->count, m->evaluate, m, directions, invariant};
    steep_least_squares_solve(&problem, &own, x, result, error);
    for (size_t u = 0; u < m->count; u++) m->theta[m->place[u]] = x[u];
    free(block);
    return result->status;
}

typedef struct adapter {
    steep_moves moves; /* first: `evaluate` gets it as its context */
    const steep_monitor *monitor;
    steep_rows rows;
    double *theta; /* point of the last Jacobian: the solver's current point whenever the monitor is called */
    double *J;     /* Jacobian in all parameters; NULL if no parameter is held */
    bool at_floor;
    steep_status failure; /* failure of a measurement in the monitor */
} adapter;

static steep_status evaluate(void *context, const double *x, double *r, double *J)
{
    adapter *a = context;
    const steep_moves *m = &a->moves;
    const size_t rows = a->rows.count;
    for (size_t u = 0; u < m->count; u++) m->theta[m->place[u]] = x[u];
    steep_status status = steep_rows_evaluate(&a->rows, m->theta, r, J && a->J ? a->J : J);
    if (!J || status != STEEP_OK) return status;
    memcpy(a->theta, m->theta, m->network->parameters * sizeof *a->theta);
    for (size_t u = 0; a->J && u < m->count; u++) memcpy(J + u * rows, a->J + m->place[u] * rows, rows * sizeof *J);
    return STEEP_OK;
}

/* Stops at the rounding floor; otherwise asks the user's monitor. */
static bool proceed(void *context, const steep_progress *progress)
{
    adapter *a = context;
    const steep_samples *samples = a->rows.problem->train;
    double floor, rmse = progress->rmse;
    steep_measured measured;
    a->failure = steep_network_floor(a->rows.problem->network, a->theta, samples->count, samples->x, &floor);
    if (a->failure >= 0 && a->rows.cells.rows > 0 && rmse <= CELLS * floor) {
        steep_status status = steep_measure(a->rows.problem->network, a->theta, samples, NULL, &measured, NULL);
        if (status == STEEP_OK) rmse = measured.rmse;
        if (status == STEEP_NO_MEMORY) a->failure = status;
    }
    if (a->failure < 0) return false;
    a->at_floor = rmse <= STEEP_ROUNDING_RMSE * floor;
    steep_progress own = *progress;
    own.theta = a->theta;
    return !a->at_floor && steep_monitor_proceed(a->monitor, &own);
}

/* Translates the generic result into the result for a network; returns its status. */
static steep_status report(const adapter *a, const steep_least_squares_result *result, steep_solve *solve,
                           steep_error *error)
{
    bool rounding = false;
    steep_status failure = a->failure;
    if (failure >= 0 && result->status == STEEP_STALLED)
        failure = steep_gradient_is_rounding(a->rows.problem, a->moves.theta, result->cosine, result->norm, &rounding);
    solve->iterations = result->iterations;
    solve->evaluations = result->evaluations;
    solve->triangles = result->triangles;
    steep_solve_end(solve, result->status, result->reason);
    if (result->status < 0) return result->status;
    if (failure < 0) return steep_fail(error, failure, "no memory to judge a fit of %zu parameters", a->moves.count);
    if (rounding) return steep_solve_end(solve, STEEP_FLOOR, STEEP_REASON_ROUNDING);
    return a->at_floor ? steep_solve_end(solve, STEEP_FLOOR, STEEP_REASON_FLOOR) : result->status;
}

steep_status steep_solve_marquardt(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                   steep_solve *solve, steep_error *error)
{
    const size_t P = problem->network->parameters;
    const unsigned char *held = solve->held;
    const bool deep = problem->network->depth > 1;
    bool smooth = false;
    adapter a = {.monitor = &options->monitor, .moves = {.network = problem->network, .evaluate = evaluate}};
    steep_moves *m = &a.moves;
    steep_status status = steep_rows_open(problem, options, &a.rows, error);
    const size_t all = held ? a.rows.count * P : 0;
    void *block =
        STEEP_BLOCK(STEEP_SHARE(m->theta, P), STEEP_SHARE(a.theta, P), STEEP_SHARE(m->place, P), STEEP_SHARE(a.J, all));
    if (!held) a.J = NULL;
    if (status == STEEP_OK && !block)
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu rows and %zu parameters", a.rows.count, P);
    if (status == STEEP_OK && deep) /* for units with kinks, the second derivative of r predicts nothing */
        status = steep_written_is_smooth(problem->network->architecture, &problem->network->choice, &smooth, error);
    if (status == STEEP_OK) {
        steep_least_squares_options own = steep_least_squares_options_default();
        steep_least_squares_result result;
        m->rows = a.rows.count;
        memcpy(m->theta, theta, P * sizeof *theta);
        for (size_t p = 0; p < P; p++)
            if (!held || !held[p]) m->place[m->count++] = p;
        own.accelerate = smooth;
        own.even = deep && solve->restart % 2 == 0; /* with several layers, either D may end lower */
        own.monitor = (steep_monitor){proceed, &a};
        steep_moves_solve(m, options, own, &result, error);
        memcpy(theta, m->theta, P * sizeof *theta);
        status = report(&a, &result, solve, error);
    }
    free(block);
    steep_rows_close(&a.rows);
    return status;
}
