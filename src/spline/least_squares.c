/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The best spline on given knots, in O(samples + cells).
 *
 * On a cell of size h the unknowns are the p + 1 Taylor coefficients c of the cell's polynomial about its right knot t,
 * in (x - t) / h; so they have the size of values. With p the degree and s the continuity, the jump at t is
 *
 *     after - before = sum_{j=s..p} J_j ((x - t) / g)^j.
 *
 * The fit minimises
 *
 *     sum_k w_k (s(x_k) - y_k)^2 + sum over knots e^2 |J|^2,    w_k = 1 on average,
 *
 * so that no gate opens where the samples do not require it. Where the samples of both cells beside the knot determine
 * their polynomials, e = RIDGE and g is the size of the smaller cell: only rounding is held down. Beside a cell with
 * fewer than p + 1 places (count_places), e = HOLD and g is the size of the larger cell: the thin cell follows its
 * neighbours.
 *
 *   1. On a cell: stack the p + 1 carried rows, which hold all information of the samples before about c, and the rows
 *      of the cell's own weighted samples. Make them a triangle by Householder reflections, columns of c_s..c_p first.
 *   2. At the knot: c_0..c_{s-1} = (T c')_{0..s-1}, with c' the coefficients of the next cell and T the Taylor shift by
 *      its size, and J = (T c' - c)_{s..p}. With the rows e J = 0 below the rows of c_s..c_p, p + 1 - s reflections
 *      make a triangle again. Its first rows give c_s..c_p once c' is known: keep them. The rows below hold all
 *      information about c': carry them.
 *   3. After the last cell solve for c. Then, cell by cell to the left, the kept rows give c_s..c_p, and T c' in long
 *      double gives c_0..c_{s-1}, so that the spline is continuous to long double.
 *   4. While the held jumps cost more than the residual, the spline could come nearer to the samples than HOLD allows:
 *      fit the residuals in the same way, and add that fit.
 *
 * This is the square-root information filter (Bierman, Factorization Methods for Discrete Sequential Estimation,
 * 1977) with the knots as time and the jumps as process noise. It is backward stable, and each part is well conditioned
 * for any number of cells; truncated powers have condition numbers like cells^(2 p + 1). The triangle of step 2 is
 * regular because of e. The triangle of step 1 has rows only for parts larger than rounding (reflect). */
#include "spline/spline.h"
#include "steep/spline.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block.h"
#include "base/inline.h"
#include "data/samples.h"
#include "numerics/dense.h"

#define TERMS        (STEEP_SPLINE_MAX_DEGREE + 1) /* coefficients of a filter_cell */
#define CHUNK        240 /* samples reflected together: the block stays in the first-level cache */
#define ROWS         (CHUNK + 2 * TERMS)
#define KNOT_ROWS    (2 * TERMS)
#define KNOT_COLUMNS (2 * TERMS + 1)
/* e beside a thin cell; tuned: on 10,000 random samples in 2047 cells 1e-4 doubles the test error, 1e-2 adds up to 3 %
 * to the training error. */
#define HOLD 1e-3
/* e elsewhere, sqrt(DBL_EPSILON): a jump that the samples determine with a singular value sigma carries rounding of
 * DBL_EPSILON |y| / sigma and a bias of (e / sigma)^2 |J|; the two are of one size where sigma is 1, |J| like |y|. */
#define RIDGE 0x1p-26
/* Most fits of step 4. A direction of singular value sigma misses the share e^2 / (sigma^2 + e^2) of its minimum. Each
 * fit multiplies the missing share by this factor: 1e-18 after two where sigma is 1. */
#define CORRECTIONS 2

/* One fit on its way from cell to cell. */
typedef struct filter {
    const steep_samples *samples;
    size_t p, s;                /* degree, continuity; p + 1 - s jumps at a knot */
    size_t stride;              /* numbers in kept for each knot */
    const double *y;            /* the values that are fitted at the samples */
    size_t cells;               /* of the space */
    const double *knot;         /* cells + 1 */
    double *kept;               /* for each knot: e or 0 for RIDGE, g, then jumps rows of jumps + p + 2 */
    double left, held;          /* the minimised sum; the part of the sum that HOLD causes */
    double root;                /* filter_cell.root of the last cell so far where it is not 0 */
    size_t rows;                /* rows of a in use */
    double a[TERMS + 1][ROWS];  /* the carried rows, then the cell's; columns: c_j at place_of, then right-hand side */
    double rounding[TERMS + 1]; /* squared length of the rounding in the carried rows, for each column */
} filter;

/* A cell, and how far its samples first..last-1 determine the polynomial. */
typedef struct filter_cell {
    size_t first, last;
    double h, right, root; /* size; right knot; the largest sqrt(w_k), 0 where no sample has weight */
    bool thin;             /* fewer than p + 1 places */
} filter_cell;

/* Makes the filter's columns, p + 1 rows or more, a triangle by Householder reflections in place, the right-hand side
 * included. Returns the number of rows of the triangle; clears the others of the first p + 1 rows. The part of a column
 * below the finished rows counts as rounding and gets no row where it is within the rounding that the column came with
 * (f->rounding) or within rows * DBL_EPSILON of the column's length, which bounds the rounding of the reflections.
 * Without this, equal points with different values would give rows with arbitrary demands. */
static size_t reflect(filter *f)
{
    const size_t rows = f->rows, n = f->p + 1;
    const double own = (double)rows * DBL_EPSILON;
    size_t top = 0;
    for (size_t j = 0; j < n; j++) {
        double *v = f->a[j] + top, above = steep_dense_dot(top, f->a[j], f->a[j]);
        double below = steep_dense_dot(rows - top, v, v);
        if (below > own * own * (above + below) && below > f->rounding[j]) {
            double head = v[0], diagonal = head > 0 ? -sqrt(below) : sqrt(below), first = head - diagonal;
            v[0] = first;
            double scale = 1 / (diagonal * first); /* -2 / (v.v) */
            for (size_t c = j + 1; c <= n; c++) {
                double *w = f->a[c] + top;
                steep_dense_add(rows - top, scale * steep_dense_dot(rows - top, v, w), v, w);
            }
            *v++ = diagonal;
            top++;
        }
        for (size_t k = top; k < n; k++) *v++ = 0; /* the reflectors are not needed again */
    }
    return top;
}

/* Replaces the filter's rows by the equivalent triangle of p + 1 rows. */
static void triangularise(filter *f)
{
    size_t n = f->p + 1;
    for (; f->rows < n; f->rows++) /* fewer rows than unknowns: append rows of zeros */
        for (size_t c = 0; c <= n; c++) f->a[c][f->rows] = 0;
    size_t rank = reflect(f);
    f->left += steep_dense_dot(f->rows - rank, f->a[n] + rank, f->a[n] + rank);
    for (size_t r = rank; r < n; r++) f->a[n][r] = 0;
    f->rows = n;
}

/* The column of c_j: the free coefficients c_s..c_p come first. */
static size_t place_of(const filter *f, size_t j)
{
    return j < f->s ? f->p + 1 - f->s + j : j - f->s;
}

/* Counts places: samples of first..last-1 that have weight and lie at least a quarter of size / p, the distance of
 * p + 1 even samples, from the sample counted before; counts up to most. p + 1 places at a distance of d size determine
 * the p-th coefficient with a singular value of p! d^p / sqrt(binomial(2 p, p)). For nearer samples this value is less
 * than HOLD, from cubics on. */
static size_t count_places(const steep_samples *samples, size_t first, size_t last, double size, size_t p, size_t most)
{
    size_t found = 0;
    double apart = size / (4 * (double)p), from = -INFINITY;
    for (size_t k = first; k < last && found < most; k++) {
        if (samples->x[k] < from || !(steep_sample_scale(samples, k) > 0)) continue;
        from = samples->x[k] + apart;
        found++;
    }
    return found;
}

/* Describes cell i, whose samples begin at first; the last cell takes all remaining samples. */
static filter_cell look_at(const filter *f, size_t first, size_t i)
{
    const steep_samples *samples = f->samples;
    const double left = f->knot[i], right = f->knot[i + 1];
    filter_cell at = {first, first, right - left, right, 0, false};
    while (at.last < samples->count && (i + 1 == f->cells || samples->x[at.last] < right)) at.last++;
    at.thin = count_places(samples, first, at.last, at.h, f->p, f->p + 1) <= f->p;
    at.root = first < at.last && !samples->weight;
    for (size_t k = first; samples->weight && k < at.last; k++) at.root = fmax(at.root, steep_sample_scale(samples, k));
    return at;
}

/* Appends the rows of samples first..last-1, at most CHUNK of them. */
static void append(filter *f, const filter_cell *at, size_t first, size_t last)
{
    const steep_samples *samples = f->samples;
    size_t p = f->p, count = last - first;
    double power[CHUNK], z[CHUNK];
    for (size_t k = 0; k < count; k++) {
        z[k] = (samples->x[first + k] - at->right) / at->h;
        power[k] = steep_sample_scale(samples, first + k);
        f->a[p + 1][f->rows + k] = power[k] * f->y[first + k];
    }
    for (size_t j = 0; j <= p; j++) {
        double *column = f->a[place_of(f, j)] + f->rows;
        for (size_t k = 0; k < count; k++) {
            column[k] = power[k];
            power[k] *= z[k];
        }
    }
    f->rows += count;
}

/* Step 1: adds the cell's samples to the carried rows and makes them a triangle. */
static void add_cell(filter *f, const filter_cell *at)
{
    for (size_t k = at->first; k < at->last; k += CHUNK) {
        size_t end = k + CHUNK < at->last ? k + CHUNK : at->last;
        append(f, at, k, end);
        if (end < at->last) triangularise(f);
    }
    triangularise(f);
}

/* Makes the first jumps columns of the first 2 jumps rows a triangle by Householder reflections. Below its diagonal,
 * column j has entries only in the rows jumps..jumps+j: the reflections before it have filled these rows of e J. */
static inline void reflect_knot(size_t jumps, size_t columns, double (*a)[KNOT_COLUMNS])
{
    for (size_t j = 0; j < jumps; j++) {
        double size = a[j][j] * a[j][j], along[KNOT_COLUMNS];
        for (size_t r = jumps; r <= jumps + j; r++) size += a[r][j] * a[r][j];
        double diagonal = a[j][j] > 0 ? -sqrt(size) : sqrt(size), first = a[j][j] - diagonal;
        double scale = 1 / (diagonal * first); /* -2 / (v.v) */
        for (size_t c = j + 1; c < columns; c++) along[c] = first * a[j][c];
        for (size_t r = jumps; r <= jumps + j; r++)
            for (size_t c = j + 1; c < columns; c++) along[c] += a[r][j] * a[r][c];
        for (size_t c = j + 1; c < columns; c++) a[j][c] += scale * first * along[c];
        for (size_t r = jumps; r <= jumps + j; r++)
            for (size_t c = j + 1; c < columns; c++) a[r][c] += scale * a[r][j] * along[c];
        a[j][j] = diagonal;
    }
}

/* A knot: the sizes h of the cells before and after it; e and g of its rows e J. */
typedef struct passage {
    double before, after, e, g;
} passage;

/* Step 2: turns the triangle in c of the cell before into the p + 1 rows in c' of the cell after. The last s rows of
 * the triangle do not contain the free c_j and are not reflected. */
STEEP_CLONES static void pass_knot(filter *f, const passage *knot, double *kept)
{
    const size_t p = f->p, s = f->s, jumps = p + 1 - s, columns = jumps + p + 2, rows = p + 1 + jumps;
    double a[KNOT_ROWS][KNOT_COLUMNS], from_after = 1, jump_before = knot->e, jump_after = jump_before;
    const double own = (double)rows * DBL_EPSILON;
    memset(a, 0, rows * sizeof *a);
    for (size_t j = 0; j <= p; j++) { /* rows: jumps of the triangle, jumps of e J, then the triangle's last s */
        const double *column = f->a[place_of(f, j)];
        for (size_t r = 0; j >= s && r <= j - s; r++) a[r][j - s] = column[r];
        for (size_t r = 0; j < s && r <= jumps + j; r++)
            a[r < jumps ? r : r + jumps][jumps + j] = column[r] * from_after;
        if (j >= s) {
            a[jumps + j - s][j - s] = -jump_before;
            a[jumps + j - s][jumps + j] = jump_after;
        }
        from_after *= knot->before / knot->after;
        jump_before *= knot->g / knot->before;
        jump_after *= knot->g / knot->after;
    }
    for (size_t r = 0; r <= p; r++) a[r < jumps ? r : r + jumps][columns - 1] = f->a[p + 1][r];
    for (size_t i = p; i-- > 0;) /* T: synthetic division, transposed and therefore in reverse order */
        for (size_t j = jumps + i; j < jumps + p; j++)
            for (size_t r = 0; r < rows; r++) a[r][j + 1] -= a[r][j];
    reflect_knot(jumps, columns, a);
    for (size_t r = 0; r < jumps; r++) memcpy(kept + r * columns, a[r], columns * sizeof **a);
    for (size_t j = 0; j <= p + 1; j++) {
        double *column = f->a[j <= p ? place_of(f, j) : j], sum = 0;
        for (size_t r = 0; r < rows; r++) sum += a[r][jumps + j] * a[r][jumps + j];
        for (size_t r = 0; r <= p; r++) column[r] = a[jumps + r][jumps + j];
        f->rounding[j <= p ? place_of(f, j) : j] = own * own * sum;
    }
}

/* Steps 1 and 2 for all cells; leaves the triangle of the last cell. */
static void run(filter *f)
{
    double *kept = f->kept;
    filter_cell at = look_at(f, 0, 0);
    f->root = at.root;
    for (size_t i = 0;; i++) {
        add_cell(f, &at);
        if (i + 1 == f->cells) return;
        filter_cell next = look_at(f, at.last, i + 1);
        bool hold = at.thin || next.thin;
        double smaller = next.root > 0 && (next.root < f->root || !(f->root > 0)) ? next.root : f->root;
        double e = (hold ? HOLD : RIDGE) * (smaller > 0 ? smaller : 1);
        kept[0] = hold ? e : 0;
        kept[1] = (at.h > next.h) == hold ? at.h : next.h;
        const passage across = {at.h, next.h, e, kept[1]};
        pass_knot(f, &across, kept + 2);
        kept += f->stride;
        if (next.root > 0) f->root = next.root;
        at = next;
    }
}

/* Solves the last triangle. Fewer than p + 1 places in all do not determine a polynomial; then the coefficients from
 * that number on, scaled to the whole range, are held to 0 like jumps. A coefficient without a row is 0. */
static void solve_last(filter *f, long double *c)
{
    const steep_samples *samples = f->samples;
    const double *end = f->knot + f->cells, h = end[0] - end[-1], range = end[0] - f->knot[0];
    size_t n = f->p + 1, places = count_places(samples, 0, samples->count, range, f->p, n);
    double scale = HOLD * (f->root > 0 ? f->root : 1);
    for (size_t j = 0; j < n; j++, scale *= range / h) {
        if (j < places) continue;
        for (size_t k = 0; k <= n; k++) f->a[k][f->rows] = k == place_of(f, j) ? scale : 0;
        f->rows++;
    }
    if (places < n) triangularise(f);
    long double solution[TERMS] = {0};
    for (size_t r = n; r-- > 0;) {
        size_t j = r; /* the first column of this row */
        long double sum = f->a[n][r];
        while (j < n && f->a[j][r] == 0) j++;
        for (size_t k = j + 1; k < n; k++) sum -= f->a[k][r] * solution[k];
        if (j < n) solution[j] = sum / f->a[j][r];
    }
    for (size_t j = 0; j < n; j++) c[j] = solution[place_of(f, j)];
}

/* Step 3: coefficients of every cell from the last one's, right to left. */
static void substitute(filter *f, long double *coefficient)
{
    size_t p = f->p, s = f->s, jumps = p + 1 - s, columns = jumps + p + 2;
    for (size_t i = f->cells - 1; i-- > 0;) {
        long double *c = coefficient + i * (p + 1), *after = c + p + 1;
        long double before_h = (long double)f->knot[i + 1] - f->knot[i],
                    after_h = (long double)f->knot[i + 2] - f->knot[i + 1], scale = 1;
        const double *row = f->kept + i * f->stride, e = row[0], g = row[1];
        row += 2;
        for (size_t r = jumps; r-- > 0;) {
            long double sum = row[r * columns + columns - 1];
            for (size_t j = 0; j <= p; j++) sum -= row[r * columns + jumps + j] * after[j];
            for (size_t j = r + 1; j < jumps; j++) sum -= row[r * columns + j] * c[s + j];
            c[s + r] = sum / row[r * columns + r];
        }
        long double left[TERMS];
        memcpy(left, after, (p + 1) * sizeof *left);
        steep_spline_shift(p, -1, left);
        for (size_t j = 0; j <= p; j++, scale *= before_h / after_h) {
            if (j < s) c[j] = left[j] * scale;
            left[j] *= scale;
        }
        long double unit = e;
        for (size_t j = 0; e > 0 && j <= p; j++, unit *= g / before_h)
            f->held += (double)((left[j] - c[j]) * unit * (left[j] - c[j]) * unit);
    }
}

/* Steps 1 to 3: the coefficients of all cells. */
static void fit(filter *f, long double *coefficient)
{
    f->left = f->held = 0;
    f->rows = 0;
    memset(f->rounding, 0, sizeof f->rounding);
    run(f);
    solve_last(f, coefficient + (f->cells - 1) * (f->p + 1));
    substitute(f, coefficient);
}

/* Step 4: fits the spline's residuals and adds that fit to the spline. */
static steep_status correct(filter *f, steep_spline *spline, steep_error *error)
{
    const steep_samples *samples = f->samples;
    steep_spline change;
    double *y = malloc(samples->count * sizeof *y);
    steep_status status = steep_spline_init(&change, spline->degree, spline->cells, spline->knot, error);
    if (!y) status = steep_fail(error, STEEP_NO_MEMORY, "no memory for %zu residuals", samples->count);
    if (status == STEEP_OK) {
        for (size_t k = 0; k < samples->count; k++)
            y[k] = (double)(samples->y[k] - steep_spline_value(spline, samples->x[k]));
        f->y = y;
        fit(f, change.coefficient);
        for (size_t k = 0; k < f->cells * (f->p + 1); k++) spline->coefficient[k] += change.coefficient[k];
    }
    steep_spline_free(&change);
    free(y);
    return status;
}

static steep_status check_problem(const steep_samples *samples, size_t degree, size_t continuity, steep_error *error)
{
    if (samples->dim != 1)
        return steep_fail(error, STEEP_BAD_INPUT, "samples in %zuD: a spline fit needs 1D", samples->dim);
    if (continuity < 1 || continuity > degree)
        return steep_fail(error, STEEP_BAD_INPUT, "continuity %zu of degree %zu: use 1 to the degree", continuity,
                          degree);
    if (samples->count < 1) return steep_fail(error, STEEP_BAD_INPUT, "no samples: a spline fit needs one or more");
    const double *x = samples->x, *y = samples->y;
    for (size_t k = 0; k < samples->count; k++) {
        if (!(x[k] - x[k] == 0 && y[k] - y[k] == 0))
            return steep_fail(error, STEEP_NOT_FINITE, "sample %zu is (%g, %g): expected finite numbers", k, x[k],
                              y[k]);
        if (k > 0 && x[k] < x[k - 1])
            return steep_fail(error, STEEP_BAD_INPUT, "sample %zu is left of the one before: expected ascending x", k);
    }
    return STEEP_OK;
}

steep_status steep_spline_least_squares(const steep_samples *samples, const steep_spline_space *space,
                                        steep_spline *spline, steep_error *error)
{
    const size_t p = space->degree, s = space->continuity, jumps = p + 1 - s, stride = 2 + jumps * (jumps + p + 2);
    steep_status status = steep_spline_init(spline, p, space->cells, space->knot, error);
    if (status == STEEP_OK) status = check_problem(samples, p, s, error);
    filter *f = NULL;
    double *kept;
    void *block = status == STEEP_OK ? STEEP_BLOCK(STEEP_SHARE(f, 1), STEEP_SHARE(kept, space->cells * stride)) : NULL;
    if (status == STEEP_OK && !block)
        status = steep_fail(error, STEEP_NO_MEMORY, "no memory for a spline fit with %zu cells", space->cells);
    if (status == STEEP_OK) {
        *f = (filter){.samples = samples,
                      .p = p,
                      .s = s,
                      .stride = stride,
                      .y = samples->y,
                      .cells = space->cells,
                      .knot = spline->knot,
                      .kept = kept};
        fit(f, spline->coefficient);
        for (size_t more = 0; status == STEEP_OK && more < CORRECTIONS && f->held > f->left / 2; more++)
            status = correct(f, spline, error);
    }
    free(block);
    if (status < 0) steep_spline_free(spline);
    return status;
}
