/* SPDX-License-Identifier: GPL-3.0-or-later */
/* brackets: no piecewise polynomial with n breakpoints, so no MLP or GLU of width n with relu gates, comes nearer to
 * f = 1/(1 + cos^2 pi x) on [-1, 1] than the lower end; some piecewise polynomial comes as near as the upper.
 *
 *   f   = (1/sqrt 2) (1 + 2 sum (-r)^k cos 2 pi k x),                        r = 3 - 2 sqrt 2,
 *   f^2 = 3/(4 sqrt 2) + 8 sum (-r)^k (k/8 + 3/(16 sqrt 2)) cos 2 pi k x,
 *
 * so all moments over cells are known in balls, with the rest of the series. From them the least square error of a
 * polynomial on each run of cells, by Legendre's; then dynamic programming: the cells that have a breakpoint are left
 * out (lower), or breakpoints stand between cells (upper). Sums are rounded down, and up. */
#include <math.h>
#include <stdlib.h>

#include "checks.h"
#include "data/target.h"
#include "certify/ball.h"
#include "numerics/quadrature.h"
#include "bounds/public.h"
#include "spline/spline.h"

enum { BITS = 160, TERMS = 40, MOMENTS = 4, WIDEST = 10 };

/* moment[i][q]: the integral from -1 to x_i of f x^q, q = 0, 1, 2, and of f^2. */
typedef struct table {
    int cells;
    steep_ball (*moment)[MOMENTS];
    steep_interval *cost; /* cost[i * (cells + 1) + j], i < j */
} table;

/* A ball variable for each letter, and arithmetic that reads. */
typedef struct desk {
    steep_ball pi, w, s, c, x, a, b, t, f, f2, rest;
} desk;

static void open_desk(desk *d)
{
    for (steep_ball *a = &d->pi; a <= &d->rest; a++) arb_init(a);
    arb_const_pi(&d->pi, BITS);
}

static void close_desk(desk *d)
{
    for (steep_ball *a = &d->pi; a <= &d->rest; a++) arb_clear(a);
}

static void number(steep_ball *out, double x)
{
    steep_ball_set_double(out, x);
}

static void add(steep_ball *out, const steep_ball *a)
{
    steep_ball_add(out, out, a, BITS);
}

static void times(steep_ball *out, const steep_ball *a)
{
    steep_ball_mul(out, out, a, BITS);
}

static void over(steep_ball *out, const steep_ball *a)
{
    steep_ball_div(out, out, a, BITS);
}

static void scale(steep_ball *out, double c)
{
    steep_ball factor;
    arb_init(&factor);
    number(&factor, c);
    times(out, &factor);
    arb_clear(&factor);
}

/* d->f, d->f2: coefficients of cos 2 pi k x of f and f^2, from d->t = (-r)^k; d->a = sqrt 2. */
static void coefficients(desk *d, int k)
{
    number(&d->a, 2);
    steep_ball_sqrt(&d->a, &d->a, BITS);
    number(&d->f, k ? 2 : 1);
    times(&d->f, &d->t), over(&d->f, &d->a);
    number(&d->f2, 3.0 / 16);
    over(&d->f2, &d->a);
    number(&d->b, k / 8.0);
    add(&d->f2, &d->b), times(&d->f2, &d->t), scale(&d->f2, k ? 8 : 4);
}

/* An antiderivative at d->x of x^q cos w x, to d->a: q = 0: s/w; 1: x s/w + c/w^2; 2: x^2 s/w + 2 x c/w^2 - 2 s/w^3;
 * for k = 0 of x^q itself. */
static void antiderivative(desk *d, int k, int q)
{
    number(&d->a, 1);
    for (int i = 0; i < (k ? q : q + 1); i++) times(&d->a, &d->x);
    if (k == 0) {
        number(&d->b, q + 1);
        over(&d->a, &d->b);
        return;
    }
    times(&d->a, &d->s), over(&d->a, &d->w);
    if (q == 0) return;
    number(&d->b, q);
    if (q == 2) times(&d->b, &d->x);
    times(&d->b, &d->c), over(&d->b, &d->w), over(&d->b, &d->w);
    add(&d->a, &d->b);
    if (q == 1) return;
    number(&d->b, -2);
    times(&d->b, &d->s);
    for (int i = 0; i < 3; i++) over(&d->b, &d->w);
    add(&d->a, &d->b);
}

/* Adds term k to all moments. */
static void add_term(table *t, desk *d, int k)
{
    steep_ball start[3], part;
    coefficients(d, k);
    arb_init(&part);
    for (int q = 0; q < 3; q++) arb_init(&start[q]);
    for (int i = 0; i <= t->cells; i++) {
        number(&d->x, -1 + 2.0 * i / t->cells);
        steep_ball_mul(&d->c, &d->w, &d->x, BITS);
        steep_ball_sin(&d->s, &d->c, BITS), steep_ball_cos(&d->c, &d->c, BITS);
        for (int q = 0; q < 3; q++) {
            antiderivative(d, k, q);
            if (i == 0) arb_set(&start[q], &d->a);
            steep_ball_sub(&d->a, &d->a, &start[q], BITS);
            if (q == 0) steep_ball_mul(&part, &d->a, &d->f2, BITS), add(&t->moment[i][3], &part);
            times(&d->a, &d->f), add(&t->moment[i][q], &d->a);
        }
    }
    arb_clear(&part);
    for (int q = 0; q < 3; q++) arb_clear(&start[q]);
}

/* The rest of both series is below sum_{k >= K} (k + 2) r^k < 2 (K + 2) r^K, integrals of it below twice that. */
static void add_rest(table *t, desk *d)
{
    const double rest = 4 * (TERMS + 2) * pow(.1716, TERMS); /* r < 0.1716 */
    steep_ball_set_interval(&d->rest, &(steep_interval){-rest, rest});
    for (int i = 1; i <= t->cells; i++)
        for (int q = 0; q < MOMENTS; q++) add(&t->moment[i][q], &d->rest);
}

static void fill_moments(table *t)
{
    desk d;
    open_desk(&d);
    number(&d.t, 1), number(&d.rest, 8);
    steep_ball_sqrt(&d.rest, &d.rest, BITS);
    steep_ball r;
    arb_init(&r);
    number(&r, -3);
    add(&r, &d.rest); /* -r = sqrt 8 - 3 */
    for (int k = 0; k < TERMS; k++) {
        arb_set(&d.w, &d.pi);
        scale(&d.w, 2 * k);
        add_term(t, &d, k);
        times(&d.t, &r);
    }
    add_rest(t, &d);
    arb_clear(&r);
    close_desk(&d);
}

/* The least integral of (f - polynomial of the degree)^2 over [x_i, x_j]: about the middle m, half a length h,
 * S - b0^2/(2h) - 3 b1^2/(2 h^3) - (5/(8h)) (3 b2/h^2 - b0)^2. */
static steep_interval least_square(const table *t, desk *d, int i, int j, int degree)
{
    steep_ball *b[] = {&d->x, &d->s, &d->c}, *sum = &d->f;
    const double h = (double)(j - i) / t->cells, m = -1 + (double)(i + j) / t->cells;
    steep_interval out;
    for (int q = 0; q < 3; q++) steep_ball_sub(b[q], &t->moment[j][q], &t->moment[i][q], BITS);
    steep_ball_sub(sum, &t->moment[j][3], &t->moment[i][3], BITS);
    for (int q = 2; q > 0; q--) /* b2 - 2 m b1 + m^2 b0, b1 - m b0 */
        for (int k = q - 1; k >= 0; k--) {
            arb_set(&d->a, b[k]);
            for (int n = k; n < q; n++) scale(&d->a, -m);
            if (q == 2 && k == 1) scale(&d->a, 2);
            add(b[q], &d->a);
        }
    arb_set(&d->b, b[2]), scale(&d->b, 3), number(&d->t, h), over(&d->b, &d->t), over(&d->b, &d->t);
    steep_ball_sub(b[2], &d->b, b[0], BITS);
    static const double factor[] = {.5, 1.5, .625}, power[] = {1, 3, 1};
    for (int q = 0; q <= degree; q++) {
        steep_ball_sqr(&d->a, b[q], BITS), scale(&d->a, factor[q]);
        for (int n = 0; n < power[q]; n++) over(&d->a, &d->t);
        steep_ball_sub(sum, sum, &d->a, BITS);
    }
    steep_ball_get_interval(&out, sum);
    return (steep_interval){fmax(out.low, 0), out.high};
}

static void fill_costs(table *t, int degree)
{
    desk d;
    open_desk(&d);
    for (int i = 0; i < t->cells; i++)
        for (int j = i + 1; j <= t->cells; j++) t->cost[i * (t->cells + 1) + j] = least_square(t, &d, i, j, degree);
    close_desk(&d);
}

/* bound[n], n = 0 .. WIDEST, of the root mean square. */
static void program(const table *t, bool lower, double *bound)
{
    const int M = t->cells;
    double *last = room(2 * (size_t)(M + 1), sizeof *last), *now = last + M + 1;
    for (int j = 1; j <= M; j++) last[j] = lower ? t->cost[j].low : t->cost[j].high;
    for (int n = 0; n <= WIDEST; n++) {
        if (n > 0) {
            for (int j = 0; j <= M; j++) {
                now[j] = last[j];
                for (int k = 0; k < j;
                     k++) { /* lower: the breakpoint is in cell k, and what follows begins behind it */
                    const int from = lower ? k + 1 : k;
                    const steep_interval c = from < j ? t->cost[from * (M + 1) + j] : (steep_interval){0, 0};
                    const double sum = last[k] + (lower ? c.low : c.high);
                    now[j] = fmin(now[j], nextafter(sum, lower ? -INFINITY : INFINITY));
                }
            }
            for (int j = 0; j <= M; j++) last[j] = now[j];
        }
        const double root = sqrt(fmax(last[M], 0) / 2);
        bound[n] = lower ? fmax(nextafter(root, 0), 0) : nextafter(root, INFINITY);
    }
    free(last);
}

/* The root mean square of f - its best polynomial, by a Gauss rule. */
static double by_quadrature(int degree)
{
    enum { NODES = 64, CELLS = 8 };
    long double node[NODES], weight[NODES], b[3] = {0}, square = 0;
    steep_gauss_legendre(NODES, node, weight);
    for (int cell = 0; cell < CELLS; cell++)
        for (int i = 0; i < NODES; i++) {
            const long double x = -1 + (2 * cell + 1 + node[i]) / CELLS, c = cosl(acosl(-1) * x), f = 1 / (1 + c * c);
            const long double w = weight[i] / CELLS, P[] = {1, x, (3 * x * x - 1) / 2};
            square += w * f * f;
            for (int q = 0; q < 3; q++) b[q] += w * f * P[q];
        }
    for (int q = 0; q <= degree; q++) square -= b[q] * b[q] * (2 * q + 1) / 2;
    return (double)sqrtl(square / 2);
}

static void check_degree_of(proof *p, table *t, int degree)
{
    static const size_t width[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    double lower[WIDEST + 1], upper[WIDEST + 1], plain_lower[WIDEST], plain_upper[WIDEST];
    const steep_bounds_widths widths = {.degree = (size_t)degree, .count = WIDEST, .width = width};
    steep_bounds_quadrature quadrature;
    steep_target *f = NULL;
    steep_error error;
    fill_costs(t, degree);
    program(t, true, lower), program(t, false, upper);
    const double whole = by_quadrature(degree);
    encloses(p, "no breakpoint, against a Gauss rule", (steep_interval){lower[0], upper[0]},
             (steep_interval){whole * (1 - 1e-14), whole * (1 + 1e-14)}, 1e-12);
    for (int n = 1; n <= WIDEST; n++) {
        surely_at_least(p, "the upper end above the lower", (steep_interval){upper[n], upper[n]}, lower[n]);
        if (n <= 5 || n == WIDEST)
            figure(p, "%s, width %d: RMSE of the best in [%.4e, %.4e]", degree == 1 ? "MLP" : "GLU", n, lower[n],
                   upper[n]);
    }
    steep_status status = steep_target_open("1/(1 + cos(pi*x)^2)", &f, &error);
    if (status == STEEP_OK) status = steep_bounds_continuous(f, &widths, plain_lower, plain_upper, &quadrature, &error);
    holds(p, "the library's bounds", status >= STEEP_OK, false);
    for (int n = 1; n <= WIDEST && status >= STEEP_OK; n++) { /* two brackets of one number meet */
        at_most(p, "the library's lower end", plain_lower[n - 1], upper[n], 0);
        at_least(p, "the library's upper end", plain_upper[n - 1], lower[n], 0);
    }
    steep_target_free(f);
}

void check_brackets(proof *p)
{
    table t = {.cells = p->slow ? 1024 : 256};
    const size_t points = (size_t)t.cells + 1;
    t.moment = room(points, sizeof *t.moment), t.cost = room(points * points, sizeof *t.cost);
    for (size_t i = 0; i < points; i++)
        for (int q = 0; q < MOMENTS; q++) arb_init(&t.moment[i][q]);
    fill_moments(&t);
    for (int degree = 1; degree <= 2; degree++) check_degree_of(p, &t, degree);
    for (size_t i = 0; i < points; i++)
        for (int q = 0; q < MOMENTS; q++) arb_clear(&t.moment[i][q]);
    free(t.moment), free(t.cost);
}
