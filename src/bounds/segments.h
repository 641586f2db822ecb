/* SPDX-License-Identifier: GPL-3.0-or-later */
/* segments: how well one polynomial does on each run of neighbouring groups, and what the best division into runs
 * costs: the recursions under bounds. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "bounds/core.h"

#define STEEP_SEGMENT_DEGREE 8 /* the most */

/* Groups 0..groups-1, ascending. Group g holds rows first[g]..first[g+1]-1, and a polynomial p costs on it
 *   rest[g] + sum_k root[k]^2 (y[k] - p(x[k]))^2. */
typedef struct steep_groups {
    size_t degree, count;
    size_t *first;               /* count + 1 */
    double *x, *y, *root, *rest; /* first[count] entries; rest: count */
    void *memory;                /* of these */
} steep_groups;

/* STEEP_STOPPED, with a sentence, where *stop is not 0, else STEEP_OK. NULL: nobody stops it. Bounds ask this wherever
 * a tenth of a second may have passed, with any number of points. */
steep_status steep_segments_stopped(const volatile int *stop, steep_error *error);

steep_status steep_groups_allocate(size_t degree, size_t count, size_t rows, steep_groups *groups, steep_error *error);
void steep_groups_free(steep_groups *groups);

/* A row at the end of the last group begun, g: groups->first[g] must be set. Rows at one x become one, with the mean of
 * their values, and rest what they differ by: each x stands once, so that rounding makes no column of nothing. *rows:
 * how many there are in all. x ascending. */
void steep_groups_add(steep_groups *groups, size_t g, double x, double y, double weight, size_t *rows);

/* cost(i, j), 0 <= i <= j <= count: the least cost of groups i..j-1 by one polynomial; 0 for i = j. Known for
 * j - i <= reach[i]: cost[i * band + j - i - 1]. cost(i, k) = cost(i, j) + cost(j, k) or more: two polynomials do
 * no worse than one. */
typedef struct steep_segments {
    size_t count, band;
    size_t *reach;       /* count entries, 1..band */
    double *cost, *work; /* work: 3 (count + 1) entries, of the functions below */
    void *memory;        /* of these */
    double rounding;     /* the root of a sum of costs may be off by this, an estimate */
    const volatile int *stop;
} steep_segments;

/* Costs of at most band groups each; no more of those that begin with group i once one is above enough (INFINITY: all).
 * Givens rotations, several beginnings at a time. O(rows band degree^2). STEEP_STOPPED soon after *stop is not 0, and
 * then there is nothing in *segments, as after a failure. */
steep_status steep_segments_init(const steep_groups *groups, size_t band, double enough, const volatile int *stop,
                                 steep_segments *segments, steep_error *error);
void steep_segments_free(steep_segments *segments);

/* least[n], n = 0..most: the least cost of all groups in n + 1 runs or fewer. gap 0: of groups, an upper bound of what
 * any breakpoints cost at best (INFINITY where the known costs do not reach). gap 1: the group with a breakpoint in it
 * costs nothing, and runs are cut for nothing where their costs are no longer known: a lower bound. O(most count band).
 * What is left when *stop becomes other than 0 is NaN. */
void steep_segments_least(const steep_segments *segments, int gap, size_t most, double *least);

/* The least of cost + price * (breakpoints) over any number of breakpoints, gap 1. For every price and every n
 *   the least cost with n breakpoints >= this - price n.
 * O(count band). */
double steep_segments_priced(const steep_segments *segments, double price);

/* The cost, and the breakpoints through *breakpoints, of runs of groups that are best at this price (gap 0). INFINITY
 * where the known costs do not reach the end. */
double steep_segments_runs(const steep_segments *segments, double price, size_t *breakpoints);
