/* SPDX-License-Identifier: GPL-3.0-or-later */
/* construct_constant: the leading error of the networks that are written down (fit/construct). */
#ifndef STEEP_FIT_CONSTRUCT_CONSTANT_H
#define STEEP_FIT_CONSTRUCT_CONSTANT_H

#include "fit/problem.h"

/* Lines, C^0 quadratics, C^0 and C^1 cubics are interpolated cell by cell; other classes quasi-interpolated. */
bool steep_construction_interpolates(const steep_piecewise *piecewise);

/* c of the leading term c h^p rms f^(p), p = degree + 1, of the error (rms) that the construction of this class leaves
 * on cells of size h: 1/sqrt 120 (mlp), 1/sqrt(945/2), 1/(6 sqrt 105), 1/sqrt 30240 (glu: march, right slope,
 * midpoint), sqrt(128/315)/384 (gqu and its cubic relatives), and what spline/quasi leaves elsewhere. NaN for a class
 * that is none. */
double steep_construction_constant(const steep_piecewise *piecewise, steep_construction construction);

#endif
