/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of this annex in the list of solvers (fit/list.h). */
#include "descent/descent.h"

#define STEEP_SOLVER STEEP_SOLVER_ROW
/* clang-format off */
static const steep_solver_row rows[] = {
STEEP_SOLVER(NEWTON, newton, "newton",
    "exact Hessian, block by block D, U, Q, G, then all; Jacobi preconditioning (the GLU paper's)",
    .cost = steep_newton_cost, .squares = 3.5,
    STEEP_STARTS(ALTERNATING, ALTERNATING, ALTERNATING))
STEEP_SOLVER(ADAM, adam, "adam",
    "Adam, all parameters: first derivatives alone, any unit and dimension",
    .trains = true, .layers = true, .underdetermined = true, .reaches = 1e-1, .iterations = 200,
    .cost = steep_first_order_cost, STEEP_STARTS(RANDOM, RANDOM, RANDOM))
STEEP_SOLVER(ADAMW, adamw, "adamw",
    "Adam with weight decay apart from the gradient",
    .trains = true, .layers = true, .underdetermined = true, .reaches = 1e-1, .iterations = 200,
    .cost = steep_first_order_cost, STEEP_STARTS(RANDOM, RANDOM, RANDOM))
STEEP_SOLVER(LBFGS, lbfgs, "lbfgs",
    "limited-memory BFGS with 20 pairs, all parameters, any unit and dimension",
    .layers = true, .underdetermined = true, .cost = steep_lbfgs_cost, STEEP_STARTS(RANDOM, RANDOM, RANDOM))
STEEP_SOLVER(SGD, sgd, "sgd",
    "gradient descent with momentum, by all points or by minibatches",
    .trains = true, .layers = true, .underdetermined = true, .reaches = 3e-1, .iterations = 200,
    .cost = steep_first_order_cost, STEEP_STARTS(RANDOM, RANDOM, RANDOM))
STEEP_SOLVER(MUON, muon, "muon",
    "momentum whose steps are orthogonalised, branch by branch; Adam for what is no matrix",
    .trains = true, .layers = true, .underdetermined = true, .reaches = 1e-1, .iterations = 200,
    .cost = steep_first_order_cost, STEEP_STARTS(RANDOM, RANDOM, RANDOM))
};
/* clang-format on */

const steep_solvers_of steep_solvers_of_descent = {rows, sizeof rows / sizeof *rows};
