/* SPDX-License-Identifier: GPL-3.0-or-later */
/* strategy: the ways in which reduced-newton looks for a minimum, and which of them a start takes. */
#pragma once

#include "fit/solvers.h"
#include "spline/directed.h"

typedef enum steep_strategy {
    STEEP_STRATEGY_HEADS,
    STEEP_STRATEGY_INSIDE,
    STEEP_STRATEGY_ROUGH,
    STEEP_STRATEGY_LOWER,
    STEEP_STRATEGY_START,
    STEEP_STRATEGY_PROJECT,
    STEEP_STRATEGY_SEARCH,
    STEEP_STRATEGIES /* number of strategies */
} steep_strategy;

/* What the choice of strategies depends on. */
typedef struct steep_strategy_case {
    bool small;  /* so few parameters that a step of lm on all of them is cheap */
    bool smooth; /* the class has a continuous derivative (gqu) */
    bool heads;  /* enough gates of the start stand outside the domain to carry the polynomial left of all knots
                  * (steep_frozen_form_is_spline) */
    bool few;    /* so few gates that they are found by trial (fit/search) */
} steep_strategy_case;

steep_strategy_case steep_strategy_case_of(const steep_network *network); /* all but heads, which is a start's */
steep_restarts steep_strategy_restarts(const steep_network *network);     /* of reduced-newton */

/* A strategy, and the number of earlier restarts that took it: its random part differs from round to round. */
typedef struct steep_turn {
    steep_strategy strategy;
    size_t round;
} steep_turn;

/* The strategies that restart k takes (0: the first start), in order, into turn[<= STEEP_STRATEGIES]; returns how many,
 * 1 at least. A function of its arguments alone. */
size_t steep_strategy_turns(const steep_strategy_case *known, size_t restart, steep_turn turn[STEEP_STRATEGIES]);

/* Runs one strategy; theta is the start and becomes the end. The network is a 1D spline with relu gates. Adds to
 * solve->iterations and evaluations, writes solve->reason; solve->restart and seed determine what is drawn. */
steep_status steep_strategy_run(const steep_problem *problem, const steep_fit_options *options, steep_turn turn,
                                double *theta, steep_solve *solve, steep_error *error);

/* Describes the units of a 1D network with relu gates for spline/directed; false where it has no such class. */
bool steep_search_class(const steep_network *network, steep_directed_class *class);

/* Number of families of starts, which searches take in turn. Two searches of different families that end in the same
 * minimum have reached it in different ways. */
enum { STEEP_SEARCH_FAMILIES = 2 };

/* For a network with a class: draws gates from solve->seed in the family of solve->restart, descends to a local
 * minimum, then tries changes until 60 trials in a row bring nothing (20 within STEEP_FOUND_AGAIN of solve->known);
 * writes the best into theta. A function of samples, seed, family and known: the start in theta is not read. Adds the
 * steps of all descents to solve->iterations and one to evaluations (the samples are summed once), appends to reason.
 * STEEP_MAX_ITERATIONS: the end is near a minimum, and lm can go on from it. O(samples + width^3 trials). */
steep_status steep_search(const steep_problem *problem, const steep_fit_options *options, double *theta,
                          steep_solve *solve, steep_error *error);
