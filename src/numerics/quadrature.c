/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gauss-Legendre: nodes are the zeros of the Legendre polynomial P_n, by Newton's method from Tricomi's approximation,
 * which converges to the last bit in a few steps; the weight of a zero x is 2 / ((1 - x^2) P_n'(x)^2).
 *
 * Gauss-Hermite: nodes are the eigenvalues of the tridiagonal matrix with diagonal 0 and off-diagonal sqrt 1 .. sqrt(n
 * - 1). Each is enclosed by bisection on the number of eigenvalues below x, which is the number of negative pivots of
 * that matrix less x; then Newton on p_n = He_n / sqrt(n!), sqrt(k + 1) p_{k+1} = x p_k - sqrt(k) p_{k-1}, p_n' =
 * sqrt(n) p_{n-1}. The weight is 1 / sum_{k<n} p_k(x)^2. */
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

/* Zeros of He_points below x. */
static size_t zeros_below(size_t points, double x)
{
    double pivot = -x;
    size_t count = 0;
    for (size_t k = 1;; k++) {
        if (pivot == 0) pivot = -0x1p-1000;
        count += pivot < 0;
        if (k == points) return count;
        pivot = -x - (double)k / pivot;
    }
}

/* Zero i of He_points, counted from 0, to about twelve digits. */
static double hermite_zero(size_t points, size_t i)
{
    double low = 0, high = 2 * sqrt((double)points);
    for (int halving = 0; halving < 45; halving++) {
        const double middle = (low + high) / 2;
        if (zeros_below(points, middle) > i) high = middle;
        else low = middle;
    }
    return (low + high) / 2;
}

/* A Newton step from x towards a zero of p_n; *square: the sum of p_k(x)^2, k < n. */
static long double hermite_newton(size_t n, long double x, long double *square)
{
    long double before = 0, now = 1;
    *square = 0;
    for (size_t k = 0; k < n; k++) {
        const long double next = (x * now - sqrtl((long double)k) * before) / sqrtl((long double)(k + 1));
        *square += now * now;
        before = now;
        now = next;
    }
    return x - now / (sqrtl((long double)n) * before);
}

void steep_gauss_hermite(size_t points, long double *node, long double *weight)
{
    for (size_t i = points / 2; i < points; i++) { /* the upper half; the lower one mirrors it */
        long double square, x = 2 * i + 1 == points ? 0 : (long double)hermite_zero(points, i);
        for (int step = 0; x != 0 && step < 3; step++) x = hermite_newton(points, x, &square);
        hermite_newton(points, x, &square);
        node[i] = x;
        node[points - 1 - i] = -x;
        weight[i] = weight[points - 1 - i] = 1 / square;
    }
}
