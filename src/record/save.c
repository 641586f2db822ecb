/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/save.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "model/stored.h"

#define UNIT_NUMBERS 160000 /* about as many numbers in units.csv */

/* The scales between the data and the network; dim = 0: none. */
static steep_standard standard_of(const steep_saved *saved)
{
    const steep_standard *standard = steep_plan_standard(saved->plan, saved->task);
    return standard ? *standard : (steep_standard){.y_scale = 1};
}

steep_stored steep_save_stored(const steep_saved *saved)
{
    return (steep_stored){.network = *saved->network, .theta = saved->result->theta, .standard = standard_of(saved)};
}

void steep_save_box(const steep_saved *saved, const double **low, const double **high)
{
    const steep_points *points = steep_plan_points_of(saved->plan, saved->task->seed);
    const steep_target *formula = saved->plan->target[saved->task->target].formula;
    *low = points ? points->train.low : formula->low;
    *high = points ? points->train.high : formula->high;
}

/* --- parameters.json --- */

struct json_t *steep_save_record(const steep_saved *saved)
{
    const steep_fit_result *result = saved->result;
    const steep_points *points = steep_plan_points_of(saved->plan, saved->task->seed);
    enum { ERRORS = 7 };
    steep_stored_number number[ERRORS + STEEP_SAVED_NUMBERS] = {
        {"rmse_train", result->rmse_train},       {"rmse_test", result->rmse_test},
        {"max_error", result->max_error},         {"floor", result->floor},
        {"gradient_norm", result->gradient_norm}, {"coefficient", result->coefficient},
        {"rmse_single", result->rmse_single},
    };
    if (saved->numbers) memcpy(number + ERRORS, saved->number, saved->numbers * sizeof *number);
    steep_stored_facts facts = {
        .network = saved->network,
        .theta = result->theta,
        .standard = steep_plan_standard(saved->plan, saved->task),
        .x = points ? (const char *const *)points->x : NULL,
        .y = points ? points->y : NULL,
        .target = saved->plan->target[saved->task->target].name,
        .seed = result->seed,
        .status = steep_status_name(result->status),
        .reason = result->reason,
        .number = number,
        .numbers = ERRORS + saved->numbers,
    };
    steep_save_box(saved, &facts.low, &facts.high);
    return steep_stored_describe(&facts);
}

steep_status steep_save_parameters(const steep_saved *saved, const char *path, steep_error *error)
{
    return steep_stored_write(path, steep_save_record(saved), error);
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
    const steep_stored stored = steep_save_stored(saved);
    steep_status status = steep_stored_values(&stored, points->count, points->x, network, NULL);
    FILE *file = NULL;
    if (status < 0) steep_fail(error, status, "no memory for %zu residuals", points->count);
    else status = steep_table_begin(path, &file, error);
    if (file) {
        put_residuals(file, points, network);
        status = steep_table_commit(file, path, error);
    }
    free(network);
    return status;
}

/* --- the units' own curves --- */

static void put_units(FILE *file, const steep_saved *saved, size_t count, const double *x, const double *h)
{
    const steep_network *network = saved->network;
    const double *output = saved->result->theta + network->output, unit = standard_of(saved).y_scale;
    fputc('x', file);
    for (size_t i = 0; i < network->width; i++) fprintf(file, ",unit%zu", i + 1);
    fputc('\n', file);
    for (size_t k = 0; k < count; k++) {
        fprintf(file, "%.9g", x[k]);
        for (size_t i = 0; i < network->width; i++) fprintf(file, ",%.9g", unit * output[i] * h[k + i * count]);
        fputc('\n', file);
    }
}

/* The units' values at count equispaced x of the box; scaled[count] is what the network sees of them. */
static steep_status values_of_units(const steep_saved *saved, size_t count, double *x, double *scaled, double *h)
{
    const steep_standard standard = standard_of(saved);
    const double *low, *high;
    steep_save_box(saved, &low, &high);
    for (size_t k = 0; k < count; k++) x[k] = low[0] + (high[0] - low[0]) * (double)k / (double)(count - 1);
    memcpy(scaled, x, count * sizeof *x);
    if (standard.dim > 0) steep_standard_x(&standard, count, x, scaled);
    return steep_network_units(saved->network, saved->result->theta, count, scaled, h);
}

steep_status steep_save_units(const steep_saved *saved, const char *path, steep_error *error)
{
    size_t width = saved->network->width, count = UNIT_NUMBERS / width;
    count = count < 101 ? 101 : count > 1001 ? 1001 : count;
    double *x = malloc(2 * count * sizeof *x), *h = malloc(count * width * sizeof *h);
    steep_status status = x && h ? values_of_units(saved, count, x, x + count, h) : STEEP_NO_MEMORY;
    if (status != STEEP_OK) steep_fail(error, status, "no memory for the units' curves");
    FILE *file = NULL;
    if (status == STEEP_OK) status = steep_table_begin(path, &file, error);
    if (file) {
        put_units(file, saved, count, x, h);
        status = steep_table_commit(file, path, error);
    }
    free(x);
    free(h);
    return status;
}

steep_status steep_save_gates(const steep_saved *saved, const char *path, steep_error *error)
{
    const steep_network first = steep_network_layer(saved->network, 0), *network = &first;
    const steep_standard standard = standard_of(saved);
    const double *low, *high;
    FILE *file;
    steep_status status = steep_table_begin(path, &file, error);
    if (status != STEEP_OK) return status;
    steep_save_box(saved, &low, &high);
    fputs("knot,sign\n", file);
    for (size_t i = 0; network->features[0] == 2 && i < network->width; i++) {
        const double *gate = saved->result->theta + steep_network_gate(network, i);
        double knot = -gate[1] / gate[0];
        if (standard.dim > 0) knot = standard.x_mean[0] + standard.x_scale[0] * knot;
        if (knot > low[0] && knot < high[0]) fprintf(file, "%.17g,%d\n", knot, gate[0] > 0 ? 1 : -1);
    }
    return steep_table_commit(file, path, error);
}
