/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/cost.h"

#include <math.h>

#include "fit/cells.h"
#include "fit/cost_parts.h"
#include "fit/frozen_form.h"
#include "fit/penalty.h"
#include "model/activation_jet.h"

/* Microseconds. */
#define START  5    /* of a fit, whatever it does */
#define UNIT   0.03 /* a unit of relu or a power of it, and its derivatives at a point */
#define SMOOTH 0.07 /* the same with another activation, for each of them */

/* --- parts --- */

double steep_cost_unit(const steep_network *network)
{
    const steep_architecture *row = network->architecture;
    double terms = row->uses_dictionary ? (double)network->choice.terms : 1;
    bool plain = row->uses_activation && steep_activation_closes(network->choice.activation);
    return plain ? UNIT : SMOOTH * (terms > 0 ? terms : 1);
}

double steep_cost_jacobian(const steep_fit_size *size)
{
    return steep_cost_unit(size->network) * size->points * (double)size->network->width;
}

double steep_cost_factor(double rows, double unknowns)
{
    return STEEP_COST_MULTIPLY * rows * unknowns * unknowns + 0.1 * unknowns * unknowns;
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

double steep_size_rows(const steep_fit_size *size)
{
    const steep_samples line = {.dim = size->network->dim, .count = (size_t)size->points};
    const double few = (double)steep_cells_rows(size->network, &line);
    return few > 0 && few < size->points ? few : size->points;
}

double steep_size_span(double rows, double columns)
{
    return rows * columns + 2 * columns * columns + 160 * columns + rows;
}

/* --- a fit --- */

size_t steep_fit_unknowns(const steep_network *network, const steep_fit_options *options)
{
    const steep_solver_row *solver = steep_solver_table(options->solver);
    const steep_fit_size size = {network, options, 0};
    if (solver->writes) return 0;
    return solver->unknowns ? solver->unknowns(&size) : network->parameters;
}

double steep_fit_cost(const steep_network *network, size_t points, const steep_fit_options *options)
{
    const steep_solver_row *solver = steep_solver_table(options->solver);
    const steep_fit_size size = {network, options, (double)points};
    const size_t starts = steep_fit_restarts(network, options) + 1;
    double begin = 0;
    if (network->dim > 1 && steep_start_has_directions(options->start))
        begin = steep_ridge_start_cost(&size, true) + (double)(starts - 1) * steep_ridge_start_cost(&size, false);
    if (begin > 0 && solver->frozen) return START + begin; /* the start is the fit */
    return START + begin + (solver->cost ? solver->cost : steep_marquardt_cost)(&size, starts);
}

/* With a penalty each point is a row: at most what varpro or frozen takes with all rows, and the rows of one unit. */
static double penalised_size(const steep_fit_size *size)
{
    const steep_network *network = size->network;
    const double P = (double)network->parameters, p = (double)steep_frozen_form_unknowns(network),
                 rows = size->points + (double)steep_penalty_rows(network),
                 unit = (rows - size->points) / (double)network->width, part = network->counts.moments ? P : unit;
    const double shared = rows * P + steep_size_span(rows, p) + size->points * (2 * part + unit);
    return steep_solver_table(size->options->solver)->frozen ? shared
                                                             : shared + rows * P + P * (2 * P + STEEP_SIZE_TILE);
}

double steep_fit_memory(const steep_network *network, size_t points, const steep_fit_options *options)
{
    const steep_solver_row *solver = steep_solver_table(options->solver);
    const steep_fit_size size = {network, options, (double)points};
    double most = (solver->memory ? solver->memory : steep_marquardt_memory)(&size);
    if (options->penalty > 0) most = fmax(most, penalised_size(&size));
    if (network->dim > 1 && steep_start_has_directions(options->start))
        most = fmax(most, steep_ridge_start_memory(&size));
    return sizeof(double) * (most + STEEP_SIZE_VECTORS * size.points + STEEP_SIZE_UNIT * (double)network->parameters);
}
