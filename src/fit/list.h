/* SPDX-License-Identifier: GPL-3.0-or-later */
/* list: the solvers of the core, in the order in which they are listed. Annexes have more, in a file solvers.c of the
 * same form (steep_solvers_of, fit/solvers.h). A file that uses all of them defines
 *
 *   STEEP_SOLVER(id, function, name, text, fields...)
 *
 * and includes this file: the enumeration (fit/problem.h), the declarations and the table (fit/solvers.h, solvers.c).
 *
 *   id        STEEP_SOLVER_<id> is its number
 *   function  its function is steep_solve_<function>
 *   name      its name in options and in rows of fits.csv
 *   text      one line for steep list solvers
 *   fields    its properties (steep_solver_row, fit/solvers.h), by name */
#ifndef STEEP_SOLVER
#define STEEP_SOLVER(id, function, name, text, ...)
#endif

#ifndef STEEP_STARTS
#define STEEP_STARTS(formula, line, planes) .start = {STEEP_START_##formula, STEEP_START_##line, STEEP_START_##planes}
#endif

/* clang-format off */
STEEP_SOLVER(CONSTRUCT, construct, "construct",
    "parameters from the target's values and derivatives, no optimiser (mlp, glu, gqu, gated3 to 5; relu; 1D)",
    .writes = true, .keeps_class = true, .takes = steep_construct_takes, STEEP_STARTS(UNIFORM, UNIFORM, UNIFORM))
STEEP_SOLVER(FROZEN, frozen, "frozen",
    "gates fixed, linear least squares: O(N + n) for splines in 1D, dense QR for any unit and dimension",
    .frozen = true, .keeps_class = true, .two_paths = true, .on_device = true, .layers = true,
    .jacobians = 1.35, .squares = 0.2,
    STEEP_STARTS(UNIFORM, UNIFORM, GREEDY))
STEEP_SOLVER(REDUCED_NEWTON, reduced_newton, "reduced-newton",
    "all parameters in 1D (mlp, glu, gqu and relatives, relu gates): linear ones eliminated, Newton on the knots",
    .keeps_class = true, .takes = steep_reduced_newton_takes, .finish = steep_finish_reduced_newton,
    .restarts = steep_strategy_restarts,
    .cost = steep_reduced_newton_cost, STEEP_STARTS(EQUIDISTRIBUTED, UNIFORM, UNIFORM))
STEEP_SOLVER(LM, marquardt, "lm",
    "Levenberg-Marquardt by QR, all parameters, any unit and dimension",
    .two_paths = true, .on_device = true, .layers = true, .jacobians = 1, .squares = 2,
    STEEP_STARTS(UNIFORM, UNIFORM, GREEDY))
STEEP_SOLVER(VARPRO, varpro, "varpro",
    "variable projection: lm with the linear parameters eliminated, any unit and dimension",
    .eliminates = true, .two_paths = true, .on_device = true, .layers = true,
    .jacobians = 2, .squares = 2, STEEP_STARTS(UNIFORM, UNIFORM, GREEDY))
STEEP_SOLVER(GSL, gsl, "gsl",
    "gsl_multifit_nlinear, all parameters: an independent cross-check",
    .layers = true, .cost = steep_gsl_cost, .jacobians = 3.6, .squares = 2, STEEP_STARTS(UNIFORM, UNIFORM, GREEDY))
/* clang-format on */

#undef STEEP_SOLVER
