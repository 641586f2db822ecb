/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All parameters of a 1D network whose gates make knots, by Newton's method; the linear parameters are eliminated.
 *
 *   1. Knots from the start's gates; in a restart, jittered.
 *   2. Free knots (spline/free_knots).
 *   3. The spline's jumps as gates, turned outward (spline/gates).
 * The default solver in 1D (theory.md): Newton's method on the raw parameters meets condition numbers of 1e9 and more.
 *
 * In small networks this is one of several strategies (fit/strategy). A start runs the strategies whose turn it is,
 * each followed by lm and Newton on all parameters; the least training error wins. The best of all starts gets more of
 * both.
 *
 * With a penalty the starts ignore it, because a spline's knots are found from its jumps, before any unit is known;
 * from the best of all starts, variable projection then minimises the penalised problem. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/cost.h"
#include "fit/frozen_form.h"
#include "fit/strategy.h"

#define FINISH_ITERATIONS 200 /* caps for lm and for Newton, from the best end */

steep_status steep_reduced_newton_takes(const steep_solver_case *asked, steep_error *error)
{
    const steep_piecewise p = steep_architecture_piecewise(asked->architecture, asked->choice);
    if (asked->dim == 1 && p.degree > 0 && 2 * p.continuity <= p.degree + 1) return STEEP_OK;
    return steep_fail(error, STEEP_BAD_INPUT,
                      "--solver reduced-newton moves knots in 1D, and %s on %s is in %zuD%s: use --solver lm",
                      asked->label, asked->target, asked->dim, asked->dim == 1 ? " and has none" : "");
}

/* Runs all strategies of this restart from the start in theta; theta becomes the best end. */
static steep_status run(const steep_problem *problem, const steep_fit_options *options,
                        const steep_strategy_case *known, double *theta, steep_solve *solve, steep_error *error)
{
    size_t P = problem->network->parameters;
    double *from = malloc(2 * P * sizeof *from), *trial = from ? from + P : NULL, best = INFINITY;
    if (!from) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu parameters", P);
    memcpy(from, theta, P * sizeof *from);
    steep_turn turn[STEEP_STRATEGIES];
    size_t turns = steep_strategy_turns(known, solve->restart, turn);
    steep_status best_status = STEEP_NOT_FINITE, first = STEEP_OK, status = STEEP_OK;
    char reason[sizeof solve->reason] = "";
    for (size_t i = 0; i < turns && status != STEEP_STOPPED; i++) {
        memcpy(trial, from, P * sizeof *trial);
        status = steep_strategy_run(problem, options, turn[i], trial, solve, error);
        steep_measured measured = {INFINITY, INFINITY};
        if (status >= 0) {
            steep_status found = steep_measure(problem->network, trial, problem->train, NULL, &measured, error);
            if (found < 0) status = found;
        }
        if (status == STEEP_NO_MEMORY) break; /* a later strategy might be the best */
        if (status < 0 && first == STEEP_OK) first = status;
        if (status < 0 || !(measured.rmse < best)) continue;
        best = measured.rmse;
        best_status = status;
        memcpy(reason, solve->reason, sizeof reason);
        memcpy(theta, trial, P * sizeof *theta);
    }
    /* If restarts search: the first start, which uses other strategies, is a family of its own. */
    if (known->few)
        solve->family = solve->restart == 0 ? STEEP_SEARCH_FAMILIES : solve->restart % STEEP_SEARCH_FAMILIES;
    free(from);
    memcpy(solve->reason, reason, sizeof reason);
    if (status == STEEP_NO_MEMORY) return status;
    if (status == STEEP_STOPPED && isfinite(best)) return status;
    return isfinite(best) ? best_status : first < 0 ? first : STEEP_NOT_FINITE;
}

steep_status steep_solve_reduced_newton(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                        steep_solve *solve, steep_error *error)
{
    const steep_network *network = problem->network;
    steep_strategy_case known = steep_strategy_case_of(network);
    steep_fit_options own = *options;
    own.penalty = 0;
    known.heads = steep_frozen_form_is_spline(problem, theta);
    const steep_status status = run(problem, &own, &known, theta, solve, error);
    /* Above the size at which lm follows, a class that is smooth at its knots (gqu) stays smooth: gate and factors of a
     * unit move together, none of them is free. The gradient is then judged in the first factors and the bias. */
    if (known.smooth && !known.small && known.heads) {
        memset(solve->active, 0, network->parameters);
        memset(solve->active + network->branch[1], 1, network->width * network->features[1]);
        solve->active[network->bias] = 1;
    }
    return status;
}

steep_status steep_finish_reduced_newton(const steep_problem *problem, const steep_fit_options *options, double *theta,
                                         steep_solve *solve, steep_error *error)
{
    if (options->penalty == 0 && !steep_strategy_case_of(problem->network).small) return STEEP_MAX_ITERATIONS;
    memset(solve->active, 1, problem->network->parameters);
    if (options->penalty > 0) return steep_solve_varpro(problem, options, theta, solve, error);
    const steep_descent how = {NULL, FINISH_ITERATIONS, FINISH_ITERATIONS};
    return steep_descend(problem, options, &how, theta, solve, error);
}

/* I (N + n) for I iterations: a spline fit for each step of the knots. A small network runs several strategies: the
 * first start takes two or four splines, each followed by lm, and the start as it is; later starts search, or take two
 * splines. A finished fit does not record how its iterations divide: they get the shares of the expected ones. */
double steep_reduced_newton_cost(const steep_fit_size *size, size_t starts)
{
    const steep_network *network = size->network;
    const double knots = steep_cost_price(size, STEEP_PRICE_KNOT_SAMPLE) * size->points +
                         steep_cost_price(size, STEEP_PRICE_KNOT_CELL) * (double)network->width;
    const steep_strategy_case known = steep_strategy_case_of(network);
    if (!known.small) return (double)starts * steep_cost_iterations(size, 60) * knots;
    steep_directed_class class = {0, 1};
    steep_search_class(network, &class);
    const double columns = (double)(network->width * (class.coefficients + class.factors + 1)); /* all pairs count */
    const double search =
        steep_cost_price(size, STEEP_PRICE_SEARCH_SAMPLE) * size->points +
        steep_cost_expected(size, 600) / 600 * steep_cost_price(size, STEEP_PRICE_SEARCH_PAIR) * columns * columns;
    const double lm = steep_cost_step(size), splines = known.smooth ? 4 : 2, more = (double)(starts - 1);
    const double of_knots = steep_cost_expected(size, 15), of_lm = steep_cost_expected(size, 40),
                 whole = steep_cost_expected(size, known.smooth ? 220 : 80), spline = of_knots * knots + of_lm * lm;
    const double cost = splines * spline + whole * lm + more * (known.few ? search : 2 * spline);
    const double expected = splines * (of_knots + of_lm) + whole +
                            more * (known.few ? steep_cost_expected(size, 600) : 2 * (of_knots + of_lm));
    return size->done ? (double)size->done->iterations / expected * cost : cost;
}
