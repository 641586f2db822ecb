/* SPDX-License-Identifier: GPL-3.0-or-later */
/* objective: what adam, sgd, lbfgs and muon minimise, with its gradient. */
#pragma once

#include "fit/penalty.h"
#include "fit/problem.h"

typedef struct steep_objective {
    const steep_problem *problem;
    const steep_fit_options *options;
    steep_penalty penalty;
    bool single;          /* arithmetic of float32 (steep_network_loss) */
    steep_team *team;     /* of options->threads; NULL: none */
    double points, begin; /* evaluated so far; when it was opened, in seconds */
    double cosine;        /* of the last gradient that was looked at; NaN: none */
} steep_objective;

/* To be closed whatever comes back. */
steep_status steep_objective_open(const steep_problem *problem, const steep_fit_options *options, bool single,
                                  steep_objective *objective);
void steep_objective_close(steep_objective *objective);

/* *value = mean square error over points, with the penalty's term (fit/penalty.h), and,
 * where gradient is not NULL, its derivatives: P entries. STEEP_NO_MEMORY. */
steep_status steep_objective_evaluate(steep_objective *objective, const steep_samples *points, const double *theta,
                                      double *value, double *gradient);

/* The gradient's cosine at theta, which counts as an evaluation; *met: it is within the tolerance. STEEP_NO_MEMORY. */
steep_status steep_objective_look(steep_objective *objective, const double *theta, bool *met);

/* Tells the monitor of an iteration that has come to theta by a step of that length; false: it asks to stop. */
bool steep_objective_proceed(const steep_objective *objective, const char *stage, size_t iteration, double value,
                             double step, const double *theta);

/* Evaluations of the network over all training samples, rounded up. */
size_t steep_objective_evaluations(const steep_objective *objective);

/* The iterations at which a gradient's cosine is computed and a curve is written: 0 to 9, and then 16 for
 * each factor of 10, rounded to two digits: 10, 12, .., 87, 100, 120, .. */
bool steep_is_logged(size_t iteration);
