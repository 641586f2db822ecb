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

#include "certify/search.h"

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

/* An input of the current unit: its parameters, its derivatives in them, and its slope u' in one coordinate. */
typedef struct input {
    bool is_map; /* else a scalar, whose slope is 0 */
    steep_map map;
    steep_walk_parameters of;
    double slope[STEEP_TILE];
} input;

static void open_inputs(const steep_walk *walk, size_t i, input *u)
{
    const steep_counts *c = &walk->network->counts;
    for (size_t a = 0; a < walk->network->inputs; a++) {
        u[a].is_map = a < c->branches || a - c->branches - c->scalars < c->shared_maps;
        u[a].map = a < c->branches ? c->map[a] : STEEP_MAP_AFFINE;
        u[a].of = steep_walk_input(walk, a, i);
    }
}

/* Adds unit i to the gradient in coordinate j and to its derivatives, the slopes. */
static void add_coordinate(const steep_walk *walk, size_t i, size_t j, input *u, const steep_input_jacobian *to)
{
    const steep_network *network = walk->network;
    const double D = walk->theta[network->output + i];
    double *block = to->slopes + j * to->count * network->parameters, own[STEEP_TILE] = {0}, mixed[STEEP_TILE],
           phi_slope[STEEP_TILE];
    for (size_t b = 0; b < network->inputs; b++) {
        memset(u[b].slope, 0, sizeof u[b].slope);
        for (size_t f = 0; u[b].is_map && f < u[b].of.count; f++) {
            feature_slope(walk, u[b].map, f, j, phi_slope);
            for (size_t k = 0; k < walk->size; k++) u[b].slope[k] += walk->theta[u[b].of.first + f] * phi_slope[k];
        }
        for (size_t k = 0; u[b].is_map && k < walk->size; k++) own[k] += walk->g[b][k] * u[b].slope[k];
    }
    for (size_t k = 0; k < walk->size; k++) {
        to->gradient[j * to->count + walk->first + k] += D * own[k];
        block[walk->first + k + (network->output + i) * to->count] = own[k];
    }
    for (size_t a = 0; a < network->inputs; a++) {
        memset(mixed, 0, sizeof mixed);
        for (size_t b = 0; b < network->inputs; b++)
            for (size_t k = 0; u[b].is_map && k < walk->size; k++)
                mixed[k] += walk->H[steep_pair((int)a, (int)b)][k] * u[b].slope[k];
        for (size_t f = 0; f < u[a].of.count; f++) {
            const double *phi = u[a].of.phi[f];
            double *column = block + walk->first + (u[a].of.first + f) * to->count;
            memset(phi_slope, 0, sizeof phi_slope);
            if (u[a].is_map) feature_slope(walk, u[a].map, f, j, phi_slope);
            for (size_t k = 0; k < walk->size; k++)
                column[k] += D * (mixed[k] * (phi ? phi[k] : 1) + walk->g[a][k] * phi_slope[k]);
        }
    }
}

/* Adds unit i to y and J. */
static void add_values(const steep_walk *walk, size_t i, const input *u, const steep_input_jacobian *to)
{
    const steep_network *network = walk->network;
    const double D = walk->theta[network->output + i];
    for (size_t k = 0; k < walk->size; k++) {
        to->y[walk->first + k] += D * walk->h[k];
        to->J[walk->first + k + (network->output + i) * to->count] = walk->h[k];
    }
    for (size_t a = 0; a < network->inputs; a++)
        for (size_t f = 0; f < u[a].of.count; f++) {
            const double *phi = u[a].of.phi[f];
            double *column = to->J + walk->first + (u[a].of.first + f) * to->count;
            for (size_t k = 0; k < walk->size; k++) column[k] += D * walk->g[a][k] * (phi ? phi[k] : 1);
        }
}

steep_status steep_network_input_jacobian(const steep_network *network, const double *theta,
                                          const steep_input_jacobian *out)
{
    steep_walk walk;
    input u[STEEP_MAX_INPUTS];
    const size_t P = network->parameters, count = out->count;
    const steep_status status = steep_walk_open(&walk, network, theta, count, out->x, 2);
    if (status < 0) return status;
    for (size_t k = 0; k < count; k++) out->y[k] = theta[network->bias];
    memset(out->J, 0, count * P * sizeof *out->J);
    memset(out->gradient, 0, count * network->dim * sizeof *out->gradient);
    memset(out->slopes, 0, count * network->dim * P * sizeof *out->slopes);
    for (size_t k = 0; k < count; k++) out->J[k + network->bias * count] = 1;
    while (steep_walk_next(&walk))
        for (size_t i = 0; i < network->width; i++) {
            if (!steep_walk_unit(&walk, i)) continue;
            open_inputs(&walk, i, u);
            add_values(&walk, i, u, out);
            for (size_t j = 0; j < network->dim; j++) add_coordinate(&walk, i, j, u, out);
        }
    steep_walk_close(&walk);
    return STEEP_OK;
}
