/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The best spline on given knots, in O(samples + cells).
 *
 * On each cell the unknowns are the Taylor coefficients c_0..c_p about its right knot, scaled by the cell's size. The
 * first s = continuity of them are the state that the spline hands over at a knot; the other p + 1 - s are free in each
 * cell.
 *
 *   1. Cell by cell from the left: stack the s rows carried from the cell before (in terms of this cell's left state,
 *      which is linear in c) on the cell's weighted samples, and triangularise by Householder reflections, free
 *      coefficients first.
 *   2. The first p + 1 - s rows of the triangle give the free coefficients once the right state is known: keep them.
 *      The last s rows hold all that the samples so far say about the right state: carry them.
 *   3. After the last cell solve for the last state; then cell by cell from the right: free coefficients, then the left
 *      state, which is the right state of the cell before, in long double.
 *
 * This is the square-root information filter (Bierman, Factorization Methods for Discrete Sequential Estimation,
 * 1977) with the knots as time: backward stable, and each cell's part well conditioned whatever their number; while
 * truncated powers are conditioned like cells^(2 p + 1). */
#include "spline/least_squares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "base/lanes.h"

#define COLUMNS (STEEP_SPLINE_MAX_DEGREE + 2) /* coefficients and right-hand side */
#define CHUNK 240                             /* samples reflected together: the block stays in the first-level cache */
#define ROWS (CHUNK + STEEP_SPLINE_MAX_DEGREE + 1)
/* Weight that holds free coefficients to a guess where too few samples determine them; tuned: 1e-5 lets the test
 * error of 10,000 random samples in 2048 cells grow tenfold more, 1e-2 shows in the gradient. */
#define HOLD 1e-3
#define NEAREST 2 /* samples of a guess, per coefficient */

/* A block of rows, column by column; columns 0..p-s are free, the next s the state, the last the right-hand side. */
typedef struct block {
    size_t rows, columns; /* columns without the right-hand side */
    double a[COLUMNS][ROWS];
} block;

static inline __attribute__((always_inline)) double dot(size_t n, const double *a, const double *b)
{
    steep_lanes sum = {0}, u, v;
    double rest = 0;
    size_t k = 0;
    for (; k + STEEP_LANES <= n; k += STEEP_LANES) {
        STEEP_LANES_LOAD(u, a + k);
        STEEP_LANES_LOAD(v, b + k);
        sum += u * v;
    }
    for (; k < n; k++) rest += a[k] * b[k];
    return STEEP_LANES_SUM(sum) + rest;
}

/* Householder reflections in place; afterwards the block is its upper triangle, rows cut to columns. */
STEEP_CLONES static void triangularise(block *b)
{
    size_t n = b->rows, m = b->columns;
    for (size_t j = 0; j < m && j < n; j++) {
        double *v = b->a[j] + j;
        double size = sqrt(dot(n - j, v, v)), head = v[0];
        if (!(size > 0)) continue; /* nothing below: the row stays zero */
        double diagonal = head > 0 ? -size : size, first = head - diagonal;
        v[0] = first;
        double scale = 1 / (diagonal * first); /* -2 / (v.v) */
        for (size_t c = j + 1; c <= m; c++) {
            double *w = b->a[c] + j, along = scale * dot(n - j, v, w);
            for (size_t k = 0; k < n - j; k++) w[k] += along * v[k];
        }
        v[0] = diagonal;
    }
    b->rows = n < m ? n : m;
    for (size_t j = 0; j < m; j++) /* the reflectors are not needed again */
        for (size_t k = j + 1; k < b->rows; k++) b->a[j][k] = 0;
}

/* Appends samples first..last-1 of the cell that ends at right, of size h. */
static void append_samples(block *b, const steep_samples *samples, size_t first, size_t last, double right, double h,
                           size_t continuity)
{
    size_t p = b->columns - 1, s = continuity, row = b->rows, count = last - first;
    double power[CHUNK], z[CHUNK];
    for (size_t k = 0; k < count; k++) {
        z[k] = (samples->x[first + k] - right) / h;
        power[k] = samples->weight ? sqrt(samples->weight[first + k] * (double)samples->count) : 1;
        b->a[p + 1][row + k] = power[k] * samples->y[first + k];
    }
    for (size_t j = 0; j <= p; j++) {
        double *column = b->a[j < s ? p + 1 - s + j : j - s] + row;
        for (size_t k = 0; k < count; k++) {
            column[k] = power[k];
            power[k] *= z[k];
        }
    }
    b->rows += count;
}

/* Rows carried from the cell before, in terms of this cell's coefficients: the left state is
 * L_j = sum_{l >= j} C(l, j) (-1)^{l-j} c_l, times (h_before / h)^j in the scale of the cell before. */
static void append_carry(block *b, size_t s, double carry[COLUMNS][COLUMNS], double ratio)
{
    size_t p = b->columns - 1;
    for (size_t row = 0; row < s; row++) {
        for (size_t l = 0; l <= p; l++) {
            double sum = 0, binomial = 1, scale = 1;
            for (size_t j = 0; j <= l && j < s; j++) {
                sum += carry[row][j] * scale * binomial * ((l - j) % 2 ? -1 : 1);
                binomial = binomial * (double)(l - j) / (double)(j + 1);
                scale *= ratio;
            }
            b->a[l < s ? p + 1 - s + l : l - s][b->rows] = sum;
        }
        b->a[p + 1][b->rows++] = carry[row][s];
    }
}

/* The samples nearest to a cell, around first..last-1 which lie in it: widens the range to count, or to all. */
static void widen(const steep_samples *samples, const double *knot, size_t count, size_t *first, size_t *last)
{
    double middle = knot[0] + (knot[1] - knot[0]) / 2;
    while (*last - *first < count && (*first > 0 || *last < samples->count)) {
        bool left = *last == samples->count;
        if (*first > 0 && !left) left = middle - samples->x[*first - 1] <= samples->x[*last] - middle;
        if (left) --*first;
        else ++*last;
    }
}

/* Coefficients of the polynomial of the degree that is best on the samples nearest to a cell, about its right knot,
 * scaled: a guess at what the cell's own samples do not say. Modified Gram-Schmidt; a column that depends on the
 * others gets 0. */
static void guess_polynomial(const steep_samples *samples, size_t first, size_t last, const double *knot, size_t degree,
                             double *guess)
{
    enum { MOST = NEAREST * (STEEP_SPLINE_MAX_DEGREE + 1) };
    double column[STEEP_SPLINE_MAX_DEGREE + 1][MOST], R[STEEP_SPLINE_MAX_DEGREE + 1][STEEP_SPLINE_MAX_DEGREE + 2],
        y[MOST];
    double h = knot[1] - knot[0];
    widen(samples, knot, NEAREST * (degree + 1), &first, &last);
    size_t n = last - first < MOST ? last - first : MOST;
    for (size_t k = 0; k < n; k++) {
        double z = (samples->x[first + k] - knot[1]) / h, power = 1;
        for (size_t j = 0; j <= degree; j++, power *= z) column[j][k] = power;
        y[k] = samples->y[first + k];
    }
    for (size_t j = 0; j <= degree; j++) {
        double before = sqrt(dot(n, column[j], column[j]));
        for (size_t i = 0; i < j; i++) {
            R[i][j] = dot(n, column[i], column[j]);
            for (size_t k = 0; k < n; k++) column[j][k] -= R[i][j] * column[i][k];
        }
        R[j][j] = sqrt(dot(n, column[j], column[j]));
        bool depends = !(R[j][j] > 1e-10 * before);
        if (depends) R[j][j] = 0;
        for (size_t k = 0; k < n; k++) column[j][k] = depends ? 0 : column[j][k] / R[j][j];
        R[j][degree + 1] = dot(n, column[j], y);
        for (size_t k = 0; k < n; k++) y[k] -= R[j][degree + 1] * column[j][k];
    }
    for (size_t j = degree + 1; j-- > 0;) {
        guess[j] = R[j][degree + 1];
        for (size_t i = j + 1; i <= degree; i++) guess[j] -= R[j][i] * guess[i];
        guess[j] = R[j][j] > 0 ? guess[j] / R[j][j] : 0;
    }
}

/* Rows HOLD * (c_l - guess_l) = 0 for the free coefficients. The weight's square, times the error of the guess, is
 * the bias that they bring into what samples determine: below the tolerance of any gradient. */
static void append_hold(block *b, size_t s, const double *guess)
{
    size_t p = b->columns - 1;
    for (size_t l = 0; l + s <= p; l++, b->rows++) {
        for (size_t c = 0; c <= p; c++) b->a[c][b->rows] = 0;
        b->a[l][b->rows] = HOLD;
        b->a[p + 1][b->rows] = HOLD * guess[s + l];
    }
}

/* Step 1 and 2 for one cell: block -> rows kept (free x (p + 2), row-major) and rows carried. */
static void eliminate_cell(block *b, const steep_samples *samples, size_t first, size_t last, const double *knot,
                           size_t s, double before, double carry[COLUMNS][COLUMNS], double *kept)
{
    size_t p = b->columns - 1, nfree = p + 1 - s;
    double h = knot[1] - knot[0];
    b->rows = 0;
    if (before > 0) append_carry(b, s, carry, before / h);
    if (last - first < p + 1) {
        double guess[STEEP_SPLINE_MAX_DEGREE + 1];
        guess_polynomial(samples, first, last, knot, p, guess);
        append_hold(b, s, guess);
    }
    for (size_t k = first; k < last; k += CHUNK) {
        append_samples(b, samples, k, k + CHUNK < last ? k + CHUNK : last, knot[1], h, s);
        if (k + CHUNK < last) triangularise(b);
    }
    while (b->rows < p + 1) { /* fewer rows than unknowns: zero rows say nothing */
        for (size_t c = 0; c <= p + 1; c++) b->a[c][b->rows] = 0;
        b->rows++;
    }
    triangularise(b);
    for (size_t r = 0; r < nfree; r++)
        for (size_t c = 0; c <= p + 1; c++) kept[r * (p + 2) + c] = b->a[c][r];
    for (size_t r = 0; r < s; r++)
        for (size_t c = 0; c <= s; c++) carry[r][c] = b->a[nfree + c][nfree + r];
}

/* Solves the triangle of the last state. A direction that no sample determines is 0. */
static void solve_state(size_t s, double carry[COLUMNS][COLUMNS], long double *state)
{
    for (size_t r = s; r-- > 0;) {
        long double sum = carry[r][s];
        for (size_t c = r + 1; c < s; c++) sum -= carry[r][c] * state[c];
        state[r] = carry[r][r] != 0 ? sum / carry[r][r] : 0;
    }
}

/* Step 3: coefficients of every cell from the last state, right to left. */
static void substitute(steep_spline *spline, size_t s, const double *kept, long double *state)
{
    size_t p = spline->degree, nfree = p + 1 - s;
    for (size_t i = spline->cells; i-- > 0;) {
        long double *c = spline->coefficient + i * (p + 1), left[COLUMNS];
        const double *row = kept + i * nfree * (p + 2);
        for (size_t j = 0; j < s; j++) c[j] = state[j];
        for (size_t r = nfree; r-- > 0;) {
            long double sum = row[r * (p + 2) + p + 1];
            for (size_t j = 0; j < s; j++) sum -= row[r * (p + 2) + nfree + j] * c[j];
            for (size_t l = r + 1; l < nfree; l++) sum -= row[r * (p + 2) + l] * c[s + l];
            c[s + r] = row[r * (p + 2) + r] != 0 ? sum / row[r * (p + 2) + r] : 0;
        }
        if (i == 0) break;
        memcpy(left, c, (p + 1) * sizeof *left);
        steep_spline_shift(p, -1, left);
        long double ratio = ((long double)spline->knot[i] - spline->knot[i - 1]) /
                            ((long double)spline->knot[i + 1] - spline->knot[i]),
                    scale = 1;
        for (size_t j = 0; j < s; j++, scale *= ratio) state[j] = left[j] * scale;
    }
}

static steep_status check_problem(const steep_samples *samples, size_t degree, size_t continuity, size_t cells,
                                  steep_error *error)
{
    if (samples->dim != 1)
        return steep_fail(error, STEEP_BAD_INPUT, "samples in %zuD: a spline fit needs 1D", samples->dim);
    if (continuity < 1 || continuity > degree)
        return steep_fail(error, STEEP_BAD_INPUT, "continuity %zu of degree %zu: 1 to the degree would be right",
                          continuity, degree);
    size_t unknowns = degree + 1 + (cells - 1) * (degree + 1 - continuity);
    if (samples->count < unknowns)
        return steep_fail(error, STEEP_BAD_INPUT, "%zu samples for %zu unknowns (%zu cells): at least as many samples "
                          "as unknowns would be right", samples->count, unknowns, cells);
    for (size_t k = 0; k < samples->count; k++) {
        if (!isfinite(samples->x[k]) || !isfinite(samples->y[k]))
            return steep_fail(error, STEEP_NOT_FINITE, "sample %zu is (%g, %g): finite numbers would be right", k,
                              samples->x[k], samples->y[k]);
        if (k > 0 && samples->x[k] < samples->x[k - 1])
            return steep_fail(error, STEEP_BAD_INPUT,
                              "sample %zu is left of the one before: ascending x would be right", k);
    }
    return STEEP_OK;
}

steep_status steep_spline_least_squares(const steep_samples *samples, size_t degree, size_t continuity, size_t cells,
                                        const double *knot, steep_spline *spline, steep_error *error)
{
    steep_status status = steep_spline_init(spline, degree, cells, knot, error);
    if (status == STEEP_OK) status = check_problem(samples, degree, continuity, cells, error);
    size_t nfree = degree + 1 - continuity;
    double *kept = status == STEEP_OK ? malloc(cells * nfree * (degree + 2) * sizeof *kept) : NULL;
    block *b = status == STEEP_OK ? malloc(sizeof *b) : NULL;
    if (status == STEEP_OK && (!kept || !b))
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for a spline fit with %zu cells", cells);
    if (status == STEEP_OK) {
        double carry[COLUMNS][COLUMNS], before = 0;
        long double state[COLUMNS];
        size_t first = 0, last = 0;
        b->columns = degree + 1;
        for (size_t i = 0; i < cells; i++) {
            while (last < samples->count && (samples->x[last] < knot[i + 1] || i + 1 == cells)) last++;
            eliminate_cell(b, samples, first, last, knot + i, continuity, before, carry,
                           kept + i * nfree * (degree + 2));
            before = knot[i + 1] - knot[i];
            first = last;
        }
        solve_state(continuity, carry, state);
        substitute(spline, continuity, kept, state);
    }
    free(kept);
    free(b);
    if (status < 0) steep_spline_free(spline);
    return status;
}
