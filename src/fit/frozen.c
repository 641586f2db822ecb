/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gates fixed, the rest solved as the linear problem that it is (docs/explanation/theory.md).
 *
 * Spline path, O(samples + width): a 1D network whose gates make knots.
 *   1. Knots from the gates. The direction of a gate changes neither its knot nor the span. So gates are turned away
 *      from the middle of the domain, those at its ends inward: short sums, no dead gates.
 *   2. The best spline on these knots, with the smallest jumps if the samples do not determine it
 *      (spline/least_squares).
 *   3. Its jumps become the units (spline/gates).
 * Dense path, any unit, any dimension: the columns of the Jacobian that belong to the unknowns (fit/frozen_form),
 * scaled to unit length, by QR with column pivoting (numerics/qr: the shortest solution where columns depend on each
 * other); from MANY rows on the triangle is computed first (numerics/fold), which is faster. A penalty takes the dense
 * path; its rows follow the rows of the points.
 *
 * A product of factors is linear in only one of them. The others are set to 0 at the gate's own knot (the network is as
 * smooth there as its class can be), which gives up their freedom. With few gates this costs much, with many little
 * (1.6 times the error at width 4 to 8, 1.1 at 16). So up to width 8 lm and Newton train the second factor of a gqu,
 * with fixed gates, from the end of the linear problem, if that lowers the error. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "fit/cells.h"
#include "fit/frozen_form.h"
#include "fit/penalty.h"
#include "fit/solvers.h"
#include "numerics/dense.h"
#include "numerics/fold.h"
#include "numerics/qr.h"
#include "spline/gates.h"
#include "steep/spline.h"

#define LAST_ITERATIONS 400                /* iterations of Newton, after lm */
#define MANY            20000              /* rows, and twice the unknowns: from here on the triangle is first; tuned */
#define RANK            (16 * DBL_EPSILON) /* a smaller pivot of unit columns is rounding */

/* Compares the numbers of samples and unknowns. A target can give more samples, so fewer samples than unknowns are
 * refused, except for the start of a solver that takes them. Points from a file are all there is: the solution of
 * minimum norm is taken. With fewer distinct points than unknowns the reason says so, and which numbers are
 * smallest. */
static steep_status weigh_samples(const steep_problem *problem, const steep_fit_options *options, size_t unknowns,
                                  const char *smallest, char *reason, steep_error *error)
{
    size_t N = problem->train->count, distinct = 0;
    if (problem->target && N < unknowns && !steep_solver_table(options->solver)->underdetermined)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%zu samples for %zu unknowns: use at least as many samples as unknowns", N, unknowns);
    steep_status status = steep_samples_distinct(problem->train, &distinct, error);
    if (status == STEEP_OK && distinct < unknowns)
        STEEP_REASON_ADD(reason, "; %zu distinct points for %zu unknowns: the smallest %s that fit", distinct, unknowns,
                         smallest);
    return status;
}

static steep_status spline_path(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                steep_solve *solve, steep_error *error)
{
    const steep_network *network = problem->network;
    const steep_piecewise piecewise = steep_architecture_piecewise(network->architecture, &network->choice);
    const size_t n = network->width;
    double *knot, *distinct; /* knots of all gates; ends of the domain, with the distinct knots between them */
    void *block = STEEP_BLOCK(STEEP_SHARE(knot, n), STEEP_SHARE(distinct, n + 2));
    if (!block) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu knots", n);
    for (size_t i = 0; i < n; i++) knot[i] = steep_gates_knot(network, theta, i);
    const size_t cells = steep_cells_knots(network, theta, problem->train->low, problem->train->high, distinct);
    steep_spline spline = {0};
    const steep_spline_space space = {piecewise.degree, piecewise.continuity, cells, distinct};
    size_t unknowns = piecewise.degree + 1 + (cells - 1) * (piecewise.degree + 1 - piecewise.continuity);
    snprintf(solve->reason, sizeof solve->reason, "least-squares spline on %zu cells, as gates", cells);
    steep_status status = weigh_samples(problem, options, unknowns, "jumps", solve->reason, error);
    if (status == STEEP_OK) status = steep_spline_least_squares(problem->train, &space, &spline, error);
    if (status == STEEP_OK) {
        memset(theta, 0, network->parameters * sizeof *theta);
        status = steep_gates_from_spline(network, &spline, knot, NULL, theta, error);
        steep_frozen_form_mark(network, 0, NULL, solve->active); /* no columns: linear branches or output weights */
    }
    steep_spline_free(&spline);
    free(block);
    return status;
}

/* The linear problem: `marked` columns of J (N x P), and the rows of the penalty. */
typedef struct linear {
    const steep_problem *problem;
    const unsigned char *active;
    const double *J;
    steep_penalty penalty;
    size_t marked;
} linear;

/* Copies the marked columns, weighted by the samples and scaled to unit length, into A; scale: 1 / length. */
static void copy_columns(const linear *l, double *A, double *scale)
{
    const steep_samples *samples = l->problem->train;
    const size_t N = samples->count, more = l->penalty.rows, rows = N + more;
    size_t column = 0;
    for (size_t p = 0; p < l->problem->network->parameters; p++) {
        if (!l->active[p]) continue;
        double *to = A + column * rows, length;
        memcpy(to, l->J + p * N, N * sizeof *to);
        for (size_t k = 0; samples->weight && k < N; k++) to[k] *= sqrt(samples->weight[k] * (double)N);
        for (size_t k = 0; k < more; k++) to[N + k] = sqrt((double)N) * l->penalty.J[k + p * more];
        length = steep_dense_norm(rows, to);
        scale[column] = length > 0 ? 1 / length : 1;
        steep_dense_scale(rows, scale[column++], to);
    }
}

/* Rank-revealing QR of many rows A (N x marked), by their triangle; right becomes its right-hand side. */
static steep_status fold_rows(size_t N, size_t marked, const double *A, double *right, steep_span *span)
{
    steep_fold fold;
    if (!steep_fold_open(&fold, marked, NULL)) return STEEP_NO_MEMORY;
    const bool finite =
        steep_dense_finite(N * marked, A) && steep_dense_finite(N, right) && steep_fold_span(&fold, N, A, right, span);
    steep_fold_close(&fold);
    return finite ? STEEP_OK : STEEP_NOT_FINITE;
}

/* Solves min |diag(sqrt w) (A c - y)|, with the rows of the penalty, for the marked columns A of J; c into solution. */
static steep_status solve_columns(const linear *l, double *solution, steep_error *error)
{
    const steep_samples *samples = l->problem->train;
    const size_t marked = l->marked, N = samples->count + l->penalty.rows;
    const bool folds = N >= MANY && N >= 2 * marked;
    double *scale, *right, *A;
    void *block =
        STEEP_BLOCK(STEEP_SHARE(scale, marked), STEEP_SHARE(right, N), STEEP_SHARE(A, folds ? N * marked : 0));
    steep_span span = {0};
    steep_status status = block && steep_span_open(&span, folds ? marked : N, marked) ? STEEP_OK : STEEP_NO_MEMORY;
    if (status == STEEP_OK) {
        copy_columns(l, folds ? A : span.A, scale);
        for (size_t k = 0; k < N; k++)
            right[k] = k < samples->count ? samples->y[k] * steep_sample_scale(samples, k) : 0;
        if (folds) status = fold_rows(N, marked, A, right, &span);
        else if (!steep_span_factor(&span, RANK)) status = STEEP_NOT_FINITE;
    }
    if (status == STEEP_OK) {
        steep_span_solve(&span, right, solution);
        for (size_t p = 0; p < marked; p++) solution[p] *= scale[p];
    }
    free(block);
    steep_span_close(&span);
    if (status == STEEP_OK) return STEEP_OK;
    return steep_fail(error, status, "%s of %zu x %zu%s",
                      status == STEEP_NO_MEMORY ? "no memory for a least-squares problem" : "the least-squares problem",
                      N, marked, status == STEEP_NO_MEMORY ? "" : " holds numbers that are not finite");
}

static steep_status dense_path(const steep_problem *problem, const steep_fit_options *options, double *theta,
                               steep_solve *solve, steep_error *error)
{
    const steep_network *network = problem->network;
    size_t N = problem->train->count, P = network->parameters;
    double *J, *solution;
    void *block = STEEP_BLOCK(STEEP_SHARE(J, N * P), STEEP_SHARE(solution, P));
    linear l = {.problem = problem, .active = solve->active, .J = J};
    steep_status status = steep_penalty_open(problem, options->penalty, &l.penalty);
    if (!block || status < 0)
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for a Jacobian of %zu x %zu", N, P);
    if (status == STEEP_OK) {
        steep_frozen_form_set(problem, theta);
        status = steep_network_jacobian(network, theta, N, problem->train->x, NULL, J, N);
        if (status == STEEP_OK) status = steep_penalty_evaluate(&l.penalty, theta);
    }
    if (status == STEEP_OK) {
        l.marked = steep_frozen_form_mark(network, N, J, solve->active);
        snprintf(solve->reason, sizeof solve->reason, "dense least squares by QR, %zu unknowns", l.marked);
        status = weigh_samples(problem, options, l.marked, "weights", solve->reason, error);
        if (status == STEEP_OK) status = solve_columns(&l, solution, error);
        if (status == STEEP_OK) steep_frozen_form_put(network, solve->active, solution, theta);
    }
    steep_penalty_close(&l.penalty);
    free(block);
    return status;
}

/* Runs lm and Newton on all parameters but the gates, from theta; theta stays if the error does not become lower. */
static steep_status train_factors(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                  steep_solve *solve, steep_error *error)
{
    const steep_network *network = problem->network;
    const size_t P = network->parameters, said = strlen(solve->reason);
    double *trial, before = NAN, after = NAN;
    unsigned char *held;
    void *block = STEEP_BLOCK(STEEP_SHARE(trial, P), STEEP_SHARE(held, P));
    if (!block) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", P);
    memcpy(trial, theta, P * sizeof *trial);
    memset(held + network->branch[0], 1, network->width * network->features[0]);
    const steep_descent how = {held, 0, LAST_ITERATIONS};
    steep_status status = steep_descend(problem, options, &how, trial, solve, error), second = status;
    if (second >= 0) second = steep_penalty_measure(problem, options->penalty, theta, NULL, &before, error);
    if (second >= 0) second = steep_penalty_measure(problem, options->penalty, trial, NULL, &after, error);
    if (second == STEEP_NO_MEMORY) status = second;
    else if (second == STEEP_OK && after < before) {
        memcpy(theta, trial, P * sizeof *theta);
        for (size_t p = 0; p < P; p++) solve->active[p] = !held[p];
    } else {
        solve->reason[said] = '\0';
        if (status > 0 && status != STEEP_STOPPED) status = STEEP_OK;
    }
    free(block);
    return status;
}

steep_status steep_solve_frozen(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                steep_solve *solve, steep_error *error)
{
    const steep_network *network = problem->network;
    const bool spline = !options->dense && options->penalty == 0 && steep_frozen_form_is_spline(problem, theta);
    size_t distinct = 0;
    steep_status status = (spline ? spline_path : dense_path)(problem, options, theta, solve, error);
    solve->iterations = solve->evaluations = 0;
    if (status == STEEP_OK && steep_frozen_form_trains(network)) {
        status = steep_samples_distinct(problem->train, &distinct, error);
        if (status == STEEP_OK && distinct >= network->parameters)
            status = train_factors(problem, options, theta, solve, error);
    }
    solve->iterations++; /* the linear problem */
    return status;
}
