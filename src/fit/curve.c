/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/cost.h"
#include "fit/objective.h"
#include "measure/measured.h"
#include "numerics/dense.h"
#include "numerics/symmetric.h"

#define WIDEST 512 /* largest width for a rank: n^3 operations */

/* Computes *rank from the eigenvalues s_i^2 of C'C, C the columns; leaves *rank as it is where there are none. */
static steep_status measure_rank(const steep_problem *problem, const double *theta, double *rank)
{
    const size_t N = problem->train->count, n = problem->network->width;
    double sum = 0, entropy = 0, *h = malloc((N * n + n * n + n + steep_symmetric_workspace(n)) * sizeof *h);
    if (!h) return STEEP_NO_MEMORY;
    double *A = h + N * n, *square = A + n * n;
    steep_status status = steep_network_units(problem->network, theta, N, problem->train->x, h);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < N; k++)
            h[k + i * N] *= theta[problem->network->output + i] * steep_sample_root(problem->train, k);
    memset(A, 0, n * n * sizeof *A);
    steep_dense_inner_lower(&(steep_product){N, {n, h, N}, {n, h, N}, A, n});
    const bool found = status == STEEP_OK && steep_symmetric_eigen(n, A, n, square, square + n);
    for (size_t i = 0; found && i < n; i++) sum += sqrt(fmax(square[i], 0));
    for (size_t i = 0; found && i < n; i++) {
        const double p = sqrt(fmax(square[i], 0)) / sum;
        if (p > 0) entropy -= p * log(p);
    }
    if (sum > 0) *rank = exp(entropy);
    free(h);
    return status;
}

/* Returns the last row if it has the same start and iteration, else NULL. */
static const steep_curve_row *same_iteration(const steep_curve *c, double iteration)
{
    const steep_curve_row *last = c->count > 0 ? &c->row[c->count - 1] : NULL;
    return last && last->restart == (double)c->restart && last->iteration == iteration ? last : NULL;
}

/* Appends the row, or replaces a row of the same iteration; adds the measurements of theta (NULL: none). */
static void append(steep_curve *c, steep_curve_row row, const double *theta, bool ranked)
{
    const steep_network *network = c->problem->network;
    steep_measured test = {NAN, NAN};
    const steep_fit_result done = {
        .starts = 1, .iterations = (size_t)row.iteration, .evaluations = (size_t)row.evaluations};
    row.restart = (double)c->restart;
    row.operations = steep_fit_operations(network, c->problem->train->count, c->options, &done);
    row.rmse_test = row.coefficient = row.rank = NAN;
    if (theta && c->problem->test &&
        steep_measure(network, theta, c->problem->test, NULL, &test, NULL) == STEEP_NO_MEMORY)
        c->failure = STEEP_NO_MEMORY;
    if (theta) row.rmse_test = test.rmse, row.coefficient = steep_largest_coefficient(network, theta);
    if (theta && ranked && network->width <= WIDEST && measure_rank(c->problem, theta, &row.rank) < 0)
        c->failure = STEEP_NO_MEMORY;
    if (same_iteration(c, row.iteration)) c->count--;
    if (c->count == c->room) {
        const size_t room = 2 * c->room + 64;
        steep_curve_row *grown = realloc(c->row, room * sizeof *grown);
        if (!grown) c->failure = STEEP_NO_MEMORY;
        if (!grown) return;
        c->row = grown;
        c->room = room;
    }
    c->row[c->count++] = row;
}

/* Leaves out the trials of a learning rate and splines that are not yet networks. */
static bool proceed(void *context, const steep_progress *p)
{
    steep_curve *c = context;
    if (p->evaluations < c->last.evaluations) {
        c->before.evaluations += c->last.evaluations;
        c->before.seconds += c->last.seconds;
    }
    c->last = *p;
    size_t first = p->iteration; /* first digit, if the rest are zeros: 0 or 1 for 0, 1, 10, .. */
    while (first >= 10 && first % 10 == 0) first /= 10;
    if (steep_is_logged(p->iteration) && isfinite(p->rmse) && strcmp(p->stage ? p->stage : "", "search") != 0)
        append(c,
               (steep_curve_row){.iteration = (double)p->iteration,
                                 .evaluations = (double)(c->before.evaluations + p->evaluations),
                                 .seconds = c->before.seconds + p->seconds,
                                 .rmse_train = p->rmse,
                                 .gradient = p->gradient_norm,
                                 .step = p->step},
               p->theta, first <= 1);
    return c->failure >= 0 && steep_monitor_proceed(&c->options->monitor, p);
}

steep_monitor steep_curve_monitor(steep_curve *curve, const steep_problem *problem, const steep_fit_options *options)
{
    curve->problem = problem;
    curve->options = options;
    return (steep_monitor){proceed, curve};
}

void steep_curve_end(steep_curve *curve, const steep_solve *solve, const double *theta, double seconds)
{
    steep_measured train;
    steep_curve_row row = {.iteration = (double)solve->iterations,
                           .evaluations = (double)solve->evaluations,
                           .seconds = seconds,
                           .gradient = NAN,
                           .step = NAN};
    const steep_curve_row *last = same_iteration(curve, row.iteration);
    if (last) row.gradient = last->gradient, row.step = last->step;
    steep_status status = STEEP_NOT_FINITE;
    if (theta) status = steep_measure(curve->problem->network, theta, curve->problem->train, NULL, &train, NULL);
    if (status == STEEP_NO_MEMORY) curve->failure = status;
    if (status >= 0) {
        row.rmse_train = train.rmse;
        append(curve, row, theta, true);
    }
    curve->last = curve->before = (steep_progress){0};
}

void steep_curve_scale(steep_curve *curve, double factor)
{
    for (size_t i = 0; i < curve->count; i++) {
        curve->row[i].rmse_train *= factor;
        curve->row[i].rmse_test *= factor;
        curve->row[i].coefficient *= factor;
    }
}
