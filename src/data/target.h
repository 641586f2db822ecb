/* SPDX-License-Identifier: GPL-3.0-or-later */
/* target: a function to approximate, by name from the catalogue or by formula, on a box. */
#ifndef STEEP_DATA_TARGET_H
#define STEEP_DATA_TARGET_H

#include <stddef.h>

#include "formula/formula.h"

typedef struct steep_target {
    char *name; /* catalogue name, or the formula as the user wrote it */
    steep_formula *formula;
    size_t dim;
    double *low, *high; /* the box, dim entries each; [-1,1]^dim unless the catalogue or a domain says otherwise */
} steep_target;

/* A row of the catalogue. */
typedef struct steep_target_entry {
    const char *name, *formula, *source; /* source: where it comes from, one line */
    const char *domain;                  /* the box, as data/box.h reads it; NULL: [-1,1] in every coordinate */
    const char *parameters; /* names in the formula that are numbers, with their defaults: "lambda=1"; NULL: none */
} steep_target_entry;

/* The catalogue: entry index, or NULL past the last. */
const steep_target_entry *steep_target_catalogue(size_t index);
/* Names of the catalogue, NULL past the last (for options and suggestions). */
const char *steep_target_names(size_t index);

/* Opens by catalogue name, else as a formula. A name may set its target's parameters, by numbers or formulas without
 * variables: "moa_type1:lambda=3", "moa_ridge:u1=cos(1),u2=sin(1)"; the others keep their defaults. A word that is
 * neither is an unknown name and suggests the nearest. A formula that is not finite in double on a grid of its box
 * (1025 points; 33 a side in 2D, fewer beyond; ends and centre included) is STEEP_BAD_INPUT naming the first such
 * point. In more than 9 dimensions these are the centre, the corners of all low and all high ends, and 1022 random ones
 * of the grid 3 a side (fewer beyond 1e4 dimensions). */
steep_status steep_target_open(const char *text, steep_target **target, steep_error *error);
/* The same on a box of one's own: "-1:1,0:2*pi" (data/box.h); NULL: as above. The name does not say the domain. */
steep_status steep_target_open_on(const char *text, const char *domain, steep_target **target, steep_error *error);
void steep_target_free(steep_target *target);

/* A point as text for messages: "x = 0.5, y = 1"; x1 = ... beyond three dimensions, "..." for what does not fit. */
void steep_target_point(size_t dim, const long double *x, char *text, size_t size);

/* Taylor coefficients of a 1D target at x: c[0..order]. */
void steep_target_jet(const steep_target *target, long double x, size_t order, long double *c);

/* sqrt of the mean of (f^(order))^2 over a 1D target's interval: the size that theory lines carry. order <=
 * STEEP_JET_ORDER. Adaptive Gauss-Legendre: relative accuracy better than 1e-8, kinks and zeros of f^(order) included,
 * 1e-3 where it is singular and the mean finite, less where it oscillates on scales below 1e-4 of the interval.
 * INFINITY where the mean diverges, NaN outside f's domain. About a millisecond. */
double steep_target_rms_derivative(const steep_target *target, size_t order);

/* (mean over the interval of |f^(p)|^{1/(p+1/2)})^{p+1/2}, p = order: the size that the constants of equidistributed
 * and free knots carry (docs/explanation/theory.md, "Best fits"). Accuracy as above. */
double steep_target_free_knot_size(const steep_target *target, size_t order);

#endif
