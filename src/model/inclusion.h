/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inclusion: a network written as one of a larger kind, the same function of x: fixed activations as coefficients, and
 * coefficients as gates that do not depend on x (paper "Mixture of activations", appendices B.1.1 and B.2.1). */
#ifndef STEEP_MODEL_INCLUSION_H
#define STEEP_MODEL_INCLUSION_H

#include "base/status.h"
#include "model/network.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes into included (to->parameters entries) the parameters with which "to" is the function that "from" is with
 * theta. Both have the same dimension and width. Exact but for rounding: the two differ by some eps of sum_i |D_i| (the
 * sum of |weight| |term| over the terms of h_i). What is a part of what:
 *
 *   mlp       in la, moa, and with id in the dictionary in all below    coefficients (0, .., 1, .., 0)
 *   glu       in bi-la, bi-moa, qd-la, qd-moa; with silu in one-la, one-moa
 *   la        in moa; one-la in one-moa; bi-la in bi-moa; qd-la in qd-moa
 *   one-la    in bi-la, one-moa in bi-moa, with silu in the dictionary
 *   one-, bi- in qd-, where one order of the two branches suits all pairs: sums over k <= l hold one of (k, l) and (l,
 *   k) blend-layer-plain in bi-la, qd-la and what holds these; in blend-layer; blend-plain and blend-layer in blend
 *   all       in themselves with a larger dictionary, in any order (moa with tanh alone: other gates have no weight 0)
 *
 * A coefficient a_c is a gate without slopes, phi(s_c) = rho a_c, D/rho, rho a power of two with rho |a_c| <= 1/2:
 *   tanh     s_c = artanh(rho a_c), any a
 *   sigmoid  s_c = log(rho a_c / (1 - rho a_c)), where all a_c have one sign (which D takes) and none is 0
 *   softmax  s_c = log(a_c), D sum_c a_c, likewise: weights of softmax are above 0 and have the sum 1
 * STEEP_BAD_INPUT, with the reason, where the larger kind does not hold the smaller in this way. O(P). */
steep_status steep_network_include(const steep_network *from, const double *theta, const steep_network *to,
                                   double *included, steep_error *error);

#ifdef __cplusplus
}
#endif

#endif
