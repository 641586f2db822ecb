/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "certify/enclose_parts.h"

#include <stdlib.h>

/* Limits of an expanded product; a larger product is an atom. */
enum { MOST_TERMS = 600, MOST_BITS = 1 << 14 };

typedef fmpq_mpoly_struct polynomial;

typedef struct steep_atom {
    steep_code code;
    const steep_constant *number; /* the constant that it stands for, known by its address; NULL: none */
    size_t parts;
    polynomial part[2];
} atom;

/* count polynomials that are 0; NULL: no memory. */
static polynomial *new_polynomials(const steep_normal_form *t, size_t count)
{
    polynomial *p = malloc((count + 1) * sizeof *p);
    for (size_t i = 0; p && i < count; i++) fmpq_mpoly_init(&p[i], t->context);
    return p;
}

static void free_polynomials(const steep_normal_form *t, polynomial *p, size_t count)
{
    for (size_t i = 0; p && i < count; i++) fmpq_mpoly_clear(&p[i], t->context);
    free(p);
}

bool steep_normal_open(steep_normal_form *t, size_t dim, size_t room, size_t polynomials)
{
    *t = (steep_normal_form){
        .dim = dim, .room = room, .atom = malloc(room * sizeof *t->atom), .polynomials = polynomials};
    fmpq_mpoly_ctx_init(t->context, (slong)(dim + room), ORD_DEGREVLEX);
    fmpq_init(t->number);
    t->polynomial = new_polynomials(t, polynomials);
    return t->atom && t->polynomial;
}

void steep_normal_forget(steep_normal_form *t)
{
    for (size_t k = 0; k < t->count; k++)
        for (size_t i = 0; i < t->atom[k].parts; i++) fmpq_mpoly_clear(&t->atom[k].part[i], t->context);
    t->count = 0;
}

void steep_normal_close(steep_normal_form *t)
{
    steep_normal_forget(t);
    free_polynomials(t, t->polynomial, t->polynomials);
    free(t->atom);
    fmpq_clear(t->number);
    fmpq_mpoly_ctx_clear(t->context);
}

static bool is_small(const steep_normal_form *t, const polynomial *p)
{
    const size_t bits = (size_t)labs(fmpz_mpoly_max_bits(p->zpoly)) + fmpz_bits(fmpq_numref(p->content)) +
                        fmpz_bits(fmpq_denref(p->content));
    return fmpq_mpoly_length(p, t->context) <= MOST_TERMS && bits <= MOST_BITS;
}

/* Are the arguments of atom a p and q (q NULL: only p), in this order? */
static bool has_parts(const steep_normal_form *t, const atom *a, const polynomial *p, const polynomial *q)
{
    return fmpq_mpoly_equal(&a->part[0], p, t->context) && (!q || fmpq_mpoly_equal(&a->part[1], q, t->context));
}

/* *p = the atom of this operation on *p (and on q, if it has two operands), or of this number. False: no room. */
static bool place(steep_normal_form *t, steep_code code, const steep_constant *number, polynomial *p,
                  const polynomial *q)
{
    const bool either = code == STEEP_CODE_LESSER || code == STEEP_CODE_GREATER || code == STEEP_CODE_MULTIPLY;
    size_t k = 0;
    for (; k < t->count; k++) {
        const atom *a = &t->atom[k];
        if (a->code != code || a->number != number) continue;
        if (number || has_parts(t, a, p, q) || (either && has_parts(t, a, q, p))) break;
    }
    if (k == t->room) return false;
    if (k == t->count) {
        atom *a = &t->atom[t->count++];
        *a = (atom){.code = code, .number = number, .parts = number ? 0 : q ? 2 : 1};
        for (size_t i = 0; i < a->parts; i++) {
            fmpq_mpoly_init(&a->part[i], t->context);
            fmpq_mpoly_set(&a->part[i], i ? q : p, t->context);
        }
    }
    fmpq_mpoly_gen(p, (slong)(t->dim + k), t->context);
    return true;
}

/* to *= p */
static bool multiply(steep_normal_form *t, polynomial *to, const polynomial *p)
{
    if (fmpq_mpoly_length(to, t->context) * fmpq_mpoly_length(p, t->context) > 16 * MOST_TERMS)
        return place(t, STEEP_CODE_MULTIPLY, NULL, to, p);
    fmpq_mpoly_t product;
    fmpq_mpoly_init(product, t->context);
    fmpq_mpoly_mul(product, to, p, t->context);
    const bool fits = is_small(t, product);
    if (fits) fmpq_mpoly_swap(to, product, t->context);
    fmpq_mpoly_clear(product, t->context);
    return fits || place(t, STEEP_CODE_MULTIPLY, NULL, to, p);
}

/* p = p^n; for n < 0 it is (1/p)^-n */
static bool raise_to(steep_normal_form *t, polynomial *p, int n)
{
    fmpq_mpoly_t factor;
    if (n < 0 && !place(t, STEEP_CODE_DIVIDE, NULL, p, NULL)) return false;
    bool fine = true;
    fmpq_mpoly_init(factor, t->context);
    fmpq_mpoly_swap(factor, p, t->context);
    fmpq_mpoly_set_ui(p, 1, t->context);
    for (int i = 0; fine && i < abs(n); i++) fine = multiply(t, p, factor);
    fmpq_mpoly_clear(factor, t->context);
    return fine;
}

static bool unary(steep_normal_form *t, const steep_instruction *i, polynomial *p)
{
    const bool is_number = fmpq_mpoly_is_fmpq(p, t->context);
    const int sign = is_number ? fmpq_sgn(p->content) : 0; /* the content of a number is the number */
    const bool bends = is_number && (i->code == STEEP_CODE_RELU || i->code == STEEP_CODE_ABS);
    if (i->code == STEEP_CODE_INTEGER_POWER) return raise_to(t, p, i->index);
    if (is_number && sign == 0 && steep_program_unary(i->code, 0) == 0) return true; /* as with sin, sqrt */
    if (bends && sign > 0) return true;
    if (bends && i->code == STEEP_CODE_RELU) fmpq_mpoly_zero(p, t->context);
    else if (bends || i->code == STEEP_CODE_NEGATE) fmpq_mpoly_neg(p, p, t->context);
    else return place(t, i->code, NULL, p, NULL);
    return true;
}

static bool divide(steep_normal_form *t, polynomial *p, polynomial *q)
{
    if (fmpq_mpoly_is_zero(q, t->context) || !fmpq_mpoly_is_fmpq(q, t->context))
        return place(t, STEEP_CODE_DIVIDE, NULL, q, NULL) && multiply(t, p, q); /* times 1/q */
    fmpq_mpoly_scalar_div_fmpq(p, p, q->content, t->context);
    return true;
}

static bool binary(steep_normal_form *t, steep_code code, polynomial *p, polynomial *q)
{
    switch (code) {
    case STEEP_CODE_ADD: fmpq_mpoly_add(p, p, q, t->context); return true;
    case STEEP_CODE_SUBTRACT: fmpq_mpoly_sub(p, p, q, t->context); return true;
    case STEEP_CODE_MULTIPLY: return multiply(t, p, q);
    case STEEP_CODE_DIVIDE: return divide(t, p, q);
    case STEEP_CODE_GREATER: /* max(p, 0) */
        if (fmpq_mpoly_is_zero(p, t->context)) fmpq_mpoly_swap(p, q, t->context);
        if (fmpq_mpoly_is_zero(q, t->context)) return place(t, STEEP_CODE_RELU, NULL, p, NULL);
        return place(t, code, NULL, p, q);
    default: return place(t, code, NULL, p, q);
    }
}

bool steep_normal_run(steep_normal_form *t, const steep_enclosed *f, const polynomial *input, polynomial *argument,
                      polynomial *to)
{
    const size_t room = f->height + f->places + 1;
    polynomial *stack = new_polynomials(t, room), *top = stack - 1, *store = stack + f->height;
    bool fine = stack != NULL;
    for (const steep_instruction *i = f->program; fine && i < f->program + f->length; i++) {
        const bool takes_two = steep_operands(i->code) == 2;
        top -= takes_two;
        if (argument && steep_is_kink(i->code)) {
            if (takes_two) fmpq_mpoly_sub(argument++, top, top + 1, t->context);
            else fmpq_mpoly_set(argument++, top, t->context);
        }
        const steep_constant *number = i->code == STEEP_CODE_NUMBER ? &f->constant[i->index] : NULL;
        if (number && number->exact) fmpq_mpoly_set_fmpq(++top, &number->fraction, t->context);
        else if (number) fine = place(t, STEEP_CODE_NUMBER, number, ++top, NULL);
        else if (i->code == STEEP_CODE_VARIABLE && input) fmpq_mpoly_set(++top, &input[i->index], t->context);
        else if (i->code == STEEP_CODE_VARIABLE) fmpq_mpoly_gen(++top, i->index, t->context);
        else if (i->code == STEEP_CODE_LOAD) fmpq_mpoly_set(++top, &store[i->index], t->context);
        else if (i->code == STEEP_CODE_STORE) fmpq_mpoly_set(&store[i->index], top--, t->context);
        else fine = takes_two ? binary(t, i->code, top, top + 1) : unary(t, i, top);
    }
    if (fine) fmpq_mpoly_swap(to, &stack[0], t->context);
    free_polynomials(t, stack, room);
    return fine;
}

static bool has_atom(const steep_normal_form *t, const polynomial *p, size_t k)
{
    return fmpq_mpoly_degree_si(p, (slong)(t->dim + k), t->context) > 0;
}

/* Whether atom k is finite for all real x where its arguments are. */
static bool is_finite(const steep_normal_form *t, size_t k)
{
    const atom *a = &t->atom[k];
    if (a->code != STEEP_CODE_DIVIDE || fmpq_mpoly_length(&a->part[0], t->context) != 1 ||
        fmpq_mpoly_total_degree_si(&a->part[0], t->context) != 1)
        return !steep_has_domain(a->code) && a->code != STEEP_CODE_DIVIDE && a->code != STEEP_CODE_POWER;
    for (size_t l = 0; l < k; l++)
        if (t->atom[l].number && steep_ball_side(&t->atom[l].number->ball) && has_atom(t, &a->part[0], l)) return true;
    return false;
}

/* Whether atom k occurs in p, or in an argument of an atom that occurs in p. */
static bool occurs(const steep_normal_form *t, const polynomial *p, size_t k)
{
    if (has_atom(t, p, k)) return true;
    for (size_t l = k + 1; l < t->count; l++) /* arguments come before their atoms */
        for (size_t i = 0; i < t->atom[l].parts; i++)
            if (has_atom(t, &t->atom[l].part[i], k) && occurs(t, p, l)) return true;
    return false;
}

bool steep_normal_keeps(const steep_normal_form *t, const polynomial *p)
{
    for (size_t k = 0; k < t->count; k++)
        if (!is_finite(t, k) && !occurs(t, p, k)) return false;
    return true;
}
