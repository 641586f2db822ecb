/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spline: a piecewise polynomial on ascending knots, as local Taylor coefficients. */
#ifndef STEEP_SPLINE_SPLINE_H
#define STEEP_SPLINE_SPLINE_H

#include <stddef.h>

#include "base/status.h"

#define STEEP_SPLINE_MAX_DEGREE 8

/* On cell i, [knot[i], knot[i+1]], of size h_i: s(x) = sum_{j <= degree} coefficient[i (degree + 1) + j] z^j with
 * z = (x - knot[i+1]) / h_i in [-1, 0]. Long double, so that the jumps at knots, differences of neighbours, keep full
 * double accuracy (in double the conversion from splines to jumps fails). */
typedef struct steep_spline {
    size_t degree, cells;
    double *knot;             /* cells + 1 */
    long double *coefficient; /* cells * (degree + 1) */
} steep_spline;

/* The C^{continuity-1} splines of a degree on the cells [knot[i], knot[i+1]], i < cells. */
typedef struct steep_spline_space {
    size_t degree, continuity, cells;
    const double *knot; /* cells + 1, ascending */
} steep_spline_space;

/* A zero spline. Degree 1..STEEP_SPLINE_MAX_DEGREE, cells >= 1, knots finite and strictly ascending, else
 * STEEP_BAD_INPUT. */
steep_status steep_spline_init(steep_spline *spline, size_t degree, size_t cells, const double *knot,
                               steep_error *error);
void steep_spline_free(steep_spline *spline);

/* s(x); x outside the knots continues the first or last polynomial. O(log cells). */
long double steep_spline_value(const steep_spline *spline, long double x);

/* Unscaled Taylor coefficients of cell i's polynomial about the point t: c[0..degree], s = sum c[j] (x - t)^j. */
void steep_spline_taylor(const steep_spline *spline, size_t cell, long double t, long double *c);

/* Moves the expansion point of a polynomial in place: sum c[j] w^j becomes sum c'[j] (w - by)^j. */
void steep_spline_shift(size_t degree, long double by, long double *c);

#endif
