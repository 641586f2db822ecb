/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expansion: compositions of polynomials (papers/polynomial.h), their terms as doubles, and their text. */
#ifndef STEEP_PAPERS_EXPANSION_H
#define STEEP_PAPERS_EXPANSION_H

#include "papers/polynomial.h"

/* to = p(value_0, .., value_{v-1}), v the variables of p; those of `to` and the values may be others, and `to` is none
 * of them. True always. */
bool steep_polynomial_substitute(steep_polynomial *to, const steep_polynomial *p, steep_polynomial *const *value);

/* The nearest double of the constant term, ties to even (results below 2^-1022 are rounded twice). */
double steep_polynomial_number(const steep_polynomial *p);

/* The term of that place, 0 .. terms - 1, highest first: exponents (variables entries) and the nearest double of its
 * coefficient. */
double steep_polynomial_term(const steep_polynomial *p, size_t place, unsigned long *exponents);

/* "3/4*x1^2*x2 - x2 + 1/3" in memory that the caller frees; NULL where there is none. */
char *steep_polynomial_text(const steep_polynomial *p);

#endif
