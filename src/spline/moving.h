/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moving: the steps of spline/free_knots, for the CPU and as device code: Newton's step of knots and coefficients
 * together, and where it leads. Nothing here allocates. */
#ifndef STEEP_SPLINE_MOVING_H
#define STEEP_SPLINE_MOVING_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "data/sample_weight.h"
#include "numerics/band.h"
#include "spline/joint.h"

#define STEEP_MOVING_SHRINK        0.7  /* largest part of its size that a cell may lose in a step */
#define STEEP_MOVING_FIRST_DAMPING 1e-2 /* mu when it is first needed; tuned */
#define STEEP_MOVING_FIRST_LOCAL   1.0  /* mu of a knot where the Hessian is indefinite; tuned */
#define STEEP_MOVING_FACTORINGS    200  /* in a step */
/* Share of its diagonal that elimination leaves of a coefficient's pivot where the samples determine it; tuned.
 * Rounding leaves some (band + samples of a cell) eps = 1e-14; at 1e-10 four digits of a pivot mean something. */
#define STEEP_MOVING_DETERMINED 1e-10
/* Share of its diagonal that elimination may leave of a pivot: below, its sign is rounding. */
#define STEEP_MOVING_SIGNED     1e-13
#define STEEP_MOVING_TOLERANCE  1e-9 /* of the options, when nothing else is asked for */
#define STEEP_MOVING_ITERATIONS 100
#define STEEP_MOVING_TRIALS     40
/* Rounding of a residual is that of the value it is left of: relative change of the mean square that is rounding, times
 * 1 + rms of the values / rms of the residuals. Accepted once the gradient is as small as STEEP_MOVING_NEARLY: Newton's last steps
 * lower the gradient, not the error. */
#define STEEP_MOVING_LEVEL  (8 * DBL_EPSILON)
#define STEEP_MOVING_NEARLY 1e-3
#define STEEP_MOVING_ROUNDED                                                                                           \
    (16 * DBL_EPSILON) /* rms of the residuals, relative to that of the values, that is rounding */

typedef struct steep_moving {
    steep_knot_system system;
    size_t cells;
    double *factor, *step;  /* as system.hessian, system.gradient */
    double *trial, *local;  /* cells + 1 knots; damping of each */
    unsigned char *held;    /* size: unknowns that stay */
    double *knot;           /* cells + 1, at hand */
    double square, damping; /* F = square / 2 there; mu of all knots */
    double values;          /* mean square of the values */
} steep_moving;

/* sum_k w_k (s(x_k) - y_k)^2 */
STEEP_SHARED double steep_moving_square_of(const steep_samples *samples, const steep_pieces *spline)
{
    const double *knot = spline->knot;
    double sum = 0;
    for (size_t i = 0, k = 0; k < samples->count; k++) {
        while (i + 1 < spline->cells && samples->x[k] >= knot[i + 1]) i++;
        const steep_long *c = spline->coefficient + i * (spline->degree + 1);
        double z = (samples->x[k] - knot[i + 1]) / (knot[i + 1] - knot[i]), value = (double)c[spline->degree];
        for (size_t j = spline->degree; j-- > 0;) value = value * z + (double)c[j];
        double e = value - samples->y[k];
        sum += steep_sample_weight(samples, k) * e * e;
    }
    return sum;
}

/* Coefficients that the samples do not determine, and the two ends of the interval, stay. */
STEEP_SHARED void steep_moving_hold(steep_moving *w)
{
    const steep_knot_system *s = &w->system;
    memcpy(w->factor, s->hessian, s->size * (s->band + 1) * sizeof *w->factor);
    for (size_t i = 0; i <= w->cells; i++) steep_joint_isolate(s, w->factor, steep_joint_place(s, i));
    steep_band_cholesky(s->size, s->band, w->factor, s->band + 1, STEEP_MOVING_DETERMINED, w->held);
    w->held[steep_joint_place(s, 0)] = w->held[steep_joint_place(s, w->cells)] = 1;
    for (size_t row = 0; row < s->size; row++) {
        if (!w->held[row]) continue;
        steep_joint_isolate(s, s->hessian, row);
        s->gradient[row] = 0;
    }
}

STEEP_SHARED double steep_moving_smaller_cell(const double *knot, size_t i)
{
    double left = knot[i] - knot[i - 1], right = knot[i + 1] - knot[i];
    return left < right ? left : right;
}

/* False when there is no step. Where the Hessian is not positive definite, the knots beside the pivot that says so are
 * damped until it is: one knot at a saddle does not hold back the others, as it would if all were damped as it must be.
 * In theory a knot further left may be to blame: then all are damped in the end. */
STEEP_SHARED bool steep_moving_newton_step(steep_moving *w)
{
    const steep_knot_system *s = &w->system;
    size_t broken = 1;
    for (size_t i = 0; i <= w->cells; i++) w->local[i] = w->damping;
    for (size_t attempt = 0; broken > 0 && attempt < STEEP_MOVING_FACTORINGS; attempt++) {
        memcpy(w->factor, s->hessian, s->size * (s->band + 1) * sizeof *w->factor);
        for (size_t i = 1; i < w->cells; i++) {
            double h = steep_moving_smaller_cell(w->knot, i),
                   *diagonal = w->factor + steep_joint_place(s, i) * (s->band + 1);
            *diagonal += w->local[i] * w->square / ((double)w->cells * h * h); /* mu_i 2F / (cells h_i^2) */
        }
        broken = steep_band_cholesky(s->size, s->band, w->factor, s->band + 1, STEEP_MOVING_SIGNED, NULL);
        size_t at = broken > 0 ? (broken - 1) / s->per : 0, first = at > 1 ? at - 1 : 1;
        if (attempt > STEEP_MOVING_FACTORINGS / 2) first = 1, at = w->cells;
        for (size_t i = first; broken > 0 && i <= at; i++)
            w->local[i] = fmax(4 * w->local[i], STEEP_MOVING_FIRST_LOCAL);
    }
    if (broken != 0) return false;
    memcpy(w->step, s->gradient, s->size * sizeof *w->step);
    steep_band_solve(s->size, s->band, w->factor, s->band + 1, w->step); /* H step = g */
    return true;
}

/* Trial knots; false when a knot would not move or is not finite. */
STEEP_SHARED bool steep_moving_move(steep_moving *w)
{
    const double *knot = w->knot;
    double cut = 1;
    for (size_t i = 0; i < w->cells; i++) {
        double left = i == 0 ? 0 : -w->step[steep_joint_place(&w->system, i)],
               right = i + 1 == w->cells ? 0 : -w->step[steep_joint_place(&w->system, i + 1)],
               h = knot[i + 1] - knot[i];
        if (!(left - left == 0) || !(right - right == 0)) return false;
        if (right - left < 0 && STEEP_MOVING_SHRINK * h < cut * (left - right))
            cut = STEEP_MOVING_SHRINK * h / (left - right);
    }
    memcpy(w->trial, knot, (w->cells + 1) * sizeof *knot);
    bool moved = false;
    for (size_t i = 1; i < w->cells; i++) {
        w->trial[i] = knot[i] - cut * w->step[steep_joint_place(&w->system, i)];
        moved = moved || w->trial[i] != knot[i];
    }
    for (size_t i = 0; i < w->cells; i++)
        if (!(w->trial[i] < w->trial[i + 1])) return false;
    return moved;
}

/* Relative change of the mean square that is rounding. */
STEEP_SHARED double steep_moving_level(const steep_moving *w, double square)
{
    return STEEP_MOVING_LEVEL * (1 + sqrt(w->values / square));
}

/* max_i |dF/dt_i| h_i / (2 F) */
STEEP_SHARED double steep_moving_gradient(const steep_moving *w)
{
    double worst = 0;
    for (size_t i = 1; i < w->cells; i++) {
        double slope = fabs(w->system.gradient[steep_joint_place(&w->system, i)]);
        double share = slope * steep_moving_smaller_cell(w->knot, i) / w->square;
        if (!(share <= worst)) worst = share; /* NaN stays */
    }
    return worst;
}

STEEP_SHARED double steep_moving_mean_square(const steep_samples *samples)
{
    double sum = 0;
    for (size_t k = 0; k < samples->count; k++) sum += steep_sample_weight(samples, k) * samples->y[k] * samples->y[k];
    return sum;
}

#endif
