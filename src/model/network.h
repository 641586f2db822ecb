/* SPDX-License-Identifier: GPL-3.0-or-later */
/* network: y(x) = d + sum_{i<n} D_i h_i(x): parameters, values, Jacobian, Hessian, for any unit in any dimension. */
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

/* Index in theta of the first of the features[b] coefficients of branch b of unit i. Branch 0 is the gate. */
STEEP_INLINE size_t steep_network_place(const steep_network *network, size_t b, size_t i)
{
    return network->branch[b] + i * network->features[b];
}

STEEP_INLINE size_t steep_network_gate(const steep_network *network, size_t i)
{
    return steep_network_place(network, 0, i);
}

/* Is parameter p an output weight? The next function: is p a coefficient of a branch in the bit set? */
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

/* Is parameter p one of the last layer's scalars that are this input of its units? */
STEEP_INLINE bool steep_network_is_scalar(const steep_network *network, size_t input, size_t p)
{
    const steep_counts *counts = &network->counts;
    const size_t maps = counts->branches + counts->scalars, shared = maps + counts->shared_maps;
    if (p >= network->scalars && p < network->scalars + network->width * counts->scalars)
        return counts->branches + (p - network->scalars) % counts->scalars == input;
    return p >= network->shared_scalars && p < network->shared_scalars + counts->shared_scalars &&
           shared + (p - network->shared_scalars) == input;
}

/* Divisor of the sums over units that make a layer's moments: the width, or 1 where moments are sums. */
STEEP_INLINE double steep_network_moment_units(const steep_network *network)
{
    return network->counts.summed ? 1.0 : (double)network->width;
}

/* How many numbers a network stores: P as rows and tables count it. */
static inline size_t steep_network_size(const steep_network *network)
{
    return network->architecture->stores ? network->architecture->stores(network) : network->parameters;
}

/* The network whose last layer is layer `number`, counted from 0 at x. Where it is not the last layer of the given
 * network, it has no output blocks: output and bias are SIZE_MAX. */
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
/* Is output i of the layer below added to unit i of the last layer? Only in residual layers, for i < fan_in. */
static inline bool steep_network_is_added(const steep_network *network, size_t i)
{
    return steep_network_is_residual(network) && i < network->fan_in;
}

/* The parameters in which D_i h_i is linear, all others fixed: the coefficients of unit i's affine branches, or its
 * output weight where it has none. Writes their indices in theta to place, ascending, unless place is NULL. Returns
 * their number, which is the same for each unit. */
size_t steep_network_linear(const steep_network *network, size_t i, size_t *place);

/* The same architecture, choice and dimension with another width. */
static inline steep_status steep_network_resize(const steep_network *from, size_t width, steep_network *network,
                                                steep_error *error)
{
    return steep_network_init(network, from->architecture, &from->choice, from->dim, width, error);
}

/* *loss = F(theta) = sum_k w_k (y(x_k; theta) - y_k)^2 and, where gradient is not NULL, gradient[p] = dF/dtheta_p (P
 * entries). A tile of points at a time passes forward through all layers and is backpropagated; no Jacobian is stored.
 * Units coupled by a norm, and several layers without gradient: two passes (steep_network_values, then _gradient).
 *   single: theta and x hold float32 values. The activations and the maps before them are computed in double; their
 *           values and derivatives are rounded to float32, and all later products and sums are float32. With several
 *           layers, and in two passes, only the network's values and the gradient are rounded.
 *   team:   threads that share the tiles; NULL: none. No bit depends on the team. Two passes use one thread.
 * O(count * width * m) time; no memory grows with count * P. The order of sums is fixed: no bit depends on the
 * processor. Not finite where the network is not. Fails only with STEEP_NO_MEMORY. Source: reverse accumulation
 * (Griewank and Walther, Evaluating Derivatives, 2008, chapter 3). */
typedef struct steep_square_loss {
    const steep_network *network;
    const steep_samples *points;
    bool single;
    steep_team *team;
} steep_square_loss;
steep_status steep_network_loss(const steep_square_loss *of, const double *theta, double *loss, double *gradient);

/* Number of features of a map, and phi(x): steep_map_evaluate writes steep_map_features(map, dim) numbers. */
size_t steep_map_features(steep_map map, size_t dim);
void steep_map_evaluate(steep_map map, size_t dim, const double *x, double *phi);
