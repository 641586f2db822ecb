/* SPDX-License-Identifier: GPL-3.0-or-later */
/* penalty: a ridge on the output weights, each in units of its column. With X >= 0 a solver minimises
 *
 *   F(theta) = sum_k w_k r_k^2 + X sum_{i<n} (sum_k w_k (D_i h_i(x_k))^2 + (S D_i M_i)^2 |c_i|^2),
 *
 * r_k = y(x_k; theta) - y_k: the mean square of the residual, X times that of each unit's own contribution, and, with
 * S = STEEP_PENALTY_SHORT, what a column of that length would give. X has no unit, the bias d is free. Units that
 * cancel each other are what the first term makes dear: contributions stay below about sqrt(F / X). The second does
 * that to units with hardly a column, as silu far left of its gate: coefficients stay below sqrt(F / X) / S. In it c_i
 * are the coefficients that a unit is linear in (1 where it has none), and M_i is the product of |W|^k over the other
 * scalings W of the unit, k their degrees (model/scaling): so neither term changes with a scaling that changes no unit.
 *
 * As rows of a least-squares problem, for each unit: sqrt(X w_k) D_i h_i(x_k), and their derivatives, which need no
 * second ones. A rotation takes these N rows to one more than the unit has parameters, with the same lengths and
 * products. Behind them: sqrt(X) S D_i M_i c_i. Source: Tikhonov's regularisation in standard form (Hansen,
 * Rank-Deficient and Discrete Ill-Posed Problems, 1998, section 2.3) with a seminorm for each group of columns. */
#pragma once

#include "fit/problem.h"

#define STEEP_PENALTY_SHORT 1e-3

/* Rows of the penalty of this network. */
size_t steep_penalty_rows(const steep_network *network);

/* r(rows), and, where J is not NULL, J[row + p * ld] = dr/dtheta_p (rows x P): |r|^2 is X's term of F, J'r half its
 * gradient. J'J: X sum_i J_i'J_i, and that of the second term; J_i the derivatives of unit i's contribution; where a
 * norm couples the units of a layer, J_i of parameters that are not the unit's own counts by its part in the span of
 * the others and of r alone. Without J the rows of a unit are one number and zeros, of the same length. penalty: X > 0.
 * O(N P p), p the parameters of a unit. STEEP_NO_MEMORY. */
steep_status steep_penalty_write(const steep_problem *problem, double penalty, const double *theta, double *r,
                                 double *J, size_t ld);

/* The rows with memory of their own: rows x P, column-major; without a penalty none, and nothing below does
 * anything. */
typedef struct steep_penalty {
    const steep_problem *problem;
    double penalty;
    size_t rows;
    double *r, *J;
} steep_penalty;

/* To be closed whatever comes back. */
steep_status steep_penalty_open(const steep_problem *problem, double penalty, steep_penalty *rows);
void steep_penalty_close(steep_penalty *rows);
/* Of theta. */
steep_status steep_penalty_evaluate(const steep_penalty *rows, const double *theta);
/* |r|^2; gradient += factor J'r and square[p] += |J_p|^2 (either may be NULL) of those with active[p] (NULL: all). */
double steep_penalty_add(const steep_penalty *rows, const unsigned char *active, double factor, double *gradient,
                         double *square);

/* The errors at theta on the training points (or NULL) and sqrt(F), the rmse where the penalty is 0; NaN: a failure. */
steep_status steep_penalty_measure(const steep_problem *problem, double penalty, const double *theta,
                                   steep_measured *measured, double *objective, steep_error *error);

/* H += X sum_i sum_k w_k D_i h_i(x_k) d^2 (D_i h_i(x_k)) / dtheta^2, lower triangle (P x P): with J'J of
 * steep_penalty_write half the second derivatives of F's penalty, without those of M_i c_i times S^2.
 * STEEP_NO_MEMORY. */
steep_status steep_penalty_curvature(const steep_problem *problem, double penalty, const double *theta, double *H);

/* dF/dtheta / 2 and |J_p|^2 (P each; 0 where not active), and the cosine of steep_gradient_cosine. */
typedef struct steep_gradient {
    const unsigned char *active; /* NULL: all */
    double *gradient, *square, cosine;
} steep_gradient;

/* Those of the residual (N entries) and the rows, of that norm together (fit/gradient.c). */
steep_status steep_gradient_of(const steep_penalty *rows, const double *theta, const double *residual, double norm,
                               steep_gradient *of);
