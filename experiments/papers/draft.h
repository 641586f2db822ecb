/* SPDX-License-Identifier: GPL-3.0-or-later */
/* draft: a network of PolyReLU units in the making, layer by layer.
 *
 * Values that pass between layers are wires: linear forms of the units of the last finished layer (of x before the
 * first), with a constant. A layer is made by adding units, each a PolyReLU of a form of the old wires; the new wires
 * are forms of these units. */
#ifndef STEEP_PAPERS_DRAFT_H
#define STEEP_PAPERS_DRAFT_H

#include "papers/layers.h"

typedef struct steep_draft_layer {
    size_t width, room, inputs;
    double *unit; /* each: inputs weights, bias, e_0..e_r */
} steep_draft_layer;

typedef struct steep_draft {
    size_t dim, order, count; /* finished layers, and behind them the one in the making */
    steep_draft_layer *layer;
} steep_draft;

/* A form: basis weights, then the constant. */
typedef double *steep_wire;

void steep_draft_open(steep_draft *draft, size_t dim, size_t order);
void steep_draft_close(steep_draft *draft);

/* How many entries a wire of the finished layers has, to add units with. */
size_t steep_draft_old(const steep_draft *draft);

/* Adds the unit sum_i e_i relu(form)^i, e_0..e_order; its index in the layer. */
size_t steep_draft_unit(steep_draft *draft, const double *form, const double *e);

/* wire (of the new layer, `room` units long, then the constant) += factor sum_i c_i form^i, i = 0..order, by one unit
 * for each side of 0 (lemma 1). */
void steep_draft_polynomial(steep_draft *draft, const double *form, const double *c, double factor, size_t room,
                            steep_wire wire);

/* The layer in the making is finished; another begins. */
void steep_draft_next(steep_draft *draft);
/* Moves the constant of a wire of `room` units to where the finished layer's last unit ends. */
void steep_draft_settle(const steep_draft *draft, size_t room, steep_wire wire);

/* The network, with one output: the wire, of the last finished layer. */
steep_status steep_draft_finish(steep_draft *draft, const double *wire, steep_layers *to, steep_error *error);

#endif
