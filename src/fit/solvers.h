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
} steep_descent;

/* end: of lm and of Newton. Their monitor hears the iterations of both, one after the other. */
steep_status steep_descend_held(const steep_problem *problem, const steep_fit_options *options,
                                const steep_descent *how, double *theta, steep_solve end[2], steep_error *error);

/* A solver that runs elsewhere (execute/offload.c), called in place of that of the options: from the start in theta, where
 * it leaves its end. The problem, in whatever units it is fitted, stays until steep_fit returns. */
typedef struct steep_elsewhere {
    steep_status (*solve)(void *context, const steep_problem *problem, const steep_fit_options *options, double *theta,
                          steep_solve *solve, steep_error *error);
    void *context;
} steep_elsewhere;

/* The starts ridge and greedy (fit/ridge_start.c): theta is the end of the best frozen fit, solve says how that went.
 * start->directions and odd are set to what won; where start->turned they are taken as they are. */
steep_status steep_ridge_start(const steep_problem *problem, const steep_fit_options *options,
                               steep_start_options *start, double *theta, steep_solve *solve, steep_error *error);

/* For the solvers of all parameters: fewer distinct points than parameters is STEEP_BAD_INPUT, as the points leave
 * directions free in which such a solver wanders. */
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

#endif
