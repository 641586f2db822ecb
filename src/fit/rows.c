/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/rows.h"

#include <math.h>
#include <stdlib.h>

#include "data/sample_weight.h"
#include "fit/penalty.h"

steep_status steep_rows_open(const steep_problem *problem, bool dense, double penalty, steep_rows *rows,
                             steep_error *error)
{
    const steep_samples *samples = problem->train;
    size_t N = samples->count, few = dense || penalty > 0 ? 0 : steep_cells_rows(problem->network, samples);
    *rows = (steep_rows){.problem = problem, .penalty = penalty, .count = N};
    if (penalty > 0) rows->count += steep_penalty_rows(problem->network);
    if (few > 0 && few < N) {
        rows->count = few;
        return steep_cells_open(problem->network, samples, &rows->cells, error);
    }
    rows->root = malloc(N * sizeof *rows->root);
    if (!rows->root) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu samples", N);
    for (size_t k = 0; k < N; k++) rows->root[k] = sqrt(steep_sample_weight(samples, k));
    return STEEP_OK;
}

void steep_rows_close(steep_rows *rows)
{
    steep_cells_close(rows->cells);
    free(rows->root);
    rows->cells = NULL;
    rows->root = NULL;
}

steep_status steep_rows_evaluate(const steep_rows *rows, const double *theta, double *r, double *J)
{
    if (rows->cells) return steep_cells_evaluate(rows->cells, theta, r, J);
    const steep_network *network = rows->problem->network;
    const steep_samples *samples = rows->problem->train;
    size_t N = samples->count, ld = rows->count;
    steep_status status = J ? steep_network_jacobian(network, theta, N, samples->x, r, J, ld)
                            : steep_network_values(network, theta, N, samples->x, r);
    if (status != STEEP_OK) return status;
    for (size_t k = 0; k < N; k++) r[k] = rows->root[k] * (r[k] - samples->y[k]);
    for (size_t p = 0; J && p < network->parameters; p++)
        for (size_t k = 0; k < N; k++) J[k + p * ld] *= rows->root[k];
    if (rows->penalty == 0) return STEEP_OK;
    return steep_penalty_write(rows->problem, rows->penalty, theta, r + N, J ? J + N : NULL, ld);
}
