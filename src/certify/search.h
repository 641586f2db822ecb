/* SPDX-License-Identifier: GPL-3.0-or-later */
/* search: the two searches behind steep_separate.. */
#pragma once

#include "base/random.h"
#include "certify/minimax.h"
#include "certify/public.h"

/* How a start is made. Ends agree when starts of several kinds reach them; what is moved begins at the best end, and says
 * nothing of it. */
typedef enum steep_origin {
    STEEP_ORIGIN_KNOWN,    /* a construction for the witness */
    STEEP_ORIGIN_NARROWER, /* the narrower network with a unit more */
    STEEP_ORIGIN_DRAWN,    /* at random */
    STEEP_ORIGIN_FITTED,   /* by least squares; in lines: with gates that face either way */
    STEEP_ORIGIN_CHOSEN,   /* of several by their output weights */
    STEEP_ORIGIN_MOVED
} steep_origin;

typedef struct steep_search_end {
    double W;
    steep_origin kind;
} steep_search_end;

/* What a search is given, and the best it has found. */
typedef struct steep_search {
    const steep_witness *row;
    const steep_target *witness;
    const steep_network *network;
    const steep_separate_options *options;
    steep_search_end *ends; /* of every start so far; INFINITY: none yet */
    size_t starts, room;
    steep_separation *best;
    bool stopped;
} steep_search;

/* Begins a start: what is offered from now on is its end. STEEP_NO_MEMORY. */
steep_status steep_search_begin(steep_search *search, steep_origin kind, steep_error *error);
/* Keeps an end of the start if it is better. theta: the network's parameters. */
void steep_search_offer(steep_search *search, const double *theta, const double E[2], steep_status status);

/* Whether networks of the class are piecewise linear in one dimension: of relu, leaky_relu, or the unit max(z1,c*z1) by
 * formula, a decimal 0 <= c < 1. *eta: the slope left of the kink, right of it is 1. */
bool steep_search_lines_eta(const steep_network *network, double *eta);

/* Piecewise linear in 1D. */
steep_status steep_search_lines(steep_search *search, steep_error *error);
/* All others. */
steep_status steep_search_surfaces(steep_search *search, steep_error *error);
