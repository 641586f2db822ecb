/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "spline/spline.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

steep_status steep_spline_init(steep_spline *spline, size_t degree, size_t cells, const double *knot,
                               steep_error *error)
{
    memset(spline, 0, sizeof *spline);
    if (degree < 1 || degree > STEEP_SPLINE_MAX_DEGREE)
        return steep_fail(error, STEEP_BAD_INPUT, "spline degree %zu: use 1 to %d", degree, STEEP_SPLINE_MAX_DEGREE);
    if (cells < 1 || cells > SIZE_MAX / sizeof(long double) / (degree + 1))
        return steep_fail(error, STEEP_BAD_INPUT, "spline with %zu cells: use 1 or more", cells);
    for (size_t i = 0; i < cells; i++)
        if (!(knot[i] < knot[i + 1]) || !isfinite(knot[i]) || !isfinite(knot[i + 1]))
            return steep_fail(error, STEEP_BAD_INPUT,
                              "knots %zu and %zu are %.17g and %.17g: expected finite ones, ascending", i, i + 1,
                              knot[i], knot[i + 1]);
    spline->degree = degree;
    spline->cells = cells;
    spline->knot = malloc((cells + 1) * sizeof *spline->knot);
    spline->coefficient = calloc(cells * (degree + 1), sizeof *spline->coefficient);
    if (!spline->knot || !spline->coefficient) {
        steep_spline_free(spline);
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for a spline with %zu cells", cells);
    }
    memcpy(spline->knot, knot, (cells + 1) * sizeof *knot);
    return STEEP_OK;
}

void steep_spline_free(steep_spline *spline)
{
    free(spline->knot);
    free(spline->coefficient);
    memset(spline, 0, sizeof *spline);
}

long double steep_spline_value(const steep_spline *spline, long double x)
{
    size_t i = 0, end = spline->cells, p = spline->degree;
    while (end - i > 1) { /* i: the last cell that begins at or before x */
        const size_t middle = i + (end - i) / 2;
        if (x < spline->knot[middle]) end = middle;
        else i = middle;
    }
    const long double *c = spline->coefficient + i * (p + 1);
    long double h = (long double)spline->knot[i + 1] - spline->knot[i];
    long double z = (x - spline->knot[i + 1]) / h, value = c[p];
    for (size_t j = p; j-- > 0;) value = value * z + c[j];
    return value;
}

void steep_spline_shift(size_t degree, long double by, long double *c)
{
    for (size_t i = 0; i < degree; i++) /* synthetic division: Horner's scheme, once for each derivative */
        for (size_t j = degree; j-- > i;) c[j] += by * c[j + 1];
}

void steep_spline_taylor(const steep_spline *spline, size_t cell, long double t, long double *c)
{
    size_t p = spline->degree;
    long double h = (long double)spline->knot[cell + 1] - spline->knot[cell], scale = 1;
    memcpy(c, spline->coefficient + cell * (p + 1), (p + 1) * sizeof *c);
    steep_spline_shift(p, (t - spline->knot[cell + 1]) / h, c);
    for (size_t j = 0; j <= p; j++, scale /= h) c[j] *= scale;
}

/* The error e of the best spline to x^p/p! on integer knots has period 1: shifted by 1, x^p/p! changes by a polynomial
 * of degree p - 1, which is a spline of the class, and the best one is unique (theory.md, "Constants"). So
 *
 *   c_p = min |e|_{L2[0,1]},  e = x^p/p! - q,  deg q < p,  e^(j)(0) = e^(j)(1) for j < continuity.
 *
 *   1. e = sum_{k<=p} a_k L_k in Legendre polynomials of [0, 1], |L_k|^2 = 1/(2k + 1), a_p = p!/(2p)!; the others free.
 *   2. L_k^(j)(1) = (k+j)!/(j! (k-j)!) = (-1)^{k+j} L_k^(j)(0), so condition j contains only the k with k + j odd.
 *      Where j + p is even, zeros meet it; so only j = p - 1, p - 3, ... and k = p, p - 2, ... matter.
 *   3. With b_k = a_k/sqrt(2k + 1), minimise |b| subject to r_j . b = s_j. Gram-Schmidt makes the rows r_j orthonormal;
 *      the least |b|^2 is then sum s_j^2. */

enum { MOST = STEEP_SPLINE_MAX_DEGREE + 1 };

/* L_k^(j)(1), exact to rounding; 0 for k < j. */
static long double end_derivative(size_t k, size_t j)
{
    long double value = k >= j;
    for (size_t i = 0; i < j && k >= j; i++) /* (k + j)!/(k - j)! has 2j factors, two for each factor of j! */
        value *= (long double)((k + j - i) * (k - i)) / (long double)(j - i);
    return value;
}

/* r -= (r . q) q; the right-hand side changes alike: right -= (r . q) s. */
static void remove_part(size_t p, const long double *q, long double s, long double *r, long double *right)
{
    long double dot = 0;
    for (size_t k = 0; k < p; k++) dot += r[k] * q[k];
    for (size_t k = 0; k < p; k++) r[k] -= dot * q[k];
    *right -= dot * s;
}

double steep_spline_constant(size_t degree, size_t continuity)
{
    if (degree < 1 || degree > STEEP_SPLINE_MAX_DEGREE || continuity > degree) return NAN;
    size_t p = degree + 1, rows = 0;
    long double row[MOST / 2 + 1][MOST], right[MOST / 2 + 1], highest = 1;
    for (size_t i = p + 1; i <= 2 * p; i++) highest /= (long double)i; /* a_p */
    long double square = highest * highest / (long double)(2 * p + 1);
    for (size_t j = (p + 1) % 2; j < continuity; j += 2) {
        long double *r = row[rows], length = 0;
        for (size_t k = 0; k < p; k++) r[k] = (k + j) % 2 ? end_derivative(k, j) * sqrtl((long double)(2 * k + 1)) : 0;
        right[rows] = -highest * end_derivative(p, j);
        for (size_t i = 0; i < rows; i++) remove_part(p, row[i], right[i], r, &right[rows]);
        for (size_t k = 0; k < p; k++) length += r[k] * r[k];
        length = sqrtl(length);
        for (size_t k = 0; k < p; k++) r[k] /= length;
        right[rows] /= length;
        square += right[rows] * right[rows];
        rows++;
    }
    return (double)sqrtl(square);
}
