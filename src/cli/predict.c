/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steep predict: a saved network at points of a CSV file or on a grid. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/block.h"
#include "cli/cli.h"
#include "data/columns.h"
#include "data/points.h"

typedef struct record {
    const char *data, *x, *y, *out;
    size_t grid;
    bool gradient;
    const char *format;
} record;

#define AT(field) offsetof(record, field)

static const steep_option table[] = {
    TEXT("data", data, "FILE", NULL,
         "points: CSV, separated by commas, semicolons or tabs; columns that are not named are not looked at", FREE),
    TEXT("x", x, "NAMES", NULL,
         "columns of the coordinates, a,b (default: those the network was fitted on, or x1, x2 ..., or x, y, z)", FREE),
    TEXT("y", y, "NAME", NULL,
         "column of measured values: columns y and residual (network - y) too, and the RMSE on standard error", FREE),
    SIZE("grid", grid, "0", 0, 1e8, "N equispaced points in each coordinate of the box that the network was fitted on",
         FREE),
    FLAG("gradient", gradient, "columns d1, d2 ... too: the derivatives in each coordinate", FREE),
    TEXT("out", out, "FILE", NULL, "file (default: standard output)", FREE),
    CHOICE("format", format, "csv", steep_format_names, "of what is written", FREE),
    {.name = NULL},
};

#define MOST_POINTS 100000000

/* points.train: points and measured values; y, gradient: of the network; names of coordinates, NULL: x1, x2 ... */
typedef struct prediction {
    steep_stored stored;
    steep_points points;
    double *y, *gradient;
    const char *const *names;
} prediction;

/* Reads the points: from the columns of --x, else those of the fit's file, else those with the usual names. */
static steep_status read_points(const record *r, prediction *p, steep_error *error)
{
    char **names = NULL;
    const size_t dim = p->stored.network.dim;
    size_t named = dim;
    steep_status status = r->x ? steep_columns_names(r->x, &names, &named, error) : STEEP_OK;
    const char *const *wanted = (const char *const *)(r->x ? names : p->stored.x);
    if (status == STEEP_OK && named != dim)
        status = steep_fail(error, STEEP_BAD_INPUT, "--x '%.80s' names %zu columns and the network has %zu coordinates",
                            r->x, named, dim);
    if (status == STEEP_OK) status = steep_points_read_inputs(r->data, wanted, dim, r->y, &p->points, error);
    free(names);
    if (wanted) p->names = (const char *const *)p->points.x;
    return status;
}

static steep_status make_grid(size_t side, prediction *p, steep_error *error)
{
    const steep_stored *stored = &p->stored;
    const size_t dim = stored->network.dim;
    size_t total = 1;
    for (size_t j = 0; j < dim; j++) {
        if (!(stored->low[j] < stored->high[j]))
            return steep_fail(error, STEEP_BAD_INPUT, "the network's file has no domain: give its points by --data");
        if (total > MOST_POINTS / side)
            return steep_fail(error, STEEP_BAD_INPUT, "--grid %zu: more than %d points in %zuD: give points by --data",
                              side, MOST_POINTS, dim);
        total *= side;
    }
    double *const x = malloc((total * dim + 1) * sizeof *x);
    if (!x) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu points", total);
    p->points.train = (steep_samples){.count = total, .dim = dim, .x = x};
    p->names = (const char *const *)stored->x; /* so that the output can be read as points of this network */
    for (size_t j = 0, before = 1; j < dim; j++, before *= side)
        for (size_t k = 0; k < total; k++) {
            double part = side > 1 ? (double)(k / before % side) / (double)(side - 1) : 0.5;
            x[j * total + k] = stored->low[j] + part * (stored->high[j] - stored->low[j]);
        }
    return STEEP_OK;
}

/* Lists the columns: coordinates, measured values, network, residuals, derivatives. Returns their number. value: the
 * numbers of each, NULL for residuals. name: memory for names. A coordinate that has another column's name gets x_. */
static size_t find_columns(const prediction *p, steep_sheet_column *column, const double **value, char (*name)[128])
{
    const steep_samples *at = &p->points.train;
    const size_t dim = at->dim;
    size_t count = 0;
    for (size_t j = 0; j < dim; j++, count++) {
        if (dim == 1) snprintf(name[count], sizeof *name, "x");
        else snprintf(name[count], sizeof *name, "x%zu", j + 1);
        column[count].key = p->names ? p->names[j] : name[count];
        value[count] = at->x + j * at->count;
    }
    if (at->y) value[count] = at->y, column[count++].key = "y";
    value[count] = p->y, column[count++].key = "network";
    if (at->y) column[count++].key = "residual";
    for (size_t j = 0; p->gradient && j < dim; j++, count++) {
        snprintf(name[count], sizeof *name, "d%zu", j + 1);
        column[count].key = name[count];
        value[count] = p->gradient + j * at->count;
    }
    for (size_t j = 0; j < dim; j++)
        for (size_t c = 0; c < count; c++) {
            if (c == j || strcmp(column[j].key, column[c].key) != 0) continue;
            snprintf(name[j], sizeof *name, "x_%s", column[c].key);
            column[j].key = name[j];
            c = SIZE_MAX; /* from the first column on */
        }
    for (size_t c = 0; c < count; c++)
        column[c] = (steep_sheet_column){column[c].key, NULL, column[c].key, STEEP_SHEET_REAL, "%.17g", 2, 24};
    return count;
}

static steep_status put(FILE *file, const char *format, const prediction *p, steep_error *error)
{
    const steep_samples *at = &p->points.train;
    const size_t most = 2 * at->dim + 3;
    steep_sheet_column *column;
    steep_cell *cell;
    const double **value;
    char(*name)[128];
    void *block = STEEP_BLOCK(STEEP_SHARE(column, most), STEEP_SHARE(cell, most), STEEP_SHARE(value, most),
                              STEEP_SHARE(name, most));
    if (!block) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu columns", most);
    steep_sheet sheet;
    const size_t columns = find_columns(p, column, value, name);
    const steep_sheet_layout layout = {.name = "values", .column = column, .columns = columns};
    steep_sheet_open(&sheet, file, (steep_style){.format = steep_format_find(format)}, "predict");
    steep_sheet_begin(&sheet, &layout, NULL);
    for (size_t k = 0; k < at->count; k++) {
        for (size_t c = 0; c < columns; c++) cell[c] = steep_cell_real(value[c] ? value[c][k] : p->y[k] - at->y[k]);
        steep_sheet_row(&sheet, cell);
    }
    const steep_status status = steep_cli_close(&sheet, STEEP_OK, error);
    free(block);
    return status;
}

static void put_error(const prediction *p)
{
    const steep_samples *at = &p->points.train;
    long double sum = 0;
    for (size_t k = 0; k < at->count; k++) sum += ((long double)p->y[k] - at->y[k]) * (p->y[k] - at->y[k]);
    if (at->count > 0) fprintf(stderr, "RMSE %.6Le on %zu points\n", sqrtl(sum / (long double)at->count), at->count);
}

static steep_status evaluate(bool with_gradient, prediction *p, steep_error *error)
{
    const steep_samples *at = &p->points.train;
    steep_status status = STEEP_NO_MEMORY;
    p->y = malloc((at->count + 1) * sizeof *p->y);
    if (with_gradient) p->gradient = malloc((at->count * at->dim + 1) * sizeof *p->gradient);
    if (p->y && (p->gradient || !with_gradient))
        status = steep_stored_values(&p->stored, at->count, at->x, p->y, p->gradient);
    return status == STEEP_OK ? status : steep_fail(error, status, "no memory for %zu points", at->count);
}

/* Refuses an --out that is also a file to be read, which would be lost. */
static steep_status check_out(const char *out, const char *read, const char *what, steep_error *error)
{
    struct stat a, b;
    if (!out || !read || stat(out, &a) != 0 || stat(read, &b) != 0 || !S_ISREG(a.st_mode) || a.st_dev != b.st_dev ||
        a.st_ino != b.st_ino)
        return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT, "--out %s: this is the file of the %s: name another file", out, what);
}

static steep_status write_out(const record *r, const prediction *p, steep_error *error)
{
    FILE *file;
    if (!r->out) return put(stdout, r->format, p, error);
    steep_cli_guard(r->out);
    steep_status status = steep_named_begin(r->out, &file, error);
    if (status != STEEP_OK) return status;
    return steep_table_end(file, r->out, put(file, r->format, p, error), error);
}

static steep_status predict(void *record_of, const steep_command_line *line, steep_error *error)
{
    const record *r = record_of;
    prediction p = {.y = NULL};
    if (!r->data == !r->grid)
        return steep_fail(error, STEEP_BAD_INPUT, "give the points, by --data FILE or by --grid N, one of the two");
    if (!r->data && (r->x || r->y))
        return steep_fail(error, STEEP_BAD_INPUT, "--%s names a column of --data and there is none: leave it out",
                          r->x ? "x" : "y");
    char file[PATH_MAX];
    steep_status status = steep_cli_network(line->word[0], file, error);
    if (status == STEEP_OK) status = check_out(r->out, file, "network", error);
    if (status == STEEP_OK) status = check_out(r->out, r->data, "points", error);
    if (status == STEEP_OK) status = steep_input_status(steep_stored_read(file, &p.stored, error));
    if (status != STEEP_OK) return status;
    status = steep_input_status(r->data ? read_points(r, &p, error) : make_grid(r->grid, &p, error));
    if (status == STEEP_OK) status = evaluate(r->gradient, &p, error);
    if (status == STEEP_OK) status = write_out(r, &p, error);
    if (status == STEEP_OK && p.points.train.y) put_error(&p);
    steep_stored_free(&p.stored);
    steep_points_free(&p.points);
    free(p.y);
    free(p.gradient);
    return status;
}

const steep_command steep_command_predict = {
    .name = "predict",
    .what = "values and derivatives of a saved network at points of a CSV or on a grid",
    .usage = "steep predict NETWORK.json|DIR [OPTIONS]",
    .about = "Values, and derivatives in x, of a network that steep fit --out saved (parameters.json, or its folder), "
             "at the\npoints of a CSV file or on a grid.",
    .examples = "  steep predict results/points/parameters.json --grid 1001 --gradient\n"
                "  steep predict results/points/parameters.json --data new.csv --x width,height --out predicted.csv\n",
    .size = sizeof(record),
    .table = table,
    .work = predict,
    .most_words = 1,
    .words_error = "predict takes one network: steep predict parameters.json --grid 101",
};
