/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solvers: the solvers behind steep_fit. A solver reads its start from theta, writes its end to theta and reports how
 * the solve ended. Solvers measure nothing: steep_fit measures the ends of all solvers in the same way. */
#pragma once

#include "base/text.h"
#include "fit/cost.h"
#include "fit/problem.h"
#include "fit/rules.h"
#include "model/scaling.h"

/* What a solver reports beside its status, and what it is told about its start (in). active may be NULL for a solver
 * that moves all parameters. */
typedef struct steep_solve {
    char reason[160];
    size_t iterations, evaluations; /* preset to 0 */
    size_t triangles;               /* lm: number of damped triangles computed (fit/least_squares.c) */
    unsigned char *active;          /* owned by the caller, P entries, preset to 1; 0: the parameter did not move */
    const unsigned char *held;      /* in, of lm and steep_newton_polish: 0: the parameter moves; NULL: all move */
    size_t restart;                 /* in: 0 for the start as it is; from 1 on, a deterministic start is jittered */
    size_t family;                  /* the same number for starts made in the same way, by solver or initial guess */
    uint64_t seed;                  /* in: seed of this start */
    double known;                   /* in: least error of the earlier starts; 0: not known */
} steep_solve;

/* Appends to a reason. */
#define STEEP_REASON_ADD(to, ...) steep_text_add(to, sizeof((steep_solve *)0)->reason, __VA_ARGS__)

/* Writes the reason into solve. Returns status. */
steep_status steep_solve_end(steep_solve *solve, steep_status status, const char *reason);

#define STEEP_REASON_FLOOR    "the error is at the network's rounding floor"
#define STEEP_REASON_ROUNDING "no step lowers the error; what is left of the gradient is rounding"

/* Does a solve end at progress.theta? STEEP_FLOOR: yes, the error is rounding (STEEP_ROUNDING_RMSE). STEEP_STOPPED:
 * yes, the monitor asks to stop. Both write the reason into solve. STEEP_OK: no. STEEP_NO_MEMORY. Counts (from solve)
 * and seconds (since begin) are filled into progress here. */
steep_status steep_solve_ends(const steep_problem *problem, const steep_fit_options *options, steep_progress progress,
                              double begin, steep_solve *solve);

/* steep_fit without a change of units: scaled.c calls it, for values far from 1 after scaling them. */
steep_status steep_fit_plain(const steep_problem *problem, const steep_fit_options *options, steep_fit_result *result,
                             steep_error *error);

/* Fills the result of a failed fit: NaN for measured numbers, no theta, the error's text as reason. Returns status. */
steep_status steep_fit_failed(steep_fit_result *result, steep_status status, const steep_error *error);

/* Checks the sizes of values and coordinates: STEEP_BAD_INPUT, with the message of steep_fit, where it refuses them. */
steep_status steep_fit_check_range(const steep_problem *problem, const steep_fit_options *options, steep_error *error);

/* A solver: moves theta from the start to the end; fills solve. */
typedef steep_status steep_solve_function(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                          steep_solve *solve, steep_error *error);
#define STEEP_SOLVER(id, function, ...) steep_solve_function steep_solve_##function;
#include "fit/list.h"

/* A fit that a plan requests. label and target: names for messages; dim: dimension of the target. */
typedef struct steep_solver_case {
    const steep_architecture *architecture;
    const steep_choice *choice;
    const char *label, *target;
    size_t dim, width;
} steep_solver_case;

/* Plans with different default starts: 1D formulas only; other plans with a target in 1D; two and more dimensions. */
typedef enum steep_start_of { STEEP_OF_FORMULA, STEEP_OF_LINE, STEEP_OF_PLANES, STEEP_STARTS_OF } steep_start_of;

/* A row of fit/list.h. Fields that a row leaves out are false, 0 or NULL: the values for a solver that moves all
 * parameters of any network. */
typedef struct steep_solver_row {
    const char *name, *text;
    steep_solve_function *solve;
    /* Goes on from the best end of all starts to the minimum. With a penalty, only this function minimises it: the
     * starts leave the penalty out. NULL: the best end is the result. */
    steep_solve_function *finish;
    bool writes;          /* computes the parameters from a 1D formula: no start in theta, no minimisation */
    bool frozen;          /* gates stay at the start; takes fewer points than unknowns if the points are from a file */
    bool eliminates;      /* eliminates the linear parameters */
    bool keeps_class;     /* in 1D the end is a spline of the units' class, for any start */
    bool two_paths;       /* takes the spline path in 1D where possible, unless options->dense */
    bool planes_alone;    /* two and more dimensions */
    bool trains;          /* uses a learning rate (options->training) */
    bool layers;          /* takes networks of several layers */
    bool underdetermined; /* takes more parameters than points */
    bool on_device;       /* the device has this solver (cuda/described.c) */
    /* Gradient cosine reached from near a minimum, and the iterations for it; 0: 1e-6 within 1,000 iterations. */
    double reaches;
    size_t iterations;
    steep_start_kind start[STEEP_STARTS_OF]; /* default starts, by steep_start_of */
    /* Refuses a case that the solver cannot fit; the message names an alternative. NULL: refuses none. */
    steep_status (*takes)(const steep_solver_case *asked, steep_error *error);
    steep_restarts (*restarts)(const steep_network *); /* NULL: none */
    /* Cost of all starts (fit/cost.h), without the work before the solver. NULL: the cost of steps of lm. */
    steep_cost_function *cost;
    double jacobians, squares; /* memory at the peak, as measured: numbers in units of N x P and of P x P */
} steep_solver_row;

/* A row as fit/list.h writes it. */
#define STEEP_SOLVER_ROW(id, function, name_, text_, ...)                                                              \
    {.name = name_, .text = text_, .solve = steep_solve_##function, __VA_ARGS__},

/* Rows of an annex: steep_solvers_of_NAME, in its file solvers.c. The build writes the list of those that are there. */
typedef struct steep_solvers_of {
    const steep_solver_row *row;
    size_t count;
} steep_solvers_of;
extern const steep_solvers_of *const steep_annex_solvers[]; /* NULL past the last */

/* The rows of the core, then the rows of annexes; NULL past the last. */
const steep_solver_row *steep_solver_table(size_t index);

/* Returns c of the leading term c h^p rms f^(p), p = degree + 1, of the error (rms) of this class's construction on
 * cells of size h: 1/sqrt 120 (mlp), 1/sqrt(945/2), 1/(6 sqrt 105), 1/sqrt 30240 (glu: march, right slope, midpoint),
 * sqrt(128/315)/384 (gqu and its cubic relatives); for other classes the constant of spline/quasi. NaN for a class
 * without a construction. */
double steep_construction_constant(const steep_piecewise *piecewise, steep_construction construction);

/* Functions for the fields of rows in list.h. */
steep_status steep_construct_takes(const steep_solver_case *asked, steep_error *error);
steep_status steep_reduced_newton_takes(const steep_solver_case *asked, steep_error *error);
/* Goes on from the best end of all starts, with solve->reason and active of that end. With a penalty: varpro. Else,
 * where the network is small: lm and Newton to the tolerance; where it is not: nothing. */
steep_solve_function steep_finish_reduced_newton;

/* Levenberg-Marquardt (fit/least_squares.c) on some parameters of a network. No step goes along a scaling that changes
 * no unit (model/scaling). */
typedef struct steep_moves {
    const steep_network *network;
    double *theta;        /* all P parameters at the current point */
    size_t count, *place; /* number and indices of the parameters that move */
    bool made_up;         /* the other parameters make up for scalings; false: a scaling must not change them */
    size_t rows;          /* rows of the residual */
    /* Residual and Jacobian, as of steep_least_squares_problem; context: this structure. */
    steep_status (*evaluate)(void *context, const double *x, double *r, double *J);
    size_t scalings;
    steep_scaling scaling[STEEP_MAX_SCALINGS];
    double *direction; /* P: workspace for one direction */
} steep_moves;

/* Minimises from m->theta and writes the end there. own: the settings that options do not have. */
steep_status steep_moves_solve(steep_moves *m, const steep_fit_options *options, steep_least_squares_options own,
                               steep_least_squares_result *result, steep_error *error);

/* Newton's method with the exact Hessian, from near a minimum, on the parameters of a 1D spline network that are not
 * held, to a gradient cosine of options->tolerance; at most max_iterations steps (0: none). */
steep_solve_function steep_newton_polish;

/* Monitor adapter: passes the reports of a solver inside another solver on to the caller's monitor. */
typedef struct steep_relay {
    const steep_monitor *monitor; /* the caller's */
    size_t before;                /* iterations of earlier stages: added to this stage's */
    bool silent;                  /* report NaN for errors and no parameters: this stage has another network, or none */
    int exponent;                 /* values are in units of 2^exponent; if not 0, the solver's theta is not reported */
    const double *theta; /* parameters to report for a solver that reports none; NULL: the solver reports its own */
} steep_relay;

/* Returns the monitor for the stage; *relay must outlive it. */
steep_monitor steep_relay_monitor(steep_relay *relay);

/* How steep_descend minimises in a 1D spline network: lm; then, if lm reaches its cap or stalls, steep_newton_polish.
 * Parameters with held[p] = 0 (P entries) move. held NULL: all move, except scales that change nothing
 * (newton_polish.c). */
typedef struct steep_descent {
    const unsigned char *held;
    size_t lm, newton; /* caps on iterations; options->max_iterations != 0 replaces both; lm 0: the default of lm */
} steep_descent;

/* From theta to a minimum, to options->tolerance. Adds to solve->iterations and evaluations, cuts solve->reason at its
 * first ';' and appends to it. The iterations that the monitor sees count on from those of solve. */
steep_status steep_descend(const steep_problem *problem, const steep_fit_options *options, const steep_descent *how,
                           double *theta, steep_solve *solve, steep_error *error);

/* Which parameters variable projection solves for and which it moves. */
typedef struct steep_varpro_split {
    unsigned linear;     /* set of the branches solved for, with the bias; 0: the output weights are solved for */
    bool held;           /* the output weights stay at their start, since h = 0 where the linear branches are 0 */
    size_t offset;       /* the scalars that are this input stay, too (model/scaling.h); 0: none */
    size_t lines, moves; /* how many parameters are solved for and how many move */
} steep_varpro_split;

/* penalised: there is a penalty. linear, moving: NULL or room for P indices each; `lines` and `moves` of them are
 * written, ascending. */
steep_varpro_split steep_varpro_split_of(const steep_network *network, bool penalised, size_t *linear, size_t *moving);

/* A solver that runs elsewhere (cuda/offload.c), called in place of the options' solver: reads its start from theta and
 * writes its end there. The problem, scaled if the fit is, stays valid during all solves of a fit. */
typedef struct steep_elsewhere {
    steep_status (*solve)(void *context, const steep_problem *problem, const steep_fit_options *options, double *theta,
                          steep_solve *solve, steep_error *error);
    void *context;
} steep_elsewhere;

/* Writes the ends of the target's interval and the gates of the start inside it, ascending: *cells + 1 numbers in
 * knot[width + 2]. STEEP_BAD_INPUT: an equidistributed start without a 1D formula. */
steep_status steep_fit_start_knots(const steep_problem *problem, const steep_fit_options *options, double *knot,
                                   size_t *cells, steep_error *error);

/* The starts ridge and greedy (fit/ridge_start.c): theta becomes the end of the best frozen fit, solve its report. With
 * start->directions > 0, directions and odd are used as given; else they are set to the choice of the best fit. */
steep_status steep_ridge_start(const steep_problem *problem, const steep_fit_options *options,
                               steep_start_options *start, double *theta, steep_solve *solve, steep_error *error);

/* The starts layerwise and grown (fit/layer_start.c): lm trains the layers below, options->max_iterations each. The
 * check: STEEP_BAD_INPUT where the units do not allow the start or lm has too few points; STEEP_OK for other starts. */
steep_status steep_layer_start_check(const steep_network *network, steep_start_kind kind, size_t points,
                                     steep_error *error);
steep_status steep_layer_start(const steep_problem *problem, const steep_fit_options *options,
                               const steep_start_options *start, double *theta, steep_error *error);

/* phi(alpha) and phi'(alpha). May return NaN or infinity: the step is then cut. */
typedef void (*steep_search_function)(void *context, double alpha, double *value, double *slope);

/* Line search (fit/linesearch.c): returns alpha of a strong Wolfe point, phi(a) <= phi(0) + c1 a phi'(0) (Armijo), c1 =
 * 1e-4, and |phi'(a)| <= c2 |phi'(0)|, c2 = 0.9. If 40 evaluations find none: the best point seen that meets Armijo. 0
 * where there is no such point, value0 is not finite, or slope0 is not finite and below 0. */
double steep_search_wolfe(steep_search_function function, void *context, double value0, double slope0);

/* Returns the factor of the learning rate in step t < T. With W steps of warmup (at most T; in a trial of the rate
 * search the same share of the trial) it is (t + 1) / W while t < W, and then with u = (t - W) / (T - W)
 *   cosine    (1 + cos(pi u)) / 2                      Loshchilov and Hutter, SGDR, 2017, without restarts
 *   constant  1
 *   step      1 for u < 1/2, .1 for u < 3/4, else .01 */
double steep_schedule_factor(const steep_training *training, size_t t, size_t steps);

/* Ranges: STEEP_BAD_INPUT names the field and what to use. */
steep_status steep_training_check(const steep_training *training, steep_error *error);

/* The check before a solver that moves all parameters: STEEP_BAD_INPUT with fewer distinct points than parameters,
 * since such points leave directions undetermined, along which the solver drifts. */
steep_status steep_check_points(const steep_problem *problem, steep_error *error);

/* *cosine = max_p |J_p . r| / (|J_p| |r|) over active parameters (NULL: all), r the weighted residual at theta. r and J
 * are recomputed from the network and include the rows of a penalty (fit/penalty.h). 0 when r = 0, NaN where r or J is
 * not finite. STEEP_NO_MEMORY. */
steep_status steep_gradient_cosine(const steep_problem *problem, double penalty, const double *theta,
                                   const unsigned char *active, double *cosine);

/* *rounding: cosine * rmse <= STEEP_ROUNDING_COSINE * steep_network_floor over the training samples; false for NaN.
 * STEEP_NO_MEMORY. */
steep_status steep_gradient_is_rounding(const steep_problem *problem, const double *theta, double cosine, double rmse,
                                        bool *rounding);

/* stages: a network fitted in parts, each part to the residual of the parts before it. */

/* STEEP_BAD_INPUT where the network cannot be fitted in options->stages: a layer has fewer units than stages, units
 * share parameters, a layer is normalised, or residual layers differ in width. */
steep_status steep_stages_check(const steep_network *network, const steep_fit_options *options, steep_error *error);

/* Returns the number of units of stage k = 0, 1, ..: of options->stages parts of the width, each options->growth times
 * the part before it, rounded, at least 1. */
size_t steep_stages_width(size_t width, const steep_fit_options *options, size_t k);

/* Makes the network of stage k, with units like the whole network's; options->stages = 1: the same network. */
steep_status steep_stages_network(const steep_network *whole, const steep_fit_options *options, size_t k,
                                  steep_network *network, steep_error *error);

/* run: makes one start and solves, for the problem of stage k. options: the options of the fit, but with a monitor that
 * reports the whole network to the monitor of the fit. */
typedef struct steep_stages {
    steep_status (*run)(const struct steep_stages *stages, const steep_problem *problem, size_t k, double *theta,
                        steep_solve *solve, steep_error *error);
    void *context;
    const steep_fit_options *options;
} steep_stages;

/* Stage k is fitted to 2^e (y - f_1 - ... - f_{k-1}), with e such that these values are of size 1. Its units then
 * become units of the whole network, with output weights and bias times 2^-e. solve reports the last stage, and only
 * its parameters count as moved; iterations are summed; the reason begins with the training error after each stage.
 * Wang, Lai, Multi-stage neural networks, arXiv 2307.08934. */
steep_status steep_stages_solve(const steep_problem *problem, const steep_fit_options *options, steep_stages stages,
                                double *theta, steep_solve *solve, steep_error *error);
