/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scaling: scalings and shifts of parameters that do not change the function of a network.
 *
 * Let a unit be homogeneous of degree k in some of its branches z_b: h(.., t z_b, ..) = t^k h for t > 0 (relu: k = 1 in
 * the gate; a factor of a product: k = 1). Then D h is the same function of x when those branches are multiplied by t
 * and D by t^-k. The same holds for all units together in the shared scalars (the coefficients of a mixture; of a
 * product of two mixtures, those of either one). Weights softmax(s) do not change when one function of x is added to
 * all s. So the Jacobian lacks rank at every point, and a solver that ignores this divides rounding by rounding. */
#pragma once

#include "base/inline.h"
#include "model/network.h"

#define STEEP_MAX_SCALINGS (STEEP_MAX_BRANCHES + 4)

/* One kind: a scaling of the branches in the bit set, in each unit by itself; or (branches = 0) of the shared scalars
 * first .. first + count - 1, in all units; or (degree = 0) one shift of all shared maps first .. first + count - 1. */
typedef struct steep_scaling {
    unsigned branches;
    double degree; /* k */
    size_t first, count;
} steep_scaling;

/* Writes the kinds of this network and returns how many there are. Found by Euler's relation, sum_b z_b dh/dz_b = k h,
 * and for shifts by sum_c dh/ds_c = 0, at points on both sides of every kink; k = 1..4. Shared scalars and maps are
 * tried in two halves, then all together. Units coupled through their layer and residual layers have none. */
size_t steep_network_scalings(const steep_network *network, steep_scaling scaling[STEEP_MAX_SCALINGS]);

/* The input, a scalar, that a unit adds to a function of its other inputs, times a constant; 0: there is none. The bias
 * makes up for it, so that without a penalty it changes nothing. */
size_t steep_network_offset(const steep_network *network);

/* Do units have a kink at a gate and are they polynomials beside it, as relu makes them (a scaling of the first
 * branch)? Then a unit either depends on other units exactly or is far from it. Smooth units depend on each other to
 * every degree, down to rounding. */
bool steep_scalings_have_kinks(size_t scalings, const steep_scaling *scaling);

/* Number of directions of one kind: n for a scaling of branches, 1 for one of shared scalars, fan_in + 1 for a shift,
 * one for each coefficient of the affine function. */
STEEP_INLINE size_t steep_scaling_count(const steep_network *network, const steep_scaling *scaling)
{
    return scaling->branches ? network->width : scaling->degree > 0 ? 1 : network->fan_in + 1;
}

STEEP_INLINE size_t steep_scaling_directions(const steep_network *network, size_t scalings,
                                             const steep_scaling *scaling)
{
    size_t directions = 0;
    for (size_t s = 0; s < scalings; s++) directions += steep_scaling_count(network, &scaling[s]);
    return directions;
}

/* Writes direction i of all kinds to v (P entries): d theta / dt at t = 1. y(x; theta + s v) = y(x; theta) + O(s^2). */
STEEP_INLINE void steep_scaling_write(const steep_network *network, const steep_scaling *scaling, size_t i,
                                      const double *theta, double *v)
{
    while (i >= steep_scaling_count(network, scaling)) i -= steep_scaling_count(network, scaling++);
    const size_t first = scaling->branches ? i : 0, last = scaling->branches ? i + 1 : network->width;
    const size_t map = network->fan_in + 1, *const features = network->features;
    for (size_t p = 0; p < network->parameters; p++) v[p] = 0;
    for (size_t s = scaling->first; !scaling->branches && s < scaling->first + scaling->count; s++)
        if (scaling->degree > 0) v[network->shared_scalars + s] = theta[network->shared_scalars + s];
        else v[network->shared_maps + s * map + i] = 1;
    for (size_t u = first; scaling->degree > 0 && u < last; u++) {
        v[network->output + u] = -scaling->degree * theta[network->output + u];
        for (size_t b = 0; b < network->counts.branches; b++)
            for (size_t f = 0; scaling->branches >> b & 1 && f < features[b]; f++) {
                const size_t p = network->branch[b] + u * features[b] + f;
                v[p] = theta[p];
            }
    }
}
