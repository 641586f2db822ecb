/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tape: a unit's formula with gradient and Hessian, worked out symbolically once, as straight lists of steps on columns
 * of numbers, one list for each order of derivatives. Expressions that are 0 or 1 at every point are not computed,
 * equal expressions are computed once, and a column that is not needed any more is used again. */
#pragma once

#include "formula/program.h"

/* Operations beside those of a program: p if u < v (u > v) or u is NaN, else q; x < 0 ? -1 : 1; relu'; tanh'; Bessel's
 * J_2 and J_3; a product in which 0 times an infinity is 0. */
enum {
    STEEP_CODE_TAKE_LESSER = STEEP_CODE_GREATER + 1,
    STEEP_CODE_TAKE_GREATER,
    STEEP_CODE_ABS_SLOPE,
    STEEP_CODE_RELU_SLOPE,
    STEEP_CODE_TANH_SLOPE,
    STEEP_CODE_BESSEL_2,
    STEEP_CODE_BESSEL_3,
    STEEP_CODE_DAMPED,
    STEEP_ARGUMENTS = 4 /* most arguments of a step */
};

/* column[to] = op(column[from[0]], ..). Columns 0 .. m - 1 are the inputs. `to` is none of `from`. */
typedef struct steep_step {
    int op, to, from[STEEP_ARGUMENTS];
    double number; /* of STEEP_CODE_NUMBER */
} steep_step;

typedef struct steep_tape {
    steep_step *step;
    size_t steps, columns; /* columns: besides the inputs */
    int *result; /* columns that hold h, then (order >= 1) the gradient, then (order 2) the Hessian's triangle */
    size_t results;
    void *block; /* memory of step and result */
} steep_tape;

/* Makes formula->tape[0..2], the tapes of orders 0, 1 and 2, of a parsed unit, whose variables are numbered as inputs.
 * steep_tape_free frees them, also on failure. STEEP_BAD_INPUT: more than STEEP_FORMULA_CELLS columns are needed. */
steep_status steep_tape_make(steep_formula *formula, steep_error *error);
void steep_tape_free(steep_tape *tape);
