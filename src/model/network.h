/* SPDX-License-Identifier: GPL-3.0-or-later */
/* network: y(x) = d + sum_{i<n} D_i h_i(x): parameters, values, Jacobian, Hessian. The dense road: any unit, any
 * dimension. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/inline.h"
#include "base/status.h"
#include "base/team.h"
#include "data/samples.h"
#include "model/architecture.h"
#include "steep/network.h"

/* Where unit i's coefficients of branch b begin in theta, features[b] of them. Branch 0 is its gate. */
STEEP_INLINE size_t steep_network_place(const steep_network *network, size_t b, size_t i)
{
    return network->branch[b] + i * network->features[b];
}

STEEP_INLINE size_t steep_network_gate(const steep_network *network, size_t i)
{
    return steep_network_place(network, 0, i);
}

/* Is parameter p an output weight? A coefficient of a branch of this set? */
STEEP_INLINE bool steep_network_is_output(const steep_network *network, size_t p)
{
    return p >= network->output && p < network->bias;
}

STEEP_INLINE bool steep_network_in_branches(const steep_network *network, unsigned set, size_t p)
{
    for (size_t b = 0; b < network->counts.branches; b++)
        if (set >> b & 1 && p >= network->branch[b] && p < network->branch[b] + network->width * network->features[b])
            return true;
    return false;
}

/* What the sums of a layer's moments are divided by: the width, or 1 where a row takes the sums themselves. */
STEEP_INLINE double steep_network_moment_units(const steep_network *network)
{
    return network->counts.summed ? 1.0 : (double)network->width;
}

/* P as rows and tables count it: the numbers that a network stores. */
static inline size_t steep_network_size(const steep_network *network)
{
    return network->architecture->stores ? network->architecture->stores(network) : network->parameters;
}

/* A layer, by its number from x on, as the last of a network of its own. One below the network's last has no output
 * blocks: output and bias are SIZE_MAX. */
steep_network steep_network_layer(const steep_network *network, size_t number);
static inline steep_network steep_network_below(const steep_network *network)
{
    return steep_network_layer(network, network->depth - 2);
}
static inline bool steep_network_is_hidden(const steep_network *network)
{
    return network->output == SIZE_MAX;
}
static inline bool steep_network_is_residual(const steep_network *network)
{
    return network->choice.residual && network->depth > 1;
}
/* Does unit i of the (last) layer add to what the layer below gives in place i? Not beyond the width of that layer. */
static inline bool steep_network_is_added(const steep_network *network, size_t i)
{
    return steep_network_is_residual(network) && i < network->fan_in;
}

/* The parameters of unit i that it is linear in, the others fixed: the coefficients of its affine branches, or else its
 * output weight. Their places, ascending, into place unless it is NULL; returns how many: as many for each unit. */
size_t steep_network_linear(const steep_network *network, size_t i, size_t *place);

/* The same network with so many units. */
static inline steep_status steep_network_resize(const steep_network *from, size_t width, steep_network *network,
                                                steep_error *error)
{
    return steep_network_init(network, from->architecture, &from->choice, from->dim, width, error);
}

/* *loss = F(theta) = sum_k w_k (y(x_k; theta) - y_k)^2 and, where gradient is not NULL, gradient[p] = dF/dtheta_p (P
 * entries): forward through all layers, residual and backward for a tile of points at a time: no Jacobian is stored.
 * Units that a norm couples take two passes (steep_network_values, steep_network_gradient).
 *   single: theta and x are numbers of float32. The activations and the maps before them are computed in double; their
 *           values and derivatives are rounded to float32, and all products and sums behind them are float32's. Of
 *           several layers, and in two passes, only values of the network and the gradient are rounded.
 *   team:   whose threads share the tiles; NULL: none. No bit depends on it. Two passes are not shared.
 * O(count * width * m), memory of a tile. The order of sums is fixed: no bit depends on the processor. Not finite where
 * the network is not. Fails only with STEEP_NO_MEMORY. Source: reverse accumulation (Griewank and Walther, Evaluating
 * Derivatives, 2008, chapter 3). */
typedef struct steep_square_loss {
    const steep_network *network;
    const steep_samples *points;
    bool single;
    steep_team *team;
} steep_square_loss;
steep_status steep_network_loss(const steep_square_loss *of, const double *theta, double *loss, double *gradient);

/* phi(x) of a map: writes steep_map_features(map, dim) numbers. */
size_t steep_map_features(steep_map map, size_t dim);
void steep_map_evaluate(steep_map map, size_t dim, const double *x, double *phi);
