/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/standard.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/dense.h"

steep_status steep_standard_init(size_t dim, steep_standard *standard, steep_error *error)
{
    double *block = calloc(2 * dim, sizeof *block);
    *standard = (steep_standard){0};
    if (!block) return steep_fail(error, STEEP_NO_MEMORY, "no memory for the scales of %zu columns", dim);
    *standard = (steep_standard){.dim = dim, .x_mean = block, .x_scale = block + dim, .y_scale = 1};
    for (size_t j = 0; j < dim; j++) standard->x_scale[j] = 1;
    return STEEP_OK;
}

void steep_standard_free(steep_standard *standard)
{
    free(standard->x_mean);
    *standard = (steep_standard){0};
}

/* False: the column varies, but its deviation is below the normal numbers and cannot be a scale. */
static bool measure(size_t count, const double *x, double *mean, double *scale)
{
    long double sum = 0, squares = 0;
    bool varies = false;
    for (size_t k = 0; k < count; k++) sum += x[k];
    const long double middle = sum / (long double)count;
    for (size_t k = 0; k < count; k++) {
        const long double apart = x[k] - middle;
        squares += apart * apart;
        varies = varies || x[k] != x[0];
    }
    *mean = varies ? (double)middle : x[0];
    *scale = varies ? (double)sqrtl(squares / (long double)count) : 1;
    return *scale >= DBL_MIN;
}

steep_status steep_standard_of(const steep_samples *train, steep_standard *standard, steep_error *error)
{
    const size_t count = train->count, dim = train->dim;
    steep_status status = steep_standard_init(dim, standard, error);
    for (size_t j = 0; status == STEEP_OK && j <= dim; j++) {
        const double *column = j < dim ? train->x + j * count : train->y;
        double *mean = j < dim ? standard->x_mean + j : &standard->y_mean;
        double *scale = j < dim ? standard->x_scale + j : &standard->y_scale;
        if (measure(count, column, mean, scale)) continue;
        char name[40] = "the value";
        if (j < dim) snprintf(name, sizeof name, "coordinate %zu", j + 1);
        status = steep_fail(error, STEEP_BAD_INPUT,
                            "%s: its numbers are within %g of each other: use a smaller unit for it", name, DBL_MIN);
    }
    if (status != STEEP_OK) steep_standard_free(standard);
    return status;
}

steep_status steep_standard_of_target(const steep_target *target, steep_standard *standard, steep_error *error)
{
    const size_t most = 1000000 / target->dim, enough = most > 8 ? most : 8;
    const size_t count = enough < STEEP_STANDARD_POINTS ? enough : STEEP_STANDARD_POINTS;
    steep_samples drawn;
    *standard = (steep_standard){0};
    steep_status status = steep_samples_random(target, count, 0, &drawn, error);
    if (status != STEEP_OK) return status;
    status = steep_standard_of(&drawn, standard, error);
    for (size_t j = 0; status == STEEP_OK && j < target->dim; j++) {
        const long double low = target->low[j], high = target->high[j];
        standard->x_mean[j] = (double)((low + high) / 2);
        standard->x_scale[j] = (double)((high - low) / sqrtl(12));
    }
    steep_samples_free(&drawn);
    return status;
}

static void scale_column(size_t count, double mean, double scale, const double *x, double *scaled)
{
    for (size_t k = 0; k < count; k++) scaled[k] = (x[k] - mean) / scale;
}

void steep_standard_x(const steep_standard *standard, size_t count, const double *x, double *scaled)
{
    for (size_t j = 0; j < standard->dim; j++)
        scale_column(count, standard->x_mean[j], standard->x_scale[j], x + j * count, scaled + j * count);
}

steep_status steep_standard_samples(const steep_standard *standard, const steep_samples *samples, steep_samples *scaled,
                                    steep_error *error)
{
    const size_t count = samples->count, dim = samples->dim;
    steep_status status = steep_samples_allocate(count, dim, samples->weight != NULL, scaled, error);
    if (status != STEEP_OK) return status;
    steep_standard_x(standard, count, samples->x, scaled->x);
    steep_standard_x(standard, 1, samples->low, scaled->low);
    steep_standard_x(standard, 1, samples->high, scaled->high);
    scale_column(count, standard->y_mean, standard->y_scale, samples->y, scaled->y);
    if (samples->weight) memcpy(scaled->weight, samples->weight, count * sizeof *scaled->weight);
    if (steep_dense_finite(count * dim, scaled->x) && steep_dense_finite(count, scaled->y) &&
        steep_dense_finite(dim, scaled->low) && steep_dense_finite(dim, scaled->high))
        return STEEP_OK;
    steep_samples_free(scaled);
    return steep_fail(error, STEEP_BAD_INPUT,
                      "a number is too far from the training points' mean to be standardized: leave its point out");
}

void steep_standard_undo_values(const steep_standard *standard, size_t count, double *y)
{
    for (size_t k = 0; k < count; k++) y[k] = standard->y_mean + standard->y_scale * y[k];
}

void steep_standard_undo_gradient(const steep_standard *standard, size_t count, double *gradient)
{
    for (size_t j = 0; j < standard->dim; j++) {
        const double factor = standard->y_scale / standard->x_scale[j];
        for (size_t k = 0; k < count; k++) gradient[j * count + k] *= factor;
    }
}
