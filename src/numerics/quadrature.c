/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gauss-Legendre: nodes are the zeros of the Legendre polynomial P_n, by Newton's method from Tricomi's approximation,
 * which converges to the last bit in a few steps; the weight of a zero x is 2 / ((1 - x^2) P_n'(x)^2). */
#include "numerics/quadrature.h"

#include <math.h>

void steep_gauss_legendre(size_t points, long double *node, long double *weight)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    for (size_t i = 0; i < points; i++) {
        long double n = (long double)points, x = -cosl(pi * ((long double)i + 0.75L) / (n + 0.5L)), slope = 1;
        for (int step = 0; step < 8; step++) {
            long double p0 = 1, p1 = x;
            for (size_t k = 2; k <= points; k++) {
                long double p2 = ((2 * (long double)k - 1) * x * p1 - ((long double)k - 1) * p0) / (long double)k;
                p0 = p1;
                p1 = p2;
            }
            slope = n * (x * p1 - p0) / (x * x - 1);
            x -= p1 / slope;
        }
        node[i] = x;
        weight[i] = 2 / ((1 - x * x) * slope * slope);
    }
}
