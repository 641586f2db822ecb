/* SPDX-License-Identifier: GPL-3.0-or-later */
/* groups: neighbouring points, or parts of an interval, in groups as small as the best breakpoints require. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "bounds/core.h"
#include "bounds/public.h"

/* segments: the cost of one polynomial on each run of neighbouring groups, and the least cost of a division into runs:
 * the recursions under bounds. */

#define STEEP_SEGMENT_DEGREE 8 /* largest degree */

/* Groups 0..groups-1, ascending. Group g holds rows first[g]..first[g+1]-1, and a polynomial p costs on it
 *   rest[g] + sum_k root[k]^2 (y[k] - p(x[k]))^2. */
typedef struct steep_groups {
    size_t degree, count;
    size_t *first;               /* count + 1 */
    double *x, *y, *root, *rest; /* first[count] entries; rest: count */
    void *memory;                /* the block of these arrays */
    bool lost;                   /* the cost of a group is not known, and set to 0 */
} steep_groups;

/* STEEP_STOPPED, with a message, where stop is not NULL and *stop is not 0, else STEEP_OK. Bounds call this wherever a
 * tenth of a second may have passed, with any number of points. */
steep_status steep_segments_stopped(const volatile int *stop, steep_error *error);

steep_status steep_groups_allocate(size_t degree, size_t count, size_t rows, steep_groups *groups, steep_error *error);
void steep_groups_free(steep_groups *groups);

/* Adds a row to g, the last group; groups->first[g] must be set. Rows with the same x become one row with the mean of
 * their values, and rest gets the squares of their differences: each x stands once, so that rounding turns no zero
 * column into an independent one. *rows: the number of all rows. x ascending. */
void steep_groups_add(steep_groups *groups, size_t g, double x, double y, double weight, size_t *rows);

/* cost(i, j), 0 <= i <= j <= count: the least cost of groups i..j-1 by one polynomial; 0 for i = j. Known for
 * j - i <= reach[i]: cost[i * band + j - i - 1]. cost(i, k) >= cost(i, j) + cost(j, k): two polynomials do no worse
 * than one. */
typedef struct steep_segments {
    size_t count, band;
    size_t *reach;       /* count entries, 1..band */
    double *cost, *work; /* work: 3 (count + 1) entries, workspace of the functions below */
    void *memory;        /* the block of these arrays */
    double rounding;     /* estimated rounding error of the root of a sum of costs */
    int side;            /* 0: costs as computed; -1: at most, 1: at least what they are, whatever the rounding */
    bool clustered;      /* side 0: rounding may be more: points in clusters, or nearly all weight at few places */
    const volatile int *stop;
} steep_segments;

/* Computes the costs of runs of at most band groups; from a beginning i, up to the first cost above enough (INFINITY:
 * all). Givens rotations, several beginnings at a time. O(rows band degree^2). STEEP_STOPPED soon after *stop is not 0.
 * Then, and after a failure, *segments holds no memory. */
steep_status steep_segments_init(const steep_groups *groups, size_t band, double enough, int side,
                                 const volatile int *stop, steep_segments *segments, steep_error *error);
void steep_segments_free(steep_segments *segments);

/* least[n], n = 0..most: the least cost of all groups in n + 1 runs or fewer. gap 0: breakpoints stand between groups,
 * an upper bound of the least cost with any breakpoints (INFINITY where the known costs do not reach). gap 1: a lower
 * bound; a group with a breakpoint in it costs nothing, and runs are cut without a breakpoint where their costs are no
 * longer known. O(most count band). Entries that are missing when *stop becomes other than 0 are NaN. */
void steep_segments_least(const steep_segments *segments, int gap, size_t most, double *least);

/* The least of cost + price * (breakpoints) over any number of breakpoints, gap 1. For every price and every n
 *   the least cost with n breakpoints >= the returned number - price n.
 * O(count band). */
double steep_segments_priced(const steep_segments *segments, double price);

/* The cost, and in *breakpoints the number of breakpoints, of the division into runs that is best at this price (gap
 * 0). INFINITY where the known costs do not reach the end. */
double steep_segments_runs(const steep_segments *segments, double price, size_t *breakpoints);

/* resolved: a piecewise polynomial for a 1D target, on cells that are halved until it is near, and its error. */

#define STEEP_RESOLVED_POINTS 12 /* Gauss-Legendre points in a cell; the polynomial's degree is one less */

/* f~ = sum_k c[k] P_k(s), P_k Legendre's polynomials, s from -1 to 1 across [a, b]. */
typedef struct steep_resolved_cell {
    double a, b, c[STEEP_RESOLVED_POINTS];
    double miss; /* integral over the cell of (f - f~)^2, with f~ of the cell of twice the size, before it was halved:
                    an overestimate where f is smooth */
    double ends; /* the same where neighbours disagree at a common end: a jump beyond the last points */
    bool lost;   /* f is singular in this cell, which cannot be halved any more: nothing is known of it */
} steep_resolved_cell;

typedef struct steep_resolved {
    size_t count;
    steep_resolved_cell *cell; /* from the left end to the right */
    double miss;               /* (mean over the interval of (f - f~)^2)^{1/2}, over cells that are not lost */
    double largest;            /* the largest |f| at the points */
} steep_resolved;

/* Halves cells until miss is at most a thousandth of the least error of piecewise polynomials of the degree with as
 * many breakpoints as the widest width to STEEP_BOUNDS_WIDEST, estimated from the cells; or miss is rounding.
 *
 * Each of 256 cells is halved at least once, so that f is evaluated at 6144 points or more; details narrower than their
 * distances may be missed, as by any quadrature. At most 65,536 cells; miss tells the error that remains. Fails with
 * STEEP_NO_MEMORY or STEEP_STOPPED, and then *resolved is empty; values that are not finite only make lost cells. */
steep_status steep_resolve(const steep_target *target, const steep_bounds_widths *widths, steep_resolved *resolved,
                           steep_error *error);
void steep_resolved_free(steep_resolved *resolved);

/* e^{1/(2p+1)}, p = degree + 1, e the least integral over the cell of (f~ - polynomial of the degree)^2. The best
 * breakpoints share the sum of these numbers evenly. 0 for a lost cell. */
double steep_resolved_share(const steep_resolved_cell *cell, size_t degree);
/* p[k] = P_k(s), k < count. */
void steep_legendre(size_t count, double s, double *p);
/* The Gauss-Legendre rule in doubles. */
void steep_resolved_rule(size_t points, double *node, double *weight);
/* f~ at s, -1 to 1 across the cell. */
double steep_resolved_value(const steep_resolved_cell *cell, double s);

/* The object to divide into groups: samples (1D, ascending, weights respected), or a resolved function on its interval.
 * One of the two is NULL. */
typedef struct steep_divided {
    const steep_samples *samples;
    const steep_resolved *resolved;
    size_t degree;
    size_t count;  /* number of chunks: samples first[i]..first[i+1]-1, or the cells */
    size_t *first; /* of samples; NULL for cells */
    double *share; /* of each chunk: e^{1/(2p+1)}, p = degree + 1, e its own least square; plus a little everywhere */
    double total;  /* sum of the shares without the little */
    double size;   /* the largest |y| */
    double origin; /* of the groups' x: 0, or the end next to it, so that far from 0 x keeps its digits */
    const volatile int *stop; /* of the widths: functions after init return STEEP_STOPPED soon after *stop */
} steep_divided;

/* One of samples and resolved is NULL; the other must live as long as *divided. */
steep_status steep_divided_init(const steep_samples *samples, const steep_resolved *resolved,
                                const steep_bounds_widths *widths, steep_divided *divided, steep_error *error);
void steep_divided_free(steep_divided *divided);

/* Makes about count groups of equal shares, each of one sample at least. Costs are mean squares, over the samples or of
 * f~ over the interval, exact but for rounding. Groups of many samples, and f~, are replaced by degree + 1 points with
 * weights, the Gauss rule of the group's measure, and the least square that a polynomial of the degree leaves. A group
 * in a lost cell costs nothing. */
steep_status steep_divided_groups(const steep_divided *divided, size_t count, steep_groups *groups, steep_error *error);
