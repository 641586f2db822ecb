/* SPDX-License-Identifier: GPL-3.0-or-later */
/* formula: an expression in x, y, z (or x1, x2, ...), or in the inputs of a unit, parsed once and evaluated three ways
 * from the same program: in long double, as a Taylor jet, and in double with gradient and Hessian. On boxes, enclosed:
 * certify/enclose.h. Grammar: steep/target.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "steep/network.h"
#include "steep/target.h"

/* Parses a unit h(z1.., e1.., s1.., a1.., m1..) (steep/network.h): counts[0..4] are the numbers of branches z, own
 * scalars e, shared maps s, shared scalars a and layer moments m, each numbered from 1 without gaps, one branch at
 * least. The formula is a function of these inputs, in this order; its dimension is their number. */
steep_status steep_formula_parse_unit(const char *text, steep_formula **formula, size_t counts[5], steep_error *error);
const char *steep_formula_text(const steep_formula *formula);
size_t steep_formula_dim(const steep_formula *formula);
/* Do both have the same operations in the same order? Blanks, parentheses and the way to write a number do not count;
 * x*x and x^2 are not the same. */
bool steep_formula_same(const steep_formula *a, const steep_formula *b);
/* Does the formula contain abs, sign, relu, min or max? */
bool steep_formula_has_kinks(const steep_formula *formula);
/* How many letters, digits and underscores text begins with. */
size_t steep_formula_word(const char *text);
/* The value of text[0..length-1], a formula without variables such as 2*pi. Otherwise STEEP_BAD_INPUT; the message is
 * the end of a sentence that begins with the text ("has a variable: ..."). */
steep_status steep_formula_number(const char *text, size_t length, double *value, steep_error *error);

/* Value, gradient and Hessian at the points of a tile, exact but for rounding; the tile's inputs are the formula's.
 * Where the argument of a root or power is 0 all around the point, as behind a closed gate in sqrt(relu(z1)) at z1 =
 * -1, the derivatives are 0. For a formula of steep_formula_parse_unit. */
void steep_formula_derivatives(const steep_formula *formula, const steep_tile *tile);

/* f(x) in long double: the reference value. x has dim entries. */
long double steep_formula_reference(const steep_formula *formula, const long double *x);

/* Taylor coefficients along a line: f(x + t v) = sum_{j <= order} c[j] t^j + O(t^(order+1)), order <= STEEP_JET_ORDER.
 * v NULL means the first coordinate direction (1, 0, ...). Where a derivative is infinite (sqrt(x) at 0), the
 * coefficient is infinite or NaN. About 10 order^2 ns an operation. */
void steep_formula_jet(const steep_formula *formula, const long double *x, const long double *v, size_t order,
                       long double *c);
