/* SPDX-License-Identifier: GPL-3.0-or-later */
/* target: a function to approximate, by name from the catalogue or by formula, on a box. */
#pragma once

#include <stddef.h>

#include "formula/formula.h"
#include "steep/target.h"

#define STEEP_GRID_DIM 9 /* in more dimensions a grid that fits in memory has too few points a side */

/* "-1:1,0:2*pi" into low[0..dim-1] and high[0..dim-1]: an interval for each coordinate, or one for all. The ends are
 * formulas without variables (formula/formula.h), evaluated in long double and rounded; commas within parentheses
 * belong to them. STEEP_BAD_INPUT, naming the interval: an end is missing, is no such formula or is not finite; the
 * ends do not ascend or are too far apart for a double; there are more or fewer intervals than coordinates. Messages
 * call the text a domain. */
steep_status steep_box_parse(const char *text, size_t dim, double *low, double *high, steep_error *error);

/* A row of the catalogue. */
typedef struct steep_target_entry {
    const char *name, *formula, *source; /* source: where it comes from, one line */
    const char *domain;                  /* the box, as steep_box_parse reads it; NULL: [-1,1] in every coordinate */
    const char *parameters; /* names in the formula that are numbers, with their defaults: "lambda=1"; NULL: none */
} steep_target_entry;

/* The catalogue: entry index, or NULL past the last. */
const steep_target_entry *steep_target_catalogue(size_t index);

/* A point as text for messages: "x = 0.5, y = 1"; x1 = ... beyond three dimensions, "..." for what does not fit. */
void steep_target_point(size_t dim, const long double *x, char *text, size_t size);

/* Taylor coefficients of a 1D target at x: c[0..order]. */
void steep_target_jet(const steep_target *target, long double x, size_t order, long double *c);

/* sqrt of the mean of (f^(order))^2 over a 1D target's interval: the factor of f in theory's lines. order <=
 * STEEP_JET_ORDER. Adaptive Gauss-Legendre: relative accuracy better than 1e-8, kinks and zeros of f^(order) included,
 * 1e-3 where it is singular and the mean finite, less where it has more than about a hundred zeros.
 * INFINITY where the mean diverges, or nearly does (from s^(-7/9) on at a distance s), NaN outside f's domain. About a
 * millisecond. */
double steep_target_rms_derivative(const steep_target *target, size_t order);

/* (mean over the interval of |f^(p)|^{1/(p+1/2)})^{p+1/2}, p = order: the factor of f in the error with equidistributed
 * and free knots (docs/explanation/theory.md, "Best fits"). Accuracy as above. */
double steep_target_free_knot_size(const steep_target *target, size_t order);
