/* SPDX-License-Identifier: GPL-3.0-or-later */
/* eight: sums of logarithms and regressions, eight side by side. Every lane has the bits that it would have alone,
 * whatever the instruction set. To be inlined into functions that are compiled for several. For laws.c. */
#pragma once

#include <stdint.h>

#include "base/lanes.h"
#include "numerics/elementary.h"

typedef int64_t steep_lanes_mask __attribute__((vector_size(STEEP_LANES * sizeof(int64_t)))); /* 0 or -1 */

/* Eight lanes, as halves that a register of most processors holds: a comparison of eight at once is taken apart into
 * scalars where registers are shorter. */
typedef double steep_half __attribute__((vector_size(STEEP_LANES * sizeof(double) / 2)));
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

/* where condition holds first, elsewhere second */
#define STEEP_LANES_SELECT(condition, first, second)                                                                   \
    ((steep_lanes)(((condition) & (steep_lanes_mask)(first)) | (~(condition) & (steep_lanes_mask)(second))))

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

#define STEEP_REGRESSION_COLUMNS 4 /* z's, x and, the last, y, at most */

/* Number, means and central second moments (lower triangle) of the columns but y of eight regressions, over points that
 * are taken up one by one, with weights in common. Starts as {0}. */
typedef struct steep_eight_moments {
    double n;
    steep_lanes mean[STEEP_REGRESSION_COLUMNS - 1];
    steep_lanes second[STEEP_REGRESSION_COLUMNS - 1][STEEP_REGRESSION_COLUMNS - 1];
} steep_eight_moments;

/* What y needs of the columns at one point: their distances from the means of the points before. */
STEEP_INLINE void steep_eight_moments_add(steep_eight_moments *m, size_t x, const steep_lanes *value, double weight,
                                          steep_lanes *distance)
{
    const double f = m->n * weight / (m->n + weight);
    m->n += weight;
    STEEP_UNROLL
    for (size_t i = 0; i <= x; i++) distance[i] = value[i] - m->mean[i];
    STEEP_UNROLL
    for (size_t i = 0; i <= x; i++) {
        STEEP_UNROLL
        for (size_t j = 0; j <= i; j++) m->second[i][j] += f * distance[i] * distance[j];
        m->mean[i] += distance[i] * weight / m->n;
    }
}

/* The moments of y. */
typedef struct steep_eight_response {
    double n;
    steep_lanes mean, second[STEEP_REGRESSION_COLUMNS];
} steep_eight_response;

STEEP_INLINE void steep_eight_response_add(steep_eight_response *m, size_t x, const steep_lanes *distance,
                                           const steep_lanes *y, double weight)
{
    const double f = m->n * weight / (m->n + weight);
    const steep_lanes d = *y - m->mean;
    m->n += weight;
    STEEP_UNROLL
    for (size_t j = 0; j <= x; j++) m->second[j] += f * d * distance[j];
    m->second[x + 1] += f * d * d;
    m->mean += d * weight / m->n;
}

/* Cholesky's factor L of the columns but y, second = L L^T, and what depends on it alone. x stands last, so that its
 * coefficient is one division. variance, z_variance: of the coefficients, where that of the noise is 1. */
typedef struct steep_eight_factor {
    steep_lanes_mask fine; /* 0: the columns are dependent over the points, and the rest is undefined */
    steep_lanes l[STEEP_REGRESSION_COLUMNS - 1][STEEP_REGRESSION_COLUMNS - 1], determinant, variance;
    steep_lanes z_variance[STEEP_REGRESSION_COLUMNS - 2];
} steep_eight_factor;

STEEP_INLINE void steep_eight_factorize(const steep_eight_moments *m, size_t x, steep_eight_factor *f)
{
    const steep_lanes none = {0};
    f->determinant = none + 1;
    f->fine = none == 0;
    STEEP_UNROLL
    for (size_t i = 0; i <= x; i++) {
        STEEP_UNROLL
        for (size_t j = 0; j <= i; j++) {
            steep_lanes sum = m->second[i][j];
            STEEP_UNROLL
            for (size_t k = 0; k < j; k++) sum -= f->l[i][k] * f->l[j][k];
            if (j < i) {
                f->l[i][j] = sum / f->l[j][j];
                continue;
            }
            f->l[i][i] = STEEP_LANES_SELECT(STEEP_LANES_COMPARE(sum, >, 0), sum, none);
            f->fine &= STEEP_LANES_COMPARE(sum, >, 1e-10 * m->second[i][i]);
            f->determinant *= sum;
            steep_eight_sqrt(&f->l[i][i]);
        }
    }
    f->variance = 1 / (f->l[x][x] * f->l[x][x]);
    STEEP_UNROLL
    for (size_t j = 0; j < x; j++) { /* L w = a unit vector */
        steep_lanes w[STEEP_REGRESSION_COLUMNS - 1];
        f->z_variance[j] = none;
        STEEP_UNROLL
        for (size_t i = j; i <= x; i++) {
            steep_lanes sum = none + (i == j);
            STEEP_UNROLL
            for (size_t k = j; k < i; k++) sum -= f->l[i][k] * w[k];
            w[i] = sum / f->l[i][i];
            f->z_variance[j] += w[i] * w[i];
        }
    }
}

typedef struct steep_eight_solution {
    steep_lanes x, z[STEEP_REGRESSION_COLUMNS - 2], rest;
} steep_eight_solution;

STEEP_INLINE void steep_eight_solve(const steep_eight_factor *f, const steep_eight_response *m, size_t x,
                                    steep_eight_solution *r)
{
    const steep_lanes none = {0};
    steep_lanes l[STEEP_REGRESSION_COLUMNS];
    STEEP_UNROLL
    for (size_t j = 0; j <= x + 1; j++) {
        steep_lanes sum = m->second[j];
        STEEP_UNROLL
        for (size_t k = 0; k < j; k++) sum -= l[k] * (j <= x ? f->l[j][k] : l[k]);
        if (j <= x) l[j] = sum / f->l[j][j];
        else r->rest = STEEP_LANES_SELECT(STEEP_LANES_COMPARE(sum, >, 0), sum, none);
    }
    r->x = l[x] / f->l[x][x];
    if (x > 1) r->z[1] = (l[1] - f->l[x][1] * r->x) / f->l[1][1];
    if (x > 0) r->z[0] = (l[0] - f->l[x][0] * r->x - (x > 1 ? f->l[1][0] * r->z[1] : none)) / f->l[0][0];
}
