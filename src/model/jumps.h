/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jumps: a unit of a gated row from the jump that it makes, for the CPU and as device code.
 *
 * A gate G = sign, g = -sign t is open where sign (x - t) > 0, and there the unit is sign s p(x) with s = x - t (mlp
 * with relu^k: (sign s)^k). So its branches are read off p, from
 *
 *   D sign s p(x) = sum_{j>=1} jump_j s^j,   that is   p = (D sign)^{-1} (jump_1 + jump_2 s + jump_3 s^2 + ..).
 *
 * Everything is computed in long double and rounded once. G stays +-1 and D too, but for the mlp: nothing else is
 * balanced. */
#ifndef STEEP_MODEL_JUMPS_H
#define STEEP_MODEL_JUMPS_H

#include "base/long.h"
#include "model/architecture.h"

#ifdef __cplusplus
typedef struct steep_jump_head { /* steep_head */
    double sign;
    steep_long t, origin;
    size_t m;
    steep_long b, c;
} steep_jump_head;
#else
typedef steep_head steep_jump_head;
#endif

/* The degree of mlp as a spline: k of relu^k, k <= 4; 0 with another activation. */
STEEP_INLINE size_t steep_jump_mlp_degree(const steep_choice *choice)
{
    return choice->activation >= STEEP_RELU && choice->activation <= STEEP_RELU4
               ? 1 + (size_t)(choice->activation - STEEP_RELU)
               : 0;
}

STEEP_SHARED void steep_jump_set_gate(double sign, steep_long t, double coefficients[STEEP_MAX_BRANCHES][3])
{
    coefficients[0][0] = sign;
    coefficients[0][1] = (double)(-sign * t);
}

STEEP_SHARED bool steep_jump_mlp(const steep_choice *choice, double sign, steep_long t, const steep_long *jump,
                                 double coefficients[STEEP_MAX_BRANCHES][3], double *output)
{
    const size_t degree = steep_jump_mlp_degree(choice);
    if (!degree) return false;
    for (size_t j = 1; j < degree; j++)
        if (jump[j] != 0) return false;
    steep_jump_set_gate(sign, t, coefficients);
    *output = (double)(degree % 2 ? sign * jump[degree] : jump[degree]);
    return true;
}

STEEP_SHARED bool steep_jump_glu(const steep_choice *choice, double sign, steep_long t, const steep_long *jump,
                                 double coefficients[STEEP_MAX_BRANCHES][3], double *output)
{
    (void)choice;
    steep_jump_set_gate(sign, t, coefficients);
    coefficients[1][0] = (double)(sign * jump[2]);
    coefficients[1][1] = (double)(sign * (jump[1] - jump[2] * t));
    *output = 1.0;
    return true;
}

/* p = jump_1 + jump_2 s + jump_3 s^2 must split into two real linear factors, z_U z_Q. */
STEEP_SHARED bool steep_jump_gqu(const steep_choice *choice, double sign, steep_long t, const steep_long *jump,
                                 double coefficients[STEEP_MAX_BRANCHES][3], double *output)
{
    (void)choice;
    steep_long slope = jump[3], value = jump[2], root = 0; /* p = (value + slope s) (s - root) */
    double Q = 1.0;
    if (jump[3] == 0) { /* p = (jump_1 + jump_2 s) 1 */
        slope = jump[2];
        value = jump[1];
        Q = 0.0;
    } else if (jump[1] != 0) {
        steep_long discriminant = jump[2] * jump[2] - 4 * jump[1] * jump[3];
        if (!(discriminant >= 0)) return false;
        /* far = jump_3 times the root of larger size, free of cancellation; it is not 0, for jump_1 jump_3 is not */
        steep_long far = -0.5 * (jump[2] + steep_long_copysign(steep_long_sqrt(discriminant), jump[2]));
        value = -far;
        root = jump[1] / far;
    }
    steep_jump_set_gate(sign, t, coefficients);
    coefficients[1][0] = (double)(sign * slope);
    coefficients[1][1] = (double)(sign * (value - slope * t));
    coefficients[2][0] = Q;
    coefficients[2][1] = Q == 0.0 ? 1.0 : (double)-(t + root);
    *output = 1.0;
    return true;
}

/* p in powers of x: c[j], j < 4, from the jumps of a unit of that degree <= 4. */
STEEP_SHARED void steep_jump_about_zero(size_t degree, steep_long t, const steep_long *jump, steep_long c[4])
{
    for (size_t j = 0; j < 4; j++) c[j] = j < degree ? jump[j + 1] : 0;
    for (size_t pass = 0; pass + 1 < degree; pass++) /* repeated synthetic division: s = x - t */
        for (size_t j = degree - 1; j-- > pass;) c[j] -= t * c[j + 1];
}

/* p = z_U + q x^2 */
STEEP_SHARED bool steep_jump_gqu2(const steep_choice *choice, double sign, steep_long t, const steep_long *jump,
                                  double coefficients[STEEP_MAX_BRANCHES][3], double *output)
{
    (void)choice;
    steep_long c[4];
    steep_jump_about_zero(3, t, jump, c);
    steep_jump_set_gate(sign, t, coefficients);
    coefficients[1][0] = (double)(sign * c[1]);
    coefficients[1][1] = (double)(sign * c[0]);
    coefficients[2][0] = (double)(sign * c[2]);
    *output = 1.0;
    return true;
}

/* p = z_U + (q x)^2: the output weight carries the sign of the square */
STEEP_SHARED bool steep_jump_gqu2a(const steep_choice *choice, double sign, steep_long t, const steep_long *jump,
                                   double coefficients[STEEP_MAX_BRANCHES][3], double *output)
{
    (void)choice;
    steep_long c[4];
    steep_jump_about_zero(3, t, jump, c);
    double face = c[2] < 0 ? -1.0 : 1.0;
    steep_jump_set_gate(sign, t, coefficients);
    coefficients[1][0] = (double)(face * c[1]);
    coefficients[1][1] = (double)(face * c[0]);
    coefficients[2][0] = (double)steep_long_sqrt(steep_long_abs(c[2]));
    *output = face * sign;
    return true;
}

/* p = z_U + (q x)^2 + (p x)^3 */
STEEP_SHARED bool steep_jump_gqu2b(const steep_choice *choice, double sign, steep_long t, const steep_long *jump,
                                   double coefficients[STEEP_MAX_BRANCHES][3], double *output)
{
    (void)choice;
    steep_long c[4];
    steep_jump_about_zero(4, t, jump, c);
    double face = c[2] < 0 ? -1.0 : 1.0;
    steep_jump_set_gate(sign, t, coefficients);
    coefficients[1][0] = (double)(face * c[1]);
    coefficients[1][1] = (double)(face * c[0]);
    coefficients[2][0] = (double)steep_long_sqrt(steep_long_abs(c[2]));
    coefficients[3][0] = (double)(face * steep_long_cbrt(c[3]));
    *output = face * sign;
    return true;
}

/* p = z_U + z_Q^2 with z_Q = sqrt|jump_3| s, so that no power is expanded about 0 */
STEEP_SHARED bool steep_jump_gqu2c(const steep_choice *choice, double sign, steep_long t, const steep_long *jump,
                                   double coefficients[STEEP_MAX_BRANCHES][3], double *output)
{
    (void)choice;
    double face = jump[3] < 0 ? -1.0 : 1.0;
    steep_long q = steep_long_sqrt(steep_long_abs(jump[3]));
    steep_jump_set_gate(sign, t, coefficients);
    coefficients[1][0] = (double)(face * jump[2]);
    coefficients[1][1] = (double)(face * (jump[1] - jump[2] * t));
    coefficients[2][0] = (double)q;
    coefficients[2][1] = (double)(-q * t);
    *output = face * sign;
    return true;
}

/* p = w x + b + Q x^2 */
STEEP_SHARED bool steep_jump_gqu2d(const steep_choice *choice, double sign, steep_long t, const steep_long *jump,
                                   double coefficients[STEEP_MAX_BRANCHES][3], double *output)
{
    (void)choice;
    steep_long c[4];
    steep_jump_about_zero(3, t, jump, c);
    steep_jump_set_gate(sign, t, coefficients);
    for (int j = 0; j < 3; j++) coefficients[1][j] = (double)(sign * c[j == 0 ? 1 : j == 1 ? 0 : 2]);
    *output = 1.0;
    return true;
}

/* (x - t) s^m (b + c s), s = x - origin, by the gate and k factors: m of them vanish at the origin, one is b + c s, the
 * others are 1. A constant b without a factor of its own joins one that vanishes. */
STEEP_SHARED bool steep_jump_from_head(size_t k, const steep_jump_head *head,
                                       double coefficients[STEEP_MAX_BRANCHES][3], double *output)
{
    const double sign = head->sign;
    const steep_long origin = head->origin;
    steep_long b = head->b, c = head->c;
    size_t m = head->m;
    if (m == k && c == 0) {
        c = b;
        b = 0;
        m--;
    }
    if (m >= k) return false;
    steep_jump_set_gate(sign, head->t, coefficients);
    coefficients[1][0] = (double)(sign * c);
    coefficients[1][1] = (double)(sign * (b - c * origin));
    for (size_t j = 2; j <= k; j++) {
        bool vanishes = j - 2 < m;
        coefficients[j][0] = vanishes ? 1.0 : 0.0;
        coefficients[j][1] = vanishes ? (double)-origin : 1.0;
    }
    *output = 1.0;
    return true;
}

/* Jumps m and m + 1 alone: the gate and m - 1 factors vanish at t. */
STEEP_SHARED bool steep_jump_factors(size_t k, double sign, steep_long t, const steep_long *jump,
                                     double coefficients[STEEP_MAX_BRANCHES][3], double *output)
{
    size_t m = 1;
    while (m < k && jump[m] == 0) m++;
    for (size_t j = m + 2; j <= k + 1; j++)
        if (jump[j] != 0) return false;
    const steep_jump_head head = {sign, t, t, m - 1, jump[m], jump[m + 1]};
    return steep_jump_from_head(k, &head, coefficients, output);
}

/* The units above, for who has no table of functions. */
typedef enum steep_jump_form {
    STEEP_JUMP_NONE,
    STEEP_JUMP_MLP,
    STEEP_JUMP_GLU,
    STEEP_JUMP_GQU,
    STEEP_JUMP_GQU2,
    STEEP_JUMP_GQU2A,
    STEEP_JUMP_GQU2B,
    STEEP_JUMP_GQU2C,
    STEEP_JUMP_GQU2D,
    STEEP_JUMP_GATED3,
    STEEP_JUMP_GATED4,
    STEEP_JUMP_GATED5
} steep_jump_form;

/* A row's from_jump. */
STEEP_SHARED bool steep_jump_unit(steep_jump_form form, const steep_choice *choice, double sign, steep_long t,
                                  const steep_long *jump, double coefficients[STEEP_MAX_BRANCHES][3], double *output)
{
    switch (form) {
    case STEEP_JUMP_MLP: return steep_jump_mlp(choice, sign, t, jump, coefficients, output);
    case STEEP_JUMP_GLU: return steep_jump_glu(choice, sign, t, jump, coefficients, output);
    case STEEP_JUMP_GQU: return steep_jump_gqu(choice, sign, t, jump, coefficients, output);
    case STEEP_JUMP_GQU2: return steep_jump_gqu2(choice, sign, t, jump, coefficients, output);
    case STEEP_JUMP_GQU2A: return steep_jump_gqu2a(choice, sign, t, jump, coefficients, output);
    case STEEP_JUMP_GQU2B: return steep_jump_gqu2b(choice, sign, t, jump, coefficients, output);
    case STEEP_JUMP_GQU2C: return steep_jump_gqu2c(choice, sign, t, jump, coefficients, output);
    case STEEP_JUMP_GQU2D: return steep_jump_gqu2d(choice, sign, t, jump, coefficients, output);
    case STEEP_JUMP_GATED3: return steep_jump_factors(3, sign, t, jump, coefficients, output);
    case STEEP_JUMP_GATED4: return steep_jump_factors(4, sign, t, jump, coefficients, output);
    case STEEP_JUMP_GATED5: return steep_jump_factors(5, sign, t, jump, coefficients, output);
    default: return false;
    }
}

/* Linear factors behind the gate, where a row has a from_head; else 0. */
STEEP_INLINE size_t steep_jump_head_factors(steep_jump_form form)
{
    if (form == STEEP_JUMP_GQU) return 2;
    return form >= STEEP_JUMP_GATED3 ? 3 + (size_t)(form - STEEP_JUMP_GATED3) : 0;
}

#endif
