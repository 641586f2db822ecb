/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tape: a unit's formula with gradient and Hessian, worked out symbolically once, as straight lists of steps on columns
 * of numbers, one list for each order of derivatives. What is 0 or 1 whatever the point is not computed, what occurs
 * twice is computed once, and the columns of results that are needed no more are used again. */
#pragma once

#include "formula/program.h"

/* Steps beside those that a program has: u < v, or u > v, or u is NaN ? p : q; x < 0 ? -1 : 1; relu'; tanh'; Bessel's
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
    STEEP_ARGUMENTS = 4 /* most of a step */
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
} steep_tape;

/* Makes the tapes of orders 0, 1 and 2 of a parsed unit, its variables numbered as inputs: formula->tape, which
 * steep_tape_free frees, also on failure. STEEP_BAD_INPUT where one needs more than STEEP_FORMULA_CELLS columns. */
steep_status steep_tape_make(steep_formula *formula, steep_error *error);
void steep_tape_free(steep_tape *tape);
