/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact polynomials over FLINT's sparse ones. A context of FLINT says the number of variables and the order of terms
 * and has no state, so that polynomials of equal contexts go together. */
#include <flint/fmpq.h>
#include <flint/fmpq_mpoly.h>
#include <math.h>

#include "papers/polynomial.h"

steep_polynomial *steep_polynomial_new(size_t variables)
{
    steep_polynomial *p = flint_malloc(sizeof *p);
    fmpq_mpoly_ctx_init(p->context, (slong)variables, ORD_DEGREVLEX);
    fmpq_mpoly_init(p->value, p->context);
    return p;
}

void steep_polynomial_free(steep_polynomial *p)
{
    if (!p) return;
    fmpq_mpoly_clear(p->value, p->context);
    fmpq_mpoly_ctx_clear(p->context);
    flint_free(p);
}

void steep_polynomial_free_all(steep_polynomial **p, size_t count)
{
    for (size_t i = 0; p && i < count; i++) steep_polynomial_free(p[i]);
    flint_free(p);
}

steep_polynomial **steep_polynomial_new_all(size_t count, size_t variables)
{
    steep_polynomial **p = flint_malloc((count + 1) * sizeof *p);
    for (size_t i = 0; i < count; i++) p[i] = steep_polynomial_new(variables);
    return p;
}

size_t steep_polynomial_variables(const steep_polynomial *p)
{
    return (size_t)fmpq_mpoly_ctx_nvars(p->context);
}

void steep_polynomial_copy(steep_polynomial *to, const steep_polynomial *p)
{
    fmpq_mpoly_set(to->value, p->value, to->context);
}

/* c = mantissa 2^exponent, a mantissa of 64 bits. */
bool steep_polynomial_set(steep_polynomial *to, long double c)
{
    int exponent;
    if (!isfinite(c)) return false;
    const long double mantissa = ldexpl(frexpl(fabsl(c), &exponent), 64);
    fmpq_t q;
    fmpq_init(q);
    fmpz_set_ui(fmpq_numref(q), (ulong)mantissa);
    exponent -= 64;
    if (exponent >= 0) fmpz_mul_2exp(fmpq_numref(q), fmpq_numref(q), (ulong)exponent);
    else fmpz_mul_2exp(fmpq_denref(q), fmpq_denref(q), (ulong)-exponent);
    if (c < 0) fmpz_neg(fmpq_numref(q), fmpq_numref(q));
    fmpq_canonicalise(q);
    fmpq_mpoly_set_fmpq(to->value, q, to->context);
    fmpq_clear(q);
    return true;
}

void steep_polynomial_set_ratio(steep_polynomial *to, long numerator, unsigned long denominator)
{
    fmpq_t q;
    fmpq_init(q);
    fmpq_set_si(q, numerator, denominator);
    fmpq_mpoly_set_fmpq(to->value, q, to->context);
    fmpq_clear(q);
}

void steep_polynomial_set_variable(steep_polynomial *to, size_t j)
{
    fmpq_mpoly_gen(to->value, (slong)j, to->context);
}

void steep_polynomial_add(steep_polynomial *to, const steep_polynomial *p, const steep_polynomial *q)
{
    fmpq_mpoly_add(to->value, p->value, q->value, to->context);
}

void steep_polynomial_subtract(steep_polynomial *to, const steep_polynomial *p, const steep_polynomial *q)
{
    fmpq_mpoly_sub(to->value, p->value, q->value, to->context);
}

void steep_polynomial_multiply(steep_polynomial *to, const steep_polynomial *p, const steep_polynomial *q)
{
    fmpq_mpoly_mul(to->value, p->value, q->value, to->context);
}

void steep_polynomial_power(steep_polynomial *to, const steep_polynomial *p, unsigned n)
{
    fmpq_mpoly_pow_ui(to->value, p->value, n, to->context);
}

bool steep_polynomial_divide(steep_polynomial *to, const steep_polynomial *p, const steep_polynomial *q)
{
    fmpq_t by;
    if (!steep_polynomial_is_number(q) || steep_polynomial_sign(q) == 0) return false;
    fmpq_init(by);
    fmpq_mpoly_get_fmpq(by, q->value, q->context);
    fmpq_mpoly_scalar_div_fmpq(to->value, p->value, by, to->context);
    fmpq_clear(by);
    return true;
}

size_t steep_polynomial_degree(const steep_polynomial *p)
{
    const slong degree = fmpq_mpoly_total_degree_si(p->value, p->context);
    return degree > 0 ? (size_t)degree : 0;
}

size_t steep_polynomial_terms(const steep_polynomial *p)
{
    return (size_t)fmpq_mpoly_length(p->value, p->context);
}

size_t steep_polynomial_bits(const steep_polynomial *p)
{
    const slong largest = fmpz_mpoly_max_bits(p->value->zpoly);
    return (size_t)(largest < 0 ? -largest : largest) + fmpz_bits(fmpq_numref(p->value->content)) +
           fmpz_bits(fmpq_denref(p->value->content));
}

bool steep_polynomial_is_number(const steep_polynomial *p)
{
    return fmpq_mpoly_is_fmpq(p->value, p->context);
}

bool steep_polynomial_equal(const steep_polynomial *p, const steep_polynomial *q)
{
    return fmpq_mpoly_equal(p->value, q->value, p->context);
}

int steep_polynomial_sign(const steep_polynomial *p)
{
    fmpq_t c;
    fmpq_init(c);
    if (steep_polynomial_is_number(p)) fmpq_mpoly_get_fmpq(c, p->value, p->context);
    const int sign = fmpq_sgn(c);
    fmpq_clear(c);
    return sign;
}
