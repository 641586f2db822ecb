/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "data/box.h"
#include "numerics/quadrature.h"
#include "numerics/sort.h"

#define MOST_POINTS 100000000 /* 1e8: beyond it, memory and patience end */
#define MOST_MADE   200000000 /* a grid may go over by rounding its side up */

const char *steep_sampling_names(size_t index)
{
    static const char *const names[] = {"random", "grid", "gauss"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

steep_status steep_samples_allocate(size_t count, size_t dim, bool weighted, steep_samples *samples, steep_error *error)
{
    memset(samples, 0, sizeof *samples);
    if (dim < 1 || count < 1 || count > MOST_MADE)
        return steep_fail(error, STEEP_BAD_INPUT, "%zu samples: use 1 to %.0e", count, (double)MOST_POINTS);
    samples->count = count;
    samples->dim = dim;
    if (dim <= SIZE_MAX / sizeof(double) / count) samples->x = malloc(count * dim * sizeof(double));
    samples->y = malloc(count * sizeof(double));
    samples->weight = weighted ? malloc(count * sizeof(double)) : NULL;
    samples->low = calloc(dim, sizeof(double));
    samples->high = calloc(dim, sizeof(double));
    if (samples->x && samples->y && (samples->weight || !weighted) && samples->low && samples->high) return STEEP_OK;
    steep_samples_free(samples);
    return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu samples in %zuD", count, dim);
}

void steep_samples_free(steep_samples *samples)
{
    free(samples->x);
    free(samples->y);
    free(samples->weight);
    free(samples->low);
    free(samples->high);
    memset(samples, 0, sizeof *samples);
}

/* A point of a set, for comparisons: coordinate j at x[j * stride]; row: which one. */
typedef struct place {
    const double *x;
    size_t dim, stride, row;
} place;

static int compare_places(const place *u, const place *v)
{
    for (size_t j = 0, at = 0; j < u->dim; j++, at += u->stride)
        if (u->x[at] != v->x[at]) return u->x[at] < v->x[at] ? -1 : 1;
    return 0;
}

/* Rows at the same place in their order. */
static int compare_rows(const void *a, const void *b)
{
    const place *u = a, *v = b;
    const int places = compare_places(u, v);
    return places ? places : (u->row > v->row) - (u->row < v->row);
}

steep_status steep_samples_first(const steep_samples *samples, size_t *first, steep_error *error)
{
    const size_t count = samples->count;
    if (count == 0) return STEEP_OK;
    place *places = malloc(count * sizeof *places);
    if (!places) return steep_fail(error, STEEP_NO_MEMORY, "no memory to compare %zu points", count);
    for (size_t k = 0; k < count; k++) places[k] = (place){samples->x + k, samples->dim, count, k};
    qsort(places, count, sizeof *places, compare_rows);
    for (size_t k = 0, begin = 0; k < count; k++) {
        if (compare_places(places + k, places + begin) != 0) begin = k;
        first[places[k].row] = places[begin].row;
    }
    free(places);
    return STEEP_OK;
}

steep_status steep_samples_distinct(const steep_samples *samples, size_t *distinct, steep_error *error)
{
    const size_t count = samples->count;
    size_t apart = count > 0;
    if (samples->dim == 1) {
        for (size_t k = 1; k < count; k++) apart += samples->x[k] != samples->x[k - 1];
        *distinct = apart;
        return STEEP_OK;
    }
    size_t *first = malloc((count + 1) * sizeof *first);
    if (!first) return steep_fail(error, STEEP_NO_MEMORY, "no memory to compare %zu points", count);
    steep_status status = steep_samples_first(samples, first, error);
    *distinct = 0;
    for (size_t k = 0; status == STEEP_OK && k < count; k++) *distinct += first[k] == k;
    free(first);
    return status;
}

/* The value at point k of the reference, correctly rounded; x: room for a point. Not finite: STEEP_BAD_INPUT. */
static steep_status fill_value(const steep_target *target, steep_samples *samples, size_t k, long double *x,
                               steep_error *error)
{
    for (size_t j = 0; j < samples->dim; j++) x[j] = samples->x[j * samples->count + k];
    const double y = samples->y[k] = (double)steep_formula_reference(target->formula, x);
    if (isfinite(y)) return STEEP_OK;
    char where[320];
    steep_target_point(samples->dim, x, where, sizeof where);
    return steep_fail(error, STEEP_BAD_INPUT, "'%.100s' is %g at %s: use a target that is finite on its domain",
                      target->name, y, where);
}

/* Box and values from the target. */
static steep_status fill_values(const steep_target *target, steep_samples *samples, steep_error *error)
{
    long double *x = malloc(samples->dim * sizeof *x);
    steep_status status = STEEP_OK;
    if (!x) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for a point in %zuD", samples->dim);
    memcpy(samples->low, target->low, samples->dim * sizeof *samples->low);
    memcpy(samples->high, target->high, samples->dim * sizeof *samples->high);
    for (size_t k = 0; status == STEEP_OK && k < samples->count; k++) status = fill_value(target, samples, k, x, error);
    free(x);
    if (status != STEEP_OK) steep_samples_free(samples);
    return status;
}

/* Uniform points of the box, the numbers of (seed, stream). */
static steep_status draw(const steep_target *target, size_t count, steep_random random, steep_samples *samples,
                         steep_error *error)
{
    memset(samples, 0, sizeof *samples);
    if (count > MOST_POINTS)
        return steep_fail(error, STEEP_BAD_INPUT, "%zu samples: use 1 to %.0e", count, (double)MOST_POINTS);
    steep_status status = steep_samples_allocate(count, target->dim, false, samples, error);
    if (status < 0) return status;
    for (size_t k = 0; k < count; k++)
        for (size_t j = 0; j < target->dim; j++)
            samples->x[j * count + k] =
                target->low[j] + (target->high[j] - target->low[j]) * steep_random_uniform(&random);
    if (target->dim == 1) steep_sort_numbers(samples->x, count);
    return fill_values(target, samples, error);
}

steep_status steep_samples_random(const steep_target *target, size_t count, uint64_t seed, steep_samples *samples,
                                  steep_error *error)
{
    return draw(target, count, steep_random_start(seed, STEEP_STREAM_SAMPLES), samples, error);
}

/* --- grids --- */

/* side^dim, or SIZE_MAX where it is more than a set may have. */
static size_t power(size_t side, size_t dim)
{
    size_t total = 1;
    for (size_t j = 0; side > 1 && j < dim && total <= MOST_MADE; j++) total *= side;
    return total <= MOST_MADE ? total : SIZE_MAX;
}

size_t steep_samples_side(size_t count, size_t dim)
{
    size_t side = (size_t)pow((double)count, 1 / (double)dim); /* within 1 of the root, for what a set may have */
    side = side > 2 ? side - 1 : 1;
    while (power(side, dim) < count) side++;
    return side;
}

size_t steep_samples_grid_count(size_t count, size_t dim)
{
    size_t total = count < 2 || count > MOST_POINTS ? SIZE_MAX : power(steep_samples_side(count, dim), dim);
    return total == SIZE_MAX ? 0 : total;
}

static steep_status refuse_grid(size_t side, size_t dim, steep_error *error)
{
    return steep_fail(error, STEEP_BAD_INPUT,
                      "a grid of %zu points a side in %zuD has more than %.0e points: use random points", side, dim,
                      (double)MOST_MADE);
}

/* The full grid of that side, at least 2; sides that are too large are refused. */
static steep_status lay_grid(const steep_target *target, size_t side, steep_samples *samples, steep_error *error)
{
    size_t total = power(side, target->dim);
    memset(samples, 0, sizeof *samples);
    if (total > MOST_MADE) return refuse_grid(side, target->dim, error);
    steep_status status = steep_samples_allocate(total, target->dim, false, samples, error);
    if (status < 0) return status;
    for (size_t k = 0; k < total; k++)
        for (size_t j = 0, rest = k; j < target->dim; j++, rest /= side) {
            double i = (double)(rest % side), last = (double)(side - 1);
            samples->x[j * total + k] = ((last - i) * target->low[j] + i * target->high[j]) / last;
        }
    return fill_values(target, samples, error);
}

steep_status steep_samples_grid(const steep_target *target, size_t count, steep_samples *samples, steep_error *error)
{
    memset(samples, 0, sizeof *samples);
    if (count < 2 || count > MOST_POINTS)
        return steep_fail(error, STEEP_BAD_INPUT, "a grid of %zu points: use 2 to %.0e", count, (double)MOST_POINTS);
    return lay_grid(target, steep_samples_side(count, target->dim), samples, error);
}

/* --- Gauss points --- */

/* Cells of positive length among knots[0..cells], which must be finite and ascending. */
static steep_status count_cells(size_t cells, const double *knots, size_t *used, steep_error *error)
{
    *used = 0;
    for (size_t i = 0; i < cells; i++) {
        if (!(knots[i] <= knots[i + 1]) || !isfinite(knots[i]) || !isfinite(knots[i + 1]))
            return steep_fail(error, STEEP_BAD_INPUT, "knots %zu and %zu are %g and %g: use finite and ascending ones",
                              i, i + 1, knots[i], knots[i + 1]);
        *used += knots[i + 1] > knots[i];
    }
    return *used ? STEEP_OK
                 : steep_fail(error, STEEP_BAD_INPUT, "%zu cells, none longer than 0: use one at least", cells);
}

steep_status steep_samples_gauss(const steep_target *target, size_t cells, const double *knots, size_t points,
                                 steep_samples *samples, steep_error *error)
{
    long double node[STEEP_GAUSS_MOST], weight[STEEP_GAUSS_MOST];
    size_t used = 0, at = 0;
    memset(samples, 0, sizeof *samples);
    if (target->dim != 1 || points < 1 || points > STEEP_GAUSS_MOST || cells < 1 ||
        cells > MOST_POINTS / STEEP_GAUSS_MOST)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%zu Gauss points in each of %zu cells in %zuD: use 1 to %d points, a cell or more, and 1D",
                          points, cells, target->dim, STEEP_GAUSS_MOST);
    steep_status status = count_cells(cells, knots, &used, error);
    if (status == STEEP_OK) status = steep_samples_allocate(used * points, 1, true, samples, error);
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
    if (status < 0) return status;
    samples->low[0] = knots[0];
    samples->high[0] = knots[cells];
    return STEEP_OK;
}

/* Parts that a cell of so many points is cut into, so that a rule has the points of each. */
static size_t parts_of(size_t points)
{
    return (points + STEEP_GAUSS_MOST - 1) / STEEP_GAUSS_MOST;
}

size_t steep_samples_gauss_points(size_t count, size_t cells, size_t degree)
{
    size_t points = count / cells + (count % cells > 0);
    return points < degree + 4 ? degree + 4 : points;
}

size_t steep_samples_gauss_count(size_t cells, size_t points)
{
    size_t parts = parts_of(points), total = parts ? parts * ((points + parts - 1) / parts) : 0;
    return cells > 0 && total > MOST_MADE / cells ? 0 : cells * total;
}

steep_status steep_samples_gauss_cells(const steep_target *target, size_t cells, const double *knots, size_t points,
                                       steep_samples *samples, steep_error *error)
{
    size_t parts = parts_of(points);
    memset(samples, 0, sizeof *samples);
    if (points < 1 || steep_samples_gauss_count(cells, points) == 0)
        return steep_fail(
            error, STEEP_BAD_INPUT,
            "%zu Gauss points in each of %zu cells: use a point and a cell or more, and at most %.0e in all", points,
            cells, (double)MOST_MADE);
    double *cut = malloc((cells * parts + 1) * sizeof *cut);
    if (!cut) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu cells", cells);
    for (size_t c = 0; c < cells; c++)
        for (size_t p = 0; p < parts; p++)
            cut[c * parts + p] = knots[c] + (knots[c + 1] - knots[c]) * ((double)p / (double)parts);
    cut[cells * parts] = knots[cells];
    steep_status status = steep_samples_gauss(target, cells * parts, cut, (points + parts - 1) / parts, samples, error);
    free(cut);
    return status;
}

size_t steep_samples_gauss_box_count(size_t side, size_t dim)
{
    size_t total = side < 1 || side > STEEP_GAUSS_MOST ? SIZE_MAX : power(side, dim);
    return total > MOST_POINTS ? 0 : total;
}

static steep_status refuse_gauss(size_t side, size_t dim, steep_error *error)
{
    return steep_fail(error, STEEP_BAD_INPUT,
                      "%zu Gauss points a side in %zuD: use 1 to %d a side and at most %.0e in all", side, dim,
                      STEEP_GAUSS_MOST, (double)MOST_POINTS);
}

steep_status steep_samples_gauss_box(const steep_target *target, size_t side, steep_samples *samples,
                                     steep_error *error)
{
    long double node[STEEP_GAUSS_MOST], weight[STEEP_GAUSS_MOST];
    const size_t total = steep_samples_gauss_box_count(side, target->dim);
    memset(samples, 0, sizeof *samples);
    if (total == 0) return refuse_gauss(side, target->dim, error);
    steep_status status = steep_samples_allocate(total, target->dim, true, samples, error);
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

/* --- training and test sets --- */

size_t steep_samples_train_count(steep_sampling sampling, size_t count, size_t dim)
{
    if (sampling == STEEP_RANDOM) return count <= MOST_POINTS ? count : 0;
    if (sampling == STEEP_GRID) return steep_samples_grid_count(count, dim);
    return count < 1 ? 0 : steep_samples_gauss_box_count(steep_samples_side(count, dim), dim);
}

steep_status steep_samples_train(const steep_target *target, steep_sampling sampling, size_t count, uint64_t seed,
                                 steep_samples *samples, steep_error *error)
{
    if (sampling == STEEP_RANDOM) return steep_samples_random(target, count, seed, samples, error);
    if (sampling == STEEP_GRID) return steep_samples_grid(target, count, samples, error);
    return steep_samples_gauss_box(target, count > 0 ? steep_samples_side(count, target->dim) : 0, samples, error);
}

/* One more a side than a Gauss training set: other points. */
static size_t gauss_test_side(size_t count, size_t dim)
{
    size_t side = steep_samples_side(count, dim);
    return side < STEEP_GAUSS_MOST ? side + 1 : side;
}

/* Of half the spacing, where the training set is a grid. */
static size_t grid_test_side(steep_sampling sampling, size_t count, size_t dim)
{
    size_t side = steep_samples_side(count, dim);
    return sampling == STEEP_GRID ? 2 * side - 1 : side;
}

size_t steep_samples_test_count(steep_sampling sampling, steep_sampling test, size_t count, size_t dim)
{
    if (count < 2 || count > MOST_POINTS) return 0;
    if (test == STEEP_GAUSS) return steep_samples_gauss_box_count(gauss_test_side(count, dim), dim);
    if (test == STEEP_RANDOM || dim > STEEP_GRID_DIM) return count;
    size_t total = power(grid_test_side(sampling, count, dim), dim);
    return total == SIZE_MAX ? 0 : total;
}

steep_status steep_samples_check(steep_sampling sampling, steep_sampling test, size_t count, size_t dim,
                                 steep_error *error)
{
    const size_t side = steep_samples_side(count, dim);
    const bool line = dim == 1; /* its Gauss points lie in cells, its continuous error needs none */
    if (!line && sampling == STEEP_GAUSS && steep_samples_train_count(sampling, count, dim) == 0)
        return refuse_gauss(side, dim, error);
    if (sampling == STEEP_GRID && steep_samples_train_count(sampling, count, dim) == 0)
        return refuse_grid(side, dim, error);
    if ((line && test == STEEP_GAUSS) || steep_samples_test_count(sampling, test, count, dim) > 0) return STEEP_OK;
    if (test == STEEP_GAUSS) return refuse_gauss(gauss_test_side(count, dim), dim, error);
    return refuse_grid(grid_test_side(sampling, count, dim), dim, error);
}

steep_status steep_samples_test(const steep_target *target, steep_sampling sampling, steep_sampling test, size_t count,
                                steep_samples *samples, steep_error *error)
{
    memset(samples, 0, sizeof *samples);
    if (count < 2 || count > MOST_POINTS)
        return steep_fail(error, STEEP_BAD_INPUT, "%zu samples: use 2 to %.0e", count, (double)MOST_POINTS);
    if (test == STEEP_GAUSS)
        return steep_samples_gauss_box(target, gauss_test_side(count, target->dim), samples, error);
    if (test == STEEP_RANDOM || target->dim > STEEP_GRID_DIM)
        return draw(target, count, steep_random_start(0, STEEP_STREAM_TEST), samples, error);
    return lay_grid(target, grid_test_side(sampling, count, target->dim), samples, error);
}
