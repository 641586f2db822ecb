/* SPDX-License-Identifier: GPL-3.0-or-later */
/* samples: points, values and weights that an error is summed over. */
#ifndef STEEP_DATA_SAMPLES_H
#define STEEP_DATA_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/target.h"

typedef enum steep_sampling { STEEP_RANDOM, STEEP_GRID, STEEP_GAUSS } steep_sampling;

/* "random", "grid", "gauss"; NULL past the last. */
const char *steep_sampling_names(size_t index);

typedef struct steep_samples {
    size_t count, dim;
    double *x;      /* column-major: coordinate j of point k at x[j * count + k]; ascending when dim = 1 */
    double *y;      /* values, correctly rounded from the long double reference where there is a formula */
    double *weight; /* sums to 1; NULL: all equal, 1/count */
    double low[STEEP_MAX_DIM], high[STEEP_MAX_DIM]; /* the box they stand for */
} steep_samples;

/* count uniform random points of the target's box, 1 <= count <= 1e8; the numbers of seed: the first of more points are
 * those of fewer. Sorted in 1D. A value that is not finite is STEEP_BAD_INPUT naming the point, here and below. On
 * failure *samples is zeroed. */
steep_status steep_samples_random(const steep_target *target, size_t count, uint64_t seed, steep_samples *samples,
                                  steep_error *error);

/* Equispaced, ends included: count points in 1D; in dim > 1 the full grid with the smallest side s, s^dim >= count
 * (first coordinate fastest). 2 <= count <= 1e8. */
steep_status steep_samples_grid(const steep_target *target, size_t count, steep_samples *samples, steep_error *error);

/* Gauss-Legendre in each of the cells [knot_i, knot_{i+1}], i < cells, with points each; weights proportional to cell
 * size, sum 1 (so that the weighted mean square is the continuous one). 1D; knots[0..cells] finite and ascending;
 * zero-length cells are skipped. Box: the first to the last knot. */
steep_status steep_samples_gauss(const steep_target *target, size_t cells, const double *knots, size_t points,
                                 steep_samples *samples, steep_error *error);

/* Tensor Gauss-Legendre on the whole box, side points a coordinate; any dimension. */
steep_status steep_samples_gauss_box(const steep_target *target, size_t side, steep_samples *samples,
                                     steep_error *error);

/* A CSV file. Coordinates: columns x1, x2, ... or x, y, z; value: the last column named y, f or value (so x,y is 1D and
 * x,y,f is 2D); other columns are not looked at. Sorted in 1D, by x, then y. Missing columns, text, NaN, infinities, a
 * last line that is cut short, fewer than 2 rows, a coordinate that is constant: STEEP_BAD_INPUT naming file, line and
 * column. A last line that lacks only its newline counts. Box: the points' own. */
steep_status steep_samples_read(const char *path, steep_samples *samples, steep_error *error);

/* How many different points there are: rows that repeat a point say more about its value, and nothing about any other.
 * O(count) in 1D, O(count log count) and a copy of the points otherwise. Fails only with STEEP_NO_MEMORY. */
steep_status steep_samples_distinct(const steep_samples *samples, size_t *distinct, steep_error *error);

void steep_samples_free(steep_samples *samples);

/* Gauss-Legendre nodes in (-1, 1) ascending and weights (sum 2) in long double, 1 <= points <= 64, to full long double
 * accuracy. */
void steep_gauss_legendre(size_t points, long double *node, long double *weight);

#endif
