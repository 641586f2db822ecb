/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steep predict: a saved network at points of a CSV file or on a grid. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "cli/cli.h"
#include "model/stored.h"

typedef struct record {
    const char *data, *out;
    size_t grid;
    bool gradient;
} record;

static const steep_option table[] = {
    {"data", STEEP_OPTION_TEXT, offsetof(record, data), "FILE", NULL, 0, 0, NULL,
     "points: CSV with columns x (or x1, x2 ...); other columns are not looked at", false},
    {"grid", STEEP_OPTION_SIZE, offsetof(record, grid), "N", "0", 0, 1e8, NULL,
     "N equispaced points in each coordinate of the box that the network was fitted on", false},
    {"gradient", STEEP_OPTION_FLAG, offsetof(record, gradient), NULL, NULL, 0, 0, NULL,
     "columns d1, d2 ... too: the derivatives in x1, x2 ...", false},
    {"out", STEEP_OPTION_TEXT, offsetof(record, out), "FILE", NULL, 0, 0, NULL, "CSV file (default: standard output)",
     false},
    {.name = NULL},
};

static const char *const examples[] = {
    "steep predict results/points/parameters.json --grid 1001 --gradient",
    "steep predict results/points/parameters.json --data new.csv --out predicted.csv",
    NULL,
};

#define MOST_POINTS 100000000

/* The coordinates of a file into x (column-major). */
static steep_status read_points(const char *path, size_t dim, size_t *count, double **x, steep_error *error)
{
    steep_table points;
    steep_status status = steep_table_read(path, &points, error);
    if (status != STEEP_OK) return status;
    size_t rows = *count = points.rows + points.tail;
    *x = malloc((rows * dim + 1) * sizeof **x);
    if (!*x) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu points", rows);
    for (size_t j = 0; status == STEEP_OK && j < dim; j++) {
        char name[24];
        const char letter[2] = {j < 3 ? "xyz"[j] : '\0', '\0'};
        snprintf(name, sizeof name, "x%zu", j + 1);
        size_t column = steep_table_column(&points, name);
        if (column == points.columns && *letter) column = steep_table_column(&points, letter);
        if (column == points.columns)
            status =
                steep_fail(error, STEEP_BAD_INPUT, "%s: no column %s, and the network is in %zuD", path, name, dim);
        for (size_t k = 0; status == STEEP_OK && k < rows; k++)
            status = steep_table_number(&points, k, column, *x + j * rows + k, error);
    }
    steep_table_free(&points);
    return status;
}

static steep_status make_grid(const steep_stored *stored, size_t side, size_t *count, double **x, steep_error *error)
{
    size_t dim = stored->network.dim, total = 1;
    for (size_t j = 0; j < dim; j++) {
        if (!(stored->low[j] < stored->high[j]))
            return steep_fail(error, STEEP_BAD_INPUT, "the network's file has no domain: give its points by --data");
        if (total > MOST_POINTS / side)
            return steep_fail(error, STEEP_BAD_INPUT, "--grid %zu: more than %d points in %zuD", side, MOST_POINTS,
                              dim);
        total *= side;
    }
    *count = total;
    *x = malloc(total * dim * sizeof **x);
    if (!*x) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu points", total);
    for (size_t j = 0, before = 1; j < dim; j++, before *= side)
        for (size_t k = 0; k < total; k++) {
            double part = side > 1 ? (double)(k / before % side) / (double)(side - 1) : 0.5;
            (*x)[j * total + k] = stored->low[j] + part * (stored->high[j] - stored->low[j]);
        }
    return STEEP_OK;
}

static void put(FILE *file, size_t dim, size_t count, const double *x, const double *y, const double *gradient)
{
    for (size_t j = 0; j < dim; j++) fprintf(file, dim == 1 ? "x" : "x%zu,", j + 1);
    fprintf(file, "%snetwork", dim == 1 ? "," : "");
    for (size_t j = 0; gradient && j < dim; j++) fprintf(file, ",d%zu", j + 1);
    for (size_t k = 0; k < count; k++) {
        fputc('\n', file);
        for (size_t j = 0; j < dim; j++) fprintf(file, "%.17g,", x[j * count + k]);
        fprintf(file, "%.17g", y[k]);
        for (size_t j = 0; gradient && j < dim; j++) fprintf(file, ",%.17g", gradient[j * count + k]);
    }
    fputc('\n', file);
}

static steep_status predict(const char *path, const record *r, steep_error *error)
{
    steep_stored stored;
    double *x = NULL, *y = NULL, *gradient = NULL;
    size_t count = 0;
    if (!r->data == !r->grid)
        return steep_fail(error, STEEP_BAD_INPUT, "give the points, by --data FILE or by --grid N, one of the two");
    steep_status status = steep_stored_read(path, NULL, 0, &stored, error);
    if (status != STEEP_OK) return status;
    size_t dim = stored.network.dim;
    status = r->data ? read_points(r->data, dim, &count, &x, error) : make_grid(&stored, r->grid, &count, &x, error);
    if (status == STEEP_OK) {
        y = malloc((count + 1) * sizeof *y);
        if (r->gradient) gradient = malloc((count * dim + 1) * sizeof *gradient);
        if (!y || (r->gradient && !gradient))
            status = STEEP_NO_MEMORY;
        else if (gradient)
            status = steep_network_input_gradient(&stored.network, stored.theta, count, x, y, gradient);
        else
            status = steep_network_values(&stored.network, stored.theta, count, x, y);
        if (status < 0) steep_fail(error, status, "no memory for %zu points", count);
    }
    if (status == STEEP_OK && r->out) {
        FILE *file = steep_table_begin(r->out, error);
        if (file) put(file, dim, count, x, y, gradient);
        status = file ? steep_table_commit(file, r->out, error) : STEEP_IO;
    } else if (status == STEEP_OK)
        put(stdout, dim, count, x, y, gradient);
    free(x);
    free(y);
    free(gradient);
    steep_stored_free(&stored);
    return status;
}

const steep_option *steep_cli_predict_tables(size_t index)
{
    return index == 0 ? table : NULL;
}

int steep_command_predict(int argc, char **argv)
{
    record r;
    steep_error error = {{0}};
    bool help = false;
    size_t words = 0;
    const char **word = calloc((size_t)argc + 1, sizeof *word);
    steep_status status = steep_options_default(table, &r, &error);
    if (status == STEEP_OK && word) status = steep_options_parse(table, &r, argc, argv, &help, word, &words, &error);
    if (status == STEEP_OK && help) {
        steep_cli_help(
            "steep predict NETWORK.json [OPTIONS]",
            "Values, and derivatives in x, of a network that steep fit --out saved (parameters.json), at the\n"
            "points of a CSV file or on a grid, as CSV.",
            table, examples);
        free(word);
        return 0;
    }
    if (status == STEEP_OK && words != 1)
        status =
            steep_fail(&error, STEEP_BAD_INPUT, "predict takes one network: steep predict parameters.json --grid 101");
    if (status == STEEP_OK) status = predict(word[0], &r, &error);
    free(word);
    return status == STEEP_OK ? 0 : steep_cli_fail(status, &error);
}
