/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gradient that a fit is judged by, recomputed from the parameters: no solver's own bookkeeping enters.
 *
 * For F = (1/2) sum_k w_k r_k^2, dF/dtheta_p = sum_k w_k r_k J_kp. Divided by the lengths of r and of the column J_p it
 * is a cosine: free of units, of the scale of y, and of how a unit shares its size between its factors. */
#include <math.h>
#include <stdlib.h>

#include "data/sample_weight.h"
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

double steep_gradient_cosine(const steep_problem *problem, const double *theta, const unsigned char *active)
{
    const steep_network *network = problem->network;
    const steep_samples *samples = problem->train;
    size_t P = network->parameters;
    double *memory = malloc((samples->count + 2 * P) * sizeof *memory), worst = NAN;
    if (!memory) return NAN;
    double *residual = memory, *gradient = memory + samples->count, *square = gradient + P;
    if (steep_network_values(network, theta, samples->count, samples->x, residual) == STEEP_OK) {
        double norm = to_residual(samples, residual);
        if (norm == 0) worst = 0;
        else if (isfinite(norm) &&
                 steep_network_gradient(network, theta,
                                        &(steep_residuals){samples->count, samples->x, residual, samples->weight},
                                        active, gradient, square) == STEEP_OK) {
            worst = 0;
            for (size_t p = 0; p < P; p++) {
                double cosine = square[p] == 0 ? 0 : fabs(gradient[p]) / sqrt(square[p]) / norm;
                if (!(cosine <= worst)) worst = cosine; /* NaN goes up, and then stays */
            }
        }
    }
    free(memory);
    return worst;
}

bool steep_gradient_is_rounding(const steep_problem *problem, const double *theta, double cosine, double rmse)
{
    double floor = steep_network_floor(problem->network, theta, problem->train->count, problem->train->x);
    return cosine * rmse <= STEEP_ROUNDING_COSINE * floor;
}
