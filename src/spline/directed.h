/* SPDX-License-Identifier: GPL-3.0-or-later */
/* directed: the least error of a few gates in 1D that stand anywhere and face either way. */
#pragma once

#include "data/samples.h"

/* With v in [-1, 1] the place in the interval, y(v) = d + sum_{i<n} h_i(v),
 *
 *   h_i = max(0, s_i (v - t_i)) * (v cos a_i + sin a_i)^factors * sum_{j<coefficients} c_ij v^j.
 *
 * All h_i are linear in d and c. mlp is {0, 1}, glu {0, 2}, gqu {1, 2}, a gate times any polynomial of degree q
 * {0, q+1}. */
typedef struct steep_directed_class {
    size_t factors, coefficients; /* 0 or 1; 1 to STEEP_DIRECTED_COEFFICIENTS */
} steep_directed_class;

enum { STEEP_DIRECTED_WIDTH = 12, STEEP_DIRECTED_COEFFICIENTS = 4 };

/* s: +1 open for v > t, -1 for v < t. */
typedef struct steep_directed_gate {
    double knot, sign, angle;
    long double coefficient[STEEP_DIRECTED_COEFFICIENTS];
} steep_directed_gate;

/* bias and the gates' coefficients: those of the least error for the rest, in descend's result. */
typedef struct steep_directed_gates {
    steep_directed_gate gate[STEEP_DIRECTED_WIDTH];
    long double bias;
    double rmse;
} steep_directed_gates;

typedef struct steep_directed steep_directed;

/* The sums of the samples that all below works with: O(samples) here, and nothing of the kind later. 1D; 1 <= width <=
 * STEEP_DIRECTED_WIDTH. STEEP_NO_MEMORY. */
steep_status steep_directed_open(const steep_samples *samples, steep_directed_class class, size_t width,
                                 steep_directed **out, steep_error *error);
void steep_directed_close(steep_directed *directed);

/* sqrt(sum_k w_k (y(v_k) - y_k)^2) of gates [0, end) alone with the best bias and coefficients, which are not written.
 * Gates [0, first), first < end, must be those of the last call: one gate more costs O(width^2), all of them
 * O(width^3). */
double steep_directed_error(steep_directed *directed, const steep_directed_gates *gates, size_t first, size_t end);

/* Newton's method on the gates' knots and angles from those given, to a local minimum near; directions stay. The mean
 * square never grows. Takes so many steps at most, and stops where one lowers the mean square by less than the part
 * tolerance of it. goal > 0: an rmse that is to be beaten; gives up where the steps' decrease would not get there soon.
 * Writes knots, angles, coefficients, bias and rmse. Returns the steps taken. O(width^3) a step, whatever the number of
 * samples. */
size_t steep_directed_descend(steep_directed *directed, size_t most, double tolerance, double goal,
                              steep_directed_gates *gates);
