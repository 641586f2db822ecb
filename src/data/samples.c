/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/samples.h"

#include <gsl/gsl_qrng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "base/random.h"
#include "base/sizes.h"
#include "numerics/quadrature.h"
#include "numerics/sort.h"

#define MOST_POINTS 100000000 /* 1e8: more need too much memory and time */
#define MOST_MADE   200000000 /* a grid may have more than MOST_POINTS, since its side is rounded up */

STEEP_NAMES(steep_sampling_names, "random", "grid", "gauss", "sobol")

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

/* A point of a set, for comparisons: coordinate j at x[j * stride]; row: its index in the set. */
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

/* Compares by place, then by row. */
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
    size_t ordered = 1; /* in 1D points are sorted already, and each fit calls this */
    while (ordered < count && compare_rows(places + ordered - 1, places + ordered) < 0) ordered++;
    if (ordered < count) qsort(places, count, sizeof *places, compare_rows);
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
    size_t *first = malloc((count + 1) * sizeof *first);
    if (!first) return steep_fail(error, STEEP_NO_MEMORY, "no memory to compare %zu points", count);
    steep_status status = steep_samples_first(samples, first, error);
    *distinct = 0;
    for (size_t k = 0; status == STEEP_OK && k < count; k++) *distinct += first[k] == k;
    free(first);
    return status;
}

/* Sets box and values by the target, rounded from the reference. On failure (a value is not finite) frees samples. */
static steep_status fill_values(const steep_target *target, steep_samples *samples, steep_error *error)
{
    long double x[STEEP_FORMULA_VARIABLES];
    char where[320];
    size_t k = 0;
    memcpy(samples->low, target->low, samples->dim * sizeof *samples->low);
    memcpy(samples->high, target->high, samples->dim * sizeof *samples->high);
    steep_formula_values(target->formula, samples->count, samples->x, samples->y);
    while (k < samples->count && isfinite(samples->y[k])) k++;
    if (k == samples->count) return STEEP_OK;
    for (size_t j = 0; j < samples->dim; j++) x[j] = samples->x[j * samples->count + k];
    steep_target_point(samples->dim, x, where, sizeof where);
    const steep_status status =
        steep_fail(error, STEEP_BAD_INPUT, "'%.100s' is %g at %s: use a target that is finite on its domain",
                   target->name, samples->y[k], where);
    steep_samples_free(samples);
    return status;
}

/* GSL's Sobol sequence, in memory that is allocated here: GSL's own allocation may abort. */
static steep_status open_sobol(size_t dim, gsl_qrng *sequence, steep_error *error)
{
    *sequence = (gsl_qrng){.type = gsl_qrng_sobol, .dimension = (unsigned)dim};
    sequence->state_size = sequence->type->state_size(sequence->dimension);
    sequence->state = malloc(sequence->state_size);
    if (!sequence->state) return steep_fail(error, STEEP_NO_MEMORY, "no memory for Sobol points in %zuD", dim);
    gsl_qrng_init(sequence);
    return STEEP_OK;
}

/* Points of the box: uniform random ones, or Sobol's sequence with one random shift for all points, modulo the box. */
static steep_status draw(const steep_target *target, bool sobol, size_t count, steep_random random,
                         steep_samples *samples, steep_error *error)
{
    double point[STEEP_SOBOL_DIM], shift[STEEP_SOBOL_DIM];
    gsl_qrng sequence = {.state = NULL};
    steep_status status = sobol ? open_sobol(target->dim, &sequence, error) : STEEP_OK;
    if (status == STEEP_OK) status = steep_samples_allocate(count, target->dim, false, samples, error);
    for (size_t j = 0; sobol && j < target->dim; j++) shift[j] = steep_random_uniform(&random);
    for (size_t k = 0; status == STEEP_OK && k < count; k++) {
        if (sobol) gsl_qrng_get(&sequence, point);
        for (size_t j = 0; j < target->dim; j++) {
            const double u = sobol ? point[j] + shift[j] : steep_random_uniform(&random), s = u < 1 ? u : u - 1;
            samples->x[j * count + k] = target->low[j] + (target->high[j] - target->low[j]) * s;
        }
    }
    free(sequence.state);
    if (status < 0) return status;
    if (target->dim == 1) steep_sort_numbers(samples->x, count);
    return fill_values(target, samples, error);
}

/* side^dim, or SIZE_MAX where it is more than a set may have. */
static size_t power(size_t side, size_t dim)
{
    size_t total = 1;
    for (size_t j = 0; side > 1 && j < dim && total <= MOST_MADE; j++) total *= side;
    return total <= MOST_MADE ? total : SIZE_MAX;
}

size_t steep_samples_side(size_t count, size_t dim)
{
    size_t side = (size_t)pow((double)count, 1 / (double)dim); /* within 1 of the root for all sizes of a set */
    side = side > 2 ? side - 1 : 1;
    while (power(side, dim) < count) side++;
    return side;
}

size_t steep_samples_gauss_points(size_t count, size_t cells, size_t degree)
{
    size_t points = count / cells + (count % cells > 0);
    return points < degree + 4 ? degree + 4 : points;
}

size_t steep_samples_gauss_count(size_t cells, size_t points)
{
    size_t parts = steep_pieces(points, STEEP_GAUSS_MOST), total = parts ? parts * steep_pieces(points, parts) : 0;
    return cells > 0 && total > MOST_MADE / cells ? 0 : cells * total;
}

/* Where part i begins, if each cell is cut into `parts` equal parts. */
static double edge(const double *knots, size_t parts, size_t i)
{
    const size_t c = i / parts, p = i % parts;
    return p > 0 ? knots[c] + (knots[c + 1] - knots[c]) * ((double)p / (double)parts) : knots[c];
}

/* Counts the parts of positive length; the ends of all parts must be finite and ascending. */
static steep_status count_parts(size_t cells, const double *knots, size_t parts, size_t *used, steep_error *error)
{
    *used = 0;
    for (size_t i = 0; i < cells * parts; i++) {
        const double *k = knots + i / parts;
        if (!(k[0] <= k[1]) || !isfinite(k[0]) || !isfinite(k[1]))
            return steep_fail(error, STEEP_BAD_INPUT, "knots %zu and %zu are %g and %g: use finite and ascending ones",
                              i / parts, i / parts + 1, k[0], k[1]);
        *used += edge(knots, parts, i + 1) > edge(knots, parts, i);
    }
    return *used ? STEEP_OK
                 : steep_fail(error, STEEP_BAD_INPUT, "%zu cells, none longer than 0: use one at least", cells * parts);
}

steep_status steep_samples_gauss(const steep_target *target, size_t cells, const double *knots, size_t points,
                                 steep_samples *samples, steep_error *error)
{
    long double node[STEEP_GAUSS_MOST], weight[STEEP_GAUSS_MOST];
    const size_t parts = steep_pieces(points, STEEP_GAUSS_MOST), rule = parts ? steep_pieces(points, parts) : 0;
    size_t used = 0, at = 0;
    memset(samples, 0, sizeof *samples);
    if (target->dim != 1 || steep_samples_gauss_count(cells, points) == 0)
        return steep_fail(
            error, STEEP_BAD_INPUT,
            "%zu Gauss points in each of %zu cells: use a point and a cell or more, and at most %.0e in all", points,
            cells, (double)MOST_MADE);
    steep_status status = count_parts(cells, knots, parts, &used, error);
    if (status == STEEP_OK) status = steep_samples_allocate(used * rule, 1, true, samples, error);
    if (status < 0) return status;
    steep_gauss_legendre(rule, node, weight);
    const long double length = (long double)knots[cells] - knots[0];
    for (size_t i = 0; i < cells * parts; i++) {
        const double begin = edge(knots, parts, i);
        const long double h = (long double)edge(knots, parts, i + 1) - begin;
        for (size_t k = 0; h > 0 && k < rule; k++, at++) {
            samples->x[at] = (double)(begin + h * (1 + node[k]) / 2);
            samples->weight[at] = (double)(h / length * weight[k] / 2);
        }
    }
    status = fill_values(target, samples, error);
    if (status < 0) return status;
    samples->low[0] = knots[0];
    samples->high[0] = knots[cells];
    return STEEP_OK;
}

/* Makes the grid with that side, at least 2, or the tensor Gauss-Legendre points. */
static steep_status lay_tensor(const steep_target *target, bool gauss, size_t side, steep_samples *samples,
                               steep_error *error)
{
    long double node[STEEP_GAUSS_MOST], weight[STEEP_GAUSS_MOST];
    const size_t total = power(side, target->dim);
    steep_status status = steep_samples_allocate(total, target->dim, gauss, samples, error);
    if (status < 0) return status;
    if (gauss) steep_gauss_legendre(side, node, weight);
    for (size_t k = 0; k < total; k++) {
        long double product = 1;
        for (size_t j = 0, rest = k; j < target->dim; j++, rest /= side) {
            const double i = (double)(rest % side), last = (double)(side - 1), low = target->low[j],
                         high = target->high[j];
            double *x = &samples->x[j * total + k];
            if (gauss) {
                *x = (double)(low + ((long double)high - low) * ((1 + node[rest % side]) / 2));
                product *= weight[rest % side] / 2;
            } else *x = ((last - i) * low + i * high) / last;
        }
        if (gauss) samples->weight[k] = (double)product;
    }
    return fill_values(target, samples, error);
}

/* A set to be made. side: points a side of a grid or of Gauss points; count: all points, 0 if the set is refused. */
typedef struct shape {
    steep_sampling kind;
    size_t side, asked, dim, count;
} shape;

static shape shape_of(steep_sampling kind, size_t side, size_t asked, size_t dim)
{
    const size_t tensor = power(side, dim);
    shape s = {kind, side, asked, dim, asked};
    if (kind == STEEP_SOBOL && dim > STEEP_SOBOL_DIM) s.count = 0;
    if (kind == STEEP_GRID) s.count = side > 1 && tensor <= MOST_MADE ? tensor : 0;
    if (kind == STEEP_GAUSS) s.count = side > 0 && side <= STEEP_GAUSS_MOST && tensor <= MOST_POINTS ? tensor : 0;
    if (asked > MOST_POINTS) s.count = 0;
    return s;
}

static shape train_shape(steep_sampling sampling, size_t count, size_t dim)
{
    return shape_of(sampling, count > 0 ? steep_samples_side(count, dim) : 0, count, dim);
}

/* Gauss: one point a side more than a training set of as many points (one less than the most), so other points. Grid:
 * half the spacing of a training grid; in many dimensions random points. */
static shape test_shape(steep_sampling sampling, steep_sampling test, size_t count, size_t dim)
{
    const size_t side = steep_samples_side(count, dim);
    if (test == STEEP_GAUSS) return shape_of(test, side == STEEP_GAUSS_MOST ? side - 1 : side + 1, count, dim);
    if (test == STEEP_GRID && dim > STEEP_GRID_DIM) test = STEEP_RANDOM;
    return shape_of(test, sampling == STEEP_GRID ? 2 * side - 1 : side, count, dim);
}

static steep_status refuse(const shape *s, steep_error *error)
{
    if (s->kind == STEEP_GRID && (s->asked < 2 || s->asked > MOST_POINTS))
        return steep_fail(error, STEEP_BAD_INPUT, "a grid of %zu points: use 2 to %.0e", s->asked, (double)MOST_POINTS);
    if (s->kind == STEEP_GRID)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "a grid of %zu points a side in %zuD has more than %.0e points: use random points", s->side,
                          s->dim, (double)MOST_MADE);
    if (s->kind == STEEP_GAUSS)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%zu Gauss points a side in %zuD: use 1 to %d a side and at most %.0e in all", s->side,
                          s->dim, STEEP_GAUSS_MOST, (double)MOST_POINTS);
    if (s->kind == STEEP_SOBOL && s->dim > STEEP_SOBOL_DIM)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "Sobol points in %zuD: they are in 1 to %d dimensions: use random points", s->dim,
                          STEEP_SOBOL_DIM);
    return steep_fail(error, STEEP_BAD_INPUT, "%zu samples: use 1 to %.0e", s->asked, (double)MOST_POINTS);
}

/* random: the generator for random and Sobol points. */
static steep_status make(const steep_target *target, shape s, steep_random random, steep_samples *samples,
                         steep_error *error)
{
    memset(samples, 0, sizeof *samples);
    if (s.count == 0) return refuse(&s, error);
    switch (s.kind) {
    case STEEP_GRID: return lay_tensor(target, false, s.side, samples, error);
    case STEEP_GAUSS: return lay_tensor(target, true, s.side, samples, error);
    default: return draw(target, s.kind == STEEP_SOBOL, s.count, random, samples, error);
    }
}

steep_status steep_samples_random(const steep_target *target, size_t count, uint64_t seed, steep_samples *samples,
                                  steep_error *error)
{
    return steep_samples_train(target, STEEP_RANDOM, count, seed, samples, error);
}

steep_status steep_samples_grid(const steep_target *target, size_t count, steep_samples *samples, steep_error *error)
{
    return steep_samples_train(target, STEEP_GRID, count, 0, samples, error);
}

size_t steep_samples_train_count(steep_sampling sampling, size_t count, size_t dim)
{
    return train_shape(sampling, count, dim).count;
}

steep_status steep_samples_train(const steep_target *target, steep_sampling sampling, size_t count, uint64_t seed,
                                 steep_samples *samples, steep_error *error)
{
    return make(target, train_shape(sampling, count, target->dim), steep_random_start(seed, STEEP_STREAM_SAMPLES),
                samples, error);
}

size_t steep_samples_test_count(steep_sampling sampling, steep_sampling test, size_t count, size_t dim)
{
    return count < 2 || count > MOST_POINTS ? 0 : test_shape(sampling, test, count, dim).count;
}

steep_status steep_samples_test(const steep_target *target, steep_sampling sampling, steep_sampling test, size_t count,
                                steep_samples *samples, steep_error *error)
{
    memset(samples, 0, sizeof *samples);
    if (count < 2 || count > MOST_POINTS)
        return steep_fail(error, STEEP_BAD_INPUT, "%zu samples: use 2 to %.0e", count, (double)MOST_POINTS);
    return make(target, test_shape(sampling, test, count, target->dim), steep_random_start(0, STEEP_STREAM_TEST),
                samples, error);
}

steep_status steep_samples_check(steep_sampling sampling, steep_sampling test, size_t count, size_t dim,
                                 steep_error *error)
{
    const shape both[] = {train_shape(sampling, count, dim), test_shape(sampling, test, count, dim)};
    for (size_t i = 0; i < 2; i++) /* in 1D Gauss points lie in cells, and the continuous error needs none */
        if (both[i].count == 0 && !(dim == 1 && both[i].kind == STEEP_GAUSS)) return refuse(&both[i], error);
    return STEEP_OK;
}
