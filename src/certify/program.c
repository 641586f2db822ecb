/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictor and corrector from a point inside (S. Mehrotra, SIAM J. Optim. 2, 1992). The slacks s are A x - b, x - low
 * and high - x, one after another; each has a multiplier y. B has the rows of all three. A step solves
 *
 *   B' diag(y/s) B dx = B'(l/s) - (c - B'y),   ds = B dx,   dy = (l - y ds)/s
 *
 * for the complementarity residual l: first l = -s y, then l = sigma mu - s y - ds dy. */
#include <math.h>
#include <string.h>

#include "certify/core.h"
#include "certify/minimax.h"

enum { STEPS = 80, WORSE = 3 };    /* most steps; most in a row without a better bound */
static const double CLOSE = 1e-13, /* gap in units of now, at which the solver stops */
    ENOUGH = 1e-3,                 /* gap in units of the decrease, at which it stops */
    CLOSED = 1e-16,                /* s'y in units of now, at which it stops */
    BACK = 0.995,                  /* share of the way to where a slack or a multiplier is 0 */
    RIDGE = 1e-13,                 /* added to the diagonal, relative: for equal rows and for columns of zeros */
    STUCK = 1e-10;                 /* share of a step, at which it stops */

typedef struct point {
    const steep_program *at;
    size_t all; /* number of slacks */
    double now, *x;
    double *s, *y, *ds, *dy, *lack; /* `all` entries each */
    double *dx, *off, *matrix, *work;
} point;

size_t steep_program_workspace(size_t rows, size_t columns)
{
    return 5 * (rows + 2 * columns) + 2 * columns + columns * columns + steep_symmetric_workspace(columns);
}

/* B x into `to`. */
static void times(const point *p, const double *x, double *to)
{
    const size_t n = p->at->columns, N = p->at->rows;
    for (size_t i = 0; i < N; i++) {
        to[i] = 0;
        for (size_t j = 0; j < n; j++) to[i] += p->at->A[i * n + j] * x[j];
    }
    for (size_t j = 0; j < n; j++) {
        to[N + j] = x[j];
        to[N + n + j] = -x[j];
    }
}

/* to += sign A'y. */
static void add_transposed(const point *p, double sign, const double *y, double *to)
{
    const size_t n = p->at->columns, N = p->at->rows;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < n; j++) to[j] += sign * p->at->A[i * n + j] * y[i];
}

/* to += sign times the box's part of B'y. */
static void add_box(const point *p, double sign, const double *y, double *to)
{
    const double *low = y + p->at->rows, *high = low + p->at->columns;
    for (size_t j = 0; j < p->at->columns; j++) to[j] += sign * (low[j] - high[j]);
}

static double value_of(const point *p)
{
    double value = 0;
    for (size_t j = 0; j < p->at->columns; j++) value += p->at->c[j] * p->x[j];
    return value;
}

/* The lower bound by the multipliers of the rows and the best multipliers of the box; off = c - A'y. */
static double bound_of(const point *p)
{
    const steep_program *at = p->at;
    double bound = 0;
    memcpy(p->off, at->c, at->columns * sizeof *p->off);
    add_transposed(p, -1, p->y, p->off);
    for (size_t i = 0; i < at->rows; i++) bound += at->b[i] * p->y[i];
    for (size_t j = 0; j < at->columns; j++) bound += p->off[j] * (p->off[j] > 0 ? at->low[j] : at->high[j]);
    return bound;
}

static bool factor(const point *p)
{
    const size_t n = p->at->columns, N = p->at->rows;
    memset(p->matrix, 0, n * n * sizeof *p->matrix);
    for (size_t i = 0; i < N; i++) {
        const double weight = p->y[i] / p->s[i], *a = p->at->A + i * n;
        for (size_t j = 0; j < n; j++) {
            const double w = weight * a[j];
            for (size_t k = j; k < n; k++) p->matrix[k + j * n] += w * a[k];
        }
    }
    for (size_t j = 0; j < n; j++)
        p->matrix[j + j * n] += p->y[N + j] / p->s[N + j] + p->y[N + n + j] / p->s[N + n + j];
    for (size_t j = 0; j < n; j++) p->matrix[j + j * n] *= 1 + RIDGE;
    return steep_symmetric_cholesky(n, p->matrix, n, 0, p->work) == 0;
}

/* The step dx, ds, dy for the residual lack; divides lack by s. */
static void solve_step(const point *p)
{
    const size_t n = p->at->columns;
    for (size_t i = 0; i < p->all; i++) p->lack[i] /= p->s[i];
    for (size_t j = 0; j < n; j++) p->dx[j] = -p->off[j];
    add_transposed(p, 1, p->lack, p->dx);
    add_box(p, 1, p->lack, p->dx);
    steep_symmetric_cholesky_solve(n, p->matrix, n, p->dx);
    times(p, p->dx, p->ds);
    for (size_t i = 0; i < p->all; i++) p->dy[i] = p->lack[i] - p->y[i] * p->ds[i] / p->s[i];
}

/* The share of a step, at most 1, at which an entry of x becomes 0. */
static double reach(size_t count, const double *x, const double *dx)
{
    double share = 1;
    for (size_t i = 0; i < count; i++)
        if (x[i] + share * dx[i] < 0) share = -x[i] / dx[i];
    return share;
}

/* One step, from off = c - A'y; false: rounding allows no further step. */
static bool step(const point *p)
{
    const size_t n = p->at->columns;
    double gap = 0, ahead = 0;
    if (!factor(p)) return false;
    add_box(p, -1, p->y, p->off);
    for (size_t i = 0; i < p->all; i++) {
        p->lack[i] = -p->s[i] * p->y[i];
        gap -= p->lack[i];
    }
    if (!(gap > CLOSED * p->now)) return false; /* the rest of the gap is rounding of c - B'y */
    solve_step(p);
    double primal = reach(p->all, p->s, p->ds), dual = reach(p->all, p->y, p->dy);
    for (size_t i = 0; i < p->all; i++) ahead += (p->s[i] + primal * p->ds[i]) * (p->y[i] + dual * p->dy[i]);
    const double left = ahead / gap, mu = left * left * left * gap / (double)p->all;
    for (size_t i = 0; i < p->all; i++) p->lack[i] = mu - p->s[i] * p->y[i] - p->ds[i] * p->dy[i];
    solve_step(p);
    primal = BACK * reach(p->all, p->s, p->ds);
    dual = BACK * reach(p->all, p->y, p->dy);
    for (size_t j = 0; j < n; j++)
        if (!isfinite(p->dx[j])) return false;
    for (size_t j = 0; j < n; j++) p->x[j] += primal * p->dx[j];
    for (size_t i = 0; i < p->all; i++) {
        p->s[i] += primal * p->ds[i];
        p->y[i] += dual * p->dy[i];
    }
    return primal > STUCK || dual > STUCK;
}

double steep_program_solve(const steep_program *program, double now, double *x, double *work)
{
    const size_t n = program->columns, N = program->rows;
    point p = {.at = program, .all = N + 2 * n, .now = now, .x = x, .s = work};
    p.y = p.s + p.all;
    p.ds = p.y + p.all;
    p.dy = p.ds + p.all;
    p.lack = p.dy + p.all;
    p.dx = p.lack + p.all;
    p.off = p.dx + n;
    p.matrix = p.off + n;
    p.work = p.matrix + n * n;
    const double first = value_of(&p);
    double best = -INFINITY;
    times(&p, x, p.s);
    for (size_t i = 0; i < p.all; i++) {
        p.s[i] -= i < N ? program->b[i] : i < N + n ? program->low[i - N] : -program->high[i - N - n];
        if (!(p.s[i] > 0)) return -INFINITY;
        p.y[i] = first / (double)p.all / p.s[i];
    }
    for (int i = 0, worse = 0; i < STEPS && worse <= WORSE; i++) {
        const double bound = bound_of(&p), value = value_of(&p);
        worse = bound > best ? 0 : worse + 1;
        best = fmax(best, bound);
        if (value - best <= fmax(CLOSE * now, ENOUGH * (now - value)) || !step(&p)) break;
    }
    return best;
}
