/* SPDX-License-Identifier: GPL-3.0-or-later */
/* described: a solve as the devices of cuda/batch.h take it. */
#ifndef STEEP_RUN_DESCRIBED_H
#define STEEP_RUN_DESCRIBED_H

#include "cuda/batch.h"
#include "fit/solvers.h"

/* Whether a device has a part in this solver for this network: the whole of it, or the descents of its strategies; if
 * not, the reason in text. What the device itself must say is left to its can. */
bool steep_cuda_solves(const steep_problem *problem, const steep_fit_options *options, char *text, size_t size);

/* Whether a device makes the whole of the solve from theta that steep_cuda_solves has said yes to. */
bool steep_cuda_is_whole(const steep_problem *problem, const steep_fit_options *options, const double *theta);

/* Fills *fit with the solve that options->solver would make from theta (network->parameters entries, which must stay
 * there; of frozen it is set to its form, of reduced-newton to its knots), for problem->train as the batch's first set:
 * who has others sets fit->samples. solve: which restart this is, and its seed. STEEP_BAD_INPUT for what
 * steep_cuda_solves or steep_cuda_is_whole refuse, and for points that the solver itself refuses. */
steep_status steep_cuda_describe(const steep_problem *problem, const steep_fit_options *options,
                                 const steep_solve *solve, double *theta, steep_cuda_fit *fit, steep_error *error);

/* The same of a descent (fit/solvers.h), of a network that is a 1D spline; held: how->held, which must stay there. */
steep_status steep_cuda_describe_descent(const steep_problem *problem, const steep_fit_options *options,
                                         const steep_descent *how, const double *theta, steep_cuda_fit *fit,
                                         steep_error *error);

#endif
