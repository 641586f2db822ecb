/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of this annex in the list of solvers (fit/list.h). */
#include "exchange/exchange.h"

#define STEEP_SOLVER STEEP_SOLVER_ROW
/* clang-format off */
static const steep_solver_row rows[] = {
STEEP_SOLVER(EXCHANGE, exchange, "exchange",
    "2D and more: varpro, then rounds in which the least useful units give way to greedy ones",
    .planes_alone = true, .takes = steep_exchange_takes, .restarts = steep_exchange_restarts,
    .cost = steep_exchange_cost, .jacobians = 2, .squares = 2.5, STEEP_STARTS(GREEDY, GREEDY, GREEDY))
};
/* clang-format on */

const steep_solvers_of steep_solvers_of_exchange = {rows, sizeof rows / sizeof *rows};
