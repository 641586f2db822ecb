/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gradient that a fit is judged by, recomputed from the parameters: no solver's own bookkeeping enters.
 *
 * For F = (1/2) sum_k w_k r_k^2, dF/dtheta_p = sum_k w_k r_k J_kp. Divided by the lengths of r and of the column J_p it
 * is a cosine: free of units, of the scale of y, and of how a unit shares its size between its factors. A penalty adds
 * its rows to r and J. */
#include <math.h>
#include <stdlib.h>

#include "data/sample_weight.h"
#include "fit/penalty.h"
#include "fit/solvers.h"

/* Residual r in place of values y; returns its weighted norm (rmse). */
static double to_residual(const steep_samples *samples, double *y)
{
    double sum = 0;
    for (size_t k = 0; k < samples->count; k++) {
        y[k] -= samples->y[k];
        sum += steep_sample_weight(samples, k) * y[k] * y[k];
    }
    return sqrt(sum);
}

/* The cosine from a residual of this norm; gradient and square have P entries each. */
static steep_status from_residual(const steep_penalty *rows, const double *theta, const unsigned char *active,
                                  const double *residual, double norm, double *gradient, double *cosine)
{
    const steep_problem *problem = rows->problem;
    const steep_samples *samples = problem->train;
    const size_t P = problem->network->parameters;
    const steep_residuals residuals = {samples->count, samples->x, residual, samples->weight};
    double *square = gradient + P, worst = 0;
    steep_status status = steep_network_gradient(problem->network, theta, &residuals, active, gradient, square);
    if (status != STEEP_OK) return status;
    const double more = steep_penalty_add(rows, active, gradient, square);
    if (more > 0) norm = sqrt(norm * norm + more);
    for (size_t p = 0; norm > 0 && p < P; p++) {
        double one = square[p] == 0 ? 0 : fabs(gradient[p]) / sqrt(square[p]) / norm;
        if (!(one <= worst)) worst = one; /* NaN goes up, and then stays */
    }
    *cosine = worst;
    return STEEP_OK;
}

steep_status steep_gradient_cosine(const steep_problem *problem, double penalty, const double *theta,
                                   const unsigned char *active, double *cosine)
{
    const steep_network *network = problem->network;
    const steep_samples *samples = problem->train;
    double *memory = malloc((samples->count + 2 * network->parameters) * sizeof *memory);
    steep_penalty rows;
    *cosine = NAN;
    if (!memory) return STEEP_NO_MEMORY;
    double *residual = memory, *gradient = memory + samples->count;
    steep_status status = steep_penalty_open(problem, penalty, &rows);
    if (status == STEEP_OK) status = steep_network_values(network, theta, samples->count, samples->x, residual);
    if (status == STEEP_OK) status = steep_penalty_evaluate(&rows, theta);
    if (status == STEEP_OK) {
        double norm = to_residual(samples, residual);
        if (norm == 0 && penalty == 0) *cosine = 0;
        else if (isfinite(norm)) status = from_residual(&rows, theta, active, residual, norm, gradient, cosine);
    }
    steep_penalty_close(&rows);
    free(memory);
    return status;
}

steep_status steep_gradient_is_rounding(const steep_problem *problem, const double *theta, double cosine, double rmse,
                                        bool *rounding)
{
    double floor;
    steep_status status =
        steep_network_floor(problem->network, theta, problem->train->count, problem->train->x, &floor);
    *rounding = cosine * rmse <= STEEP_ROUNDING_COSINE * floor;
    return status;
}

steep_status steep_check_points(const steep_problem *problem, steep_error *error)
{
    size_t N = problem->train->count, P = problem->network->parameters, distinct = 0;
    steep_status status = steep_samples_distinct(problem->train, &distinct, error);
    if (status < 0 || distinct >= P) return status;
    if (distinct == N)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%zu samples for %zu parameters: expected at least as many samples as parameters", N, P);
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%zu distinct points (%zu samples) for %zu parameters: expected at least as many distinct "
                      "points as parameters",
                      distinct, N, P);
}
