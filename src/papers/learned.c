/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Second moments. Terms are orthogonal, so that squares add up; of a maximum of lines each piece is an integral of (a +
 * p x)^2 against the normal density between two places u < v:
 *
 *   E 1 = Phi(v) - Phi(u),  E x = phi(u) - phi(v),  E x^2 = E 1 + u phi(u) - v phi(v)
 *
 * with differences of Phi taken on the side where both are small. */
#include "papers/learned.h"

#include <math.h>

#include "papers/core_numerics.h"

size_t steep_family_terms(steep_family family, size_t degree)
{
    return family == STEEP_FAMILY_HERMITE ? degree + 1 : 2 * degree + 1;
}

static void hermite_terms(size_t degree, double x, double *value, double *slope)
{
    double before = 0, now = 1; /* He_{k-1} / (k-1)!, He_k / k! */
    for (size_t k = 0; k <= degree; k++) {
        const double next = (x * now - before) / (double)(k + 1);
        value[k] = now;
        if (slope) slope[k] = before; /* (He_k / k!)' */
        before = now;
        now = next;
    }
}

static void fourier_terms(size_t degree, double frequency, double x, double *value, double *slope)
{
    double weight = 1;
    value[0] = 1;
    if (slope) slope[0] = 0;
    for (size_t k = 1; k <= degree; k++) {
        const double w = frequency * (double)k;
        double s, c;
        weight /= (double)k;
        steep_sin_cos(w * x, &s, &c);
        value[2 * k - 1] = weight * c;
        value[2 * k] = weight * s;
        if (slope) slope[2 * k - 1] = -w * weight * s;
        if (slope) slope[2 * k] = w * weight * c;
    }
}

void steep_family_evaluate(steep_family family, size_t degree, double frequency, double x, double *value, double *slope)
{
    if (family == STEEP_FAMILY_HERMITE) hermite_terms(degree, x, value, slope);
    else fourier_terms(degree, frequency, x, value, slope);
}

steep_moments steep_moments_hermite(size_t degree, const double *a)
{
    steep_moments m = {a[0] * a[0], 0};
    double weight = 1; /* 1 / (k - 1)! */
    for (size_t k = 1; k <= degree; k++) {
        m.slope += weight * a[k] * a[k];
        weight /= (double)k;
        m.value += weight * a[k] * a[k];
    }
    return m;
}

steep_moments steep_moments_fourier(size_t degree, double frequency, const double *a)
{
    steep_moments m = {a[0] * a[0], 0};
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

double steep_moments_balance(size_t degree, double frequency, const double *a)
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

steep_moments steep_moments_tropical(size_t degree, const double *a, double scale)
{
    double from[STEEP_LEARNED_MOST + 1];
    size_t line[STEEP_LEARNED_MOST + 1];
    steep_moments m = {0, 0};
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
