/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "certify/normal.h"

#include <stdlib.h>

#include "formula/program.h"

/* MOST_TERMS, MOST_BITS: of an expansion; beyond them nothing is shown. */
enum { MOST_TERMS = 600, MOST_BITS = 1 << 14, MOST_POWER = 40 };

typedef struct atom {
    int code, index;
    const void *number;
    bool never_0;              /* a number */
    steep_polynomial *part[2]; /* NULL where there is none */
} atom;

struct steep_normal_form {
    size_t dim, atoms, count; /* atom k is variable dim + k */
    atom *atom;
};

steep_normal_form *steep_normal_open(size_t dim, size_t atoms)
{
    steep_normal_form *t = malloc(sizeof *t);
    if (!t) return NULL;
    *t = (steep_normal_form){.dim = dim, .atoms = atoms, .atom = malloc(atoms * sizeof *t->atom)};
    if (t->atom) return t;
    free(t);
    return NULL;
}

void steep_normal_close(steep_normal_form *t)
{
    for (size_t k = 0; t && k < 2 * t->count; k++) steep_polynomial_free(t->atom[k / 2].part[k % 2]);
    if (t) free(t->atom);
    free(t);
}

size_t steep_normal_variables(const steep_normal_form *t)
{
    return t->dim + t->atoms;
}

static bool is_small(const steep_polynomial *p)
{
    return steep_polynomial_terms(p) <= MOST_TERMS && steep_polynomial_bits(p) <= MOST_BITS;
}

bool steep_normal_multiply(steep_polynomial *to, const steep_polynomial *p)
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

/* A new atom; false: no room or memory. */
static bool add(steep_normal_form *t, atom a, const steep_polynomial *p, const steep_polynomial *q)
{
    const steep_polynomial *from[2] = {p, q};
    if (t->count == t->atoms) return false;
    for (int i = 0; i < 2; i++) {
        if (!from[i]) continue;
        a.part[i] = steep_polynomial_new(steep_normal_variables(t));
        if (!a.part[i]) {
            steep_polynomial_free(a.part[0]);
            return false;
        }
        steep_polynomial_copy(a.part[i], from[i]);
    }
    t->atom[t->count++] = a;
    return true;
}

/* *p = the atom of this operation on *p, and on q where it has two operands. */
static bool place(steep_normal_form *t, steep_code code, int index, steep_polynomial *p, const steep_polynomial *q)
{
    const bool either = code == STEEP_LESSER || code == STEEP_GREATER;
    size_t k = 0;
    for (; k < t->count; k++) {
        const atom *a = &t->atom[k];
        if (a->code != (int)code || a->index != index || a->number) continue;
        if (has_parts(a, p, q) || (either && has_parts(a, q, p))) break;
    }
    if (k == t->count && !add(t, (atom){.code = (int)code, .index = index}, p, q)) return false;
    steep_polynomial_set_variable(p, t->dim + k);
    return true;
}

bool steep_normal_constant(steep_normal_form *t, const void *number, bool never_0, steep_polynomial *to)
{
    size_t k = 0;
    while (k < t->count && t->atom[k].number != number) k++;
    if (k == t->count && !add(t, (atom){.code = STEEP_NUMBER, .number = number, .never_0 = never_0}, NULL, NULL))
        return false;
    steep_polynomial_set_variable(to, t->dim + k);
    return true;
}

/* p^n; of n < 0: (1/p)^-n */
static bool raise_to(steep_normal_form *t, steep_polynomial *p, int n)
{
    const int times = n < 0 ? -n : n;
    if (n < 0 && !place(t, STEEP_DIVIDE, 0, p, NULL)) return false;
    steep_polynomial *factor = steep_polynomial_new(steep_normal_variables(t));
    bool fine = factor != NULL;
    if (fine && (times > MOST_POWER && steep_polynomial_terms(p) > 1)) fine = false;
    if (fine && steep_polynomial_terms(p) <= 1) {
        fine = steep_polynomial_bits(p) * (size_t)times <= MOST_BITS;
        if (fine) steep_polynomial_power(p, p, (unsigned)times);
    } else if (fine) {
        steep_polynomial_copy(factor, p);
        steep_polynomial_set_ratio(p, 1, 1);
        for (int i = 0; fine && i < times; i++) fine = steep_normal_multiply(p, factor);
    }
    steep_polynomial_free(factor);
    return fine;
}

static bool negate(steep_polynomial *p)
{
    steep_polynomial *zero = steep_polynomial_new(steep_polynomial_variables(p));
    if (zero) steep_polynomial_subtract(p, zero, p);
    steep_polynomial_free(zero);
    return zero != NULL;
}

static bool is_among(steep_code code, const steep_code *codes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (code == codes[i]) return true;
    return false;
}

static bool is_0_at_0(steep_code code)
{
    static const steep_code codes[] = {STEEP_SIN,   STEEP_TAN,  STEEP_ASIN, STEEP_ATAN, STEEP_SINH,
                                       STEEP_TANH,  STEEP_ERF,  STEEP_SQRT, STEEP_CBRT, STEEP_EXPM1,
                                       STEEP_LOG1P, STEEP_RELU, STEEP_ABS,  STEEP_SIGN, STEEP_BESSEL_1};
    return is_among(code, codes, sizeof codes / sizeof *codes);
}

/* Finite for all real arguments. */
static bool is_entire(steep_code code)
{
    static const steep_code codes[] = {STEEP_SIN,    STEEP_COS,     STEEP_ATAN,   STEEP_SINH,     STEEP_COSH,
                                       STEEP_TANH,   STEEP_EXP,     STEEP_ERF,    STEEP_ERFC,     STEEP_CBRT,
                                       STEEP_EXPM1,  STEEP_SIGMOID, STEEP_RELU,   STEEP_ABS,      STEEP_SIGN,
                                       STEEP_LESSER, STEEP_GREATER, STEEP_NUMBER, STEEP_BESSEL_0, STEEP_BESSEL_1};
    return is_among(code, codes, sizeof codes / sizeof *codes);
}

static bool unary(steep_normal_form *t, const steep_instruction *i, steep_polynomial *p)
{
    if (i->code == STEEP_INTEGER_POWER) return raise_to(t, p, i->index);
    if (i->code == STEEP_NEGATE) return negate(p);
    if (steep_polynomial_is_number(p)) {
        const int sign = steep_polynomial_sign(p);
        if (sign == 0 && is_0_at_0(i->code)) return true;
        if (sign > 0 && (i->code == STEEP_RELU || i->code == STEEP_ABS)) return true;
        if (sign < 0 && i->code == STEEP_RELU) return steep_polynomial_set(p, 0);
        if (sign < 0 && i->code == STEEP_ABS) return negate(p);
    }
    return place(t, i->code, 0, p, NULL);
}

static bool is_zero(const steep_polynomial *p)
{
    return steep_polynomial_is_number(p) && steep_polynomial_sign(p) == 0;
}

static bool binary(steep_normal_form *t, steep_code code, steep_polynomial *p, steep_polynomial *q)
{
    switch (code) {
    case STEEP_ADD: steep_polynomial_add(p, p, q); return is_small(p);
    case STEEP_SUBTRACT: steep_polynomial_subtract(p, p, q); return is_small(p);
    case STEEP_MULTIPLY: return steep_normal_multiply(p, q);
    case STEEP_DIVIDE:
        if (steep_polynomial_is_number(q)) return steep_polynomial_divide(p, p, q);
        return place(t, STEEP_DIVIDE, 0, q, NULL) && steep_normal_multiply(p, q); /* times 1/q */
    case STEEP_GREATER:                                                           /* max(p, 0) */
        if (is_zero(p)) steep_polynomial_copy(p, q);
        else if (!is_zero(q)) return place(t, code, 0, p, q);
        return place(t, STEEP_RELU, 0, p, NULL);
    default: return place(t, code, 0, p, q);
    }
}

static bool walk(steep_normal_form *t, const steep_normal_program *f, steep_polynomial *const *input,
                 steep_polynomial **stack)
{
    steep_polynomial **store = stack + f->height;
    size_t top = 0;
    bool fine = true;
    for (size_t k = 0; fine && k < f->length; k++) {
        const steep_instruction *i = &f->instruction[k];
        if (i->code == STEEP_NUMBER) fine = f->number(t, i->index, i->number, f->context, stack[top++]);
        else if (i->code == STEEP_VARIABLE && input) steep_polynomial_copy(stack[top++], input[i->index]);
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

bool steep_normal_run(steep_normal_form *t, const steep_normal_program *f, steep_polynomial *const *input,
                      steep_polynomial *to)
{
    const size_t room = f->height + f->places + 1;
    steep_polynomial **stack = steep_polynomial_new_all(room, steep_normal_variables(t));
    const bool fine = stack && walk(t, f, input, stack);
    if (fine) steep_polynomial_copy(to, stack[0]);
    if (stack) steep_polynomial_free_all(stack, room);
    return fine;
}

/* Whether atom k is finite for all real x where its arguments are. */
static bool is_finite(const steep_normal_form *t, size_t k)
{
    const atom *a = &t->atom[k];
    if (a->code != STEEP_DIVIDE || steep_polynomial_terms(a->part[0]) != 1 || steep_polynomial_degree(a->part[0]) != 1)
        return is_entire((steep_code)a->code);
    for (size_t l = 0; l < k; l++)
        if (t->atom[l].never_0 && steep_polynomial_has_variable(a->part[0], t->dim + l)) return true;
    return false;
}

/* Whether p has atom k in it, or in an argument of an atom that p has. */
static bool occurs(const steep_normal_form *t, const steep_polynomial *p, size_t k)
{
    if (steep_polynomial_has_variable(p, t->dim + k)) return true;
    for (size_t l = k + 1; l < t->count; l++) /* arguments come before their atoms */
        for (int i = 0; i < 2; i++)
            if (t->atom[l].part[i] && steep_polynomial_has_variable(t->atom[l].part[i], t->dim + k) && occurs(t, p, l))
                return true;
    return false;
}

bool steep_normal_keeps(const steep_normal_form *t, const steep_polynomial *p)
{
    for (size_t k = 0; k < t->count; k++)
        if (!is_finite(t, k) && !occurs(t, p, k)) return false;
    return true;
}
