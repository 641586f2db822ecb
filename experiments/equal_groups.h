/* SPDX-License-Identifier: GPL-3.0-or-later */
/* equal_groups: error bounds for every number of free breakpoints, by equal groups of samples. */
#ifndef STEEP_EXPERIMENTS_EQUAL_GROUPS_H
#define STEEP_EXPERIMENTS_EQUAL_GROUPS_H

#include <math.h>
#include <stdlib.h>

#include "data/samples.h"
#include "bounds/groups.h"

typedef struct bracket_size {
    size_t degree;    /* 0..8 */
    size_t intervals; /* groups of samples, 2..4096: more give narrower bounds */
    size_t most;      /* largest number of breakpoints */
} bracket_size;

static steep_status equal_groups(const steep_samples *samples, size_t degree, size_t M, steep_groups *groups,
                                 steep_error *error)
{
    steep_status status = steep_groups_allocate(degree, M, samples->count, groups, error);
    if (status != STEEP_OK) return status;
    groups->count = 0;
    for (size_t i = 1, k = 0, rows = 0; i <= M; i++) {
        size_t end = i * samples->count / M;
        while (end < samples->count && samples->x[end] == samples->x[end - 1]) end++; /* one x, one group */
        if (end <= k) continue;
        for (; k < end; k++)
            steep_groups_add(groups, groups->count, samples->x[k], samples->y[k], steep_sample_weight(samples, k),
                             &rows);
        groups->first[++groups->count] = rows;
    }
    return STEEP_OK;
}

/* Bounds of the weighted root mean square over the samples (1D, ascending), for n = 0..most: every piecewise polynomial
 * of the degree with at most n breakpoints anywhere has an error of at least lower[n], and the best one an error of at
 * most upper[n]. So no mlp, glu, gqu of width n with relu gates (degree 1, 2, 3) has a training error below
 * lower[n].
 *
 * Dynamic programming over "intervals" groups of neighbouring samples. lower: a breakpoint falls into one group, and
 * the sum without that group is no larger. upper: only breakpoints between groups are tried. More intervals give
 * narrower bounds; once n comes near intervals/4 they are loose, but true. O(samples intervals
 * degree^2 + most intervals^2). */
static steep_status bracket_equal(const steep_samples *samples, const bracket_size *size, double *lower, double *upper,
                                  steep_error *error)
{
    const size_t M = samples->count < size->intervals ? samples->count : size->intervals;
    steep_groups groups = {0};
    steep_segments segments = {0};
    steep_status status = equal_groups(samples, size->degree, M, &groups, error);
    if (status == STEEP_OK) status = steep_segments_init(&groups, M, INFINITY, 0, NULL, &segments, error);
    if (status == STEEP_OK) {
        steep_segments_least(&segments, 1, size->most, lower);
        steep_segments_least(&segments, 0, size->most, upper);
        for (size_t n = 0; n <= size->most; n++) {
            lower[n] = sqrt(lower[n]);
            upper[n] = sqrt(upper[n]);
        }
    }
    steep_groups_free(&groups);
    steep_segments_free(&segments);
    return status;
}

#endif
