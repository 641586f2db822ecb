/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/table.h"

#define MOST_GAUSS  64
#define MOST_POINTS 100000000 /* 1e8: beyond it, memory and patience end */

const char *steep_sampling_names(size_t index)
{
    static const char *const names[] = {"random", "grid", "gauss"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

void steep_gauss_legendre(size_t points, long double *node, long double *weight)
{
    /* Newton's method on P_n from Tricomi's approximation; converges to the last bit in a few steps. */
    const long double pi = 3.14159265358979323846264338327950288L;
    for (size_t i = 0; i < points; i++) {
        long double n = (long double)points, x = -cosl(pi * ((long double)i + 0.75L) / (n + 0.5L)), slope = 1;
        for (int step = 0; step < 8; step++) {
            long double p0 = 1, p1 = x;
            for (size_t k = 2; k <= points; k++) {
                long double p2 = ((2 * (long double)k - 1) * x * p1 - ((long double)k - 1) * p0) / (long double)k;
                p0 = p1;
                p1 = p2;
            }
            slope = n * (x * p1 - p0) / (x * x - 1);
            x -= p1 / slope;
        }
        node[i] = x;
        weight[i] = 2 / ((1 - x * x) * slope * slope);
    }
}

static steep_status allocate(size_t count, size_t dim, bool weighted, steep_samples *samples, steep_error *error)
{
    memset(samples, 0, sizeof *samples);
    if (dim < 1 || count < 1 || count > (size_t)MOST_POINTS << dim) /* a grid may go over by rounding its side up */
        return steep_fail(error, STEEP_BAD_INPUT, "%zu samples: 1 to %.0e would be right", count, (double)MOST_POINTS);
    samples->count = count;
    samples->dim = dim;
    samples->x = malloc(count * dim * sizeof(double));
    samples->y = malloc(count * sizeof(double));
    samples->weight = weighted ? malloc(count * sizeof(double)) : NULL;
    if (samples->x && samples->y && (samples->weight || !weighted)) return STEEP_OK;
    steep_samples_free(samples);
    return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu samples", count);
}

void steep_samples_free(steep_samples *samples)
{
    free(samples->x);
    free(samples->y);
    free(samples->weight);
    memset(samples, 0, sizeof *samples);
}

typedef struct place {
    double x[STEEP_MAX_DIM]; /* 0 beyond the dimension */
} place;

static int compare_places(const void *a, const void *b)
{
    const place *u = a, *v = b;
    for (size_t j = 0; j < STEEP_MAX_DIM; j++)
        if (u->x[j] != v->x[j]) return u->x[j] < v->x[j] ? -1 : 1;
    return 0;
}

steep_status steep_samples_distinct(const steep_samples *samples, size_t *distinct, steep_error *error)
{
    size_t count = samples->count, apart = count > 0;
    if (samples->dim == 1) {
        for (size_t k = 1; k < count; k++) apart += samples->x[k] != samples->x[k - 1];
        *distinct = apart;
        return STEEP_OK;
    }
    place *places = calloc(count, sizeof *places);
    if (count > 0 && !places) return steep_fail(error, STEEP_NO_MEMORY, "no memory to compare %zu points", count);
    for (size_t j = 0; j < samples->dim; j++)
        for (size_t k = 0; k < count; k++) places[k].x[j] = samples->x[j * count + k];
    if (count > 0) qsort(places, count, sizeof *places, compare_places);
    for (size_t k = 1; k < count; k++) apart += compare_places(places + k, places + k - 1) != 0;
    free(places);
    *distinct = apart;
    return STEEP_OK;
}

/* Box and values from the target; refuses values that are not finite. */
static steep_status fill_values(const steep_target *target, steep_samples *samples, steep_error *error)
{
    memcpy(samples->low, target->low, sizeof samples->low);
    memcpy(samples->high, target->high, sizeof samples->high);
    for (size_t k = 0; k < samples->count; k++) {
        long double x[STEEP_MAX_DIM];
        for (size_t j = 0; j < samples->dim; j++) x[j] = samples->x[j * samples->count + k];
        const double y = samples->y[k] = (double)steep_formula_reference(target->formula, x);
        if (!isfinite(y)) {
            char where[320];
            steep_target_point(samples->dim, x, where, sizeof where);
            steep_samples_free(samples);
            return steep_fail(error, STEEP_BAD_INPUT,
                              "'%.100s' is %g at %s: a target that is finite on its domain would be right",
                              target->name, y, where);
        }
    }
    return STEEP_OK;
}

static int compare_doubles(const void *a, const void *b)
{
    double u = *(const double *)a, v = *(const double *)b;
    return u < v ? -1 : u > v;
}

steep_status steep_samples_random(const steep_target *target, size_t count, uint64_t seed, steep_samples *samples,
                                  steep_error *error)
{
    steep_status status = allocate(count, target->dim, false, samples, error);
    if (status < 0) return status;
    steep_random random = steep_random_start(seed, STEEP_STREAM_SAMPLES);
    for (size_t k = 0; k < count; k++)
        for (size_t j = 0; j < target->dim; j++)
            samples->x[j * count + k] =
                target->low[j] + (target->high[j] - target->low[j]) * steep_random_uniform(&random);
    if (target->dim == 1) qsort(samples->x, count, sizeof *samples->x, compare_doubles);
    return fill_values(target, samples, error);
}

/* The smallest side with side^dim >= count (1 <= count <= MOST_POINTS), and that power. */
static size_t smallest_side(size_t count, size_t dim, size_t *total)
{
    size_t side = (size_t)pow((double)count, 1 / (double)dim);
    for (side = side > 2 ? side - 1 : 1;; side++) {
        *total = 1;
        for (size_t j = 0; j < dim; j++) *total *= side; /* at most (side + 1)^dim, 2^9 times count */
        if (*total >= count) return side;
    }
}

steep_status steep_samples_grid(const steep_target *target, size_t count, steep_samples *samples, steep_error *error)
{
    memset(samples, 0, sizeof *samples);
    if (count < 2 || count > MOST_POINTS)
        return steep_fail(error, STEEP_BAD_INPUT, "a grid of %zu points: 2 to %.0e would be right", count,
                          (double)MOST_POINTS);
    size_t total = 0, side = smallest_side(count, target->dim, &total);
    steep_status status = allocate(total, target->dim, false, samples, error);
    if (status < 0) return status;
    for (size_t k = 0; k < total; k++)
        for (size_t j = 0, rest = k; j < target->dim; j++, rest /= side) {
            double i = (double)(rest % side), last = (double)(side - 1);
            samples->x[j * total + k] = ((last - i) * target->low[j] + i * target->high[j]) / last;
        }
    return fill_values(target, samples, error);
}

/* Cells of positive length among knots[0..cells], which must be finite and ascending. */
static steep_status count_cells(size_t cells, const double *knots, size_t *used, steep_error *error)
{
    *used = 0;
    for (size_t i = 0; i < cells; i++) {
        if (!(knots[i] <= knots[i + 1]) || !isfinite(knots[i]) || !isfinite(knots[i + 1]))
            return steep_fail(error, STEEP_BAD_INPUT,
                              "knots %zu and %zu are %g and %g: finite and ascending would be right", i, i + 1,
                              knots[i], knots[i + 1]);
        *used += knots[i + 1] > knots[i];
    }
    return *used ? STEEP_OK
                 : steep_fail(error, STEEP_BAD_INPUT, "%zu cells, none longer than 0: one would be right", cells);
}

steep_status steep_samples_gauss(const steep_target *target, size_t cells, const double *knots, size_t points,
                                 steep_samples *samples, steep_error *error)
{
    long double node[MOST_GAUSS], weight[MOST_GAUSS];
    size_t used = 0, at = 0;
    memset(samples, 0, sizeof *samples);
    if (target->dim != 1 || points < 1 || points > MOST_GAUSS || cells < 1 || cells > MOST_POINTS / MOST_GAUSS)
        return steep_fail(
            error, STEEP_BAD_INPUT,
            "%zu Gauss points in each of %zu cells in %zuD: 1 to %d points, a cell or more and 1D would be right",
            points, cells, target->dim, MOST_GAUSS);
    steep_status status = count_cells(cells, knots, &used, error);
    if (status == STEEP_OK) status = allocate(used * points, 1, true, samples, error);
    if (status < 0) return status;
    steep_gauss_legendre(points, node, weight);
    const long double length = (long double)knots[cells] - knots[0];
    for (size_t i = 0; i < cells; i++) {
        const long double h = (long double)knots[i + 1] - knots[i];
        for (size_t k = 0; h > 0 && k < points; k++, at++) {
            samples->x[at] = (double)(knots[i] + h * (1 + node[k]) / 2);
            samples->weight[at] = (double)(h / length * weight[k] / 2);
        }
    }
    status = fill_values(target, samples, error);
    samples->low[0] = status < 0 ? 0 : knots[0];
    samples->high[0] = status < 0 ? 0 : knots[cells];
    return status;
}

steep_status steep_samples_gauss_box(const steep_target *target, size_t side, steep_samples *samples,
                                     steep_error *error)
{
    long double node[MOST_GAUSS], weight[MOST_GAUSS];
    size_t total = 1;
    memset(samples, 0, sizeof *samples);
    for (size_t j = 0; j < target->dim && side <= MOST_GAUSS; j++) total = total > MOST_POINTS ? total : total * side;
    if (side < 1 || side > MOST_GAUSS || total > MOST_POINTS)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%zu Gauss points a side in %zuD: 1 to %d and at most %.0e in all would be right", side,
                          target->dim, MOST_GAUSS, (double)MOST_POINTS);
    steep_status status = allocate(total, target->dim, true, samples, error);
    if (status < 0) return status;
    steep_gauss_legendre(side, node, weight);
    for (size_t k = 0; k < total; k++) {
        long double product = 1;
        for (size_t j = 0, rest = k; j < target->dim; j++, rest /= side) {
            const long double low = target->low[j], high = target->high[j], s = (1 + node[rest % side]) / 2;
            samples->x[j * total + k] = (double)(low + (high - low) * s);
            product *= weight[rest % side] / 2;
        }
        samples->weight[k] = (double)product;
    }
    return fill_values(target, samples, error);
}

/* --- points from a file --- */

/* The last column that is named like a value. */
static size_t find_value(const steep_table *table)
{
    static const char *const names[] = {"y", "f", "value"};
    for (size_t c = table->columns; c-- > 0;)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strcmp(table->header[c], names[i]) == 0) return c;
    return table->columns;
}

/* Which columns hold the coordinates (x1, x2, ... or x, y, z) and the value. */
static steep_status find_columns(const steep_table *table, size_t *x, size_t *y, size_t *dim, steep_error *error)
{
    static const char *const numbered[] = {"x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9"};
    static const char *const lettered[] = {"x", "y", "z"};
    const bool letters = steep_table_column(table, "x1") == table->columns;
    const char *const *name = letters ? lettered : numbered;
    size_t last = 0;
    *y = find_value(table);
    *dim = 0;
    for (size_t j = 0; j < (letters ? 3 : STEEP_MAX_DIM); j++) {
        x[j] = steep_table_column(table, name[j]);
        if (x[j] < table->columns && x[j] != *y)
            last = j + 1;
        else
            x[j] = table->columns;
        *dim += x[j] < table->columns;
    }
    if (*dim == 0 || *y == table->columns)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%s: no column %s in its header: columns x (or x1, x2, ...) and y would be right",
                          table->path, *dim == 0 ? "x" : "y");
    if (letters && last == 3 && strcmp(table->header[*y], "y") == 0)
        return steep_fail(error, STEEP_BAD_INPUT, "%s: which of y and z is the value? Calling it f would be right",
                          table->path);
    for (size_t j = 0; *dim < last && j < last; j++)
        if (x[j] == table->columns)
            return steep_fail(error, STEEP_BAD_INPUT,
                              "%s: a column %s in its header, but none named %s: both would be right", table->path,
                              name[last - 1], name[j]);
    return STEEP_OK;
}

typedef struct point {
    double x, y;
} point;

static int compare_points(const void *a, const void *b)
{
    const point *u = a, *v = b;
    if (u->x != v->x) return u->x < v->x ? -1 : 1;
    return u->y < v->y ? -1 : u->y > v->y;
}

static steep_status sort_line(steep_samples *samples, steep_error *error)
{
    point *points = malloc(samples->count * sizeof *points);
    if (!points) return steep_fail(error, STEEP_NO_MEMORY, "no memory to sort %zu points", samples->count);
    for (size_t k = 0; k < samples->count; k++) points[k] = (point){samples->x[k], samples->y[k]};
    qsort(points, samples->count, sizeof *points, compare_points);
    for (size_t k = 0; k < samples->count; k++) {
        samples->x[k] = points[k].x;
        samples->y[k] = points[k].y;
    }
    free(points);
    return STEEP_OK;
}

static steep_status copy_points(const steep_table *table, steep_samples *samples, steep_error *error)
{
    size_t x[STEEP_MAX_DIM], y, dim;
    steep_status status = find_columns(table, x, &y, &dim, error);
    if (status == STEEP_OK && table->rows < 2)
        status =
            steep_fail(error, STEEP_BAD_INPUT, "%s: %zu points: at least 2 would be right", table->path, table->rows);
    if (status == STEEP_OK) status = allocate(table->rows, dim, false, samples, error);
    for (size_t k = 0; status == STEEP_OK && k < table->rows; k++) {
        for (size_t j = 0; j < dim && status == STEEP_OK; j++)
            status = steep_table_number(table, k, x[j], &samples->x[j * table->rows + k], error);
        if (status == STEEP_OK) status = steep_table_number(table, k, y, &samples->y[k], error);
    }
    for (size_t j = 0; status == STEEP_OK && j < dim; j++) {
        const double *column = samples->x + j * samples->count;
        samples->low[j] = samples->high[j] = column[0];
        for (size_t k = 1; k < samples->count; k++) {
            samples->low[j] = fmin(samples->low[j], column[k]);
            samples->high[j] = fmax(samples->high[j], column[k]);
        }
        if (!(samples->low[j] < samples->high[j]))
            status = steep_fail(error, STEEP_BAD_INPUT,
                                "%s: every point has the same %s = %g: points that differ would be right", table->path,
                                table->header[x[j]], column[0]);
    }
    if (status == STEEP_OK && dim == 1) status = sort_line(samples, error);
    if (status < 0) steep_samples_free(samples);
    return status;
}

steep_status steep_samples_read(const char *path, steep_samples *samples, steep_error *error)
{
    steep_table table;
    memset(samples, 0, sizeof *samples);
    steep_status status = steep_table_read(path, &table, error);
    if (status < 0) return status;
    if (table.torn && !table.tail)
        status = steep_fail(error, STEEP_BAD_INPUT,
                            "%s: its last line is cut short: as many fields as the header has would be right", path);
    table.rows += table.tail; /* only the newline is missing, as some editors leave it */
    if (status == STEEP_OK) status = copy_points(&table, samples, error);
    steep_table_free(&table);
    return status;
}
