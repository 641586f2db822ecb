/* SPDX-License-Identifier: GPL-3.0-or-later */
/* formula_steps: operations of a unit formula, counted on the tape that evaluates it. */
#ifndef STEEP_EXPERIMENTS_FORMULA_STEPS_H
#define STEEP_EXPERIMENTS_FORMULA_STEPS_H

#include <stdlib.h>

#include "formula/formula.h"
#include "formula/program.h"
#include "formula/tape.h"

/* Number of columns that a step reads. */
static inline size_t operands_of(const steep_step *step)
{
    if (step->op == STEEP_CODE_TAKE_LESSER || step->op == STEEP_CODE_TAKE_GREATER) return STEEP_ARGUMENTS;
    if (step->op == STEEP_CODE_DAMPED) return 2;
    return step->op > STEEP_CODE_GREATER ? 1 : steep_operands((steep_code)step->op);
}

/* Counts the steps of one point for the value (order 0), with the gradient (1), with the Hessian too (2): *own, steps
 * that depend on one of the first count inputs (a unit's branches), and *shared, all others. A sum, a product and a
 * function of one argument are one step each; a number is none; a repeated subexpression counts once. The formula is
 * from steep_formula_parse_unit. Fails only with STEEP_NO_MEMORY. */
static inline steep_status formula_steps(const steep_formula *formula, int order, size_t count, size_t *own,
                                         size_t *shared)
{
    const steep_tape *tape = &formula->tape[order];
    bool *depends = calloc(formula->dim + tape->columns + 1, sizeof *depends);
    *own = *shared = 0;
    if (!depends) return STEEP_NO_MEMORY;
    for (size_t i = 0; i < formula->dim && i < count; i++) depends[i] = true;
    for (size_t s = 0; s < tape->steps; s++) {
        const steep_step *step = &tape->step[s];
        bool any = false;
        for (size_t a = 0; a < operands_of(step); a++) any = any || depends[step->from[a]];
        depends[step->to] = any;
        if (step->op != STEEP_CODE_NUMBER) *(any ? own : shared) += 1;
    }
    free(depends);
    return STEEP_OK;
}

#endif
