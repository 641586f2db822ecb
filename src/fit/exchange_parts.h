/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exchange_parts: what the files of solver exchange share. */
#ifndef STEEP_FIT_EXCHANGE_PARTS_H
#define STEEP_FIT_EXCHANGE_PARTS_H

#include "fit/exchange.h"

typedef struct exchange {
    const steep_problem *problem;
    steep_samples rows; /* the points drawn */
    steep_fit_options options;
    uint64_t seed;
    double *best; /* the best so far, of the width at hand */
    bool whole;   /* that is the width asked for */
    double rmse;  /* of the best, on the points drawn */
    size_t cap;   /* of iterations, 0: none */
    size_t iterations, evaluations, grown, tried, kept, searches, found;
} exchange;

/* The problem of a network on the points drawn. */
steep_problem steep_exchange_few(const exchange *e, const steep_network *network);

/* varpro on theta, which is left alone where that fails; *rmse: on the points drawn, NaN where it failed. */
steep_status steep_exchange_train(exchange *e, const steep_network *network, size_t iterations, double *theta,
                                  double *rmse, steep_error *error);

/* So few parameters that the best of several searches is where a network of less than 16 units begins. */
bool steep_exchange_is_small(const steep_network *network);

/* The best of several searches on few of the points, into e->best, which stays where all of them fail; its error on
 * e->rows. searches: how many, found:
 * those that ended within STEEP_FOUND_AGAIN of the best; 1 where they all began with the same kind of start. */
steep_status steep_exchange_search(exchange *e, const steep_network *network, steep_error *error);

#endif
