/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The constants of time are measured, on mlp, glu and gqu of widths 5 to 500 in one and two dimensions, and rounded
 * (findings.md says how long fits take). The numbers held are fitted to a few fits (steep_fit_memory). */
#include "fit/cost.h"

#include <math.h>

#include "fit/cells.h"
#include "fit/frozen_form.h"
#include "fit/greedy.h"
#include "fit/penalty.h"
#include "fit/solvers.h"
#include "model/activation_jet.h"
#include "model/ridges.h"

/* Microseconds. */
#define START         5      /* of a fit, whatever it does */
#define UNIT          0.03   /* a unit of relu or a power of it, and its derivatives at a point */
#define SMOOTH        0.07   /* the same with another activation, for each of them */
#define MULTIPLY      0.0005 /* a multiplication and an addition of a factorisation */
#define CONSTRUCTED   0.6    /* a cell's construction, with its unit */
#define SPLINE_SAMPLE 0.015  /* a sample in a spline fit */
#define SPLINE_CELL   0.5    /* a cell in it, for each order */
#define CELL_SAMPLE   0.02   /* a sample compressed by cells (fit/cells), for each order */
#define CELL_ROW      0.01   /* a row of such a Jacobian, for each parameter */
#define GREEDY_NUMBER 0.0003 /* a number of greedy's columns, for each unknown that is taken */
#define REFINED       60     /* products with the columns taken so far, of a greedy unit that is refined */
#define EXCHANGED     256    /* greedy units, at most */
#define TRIALS        2.2    /* evaluations for a step of lm */

/* Numbers held. */
#define VECTORS   8   /* of the points: residuals, weights, what is sorted */
#define OF_A_UNIT 64  /* for a unit or a cell of a spline, for each order */
#define TILE      512 /* points of a tile, rows of a panel */
#define BLOCK     64  /* units of a block of greedy's */

/* --- parts --- */

static double unit_cost(const steep_network *network)
{
    const steep_architecture *row = network->architecture;
    double terms = row->uses_dictionary ? (double)network->choice.terms : 1;
    bool plain = row->uses_activation && steep_activation_closes(network->choice.activation);
    return plain ? UNIT : SMOOTH * (terms > 0 ? terms : 1);
}

double steep_cost_jacobian(const steep_fit_size *size)
{
    return unit_cost(size->network) * size->points * (double)size->network->width;
}

double steep_cost_factor(double rows, double unknowns)
{
    return MULTIPLY * rows * unknowns * unknowns + 0.1 * unknowns * unknowns;
}

double steep_cost_iterations(const steep_fit_size *size, double typical)
{
    return size->options->max_iterations > 0 ? (double)size->options->max_iterations : typical;
}

bool steep_cost_by_splines(const steep_fit_size *size)
{
    const steep_network *network = size->network;
    size_t degree = steep_architecture_piecewise(network->architecture, &network->choice).degree;
    return network->dim == 1 && degree > 0 && !size->options->dense && size->options->penalty == 0;
}

static double order_of(const steep_network *network)
{
    return (double)steep_architecture_order(network->architecture, &network->choice);
}

/* Rows of the least-squares problem: the points, or those of fit/cells where they are fewer. */
static double rows_of(const steep_fit_size *size)
{
    const steep_samples line = {.dim = size->network->dim, .count = (size_t)size->points};
    const double few = (double)steep_cells_rows(size->network, &line);
    return few > 0 && few < size->points ? few : size->points;
}

double steep_cost_step(const steep_fit_size *size)
{
    const steep_network *network = size->network;
    const double P = (double)network->parameters, rows = rows_of(size), solve = MULTIPLY / 2 * P * P * P;
    if (!(rows < size->points)) return TRIALS * steep_cost_jacobian(size) + steep_cost_factor(size->points, P) + solve;
    const double evaluation = CELL_SAMPLE * order_of(network) * size->points + CELL_ROW * P * rows;
    return TRIALS * evaluation + steep_cost_factor(0, P) + solve;
}

/* One spline fit; or one Jacobian and one factorisation. */
static double frozen_cost(const steep_fit_size *size)
{
    const steep_network *network = size->network;
    if (steep_cost_by_splines(size))
        return SPLINE_SAMPLE * size->points + SPLINE_CELL * order_of(network) * (double)network->width;
    return steep_cost_jacobian(size) + steep_cost_factor(size->points, (double)steep_frozen_form_unknowns(network));
}

/* Steps of greedy units that are refined: products with the dictionary and with the columns taken. */
static double exchange_cost(const steep_network *network, const steep_greedy_size *greedy, size_t exchanges)
{
    const double n = (double)network->width, c = (double)greedy->columns, most = n < EXCHANGED ? n : EXCHANGED,
                 steps = exchanges > 0 ? n + 2 * (double)exchanges * most : 0;
    return MULTIPLY * steps * (double)greedy->rows * c * ((double)greedy->gates * c + REFINED * c * n / 2);
}

/* The frozen fits that starts ridge and greedy begin with, in all starts: restarts of ridge take the first one's choice. */
static double begin_cost(const steep_fit_size *size, size_t starts)
{
    const steep_network *network = size->network;
    const steep_fit_options *options = size->options;
    steep_ridges_choice candidate[STEEP_RIDGE_CANDIDATES];
    if (network->dim == 1 || !steep_start_has_directions(options->start)) return 0;
    if (options->start == STEEP_START_GREEDY) {
        const steep_greedy_size greedy = steep_greedy_size_of(network, (size_t)size->points);
        const double each = unit_cost(network) + GREEDY_NUMBER * (double)(greedy.columns * network->width);
        return (double)starts * (frozen_cost(size) + each * (double)(greedy.rows * greedy.gates * greedy.columns) +
                                 exchange_cost(network, &greedy, steep_greedy_exchanges(options)));
    }
    const bool given = options->directions != STEEP_AUTO && options->directions != 0;
    return (double)(starts - 1 + (given ? 2 : steep_ridges_candidates(network, candidate))) * frozen_cost(size);
}

/* --- a fit --- */

size_t steep_fit_unknowns(const steep_network *network, const steep_fit_options *options)
{
    const steep_solver_row *solver = steep_solver_table(options->solver);
    const steep_fit_size size = {network, options, 0};
    const steep_piecewise piecewise = steep_architecture_piecewise(network->architecture, &network->choice);
    if (!solver->frozen) return solver->writes ? 0 : network->parameters;
    if (!steep_cost_by_splines(&size)) return steep_frozen_form_unknowns(network);
    size_t inside = steep_start_inside(options->start, &piecewise, network->width);
    if (options->start != STEEP_START_RANDOM && network->width - inside < piecewise.heads) /* too few gates outside */
        return steep_frozen_form_unknowns(network);
    return piecewise.degree + 1 + inside * (piecewise.degree + 1 - piecewise.continuity);
}

double steep_fit_cost(const steep_network *network, size_t points, const steep_fit_options *options)
{
    const steep_solver_row *solver = steep_solver_table(options->solver);
    const steep_fit_size size = {network, options, (double)points};
    const size_t starts = steep_fit_restarts(network, options) + 1;
    const double begin = begin_cost(&size, starts);
    if (solver->writes) return START + (double)starts * CONSTRUCTED * (double)network->width;
    if (solver->frozen) return START + (begin > 0 ? begin : (double)starts * frozen_cost(&size));
    if (solver->cost) return START + begin + solver->cost(&size, starts);
    return START + begin + (double)starts * steep_cost_iterations(&size, 150) * steep_cost_step(&size);
}

/* Greedy's columns on some of the points, and the chosen ones. */
static double greedy_memory(const steep_fit_size *size)
{
    const steep_greedy_size s = steep_greedy_size_of(size->network, (size_t)size->points);
    const double columns = (double)(s.gates * s.columns), width = (double)size->network->width,
                 held = width * (double)s.columns + BLOCK * (double)size->network->parameters / width;
    return (double)s.rows * (columns + held) + 2 * columns * (double)s.columns;
}

double steep_fit_memory(const steep_network *network, size_t points, const steep_fit_options *options)
{
    const steep_solver_row *solver = steep_solver_table(options->solver);
    const steep_fit_size size = {network, options, (double)points};
    const double P = (double)network->parameters, N = (double)points, width = (double)network->width;
    double rows = N, jacobians = solver->jacobians, squares = solver->squares, most, more = VECTORS * N + OF_A_UNIT * P;
    if (solver->keeps_class && network->dim == 1) more += OF_A_UNIT * order_of(network) * width;
    if (solver->two_paths && steep_cost_by_splines(&size)) {
        rows = solver->frozen ? 0 : rows_of(&size);
        more += (order_of(network) + 1) * N;
        jacobians++;                   /* at the nodes of the cells */
    } else if (options->penalty > 0) { /* its rows for each unit, and the Jacobian of one unit or of the layer */
        const double unit = (double)steep_penalty_rows(network) / width;
        rows += unit * width;
        more += N * (unit + 2 * (network->counts.moments ? P : unit));
        if (!solver->frozen) jacobians = fmax(jacobians, 2.35);
    }
    most = jacobians * rows * P + (rows > 0 ? squares * P * P : 0);
    if (solver->planes_alone)
        most += greedy_memory(&size); /* by turns, but an allocator may keep what either gave back */
    else if (network->dim > 1 && steep_start_has_directions(options->start)) {
        const steep_solver_row *frozen = steep_solver_table(STEEP_SOLVER_FROZEN);
        most = fmax(most, frozen->jacobians * rows * P + frozen->squares * P * P);
        if (options->start == STEEP_START_GREEDY) most = fmax(most, greedy_memory(&size));
    }
    return sizeof(double) * (most + more + (squares > 0 ? TILE * P : 0));
}
