/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit/frozen_form.h"

#include <math.h>

#include "fit/rules.h"
#include "spline/gates.h"

#define TINY 8 /* width up to which all factors of a product are trained */

steep_frozen_form steep_frozen_form_of(const steep_architecture *row)
{
    steep_frozen_form form = {.linear = steep_architecture_affine(row)};
    for (size_t b = 1; row->role[0] == STEEP_ROLE_GATE && b < STEEP_MAX_BRANCHES; b++) {
        bool factor = row->role[b] == STEEP_ROLE_FACTOR && !(form.linear >> b & 1);
        if (factor || row->role[b] == STEEP_ROLE_POWER) form.aligned |= 1u << b;
        if (factor) form.constant |= 1u << b;
    }
    return form;
}

size_t steep_frozen_form_unknowns(const steep_network *network)
{
    return network->width * steep_network_linear(network, 0, NULL) + 1;
}

bool steep_frozen_form_of_gates(const steep_network *network)
{
    const steep_counts *counts = &network->counts;
    steep_frozen_form form = steep_frozen_form_of(network->architecture);
    for (size_t b = 1; b < counts->branches; b++)
        if (!((form.linear | form.aligned) >> b & 1)) return false;
    return counts->scalars == 0 && counts->shared_maps == 0 && counts->shared_scalars == 0;
}

bool steep_frozen_form_is_spline(const steep_problem *problem, const double *theta)
{
    const steep_network *network = problem->network;
    const steep_piecewise piecewise = steep_architecture_piecewise(network->architecture, &network->choice);
    if (network->dim != 1 || piecewise.degree == 0) return false;
    size_t open = 0;
    for (size_t i = 0; i < network->width; i++) {
        double knot = steep_gates_knot(network, theta, i);
        if (!isfinite(knot)) return false;
        open += knot <= problem->train->low[0] || knot >= problem->train->high[0];
    }
    return open >= piecewise.heads;
}

bool steep_frozen_form_trains(const steep_network *network)
{
    const unsigned set = steep_frozen_form_of(network->architecture).constant;
    return network->dim == 1 && network->width <= TINY && set != 0 && (set & (set - 1)) == 0 &&
           steep_architecture_piecewise(network->architecture, &network->choice).degree > 0;
}

bool steep_frozen_form_open(const steep_network *network, const steep_samples *samples, const double *gate)
{
    double least = gate[network->fan_in];
    if (network->depth > 1) return false;
    for (size_t j = 0; j < network->dim; j++) {
        double a = gate[j] * samples->low[j], b = gate[j] * samples->high[j];
        least += a < b ? a : b;
    }
    return least >= 0;
}

/* Is branch b the constant 1 on the g-th gate that is open everywhere, g = 0, 1, ...? That gate carries the powers
 * 2 g + 1 and 2 g + 2 of a polynomial (spline/gates), so that 2 g of the branches in form.constant keep the gate's map
 * and the others are 1. After `heads` such gates the count begins anew. */
static bool is_constant(const steep_frozen_form *form, size_t b, size_t g, size_t heads)
{
    size_t before = 0;
    for (size_t c = 1; c < b; c++) before += form->constant >> c & 1;
    return form->constant >> b & 1 && before >= 2 * (g % heads);
}

size_t steep_frozen_form_turns(const steep_network *network)
{
    steep_piecewise piecewise = steep_architecture_piecewise(network->architecture, &network->choice);
    if (steep_frozen_form_of(network->architecture).constant == 0) return 1;
    return piecewise.heads > 1 ? piecewise.heads : 2;
}

void steep_frozen_form_set(const steep_problem *problem, double *theta)
{
    const steep_network *network = problem->network;
    steep_frozen_form form = steep_frozen_form_of(network->architecture);
    size_t open = 0, heads = steep_frozen_form_turns(network);
    for (size_t i = 0; i < network->width; i++) {
        const double *gate = theta + steep_network_gate(network, i);
        bool everywhere = steep_frozen_form_open(network, problem->train, gate);
        for (size_t b = 1; b < network->counts.branches; b++) {
            double *map = theta + steep_network_place(network, b, i);
            bool constant = everywhere && is_constant(&form, b, open, heads);
            for (size_t f = 0; f < network->features[b]; f++) {
                if (form.linear >> b & 1) map[f] = 0;
                else if (form.aligned >> b & 1) map[f] = constant ? f == network->fan_in : gate[f];
            }
        }
        open += everywhere;
        theta[network->output + i] = 1;
    }
}

size_t steep_frozen_form_mark(const steep_network *network, size_t count, const double *J, unsigned char *active)
{
    unsigned linear = steep_frozen_form_of(network->architecture).linear;
    size_t marked = 0;
    for (size_t p = 0; p < network->parameters; p++) {
        const bool output = steep_network_is_output(network, p);
        bool is_marked = p == network->bias || steep_network_in_branches(network, linear, p) || (output && linear == 0);
        for (size_t k = 0; output && !is_marked && k < count; k++) is_marked = J[k + p * count] != 0;
        active[p] = is_marked;
        marked += is_marked;
    }
    return marked;
}

void steep_frozen_form_put(const steep_network *network, const unsigned char *active, const double *solution,
                           double *theta)
{
    unsigned linear = steep_frozen_form_of(network->architecture).linear;
    for (size_t p = 0, column = 0; p < network->parameters; p++)
        if (active[p]) theta[p] = solution[column++];
    for (size_t i = 0; linear && i < network->width; i++) {
        double *output = theta + network->output + i;
        for (size_t b = 1; active[network->output + i] && b < network->counts.branches; b++)
            for (size_t f = 0; linear >> b & 1 && f < network->features[b]; f++) {
                double *c = theta + steep_network_place(network, b, i) + f;
                if (*c != 0 && *output == 0) *output = STEEP_FROZEN_OUTPUT;
                if (*c != 0) *c /= *output;
            }
    }
}
