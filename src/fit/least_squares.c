/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Levenberg-Marquardt in a trust region, by QR or by normal equations. More 1978; the update rules and their constants
 * are those of MINPACK's lmder.
 *
 *   1. r, J at x. Stop if max_p |J_p . r| / (|J_p| |r|) <= tolerance.
 *   2. D_p = the largest |J_p| so far (1 while it is 0): a change of units of x changes nothing.
 *   3. [J; V] = Q R by Householder, once. Each direction v along which r is known not to change (the problem's
 *      invariances) gives a row (D^2 v)' / |D v| of V: no step has a part along v, in the metric of D, and v causes no
 *      rank deficiency of R. A column that depends on earlier columns gets an exact 0 on R's diagonal. With c = the
 *      head of Q'[r; 0], all later steps are n x n. The rows enter R by QR updates, tile by tile (numerics/fold): Q is
 *      not kept.
 *   4. Find the damping mu for which d = argmin |R d + c|^2 + mu |D d|^2 has |D d| = radius within a tenth; if d is
 *      shorter at the least damping, take that. Hebden-More iteration; each solve is a QR of the stack [R; sqrt(mu) D],
 *      without normal equations. Along other directions in which J lacks rank, R holds rounding, n eps |D d|, and c any
 *      part of |r|: the step there is n eps |r| / mu. The least damping, n eps |r| / (drift |D x|) or n eps if that is
 *      less, keeps it below drift |D x|. The damping falls to 0 with |r|: convergence stays quadratic.
 *      accelerate: d becomes d + a / 2, a = -(J'J + V'V + mu D^2)^-1 J' r'', with r'' the second derivative of r along
 *      d by a difference, if 2 |D a| <= 3/4 |D d| and the step promises more than rounding (Transtrum, Sethna, arXiv
 *      1201.5885): the step follows a curved valley.
 *   5. ratio = actual over predicted decrease of |r|^2, the actual one summed as (r - s)(r + s): no cancellation.
 *      Radius down for ratio <= 1/4, up for ratio >= 3/4. The step is taken if ratio >= 1e-4 and r, J are finite there;
 *      else back to 4.
 *   6. Polishing: a step that promises less than the rounding of |r|^2 is taken if it lowers the gradient instead. The
 *      rounding is estimated from a change of the last digit of each unknown: 2 eps |diag(|J_p|) x| / |r|, relative. If
 *      neither this step nor shorter ones lower it, or the radius is below the rounding of x, stop: stalled.
 *
 * With many unknowns (steep_lm_by_gram), steps 3 and 4 use J'J + V'V + mu D^2 = R_mu'R_mu (numerics/gram), and J
 * corrects the step once. QR replaces them until the next point if there is no factor or the correction is large. */
#include "base/status.h"
#include "steep/fit.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/clock.h"
#include "base/sizes.h"
#include "fit/solvers.h"
#include "numerics/dense.h"
#include "numerics/fold.h"
#include "numerics/gram.h"

typedef struct solver {
    const steep_least_squares_problem *problem;
    const steep_least_squares_options *options;
    steep_least_squares_result *result;
    size_t m, n;
    /* m numbers: residual, residual at the trial point, J d; n numbers: unknowns at the trial point, |J_p|, D (peak:
     * before its zeros became 1), gradient, step, scratch */
    double *r, *trial, *along, *x_trial, *size, *peak, *scale, *gradient, *step, *w, *dots;
    double *J;                 /* m x n */
    steep_fold fold;           /* R and c at x; R_mu and the head of its right-hand side */
    double *invariant;         /* V': n x invariances */
    steep_gram gram;           /* J'J + V'V, if by_gram */
    bool by_gram, folded;      /* may the Gram be used? is R up to date at x? (it is then used instead) */
    bool stale;                /* J belongs to a refused trial point */
    double norm, cosine;       /* |r|, gradient */
    size_t shortened;          /* polishing steps refused since the last step taken */
    double radius, mu, length; /* trust radius, damping, |D d| */
    steep_team *team;          /* NULL: none */
    double begin;
    steep_status failure; /* of an evaluation of J again */
    void *block;
} solver;

typedef enum verdict { TAKEN, REFUSED, FINISHED } verdict;

#define EVALUATION "the evaluation failed"
#define REACH      0.1  /* relative distance along the step for the difference r''; arXiv 1201.5885 */
#define CORRECTION 1e-3 /* relative correction by J beyond which QR makes the step */
#define COLUMNS    16   /* columns of J in a part for one thread */
#define CURVED     0.75 /* largest 2 |D a| / |D d| with which a is used; arXiv 1201.5885 */

steep_least_squares_options steep_least_squares_options_default(void)
{
    return (steep_least_squares_options){.max_iterations = STEEP_LM_ITERATIONS,
                                         .tolerance = 1e-8,
                                         .radius = 1,
                                         .drift = STEEP_LM_DRIFT,
                                         .stage = "lm",
                                         .threads = 1};
}

static verdict finish(solver *s, steep_status status, const char *reason)
{
    s->result->status = status;
    snprintf(s->result->reason, sizeof s->result->reason, "%.*s", (int)sizeof s->result->reason - 1, reason);
    return FINISHED;
}

static steep_status evaluate(solver *s, const double *x, double *r, double *J)
{
    s->result->evaluations++;
    return s->problem->evaluate(s->problem->context, x, r, J);
}

/* |diag(scale) v| */
static double scaled_norm(const solver *s, const double *v)
{
    for (size_t p = 0; p < s->n; p++) s->w[p] = s->scale[p] * v[p];
    return steep_dense_norm(s->n, s->w);
}

/* One part: writes the lengths of columns of J into w. */
static void measure_columns(void *context, size_t part)
{
    const solver *s = context;
    for (size_t p = part * COLUMNS; p < steep_least(s->n, (part + 1) * COLUMNS); p++)
        s->w[p] = steep_dense_norm(s->m, s->J + p * s->m);
}

/* Returns the cosine of step 1 for J and r; the lengths of J's columns stay in w. */
static double gradient_cosine(solver *s, const double *r, double norm)
{
    double worst = 0;
    steep_team_run(s->team, steep_pieces(s->n, COLUMNS), measure_columns, s);
    steep_dense_inner(s->team, &(steep_product){s->m, {s->n, s->J, s->m}, {1, r, s->m}, s->dots, s->n});
    for (size_t p = 0; p < s->n; p++) {
        double cosine = s->w[p] > 0 && norm > 0 ? fabs(s->dots[p]) / s->w[p] / norm : 0;
        if (cosine > worst || isnan(cosine)) worst = cosine; /* NaN stays */
    }
    return worst;
}

/* Step 3 by QR. */
static void fold_jacobian(solver *s)
{
    steep_fold *fold = &s->fold;
    s->folded = true;
    steep_fold_begin(fold);
    steep_fold_rows(fold, s->m, s->J, 1, s->m, s->r);
    if (s->problem->invariances > 0) steep_fold_rows(fold, s->problem->invariances, s->invariant, s->n, 1, NULL);
    for (size_t p = 0; p < s->n; p++) {
        double *row = fold->R + p * fold->ld;
        if (fabs(row[p]) <= STEEP_LM_DEPENDENT * s->size[p]) row[p] = 0;
        s->gradient[p] = row[s->n]; /* J'r = R'c */
    }
    steep_fold_transposed_times(fold, fold->R, s->gradient);
}

/* Step 3: computes J'J + V'V and J'r, or R. */
static void factor(solver *s, const double *x)
{
    const size_t n = s->n, count = s->problem->invariances;
    s->folded = false;
    if (count > 0) s->problem->invariant(s->problem->context, x, s->invariant);
    for (size_t i = 0; i < count; i++) { /* the rows of V */
        double *v = s->invariant + i * n, length = scaled_norm(s, v);
        for (size_t p = 0; p < n; p++) v[p] = length > 0 ? s->scale[p] * (s->scale[p] * v[p] / length) : 0;
    }
    if (!s->by_gram) {
        fold_jacobian(s);
        return;
    }
    steep_gram_form(&s->gram, s->m, s->J);
    steep_gram_add(&s->gram, count, s->invariant);
    steep_dense_inner(s->team, &(steep_product){s->m, {n, s->J, s->m}, {1, s->r, s->m}, s->gradient, n});
}

/* Evaluates J at the current point again, after a refused point. */
static steep_status restore(solver *s, const double *x)
{
    if (s->stale && s->failure >= 0) s->failure = evaluate(s, x, s->trial, s->J);
    s->stale = s->failure < 0;
    return s->failure;
}

/* Corrects the step once by J: e = -(J'J + V'V + mu D^2)^-1 (J'(r + J d) + V'V d + mu D^2 d). False where e is more
 * than rounding: the normal equations are then too inaccurate for the step. */
static bool refine(solver *s)
{
    const size_t n = s->n;
    double *e = s->w, *scratch = s->x_trial;
    memcpy(s->trial, s->r, s->m * sizeof *s->r);
    for (size_t p = 0; p < n; p++) scratch[p] = -s->step[p];
    steep_dense_subtract(s->team, &(steep_product){s->m, {n, s->J, s->m}, {1, scratch, n}, s->trial, s->m});
    steep_dense_inner(s->team, &(steep_product){s->m, {n, s->J, s->m}, {1, s->trial, s->m}, e, n});
    for (size_t p = 0; p < n; p++) e[p] = -(e[p] + s->mu * s->scale[p] * (s->scale[p] * s->step[p]));
    for (size_t i = 0; i < s->problem->invariances; i++) {
        const double *v = s->invariant + i * n;
        steep_dense_add(n, -steep_dense_dot(n, v, s->step), v, e);
    }
    steep_gram_solve(&s->gram, e);
    for (size_t p = 0; p < n; p++) {
        scratch[p] = s->scale[p] * e[p];
        s->step[p] += e[p];
    }
    const double correction = steep_dense_norm(n, scratch);
    s->length = scaled_norm(s, s->step);
    return correction <= CORRECTION * s->length;
}

/* Step 4 for this mu: computes the triangle of [R; sqrt(mu) D] or the factor of J'J + V'V + mu D^2, and the step. */
static bool solve_damped(solver *s)
{
    const steep_fold *fold = &s->fold;
    double root = sqrt(s->mu);
    for (size_t p = 0; p < s->n; p++) s->w[p] = root * s->scale[p];
    s->result->triangles++;
    if (!s->folded) {
        if (!steep_gram_factor(&s->gram, s->w)) return false;
        for (size_t p = 0; p < s->n; p++) s->step[p] = -s->gradient[p];
        steep_gram_solve(&s->gram, s->step);
        return true;
    }
    steep_fold_damp(&s->fold, s->w);
    for (size_t p = 0; p < s->n; p++) {
        const double *row = fold->S + p * fold->ld;
        if (row[p] == 0) return false; /* sqrt(mu) D underflows */
        s->step[p] = -row[s->n];
    }
    steep_dense_lower_transposed_solve(s->n, fold->S, fold->ld, s->step);
    return true;
}

/* Returns Newton's next mu (Hebden) for 1/|D d| - 1/radius: mu + (|D d|/radius - 1) |D d|^2 / |R_mu^-T D^2 d|^2. */
static double hebden(solver *s)
{
    double size;
    for (size_t p = 0; p < s->n; p++) s->w[p] = s->scale[p] * s->scale[p] * s->step[p];
    if (s->folded) {
        steep_dense_lower_solve(s->n, s->fold.S, s->fold.ld, s->w);
        size = steep_dense_norm(s->n, s->w);
    } else size = steep_gram_inverse_norm(&s->gram, s->w);
    double v = s->length / size;
    return s->mu + (s->length - s->radius) / s->radius * v * v;
}

/* Step 4: finds mu, step and length. False where the arithmetic breaks down. */
static bool search_damping(solver *s, const double *x)
{
    const double least = steep_lm_least_damping(s->n, s->norm, s->options->drift * scaled_norm(s, x));
    double low = least;
    for (size_t p = 0; p < s->n; p++) s->w[p] = s->gradient[p] / s->scale[p];
    double high = steep_dense_norm(s->n, s->w) / s->radius;
    if (!(high > 2 * least)) high = 2 * least;
    if (!(s->mu > least)) s->mu = least;
    if (!(s->mu < high)) s->mu = high;
    for (size_t i = 0; i < STEEP_LM_MAX_HEBDEN; i++) {
        if (!solve_damped(s)) return false;
        s->length = scaled_norm(s, s->step);
        double excess = s->length - s->radius;
        if (!isfinite(excess)) return false;
        if (fabs(excess) <= 0.1 * s->radius || (excess <= 0 && s->mu <= least)) break;
        if (excess > 0) low = s->mu;
        else high = s->mu;
        double next = hebden(s);
        if (next > low && next < high) s->mu = next;
        else s->mu = excess < 0 && low <= least ? least : sqrt(low) * sqrt(high);
    }
    return s->length > 0;
}

/* Step 4 by J'J if that is accurate enough, else by QR until the next point. */
static bool find_step(solver *s, const double *x)
{
    const double mu = s->mu;
    if (!s->folded && search_damping(s, x) && restore(s, x) >= 0 && refine(s)) return true;
    if (!s->folded) {
        if (restore(s, x) < 0) return false;
        fold_jacobian(s);
        s->mu = mu;
    }
    return search_damping(s, x);
}

/* Predictions of the linear model, relative to |r|^2: the decrease, |R d|^2 + 2 mu |D d|^2, and minus half the slope of
 * |r|^2 along d, |R d|^2 + mu |D d|^2. */
static void predict(solver *s, double *decrease, double *slope)
{
    double linear;
    if (s->folded) {
        memcpy(s->w, s->step, s->n * sizeof *s->w);
        steep_fold_times(&s->fold, s->fold.R, s->w);
        linear = steep_dense_norm(s->n, s->w) / s->norm;
    } else {
        memset(s->trial, 0, s->m * sizeof *s->trial);
        steep_dense_subtract(s->team, &(steep_product){s->m, {s->n, s->J, s->m}, {1, s->step, s->n}, s->trial, s->m});
        linear = steep_dense_norm(s->m, s->trial) / s->norm;
    }
    double damped = sqrt(s->mu) * s->length / s->norm;
    *slope = linear * linear + damped * damped;
    *decrease = linear * linear + 2 * damped * damped;
}

/* Step 4, accelerate. */
static steep_status accelerate(solver *s, const double *x)
{
    const size_t n = s->n;
    double *bend = s->along, *a = s->dots;
    steep_status status = restore(s, x);
    for (size_t p = 0; p < n; p++) s->x_trial[p] = x[p] + REACH * s->step[p];
    if (status >= 0) status = evaluate(s, s->x_trial, s->trial, NULL);
    if (status < 0) return status;
    memset(bend, 0, s->m * sizeof *bend);
    steep_dense_subtract(s->team, &(steep_product){s->m, {n, s->J, s->m}, {1, s->step, n}, bend, s->m});
    for (size_t k = 0; k < s->m; k++) bend[k] = 2 / REACH * ((s->trial[k] - s->r[k]) / REACH + bend[k]); /* r'' */
    steep_dense_inner(s->team, &(steep_product){s->m, {n, s->J, s->m}, {1, bend, s->m}, a, n});
    if (s->folded) {
        steep_dense_lower_solve(n, s->fold.S, s->fold.ld, a);
        steep_dense_lower_transposed_solve(n, s->fold.S, s->fold.ld, a);
    } else steep_gram_solve(&s->gram, a);
    if (2 * scaled_norm(s, a) <= CURVED * s->length) steep_dense_add(n, -0.5, a, s->step);
    return STEEP_OK;
}

static verdict refuse(solver *s, const double *x)
{
    if (s->radius > DBL_EPSILON * scaled_norm(s, x)) return REFUSED;
    return finish(s, STEEP_STALLED, "no step within the rounding of the unknowns lowers the residual");
}

/* Evaluates r and J at the trial point; takes it if they are finite and (polish) the gradient has become smaller. */
static verdict take(solver *s, double *x, bool polish)
{
    s->stale = true;
    steep_status status = evaluate(s, s->x_trial, s->trial, s->J);
    if (status < 0) return finish(s, status, EVALUATION);
    double norm = steep_dense_norm(s->m, s->trial);
    double cosine = gradient_cosine(s, s->trial, norm);
    bool finite = isfinite(norm) && steep_dense_finite(s->n, s->w);
    if (polish && !(finite && cosine <= STEEP_LM_SMALLER * s->cosine)) return REFUSED;
    if (!finite) {
        s->radius *= 0.1;
        s->mu *= 10;
        return refuse(s, x);
    }
    s->stale = false;
    double *swap = s->r;
    s->r = s->trial;
    s->trial = swap;
    s->norm = norm;
    s->cosine = cosine;
    s->shortened = 0;
    memcpy(s->size, s->w, s->n * sizeof *s->w);
    memcpy(x, s->x_trial, s->n * sizeof *x);
    return TAKEN;
}

/* Steps 4 to 6, one trial. */
static verdict attempt(solver *s, double *x)
{
    if (!find_step(s, x)) {
        if (s->failure < 0) return finish(s, s->failure, EVALUATION);
        return finish(s, STEEP_STALLED, "the step cannot be computed: the Jacobian's size leaves the range of numbers");
    }
    double predicted, slope;
    predict(s, &predicted, &slope);
    for (size_t p = 0; p < s->n; p++) s->w[p] = s->size[p] * x[p];
    const double noise = steep_lm_rounding(steep_dense_norm(s->n, s->w), s->norm);
    steep_status status = s->options->accelerate && predicted > noise ? accelerate(s, x) : STEEP_OK;
    for (size_t p = 0; p < s->n; p++) s->x_trial[p] = x[p] + s->step[p];
    if (status >= 0) status = evaluate(s, s->x_trial, s->trial, NULL);
    if (status < 0) return finish(s, status, EVALUATION);
    double actual = 0; /* (|r|^2 - |trial|^2) / |r|^2; NaN where the trial is not finite */
    for (size_t k = 0; k < s->m; k++) actual += (s->r[k] - s->trial[k]) / s->norm * ((s->r[k] + s->trial[k]) / s->norm);
    bool good = actual / predicted >= STEEP_LM_ACCEPT;
    if (predicted <= noise && actual >= -noise && !(good && predicted > STEEP_LM_ROUNDING)) {
        verdict v = take(s, x, true);
        if (v != REFUSED) return v;
        if (predicted <= STEEP_LM_ROUNDING) { /* try a shorter step, a few times */
            s->radius = 0.25 * s->length;
            s->mu *= 4;
            if (++s->shortened <= STEEP_LM_MAX_SHORTENED) return REFUSED;
            return finish(s, STEEP_STALLED, "no step lowers the residual by more than its rounding");
        }
    }
    steep_lm_update_radius(actual / predicted, actual, slope, s->length, &s->radius, &s->mu);
    return good ? take(s, x, false) : refuse(s, x);
}

static bool is_over(solver *s)
{
    const steep_least_squares_options *options = s->options;
    steep_least_squares_result *result = s->result;
    steep_progress progress = {options->stage,
                               result->iterations,
                               result->evaluations,
                               s->norm,
                               s->cosine,
                               s->mu,
                               steep_clock_seconds() - s->begin,
                               NULL};
    if (s->cosine <= options->tolerance) finish(s, STEEP_CONVERGED, "the gradient meets the tolerance");
    else if (s->norm <= options->small) finish(s, STEEP_FLOOR, "the residual is at the size that counts as rounding");
    else if (!steep_monitor_proceed(&options->monitor, &progress))
        finish(s, STEEP_STOPPED, "the monitor asked to stop");
    else if (result->iterations >= options->max_iterations)
        finish(s, STEEP_MAX_ITERATIONS, "the cap on iterations is reached");
    else return false;
    return true;
}

static void iterate(solver *s, double *x, steep_error *error)
{
    steep_status status = evaluate(s, x, s->r, s->J);
    if (status < 0) {
        finish(s, status, EVALUATION);
        return;
    }
    s->norm = steep_dense_norm(s->m, s->r);
    s->cosine = gradient_cosine(s, s->r, s->norm);
    memcpy(s->size, s->w, s->n * sizeof *s->w);
    if (!isfinite(s->norm) || !steep_dense_finite(s->n, s->size)) {
        finish(s, STEEP_NOT_FINITE, "residual or Jacobian at the start is not finite");
        steep_fail(error, STEEP_NOT_FINITE, "%s: use a start where the model is finite", s->result->reason);
        return;
    }
    while (!is_over(s)) {
        for (size_t p = 0; p < s->n; p++) { /* step 2 */
            if (s->size[p] > s->peak[p]) s->peak[p] = s->size[p];
            s->scale[p] = s->peak[p] > 0 && !s->options->even ? s->peak[p] : 1;
        }
        if (s->result->iterations == 0) {
            double size = scaled_norm(s, x);
            s->radius = s->options->radius * (size > 0 ? size : 1);
        }
        factor(s, x);
        verdict v = REFUSED;
        for (size_t trial = 0; v == REFUSED && trial < STEEP_LM_MAX_TRIALS; trial++) v = attempt(s, x);
        if (v == REFUSED) finish(s, STEEP_STALLED, "no step lowers the residual");
        if (v != TAKEN) break;
        s->result->iterations++;
    }
    s->result->norm = s->norm;
    s->result->cosine = s->cosine;
}

static steep_status check_solve(const steep_least_squares_problem *problem, const steep_least_squares_options *options,
                                steep_error *error)
{
    size_t m = problem->residuals, n = problem->unknowns;
    if (n == 0) return steep_fail(error, STEEP_BAD_INPUT, "no unknowns: expected one or more");
    if (m + problem->invariances < n)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%zu residuals for %zu unknowns: expected as many residuals as unknowns or more", m, n);
    if (m > SIZE_MAX / sizeof(double) / 8 / n)
        return steep_fail(error, STEEP_BAD_INPUT, "a Jacobian of %zu x %zu is beyond memory", m, n);
    if (!(options->tolerance > 0 && options->tolerance < 1))
        return steep_fail(error, STEEP_BAD_INPUT, "tolerance %g: use one between 0 and 1", options->tolerance);
    if (!(options->small >= 0)) return steep_fail(error, STEEP_BAD_INPUT, "small %g: use 0 or more", options->small);
    if (!(options->radius > 0 && options->radius < INFINITY))
        return steep_fail(error, STEEP_BAD_INPUT, "radius %g: use one above 0", options->radius);
    if (!(options->drift > 0)) return steep_fail(error, STEEP_BAD_INPUT, "drift %g: use one above 0", options->drift);
    return STEEP_OK;
}

steep_status steep_least_squares_solve(const steep_least_squares_problem *problem,
                                       const steep_least_squares_options *options, double *x,
                                       steep_least_squares_result *result, steep_error *error)
{
    steep_least_squares_options defaults = steep_least_squares_options_default();
    if (!options) options = &defaults;
    *result = (steep_least_squares_result){.norm = NAN, .cosine = NAN, .tolerance = options->tolerance};
    solver s = {.problem = problem,
                .options = options,
                .result = result,
                .m = problem->residuals,
                .n = problem->unknowns,
                .begin = steep_clock_seconds()};
    s.team = steep_team_open(options->threads);
    steep_error local = {""};
    if (!error) error = &local;
    steep_status status = check_solve(problem, options, error);
    if (status == STEEP_OK) {
        const size_t m = s.m, n = s.n;
        s.by_gram = steep_lm_by_gram(m, n);
        s.block = STEEP_BLOCK(STEEP_SHARE(s.J, m * n), STEEP_SHARE(s.r, m), STEEP_SHARE(s.trial, m),
                              STEEP_SHARE(s.along, options->accelerate ? m : 0), STEEP_SHARE(s.x_trial, n),
                              STEEP_SHARE(s.size, n), STEEP_SHARE(s.peak, n), STEEP_SHARE(s.scale, n),
                              STEEP_SHARE(s.gradient, n), STEEP_SHARE(s.step, n), STEEP_SHARE(s.w, n),
                              STEEP_SHARE(s.dots, n), STEEP_SHARE(s.invariant, n * problem->invariances));
        if (!s.block || !steep_fold_open(&s.fold, n, s.team) || (s.by_gram && !steep_gram_open(&s.gram, n, s.team)))
            status = steep_fail(error, STEEP_NO_MEMORY, "no memory for a Jacobian of %zu x %zu", m, n);
    }
    if (status < 0) finish(&s, status, error->text);
    else iterate(&s, x, error);
    free(s.block);
    steep_fold_close(&s.fold);
    steep_gram_close(&s.gram);
    steep_team_close(s.team);
    return result->status;
}
