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

/* Options of the solvers adam, adamw, sgd and muon. They take max_iterations steps (0: 10,000). */
typedef struct steep_training {
    double learning_rate;    /* STEEP_TRAINING_AUTO: the best of eight in short trials, which count as evaluations */
    steep_schedule schedule; /* of the rate: a cosine to 0; constant; 1/10 from half the steps on, 1/100 from 3/4 on */
    size_t warmup, batch;    /* steps in which the rate grows to its size; points in a step, 0: all */
    double weight_decay;     /* STEEP_TRAINING_AUTO: adamw 1e-2, others 0 */
    double clip;             /* upper limit for the gradient's norm, 0: none */
    bool single;             /* parameters, gradients and steps in float32 */
} steep_training;

typedef struct steep_fit_options {
    steep_solver solver;
    steep_start_kind start;
    size_t directions; /* of start ridge; STEEP_AUTO or 0: the best of a few numbers of directions, by frozen fits */
    size_t exchanges;  /* of start greedy: how often each unit is exchanged; STEEP_AUTO: once with frozen, else never */
    steep_construction construction;
    /* The network is fitted in this many stages (1), each with growth (1.4) times the units of the stage before, to the
     * residual of all stages before (fit/stages.c). steepness (1) multiplies the gates of a start, with several layers
     * those of the first layer; it is 1.25 times larger in each further stage. */
    size_t stages;
    double growth, steepness;
    size_t max_iterations; /* outer iterations; 0: the solver's own default (newton 100 a stage, lm and gsl 200) */
    double tolerance;      /* converged when gradient_norm of the result is at most this (1e-6) */
    /* X of F = rmse_train^2 + X sum_i (mean_k (D_i h_i(x_k))^2 + (1e-3 D_i M_i |c_i|)^2), which every solver except
     * construct minimises in place of rmse_train (c_i, M_i: docs/explanation/precision.md). Dimensionless, 0 (none) to
     * STEEP_PENALTY_MOST. With a penalty each point is a row of the least-squares problem, in 1D too. */
    double penalty;
    /* Additional starts, with seeds derived from seed; the best training error wins, with a penalty the least F
     * (STEEP_AUTO: reduced-newton 240 up to width 8, 40 up to 32; exchange 5 up to 64 parameters; others 0) */
    size_t restarts;
    /* > 0: restarts end once this many starts have found the best (result.hits), or at the rounding floor. STEEP_AUTO,
     * where the solver chooses restarts: reduced-newton 35 up to width 8 (gqu 12), exchange 3, others 0 */
    size_t hits;
    bool continuous; /* rmse_test is over the whole interval (1D, with a formula); else over problem->test */
    uint64_t seed;
    const double *initial; /* theta of the first start, in place of start; NULL: none. STEEP_BAD_INPUT for construct */
    size_t threads; /* threads (1) share large steps of lm and varpro, losses of first-order solvers and lbfgs, and
                       start greedy; their number changes no bit of a result */
    bool dense;     /* frozen: force the dense path where the spline path would serve */
    steep_training training;
    steep_monitor monitor;
    const struct steep_elsewhere *elsewhere; /* internal, for back ends: leave it NULL */
    struct steep_curve *curve;               /* internal, the record of the iterations (fit/curve.h): leave it NULL */
    int exponent; /* internal: values are in units of 2^exponent, for texts (fit/scaled.c): leave it 0 */
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
    /* Errors at theta by the plain network formula, NaN where the set of points is missing; max_error is over training
     * and test points. floor: the rounding floor on the training points. */
    double rmse_train, rmse_test, max_error, floor;
    /* The largest coefficient; and the error of the network in float32 over the test points, or over the training
     * points without a test set. NaN without a usable result. */
    double coefficient, rmse_single;
    size_t iterations, evaluations; /* over all starts; one evaluation is the network at all training points */
    double operations; /* additions and multiplications of starts and solver, by formulas in iterations, evaluations,
                          points and parameters (fit/cost.h): the same on every machine; NaN without a usable result */
    /* The achieved gradient cosine, recomputed from theta: max |J_p . r| / (|J_p| |r|) over the parameters p that the
     * solver moves. J_p . r is the gradient of rmse_train^2 / 2, |r| is rmse_train. NaN for construct. */
    double gradient_norm;
    double tolerance;     /* the requested tolerance */
    double test_estimate; /* of a continuous rmse_test: the estimated error of its quadrature; NaN for a test on points.
                             An rmse_test that is not resolved to a thousandth is NaN, and reason says so */
    /* starts: how many have a usable end. hits: how many of these have a training error within STEEP_FOUND_AGAIN of the
     * best, but 1 where all of them are of one family (one kind of search; start greedy; start ridge). With hits <
     * starts there may be other minima. */
    size_t starts, hits;
    double seconds; /* wall time of starts and solver, over all starts, without the measurements */
    uint64_t seed;  /* of the best start */
} steep_fit_result;

#define STEEP_FOUND_AGAIN 1.01 /* two ends count as the same when their training errors are within this factor */

/* Runs the solver named in options (NULL: defaults) with its restarts, then measures theta. Fills *result on every
 * return. Returns result->status; < 0 with a message in error. STEEP_SINGULAR: the training error is above that of the
 * network that is 0 everywhere, unless the fit was stopped or is by adam, adamw, sgd or muon, whose reason says so.
 * STEEP_BAD_INPUT: fewer distinct points than parameters, for solvers that move all parameters by least squares (not
 * for solvers by the gradient alone); coordinates outside 1e-100 to 1e100; a largest value outside 1e-300 to 1e300, or
 * 1e-100 to 1e100 for constructions and continuous errors. For other fits a largest value below 2^-20 or above 2^20 is
 * brought to size 1 by a power of 2. Where all values are 0, output weights and bias start at 0. */
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
    steep_measured measured; /* rmse: (mean over the interval of (y - f)^2)^{1/2}; max: over the points used */
    double estimate;         /* estimated quadrature error of rmse, without rounding */
    size_t points;           /* number of points where y and f were evaluated */
    bool resolved;           /* the estimate is at most a thousandth of rmse, or below the effect of rounding */
} steep_continuous;

/* Adaptive quadrature of (y - f)^2 over the target's interval. Cells lie between the network's knots (roots of the
 * first branch) and the ends of 512 equal parts. Each cell takes Kronrod's rule with 15 points; its error estimate
 * comes from Gauss' rule with 7 of them and from null rules (measure/continuous.c). Cells with large estimates are
 * halved until the estimates sum to 1e-7 of the integral, or to the effect of the rounding floor (floor >= 0, root mean
 * square), or half a million points are used. There are at least 7680 points. Features between the points are not seen;
 * the place of a jump may be off by 1e-5 of the interval. STEEP_NOT_FINITE: the network is not finite at a point.
 * STEEP_BAD_INPUT: the target is not finite there; more than one dimension. O(points width). */
STEEP_API steep_status steep_measure_continuous(const steep_network *network, const double *theta,
                                                const steep_target *target, double floor, steep_continuous *continuous,
                                                steep_error *error);

typedef struct steep_least_squares_problem {
    size_t residuals, unknowns; /* m, n: n >= 1, m + invariances >= n */
    /* Writes r(x), m entries, and, where J is not NULL, J[k + p * m] = d r_k / d x_p, column-major m x n. A step to
     * numbers that are not finite is refused; a return below 0 (STEEP_NO_MEMORY) ends the solve with that status. */
    steep_status (*evaluate)(void *context, const double *x, double *r, double *J);
    void *context;
    /* The number of directions, known from the model, along which r(x) does not change to first order (0: none).
     * invariant writes these directions at x, column-major n x invariances; a zero column is no direction. */
    size_t invariances;
    void (*invariant)(void *context, const double *x, double *direction);
} steep_least_squares_problem;

typedef struct steep_least_squares_options {
    size_t max_iterations; /* most accepted steps (200) */
    double tolerance;      /* converged when max_p |J_p . r| / (|J_p| |r|) <= tolerance, or r = 0 (1e-8); in (0, 1) */
    double small;          /* |r| <= small counts as rounding: STEEP_FLOOR (0) */
    double radius;         /* first trust radius, in units of |D x| (of 1 where x = 0); > 0 (1) */
    /* The longest step, as a part of |D x|, along directions in which J holds only rounding (1e-3; tuned). INFINITY
     * where J's singular values decay evenly down to rounding and all of them count, as with smooth units that nearly
     * depend on each other. */
    double drift;
    /* The damping matrix D. false: More's diagonal, the largest length of each column so far. true: the identity. */
    bool even;
    bool accelerate;       /* steps follow the curvature of r: one more evaluation each (fit/least_squares.c; false) */
    const char *stage;     /* name of the stage for the monitor ("lm") */
    steep_monitor monitor; /* in its progress rmse is |r|, and step is the damping mu */
    size_t threads;        /* threads (1) that share the algebra of a step; their number changes no bit of a result */
} steep_least_squares_options;
STEEP_API steep_least_squares_options steep_least_squares_options_default(void);

typedef struct steep_least_squares_result {
    steep_status status;
    char reason[160];   /* why it stopped, a sentence */
    double norm;        /* |r| at the returned x */
    double cosine;      /* the gradient cosine at x, as in options.tolerance; 0 when r = 0 */
    double tolerance;   /* the requested tolerance */
    size_t iterations;  /* accepted steps */
    size_t evaluations; /* calls of evaluate, with or without Jacobian */
    size_t triangles;   /* damped factors: QR of the 2 n x n [R; sqrt(mu) D], or Cholesky of J'J + mu D^2 */
} steep_least_squares_result;

/* Levenberg-Marquardt in a trust region (fit/least_squares.c). x, n entries: in the start, out the end. options NULL:
 * the defaults.
 *   STEEP_CONVERGED       the gradient meets the tolerance at the returned x
 *   STEEP_FLOOR           |r| <= options.small
 *   STEEP_STALLED         no step lowers |r| beyond rounding and the gradient is above the tolerance
 *   STEEP_MAX_ITERATIONS, STEEP_STOPPED   the cap is reached, or the monitor stopped; x is the last accepted point. No
 *                         accepted step raises |r|, but the last ones, which polish the gradient, may raise |r| by its
 *                         rounding (relative 1e-12, up to 1e-6 where data are large beside r)
 *   STEEP_NOT_FINITE      r or J at the start is not finite (x unchanged)
 *   STEEP_BAD_INPUT       fewer residuals and invariances than unknowns, no unknowns, sizes beyond memory, options
 *                         out of range
 * Fills *result on every return and returns result->status. Memory: about 8 (m n + 2 n^2) bytes and 3 KB per unknown,
 * at the start. Time per iteration O(m n^2). Source: More, The Levenberg-Marquardt algorithm, 1978. */
STEEP_API steep_status steep_least_squares_solve(const steep_least_squares_problem *problem,
                                                 const steep_least_squares_options *options, double *x,
                                                 steep_least_squares_result *result, steep_error *error);
