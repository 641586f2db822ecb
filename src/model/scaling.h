/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scaling: the changes of parameters that change no network, scalings and shifts.
 *
 * A unit that is homogeneous of degree k in some of its branches z_b, h(.., t z_b, ..) = t^k h for t > 0 (relu: k = 1
 * in the gate; a factor of a product: k = 1), is the same function of x when those branches are multiplied by t and its
 * output weight D by t^-k; likewise all units together in the shared scalars (the coefficients of a mixture; of a
 * product of two mixtures, those of either one). Weights softmax(s) do not change when all s are moved by the same
 * function of x. So the Jacobian lacks rank at every point: a solver that does not know it divides rounding by rounding
 * there. */
#pragma once

#include "base/inline.h"
#include "model/network.h"

#define STEEP_MAX_SCALINGS (STEEP_MAX_BRANCHES + 4)

/* One kind: a scaling of the branches in the bit set, in each unit; or (branches = 0) of the shared scalars first ..
 * first + count - 1, in all; or (degree = 0) a shift of the shared maps first .. first + count - 1, all by the same. */
typedef struct steep_scaling {
    unsigned branches;
    double degree; /* k */
    size_t first, count;
} steep_scaling;

/* Those of this network; returns how many. Found by Euler's relation, sum_b z_b dh/dz_b = k h, and for shifts by sum_c
 * dh/ds_c = 0, at points on both sides of every kink; k = 1..4. Shared scalars and maps are tried in two halves, then
 * all together. None for units that are coupled through their layer. */
size_t steep_network_scalings(const steep_network *network, steep_scaling scaling[STEEP_MAX_SCALINGS]);

/* Do units have a kink at a gate and are polynomials beside it, as relu makes them (a scaling of the first branch)?
 * Then what depends on other units does so exactly, and the rest is far from it; smooth units depend on each other by
 * all degrees down to rounding. */
bool steep_scalings_have_kinks(size_t scalings, const steep_scaling *scaling);

/* Of one: n for a scaling of branches, 1 of shared scalars; for a shift dim + 1, one for each coefficient of the affine
 * function. */
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

/* v (P): d theta / dt at t = 1, direction i of them all. Along it y(x; theta) does not change, to first order. */
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
