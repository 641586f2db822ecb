/* SPDX-License-Identifier: GPL-3.0-or-later */
/* start_knots: where the gates of a 1D start stand, before anything is fitted. */
#ifndef STEEP_FIT_START_KNOTS_H
#define STEEP_FIT_START_KNOTS_H

#include "fit/problem.h"

/* The ends of the target's interval and the gates of the start inside it, ascending: *cells + 1 of them in
 * knot[width + 2]. STEEP_BAD_INPUT: an equidistributed start without a 1D formula. */
steep_status steep_fit_start_knots(const steep_problem *problem, const steep_fit_options *options, double *knot,
                                   size_t *cells, steep_error *error);

#endif
