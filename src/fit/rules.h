/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rules: the numbers and the small rules that solvers decide by, compiled for the CPU (fit/) and as device code (cuda/)
 * from these lines, so that both decide alike. It is all that cuda has of this room. */
#pragma once

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/inline.h"

#define STEEP_LM_ITERATIONS    200
#define STEEP_LM_DRIFT         1e-3
#define STEEP_LM_ROUNDING      (16 * DBL_EPSILON) /* relative decrease of |r|^2 that is not told from rounding */
#define STEEP_LM_POLISH_LEAST  1e-12              /* and so much at least and at most may be rounding in r itself */
#define STEEP_LM_POLISH_MOST   1e-6
#define STEEP_LM_SMALLER       0.99 /* a polishing step lowers the gradient by this factor at least */
#define STEEP_LM_MAX_SHORTENED 6
#define STEEP_LM_ACCEPT        1e-4  /* ratio at which a step is taken */
#define STEEP_LM_DEPENDENT     1e-12 /* part of a column that is rounding: n eps, and a margin of 10 at n = 500 */
#define STEEP_LM_MAX_HEBDEN    12
#define STEEP_LM_MAX_TRIALS    100
#define STEEP_LM_GRAM_UNKNOWNS 96 /* steep_lm_by_gram */
#define STEEP_LM_GRAM_ROWS     3

/* Whether steps on m residuals and n unknowns are by J'J: with fewer, QR takes no time that counts. */
STEEP_INLINE bool steep_lm_by_gram(size_t m, size_t n)
{
    return n >= STEEP_LM_GRAM_UNKNOWNS && m / n >= STEEP_LM_GRAM_ROWS;
}

/* The least damping of n unknowns; size: the part drift of |D x| that a step along rounding may have. */
STEEP_INLINE double steep_lm_least_damping(size_t n, double norm, double size)
{
    double rounding = (double)n * DBL_EPSILON, least = norm < size ? rounding * (norm / size) : rounding;
    return fmax(least, rounding * DBL_EPSILON);
}

/* Relative change of |r|^2 that may be rounding of r, with terms = |diag(|J_p|) x|. Without this estimate a fit whose
 * residual is small beside its data (NIST's Lanczos3: 1e-4) ends where |r|^2 stops falling, with half the digits. */
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

/* A gradient cosine below this many floor/rmse is rounding: the residual carries errors of the floor's size. */
#define STEEP_ROUNDING_COSINE 30
/* An rmse below this many floors is rounding. */
#define STEEP_ROUNDING_RMSE 2

/* varpro: of what is left of a column below this, sqrt(eps), less than half of the digits are known. */
#define STEEP_VARPRO_NOTHING 1.5e-8
/* varpro: with so many rows, and twice the unknowns, their triangle is made first; for units with kinks, rows stand by
 * neighbours from here on, whatever the solver; tuned: with few rows either way takes little time. */
#define STEEP_VARPRO_MANY       5000
#define STEEP_VARPRO_MANY_KINKS 1500
/* frozen: stands for an output weight of exact 0 that divides its unit's branches. */
#define STEEP_FROZEN_OUTPUT 1e-100
