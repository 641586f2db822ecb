/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layers: networks of several layers, each of the units of any row of the table:
 *
 *   v_0 = x,   v_l = (h_1, .., h_{n_l})(v_{l-1}),   y = W v_L + b,
 *
 * where a layer, and the outputs too, may take x behind the units of the layer before (skip). One layer of one output
 * is the network of model/network.h; a plain activation is row mlp. Values, the gradient in x, and, for units that are
 * polynomials, or piecewise polynomials at rational points, exact results. */
#ifndef STEEP_PAPERS_LAYERS_H
#define STEEP_PAPERS_LAYERS_H

#include "model/network.h"
#include "papers/core_numerics.h"

/* A hidden layer. */
typedef struct steep_layer {
    const steep_architecture *architecture;
    const steep_choice *choice; /* NULL: the row's default */
    size_t width;
    bool skip; /* takes x too; of no use in the first layer */
} steep_layer;

typedef struct steep_layers {
    size_t dim, outputs, count; /* of x; of y; L */
    steep_network *layer;       /* count; layer[l].dim: the units before, and dim more with skip */
    bool *skip;                 /* count + 1; the last: of the outputs */
    /* Where in theta layer l begins: laid out as network.h says, of which what stands before its output block counts.
     * place[count]: the outputs, one after the other, each the weights of the last units, of x with skip, and b. */
    size_t *place;
    size_t parameters, entries; /* that count; of theta */
    double *theta;
} steep_layers;

/* Lays out a network with all parameters 0. STEEP_BAD_INPUT for what steep_network_init refuses, no outputs, no layers.
 * The caller frees. */
steep_status steep_layers_init(steep_layers *layers, size_t dim, size_t outputs, size_t count, const steep_layer *layer,
                               bool skip_output, steep_error *error);
void steep_layers_free(steep_layers *layers);

/* Row o of the outputs: weights, then b; `inputs` of them and one. */
double *steep_layers_output(const steep_layers *layers, size_t o, size_t *inputs);

/* Hidden units; parameters that are not 0, of those that count. */
size_t steep_layers_units(const steep_layers *layers);
size_t steep_layers_nonzero(const steep_layers *layers);

/* y[k + o * count] at points x (column-major), in double: layer after layer as steep_network_units, then weights in
 * order and b last. Fails only with STEEP_NO_MEMORY. */
steep_status steep_layers_values(const steep_layers *layers, size_t count, const double *x, double *y);

/* dy_o/dx_j at point k into gradient[j * count + k], by the chain rule from the outputs back. At a kink, the
 * activation's own derivative. Fails only with STEEP_NO_MEMORY. */
steep_status steep_layers_input_gradient(const steep_layers *layers, size_t o, size_t count, const double *x,
                                         double *gradient);

/* y_o = the network of x_0, .., x_{dim-1}, exactly, each parameter being the rational number that its double is: at
 * variables the network's expansion, at numbers its value. STEEP_BAD_INPUT where a unit is no polynomial, or piecewise
 * one and x no number (formula/exact.h). */
steep_status steep_layers_exact(const steep_layers *layers, const steep_polynomial *const *x, steep_polynomial **y,
                                steep_error *error);

#endif
