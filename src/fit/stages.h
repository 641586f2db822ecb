/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stages: a network fitted in parts, each to what those before leave. */
#pragma once

#include "fit/solvers.h"

/* Can units of this network be fitted in parts? Not where they share parameters, a layer is normalised, or residual
 * layers differ in width. */
bool steep_stages_take(const steep_network *network);

/* The units of stage k of options->stages, k = 0, 1, ..: width in parts of which each is options->growth times the one
 * before, rounded, 1 at least. */
size_t steep_stages_width(size_t width, const steep_fit_options *options, size_t k);

/* One start and its solve, of stage k's problem, from nothing. */
typedef steep_status steep_stage_run(void *context, const steep_problem *problem, size_t k, double *theta,
                                     steep_solve *solve, steep_error *error);

/* Stage k is fitted to 2^e (y - f_1 - ... - f_{k-1}), e such that this is of size 1; its units, output weights and bias
 * times 2^-e, are those of the whole network from there on. solve: of the last stage, whose parameters alone count as
 * moved; iterations are summed, and the reason begins with the training error after each stage. Wang, Lai, Multi-stage
 * neural networks, arXiv 2307.08934. */
steep_status steep_stages_solve(const steep_problem *problem, const steep_fit_options *options, steep_stage_run *run,
                                void *context, double *theta, steep_solve *solve, steep_error *error);
