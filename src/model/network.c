/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Jacobian of a network with moments q_r (steep/network.h): dy = d(y at fixed q) + sum_r Y_r dq_r, where Y_r =
 * sum_i D_i dh_i/dq_r, and dq_r = (1/n) sum_i m_r'(z_i) dz_i depends on the parameters of first branches alone. */
#include "model/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/evaluate.h"
#include "numerics/dense.h"

size_t steep_map_features(steep_map map, size_t dim)
{
    const size_t constant = map == STEEP_MAP_AFFINE || map == STEEP_MAP_QUADRATIC;
    return dim + constant + (map == STEEP_MAP_QUADRATIC ? dim * (dim + 1) / 2 : 0);
}

void steep_map_evaluate(steep_map map, size_t dim, const double *x, double *phi)
{
    for (size_t j = 0; j < dim; j++) phi[j] = map == STEEP_MAP_SQUARES ? x[j] * x[j] : x[j];
    if (map == STEEP_MAP_AFFINE || map == STEEP_MAP_QUADRATIC) phi[dim] = 1.0;
    if (map == STEEP_MAP_QUADRATIC)
        for (size_t i = 0, f = dim + 1; i < dim; i++)
            for (size_t j = i; j < dim; j++) phi[f++] = x[i] * x[j];
}

size_t steep_network_linear(const steep_network *network, size_t i, size_t *place)
{
    const unsigned affine = steep_architecture_affine(network->architecture);
    size_t count = 0;
    for (size_t b = 0; b < network->counts.branches; b++)
        for (size_t f = 0; affine >> b & 1 && f < network->features[b]; f++, count++)
            if (place) place[count] = steep_network_place(network, b, i) + f;
    if (count == 0 && place) place[0] = network->output + i;
    return count ? count : 1;
}

static steep_status check_choice(const steep_architecture *architecture, const steep_choice *choice, steep_error *error)
{
    if (architecture->uses_activation && (choice->activation < 0 || choice->activation >= STEEP_ACTIVATIONS))
        return steep_fail(error, STEEP_BAD_INPUT, "%s: activation %d: 0 to %d are known", architecture->name,
                          choice->activation, STEEP_ACTIVATIONS - 1);
    if (architecture->uses_dictionary && (choice->terms < 1 || choice->terms > STEEP_MAX_TERMS))
        return steep_fail(error, STEEP_BAD_INPUT, "%s: %d activations in the dictionary: 1 to %d are possible",
                          architecture->name, choice->terms, STEEP_MAX_TERMS);
    for (int c = 0; architecture->uses_dictionary && c < choice->terms; c++)
        if (choice->dictionary[c] < 0 || choice->dictionary[c] >= STEEP_ACTIVATIONS)
            return steep_fail(error, STEEP_BAD_INPUT, "%s: activation %d in the dictionary: 0 to %d are known",
                              architecture->name, choice->dictionary[c], STEEP_ACTIVATIONS - 1);
    if (architecture->uses_gate && !steep_gate_name(choice->gate))
        return steep_fail(error, STEEP_BAD_INPUT, "%s: gate %d: tanh, sigmoid or softmax is possible",
                          architecture->name, choice->gate);
    if (architecture->uses_degree && (choice->degree < 1 || choice->degree >= STEEP_MAX_INPUTS))
        return steep_fail(error, STEEP_BAD_INPUT, "%s: degree %d: use 1 to %d", architecture->name, choice->degree,
                          STEEP_MAX_INPUTS - 1);
    return STEEP_OK;
}

/* Sets *layer to layer `number`, counted from 0 at x: depth, width and fan-in. Offsets are not set. */
static void take_layer(steep_network *layer, const steep_network *of, size_t number)
{
    *layer = *of;
    layer->depth = number + 1;
    layer->width = number + 1 < of->depth ? of->hidden[number] : of->width;
    layer->fan_in = number > 0 ? of->hidden[number - 1] : of->dim;
}

/* P as a double, which does not overflow. Layers below the last have no output weights and no bias. */
static double size_of(const steep_network *network)
{
    const steep_counts *counts = &network->counts;
    double size = 0;
    steep_network layer;
    for (size_t l = 0; l < network->depth; l++) {
        take_layer(&layer, network, l);
        const double n = (double)layer.width, map = (double)layer.fan_in + 1;
        double per_unit = (double)counts->scalars + 1;
        for (size_t b = 0; b < counts->branches; b++)
            per_unit += (double)steep_map_features(counts->map[b], layer.fan_in);
        size += n * per_unit + (double)counts->shared_maps * map + (double)counts->shared_scalars + 1 -
                (l + 1 < network->depth ? n + 1 : 0);
    }
    return size;
}

/* Sets *layer to layer `number` with its offsets in the whole network. Returns the end of its own parameters (all but
 * output and bias). */
static size_t lay_out_layer(steep_network *layer, const steep_network *of, size_t number)
{
    const steep_counts *counts = &of->counts;
    size_t next = 0;
    for (size_t l = 0; l <= number; l++) {
        take_layer(layer, of, l);
        for (size_t b = 0; b < counts->branches; b++) {
            layer->features[b] = steep_map_features(counts->map[b], layer->fan_in);
            layer->branch[b] = next;
            next += layer->width * layer->features[b];
        }
        layer->scalars = next;
        layer->shared_maps = layer->scalars + layer->width * counts->scalars;
        layer->shared_scalars = layer->shared_maps + counts->shared_maps * (layer->fan_in + 1);
        next = layer->shared_scalars + counts->shared_scalars;
    }
    return next;
}

steep_network steep_network_layer(const steep_network *network, size_t number)
{
    steep_network layer = *network;
    if (number + 1 == network->depth) return layer;
    lay_out_layer(&layer, network, number);
    layer.output = layer.bias = SIZE_MAX;
    return layer;
}

/* Sets depth, hidden widths and fan-in from the choice, and checks their ranges. */
static steep_status set_layers(steep_network *network, size_t most, steep_error *error)
{
    const steep_choice *choice = &network->choice;
    network->depth = choice->depth > 1 ? choice->depth : 1;
    if (network->depth > STEEP_MAX_LAYERS)
        return steep_fail(error, STEEP_BAD_INPUT, "%zu layers: 1 to %d are possible", network->depth, STEEP_MAX_LAYERS);
    for (size_t l = 0; l + 1 < network->depth; l++) {
        network->hidden[l] = choice->hidden[l] ? choice->hidden[l] : network->width;
        if (network->hidden[l] > most)
            return steep_fail(error, STEEP_BAD_INPUT, "width %zu of layer %zu: 1 to %zu are possible",
                              network->hidden[l], l + 1, most);
    }
    network->fan_in = network->depth > 1 ? network->hidden[network->depth - 2] : network->dim;
    return STEEP_OK;
}

steep_status steep_network_init(steep_network *network, const steep_architecture *architecture,
                                const steep_choice *choice, size_t dim, size_t width, steep_error *error)
{
    static const size_t most = (size_t)1 << 26;
    if (dim < 1 || dim > most)
        return steep_fail(error, STEEP_BAD_INPUT, "dimension %zu: 1 to %zu are possible", dim, most);
    if (width < 1 || width > most)
        return steep_fail(error, STEEP_BAD_INPUT, "width %zu: 1 to %zu are possible", width, most);
    memset(network, 0, sizeof *network);
    network->architecture = architecture;
    network->choice = choice ? *choice : steep_choice_default(architecture);
    network->dim = dim;
    network->width = width;
    steep_status status = check_choice(architecture, &network->choice, error);
    if (status < 0) return status;
    steep_counts *counts = &network->counts;
    architecture->counts(&network->choice, counts);
    network->inputs = steep_counts_inputs(counts);
    if (counts->branches < 1 || counts->branches > STEEP_MAX_BRANCHES || network->inputs > STEEP_MAX_INPUTS ||
        counts->moments > STEEP_MAX_MOMENTS)
        return steep_fail(
            error, STEEP_BAD_INPUT,
            "%s: %zu branches, %zu inputs, %zu moments, at most %d, %d, %d: use a smaller degree or dictionary",
            architecture->name, counts->branches, network->inputs, counts->moments, STEEP_MAX_BRANCHES,
            STEEP_MAX_INPUTS, STEEP_MAX_MOMENTS);
    if (counts->prepared > STEEP_MAX_PREPARED)
        return steep_fail(error, STEEP_BAD_INPUT, "%s: %zu columns to prepare: at most %d are possible",
                          architecture->name, counts->prepared, STEEP_MAX_PREPARED);
    if (counts->moments && !architecture->moment)
        return steep_fail(error, STEEP_BAD_INPUT, "%s: counts moments, but has no function for them",
                          architecture->name);
    status = set_layers(network, most, error);
    if (status < 0) return status;
    const double parameters = size_of(network);
    if (parameters > (double)most)
        return steep_fail(error, STEEP_BAD_INPUT, "width %zu: %.0f parameters, at most %zu are possible", width,
                          parameters, most);
    const steep_network whole = *network;
    network->output = lay_out_layer(network, &whole, whole.depth - 1);
    network->bias = network->output + network->width;
    network->parameters = network->bias + 1;
    return STEEP_OK;
}

/* z = w x, or z = w x phi */
STEEP_CLONES static void scale(size_t count, const double *x, double w, const double *phi, double *z)
{
    if (phi) STEEP_INDEPENDENT for (size_t k = 0; k < count; k++) z[k] = w * x[k] * phi[k];
    else STEEP_INDEPENDENT for (size_t k = 0; k < count; k++) z[k] = w * x[k];
}

steep_status steep_network_values(const steep_network *network, const double *theta, size_t count, const double *x,
                                  double *y)
{
    steep_walk walk;
    steep_status status = steep_walk_open(&walk, network, theta, count, x, 0);
    while (status >= 0 && steep_walk_next(&walk)) {
        double *out = y + walk.first;
        for (size_t k = 0; k < walk.size; k++)
            out[k] = theta[network->bias] + 0.0; /* -0 becomes 0, so that adding a skipped 0 would change no bit */
        for (size_t i = 0; i < network->width; i++)
            if (steep_walk_unit(&walk, i)) steep_dense_add(walk.size, theta[network->output + i], walk.h, out);
    }
    steep_walk_close(&walk);
    return status;
}

steep_status steep_network_units(const steep_network *network, const double *theta, size_t count, const double *x,
                                 double *h)
{
    steep_walk walk;
    steep_status status = steep_walk_open(&walk, network, theta, count, x, 0);
    while (status >= 0 && steep_walk_next(&walk))
        for (size_t i = 0; i < network->width; i++) {
            double *out = h + i * count + walk.first;
            if (steep_walk_unit(&walk, i)) memcpy(out, walk.h, walk.size * sizeof(double));
            else memset(out, 0, walk.size * sizeof(double));
        }
    steep_walk_close(&walk);
    return status;
}

/* Jacobian columns of unit i at fixed moments. J points at the tile's first row. Of a shared map, only the column of
 * the bias is summed over units here; shared_columns makes the other columns from it. */
static void unit_columns(const steep_walk *walk, size_t i, bool open, double *J, size_t ld)
{
    const steep_network *network = walk->network;
    size_t own = network->counts.branches + network->counts.scalars;
    size_t direct = network->inputs - network->counts.moments;
    double D = steep_walk_output(walk, i);
    for (size_t j = 0; j < own; j++) {
        const steep_walk_parameters p = steep_walk_input(walk, j, i);
        for (size_t f = 0; f < p.count; f++)
            if (open) scale(walk->size, walk->g[j], D, p.phi[f], J + (p.first + f) * ld);
            else memset(J + (p.first + f) * ld, 0, walk->size * sizeof(double));
    }
    for (size_t j = own; open && j < direct; j++) {
        const steep_walk_parameters p = steep_walk_input(walk, j, i);
        steep_dense_add(walk->size, D, walk->g[j], J + (p.first + p.count - 1) * ld);
    }
    if (walk->weight) return;
    if (open) memcpy(J + (network->output + i) * ld, walk->h, walk->size * sizeof(double));
    else memset(J + (network->output + i) * ld, 0, walk->size * sizeof(double));
}

/* Adds sum_r Y_r (1/n) m_r'(z_i) dz_i to the columns of first branches. Y_r at point k is Y[r * STEEP_TILE + k]. */
static void moment_columns(steep_walk *walk, const double *Y, double *J, size_t ld)
{
    const steep_network *network = walk->network;
    double slope[STEEP_TILE], part[STEEP_TILE], share = 1.0 / steep_network_moment_units(network);
    for (size_t i = 0; i < network->width; i++) {
        double m[STEEP_MAX_MOMENTS], d1[STEEP_MAX_MOMENTS], d2[STEEP_MAX_MOMENTS];
        steep_walk_branch(walk, 0, i);
        for (size_t k = 0; k < walk->size; k++) {
            network->architecture->moment(&network->choice, walk->in[0][k], m, d1, d2);
            slope[k] = 0.0;
            for (size_t r = 0; r < network->counts.moments; r++) slope[k] += Y[r * STEEP_TILE + k] * d1[r];
        }
        const double *const *phi = walk->phi[network->counts.map[0]];
        for (size_t f = 0; f < network->features[0]; f++) {
            scale(walk->size, slope, share, phi[f], part);
            steep_dense_add(walk->size, 1, part, J + (steep_network_gate(network, i) + f) * ld);
        }
    }
}

/* Columns of the weights w_f of each shared map, from the column of its bias b: dy/dw_f = x_f dy/db. */
static void shared_columns(const steep_walk *walk, double *J, size_t ld)
{
    const steep_network *network = walk->network;
    size_t d = network->fan_in;
    for (size_t s = 0; s < network->counts.shared_maps; s++) {
        double *map = J + (network->shared_maps + s * (d + 1)) * ld;
        for (size_t f = 0; f < d; f++)
            scale(walk->size, map + d * ld, 1.0, walk->phi[STEEP_MAP_AFFINE][f], map + f * ld);
    }
}

typedef struct jacobian {
    double *y, *J; /* y may be NULL */
    size_t ld;
} jacobian;

/* All columns of the current tile, and y. */
static void tile_columns(steep_walk *walk, void *context)
{
    const steep_network *network = walk->network;
    const jacobian *into = context;
    const size_t ld = into->ld;
    double *J = into->J + walk->first, *y = into->y && !walk->weight ? into->y + walk->first : NULL;
    double Y[STEEP_MAX_MOMENTS * STEEP_TILE] = {0.0};
    size_t moments = network->counts.moments, before = network->inputs - moments;
    const size_t end = network->shared_scalars + network->counts.shared_scalars;
    for (size_t p = network->shared_maps; p < end; p++) memset(J + p * ld, 0, walk->size * sizeof(double));
    for (size_t k = 0; k < walk->size && !walk->weight; k++) {
        J[network->bias * ld + k] = 1.0;
        if (y) y[k] = walk->theta[network->bias] + 0.0;
    }
    for (size_t i = 0; i < network->width; i++) {
        bool open = steep_walk_unit(walk, i);
        double D = steep_walk_output(walk, i);
        unit_columns(walk, i, open, J, ld);
        if (open && y) steep_dense_add(walk->size, D, walk->h, y);
        for (size_t r = 0; open && r < moments; r++)
            steep_dense_add(walk->size, D, walk->g[before + r], Y + r * STEEP_TILE);
    }
    shared_columns(walk, J, ld);
    if (moments) moment_columns(walk, Y, J, ld);
}

steep_status steep_network_jacobian(const steep_network *network, const double *theta, size_t count, const double *x,
                                    double *y, double *J, size_t ld)
{
    jacobian into = {y, J, ld};
    const steep_visit down = {.theta = theta, .x = x, .count = count, .tile = tile_columns, .context = &into};
    return steep_walk_down(network, &down);
}

/* Adds the squares of unit i's rounding errors to sum[k], one rounding as 1: (size of the perturbed term)^2. A product
 * or partial sum of z_b counts times D dh/dz_b. One rounding of each input, times its derivative, stands for the
 * roundings inside the unit (each term of its formula is an input times its derivative); h and D h add two. */
static void unit_roundings(steep_walk *walk, size_t i, double *sum)
{
    const steep_network *network = walk->network;
    double D = steep_walk_output(walk, i), part[STEEP_TILE];
    steep_walk_own(walk, i);
    for (size_t j = 0; j < network->inputs; j++) {
        const steep_walk_parameters p = steep_walk_input(walk, j, i);
        bool map = j < network->counts.branches || p.count > 1;
        memset(part, 0, walk->size * sizeof(double));
        for (size_t f = 0; f < (map ? p.count : 0); f++) {
            double w = walk->theta[p.first + f];
            for (size_t k = 0; k < walk->size; k++) {
                double term = w * (p.phi[f] ? p.phi[f][k] : 1.0), slope = D * walk->g[j][k];
                part[k] += term;
                if (p.phi[f]) sum[k] += slope * slope * term * term;    /* w phi */
                if (f > 0) sum[k] += slope * slope * part[k] * part[k]; /* the partial sum */
            }
        }
        for (size_t k = 0; k < walk->size; k++) {
            double term = D * walk->g[j][k] * walk->in[j][k];
            sum[k] += term * term;
        }
    }
    for (size_t k = 0; k < walk->size; k++) sum[k] += 2.0 * (D * walk->h[k]) * (D * walk->h[k]);
}

/* For each point: the sum of squared roundings, and y as far as the last layer's units are summed. */
typedef struct roundings {
    double sum[STEEP_FLOOR_POINTS], y[STEEP_FLOOR_POINTS];
} roundings;

static void add_roundings(steep_walk *walk, void *context)
{
    roundings *to = context;
    double *y = to->y + walk->first, *sum = to->sum + walk->first;
    for (size_t i = 0; i < walk->network->width; i++) {
        if (!steep_walk_unit(walk, i)) continue;
        unit_roundings(walk, i, sum);
        for (size_t k = 0; k < walk->size && !walk->weight; k++) {
            y[k] += steep_walk_output(walk, i) * walk->h[k];
            sum[k] += y[k] * y[k];
        }
    }
}

steep_status steep_network_floor(const steep_network *network, const double *theta, size_t count, const double *x,
                                 double *floor)
{
    roundings of = {.sum = {0.0}};
    double total = 0.0;
    size_t looked = count < STEEP_FLOOR_POINTS ? count : STEEP_FLOOR_POINTS;
    double *point = calloc(looked * network->dim + 1, sizeof *point);
    *floor = NAN;
    if (!point) return STEEP_NO_MEMORY;
    for (size_t k = 0; k < looked; k++) { /* the middles of 64 stretches of equal length */
        size_t at = (2 * k + 1) * count / (2 * looked);
        for (size_t j = 0; j < network->dim; j++) point[j * looked + k] = x[j * count + at];
        of.y[k] = theta[network->bias];
    }
    const steep_visit down = {.theta = theta, .x = point, .count = looked, .tile = add_roundings, .context = &of};
    const steep_status status = steep_walk_down(network, &down);
    free(point);
    for (size_t k = 0; k < looked; k++) total += of.sum[k];
    if (status < 0 || !looked) return status;
    *floor = STEEP_RMS_ROUNDING * sqrt(total / (double)looked);
    return STEEP_OK;
}
