/* SPDX-License-Identifier: GPL-3.0-or-later */
/* construct_constant: the leading error of the networks that are written down (fit/construct). */
#ifndef STEEP_FIT_CONSTRUCT_CONSTANT_H
#define STEEP_FIT_CONSTRUCT_CONSTANT_H

#include "fit/problem.h"

/* c of the leading term c h^p rms f^(p), p = degree + 1, of the error (rms) that the construction of this class leaves
 * on cells of size h: 1/sqrt 120 (mlp), 1/sqrt(945/2), 1/(6 sqrt 105), 1/sqrt 30240 (glu: march, right slope,
 * midpoint), sqrt(128/315)/384 (gqu and its cubic relatives). NaN for a class without a construction of that order. */
double steep_construction_constant(const steep_piecewise *piecewise, steep_construction construction);

#endif
