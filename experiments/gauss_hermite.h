/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gauss_hermite: nodes are the eigenvalues of the tridiagonal matrix with diagonal 0 and off-diagonal sqrt 1 .. sqrt(n
 * - 1). Each is enclosed by bisection on the number of eigenvalues below x, which is the number of negative pivots of
 * that matrix less x; then Newton on p_n = He_n / sqrt(n!), sqrt(k + 1) p_{k+1} = x p_k - sqrt(k) p_{k-1}, p_n' =
 * sqrt(n) p_{n-1}. The weight is 1 / sum_{k<n} p_k(x)^2. */
#ifndef STEEP_EXPERIMENTS_GAUSS_HERMITE_H
#define STEEP_EXPERIMENTS_GAUSS_HERMITE_H

#include <math.h>
#include <stddef.h>

#define HERMITE_MOST 256 /* nodes of a rule */

/* Zeros of He_points below x. */
static inline size_t zeros_below(size_t points, double x)
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
static inline double hermite_zero(size_t points, size_t i)
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
static inline long double hermite_newton(size_t n, long double x, long double *square)
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

/* The Gauss-Hermite rule: sum_i weight[i] f(node[i]) is the mean of f(Z), Z standard normal, exact for polynomials of
 * degree 2 points - 1. Nodes ascending, weights of sum 1, 1 <= points <= HERMITE_MOST, to the accuracy of long
 * double; a weight may be as small as 1e-218. Time O(points^2). Source: Golub and Welsch, Calculation of Gauss
 * quadrature rules, 1969. */
static inline void gauss_hermite(size_t points, long double *node, long double *weight)
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

#endif
