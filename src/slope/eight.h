/* SPDX-License-Identifier: GPL-3.0-or-later */
/* eight: sums of logarithms and regressions, eight side by side. Every lane has the bits of the plain functions of
 * regression.h, whatever the instruction set. To be inlined into functions that are compiled for several. For laws.c. */
#ifndef STEEP_SLOPE_EIGHT_H
#define STEEP_SLOPE_EIGHT_H

#include <stdint.h>

#include "base/lanes.h"
#include "numerics/elementary.h"
#include "slope/regression.h"

typedef int64_t steep_lanes_mask __attribute__((vector_size(STEEP_LANES * sizeof(int64_t)))); /* 0 or -1 */

/* where condition holds first, elsewhere second */
#define STEEP_LANES_SELECT(condition, first, second)                                                                   \
    ((steep_lanes)(((condition) & (steep_lanes_mask)(first)) | (~(condition) & (steep_lanes_mask)(second))))

#define STEEP_LANES_FINITE(v) (((v) - (v)) == 0)

STEEP_INLINE void steep_eight_exp(steep_lanes *x)
{
    double v[STEEP_LANES];
    memcpy(v, x, sizeof v);
    for (int l = 0; l < STEEP_LANES; l++) v[l] = steep_exp(v[l]);
    memcpy(x, v, sizeof v);
}

STEEP_INLINE void steep_eight_log(steep_lanes *x)
{
    double v[STEEP_LANES];
    memcpy(v, x, sizeof v);
    for (int l = 0; l < STEEP_LANES; l++) v[l] = steep_log(v[l]);
    memcpy(x, v, sizeof v);
}

STEEP_INLINE void steep_eight_log1p(steep_lanes *x)
{
    double v[STEEP_LANES];
    memcpy(v, x, sizeof v);
    for (int l = 0; l < STEEP_LANES; l++) v[l] = steep_log1p(v[l]);
    memcpy(x, v, sizeof v);
}

STEEP_INLINE void steep_eight_sqrt(steep_lanes *x)
{
    double v[STEEP_LANES];
    memcpy(v, x, sizeof v);
    for (int l = 0; l < STEEP_LANES; l++) v[l] = sqrt(v[l]);
    memcpy(x, v, sizeof v);
}

/* sum = log(e^sum + e^weight), both finite or -infinity. */
STEEP_INLINE void steep_eight_add(steep_lanes *sum, const steep_lanes *weight)
{
    const steep_lanes_mask above = *sum > *weight;
    const steep_lanes most = STEEP_LANES_SELECT(above, *sum, *weight), least = STEEP_LANES_SELECT(above, *weight, *sum);
    steep_lanes y = least - most;
    steep_eight_exp(&y);
    y = 1 + y;
    steep_eight_log(&y);
    *sum = STEEP_LANES_SELECT(most > -INFINITY, most + y, most);
}

/* steep_moments, of eight sets of columns that have their weights in common. */
typedef struct steep_eight_moments {
    double n;
    steep_lanes mean[STEEP_REGRESSION_COLUMNS], second[STEEP_REGRESSION_COLUMNS][STEEP_REGRESSION_COLUMNS];
} steep_eight_moments;

STEEP_INLINE void steep_eight_moments_add(steep_eight_moments *m, size_t columns, const steep_lanes *value,
                                          double weight)
{
    const double f = m->n * weight / (m->n + weight);
    steep_lanes d[STEEP_REGRESSION_COLUMNS];
    m->n += weight;
    STEEP_UNROLL
    for (size_t i = 0; i < columns; i++) d[i] = value[i] - m->mean[i];
    STEEP_UNROLL
    for (size_t i = 0; i < columns; i++) {
        STEEP_UNROLL
        for (size_t j = 0; j <= i; j++) m->second[i][j] += f * d[i] * d[j];
        m->mean[i] += d[i] * weight / m->n;
    }
}

typedef struct steep_eight_regressions {
    steep_lanes x, z[STEEP_REGRESSION_COLUMNS - 2], rest, determinant, variance;
    steep_lanes z_variance[STEEP_REGRESSION_COLUMNS - 2];
    steep_lanes_mask fine; /* what steep_regress returns; where it is 0 the rest is undefined */
} steep_eight_regressions;

STEEP_INLINE void steep_eight_regress(const steep_eight_moments *m, size_t columns, steep_eight_regressions *r)
{
    const size_t y = columns - 1, x = columns - 2;
    const steep_lanes none = {0};
    steep_lanes l[STEEP_REGRESSION_COLUMNS][STEEP_REGRESSION_COLUMNS];
    r->determinant = none + 1;
    r->fine = none == 0;
    STEEP_UNROLL
    for (size_t i = 0; i < columns; i++) {
        STEEP_UNROLL
        for (size_t j = 0; j <= i; j++) {
            steep_lanes sum = m->second[i][j];
            STEEP_UNROLL
            for (size_t k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
            if (j < i) {
                l[i][j] = sum / l[j][j];
                continue;
            }
            l[i][i] = STEEP_LANES_SELECT(sum > 0, sum, none);
            if (i == y) r->rest = l[i][i];
            else {
                r->fine &= sum > 1e-10 * m->second[i][i];
                r->determinant *= sum;
            }
            steep_eight_sqrt(&l[i][i]);
        }
    }
    r->x = l[y][x] / l[x][x];
    r->variance = 1 / (l[x][x] * l[x][x]);
    if (columns > 3) r->z[1] = (l[y][1] - l[x][1] * r->x) / l[1][1];
    if (columns > 2) r->z[0] = (l[y][0] - l[x][0] * r->x - (columns > 3 ? l[1][0] * r->z[1] : none)) / l[0][0];
    STEEP_UNROLL
    for (size_t j = 0; j < x; j++) { /* L w = a unit vector */
        steep_lanes w[STEEP_REGRESSION_COLUMNS];
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

#endif
