/* SPDX-License-Identifier: GPL-3.0-or-later */
/* quadrature: nodes and weights of integration rules. */
#ifndef STEEP_NUMERICS_QUADRATURE_H
#define STEEP_NUMERICS_QUADRATURE_H

#include <stddef.h>

#define STEEP_GAUSS_MOST   64  /* nodes of one rule */
#define STEEP_HERMITE_MOST 256 /* of a Gauss-Hermite rule */

/* The Gauss-Legendre rule: sum_i weight[i] f(node[i]) is the integral of f over [-1, 1], exact for polynomials of
 * degree 2 points - 1. Nodes in (-1, 1) ascending, weights of sum 2, points entries each, 1 <= points <=
 * STEEP_GAUSS_MOST, to the accuracy of long double. Time O(points^2). */
void steep_gauss_legendre(size_t points, long double *node, long double *weight);

/* The Gauss-Hermite rule: sum_i weight[i] f(node[i]) is the mean of f(Z), Z standard normal, exact for polynomials of
 * degree 2 points - 1. Nodes ascending, weights of sum 1, 1 <= points <= STEEP_HERMITE_MOST, to the accuracy of long
 * double; a weight may be as small as 1e-218. Time O(points^2). Source: Golub and Welsch, Calculation of Gauss
 * quadrature rules, 1969. */
void steep_gauss_hermite(size_t points, long double *node, long double *weight);

#endif
