/* SPDX-License-Identifier: GPL-3.0-or-later */
/* samples: points, values and weights that an error is summed over. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/inline.h"
#include "data/target.h"
#include "steep/target.h"

/* "random", "grid", "gauss", "sobol"; NULL past the last. */
const char *steep_sampling_names(size_t index);
/* The smallest side with side^dim >= count. */
size_t steep_samples_side(size_t count, size_t dim);

/* Gauss-Legendre in each of the cells [knot_i, knot_{i+1}], i < cells; weights proportional to cell size, sum 1 (so
 * that the weighted mean square is the continuous one). 1D; knots[0..cells] finite and ascending; zero-length cells are
 * skipped. Box: the first to the last knot. Cells of more than 64 points are cut into equal parts, and the points are
 * rounded up to a multiple of their number. steep_samples_gauss_count is how many there are in cells that all have a
 * length; 0 where they are more than 2e8, and refused. */
steep_status steep_samples_gauss(const steep_target *target, size_t cells, const double *knots, size_t points,
                                 steep_samples *samples, steep_error *error);
size_t steep_samples_gauss_count(size_t cells, size_t points);
/* Points in each of the cells so that there are count in all, and at least degree + 4 in each. */
size_t steep_samples_gauss_points(size_t count, size_t cells, size_t degree);

/* How many points these sets have, 0 where they are refused. */
size_t steep_samples_train_count(steep_sampling sampling, size_t count, size_t dim);
size_t steep_samples_test_count(steep_sampling sampling, steep_sampling test, size_t count, size_t dim);

/* Whether these two sets can be made of 2 <= count <= 1e8 points in dim dimensions: STEEP_BAD_INPUT says what is
 * refused, as the functions above do. In 1D the Gauss points lie in cells, so every count is possible. O(dim). */
steep_status steep_samples_check(steep_sampling sampling, steep_sampling test, size_t count, size_t dim,
                                 steep_error *error);

/* Room for count points (their numbers are not set, the box is 0); weighted: weights, too. */
steep_status steep_samples_allocate(size_t count, size_t dim, bool weighted, steep_samples *samples,
                                    steep_error *error);

/* How many different points there are: rows that repeat a point say more about its value, and nothing about any other.
 * O(count log count). Fails only with STEEP_NO_MEMORY. */
steep_status steep_samples_distinct(const steep_samples *samples, size_t *distinct, steep_error *error);
/* first[k]: the first of the points that are where point k is; points in any order. O(count log count).
 * Fails only with STEEP_NO_MEMORY. */
steep_status steep_samples_first(const steep_samples *samples, size_t *first, steep_error *error);

/* w_k: the weights sum to 1. */
STEEP_INLINE double steep_sample_weight(const steep_samples *samples, size_t k)
{
    return samples->weight ? samples->weight[k] : 1 / (double)samples->count;
}

/* sqrt(w_k): what multiplies row k of a least-squares problem. */
STEEP_INLINE double steep_sample_root(const steep_samples *samples, size_t k)
{
    return samples->weight ? sqrt(samples->weight[k]) : 1 / sqrt((double)samples->count);
}

/* sqrt(N w_k): the same with weights of 1 on average, and exactly 1 where all are equal. */
STEEP_INLINE double steep_sample_scale(const steep_samples *samples, size_t k)
{
    return samples->weight ? sqrt(samples->weight[k] * (double)samples->count) : 1;
}
