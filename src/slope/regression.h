/* SPDX-License-Identifier: GPL-3.0-or-later */
/* regression: least squares on a few columns, of points taken up one by one. For laws.c. */
#ifndef STEEP_SLOPE_REGRESSION_H
#define STEEP_SLOPE_REGRESSION_H

#include <stdbool.h>
#include <stddef.h>

#define STEEP_REGRESSION_COLUMNS 4

/* Number, means and central second moments (lower triangle) of the columns: z's, x and, the last, y. Starts as {0}. */
typedef struct steep_moments {
    double n, mean[STEEP_REGRESSION_COLUMNS], second[STEEP_REGRESSION_COLUMNS][STEEP_REGRESSION_COLUMNS];
} steep_moments;

/* One more point, its columns; or weight points at one place. */
void steep_moments_add(steep_moments *moments, size_t columns, const double *value, double weight);

typedef struct steep_regression {
    double x, z[STEEP_REGRESSION_COLUMNS - 2];       /* coefficients */
    double rest, determinant;                        /* least sum of squares; of the other columns' second moments */
    double variance;                                 /* of x's coefficient, where that of the noise is 1, */
    double z_variance[STEEP_REGRESSION_COLUMNS - 2]; /* and of the z's */
} steep_regression;

/* y on a constant, x and the columns - 2 z's, 2 <= columns <= 4. False: these are dependent over the points. */
bool steep_regress(const steep_moments *moments, size_t columns, steep_regression *regression);

/* log Gamma(k/2), k = 1, 2, .. */
double steep_log_gamma_half(double k);

#endif
