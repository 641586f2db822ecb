/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The error e of the best spline to x^p/p! on integer knots has period 1: shifted by 1, x^p/p! changes by a polynomial
 * of degree p - 1, which is a spline of the class, and the best one is unique (theory.md, "Constants"). So
 *
 *   c_p = min |e|_{L2[0,1]},  e = x^p/p! - q,  deg q < p,  e^(j)(0) = e^(j)(1) for j < continuity.
 *
 *   1. e = sum_{k<=p} a_k L_k in Legendre polynomials of [0, 1], |L_k|^2 = 1/(2k + 1), a_p = p!/(2p)!; the others free.
 *   2. L_k^(j)(1) = (k+j)!/(j! (k-j)!) = (-1)^{k+j} L_k^(j)(0): condition j sees the k with k + j odd alone. Where
 *      j + p is even it is met by zeros; so j = p - 1, p - 3, ... matter, and k = p, p - 2, ...
 *   3. With b_k = a_k/sqrt(2k + 1): least |b| subject to r_j . b = s_j, by Gram-Schmidt on the rows r_j. Of orthonormal
 *      rows the least b has |b|^2 = sum s_j^2. */
#include "steep/spline.h"

#include <math.h>

#include "spline/spline.h"

enum { MOST = STEEP_SPLINE_MAX_DEGREE + 1 };

/* L_k^(j)(1), exact to rounding; 0 for k < j. */
static long double end_derivative(size_t k, size_t j)
{
    long double value = k >= j;
    for (size_t i = 0; i < j && k >= j; i++) /* (k + j)!/(k - j)! has 2j factors, two for each of j! */
        value *= (long double)((k + j - i) * (k - i)) / (long double)(j - i);
    return value;
}

/* r -= (r . q) q, the right side along with it. */
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
