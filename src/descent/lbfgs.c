/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limited-memory BFGS (Nocedal and Wright, Numerical Optimization, 2nd edition, algorithms 7.4 and 7.5) on F = mean
 * square error (fit/objective.h), g = dF/dtheta, with the last PAIRS pairs s = theta' - theta, y = g' - g:
 *
 *   1. d = -H g by the two loops, H_0 = (s'y / y'y) I of the last pair; without pairs d = -g / |g|.
 *   2. A strong Wolfe step along d (fit/linesearch), from the length 1. If none is found, F may be at its rounding.
 *      From then on the whole step is taken, without a search, if its slope allows it,
 *      -.9 <= phi'(1) / |phi'(0)| <= .8, and F grows by at most 1e-6 F (approximate Wolfe conditions, Hager and Zhang,
 *      A new conjugate gradient method with guaranteed descent, 2005).
 *   3. The pair is kept where s'y > eps |y|^2.
 *   4. If no step is found, the pairs are dropped; if none is found without pairs, the fit has stalled. The gradient's
 *      cosine is measured in iterations of steep_is_logged and at the end. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "descent/descent.h"

#define PAIRS      20
#define ITERATIONS 1000
#define TRIALS     1.1 /* evaluations of an iteration, measured */
#define STEEPEST   0.9 /* Hager and Zhang's sigma, 1 - 2 delta and epsilon */
#define FLATTEST   0.8
#define ROUNDING   1e-6

typedef struct lbfgs {
    steep_solve *solve;
    steep_objective objective;
    size_t P, kept, newest;                /* number of pairs; place of the last one */
    double *s, *y;                         /* P x PAIRS, a ring */
    double *now, *g, *d, *trial, *trial_g; /* P: theta, gradient; direction; last point of the line search, gradient */
    double value, trial_value, trial_alpha;
    bool fine; /* F is at its rounding */
    steep_status failure;
} lbfgs;

/* F and its slope at theta + alpha d. */
static void along(void *context, double alpha, double *value, double *slope)
{
    lbfgs *l = context;
    for (size_t p = 0; p < l->P; p++) l->trial[p] = l->now[p] + alpha * l->d[p];
    l->trial_alpha = alpha;
    const steep_status status =
        steep_objective_evaluate(&l->objective, l->objective.problem->train, l->trial, &l->trial_value, l->trial_g);
    if (status < 0) l->failure = status;
    *value = status < 0 ? NAN : l->trial_value;
    *slope = steep_dense_dot(l->P, l->trial_g, l->d);
}

/* Step 1; the first loop goes from the newest pair back. */
static void set_direction(lbfgs *l)
{
    double a[PAIRS], gamma = 1 / steep_dense_norm(l->P, l->g);
    for (size_t p = 0; p < l->P; p++) l->d[p] = -l->g[p];
    for (size_t i = 0; i < l->kept; i++) {
        const size_t at = (l->newest + PAIRS - i) % PAIRS * l->P;
        a[i] = steep_dense_dot(l->P, l->s + at, l->d) / steep_dense_dot(l->P, l->s + at, l->y + at);
        steep_dense_add(l->P, -a[i], l->y + at, l->d);
    }
    const double *s = l->s + l->newest * l->P, *y = l->y + l->newest * l->P;
    if (l->kept > 0) gamma = steep_dense_dot(l->P, s, y) / steep_dense_dot(l->P, y, y);
    steep_dense_scale(l->P, gamma, l->d);
    for (size_t i = l->kept; i-- > 0;) {
        const size_t at = (l->newest + PAIRS - i) % PAIRS * l->P;
        const double b = steep_dense_dot(l->P, l->y + at, l->d) / steep_dense_dot(l->P, l->s + at, l->y + at);
        steep_dense_add(l->P, a[i] - b, l->s + at, l->d);
    }
}

/* Is the whole step taken by its slope (step 2)? */
static bool is_approximate(lbfgs *l, double slope)
{
    double value, end;
    along(l, 1, &value, &end);
    return value <= l->value * (1 + ROUNDING) && end >= STEEPEST * slope && end <= -FLATTEST * slope;
}

/* Step 2: leaves the end in l->trial. False: there is no step. */
static bool find_step(lbfgs *l)
{
    double value, end;
    const double slope = steep_dense_dot(l->P, l->g, l->d);
    if (l->fine && is_approximate(l, slope)) return true;
    const double alpha = steep_search_wolfe(along, l, l->value, slope);
    if (alpha > 0 && alpha != l->trial_alpha) along(l, alpha, &value, &end);
    if (alpha > 0 && l->trial_value < l->value) return true;
    const bool fine = l->fine;
    l->fine = true;
    return !fine && is_approximate(l, slope);
}

/* Steps 2 and 3. *length: |s|; 0: there is no step. */
static steep_status take_step(lbfgs *l, double *length)
{
    *length = 0;
    const bool found = find_step(l);
    if (l->failure < 0 || !found) return l->failure;
    const size_t next = l->kept > 0 ? (l->newest + 1) % PAIRS : 0;
    double *s = l->s + next * l->P, *y = l->y + next * l->P;
    for (size_t p = 0; p < l->P; p++) {
        s[p] = l->trial[p] - l->now[p];
        y[p] = l->trial_g[p] - l->g[p];
    }
    *length = steep_dense_norm(l->P, s);
    if (steep_dense_dot(l->P, s, y) > DBL_EPSILON * steep_dense_dot(l->P, y, y)) {
        l->newest = next;
        l->kept = l->kept < PAIRS ? l->kept + 1 : PAIRS;
    }
    memcpy(l->now, l->trial, l->P * sizeof *l->now);
    memcpy(l->g, l->trial_g, l->P * sizeof *l->g);
    l->value = l->trial_value;
    return STEEP_OK;
}

static steep_status iterate(lbfgs *l, size_t cap)
{
    double length = 0;
    bool anew = true, met = false; /* anew: the current direction has no pairs */
    for (size_t i = 0;; i++) {
        l->solve->iterations = i;
        steep_status status =
            steep_is_logged(i) || i == cap ? steep_objective_look(&l->objective, l->now, &met) : STEEP_OK;
        if (status < 0 || met) return status;
        if (!steep_objective_proceed(&l->objective, "lbfgs", i, l->value, length, l->now)) return STEEP_STOPPED;
        if (i == cap) return STEEP_MAX_ITERATIONS;
        for (length = 0; length == 0;) {
            set_direction(l);
            status = take_step(l, &length);
            if (status < 0) return status;
            if (length == 0 && anew) {
                status = steep_objective_look(&l->objective, l->now, &met);
                return status < 0 ? status : met ? STEEP_CONVERGED : STEEP_STALLED;
            }
            anew = length == 0;
            if (anew) l->kept = 0;
        }
    }
}

steep_status steep_solve_lbfgs(const steep_problem *problem, const steep_fit_options *options, double *theta,
                               steep_solve *solve, steep_error *error)
{
    const size_t cap = options->max_iterations ? options->max_iterations : ITERATIONS, P = problem->network->parameters;
    lbfgs l = {.solve = solve, .P = P};
    steep_status status = steep_objective_open(problem, options, false, &l.objective);
    void *block = STEEP_BLOCK(STEEP_SHARE(l.now, P), STEEP_SHARE(l.g, P), STEEP_SHARE(l.d, P), STEEP_SHARE(l.trial, P),
                              STEEP_SHARE(l.trial_g, P), STEEP_SHARE(l.s, P * PAIRS), STEEP_SHARE(l.y, P * PAIRS));
    if (!block) status = STEEP_NO_MEMORY;
    if (status == STEEP_OK) {
        memcpy(l.now, theta, P * sizeof *theta);
        status = steep_objective_evaluate(&l.objective, problem->train, l.now, &l.value, l.g);
    }
    if (status == STEEP_OK && !isfinite(l.value))
        status = steep_fail(error, STEEP_NOT_FINITE, "the network at the start is not finite: use another start");
    if (status == STEEP_OK) status = iterate(&l, cap);
    if (status == STEEP_NO_MEMORY) steep_fail(error, status, "lbfgs: no memory for %zu parameters", P);
    if (status >= 0) memcpy(theta, l.now, P * sizeof *theta);
    solve->evaluations = steep_objective_evaluations(&l.objective);
    steep_objective_close(&l.objective);
    free(block);
    snprintf(solve->reason, sizeof solve->reason, "%zu iterations, gradient %.1e%s", solve->iterations,
             l.objective.cosine, status == STEEP_STALLED ? "; no step lowers the error" : "");
    return status;
}

double steep_lbfgs_cost(const steep_fit_size *size, size_t starts)
{
    const double P = (double)size->network->parameters,
                 iterations = (double)starts * steep_cost_iterations(size, ITERATIONS),
                 evaluations = size->done ? (double)size->done->evaluations : TRIALS * iterations;
    return evaluations * steep_cost_jacobian(size) +
           4 * PAIRS * P * iterations * steep_cost_price(size, STEEP_PRICE_MULTIPLY);
}
