/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The network's gradient in x:
 *
 *   dy/dx_j = sum_i D_i sum_u (dh_i/du) du/dx_j,   du/dx_j = sum_f W_f dphi_f/dx_j for a map of x with coefficients W,
 *
 * u over the unit's branches and the shared maps; and where units are coupled by moments q_r = (1/n) sum_l m_r(z_1,l),
 * dq_r/dx_j = (1/n) sum_l m_r'(z_1,l) dz_1,l/dx_j, formed once a tile. At a kink: the activation's own derivative
 * there, which for relu at 0 is 0. */
#include <string.h>

#include "model/evaluate.h"

/* out[k] += scale g[k] d(sum_f W_f phi_f)/dx_j over the tile; g NULL: 1. */
static void add_map(const steep_walk *walk, steep_map map, const double *W, size_t j, const double *g, double scale,
                    double *out)
{
    size_t d = walk->network->fan_in;
    const double *const *x = walk->phi[STEEP_MAP_LINEAR];
    for (size_t k = 0; k < walk->size; k++) {
        double slope = map == STEEP_MAP_SQUARES ? 2 * W[j] * x[j][k] : W[j];
        if (map == STEEP_MAP_QUADRATIC)
            for (size_t a = 0, f = d + 1; a < d; a++)
                for (size_t b = a; b < d; b++, f++) slope += W[f] * ((a == j ? x[b][k] : 0) + (b == j ? x[a][k] : 0));
        out[k] += scale * (g ? g[k] : 1) * slope;
    }
}

void steep_walk_set_moment_slopes(steep_walk *walk)
{
    const steep_network *network = walk->network;
    size_t d = network->fan_in, M = network->counts.moments;
    double m[STEEP_MAX_MOMENTS], d1[STEEP_MAX_MOMENTS], d2[STEEP_MAX_MOMENTS], slope[STEEP_TILE];
    const double share = 1 / steep_network_moment_units(network);
    memset(walk->moment, 0, M * d * STEEP_TILE * sizeof *walk->moment);
    for (size_t i = 0; i < network->width; i++) {
        const double *W = walk->theta + steep_network_gate(network, i);
        steep_walk_branch(walk, 0, i);
        for (size_t j = 0; j < d; j++) {
            memset(slope, 0, sizeof slope);
            add_map(walk, network->counts.map[0], W, j, NULL, share, slope);
            for (size_t k = 0; k < walk->size; k++) {
                network->architecture->moment(&network->choice, walk->in[0][k], m, d1, d2);
                for (size_t r = 0; r < M; r++) walk->moment[(r * d + j) * STEEP_TILE + k] += d1[r] * slope[k];
            }
        }
    }
}

void steep_walk_add_slopes(const steep_walk *walk, size_t i)
{
    const steep_network *network = walk->network;
    const double D = steep_walk_output(walk, i);
    const steep_counts *c = &network->counts;
    size_t d = network->fan_in, maps = c->branches + c->scalars, moments = network->inputs - c->moments;
    for (size_t j = 0; j < d; j++) {
        double *out = walk->slopes + j * walk->count + walk->first;
        for (size_t b = 0; b < c->branches; b++)
            add_map(walk, c->map[b], walk->theta + steep_network_place(network, b, i), j, walk->g[b], D, out);
        for (size_t s = 0; s < c->shared_maps; s++)
            add_map(walk, STEEP_MAP_AFFINE, walk->theta + network->shared_maps + s * (d + 1), j, walk->g[maps + s], D,
                    out);
        for (size_t r = 0; r < c->moments; r++)
            for (size_t k = 0; k < walk->size; k++)
                out[k] += D * walk->g[moments + r][k] * walk->moment[(r * d + j) * STEEP_TILE + k];
    }
    if (!steep_network_is_added(network, i)) return;
    const size_t at = i * walk->count + walk->first;
    for (size_t k = 0; k < walk->size; k++) walk->slopes[at + k] += walk->weight ? walk->weight[at + k] : D;
}

/* The units of a tile, and y (NULL: not asked for) in the last layer. */
static void add_tile(steep_walk *walk, void *y)
{
    double *out = y && !walk->weight ? (double *)y + walk->first : NULL;
    for (size_t k = 0; out && k < walk->size; k++) out[k] = walk->theta[walk->network->bias];
    for (size_t i = 0; i < walk->network->width; i++)
        if (steep_walk_unit(walk, i))
            for (size_t k = 0; out && k < walk->size; k++) out[k] += steep_walk_output(walk, i) * walk->h[k];
}

steep_status steep_network_input_gradient(const steep_network *network, const double *theta, size_t count,
                                          const double *x, double *y, double *gradient)
{
    return steep_walk_down(network, &(steep_visit){theta, x, count, add_tile, y, gradient}, NULL);
}
