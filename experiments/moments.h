/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moments: second moments of learned activations (papers/learned.h, whose paper numbers the equations). Terms are
 * orthogonal, so that squares add up; of a maximum of lines each piece is an integral of (a + p x)^2 against the normal
 * density between two places u < v:
 *
 *   E 1 = Phi(v) - Phi(u),  E x = phi(u) - phi(v),  E x^2 = E 1 + u phi(u) - v phi(v)
 *
 * with differences of Phi taken on the side where both are small. */
#ifndef STEEP_EXPERIMENTS_MOMENTS_H
#define STEEP_EXPERIMENTS_MOMENTS_H

#include <math.h>

#include "numerics/elementary.h"
#include "papers/learned.h"

/* E F(x)^2 and E F'(x)^2. */
typedef struct second_moments {
    double value, slope;
} second_moments;

/* x standard normal: sum a_k^2 / k!, sum a_k^2 / (k - 1)!  (31, 43). */
static second_moments moments_hermite(size_t degree, const double *a)
{
    second_moments m = {a[0] * a[0], 0};
    double weight = 1; /* 1 / (k - 1)! */
    for (size_t k = 1; k <= degree; k++) {
        m.slope += weight * a[k] * a[k];
        weight /= (double)k;
        m.value += weight * a[k] * a[k];
    }
    return m;
}

/* x uniform on [-pi/w, pi/w], w > 0: a_0^2 + (1/2) sum (a_k^2 + b_k^2) / (k!)^2, (w^2/2) sum k^2 (a_k^2 + b_k^2) /
 * (k!)^2  (56, 66, with the factor w^2 of the derivative that remark D.8 leaves out). */
static second_moments moments_fourier(size_t degree, double frequency, const double *a)
{
    second_moments m = {a[0] * a[0], 0};
    double weight = 1; /* 1 / k! */
    for (size_t k = 1; k <= degree; k++) {
        const double w = frequency * (double)k;
        weight /= (double)k;
        const double A = weight * a[2 * k - 1], B = weight * a[2 * k], half = (A * A + B * B) / 2;
        m.value += half;
        m.slope += w * w * half;
    }
    return m;
}

/* The start of fourier whose two second moments are equal: a_0 from the others, which stay: a_0^2 = (1/2) sum (w^2 k^2
 * - 1) (a_k^2 + b_k^2) / (k!)^2 (67 at w = 1, and the correction of remark D.8 at any other). NaN where that square is
 * negative: no a_0 does it. */
static double moments_balance(size_t degree, double frequency, const double *a)
{
    double sum = 0, weight = 1;
    for (size_t k = 1; k <= degree; k++) {
        const double w = frequency * (double)k;
        weight /= (double)k;
        const double A = weight * a[2 * k - 1], B = weight * a[2 * k];
        sum += (w * w - 1) * (A * A + B * B) / 2;
    }
    return sqrt(sum);
}

/* E 1, E x, E x^2 over (u, v) of a standard normal. */
static void normal_parts(double u, double v, double part[3])
{
    double Phi[2], phi[2], end[2] = {u, v}, times[2];
    const double side = u + v > 0 ? -1 : 1; /* of (-v, -u) where that has the smaller tails */
    for (int i = 0; i < 2; i++) {
        steep_normal(side * end[i], &Phi[i], &phi[i]);
        times[i] = isinf(end[i]) ? 0 : end[i] * phi[i];
    }
    part[0] = side * (Phi[1] - Phi[0]);
    part[1] = phi[0] - phi[1];
    part[2] = part[0] + times[0] - times[1];
}

/* max_k (a_k + k x) piece by piece: the lines that are largest somewhere, and where each begins. Lines by ascending
 * slope on a stack: a new line is the largest to the right of some place. Where that is not to the right of where the
 * top of the stack began, the top is nowhere the largest. */
static size_t pieces_of(size_t degree, const double *a, size_t *line, double *from)
{
    size_t pieces = 0;
    for (size_t k = 0; k <= degree; k++) {
        double begin = -INFINITY;
        for (; pieces > 0; pieces--) {
            const size_t top = line[pieces - 1];
            begin = (a[top] - a[k]) / (double)(k - top);
            if (begin > from[pieces - 1]) break;
            begin = -INFINITY;
        }
        line[pieces] = k;
        from[pieces++] = begin;
    }
    return pieces;
}

/* x standard normal, F times scale (sqrt 2 / n in (21)), p_k = k: the integrals of its pieces, in closed form. */
static second_moments moments_tropical(size_t degree, const double *a, double scale)
{
    double from[STEEP_LEARNED_MOST + 1];
    size_t line[STEEP_LEARNED_MOST + 1];
    second_moments m = {0, 0};
    const size_t pieces = pieces_of(degree, a, line, from);
    for (size_t i = 0; i < pieces; i++) {
        const double A = scale * a[line[i]], P = scale * (double)line[i];
        double part[3];
        normal_parts(from[i], i + 1 < pieces ? from[i + 1] : INFINITY, part);
        m.value += A * A * part[0] + 2 * A * P * part[1] + P * P * part[2];
        m.slope += P * P * part[0];
    }
    return m;
}

#endif
