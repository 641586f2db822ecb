/* SPDX-License-Identifier: GPL-3.0-or-later */
/* formula: an expression in x, y, z (or x1..x9), parsed once and evaluated three ways from the same tree.
 *
 * Grammar: numbers, the variables, pi, e, + - * / ^ (right-associative; ** is ^; unary minus binds weaker than ^), parentheses and
 * sin cos tan asin acos atan sinh cosh tanh exp log sqrt cbrt abs sign relu erf min(a,b) max(a,b) pow(a,b).
 * At a kink (abs, relu, min, max, sign) derivatives are those of the right-hand branch: relu'(0) = 0 as for the networks. */
#ifndef STEEP_DATA_FORMULA_H
#define STEEP_DATA_FORMULA_H

#include <stddef.h>

#include "base/status.h"

#define STEEP_JET_ORDER 8 /* highest Taylor order */
#define STEEP_MAX_DIM 9

typedef struct steep_formula steep_formula;

/* Parses text. Dimension: the highest variable used (x or x1: 1, y or x2: 2, ...), at least 1. A syntax error is
 * STEEP_BAD_INPUT with the column (from 1), a caret line, and what was expected; an unknown name suggests the nearest. */
steep_status steep_formula_parse(const char *text, steep_formula **formula, steep_error *error);
void steep_formula_free(steep_formula *formula);

const char *steep_formula_text(const steep_formula *formula);
size_t steep_formula_dim(const steep_formula *formula);

/* y[k] = f(x_k) in double, k < count; x is column-major, coordinate j of point k at x[j * count + k]. */
void steep_formula_values(const steep_formula *formula, size_t count, const double *x, double *y);

/* f(x) in long double: the reference value. x has dim entries. */
long double steep_formula_reference(const steep_formula *formula, const long double *x);

/* Taylor coefficients along a line: f(x + t v) = sum_{j <= order} c[j] t^j + O(t^(order+1)), order <= STEEP_JET_ORDER.
 * v NULL means the first coordinate direction (1, 0, ...). */
void steep_formula_jet(const steep_formula *formula, const long double *x, const long double *v, size_t order,
                       long double *c);

#endif
