/* SPDX-License-Identifier: GPL-3.0-or-later */
/* enclosed_tanh: norms of e = d + sum_i D_i tanh(w_i . x + b_i) - f(x) on a square, enclosed by Taylor polynomials in
 * balls. Interval arithmetic bounds each unit alone and misses that units cancel; here the units are summed coefficient
 * by coefficient, where they do cancel.
 *
 *   1. Cells of half width h. About a cell's middle a ridge g(z + s), s = w . xi, is sum_k c_k s^k, so that xi_1^i
 *      xi_2^j has c_{i+j} binom(i + j, i) w_1^i w_2^j; tanh' = 1 - tanh^2 gives c. The target f is a sum of products of
 *      exp, sin, cos and reciprocals g of polynomials q of degree 2: Horner's rule sums the powers of r in g(q_0 + r).
 *   2. By Cauchy's bound |c_k| <= M rho^-k, M the most of |g| within rho < pi / 2: tan(rho). With q = (|w_1| + |w_2|) h
 *      / rho the terms above the degree m are at most M q^{m+1} / (1 - q), its first derivatives |w| M/rho (m+1) q^m /
 *      (1 - q)^2, its second ones |w|^2 M/rho^2 (m+1) m q^{m-1} / (1 - q)^3. Of the target |a_ij| <= M R^-(i+j), M its
 *      most where |xi_1|, |xi_2| <= R.
 *   3. On a cell |p| is at most sum |a_ij| h^{i+j}, likewise its derivatives; the middle of each cell gives a lower
 *      bound; the integral of p^2 is exact. */
#pragma once

#include "certify/ball.h"
#include "experiment.h"

enum { TAYLOR = 16, BITS = 128, TERMS = (TAYLOR + 1) * (TAYLOR + 2) / 2 };

/* Bounds [low, high] of the rms of e, and of the largest |e|, |grad e|, |Laplace e|. */
typedef struct enclosed_norms {
    double rmse[2], sup[2], gradient[2], laplacian[2];
} enclosed_norms;

typedef struct ridge {
    double w[2], b, D;
} ridge;

/* g(q / per), g by kind, q = q[0] + q[1] x + q[2] y + q[3] x^2 + q[4] x y + q[5] y^2, times pi if pi is set. */
typedef struct factor {
    enum { EXP, SIN, COS, RECIPROCAL } kind;
    bool pi;
    double q[6], per;
} factor;

/* C / per times the product of the factors. */
typedef struct summand {
    double C, per;
    size_t factors;
    factor factor[2];
} summand;

/* A target on [low, high]^2, which is cut into cells x cells; reach: R of step 2. */
typedef struct enclosed_target {
    const char *name, *formula;
    double low, high, reach;
    size_t cells, summands;
    summand summand[4];
} enclosed_target;

/* clang-format off */
static const enclosed_target enclosed_targets[] = {
    {"sines", "sin(pi*x)*sin(pi*y)", -1, 1, 1.5, 32, 1,
     {{1, 1, 2, {{SIN, true, {0, 1}, 1}, {SIN, true, {0, 0, 1}, 1}}}}},
    {"waves", "exp(x)*cos(2*x+y)+sin(3*y-x)/2", -1, 1, 1.5, 32, 2,
     {{1, 1, 2, {{EXP, false, {0, 1}, 1}, {COS, false, {0, 2, 1}, 1}}},
      {1, 2, 1, {{SIN, false, {0, -1, 3}, 1}}}}},
    {"hill", "exp(-x^2-2*y^2)*sin(2*x*y+1)", -1, 1, 1, 32, 1,
     {{1, 1, 2, {{EXP, false, {0, 0, 0, -1, 0, -2}, 1}, {SIN, false, {1, 0, 0, 0, 2}, 1}}}}},
    {"franke", "franke", 0, 1, 0.2, 32, 4,
     {{3, 4, 1, {{EXP, false, {-8, 36, 36, -81, 0, -81}, 4}}},
      {3, 4, 1, {{EXP, false, {-59, -180, -441, -810}, 490}}},
      {1, 2, 1, {{EXP, false, {-58, 126, 54, -81, 0, -81}, 4}}},
      {-1, 5, 1, {{EXP, false, {-65, 72, 126, -81, 0, -81}, 1}}}}},
    {"runge", "runge3_2d", -1, 1, 0.15, 64, 1,
     {{1, 1, 1, {{RECIPROCAL, false, {1, 0, 0, 9, 0, 9}, 1}}}}}};
/* clang-format on */
enum { ENCLOSED_TARGETS = sizeof enclosed_targets / sizeof *enclosed_targets };

/* a: coefficients of e; line: the sum of c over units of one direction; q: a factor's polynomial; part: the factors of
 * a summand. */
typedef struct enclosure {
    steep_ball a[TERMS], c[TAYLOR + 1], line[TAYLOR + 1], power[2][TAYLOR + 1], q[TERMS], part[2][TERMS],
        product[TERMS], t, s; /* the balls */
    const enclosed_target *target;
    long double rest[3];            /* step 2: bounds of what is cut off, of the value, first and second derivatives */
    long double square[2], largest; /* over all cells: bounds of the sum of mean squares; the largest rest[0] */
    enclosed_norms norms;
} enclosure;

static inline size_t term(size_t i, size_t j)
{
    return (i + j) * (i + j + 1) / 2 + j;
}

static inline double most_of(const steep_ball *a)
{
    steep_interval i;
    steep_ball_get_interval(&i, a);
    return fmax(fabs(i.low), fabs(i.high));
}

/* Steps 1 and 2 of one unit in the cell about middle: D times c_k of tanh is added to e->line. */
static inline void add_ridge(enclosure *e, const ridge *r, const double middle[2], double h)
{
    steep_ball *c = e->c;
    steep_ball_set_double(&e->t, r->b);
    for (size_t x = 0; x < 2; x++) {
        steep_ball_set_double(&c[0], r->w[x]);
        steep_ball_set_double(&e->s, middle[x]);
        arb_addmul(&e->t, &c[0], &e->s, BITS);
    }
    steep_ball_tanh(&c[0], &e->t, BITS);
    for (size_t k = 0; k < TAYLOR; k++) {
        steep_ball_set_double(&e->s, k == 0);
        arb_dot(&e->t, &e->s, 1, c, 1, c + k, -1, (slong)k + 1, BITS);
        arb_div_ui(&c[k + 1], &e->t, k + 1, BITS);
    }
    steep_ball_set_double(&e->s, r->D);
    _arb_vec_scalar_addmul(e->line, c, TAYLOR + 1, &e->s, BITS);
    const double rho = 1.2, M = 2.58;
    const long double w = hypot(r->w[0], r->w[1]), q = (fabs(r->w[0]) + fabs(r->w[1])) * h / rho,
                      D = fabs(r->D) * 1.000001L, m = TAYLOR; /* rounding of long double is far less */
    e->rest[0] += q < 1 ? D * M * powl(q, m + 1) / (1 - q) : INFINITY;
    e->rest[1] += q < 1 ? D * M * w / rho * (m + 1) * powl(q, m) / powl(1 - q, 2) : INFINITY;
    e->rest[2] += q < 1 ? D * M * w * w / (rho * rho) * (m + 1) * m * powl(q, m - 1) / powl(1 - q, 3) : INFINITY;
}

/* Adds e->line, the polynomial in w . xi of all units of one direction w, to e->a, and clears it. */
static inline void add_line(enclosure *e, const double w[2])
{
    for (size_t x = 0; x < 2; x++) { /* w_1^i and w_2^j */
        steep_ball_set_double(&e->t, w[x]);
        _arb_vec_set_powers(e->power[x], &e->t, TAYLOR + 1, BITS);
    }
    for (size_t k = 0; k <= TAYLOR; k++) {
        double binomial = 1;
        for (size_t j = 0; j <= k; j++) {
            steep_ball_set_double(&e->s, binomial);
            steep_ball_mul(&e->s, &e->s, &e->line[k], BITS);
            steep_ball_mul(&e->s, &e->s, &e->power[0][k - j], BITS);
            arb_addmul(&e->a[term(k - j, j)], &e->s, &e->power[1][j], BITS);
            binomial = binomial * (double)(k - j) / (double)(j + 1);
        }
    }
    _arb_vec_zero(e->line, TAYLOR + 1);
}

/* out = a b up to degree TAYLOR; out is neither a nor b. */
static inline void multiply(const steep_ball *a, const steep_ball *b, steep_ball *out)
{
    _arb_vec_zero(out, TERMS);
    for (size_t i = 0; i <= TAYLOR; i++)
        for (size_t j = 0; j <= i; j++) {
            const steep_ball *by = &b[term(i - j, j)];
            if (steep_ball_is_zero(by)) continue;
            for (size_t k = 0; k + i <= TAYLOR; k++)
                for (size_t m = 0; m <= k; m++)
                    arb_addmul(&out[term(i - j + k - m, j + m)], &a[term(k - m, m)], by, BITS);
        }
}

/* The polynomial q of a factor about middle, into e->q. Exact in double: middles and coefficients have few bits. */
static inline void shift(enclosure *e, const factor *f, const double middle[2])
{
    const double *q = f->q, x = middle[0], y = middle[1];
    const double about[6] = {q[0] + q[1] * x + q[2] * y + q[3] * x * x + q[4] * x * y + q[5] * y * y,
                             q[1] + 2 * q[3] * x + q[4] * y,
                             q[2] + q[4] * x + 2 * q[5] * y,
                             q[3],
                             q[4],
                             q[5]};
    steep_ball_set_double(&e->t, f->per);
    arb_const_pi(&e->s, BITS);
    for (size_t a = 0; a < 6; a++) {
        steep_ball_set_double(&e->q[a], about[a]);
        steep_ball_div(&e->q[a], &e->q[a], &e->t, BITS);
        if (f->pi) steep_ball_mul(&e->q[a], &e->q[a], &e->s, BITS);
    }
}

/* e->c = g^(k)(q_0)/k!, q_0 = e->q[0]. */
static inline void outer_series(enclosure *e, const factor *f)
{
    static void (*const series[])(arb_ptr out, arb_srcptr q, slong length, slong terms, slong bits) = {
        _arb_poly_exp_series, _arb_poly_sin_series, _arb_poly_cos_series, _arb_poly_inv_series}; /* by kind */
    steep_ball *const line = e->power[0];                                                        /* q_0 + t */
    steep_ball_set(&line[0], &e->q[0]);
    steep_ball_set_double(&line[1], 1);
    series[f->kind](e->c, line, 2, TAYLOR + 1, BITS);
}

/* Expands a factor about middle into out; returns a bound of the factor where |xi_1|, |xi_2| <= R. */
static inline long double expand(enclosure *e, const factor *f, const double middle[2], steep_ball *out)
{
    const long double R = e->target->reach;
    shift(e, f, middle);
    outer_series(e, f);
    steep_ball_set_double(&e->q[0], 0);
    _arb_vec_zero(out, TERMS);
    for (size_t k = TAYLOR + 1; k-- > 0;) {
        multiply(out, e->q, e->product);
        _arb_vec_set(out, e->product, TERMS);
        steep_ball_add(&out[0], &out[0], &e->c[k], BITS);
    }
    const long double far = R * (most_of(&e->q[1]) + (long double)most_of(&e->q[2])) +
                            R * R * (most_of(&e->q[3]) + (long double)most_of(&e->q[4]) + most_of(&e->q[5])),
                      size = most_of(&out[0]);
    if (f->kind == EXP) return expl(far) * size;
    if (f->kind == RECIPROCAL) return 1 / size > far ? 1 / (1 / size - far) : INFINITY;
    return coshl(far);
}

/* A bound of sum_{k > TAYLOR} p(k) t^k by a geometric series; first, second: p at TAYLOR + 1 and TAYLOR + 2. */
static inline long double sum_rest(long double first, long double second, long double t)
{
    const long double ratio = t * second / first;
    return ratio < 1 ? first * powl(t, TAYLOR + 1) / (1 - ratio) : INFINITY;
}

/* Steps 1 and 2 of the target, which is subtracted. */
static inline void take_target(enclosure *e, const double middle[2], double h)
{
    const long double R = e->target->reach, t = h / R, k = TAYLOR + 1;
    for (const summand *s = e->target->summand; s < e->target->summand + e->target->summands; s++) {
        long double M = fabs(s->C / s->per) * 1.000001L;
        for (size_t f = 0; f < s->factors; f++) M *= expand(e, &s->factor[f], middle, e->part[f]);
        if (s->factors > 1) multiply(e->part[0], e->part[1], e->product);
        const steep_ball *p = s->factors > 1 ? e->product : e->part[0];
        steep_ball_set_double(&e->t, -s->C);
        steep_ball_set_double(&e->s, s->per);
        steep_ball_div(&e->t, &e->t, &e->s, BITS);
        _arb_vec_scalar_addmul(e->a, p, TERMS, &e->t, BITS);
        /* sum_{i+j=k} of 1, of i, and of i (i - 1) + j (j - 1) */
        e->rest[0] += M * sum_rest(k + 1, k + 2, t);
        e->rest[1] += M / R * sum_rest(k * (k + 1) / 2, (k + 1) * (k + 2) / 2, t) / t;
        e->rest[2] += M / (R * R) * sum_rest(2 * (k + 1) * k * (k - 1) / 3, 2 * (k + 2) * (k + 1) * k / 3, t) / (t * t);
    }
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

/* Adds the mean of p^2 over the cell. The mean of xi_1^a xi_2^b is h^{a+b} / ((a + 1) (b + 1)) for even a and b, else
 * 0. e->power[0][k] is h^2k. */
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
    e->largest = fmaxl(e->largest, e->rest[0]);
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
    steep_ball_set_double(&e->t, h * h); /* exact */
    _arb_vec_set_powers(e->power[0], &e->t, TAYLOR + 1, BITS);
    add_square(e);
}

/* The norms of e for count units and the constant d; units of one direction stand together. */
static inline enclosed_norms enclose_error(const enclosed_target *target, const ridge *ridges, size_t count, double d)
{
    static enclosure e;
    const size_t cells = target->cells;
    const double h = (target->high - target->low) / (2 * (double)cells); /* exact, and so are the middles */
    memset(&e, 0, sizeof e);
    e.target = target;
    steep_ball *const ball = (steep_ball *)&e;
    const size_t balls = offsetof(enclosure, target) / sizeof *ball;
    for (size_t i = 0; i < balls; i++) steep_ball_init(&ball[i]);
    for (size_t cell = 0; cell < cells * cells; cell++) {
        const double middle[2] = {target->low + h * (double)(2 * (cell % cells) + 1),
                                  target->low + h * (double)(2 * (cell / cells) + 1)};
        _arb_vec_zero(e.a, TERMS);
        steep_ball_set_double(&e.a[0], d);
        memset(e.rest, 0, sizeof e.rest);
        for (size_t i = 0; i < count; i++) {
            add_ridge(&e, &ridges[i], middle, h);
            if (i + 1 == count || memcmp(ridges[i].w, ridges[i + 1].w, sizeof ridges->w) != 0)
                add_line(&e, ridges[i].w);
        }
        take_target(&e, middle, h);
        bound_cell(&e, h);
    }
    const double side = (double)cells;
    widen(e.norms.rmse, fmaxl(0, sqrtl(e.square[0]) / side - e.largest), sqrtl(e.square[1]) / side + e.largest);
    for (size_t i = 0; i < balls; i++) steep_ball_clear(&ball[i]);
    return e.norms;
}
