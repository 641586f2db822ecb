/* SPDX-License-Identifier: GPL-3.0-or-later */
/* standard: points with mean 0 and deviation 1 in each column, and the way back.
 *
 *   x'_j = (x_j - x_mean_j) / x_scale_j,   y' = (y - y_mean) / y_scale,
 *   y = y_mean + y_scale y',   dy/dx_j = (y_scale / x_scale_j) dy'/dx'_j,
 *
 * each operation in double, so that any program has the same bits. An error of y is y_scale times the error of y'. */
#pragma once

#include "data/samples.h"
#include "steep/target.h"

typedef struct steep_standard {
    size_t dim;               /* 0: not standardized */
    double *x_mean, *x_scale; /* dim entries each, one block that begins with x_mean */
    double y_mean, y_scale;
} steep_standard;

/* Mean and population deviation, sqrt(sum (x - mean)^2 / count), of each column of the training points, every point
 * counted once, sums in long double in order of points. A column that is the same number everywhere has scale 1: it is
 * only centred. STEEP_BAD_INPUT, naming the column, if a column varies and its deviation is below the normal numbers.
 * *standard is zeroed on failure. */
steep_status steep_standard_of(const steep_samples *train, steep_standard *standard, steep_error *error);

/* For a function on its box. x: mean and deviation of the uniform distribution there, (low + high) / 2 and (high - low)
 * / sqrt(12). y: mean and deviation of the values at STEEP_STANDARD_POINTS uniform random points, always the same ones;
 * above 100 dimensions at 1e6 / dim points, at least 8. So the scales depend on the target alone, on no seed and no
 * number of points. A function that is the same number at all points has scale 1. Otherwise as above. */
#define STEEP_STANDARD_POINTS 10000
steep_status steep_standard_of_target(const steep_target *target, steep_standard *standard, steep_error *error);

/* Room for dim columns, means 0 and scales 1. */
steep_status steep_standard_init(size_t dim, steep_standard *standard, steep_error *error);
void steep_standard_free(steep_standard *standard);

/* x (count points, column-major as in samples) into scaled, which may be x itself. */
void steep_standard_x(const steep_standard *standard, size_t count, const double *x, double *scaled);

/* A scaled copy of points, values and box; the weights stay. STEEP_BAD_INPUT if a scaled number is not finite: a test
 * point is too far from the training points. */
steep_status steep_standard_samples(const steep_standard *standard, const steep_samples *samples, steep_samples *scaled,
                                    steep_error *error);

/* Back, in place: values y' into y; gradients dy'/dx' (gradient[j * count + k]) into dy/dx. */
void steep_standard_undo_values(const steep_standard *standard, size_t count, double *y);
void steep_standard_undo_gradient(const steep_standard *standard, size_t count, double *gradient);
