/* SPDX-License-Identifier: GPL-3.0-or-later */
/* problem: what is fitted, how, and what came out. */
#ifndef STEEP_FIT_PROBLEM_H
#define STEEP_FIT_PROBLEM_H

#include "base/monitor.h"
#include "base/status.h"
#include "data/samples.h"
#include "data/target.h"
#include "model/network.h"
#include "model/start.h"

#define STEEP_PENALTY_MOST 1e6
#define STEEP_AUTO         ((size_t)-1) /* let the solver choose */

/* STEEP_SOLVER_FROZEN, ...: the rows of fit/list.h, which says what each does. */
typedef enum steep_solver {
#define STEEP_SOLVER(id, ...) STEEP_SOLVER_##id,
#include "fit/list.h"
    STEEP_SOLVERS /* how many there are */
} steep_solver;
const char *steep_solver_names(size_t index);
const char *steep_solver_formula(size_t index); /* one line each: what it does */

typedef enum steep_line_search { STEEP_SEARCH_WOLFE, STEEP_SEARCH_BACKTRACKING, STEEP_SEARCH_NONE } steep_line_search;
const char *steep_line_search_names(size_t index);

typedef enum steep_construction {
    STEEP_CONSTRUCT_MIDPOINT,   /* GLU: value at both ends and at the midpoint */
    STEEP_CONSTRUCT_MARCH,      /* GLU: the paper's: value at both ends, f'' at the left */
    STEEP_CONSTRUCT_RIGHT_SLOPE /* GLU: value at both ends, f' at the right */
} steep_construction;
const char *steep_construction_names(size_t index);

typedef struct steep_fit_options {
    steep_solver solver;
    steep_start_kind start;
    size_t directions; /* of start ridge; STEEP_AUTO or 0: the best of a few by their frozen fits (fit/ridge_start.c) */
    steep_line_search line_search;
    steep_construction construction;
    size_t max_iterations; /* outer iterations; 0: the solver's own default (newton 100 a stage, lm and gsl 200) */
    double tolerance;      /* converged when gradient_norm, below, is at most this (1e-6) */
    /* X of F = rmse_train^2 + X sum_i (mean_k (D_i h_i(x_k))^2 + (1e-3 D_i M_i |c_i|)^2), which every solver but construct
     * minimises in place of rmse_train (c_i, M_i: fit/penalty.h); no unit, from 0 (none) to STEEP_PENALTY_MOST. With a
     * penalty each point is a row of the problem, in 1D too */
    double penalty;
    size_t restarts; /* additional starts, seeds derived from seed; the best training error wins (STEEP_AUTO: 40 for
                            reduced-newton up to width 32, where its problem has many minima, else 0) */
    size_t hits;     /* > 0: no more restarts once so many starts have found the best (result.hits); STEEP_AUTO: 5 where
                            the solver chooses restarts and searches (reduced-newton up to width 8, gqu 12), else 0 */
    bool continuous; /* rmse_test over the whole interval (measure/continuous), 1D with a formula; else on
                            problem->test */
    uint64_t seed;
    const double
        *initial; /* theta to begin from, in place of start; restarts have starts as ever. NULL: none. construct
                              takes none: STEEP_BAD_INPUT */
    bool dense;   /* frozen: force the dense road, where the spline road would serve */
    steep_monitor monitor;
    const struct steep_elsewhere *elsewhere; /* the library's own, for back ends: leave it NULL */
} steep_fit_options;
steep_fit_options steep_fit_options_default(void);

/* The additional starts of a fit with these options: restarts, with STEEP_AUTO resolved. */
size_t steep_fit_restarts(const steep_network *network, const steep_fit_options *options);
/* Hits that end the restarts (0: none do): hits, with STEEP_AUTO resolved. */
size_t steep_fit_hits(const steep_network *network, const steep_fit_options *options);

/* What is fitted. target may be NULL (points from a file): then construct and equidistributed starts are refused.
 * test may be NULL. */
typedef struct steep_problem {
    const steep_network *network;
    const steep_target *target;
    const steep_samples *train, *test;
} steep_problem;

typedef struct steep_fit_result {
    steep_status status;
    char reason[160]; /* why it stopped, a sentence */
    double *theta;    /* network->parameters entries; owned; always set when status >= 0 */
    /* Of theta in the plain formula; NaN where there is no such set. max_error: over training and test points. */
    double rmse_train, rmse_test, max_error, floor;
    /* measure/single.h: the largest coefficient, and the error of the network in float32, over the test points, or over
     * the training points where there are none; NaN where nothing usable came out. */
    double coefficient, rmse_single;
    size_t iterations, evaluations; /* over all restarts; evaluations of the network over all training samples */
    /* Achieved, recomputed from theta: max_p |J_p . r| / (|J_p| |r|), the gradient of rmse_train^2 / 2 in each
     * parameter that the solver moves, over rmse_train and the column's norm: a cosine. NaN for construct. */
    double gradient_norm;
    double tolerance;     /* asked for */
    double test_estimate; /* of a continuous rmse_test: how far its quadrature may be off. NaN: a test on points. An
                             error that is not resolved to a thousandth is NaN, and reason says so */
    size_t starts, hits;  /* starts whose solve ended usable; those of them whose training error came within
                            STEEP_FOUND_AGAIN of the best, but 1 where these are all of one family (of search, or of a
                            dictionary that is drawn anew): with hits < starts there may be other minima */
    double seconds;       /* wall time of starts and solver, over all restarts, without the measurements */
    uint64_t seed;        /* of the start that won */
} steep_fit_result;

#define STEEP_FOUND_AGAIN 1.01 /* two ends are the same where their training errors are within this factor */

/* Runs the solver named in options (NULL: defaults) with its restarts, then measures theta. A fit whose training error
 * is above that of a network of 0 is STEEP_SINGULAR, unless it was stopped; fewer distinct points than parameters are
 * STEEP_BAD_INPUT for the solvers that move them all. Values of up to less than 2^-20, or more than 2^20, are fitted
 * times a power of 2, as if they were of size 1; values that are all 0, from output weights and a bias of 0. Values
 * beyond 1e-300 to 1e300, for constructions and continuous errors beyond 1e-100 to 1e100, and coordinates beyond 1e-100
 * to 1e100 are STEEP_BAD_INPUT. Fills *result on every return. Returns result->status; < 0 with a message in error. */
steep_status steep_fit(const steep_problem *problem, const steep_fit_options *options, steep_fit_result *result,
                       steep_error *error);
void steep_fit_result_free(steep_fit_result *result);

#endif
