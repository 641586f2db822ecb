/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A formula with gradient and Hessian, forward: each value on the stack carries its derivatives in the inputs that it
 * depends on (a set of bits). Instructions outside, points inside.
 *
 *   v = f(a):     v_i = f' a_i,  v_ij = f' a_ij + f'' a_i a_j
 *   v = a b:      v_ij = a b_ij + b a_ij + a_i b_j + a_j b_i;  a / b = a (1 / b);  a^b = exp(b log a) where b varies
 *
 * At a kink: as formula.h says. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "formula/program.h"
#include "numerics/elementary.h"

enum { BLOCK = 128 }; /* most points of a block */

/* A value of n points with its derivatives: at + 0, then m gradients, then the pairs, n doubles each. */
typedef struct entry {
    double *at;
    uint64_t set; /* bit i: depends on input i */
} entry;

typedef struct machine {
    size_t n, m;
    int order;
} machine;

static double *gradient(const machine *w, const entry *e, size_t i)
{
    return e->at + (1 + i) * w->n;
}

static double *pair(const machine *w, const entry *e, size_t i, size_t j)
{
    return e->at + (1 + w->m + i * (i + 1) / 2 + j) * w->n;
}

#define IN(set, i) ((set) >> (i)&1)

/* Zeros for the derivatives in inputs of the set that it has not. */
static void widen(const machine *w, entry *e, uint64_t set)
{
    for (size_t i = 0; w->order >= 1 && i < w->m; i++) {
        if (IN(set, i) && !IN(e->set, i)) memset(gradient(w, e, i), 0, w->n * sizeof(double));
        for (size_t j = 0; w->order >= 2 && IN(set, i) && j <= i; j++)
            if (IN(set, j) && !(IN(e->set, i) && IN(e->set, j))) memset(pair(w, e, i, j), 0, w->n * sizeof(double));
    }
    e->set |= set;
}

/* e = f(e): value, f' and f'' are there. */
static void chain(const machine *w, const entry *e, const double *value, const double *d1, const double *d2)
{
    for (size_t i = 0; w->order >= 2 && i < w->m; i++)
        for (size_t j = 0; IN(e->set, i) && j <= i; j++) {
            if (!IN(e->set, j)) continue;
            double *H = pair(w, e, i, j);
            const double *a = gradient(w, e, i), *b = gradient(w, e, j);
            for (size_t k = 0; k < w->n; k++) H[k] = d1[k] * H[k] + d2[k] * (a[k] * b[k]);
        }
    for (size_t i = 0; w->order >= 1 && i < w->m; i++) {
        if (!IN(e->set, i)) continue;
        double *g = gradient(w, e, i);
        for (size_t k = 0; k < w->n; k++) g[k] *= d1[k];
    }
    memcpy(e->at, value, w->n * sizeof *value);
}

static double logistic(double x)
{
    double s, c;
    steep_sigmoid_pair(x, &s, &c);
    return s;
}

/* f, f', f'' at a: expressions in x. Exponentials and their like are the library's own, with the same bits everywhere;
 * the others are the C library's. */
#define RULE(code, f, f1, f2)                                                                                          \
    case STEEP_##code:                                                                                                 \
        for (size_t k = 0; k < n; k++) {                                                                               \
            const double x = a[k], y = (f);                                                                            \
            value[k] = y;                                                                                              \
            d1[k] = (f1);                                                                                              \
            d2[k] = (f2);                                                                                              \
        }                                                                                                              \
        break;

static void unary(const machine *w, steep_code c, const entry *e)
{
    const double *a = e->at, root_pi = 1.1283791670955125739; /* 2 / sqrt(pi) */
    double value[BLOCK], d1[BLOCK], d2[BLOCK];
    const size_t n = w->n;
    switch (c) {
        RULE(SIN, sin(x), cos(x), -y)
        RULE(COS, cos(x), -sin(x), -y)
        RULE(TAN, tan(x), 1 + y * y, 2 * y * (1 + y * y))
        RULE(ASIN, asin(x), 1 / sqrt((1 - x) * (1 + x)), x / ((1 - x) * (1 + x) * sqrt((1 - x) * (1 + x))))
        RULE(ACOS, acos(x), -1 / sqrt((1 - x) * (1 + x)), -x / ((1 - x) * (1 + x) * sqrt((1 - x) * (1 + x))))
        RULE(ATAN, atan(x), 1 / (1 + x * x), -2 * x / ((1 + x * x) * (1 + x * x)))
        RULE(SINH, sinh(x), cosh(x), y)
        RULE(COSH, cosh(x), sinh(x), y)
        RULE(TANH, steep_tanh(x), 4 * logistic(2 * x) * logistic(-2 * x), -2 * y * d1[k])
        RULE(EXP, steep_exp(x), y, y)
        RULE(LOG, log(x), 1 / x, -1 / (x * x))
        RULE(ERF, erf(x), root_pi * steep_exp(-x * x), -2 * x * d1[k])
        RULE(ERFC, erfc(x), -root_pi * steep_exp(-x * x), -2 * x * d1[k])
        RULE(EXPM1, steep_expm1(x), steep_exp(x), steep_exp(x))
        RULE(LOG1P, steep_log1p(x), 1 / (1 + x), -1 / ((1 + x) * (1 + x)))
        RULE(SQRT, sqrt(x), 0.5 / y, -0.25 / (x * y))
        RULE(CBRT, cbrt(x), 1 / (3 * y * y), -2 / (9 * y * y * x))
        RULE(ABS, fabs(x), x < 0 ? -1 : 1, 0)
        RULE(SIGN, steep_sign(x), 0, 0)
        RULE(RELU, steep_ramp(x), x > 0 ? 1 : x <= 0 ? 0 : x, 0)
        RULE(SIGMOID, logistic(x), y * logistic(-x), d1[k] * (logistic(-x) - y))
        RULE(NEGATE, -x, -1, 0)
    default: return;
    }
    chain(w, e, value, d1, d2);
}

/* a^n for an integer n, as values.c has it. */
static double integer_power(double a, int n)
{
    unsigned left = (unsigned)(n < 0 ? -n : n);
    double result = left & 1 ? a : 1, square = a;
    while (left >>= 1) {
        square *= square;
        if (left & 1) result *= square;
    }
    return n < 0 ? 1 / result : result;
}

static void power_rule(const machine *w, int exponent, const entry *e)
{
    double value[BLOCK], d1[BLOCK], d2[BLOCK];
    const double p = exponent;
    for (size_t k = 0; k < w->n; k++) {
        const double x = e->at[k];
        value[k] = integer_power(x, exponent);
        d1[k] = exponent == 0 ? 0 : p * integer_power(x, exponent - 1);
        d2[k] = exponent == 0 || exponent == 1 ? 0 : p * (p - 1) * integer_power(x, exponent - 2);
    }
    chain(w, e, value, d1, d2);
}

/* e = 1 / e */
static void reciprocal(const machine *w, const entry *e)
{
    power_rule(w, -1, e);
}

/* a = a b */
static void multiply(const machine *w, const entry *a, const entry *b)
{
    const double *u = a->at, *v = b->at;
    for (size_t i = 0; w->order >= 2 && i < w->m; i++)
        for (size_t j = 0; IN(a->set, i) && j <= i; j++) {
            if (!IN(a->set, j)) continue;
            double *H = pair(w, a, i, j);
            const double *K = pair(w, b, i, j), *ai = gradient(w, a, i), *aj = gradient(w, a, j),
                         *bi = gradient(w, b, i), *bj = gradient(w, b, j);
            for (size_t k = 0; k < w->n; k++) H[k] = u[k] * K[k] + v[k] * H[k] + (ai[k] * bj[k] + aj[k] * bi[k]);
        }
    for (size_t i = 0; w->order >= 1 && i < w->m; i++) {
        if (!IN(a->set, i)) continue;
        double *g = gradient(w, a, i);
        const double *d = gradient(w, b, i);
        for (size_t k = 0; k < w->n; k++) g[k] = u[k] * d[k] + v[k] * g[k];
    }
    for (size_t k = 0; k < w->n; k++) a->at[k] *= v[k];
}

/* a = a + by b, values and derivatives alike. */
static void add(const machine *w, const entry *a, double by, const entry *b)
{
    for (size_t k = 0; k < w->n; k++) a->at[k] += by * b->at[k];
    for (size_t i = 0; w->order >= 1 && i < w->m; i++) {
        if (!IN(a->set, i)) continue;
        double *g = gradient(w, a, i);
        const double *d = gradient(w, b, i);
        for (size_t k = 0; k < w->n; k++) g[k] += by * d[k];
        for (size_t j = 0; w->order >= 2 && j <= i; j++) {
            if (!IN(a->set, j)) continue;
            double *H = pair(w, a, i, j);
            const double *K = pair(w, b, i, j);
            for (size_t k = 0; k < w->n; k++) H[k] += by * K[k];
        }
    }
}

/* a = the lesser or the greater of the two, point by point; NaN in either comes through. */
static void choose(const machine *w, steep_code c, const entry *a, const entry *b)
{
    size_t columns = 1 + (w->order >= 1 ? w->m : 0) + (w->order >= 2 ? w->m * (w->m + 1) / 2 : 0);
    for (size_t k = 0; k < w->n; k++) {
        const double u = a->at[k], v = b->at[k];
        if (isnan(u) || (c == STEEP_LESSER ? u < v : u > v)) continue;
        for (size_t q = 0; q < columns; q++) a->at[q * w->n + k] = b->at[q * w->n + k];
    }
}

/* a = a^b */
static void power(const machine *w, entry *a, const entry *b)
{
    double value[BLOCK], d1[BLOCK], d2[BLOCK];
    for (size_t k = 0; k < w->n; k++) {
        const double x = a->at[k], p = b->at[k];
        value[k] = pow(x, p);
        d1[k] = p * pow(x, p - 1);
        d2[k] = p * (p - 1) * pow(x, p - 2);
    }
    if (b->set == 0) {
        chain(w, a, value, d1, d2);
        return;
    }
    unary(w, STEEP_LOG, a);
    widen(w, a, b->set);
    multiply(w, a, b);
    chain(w, a, value, value, value);
}

static void binary(const machine *w, steep_code c, entry *a, entry *b)
{
    uint64_t both = a->set | b->set;
    double quotient[BLOCK];
    if (c == STEEP_POWER) {
        if (b->set) widen(w, a, both), widen(w, b, both);
        power(w, a, b);
        return;
    }
    widen(w, a, both);
    widen(w, b, both);
    switch (c) {
    case STEEP_ADD: add(w, a, 1, b); break;
    case STEEP_SUBTRACT: add(w, a, -1, b); break;
    case STEEP_MULTIPLY: multiply(w, a, b); break;
    case STEEP_DIVIDE:
        for (size_t k = 0; k < w->n; k++) quotient[k] = a->at[k] / b->at[k];
        reciprocal(w, b);
        multiply(w, a, b);
        memcpy(a->at, quotient, w->n * sizeof *quotient);
        break;
    default: choose(w, c, a, b); break;
    }
}

static void push(const machine *w, const steep_instruction *i, const double *const *in, size_t first, entry *to)
{
    to->set = 0;
    if (i->code == STEEP_NUMBER)
        for (size_t k = 0; k < w->n; k++) to->at[k] = (double)i->number;
    else {
        memcpy(to->at, in[i->index] + first, w->n * sizeof(double));
        widen(w, to, (uint64_t)1 << i->index);
        for (size_t k = 0; w->order >= 1 && k < w->n; k++) gradient(w, to, (size_t)i->index)[k] = 1;
    }
}

static void copy(const machine *w, const entry *from, entry *to)
{
    size_t columns = 1 + (w->order >= 1 ? w->m : 0) + (w->order >= 2 ? w->m * (w->m + 1) / 2 : 0);
    memcpy(to->at, from->at, columns * w->n * sizeof(double));
    to->set = from->set;
}

/* One block; the result stands in stack[0]. */
static void run_block(const machine *w, const steep_formula *f, const double *const *in, size_t first, entry *stack,
                      entry *place)
{
    size_t top = 0;
    for (const steep_instruction *i = f->program; i < f->program + f->length; i++) {
        switch (steep_operands(i->code)) {
        case 0:
            if (i->code == STEEP_LOAD)
                copy(w, &place[i->index], &stack[top]);
            else
                push(w, i, in, first, &stack[top]);
            top++;
            break;
        case 1:
            if (i->code == STEEP_STORE)
                copy(w, &stack[--top], &place[i->index]);
            else if (i->code == STEEP_INTEGER_POWER)
                power_rule(w, i->index, &stack[top - 1]);
            else
                unary(w, i->code, &stack[top - 1]);
            break;
        default:
            top--;
            binary(w, i->code, &stack[top - 1], &stack[top]);
            break;
        }
    }
    widen(w, &stack[0], w->m < 64 ? ((uint64_t)1 << w->m) - 1 : ~(uint64_t)0);
}

void steep_formula_derivatives(const steep_formula *formula, size_t count, const double *const *in, int order,
                               double *h, double *const *g, double *const *H)
{
    double cells[STEEP_FORMULA_CELLS];
    entry stack[STEEP_FORMULA_HEIGHT], place[STEEP_FORMULA_PLACES];
    size_t m = formula->dim, columns = 1 + (order >= 1 ? m : 0) + (order >= 2 ? m * (m + 1) / 2 : 0);
    size_t most = STEEP_FORMULA_CELLS / (columns * (formula->height + formula->places));
    most = most < BLOCK ? most : BLOCK;
    for (size_t first = 0; first < count; first += most) {
        machine w = {count - first < most ? count - first : most, m, order};
        for (size_t e = 0; e < formula->height; e++) stack[e].at = cells + e * columns * w.n;
        for (size_t e = 0; e < formula->places; e++) place[e].at = cells + (formula->height + e) * columns * w.n;
        run_block(&w, formula, in, first, stack, place);
        memcpy(h + first, stack[0].at, w.n * sizeof *h);
        for (size_t i = 0; order >= 1 && i < m; i++) memcpy(g[i] + first, gradient(&w, &stack[0], i), w.n * sizeof *h);
        for (size_t q = 0; order >= 2 && q < m * (m + 1) / 2; q++)
            memcpy(H[q] + first, stack[0].at + (1 + m + q) * w.n, w.n * sizeof *h);
    }
}
