/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fit: the solvers of one problem, its errors, and a least-squares solver for any residuals. */
#pragma once

#include "steep/network.h"

#define STEEP_PENALTY_MOST   1e6
#define STEEP_GROWTH_MOST    100.0
#define STEEP_STEEPNESS_MOST 1e6

#define STEEP_AUTO ((size_t)-1) /* let the solver choose */

/* The number of a solver in the list that "steep list solvers" prints. */
typedef int steep_solver;

/* "construct", "frozen", ... in the order of their numbers; NULL past the last. */
STEEP_API const char *steep_solver_names(size_t index);

/* The number of the solver of that name, -1 if there is none. */
STEEP_API steep_solver steep_solver_find(const char *name);

typedef enum steep_construction {
    STEEP_CONSTRUCT_MIDPOINT,   /* GLU: value at both ends and at the midpoint */
    STEEP_CONSTRUCT_MARCH,      /* GLU: the paper's: value at both ends, f'' at the left */
    STEEP_CONSTRUCT_RIGHT_SLOPE /* GLU: value at both ends, f' at the right */
} steep_construction;

typedef enum steep_schedule { STEEP_SCHEDULE_COSINE, STEEP_SCHEDULE_CONSTANT, STEEP_SCHEDULE_STEP } steep_schedule;

#define STEEP_TRAINING_AUTO (-1.0)

/* Of adam, adamw, sgd and muon, whose steps are max_iterations (0: 10,000). */
typedef struct steep_training {
    double learning_rate;    /* STEEP_TRAINING_AUTO: the best of eight in short trials, which are counted */
    steep_schedule schedule; /* of the rate: to 0 by a cosine; constant; 1/10 from the half, 1/100 from 3/4 on */
    size_t warmup, batch;    /* steps in which the rate grows; points of a step, 0: all */
    double weight_decay;     /* STEEP_TRAINING_AUTO: adamw 1e-2, others 0 */
    double clip;             /* most that the gradient's norm may be, 0: anything */
    bool single;             /* parameters, gradients and steps in float32 */
} steep_training;

typedef struct steep_fit_options {
    steep_solver solver;
    steep_start_kind start;
    size_t directions; /* of start ridge; STEEP_AUTO or 0: the best of a few by their frozen fits */
    size_t exchanges;  /* of start greedy: how often each unit gives way to the best one (STEEP_AUTO: once before
                              solver frozen, else never) */
    steep_construction construction;
    /* A network fitted in so many stages (1), each of growth (1.4) times the units of the one before, to what those
     * leave: fit/stages.c. steepness multiplies the gates of a start (1), of several layers those of the first, by 1.25
     * times more in each stage. */
    size_t stages;
    double growth, steepness;
    size_t max_iterations; /* outer iterations; 0: the solver's own default (newton 100 a stage, lm and gsl 200) */
    double tolerance;      /* converged when gradient_norm, below, is at most this (1e-6) */
    /* X of F = rmse_train^2 + X sum_i (mean_k (D_i h_i(x_k))^2 + (1e-3 D_i M_i |c_i|)^2), which every solver but
     * construct minimises in place of rmse_train (c_i, M_i: docs/explanation/precision.md); no unit, from 0 (none) to
     * STEEP_PENALTY_MOST. With a penalty each point is a row of the problem, in 1D too */
    double penalty;
    /* Additional starts, seeds derived from seed; the best training error wins (STEEP_AUTO: for reduced-newton 240 up
     * to width 8, 40 up to 32, for exchange 5 up to 64 parameters, else 0) */
    size_t restarts;
    size_t hits;     /* > 0: no more restarts once so many starts have found the best (result.hits); STEEP_AUTO: where
                            the solver chooses restarts, 35 for reduced-newton up to width 8, gqu 12, 3 for exchange,
                            else 0. Such restarts end at the rounding floor, too */
    bool continuous; /* rmse_test over the whole interval, 1D with a formula; else on problem->test */
    uint64_t seed;
    const double *initial; /* theta to begin from, in place of start; restarts have starts as ever. NULL: none.
                              construct takes none: STEEP_BAD_INPUT */
    size_t threads; /* that share large steps of lm and varpro, losses of first-order solvers and lbfgs, and start
                            * greedy; no bit depends on it (1) */
    bool dense;     /* frozen: force the dense road, where the spline road would serve */
    steep_training training;
    steep_monitor monitor;
    const struct steep_elsewhere *elsewhere; /* the library's own, for back ends: leave it NULL */
    struct steep_curve *curve;               /* likewise: what is written down of the iterations (fit/curve.h) */
} steep_fit_options;
STEEP_API steep_fit_options steep_fit_options_default(void);

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
    /* The largest coefficient, and the error of the network in float32, over the test points, or over the training
     * points where there are none; NaN where nothing usable came out. */
    double coefficient, rmse_single;
    size_t iterations, evaluations; /* over all restarts; evaluations of the network over all training samples */
    double operations; /* of starts and solver: a count from these numbers, points and parameters (fit/cost.h), the same
                          on every machine; NaN where nothing usable came out */
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
 * is above that of a network of 0 is STEEP_SINGULAR, unless it was stopped or is of adam, adamw, sgd or muon, whose
 * reason says so; fewer distinct points than parameters are STEEP_BAD_INPUT for the solvers that move them all by least
 * squares, not for those by the gradient alone. Values of up to less than 2^-20, or more than 2^20, are fitted times a
 * power of 2, as if they were of size 1; values that are all 0, from output weights and a bias of 0. Values beyond
 * 1e-300 to 1e300, for constructions and continuous errors beyond 1e-100 to 1e100, and coordinates beyond 1e-100 to
 * 1e100 are STEEP_BAD_INPUT. Fills *result on every return. Returns result->status; < 0 with a message in error. */
STEEP_API steep_status steep_fit(const steep_problem *problem, const steep_fit_options *options,
                                 steep_fit_result *result, steep_error *error);
STEEP_API void steep_fit_result_free(steep_fit_result *result);

typedef struct steep_measured {
    double rmse; /* sqrt(sum_k w_k (y(x_k) - y_k)^2) */
    double max;  /* max_k |y(x_k) - y_k| */
} steep_measured;

/* Measures the network at theta. STEEP_NOT_FINITE (rmse, max = NaN) when any value is not finite. residual: NULL or
 * count entries y(x_k) - y_k out. */
STEEP_API steep_status steep_measure(const steep_network *network, const double *theta, const steep_samples *samples,
                                     double *residual, steep_measured *measured, steep_error *error);

typedef struct steep_continuous {
    steep_measured measured; /* rmse: (mean over the interval of (y - f)^2)^{1/2}; max: over the points seen */
    double estimate;         /* by how much rmse may be off, an estimate: rounding not counted */
    size_t points;           /* where y and f were seen */
    bool resolved;           /* the estimate is at most a thousandth of rmse, or what rounding hides anyway */
} steep_continuous;

/* Adaptive quadrature of (y - f)^2 over the target's interval: cells between the network's own knots (roots of the
 * first branch), cut at 512 equal parts too; in each the rules of Gauss and Kronrod with 7 and 15 points, whose
 * difference is the cell's estimate; cells with the most are halved until their sum is 1e-7 of the whole, or below what
 * a rounding floor (floor >= 0, root mean square) makes of it, or half a million points are spent. As with any
 * quadrature, what lies between the points is not seen: 7680 at least; the place of a jump may be off by 1e-5 of the
 * interval. A value that is not finite at a point is STEEP_NOT_FINITE, and a network or target in more dimensions
 * STEEP_BAD_INPUT. O(points width). */
STEEP_API steep_status steep_measure_continuous(const steep_network *network, const double *theta,
                                                const steep_target *target, double floor, steep_continuous *continuous,
                                                steep_error *error);

typedef struct steep_least_squares_problem {
    size_t residuals, unknowns; /* m, n: n >= 1, m + invariances >= n */
    /* Writes r(x), m entries, and, where J is not NULL, J[k + p * m] = d r_k / d x_p, column-major m x n. Numbers that
     * are not finite refuse the step; a return below 0 (STEEP_NO_MEMORY, say) ends the solve with that status. */
    steep_status (*evaluate)(void *context, const double *x, double *r, double *J);
    void *context;
    /* Directions along which r(x) does not change, to first order: known from the model (0: none). invariant writes
     * them at x, column-major n x invariances; a zero column says nothing. */
    size_t invariances;
    void (*invariant)(void *context, const double *x, double *direction);
} steep_least_squares_problem;

typedef struct steep_least_squares_options {
    size_t max_iterations; /* Jacobians after the first (200) */
    double tolerance;      /* converged when max_p |J_p . r| / (|J_p| |r|) <= tolerance, or r = 0 (1e-8); in (0, 1) */
    double small;          /* |r| <= small counts as rounding: STEEP_FLOOR (0) */
    double radius;         /* first trust radius, in units of |D x| (of 1 where x = 0); > 0 (1) */
    /* Part of |D x| that a step may go along directions in which J holds rounding alone (1e-3; tuned). INFINITY where
     * J's singular values fall off evenly down to rounding and all of them count, as with smooth units that depend on
     * each other. */
    double drift;
    /* The damping's matrix D: false: More's, the largest length of each column so far; true: the identity. */
    bool even;
    bool accelerate;       /* steps follow the curve of r, for one evaluation more each (fit/least_squares.c; false) */
    const char *stage;     /* what the monitor is told ("lm") */
    steep_monitor monitor; /* rmse in its progress is |r|, step the damping mu */
    size_t threads;        /* that share a step where J'J makes it (fit/least_squares.c); no bit depends on it (1) */
} steep_least_squares_options;
STEEP_API steep_least_squares_options steep_least_squares_options_default(void);

typedef struct steep_least_squares_result {
    steep_status status;
    char reason[160];   /* why it stopped, a sentence */
    double norm;        /* |r| at the returned x */
    double cosine;      /* the gradient there, as options.tolerance measures it, from J at x; 0 when r = 0 */
    double tolerance;   /* asked for */
    size_t iterations;  /* accepted steps */
    size_t evaluations; /* calls of evaluate, with or without Jacobian */
    size_t triangles;   /* of [R; sqrt(mu) D], each a QR of 2 n x n */
} steep_least_squares_result;

/* Levenberg-Marquardt in a trust region (fit/least_squares.c), from x (n entries) to x. options NULL:
 * the defaults.
 *   STEEP_CONVERGED       the gradient meets the tolerance at the returned x
 *   STEEP_FLOOR           |r| <= options.small
 *   STEEP_STALLED         no step lowers |r| beyond rounding and the gradient is above the tolerance
 *   STEEP_MAX_ITERATIONS, STEEP_STOPPED   as they say; x is the last point taken: |r| grows in no step, but for its
 *                         rounding (relative 1e-12; to 1e-6 where data are large beside r) in the last ones, which
 *                         polish the gradient
 *   STEEP_NOT_FINITE      r or J at the start is not finite (x unchanged)
 *   STEEP_BAD_INPUT       fewer residuals and invariances than unknowns, none of these, sizes beyond memory, options
 *                         out of range
 * Fills *result on every return and returns result->status. Memory: about 8 (m n + 2 n^2) bytes and 3 KB per unknown,
 * at the start. Time per iteration O(m n^2). Source: More, The Levenberg-Marquardt algorithm, 1978. */
STEEP_API steep_status steep_least_squares_solve(const steep_least_squares_problem *problem,
                                                 const steep_least_squares_options *options, double *x,
                                                 steep_least_squares_result *result, steep_error *error);
