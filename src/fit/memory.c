/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The large arrays of each solver, as its file allocates them; N training points, P parameters, p unknowns of the
 * frozen linear problem, R rows: the points, or those of fit/cells; k directions along which scalings change nothing:
 *
 *   frozen, 1D       some N and n
 *   frozen, dense    N P + N p + 2 p^2                 Jacobian; factorisation (numerics/qr)
 *   lm               R P + 2 P^2 + 2 k P               Jacobian; triangles (numerics/fold); directions
 *   varpro           2 R P + 2 p^2 + 2 P^2 + 2 k P     Jacobian of all; lm on the others; factorisation
 *   newton           3 P^2                             Hessian, its factor, a copy
 *   gsl              3.6 N P + 2 P^2                   Jacobian, and those of its own, as measured
 *   exchange         of start greedy, and of varpro for its widest network
 *   reduced-newton   that of lm, and 2 R P + 3 P^2     where it polishes; some N and n where the network is large
 *
 * With a penalty R is N and the rows of fit/penalty, frozen is dense, reduced-newton takes at least what varpro does. */
#include <math.h>

#include "fit/cells.h"
#include "fit/cost.h"
#include "fit/exchange.h"
#include "fit/frozen_form.h"
#include "fit/greedy.h"
#include "fit/penalty.h"
#include "fit/strategy.h"
#include "model/scaling.h"

#define VECTORS 8   /* of the points: residuals, weights, what is sorted */
#define UNITS   64  /* numbers for a unit or a cell of a spline, for each order */
#define TILE    512 /* points of a tile, rows of a panel */
#define BLOCK   64  /* units of greedy's dictionary at a time */

/* In numbers. */
static double span_size(double rows, double columns)
{
    return rows * columns + 2 * columns * columns + 160 * columns + rows;
}

static double marquardt_size(const steep_network *network, double points, double moving)
{
    const steep_samples line = {.dim = network->dim, .count = (size_t)points};
    steep_scaling scaling[STEEP_MAX_SCALINGS];
    const size_t scalings = steep_network_scalings(network, scaling);
    const double P = (double)network->parameters, few = (double)steep_cells_rows(network, &line);
    const double directions = (double)steep_scaling_directions(network, scalings, scaling);
    const double own = moving * (2 * moving + TILE) + 2 * directions * P;
    if (!(few > 0 && few < points)) return points * moving + own;
    const double order = (double)steep_architecture_order(network->architecture, &network->choice);
    return 2 * few * P + points * (order + 1) + own;
}

static double frozen_size(const steep_network *network, double points, const steep_fit_options *options)
{
    const double order = (double)steep_architecture_order(network->architecture, &network->choice);
    const steep_piecewise piecewise = steep_architecture_piecewise(network->architecture, &network->choice);
    if (network->dim == 1 && piecewise.degree > 0 && !options->dense && options->penalty == 0)
        return UNITS * (order + 1) * (double)network->width;
    return points * (double)network->parameters + span_size(points, (double)steep_frozen_form_unknowns(network));
}

/* Start greedy: the columns of its dictionary on some of the points, and the chosen ones. */
static double greedy_size(const steep_network *network, size_t points)
{
    const steep_greedy_size size = steep_greedy_size_of(network, points);
    const double rows = (double)size.rows, columns = (double)(size.gates * size.columns);
    const double chosen = (double)(network->width * size.columns + 1);
    const double block = (double)network->parameters / (double)network->width * BLOCK;
    return rows * (columns + chosen + block + (double)network->dim + 8) + columns * (2 * (double)size.columns + 1);
}

static double varpro_size(const steep_network *network, double points)
{
    const double P = (double)network->parameters, p = (double)steep_frozen_form_unknowns(network);
    const steep_samples line = {.dim = network->dim, .count = (size_t)points};
    const double few = (double)steep_cells_rows(network, &line), rows = few > 0 && few < points ? few : points;
    return rows * P + span_size(rows, p) + marquardt_size(network, points, P > p ? P - p : 1);
}

/* Its choice of greedy units (fit/greedy) and varpro take turns, but an allocator may keep what either gave back. */
static double exchange_size(const steep_network *network, double points)
{
    const size_t N = (size_t)points, rows = steep_exchange_rows(network, N);
    const double last = varpro_size(network, points), greedy = greedy_size(network, rows);
    steep_network wide;
    steep_status status = steep_network_init(&wide, network->architecture, &network->choice, network->dim,
                                             network->width + steep_exchange_most_more(network, rows), NULL);
    return greedy + fmax(last, status < 0 ? 0 : varpro_size(&wide, (double)rows));
}

static double solver_size(const steep_network *network, double points, const steep_fit_options *options)
{
    const double P = (double)network->parameters;
    const steep_samples line = {.dim = network->dim, .count = (size_t)points};
    const double few = (double)steep_cells_rows(network, &line), rows = few > 0 && few < points ? few : points;
    switch (options->solver) {
    case STEEP_SOLVER_CONSTRUCT: return UNITS * (double)network->width;
    case STEEP_SOLVER_FROZEN: return frozen_size(network, points, options);
    case STEEP_SOLVER_NEWTON: return P * (3 * P + TILE);
    case STEEP_SOLVER_GSL: return 3.6 * points * P + 2 * P * P;
    case STEEP_SOLVER_VARPRO: return varpro_size(network, points);
    case STEEP_SOLVER_REDUCED_NEWTON:
        if (!steep_strategy_is_small(network)) return UNITS * (double)network->width + VECTORS * points;
        return marquardt_size(network, points, P) + 2 * rows * P + 3 * P * P;
    case STEEP_SOLVER_EXCHANGE: return exchange_size(network, points);
    case STEEP_SOLVER_LM: break;
    }
    return marquardt_size(network, points, P);
}

/* At most what varpro or frozen takes with all rows, and the rows of one unit. */
static double penalised_size(const steep_network *network, double points, const steep_fit_options *options)
{
    const double P = (double)network->parameters, p = (double)steep_frozen_form_unknowns(network),
                 rows = points + (double)steep_penalty_rows(network), unit = (rows - points) / (double)network->width,
                 part = network->counts.moments ? P : unit;
    const double shared = rows * P + span_size(rows, p) + points * (2 * part + unit);
    return options->solver == STEEP_SOLVER_FROZEN ? shared : shared + rows * P + P * (2 * P + TILE);
}

double steep_fit_memory(const steep_network *network, size_t points, const steep_fit_options *options)
{
    const double N = (double)points;
    double size = solver_size(network, N, options), start = 0;
    if (options->penalty > 0) size = fmax(size, penalised_size(network, N, options));
    if (network->dim > 1 && steep_start_has_directions(options->start)) {
        start = frozen_size(network, N, options);
        if (options->start == STEEP_START_GREEDY) start = fmax(start, greedy_size(network, points));
    }
    return sizeof(double) * (fmax(size, start) + VECTORS * N + UNITS * (double)network->parameters);
}
