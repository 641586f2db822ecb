/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/block.h"
#include "fit/penalty.h"
#include "fit/rules.h"
#include "model/activation_jet.h"
#include "numerics/sort.h"

enum { NEIGHBOURS = 256, PART = 4 * NEIGHBOURS }; /* points of a tile of numerics/gram; points of a part */

/* Returns the coordinate in which these points extend farthest. */
static const double *widest(const steep_samples *s, size_t count, const steep_placed *point)
{
    const double *best = s->x;
    double most = -1;
    for (size_t c = 0; c < s->dim; c++) {
        const double *x = s->x + c * s->count;
        double low = INFINITY, high = -INFINITY;
        for (size_t k = 0; k < count; k++) {
            low = fmin(low, x[point[k].place]);
            high = fmax(high, x[point[k].place]);
        }
        if (!(high - low > most)) continue;
        most = high - low;
        best = x;
    }
    return best;
}

/* Sorts the points so that each tile holds neighbours: halves the set across its widest coordinate, recursively. */
static void gather_neighbours(const steep_samples *samples, size_t count, steep_placed *point)
{
    if (count <= NEIGHBOURS) return;
    const double *x = widest(samples, count, point);
    for (size_t k = 0; k < count; k++) point[k].number = x[point[k].place];
    qsort(point, count, sizeof *point, steep_compare_placed);
    const size_t half = (count / NEIGHBOURS + 1) / 2 * NEIGHBOURS;
    gather_neighbours(samples, half, point);
    gather_neighbours(samples, count - half, point + half);
}

static steep_status copy_samples(steep_rows *rows, bool neighbours, steep_error *error)
{
    const steep_samples *s = rows->problem->train;
    const size_t N = s->count, dim = s->dim;
    steep_placed *point;
    rows->block = STEEP_BLOCK(STEEP_SHARE(rows->x, N * dim), STEEP_SHARE(rows->y, N), STEEP_SHARE(rows->root, N),
                              STEEP_SHARE(rows->status, (N + PART - 1) / PART), STEEP_SHARE(point, N));
    if (!rows->block) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu samples", N);
    for (size_t k = 0; k < N; k++) point[k].place = k;
    if (neighbours) gather_neighbours(s, N, point);
    for (size_t k = 0; k < N; k++) {
        const size_t first = k / PART * PART, count = N - first < PART ? N - first : PART;
        for (size_t j = 0; j < dim; j++) rows->x[first * dim + j * count + k - first] = s->x[j * N + point[k].place];
        rows->y[k] = s->y[point[k].place];
        rows->root[k] = sqrt(steep_sample_weight(s, point[k].place));
    }
    return STEEP_OK;
}

steep_status steep_rows_open(const steep_problem *problem, const steep_fit_options *options, steep_rows *rows,
                             steep_error *error)
{
    const double penalty = options->penalty;
    const steep_samples *samples = problem->train;
    size_t N = samples->count, few = options->dense || penalty > 0 ? 0 : steep_cells_rows(problem->network);
    *rows = (steep_rows){.problem = problem, .penalty = penalty, .count = N};
    if (penalty > 0) rows->count += steep_penalty_rows(problem->network);
    if (few > 0 && few < N) {
        rows->count = few;
        return steep_cells_open(problem->network, samples, &rows->cells, error);
    }
    if (N > PART) rows->team = steep_team_open(options->threads);
    const steep_network *network = problem->network;
    const bool closes = network->architecture->uses_activation && steep_activation_closes(network->choice.activation);
    /* on a tile of neighbours many gates are closed, and Grams skip the columns of closed gates */
    return copy_samples(rows, options->threads > 0 && samples->dim > 1 && closes && N >= STEEP_VARPRO_MANY_KINKS,
                        error);
}

void steep_rows_close(steep_rows *rows)
{
    steep_cells_close(&rows->cells);
    steep_team_close(rows->team);
    free(rows->block);
}

/* Parts consist of whole tiles of the network's evaluation: no bit depends on the parts. */
typedef struct evaluation {
    const steep_rows *rows;
    const double *theta;
    double *r, *J;
} evaluation;

static void evaluate_part(void *context, size_t part)
{
    const evaluation *e = context;
    const steep_rows *rows = e->rows;
    const steep_network *network = rows->problem->network;
    const size_t N = rows->problem->train->count, ld = rows->count, first = part * PART,
                 count = N - first < PART ? N - first : PART;
    const double *x = rows->x + first * network->dim, *root = rows->root + first;
    double *r = e->r + first, *J = e->J ? e->J + first : NULL;
    rows->status[part] = J ? steep_network_jacobian(network, e->theta, count, x, r, J, ld)
                           : steep_network_values(network, e->theta, count, x, r);
    if (rows->status[part] != STEEP_OK) return;
    for (size_t k = 0; k < count; k++) r[k] = root[k] * (r[k] - rows->y[first + k]);
    for (size_t p = 0; J && p < network->parameters; p++)
        for (size_t k = 0; k < count; k++) J[k + p * ld] *= root[k];
}

steep_status steep_rows_evaluate(steep_rows *rows, const double *theta, double *r, double *J)
{
    if (rows->cells.rows > 0) return steep_cells_evaluate(&rows->cells, theta, r, J);
    const size_t N = rows->problem->train->count, parts = (N + PART - 1) / PART;
    evaluation e = {rows, theta, r, J};
    steep_team_run(rows->team, parts, evaluate_part, &e);
    for (size_t part = 0; part < parts; part++)
        if (rows->status[part] != STEEP_OK) return rows->status[part];
    if (rows->penalty == 0) return STEEP_OK;
    return steep_penalty_write(rows->problem, rows->penalty, theta, r + N, J ? J + N : NULL, rows->count);
}
