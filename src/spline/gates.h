/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gates: a spline's jumps become a network's parameters. */
#pragma once

#include "base/status.h"
#include "data/target.h"
#include "model/network.h"
#include "spline/spline.h"
#include "steep/spline.h"

/* The knot of unit i's gate in 1D: the root -g/G of G x + g; infinite or NaN where G is 0. */
double steep_gates_knot(const steep_network *network, const double *theta, size_t i);

/* Writes the interior gates of a 1D network into knot (room for width): the distinct roots of the first branch strictly
 * inside (low, high), ascending. Returns their number. */
size_t steep_gates_knots(const steep_network *network, const double *theta, double low, double high, double *knot);

/* Writes the parameters of a unit into theta: its gate stands at the knot and faces right (sign > 0) or left, and on
 * the open side the unit is sum_j jump[j] (x - knot)^j. False where the architecture has no such unit. */
bool steep_gates_put(const steep_network *network, size_t unit, double sign, long double knot, const long double *jump,
                     double *theta);

/* inside: a spline as a network whose gates all stand at interior knots; no unit is active on the whole interval. */

enum { STEEP_INSIDE_RANKS = 8 };

/* Writes a network with a gate at each interior knot of the C^{continuity-1} spline (width of them) and the spline's
 * jumps. The directions of the gates decide how near the network is to the spline: a gate that faces left carries its
 * jump to the left end. All directions are compared up to width 14, else 2^14 of them; the network taken is the rank-th
 * closest to the spline in the mean square, 0 the closest, and the last where fewer exist; rank < STEEP_INSIDE_RANKS.
 * In a jump that no unit makes (complex roots) the linear coefficient changes until both roots coincide. The spline's
 * degree may be lower than the network's. O(width + 2^min(width, 14)). */
steep_status steep_gates_inside(const steep_network *network, const steep_spline *spline, size_t continuity,
                                size_t rank, double *theta, steep_error *error);

/* quasi: a spline written down from a function's derivatives, of any degree and continuity. */

/* The quasi-interpolant of de Boor and Fix (Spline approximation by quasiinterpolants, 1973) in the splines of the
 * space: a B-spline's coefficient is that of the Taylor polynomial of the target about the mean of the inner knots.
 * Reproduces polynomials of the degree; error O(h^{degree+1}), local: each cell depends on the target within degree + 1
 * cells of it. Degree 1..STEEP_SPLINE_MAX_DEGREE, continuity 1..degree. spline is initialised here. STEEP_NOT_FINITE: a
 * value or derivative is not finite; the message names the point. O(cells degree^3). */
steep_status steep_spline_quasi(const steep_target *target, const steep_spline_space *space, steep_spline *spline,
                                steep_error *error);

/* c of the quasi-interpolant's leading error term c h^p rms f^(p), p = degree + 1, on uniform knots: the rms of its
 * error for x^p/p!, which is periodic. NaN where degree or continuity is out of range, or memory is lacking. */
double steep_spline_quasi_constant(size_t degree, size_t continuity);
