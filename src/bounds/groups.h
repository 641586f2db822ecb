/* SPDX-License-Identifier: GPL-3.0-or-later */
/* groups: neighbouring points, or parts of an interval, put together for segments, as fine as best breakpoints ask. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "bounds/core.h"
#include "bounds/public.h"

/* segments: how well one polynomial does on each run of neighbouring groups, and what the best division into runs
 * costs: the recursions under bounds. */

#define STEEP_SEGMENT_DEGREE 8 /* the most */

/* Groups 0..groups-1, ascending. Group g holds rows first[g]..first[g+1]-1, and a polynomial p costs on it
 *   rest[g] + sum_k root[k]^2 (y[k] - p(x[k]))^2. */
typedef struct steep_groups {
    size_t degree, count;
    size_t *first;               /* count + 1 */
    double *x, *y, *root, *rest; /* first[count] entries; rest: count */
    void *memory;                /* of these */
    bool lost;                   /* the costs of one are not known, and 0 */
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

/* resolved: a 1D target as a piecewise polynomial on cells that are halved until it is one, and how far it is off. */

#define STEEP_RESOLVED_POINTS 12 /* Gauss-Legendre in a cell; the polynomial has one degree less */

/* f~ = sum_k c[k] P_k(s), P_k Legendre's polynomials, s from -1 to 1 across [a, b]. */
typedef struct steep_resolved_cell {
    double a, b, c[STEEP_RESOLVED_POINTS];
    double miss; /* integral over the cell of (f - f~)^2, measured on the cell of twice the size, before it was halved:
                    an overestimate where f is smooth */
    double ends; /* the same where cells disagree at their common end: a jump beyond the last points */
    bool lost;   /* f is singular in this cell, which cannot be halved any more: nothing is known of it */
} steep_resolved_cell;

typedef struct steep_resolved {
    size_t count;
    steep_resolved_cell *cell; /* from the left end to the right */
    double miss;               /* (mean over the interval of (f - f~)^2)^{1/2}, over cells that are not lost */
    double largest;            /* |f|, of the values that were seen */
} steep_resolved;

/* Halves until miss is at most a thousandth of the error of the best piecewise polynomial of the degree with as many
 * breakpoints as the widest to STEEP_BOUNDS_WIDEST has, as the cells estimate it; or of rounding.
 *
 * 256 cells are halved once at least, so that f is seen at 6144 points and more: what is narrower than their distances
 * may be missed, as by any quadrature. 65,536 cells at most, after which miss says what is left. STEEP_NO_MEMORY, or
 * STEEP_STOPPED, and then *resolved is empty: values that are not finite are a matter of lost cells. */
steep_status steep_resolve(const steep_target *target, const steep_bounds_widths *widths, steep_resolved *resolved,
                           steep_error *error);
void steep_resolved_free(steep_resolved *resolved);

/* e^{1/(2p+1)}, p = degree + 1, e the least integral over the cell of (f~ - polynomial of the degree)^2: what best
 * breakpoints share evenly. 0 for a lost cell. */
double steep_resolved_share(const steep_resolved_cell *cell, size_t degree);
/* p[k] = P_k(s), k < count. */
void steep_legendre(size_t count, double s, double *p);
/* Gauss' rule in doubles. */
void steep_resolved_rule(size_t points, double *node, double *weight);
/* f~ at s, -1 to 1 across the cell. */
double steep_resolved_value(const steep_resolved_cell *cell, double s);

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
    const volatile int *stop; /* of the widths: what follows init is STEEP_STOPPED soon after *stop */
} steep_divided;

/* samples or resolved, the other NULL; they are used as long as *divided is. */
steep_status steep_divided_init(const steep_samples *samples, const steep_resolved *resolved,
                                const steep_bounds_widths *widths, steep_divided *divided, steep_error *error);
void steep_divided_free(steep_divided *divided);

/* Groups of equal shares, about that many, each of one sample at least. Costs are mean squares: over the samples, or of
 * f~ over the interval, exact but for rounding. Long rows of samples and f~ are replaced by degree + 1 points with
 * weights, the Gauss rule of the group's measure, and the square that no polynomial of the degree can reach. A group
 * that a lost cell reaches into costs nothing. */
steep_status steep_divided_groups(const steep_divided *divided, size_t count, steep_groups *groups, steep_error *error);
