/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Newton's method for the logistic loss, damped (Levenberg 1944, Marquardt 1963; the update of the damping is
 * Nielsen's, Damping parameter in Marquardt's method, 1999). With e_k = 1 / (1 + exp(m_k)):
 *
 *   1. J at theta; v_k = dL/dy_k = -w_k c_k e_k, q_k = d^2L/dy_k^2 = w_k e_k (1 - e_k); gradient g = J'v + penalty
 *      theta. Stop if the cosine is small enough; without a penalty, if every margin is positive.
 *   2. G = J' diag(q) J + penalty I, the generalised Gauss-Newton matrix, never indefinite; H = G + sum_k v_k d^2 y_k,
 *      the Hessian but for the kinks of the units; D_p^2 = the largest G_pp so far (1 while it is 0).
 *   3. Step d: (H + mu D^2) d = -g by Cholesky; where that matrix is not positive definite, (G + mu D^2) d = -g.
 *   4. ratio = actual over predicted decrease, -g.d/2 + mu |D d|^2/2. Taken at 1e-4 and more, and mu becomes mu
 *      max(1/3, 1 - (2 ratio - 1)^3); else mu is raised by 2, 4, 8, ... and step 3 anew.
 *   5. A step that promises less than the rounding of L is taken if it lowers the cosine instead (polishing); where
 *      none does, stop. */
#include "papers/logistic.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "papers/core.h"
#include "papers/core_numerics.h"

#define FIRST_DAMPING 1e-3
#define LEAST_DAMPING 1e-15
#define ACCEPT        1e-4
#define SMALLER       0.99 /* a polishing step lowers the cosine by this factor at least */
#define ROUNDING      (16 * DBL_EPSILON)
#define MAX_TRIALS    60

typedef struct solver {
    const steep_network *network;
    const steep_samples *samples;
    const steep_logistic_options *options;
    steep_logistic_result *result;
    size_t N, P, n, *unknown;                /* n of the P parameters move */
    double *y, *v, *q;                       /* N */
    double *J, *scaled;                      /* N x P, columns of unknowns; times sqrt q */
    double *H, *G, *A, *work;                /* P x P; n x n; n x n, the damped system; steep_symmetric_workspace */
    double *gradient, *scale, *step, *trial; /* n, n: D^2, n, P */
    double mu, factor, begin;
} solver;

steep_logistic_options steep_logistic_options_default(void)
{
    return (steep_logistic_options){.penalty = 1e-4, .max_iterations = 500, .tolerance = 1e-8};
}

static steep_status finish(solver *s, steep_status status, const char *reason)
{
    s->result->status = status;
    snprintf(s->result->reason, sizeof s->result->reason, "%.*s", (int)sizeof s->result->reason - 1, reason);
    return status;
}

static double class_of(const solver *s, size_t k)
{
    return s->samples->y[k] > 0 ? 1 : -1;
}

/* Of s->y: the sums of *result; returns L. */
static double sums(const solver *s, const double *theta, steep_logistic_result *sum)
{
    double square = 0;
    sum->likelihood = sum->wrong = 0;
    sum->least = INFINITY;
    for (size_t k = 0; k < s->N; k++) {
        const double m = class_of(s, k) * s->y[k], w = steep_sample_weight(s->samples, k);
        sum->likelihood += w * (fmax(-m, 0) + steep_log1p(steep_exp(-fabs(m))));
        if (!(m > 0)) sum->wrong += w;
        if (!(m >= sum->least)) sum->least = m;
    }
    for (size_t p = 0; p < s->P; p++) square += theta[p] * theta[p];
    sum->loss = sum->likelihood + 0.5 * s->options->penalty * square;
    return sum->loss;
}

/* L at theta, into *loss. */
static steep_status value(solver *s, const double *theta, double *loss)
{
    steep_logistic_result sum;
    steep_status status = steep_network_values(s->network, theta, s->N, s->samples->x, s->y);
    s->result->evaluations++;
    if (status >= 0) *loss = sums(s, theta, &sum);
    return status;
}

/* Steps 1 and 2 but for H: y, J of the unknowns, v, q, gradient; the sums and the cosine into *result. */
static steep_status first_order(solver *s, const double *theta)
{
    double errors = 0, worst = 0;
    const double typical = steep_dense_norm(s->P, theta) / sqrt((double)s->P);
    steep_status status = steep_network_jacobian(s->network, theta, s->N, s->samples->x, s->y, s->J, s->N);
    s->result->evaluations++;
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
    for (size_t u = 0; u < s->n; u++) {
        const size_t p = s->unknown[u];
        double *column = s->J + u * s->N, length = 0;
        if (p != u) memcpy(column, s->J + p * s->N, s->N * sizeof *column);
        s->gradient[u] = steep_dense_dot(s->N, column, s->v) + s->options->penalty * theta[p];
        for (size_t k = 0; k < s->N; k++) length += steep_sample_weight(s->samples, k) * column[k] * column[k];
        const double size = sqrt(length) * sqrt(errors) + s->options->penalty * (fabs(theta[p]) + typical);
        const double cosine = size > 0 ? fabs(s->gradient[u]) / size : fabs(s->gradient[u]);
        if (!(cosine <= worst)) worst = cosine;
    }
    s->result->cosine = worst;
    return STEEP_OK;
}

/* Step 2: G and H, lower triangles, of the unknowns. */
static steep_status second_order(solver *s, const double *theta)
{
    const size_t n = s->n, P = s->P;
    for (size_t u = 0; u < n; u++)
        for (size_t k = 0; k < s->N; k++) s->scaled[k + u * s->N] = sqrt(s->q[k]) * s->J[k + u * s->N];
    memset(s->G, 0, n * n * sizeof *s->G);
    steep_dense_gram(s->N, n, s->scaled, s->N, s->G, n);
    memset(s->H, 0, P * P * sizeof *s->H);
    steep_status status = steep_network_curvature(s->network, theta, s->N, s->samples->x, s->v, s->H);
    if (status < 0) return status;
    for (size_t u = 0; u < n; u++) {
        s->G[u + u * n] += s->options->penalty;
        if (s->G[u + u * n] > s->scale[u]) s->scale[u] = s->G[u + u * n];
        for (size_t t = u; t < n; t++) /* in place: unknowns ascend, so that no entry is read after it is written */
            s->H[t + u * n] = s->G[t + u * n] + s->H[s->unknown[t] + s->unknown[u] * P];
    }
    return STEEP_OK;
}

/* Step 3 with this matrix; false where it is not positive definite. */
static bool solve(solver *s, const double *matrix)
{
    const size_t n = s->n;
    memcpy(s->A, matrix, n * n * sizeof *s->A);
    for (size_t u = 0; u < n; u++) {
        s->A[u + u * n] += s->mu * (s->scale[u] > 0 ? s->scale[u] : 1);
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
    for (size_t u = 0; u < s->n; u++)
        sum += s->step[u] * (s->mu * (s->scale[u] > 0 ? s->scale[u] : 1) * s->step[u] - s->gradient[u]);
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

/* Steps 3 to 5: *taken; false where the solve ends, with result->status set. */
static bool attempt(solver *s, double *theta, bool *taken)
{
    double loss = NAN;
    *taken = false;
    if (!solve(s, s->H) && !solve(s, s->G)) {
        raise_damping(s);
        return true;
    }
    memcpy(s->trial, theta, s->P * sizeof *theta);
    for (size_t u = 0; u < s->n; u++) s->trial[s->unknown[u]] += s->step[u];
    const double before = s->result->loss, promise = predicted(s), noise = rounding_of(s);
    steep_status status = value(s, s->trial, &loss);
    const double actual = before - loss, ratio = actual / promise;
    const bool polish = promise <= noise && actual >= -noise, good = ratio >= ACCEPT && !polish;
    if (status >= 0 && (good || polish)) status = take(s, theta, polish, taken);
    if (status < 0) {
        finish(s, status, "the evaluation failed");
        return false;
    }
    if (polish && !*taken) {
        finish(s, STEEP_STALLED, "no step lowers the loss by more than its rounding");
        return false;
    }
    if (*taken) {
        const double r = 2 * (polish ? 1 : ratio) - 1, factor = 1 - r * r * r;
        s->mu = fmax(LEAST_DAMPING, s->mu * fmax(1.0 / 3, factor));
        s->factor = 2;
    } else raise_damping(s);
    return true;
}

/* Every point on its side, nothing that holds the output weights back. */
static bool is_separated(const solver *s)
{
    for (size_t i = 0; s->options->held && i < s->network->width; i++)
        if (s->options->held[s->network->output + i]) return false;
    if (s->options->held && s->options->held[s->network->bias]) return false;
    return s->options->penalty == 0 && s->result->least > 0;
}

static bool is_over(solver *s)
{
    const steep_logistic_result *r = s->result;
    const steep_progress progress = {
        "logistic", r->iterations, r->evaluations, r->loss, r->cosine, s->mu, steep_clock_seconds() - s->begin};
    if (is_separated(s))
        finish(s, STEEP_STALLED,
               "every point is on its side: the loss has no minimum, larger output weights always lower it; use a "
               "penalty");
    else if (r->cosine <= s->options->tolerance) finish(s, STEEP_CONVERGED, "the gradient meets the tolerance");
    else if (!steep_monitor_proceed(&s->options->monitor, &progress))
        finish(s, STEEP_STOPPED, "the monitor asked to stop");
    else if (r->iterations >= s->options->max_iterations)
        finish(s, STEEP_MAX_ITERATIONS, "the cap on iterations is reached");
    else return false;
    return true;
}

static steep_status iterate(solver *s, double *theta, steep_error *error)
{
    steep_status status = first_order(s, theta);
    if (status < 0) return finish(s, status, "the evaluation failed");
    if (!isfinite(s->result->loss) || !isfinite(s->result->cosine)) {
        finish(s, STEEP_NOT_FINITE, "the loss or its gradient at the start is not finite");
        return steep_fail(error, STEEP_NOT_FINITE, "%s: use a start where the network is finite", s->result->reason);
    }
    while (!is_over(s)) {
        bool taken = false, going = true;
        status = second_order(s, theta);
        if (status < 0) return finish(s, status, "the evaluation failed");
        for (size_t trial = 0; going && !taken && trial < MAX_TRIALS; trial++) going = attempt(s, theta, &taken);
        if (!going) break;
        if (!taken) {
            finish(s, STEEP_STALLED, "no step lowers the loss, however short");
            break;
        }
        s->result->iterations++;
    }
    return s->result->status;
}

static void release(solver *s)
{
    free(s->unknown);
    free(s->y);
}

/* One block of numbers, and the list of unknowns. second: what second_order and steps need, too. */
static bool prepare(solver *s, bool second)
{
    const size_t N = s->N, P = s->P, square = second ? P * P : 0;
    s->unknown = malloc((P + 1) * sizeof *s->unknown);
    s->y = calloc(3 * N + N * P * (second ? 2 : 1) + 3 * square + 4 * P + steep_symmetric_workspace(P), sizeof *s->y);
    if (!s->unknown || !s->y) return false;
    s->v = s->y + N;
    s->q = s->v + N;
    s->J = s->q + N;
    s->scaled = s->J + N * P;
    s->H = s->scaled + (second ? N * P : 0);
    s->G = s->H + square;
    s->A = s->G + square;
    s->gradient = s->A + square;
    s->scale = s->gradient + P;
    s->step = s->scale + P;
    s->trial = s->step + P;
    s->work = s->trial + P;
    for (size_t p = 0; p < P; p++)
        if (!s->options->held || !s->options->held[p]) s->unknown[s->n++] = p;
    return true;
}

static steep_status check_options(const steep_logistic_options *options, steep_error *error)
{
    if (!(options->penalty >= 0 && isfinite(options->penalty)))
        return steep_fail(error, STEEP_BAD_INPUT, "penalty %g: use a number from 0", options->penalty);
    if (!(options->tolerance > 0 && options->tolerance < 1))
        return steep_fail(error, STEEP_BAD_INPUT, "tolerance %g: use one between 0 and 1", options->tolerance);
    return STEEP_OK;
}

steep_status steep_logistic_fit(const steep_network *network, const steep_samples *samples,
                                const steep_logistic_options *options, double *theta, steep_logistic_result *result,
                                steep_error *error)
{
    const steep_logistic_options defaults = steep_logistic_options_default();
    steep_error local = {""};
    if (!options) options = &defaults;
    if (!error) error = &local;
    *result = (steep_logistic_result){.loss = NAN, .likelihood = NAN, .least = NAN, .wrong = NAN, .cosine = NAN};
    solver s = {.network = network,
                .samples = samples,
                .options = options,
                .result = result,
                .N = samples->count,
                .P = network->parameters,
                .mu = FIRST_DAMPING,
                .factor = 2,
                .begin = steep_clock_seconds()};
    steep_status status = check_options(options, error);
    if (status < 0) return finish(&s, status, error->text);
    if (!prepare(&s, true)) {
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu points and %zu parameters", s.N, s.P);
        finish(&s, status, error->text);
    } else status = iterate(&s, theta, error);
    release(&s);
    return status;
}

steep_status steep_logistic_measure(const steep_network *network, const steep_samples *samples,
                                    const steep_logistic_options *options, const double *theta,
                                    steep_logistic_result *result, steep_error *error)
{
    const steep_logistic_options defaults = steep_logistic_options_default();
    *result = (steep_logistic_result){0};
    solver s = {.network = network,
                .samples = samples,
                .options = options ? options : &defaults,
                .result = result,
                .N = samples->count,
                .P = network->parameters};
    steep_status status = prepare(&s, false) ? first_order(&s, theta) : STEEP_NO_MEMORY;
    release(&s);
    result->evaluations = 0;
    if (status < 0)
        return steep_fail(error, status, "no memory for %zu points and %zu parameters", samples->count,
                          network->parameters);
    return STEEP_OK;
}
