/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is affine in x is kept as its coefficients, exact fractions; a sum as its affine part and the others in one
 * order, a product as its number and the others in one order. These rewritings are all, each an equality of real
 * functions:
 *
 *   sums and products in any order and grouping; u - v = u + (-1) v; a u + b u = (a + b) u; (u + v) w = u w + v w
 *   affine + affine, number * affine, affine / number, number * number, worked out
 *   0 + u = u, 1 u = u, u / 1 = u, u^1 = u; 0 u = 0 where u is finite; f(0) = 0 for the functions that have it
 *   max(u, 0) = relu(u); relu and abs of numbers
 */
#include "certify/same.h"

#include <stdlib.h>
#include <string.h>

#include "certify/core_formula.h"

enum { MOST_ENTRIES = 2000, MOST_PARTS = 300, NONE = -1 };

/* code NUMBER: affine, its coefficients in numbers; VARIABLE: an inexact constant, known by its address alone. */
typedef struct expression {
    int code, index, a, b;
    const void *constant;
    bool finite;            /* for all x in R^d */
    steep_rational *affine; /* d + 1 of them; NULL: not affine */
} expression;

struct steep_same {
    size_t n; /* d + 1 */
    int count;
    bool failed; /* too many entries, no memory */
    expression entry[MOST_ENTRIES];
};
typedef steep_same table;

/* --- entries --- */

static bool is_same(const table *t, const expression *p, const expression *q)
{
    if (p->code != q->code || p->index != q->index || p->a != q->a || p->b != q->b || p->constant != q->constant ||
        !p->affine != !q->affine)
        return false;
    for (size_t j = 0; p->affine && j < t->n; j++)
        if (!steep_rational_equal(&p->affine[j], &q->affine[j])) return false;
    return true;
}

static void clear(const table *t, expression *e)
{
    for (size_t j = 0; e->affine && j < t->n; j++) steep_rational_clear(&e->affine[j]);
    free(e->affine);
    e->affine = NULL;
}

/* The place of this expression, whose coefficients the table takes. */
static int place(table *t, expression e)
{
    for (int i = 0; i < t->count; i++)
        if (is_same(t, &t->entry[i], &e)) {
            clear(t, &e);
            return i;
        }
    if (t->count == MOST_ENTRIES) {
        t->failed = true;
        clear(t, &e);
        return 0;
    }
    t->entry[t->count] = e;
    return t->count++;
}

static int place_operation(table *t, int code, int index, int a, int b, bool finite)
{
    return place(t, (expression){.code = code, .index = index, .a = a, .b = b, .finite = finite});
}

/* Coefficients that are 0. */
static steep_rational *blank(table *t)
{
    steep_rational *c = malloc(t->n * sizeof *c);
    if (!c) t->failed = true;
    for (size_t j = 0; c && j < t->n; j++) steep_rational_init(&c[j]);
    return c;
}

static int place_affine(table *t, steep_rational *c)
{
    if (!c) return 0;
    return place(t, (expression){.code = STEEP_NUMBER, .a = NONE, .b = NONE, .finite = true, .affine = c});
}

static int place_number(table *t, double value)
{
    steep_rational *c = blank(t);
    if (c) steep_rational_set_double(&c[t->n - 1], value);
    return place_affine(t, c);
}

/* The number that an expression is; NULL: it is none. */
static const steep_rational *number_of(const table *t, int e)
{
    const steep_rational *c = t->entry[e].affine;
    for (size_t j = 0; c && j + 1 < t->n; j++)
        if (steep_rational_sign(&c[j]) != 0) return NULL;
    return c ? &c[t->n - 1] : NULL;
}

static bool is_number(const table *t, int e, double value)
{
    const steep_rational *c = number_of(t, e);
    steep_rational wanted;
    steep_rational_init(&wanted);
    steep_rational_set_double(&wanted, value);
    const bool is = c && steep_rational_equal(c, &wanted);
    steep_rational_clear(&wanted);
    return is;
}

/* --- operations --- */

static int multiply_affine(table *t, int e, const steep_rational *factor, bool divide)
{
    steep_rational *c = blank(t);
    for (size_t j = 0; c && j < t->n; j++)
        (divide ? steep_rational_div : steep_rational_mul)(&c[j], &t->entry[e].affine[j], factor);
    return place_affine(t, c);
}

/* The terms of a sum, or the factors of a product, which are chains: ((e1 + e2) + e3) + ... */
typedef struct chain {
    int code, count, part[MOST_PARTS];
} chain;

static void collect(table *t, int e, chain *parts)
{
    for (; t->entry[e].code == parts->code; e = t->entry[e].a)
        if (parts->count + 1 < MOST_PARTS) parts->part[parts->count++] = t->entry[e].b;
        else t->failed = true;
    if (parts->count < MOST_PARTS) parts->part[parts->count++] = e;
    else t->failed = true;
}

static void drop(chain *parts, int i)
{
    parts->part[i] = parts->part[--parts->count];
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The chain of these parts in the table's order, from `first` on; NONE: from the least part. */
static int link(table *t, chain *parts, int first)
{
    qsort(parts->part, (size_t)parts->count, sizeof *parts->part, ascending);
    int e = first;
    for (int i = 0; i < parts->count; i++) {
        const int next = parts->part[i];
        e = e == NONE ? next : place_operation(t, parts->code, 0, e, next, t->entry[e].finite && t->entry[next].finite);
    }
    return e;
}

static int add_affine(table *t, int a, int b)
{
    steep_rational *c = blank(t);
    for (size_t j = 0; c && j < t->n; j++) steep_rational_add(&c[j], &t->entry[a].affine[j], &t->entry[b].affine[j]);
    return place_affine(t, c);
}

/* e = number * body. */
static int split(table *t, int e, int *number)
{
    chain factors = {.code = STEEP_MULTIPLY};
    *number = place_number(t, 1);
    collect(t, e, &factors);
    for (int i = 0; i < factors.count && factors.count > 1; i++)
        if (number_of(t, factors.part[i])) {
            *number = factors.part[i];
            drop(&factors, i);
            break;
        }
    return link(t, &factors, NONE);
}

static int product(table *t, int a, int b);

/* a u + b u = (a + b) u; 0 u goes where u is finite. */
static void combine(table *t, chain *terms)
{
    for (int i = 0; i < terms->count; i++)
        for (int j = i + 1; j < terms->count && !t->failed; j++) {
            int number[2];
            const int body = split(t, terms->part[i], &number[0]);
            if (split(t, terms->part[j], &number[1]) != body) continue;
            terms->part[i] = product(t, add_affine(t, number[0], number[1]), body);
            drop(terms, j--);
        }
    for (int i = terms->count; i-- > 0;)
        if (is_number(t, terms->part[i], 0)) drop(terms, i);
}

static int sum(table *t, int a, int b)
{
    chain terms = {.code = STEEP_ADD};
    int affine = place_number(t, 0);
    collect(t, a, &terms);
    collect(t, b, &terms);
    for (int i = terms.count; i-- > 0 && !t->failed;)
        if (t->entry[terms.part[i]].affine) {
            affine = add_affine(t, affine, terms.part[i]);
            drop(&terms, i);
        }
    combine(t, &terms);
    if (t->failed) return 0;
    if (terms.count == 0) return affine;
    return link(t, &terms, is_number(t, affine, 0) ? NONE : affine);
}

static int negate(table *t, int e)
{
    return product(t, place_number(t, -1), e);
}

static bool are_finite(const table *t, const chain *parts)
{
    for (int i = 0; i < parts->count; i++)
        if (!t->entry[parts->part[i]].finite) return false;
    return true;
}

/* (u1 + u2) v = u1 v + u2 v, the sum being factor i. */
static int distribute(table *t, chain *factors, int i, int number)
{
    chain terms = {.code = STEEP_ADD};
    int result = place_number(t, 0);
    collect(t, factors->part[i], &terms);
    drop(factors, i);
    const int rest = link(t, factors, number);
    for (int k = 0; k < terms.count && !t->failed; k++) result = sum(t, result, product(t, rest, terms.part[k]));
    return t->failed ? 0 : result;
}

/* A number comes in front: number * ((f1 f2) f3). */
static int product(table *t, int a, int b)
{
    chain factors = {.code = STEEP_MULTIPLY};
    int number = place_number(t, 1);
    collect(t, a, &factors);
    collect(t, b, &factors);
    for (int i = factors.count; i-- > 0 && !t->failed;) {
        const steep_rational *c = number_of(t, factors.part[i]);
        if (!c) continue;
        number = multiply_affine(t, number, c, false);
        drop(&factors, i);
    }
    if (t->failed) return 0;
    if (factors.count == 0 || (is_number(t, number, 0) && are_finite(t, &factors))) return number;
    if (factors.count == 1 && t->entry[factors.part[0]].affine)
        return multiply_affine(t, factors.part[0], number_of(t, number), false);
    for (int i = 0; i < factors.count; i++)
        if (t->entry[factors.part[i]].code == STEEP_ADD) return distribute(t, &factors, i, number);
    return link(t, &factors, is_number(t, number, 1) ? NONE : number);
}

static int quotient(table *t, int a, int b)
{
    const expression *divisor = &t->entry[b];
    const steep_rational *c = number_of(t, b);
    if (is_number(t, b, 1)) return a;
    const bool never_0 =
        (c && steep_rational_sign(c) != 0) ||
        (divisor->constant && steep_ball_side(&((const steep_constant *)divisor->constant)->ball) != 0);
    if (c && never_0 && t->entry[a].affine) return multiply_affine(t, a, c, true);
    return place_operation(t, STEEP_DIVIDE, 0, a, b, t->entry[a].finite && never_0);
}

static int binary(table *t, int code, int a, int b)
{
    const bool finite = t->entry[a].finite && t->entry[b].finite;
    switch (code) {
    case STEEP_ADD: return sum(t, a, b);
    case STEEP_SUBTRACT: return sum(t, a, negate(t, b));
    case STEEP_MULTIPLY: return product(t, a, b);
    case STEEP_DIVIDE: return quotient(t, a, b);
    case STEEP_GREATER:
        if (is_number(t, b, 0)) return place_operation(t, STEEP_RELU, 0, a, NONE, t->entry[a].finite);
        if (is_number(t, a, 0)) return place_operation(t, STEEP_RELU, 0, b, NONE, t->entry[b].finite);
        return place_operation(t, code, 0, a < b ? a : b, a < b ? b : a, finite);
    case STEEP_LESSER: return place_operation(t, code, 0, a < b ? a : b, a < b ? b : a, finite);
    default: return place_operation(t, code, 0, a, b, false);
    }
}

/* Functions that are finite for all arguments; those of them, and others, that are 0 at 0. */
static bool is_entire(int code)
{
    static const int codes[] = {STEEP_SIN,  STEEP_COS, STEEP_ATAN, STEEP_SINH, STEEP_COSH,
                                STEEP_TANH, STEEP_EXP, STEEP_ERF,  STEEP_ERFC, STEEP_EXPM1,
                                STEEP_CBRT, STEEP_ABS, STEEP_SIGN, STEEP_RELU, STEEP_SIGMOID};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (code == codes[i]) return true;
    return false;
}

static bool is_0_at_0(int code)
{
    static const int codes[] = {STEEP_SIN,   STEEP_TAN,   STEEP_ASIN, STEEP_ATAN, STEEP_SINH, STEEP_TANH, STEEP_ERF,
                                STEEP_EXPM1, STEEP_LOG1P, STEEP_SQRT, STEEP_CBRT, STEEP_ABS,  STEEP_SIGN, STEEP_RELU};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (code == codes[i]) return true;
    return false;
}

static int unary(table *t, const steep_instruction *i, int a)
{
    const steep_rational *c = number_of(t, a);
    if (i->code == STEEP_NEGATE) return negate(t, a);
    if (i->code == STEEP_INTEGER_POWER) {
        if (i->index == 1) return a;
        return place_operation(t, i->code, i->index, a, NONE, t->entry[a].finite && i->index >= 0);
    }
    if (is_number(t, a, 0) && is_0_at_0(i->code)) return a;
    if (c && (i->code == STEEP_RELU || i->code == STEEP_ABS)) {
        if (steep_rational_sign(c) > 0) return a;
        return i->code == STEEP_RELU ? place_number(t, 0) : negate(t, a);
    }
    return place_operation(t, i->code, 0, a, NONE, is_entire(i->code) && t->entry[a].finite);
}

static int constant(table *t, const steep_constant *c)
{
    if (!c->exact)
        return place(t, (expression){.code = STEEP_VARIABLE, .a = NONE, .b = NONE, .constant = c, .finite = true});
    steep_rational *exact = blank(t);
    if (exact) steep_rational_set(&exact[t->n - 1], &c->fraction);
    return place_affine(t, exact);
}

/* --- from outside --- */

steep_same *steep_same_open(size_t d)
{
    steep_same *t = calloc(1, sizeof *t);
    if (t) t->n = d + 1;
    return t;
}

void steep_same_close(steep_same *t)
{
    for (int i = 0; t && i < t->count; i++) clear(t, &t->entry[i]);
    free(t);
}

bool steep_same_failed(const steep_same *t)
{
    return t->failed;
}

int steep_same_affine(steep_same *t, const double *w)
{
    steep_rational *c = blank(t);
    for (size_t j = 0; c && j < t->n; j++) steep_rational_set_double(&c[j], w[j]);
    return place_affine(t, c);
}

int steep_same_number(steep_same *t, double value)
{
    return place_number(t, value);
}

int steep_same_sum(steep_same *t, int a, int b)
{
    return t->failed ? 0 : sum(t, a, b);
}

int steep_same_product(steep_same *t, int a, int b)
{
    return t->failed ? 0 : product(t, a, b);
}

int steep_same_run(steep_same *t, const steep_enclosed *program, const int *input)
{
    int *stack = malloc((program->height + program->places + 1) * sizeof *stack);
    size_t top = 0;
    if (!stack) {
        t->failed = true;
        return 0;
    }
    int *store = stack + program->height;
    for (size_t k = 0; k < program->length && !t->failed; k++) {
        const steep_instruction *i = &program->program[k];
        const size_t needs = steep_operands(i->code);
        if (i->code == STEEP_NUMBER) stack[top++] = constant(t, &program->constant[i->index]);
        else if (i->code == STEEP_VARIABLE) stack[top++] = input[i->index];
        else if (i->code == STEEP_LOAD) stack[top++] = store[i->index];
        else if (i->code == STEEP_STORE) store[i->index] = stack[--top];
        else if (needs == 1) stack[top - 1] = unary(t, i, stack[top - 1]);
        else {
            top--;
            stack[top - 1] = binary(t, (int)i->code, stack[top - 1], stack[top]);
        }
    }
    const int result = t->failed ? 0 : stack[0];
    free(stack);
    return result;
}
