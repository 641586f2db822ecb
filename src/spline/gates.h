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

/* The interior gates of a 1D network: ascending distinct roots of the first branch strictly inside (low, high), into
 * knot[<= width]; returns how many. */
size_t steep_gates_knots(const steep_network *network, const double *theta, double low, double high, double *knot);

/* Writes the unit whose gate stands at the knot and faces that way: sum_j jump[j] (x - knot)^j where it is open. False
 * where the architecture has no such unit. */
bool steep_gates_put(const steep_network *network, size_t unit, double sign, long double knot, const long double *jump,
                     double *theta);

/* inside: a spline as a network whose gates are all knots, none open on the whole domain. */

enum { STEEP_INSIDE_RANKS = 8 };

/* A network with a gate at each interior knot of the C^{continuity-1} spline (width of them) and the spline's jumps.
 * What it can say beside them is fixed by the way the gates face: each that faces left carries its jump to the left
 * end. Of the ways to face (all up to width 14, else 2^14 of them) the one is taken whose network is the rank-th
 * closest to the spline in the mean square, 0 the closest; rank < STEEP_INSIDE_RANKS, and where there are fewer ways,
 * the last. A jump that no unit makes (complex roots) becomes the nearest with a double root. A spline of lower degree
 * than the network's will do. O(width + 2^min(width, 14)). */
steep_status steep_gates_inside(const steep_network *network, const steep_spline *spline, size_t continuity,
                                size_t rank, double *theta, steep_error *error);

/* quasi: a spline written down from a function's derivatives, of any degree and continuity. */

/* The quasi-interpolant of de Boor and Fix (Spline approximation by quasiinterpolants, 1973) in the splines of the
 * space: each B-spline's coefficient is that of the target's Taylor polynomial about the mean of its inner knots.
 * Reproduces polynomials of the degree; error O(h^{degree+1}), local: each cell depends on the target within degree + 1
 * cells of it. Degree 1..STEEP_SPLINE_MAX_DEGREE, continuity 1..degree. spline is initialised here. STEEP_NOT_FINITE
 * names the point where a derivative is not. O(cells degree^3). */
steep_status steep_spline_quasi(const steep_target *target, const steep_spline_space *space, steep_spline *spline,
                                steep_error *error);

/* c of its leading error term c h^p rms f^(p), p = degree + 1, on uniform knots: its error for x^p/p!, which is
 * periodic. NaN for a class out of the ranges above, or without memory. */
double steep_spline_quasi_constant(size_t degree, size_t continuity);
