/* SPDX-License-Identifier: GPL-3.0-or-later */
/* logistic: a network as a classifier of two classes. Class 1 has the probability 1 / (1 + exp(-y(x))). */
#ifndef STEEP_PAPERS_LOGISTIC_H
#define STEEP_PAPERS_LOGISTIC_H

#include "data/samples.h"
#include "model/network.h"

/* The samples' y says the class by its sign, c_k = 1 for y > 0, else -1; with m_k = c_k y(x_k; theta) the margin of
 * point k and w_k its weight,
 *
 *   L(theta) = sum_k w_k log(1 + exp(-m_k)) + (penalty / 2) |theta|^2. */
typedef struct steep_logistic_options {
    /* > 0: L has a minimum. 0: where the classes can be separated, it has none: along ever larger output weights it
     * falls to 0 (1e-4). Coefficients of learned activations are under it as well, or they would grow in place of the
     * output weights. */
    double penalty;
    size_t max_iterations; /* accepted steps (500) */
    double tolerance;      /* of the gradient's cosine, below; in (0, 1) (1e-8) */
} steep_logistic_options;
steep_logistic_options steep_logistic_options_default(void);

typedef struct steep_logistic_result {
    steep_status status;
    double loss;       /* L at the returned theta */
    double likelihood; /* its first sum, the negative log likelihood */
    double least;      /* the least margin: above 0 where the classes are separated */
    double wrong;      /* the weight of the points with a margin of 0 or below, of 1 */
    /* max_p |dL/dtheta_p| / (|J_p| |e| + penalty (|theta_p| + t)) over the parameters, |J_p|^2 = sum_k w_k
     * (dy_k/dtheta_p)^2, |e|^2 = sum_k w_k / (1 + exp(m_k))^2, t the root mean square of theta: below 1, 0 at a
     * minimum. */
    double cosine;
    size_t iterations;
} steep_logistic_result;

/* Newton's method, damped as Levenberg and Marquardt do (the algorithm heads logistic.c), from theta to theta.
 *   STEEP_CONVERGED       the cosine meets the tolerance
 *   STEEP_STALLED         no step lowers L beyond rounding, as at a kink of the units; or penalty = 0 and every point
 *                         is on its side: L has no minimum from here, the direction of the output weights says so
 *   STEEP_MAX_ITERATIONS  L grows in no step, but for its rounding
 *   STEEP_NOT_FINITE      L at the start is not finite (theta unchanged)
 *   STEEP_BAD_INPUT       options out of range
 * Returns result->status. Memory about 8 (N P + 3 P^2) bytes; time per iteration O(N
 * P^2 + P^3). */
steep_status steep_logistic_fit(const steep_network *network, const steep_samples *samples,
                                const steep_logistic_options *options, double *theta, steep_logistic_result *result,
                                steep_error *error);

/* What the fit claims, anew from theta: fills loss, likelihood, least, wrong and cosine of *result, with
 * options->penalty; the rest is 0. Fails only with STEEP_NO_MEMORY. */
steep_status steep_logistic_measure(const steep_network *network, const steep_samples *samples,
                                    const steep_logistic_options *options, const double *theta,
                                    steep_logistic_result *result, steep_error *error);

#endif
