/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bracket: what no piecewise polynomial with n breakpoints can do, and what one can. */
#ifndef STEEP_SPLINE_BRACKET_H
#define STEEP_SPLINE_BRACKET_H

#include <stdbool.h>

#include "data/samples.h"

typedef struct steep_bracket_size {
    size_t degree;            /* 0..8 */
    size_t intervals;         /* groups of samples, 2..4096: the more, the narrower the bracket */
    size_t most;              /* breakpoints */
    const volatile int *stop; /* as below */
} steep_bracket_size;

/* Root mean squares over the samples (1D, ascending, weights respected): lower[n] <= the error of every function that
 * is on each side of at most n breakpoints, wherever they are, a polynomial of the degree; upper[n] >= the error of the
 * best one. So no mlp, glu, gqu of width n with relu gates (degree 1, 2, 3) has a training error below lower[n]. n =
 * 0..most.
 *
 * Dynamic programming over "intervals" groups of neighbouring samples: a breakpoint falls into one group; leaving
 * that group out of the sum can only lower it (lower), breakpoints between groups are some breakpoints (upper). The
 * bracket narrows as intervals grows and is loose, but true, once n comes near intervals/4. O(samples intervals
 * degree^2 + most intervals^2). A size out of range is STEEP_BAD_INPUT. */
steep_status steep_bracket(const steep_samples *samples, const steep_bracket_size *size, double *lower, double *upper,
                           steep_error *error);

#define STEEP_BRACKET_WIDEST 2048 /* breakpoints */

typedef struct steep_bracket_widths {
    size_t degree; /* 0..8 */
    size_t count;
    const size_t *width;      /* breakpoints, ascending */
    const volatile int *stop; /* non-zero: STEEP_STOPPED, in a tenth of a second or so; NULL: never */
} steep_bracket_widths;

/* The same at width[i], i < count, by groups that are as fine as each width asks: lower[i], upper[i], NaN where nothing
 * is known: beyond STEEP_BRACKET_WIDEST, of values beyond 1e-100 to 1e100, and upper[i] where it was not found. On
 * smooth targets lower is 0.88 times upper and more, to the widest, unless samples are so few that each is a group. To
 * width 64 by dynamic programming as above, beyond by Lagrange's duality: the least of (sum of squares + price *
 * breakpoints) less price n, for the best price, is the convex hull over n of the least sums, which hardly differs from
 * them there. O(widest (samples/widest + 10 p) p^3) or so, p = degree + 1: milliseconds to width 100, a second to 2000.
 * Many samples are thinned first (steep_divided_thin): no group is finer than a quarter of those that the widest width
 * asks for. */
steep_status steep_bracket_at(const steep_samples *samples, const steep_bracket_widths *widths, double *lower,
                              double *upper, steep_error *error);

typedef struct steep_bracket_quadrature {
    double miss;   /* by how much lower was lowered and upper raised for it, a root mean square */
    bool resolved; /* false: there is a width at which miss is more than a twentieth of lower, and no lower there */
} steep_bracket_quadrature;

/* The same for the continuous error, the root mean square over the interval of a 1D target. f is replaced by a
 * piecewise polynomial f~ on cells that are halved until miss, the root mean square of f - f~ as the values at new
 * points show it, is small (spline/resolved); by the triangle inequality lower - miss is a bound for f where lower is
 * one for f~. Cells at singularities are halved down to rounding and left out, which only lowers lower (upper is NaN
 * then). That miss is seen at points, 6144 at least, is the one thing that is not proved. */
steep_status steep_bracket_continuous(const steep_target *target, const steep_bracket_widths *widths, double *lower,
                                      double *upper, steep_bracket_quadrature *quadrature, steep_error *error);

#endif
