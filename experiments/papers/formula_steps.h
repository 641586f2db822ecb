/* SPDX-License-Identifier: GPL-3.0-or-later */
/* formula_steps: what a unit by formula costs, counted on the tape that evaluates it. */
#ifndef STEEP_PAPERS_FORMULA_STEPS_H
#define STEEP_PAPERS_FORMULA_STEPS_H

#include "formula/formula.h"

/* Steps that the value (order 0), the value and gradient (1) or all with the Hessian (2) take at one point, what occurs
 * twice counted once: own, those that depend on one of the first inputs, count of them (a unit's branches), and shared,
 * those that do not. A sum, a product, a function of one argument is one step; numbers are none. For a formula of
 * steep_formula_parse_unit. Fails only with STEEP_NO_MEMORY. */
steep_status formula_steps(const steep_formula *formula, int order, size_t count, size_t *own, size_t *shared);

#endif
