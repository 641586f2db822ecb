/* SPDX-License-Identifier: GPL-3.0-or-later */
/* objective: the function that adam, sgd, lbfgs and muon minimise, with its gradient. */
#pragma once

#include "fit/penalty.h"
#include "fit/problem.h"

typedef struct steep_objective {
    const steep_problem *problem;
    const steep_fit_options *options;
    steep_penalty penalty;
    bool single;          /* float32 arithmetic (steep_network_loss) */
    steep_team *team;     /* options->threads of them; NULL: one thread */
    double points, begin; /* points evaluated so far; time of opening, in seconds */
    double cosine;        /* cosine of the last gradient that steep_objective_look measured; NaN: none */
} steep_objective;

/* Must be closed, also after a failure. STEEP_NO_MEMORY. */
steep_status steep_objective_open(const steep_problem *problem, const steep_fit_options *options, bool single,
                                  steep_objective *objective);
void steep_objective_close(steep_objective *objective);

/* *value = mean square error over points plus the term of the penalty (fit/penalty.h); gradient: NULL, or P derivatives
 * of *value. STEEP_NO_MEMORY. */
steep_status steep_objective_evaluate(steep_objective *objective, const steep_samples *points, const double *theta,
                                      double *value, double *gradient);

/* Measures the gradient's cosine at theta: one more evaluation. *met: cosine <= tolerance. STEEP_NO_MEMORY. */
steep_status steep_objective_look(steep_objective *objective, const double *theta, bool *met);

/* Reports an iteration to the monitor; step: length of the last step, or the learning rate. False: stop. */
bool steep_objective_proceed(const steep_objective *objective, const char *stage, size_t iteration, double value,
                             double step, const double *theta);

/* Returns the evaluations so far: points evaluated / number of training samples, rounded up. */
size_t steep_objective_evaluations(const steep_objective *objective);

/* Is the gradient's cosine computed and a row of the curve written in this iteration? Yes in 0 to 9, and in 16 for each
 * factor of 10, rounded to two digits: 10, 12, .., 87, 100, 120, .. */
bool steep_is_logged(size_t iteration);
