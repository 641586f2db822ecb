/* SPDX-License-Identifier: GPL-3.0-or-later */
/* activation: the elementwise functions, by name ("steep list activations" prints them). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "steep/network.h"

/* STEEP_RELU, ...: the rows of formula/activations.h. */
typedef enum steep_activation {
#define STEEP_ACTIVATION(id, ...) STEEP_##id,
#include "formula/activations.h"
    STEEP_ACTIVATIONS, /* how many there are */
    STEEP_SOFTMAX      /* only a gate function of mixtures, whose gates it couples */
} steep_activation;

/* Formula of an activation in z, in the words of the formula parser; NULL past the last. */
const char *steep_activation_formula(size_t index);

/* Does the activation have all derivatives everywhere? False for an unknown kind. */
bool steep_activation_smooth(int kind);

/* Gate functions of a mixture: "tanh", "sigmoid", "softmax"; NULL past the last. */
const char *steep_gate_names(size_t index);
/* STEEP_TANH, STEEP_SIGMOID or STEEP_SOFTMAX, -1 if the name is none of them. */
int steep_gate_find(const char *name);
const char *steep_gate_name(int gate);

/* jet[j][k] = j-th derivative at z[k], j <= order <= 2, k < count, the same bits on every processor; NaN for an unknown
 * kind. At a kink the derivatives are those of the left branch. */
void steep_activation_tile(int kind, size_t count, const double *z, int order, double *const *jet);
