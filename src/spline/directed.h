/* SPDX-License-Identifier: GPL-3.0-or-later */
/* directed: the least error of a few gates in 1D that stand anywhere and face either way. */
#pragma once

#include "data/samples.h"

/* v in [-1, 1] is the position in the interval, y(v) = d + sum_{i<n} h_i(v),
 *
 *   h_i = max(0, s_i (v - t_i)) * (v cos a_i + sin a_i)^factors * sum_{j<coefficients} c_ij v^j.
 *
 * y is linear in d and c. {factors, coefficients} is {0, 1} for mlp, {0, 2} for glu, {1, 2} for gqu, {0, q+1} for a
 * gate times any polynomial of degree q. */
typedef struct steep_directed_class {
    size_t factors, coefficients; /* factors 0 or 1; coefficients 1 to STEEP_DIRECTED_COEFFICIENTS */
} steep_directed_class;

enum { STEEP_DIRECTED_WIDTH = 12, STEEP_DIRECTED_COEFFICIENTS = 4 };

/* sign s: +1 is open for v > t, -1 is open for v < t; t is the knot, a the angle in radians. */
typedef struct steep_directed_gate {
    double knot, sign, angle;
    long double coefficient[STEEP_DIRECTED_COEFFICIENTS];
} steep_directed_gate;

/* steep_directed_descend sets rmse, and bias and coefficients of least error for the knots, signs and angles. */
typedef struct steep_directed_gates {
    steep_directed_gate gate[STEEP_DIRECTED_WIDTH];
    long double bias;
    double rmse;
} steep_directed_gates;

typedef struct steep_directed steep_directed;

/* Computes the sums over the samples (1D, ascending) that the functions below use; later calls do not go through the
 * samples. 1 <= width <= STEEP_DIRECTED_WIDTH. Fails only with STEEP_NO_MEMORY. O(samples). */
steep_status steep_directed_open(const steep_samples *samples, steep_directed_class class, size_t width,
                                 steep_directed **out, steep_error *error);
void steep_directed_close(steep_directed *directed);

/* sqrt(sum_k w_k (y(v_k) - y_k)^2) of gates [0, end) alone with the best bias and coefficients, which are not written.
 * Gates [0, first), first < end, must be the same as in the last call; each other gate costs O(width^2). */
double steep_directed_error(steep_directed *directed, const steep_directed_gates *gates, size_t first, size_t end);

/* Newton's method on the gates' knots and angles, from the given ones to a nearby local minimum; signs stay. The mean
 * square never grows. Takes at most `most` steps, and stops after a step that lowers the mean square by at most the
 * fraction tolerance. goal > 0 is an rmse to beat: stops early where the decrease of a step is too small to reach it
 * soon. Writes knots, angles, coefficients, bias and rmse. Returns the number of steps taken. O(width^3) a step, for
 * any number of samples. */
size_t steep_directed_descend(steep_directed *directed, size_t most, double tolerance, double goal,
                              steep_directed_gates *gates);
