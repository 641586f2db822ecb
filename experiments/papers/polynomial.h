/* SPDX-License-Identifier: GPL-3.0-or-later */
/* polynomial: polynomials in several variables with rational coefficients, exact: no rounding anywhere. A polynomial
 * of degree 0 is a rational number. Behind it stands FLINT's fmpq_mpoly.
 *
 * Operands of one call have the same number of variables, and `to` may be one of them. FLINT ends the program where
 * memory runs out; degrees are the caller's to bound. */
#pragma once

#include <flint/fmpq.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct steep_polynomial steep_polynomial;

/* 0, in so many variables (at least 1). */
steep_polynomial *steep_polynomial_new(size_t variables);
void steep_polynomial_free(steep_polynomial *p);
/* count of them. free_all takes what new_all gave. */
steep_polynomial **steep_polynomial_new_all(size_t count, size_t variables);
void steep_polynomial_free_all(steep_polynomial **p, size_t count);

size_t steep_polynomial_variables(const steep_polynomial *p);
void steep_polynomial_copy(steep_polynomial *to, const steep_polynomial *p);

/* The number c itself, exactly; false, and nothing done, where it is infinite or NaN. */
bool steep_polynomial_set(steep_polynomial *to, long double c);
/* numerator / denominator, the latter not 0 */
void steep_polynomial_set_ratio(steep_polynomial *to, long numerator, unsigned long denominator);
/* x_j, j < variables */
void steep_polynomial_set_variable(steep_polynomial *to, size_t j);

void steep_polynomial_add(steep_polynomial *to, const steep_polynomial *p, const steep_polynomial *q);
void steep_polynomial_subtract(steep_polynomial *to, const steep_polynomial *p, const steep_polynomial *q);
void steep_polynomial_multiply(steep_polynomial *to, const steep_polynomial *p, const steep_polynomial *q);
/* p^n */
void steep_polynomial_power(steep_polynomial *to, const steep_polynomial *p, unsigned n);
/* p / q; false, and nothing done, unless q is a number and not 0. */
bool steep_polynomial_divide(steep_polynomial *to, const steep_polynomial *p, const steep_polynomial *q);
/* Total degree, 0 for numbers; terms with a coefficient that is not 0. */
size_t steep_polynomial_degree(const steep_polynomial *p);
size_t steep_polynomial_terms(const steep_polynomial *p);
bool steep_polynomial_is_number(const steep_polynomial *p);
bool steep_polynomial_equal(const steep_polynomial *p, const steep_polynomial *q);

/* Bits that no coefficient exceeds, numerator and common denominator together. */
size_t steep_polynomial_bits(const steep_polynomial *p);

/* Of a number: -1, 0, 1. */
int steep_polynomial_sign(const steep_polynomial *p);

#ifdef FMPQ_MPOLY_H /* for files that include FLINT's own */
struct steep_polynomial {
    fmpq_mpoly_ctx_t context;
    fmpq_mpoly_t value;
};
#endif
