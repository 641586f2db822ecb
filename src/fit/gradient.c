/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gradient that decides whether a fit has converged, recomputed from the parameters: nothing comes from a solver.
 *
 * For F = (1/2) sum_k w_k r_k^2, dF/dtheta_p = sum_k w_k r_k J_kp. Divided by the lengths of r and of the column J_p it
 * is a cosine: it depends neither on units, nor on the scale of y, nor on how a unit shares its size between its
 * factors. The rows of a penalty are appended to r and J. */
#include <math.h>
#include <stdlib.h>

#include "base/block.h"
#include "fit/penalty.h"
#include "fit/solvers.h"
#include "numerics/dense.h"

steep_status steep_gradient_of(const steep_penalty *rows, const double *theta, const double *residual, double norm,
                               steep_gradient *of)
{
    const steep_network *network = rows->problem->network;
    const steep_samples *samples = rows->problem->train;
    const steep_residuals residuals = {samples->count, samples->x, residual, samples->weight};
    double worst = 0;
    steep_status status = steep_network_gradient(network, theta, &residuals, of->active, of->gradient, of->square);
    if (status != STEEP_OK) return status;
    steep_penalty_add(rows, of->active, 1, of->gradient, of->square);
    for (size_t p = 0; norm > 0 && p < network->parameters; p++) {
        double one = of->square[p] == 0 ? 0 : fabs(of->gradient[p]) / sqrt(of->square[p]) / norm;
        if (one > worst || isnan(one)) worst = one; /* NaN stays */
    }
    of->cosine = worst;
    return STEEP_OK;
}

steep_status steep_gradient_cosine(const steep_problem *problem, double penalty, const double *theta,
                                   const unsigned char *active, double *cosine)
{
    const steep_samples *samples = problem->train;
    const size_t P = problem->network->parameters;
    double *residual, sum = 0;
    steep_gradient of = {.active = active, .cosine = NAN};
    steep_penalty rows;
    *cosine = NAN;
    void *block =
        STEEP_BLOCK(STEEP_SHARE(residual, samples->count), STEEP_SHARE(of.gradient, P), STEEP_SHARE(of.square, P));
    if (!block) return STEEP_NO_MEMORY;
    steep_status status = steep_penalty_open(problem, penalty, &rows);
    if (status == STEEP_OK)
        status = steep_network_values(problem->network, theta, samples->count, samples->x, residual);
    if (status == STEEP_OK) status = steep_penalty_evaluate(&rows, theta);
    for (size_t k = 0; status == STEEP_OK && k < samples->count; k++) {
        residual[k] -= samples->y[k];
        sum += steep_sample_weight(samples, k) * residual[k] * residual[k];
    }
    const double more = status == STEEP_OK ? steep_dense_dot(rows.rows, rows.r, rows.r) : 0, norm = sqrt(sum);
    if (status == STEEP_OK && isfinite(norm))
        status = steep_gradient_of(&rows, theta, residual, more > 0 ? sqrt(norm * norm + more) : norm, &of);
    if (status == STEEP_OK) *cosine = of.cosine;
    steep_penalty_close(&rows);
    free(block);
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
                      "%zu distinct points (%zu samples) for %zu parameters: expected at least as many of them",
                      distinct, N, P);
}
