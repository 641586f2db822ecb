/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exchange: what the units of a trained network are worth, and what the solver works on (fit/exchange.c). */
#pragma once

#include "fit/problem.h"

/* loss(n): for each unit what rmse^2 on these samples rises by when it is taken away and the linear parameters of the
 * others are solved for anew: the coefficients of the branches that are linear with all else held, or else the output
 * weights, and the bias. theta: a minimum in these. Columns that depend on others are shared out as by a damping of
 * 1e-9, relative. Time 2 N L^2, memory 8 N (P + L) bytes, N samples, L columns. STEEP_NO_MEMORY; entries that are not
 * finite where the network's are not. */
steep_status steep_exchange_losses(const steep_network *network, const double *theta, const steep_samples *samples,
                                   double *loss, steep_error *error);

/* count of the training points, no more than there are, spread evenly over the box: in the order of a Morton curve (the
 * bits of all coordinates in turn, 60 of them), cut into count groups of nearly the same size, and one of each drawn
 * from the seed. rows in that order; steep_samples_free frees it. O(N log N). STEEP_NO_MEMORY. */
steep_status steep_exchange_points(const steep_samples *train, size_t count, uint64_t seed, steep_samples *rows,
                                   steep_error *error);

typedef struct exchange {
    const steep_problem *problem;
    steep_samples rows; /* the points drawn */
    steep_fit_options options;
    uint64_t seed;
    double *best, *trial; /* the best so far, of the width at hand; room behind it for another */
    double rmse;          /* of the best, on the points drawn */
    size_t cap;           /* of iterations, 0: none */
    size_t iterations, evaluations, grown, tried, kept;
} exchange;

static inline bool steep_exchange_goes_on(steep_status status)
{
    return status >= 0 && status != STEEP_STOPPED;
}

/* The units of theta become units at, at + 1, ... of a wider network; what all units share, too. */
void steep_exchange_copy(const steep_network *from, const double *theta, const steep_network *to, size_t at,
                         double *copy);

/* Of the units of wide those with the greatest losses into theta, in their order. Equals: the first. */
steep_status steep_exchange_prune(const steep_samples *rows, const steep_network *from, const double *wide,
                                  const steep_network *to, double *theta, steep_error *error);

/* So few parameters that the best of several searches is where a network of less than 16 units begins. */
bool steep_exchange_is_small(const steep_network *network);
steep_restarts steep_exchange_restarts(const steep_network *network); /* of these alone */

/* The best of two populations of networks, crossed on few of the points, into e->best, which stays where all of them
 * fail; its error on e->rows. */
steep_status steep_exchange_search(exchange *e, const steep_network *network, steep_error *error);

/* About how many a small network's searches add, counted by what they take on all points; 0 for others. */
double steep_exchange_search_iterations(const steep_network *network, size_t points);
