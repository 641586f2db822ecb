/* SPDX-License-Identifier: GPL-3.0-or-later */
/* constant: what theory lines carry in front of h^p. */
#ifndef STEEP_SPLINE_CONSTANT_H
#define STEEP_SPLINE_CONSTANT_H

#include <stddef.h>

/* c_p of the leading term c_p h^p rms f^(p), p = degree + 1, of the error (rms) of the best least-squares spline: cells
 * of size h, polynomials of the degree, C^{continuity-1} at the knots (continuity 0: no condition). It is the constant
 * of every cell on knots that are spread smoothly, too.
 *   continuity 0        p!/((2p)! sqrt(2p + 1)), the monic Legendre polynomial
 *   continuity degree   sqrt(|B_2p|/(2p)!), the Bernoulli polynomial; by parity also for continuity degree - 1
 *                       (C^0 quadratics, C^1 cubics, ...: mlp, glu, gqu and the gated family)
 * Full double accuracy. NaN unless continuity <= degree, 1 <= degree <= STEEP_SPLINE_MAX_DEGREE. */
double steep_spline_constant(size_t degree, size_t continuity);

#endif
