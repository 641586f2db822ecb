/* SPDX-License-Identifier: GPL-3.0-or-later */
/* quasi: a spline written down from a function's derivatives, of any degree and continuity. */
#pragma once

#include "data/target.h"
#include "spline/spline.h"

/* The quasi-interpolant of de Boor and Fix (Spline approximation by quasiinterpolants, 1973) in the splines of
 * the space: each B-spline's coefficient is that of the target's Taylor
 * polynomial about the mean of its inner knots. Reproduces polynomials of the degree; error O(h^{degree+1}), local:
 * each cell depends on the target within degree + 1 cells of it. Degree 1..STEEP_SPLINE_MAX_DEGREE, continuity
 * 1..degree. spline is initialised here. STEEP_NOT_FINITE names the point where a derivative is not. O(cells degree^3).
 */
steep_status steep_spline_quasi(const steep_target *target, const steep_spline_space *space, steep_spline *spline,
                                steep_error *error);

/* c of its leading error term c h^p rms f^(p), p = degree + 1, on uniform knots: its error for x^p/p!, which is
 * periodic. NaN for a class out of the ranges above, or without memory. */
double steep_spline_quasi_constant(size_t degree, size_t continuity);
