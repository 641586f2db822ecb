/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spline: a piecewise polynomial on ascending knots, as local Taylor coefficients. */
#pragma once

#include <stddef.h>

#include "base/status.h"
#include "steep/spline.h"

/* A zero spline. STEEP_BAD_INPUT unless degree 1..STEEP_SPLINE_MAX_DEGREE, cells >= 1, knots finite and ascending. */
steep_status steep_spline_init(steep_spline *spline, size_t degree, size_t cells, const double *knot,
                               steep_error *error);

/* Unscaled Taylor coefficients of cell i's polynomial about the point t: c[0..degree], s = sum c[j] (x - t)^j. */
void steep_spline_taylor(const steep_spline *spline, size_t cell, long double t, long double *c);

/* Moves the expansion point of a polynomial in place: sum c[j] w^j becomes sum c'[j] (w - by)^j. */
void steep_spline_shift(size_t degree, long double by, long double *c);
