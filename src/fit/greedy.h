/* SPDX-License-Identifier: GPL-3.0-or-later */
/* greedy: units chosen one after another, each what takes most from the error (fit/greedy_start.c). */
#pragma once

#include "fit/problem.h"

/* How much is looked at: `gates` units to choose from, each with `columns` unknowns of the frozen linear problem, on
 * `rows` of the training points. gates: 8 n, 600 at least, less where columns x rows x gates would be more than 2^26,
 * never less than 2 n. rows: 4 for each unknown of the n units
 * and the bias, 2,000 at least, with exchanges 8 and 1,000 d in d dimensions, no more than there are. */
typedef struct steep_greedy_size {
    size_t gates, columns, rows;
} steep_greedy_size;

enum { STEEP_GREEDY_EXCHANGED = 1024 }; /* units, at most, that give way: beyond, a sweep takes an hour by n^3 */

steep_greedy_size steep_greedy_size_of(const steep_network *network, size_t points, size_t exchanges);

typedef struct steep_greedy_how {
    size_t kept, exchanges, threads; /* threads share the products with all columns; no bit depends on them */
} steep_greedy_how;

/* theta: n units, of which the first kept < n stay as they are. Each further one takes most from the error that the
 * best coefficients of those before leave. exchanges 0: of size.gates units of a start of kind `greedy`. exchanges > 0
 * (kept 0): of all units there are; the best few of those are refined in all numbers that the frozen problem does not
 * solve for (direction, shift, steepness, scalars of their own), and with n units, n / 2, n / 4, .., 1024 at most, each
 * gives way so many times to the best one. (Of gates that are open everywhere and differ in form, those are free that
 * have the form of the next such in the network: fit/frozen_form.h, turns; beside units that stand, those of any form.
 * A layer that is normalised has no exchanges.) Output weights and coefficients are those of a start: a frozen solve is
 * to follow. start->seed draws units and points. 1D is STEEP_BAD_INPUT. Time 2 rows gates columns^2 a unit; with
 * exchanges 60 rows q columns more for q columns so far, and 2 n times that for each of them. Memory 8 rows gates
 * columns bytes. */
steep_status steep_greedy_start(const steep_problem *problem, const steep_start_options *start,
                                const steep_greedy_how *how, double *theta, steep_error *error);

/* options->exchanges, with STEEP_AUTO resolved. */
size_t steep_greedy_exchanges(const steep_fit_options *options);

/* Unit i of a network becomes unit j of another, or the same, of that architecture: theta's numbers into copy. */
void steep_greedy_copy(const steep_network *from, const double *theta, size_t i, const steep_network *to, size_t j,
                       double *copy);
