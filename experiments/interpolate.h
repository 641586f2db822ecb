/* SPDX-License-Identifier: GPL-3.0-or-later */
/* interpolate: Hermite, Fourier and tropical activations of any degree as functions of one number, and those that equal
 * a given function at some places: in value (Lagrange), or in value and derivative (Hermite). Source, also of the
 * numbers of equations: paper "Polynomial, trigonometric, and tropical activations", section 3.5, figures 1, 2, 5, 6.
 *
 *   hermite    F(x) = sum_{k=0..n} a_k He_k(x) / k!                              a = (a_0 .. a_n)               (8)
 *   fourier    F(x) = a_0 + sum_{k=1..n} (a_k cos k w x + b_k sin k w x) / k!    a = (a_0, a_1, b_1, .., b_n)  (12)
 *   tropical   F(x) = max_{k=0..n} (a_k + p_k x)                                 a = (a_0 .. a_n), p           (18)
 *
 * n the degree, w the fundamental frequency (frequency below), 1 in the units of the table (model/units/). */
#ifndef STEEP_EXPERIMENTS_INTERPOLATE_H
#define STEEP_EXPERIMENTS_INTERPOLATE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/status.h"
#include "numerics/dense.h"
#include "numerics/elementary.h"
#include "numerics/qr.h"

enum { STEEP_NODES_MOST = 64, STEEP_TERMS_MOST = 2 * STEEP_NODES_MOST + 1 };

typedef enum steep_family { STEEP_FAMILY_HERMITE, STEEP_FAMILY_FOURIER } steep_family;

/* The function at places x, all different, at most STEEP_NODES_MOST. slope: its derivatives, NaN where only the value
 * counts; NULL: nowhere. */
typedef struct steep_nodes {
    size_t count;
    const double *x, *value, *slope;
} steep_nodes;

/* Part of a column of length 1 below which the columns before it have left rounding: n eps and a margin. */
#define INTERPOLATE_DEPENDENT 1e-13
#define INTERPOLATE_TOUCHING  (4 * DBL_EPSILON) /* a line above a node by so much of its terms is rounding */

/* Coefficients of a function of this degree: n + 1 or 2 n + 1, at most STEEP_TERMS_MOST. */
static inline size_t steep_family_terms(steep_family family, size_t degree)
{
    return family == STEEP_FAMILY_HERMITE ? degree + 1 : 2 * degree + 1;
}

static inline void hermite_terms(size_t degree, double x, double *value, double *slope)
{
    double before = 0, now = 1; /* He_{k-1} / (k-1)!, He_k / k! */
    for (size_t k = 0; k <= degree; k++) {
        const double next = (x * now - before) / (double)(k + 1);
        value[k] = now;
        slope[k] = before; /* (He_k / k!)' */
        before = now;
        now = next;
    }
}

static inline void fourier_terms(size_t degree, double frequency, double x, double *value, double *slope)
{
    double weight = 1;
    value[0] = 1;
    slope[0] = 0;
    for (size_t k = 1; k <= degree; k++) {
        const double w = frequency * (double)k;
        double s, c;
        weight /= (double)k;
        steep_sin_cos(w * x, &s, &c);
        value[2 * k - 1] = weight * c;
        value[2 * k] = weight * s;
        slope[2 * k - 1] = -w * weight * s;
        slope[2 * k] = w * weight * c;
    }
}

/* The terms without their coefficients at x: F(x) = sum_j a_j value[j], F'(x) = sum_j a_j slope[j]. frequency is not
 * looked at for hermite. */
static inline void steep_family_evaluate(steep_family family, size_t degree, double frequency, double x, double *value,
                                         double *slope)
{
    if (family == STEEP_FAMILY_HERMITE) hermite_terms(degree, x, value, slope);
    else fourier_terms(degree, frequency, x, value, slope);
}

/* x_i = the middle of [low, high] - half its length * cos(pi (i + 1/2) / count): Chebyshev nodes, ascending. */
static inline void steep_nodes_chebyshev(size_t count, double low, double high, double *x)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    for (size_t i = 0; i < count; i++) {
        const long double turn = cosl(pi * ((long double)i + 0.5L) / (long double)count);
        x[i] = (double)(((long double)low + high - ((long double)high - low) * turn) / 2);
    }
}

/* x_i = low + (high - low) (i + 1/2) / count: the middles of equal parts; ends of a period stay apart. */
static inline void steep_nodes_middles(size_t count, double low, double high, double *x)
{
    for (size_t i = 0; i < count; i++) x[i] = low + (high - low) * (((double)i + 0.5) / (double)count);
}

static inline bool has_slope(const steep_nodes *nodes, size_t i)
{
    return nodes->slope && !isnan(nodes->slope[i]);
}

/* The conditions as rows of the matrix. Where a_n is left out b_n takes its place. */
static inline void collocate(steep_family family, size_t degree, double frequency, const steep_nodes *nodes,
                             steep_span *span, double *right)
{
    const size_t terms = steep_family_terms(family, degree);
    double term[2][STEEP_TERMS_MOST];
    for (size_t i = 0, row = 0; i < nodes->count; i++) {
        steep_family_evaluate(family, degree, frequency, nodes->x[i], term[0], term[1]);
        for (int d = 0; d < 1 + has_slope(nodes, i); d++, row++) {
            if (span->n < terms) term[d][terms - 2] = term[d][terms - 1];
            for (size_t j = 0; j < span->n; j++) span->A[row + j * span->m] = term[d][j];
            right[row] = d ? nodes->slope[i] : nodes->value[i];
        }
    }
}

/* Coefficients a (steep_family_terms) with F(x_i) = value_i and F'(x_i) = slope_i. As many conditions as terms:
 * interpolation. More: their least squares. fourier with 2 n
 * conditions has a_n = 0, the cosine of the highest frequency left out, as trigonometric interpolation at an even
 * number of conditions does (Berrut and Welscher, Fourier and barycentric formulae for equidistant Hermite
 * trigonometric interpolation, 2007). Solved by orthogonal factorisation with columns of
 * length 1; STEEP_SINGULAR where the conditions do not determine the coefficients, as with places that coincide.
 * O(terms^3). */
static inline steep_status steep_interpolate(steep_family family, size_t degree, double frequency,
                                             const steep_nodes *nodes, double *a, steep_error *error)
{
    const size_t terms = steep_family_terms(family, degree);
    double right[2 * STEEP_NODES_MOST], length[STEEP_TERMS_MOST];
    size_t conditions = nodes->count;
    steep_span span;
    for (size_t i = 0; i < nodes->count; i++) conditions += has_slope(nodes, i);
    const bool even = family == STEEP_FAMILY_FOURIER && degree > 0 && conditions == 2 * degree;
    const size_t columns = even ? terms - 1 : terms;
    if (!steep_span_open(&span, conditions, columns))
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu conditions", conditions);
    collocate(family, degree, frequency, nodes, &span, right);
    for (size_t j = 0; j < columns; j++) { /* columns of length 1 */
        length[j] = steep_dense_norm(conditions, span.A + j * conditions);
        steep_dense_scale(conditions, length[j] > 0 ? 1 / length[j] : 1, span.A + j * conditions);
    }
    const bool usable = steep_span_factor(&span, INTERPOLATE_DEPENDENT) && span.rank == columns;
    if (usable) steep_span_solve(&span, right, a);
    for (size_t j = 0; usable && j < columns; j++) a[j] /= length[j];
    steep_span_close(&span);
    if (!usable || !steep_dense_finite(columns, a))
        return steep_fail(error, STEEP_SINGULAR,
                          "the conditions do not determine the coefficients: use other places or a lower degree");
    if (even) a[terms - 1] = a[terms - 2], a[terms - 2] = 0;
    return STEEP_OK;
}

/* Line k of f + c x^2/2: its tangent at node k, or its chord from node k to the next. */
static inline void line_of(const steep_nodes *nodes, bool tangents, double c, size_t k, double *a, double *p)
{
    const double t = nodes->x[k], f = nodes->value[k];
    if (tangents) {
        *p = nodes->slope[k] + c * t;
        *a = f - nodes->slope[k] * t - 0.5 * c * t * t;
        return;
    }
    const double s = nodes->x[k + 1], slope = (nodes->value[k + 1] - f) / (s - t);
    *p = slope + 0.5 * c * (s + t);
    *a = f - slope * t - 0.5 * c * s * t;
}

/* By how much line k, a + p x, may be above node j by rounding: of its terms, and of a chord's slope times the way. */
static inline double rounding_of(const steep_nodes *nodes, bool tangents, double a, double p, size_t k, size_t j)
{
    const double x = nodes->x[j];
    double size = fabs(a) + fabs(p * x) + fabs(nodes->value[j]);
    if (!tangents)
        size += (fabs(nodes->value[k]) + fabs(nodes->value[k + 1])) *
                fabs((x - nodes->x[k]) / (nodes->x[k + 1] - nodes->x[k]));
    return INTERPOLATE_TOUCHING * size;
}

/* A tropical polynomial max_k (a_k + p_k x). With slopes, all of them numbers: the tangents of count places, count
 * terms of slopes slope_k (figure 6: those of x^2/2 at -3 .. 3 give max (k x - k^2/2)). Without: the chords of
 * neighbours, count - 1 terms, nodes ascending, count >= 2. Equal to the function at the nodes where these are in
 * convex position, that is where no line is above a node's value by more than rounding; STEEP_BAD_INPUT, naming the
 * place, where one is. */
static inline steep_status steep_interpolate_tropical(const steep_nodes *nodes, double *a, double *p,
                                                      steep_error *error)
{
    const bool tangents = nodes->slope != NULL;
    const size_t lines = tangents ? nodes->count : nodes->count - 1;
    for (size_t k = 0; k < lines; k++) line_of(nodes, tangents, 0, k, &a[k], &p[k]);
    for (size_t j = 0; j < nodes->count; j++)
        for (size_t k = 0; k < lines; k++) {
            const double x = nodes->x[j], above = a[k] + p[k] * x - nodes->value[j];
            if (!(above <= rounding_of(nodes, tangents, a[k], p[k], k, j)))
                return steep_fail(error, STEEP_BAD_INPUT,
                                  "the function is not convex: at %g it is below its line of %g: use a tropical "
                                  "rational function",
                                  x, nodes->x[k]);
        }
    return STEEP_OK;
}

/* The least c for which no line of f + c x^2/2 is above it at a node. The tangent at t is above s by f(t) + f'(t)(s -
 * t) - f(s) - c (s - t)^2/2. A chord over [t, u] is above s by as much as f is concave on the three: with neighbours
 * alone it is enough to look at, - f[t, s, u], the second difference, which x^2/2 changes by 1/2. */
static inline double least_curvature(const steep_nodes *nodes, bool tangents)
{
    const double *x = nodes->x, *f = nodes->value;
    double c = 0;
    for (size_t k = 0; tangents && k < nodes->count; k++)
        for (size_t j = 0; j < nodes->count; j++) {
            const double d = x[j] - x[k], above = f[k] + nodes->slope[k] * d - f[j];
            const double rounding = INTERPOLATE_TOUCHING * (fabs(f[k]) + fabs(nodes->slope[k] * d) + fabs(f[j]));
            if (j != k && above > rounding) c = fmax(c, 2 * above / (d * d));
        }
    for (size_t k = 1; !tangents && k + 1 < nodes->count; k++) {
        const double left = (f[k] - f[k - 1]) / (x[k] - x[k - 1]), right = (f[k + 1] - f[k]) / (x[k + 1] - x[k]);
        if (left - right > INTERPOLATE_TOUCHING * (fabs(left) + fabs(right)))
            c = fmax(c, 2 * (left - right) / (x[k + 1] - x[k - 1]));
    }
    return c;
}

/* A tropical rational function max_k (a_k + p_k x) - max_k (b_k + q_k x), as many terms over as under. Any function
 * will do: with c large enough f + c x^2/2 and c x^2/2 are in convex position. Hermite: both maxima are of tangents at
 * the count nodes, c twice the least one that does it, or 0 where f is in convex position itself, and every node lies
 * inside its piece, so that F has the slopes of f there. Lagrange: the chords of nodes that ascend, count - 1 terms: F
 * is the piecewise linear interpolant, equal to f everywhere if f has its kinks among the nodes. Returns c. Each array
 * has count entries (Lagrange count - 1). */
static inline double steep_interpolate_rational(const steep_nodes *nodes, double *a, double *p, double *b, double *q)
{
    const bool tangents = nodes->slope != NULL;
    const double c = 2 * least_curvature(nodes, tangents);
    const size_t lines = tangents ? nodes->count : nodes->count - 1;
    for (size_t k = 0; k < lines; k++) {
        const double t = nodes->x[k], s = tangents ? t : nodes->x[k + 1];
        line_of(nodes, tangents, c, k, &a[k], &p[k]);
        q[k] = 0.5 * c * (s + t);
        b[k] = -0.5 * c * s * t;
    }
    return c;
}

#endif
