/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/save.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "model/stored.h"

#define UNIT_NUMBERS 160000 /* about as many numbers in units.csv */

/* --- parameters.json --- */

steep_status steep_save_parameters(const steep_saved *saved, const char *path, steep_error *error)
{
    const steep_fit_result *result = saved->result;
    const steep_stored_number numbers[] = {
        {"rmse_train", result->rmse_train}, {"rmse_test", result->rmse_test},         {"max_error", result->max_error},
        {"floor", result->floor},           {"gradient_norm", result->gradient_norm},
    };
    const steep_stored_facts facts = {
        .network = saved->network,
        .theta = result->theta,
        .low = saved->points->low,
        .high = saved->points->high,
        .target = steep_grid_target_name(saved->grid, saved->task->target),
        .seed = result->seed,
        .status = steep_status_name(result->status),
        .reason = result->reason,
        .number = numbers,
        .numbers = sizeof numbers / sizeof *numbers,
    };
    return steep_stored_write(path, &facts, error);
}

/* --- residuals --- */

static void put_residuals(FILE *file, const steep_samples *points, const double *network)
{
    if (points->dim == 1) fputs("x,", file);
    for (size_t j = 0; points->dim > 1 && j < points->dim; j++) fprintf(file, "x%zu,", j + 1);
    fputs("y,network,residual\n", file);
    for (size_t k = 0; k < points->count; k++) {
        for (size_t j = 0; j < points->dim; j++) fprintf(file, "%.17g,", points->x[j * points->count + k]);
        fprintf(file, "%.17g,%.17g,%.17g\n", points->y[k], network[k], network[k] - points->y[k]);
    }
}

steep_status steep_save_residuals(const steep_saved *saved, const char *path, steep_error *error)
{
    const steep_samples *points = saved->points;
    double *network = malloc(points->count * sizeof *network);
    if (!network) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu residuals", points->count);
    steep_status status = steep_network_values(saved->network, saved->result->theta, points->count, points->x, network);
    FILE *file = status == STEEP_OK ? steep_table_begin(path, error) : NULL;
    if (file) {
        put_residuals(file, points, network);
        status = steep_table_commit(file, path, error);
    } else {
        status =
            status == STEEP_OK ? STEEP_IO : steep_fail(error, status, "no memory for %zu residuals", points->count);
    }
    free(network);
    return status;
}

/* --- the units' own curves --- */

static void put_units(FILE *file, const steep_network *network, const double *theta, size_t count, const double *x,
                      const double *h)
{
    fputc('x', file);
    for (size_t i = 0; i < network->width; i++) fprintf(file, ",unit%zu", i + 1);
    fputc('\n', file);
    for (size_t k = 0; k < count; k++) {
        fprintf(file, "%.9g", x[k]);
        for (size_t i = 0; i < network->width; i++)
            fprintf(file, ",%.9g", theta[network->output + i] * h[k + i * count]);
        fputc('\n', file);
    }
}

steep_status steep_save_units(const steep_saved *saved, const char *path, steep_error *error)
{
    const steep_network *network = saved->network;
    const steep_samples *points = saved->points;
    size_t count = UNIT_NUMBERS / network->width;
    count = count < 101 ? 101 : count > 1001 ? 1001 : count;
    double *x = malloc(count * sizeof *x), *h = malloc(count * network->width * sizeof *h);
    steep_status status = STEEP_OK;
    if (!x || !h) status = STEEP_NO_MEMORY;
    for (size_t k = 0; status == STEEP_OK && k < count; k++)
        x[k] = points->low[0] + (points->high[0] - points->low[0]) * (double)k / (double)(count - 1);
    if (status == STEEP_OK) status = steep_network_units(network, saved->result->theta, count, x, h);
    if (status != STEEP_OK) steep_fail(error, status, "no memory for the units' curves");
    FILE *file = status == STEEP_OK ? steep_table_begin(path, error) : NULL;
    if (file) {
        put_units(file, network, saved->result->theta, count, x, h);
        status = steep_table_commit(file, path, error);
    } else if (status == STEEP_OK) status = STEEP_IO;
    free(x);
    free(h);
    return status;
}

steep_status steep_save_gates(const steep_saved *saved, const char *path, steep_error *error)
{
    const steep_network *network = saved->network;
    FILE *file = steep_table_begin(path, error);
    if (!file) return STEEP_IO;
    fputs("knot,sign\n", file);
    for (size_t i = 0; network->features[0] == 2 && i < network->width; i++) {
        const double *gate = saved->result->theta + network->branch[0] + 2 * i;
        double knot = -gate[1] / gate[0];
        if (knot > saved->points->low[0] && knot < saved->points->high[0])
            fprintf(file, "%.17g,%d\n", knot, gate[0] > 0 ? 1 : -1);
    }
    return steep_table_commit(file, path, error);
}
