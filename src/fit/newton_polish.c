/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last steps in a 1D spline network: Newton's method on all parameters with the exact Hessian, kinks included, from
 * rows by cells (fit/cells). Levenberg-Marquardt leaves out the residual times second derivatives. With free knots this
 * term is as large as the rest: lm ends in hundreds of short steps, Newton in ten.
 *
 *   1. r, J at theta. Stop if max_p |J_p . r| / (|J_p| |r|) <= tolerance over the parameters that move.
 *   2. (J'J + S + mu D^2) d = -J'r by Cholesky, S the rest of the Hessian, D_p = |J_p|; raise mu while indefinite.
 *   3. Take d if it lowers |r|, or leaves |r| within rounding and lowers the gradient; else raise mu, back to 2. */
#include "base/block.h"
#include "base/clock.h"
#include "fit/cells.h"
#include "fit/solvers.h"
#include "numerics/dense.h"
#include "numerics/symmetric.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TRIALS 30
#define FIRST  1e-6 /* first damping above 0 */
#define LEAST  1e-9
#define LEVEL  (64 * DBL_EPSILON) /* relative change of |r| that is rounding */
#define MARGIN 0.1                /* part of the tolerance: the held parameters have a gradient, too */

typedef struct newton {
    steep_cells cells;
    size_t count, *free; /* parameters that move */
    double *r, *J, *r_trial, *J_trial, *theta, *H, *A, *g, *scale, *step, *work;
    double norm, cosine, damping;
} newton;

static double measure(const newton *s, const double *r, const double *J, double *norm)
{
    double worst = 0;
    *norm = steep_dense_norm(s->cells.rows, r);
    for (size_t u = 0; u < s->count; u++) {
        const double *column = J + s->free[u] * s->cells.rows;
        double length = steep_dense_norm(s->cells.rows, column);
        double size = length * *norm, dot = fabs(steep_dense_dot(s->cells.rows, column, r));
        double cosine = size > 0 ? dot / size : 0;
        if (cosine > worst || isnan(cosine)) worst = cosine; /* NaN stays */
    }
    return worst;
}

/* Computes H and g at theta, for the parameters that move. */
static steep_status assemble(newton *s, const double *theta)
{
    size_t P = s->cells.network->parameters;
    memset(s->H, 0, P * P * sizeof *s->H);
    steep_status status = steep_cells_curvature(&s->cells, theta, s->r, s->H);
    if (status != STEEP_OK) return status;
    for (size_t u = 0; u < s->count; u++) {
        const double *a = s->J + s->free[u] * s->cells.rows;
        s->g[u] = steep_dense_dot(s->cells.rows, a, s->r);
        s->scale[u] = steep_dense_dot(s->cells.rows, a, a);
        for (size_t v = 0; v <= u; v++)
            s->H[s->free[u] + s->free[v] * P] += steep_dense_dot(s->cells.rows, a, s->J + s->free[v] * s->cells.rows);
    }
    return STEEP_OK;
}

/* Step 2: computes the trial's parameters; false where the damped matrix is not positive definite. */
static bool propose(newton *s, const double *theta, double *trial)
{
    size_t P = s->cells.network->parameters, n = s->count;
    for (size_t v = 0; v < n; v++)
        for (size_t u = v; u < n; u++) s->A[u + v * n] = s->H[s->free[u] + s->free[v] * P];
    for (size_t u = 0; u < n; u++) s->A[u + u * n] += s->damping * (s->scale[u] > 0 ? s->scale[u] : 1);
    double *d = s->step;
    memcpy(d, s->g, n * sizeof *d);
    if (steep_symmetric_cholesky(n, s->A, n, (double)n * DBL_EPSILON, s->work) != 0) return false;
    steep_symmetric_cholesky_solve(n, s->A, n, d);
    memcpy(trial, theta, P * sizeof *theta);
    for (size_t u = 0; u < n; u++) trial[s->free[u]] -= d[u];
    return true;
}

/* One step; false when none is taken. */
static bool improve(newton *s, double *theta, steep_solve *solve, steep_status *status)
{
    *status = assemble(s, theta);
    for (size_t i = 0; *status == STEEP_OK && i < TRIALS; i++) {
        double norm = INFINITY, cosine = INFINITY;
        if (propose(s, theta, s->theta)) {
            *status = steep_cells_evaluate(&s->cells, s->theta, s->r_trial, s->J_trial);
            if (*status != STEEP_OK) return false;
            solve->evaluations++;
            cosine = measure(s, s->r_trial, s->J_trial, &norm);
        }
        if (norm < s->norm * (1 - LEVEL) || (norm <= s->norm * (1 + LEVEL) && cosine < s->cosine)) {
            double *r = s->r, *J = s->J;
            s->r = s->r_trial, s->J = s->J_trial, s->r_trial = r, s->J_trial = J;
            s->norm = norm, s->cosine = cosine;
            s->damping = s->damping > LEAST ? s->damping / 16 : 0;
            memcpy(theta, s->theta, s->cells.network->parameters * sizeof *theta);
            return true;
        }
        s->damping = fmax(4 * s->damping, FIRST);
    }
    return false;
}

static steep_status iterate(newton *s, const steep_fit_options *options, double *theta, steep_solve *solve)
{
    steep_status status = steep_cells_evaluate(&s->cells, theta, s->r, s->J);
    if (status != STEEP_OK) return status;
    s->cosine = measure(s, s->r, s->J, &s->norm);
    solve->evaluations++;
    double begin = steep_clock_seconds(); /* for the monitor alone */
    while (!(s->cosine <= options->tolerance)) {
        steep_progress progress = {.stage = "polish",
                                   .iteration = solve->iterations,
                                   .evaluations = solve->evaluations,
                                   .rmse = s->norm,
                                   .gradient_norm = s->cosine,
                                   .step = s->damping,
                                   .seconds = steep_clock_seconds() - begin,
                                   .theta = theta};
        if (!steep_monitor_proceed(&options->monitor, &progress)) return STEEP_STOPPED;
        if (solve->iterations >= options->max_iterations) return STEEP_MAX_ITERATIONS;
        if (!improve(s, theta, solve, &status)) return status < 0 ? status : STEEP_STALLED;
        solve->iterations++;
    }
    return STEEP_CONVERGED;
}

steep_status steep_newton_polish(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                 steep_solve *solve, steep_error *error)
{
    const steep_network *network = problem->network;
    newton s = {.count = 0};
    const size_t P = network->parameters;
    steep_status status = steep_cells_open(network, problem->train, &s.cells, error);
    if (status < 0) return status;
    void *block = STEEP_BLOCK(STEEP_SHARE(s.r, s.cells.rows), STEEP_SHARE(s.r_trial, s.cells.rows),
                              STEEP_SHARE(s.J, s.cells.rows * P), STEEP_SHARE(s.J_trial, s.cells.rows * P),
                              STEEP_SHARE(s.theta, P), STEEP_SHARE(s.g, P), STEEP_SHARE(s.scale, P),
                              STEEP_SHARE(s.H, P * P), STEEP_SHARE(s.A, P * P), STEEP_SHARE(s.step, P),
                              STEEP_SHARE(s.work, steep_symmetric_workspace(P)), STEEP_SHARE(s.free, P));
    if (block) {
        for (size_t p = 0; p < P; p++)
            if (!solve->held || !solve->held[p]) s.free[s.count++] = p;
        status = iterate(&s, options, theta, solve);
    } else status = steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", P);
    free(block);
    steep_cells_close(&s.cells);
    return status;
}

/* Marks parameters to hold. A unit does not change when one factor is scaled up and another one down, so D, the gate's
 * slope and, in products, the larger coefficient of each factor after the second can be held. lm without them takes the
 * same path with half of the unknowns: the gradient in the held parameters vanishes with the rest of the gradient. */
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
    steep_solve lm = {.restart = solve->restart, .held = held}, polish = lm;
    steep_relay relay = {.monitor = &options->monitor, .before = solve->iterations};
    steep_fit_options own = *options;
    own.monitor = steep_relay_monitor(&relay);
    if (scales) own.tolerance = MARGIN * options->tolerance;
    own.max_iterations = most ? most : how->lm;
    steep_status status = steep_solve_marquardt(problem, &own, theta, &lm, error);
    relay.before += lm.iterations;
    own.max_iterations = most ? most : how->newton;
    if (options->penalty == 0 && (status == STEEP_MAX_ITERATIONS || status == STEEP_STALLED))
        status = steep_newton_polish(problem, &own, theta, &polish, error);
    free(scales);
    solve->reason[strcspn(solve->reason, ";")] = '\0';
    STEEP_REASON_ADD(solve->reason, "; then %zu of lm, %zu of Newton on %s", lm.iterations, polish.iterations,
                     scales ? "all parameters" : "all but the gates");
    solve->iterations += lm.iterations + polish.iterations;
    solve->evaluations += lm.evaluations + polish.evaluations;
    return status;
}
