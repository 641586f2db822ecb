/* SPDX-License-Identifier: GPL-3.0-or-later */
/* network: y(x) = d + sum_{i<n} D_i h_i(x): parameters, values, Jacobian, Hessian. The dense road: any unit, any
 * dimension. */
#ifndef STEEP_MODEL_NETWORK_H
#define STEEP_MODEL_NETWORK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "model/architecture.h"

/* The flat parameter vector theta, in blocks:
 *   branch b:       theta[branch[b] + i * features[b] + f]     unit i, feature f (layout of steep_map)
 *   scalars:        theta[scalars + i * E + e]
 *   shared maps:    theta[shared_maps + s * (dim + 1) + f]     slopes, then bias
 *   shared scalars: theta[shared_scalars + a]
 *   output:         theta[output + i]                          D_i
 *   bias:           theta[bias]                                d */
typedef struct steep_network {
    const steep_architecture *architecture;
    steep_choice choice;
    steep_counts counts;
    size_t dim, width;
    size_t features[STEEP_MAX_BRANCHES], branch[STEEP_MAX_BRANCHES];
    size_t scalars, shared_maps, shared_scalars, output, bias;
    size_t parameters; /* P */
    size_t inputs;     /* m */
} steep_network;

/* Where unit i's coefficients of branch b begin in theta, features[b] of them. Branch 0 is its gate. */
static inline size_t steep_network_place(const steep_network *network, size_t b, size_t i)
{
    return network->branch[b] + i * network->features[b];
}

static inline size_t steep_network_gate(const steep_network *network, size_t i)
{
    return steep_network_place(network, 0, i);
}

/* What the sums of a layer's moments are divided by: the width, or 1 where a row takes the sums themselves. */
static inline double steep_network_moment_units(const steep_network *network)
{
    return network->counts.summed ? 1.0 : (double)network->width;
}

/* Lays out a network. Width 0, dim 0 or P above 2^26 are STEEP_BAD_INPUT; nothing else bounds the dimension. */
steep_status steep_network_init(steep_network *network, const steep_architecture *architecture,
                                const steep_choice *choice, size_t dim, size_t width, steep_error *error);

/* phi(x) of a map: writes steep_map_features(map, dim) numbers. */
size_t steep_map_features(steep_map map, size_t dim);
void steep_map_evaluate(steep_map map, size_t dim, const double *x, double *phi);

/* y[k] = y(x_k), k < count, x column-major as in samples. The plain formula in double: for each unit z_b = sum_f W_f
 * phi_f, then h, then y += D h in order of units. Where a gate is exactly 0 on a whole tile of points (relu kinds), as
 * the tile's box tells, the unit is skipped: adding an exact 0 changes no bit. O(count * width). Fails only with
 * STEEP_NO_MEMORY. */
steep_status steep_network_values(const steep_network *network, const double *theta, size_t count, const double *x,
                                  double *y);

/* As above with the Jacobian: J[k + p * ld] = d y(x_k) / d theta_p, column-major, ld >= count. y may be NULL. */
steep_status steep_network_jacobian(const steep_network *network, const double *theta, size_t count, const double *x,
                                    double *y, double *J, size_t ld);

/* Values (y may be NULL) and the gradient in x: gradient[j * count + k] = dy/dx_j at point k, layout as x. At a kink,
 * the activation's own derivative there. O(count * width * m * dim). Fails only with STEEP_NO_MEMORY. */
steep_status steep_network_input_gradient(const steep_network *network, const double *theta, size_t count,
                                          const double *x, double *y, double *gradient);

/* What steep_network_input_jacobian fills, for count points x (column-major as in samples): y[k]; J[k + p * count] =
 * d y(x_k)/d theta_p; gradient[j * count + k] = dy/dx_j; slopes[(j * P + p) * count + k] = d(dy/dx_j)/d theta_p. */
typedef struct steep_input_jacobian {
    size_t count;
    const double *x;
    double *y, *J, *gradient, *slopes;
} steep_input_jacobian;

/* Values and gradient in x, both with their derivatives in the parameters; at a kink the activation's own. O(count *
 * width * m^2 * dim). STEEP_BAD_INPUT for units that a norm couples, STEEP_NO_MEMORY. */
steep_status steep_network_input_jacobian(const steep_network *network, const double *theta,
                                          const steep_input_jacobian *out, steep_error *error);

/* Points x (column-major as in samples) with residuals r and weights w, count of each; weight NULL: all 1/count. */
typedef struct steep_residuals {
    size_t count;
    const double *x, *residual, *weight;
} steep_residuals;

/* Column sums without the Jacobian: gradient[p] = sum_k w_k r_k d y(x_k)/d theta_p, the gradient of (1/2) sum_k w_k
 * r_k^2, and square[p] = sum_k w_k (d y(x_k)/d theta_p)^2, both of P entries; Only parameters with active[p] (NULL:
 * all) are summed, the others are 0. O(count * width * m), memory O(P + count). Fails only with STEEP_NO_MEMORY. */
steep_status steep_network_gradient(const steep_network *network, const double *theta, const steep_residuals *residuals,
                                    const unsigned char *active, double *gradient, double *square);

/* H += sum_k v_k d^2 y(x_k) / d theta^2, lower triangle (column-major P x P, H[p + q * P], p >= q). Exact, with the
 * kinks' own (distributional) terms left out. O(count * width * m^2 + coupling). */
steep_status steep_network_curvature(const steep_network *network, const double *theta, size_t count, const double *x,
                                     const double *v, double *H);

/* Hidden units alone: h[k + i * count] = h_i(x_k) (figures show them). */
steep_status steep_network_units(const steep_network *network, const double *theta, size_t count, const double *x,
                                 double *h);

/* A running-error estimate of the rounding in y over the given points: sqrt of the mean over k of (u^2 sum over
 * operations of (size of the term that each rounding perturbs)^2), u = 0.42 2^-53 the rms of a rounding: the floor that
 * an RMSE measured with this network cannot get under. Looks at no more than 64 points spread over the set. *floor: NaN
 * without points, where the network is not finite, and without memory. */
steep_status steep_network_floor(const steep_network *network, const double *theta, size_t count, const double *x,
                                 double *floor);

#endif
