/* SPDX-License-Identifier: GPL-3.0-or-later */
/* With knots t_0 <= t_1 <= .. (the ends degree + 1 times, inner ones degree + 1 - continuity times), d = degree:
 *
 *   1. coefficient of B-spline i: the blossom of the Taylor polynomial sum_j c_j (x - tau)^j at t_{i+1}, .., t_{i+d},
 *      sum_j c_j e_j(t_{i+1} - tau, .., t_{i+d} - tau)/binomial(d, j), e_j the elementary symmetric polynomials, tau
 *      the mean of these d knots;
 *   2. Taylor coefficients on each cell: the d + 1 B-splines of the cell are differentiated by differences of their
 *      coefficients and evaluated at the cell's right end by de Boor's recurrence.
 *
 * In long double, because the jumps are differences of Taylor coefficients. */
#include "spline/gates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = STEEP_SPLINE_MAX_DEGREE };

/* Step 1 for the inner knots inner[0..d-1]. */
static steep_status blossom(const steep_target *f, size_t d, const long double *inner, long double *value,
                            steep_error *error)
{
    long double tau = 0, c[MOST + 1], e[MOST + 1] = {1}, binomial = 1;
    for (size_t k = 0; k < d; k++) tau += inner[k] / (long double)d;
    steep_target_jet(f, tau, d, c);
    for (size_t j = 0; j <= d; j++)
        if (!isfinite(c[j]))
            return steep_fail(error, STEEP_NOT_FINITE,
                              "%s or its derivative is not finite at %Lg: use solver frozen, which needs none", f->name,
                              tau);
    for (size_t k = 0; k < d; k++)
        for (size_t j = k + 1; j > 0; j--) e[j] += e[j - 1] * (inner[k] - tau);
    *value = 0;
    for (size_t j = 0; j <= d; j++) {
        *value += c[j] * e[j] / binomial;
        binomial *= (long double)(d - j) / (long double)(j + 1);
    }
    return STEEP_OK;
}

/* Step 2 on the cell [t[0], t[1]]; b[-d..0]: coefficients of the B-splines there. c[j] scaled by size^j. */
static void fill_cell(size_t d, const long double *t, const long double *b, long double *c)
{
    long double x = t[1], size = t[1] - t[0], scale = 1, derivative[MOST + 1], work[MOST + 1];
    for (size_t i = 0; i <= d; i++) derivative[i] = *(b + i - d);
    for (size_t r = 0; r <= d; r++) {
        /* derivative[i], i = r..d: coefficients of the r-th derivative, of degree q; i - d is the index in b. */
        size_t q = d - r;
        for (size_t i = r; i <= d; i++) work[i] = derivative[i];
        for (size_t s = 1; s <= q; s++)
            for (size_t i = d; i >= r + s; i--) {
                const long double *left = t + i - d, *right = left + q - s + 1;
                long double a = (x - *left) / (*right - *left);
                work[i] = (1 - a) * work[i - 1] + a * work[i];
            }
        c[r] = scale * work[d];
        scale *= size / (long double)(r + 1);
        for (size_t i = d; i > r; i--) {
            const long double *left = t + i - d;
            derivative[i] = (long double)q * (derivative[i] - derivative[i - 1]) / (left[q] - *left);
        }
    }
}

steep_status steep_spline_quasi(const steep_target *target, const steep_spline_space *space, steep_spline *spline,
                                steep_error *error)
{
    size_t degree = space->degree, continuity = space->continuity, cells = space->cells;
    if (continuity < 1 || continuity > degree)
        return steep_fail(error, STEEP_BAD_INPUT, "continuity %zu: use 1 to the degree, %zu", continuity, degree);
    steep_status status = steep_spline_init(spline, degree, cells, space->knot, error);
    if (status != STEEP_OK) return status;
    size_t many = (degree + 1 - continuity) * (cells - 1) + 2 * (degree + 1), count = many - degree - 1;
    long double *t = malloc((many + count) * sizeof *t);
    if (!t) {
        steep_spline_free(spline);
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu B-splines", count);
    }
    long double *b = t + many;
    for (size_t i = 0, at = 0; i <= cells; i++)
        for (size_t times = degree + 1 - (i > 0 && i < cells ? continuity : 0); times > 0; times--)
            t[at++] = space->knot[i];
    for (size_t i = 0; status == STEEP_OK && i < count; i++) status = blossom(target, degree, t + i + 1, &b[i], error);
    for (size_t i = 0; status == STEEP_OK && i < cells; i++) {
        size_t last = degree + i * (degree + 1 - continuity); /* t[last] < t[last + 1]: the cell */
        fill_cell(degree, t + last, b + last, spline->coefficient + i * (degree + 1));
    }
    free(t);
    if (status != STEEP_OK) steep_spline_free(spline);
    return status;
}

double steep_spline_quasi_constant(size_t degree, size_t continuity)
{
    /* x^p/p! on cells of size 1 around [-1, 0]; there are so many that the ends have no influence on that cell */
    enum { SIDE = MOST + 1, CELLS = 2 * SIDE + 1 };
    double knot[CELLS + 1];
    char text[32];
    long double e[MOST + 2], square = 0, factorial = 1;
    steep_spline spline = {0};
    steep_target *power;
    const steep_spline_space space = {degree, continuity, CELLS, knot};
    if (degree < 1 || degree > MOST) return NAN;
    for (int i = 0; i <= CELLS; i++) knot[i] = i - SIDE - 1;
    for (size_t j = 2; j <= degree + 1; j++) factorial *= (long double)j;
    snprintf(text, sizeof text, "x^%zu/%.0Lf", degree + 1, factorial);
    steep_status status = steep_target_open(text, &power, NULL);
    if (status == STEEP_OK) status = steep_spline_quasi(power, &space, &spline, NULL);
    steep_target_free(power);
    if (status != STEEP_OK) return NAN;
    steep_spline_taylor(&spline, SIDE, 0, e);
    for (size_t j = 0; j <= degree; j++) e[j] = -e[j];
    e[degree + 1] = 1 / factorial;
    for (size_t i = 0; i <= degree + 1; i++) /* the integral of x^{i+j} over [-1, 0] */
        for (size_t j = 0; j <= degree + 1; j++)
            square += ((i + j) % 2 ? -1 : 1) * e[i] * e[j] / (long double)(i + j + 1);
    steep_spline_free(&spline);
    return (double)sqrtl(square);
}
