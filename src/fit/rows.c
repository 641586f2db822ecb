/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "fit/rows.h"

#include <math.h>
#include <stdlib.h>

#include "data/sample_weight.h"
#include "fit/penalty.h"
#include "fit/rules.h"
#include "model/activation_jet.h"

/* --- points in tiles of neighbours --- */

enum { NEIGHBOURS = 256 }; /* of numerics/gram's tiles */

/* context: a coordinate of all points */
static int compare_along(const void *a, const void *b, void *context)
{
    const double *x = context;
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    return x[i] < x[j] ? -1 : x[i] > x[j] ? 1 : i < j ? -1 : i > j;
}

/* The coordinate in which these points are farthest apart. */
static double *widest(const steep_samples *s, size_t count, const size_t *place)
{
    double *best = s->x, most = -1;
    for (size_t c = 0; c < s->dim; c++) {
        double *x = s->x + c * s->count, low = INFINITY, high = -INFINITY;
        for (size_t k = 0; k < count; k++) {
            low = fmin(low, x[place[k]]);
            high = fmax(high, x[place[k]]);
        }
        if (!(high - low > most)) continue;
        most = high - low;
        best = x;
    }
    return best;
}

/* Halves by the widest extent, down to a tile. */
static void gather_neighbours(const steep_samples *samples, size_t count, size_t *place)
{
    if (count <= NEIGHBOURS) return;
    qsort_r(place, count, sizeof *place, compare_along, widest(samples, count, place));
    const size_t half = (count / NEIGHBOURS + 1) / 2 * NEIGHBOURS;
    gather_neighbours(samples, half, place);
    gather_neighbours(samples, count - half, place + half);
}

/* Where tiles of neighbours have units whose gates are closed, and J'J leaves their columns out. */
static bool wants_neighbours(const steep_problem *problem)
{
    const steep_network *network = problem->network;
    const size_t N = problem->train->count, P = network->parameters;
    return problem->train->dim > 1 && network->architecture->uses_activation &&
           steep_activation_closes(network->choice.activation) && steep_lm_by_gram(N, P);
}

static steep_status copy_neighbours(const steep_samples *samples, steep_samples *ordered, steep_error *error)
{
    const size_t N = samples->count, dim = samples->dim;
    size_t *place = malloc(N * sizeof *place);
    if (!place) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu samples", N);
    steep_status status = steep_samples_allocate(N, dim, samples->weight != NULL, ordered, error);
    for (size_t k = 0; k < N; k++) place[k] = k;
    if (status == STEEP_OK) gather_neighbours(samples, N, place);
    for (size_t k = 0; status == STEEP_OK && k < N; k++) {
        for (size_t j = 0; j < dim; j++) ordered->x[j * N + k] = samples->x[j * N + place[k]];
        ordered->y[k] = samples->y[place[k]];
        if (samples->weight) ordered->weight[k] = samples->weight[place[k]];
    }
    free(place);
    return status;
}

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
    if (wants_neighbours(problem)) {
        steep_status status = copy_neighbours(samples, &rows->ordered, error);
        if (status != STEEP_OK) return status;
        samples = &rows->ordered;
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
    steep_samples_free(&rows->ordered);
    rows->cells = NULL;
    rows->root = NULL;
}

steep_status steep_rows_evaluate(const steep_rows *rows, const double *theta, double *r, double *J)
{
    if (rows->cells) return steep_cells_evaluate(rows->cells, theta, r, J);
    const steep_network *network = rows->problem->network;
    const steep_samples *samples = rows->ordered.count > 0 ? &rows->ordered : rows->problem->train;
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
