/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <flint/fmpq.h>
#include <flint/fmpq_mpoly.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papers/expansion.h"

bool steep_polynomial_substitute(steep_polynomial *to, const steep_polynomial *p, steep_polynomial *const *value)
{
    const size_t variables = steep_polynomial_variables(p), terms = steep_polynomial_terms(p);
    steep_polynomial *term = steep_polynomial_new(steep_polynomial_variables(to)),
                     *power = steep_polynomial_new(steep_polynomial_variables(to));
    fmpq_t c;
    fmpq_init(c);
    fmpq_mpoly_zero(to->value, to->context);
    for (size_t i = 0; i < terms; i++) {
        fmpq_mpoly_get_term_coeff_fmpq(c, p->value, (slong)i, p->context);
        fmpq_mpoly_set_fmpq(term->value, c, term->context);
        for (size_t j = 0; j < variables; j++) {
            const ulong exponent = fmpq_mpoly_get_term_var_exp_ui(p->value, (slong)i, (slong)j, p->context);
            if (exponent == 0) continue;
            fmpq_mpoly_pow_ui(power->value, value[j]->value, exponent, power->context);
            fmpq_mpoly_mul(term->value, term->value, power->value, term->context);
        }
        fmpq_mpoly_add(to->value, to->value, term->value, to->context);
    }
    fmpq_clear(c);
    steep_polynomial_free(term);
    steep_polynomial_free(power);
    return true;
}

/* The quotient in 56 or 57 bits, the last of them set where anything is left: one conversion rounds it. */
static double nearest(const fmpq_t q)
{
    fmpz_t n, d, r;
    if (fmpq_is_zero(q)) return 0;
    fmpz_init(n);
    fmpz_init(d);
    fmpz_init(r);
    const slong shift = 56 - (slong)fmpz_bits(fmpq_numref(q)) + (slong)fmpz_bits(fmpq_denref(q));
    fmpz_abs(n, fmpq_numref(q));
    fmpz_set(d, fmpq_denref(q));
    if (shift >= 0) fmpz_mul_2exp(n, n, (ulong)shift);
    else fmpz_mul_2exp(d, d, (ulong)-shift);
    fmpz_fdiv_qr(n, r, n, d);
    const double value = ldexp((double)(fmpz_get_ui(n) | !fmpz_is_zero(r)), shift > 10000 ? -10000 : (int)-shift);
    const int sign = fmpz_sgn(fmpq_numref(q));
    fmpz_clear(n);
    fmpz_clear(d);
    fmpz_clear(r);
    return sign * value;
}

double steep_polynomial_number(const steep_polynomial *p)
{
    unsigned long *zero = flint_calloc(steep_polynomial_variables(p), sizeof *zero);
    fmpq_t c;
    fmpq_init(c);
    fmpq_mpoly_get_coeff_fmpq_ui(c, p->value, zero, p->context);
    const double value = nearest(c);
    fmpq_clear(c);
    flint_free(zero);
    return value;
}

double steep_polynomial_term(const steep_polynomial *p, size_t place, unsigned long *exponents)
{
    fmpq_t c;
    fmpq_init(c);
    fmpq_mpoly_get_term_coeff_fmpq(c, p->value, (slong)place, p->context);
    fmpq_mpoly_get_term_exp_ui(exponents, p->value, (slong)place, p->context);
    const double value = nearest(c);
    fmpq_clear(c);
    return value;
}

char *steep_polynomial_text(const steep_polynomial *p)
{
    char *made = fmpq_mpoly_get_str_pretty(p->value, NULL, p->context), *text = made ? strdup(made) : NULL;
    flint_free(made);
    return text;
}
