/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cell by cell, each sample adds its share to a small dense matrix in the coefficients and the two end knots of the
 * cell, with x fixed. The small matrices add up to the banded matrix. Two terms are added to the plain derivatives:
 *
 *   kink   the diagonal entry of knot t_i gets the term of the samples that change cells when t_i moves: density *
 *          e(t_i) * (jump of s' at t_i), e = s - y.
 *   shear  a knot that moves carries its states along the mean of the polynomials on its two sides. The shear changes
 *          no Newton step, but makes the knots' columns as small as the error; without it large terms cancel. */
#include "spline/knot_system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* a := (u + v z) a, a polynomial in z. */
static void times_linear(double *a, double u, double v)
{
    for (size_t k = STEEP_LOCAL; k-- > 1;) a[k] = u * a[k] + v * a[k - 1];
    a[0] *= u;
}

/* Gauss-Jordan elimination with row pivoting, [A | 1] -> [1 | A^-1], A[k][j] = poly[j][k]: 9 x 9 at most. */
static void invert(steep_local_basis *b)
{
    size_t m = b->count;
    long double a[STEEP_LOCAL][2 * STEEP_LOCAL];
    memset(a, 0, sizeof a); /* all +0 */
    for (size_t j = 0; j < m; j++) {
        for (size_t k = 0; k < m; k++) a[k][j] = b->poly[j][k];
        a[j][m + j] = 1;
    }
    for (size_t j = 0; j < m; j++) {
        size_t best = j;
        for (size_t r = j + 1; r < m; r++)
            if (fabsl(a[r][j]) > fabsl(a[best][j])) best = r; /* pivot: the largest |A_rj|, r >= j */
        for (size_t c = 0; c < 2 * m; c++) {
            long double swap = a[j][c];
            a[j][c] = a[best][c];
            a[best][c] = swap;
        }
        long double pivot = a[j][j];
        for (size_t c = 0; c < 2 * m; c++) a[j][c] /= pivot; /* A_j := A_j / A_jj */
        for (size_t r = 0; r < m; r++) {
            long double factor = a[r][j];
            for (size_t c = 0; r != j && c < 2 * m; c++) a[r][c] -= factor * a[j][c]; /* A_r := A_r - A_rj A_j */
        }
    }
    for (size_t r = 0; r < m; r++)
        for (size_t c = 0; c < m; c++) b->inverse[r][c] = a[r][m + c];
}

void steep_local_basis_make(size_t degree, size_t states, steep_local_basis *b)
{
    memset(b, 0, sizeof *b);
    b->degree = degree;
    b->states = states;
    b->count = degree + 1;
    b->interior = degree + 1 - 2 * states;
    const size_t right = states + b->interior;
    const double ends[2][4][4] = {{{1, -1}, {0, 1}}, /* value at 0: 1 - z; at 1: z */
                                  {{1, 0, -3, 2},    /* value at 0: 1 - 3 z^2 + 2 z^3 */
                                   {0, 1, -2, 1},    /* slope at 0: z - 2 z^2 + z^3 */
                                   {0, 0, 3, -2},    /* value at 1: 3 z^2 - 2 z^3 */
                                   {0, 0, -1, 1}}};  /* slope at 1: -z^2 + z^3 */
    for (size_t j = 0; j < states; j++) {
        memcpy(b->poly[j], ends[states - 1][j], sizeof **ends);
        memcpy(b->poly[right + j], ends[states - 1][states + j], sizeof **ends);
        b->power[j] = b->power[right + j] = (int)j;
    }
    for (size_t i = 0; i < b->interior; i++) {
        double *p = b->poly[states + i]; /* (4 z (1 - z))^states (2 z - 1)^i: all states are 0 at both ends */
        p[0] = 1;
        for (size_t s = 0; s < states; s++) times_linear(p, 0, 4), times_linear(p, 1, -1);
        for (size_t k = 0; k < i; k++) times_linear(p, -1, 2);
    }
    invert(b);
}

void steep_local_basis_evaluate(const steep_local_basis *b, double z, double *value, double *first, double *second)
{
    for (size_t j = 0; j < b->count; j++) {
        double v = 0, d = 0, dd = 0; /* Horner: phi, phi', phi''/2 */
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

void steep_local_basis_coefficients(const steep_local_basis *b, const steep_spline *spline, double *coefficient)
{
    for (size_t i = 0; i < spline->cells; i++) {
        long double a[STEEP_LOCAL];
        double h = spline->knot[i + 1] - spline->knot[i];
        memcpy(a, spline->coefficient + i * b->count, b->count * sizeof *a); /* about the right end */
        steep_spline_shift(b->degree, -1, a);                                /* about the left end */
        for (size_t j = 0; j < b->count; j++) {
            long double sum = 0;
            for (size_t k = 0; k < b->count; k++) sum += b->inverse[j][k] * a[k];
            coefficient[i * b->count + j] = (double)(b->power[j] ? sum / h : sum); /* c_j = (A^-1 a)_j / h^power */
        }
    }
}

void steep_local_basis_slopes(const steep_local_basis *b, const double *c, double h, int right, double slope[2])
{
    double v[STEEP_LOCAL], d[STEEP_LOCAL], dd[STEEP_LOCAL];
    steep_local_basis_evaluate(b, right, v, d, dd);
    slope[0] = slope[1] = 0;
    for (size_t j = 0; j < b->count; j++) {
        double scaled = b->power[j] ? c[j] * h : c[j]; /* c_j h^power */
        slope[0] += scaled * d[j] / h;                 /* s'  = sum c_j h^power phi_j' / h */
        slope[1] += scaled * dd[j] / (h * h);          /* s'' = sum c_j h^power phi_j'' / h^2 */
    }
}

steep_status steep_knot_system_init(size_t degree, size_t continuity, size_t cells, steep_knot_system *s,
                                    steep_error *error)
{
    memset(s, 0, sizeof *s);
    steep_local_basis_make(degree, continuity, &s->basis);
    s->cells = cells;
    s->per = continuity + 1 + s->basis.interior;
    s->size = (cells + 1) * s->per - s->basis.interior;
    s->band = s->per + continuity;
    const size_t coefficients = cells * s->basis.count;
    s->coefficient = malloc((coefficients + s->size * (s->band + 2)) * sizeof *s->coefficient);
    if (!s->coefficient) return steep_fail(error, STEEP_NO_MEMORY, "no memory for free knots in %zu cells", cells);
    s->gradient = s->coefficient + coefficients;
    s->hessian = s->gradient + s->size;
    return STEEP_OK;
}

size_t steep_knot_system_place(const steep_knot_system *s, size_t i)
{
    return i * s->per + s->basis.states;
}

/* One cell: its unknowns p are the coefficients j < m = count, then its left and its right knot. */
typedef struct cell_sum {
    const double *c;
    double h, shear[STEEP_LOCAL][2];            /* d c_j / d (left knot), d c_j / d (right knot) */
    double g[STEEP_LOCAL + 2];                  /* dF/dp */
    double H[STEEP_LOCAL + 2][STEEP_LOCAL + 2]; /* d2F/dp dq, q <= p */
} cell_sum;

/* slope = the means of s' and s'' at knot i over the cells beside it: how fast the states move with the knot. */
static void mean_slopes(const steep_knot_system *s, const double *knot, size_t i, double slope[2])
{
    double sum[2] = {0, 0}, sides = 0, at[2];
    for (size_t cell = i > 0 ? i - 1 : 0; cell <= i && cell < s->cells; cell++) { /* the left cell ends at knot i */
        const double *c = s->coefficient + cell * s->basis.count;
        steep_local_basis_slopes(&s->basis, c, knot[cell + 1] - knot[cell], cell < i, at);
        sum[0] += at[0], sum[1] += at[1], sides += 1;
    }
    slope[0] = sum[0] / sides;
    slope[1] = sum[1] / sides;
}

static void set_shear(const steep_knot_system *s, const double *knot, size_t i, cell_sum *l)
{
    const steep_local_basis *b = &s->basis;
    for (int side = 0; side < 2; side++) {
        double slope[2];
        mean_slopes(s, knot, i + (size_t)side, slope);
        size_t first = side ? b->states + b->interior : 0;
        for (size_t j = 0; j < b->states; j++) l->shear[first + j][side] = slope[j]; /* d s^(j)(t)/dt = s^(j+1) */
    }
    if (b->interior > 0) { /* the first interior coefficient scales like h^2, which keeps its term's curvature */
        l->shear[b->states][0] = -2 * l->c[b->states] / l->h;
        l->shear[b->states][1] = 2 * l->c[b->states] / l->h;
    }
}

/* Derivatives of s(x; c, t) at a sample, x fixed; t = 0, 1: left and right knot, moved with the shear. */
typedef struct derivatives {
    double value;
    double first[STEEP_LOCAL + 2]; /* s_j, s_t */
    double cross[STEEP_LOCAL][2];  /* s_jt, without the shear */
    double second[2][2];           /* s_tu */
} derivatives;

static void derive(const steep_local_basis *b, const cell_sum *l, double z, derivatives *s)
{
    const double *c = l->c, h = l->h;
    double v[STEEP_LOCAL], d[STEEP_LOCAL], dd[STEEP_LOCAL], sz = 0, szz = 0, sh = 0, szh = 0;
    size_t m = b->count;
    steep_local_basis_evaluate(b, z, v, d, dd);
    s->value = 0;
    for (size_t j = 0; j < m; j++) {
        double scale = b->power[j] ? h : 1;
        s->first[j] = v[j] * scale;     /* s_j  = h^power phi_j */
        s->value += c[j] * s->first[j]; /* s    = sum c_j s_j */
        sz += c[j] * d[j] * scale;      /* s_z  = sum c_j h^power phi_j' */
        szz += c[j] * dd[j] * scale;    /* s_zz = sum c_j h^power phi_j'' */
        if (b->power[j]) {
            sh += c[j] * v[j];  /* s_h  = sum c_j phi_j, over power 1 alone */
            szh += c[j] * d[j]; /* s_zh = sum c_j phi_j' */
        }
    }
    const double zt[2] = {-(1 - z) / h, -z / h};                               /* z_t */
    const double ht[2] = {-1, 1};                                              /* h_t */
    const double ztt[2][2] = {{-2 * (1 - z) / (h * h), (1 - 2 * z) / (h * h)}, /* z_tu */
                              {(1 - 2 * z) / (h * h), 2 * z / (h * h)}};
    for (int t = 0; t < 2; t++) {
        s->first[m + t] = sz * zt[t] + sh * ht[t]; /* s_t = s_z z_t + s_h h_t */
        for (size_t j = 0; j < m; j++) {
            s->first[m + t] += l->shear[j][t] * s->first[j];        /*     + sum_j shear_jt s_j */
            s->cross[j][t] = d[j] * (b->power[j] ? h : 1) * zt[t] + /* s_jt = h^power phi_j' z_t */
                             (b->power[j] ? v[j] * ht[t] : 0);      /*      + phi_j h_t */
        }
        for (int u = 0; u < 2; u++)
            s->second[t][u] = szz * zt[t] * zt[u] + sz * ztt[t][u] + /* s_tu = s_zz z_t z_u + s_z z_tu */
                              szh * (zt[t] * ht[u] + zt[u] * ht[t]); /*      + s_zh (z_t h_u + z_u h_t) */
    }
    for (int t = 0; t < 2; t++)
        for (int u = 0; u < 2; u++)
            for (size_t j = 0; j < m; j++)                           /*      + sum_j shear_jt s_ju */
                s->second[t][u] += l->shear[j][t] * s->cross[j][u] + /*              + shear_ju s_jt */
                                   l->shear[j][u] * s->cross[j][t];
}

/* Adds the share of a sample (z, y) of weight w. */
static void add_sample(const steep_local_basis *b, double z, double y, double weight, cell_sum *l)
{
    derivatives s;
    size_t m = b->count;
    derive(b, l, z, &s);
    double we = weight * (s.value - y);
    for (size_t p = 0; p < m + 2; p++) {
        l->g[p] += we * s.first[p];                                                     /* w e s_p */
        for (size_t q = 0; q <= p; q++) l->H[p][q] += weight * s.first[p] * s.first[q]; /* w s_p s_q */
    }
    for (int t = 0; t < 2; t++) {
        for (size_t j = 0; j < m; j++) l->H[m + t][j] += we * s.cross[j][t];    /* w e s_jt */
        for (int u = 0; u <= t; u++) l->H[m + t][m + u] += we * s.second[t][u]; /* w e s_tu */
    }
}

/* The index of unknown p of cell i among all unknowns. */
static size_t place_of(const steep_knot_system *s, size_t i, size_t p)
{
    const steep_local_basis *b = &s->basis;
    size_t first = i * s->per;
    if (p < b->states) return first + p;                                   /* states at the left */
    if (p < b->states + b->interior) return first + 1 + p;                 /* interior, behind the left knot */
    if (p < b->count) return first + s->per + p - b->states - b->interior; /* states at the right */
    return first + b->states + (p - b->count) * s->per;                    /* the two knots */
}

static void scatter(steep_knot_system *s, size_t i, const cell_sum *l)
{
    for (size_t p = 0; p < s->basis.count + 2; p++) {
        size_t row = place_of(s, i, p);
        s->gradient[row] += l->g[p];
        for (size_t q = 0; q <= p; q++) {
            size_t column = place_of(s, i, q), low = row < column ? row : column, high = row < column ? column : row;
            s->hessian[low * (s->band + 1) + high - low] += l->H[p][q];
        }
    }
}

/* The target's value at knot i: from its formula, else by linear interpolation between the samples on both sides.
 * first: the first sample of cell i. */
static double target_value(const steep_knot_data *data, const double *knot, size_t i, size_t first)
{
    const steep_samples *samples = data->samples;
    if (data->target) {
        long double t = knot[i];
        return (double)steep_formula_reference(data->target->formula, &t);
    }
    const size_t k = first == 0 ? 1 : first < samples->count ? first : samples->count - 1;
    double gap = samples->x[k] - samples->x[k - 1], part = gap > 0 ? (knot[i] - samples->x[k - 1]) / gap : 0;
    return samples->y[k - 1] + part * (samples->y[k] - samples->y[k - 1]);
}

/* The density of the samples' weight on the two cells beside knot i. */
static double density_at(const steep_knot_data *data, const double *knot, size_t i, size_t first)
{
    const steep_samples *samples = data->samples;
    if (data->target) return 1 / (samples->high[0] - samples->low[0]);
    double inside = 0;
    for (size_t j = first; j > 0 && samples->x[j - 1] >= knot[i - 1]; j--)
        inside += steep_sample_weight(samples, j - 1);
    for (size_t j = first; j < samples->count && samples->x[j] < knot[i + 1]; j++)
        inside += steep_sample_weight(samples, j);
    return inside / (knot[i + 1] - knot[i - 1]);
}

/* density * e(t_i) * (s'(t_i+) - s'(t_i-)), at the left knot of the cell. */
static double kink_at(const steep_knot_system *s, const steep_knot_data *data, const double *knot, size_t i,
                      size_t first)
{
    const double *c = s->coefficient + i * s->basis.count;
    double before[2], after[2], e = c[0] - target_value(data, knot, i, first); /* c[0]: the value at the left end */
    steep_local_basis_slopes(&s->basis, c - s->basis.count, knot[i] - knot[i - 1], 1, before);
    steep_local_basis_slopes(&s->basis, c, knot[i + 1] - knot[i], 0, after);
    return density_at(data, knot, i, first) * e * (after[0] - before[0]);
}

void steep_knot_system_assemble(steep_knot_system *s, const steep_knot_data *data, const double *knot)
{
    const steep_samples *samples = data->samples;
    size_t m = s->basis.count, k = 0;
    memset(s->gradient, 0, s->size * sizeof *s->gradient);
    memset(s->hessian, 0, s->size * (s->band + 1) * sizeof *s->hessian);
    for (size_t i = 0; i < s->cells; i++) {
        cell_sum l;
        memset(&l, 0, sizeof l);
        l.c = s->coefficient + i * m;
        l.h = knot[i + 1] - knot[i];
        set_shear(s, knot, i, &l);
        if (i > 0) l.H[m][m] += kink_at(s, data, knot, i, k);
        for (; k < samples->count && (samples->x[k] < knot[i + 1] || i + 1 == s->cells); k++)
            add_sample(&s->basis, (samples->x[k] - knot[i]) / l.h, samples->y[k], steep_sample_weight(samples, k), &l);
        scatter(s, i, &l);
    }
}

void steep_knot_system_isolate(const steep_knot_system *s, double *matrix, size_t row)
{
    for (size_t d = 0; d <= s->band; d++) {
        if (row + d < s->size) matrix[row * (s->band + 1) + d] = 0;
        if (row >= d) matrix[(row - d) * (s->band + 1) + d] = 0;
    }
    matrix[row * (s->band + 1)] = 1;
}
