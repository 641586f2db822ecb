/* SPDX-License-Identifier: GPL-3.0-or-later */
/* descend: all parameters of a 1D spline network to a minimum, by Levenberg-Marquardt and then Newton's method. */
#ifndef STEEP_FIT_DESCEND_H
#define STEEP_FIT_DESCEND_H

#include "fit/solvers.h"

typedef struct steep_descend_limits {
    size_t lm, newton; /* iterations of each, at most; options->max_iterations, where it is not 0, stands for both */
} steep_descend_limits;

/* From theta to the tolerance of options, or until the limits. Scales that change nothing are held (see descend.c).
 * Adds to solve->iterations and evaluations, and to solve->reason behind its first part. */
steep_status steep_descend(const steep_problem *problem, const steep_fit_options *options,
                           const steep_descend_limits *limits, double *theta, steep_solve *solve, steep_error *error);

#endif
