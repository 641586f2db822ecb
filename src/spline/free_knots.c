/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The best knots, by Newton's method on the projected problem (docs/explanation/theory.md).
 *
 * With the coefficients c eliminated, F(t) = min_c F(t, c) has the Hessian F_tt - F_tc F_cc^-1 F_ct: the Schur
 * complement of the joint Hessian at c = c(t). So one solve with the joint Hessian, which is banded in local variables,
 * is a Newton step of the projected problem.
 *
 *   1. Fit the coefficients on the knots at hand (spline/least_squares).
 *   2. Gradient and Hessian of F(t, c) in local variables (spline/knot_system).
 *   3. Hold fixed the coefficients that the samples do not determine (in a cell with too few, or all at one place). The
 *      rest of F_cc is positive definite, so enough damping of the knots makes the joint Hessian positive definite.
 *   4. Solve by banded Cholesky. Where a pivot fails, add mu_i * 2F/(cells h_i^2) to the diagonal entries of the knots
 *      there; while the step does not decrease F, add it to the diagonal entries of all knots.
 *   5. Cut the step so that no cell shrinks below 3/10 of its size; refit; accept on decrease. */
#include "base/status.h"
#include "steep/spline.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/clock.h"
#include "numerics/symmetric.h"
#include "spline/knot_system.h"

#define SHRINK        0.7  /* largest part of its size that a cell may lose in a step */
#define FIRST_DAMPING 1e-2 /* mu when it is first needed; tuned */
#define FIRST_LOCAL   1.0  /* mu of a knot where the Hessian is indefinite; tuned */
#define FACTORINGS    200  /* most factorisations in a step */
/* The samples determine a coefficient where its pivot is more than this share of its diagonal entry; tuned. Rounding
 * leaves a share of some (band + samples of a cell) eps = 1e-14; at 1e-10 four digits of a pivot are meaningful. */
#define DETERMINED 1e-10
/* Least usable pivot, as a share of its diagonal entry: below it the pivot's sign is only rounding. */
#define SIGNED 1e-13
#define TRIALS 40
/* A residual has the rounding of its value. So a relative change of the mean square up to LEVEL * (1 + rms of the
 * values / rms of the residuals) is only rounding. Such an increase is accepted once the gradient is below NEARLY:
 * Newton's last steps lower the gradient, not the error. */
#define LEVEL   (8 * DBL_EPSILON)
#define NEARLY  1e-3
#define ROUNDED (16 * DBL_EPSILON) /* rms of the residuals / rms of the values that is only rounding */

typedef struct work {
    const steep_free_knots_problem *problem;
    const steep_free_knots_options *options;
    steep_free_knots_result *result;
    steep_samples gauss;  /* the continuous problem's quadrature points on the last evaluated knots */
    steep_knot_data data; /* the samples of the last evaluation */
    steep_knot_system system;
    size_t cells, gauss_points;
    double *factor, *step;  /* shaped like system.hessian, system.gradient */
    double *trial, *local;  /* cells + 1 trial knots; the damping mu_i of each knot */
    unsigned char *held;    /* system.size: 1 for unknowns that are held fixed */
    double *knot;           /* cells + 1, the current knots */
    double square, damping; /* mean square at the current knots, F = square / 2; mu of all knots */
    double values;          /* mean square of the values */
    void *block;
} work;

/* sum_k w_k (s(x_k) - y_k)^2 */
static double square_of(const steep_samples *samples, const steep_spline *spline)
{
    const double *knot = spline->knot;
    double sum = 0;
    for (size_t i = 0, k = 0; k < samples->count; k++) {
        while (i + 1 < spline->cells && samples->x[k] >= knot[i + 1]) i++;
        const long double *c = spline->coefficient + i * (spline->degree + 1);
        double z = (samples->x[k] - knot[i + 1]) / (knot[i + 1] - knot[i]), value = (double)c[spline->degree];
        for (size_t j = spline->degree; j-- > 0;) value = value * z + (double)c[j];
        double e = value - samples->y[k];
        sum += steep_sample_weight(samples, k) * e * e;
    }
    return sum;
}

/* Holds fixed the coefficients that the samples do not determine and the two ends of the interval. */
static void hold(work *w)
{
    const steep_knot_system *s = &w->system;
    memcpy(w->factor, s->hessian, s->size * (s->band + 1) * sizeof *w->factor);
    for (size_t i = 0; i <= w->cells; i++) steep_knot_system_isolate(s, w->factor, steep_knot_system_place(s, i));
    steep_symmetric_band_cholesky(s->size, s->band, w->factor, s->band + 1, DETERMINED, w->held);
    w->held[steep_knot_system_place(s, 0)] = w->held[steep_knot_system_place(s, w->cells)] = 1;
    for (size_t row = 0; row < s->size; row++) {
        if (!w->held[row]) continue;
        steep_knot_system_isolate(s, s->hessian, row);
        s->gradient[row] = 0;
    }
}

static double smaller_cell(const double *knot, size_t i)
{
    double left = knot[i] - knot[i - 1], right = knot[i + 1] - knot[i];
    return left < right ? left : right;
}

/* Sets w->step; false where no damping gives a step. Where the Hessian is not positive definite, the knots beside the
 * first bad pivot are damped until it is. So one knot at a saddle does not hold back all others, as a common damping
 * would. In theory the cause may be a knot further left: later attempts damp all knots. */
static bool newton_step(work *w)
{
    const steep_knot_system *s = &w->system;
    size_t broken = 1;
    for (size_t i = 0; i <= w->cells; i++) w->local[i] = w->damping;
    for (size_t attempt = 0; broken > 0 && attempt < FACTORINGS; attempt++) {
        memcpy(w->factor, s->hessian, s->size * (s->band + 1) * sizeof *w->factor);
        for (size_t i = 1; i < w->cells; i++) {
            double h = smaller_cell(w->knot, i), *diagonal = w->factor + steep_knot_system_place(s, i) * (s->band + 1);
            *diagonal += w->local[i] * w->square / ((double)w->cells * h * h); /* mu_i 2F / (cells h_i^2) */
        }
        broken = steep_symmetric_band_cholesky(s->size, s->band, w->factor, s->band + 1, SIGNED, NULL);
        size_t at = broken > 0 ? (broken - 1) / s->per : 0, first = at > 1 ? at - 1 : 1;
        if (attempt > FACTORINGS / 2) first = 1, at = w->cells;
        for (size_t i = first; broken > 0 && i <= at; i++) w->local[i] = fmax(4 * w->local[i], FIRST_LOCAL);
    }
    if (broken != 0) return false;
    memcpy(w->step, s->gradient, s->size * sizeof *w->step);
    steep_symmetric_band_solve(s->size, s->band, w->factor, s->band + 1, w->step); /* H step = g */
    return true;
}

/* Sets the trial knots; false where no knot moves, a step is not finite or the trial knots do not ascend. */
static bool move(work *w)
{
    const double *knot = w->knot;
    double cut = 1;
    for (size_t i = 0; i < w->cells; i++) {
        double left = i == 0 ? 0 : -w->step[steep_knot_system_place(&w->system, i)],
               right = i + 1 == w->cells ? 0 : -w->step[steep_knot_system_place(&w->system, i + 1)],
               h = knot[i + 1] - knot[i];
        if (!(left - left == 0) || !(right - right == 0)) return false;
        if (right - left < 0 && SHRINK * h < cut * (left - right)) cut = SHRINK * h / (left - right);
    }
    memcpy(w->trial, knot, (w->cells + 1) * sizeof *knot);
    bool moved = false;
    for (size_t i = 1; i < w->cells; i++) {
        w->trial[i] = knot[i] - cut * w->step[steep_knot_system_place(&w->system, i)];
        moved = moved || w->trial[i] != knot[i];
    }
    for (size_t i = 0; i < w->cells; i++)
        if (!(w->trial[i] < w->trial[i + 1])) return false;
    return moved;
}

/* Relative change of the mean square that is rounding. */
static double rounding_level(const work *w, double square)
{
    return LEVEL * (1 + sqrt(w->values / square));
}

/* max_i |dF/dt_i| h_i / (2 F) */
static double knot_gradient(const work *w)
{
    double worst = 0;
    for (size_t i = 1; i < w->cells; i++) {
        double slope = fabs(w->system.gradient[steep_knot_system_place(&w->system, i)]);
        double share = slope * smaller_cell(w->knot, i) / w->square;
        if (share > worst || isnan(share)) worst = share; /* NaN stays */
    }
    return worst;
}

steep_free_knots_options steep_free_knots_options_default(void)
{
    return (steep_free_knots_options){.max_iterations = 100, .tolerance = 1e-9};
}

/* Step 1: fits on the knots; *square: the mean square, infinity when the fit fails. */
static steep_status evaluate(work *w, const double *knot, steep_spline *spline, double *square, steep_error *error)
{
    const steep_free_knots_problem *p = w->problem;
    const steep_spline_space space = {p->degree, p->continuity, w->cells, knot};
    steep_status status = STEEP_OK;
    if (!p->samples) { /* the Gauss points of the continuous problem for these knots */
        steep_samples_free(&w->gauss);
        status = steep_samples_gauss(p->target, w->cells, knot, w->gauss_points, &w->gauss, error);
    }
    if (status >= 0) status = steep_spline_least_squares(w->data.samples, &space, spline, error);
    *square = status >= 0 ? square_of(w->data.samples, spline) : INFINITY;
    return status;
}

/* Step 5: one accepted step from w->knot and *spline; STEEP_STALLED when none decreases the mean square. */
static steep_status improve(work *w, steep_spline *spline, steep_error *error)
{
    for (size_t trial = 0; trial < TRIALS; trial++) {
        steep_spline next = {0};
        double value = INFINITY;
        if (newton_step(w) && move(w)) {
            steep_error why = {""};
            const steep_status status = evaluate(w, w->trial, &next, &value, &why);
            w->result->evaluations++;
            if (status == STEEP_NO_MEMORY) return steep_fail(error, status, "%s", why.text);
        }
        /* the two mean squares differ only by rounding */
        bool level = w->result->gradient < NEARLY && value <= w->square * (1 + rounding_level(w, w->square));
        if (value < w->square || level) {
            steep_spline_free(spline);
            *spline = next;
            w->square = value;
            memcpy(w->knot, w->trial, (w->cells + 1) * sizeof *w->knot);
            w->damping = w->damping < 2 * FIRST_DAMPING ? 0 : w->damping / 8;
            return STEEP_OK;
        }
        steep_spline_free(&next);
        w->damping = fmax(4 * w->damping, FIRST_DAMPING);
    }
    return STEEP_STALLED;
}

/* Fits the spline on the starting knots. */
static steep_status begin(work *w, steep_spline *spline, steep_error *error)
{
    const steep_status status = evaluate(w, w->knot, spline, &w->square, error);
    w->result->evaluations = 1;
    if (status < 0) return status;
    const steep_samples *samples = w->data.samples;
    for (size_t k = 0; k < samples->count; k++)
        w->values += steep_sample_weight(samples, k) * samples->y[k] * samples->y[k];
    if (isfinite(w->square)) return status;
    return steep_fail(
        error, STEEP_NOT_FINITE,
        "the spline on the knots at the start is not finite: use other knots, or values of another scale");
}

static bool ended(const work *w, double began, steep_status *why)
{
    const steep_free_knots_result *r = w->result;
    steep_progress progress = {.stage = "knots",
                               .iteration = r->iterations,
                               .evaluations = r->evaluations,
                               .rmse = r->rmse,
                               .gradient_norm = r->gradient,
                               .step = w->damping,
                               .seconds = steep_clock_seconds() - began};
    *why = STEEP_CONVERGED;
    if (r->gradient <= w->options->tolerance) return true;
    *why = STEEP_FLOOR;
    if (w->square <= ROUNDED * ROUNDED * w->values) return true;
    *why = STEEP_MAX_ITERATIONS;
    if (r->iterations >= w->options->max_iterations) return true;
    *why = STEEP_STOPPED;
    return !steep_monitor_proceed(&w->options->monitor, &progress);
}

static steep_status iterate(work *w, steep_spline *spline, steep_error *error)
{
    double began = steep_clock_seconds(); /* only reported to the monitor; no decision uses it */
    size_t still = 0;                     /* steps in a row that lowered the error by no more than rounding */
    steep_status status = begin(w, spline, error), why = STEEP_STALLED;
    while (status >= 0) {
        w->result->rmse = sqrt(w->square);
        steep_local_basis_coefficients(&w->system.basis, spline, w->system.coefficient);
        steep_knot_system_assemble(&w->system, &w->data, w->knot);
        hold(w);
        w->result->gradient = w->square > 0 ? knot_gradient(w) : 0;
        if (ended(w, began, &why)) return why;
        double before = w->square;
        status = improve(w, spline, error);
        if (status != STEEP_OK) return status;
        w->result->iterations++;
        still = before - w->square <= rounding_level(w, before) * before ? still + 1 : 0;
        if (still > 2) return STEEP_STALLED;
    }
    return status;
}

/* Checks w->problem and allocates; w->problem and w->options are set before. */
static steep_status work_init(work *w, steep_error *error)
{
    const steep_free_knots_problem *p = w->problem;
    if (p->continuity < 1 || p->continuity > 2 || 2 * p->continuity > p->degree + 1 ||
        p->degree > STEEP_SPLINE_MAX_DEGREE || p->cells < 1 ||
        (p->samples ? p->samples->count < 2 : !(p->target && p->target->dim == 1)))
        return steep_fail(error, STEEP_BAD_INPUT,
                          "free knots for degree %zu, continuity %zu, %zu cells%s: use continuity 1 or 2, at most half "
                          "of degree + 1, and two samples or more, or a 1D target",
                          p->degree, p->continuity, p->cells, p->samples || p->target ? "" : ", no samples");
    w->cells = p->cells;
    w->gauss_points = w->options->gauss_points ? w->options->gauss_points : p->degree + 11;
    w->data.samples = p->samples ? p->samples : &w->gauss;
    w->data.target = p->samples ? NULL : p->target;
    steep_status status = steep_knot_system_init(p->degree, p->continuity, p->cells, &w->system, error);
    if (status < 0) return status;
    const size_t size = w->system.size;
    w->block = STEEP_BLOCK(STEEP_SHARE(w->factor, size * (w->system.band + 1)), STEEP_SHARE(w->step, size),
                           STEEP_SHARE(w->trial, p->cells + 1), STEEP_SHARE(w->local, p->cells + 1),
                           STEEP_SHARE(w->held, size));
    if (w->block) return STEEP_OK;
    return steep_fail(error, STEEP_NO_MEMORY, "no memory for free knots in %zu cells", p->cells);
}

steep_status steep_spline_free_knots(const steep_free_knots_problem *problem, double *knot,
                                     const steep_free_knots_options *options, steep_spline *spline,
                                     steep_free_knots_result *result, steep_error *error)
{
    steep_free_knots_options defaults = steep_free_knots_options_default();
    memset(spline, 0, sizeof *spline);
    *result = (steep_free_knots_result){.rmse = NAN, .gradient = NAN};
    work w = {.problem = problem, .options = options ? options : &defaults, .result = result, .knot = knot};
    result->status = work_init(&w, error);
    if (result->status == STEEP_OK) result->status = iterate(&w, spline, error);
    if (result->status < 0) steep_spline_free(spline);
    steep_samples_free(&w.gauss);
    free(w.system.coefficient);
    free(w.block);
    return result->status;
}
