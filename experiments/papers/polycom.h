/* SPDX-License-Identifier: GPL-3.0-or-later */
/* polycom: the networks that the proofs of "Polynomial composition activations" (Zhuo and others) build, with units of
 * row polyrelu-own: PolyReLU of order r, h = sum_{i<=r} e_i relu(z)^i, coefficients per unit. "Exactly" below: in exact
 * arithmetic (steep_layers_exact); in double up to rounding. The caller frees every network. */
#ifndef STEEP_PAPERS_POLYCOM_H
#define STEEP_PAPERS_POLYCOM_H

#include "data/target.h"
#include "papers/layers.h"

#define STEEP_POLYCOM_ORDER 24 /* largest r */

/* Lemma 1 and theorem 1: a network of PolyReLU of that order, equal to `from` everywhere. Each unit of `from` is a
 * function of one branch, a polynomial on each side of z = 0 and continuous there: relu, relu^k, leaky_relu, id,
 * hermite, prelu, polyrelu, polyprelu, la of such, or a unit by formula. It becomes PolyReLU_1(z) where it is constant for
 * z < 0 (relu^k, "of the same size"), else PolyReLU_1(z) + PolyReLU_2(-z), two units (eq. 14), whose constant stands in
 * the first alone: eq. 13, z^i = relu(z)^i + (-1)^i relu(-z)^i, is false for i = 0, where its right side is 2. Each
 * unit's polynomials are found exactly from its formula; their coefficients are rounded to double (those of relu^k, id
 * and polyrelu are doubles). STEEP_BAD_INPUT where a unit is none of these or needs a higher order. */
steep_status steep_polycom_represent(const steep_layers *from, size_t order, steep_layers *to, steep_error *error);

/* Lemma A.4: y = x^k exactly, order r from 2 on; k = sum_i c_i r^i, K = floor(log_r k). Products are exact:
 * uv = ((u + v)^2 - (u - v)^2)/4 and z^2 = relu(z)^2 + relu(-z)^2.
 *   towers    the paper's: a chain of powers r for each digit, x^{c_i r^i} in i + 1 layers, all ending together, then
 *             the product of all in pairs. O(log^2 k) units.
 *   running   one chain x, x^r, x^{r^2}, .., beside it the product so far: at most 8 units a layer, K + 2 layers:
 *             O(log k) units. */
typedef enum steep_power_form { STEEP_POWER_TOWERS, STEEP_POWER_RUNNING } steep_power_form;
steep_status steep_polycom_power(unsigned long k, size_t order, steep_power_form form, steep_layers *to,
                                 steep_error *error);

/* x^2 on [0, 1] by relu alone (lemma A.2 and the sawtooth of Telgarsky and Yarotsky): m stages, a layer of 3 units
 * each (the first: 2). With the tooth T(x) = 2x up to 1/2, 2 - 2x from there,
 *   y = x - sum_{s=1..m} T^s(x) / 4^s,
 * the line through x^2 at the ends of 2^m equal cells: its error is 4^-(m+1) in each, exactly. centred: lowered by half
 * of that, which makes it 1/(8 p^2), p = 2^m, the least that p pieces can have. 1 <= m <= 500. */
steep_status steep_polycom_sawtooth(size_t stages, bool centred, steep_layers *to, steep_error *error);

/* Theorem 3: f_N(x) = sum_m phi_m(x) P_m(x), m in {-N..N}^d, on [-1, 1]^d, d = 1 or 2, exactly: phi_m trapezoids of
 * slope 3N that add to 1, P_m the Taylor polynomial of f at m/N of degree n - 1, with coefficients and breaks rounded
 * to double. d = 1: one layer of 4N + 1 units of order n, a gate at -1, one at each of the 4N breaks (3m +- 1)/(3N).
 * d = 2: the same gates in x_1 and in x_2, a power each, then sum A(x_1) C(x_2) by products, 2n(4N + 1) and
 * 4n(2N + 1) units.
 * n from 1 to 8, N to 2^16. STEEP_BAD_INPUT where a derivative of f is not finite. */
steep_status steep_polycom_taylor(const steep_target *target, size_t n, size_t N, steep_layers *to, steep_error *error);

/* (1/n!) (2d/(3N))^n: what |f - f_N| is at most, times max over |k| = n of sup |D^k f|. The paper has 2^d times as much
 * (eq. 29); since the phi_m add to 1 the mean of the errors of the P_m replaces their sum. */
double steep_polycom_taylor_bound(size_t dim, size_t n, size_t N);

#endif
