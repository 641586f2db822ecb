/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A formula with gradient and Hessian: its tape (formula/tape.h) over blocks of points, steps outside, points inside.
 * Exponentials and their like are the library's own, with the same bits everywhere; the others are the C library's. */
#include <math.h>
#include <string.h>

#include "base/inline.h"
#include "formula/tape.h"
#include "numerics/elementary.h"

/* Points of a block: at most MOST, of which CACHE numbers stay near the processor, but FEW that are worth a step. */
enum { MOST = 256, FEW = 64, CACHE = 4096 };

STEEP_INLINE double logistic(double x)
{
    double s, c;
    steep_sigmoid_pair(x, &s, &c);
    return s;
}

/* tanh' = 4 s (1 - s), s the logistic function of 2 x. */
STEEP_INLINE double tanh_slope(double x)
{
    double s, c;
    steep_sigmoid_pair(2 * x, &s, &c);
    return 4 * s * c;
}

/* u v, and 0 where 0 meets an infinity. */
STEEP_INLINE double damped(double u, double v)
{
    const double y = u * v;
    return steep_select((y != y) & (u == u) & (v == v), 0, y);
}

/* y = f, an expression in x, of a, and in b[k], p[k], q[k]. */
#define COLUMN(code, f)                                                                                                \
    case STEEP_##code: {                                                                                               \
        STEEP_INDEPENDENT for (size_t k = 0; k < n; k++)                                                               \
        {                                                                                                              \
            const double x = a[k];                                                                                     \
            y[k] = (f);                                                                                                \
        }                                                                                                              \
        break;                                                                                                         \
    }

/* Columns of a block: of inputs, m of them, that begin at point first; behind them those of results, n numbers each. */
typedef struct block {
    const double *const *in;
    size_t m, first, n;
    double *cells;
} block;

STEEP_INLINE const double *column(const block *w, int c)
{
    return (size_t)c < w->m ? w->in[c] + w->first : w->cells + ((size_t)c - w->m) * w->n;
}

STEEP_CLONES static void take_step(const steep_step *step, const block *w)
{
    const double *a = column(w, step->from[0]), *b = column(w, step->from[1]), *p = column(w, step->from[2]),
                 *q = column(w, step->from[3]);
    double *restrict y = w->cells + ((size_t)step->to - w->m) * w->n;
    const size_t n = w->n;
    switch (step->op) {
        COLUMN(ADD, x + b[k])
        COLUMN(MULTIPLY, x * b[k])
        COLUMN(DAMPED, damped(x, b[k]))
        COLUMN(DIVIDE, x / b[k])
        COLUMN(POWER, pow(x, b[k]))
        COLUMN(TAKE_LESSER, steep_select((x < b[k]) | (x != x), p[k], q[k]))
        COLUMN(TAKE_GREATER, steep_select((x > b[k]) | (x != x), p[k], q[k]))
        COLUMN(SIN, sin(x))
        COLUMN(COS, cos(x))
        COLUMN(TAN, tan(x))
        COLUMN(ASIN, asin(x))
        COLUMN(ACOS, acos(x))
        COLUMN(ATAN, atan(x))
        COLUMN(SINH, sinh(x))
        COLUMN(COSH, cosh(x))
        COLUMN(TANH, steep_tanh(x))
        COLUMN(EXP, steep_exp(x))
        COLUMN(LOG, log(x))
        COLUMN(ERF, erf(x))
        COLUMN(ERFC, erfc(x))
        COLUMN(BESSEL_0, j0(x))
        COLUMN(BESSEL_1, j1(x))
        COLUMN(BESSEL_2, jn(2, x))
        COLUMN(BESSEL_3, jn(3, x))
        COLUMN(EXPM1, steep_expm1(x))
        COLUMN(LOG1P, steep_log1p(x))
        COLUMN(SQRT, sqrt(x))
        COLUMN(CBRT, cbrt(x))
        COLUMN(ABS, fabs(x))
        COLUMN(ABS_SLOPE, x < 0 ? -1 : 1)
        COLUMN(SIGN, x > 0 ? 1 : x < 0 ? -1 : x)
        COLUMN(RELU, x < 0 ? 0 : x)
        COLUMN(RELU_SLOPE, x > 0 ? 1 : x <= 0 ? 0 : x)
        COLUMN(SIGMOID, logistic(x))
        COLUMN(TANH_SLOPE, tanh_slope(x))
        COLUMN(NEGATE, -x)
    default:
        for (size_t k = 0; k < n; k++) y[k] = step->number;
        break;
    }
}

void steep_formula_derivatives(const steep_formula *formula, size_t count, const double *const *in, int order,
                               double *h, double *const *g, double *const *H)
{
    double cells[STEEP_FORMULA_CELLS];
    const steep_tape *tape = &formula->tape[order];
    const size_t m = formula->dim, columns = tape->columns ? tape->columns : 1, room = STEEP_FORMULA_CELLS / columns;
    size_t most = CACHE / columns < FEW ? FEW : CACHE / columns;
    most = most < MOST ? most : MOST;
    most = most < room ? most : room;
    for (size_t first = 0; first < count; first += most) {
        const block w = {in, m, first, count - first < most ? count - first : most, cells};
        for (size_t s = 0; s < tape->steps; s++) take_step(&tape->step[s], &w);
        for (size_t r = 0; r < tape->results; r++) {
            double *to = r == 0 ? h : r <= m ? g[r - 1] : H[r - 1 - m];
            memcpy(to + first, column(&w, tape->result[r]), w.n * sizeof *to);
        }
    }
}
