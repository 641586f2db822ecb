/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The class of splines that each gated row has in one dimension, and the unit that makes given jumps.
 *
 * A gate G = sign, g = -sign t is open where sign (x - t) > 0. There the unit is sign s p(x) with s = x - t (mlp with
 * relu^k: (sign s)^k). So its branches follow from p, and p from
 *
 *   D sign s p(x) = sum_{j>=1} jump_j s^j,   that is   p = (D sign)^{-1} (jump_1 + jump_2 s + jump_3 s^2 + ..).
 *
 * Everything is computed in long double and rounded once. G is +-1, and so is D except for the mlp. */
#include "model/piecewise.h"

#include <math.h>

#include "model/activation_jet.h"

/* mlp with relu^k, k <= 4: degree k, C^{k-1}; the head polynomial needs k distinct gates. Other activations: k = 0. */
void steep_mlp_piecewise(const steep_choice *choice, steep_piecewise *piecewise)
{
    const size_t k = (size_t)steep_activation_power(choice->activation);
    *piecewise = (steep_piecewise){k, k, k};
}

#define PIECEWISE(name, degree, continuity, heads)                                                                     \
    void steep_##name##_piecewise(const steep_choice *choice, steep_piecewise *piecewise)                              \
    {                                                                                                                  \
        const bool is_relu = steep_activation_power(choice->activation) == 1;                                          \
        *piecewise = is_relu ? (steep_piecewise){(degree), (continuity), (heads)} : (steep_piecewise){0, 0, 0};        \
    }
PIECEWISE(glu, 2, 1, 1)
PIECEWISE(gqu2, 3, 1, 1)
PIECEWISE(gqu2a, 3, 1, 1)
PIECEWISE(gqu2b, 4, 1, 1)
PIECEWISE(gqu2c, 3, 1, 1)
PIECEWISE(gqu2d, 3, 1, 1)
/* k linear factors: C^{k-1} splines of degree k + 1. At a knot the unit is relu(s) s^{k-1} (b + c s). The head, of
 * degree k + 1, is a sum of real-rooted units (x - t) s^{2g} (b + c s), g = 0, 1, ..: (k + 2) / 2 gates. */
PIECEWISE(gqu, 3, 2, 2)
PIECEWISE(gated3, 4, 3, 2)
PIECEWISE(gated4, 5, 4, 3)
PIECEWISE(gated5, 6, 5, 3)

/* The real cube root, within about an ulp of the exact one and of the C library's. It uses +, -, * and / alone, so that
 * it is the same wherever these are. 0, infinities and NaN are returned as they are. */
static long double cube_root(long double x)
{
    long double m = fabsl(x), unit = 1, root;
    if (!(m > 0) || !(x - x == 0)) return x;
    while (m >= 0x1p96) m = m * 0x1p-96, unit = unit * 0x1p32; /* powers of 8: nothing is lost */
    while (m < 0x1p-96) m = m * 0x1p96, unit = unit * 0x1p-32;
    while (m >= 8) m = m * 0.125, unit = unit * 2;
    while (m < 1) m = m * 8, unit = unit * 0.5;
    root = 1 + (m - 1) * 0.14; /* relative error < 0.12; Newton's steps square it: 1e-2, 2e-4, 4e-8, 2e-15, 3e-30 */
    for (int step = 0; step < 6; step++) root = root - (root - m / (root * root)) / 3;
    return copysignl(root * unit, x);
}

static void set_gate(double sign, long double t, double coefficients[STEEP_MAX_BRANCHES][3])
{
    coefficients[0][0] = sign;
    coefficients[0][1] = (double)(-sign * t);
}

/* A branch: slope x + value, each times face. */
static void set_branch(double face, long double slope, long double value, double branch[3])
{
    branch[0] = (double)(face * slope);
    branch[1] = (double)(face * value);
}

bool steep_mlp_from_jump(const steep_choice *choice, double sign, long double t, const long double *jump,
                         double coefficients[STEEP_MAX_BRANCHES][3], double *output)
{
    const size_t degree = (size_t)steep_activation_power(choice->activation);
    if (!degree) return false;
    for (size_t j = 1; j < degree; j++)
        if (jump[j] != 0) return false;
    set_gate(sign, t, coefficients);
    *output = (double)(degree % 2 ? sign * jump[degree] : jump[degree]);
    return true;
}

/* p = jump_1 + jump_2 s + jump_3 s^2 must split into two real linear factors, z_U z_Q. */
bool steep_gqu_from_jump(const steep_choice *choice, double sign, long double t, const long double *jump,
                         double coefficients[STEEP_MAX_BRANCHES][3], double *output)
{
    (void)choice;
    long double slope = jump[3], value = jump[2], root = 0; /* p = (value + slope s) (s - root) */
    double Q = 1.0;
    if (jump[3] == 0) { /* p = (jump_1 + jump_2 s) 1 */
        slope = jump[2];
        value = jump[1];
        Q = 0.0;
    } else if (jump[1] != 0) {
        long double discriminant = jump[2] * jump[2] - 4 * jump[1] * jump[3];
        if (!(discriminant >= 0)) return false;
        /* far is jump_3 times the larger root, without cancellation; not 0, since jump_1 jump_3 is not */
        long double far = -0.5 * (jump[2] + copysignl(sqrtl(discriminant), jump[2]));
        value = -far;
        root = jump[1] / far;
    }
    set_gate(sign, t, coefficients);
    set_branch(sign, slope, value - slope * t, coefficients[1]);
    coefficients[2][0] = Q;
    coefficients[2][1] = Q == 0.0 ? 1.0 : (double)-(t + root);
    *output = 1.0;
    return true;
}

/* p in powers of x: its coefficients c[j], j < 4, from the jumps of a unit of degree `degree` <= 4. */
static void about_zero(size_t degree, long double t, const long double *jump, long double c[4])
{
    for (size_t j = 0; j < 4; j++) c[j] = j < degree ? jump[j + 1] : 0;
    for (size_t pass = 0; pass + 1 < degree; pass++) /* repeated synthetic division: s = x - t */
        for (size_t j = degree - 1; j-- > pass;) c[j] -= t * c[j + 1];
}

/* p = z_U + q x^2, q among the coefficients */
static bool from_square(double sign, long double t, const long double *jump, double coefficients[STEEP_MAX_BRANCHES][3],
                        double *q)
{
    long double c[4];
    about_zero(3, t, jump, c);
    set_gate(sign, t, coefficients);
    set_branch(sign, c[1], c[0], coefficients[1]);
    *q = (double)(sign * c[2]);
    return true;
}

/* p = z_U + (q x)^2, with degree 4 also + (p x)^3; the output weight carries the sign of the square */
static bool from_powers(size_t degree, double sign, long double t, const long double *jump,
                        double coefficients[STEEP_MAX_BRANCHES][3], double *output)
{
    long double c[4];
    about_zero(degree, t, jump, c);
    double face = c[2] < 0 ? -1.0 : 1.0;
    set_gate(sign, t, coefficients);
    set_branch(face, c[1], c[0], coefficients[1]);
    coefficients[2][0] = (double)sqrtl(fabsl(c[2]));
    if (degree == 4) coefficients[3][0] = (double)(face * cube_root(c[3]));
    *output = face * sign;
    return true;
}

/* p = z_U + z_Q^2 with z_Q = sqrt|jump_3| s, so that no power is expanded about 0 */
bool steep_gqu2c_from_jump(const steep_choice *choice, double sign, long double t, const long double *jump,
                           double coefficients[STEEP_MAX_BRANCHES][3], double *output)
{
    (void)choice;
    double face = jump[3] < 0 ? -1.0 : 1.0;
    long double q = sqrtl(fabsl(jump[3]));
    set_gate(sign, t, coefficients);
    set_branch(face, jump[2], jump[1] - jump[2] * t, coefficients[1]);
    coefficients[2][0] = (double)q;
    coefficients[2][1] = (double)(-q * t);
    *output = face * sign;
    return true;
}

/* (x - t) s^m (b + c s), s = x - origin, by the gate and k factors: m factors vanish at the origin, one is b + c s, the
 * others are 1. Where m = k and c = 0, no factor is left for b: one of the vanishing factors is multiplied by b. */
static bool from_head(size_t k, steep_head head, double coefficients[STEEP_MAX_BRANCHES][3], double *output)
{
    if (head.m == k && head.c == 0) {
        head.c = head.b;
        head.b = 0;
        head.m--;
    }
    if (head.m >= k) return false;
    set_gate(head.sign, head.t, coefficients);
    set_branch(head.sign, head.c, head.b - head.c * head.origin, coefficients[1]);
    for (size_t j = 2; j <= k; j++) {
        bool vanishes = j - 2 < head.m;
        coefficients[j][0] = vanishes ? 1.0 : 0.0;
        coefficients[j][1] = vanishes ? (double)-head.origin : 1.0;
    }
    *output = 1.0;
    return true;
}

/* Units with jumps m and m + 1 alone: the gate and m - 1 factors vanish at t. False for other jumps. */
static bool from_factors(size_t k, double sign, long double t, const long double *jump,
                         double coefficients[STEEP_MAX_BRANCHES][3], double *output)
{
    size_t m = 1;
    while (m < k && jump[m] == 0) m++;
    for (size_t j = m + 2; j <= k + 1; j++)
        if (jump[j] != 0) return false;
    return from_head(k, (steep_head){sign, t, t, m - 1, jump[m], jump[m + 1]}, coefficients, output);
}

#define FROM_JUMP(name, call)                                                                                          \
    bool steep_##name##_from_jump(const steep_choice *choice, double sign, long double t, const long double *jump,     \
                                  double coefficients[STEEP_MAX_BRANCHES][3], double *output)                          \
    {                                                                                                                  \
        (void)choice;                                                                                                  \
        *output = 1.0;                                                                                                 \
        return call;                                                                                                   \
    }
FROM_JUMP(gqu2, from_square(sign, t, jump, coefficients, &coefficients[2][0]))
FROM_JUMP(gqu2d, from_square(sign, t, jump, coefficients, &coefficients[1][2]))
FROM_JUMP(gqu2a, from_powers(3, sign, t, jump, coefficients, output))
FROM_JUMP(gqu2b, from_powers(4, sign, t, jump, coefficients, output))
FROM_JUMP(glu, from_factors(1, sign, t, jump, coefficients, output))
FROM_JUMP(gated3, from_factors(3, sign, t, jump, coefficients, output))
FROM_JUMP(gated4, from_factors(4, sign, t, jump, coefficients, output))
FROM_JUMP(gated5, from_factors(5, sign, t, jump, coefficients, output))

#define FROM_HEAD(name, k)                                                                                             \
    bool steep_##name##_from_head(const steep_head *head, double coefficients[STEEP_MAX_BRANCHES][3], double *output)  \
    {                                                                                                                  \
        return from_head((k), *head, coefficients, output);                                                            \
    }
FROM_HEAD(gqu, 2)
FROM_HEAD(gated3, 3)
FROM_HEAD(gated4, 4)
FROM_HEAD(gated5, 5)
