/* SPDX-License-Identifier: GPL-3.0-or-later */
/* logistic: a network as a classifier of two classes. Class 1 has the probability 1 / (1 + exp(-y(x))).
 *
 * Newton's method for the logistic loss, damped (Levenberg 1944, Marquardt 1963; the update of the damping is
 * Nielsen's, Damping parameter in Marquardt's method, 1999). With e_k = 1 / (1 + exp(m_k)):
 *
 *   1. J at theta; v_k = dL/dy_k = -w_k c_k e_k, q_k = d^2L/dy_k^2 = w_k e_k (1 - e_k); gradient g = J'v + penalty
 *      theta. Stop if the cosine is small enough.
 *   2. G = J' diag(q) J + penalty I, the generalised Gauss-Newton matrix, never indefinite; H = G + sum_k v_k d^2 y_k,
 *      the Hessian but for the kinks of the units; D_p^2 = the largest G_pp so far (1 while it is 0).
 *   3. Step d: (H + mu D^2) d = -g by Cholesky; where that matrix is not positive definite, (G + mu D^2) d = -g.
 *   4. ratio = actual over predicted decrease, -g.d/2 + mu |D d|^2/2. Taken at 1e-4 and more, and mu becomes mu
 *      max(1/3, 1 - (2 ratio - 1)^3); else mu is raised by 2, 4, 8, ... and step 3 anew.
 *   5. A step that promises less than the rounding of L is taken if it lowers the cosine instead (polishing); where
 *      none does, stop. */
#ifndef STEEP_EXPERIMENTS_LOGISTIC_H
#define STEEP_EXPERIMENTS_LOGISTIC_H

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "data/samples.h"
#include "model/network.h"
#include "numerics/dense.h"
#include "numerics/elementary.h"
#include "numerics/symmetric.h"

/* The samples' y says the class by its sign, c_k = 1 for y > 0, else -1; with m_k = c_k y(x_k; theta) the margin of
 * point k and w_k its weight,
 *
 *   L(theta) = sum_k w_k log(1 + exp(-m_k)) + (penalty / 2) |theta|^2. */
typedef struct logistic_options {
    /* > 0: else L has no minimum where the classes can be separated (1e-4). Coefficients of learned activations are
     * under it as well, or they would grow in place of the output weights. */
    double penalty;
    size_t max_iterations; /* accepted steps (500) */
    double tolerance;      /* of the gradient's cosine, below; in (0, 1) (1e-8) */
} logistic_options;

typedef struct logistic_result {
    steep_status status;
    double loss;       /* L at the returned theta */
    double likelihood; /* its first sum, the negative log likelihood */
    double wrong;      /* the weight of the points with a margin of 0 or below, of 1 */
    /* max_p |dL/dtheta_p| / (|J_p| |e| + penalty (|theta_p| + t)) over the parameters, |J_p|^2 = sum_k w_k
     * (dy_k/dtheta_p)^2, |e|^2 = sum_k w_k / (1 + exp(m_k))^2, t the root mean square of theta: below 1, 0 at a
     * minimum. */
    double cosine;
    size_t iterations;
} logistic_result;

#define FIRST_DAMPING 1e-3
#define LEAST_DAMPING 1e-15
#define ACCEPT        1e-4
#define SMALLER       0.99 /* a polishing step lowers the cosine by this factor at least */
#define ROUNDING      (16 * DBL_EPSILON)
#define MAX_TRIALS    60

typedef struct solver {
    const steep_network *network;
    const steep_samples *samples;
    const logistic_options *options;
    logistic_result *result;
    size_t N, P;
    double *y, *v, *q;                       /* N */
    double *J, *scaled;                      /* N x P; times sqrt q */
    double *H, *G, *A, *work;                /* P x P: H, G, the damped system; steep_symmetric_workspace */
    double *gradient, *scale, *step, *trial; /* P; scale: D^2 */
    double mu, factor;
} solver;

static logistic_options logistic_options_default(void)
{
    return (logistic_options){.penalty = 1e-4, .max_iterations = 500, .tolerance = 1e-8};
}

static double class_of(const solver *s, size_t k)
{
    return s->samples->y[k] > 0 ? 1 : -1;
}

/* Of s->y: the sums of *result; returns L. */
static double sums(const solver *s, const double *theta, logistic_result *sum)
{
    double square = 0;
    sum->likelihood = sum->wrong = 0;
    for (size_t k = 0; k < s->N; k++) {
        const double m = class_of(s, k) * s->y[k], w = steep_sample_weight(s->samples, k);
        sum->likelihood += w * (fmax(-m, 0) + steep_log1p(steep_exp(-fabs(m))));
        if (!(m > 0)) sum->wrong += w;
    }
    for (size_t p = 0; p < s->P; p++) square += theta[p] * theta[p];
    sum->loss = sum->likelihood + 0.5 * s->options->penalty * square;
    return sum->loss;
}

/* Steps 1 and 2 but for H: y, J, v, q, gradient; the sums and the cosine into *result. */
static steep_status first_order(solver *s, const double *theta)
{
    double errors = 0, worst = 0;
    const double typical = steep_dense_norm(s->P, theta) / sqrt((double)s->P);
    steep_status status = steep_network_jacobian(s->network, theta, s->N, s->samples->x, s->y, s->J, s->N);
    if (status < 0) return status;
    sums(s, theta, s->result);
    for (size_t k = 0; k < s->N; k++) {
        const double c = class_of(s, k), w = steep_sample_weight(s->samples, k);
        double right, e; /* of the class that it is; of the other */
        steep_sigmoid_pair(c * s->y[k], &right, &e);
        s->v[k] = -w * c * e;
        s->q[k] = w * e * right;
        errors += w * e * e;
    }
    for (size_t p = 0; p < s->P; p++) {
        const double *column = s->J + p * s->N;
        double length = 0;
        s->gradient[p] = steep_dense_dot(s->N, column, s->v) + s->options->penalty * theta[p];
        for (size_t k = 0; k < s->N; k++) length += steep_sample_weight(s->samples, k) * column[k] * column[k];
        const double size = sqrt(length) * sqrt(errors) + s->options->penalty * (fabs(theta[p]) + typical);
        const double cosine = size > 0 ? fabs(s->gradient[p]) / size : fabs(s->gradient[p]);
        if (!(cosine <= worst)) worst = cosine;
    }
    s->result->cosine = worst;
    return STEEP_OK;
}

/* Step 2: G and H, lower triangles. */
static steep_status second_order(solver *s, const double *theta)
{
    const size_t P = s->P;
    for (size_t p = 0; p < P; p++)
        for (size_t k = 0; k < s->N; k++) s->scaled[k + p * s->N] = sqrt(s->q[k]) * s->J[k + p * s->N];
    memset(s->G, 0, P * P * sizeof *s->G);
    steep_dense_inner_lower(&(steep_product){s->N, {P, s->scaled, s->N}, {P, s->scaled, s->N}, s->G, P});
    memset(s->H, 0, P * P * sizeof *s->H);
    steep_status status = steep_network_curvature(s->network, theta, s->N, s->samples->x, s->v, s->H);
    if (status < 0) return status;
    for (size_t p = 0; p < P; p++) {
        s->G[p + p * P] += s->options->penalty;
        if (s->G[p + p * P] > s->scale[p]) s->scale[p] = s->G[p + p * P];
        for (size_t t = p; t < P; t++) s->H[t + p * P] = s->G[t + p * P] + s->H[t + p * P];
    }
    return STEEP_OK;
}

static double damped(const solver *s, size_t p)
{
    return s->scale[p] > 0 ? s->scale[p] : 1;
}

/* Step 3 with this matrix; false where it is not positive definite. */
static bool solve(solver *s, const double *matrix)
{
    const size_t n = s->P;
    memcpy(s->A, matrix, n * n * sizeof *s->A);
    for (size_t u = 0; u < n; u++) {
        s->A[u + u * n] += s->mu * damped(s, u);
        s->step[u] = -s->gradient[u];
    }
    if (steep_symmetric_cholesky(n, s->A, n, (double)n * DBL_EPSILON, s->work) != 0) return false;
    steep_symmetric_cholesky_solve(n, s->A, n, s->step);
    return steep_dense_finite(n, s->step);
}

/* Step 4's promise. */
static double predicted(const solver *s)
{
    double sum = 0;
    for (size_t u = 0; u < s->P; u++) sum += s->step[u] * (s->mu * damped(s, u) * s->step[u] - s->gradient[u]);
    return sum / 2;
}

/* What rounding of y and of the sum may change in L. */
static double rounding_of(const solver *s)
{
    double sum = s->result->loss;
    for (size_t k = 0; k < s->N; k++) sum += fabs(s->v[k] * s->y[k]);
    return ROUNDING * sum;
}

static void raise_damping(solver *s)
{
    s->mu *= s->factor;
    s->factor *= 2;
}

/* The trial becomes theta, with its first-order quantities. Polishing: only if the cosine falls; *taken says so. */
static steep_status take(solver *s, double *theta, bool polish, bool *taken)
{
    const double cosine = s->result->cosine;
    steep_status status = first_order(s, s->trial);
    *taken = status >= 0 && (!polish || s->result->cosine <= SMALLER * cosine);
    if (*taken) memcpy(theta, s->trial, s->P * sizeof *theta);
    else if (status >= 0) status = first_order(s, theta);
    return status;
}

/* Steps 3 to 5: *taken; a status below STEEP_OK, or STEEP_STALLED, where the solve ends. */
static steep_status attempt(solver *s, double *theta, bool *taken)
{
    *taken = false;
    if (!solve(s, s->H) && !solve(s, s->G)) {
        raise_damping(s);
        return STEEP_OK;
    }
    for (size_t p = 0; p < s->P; p++) s->trial[p] = theta[p] + s->step[p];
    const double before = s->result->loss, promise = predicted(s), noise = rounding_of(s);
    logistic_result sum;
    steep_status status = steep_network_values(s->network, s->trial, s->N, s->samples->x, s->y);
    const double actual = before - (status >= 0 ? sums(s, s->trial, &sum) : NAN), ratio = actual / promise;
    const bool polish = promise <= noise && actual >= -noise, good = ratio >= ACCEPT && !polish;
    if (status >= 0 && (good || polish)) status = take(s, theta, polish, taken);
    if (status < 0) return status;
    if (polish && !*taken) return STEEP_STALLED;
    if (*taken) {
        const double r = 2 * (polish ? 1 : ratio) - 1, factor = 1 - r * r * r;
        s->mu = fmax(LEAST_DAMPING, s->mu * fmax(1.0 / 3, factor));
        s->factor = 2;
    } else raise_damping(s);
    return STEEP_OK;
}

static steep_status iterate(solver *s, double *theta, steep_error *error)
{
    logistic_result *r = s->result;
    steep_status status = first_order(s, theta);
    if (status >= 0 && (!isfinite(r->loss) || !isfinite(r->cosine)))
        return steep_fail(error, STEEP_NOT_FINITE, "the loss at the start is not finite: use another start");
    while (status == STEEP_OK) {
        bool taken = false;
        if (r->cosine <= s->options->tolerance) return STEEP_CONVERGED;
        if (r->iterations >= s->options->max_iterations) return STEEP_MAX_ITERATIONS;
        status = second_order(s, theta);
        for (size_t trial = 0; status == STEEP_OK && !taken && trial < MAX_TRIALS; trial++)
            status = attempt(s, theta, &taken);
        if (status != STEEP_OK) break;
        if (!taken) return STEEP_STALLED;
        r->iterations++;
    }
    return status < 0 ? steep_fail(error, status, "the evaluation failed") : status;
}

/* All arrays in one block, which is returned; NULL: there is no memory. */
static void *prepare(solver *s, steep_error *error)
{
    const size_t N = s->N, P = s->P;
    void *block = STEEP_BLOCK(STEEP_SHARE(s->y, N), STEEP_SHARE(s->v, N), STEEP_SHARE(s->q, N),
                              STEEP_SHARE(s->J, N * P), STEEP_SHARE(s->scaled, N * P), STEEP_SHARE(s->H, P * P),
                              STEEP_SHARE(s->G, P * P), STEEP_SHARE(s->A, P * P),
                              STEEP_SHARE(s->work, steep_symmetric_workspace(P)), STEEP_SHARE(s->gradient, P),
                              STEEP_SHARE(s->scale, P), STEEP_SHARE(s->step, P), STEEP_SHARE(s->trial, P));
    if (!block) steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu points and %zu parameters", N, P);
    return block;
}

/* Newton's method, damped as Levenberg and Marquardt do (the algorithm is above), from theta to theta.
 *   STEEP_CONVERGED       the cosine meets the tolerance
 *   STEEP_STALLED         no step lowers L beyond rounding, as at a kink of the units
 *   STEEP_MAX_ITERATIONS  L grows in no step, but for its rounding
 *   STEEP_NOT_FINITE      L at the start is not finite (theta unchanged)
 * Returns result->status. Memory about 8 (N P + 3 P^2) bytes; time per iteration
 * O(N P^2 + P^3). */
static steep_status logistic_fit(const steep_network *network, const steep_samples *samples,
                                 const logistic_options *options, double *theta, logistic_result *result,
                                 steep_error *error)
{
    solver s = {network,    samples, options, result, samples->count, network->parameters, .mu = FIRST_DAMPING,
                .factor = 2};
    *result = (logistic_result){0};
    void *block = prepare(&s, error);
    result->status = block ? iterate(&s, theta, error) : STEEP_NO_MEMORY;
    free(block);
    return result->status;
}

/* What the fit claims, anew from theta: fills loss, likelihood, wrong and cosine of *result, with
 * options->penalty, which may be 0; the rest is 0. Fails only with STEEP_NO_MEMORY. */
static steep_status logistic_measure(const steep_network *network, const steep_samples *samples,
                                     const logistic_options *options, const double *theta, logistic_result *result,
                                     steep_error *error)
{
    solver s = {network, samples, options, result, samples->count, network->parameters, .mu = 0};
    *result = (logistic_result){0};
    void *block = prepare(&s, error);
    steep_status status = block ? first_order(&s, theta) : STEEP_NO_MEMORY;
    free(block);
    return status;
}

#endif
