/* SPDX-License-Identifier: GPL-3.0-or-later */
/* groups: neighbouring points, or parts of an interval, put together for segments, as fine as best breakpoints ask. */
#pragma once

#include <stdbool.h>

#include "bounds/core.h"
#include "bounds/public.h"
#include "bounds/segments.h"

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
 * that a lost cell reaches into costs nothing; lost says whether there is one. */
steep_status steep_divided_groups(const steep_divided *divided, size_t count, steep_groups *groups, bool *lost,
                                  steep_error *error);
