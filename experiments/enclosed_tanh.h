/* SPDX-License-Identifier: GPL-3.0-or-later */
/* enclosed_tanh: norms of e = d + sum_i D_i tanh(w_i . x + b_i) - sin(pi x) sin(pi y) on [-1, 1]^2, enclosed by Taylor
 * polynomials in balls. Interval arithmetic bounds each unit alone and never sees that they cancel: here the sum is
 * taken in the coefficients, where they do.
 *
 *   1. CELLS x CELLS cells of half width h. About a cell's middle a ridge g(z + s), s = w . xi, is sum_k c_k s^k, so that
 *      xi_1^i xi_2^j has c_{i+j} binom(i + j, i) w_1^i w_2^j; tanh' = 1 - tanh^2 gives c. The target is
 *      (cos(pi (x - y)) - cos(pi (x + y))) / 2, two ridges more.
 *   2. By Cauchy's bound |c_k| <= M rho^-k, M the most of |g| within rho: tan(rho) of tanh, rho < pi / 2; cosh(rho) of
 *      cos. With q = (|w_1| + |w_2|) h / rho what lies above the degree m is at most M q^{m+1} / (1 - q), its first
 *      derivatives |w| M/rho (m+1) q^m / (1 - q)^2, its second ones |w|^2 M/rho^2 (m+1) m q^{m-1} / (1 - q)^3.
 *   3. On a cell |p| is at most sum |a_ij| h^{i+j}, likewise its derivatives; the middle of each cell gives a lower bound;
 *      the integral of p^2 is exact. */
#pragma once

#include "certify/ball.h"
#include "experiment.h"

enum { TAYLOR = 16, CELLS = 32, BITS = 128, TERMS = (TAYLOR + 1) * (TAYLOR + 2) / 2 };

/* [low, high]; the mean square, and the largest absolute value of e, of its gradient, and of its Laplacian. */
typedef struct enclosed_norms {
    double rmse[2], sup[2], gradient[2], laplacian[2];
} enclosed_norms;

typedef struct ridge {
    double w[2], b, D;
    bool cosine; /* pi times its argument; else tanh */
} ridge;

typedef struct enclosure {
    steep_ball a[TERMS], c[TAYLOR + 1], power[2][TAYLOR + 1], t, s;
    long double rest[3];         /* step 2, of the value and two derivatives */
    long double square[2], most; /* of all cells: bounds of the sum of mean squares, the largest rest[0] */
    enclosed_norms norms;
} enclosure;

static inline size_t term(size_t i, size_t j)
{
    return (i + j) * (i + j + 1) / 2 + j;
}

/* c_k of tanh(z) D, or of cos(z) D, into e->c; z is in e->t. */
static inline void ridge_series(enclosure *e, const ridge *r)
{
    steep_ball *c = e->c;
    if (r->cosine) {
        steep_ball_cos(&c[0], &e->t, BITS);
        steep_ball_sin(&c[1], &e->t, BITS);
        steep_ball_neg(&c[1], &c[1]);
    } else steep_ball_tanh(&c[0], &e->t, BITS);
    for (size_t k = 0; k < TAYLOR; k++) {
        if (r->cosine && k == 0) continue;
        steep_ball_set_double(&e->t, r->cosine ? 0 : k == 0);
        if (r->cosine) steep_ball_neg(&e->t, &c[k - 1]);
        for (size_t i = 0; !r->cosine && i <= k; i++) {
            steep_ball_mul(&e->s, &c[i], &c[k - i], BITS);
            steep_ball_sub(&e->t, &e->t, &e->s, BITS);
        }
        steep_ball_set_double(&e->s, r->cosine ? (double)((k + 1) * k) : (double)(k + 1));
        steep_ball_div(&c[k + 1], &e->t, &e->s, BITS);
    }
}

/* w_1^i and w_2^j, pi w of a cosine. */
static inline void ridge_powers(enclosure *e, const ridge *r)
{
    for (size_t x = 0; x < 2; x++) {
        steep_ball_set_double(&e->t, r->w[x]);
        arb_const_pi(&e->s, BITS);
        if (r->cosine) steep_ball_mul(&e->t, &e->t, &e->s, BITS);
        steep_ball_set_double(&e->power[x][0], 1);
        for (size_t k = 1; k <= TAYLOR; k++) steep_ball_mul(&e->power[x][k], &e->power[x][k - 1], &e->t, BITS);
    }
}

/* Steps 1 and 2 of one ridge in the cell about middle. */
static inline void add_ridge(enclosure *e, const ridge *r, const double middle[2], double h)
{
    steep_ball z;
    steep_ball_init(&z);
    steep_ball_set_double(&z, r->b);
    for (size_t x = 0; x < 2; x++) {
        steep_ball_set_double(&e->t, middle[x]);
        steep_ball_set_double(&e->s, r->w[x]);
        steep_ball_mul(&e->t, &e->t, &e->s, BITS);
        steep_ball_add(&z, &z, &e->t, BITS);
    }
    ridge_powers(e, r);
    arb_const_pi(&e->s, BITS);
    if (r->cosine) steep_ball_mul(&e->t, &z, &e->s, BITS);
    else steep_ball_set(&e->t, &z);
    steep_ball_clear(&z);
    ridge_series(e, r);
    for (size_t k = 0; k <= TAYLOR; k++) {
        double binomial = 1;
        steep_ball_set_double(&e->s, r->D);
        steep_ball_mul(&e->c[k], &e->c[k], &e->s, BITS);
        for (size_t j = 0; j <= k; j++) {
            steep_ball_set_double(&e->s, binomial);
            steep_ball_mul(&e->s, &e->s, &e->c[k], BITS);
            steep_ball_mul(&e->s, &e->s, &e->power[0][k - j], BITS);
            steep_ball_mul(&e->s, &e->s, &e->power[1][j], BITS);
            steep_ball_add(&e->a[term(k - j, j)], &e->a[term(k - j, j)], &e->s, BITS);
            binomial = binomial * (double)(k - j) / (double)(j + 1);
        }
    }
    const double scale = r->cosine ? 3.1416 : 1, rho = r->cosine ? 3 : 1.2, M = r->cosine ? 10.07 : 2.58;
    const long double w = scale * hypot(r->w[0], r->w[1]), q = scale * (fabs(r->w[0]) + fabs(r->w[1])) * h / rho,
                      D = fabs(r->D) * 1.000001L, m = TAYLOR; /* what long double rounds is far less */
    e->rest[0] += q < 1 ? D * M * powl(q, m + 1) / (1 - q) : INFINITY;
    e->rest[1] += q < 1 ? D * M * w / rho * (m + 1) * powl(q, m) / powl(1 - q, 2) : INFINITY;
    e->rest[2] += q < 1 ? D * M * w * w / (rho * rho) * (m + 1) * m * powl(q, m - 1) / powl(1 - q, 3) : INFINITY;
}

static inline double most_of(const steep_ball *a)
{
    steep_interval i;
    steep_ball_get_interval(&i, a);
    return fmax(fabs(i.low), fabs(i.high));
}

static inline double least_of(const steep_ball *a)
{
    steep_interval i;
    steep_ball_get_interval(&i, a);
    return i.low > 0 ? i.low : i.high < 0 ? -i.high : 0;
}

static inline void widen(double bounds[2], long double low, long double high)
{
    bounds[0] = fmax(bounds[0], (double)(low * (1 - 1e-12L)));
    bounds[1] = fmax(bounds[1], (double)(high * (1 + 1e-12L)));
}

/* The mean of p^2 over the cell: of xi_1^a xi_2^b it is h^{a+b} / ((a + 1) (b + 1)) where a and b are even. h^2k stands
 * in e->power[0]. */
static inline void add_square(enclosure *e)
{
    steep_interval mean;
    steep_ball_set_double(&e->t, 0);
    for (size_t i = 0; i <= TAYLOR; i++)
        for (size_t k = i % 2; k <= TAYLOR; k += 2)
            for (size_t j = 0; j <= i; j++)
                for (size_t n = j % 2; n <= k; n += 2) {
                    const size_t b = j + n, a = i + k - b;
                    steep_ball_mul(&e->s, &e->a[term(i - j, j)], &e->a[term(k - n, n)], BITS);
                    steep_ball_mul(&e->s, &e->s, &e->power[0][(i + k) / 2], BITS);
                    steep_ball_set_double(&e->c[0], (double)((a + 1) * (b + 1)));
                    steep_ball_div(&e->s, &e->s, &e->c[0], BITS);
                    steep_ball_add(&e->t, &e->t, &e->s, BITS);
                }
    steep_ball_get_interval(&mean, &e->t);
    e->square[0] += fmaxl(0, mean.low);
    e->square[1] += fmaxl(0, mean.high);
    e->most = fmaxl(e->most, e->rest[0]);
}

/* Step 3. */
static inline void bound_cell(enclosure *e, double h)
{
    long double value = e->rest[0], slope[2] = {e->rest[1], e->rest[1]}, bend = e->rest[2];
    for (size_t k = 0; k <= TAYLOR; k++)
        for (size_t j = 0; j <= k; j++) {
            const long double i = (long double)(k - j), a = most_of(&e->a[term(k - j, j)]), n = (long double)j;
            value += a * powl(h, (long double)k);
            if (k >= 1) slope[0] += i * a * powl(h, (long double)k - 1);
            if (k >= 1) slope[1] += n * a * powl(h, (long double)k - 1);
            if (k >= 2) bend += (i * (i - 1) + n * (n - 1)) * a * powl(h, (long double)k - 2);
        }
    const long double low = fmaxl(0, least_of(&e->a[0]) - e->rest[0]),
                      low0 = fmaxl(0, least_of(&e->a[term(1, 0)]) - e->rest[1]),
                      low1 = fmaxl(0, least_of(&e->a[term(0, 1)]) - e->rest[1]);
    steep_ball_add(&e->t, &e->a[term(2, 0)], &e->a[term(0, 2)], BITS);
    widen(e->norms.sup, low, value);
    widen(e->norms.gradient, sqrtl(low0 * low0 + low1 * low1), sqrtl(slope[0] * slope[0] + slope[1] * slope[1]));
    widen(e->norms.laplacian, fmaxl(0, 2 * least_of(&e->t) - e->rest[2]), bend);
    for (size_t k = 0; k <= TAYLOR; k++) steep_ball_set_double(&e->power[0][k], pow(h, 2 * (double)k)); /* exact */
    add_square(e);
}

/* e as above for count ridges and the constant d. */
static inline enclosed_norms enclose_error(const ridge *ridges, size_t count, double d)
{
    static enclosure e;
    const double h = 1.0 / CELLS;
    const ridge target[2] = {{{1, -1}, 0, -0.5, true}, {{1, 1}, 0, 0.5, true}};
    memset(&e, 0, sizeof e);
    steep_ball *all[] = {e.a, e.c, e.power[0], e.power[1], &e.t, &e.s};
    const size_t size[] = {TERMS, TAYLOR + 1, TAYLOR + 1, TAYLOR + 1, 1, 1};
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < size[i]; k++) steep_ball_init(&all[i][k]);
    for (size_t cell = 0; cell < CELLS * CELLS; cell++) {
        const double middle[2] = {-1 + h * (double)(2 * (cell % CELLS) + 1), -1 + h * (double)(2 * (cell / CELLS) + 1)};
        for (size_t t = 0; t < TERMS; t++) steep_ball_set_double(&e.a[t], t == 0 ? d : 0);
        memset(e.rest, 0, sizeof e.rest);
        for (size_t i = 0; i < count + 2; i++) add_ridge(&e, i < count ? &ridges[i] : &target[i - count], middle, h);
        bound_cell(&e, h);
    }
    widen(e.norms.rmse, fmaxl(0, sqrtl(e.square[0]) / CELLS - e.most), sqrtl(e.square[1]) / CELLS + e.most);
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < size[i]; k++) steep_ball_clear(&all[i][k]);
    return e.norms;
}
