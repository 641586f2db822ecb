/* SPDX-License-Identifier: GPL-3.0-or-later */
/* activations: the elementwise functions, in the order in which they are listed. A file that uses the list defines
 *
 *   STEEP_ACTIVATION(id, name, formula, letters, smooth, closes, power, jet)
 *
 * and includes this file: the words of formulas (formula/parse.c), the enumeration (model/activation.h), its table and
 * the loops over points (model/activation.c, activation_jet.h). A new activation is a function in
 * model/activation_jet.h, and its row here.
 *
 *   id       STEEP_<id> is its number
 *   name     in options, rows of fits.csv and formulas
 *   formula  in z, with names of earlier rows and words of formulas (formula/program.h); tests compare the jet with it
 *   letters  in a dictionary (--dictionary gsr2l); "": it cannot stand in one
 *   smooth   1: it has all derivatives everywhere
 *   closes   1: value and derivatives are exactly 0 for z <= 0, so that closed stretches are skipped
 *   power    k where it is max(0, z)^k, else 0
 *   jet      the call that writes value and derivatives of z to a[0..order] */
#ifndef STEEP_ACTIVATION
#define STEEP_ACTIVATION(id, ...)
#endif

/* clang-format off */
STEEP_ACTIVATION(ID, "id", "z", "i", 1, 0, 0, steep_id_jet(z, order, a))
STEEP_ACTIVATION(RELU, "relu", "max(0, z)", "r", 0, 1, 1, steep_relu_jet(1, z, order, a))
STEEP_ACTIVATION(RELU2, "relu2", "relu(z)^2", "r2", 0, 1, 2, steep_relu_jet(2, z, order, a))
STEEP_ACTIVATION(RELU3, "relu3", "relu(z)^3", "", 0, 1, 3, steep_relu_jet(3, z, order, a))
STEEP_ACTIVATION(RELU4, "relu4", "relu(z)^4", "", 0, 1, 4, steep_relu_jet(4, z, order, a))
STEEP_ACTIVATION(LEAKY_RELU, "leaky_relu", "relu(z) - 0.01*relu(-z)", "l", 0, 0, 0, steep_leaky_relu_jet(z, order, a))
STEEP_ACTIVATION(RELU6, "relu6", "min(relu(z), 6)", "", 0, 1, 0, steep_relu6_jet(z, order, a))
STEEP_ACTIVATION(GELU, "gelu", "z*erfc(-z/sqrt(2))/2", "g", 1, 0, 0, steep_gelu_jet(z, order, a))
STEEP_ACTIVATION(SILU, "silu", "z*sigmoid(z)", "s", 1, 0, 0, steep_silu_jet(z, order, a))
STEEP_ACTIVATION(TANH, "tanh", "tanh(z)", "t", 1, 0, 0, steep_tanh_jet(z, order, a))
STEEP_ACTIVATION(SIGMOID, "sigmoid", "1/(1 + exp(-z))", "", 1, 0, 0, steep_sigmoid_jet(z, order, a))
STEEP_ACTIVATION(SOFTPLUS, "softplus", "max(0, z) + log1p(exp(-abs(z)))", "", 1, 0, 0, steep_softplus_jet(z, order, a))
STEEP_ACTIVATION(MISH, "mish", "z*tanh(softplus(z))", "", 1, 0, 0, steep_mish_jet(z, order, a))
STEEP_ACTIVATION(ELU, "elu", "max(z, 0) + expm1(min(0, z))", "", 0, 0, 0, steep_elu_jet(z, order, a))
STEEP_ACTIVATION(CELU, "celu", "max(z, 0) + expm1(min(0, z))", "", 0, 0, 0, steep_elu_jet(z, order, a))
/* clang-format on */

#undef STEEP_ACTIVATION
