/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bracket: what no piecewise polynomial with n breakpoints can do, and what one can. */
#ifndef STEEP_SPLINE_BRACKET_H
#define STEEP_SPLINE_BRACKET_H

#include <stdbool.h>

#include "data/samples.h"
#include "steep/spline.h"

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

#endif
