/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layers: networks of several layers, each of the units of any row of the table:
 *
 *   v_0 = x,   v_l = (h_1, .., h_{n_l})(v_{l-1}),   y = W v_L + b.
 *
 * One layer is the network of model/network.h; a plain activation is row mlp. Values and, for units that are
 * polynomials, or piecewise polynomials at rational points, exact results. */
#ifndef STEEP_PAPERS_LAYERS_H
#define STEEP_PAPERS_LAYERS_H

#include "model/network.h"
#include "papers/polynomial.h"

/* A hidden layer. */
typedef struct steep_layer {
    const steep_architecture *architecture;
    const steep_choice *choice; /* NULL: the row's default */
    size_t width;
} steep_layer;

typedef struct steep_layers {
    size_t dim, count;    /* of x; L */
    steep_network *layer; /* count */
    /* Where in theta layer l begins: laid out as network.h says, of which only the part before its output block counts.
     * place[count]: W, then b. */
    size_t *place;
    size_t parameters, entries; /* that count; of theta */
    double *theta;
} steep_layers;

/* Lays out a network with all parameters 0. STEEP_BAD_INPUT for what steep_network_init refuses, and for no layers. The
 * caller frees. */
steep_status steep_layers_init(steep_layers *layers, size_t dim, size_t count, const steep_layer *layer,
                               steep_error *error);
void steep_layers_free(steep_layers *layers);

/* W, then b. */
double *steep_layers_output(const steep_layers *layers);

/* Hidden units; parameters that are not 0, of those that count. */
size_t steep_layers_units(const steep_layers *layers);
size_t steep_layers_nonzero(const steep_layers *layers);

/* y[k] at points x (column-major), in double: layer after layer as steep_network_units, then weights in order and b
 * last. Fails only with STEEP_NO_MEMORY. */
steep_status steep_layers_values(const steep_layers *layers, size_t count, const double *x, double *y);

/* y = the network of x_0, .., x_{dim-1}, exactly, each parameter being the rational number that its double is: at
 * variables the network's expansion, at numbers its value. STEEP_BAD_INPUT where a unit is no polynomial, or piecewise
 * one and x no number (papers/exact.h). */
steep_status steep_layers_exact(const steep_layers *layers, const steep_polynomial *const *x, steep_polynomial *y,
                                steep_error *error);

#endif
