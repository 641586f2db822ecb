/* SPDX-License-Identifier: GPL-3.0-or-later */
/* quadrature: nodes and weights of integration rules. */
#pragma once

#include <stddef.h>

#define STEEP_GAUSS_MOST 64 /* nodes of one rule */

/* The Gauss-Legendre rule: sum_i weight[i] f(node[i]) is the integral of f over [-1, 1], exact for polynomials of
 * degree 2 points - 1. Nodes in (-1, 1) ascending, weights of sum 2, points entries each, 1 <= points <=
 * STEEP_GAUSS_MOST, to the accuracy of long double. Time O(points^2). */
void steep_gauss_legendre(size_t points, long double *node, long double *weight);
