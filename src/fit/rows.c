/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "fit/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/sample_weight.h"
#include "fit/penalty.h"
#include "fit/rules.h"
#include "model/activation_jet.h"

/* --- points in tiles of neighbours --- */

enum { NEIGHBOURS = 256, PART = 4 * NEIGHBOURS }; /* of numerics/gram's tiles; points of a part of the evaluation */

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

steep_status steep_rows_open(const steep_problem *problem, const steep_fit_options *options, steep_rows *rows,
                             steep_error *error)
{
    const double penalty = options->penalty;
    const steep_samples *samples = problem->train;
    size_t N = samples->count, few = options->dense || penalty > 0 ? 0 : steep_cells_rows(problem->network, samples);
    *rows = (steep_rows){.problem = problem, .penalty = penalty, .count = N};
    if (penalty > 0) rows->count += steep_penalty_rows(problem->network);
    if (few > 0 && few < N) {
        rows->count = few;
        return steep_cells_open(problem->network, samples, &rows->cells, error);
    }
    if (N > PART) rows->team = steep_team_open(options->threads);
    const steep_network *network = problem->network;
    const bool closes = network->architecture->uses_activation && steep_activation_closes(network->choice.activation);
    /* tiles of neighbours have units whose gates are closed, and Grams leave their columns out */
    if (options->threads > 0 && samples->dim > 1 && closes && N >= STEEP_VARPRO_MANY_KINKS) {
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
    steep_team_close(rows->team);
    free(rows->root);
    steep_samples_free(&rows->ordered);
    rows->cells = NULL;
    rows->team = NULL;
    rows->root = NULL;
}

/* --- evaluation, its parts by threads --- */

/* Parts are whole tiles of the network's: no bit depends on them. */
typedef struct evaluation {
    const steep_rows *rows;
    const steep_samples *samples;
    const double *theta;
    double *r, *J, *x; /* x: the points of all parts, one after another */
    steep_status *status;
} evaluation;

static void evaluate_part(void *context, size_t part)
{
    const evaluation *e = context;
    const steep_network *network = e->rows->problem->network;
    const size_t N = e->samples->count, first = part * PART, count = N - first < PART ? N - first : PART,
                 ld = e->rows->count, dim = e->samples->dim;
    const double *root = e->rows->root + first;
    double *x = e->x + first * dim, *r = e->r + first, *J = e->J ? e->J + first : NULL;
    for (size_t j = 0; j < dim; j++) memcpy(x + j * count, e->samples->x + j * N + first, count * sizeof *x);
    e->status[part] = J ? steep_network_jacobian(network, e->theta, count, x, r, J, ld)
                        : steep_network_values(network, e->theta, count, x, r);
    if (e->status[part] != STEEP_OK) return;
    for (size_t k = 0; k < count; k++) r[k] = root[k] * (r[k] - e->samples->y[first + k]);
    for (size_t p = 0; J && p < network->parameters; p++)
        for (size_t k = 0; k < count; k++) J[k + p * ld] *= root[k];
}

steep_status steep_rows_evaluate(const steep_rows *rows, const double *theta, double *r, double *J)
{
    if (rows->cells) return steep_cells_evaluate(rows->cells, theta, r, J);
    const steep_samples *samples = rows->ordered.count > 0 ? &rows->ordered : rows->problem->train;
    const size_t N = samples->count, parts = (N + PART - 1) / PART;
    evaluation e = {.rows = rows, .samples = samples, .theta = theta, .r = r, .J = J};
    e.x = malloc(N * samples->dim * sizeof *e.x);
    e.status = malloc(parts * sizeof *e.status);
    steep_status status = e.x && e.status ? STEEP_OK : STEEP_NO_MEMORY;
    if (status == STEEP_OK) steep_team_run(rows->team, parts, evaluate_part, &e);
    for (size_t part = 0; part < parts && status == STEEP_OK; part++) status = e.status[part];
    free(e.x);
    free(e.status);
    if (status != STEEP_OK || rows->penalty == 0) return status;
    return steep_penalty_write(rows->problem, rows->penalty, theta, r + N, J ? J + N : NULL, rows->count);
}
