/* SPDX-License-Identifier: GPL-3.0-or-later */
/* samples: points, values and weights that an error is summed over. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/inline.h"
#include "data/target.h"
#include "steep/target.h"

/* "random", "grid", "gauss", "sobol"; NULL past the last. */
const char *steep_sampling_names(size_t index);
/* The smallest side with side^dim >= count. */
size_t steep_samples_side(size_t count, size_t dim);

/* Gauss-Legendre points in each cell [knot_i, knot_{i+1}], i < cells; weights proportional to cell size, sum 1 (so that
 * the weighted mean square is the continuous one). 1D; knots[0..cells] finite and ascending; zero-length cells are
 * skipped. Box: the first to the last knot. points: in each cell; a cell of more than 64 points is cut into equal
 * parts, and points is rounded up to a multiple of their number. steep_samples_gauss_count: the number of all points if
 * no cell has length zero; 0 for no points and for more than 2e8, which are refused. */
steep_status steep_samples_gauss(const steep_target *target, size_t cells, const double *knots, size_t points,
                                 steep_samples *samples, steep_error *error);
size_t steep_samples_gauss_count(size_t cells, size_t points);
/* Points in each cell: enough for count points in all, and at least degree + 4. */
size_t steep_samples_gauss_points(size_t count, size_t cells, size_t degree);

/* The number of points that steep_samples_train and steep_samples_test make; 0 where they refuse. */
size_t steep_samples_train_count(steep_sampling sampling, size_t count, size_t dim);
size_t steep_samples_test_count(steep_sampling sampling, steep_sampling test, size_t count, size_t dim);

/* Can steep_samples_train and steep_samples_test make these sets, for 2 <= count <= 1e8, in dim dimensions? If not,
 * STEEP_BAD_INPUT with their message. In 1D Gauss points lie in cells, so every count is possible. O(dim). */
steep_status steep_samples_check(steep_sampling sampling, steep_sampling test, size_t count, size_t dim,
                                 steep_error *error);

/* Allocates count points, whose numbers are not set; the box is 0. weighted: also weights. */
steep_status steep_samples_allocate(size_t count, size_t dim, bool weighted, steep_samples *samples,
                                    steep_error *error);

/* The number of different points: a repeated point adds information about its own value only. O(count log count). Fails
 * only with STEEP_NO_MEMORY. */
steep_status steep_samples_distinct(const steep_samples *samples, size_t *distinct, steep_error *error);
/* first[k]: the lowest index of a point with the coordinates of point k; points in any order. O(count log count). Fails
 * only with STEEP_NO_MEMORY. */
steep_status steep_samples_first(const steep_samples *samples, size_t *first, steep_error *error);

/* w_k: the weights sum to 1. */
STEEP_INLINE double steep_sample_weight(const steep_samples *samples, size_t k)
{
    return samples->weight ? samples->weight[k] : 1 / (double)samples->count;
}

/* sqrt(w_k): the factor of row k of a least-squares problem. */
STEEP_INLINE double steep_sample_root(const steep_samples *samples, size_t k)
{
    return samples->weight ? sqrt(samples->weight[k]) : 1 / sqrt((double)samples->count);
}

/* sqrt(N w_k): the same for weights of mean 1; exactly 1 where all weights are equal. */
STEEP_INLINE double steep_sample_scale(const steep_samples *samples, size_t k)
{
    return samples->weight ? sqrt(samples->weight[k] * (double)samples->count) : 1;
}
