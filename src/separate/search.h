/* SPDX-License-Identifier: GPL-3.0-or-later */
/* search: the two searches behind steep_separate. Inside this room. */
#ifndef STEEP_SEPARATE_SEARCH_H
#define STEEP_SEPARATE_SEARCH_H

#include "base/random.h"
#include "separate/minimax.h"
#include "separate/separate.h"

/* What a search is given, and the best it has found. */
typedef struct steep_search {
    const steep_witness *row;
    const steep_target *witness;
    const steep_network *network;
    const steep_separate_options *options;
    double *ends; /* W of every start so far */
    size_t starts, room;
    steep_separation *best;
    bool stopped;
} steep_search;

/* Keeps a start's end if it is better. theta: the network's parameters. */
steep_status steep_search_offer(steep_search *search, const double *theta, const double E[2], steep_status status);

/* Whether networks of the class are piecewise linear in one dimension: of relu, leaky_relu, or the unit max(z1,c*z1) by
 * formula, a decimal 0 <= c < 1. *eta: the slope left of the kink, right of it is 1. */
bool steep_search_lines_eta(const steep_network *network, double *eta);

/* Piecewise linear in 1D. */
steep_status steep_search_lines(steep_search *search, steep_error *error);
/* All others. */
steep_status steep_search_surfaces(steep_search *search, steep_error *error);

#endif
