/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exchange: the value of each unit of a trained network, and the state of the solver exchange (exchange/exchange.c). */
#pragma once

#include "exchange/core.h"

/* loss(n): for each unit the increase of rmse^2 on these samples if the unit is removed and the linear parameters of
 * the others are solved for again: the bias, and the coefficients of branches that are linear with all else fixed, or
 * else the output weights. theta: a minimum in these parameters. Dependent columns share their value, as under a
 * relative damping of 1e-9. Time 2 N L^2, memory 8 N (P + L) bytes, N samples, L columns. STEEP_NO_MEMORY; entries are
 * not finite where the network's numbers are not. */
steep_status steep_exchange_losses(const steep_network *network, const double *theta, const steep_samples *samples,
                                   double *loss, steep_error *error);

/* Draws count <= N training points, spread evenly over the box: sorts all points along a Morton curve (bits of all
 * coordinates in turn, 60 bits), cuts them into count groups of nearly equal size and draws one of each group from the
 * seed. rows: these points in this order; steep_samples_free frees them. O(N log N). STEEP_NO_MEMORY. */
steep_status steep_exchange_points(const steep_samples *train, size_t count, uint64_t seed, steep_samples *rows,
                                   steep_error *error);

typedef struct exchange {
    const steep_problem *problem;
    steep_samples rows; /* the points drawn */
    steep_fit_options options;
    uint64_t seed;
    double *best, *trial; /* the best at the current width; room for another, in the same block */
    double rmse;          /* error of the best, on all points; after a search on rows */
    size_t cap;           /* cap on iterations, 0: none */
    size_t iterations, evaluations, grown, tried, kept;
} exchange;

static inline bool steep_exchange_goes_on(steep_status status)
{
    return status >= 0 && status != STEEP_STOPPED;
}

/* Copies the units of theta to units at, at + 1, ... of a wider network, and the shared parameters. */
void steep_exchange_copy(const steep_network *from, const double *theta, const steep_network *to, size_t at,
                         double *copy);

/* Copies the units of wide with the greatest losses into theta, in their order; of equal losses the first. */
steep_status steep_exchange_prune(const steep_samples *rows, const steep_network *from, const double *wide,
                                  const steep_network *to, double *theta, steep_error *error);

steep_status steep_exchange_takes(const steep_solver_case *asked, steep_error *error);
steep_cost_function steep_exchange_cost;
steep_solve_function steep_solve_exchange;

/* Has the network so few parameters (less than 16 units) that it begins at the best of several searches? */
bool steep_exchange_is_small(const steep_network *network);
steep_restarts steep_exchange_restarts(const steep_network *network); /* only small networks have restarts */

/* Writes the best of two populations of networks, crossed on some of the points, into e->best and its error on e->rows
 * into e->rmse. If all networks fail, e->best stays as it is. */
steep_status steep_exchange_search(exchange *e, const steep_network *network, steep_error *error);

/* Returns the approximate work of a small network's searches, in iterations on all points; 0 for other networks. */
double steep_exchange_search_iterations(const steep_network *network, size_t points);
