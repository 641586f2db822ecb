/* SPDX-License-Identifier: GPL-3.0-or-later */
/* groups: neighbouring points, or parts of an interval, put together for segments, as fine as best breakpoints ask. */
#pragma once

#include "data/samples.h"
#include "bounds/resolved.h"
#include "bounds/segments.h"

/* What is divided: samples (1D, ascending, weights respected), or a resolved function on its interval. One of the two
 * is NULL. */
typedef struct steep_divided {
    const steep_samples *samples;
    const steep_resolved *resolved;
    size_t degree;
    size_t count;  /* chunks: of samples first[i]..first[i+1]-1, or the cells */
    size_t *first; /* of samples; NULL for cells */
    double *share; /* of each chunk, e^{1/(2p+1)}, p = degree + 1, e its own least square; and a little everywhere */
    double total;  /* sum of shares */
    double size;   /* the largest |y| */
    /* Of very many samples: groups of neighbours, finer than those that are asked for, and which sample begins each. */
    steep_groups fine;
    size_t *begin;
    const volatile int *stop; /* for who has the time: set after init; what follows is STEEP_STOPPED soon after *stop */
} steep_divided;

/* samples or resolved, the other NULL; they are used as long as *divided is. */
steep_status steep_divided_init(const steep_samples *samples, const steep_resolved *resolved, size_t degree,
                                steep_divided *divided, steep_error *error);
void steep_divided_free(steep_divided *divided);

/* Thins samples, where there are many beside groups: of each run of neighbours, of four in a group, degree + 1 points
 * with weights stay, the Gauss rule of the run's measure, and the square that no polynomial of the degree can reach.
 * The sums of squares of all polynomials over whole runs, and so what groups of whole runs cost, are the same as of all
 * samples, but for rounding; no bound that holds for any division into groups is lost. From then on groups take a time
 * that does not depend on the number of samples. O(samples (degree + 1)). */
steep_status steep_divided_thin(steep_divided *divided, size_t groups, steep_error *error);

/* Groups of equal shares, about that many, each of one sample at least. Costs are mean squares: over the samples, or of
 * f~ over the interval, exact but for rounding. Long rows of samples and f~ are replaced by degree + 1 points with
 * weights, the Gauss rule of the group's measure, and the square that no polynomial of the degree can reach. A group
 * that a lost cell reaches into costs nothing; lost says whether there is one. */
steep_status steep_divided_groups(const steep_divided *divided, size_t count, steep_groups *groups, bool *lost,
                                  steep_error *error);
