/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/save.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "model/stored.h"
#include "model/written.h"

#define UNIT_NUMBERS 160000 /* about as many numbers in units.csv */

/* --- parameters.json --- */

static json_t *array(const double *value, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, json_real(value[i]));
    return list;
}

/* rows lists of columns numbers each. */
static json_t *matrix(const double *value, size_t rows, size_t columns)
{
    json_t *list = json_array();
    for (size_t i = 0; i < rows; i++) json_array_append_new(list, array(value + i * columns, columns));
    return list;
}

/* One block of theta: where it stands, its shape, its numbers. */
static void add_block(json_t *blocks, const char *name, const double *theta, size_t offset, size_t rows, size_t columns)
{
    if (rows * columns == 0) return;
    json_array_append_new(blocks, json_pack("{s:s, s:I, s:[I, I], s:o}", "name", name, "offset", (json_int_t)offset,
                                            "shape", (json_int_t)rows, (json_int_t)columns, "values",
                                            matrix(theta + offset, rows, columns)));
}

static json_t *blocks_of(const steep_network *network, const double *theta)
{
    static const char *const map[] = {"affine", "linear", "squares", "quadratic"};
    json_t *blocks = json_array();
    char name[32];
    for (size_t b = 0; b < network->counts.branches; b++) {
        snprintf(name, sizeof name, "branch %zu, %s", b + 1, map[network->counts.map[b]]);
        add_block(blocks, name, theta, network->branch[b], network->width, network->features[b]);
    }
    add_block(blocks, "scalars", theta, network->scalars, network->width, network->counts.scalars);
    add_block(blocks, "shared maps", theta, network->shared_maps, network->counts.shared_maps, network->dim + 1);
    add_block(blocks, "shared scalars", theta, network->shared_scalars, 1, network->counts.shared_scalars);
    add_block(blocks, "output", theta, network->output, network->width, 1);
    add_block(blocks, "bias", theta, network->bias, 1, 1);
    return blocks;
}

/* JSON has no NaN. */
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* The box of the target or of its points: a pair for each coordinate. */
static json_t *box_of(const steep_saved *saved)
{
    const steep_plan_target *target = &saved->plan->target[saved->task->target];
    const double *low = target->formula ? target->formula->low : saved->plan->data->low,
                 *high = target->formula ? target->formula->high : saved->plan->data->high;
    json_t *list = json_array();
    for (size_t j = 0; j < target->dim; j++) json_array_append_new(list, json_pack("[f, f]", low[j], high[j]));
    return list;
}

static json_t *describe(const steep_saved *saved)
{
    const steep_variant *variant = &saved->plan->variant[saved->task->variant];
    const steep_network *network = saved->network;
    const steep_fit_result *result = saved->result;
    const steep_architecture *row = variant->architecture;
    json_t *choice = json_object();
    if (row->uses_activation) json_object_set_new(choice, "activation", json_string(variant->activation));
    if (row->uses_dictionary) json_object_set_new(choice, "dictionary", json_string(variant->activation));
    if (row->uses_gate) json_object_set_new(choice, "gate", json_string(steep_gate_name(variant->choice.gate)));
    if (row->uses_degree) json_object_set_new(choice, "degree", json_integer(variant->choice.degree));
    return json_pack("{s:i, s:s, s:s, s:s*, s:o, s:o, s:s, s:I, s:I, s:I, s:I, s:{s:s, s:s, s:o, s:o, s:o, s:o, s:o}, s:s, s:o}",
                     "format", STEEP_STORED_FORMAT, "architecture", row->name, "unit", row->formula, "written",
                     row->written ? row->written->text : NULL, "choice", choice, "domain", box_of(saved), "target",
                     saved->plan->target[saved->task->target].name, "dim", (json_int_t)network->dim, "width",
                     (json_int_t)network->width, "params", (json_int_t)network->parameters, "seed",
                     (json_int_t)result->seed, "result", "status", steep_status_name(result->status), "reason",
                     result->reason, "rmse_train", number(result->rmse_train), "rmse_test", number(result->rmse_test),
                     "max_error", number(result->max_error), "floor", number(result->floor), "gradient_norm",
                     number(result->gradient_norm), "layout",
                     "y(x) = d + sum_i D_i h_i(x); theta is the blocks one after the other, a row per unit", "blocks",
                     blocks_of(network, result->theta));
}

steep_status steep_save_parameters(const steep_saved *saved, const char *path, steep_error *error)
{
    json_t *all = describe(saved);
    if (!all) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %s", path);
    FILE *file = steep_table_begin(path, error);
    steep_status status = STEEP_IO;
    if (file) {
        if (json_dumpf(all, file, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) == 0) fputc('\n', file);
        status = steep_table_commit(file, path, error);
    }
    json_decref(all);
    return status;
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
