/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gradient in x with its derivatives in the parameters. With u the inputs of unit i, each linear in its parameters,
 * u_a = sum_f W_af phi_af(x), and u_b' = du_b/dx_j:
 *
 *   dy/dx_j          = sum_i D_i sum_b h_b u_b'
 *   d/dD_i dy/dx_j   = sum_b h_b u_b'
 *   d/dW_af dy/dx_j  = D_i (sum_b h_ab u_b' phi_af + h_a dphi_af/dx_j)
 *
 * Parameters shared by units gather the sum over units. */
#include <string.h>

#include "certify/core.h"
#include "certify/surface.h"

/* dphi_f/dx_j of a map, over the tile. */
static void feature_slope(const steep_walk *walk, steep_map map, size_t f, size_t j, double *out)
{
    const size_t d = walk->network->dim;
    const double *const *x = walk->phi[STEEP_MAP_LINEAR];
    size_t a = 0, b = 0;
    if (map == STEEP_MAP_QUADRATIC && f > d) { /* x_a x_b, a <= b */
        for (size_t left = f - d - 1; left > 0; left--)
            if (++b == d) b = ++a;
        for (size_t k = 0; k < walk->size; k++) out[k] = (a == j ? x[b][k] : 0) + (b == j ? x[a][k] : 0);
        return;
    }
    for (size_t k = 0; k < walk->size; k++) out[k] = f != j ? 0 : map == STEEP_MAP_SQUARES ? 2 * x[j][k] : 1;
}

/* The map that input a of a unit is, false for a scalar. */
static bool map_of(const steep_network *network, size_t a, steep_map *map)
{
    const steep_counts *c = &network->counts;
    bool is_shared = a >= c->branches + c->scalars;
    *map = a < c->branches ? c->map[a] : STEEP_MAP_AFFINE;
    return a < c->branches || (is_shared && a < c->branches + c->scalars + c->shared_maps);
}

/* u_a' = du_a/dx_j over the tile; false for a scalar, whose slope is 0. scratch: a tile. */
static bool input_slope(const steep_walk *walk, size_t i, size_t a, size_t j, double *slope, double *scratch)
{
    steep_map map;
    size_t first;
    const double *const *features;
    if (!map_of(walk->network, a, &map)) return false;
    size_t count = steep_walk_input(walk, a, i, &first, &features);
    memset(slope, 0, walk->size * sizeof *slope);
    for (size_t f = 0; f < count; f++) {
        feature_slope(walk, map, f, j, scratch);
        for (size_t k = 0; k < walk->size; k++) slope[k] += walk->theta[first + f] * scratch[k];
    }
    return true;
}

/* Unit i in coordinate j: slope[b] = u_b' where is_map[b]. */
static void add_coordinate(const steep_walk *walk, size_t i, size_t j, double (*slope)[STEEP_TILE], const bool *is_map,
                           const steep_input_jacobian *to)
{
    const steep_network *network = walk->network;
    const double D = walk->theta[network->output + i];
    double *block = to->slopes + j * to->count * network->parameters, own[STEEP_TILE], mixed[STEEP_TILE],
           phi_slope[STEEP_TILE];
    memset(own, 0, sizeof own);
    for (size_t b = 0; b < network->inputs; b++)
        for (size_t k = 0; is_map[b] && k < walk->size; k++) own[k] += walk->g[b][k] * slope[b][k];
    for (size_t k = 0; k < walk->size; k++) {
        to->gradient[j * to->count + walk->first + k] += D * own[k];
        block[walk->first + k + (network->output + i) * to->count] = own[k];
    }
    for (size_t a = 0; a < network->inputs; a++) {
        size_t first;
        const double *const *features;
        steep_map map;
        bool is_affine = map_of(network, a, &map);
        size_t count = steep_walk_input(walk, a, i, &first, &features);
        memset(mixed, 0, sizeof mixed);
        for (size_t b = 0; b < network->inputs; b++)
            for (size_t k = 0; is_map[b] && k < walk->size; k++)
                mixed[k] += walk->H[steep_pair((int)a, (int)b)][k] * slope[b][k];
        for (size_t f = 0; f < count; f++) {
            double *column = block + walk->first + (first + f) * to->count;
            memset(phi_slope, 0, sizeof phi_slope);
            if (is_affine) feature_slope(walk, map, f, j, phi_slope);
            for (size_t k = 0; k < walk->size; k++)
                column[k] += D * (mixed[k] * (features[f] ? features[f][k] : 1) + walk->g[a][k] * phi_slope[k]);
        }
    }
}

/* Unit i in y and J. */
static void add_values(const steep_walk *walk, size_t i, const steep_input_jacobian *to)
{
    const steep_network *network = walk->network;
    const double D = walk->theta[network->output + i];
    for (size_t k = 0; k < walk->size; k++) {
        to->y[walk->first + k] += D * walk->h[k];
        to->J[walk->first + k + (network->output + i) * to->count] = walk->h[k];
    }
    for (size_t a = 0; a < network->inputs; a++) {
        size_t first;
        const double *const *features;
        size_t count = steep_walk_input(walk, a, i, &first, &features);
        for (size_t f = 0; f < count; f++)
            for (size_t k = 0; k < walk->size; k++)
                to->J[walk->first + k + (first + f) * to->count] +=
                    D * walk->g[a][k] * (features[f] ? features[f][k] : 1);
    }
}

static void add_unit(const steep_walk *walk, size_t i, const steep_input_jacobian *to)
{
    double slope[STEEP_MAX_INPUTS][STEEP_TILE], scratch[STEEP_TILE];
    bool is_map[STEEP_MAX_INPUTS];
    add_values(walk, i, to);
    for (size_t j = 0; j < walk->network->dim; j++) {
        for (size_t b = 0; b < walk->network->inputs; b++) is_map[b] = input_slope(walk, i, b, j, slope[b], scratch);
        add_coordinate(walk, i, j, slope, is_map, to);
    }
}

steep_status steep_network_input_jacobian(const steep_network *network, const double *theta,
                                          const steep_input_jacobian *out, steep_error *error)
{
    steep_walk walk;
    const size_t P = network->parameters, count = out->count;
    if (network->counts.moments)
        return steep_fail(error, STEEP_BAD_INPUT,
                          "%s couples its units by a norm of the layer: its gradient in x has no derivatives in the "
                          "parameters here; use a unit without a norm",
                          network->architecture->name);
    steep_status status = steep_walk_open(&walk, network, theta, count, out->x, 2);
    if (status < 0) return steep_fail(error, status, "no memory for %zu points", count);
    for (size_t k = 0; k < count; k++) out->y[k] = theta[network->bias];
    memset(out->J, 0, count * P * sizeof *out->J);
    memset(out->gradient, 0, count * network->dim * sizeof *out->gradient);
    memset(out->slopes, 0, count * network->dim * P * sizeof *out->slopes);
    for (size_t k = 0; k < count; k++) out->J[k + network->bias * count] = 1;
    while (steep_walk_next(&walk))
        for (size_t i = 0; i < network->width; i++)
            if (steep_walk_unit(&walk, i)) add_unit(&walk, i, out);
    steep_walk_close(&walk);
    return STEEP_OK;
}
