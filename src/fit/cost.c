/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations times microseconds, and typical iterations: all constants are measured, on mlp, glu and gqu of widths 5 to
 * 500 in one and two dimensions, and rounded (docs/benchmarks.md says how long fits take).
 *
 *   construct        n                                one jet of the target for each cell
 *   frozen           N + n                            one spline fit
 *   frozen, dense    N p^2                            one Jacobian, one factorisation with pivoting, p unknowns
 *   reduced-newton   I (N + n)                        a spline fit for each step of the knots; small networks: for each
 *                                                     strategy of each start, and I steps of lm
 *                                                     a search: pairs of columns
 *   lm, varpro, gsl  I (rows P^2 + P^3)               a factorisation a step; rows: the samples, or those of fit/cells
 *   exchange         the same for all its rounds
 *   newton           I N P^2                          the exact Hessian */
#include "fit/cost.h"

#include "fit/cells.h"
#include "fit/exchange.h"
#include "fit/frozen_form.h"
#include "fit/greedy.h"
#include "fit/search.h"
#include "fit/strategy.h"
#include "model/ridges.h"

/* Microseconds. */
#define START         5      /* of a fit, whatever it does */
#define JET           0.6    /* a cell's construction, with its unit */
#define SPLINE_SAMPLE 0.015  /* a sample in a spline fit */
#define SPLINE_CELL   0.5    /* a cell in it, for each order */
#define KNOT_SAMPLE   0.25   /* a sample in a step of free knots */
#define KNOT_CELL     12     /* a cell in it */
#define CELL_SAMPLE   0.02   /* a sample compressed by cells, for each order */
#define CELL_ROW      0.01   /* a row of such a Jacobian, for each parameter */
#define UNIT          0.03   /* a relu unit and its derivatives at a point */
#define SMOOTH        0.07   /* the same with another activation, for each of them */
#define MULTIPLY      0.0005 /* a multiplication and an addition of a factorisation */
#define SEARCH_SAMPLE 0.05   /* a sample's sums of a search */
#define SEARCH_PAIR   70 /* two columns of such, those of a unit's coefficients, factors and knot; over all trials */
#define GREEDY        0.0003 /* a number of start greedy's columns, for each unknown that is taken */
#define TRIALS        2.2    /* evaluations for a step of lm */
#define GSL_TIMES     8      /* what a factorisation of GSL takes */

/* A unit with its derivatives at a point. */
static double unit_cost(const steep_network *network)
{
    const steep_architecture *row = network->architecture;
    double terms = row->uses_dictionary ? (double)network->choice.terms : 1;
    bool plain = row->uses_activation && network->choice.activation == STEEP_RELU;
    return plain ? UNIT : SMOOTH * (terms > 0 ? terms : 1);
}

/* A Jacobian of so many rows at the points. */
static double jacobian_cost(const steep_network *network, size_t points)
{
    return unit_cost(network) * (double)points * (double)network->width;
}

/* A factorisation of rows x unknowns. */
static double factor_cost(double rows, double unknowns)
{
    return MULTIPLY * rows * unknowns * unknowns + 0.1 * unknowns * unknowns;
}

static bool is_spline(const steep_network *network, const steep_fit_options *options)
{
    size_t degree = steep_architecture_piecewise(network->architecture, &network->choice).degree;
    return network->dim == 1 && degree > 0 && !options->dense && options->penalty == 0;
}

/* --- unknowns --- */

size_t steep_fit_unknowns(const steep_network *network, const steep_fit_options *options)
{
    if (options->solver == STEEP_SOLVER_CONSTRUCT) return 0;
    if (options->solver != STEEP_SOLVER_FROZEN) return network->parameters;
    if (!is_spline(network, options)) return steep_frozen_form_unknowns(network);
    steep_piecewise piecewise = steep_architecture_piecewise(network->architecture, &network->choice);
    size_t inside = steep_start_inside(options->start, &piecewise, network->width);
    bool random = options->start == STEEP_START_RANDOM;
    if (!random && network->width - inside < piecewise.heads)
        return steep_frozen_form_unknowns(network); /* no spline then */
    return piecewise.degree + 1 + inside * (piecewise.degree + 1 - piecewise.continuity);
}

/* --- cost --- */

static double spline_cost(const steep_network *network, size_t points)
{
    size_t order = steep_architecture_order(network->architecture, &network->choice);
    return SPLINE_SAMPLE * (double)points + SPLINE_CELL * (double)(order * network->width);
}

static double frozen_cost(const steep_network *network, size_t points, const steep_fit_options *options)
{
    if (is_spline(network, options)) return spline_cost(network, points);
    return jacobian_cost(network, points) + factor_cost((double)points, (double)steep_frozen_form_unknowns(network));
}

/* The frozen fits that the starts ridge and greedy begin with; the first, and each restart's. */
static double ridge_cost(const steep_network *network, size_t points, const steep_fit_options *options, bool first)
{
    steep_ridges_choice candidate[STEEP_RIDGE_CANDIDATES];
    size_t count = first ? 2 : 1;
    if (!steep_start_has_directions(options->start) || network->dim == 1) return 0;
    double one = frozen_cost(network, points, options);
    if (options->start == STEEP_START_GREEDY) {
        steep_greedy_size size = steep_greedy_size_of(network, points);
        double numbers = (double)size.rows * (double)(size.gates * size.columns);
        return one + numbers * (unit_cost(network) + GREEDY * (double)(size.columns * network->width));
    }
    if (first && (options->directions == STEEP_AUTO || options->directions == 0))
        count = steep_ridges_candidates(network, candidate);
    return (double)count * one;
}

/* A step of lm, with the trials that it takes. */
static double lm_step_cost(const steep_network *network, size_t points)
{
    const steep_samples samples = {.dim = network->dim};
    double N = (double)points, P = (double)network->parameters, rows = (double)steep_cells_rows(network, &samples);
    if (!(rows > 0 && rows < N))
        return TRIALS * jacobian_cost(network, points) + factor_cost(N, P) + MULTIPLY / 2 * P * P * P;
    double order = (double)steep_architecture_order(network->architecture, &network->choice);
    double evaluation = CELL_SAMPLE * order * N + CELL_ROW * P * rows;
    return TRIALS * evaluation + factor_cost(0, P) + MULTIPLY / 2 * P * P * P;
}

/* Iterations: so many, or what the options ask for. */
static double iterations(const steep_fit_options *options, double typical)
{
    return options->max_iterations > 0 ? (double)options->max_iterations : typical;
}

/* What a strategy of a small network takes: steps of the knots, and of lm or varpro. */
static double strategy_cost(steep_strategy strategy, const steep_fit_options *options, double knots, double lm)
{
    if (strategy == STEEP_STRATEGY_START) return iterations(options, 80) * lm;
    if (strategy == STEEP_STRATEGY_PROJECT) return iterations(options, 140) * lm;
    return iterations(options, 15) * knots + iterations(options, 40) * lm;
}

/* A search goes through the pairs of columns, some hundred times. */
static double search_cost(const steep_network *network, size_t points, const steep_fit_options *options)
{
    steep_directed_class class = {1, 0, 1};
    steep_search_class(network, &class);
    double columns = (double)(network->width * (class.coefficients + class.factors + 1));
    return SEARCH_SAMPLE * (double)points + iterations(options, 600) / 600 * SEARCH_PAIR * columns * columns;
}

static double reduced_newton_cost(const steep_network *network, size_t points, const steep_fit_options *options)
{
    steep_piecewise piecewise = steep_architecture_piecewise(network->architecture, &network->choice);
    steep_strategy_case known = {.width = network->width,
                                 .small = steep_strategy_is_small(network),
                                 .smooth = piecewise.continuity > 1,
                                 .heads = network->width >= piecewise.heads,
                                 .few = steep_strategy_is_few(network)};
    size_t restarts = steep_fit_restarts(network, options);
    double knots = KNOT_SAMPLE * (double)points + KNOT_CELL * (double)network->width, sum = 0;
    if (!known.small) return (double)(restarts + 1) * iterations(options, 60) * knots;
    for (size_t r = 0; r <= restarts; r++) {
        steep_turn turn[STEEP_STRATEGIES];
        size_t turns = steep_strategy_turns(&known, r, turn);
        for (size_t i = 0; i < turns; i++)
            sum += turn[i].strategy == STEEP_STRATEGY_SEARCH
                       ? search_cost(network, points, options)
                       : strategy_cost(turn[i].strategy, options, knots, lm_step_cost(network, points));
    }
    return sum;
}

/* A step of newton is one of a block's, mostly: about a branch's share of the whole. */
static double step_cost(const steep_network *network, size_t points, steep_solver solver)
{
    double N = (double)points, P = (double)network->parameters, evaluation = jacobian_cost(network, points);
    if (solver == STEEP_SOLVER_NEWTON) return evaluation + factor_cost(0.1 * (double)network->counts.branches * N, P);
    if (solver == STEEP_SOLVER_GSL) return TRIALS * evaluation + GSL_TIMES * factor_cost(N, P);
    return lm_step_cost(network, points);
}

/* Where the knots of an mlp are all that is left, varpro takes few; newton's blocks have to be gone over again and
 * again, the more the more there are. */
static double typical_iterations(const steep_network *network, size_t points, const steep_fit_options *options)
{
    double branches = (double)network->counts.branches;
    if (options->solver == STEEP_SOLVER_EXCHANGE)
        return (double)steep_exchange_iterations(options->max_iterations) + iterations(options, 150) +
               steep_exchange_search_iterations(network, points);
    if (options->solver == STEEP_SOLVER_NEWTON)
        return iterations(options, network->dim > 1 ? 130 * branches : 20 * branches * branches * branches);
    if (options->solver == STEEP_SOLVER_VARPRO && branches == 1 && is_spline(network, options))
        return iterations(options, 15);
    return iterations(options, 150);
}

double steep_fit_cost(const steep_network *network, size_t points, const steep_fit_options *options)
{
    double starts = (double)(steep_fit_restarts(network, options) + 1),
           ridges =
               ridge_cost(network, points, options, true) + (starts - 1) * ridge_cost(network, points, options, false);
    switch (options->solver) {
    case STEEP_SOLVER_CONSTRUCT: return START + starts * JET * (double)network->width;
    case STEEP_SOLVER_FROZEN: return START + (ridges > 0 ? ridges : starts * frozen_cost(network, points, options));
    case STEEP_SOLVER_REDUCED_NEWTON: return START + reduced_newton_cost(network, points, options);
    default:
        return START + ridges +
               starts * typical_iterations(network, points, options) * step_cost(network, points, options->solver);
    }
}
