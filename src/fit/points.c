/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/solvers.h"

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
