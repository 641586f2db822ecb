/* SPDX-License-Identifier: GPL-3.0-or-later */
/* operations: what one value of a unit costs, counted from its formula. */
#ifndef STEEP_PAPERS_OPERATIONS_H
#define STEEP_PAPERS_OPERATIONS_H

#include "formula/formula.h"

/* For each element, a unit at a point. What depends on the unit alone (e), on the point alone (s, m) or on neither (a)
 * is computed once for many elements, and not counted. */
typedef struct steep_operations {
    /* + - * /, comparisons, relu, abs; a whole power counts its products, those that occur twice once */
    size_t arithmetic;
    size_t functions; /* exp, tanh, erf, sqrt and their like */
    /* Values that differentiation backwards needs and that are there already, each counted once: factors of products
     * (but beside a number), divisor and dividend, what a power was of, the result of exp, tanh, sigmoid, sqrt and
     * relu, and of other functions the argument. */
    size_t kept;
} steep_operations;

/* unit: of steep_formula_parse_unit, which gave counts. */
steep_operations steep_formula_operations(const steep_formula *unit, const size_t counts[5]);

#endif
