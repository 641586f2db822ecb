/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "papers/interpolate.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/dense.h"
#include "numerics/elementary.h"
#include "numerics/qr.h"

/* Part of a column of length 1 below which the columns before it have left rounding: n eps and a margin. */
#define DEPENDENT 1e-13
#define TOUCHING  (4 * DBL_EPSILON) /* a line above a node by so much of its terms is rounding */

void steep_nodes_chebyshev(size_t count, double low, double high, double *x)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    for (size_t i = 0; i < count; i++) {
        const long double turn = cosl(pi * ((long double)i + 0.5L) / (long double)count);
        x[i] = (double)(((long double)low + high - ((long double)high - low) * turn) / 2);
    }
}

void steep_nodes_middles(size_t count, double low, double high, double *x)
{
    for (size_t i = 0; i < count; i++) x[i] = low + (high - low) * (((double)i + 0.5) / (double)count);
}

static bool has_slope(const steep_nodes *nodes, size_t i)
{
    return nodes->slope && !isnan(nodes->slope[i]);
}

static steep_status check_nodes(const steep_nodes *nodes, size_t least, steep_error *error)
{
    if (nodes->count < least)
        return steep_fail(error, STEEP_BAD_INPUT, "%zu nodes: use at least %zu", nodes->count, least);
    for (size_t i = 0; i < nodes->count; i++) {
        if (!isfinite(nodes->x[i]) || !isfinite(nodes->value[i]) || (has_slope(nodes, i) && isinf(nodes->slope[i])))
            return steep_fail(error, STEEP_BAD_INPUT, "node %zu: a number is not finite", i + 1);
        for (size_t j = 0; j < i; j++)
            if (nodes->x[i] == nodes->x[j])
                return steep_fail(error, STEEP_BAD_INPUT, "nodes %zu and %zu are both at %g: use different ones", j + 1,
                                  i + 1, nodes->x[i]);
    }
    return STEEP_OK;
}

typedef struct collocation {
    size_t rows, columns, all; /* all: terms, of which the first columns are unknown (fourier: without a_n) */
    double *matrix;            /* rows x columns, column-major */
    double *right, *length, *solution, *value, *slope;
} collocation;

static bool collocation_open(collocation *c, size_t rows, size_t columns, size_t all)
{
    *c = (collocation){.rows = rows, .columns = columns, .all = all};
    c->matrix = calloc(rows * columns + rows + 2 * columns + 2 * all + 1, sizeof *c->matrix);
    if (!c->matrix) return false;
    c->right = c->matrix + rows * columns;
    c->length = c->right + rows;
    c->solution = c->length + columns;
    c->value = c->solution + columns;
    c->slope = c->value + all;
    return true;
}

/* Where a_n is left out b_n takes its place. */
static void collocation_row(collocation *c, size_t row, double *term, double right)
{
    if (c->columns < c->all) term[c->all - 2] = term[c->all - 1];
    for (size_t j = 0; j < c->columns; j++) c->matrix[row + j * c->rows] = term[j];
    c->right[row] = right;
}

static void collocation_fill(collocation *c, steep_family family, size_t degree, double frequency,
                             const steep_nodes *nodes)
{
    size_t row = 0;
    for (size_t i = 0; i < nodes->count; i++) {
        steep_family_evaluate(family, degree, frequency, nodes->x[i], c->value, c->slope);
        collocation_row(c, row++, c->value, nodes->value[i]);
        if (has_slope(nodes, i)) collocation_row(c, row++, c->slope, nodes->slope[i]);
    }
}

/* min |matrix solution - right|, columns of length 1 for the solution of the scaled problem. */
static steep_status collocation_solve(collocation *c, steep_error *error)
{
    steep_span span;
    if (!steep_span_open(&span, c->rows, c->columns))
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu conditions", c->rows);
    memcpy(span.A, c->matrix, c->rows * c->columns * sizeof *c->matrix);
    for (size_t j = 0; j < c->columns; j++) {
        c->length[j] = steep_dense_norm(c->rows, c->matrix + j * c->rows);
        steep_dense_scale(c->rows, c->length[j] > 0 ? 1 / c->length[j] : 1, span.A + j * c->rows);
    }
    const bool usable = steep_span_factor(&span, DEPENDENT) && span.rank == c->columns;
    if (usable) steep_span_solve(&span, c->right, c->solution);
    for (size_t j = 0; usable && j < c->columns; j++) c->solution[j] /= c->length[j];
    steep_span_close(&span);
    if (usable && steep_dense_finite(c->columns, c->solution)) return STEEP_OK;
    return steep_fail(error, STEEP_SINGULAR,
                      "the conditions do not determine the coefficients: use other places or a lower degree");
}

steep_status steep_interpolate(steep_family family, size_t degree, double frequency, const steep_nodes *nodes,
                               double *a, steep_error *error)
{
    const size_t terms = steep_family_terms(family, degree);
    size_t conditions = nodes->count;
    for (size_t i = 0; i < nodes->count; i++) conditions += has_slope(nodes, i);
    const bool even = family == STEEP_FAMILY_FOURIER && degree > 0 && conditions == 2 * degree;
    if (degree > STEEP_LEARNED_MOST)
        return steep_fail(error, STEEP_BAD_INPUT, "degree %zu: use at most %d", degree, STEEP_LEARNED_MOST);
    if (family == STEEP_FAMILY_FOURIER && !(frequency > 0 && isfinite(frequency)))
        return steep_fail(error, STEEP_BAD_INPUT, "frequency %g: use one above 0", frequency);
    steep_status status = check_nodes(nodes, 1, error);
    if (status < 0) return status;
    if (conditions < terms && !even)
        return steep_fail(error, STEEP_BAD_INPUT, "%zu conditions for %zu coefficients: use more places or slopes",
                          conditions, terms);
    collocation c;
    if (!collocation_open(&c, conditions, even ? terms - 1 : terms, terms))
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu conditions", conditions);
    collocation_fill(&c, family, degree, frequency, nodes);
    status = collocation_solve(&c, error);
    if (status == STEEP_OK) memcpy(a, c.solution, c.columns * sizeof *a);
    if (status == STEEP_OK && even) a[terms - 1] = a[terms - 2], a[terms - 2] = 0;
    free(c.matrix);
    return status;
}

/* 0: chords, 1: tangents; STEEP_BAD_INPUT where neither is given whole. */
static steep_status check_lines(const steep_nodes *nodes, bool *tangents, steep_error *error)
{
    size_t slopes = 0;
    for (size_t i = 0; i < nodes->count; i++) slopes += has_slope(nodes, i);
    *tangents = slopes > 0;
    steep_status status = check_nodes(nodes, *tangents ? 1 : 2, error);
    if (status < 0) return status;
    if (*tangents && slopes < nodes->count)
        return steep_fail(error, STEEP_BAD_INPUT, "slopes at %zu of %zu nodes: use all or none", slopes, nodes->count);
    for (size_t i = 1; !*tangents && i < nodes->count; i++)
        if (nodes->x[i] <= nodes->x[i - 1])
            return steep_fail(error, STEEP_BAD_INPUT, "nodes %zu and %zu: use places that ascend", i, i + 1);
    return STEEP_OK;
}

/* Line k of f + c x^2/2: its tangent at node k, or its chord from node k to the next. */
static void line_of(const steep_nodes *nodes, bool tangents, double c, size_t k, double *a, double *p)
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
static double rounding_of(const steep_nodes *nodes, bool tangents, double a, double p, size_t k, size_t j)
{
    const double x = nodes->x[j];
    double size = fabs(a) + fabs(p * x) + fabs(nodes->value[j]);
    if (!tangents)
        size += (fabs(nodes->value[k]) + fabs(nodes->value[k + 1])) *
                fabs((x - nodes->x[k]) / (nodes->x[k + 1] - nodes->x[k]));
    return TOUCHING * size;
}

steep_status steep_interpolate_tropical(const steep_nodes *nodes, double *a, double *p, steep_error *error)
{
    bool tangents;
    steep_status status = check_lines(nodes, &tangents, error);
    if (status < 0) return status;
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
static double least_curvature(const steep_nodes *nodes, bool tangents)
{
    const double *x = nodes->x, *f = nodes->value;
    double c = 0;
    for (size_t k = 0; tangents && k < nodes->count; k++)
        for (size_t j = 0; j < nodes->count; j++) {
            const double d = x[j] - x[k], above = f[k] + nodes->slope[k] * d - f[j];
            const double rounding = TOUCHING * (fabs(f[k]) + fabs(nodes->slope[k] * d) + fabs(f[j]));
            if (j != k && above > rounding) c = fmax(c, 2 * above / (d * d));
        }
    for (size_t k = 1; !tangents && k + 1 < nodes->count; k++) {
        const double left = (f[k] - f[k - 1]) / (x[k] - x[k - 1]), right = (f[k + 1] - f[k]) / (x[k + 1] - x[k]);
        if (left - right > TOUCHING * (fabs(left) + fabs(right)))
            c = fmax(c, 2 * (left - right) / (x[k + 1] - x[k - 1]));
    }
    return c;
}

steep_status steep_interpolate_rational(const steep_nodes *nodes, double *a, double *p, double *b, double *q,
                                        double *curvature, steep_error *error)
{
    bool tangents;
    steep_status status = check_lines(nodes, &tangents, error);
    if (status < 0) return status;
    const double c = 2 * least_curvature(nodes, tangents);
    const size_t lines = tangents ? nodes->count : nodes->count - 1;
    for (size_t k = 0; k < lines; k++) {
        const double t = nodes->x[k], s = tangents ? t : nodes->x[k + 1];
        line_of(nodes, tangents, c, k, &a[k], &p[k]);
        q[k] = 0.5 * c * (s + t);
        b[k] = -0.5 * c * s * t;
    }
    if (curvature) *curvature = c;
    return STEEP_OK;
}
