/* SPDX-License-Identifier: GPL-3.0-or-later */
/* eight: logarithms of sums and regressions, in eight lanes. Every lane has the bits that it would have alone, with
 * every instruction set. Inlined into functions that are compiled for several sets. For laws.c and slope.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/lanes.h"
#include "numerics/elementary.h"

typedef double steep_lanes __attribute__((vector_size(STEEP_LANES * sizeof(double))));
typedef int64_t steep_lanes_mask __attribute__((vector_size(STEEP_LANES * sizeof(int64_t)))); /* 0 or -1 */

/* Eight lanes as two halves, each of which fits a register of most processors: where registers are shorter, a compiler
 * splits a comparison of eight lanes into scalars. */
typedef int64_t steep_half_mask __attribute__((vector_size(STEEP_LANES * sizeof(int64_t) / 2)));
typedef union steep_halves {
    steep_lanes all;
    steep_half half[2];
} steep_halves;
typedef union steep_halves_mask {
    steep_lanes_mask all;
    steep_half_mask half[2];
} steep_halves_mask;

/* The mask of left op right; either may be a scalar. */
#define STEEP_LANES_COMPARE(left, op, right)                                                                           \
    (__extension__({                                                                                                   \
        const steep_halves left_ = {(left) - (steep_lanes){0}}, right_ = {(right) - (steep_lanes){0}};                 \
        steep_halves_mask mask_;                                                                                       \
        mask_.half[0] = left_.half[0] op right_.half[0];                                                               \
        mask_.half[1] = left_.half[1] op right_.half[1];                                                               \
        mask_.all;                                                                                                     \
    }))

/* where condition holds first, elsewhere second; either may be a scalar */
#define STEEP_LANES_SELECT(condition, first, second)                                                                   \
    ((steep_lanes)(((condition) & (steep_lanes_mask)((first) - (steep_lanes){0})) |                                    \
                   (~(condition) & (steep_lanes_mask)((second) - (steep_lanes){0}))))

#define STEEP_LANES_FINITE(v) STEEP_LANES_COMPARE((v) - (v), ==, 0)

/* *x = function(*x) */
#define STEEP_EIGHT_FUNCTION(name, function)                                                                           \
    STEEP_INLINE void name(steep_lanes *x)                                                                             \
    {                                                                                                                  \
        double v[STEEP_LANES];                                                                                         \
        memcpy(v, x, sizeof v);                                                                                        \
        for (int l = 0; l < STEEP_LANES; l++) v[l] = function(v[l]);                                                   \
        memcpy(x, v, sizeof v);                                                                                        \
    }

STEEP_EIGHT_FUNCTION(steep_eight_exp, steep_exp)
STEEP_EIGHT_FUNCTION(steep_eight_log, steep_log)
STEEP_EIGHT_FUNCTION(steep_eight_log1p, steep_log1p)
STEEP_EIGHT_FUNCTION(steep_eight_sqrt, sqrt)

/* sum = log(e^sum + e^weight), both finite or -infinity. */
STEEP_INLINE void steep_eight_add(steep_lanes *sum, const steep_lanes *weight)
{
    const steep_lanes_mask above = STEEP_LANES_COMPARE(*sum, >, *weight);
    const steep_lanes most = STEEP_LANES_SELECT(above, *sum, *weight), least = STEEP_LANES_SELECT(above, *weight, *sum);
    steep_lanes y = least - most;
    steep_eight_exp(&y);
    y = 1 + y;
    steep_eight_log(&y);
    *sum = STEEP_LANES_SELECT(STEEP_LANES_COMPARE(most, >, -INFINITY), most + y, most);
}

#define STEEP_REGRESSION_COLUMNS 4 /* at most: z's, then x, and last y */

/* Number, means and central second moments (lower triangle) of the columns of eight regressions, over points that are
 * added one by one, with the same weights in all eight. Starts as {0}. */
typedef struct steep_eight_moments {
    double n;
    steep_lanes mean[STEEP_REGRESSION_COLUMNS];
    steep_lanes second[STEEP_REGRESSION_COLUMNS][STEEP_REGRESSION_COLUMNS];
} steep_eight_moments;

/* Adds a point: z's in value[0..x-1], x in value[x], y in value[x + 1]. */
STEEP_INLINE void steep_eight_moments_add(steep_eight_moments *m, size_t x, const steep_lanes *value, double weight)
{
    const double f = m->n * weight / (m->n + weight);
    steep_lanes distance[STEEP_REGRESSION_COLUMNS];
    m->n += weight;
    STEEP_UNROLL
    for (size_t i = 0; i <= x + 1; i++) distance[i] = value[i] - m->mean[i];
    STEEP_UNROLL
    for (size_t i = 0; i <= x + 1; i++) {
        STEEP_UNROLL
        for (size_t j = 0; j <= i; j++) m->second[i][j] += f * distance[i] * distance[j];
        m->mean[i] += distance[i] * weight / m->n;
    }
}

/* Coefficients of y on a constant, z's and x, and their variances for noise of variance 1. */
typedef struct steep_eight_regression {
    steep_lanes_mask fine;         /* 0: the columns but y are dependent over the points; other fields are undefined */
    steep_lanes determinant, rest; /* of the second moments of these columns; least sum of squares */
    steep_lanes x, z[STEEP_REGRESSION_COLUMNS - 2], variance, z_variance[STEEP_REGRESSION_COLUMNS - 2];
} steep_eight_regression;

/* By the Cholesky factor L of the second moments. y has the last row and x the row before, so that the coefficient of x
 * takes one division. */
STEEP_INLINE void steep_eight_regress(const steep_eight_moments *m, size_t x, steep_eight_regression *r)
{
    const steep_lanes none = {0};
    steep_lanes l[STEEP_REGRESSION_COLUMNS][STEEP_REGRESSION_COLUMNS];
    const steep_lanes *y = l[x + 1];
    r->determinant = none + 1;
    r->fine = none == 0;
    STEEP_UNROLL
    for (size_t i = 0; i <= x + 1; i++) {
        STEEP_UNROLL
        for (size_t j = 0; j <= i; j++) {
            steep_lanes sum = m->second[i][j];
            STEEP_UNROLL
            for (size_t k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
            if (j < i) {
                l[i][j] = sum / l[j][j];
                continue;
            }
            l[i][i] = STEEP_LANES_SELECT(STEEP_LANES_COMPARE(sum, >, 0), sum, 0);
            if (i > x) continue;
            r->fine &= STEEP_LANES_COMPARE(sum, >, 1e-10 * m->second[i][i]);
            r->determinant *= sum;
            steep_eight_sqrt(&l[i][i]);
        }
    }
    r->rest = y[x + 1];
    r->x = y[x] / l[x][x];
    if (x > 1) r->z[1] = (y[1] - l[x][1] * r->x) / l[1][1];
    if (x > 0) r->z[0] = (y[0] - l[x][0] * r->x - (x > 1 ? l[1][0] * r->z[1] : none)) / l[0][0];
    r->variance = 1 / (l[x][x] * l[x][x]);
    STEEP_UNROLL
    for (size_t j = 0; j < x; j++) { /* L w = a unit vector */
        steep_lanes w[STEEP_REGRESSION_COLUMNS - 1];
        r->z_variance[j] = none;
        STEEP_UNROLL
        for (size_t i = j; i <= x; i++) {
            steep_lanes sum = none + (i == j);
            STEEP_UNROLL
            for (size_t k = j; k < i; k++) sum -= l[i][k] * w[k];
            w[i] = sum / l[i][i];
            r->z_variance[j] += w[i] * w[i];
        }
    }
}

/* A single regression on z and x, in all lanes alike: adds the point (z, x, y), or weight points at one place. */
static inline void steep_moments_add(steep_eight_moments *m, const double value[3], double weight)
{
    steep_lanes v[3];
    for (int k = 0; k < 3; k++) v[k] = value[k] - (steep_lanes){0};
    steep_eight_moments_add(m, 1, v, weight);
}

/* Regresses y on a constant, z and x. False where these are dependent over the points. */
static inline bool steep_regress(const steep_eight_moments *m, steep_eight_regression *r)
{
    steep_eight_regress(m, 1, r);
    return r->fine[0] != 0;
}
