/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inside: a spline as a network whose gates are all knots, none open on the whole domain. */
#pragma once

#include "base/status.h"
#include "model/network.h"
#include "spline/spline.h"

enum { STEEP_INSIDE_RANKS = 8 };

/* A network with a gate at each interior knot of the C^{continuity-1} spline (width of them) and the spline's jumps.
 * What it can say beside them is fixed by the way the gates face: each that faces left carries its jump to the left
 * end. Of the ways to face (all up to width 14, else 2^14 of them) the one is taken whose network is the rank-th
 * closest to the spline in the mean square, 0 the closest; rank < STEEP_INSIDE_RANKS, and where there are fewer ways,
 * the last. A jump that no unit makes (complex roots) becomes the nearest with a double root. A spline of lower degree
 * than the network's will do. STEEP_BAD_INPUT where spline and network do not match. O(width + 2^min(width, 14)). */
steep_status steep_gates_inside(const steep_network *network, const steep_spline *spline, size_t continuity,
                                size_t rank, double *theta, steep_error *error);
