/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exact: a formula in polynomials with rational coefficients: at rational points its exact value, at variables its
 * expansion. */
#ifndef STEEP_PAPERS_EXACT_H
#define STEEP_PAPERS_EXACT_H

#include "formula/formula.h"
#include "papers/polynomial.h"

/* to = f(x_0, .., x_{dim-1}). Numbers in the formula are taken as the nearest doubles.
 * relu, abs, sign, min and max are of rational numbers only, division is by such, powers have whole exponents from 0
 * on (below 0: of rational numbers), their degree is 2^20 at most, and no result of an operation may take more than
 * 2^22 bits, by a bound from terms and coefficients: degrees of a thousand or two in one variable. STEEP_BAD_INPUT
 * names what else the formula does: exp, or relu of a polynomial that is no number. */
steep_status steep_formula_exact(const steep_formula *formula, const steep_polynomial *const *x, steep_polynomial *to,
                                 steep_error *error);

#endif
