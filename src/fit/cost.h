/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cost: what a fit needs, before it runs: numbers to find from the points, time, and memory. */
#ifndef STEEP_FIT_COST_H
#define STEEP_FIT_COST_H

#include "fit/problem.h"

/* How many numbers the solver has to find from the points: fewer distinct points than that leave some of them open.
 *   construct    0: it takes them from the target
 *   frozen       in 1D, where the gates make knots: the dimension of the splines on them, degree + 1 and, for each gate
 *                inside the domain, degree + 1 - continuity. Else, and with options->dense, the coefficients of the
 *                linear branches, or the output weights where there are none, and the bias: at least that many
 *   all others   P, all parameters
 * Of a start whose gates are random: the most there can be. */
size_t steep_fit_unknowns(const steep_network *network, const steep_fit_options *options);

/* The time that one steep_fit with these options takes on so many training points, starts and restarts included, from
 * the operations of a typical run: iterations beyond the typical or far fewer are not foreseen. About microseconds on a
 * processor of 2023, within a factor of 3 for most fits; meant for comparing fits with each other. Above 0. A function
 * of its arguments alone. */
double steep_fit_cost(const steep_network *network, size_t points, const steep_fit_options *options);

/* Bytes that one steep_fit with these options asks for at its most, beside its samples: the sum of its solver's and its
 * start's large arrays (fit/memory.c), within a quarter where they are above 10 MB. A function of its arguments
 * alone. */
double steep_fit_memory(const steep_network *network, size_t points, const steep_fit_options *options);

#endif
