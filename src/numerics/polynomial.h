/* SPDX-License-Identifier: GPL-3.0-or-later */
/* polynomial: polynomials in several variables with rational coefficients, exact: no rounding anywhere. A polynomial
 * of degree 0 is a rational number. Behind it stands FLINT (fmpq_mpoly), which no header names.
 *
 * Operands of one call have the same number of variables, and `to` may be one of them. FLINT ends the program where
 * memory runs out; degrees are the caller's to bound. */
#ifndef STEEP_NUMERICS_POLYNOMIAL_H
#define STEEP_NUMERICS_POLYNOMIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct steep_polynomial steep_polynomial;

/* 0, in so many variables (at least 1); NULL where there is no memory. */
steep_polynomial *steep_polynomial_new(size_t variables);
void steep_polynomial_free(steep_polynomial *p);
/* count of them; NULL where there is no memory. free_all takes what new_all gave. */
steep_polynomial **steep_polynomial_new_all(size_t count, size_t variables);
void steep_polynomial_free_all(steep_polynomial **p, size_t count);

size_t steep_polynomial_variables(const steep_polynomial *p);
void steep_polynomial_copy(steep_polynomial *to, const steep_polynomial *p);

/* The number c itself, exactly; false, and nothing done, where it is infinite or NaN. */
bool steep_polynomial_set(steep_polynomial *to, long double c);
/* numerator / denominator, the latter not 0 */
void steep_polynomial_set_ratio(steep_polynomial *to, long numerator, unsigned long denominator);
/* A fraction of FLINT, an fmpq of two words (certify/rational.h). */
void steep_polynomial_set_fraction(steep_polynomial *to, const int64_t fraction[2]);
/* x_j, j < variables */
void steep_polynomial_set_variable(steep_polynomial *to, size_t j);

void steep_polynomial_add(steep_polynomial *to, const steep_polynomial *p, const steep_polynomial *q);
void steep_polynomial_subtract(steep_polynomial *to, const steep_polynomial *p, const steep_polynomial *q);
void steep_polynomial_multiply(steep_polynomial *to, const steep_polynomial *p, const steep_polynomial *q);
/* p^n */
void steep_polynomial_power(steep_polynomial *to, const steep_polynomial *p, unsigned n);
/* p / q; false, and nothing done, unless q is a number and not 0. */
bool steep_polynomial_divide(steep_polynomial *to, const steep_polynomial *p, const steep_polynomial *q);
/* to = p(value_0, .., value_{v-1}), v the variables of p; those of `to` and the values may be others, and `to` is none
 * of them. False where there is no memory. */
bool steep_polynomial_substitute(steep_polynomial *to, const steep_polynomial *p, steep_polynomial *const *value);

/* Total degree, 0 for numbers; terms with a coefficient that is not 0. */
size_t steep_polynomial_degree(const steep_polynomial *p);
size_t steep_polynomial_terms(const steep_polynomial *p);
bool steep_polynomial_is_number(const steep_polynomial *p);
bool steep_polynomial_has_variable(const steep_polynomial *p, size_t j);
bool steep_polynomial_equal(const steep_polynomial *p, const steep_polynomial *q);

/* Bits that no coefficient exceeds, numerator and common denominator together. */
size_t steep_polynomial_bits(const steep_polynomial *p);

/* Of numbers: -1, 0, 1; and the nearest double, ties to even (of the constant term, where it is none; results below
 * 2^-1022 are rounded twice). */
int steep_polynomial_sign(const steep_polynomial *p);
double steep_polynomial_number(const steep_polynomial *p);

/* The term of that place, 0 .. terms - 1, highest first: exponents (variables entries) and the nearest double of its
 * coefficient. */
double steep_polynomial_term(const steep_polynomial *p, size_t place, unsigned long *exponents);

/* "3/4*x1^2*x2 - x2 + 1/3" in memory that the caller frees; NULL where there is none. */
char *steep_polynomial_text(const steep_polynomial *p);

#endif
