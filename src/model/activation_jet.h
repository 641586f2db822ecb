/* SPDX-License-Identifier: GPL-3.0-or-later */
/* activation_jet: the activations with two derivatives. The same lines give the same bits on any CPU and GPU
 * (numerics/elementary.h).
 *
 * At a kink the derivatives are those of the left branch: relu'(0) = 0, as in the papers' code. Every formula is
 * written so that nothing overflows or cancels for large |z|; a NaN argument gives a NaN value. */
#pragma once

#include <math.h>
#include <stddef.h>

#include "base/inline.h"
#include "model/activation.h"
#include "numerics/elementary.h"

#define STEEP_LEAK 0.01 /* leaky_relu's slope on the left */

/* 1 if the value and every derivative are exactly 0 for z <= 0: a gate that closes. */
STEEP_INLINE int steep_activation_closes(int kind)
{
#define STEEP_ACTIVATION(id, name, formula, letters, smooth, closes, ...) (closes && kind == STEEP_##id) ||
    return
#include "formula/activations.h"
        0;
}

/* k of max(0, z)^k; 0 for another activation. */
STEEP_INLINE int steep_activation_power(int kind)
{
#define STEEP_ACTIVATION(id, name, formula, letters, smooth, closes, power, ...) (kind == STEEP_##id ? power : 0) +
    return
#include "formula/activations.h"
        0;
}

STEEP_INLINE void steep_id_jet(double z, int order, double *a)
{
    a[0] = z;
    if (order >= 1) a[1] = 1.0;
    if (order >= 2) a[2] = 0.0;
}

/* max(0, z)^k. The test is z <= 0, not z > 0, so that NaN stays NaN. */
STEEP_INLINE void steep_relu_jet(int k, double z, int order, double *a)
{
    double p = steep_select(z <= 0.0, 0.0, z), slope = steep_select(z <= 0.0, 0.0, 1.0);
    double p2 = k == 2 ? slope : k == 3 ? p : p * p;  /* p^(k-2), k >= 2 */
    double p1 = k == 1 ? slope : k == 2 ? p : p2 * p; /* p^(k-1) */
    a[0] = k == 1 ? p : p1 * p;
    if (order >= 1) a[1] = k * p1;
    if (order >= 2) a[2] = k == 1 ? 0.0 : k * (k - 1) * p2;
}

STEEP_INLINE void steep_leaky_relu_jet(double z, int order, double *a)
{
    a[0] = steep_select(z <= 0.0, STEEP_LEAK * z, z);
    if (order >= 1) a[1] = steep_select(z <= 0.0, STEEP_LEAK, 1.0);
    if (order >= 2) a[2] = 0.0;
}

STEEP_INLINE void steep_relu6_jet(double z, int order, double *a)
{
    double p = z <= 0.0 ? 0.0 : z;
    a[0] = p > 6.0 ? 6.0 : p;
    if (order >= 1) a[1] = z <= 0.0 || z > 6.0 ? 0.0 : 1.0;
    if (order >= 2) a[2] = 0.0;
}

/* z Phi(z) with Phi(z) = erfc(-z / sqrt 2) / 2 and phi = Phi'. Derivatives: Phi + z phi; (2 - z^2) phi. */
STEEP_INLINE void steep_gelu_jet(double z, int order, double *a)
{
    double Phi, phi;
    steep_normal(z, &Phi, &phi);
    a[0] = z * Phi;
    if (order >= 1) a[1] = Phi + z * phi;
    if (order >= 2) a[2] = (2.0 - z * z) * phi;
}

/* z s with s = sigmoid(z) and c = 1 - s. Derivatives: s + z s c; s c (2 + z (c - s)). */
STEEP_INLINE void steep_silu_jet(double z, int order, double *a)
{
    double s, c;
    steep_sigmoid_pair(z, &s, &c);
    a[0] = z * s;
    if (order >= 1) a[1] = s * (1.0 + z * c);
    if (order >= 2) a[2] = s * c * (2.0 + z * (c - s));
}

/* The slope 1 - tanh(z)^2 is 4 s c with s = sigmoid(2 z), c = 1 - s, which does not cancel for large |z|. */
STEEP_INLINE void steep_tanh_jet(double z, int order, double *a)
{
    double s, c, E = steep_exp(-2.0 * fabs(z));
    a[0] = steep_tanh_of(z, E);
    steep_sigmoid_of(z, E, &s, &c);
    if (order >= 1) a[1] = 4.0 * s * c;
    if (order >= 2) a[2] = -2.0 * a[0] * a[1];
}

STEEP_INLINE void steep_sigmoid_jet(double z, int order, double *a)
{
    double s, c;
    steep_sigmoid_pair(z, &s, &c);
    a[0] = s;
    if (order >= 1) a[1] = s * c;
    if (order >= 2) a[2] = s * c * (c - s);
}

/* log(1 + exp z) = max(z, 0) + log1p(exp(-|z|)) */
STEEP_INLINE void steep_softplus_jet(double z, int order, double *a)
{
    double s, c, t = steep_exp(-fabs(z));
    a[0] = steep_select(z <= 0.0, 0.0, z) + steep_log1p(t);
    steep_sigmoid_of(z, t, &s, &c);
    if (order >= 1) a[1] = s;
    if (order >= 2) a[2] = s * c;
}

/* z T with T = tanh(softplus z) = e (e + 2) / (e^2 + 2 e + 2), e = exp z; 1 - T = 2 / (e^2 + 2 e + 2),
 * T' = (1 - T)(1 + T) s. For z > 0 numerator and denominator are divided by e^2. */
STEEP_INLINE void steep_mish_jet(double z, int order, double *a)
{
    const double t = steep_exp(-fabs(z));
    const double q = steep_select(z <= 0.0, t * t + 2.0 * t + 2.0, 1.0 + 2.0 * t + 2.0 * t * t);
    const double T = steep_select(z <= 0.0, t * (t + 2.0), 1.0 + 2.0 * t) / q;
    a[0] = z * T;
    if (order >= 1) {
        double s, c, R = steep_select(z <= 0.0, 2.0, 2.0 * t * t) / q; /* 1 - T */
        steep_sigmoid_of(z, t, &s, &c);
        double S = R * (1.0 + T), T1 = S * s;
        a[1] = T + z * T1;
        if (order >= 2) a[2] = 2.0 * T1 + z * (S * s * c - 2.0 * T * T1 * s);
    }
}

/* z for z > 0, else exp(z) - 1. elu and celu are the same function, since their parameter a is 1. */
STEEP_INLINE void steep_elu_jet(double z, int order, double *a)
{
    const double n = steep_select(z > 0.0, 0.0, z);
    a[0] = steep_select(z > 0.0, z, steep_expm1(n));
    if (order >= 1) a[1] = steep_exp(n); /* 1 for z > 0 */
    if (order >= 2) a[2] = steep_select(z > 0.0, 0.0, a[1]);
}

/* a[0..order], order <= 2: value and derivatives of the activation of that kind; NaN for a kind that is none. */
STEEP_INLINE void steep_activation_jet(int kind, double z, int order, double *a)
{
    switch (kind) {
#define STEEP_ACTIVATION(id, name, formula, letters, smooth, closes, power, jet)                                       \
    case STEEP_##id:                                                                                                   \
        jet;                                                                                                           \
        break;
#include "formula/activations.h"
    default:
        a[0] = NAN;
        if (order >= 1) a[1] = NAN;
        if (order >= 2) a[2] = NAN;
    }
}

/* steep_activation_tile for one point: device code, where a unit's loops have one point. */
#if defined(__CUDACC__) || defined(STEEP_ONE_POINT)
STEEP_OUTLINED void steep_activation_at(int kind, double z, int order, double *const *jet)
{
    double a[3];
    steep_activation_jet(kind, z, order, a);
    jet[0][0] = a[0];
    if (order >= 1) jet[1][0] = a[1];
    if (order >= 2) jet[2][0] = a[2];
}
#endif

/* Columns of an activation over a tile, for the loops of units: on the CPU steep_activation_tile. */
STEEP_INLINE void steep_activation_columns(int kind, size_t count, const double *z, int order, double *const *jet)
{
#if defined(__CUDA_ARCH__) || defined(STEEP_ONE_POINT)
    for (size_t k = 0; k < count; k++) steep_activation_at(kind, z[k], order, jet);
#else
    steep_activation_tile(kind, count, z, order, jet);
#endif
}
