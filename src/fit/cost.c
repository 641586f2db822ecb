/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The constants for memory are fitted to a few fits (steep_fit_memory); findings.md says how long fits take. */
#include "fit/cost.h"

#include <math.h>

#include "fit/cells.h"
#include "fit/frozen_form.h"
#include "fit/greedy.h"
#include "fit/penalty.h"
#include "fit/solvers.h"
#include "model/activation_jet.h"
#include "model/ridges.h"

#define TRIALS   2.2 /* evaluations for a step of lm */
#define REFINED  20  /* products with the columns taken so far, for each number of a greedy gate that is refined */
#define FOUND_BY 2   /* starts for each hit */

/* Constants for memory, in numbers. */
#define VECTORS   8   /* vectors of N: residuals, weights, sorted copies */
#define OF_A_UNIT 64  /* for a unit or a cell of a spline, for each order */
#define TILE      512 /* points of a tile, rows of a panel */
#define BLOCK     64  /* units of a block of greedy */

double steep_cost_price(const steep_fit_size *size, steep_price part)
{
    return size->done ? part.operations : part.microseconds;
}

static double unit_cost(const steep_fit_size *size)
{
    const steep_network *network = size->network;
    const steep_architecture *row = network->architecture;
    double terms = row->uses_dictionary ? (double)network->choice.terms : 1;
    bool plain = row->uses_activation && steep_activation_closes(network->choice.activation);
    if (plain) return steep_cost_price(size, STEEP_PRICE_UNIT);
    return steep_cost_price(size, STEEP_PRICE_SMOOTH) * (terms > 0 ? terms : 1);
}

/* Each parameter is in one product forward and in two backward, as in the usual estimate 6 P N. */
double steep_cost_jacobian(const steep_fit_size *size)
{
    const steep_network *network = size->network;
    double units = (double)network->width;
    for (size_t l = 0; l + 1 < network->depth; l++) units += (double)network->hidden[l];
    const double products = 3 * steep_cost_price(size, STEEP_PRICE_MULTIPLY) * (double)network->parameters;
    return (unit_cost(size) * units + products) * size->points;
}

double steep_cost_factor(const steep_fit_size *size, double rows, double unknowns)
{
    return (steep_cost_price(size, STEEP_PRICE_MULTIPLY) * rows + steep_cost_price(size, STEEP_PRICE_UNKNOWNS)) *
           unknowns * unknowns;
}

/* Starts of a finished fit; failed starts are not counted. */
static size_t starts_of(const steep_fit_result *done)
{
    return done->starts > 0 ? done->starts : 1;
}

double steep_cost_trials(const steep_fit_size *size)
{
    const steep_fit_result *done = size->done;
    return done ? (double)done->evaluations / (double)(done->iterations > 0 ? done->iterations : 1) : TRIALS;
}

double steep_cost_expected(const steep_fit_size *size, double typical)
{
    return size->options->max_iterations > 0 ? (double)size->options->max_iterations : typical;
}

double steep_cost_iterations(const steep_fit_size *size, double typical)
{
    if (size->done) return (double)size->done->iterations / (double)starts_of(size->done);
    return steep_cost_expected(size, typical);
}

/* Does the fit take the spline path for any gates? */
static bool by_splines(const steep_fit_size *size)
{
    const steep_network *network = size->network;
    size_t degree = steep_architecture_piecewise(network->architecture, &network->choice).degree;
    return network->dim == 1 && degree > 0 && !size->options->dense && size->options->penalty == 0;
}

static double order_of(const steep_network *network)
{
    return (double)steep_architecture_order(network->architecture, &network->choice);
}

/* Rows of the least-squares problem: the points, or the rows of fit/cells where these are fewer. */
static double rows_of(const steep_fit_size *size)
{
    const double few = (double)steep_cells_rows(size->network);
    return few > 0 && few < size->points ? few : size->points;
}

double steep_cost_step(const steep_fit_size *size)
{
    const steep_network *network = size->network;
    const double P = (double)network->parameters, rows = rows_of(size), trials = steep_cost_trials(size);
    const double solve = steep_cost_price(size, STEEP_PRICE_MULTIPLY) / 2 * P * P * P;
    if (!(rows < size->points))
        return trials * steep_cost_jacobian(size) + steep_cost_factor(size, size->points, P) + solve;
    const double evaluation = steep_cost_price(size, STEEP_PRICE_CELL_SAMPLE) * order_of(network) * size->points +
                              steep_cost_price(size, STEEP_PRICE_CELL_ROW) * P * rows;
    return trials * evaluation + steep_cost_factor(size, 0, P) + solve;
}

/* One spline fit; or one Jacobian and one factorisation. */
static double frozen_cost(const steep_fit_size *size)
{
    const steep_network *network = size->network;
    if (by_splines(size))
        return steep_cost_price(size, STEEP_PRICE_SPLINE_SAMPLE) * size->points +
               steep_cost_price(size, STEEP_PRICE_SPLINE_CELL) * order_of(network) * (double)network->width;
    return steep_cost_jacobian(size) +
           steep_cost_factor(size, size->points, (double)steep_frozen_form_unknowns(network));
}

/* Cost of refining greedy units: products with the dictionary and with the columns taken. */
static double exchange_cost(const steep_fit_size *size, const steep_greedy_size *greedy)
{
    const size_t exchanges = steep_greedy_exchanges(size->options);
    const double n = (double)size->network->width, c = (double)greedy->columns, most = fmin(n, STEEP_GREEDY_EXCHANGED),
                 steps = exchanges > 0 ? n + 2 * (double)exchanges * most : 0;
    return steep_cost_price(size, STEEP_PRICE_MULTIPLY) * steps * (double)greedy->rows * c * c *
           ((double)greedy->gates + REFINED * (double)(size->network->dim + 1) * n / 2);
}

/* Cost of the frozen fits in starts ridge and greedy: restarts of ridge reuse the choice of the first start. */
static double begin_cost(const steep_fit_size *size, size_t starts)
{
    const steep_network *network = size->network;
    const steep_fit_options *options = size->options;
    steep_ridges_choice candidate[STEEP_RIDGE_CANDIDATES];
    if (network->dim == 1 || !steep_start_has_directions(options->start)) return 0;
    if (options->start == STEEP_START_GREEDY) {
        const steep_greedy_size greedy =
            steep_greedy_size_of(network, (size_t)size->points, steep_greedy_exchanges(options));
        const double each = unit_cost(size) + steep_cost_price(size, STEEP_PRICE_GREEDY_NUMBER) *
                                                  (double)(greedy.columns * network->width);
        return (double)starts * (frozen_cost(size) + each * (double)(greedy.rows * greedy.gates * greedy.columns) +
                                 exchange_cost(size, &greedy));
    }
    const bool given = options->directions != STEEP_AUTO && options->directions != 0;
    return (double)(starts - 1 + (given ? 2 : steep_ridges_candidates(network, candidate))) * frozen_cost(size);
}

size_t steep_fit_unknowns(const steep_network *network, const steep_fit_options *options)
{
    const steep_solver_row *solver = steep_solver_table(options->solver);
    const steep_fit_size size = {network, options, 0, NULL};
    const steep_piecewise piecewise = steep_architecture_piecewise(network->architecture, &network->choice);
    if (!solver->frozen) return solver->writes ? 0 : network->parameters;
    if (!by_splines(&size)) return steep_frozen_form_unknowns(network);
    size_t inside = steep_start_inside(options->start, &piecewise, network->width);
    if (!steep_start_is_drawn(options->start) && network->width - inside < piecewise.heads) /* too few gates outside */
        return steep_frozen_form_unknowns(network);
    return piecewise.degree + 1 + inside * (piecewise.degree + 1 - piecewise.continuity);
}

static double cost_of(const steep_fit_size *size, size_t starts)
{
    const steep_solver_row *solver = steep_solver_table(size->options->solver);
    const double begin = begin_cost(size, starts), start = steep_cost_price(size, STEEP_PRICE_START);
    if (solver->writes)
        return start + (double)starts * steep_cost_price(size, STEEP_PRICE_CONSTRUCTED) * (double)size->network->width;
    if (solver->frozen) return start + (begin > 0 ? begin : (double)starts * frozen_cost(size));
    if (solver->cost) return start + begin + solver->cost(size, starts);
    /* few steps are enough where only the knots of an mlp remain to be found */
    const bool few = solver->eliminates && size->network->counts.branches == 1 && by_splines(size);
    return start + begin + (double)starts * steep_cost_iterations(size, few ? 15 : 150) * steep_cost_step(size);
}

double steep_fit_cost(const steep_network *network, size_t points, const steep_fit_options *options)
{
    const steep_fit_size size = {network, options, (double)points, NULL};
    const steep_restarts restarts = steep_fit_restarts(network, options);
    const size_t starts = restarts.most + 1, found = FOUND_BY * restarts.hits;
    return cost_of(&size, found > 0 && found < starts ? found : starts);
}

double steep_fit_operations(const steep_network *network, size_t points, const steep_fit_options *options,
                            const steep_fit_result *done)
{
    const steep_fit_size size = {network, options, (double)points, done};
    return cost_of(&size, starts_of(done));
}

/* Memory of greedy: columns of the dictionary and of the chosen units, on some of the points. */
static double greedy_memory(const steep_fit_size *size)
{
    const steep_greedy_size s =
        steep_greedy_size_of(size->network, (size_t)size->points, steep_greedy_exchanges(size->options));
    const double columns = (double)(s.gates * s.columns), width = (double)size->network->width,
                 held = width * (double)s.columns + BLOCK * (double)size->network->parameters / width;
    return (double)s.rows * (columns + held) + 2 * columns * (double)s.columns;
}

double steep_fit_memory(const steep_network *network, size_t points, const steep_fit_options *options)
{
    const steep_solver_row *solver = steep_solver_table(options->solver);
    const steep_fit_size size = {network, options, (double)points, NULL};
    const double P = (double)network->parameters, N = (double)points, width = (double)network->width;
    double rows = N, jacobians = solver->jacobians, squares = solver->squares, most, more = VECTORS * N + OF_A_UNIT * P;
    if (solver->keeps_class && network->dim == 1) more += OF_A_UNIT * order_of(network) * width;
    if (solver->two_paths && by_splines(&size)) {
        rows = solver->frozen ? 0 : rows_of(&size);
        more += (order_of(network) + 1) * N;
        jacobians++;                   /* the Jacobian at the nodes of the cells */
    } else if (options->penalty > 0) { /* rows for each unit, and the Jacobian of one unit or of the network */
        const double unit = (double)steep_penalty_rows(network) / width;
        const bool whole = network->counts.moments > 0 || network->depth > 1;
        rows += unit * width;
        more += N * (unit + 2 * (whole ? P : unit));
    }
    most = jacobians * rows * P + (rows > 0 ? squares * P * P : 0);
    if (solver->planes_alone)
        most += greedy_memory(&size); /* solver and greedy alternate, but an allocator may keep freed memory */
    else if (network->dim > 1 && steep_start_has_directions(options->start)) {
        const steep_solver_row *frozen = steep_solver_table(STEEP_SOLVER_FROZEN);
        most = fmax(most, frozen->jacobians * rows * P + frozen->squares * P * P);
        if (options->start == STEEP_START_GREEDY) most = fmax(most, greedy_memory(&size));
    }
    return sizeof(double) * (most + more + (squares > 0 ? TILE * P : 0));
}
