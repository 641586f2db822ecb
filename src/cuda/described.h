/* SPDX-License-Identifier: GPL-3.0-or-later */
/* described: a solve as the devices of cuda/batch.h take it, and what the CPU adds to its end. */
#ifndef STEEP_CUDA_DESCRIBED_H
#define STEEP_CUDA_DESCRIBED_H

#include "cuda/batch.h"
#include "cuda/core.h"

/* Whether a device takes fits of this network by this solver; if not, the reason in text. What the device itself must
 * say is left to its can. */
bool steep_cuda_solves(const steep_problem *problem, const steep_fit_options *options, char *text, size_t size);

/* Fills *fit with the solve that options->solver would make from theta (network->parameters entries, which must stay
 * there; of frozen it is set to its form) on problem->train, which must stay too. STEEP_BAD_INPUT for what
 * steep_cuda_solves refuses, and for points that the solver itself refuses. */
steep_status steep_cuda_describe(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                 steep_cuda_fit *fit, steep_error *error);

/* The end of a solve that the device left at theta, *end: told from the network's floor, or where end->resume by the
 * solver of options from there, with the iterations that are left; then theta is its end. Fills *solve, whose active, seed
 * and restart are set. Returns solve->status. */
steep_status steep_cuda_finish(const steep_problem *problem, const steep_fit_options *options,
                               const steep_cuda_result *end, double *theta, steep_solve *solve, steep_error *error);

#endif
