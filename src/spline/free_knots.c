/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The best knots, by Newton's method on the projected problem (docs/theory.md).
 *
 * With the coefficients c eliminated, F(t) = min_c F(t, c) has the Hessian F_tt - F_tc F_cc^-1 F_ct: the Schur
 * complement of the joint Hessian at c = c(t). So one solve with the joint Hessian, which is banded in local variables,
 * is a Newton step of the projected problem.
 *
 *   1. Fit the coefficients on the knots at hand (spline/least_squares).
 *   2. On each cell write the spline by its states (value; value and slope) at both ends and interior coefficients; add
 *      up gradient and Hessian of (1/2) sum w e^2 in these and the cell's two ends, x fixed. Knot t_i's own diagonal
 *      gets the term of the samples that change cells when it moves: density * e(t_i) * (jump of s' at t_i).
 *   3. Shear: a knot that moves carries its states along the mean of the polynomials beside it. It changes no Newton
 *      step, but makes the knots' columns as small as the error; without it they cancel (docs/theory.md).
 *   4. Hold the coefficients that the samples do not determine (a cell with too few, or all in one place). What is left
 *      of F_cc is positive definite, so that enough damping of knots alone always makes the joint Hessian so.
 *   5. Solve by banded Cholesky; where it breaks down, add mu_i * 2F/(cells h_i^2) to the diagonal of the knots there;
 *      while the step does not decrease F, to that of all knots.
 *   6. Cut the step so that no cell shrinks below 3/10; refit; accept on decrease. */
#include "spline/free_knots.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "numerics/symmetric.h"
#include "spline/least_squares.h"

#define LOCAL (STEEP_SPLINE_MAX_DEGREE + 1) /* coefficients of a cell */
#define SHRINK 0.7                          /* largest part of its size that a cell may lose in a step */
#define FIRST_DAMPING 1e-2                  /* mu when it is first needed; tuned */
#define FIRST_LOCAL 1                       /* mu of a knot where the Hessian is indefinite; tuned */
#define FACTORINGS 200                      /* in a step */
/* Share of its diagonal that elimination leaves of a coefficient's pivot where the samples determine it; tuned.
 * Rounding leaves some (band + samples of a cell) eps = 1e-14; at 1e-10 four digits of a pivot mean something. */
#define DETERMINED 1e-10
/* Share of its diagonal that elimination may leave of a pivot: below, its sign is rounding. */
#define SIGNED 1e-13
#define TRIALS 40
/* Rounding of a residual is that of the value it is left of: relative change of the mean square that is rounding, times
 * 1 + rms of the values / rms of the residuals. Accepted once the gradient is as small as NEARLY: Newton's last steps
 * lower the gradient, not the error. */
#define LEVEL (8 * DBL_EPSILON)
#define NEARLY 1e-3
#define ROUNDED (16 * DBL_EPSILON) /* rms of the residuals, relative to that of the values, that is rounding */

/* The local basis of a class: coefficient j multiplies h^power[j] phi_j(z), z = (x - left)/h in [0, 1];
 * phi_j = sum_k poly[j][k] z^k. Order: states at the left, interior, states at the right. */
typedef struct basis {
    size_t degree, states, interior, count;
    int power[LOCAL];
    double poly[LOCAL][LOCAL];
    long double inverse[LOCAL][LOCAL]; /* monomial coefficients -> basis coefficients */
} basis;

typedef struct work {
    basis b;
    const steep_samples *fixed; /* NULL: continuous */
    const steep_target *target;
    /* per: unknowns from one knot to the next; size: all; band: below the diagonal */
    size_t gauss_points, cells, per, size, band;
    steep_samples gauss;                         /* points of the knots at hand, continuous problem */
    double *coefficient;                         /* cells x count */
    double *gradient, *hessian, *factor, *step;  /* size; (band + 1) x size, lower band storage, twice; size */
    double *trial, *local;                       /* cells + 1 knots; damping of each */
    unsigned char *held;                         /* size: coefficients that the samples do not determine */
    double values;                               /* mean square of the values */
} work;

steep_free_knots_options steep_free_knots_options_default(void)
{
    return (steep_free_knots_options){.max_iterations = 100, .tolerance = 1e-9};
}

/* --- the local basis --- */

/* out = a * (u + v z), polynomials in z. */
static void times_linear(double *a, double u, double v)
{
    for (size_t k = LOCAL; k-- > 1;) a[k] = u * a[k] + v * a[k - 1];
    a[0] *= u;
}

/* Inverts the map from basis to monomials by Gauss-Jordan elimination with row pivoting; count <= 9, well
 * conditioned. */
static void invert(basis *b)
{
    size_t m = b->count;
    long double a[LOCAL][2 * LOCAL] = {{0}};
    for (size_t j = 0; j < m; j++) {
        for (size_t k = 0; k < m; k++) a[k][j] = b->poly[j][k];
        a[j][m + j] = 1;
    }
    for (size_t j = 0; j < m; j++) {
        size_t best = j;
        for (size_t r = j + 1; r < m; r++)
            if (fabsl(a[r][j]) > fabsl(a[best][j])) best = r;
        for (size_t c = 0; c < 2 * m; c++) {
            long double swap = a[j][c];
            a[j][c] = a[best][c];
            a[best][c] = swap;
        }
        long double pivot = a[j][j];
        for (size_t c = 0; c < 2 * m; c++) a[j][c] /= pivot;
        for (size_t r = 0; r < m; r++) {
            long double factor = a[r][j];
            for (size_t c = 0; r != j && c < 2 * m; c++) a[r][c] -= factor * a[j][c];
        }
    }
    for (size_t r = 0; r < m; r++)
        for (size_t c = 0; c < m; c++) b->inverse[r][c] = a[r][m + c];
}

static void make_basis(size_t degree, size_t states, basis *b)
{
    memset(b, 0, sizeof *b);
    b->degree = degree;
    b->states = states;
    b->count = degree + 1;
    b->interior = degree + 1 - 2 * states;
    size_t right = states + b->interior;
    if (states == 1) { /* hat functions */
        b->poly[0][0] = 1, b->poly[0][1] = -1;
        b->poly[right][1] = 1;
    } else { /* cubic Hermite: value and slope at each end */
        const double hermite[4][4] = {{1, 0, -3, 2}, {0, 1, -2, 1}, {0, 0, 3, -2}, {0, 0, -1, 1}};
        for (size_t j = 0; j < 2; j++) {
            memcpy(b->poly[j], hermite[j], sizeof hermite[j]);
            memcpy(b->poly[right + j], hermite[2 + j], sizeof hermite[j]);
            b->power[j] = b->power[right + j] = (int)j;
        }
    }
    for (size_t i = 0; i < b->interior; i++) { /* bubbles (4 z (1-z))^states (2z-1)^i: no state at either end */
        double *p = b->poly[states + i];
        p[0] = 1;
        for (size_t s = 0; s < states; s++) times_linear(p, 0, 4), times_linear(p, 1, -1);
        for (size_t k = 0; k < i; k++) times_linear(p, -1, 2);
    }
    invert(b);
}

/* phi_j, phi_j', phi_j'' at z. */
static void evaluate_basis(const basis *b, double z, double *value, double *first, double *second)
{
    for (size_t j = 0; j < b->count; j++) {
        double v = 0, d = 0, dd = 0;
        for (size_t k = b->degree + 1; k-- > 0;) {
            dd = dd * z + d;
            d = d * z + v;
            v = v * z + b->poly[j][k];
        }
        value[j] = v;
        first[j] = d;
        second[j] = 2 * dd;
    }
}

/* Basis coefficients of every cell of a spline. */
static void local_coefficients(const work *w, const steep_spline *spline)
{
    const basis *b = &w->b;
    for (size_t i = 0; i < w->cells; i++) {
        long double a[LOCAL];
        double h = spline->knot[i + 1] - spline->knot[i];
        memcpy(a, spline->coefficient + i * b->count, b->count * sizeof *a);
        steep_spline_shift(b->degree, -1, a);
        for (size_t j = 0; j < b->count; j++) {
            long double sum = 0;
            for (size_t k = 0; k < b->count; k++) sum += b->inverse[j][k] * a[k];
            w->coefficient[i * b->count + j] = (double)(b->power[j] ? sum / h : sum);
        }
    }
}

/* --- gradient and Hessian --- */

/* Derivatives of the spline in x at a cell's ends, orders 1..2, from its basis coefficients. */
static void end_slopes(const basis *b, const double *c, double h, int right, double slope[2])
{
    double v[LOCAL], d[LOCAL], dd[LOCAL];
    evaluate_basis(b, right, v, d, dd);
    slope[0] = slope[1] = 0;
    for (size_t j = 0; j < b->count; j++) {
        double scaled = b->power[j] ? c[j] * h : c[j];
        slope[0] += scaled * d[j] / h;
        slope[1] += scaled * dd[j] / (h * h);
    }
}

/* Mean over the cells beside knot i of the derivative of order 1 or 2: how fast its states move with it. */
static void knot_slopes(const work *w, const double *knot, size_t i, double slope[2])
{
    double sum[2] = {0, 0}, sides = 0, at[2];
    for (int right = 1; right >= 0; right--) { /* the cell left of the knot ends there, the one right of it begins */
        size_t cell = right ? i - 1 : i;
        if ((right && i == 0) || (!right && i == w->cells)) continue;
        end_slopes(&w->b, w->coefficient + cell * w->b.count, knot[cell + 1] - knot[cell], right, at);
        sum[0] += at[0], sum[1] += at[1], sides += 1;
    }
    slope[0] = sum[0] / sides;
    slope[1] = sum[1] / sides;
}

/* Shear of a cell: shear[j][side] = change of coefficient j when its left (0) or right (1) knot moves by 1. */
static void cell_shear(const work *w, const double *knot, size_t cell, double shear[LOCAL][2])
{
    const basis *b = &w->b;
    const double *c = w->coefficient + cell * b->count;
    double h = knot[cell + 1] - knot[cell];
    memset(shear, 0, LOCAL * sizeof *shear);
    for (int side = 0; side < 2; side++) {
        double slope[2];
        knot_slopes(w, knot, cell + (size_t)side, slope);
        for (size_t s = 0; s < b->states; s++) shear[(side ? b->states + b->interior : 0) + s][side] = slope[s];
    }
    if (b->interior > 0) { /* the leading bubble keeps its curvature: 4 z (1-z) scales like h^2 */
        shear[b->states][0] = -2 * c[b->states] / h;
        shear[b->states][1] = 2 * c[b->states] / h;
    }
}

/* One sample's share, local variables: coefficients, left knot, right knot. g and H (full, lower triangle) are added
 * to. */
static void add_sample(const basis *b, const double *c, double h, double z, double y, double weight,
                       double shear[LOCAL][2], double *g, double H[LOCAL + 2][LOCAL + 2])
{
    size_t m = b->count;
    double v[LOCAL], d[LOCAL], dd[LOCAL], D[LOCAL + 2], cross[LOCAL][2], second[2][2];
    double value = 0, sz = 0, szz = 0, sh = 0, szh = 0;
    evaluate_basis(b, z, v, d, dd);
    for (size_t j = 0; j < m; j++) {
        double scale = b->power[j] ? h : 1;
        D[j] = v[j] * scale;
        value += c[j] * D[j];
        sz += c[j] * d[j] * scale;
        szz += c[j] * dd[j] * scale;
        if (b->power[j]) sh += c[j] * v[j], szh += c[j] * d[j];
    }
    const double zt[2] = {-(1 - z) / h, -z / h}, ht[2] = {-1, 1};
    const double ztt[2][2] = {{-2 * (1 - z) / (h * h), (1 - 2 * z) / (h * h)},
                              {(1 - 2 * z) / (h * h), 2 * z / (h * h)}};
    for (int t = 0; t < 2; t++) {
        D[m + t] = sz * zt[t] + sh * ht[t];
        for (size_t j = 0; j < m; j++) {
            D[m + t] += shear[j][t] * D[j];
            cross[j][t] = d[j] * (b->power[j] ? h : 1) * zt[t] + (b->power[j] ? v[j] * ht[t] : 0);
        }
        for (int u = 0; u < 2; u++)
            second[t][u] = szz * zt[t] * zt[u] + sz * ztt[t][u] + szh * (zt[t] * ht[u] + zt[u] * ht[t]);
    }
    for (int t = 0; t < 2; t++)
        for (int u = 0; u < 2; u++)
            for (size_t j = 0; j < m; j++) second[t][u] += shear[j][t] * cross[j][u] + shear[j][u] * cross[j][t];
    double e = value - y, we = weight * e;
    for (size_t p = 0; p < m + 2; p++) {
        g[p] += we * D[p];
        for (size_t q = 0; q <= p; q++) H[p][q] += weight * D[p] * D[q];
    }
    for (int t = 0; t < 2; t++) {
        for (size_t j = 0; j < m; j++) H[m + t][j] += we * cross[j][t];
        for (int u = 0; u <= t; u++) H[m + t][m + u] += we * second[t][u];
    }
}

/* Where local variable p of a cell stands among all: [states, knot, interior] a knot. */
static size_t global_index(const work *w, size_t cell, size_t p)
{
    const basis *b = &w->b;
    size_t s = b->states, first = cell * w->per;
    if (p < s) return first + p;
    if (p < s + b->interior) return first + 1 + p;
    if (p < b->count) return first + w->per + p - s - b->interior;
    return first + s + (p - b->count) * w->per;
}

static void scatter(work *w, size_t cell, const double *g, double H[LOCAL + 2][LOCAL + 2])
{
    for (size_t p = 0; p < w->b.count + 2; p++) {
        size_t row = global_index(w, cell, p);
        w->gradient[row] += g[p];
        for (size_t q = 0; q <= p; q++) {
            size_t column = global_index(w, cell, q), low = row < column ? row : column,
                   high = row < column ? column : row;
            w->hessian[low * (w->band + 1) + high - low] += H[p][q];
        }
    }
}

/* The residual at knot i and the density of the samples' weight there. */
static void at_knot(const work *w, const steep_samples *samples, const double *knot, size_t i, size_t first,
                    double *residual, double *density)
{
    /* first: index of the first sample of cell i. Between its neighbours, the residual is linear as far as we know. */
    const basis *b = &w->b;
    double value = w->coefficient[i * b->count]; /* the state at the cell's left end */
    double y = 0, whole = knot[i + 1] - knot[i - 1];
    if (w->target && !w->fixed) {
        long double t = knot[i];
        y = (double)steep_formula_reference(w->target->formula, &t);
        *density = 1 / (samples->high[0] - samples->low[0]);
    } else {
        size_t k = first > 0 && first < samples->count ? first : 1;
        double gap = samples->x[k] - samples->x[k - 1], part = gap > 0 ? (knot[i] - samples->x[k - 1]) / gap : 0;
        y = samples->y[k - 1] + part * (samples->y[k] - samples->y[k - 1]);
        double inside = 0;
        for (size_t j = first; j > 0 && samples->x[j - 1] >= knot[i - 1]; j--)
            inside += samples->weight ? samples->weight[j - 1] : 1 / (double)samples->count;
        for (size_t j = first; j < samples->count && samples->x[j] < knot[i + 1]; j++)
            inside += samples->weight ? samples->weight[j] : 1 / (double)samples->count;
        *density = inside / whole;
    }
    *residual = value - y;
}

/* Gradient and Hessian of F = (1/2) sum w e^2 in all variables (steps 2 and 3). */
static void assemble(work *w, const steep_samples *samples, const double *knot)
{
    const basis *b = &w->b;
    memset(w->gradient, 0, w->size * sizeof *w->gradient);
    memset(w->hessian, 0, w->size * (w->band + 1) * sizeof *w->hessian);
    for (size_t i = 0, k = 0; i < w->cells; i++) {
        double g[LOCAL + 2] = {0}, H[LOCAL + 2][LOCAL + 2] = {{0}}, shear[LOCAL][2], h = knot[i + 1] - knot[i];
        const double *c = w->coefficient + i * b->count;
        cell_shear(w, knot, i, shear);
        if (i > 0) {
            double residual, density, before[2], after[2];
            at_knot(w, samples, knot, i, k, &residual, &density);
            end_slopes(b, c - b->count, knot[i] - knot[i - 1], 1, before);
            end_slopes(b, c, h, 0, after);
            H[b->count][b->count] += density * residual * (after[0] - before[0]);
        }
        for (; k < samples->count && (samples->x[k] < knot[i + 1] || i + 1 == w->cells); k++)
            add_sample(b, c, h, (samples->x[k] - knot[i]) / h, samples->y[k],
                       samples->weight ? samples->weight[k] : 1 / (double)samples->count, shear, g, H);
        scatter(w, i, g, H);
    }
}

/* Row and column of a banded matrix become those of the identity. */
static void isolate(const work *w, double *matrix, size_t row)
{
    for (size_t d = 0; d <= w->band; d++) {
        if (row + d < w->size) matrix[row * (w->band + 1) + d] = 0;
        if (row >= d) matrix[(row - d) * (w->band + 1) + d] = 0;
    }
    matrix[row * (w->band + 1)] = 1;
}

static size_t place_of_knot(const work *w, size_t i)
{
    return i * w->per + w->b.states;
}

/* Step 4, and the two ends of the interval, which stay. */
static void hold(work *w)
{
    memcpy(w->factor, w->hessian, w->size * (w->band + 1) * sizeof *w->factor);
    for (size_t i = 0; i <= w->cells; i++) isolate(w, w->factor, place_of_knot(w, i));
    steep_symmetric_band_cholesky(w->size, w->band, w->factor, w->band + 1, DETERMINED, w->held);
    w->held[place_of_knot(w, 0)] = w->held[place_of_knot(w, w->cells)] = 1;
    for (size_t row = 0; row < w->size; row++) {
        if (!w->held[row]) continue;
        isolate(w, w->hessian, row);
        w->gradient[row] = 0;
    }
}

/* --- the iteration --- */

/* Fits on the knots, returns the mean square (infinity when the fit fails). */
static double evaluate(work *w, const double *knot, steep_spline *spline, const steep_samples **samples,
                       steep_error *error, steep_status *status)
{
    *samples = w->fixed;
    if (!w->fixed) {
        steep_samples_free(&w->gauss);
        *status = steep_samples_gauss(w->target, w->cells, knot, w->gauss_points, &w->gauss, error);
        if (*status < 0) return INFINITY;
        *samples = &w->gauss;
    }
    *status = steep_spline_least_squares(*samples, w->b.degree, w->b.states, w->cells, knot, spline, error);
    if (*status < 0) return INFINITY;
    double sum = 0;
    for (size_t i = 0, k = 0; k < (*samples)->count; k++) {
        while (i + 1 < w->cells && (*samples)->x[k] >= knot[i + 1]) i++;
        const long double *c = spline->coefficient + i * w->b.count;
        double z = ((*samples)->x[k] - knot[i + 1]) / (knot[i + 1] - knot[i]), value = (double)c[w->b.degree];
        for (size_t j = w->b.degree; j-- > 0;) value = value * z + (double)c[j];
        double e = value - (*samples)->y[k];
        sum += ((*samples)->weight ? (*samples)->weight[k] : 1 / (double)(*samples)->count) * e * e;
    }
    return sum;
}

static double smaller_cell(const double *knot, size_t i)
{
    double left = knot[i] - knot[i - 1], right = knot[i + 1] - knot[i];
    return left < right ? left : right;
}

/* Step 5 without its loop: false when there is no step. Where the Hessian is not positive definite, the knots beside
 * the pivot that says so are damped until it is: one knot at a saddle does not hold back the others, as it would if all
 * were damped as it must be. In theory a knot further left may be to blame: then all are damped in the end. */
static bool newton_step(work *w, const double *knot, double square, double damping)
{
    size_t broken = 1;
    for (size_t i = 0; i <= w->cells; i++) w->local[i] = damping;
    for (size_t attempt = 0; broken > 0 && attempt < FACTORINGS; attempt++) {
        memcpy(w->factor, w->hessian, w->size * (w->band + 1) * sizeof *w->factor);
        for (size_t i = 1; i < w->cells; i++) {
            double h = smaller_cell(knot, i);
            w->factor[place_of_knot(w, i) * (w->band + 1)] += w->local[i] * square / ((double)w->cells * h * h);
        }
        broken = steep_symmetric_band_cholesky(w->size, w->band, w->factor, w->band + 1, SIGNED, NULL);
        size_t at = broken > 0 ? (broken - 1) / w->per : 0, first = at > 1 ? at - 1 : 1;
        if (attempt > FACTORINGS / 2) first = 1, at = w->cells;
        for (size_t i = first; broken > 0 && i <= at; i++) w->local[i] = fmax(4 * w->local[i], FIRST_LOCAL);
    }
    if (broken != 0) return false;
    memcpy(w->step, w->gradient, w->size * sizeof *w->step);
    steep_symmetric_band_solve(w->size, w->band, w->factor, w->band + 1, w->step);
    return true;
}

/* Step 6: trial knots; false when a knot would not move or is not finite. */
static bool move_knots(work *w, const double *knot)
{
    double cut = 1;
    for (size_t i = 0; i < w->cells; i++) {
        double left = i == 0 ? 0 : -w->step[place_of_knot(w, i)],
               right = i + 1 == w->cells ? 0 : -w->step[place_of_knot(w, i + 1)], h = knot[i + 1] - knot[i];
        if (!isfinite(left) || !isfinite(right)) return false;
        if (right - left < 0 && SHRINK * h < cut * (left - right)) cut = SHRINK * h / (left - right);
    }
    memcpy(w->trial, knot, (w->cells + 1) * sizeof *knot);
    bool moved = false;
    for (size_t i = 1; i < w->cells; i++) {
        w->trial[i] = knot[i] - cut * w->step[place_of_knot(w, i)];
        moved = moved || w->trial[i] != knot[i];
    }
    for (size_t i = 0; i < w->cells; i++)
        if (!(w->trial[i] < w->trial[i + 1])) return false;
    return moved;
}

static double scaled_gradient(const work *w, const double *knot, double square)
{
    double worst = 0;
    for (size_t i = 1; i < w->cells; i++) {
        double share = fabs(w->gradient[place_of_knot(w, i)]) * smaller_cell(knot, i) / square;
        if (!(share <= worst)) worst = share; /* NaN stays */
    }
    return worst;
}

static void work_free(work *w)
{
    steep_samples_free(&w->gauss);
    free(w->coefficient);
    free(w->held);
}

static steep_status work_init(work *w, const steep_samples *samples, const steep_target *target, size_t degree,
                              size_t continuity, size_t cells, size_t gauss_points, steep_error *error)
{
    memset(w, 0, sizeof *w);
    if (continuity < 1 || continuity > 2 || 2 * continuity > degree + 1 || degree > STEEP_SPLINE_MAX_DEGREE ||
        cells < 1 || (!samples && (!target || target->dim != 1)))
        return steep_fail(
            error, STEEP_BAD_INPUT,
            "free knots for degree %zu, continuity %zu, %zu cells%s: continuity 1 or 2, at most half of degree + 1, "
            "and samples or a 1D target would be right",
            degree, continuity, cells, samples || target ? "" : ", no samples");
    make_basis(degree, continuity, &w->b);
    w->fixed = samples;
    w->target = target;
    w->gauss_points = gauss_points ? gauss_points : degree + 11;
    w->cells = cells;
    w->per = continuity + 1 + w->b.interior;
    w->size = (cells + 1) * w->per - w->b.interior;
    w->band = w->per + continuity;
    size_t doubles = cells * w->b.count + w->size * (2 + 2 * (w->band + 1)) + 2 * (cells + 1);
    w->coefficient = malloc(doubles * sizeof(double));
    w->held = malloc(w->size);
    if (!w->coefficient || !w->held)
        return steep_fail(error, STEEP_NO_MEMORY, "no memory for free knots in %zu cells", cells);
    w->gradient = w->coefficient + cells * w->b.count;
    w->step = w->gradient + w->size;
    w->hessian = w->step + w->size;
    w->factor = w->hessian + w->size * (w->band + 1);
    w->trial = w->factor + w->size * (w->band + 1);
    w->local = w->trial + cells + 1;
    return STEEP_OK;
}

static double mean_square(const steep_samples *samples)
{
    double sum = 0;
    for (size_t k = 0; k < samples->count; k++)
        sum += (samples->weight ? samples->weight[k] : 1 / (double)samples->count) * samples->y[k] * samples->y[k];
    return sum;
}

/* Relative change of the mean square that is rounding. */
static double level_of(const work *w, double square)
{
    return LEVEL * (1 + sqrt(w->values / square));
}

/* One accepted step from (knot, *spline, *square), damping updated; false when none decreases the mean square. */
static bool improve(work *w, double *knot, steep_spline *spline, double *square, double *damping,
                    const steep_samples **samples, steep_free_knots_result *result)
{
    for (size_t trial = 0; trial < TRIALS; trial++) {
        steep_spline next = {0};
        steep_status status = STEEP_OK;
        double value = INFINITY;
        if (newton_step(w, knot, *square, *damping) && move_knots(w, knot)) {
            value = evaluate(w, w->trial, &next, samples, NULL, &status);
            result->evaluations++;
        }
        /* only rounding between the two */
        bool level = result->gradient < NEARLY && value <= *square * (1 + level_of(w, *square));
        if (value < *square || level) {
            steep_spline_free(spline);
            *spline = next;
            *square = value;
            memcpy(knot, w->trial, (w->cells + 1) * sizeof *knot);
            *damping = *damping < 2 * FIRST_DAMPING ? 0 : *damping / 8;
            return true;
        }
        steep_spline_free(&next);
        *damping = fmax(4 * *damping, FIRST_DAMPING);
    }
    return false;
}

static steep_status iterate(work *w, double *knot, const steep_free_knots_options *o, steep_spline *spline,
                            steep_free_knots_result *result, steep_error *error)
{
    const steep_samples *samples = NULL;
    steep_status status = STEEP_OK;
    double begin = steep_clock_seconds(); /* for the monitor alone: nothing is decided by it */
    double square = evaluate(w, knot, spline, &samples, error, &status), damping = 0;
    size_t still = 0; /* steps in a row that changed the error by rounding alone */
    if (status >= 0) w->values = mean_square(samples);
    if (status >= 0 && !isfinite(square))
        status = steep_fail(error, STEEP_NOT_FINITE, "the spline on the knots at the start is not finite: other knots, "
                            "or values of another scale, would be right");
    result->evaluations = 1;
    result->status = status;
    while (status >= 0) {
        result->rmse = sqrt(square);
        local_coefficients(w, spline);
        assemble(w, samples, knot);
        hold(w);
        result->gradient = square > 0 ? scaled_gradient(w, knot, square) : 0;
        steep_progress progress = {.stage = "knots",
                                   .iteration = result->iterations,
                                   .evaluations = result->evaluations,
                                   .rmse = result->rmse,
                                   .gradient_norm = result->gradient,
                                   .step = damping,
                                   .seconds = steep_clock_seconds() - begin};
        result->status = STEEP_CONVERGED;
        if (result->gradient <= o->tolerance) break;
        result->status = STEEP_FLOOR;
        if (square <= ROUNDED * ROUNDED * w->values) break;
        result->status = STEEP_MAX_ITERATIONS;
        if (result->iterations >= o->max_iterations) break;
        result->status = STEEP_STOPPED;
        if (!steep_monitor_proceed(&o->monitor, &progress)) break;
        result->status = STEEP_STALLED;
        double before = square;
        if (!improve(w, knot, spline, &square, &damping, &samples, result)) break;
        result->iterations++;
        still = before - square <= level_of(w, before) * before ? still + 1 : 0;
        if (still > 2) break;
        if (!w->fixed) { /* the trial that failed last may have left other Gauss points behind */
            steep_samples_free(&w->gauss);
            status = steep_samples_gauss(w->target, w->cells, knot, w->gauss_points, &w->gauss, error);
            samples = &w->gauss;
        }
    }
    return status < 0 ? status : result->status;
}

steep_status steep_spline_free_knots(const steep_samples *samples, const steep_target *target, size_t degree,
                                     size_t continuity, size_t cells, double *knot,
                                     const steep_free_knots_options *options, steep_spline *spline,
                                     steep_free_knots_result *result, steep_error *error)
{
    steep_free_knots_options defaults = steep_free_knots_options_default();
    if (!options) options = &defaults;
    memset(spline, 0, sizeof *spline);
    *result = (steep_free_knots_result){.rmse = NAN, .gradient = NAN};
    work w;
    result->status = work_init(&w, samples, target, degree, continuity, cells, options->gauss_points, error);
    if (result->status == STEEP_OK) result->status = iterate(&w, knot, options, spline, result, error);
    if (result->status < 0) steep_spline_free(spline);
    work_free(&w);
    return result->status;
}
