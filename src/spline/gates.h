/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gates: a spline's jumps become a network's parameters. */
#pragma once

#include "base/status.h"
#include "model/network.h"
#include "spline/spline.h"
#include "steep/spline.h"

/* The knot of unit i's gate in 1D: the root -g/G of G x + g; infinite or NaN where G is 0. */
double steep_gates_knot(const steep_network *network, const double *theta, size_t i);

/* The interior gates of a 1D network: ascending distinct roots of the first branch strictly inside (low, high), into
 * knot[<= width]; returns how many. */
size_t steep_gates_knots(const steep_network *network, const double *theta, double low, double high, double *knot);

/* Turns interior gates away from the middle of [low, high]: sign[i] = +1 right of it, -1 left; gates at or outside
 * the ends face inward. Short sums, less rounding (docs/explanation/theory.md). */
void steep_gates_outward(size_t n, double low, double high, const double *knot, double *sign);
