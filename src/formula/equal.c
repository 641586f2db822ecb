/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two formulas as polynomials with rational coefficients in their variables and in atoms. An atom is an operation that
 * is no polynomial (sin, a quotient, max ..) of arguments that are such polynomials; two of the same operation and
 * arguments are one atom. So + and * count in any order and grouping, and products and whole powers written out. Every
 * rule is an equality of real functions wherever both formulas are defined; numbers are what evaluators have. */
#include <stdlib.h>

#include "formula/program.h"
#include "numerics/polynomial.h"

/* MOST_TERMS, MOST_BITS: of an expansion; beyond them nothing is shown. */
enum { ATOMS = 40, MOST_TERMS = 600, MOST_BITS = 1 << 14, MOST_POWER = 40, LARGEST_DIM = 16 };

typedef struct atom {
    int code, index;
    steep_polynomial *part[2]; /* the second NULL where there is one */
} atom;

typedef struct table {
    size_t dim, variables, count; /* atom k is variable dim + k */
    atom atom[ATOMS];
} table;

static bool is_small(const steep_polynomial *p)
{
    return steep_polynomial_terms(p) <= MOST_TERMS && steep_polynomial_bits(p) <= MOST_BITS;
}

static bool multiply(steep_polynomial *to, const steep_polynomial *p)
{
    if (steep_polynomial_terms(to) * steep_polynomial_terms(p) > 16 * (size_t)MOST_TERMS) return false;
    steep_polynomial_multiply(to, to, p);
    return is_small(to);
}

/* Are the arguments these, in this order? */
static bool has_parts(const atom *a, const steep_polynomial *p, const steep_polynomial *q)
{
    if (!a->part[1] != !q || !steep_polynomial_equal(a->part[0], p)) return false;
    return !q || steep_polynomial_equal(a->part[1], q);
}

/* *p = the atom of this operation on *p, and on q where it has two operands. False: no room or memory. */
static bool place(table *t, int code, int index, steep_polynomial *p, const steep_polynomial *q)
{
    const bool either = code == STEEP_LESSER || code == STEEP_GREATER;
    size_t k = 0;
    for (; k < t->count; k++) {
        const atom *a = &t->atom[k];
        if (a->code != code || a->index != index) continue;
        if (has_parts(a, p, q) || (either && has_parts(a, q, p))) break;
    }
    if (k == ATOMS) return false;
    if (k == t->count) {
        atom a = {code, index, {steep_polynomial_new(t->variables), q ? steep_polynomial_new(t->variables) : NULL}};
        if (!a.part[0] || (q && !a.part[1])) {
            steep_polynomial_free(a.part[0]);
            steep_polynomial_free(a.part[1]);
            return false;
        }
        steep_polynomial_copy(a.part[0], p);
        if (q) steep_polynomial_copy(a.part[1], q);
        t->atom[t->count++] = a;
    }
    steep_polynomial_set_variable(p, t->dim + k);
    return true;
}

/* p^n; of n < 0: (1/p)^-n */
static bool raise(table *t, steep_polynomial *p, int n)
{
    const int times = n < 0 ? -n : n;
    if (n < 0 && !place(t, STEEP_DIVIDE, 0, p, NULL)) return false;
    steep_polynomial *factor = steep_polynomial_new(t->variables);
    bool fine = factor != NULL;
    if (fine && (times > MOST_POWER && steep_polynomial_terms(p) > 1)) fine = false;
    if (fine && steep_polynomial_terms(p) <= 1) {
        fine = steep_polynomial_bits(p) * (size_t)times <= MOST_BITS;
        if (fine) steep_polynomial_power(p, p, (unsigned)times);
    } else if (fine) {
        steep_polynomial_copy(factor, p);
        steep_polynomial_set_ratio(p, 1, 1);
        for (int i = 0; fine && i < times; i++) fine = multiply(p, factor);
    }
    steep_polynomial_free(factor);
    return fine;
}

static bool unary(table *t, const steep_instruction *i, steep_polynomial *p)
{
    if (i->code == STEEP_INTEGER_POWER) return raise(t, p, i->index);
    if (i->code != STEEP_NEGATE) return place(t, (int)i->code, 0, p, NULL);
    steep_polynomial *zero = steep_polynomial_new(t->variables);
    if (zero) steep_polynomial_subtract(p, zero, p);
    steep_polynomial_free(zero);
    return zero != NULL;
}

static bool binary(table *t, steep_code code, steep_polynomial *p, steep_polynomial *q)
{
    switch (code) {
    case STEEP_ADD: steep_polynomial_add(p, p, q); return is_small(p);
    case STEEP_SUBTRACT: steep_polynomial_subtract(p, p, q); return is_small(p);
    case STEEP_MULTIPLY: return multiply(p, q);
    case STEEP_DIVIDE:
        if (steep_polynomial_is_number(q)) return steep_polynomial_divide(p, p, q);
        return place(t, STEEP_DIVIDE, 0, q, NULL) && multiply(p, q); /* times 1/q */
    default: return place(t, (int)code, 0, p, q);
    }
}

/* The normal form of a formula, in stack[0]. */
static bool run(table *t, const steep_formula *f, steep_polynomial **stack, steep_polynomial **store)
{
    size_t top = 0;
    bool fine = true;
    for (size_t k = 0; fine && k < f->length; k++) {
        const steep_instruction *i = &f->program[k];
        if (i->code == STEEP_NUMBER) fine = steep_polynomial_set(stack[top++], i->number);
        else if (i->code == STEEP_VARIABLE) steep_polynomial_set_variable(stack[top++], (size_t)i->index);
        else if (i->code == STEEP_LOAD) steep_polynomial_copy(stack[top++], store[i->index]);
        else if (i->code == STEEP_STORE) steep_polynomial_copy(store[i->index], stack[--top]);
        else if (steep_operands(i->code) == 1) fine = unary(t, i, stack[top - 1]);
        else {
            top--;
            fine = binary(t, i->code, stack[top - 1], stack[top]);
        }
    }
    return fine;
}

bool steep_formula_equal(const steep_formula *a, const steep_formula *b)
{
    if (a->dim != b->dim || a->dim > LARGEST_DIM) return false;
    table t = {.dim = a->dim, .variables = a->dim + ATOMS};
    const steep_formula *const f[] = {a, b};
    steep_polynomial **room[2] = {NULL, NULL};
    bool same = true;
    for (int k = 0; same && k < 2; k++) {
        room[k] = steep_polynomial_new_all(f[k]->height + f[k]->places + 1, t.variables);
        same = room[k] && run(&t, f[k], room[k], room[k] + f[k]->height);
    }
    same = same && steep_polynomial_equal(room[0][0], room[1][0]);
    for (int k = 0; k < 2; k++)
        if (room[k]) steep_polynomial_free_all(room[k], f[k]->height + f[k]->places + 1);
    for (size_t k = 0; k < t.count; k++) {
        steep_polynomial_free(t.atom[k].part[0]);
        steep_polynomial_free(t.atom[k].part[1]);
    }
    return same;
}
