/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solvers: the rooms behind steep_fit. Each takes the problem and a start in theta, leaves the end there, and says how
 * it went; none of them measures: steep_fit does, for all alike. */
#ifndef STEEP_FIT_SOLVERS_H
#define STEEP_FIT_SOLVERS_H

#include "fit/problem.h"
#include "fit/rules.h"

/* What a solver reports: status, reason, iterations, evaluations. active[p] (P entries, may be NULL for "all"):
 * parameters that it moved. */
typedef struct steep_solve {
    steep_status status;
    char reason[160];
    size_t iterations, evaluations;
    size_t triangles;      /* lm: damped triangles that were made (fit/least_squares.h) */
    unsigned char *active; /* owned by the caller, P entries, preset to 1 */
    size_t restart;        /* in: 0 for the start as it is, then 1, 2, ...: a deterministic start is jittered */
    size_t family;         /* of this start: those that a solver, or what it begins with, makes alike have one number */
    uint64_t seed;         /* in: of this start */
} steep_solve;

/* steep_fit on values of usual size: what scaled.c hands the others to. */
steep_status steep_fit_plain(const steep_problem *problem, const steep_fit_options *options, steep_fit_result *result,
                             steep_error *error);

/* The sizes that steep_fit refuses, before it: STEEP_BAD_INPUT, as it says it. */
steep_status steep_fit_check_range(const steep_problem *problem, const steep_fit_options *options, steep_error *error);

steep_status steep_solve_construct(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                   steep_solve *solve, steep_error *error);
steep_status steep_solve_frozen(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                steep_solve *solve, steep_error *error);
steep_status steep_solve_reduced_newton(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                        steep_solve *solve, steep_error *error);
/* From the best end of all starts, solve->reason and active as that left them: lm and Newton to the tolerance where the
 * network is small, else nothing. */
steep_status steep_finish_reduced_newton(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                         steep_solve *solve, steep_error *error);
steep_status steep_solve_newton(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                steep_solve *solve, steep_error *error);
steep_status steep_solve_marquardt(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                   steep_solve *solve, steep_error *error);
/* The same with the parameters where held[p] is not 0 (P entries; NULL: none) left at their values. */
steep_status steep_solve_marquardt_held(const steep_problem *problem, const steep_fit_options *options,
                                        const unsigned char *held, double *theta, steep_solve *solve,
                                        steep_error *error);
/* The last steps from near a minimum: Newton's method with the exact Hessian on the parameters of a 1D spline network
 * that are not held (P entries; NULL: none), to a gradient cosine of options->tolerance, in max_iterations steps at
 * most (0: none). */
steep_status steep_newton_polish(const steep_problem *problem, const steep_fit_options *options,
                                 const unsigned char *held, double *theta, steep_solve *solve, steep_error *error);
steep_status steep_solve_varpro(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                steep_solve *solve, steep_error *error);
steep_status steep_solve_gsl(const steep_problem *problem, const steep_fit_options *options, double *theta,
                             steep_solve *solve, steep_error *error);
/* Two and more dimensions; options->max_iterations caps each varpro, that behind the rounds and those in them. */
steep_status steep_solve_exchange(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                  steep_solve *solve, steep_error *error);

/* A descent: lm on the parameters where held[p] is 0 (P entries), then, where that reaches its cap or stalls, Newton's
 * last steps (steep_newton_polish). */
typedef struct steep_descent {
    const unsigned char *held;
    size_t lm, newton; /* iterations of each, at most; lm 0: its own default */
    double tolerance;
    size_t place; /* as in steep_step */
} steep_descent;

/* end: of lm and of Newton. Their monitor hears the iterations of both, one after the other. */
steep_status steep_descend_held(const steep_problem *problem, const steep_fit_options *options,
                                const steep_descent *how, double *theta, steep_solve end[2], steep_error *error);

/* A part of a solve that may run elsewhere, or has run before. */
typedef enum steep_step_kind { STEEP_STEP_FIND, STEEP_STEP_VARPRO, STEEP_STEP_DESCENT } steep_step_kind;
typedef struct steep_step {
    steep_step_kind kind;
    size_t restart, place; /* of which restart, and which of its parts: no two are alike in both */
    const steep_problem *problem;
    const steep_fit_options *options;
    const steep_descent *descent; /* of a descent */
    double *theta;                /* the start, then the end */
    steep_solve *end;             /* as the solver has it, of a descent two; a find adds to its counts and its reason */
    steep_status (*run)(void *of, steep_error *error); /* of a find: makes it here */
    void *of;
} steep_step;

/* Places of the parts. */
enum {
    STEEP_PLACE_FACTORS, /* frozen: the descent on its factors */
    STEEP_PLACE_FINISH,  /* reduced-newton: the descent from the best of all starts, in no restart of its own */
    STEEP_PLACE_STRATEGY /* and STEEP_PLACES for each strategy: its find, its varpro, its descent */
};
#define STEEP_PLACES 3

/* A solver that runs elsewhere (run/offload.c). The problem, in whatever units it is fitted, stays until steep_fit
 * returns. */
typedef struct steep_elsewhere {
    /* Called in place of that of the options: from the start in theta, where it leaves its end, with the solver's own
     * answer. It may call that solver (steep_solve_here), */
    steep_status (*solve)(void *context, const steep_problem *problem, const steep_fit_options *options, double *theta,
                          steep_solve *solve, steep_error *error);
    /* whose parts then go here: the answer of the part. */
    steep_status (*step)(void *context, const steep_step *step, steep_error *error);
    void *context;
} steep_elsewhere;

/* The solver of options. */
steep_status steep_solve_here(const steep_problem *problem, const steep_fit_options *options, double *theta,
                              steep_solve *solve, steep_error *error);

/* The starts ridge and greedy (fit/ridge_start.c): theta is the end of the best frozen fit, solve says how that went.
 * start->directions and odd are set to what won; where start->turned they are taken as they are. */
steep_status steep_ridge_start(const steep_problem *problem, const steep_fit_options *options,
                               steep_start_options *start, double *theta, steep_solve *solve, steep_error *error);

/* For the solvers of all parameters: fewer distinct points than parameters is STEEP_BAD_INPUT, as the points leave
 * directions free in which such a solver wanders. */
steep_status steep_check_points(const steep_problem *problem, steep_error *error);

/* max_p |J_p . r| / (|J_p| |r|) over active parameters (NULL: all), r the weighted residual at theta: recomputed from
 * the network itself. *cosine: 0 when r = 0, NaN where it is not finite. STEEP_NO_MEMORY. */
steep_status steep_gradient_cosine(const steep_problem *problem, const double *theta, const unsigned char *active,
                                   double *cosine);

/* *rounding: cosine * rmse <= STEEP_ROUNDING_COSINE * steep_network_floor over the training samples; false for NaN.
 * STEEP_NO_MEMORY. */
steep_status steep_gradient_is_rounding(const steep_problem *problem, const double *theta, double cosine, double rmse,
                                        bool *rounding);

#endif
