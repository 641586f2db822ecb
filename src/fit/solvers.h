/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solvers: the rooms behind steep_fit. Each takes the problem and a start in theta, leaves the end there, and says how
 * it went; none of them measures: steep_fit does, for all alike. */
#pragma once

#include "base/text.h"
#include "fit/cost.h"
#include "fit/problem.h"
#include "fit/rules.h"
#include "model/scaling.h"

/* What a solver reports beside its status: reason, iterations, evaluations. active[p] (P entries, may be NULL for
 * "all"): parameters that it moved. */
typedef struct steep_solve {
    char reason[160];
    size_t iterations, evaluations; /* preset to 0 */
    size_t triangles;               /* lm: damped triangles that were made (fit/least_squares.h) */
    unsigned char *active;          /* owned by the caller, P entries, preset to 1 */
    const unsigned char *held;      /* in, of lm and steep_newton_polish: not 0: this parameter stays; NULL: none */
    size_t restart; /* in: 0 for the start as it is, then 1, 2, ...: a deterministic start is jittered */
    size_t family;  /* of this start: those that a solver, or what it begins with, makes alike have one number */
    uint64_t seed;  /* in: of this start */
    double known;   /* in: the least error of the starts before; 0: there is none */
} steep_solve;

/* Adds to what a reason says already. */
#define STEEP_REASON_ADD(to, ...) steep_text_add(to, sizeof((steep_solve *)0)->reason, __VA_ARGS__)

/* A solver's end: its reason. Returns the status. */
steep_status steep_solve_end(steep_solve *solve, steep_status status, const char *reason);

#define STEEP_REASON_FLOOR    "the error is at the network's rounding floor"
#define STEEP_REASON_ROUNDING "no step lowers the error; what is left of the gradient is rounding"

/* How a solve ends here: STEEP_FLOOR at the floor of the network, STEEP_STOPPED as the monitor asks (given progress
 * without its seconds since begin), both with the reason in solve, or STEEP_NO_MEMORY. STEEP_OK: it goes on. */
steep_status steep_solve_ends(const steep_problem *problem, const steep_fit_options *options, steep_progress progress,
                              double begin, steep_solve *solve);

/* steep_fit on values of usual size: what scaled.c hands the others to. */
steep_status steep_fit_plain(const steep_problem *problem, const steep_fit_options *options, steep_fit_result *result,
                             steep_error *error);

/* The result of a fit without an end: no numbers, no theta; the reason is the error's. Returns status. */
steep_status steep_fit_failed(steep_fit_result *result, steep_status status, const steep_error *error);

/* The sizes that steep_fit refuses, before it: STEEP_BAD_INPUT, as it says it. */
steep_status steep_fit_check_range(const steep_problem *problem, const steep_fit_options *options, steep_error *error);

/* Each solver, from the start in theta, where it leaves its end; fills solve. */
typedef steep_status steep_solve_function(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                          steep_solve *solve, steep_error *error);
#define STEEP_SOLVER(id, function, ...) steep_solve_function steep_solve_##function;
#include "fit/list.h"

/* A fit that a plan asks for: a network of this width, called label, to a target of this dimension. */
typedef struct steep_solver_case {
    const steep_architecture *architecture;
    const steep_choice *choice;
    const char *label, *target;
    size_t dim, width;
} steep_solver_case;

/* The start of a solver where none is named. */
typedef enum steep_start_of { STEEP_OF_FORMULA, STEEP_OF_LINE, STEEP_OF_PLANES, STEEP_STARTS_OF } steep_start_of;

/* A row of fit/list.h. What is left out is false or NULL: so it is of a solver that moves all parameters of any
 * network. */
typedef struct steep_solver_row {
    const char *name, *text;
    steep_solve_function *solve;
    /* From the best end of all starts to the minimum, that of a penalty too, which the starts then leave out. NULL: the
     * best end is the end. */
    steep_solve_function *finish;
    bool writes;     /* the parameters from a 1D formula: starts nowhere, minimises nothing */
    bool frozen;     /* gates stay where the start has them; takes fewer points than unknowns where they are a file's */
    bool eliminates; /* the linear parameters */
    bool keeps_class;     /* ends as a spline of the units' class in 1D, wherever it began */
    bool two_paths;       /* by splines in 1D where it can, unless options->dense */
    bool planes_alone;    /* two and more dimensions */
    bool trains;          /* by a learning rate: options->training */
    bool layers;          /* takes networks of several layers, too */
    bool underdetermined; /* takes more parameters than points */
    bool on_device;       /* the device has it, too (cuda/described.c) */
    /* How close it comes: a gradient cosine of 1e-6 from near a minimum within 1,000 iterations where both are 0. */
    double reaches;
    size_t iterations;
    steep_start_kind start[STEEP_STARTS_OF]; /* of a 1D formula as it is; of other lists with something in 1D; else */
    /* Refuses what it cannot fit, with what to use instead. NULL: it takes everything. */
    steep_status (*takes)(const steep_solver_case *asked, steep_error *error);
    steep_restarts (*restarts)(const steep_network *); /* NULL: none */
    /* Microseconds for so many starts, without what a start takes before its solver. NULL: of steps of lm. */
    steep_cost_function *cost;
    double jacobians, squares; /* numbers that it holds at its most: N x P and P x P arrays, as measured */
} steep_solver_row;

/* NULL past the last. */
const steep_solver_row *steep_solver_table(size_t index);

/* c of the leading term c h^p rms f^(p), p = degree + 1, of the error (rms) that the construction of this class leaves
 * on cells of size h: 1/sqrt 120 (mlp), 1/sqrt(945/2), 1/(6 sqrt 105), 1/sqrt 30240 (glu: march, right slope,
 * midpoint), sqrt(128/315)/384 (gqu and its cubic relatives), and what spline/quasi leaves elsewhere. NaN for a class
 * that is none. */
double steep_construction_constant(const steep_piecewise *piecewise, steep_construction construction);

/* Of rows: what stands in fields of list.h. */
steep_status steep_construct_takes(const steep_solver_case *asked, steep_error *error);
steep_status steep_reduced_newton_takes(const steep_solver_case *asked, steep_error *error);
steep_status steep_exchange_takes(const steep_solver_case *asked, steep_error *error);
/* From the best end of all starts, solve->reason and active as that left them: lm and Newton to the tolerance where the
 * network is small, else nothing. */
steep_solve_function steep_finish_reduced_newton;

/* Levenberg-Marquardt (fit/least_squares.h) on some parameters of a network. No step goes along a scaling that changes
 * no unit (model/scaling). */
typedef struct steep_moves {
    const steep_network *network;
    double *theta;        /* all parameters, at the point at hand */
    size_t count, *place; /* those that move */
    bool made_up;         /* what a scaling does to the others they make up for; else it must leave them alone */
    size_t rows;          /* of the residual */
    /* Residual and Jacobian, as of steep_least_squares_problem; context: this structure. */
    steep_status (*evaluate)(void *context, const double *x, double *r, double *J);
    size_t scalings;
    steep_scaling scaling[STEEP_MAX_SCALINGS];
    double *direction; /* P x directions */
} steep_moves;

/* From theta, where the end is left. own: what options say nothing of. */
steep_status steep_moves_solve(steep_moves *m, const steep_fit_options *options, steep_least_squares_options own,
                               steep_least_squares_result *result, steep_error *error);

/* The last steps from near a minimum: Newton's method with the exact Hessian on the parameters of a 1D spline network
 * that are not held, to a gradient cosine of options->tolerance, in max_iterations steps at most (0: none). */
steep_solve_function steep_newton_polish;

/* The caller's monitor behind a solver that is part of another. */
typedef struct steep_relay {
    const steep_monitor *monitor; /* the caller's */
    size_t before;                /* iterations of the stages before: added to those of this one */
    bool silent;         /* the errors of this stage are those of a spline that is no network yet: NaN instead */
    int exponent;        /* values are in units of 2^exponent; not 0: theta is none of the caller's */
    const double *theta; /* where the parameters are, of a solver that does not say so; NULL: it does */
} steep_relay;

/* The monitor to hand to the stage; *relay must outlive it. */
steep_monitor steep_relay_monitor(steep_relay *relay);

/* A 1D spline network from theta to a minimum: lm, then, where that reaches its cap or stalls, Newton's last steps
 * (steep_newton_polish), on the parameters where held[p] is 0 (P entries), to the tolerance of options. held NULL: on
 * all parameters, but for scales that change nothing (newton_polish.c). */
typedef struct steep_descent {
    const unsigned char *held;
    size_t lm, newton; /* iterations of each, at most; options->max_iterations, where it is not 0, stands for both; lm
                        * 0: its own default */
} steep_descent;

/* Adds to solve->iterations and evaluations, and to solve->reason behind its first part; the monitor hears the
 * iterations of both, one after the other, after those of solve. */
steep_status steep_descend(const steep_problem *problem, const steep_fit_options *options, const steep_descent *how,
                           double *theta, steep_solve *solve, steep_error *error);

/* Which parameters variable projection solves for and which it moves. */
typedef struct steep_varpro_split {
    unsigned linear;     /* branches that are solved for, with the bias; 0: the output weights are */
    bool held;           /* the output weights stay at their start: h = 0 where the linear branches are */
    size_t lines, moves; /* how many parameters are solved for and how many move */
} steep_varpro_split;

/* linear, moving: room for network->parameters indices each, or NULL; lines and moves of them are written, ascending.
 * */
steep_varpro_split steep_varpro_split_of(const steep_network *network, size_t *linear, size_t *moving);

/* A solver that runs elsewhere (cuda/offload.c), called in place of that of the options: from the start in theta, where
 * it leaves its end. The problem, in whatever units it is fitted, stays until steep_fit returns. */
typedef struct steep_elsewhere {
    steep_status (*solve)(void *context, const steep_problem *problem, const steep_fit_options *options, double *theta,
                          steep_solve *solve, steep_error *error);
    void *context;
} steep_elsewhere;

/* The ends of the target's interval and the gates of the start inside it, ascending: *cells + 1 of them in
 * knot[width + 2]. STEEP_BAD_INPUT: an equidistributed start without a 1D formula. */
steep_status steep_fit_start_knots(const steep_problem *problem, const steep_fit_options *options, double *knot,
                                   size_t *cells, steep_error *error);

/* The starts ridge and greedy (fit/ridge_start.c): theta is the end of the best frozen fit, solve says how that went.
 * start->directions and odd are set to what won; where start->turned they are taken as they are. */
steep_status steep_ridge_start(const steep_problem *problem, const steep_fit_options *options,
                               steep_start_options *start, double *theta, steep_solve *solve, steep_error *error);

/* The starts layerwise and grown (fit/layer_start.c): the layers below trained by lm, options->max_iterations each. The
 * check: whether the units can, and lm has as many points as it needs; of other starts, STEEP_OK. */
steep_status steep_layer_start_check(const steep_network *network, steep_start_kind kind, size_t points,
                                     steep_error *error);
steep_status steep_layer_start(const steep_problem *problem, const steep_fit_options *options,
                               const steep_start_options *start, double *theta, steep_error *error);

/* phi(alpha) and phi'(alpha). May return NaN or infinity: the step is then cut. */
typedef void (*steep_search_function)(void *context, double alpha, double *value, double *slope);

/* How far to go along a direction (fit/linesearch.c): the alpha of a strong Wolfe point, Armijo, phi(a) <= phi(0) +
 * c1 a phi'(0), c1 = 1e-4, and |phi'(a)| <= c2 |phi'(0)|, c2 = 0.9, in at most 40 evaluations. Where none is found, the
 * best Armijo point seen; where there is none, or value0 is not finite, or slope0 not finite and below 0, it is 0. */
double steep_search_wolfe(steep_search_function function, void *context, double value0, double slope0);

/* What the learning rate is multiplied by in step t of T, t < T. With W steps of warmup (a trial of the search: the
 * same part of its steps) (t + 1) / W while t < W, and then with u = (t - W) / (T - W)
 *   cosine    (1 + cos(pi u)) / 2                      Loshchilov and Hutter, SGDR, 2017, without restarts
 *   constant  1
 *   step      1 for u < 1/2, .1 for u < 3/4, else .01 */
double steep_schedule_factor(const steep_training *training, size_t t, size_t steps);

/* Ranges: STEEP_BAD_INPUT names the field and what to use. */
steep_status steep_training_check(const steep_training *training, steep_error *error);

/* For the solvers of all parameters, before each solve: fewer distinct points than parameters is STEEP_BAD_INPUT, as
 * the points leave directions free in which such a solver wanders. */
steep_status steep_check_points(const steep_problem *problem, steep_error *error);

/* max_p |J_p . r| / (|J_p| |r|) over active parameters (NULL: all), r the weighted residual at theta: recomputed from
 * the network itself, with the rows of a penalty (fit/penalty.h) in r and J. *cosine: 0 when r = 0, NaN
 * where it is not finite. STEEP_NO_MEMORY. */
steep_status steep_gradient_cosine(const steep_problem *problem, double penalty, const double *theta,
                                   const unsigned char *active, double *cosine);

/* *rounding: cosine * rmse <= STEEP_ROUNDING_COSINE * steep_network_floor over the training samples; false for NaN.
 * STEEP_NO_MEMORY. */
steep_status steep_gradient_is_rounding(const steep_problem *problem, const double *theta, double cosine, double rmse,
                                        bool *rounding);

/* stages: a network fitted in parts, each to what those before leave. */

/* STEEP_BAD_INPUT where the network cannot be fitted in options->stages: where a layer has fewer units than that, units
 * share parameters, a layer is normalised, or residual layers differ in width. */
steep_status steep_stages_check(const steep_network *network, const steep_fit_options *options, steep_error *error);

/* The units of stage k of options->stages, k = 0, 1, ..: width in parts of which each is options->growth times the one
 * before, rounded, 1 at least. */
size_t steep_stages_width(size_t width, const steep_fit_options *options, size_t k);

/* The network of stage k, of the whole one's units; options->stages of 1: the same network. */
steep_status steep_stages_network(const steep_network *whole, const steep_fit_options *options, size_t k,
                                  steep_network *network, steep_error *error);

/* run: one start and its solve, for the problem of stage k. options: those of the fit, but with a monitor that reports
 * the whole network to the monitor of the fit. */
typedef struct steep_stages {
    steep_status (*run)(const struct steep_stages *stages, const steep_problem *problem, size_t k, double *theta,
                        steep_solve *solve, steep_error *error);
    void *context;
    const steep_fit_options *options;
} steep_stages;

/* Stage k is fitted to 2^e (y - f_1 - ... - f_{k-1}), e such that this is of size 1; its units, output weights and bias
 * times 2^-e, are those of the whole network from there on. solve: of the last stage, whose parameters alone count as
 * moved; iterations are summed, and the reason begins with the training error after each stage. Wang, Lai, Multi-stage
 * neural networks, arXiv 2307.08934. */
steep_status steep_stages_solve(const steep_problem *problem, const steep_fit_options *options, steep_stages stages,
                                double *theta, steep_solve *solve, steep_error *error);
