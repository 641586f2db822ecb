/* SPDX-License-Identifier: GPL-3.0-or-later */
/* descent: solvers that follow the gradient, or the Newton direction, of all parameters. */
#pragma once

#include "descent/core.h"

steep_solve_function steep_solve_newton, steep_solve_adam, steep_solve_adamw, steep_solve_lbfgs, steep_solve_sgd,
    steep_solve_muon;
steep_cost_function steep_newton_cost, steep_first_order_cost, steep_lbfgs_cost;
