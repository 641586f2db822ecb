/* SPDX-License-Identifier: GPL-3.0-or-later */
/* target: what is approximated: a formula, a target on its box, sample points, points from a file. */
#ifndef STEEP_PUBLIC_TARGET_H
#define STEEP_PUBLIC_TARGET_H

#include "steep/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Formulas: numbers, the variables, pi, e, + - * / ^ (right-associative; ** is ^; unary minus binds weaker than ^),
 * parentheses and sin cos tan asin acos atan sinh cosh tanh exp log sqrt cbrt abs sign relu erf erfc expm1 log1p
 * sigmoid min(a,b) max(a,b) pow(a,b), and the activations relu2 relu3 relu4 leaky_relu relu6 gelu silu softplus mish
 * elu celu, which are formulas of these. Numbers have a decimal point (the caller's LC_NUMERIC is "C"). NaN in, NaN
 * out: relu, min, max and sign hide none.
 *
 * At a kink of abs, min or max, derivatives are those of the right-hand branch: the one that holds for small t > 0
 * along the direction asked for. relu'(0) = 0, as for the networks; max(x,0) is the same function with the right-hand
 * branch. */
#define STEEP_JET_ORDER         8     /* highest order of a Taylor jet */
#define STEEP_FORMULA_LENGTH    4096  /* most characters */
#define STEEP_FORMULA_DEPTH     200   /* deepest nesting of parentheses, powers and signs */
#define STEEP_FORMULA_VARIABLES 10000 /* highest x of a formula: a larger number is taken for a slip */

typedef struct steep_formula steep_formula;

/* Parses text. Dimension: the highest variable used (x or x1: 1, y or x2: 2, ...), at least 1. A syntax error is
 * STEEP_BAD_INPUT with the column (from 1), a caret line, and what was expected; an unknown name suggests the nearest.
 * A formula that is too long or nested too deeply is refused likewise. */
STEEP_API steep_status steep_formula_parse(const char *text, steep_formula **formula, steep_error *error);

/* The same for a unit h(z1.., e1.., s1.., a1.., m1..) (steep/network.h): counts[0..4] are the numbers of branches z, own
 * scalars e, shared maps s, shared scalars a and layer moments m, each numbered from 1 without gaps, one branch at
 * least. As a function of points its coordinates are these, in this order; its dimension is their number. */
STEEP_API steep_status steep_formula_parse_unit(const char *text, steep_formula **formula, size_t counts[5],
                                                steep_error *error);
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

/* Opens by catalogue name, else as a formula. A name may set its target's parameters, by numbers or formulas without
 * variables: "moa_type1:lambda=3", "moa_ridge:u1=cos(1),u2=sin(1)"; the others keep their defaults. A word that is
 * neither is an unknown name and suggests the nearest. A formula that is not finite in double on a grid of its box
 * (1025 points; 33 a side in 2D, fewer beyond; ends and centre included) is STEEP_BAD_INPUT naming the first such
 * point. In more than 9 dimensions these are the centre, the corners of all low and all high ends, and 1022 random ones
 * of the grid 3 a side (fewer beyond 1e4 dimensions). */
STEEP_API steep_status steep_target_open(const char *text, steep_target **target, steep_error *error);

/* The same on a box of one's own: "-1:1,0:2*pi"; NULL: as above. The name does not say the domain. */
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
    double *low, *high; /* the box they stand for, dim entries each */
} steep_samples;

/* count uniform random points of the target's box, 1 <= count <= 1e8, in any dimension; the numbers of seed: the first
 * of more points are those of fewer. Sorted in 1D. A value that is not finite is STEEP_BAD_INPUT naming the point, here
 * and below. On failure *samples is zeroed. */
STEEP_API steep_status steep_samples_random(const steep_target *target, size_t count, uint64_t seed,
                                            steep_samples *samples, steep_error *error);

/* Equispaced, ends included: count points in 1D; in dim > 1 the full grid with the smallest side s, s^dim >= count
 * (first coordinate fastest). 2 <= count <= 1e8; a grid of more than 2e8 points (2 a side in 28 dimensions and more) is
 * refused. */
STEEP_API steep_status steep_samples_grid(const steep_target *target, size_t count, steep_samples *samples,
                                          steep_error *error);

/* The training set of a kind: count random points, the grid, the Gauss points of the whole box with the smallest side
 * that gives count, or the first count points
 * of Sobol's sequence (gsl_qrng_sobol; 40 dimensions at most), x + s mod 1 in each coordinate with a shift s drawn from
 * the seed. The number is 0 for what is refused. */
STEEP_API steep_status steep_samples_train(const steep_target *target, steep_sampling sampling, size_t count,
                                           uint64_t seed, steep_samples *samples, steep_error *error);

/* The test set that goes with a training set of that kind and count.
 *   gauss       Gauss points of the box, one more a side than a Gauss training set has: other points
 *   random      count random points of a stream of their own, the same for all
 *   sobol       count points of the sequence, with a shift of their own, the same for all
 *   grid        the grid of half the spacing where the training set is a grid, else the grid of count;
 *               in more than STEEP_GRID_DIM dimensions random points
 * 2 <= count <= 1e8. */
STEEP_API steep_status steep_samples_test(const steep_target *target, steep_sampling sampling, steep_sampling test,
                                          size_t count, steep_samples *samples, steep_error *error);

STEEP_API void steep_samples_free(steep_samples *samples);

typedef struct steep_standard {
    size_t dim; /* 0: none */
    double *x_mean, *x_scale;
    double y_mean, y_scale;
} steep_standard;

typedef struct steep_points_options {
    /* Names of columns, those of x separated by commas: "a,b"; a name that has a comma is put between quotes. NULL: y
     * is the last column named y, f or value; x are x1, x2, ... as many as there are, or else x, y, z as far as they
     * are there (x,y is 1D; x,y,f is 2D). x "rest": all columns but y. */
    const char *x, *y;
    const char *domain; /* the box, as in "-1:1,0:2*pi"; NULL: that of the training points */
    const char *test;   /* a file of test points with the same columns; NULL: none */
    double holdout;     /* 0: none; else the part of the points that is kept for the test, below 1 */
    uint64_t seed;      /* of the choice of these */
    size_t folds, fold; /* folds > 1: the points are shared out to so many folds, and this one is the test */
    bool standardize;
    bool drop_missing; /* rows with a cell that is used and empty, or NA, N/A, NaN, null or ?, are left out */
} steep_points_options;

typedef struct steep_points {
    size_t dim;
    char **x, *y;                            /* names of the columns; y NULL where none was read */
    steep_samples train, test;               /* in the file's units; test.count = 0: none */
    steep_standard standard;                 /* dim = 0: not standardized; else from the training points alone */
    steep_samples scaled_train, scaled_test; /* count = 0 where not standardized */
    uint64_t sum[2];             /* of the bytes of the file, and of the test file (0: none), as they were read */
    size_t bytes[2], dropped[2]; /* of each: its length, and how many rows were left out */
} steep_points;

/* Reads the points and makes the sets. Columns that are not named may hold anything. STEEP_BAD_INPUT, naming the file
 * and what applies of line and column: a column that is not there (the nearest is suggested, those there are listed) or
 * there twice or asked for twice; text, NaN or infinity in a column that is used; a point outside the domain; a last
 * line that is cut short (one that lacks only its newline counts); no point, without a domain fewer than 2 or a
 * coordinate that is the same in all training points; a holdout that leaves none to train or none to test; holdout and
 * test file both; a file whose name is not UTF-8, as a run's record has to be. In 1D sets are sorted by x, then y;
 * otherwise they are in the file's order. options NULL: all 0. On failure *points is zeroed. */
STEEP_API steep_status steep_points_read(const char *path, const steep_points_options *options, steep_points *points,
                                         steep_error *error);
STEEP_API void steep_points_free(steep_points *points);

/* What a network is fitted to: the sets, standardized where asked for. The test is NULL where there is none. */
STEEP_API const steep_samples *steep_points_train(const steep_points *points);
STEEP_API const steep_samples *steep_points_test(const steep_points *points);

#ifdef __cplusplus
}
#endif

#endif
