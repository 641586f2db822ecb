/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds on piecewise polynomials with free breakpoints, by dynamic programming.
 *
 *   1. Cut the samples into groups g_0..g_{M-1}. cost(i, j) = least sum of w e^2 over groups i..j-1 by one polynomial:
 *      for each i a triangle grows by Givens rotations as j does; what each rotation leaves of the right-hand side adds
 *      to the sum.
 *   2. upper_n(j) = min_i upper_{n-1}(i) + cost(i, j): the n-th breakpoint between groups i-1 and i.
 *      lower_n(j) = min(lower_{n-1}(j), min_i lower_{n-1}(i) + cost(i + 1, j)): the n-th breakpoint inside group i,
 *      which is left out. */
#include "spline/bracket.h"

#include <math.h>
#include <stdlib.h>

#include "data/sample_weight.h"

#define MOST_DEGREE    8
#define MOST_INTERVALS 4096

typedef struct bracket {
    size_t M, columns;   /* groups; degree + 1 */
    const size_t *first; /* group i holds samples first[i]..first[i+1]-1 */
    double *cost;        /* (M + 1) x (M + 1), row-major: cost[i (M + 1) + j], i <= j */
} bracket;

/* Rotates the row (v | y) into the triangle; returns the square of what is left of y. */
static double add_row(size_t m, double R[MOST_DEGREE + 1][MOST_DEGREE + 2], double *v, double y)
{
    for (size_t a = 0; a < m; a++) {
        if (v[a] == 0) continue;
        double r = R[a][a], length = sqrt(r * r + v[a] * v[a]), c = r / length, s = v[a] / length;
        R[a][a] = length;
        for (size_t b = a + 1; b < m; b++) {
            double above = R[a][b];
            R[a][b] = c * above + s * v[b];
            v[b] = c * v[b] - s * above;
        }
        double above = R[a][m];
        R[a][m] = c * above + s * y;
        y = c * y - s * above;
    }
    return y * y;
}

/* Step 1 for one i. */
static void fill_costs(const bracket *b, const steep_samples *samples, size_t i)
{
    double R[MOST_DEGREE + 1][MOST_DEGREE + 2] = {{0}}, sum = 0;
    double origin = samples->x[b->first[i]], length = samples->x[samples->count - 1] - origin;
    double *cost = b->cost + i * (b->M + 1);
    cost[i] = 0;
    for (size_t j = i; j < b->M; j++) {
        for (size_t k = b->first[j]; k < b->first[j + 1]; k++) {
            double v[MOST_DEGREE + 1], z = length > 0 ? (samples->x[k] - origin) / length : 0;
            double root = steep_sample_root(samples, k);
            v[0] = root;
            for (size_t a = 1; a < b->columns; a++) v[a] = v[a - 1] * z;
            sum += add_row(b->columns, R, v, root * samples->y[k]);
        }
        cost[j + 1] = sum;
    }
}

/* Step 2: one more breakpoint, from before[0..M] to after[0..M]; gap 0 for upper, 1 for lower. */
static void add_breakpoint(const bracket *b, size_t gap, const double *before, double *after)
{
    size_t M = b->M;
    for (size_t j = 0; j <= M; j++) after[j] = before[j];
    for (size_t i = 0; i + gap <= M; i++) {
        const double *cost = b->cost + (i + gap) * (M + 1);
        for (size_t j = i + gap; j <= M; j++)
            if (before[i] + cost[j] < after[j]) after[j] = before[i] + cost[j];
    }
}

static void run(const bracket *b, size_t gap, size_t most, double *work, double *bound)
{
    double *before = work, *after = work + b->M + 1;
    for (size_t j = 0; j <= b->M; j++) before[j] = b->cost[j];
    bound[0] = sqrt(before[b->M]);
    for (size_t n = 1; n <= most; n++) {
        add_breakpoint(b, gap, before, after);
        double *swap = before;
        before = after;
        after = swap;
        bound[n] = sqrt(before[b->M]);
    }
}

steep_status steep_bracket(const steep_samples *samples, const steep_bracket_size *size, double *lower, double *upper,
                           steep_error *error)
{
    size_t degree = size->degree, intervals = size->intervals;
    if (samples->dim != 1 || degree > MOST_DEGREE || intervals < 2 || intervals > MOST_INTERVALS)
        return steep_fail(
            error, STEEP_BAD_INPUT,
            "a bracket of degree %zu in %zu intervals in %zuD: expected degree 0 to %d, 2 to %d intervals "
            "and 1D",
            degree, intervals, samples->dim, MOST_DEGREE, MOST_INTERVALS);
    size_t M = samples->count < intervals ? samples->count : intervals;
    size_t *first = malloc((M + 1) * sizeof *first);
    double *memory = malloc(((M + 1) * (M + 1) + 2 * (M + 1)) * sizeof *memory);
    steep_status status = STEEP_OK;
    if (first && memory) {
        bracket b = {.M = M, .columns = degree + 1, .first = first, .cost = memory};
        for (size_t i = 0; i <= M; i++) first[i] = i * samples->count / M;
        for (size_t i = 0; i < M; i++) fill_costs(&b, samples, i);
        memory[M * (M + 1) + M] = 0; /* no groups, no cost */
        run(&b, 1, size->most, memory + (M + 1) * (M + 1), lower);
        run(&b, 0, size->most, memory + (M + 1) * (M + 1), upper);
    } else {
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for a bracket in %zu intervals", M);
    }
    free(first);
    free(memory);
    return status;
}
