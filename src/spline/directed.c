/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums over the samples of a stretch are differences of prefix sums: a fit costs O(width^3) for any number of samples,
 * microseconds where a fit with a row for each sample costs a hundred.
 *
 *   1. Prefix sums of w v^j and w y v^j, in long double: the normal equations square the condition number of the
 *      problem, and long double makes up for it. The accuracy that is lost all the same matters only to a search; its
 *      result is refined on the samples themselves.
 *   2. The normal equations of d and c for given gates. Units i and j are both open on one stretch [a, b): the entry of
 *      c_ip and c_jq is sum_k (base_i base_j)_k (sum of w v^(k+p+q) there). Cholesky solves them; an unknown that
 *      depends on the unknowns before it is left out.
 *   3. Newton's method on knots and angles, the linear unknowns eliminated (spline/directed_newton), damped as in
 *      Levenberg and Marquardt's method. */
#include "spline/directed_parts.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"

#define DEPENDENT 1e-13L /* least pivot / its diagonal entry: four digits above the rounding of long double */
#define ROUNDING  (0x1p14 * LDBL_EPSILON) /* least pivot / bound of the sums that cancel in it; chosen */

/* Step 1. */
static void add_up(steep_directed *d, const steep_samples *samples)
{
    long double low = samples->low[0], high = samples->high[0], middle = (low + high) / 2, half = (high - low) / 2;
    for (size_t k = 0; k < d->count; k++) {
        long double v = half > 0 ? (samples->x[k] - middle) / half : 0, y = samples->y[k];
        long double term = steep_sample_weight(samples, k);
        d->v[k] = (double)v;
        d->y[k] = samples->y[k];
        d->square += term * y * y;
        for (size_t j = 0; j < d->sums; j++, term *= v) {
            d->power[(k + 1) * d->sums + j] = d->power[k * d->sums + j] + term;
            if (j < d->terms) d->value[(k + 1) * d->terms + j] = d->value[k * d->terms + j] + term * y;
        }
    }
}

steep_status steep_directed_open(const steep_samples *samples, steep_directed_class class, size_t width,
                                 steep_directed **out, steep_error *error)
{
    const size_t terms = 1 + class.factors + class.coefficients;
    steep_directed *d = calloc(1, sizeof *d);
    if (!d) return steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu gates", width);
    d->class = class;
    d->width = width;
    d->terms = terms;
    d->sums = 2 * terms - 1;
    d->lines = 1 + width * class.coefficients;
    d->per = 1 + class.factors;
    d->moves = width * d->per;
    d->count = samples->count;
    d->block =
        STEEP_BLOCK(STEEP_SHARE(d->v, d->count), STEEP_SHARE(d->y, d->count),
                    STEEP_SHARE(d->power, (d->count + 1) * d->sums), STEEP_SHARE(d->value, (d->count + 1) * d->terms));
    if (!d->block) {
        steep_directed_close(d);
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for sums of %zu samples", samples->count);
    }
    add_up(d, samples);
    *out = d;
    return STEEP_OK;
}

void steep_directed_close(steep_directed *directed)
{
    free(directed->block);
    free(directed);
}

/* The samples on the open side of a gate. */
static steep_stretch open_side(const steep_directed *d, const steep_directed_gate *gate)
{
    size_t low = 0, high = d->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (d->v[middle] < gate->knot) low = middle + 1;
        else high = middle;
    }
    return gate->sign > 0 ? (steep_stretch){low, d->count} : (steep_stretch){0, low};
}

/* p *= a + b v; *terms grows by one. */
static void multiply(long double a, long double b, size_t *terms, long double *p)
{
    p[*terms] = b * p[*terms - 1];
    for (size_t k = *terms - 1; k > 0; k--) p[k] = a * p[k] + b * p[k - 1];
    p[0] *= a;
    ++*terms;
}

void steep_directed_base(const steep_directed *d, const steep_directed_gate *gate, size_t i, bool hinge, bool turned,
                         long double p[STEEP_DIRECTED_TERMS])
{
    size_t terms = 1;
    memset(p, 0, STEEP_DIRECTED_TERMS * sizeof *p);
    p[0] = 1;
    if (hinge) multiply(-(long double)gate->sign * gate->knot, gate->sign, &terms, p);
    if (d->class.factors == 0) return;
    if (turned) multiply(d->cosine[i], -d->sine[i], &terms, p);
    else multiply(d->sine[i], d->cosine[i], &terms, p);
}

bool steep_directed_sums(const steep_directed *d, size_t i, size_t j, long double *sum)
{
    const steep_stretch a = d->open[i], b = d->open[j];
    const size_t first = a.first > b.first ? a.first : b.first, end = a.end < b.end ? a.end : b.end;
    if (first >= end) return false;
    for (size_t k = 0; k < d->sums; k++) sum[k] = d->power[end * d->sums + k] - d->power[first * d->sums + k];
    return true;
}

/* a . b; even and odd terms are summed apart, which halves the wait for the previous addition. */
static long double inner(size_t count, const long double *a, const long double *b)
{
    long double even = 0, odd = 0;
    size_t k = 0;
    for (; k + 1 < count; k += 2) {
        even += a[k] * b[k];
        odd += a[k + 1] * b[k + 1];
    }
    if (k < count) even += a[k] * b[k];
    return even + odd;
}

/* Sets the entries of units i and j <= i in the normal equations; entry (p, q) depends only on p + q. */
static void add_pair(steep_directed *d, size_t i, size_t j)
{
    size_t C = d->class.coefficients, base = d->terms - C + 1;
    long double sum[STEEP_DIRECTED_SUMS], product[STEEP_DIRECTED_SUMS] = {0},
                                          entry[2 * STEEP_DIRECTED_COEFFICIENTS] = {0};
    if (steep_directed_sums(d, i, j, sum)) {
        for (size_t k = 0; k < base; k++)
            for (size_t l = 0; l < base; l++) product[k + l] += d->base[i][k] * d->base[j][l];
        for (size_t e = 0; e + 1 < 2 * C; e++) entry[e] = inner(2 * base - 1, product, sum + e);
    }
    for (size_t p = 0; p < C; p++)
        for (size_t q = 0; q < C; q++) d->factor[1 + i * C + p][1 + j * C + q] = entry[p + q];
}

/* Step 2: gate i's rows of the normal equations: the lower triangle into factor, the right-hand side into right. */
static void set_rows(steep_directed *d, size_t i)
{
    size_t C = d->class.coefficients, base = d->terms - C + 1;
    const long double *low = d->power + d->open[i].first * d->sums, *high = d->power + d->open[i].end * d->sums,
                      *below = d->value + d->open[i].first * d->terms, *above = d->value + d->open[i].end * d->terms;
    for (size_t p = 0; p < C; p++) {
        long double sum = 0, value = 0;
        for (size_t k = 0; k < base; k++) {
            sum += d->base[i][k] * (high[k + p] - low[k + p]);
            value += d->base[i][k] * (above[k + p] - below[k + p]);
        }
        d->factor[1 + i * C + p][0] = sum;
        d->right[1 + i * C + p] = value;
    }
    for (size_t j = 0; j <= i; j++) add_pair(d, i, j);
}

/* Computes row i of the Cholesky factor L and of L^-1 right. Where the pivot is not above rounding (DEPENDENT, least),
 * unknown i depends on the unknowns before it: its row of L is that of the identity, its right-hand side 0. */
static void factor_row(steep_directed *d, size_t i, long double least)
{
    long double *row = d->factor[i], diagonal = row[i];
    for (size_t j = 0; j < i; j++)
        row[j] = d->dependent[j] ? 0 : (row[j] - inner(j, row, d->factor[j])) / d->factor[j][j];
    long double pivot = diagonal - inner(i, row, row);
    d->dependent[i] = !(pivot > fmaxl(DEPENDENT * diagonal, least));
    if (d->dependent[i]) memset(row, 0, i * sizeof *row);
    row[i] = d->dependent[i] ? 1 : sqrtl(pivot);
    d->right[i] = d->dependent[i] ? 0 : (d->right[i] - inner(i, row, d->right)) / row[i];
}

/* Returns half the least mean square with gates [0, end); gates [0, first) are the same as in the last call. */
static long double eliminate(steep_directed *d, const steep_directed_gates *gates, size_t first, size_t end)
{
    size_t C = d->class.coefficients;
    long double left = d->square;
    if (first == 0) {
        d->factor[0][0] = d->power[d->count * d->sums];
        d->right[0] = d->value[d->count * d->terms];
        factor_row(d, 0, 0);
    }
    for (size_t i = first; i < end; i++) {
        const steep_directed_gate *gate = &gates->gate[i];
        d->open[i] = open_side(d, gate);
        if (d->class.factors > 0) {
            d->cosine[i] = cosl(gate->angle);
            d->sine[i] = sinl(gate->angle);
        }
        steep_directed_base(d, gate, i, true, false, d->base[i]);
        set_rows(d, i);
        long double size = 0; /* bound of |base|, |v| <= 1: terms cancel where a gate is open on few samples */
        for (size_t k = 0; k < d->terms; k++) size += fabsl(d->base[i][k]);
        for (size_t p = 0; p < C; p++)
            factor_row(d, 1 + i * C + p, ROUNDING * size * size * d->power[d->count * d->sums]);
    }
    for (size_t k = 0; k < 1 + end * C; k++) left -= d->right[k] * d->right[k]; /* the part that the network explains */
    return fmaxl(left / 2, 0);
}

long double steep_directed_solve(steep_directed *d, const steep_directed_gates *gates)
{
    long double square = eliminate(d, gates, 0, d->width);
    for (size_t i = d->lines; i-- > 0;) { /* L' line = L^-1 right */
        long double sum = d->right[i];
        for (size_t k = i + 1; k < d->lines; k++) sum -= d->factor[k][i] * d->line[k];
        d->line[i] = d->dependent[i] ? 0 : sum / d->factor[i][i];
    }
    return square;
}

double steep_directed_error(steep_directed *directed, const steep_directed_gates *gates, size_t first, size_t end)
{
    return (double)sqrtl(2 * eliminate(directed, gates, first, end));
}
