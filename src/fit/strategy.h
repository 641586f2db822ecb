/* SPDX-License-Identifier: GPL-3.0-or-later */
/* strategy: the ways in which reduced-newton looks for a minimum, and which of them a start takes. */
#pragma once

#include "fit/solvers.h"

typedef enum steep_strategy {
    STEEP_STRATEGY_HEADS,
    STEEP_STRATEGY_INSIDE,
    STEEP_STRATEGY_ROUGH,
    STEEP_STRATEGY_LOWER,
    STEEP_STRATEGY_START,
    STEEP_STRATEGY_PROJECT,
    STEEP_STRATEGY_SEARCH,
    STEEP_STRATEGIES /* how many there are */
} steep_strategy;

/* What the choice depends on. */
typedef struct steep_strategy_case {
    bool small;  /* so few parameters that a step of lm on all of them is cheap */
    bool smooth; /* the class has a continuous derivative (gqu) */
    bool heads;  /* enough gates of the start stand outside the domain to carry the polynomial left of all knots
                  * (steep_frozen_form_is_spline) */
    bool few;    /* so few gates that they are found by trial (fit/search) */
} steep_strategy_case;

steep_strategy_case steep_strategy_case_of(const steep_network *network); /* but for heads, which are a start's */
steep_restarts steep_strategy_restarts(const steep_network *network);     /* of reduced-newton */

/* A strategy, and how many restarts took it before: what is tried anew differs from round to round. */
typedef struct steep_turn {
    steep_strategy strategy;
    size_t round;
} steep_turn;

/* The strategies that restart k takes (0: the first start), in order, into turn[<= STEEP_STRATEGIES]; returns how many,
 * 1 at least. A function of its arguments alone. */
size_t steep_strategy_turns(const steep_strategy_case *known, size_t restart, steep_turn turn[STEEP_STRATEGIES]);

/* One strategy from the start in theta; leaves its end there. The network is a 1D spline with relu gates. Adds to
 * solve->iterations and evaluations, writes solve->reason; solve->restart and seed say what is drawn anew. */
steep_status steep_strategy_run(const steep_problem *problem, const steep_fit_options *options, steep_turn turn,
                                double *theta, steep_solve *solve, steep_error *error);
