/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rules: constants and small rules that solvers decide by. The CPU's code (fit/) and the device's (cuda/) compile these
 * lines, so that both decide alike. cuda includes nothing else of this room. */
#pragma once

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/inline.h"

#define STEEP_LM_ITERATIONS    200
#define STEEP_LM_DRIFT         1e-3
#define STEEP_LM_ROUNDING      (16 * DBL_EPSILON) /* smaller relative decreases of |r|^2 count as rounding */
#define STEEP_LM_POLISH_LEAST  1e-12              /* least and most relative rounding of |r|^2 that is estimated */
#define STEEP_LM_POLISH_MOST   1e-6
#define STEEP_LM_SMALLER       0.99 /* a polishing step multiplies the gradient's cosine by at most this */
#define STEEP_LM_MAX_SHORTENED 6
#define STEEP_LM_ACCEPT        1e-4  /* least gain ratio of a step that is taken */
#define STEEP_LM_DEPENDENT     1e-12 /* relative rest of a column that is rounding: n eps, margin 10 at n = 500 */
#define STEEP_LM_MAX_HEBDEN    12
#define STEEP_LM_MAX_TRIALS    100
#define STEEP_LM_GRAM_UNKNOWNS 96 /* steep_lm_by_gram */
#define STEEP_LM_GRAM_ROWS     3

/* Are the steps of lm with m residuals and n unknowns computed from J'J? For smaller problems QR is fast enough. */
STEEP_INLINE bool steep_lm_by_gram(size_t m, size_t n)
{
    return n >= STEEP_LM_GRAM_UNKNOWNS && m / n >= STEEP_LM_GRAM_ROWS;
}

/* The least damping for n unknowns. size: the length (drift |D x|) that a step along rounding may have. norm: |r|. */
STEEP_INLINE double steep_lm_least_damping(size_t n, double norm, double size)
{
    double rounding = (double)n * DBL_EPSILON, least = norm < size ? rounding * (norm / size) : rounding;
    return fmax(least, rounding * DBL_EPSILON);
}

/* Estimate of the relative change of |r|^2 by rounding of r, with terms = |diag(|J_p|) x|. Without this estimate a fit
 * with a residual small beside its data (NIST's Lanczos3: 1e-4) ends when |r|^2 stops falling, with half the digits. */
STEEP_INLINE double steep_lm_rounding(double terms, double norm)
{
    double relative = 2 * DBL_EPSILON * terms / norm;
    return relative > STEEP_LM_POLISH_LEAST ? fmin(relative, STEEP_LM_POLISH_MOST) : STEEP_LM_POLISH_LEAST;
}

/* Radius and damping after a trial step of that length (MINPACK's lmder). */
STEEP_INLINE void steep_lm_update_radius(double ratio, double actual, double slope, double length, double *radius,
                                         double *mu)
{
    if (ratio >= 0.75) {
        *radius = 2 * length;
        *mu *= 0.5;
    } else if (!(ratio > 0.25)) {
        double cut = actual >= 0 ? 0.5 : 0.5 * slope / (slope - 0.5 * actual); /* the parabola's minimiser */
        if (!(cut >= 0.1)) cut = 0.1;
        *radius = cut * fmin(*radius, 10 * length);
        *mu /= cut;
    }
}

/* A gradient cosine below this many floor/rmse is rounding: the residual has errors of the size of the floor. */
#define STEEP_ROUNDING_COSINE 30
/* An rmse below this many floors is rounding. */
#define STEEP_ROUNDING_RMSE 2

/* varpro: less than half of the digits are known where less than this part, sqrt(eps), of a column is left. */
#define STEEP_VARPRO_NOTHING 1.5e-8
/* varpro: from so many rows on (and twice the unknowns), their triangle is computed first. From MANY_KINKS rows on,
 * rows of units with kinks stand in tiles of neighbours, for any solver. Tuned; both ways are quick with few rows. */
#define STEEP_VARPRO_MANY       5000
#define STEEP_VARPRO_MANY_KINKS 1500
/* frozen: replaces an output weight of exactly 0, which would divide the coefficients of its unit's branches. */
#define STEEP_FROZEN_OUTPUT 1e-100
