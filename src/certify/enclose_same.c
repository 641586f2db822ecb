/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Are network and target one function by their formulas? Unit by unit the network, and the target, as expressions of
 * one table (certify/same.h). */
#include <stdlib.h>
#include <string.h>

#include "certify/enclose_parts.h"
#include "certify/same.h"

/* A map of x with these coefficients; false for maps that are not affine. */
static bool place_map(const steep_enclosure *e, steep_same *t, steep_map map, const double *c, int *input)
{
    double w[STEEP_ENCLOSE_DIM + 1] = {0};
    if (map != STEEP_MAP_AFFINE && map != STEEP_MAP_LINEAR) return false;
    memcpy(w, c, (map == STEEP_MAP_AFFINE ? e->dim + 1 : e->dim) * sizeof *w);
    *input = steep_same_affine(t, w);
    return true;
}

/* D_i h_i. */
static bool place_unit(const steep_enclosure *e, steep_same *t, size_t i, int *input, int *unit)
{
    const steep_network *n = &e->network;
    size_t at = 0;
    for (size_t b = 0; b < e->count[0]; b++)
        if (!place_map(e, t, n->counts.map[b], e->theta + steep_network_place(n, b, i), &input[at++])) return false;
    for (size_t k = 0; k < e->count[1]; k++)
        input[at++] = steep_same_number(t, e->theta[n->scalars + i * n->counts.scalars + k]);
    for (size_t k = 0; k < e->count[2]; k++)
        if (!place_map(e, t, STEEP_MAP_AFFINE, e->theta + n->shared_maps + k * (e->dim + 1), &input[at++]))
            return false;
    for (size_t k = 0; k < e->count[3]; k++) input[at++] = steep_same_number(t, e->theta[n->shared_scalars + k]);
    const int D = steep_same_number(t, e->theta[n->output + i]);
    *unit = steep_same_product(t, D, steep_same_run(t, &e->unit, input));
    return !steep_same_failed(t);
}

static bool place_network(const steep_enclosure *e, steep_same *t, int *input, int *y)
{
    *y = steep_same_number(t, e->theta[e->network.bias]);
    for (size_t i = 0; i < e->width; i++) {
        int unit;
        if (!place_unit(e, t, i, input, &unit)) return false;
        *y = steep_same_sum(t, *y, unit);
    }
    return true;
}

static int place_target(const steep_enclosure *e, steep_same *t, int *input)
{
    for (size_t j = 0; j < e->dim; j++) {
        double w[STEEP_ENCLOSE_DIM + 1] = {0};
        w[j] = 1;
        input[j] = steep_same_affine(t, w);
    }
    return steep_same_run(t, &e->target, input);
}

bool steep_enclosure_is_zero(const steep_enclosure *e)
{
    if (!e->networked || !e->targeted || e->moments > 0) return false;
    steep_same *t = steep_same_open(e->dim);
    int *input = malloc((e->unit.dim + e->dim + 1) * sizeof *input), network;
    bool same = false;
    if (t && input && place_network(e, t, input, &network)) {
        const int target = place_target(e, t, input);
        same = !steep_same_failed(t) && network == target;
    }
    free(input);
    steep_same_close(t);
    return same;
}
