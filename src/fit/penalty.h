/* SPDX-License-Identifier: GPL-3.0-or-later */
/* penalty: a ridge on the output weights, each in units of its column. With X >= 0 a solver minimises
 *
 *   F(theta) = sum_k w_k r_k^2 + X sum_{i<n} (sum_k w_k (D_i h_i(x_k))^2 + (S D_i M_i)^2 |c_i|^2),
 *
 * r_k = y(x_k; theta) - y_k: the mean square of the residual, plus X times the mean square of each unit's own
 * contribution, plus the same for a column of length S = STEEP_PENALTY_SHORT. X has no unit; the bias d is not
 * penalised. The first term makes units expensive that cancel each other: contributions stay below about sqrt(F / X).
 * The second does so for units with a column of almost 0, like silu far left of its gate: coefficients stay below
 * sqrt(F / X) / S. There c_i are the coefficients in which the unit is linear (1 where there are none), and M_i is the
 * product of |W|^k over the other scalings W of the unit, k their degrees (model/scaling): neither term changes under a
 * scaling that changes no unit.
 *
 * Rows of the least-squares problem, for each unit: sqrt(X w_k) D_i h_i(x_k); their Jacobian needs no second
 * derivatives. A rotation reduces these N rows to one more than the unit has parameters, with the same lengths and
 * products. Then follow sqrt(X) S D_i M_i c_i. Source: Tikhonov's regularisation in standard form (Hansen,
 * Rank-Deficient and Discrete Ill-Posed Problems, 1998, section 2.3) with a seminorm for each group of columns. */
#pragma once

#include "fit/problem.h"

#define STEEP_PENALTY_SHORT 1e-3

/* Returns the number of the penalty's rows for this network. */
size_t steep_penalty_rows(const steep_network *network);

/* Writes r(rows) and, where J is not NULL, J[row + p * ld] = dr/dtheta_p (rows x P): |r|^2 is the penalty in F, J'r
 * half its gradient, J'J = X sum_i J_i'J_i plus the part of the second term, J_i the derivatives of unit i's
 * contribution. If a norm couples the units of a layer, columns of J_i for parameters of other units count only by
 * their part in the span of the unit's own columns and r. Without J the rows of a unit are one number and zeros, of the
 * same length. penalty: X > 0. O(N P p), p the parameters of a unit. STEEP_NO_MEMORY. */
steep_status steep_penalty_write(const steep_problem *problem, double penalty, const double *theta, double *r,
                                 double *J, size_t ld);

/* The rows with their own memory: rows x P, column-major. No penalty: no rows, and the functions below do nothing. */
typedef struct steep_penalty {
    const steep_problem *problem;
    double penalty;
    size_t rows;
    double *r, *J;
} steep_penalty;

/* Must be closed, also after a failure. STEEP_NO_MEMORY. */
steep_status steep_penalty_open(const steep_problem *problem, double penalty, steep_penalty *rows);
void steep_penalty_close(steep_penalty *rows);
/* Evaluates r and J at theta. */
steep_status steep_penalty_evaluate(const steep_penalty *rows, const double *theta);
/* Returns |r|^2; gradient += factor J'r, square[p] += |J_p|^2 (each may be NULL) where active[p] (NULL: everywhere). */
double steep_penalty_add(const steep_penalty *rows, const unsigned char *active, double factor, double *gradient,
                         double *square);

/* Measures errors at theta on the training points (measured may be NULL) and sqrt(F); NaN after a failure. */
steep_status steep_penalty_measure(const steep_problem *problem, double penalty, const double *theta,
                                   steep_measured *measured, double *objective, steep_error *error);

/* H += X sum_i sum_k w_k D_i h_i(x_k) d^2 (D_i h_i(x_k)) / dtheta^2, lower triangle (P x P). Together with J'J of
 * steep_penalty_write this is half the Hessian of the penalty, without the second derivatives of M_i c_i (times S^2).
 * STEEP_NO_MEMORY. */
steep_status steep_penalty_curvature(const steep_problem *problem, double penalty, const double *theta, double *H);

/* Half the gradient of F and |J_p|^2 (P each; 0 where not active), and the cosine of steep_gradient_cosine. */
typedef struct steep_gradient {
    const unsigned char *active; /* NULL: all */
    double *gradient, *square, cosine;
} steep_gradient;

/* Fills `of` from the residual (N entries) and the penalty's rows; norm: |r| over both together (fit/gradient.c). */
steep_status steep_gradient_of(const steep_penalty *rows, const double *theta, const double *residual, double norm,
                               steep_gradient *of);
