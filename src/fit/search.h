/* SPDX-License-Identifier: GPL-3.0-or-later */
/* search: where few gates stand, and which way they face, by trial. */
#pragma once

#include "fit/solvers.h"
#include "spline/directed.h"

/* The units of a 1D network with relu gates as spline/directed has them; false where it has none such. */
bool steep_search_class(const steep_network *network, steep_directed_class *class);

/* Kinds of start, which searches take in turn. Two searches of different kinds that end in one minimum came to it from
 * different sides. */
enum { STEEP_SEARCH_FAMILIES = 2 };

/* Of a network that has a class: gates drawn from solve->seed as the family of solve->restart has them, taken to a local minimum, then one of them drawn
 * anew and so on, until no trial of 60 helps, of 20 within STEEP_FOUND_AGAIN of solve->known; into theta. A function of
 * the samples, seed, family and known: the start in theta is not read. Adds the steps of all descents to
 * solve->iterations and one to evaluations (the samples are summed once), appends to reason.
 * STEEP_MAX_ITERATIONS: the end is near a minimum, for lm to take further. O(samples + width^3 trials). */
steep_status steep_search(const steep_problem *problem, const steep_fit_options *options, double *theta,
                          steep_solve *solve, steep_error *error);
