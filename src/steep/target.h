/* SPDX-License-Identifier: GPL-3.0-or-later */
/* target: what is approximated: a formula, a target on its box, sample points, points from a file. */
#pragma once

#include "steep/status.h"

/* Formulas: numbers, the variables, pi, e, + - * / ^ (right-associative; ** is ^; unary minus binds weaker than ^),
 * parentheses and sin cos tan asin acos atan sinh cosh tanh exp log sqrt cbrt abs sign relu erf erfc expm1 log1p
 * J0 J1 (Bessel) sigmoid min(a,b) max(a,b) pow(a,b), and the activations relu2 relu3 relu4 leaky_relu relu6 gelu silu
 * softplus mish elu celu, which are formulas of these. Numbers have a decimal point (the caller's LC_NUMERIC is "C").
 * NaN in, NaN out: relu, min, max and sign hide none.
 *
 * At a kink of abs, min or max, derivatives are those of the right-hand branch, which holds for small t > 0 along the
 * requested direction. relu'(0) = 0, as in networks; max(x,0) is the same function but takes the right-hand branch. */
#define STEEP_JET_ORDER         8     /* highest order of a Taylor jet */
#define STEEP_FORMULA_LENGTH    4096  /* most characters */
#define STEEP_FORMULA_DEPTH     200   /* deepest nesting of parentheses, powers and signs */
#define STEEP_FORMULA_VARIABLES 10000 /* highest x of a formula: a larger number is taken for a slip */

typedef struct steep_formula steep_formula;

/* Parses text. Dimension: the highest variable used (x or x1: 1, y or x2: 2, ...), at least 1. A syntax error is
 * STEEP_BAD_INPUT with the column (from 1), a caret line, and what was expected; an unknown name suggests the nearest.
 * A formula that is too long or nested too deeply is refused likewise. */
STEEP_API steep_status steep_formula_parse(const char *text, steep_formula **formula, steep_error *error);

STEEP_API void steep_formula_free(steep_formula *formula);

/* y[k] = f(x_k), evaluated in long double and rounded, k < count; x is column-major, coordinate j of point k at
 * x[j * count + k]. */
STEEP_API void steep_formula_values(const steep_formula *formula, size_t count, const double *x, double *y);

typedef struct steep_target {
    char *name; /* catalogue name, or the formula as the user wrote it */
    steep_formula *formula;
    size_t dim;
    double *low, *high; /* the box, dim entries each; [-1,1]^dim unless the catalogue or a domain says otherwise */
} steep_target;

/* Names of the catalogue, NULL past the last (for options and suggestions). */
STEEP_API const char *steep_target_names(size_t index);

/* Opens a target by its catalogue name, else as a formula. A name may set the target's parameters, by numbers or
 * formulas without variables: "moa_type1:lambda=3", "moa_ridge:u1=cos(1),u2=sin(1)"; other parameters keep their
 * defaults. A word that is neither name nor formula is refused with the nearest name. A formula that is not finite in
 * double on a grid of its box is STEEP_BAD_INPUT, naming the first such point. The grid has 1025 points, in 2D 33 a
 * side, in more dimensions fewer; ends and centre included. In more than 9 dimensions the points are the centre, the
 * corners of all low and all high ends, and 1022 random ones of the grid 3 a side (fewer beyond 1e4 dimensions). */
STEEP_API steep_status steep_target_open(const char *text, steep_target **target, steep_error *error);

/* steep_target_open on a given box, such as "-1:1,0:2*pi"; NULL: the default box. The name does not show the domain. */
STEEP_API steep_status steep_target_open_on(const char *text, const char *domain, steep_target **target,
                                            steep_error *error);
STEEP_API void steep_target_free(steep_target *target);

typedef enum steep_sampling { STEEP_RANDOM, STEEP_GRID, STEEP_GAUSS, STEEP_SOBOL } steep_sampling;

#define STEEP_SOBOL_DIM 40 /* the most dimensions of Sobol points */

typedef struct steep_samples {
    size_t count, dim;
    double *x;          /* column-major: coordinate j of point k at x[j * count + k]; ascending when dim = 1 */
    double *y;          /* values, correctly rounded from the long double reference where there is a formula */
    double *weight;     /* sums to 1; NULL: all equal, 1/count */
    double *low, *high; /* the box of the samples, dim entries each */
} steep_samples;

/* count uniform random points of the target's box, 1 <= count <= 1e8, in any dimension, drawn from seed: a larger set
 * contains the smaller sets of the same seed. Sorted in 1D. A value that is not finite is STEEP_BAD_INPUT, naming the
 * point, here and in the functions below. On failure *samples is zeroed. */
STEEP_API steep_status steep_samples_random(const steep_target *target, size_t count, uint64_t seed,
                                            steep_samples *samples, steep_error *error);

/* Equispaced points, ends included: count points in 1D; in dim > 1 the full grid with the smallest side s such that
 * s^dim >= count (first coordinate fastest). 2 <= count <= 1e8; a grid of more than 2e8 points (2 a side in 28
 * dimensions and more) is refused. */
STEEP_API steep_status steep_samples_grid(const steep_target *target, size_t count, steep_samples *samples,
                                          steep_error *error);

/* The training set of a kind: count random points, the grid, the Gauss points of the whole box with the smallest side
 * that gives count, or the first count points of Sobol's sequence (gsl_qrng_sobol; 40 dimensions at most), x + s mod 1
 * in each coordinate with a shift s drawn from the seed. */
STEEP_API steep_status steep_samples_train(const steep_target *target, steep_sampling sampling, size_t count,
                                           uint64_t seed, steep_samples *samples, steep_error *error);

/* The test set that goes with a training set of that kind and count.
 *   gauss       Gauss points of the box, one more a side than a Gauss training set has (63 for its 64): other points
 *   random      count random points of a stream of their own, the same for all
 *   sobol       count points of the sequence, with a shift of their own, the same for all
 *   grid        the grid of half the spacing where the training set is a grid, else the grid of count;
 *               in more than STEEP_GRID_DIM dimensions random points
 * 2 <= count <= 1e8. */
STEEP_API steep_status steep_samples_test(const steep_target *target, steep_sampling sampling, steep_sampling test,
                                          size_t count, steep_samples *samples, steep_error *error);

STEEP_API void steep_samples_free(steep_samples *samples);
